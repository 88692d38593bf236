-- The choice of the instance of a factory that hints, hovers and device code show.
local M = {}

local NAME = 'tir_analyzer'

--- Tells the server what is shown of a factory: an instance by its arguments, or the general function.
---@param uri string
---@param factory string
---@param instance? string
function M.show(uri, factory, instance)
  local bufnr = vim.uri_to_bufnr(uri)
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = NAME })[1]
  if not client then
    return
  end
  local params = { textDocument = { uri = uri }, factory = factory, instance = instance }
  client:request('tir-analyzer/chooseInstance', params, function(err)
    if err then
      vim.notify('tir-analyzer: ' .. err.message, vim.log.levels.ERROR)
      return
    end
    vim.lsp.codelens.refresh({ bufnr = bufnr })
  end, bufnr)
end

--- Asks for an instance of the lens with these arguments.
---@param arguments table the document, the factory, the arguments of each instance, the number of the chosen one
function M.choose(arguments)
  local uri, factory, instances, chosen = arguments[1], arguments[2], arguments[3], arguments[4]
  local items = { { title = 'no instance: the general function' } }
  for number, instance in ipairs(instances) do
    local mark = chosen == number - 1 and ' (shown)' or ''
    table.insert(items, { title = instance .. mark, instance = instance })
  end
  vim.ui.select(items, {
    prompt = 'Instance of ' .. factory,
    format_item = function(item)
      return item.title
    end,
  }, function(item)
    if item then
      M.show(uri, factory, item.instance)
    end
  end)
end

return M
