-- A function before and after passes, side by side in a tab of its own.
local M = {}

local scratch = require('tir_analyzer.scratch')

local METHOD = 'tir-analyzer/viewPasses'

local function notify(message)
  vim.notify('tir-analyzer: ' .. message, vim.log.levels.WARN)
end

--- Shows the function under the cursor before the passes, and after each of them.
---@param passes string[] names, in order
function M.show(passes)
  local source = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ bufnr = source, name = 'tir_analyzer' })[1]
  if not client then
    return notify('the server is not attached to this buffer')
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.passes = passes
  local filetype = vim.bo[source].filetype
  local syntax = filetype == 'mlir' and 'mlir' or 'python'
  client:request(METHOD, params, function(err, result)
    if err then
      return notify(err.message)
    elseif not result or result == vim.NIL then
      return notify('there is no function under the cursor')
    end
    vim.cmd.tabnew()
    vim.bo.bufhidden = 'wipe'
    vim.api.nvim_win_set_buf(0, scratch.buffer(result['function'], result.before, syntax))
    vim.cmd.diffthis()
    for _, stage in ipairs(result.stages) do
      vim.cmd('rightbelow vsplit')
      local name = ('%s after %s'):format(result['function'], stage.pass)
      vim.api.nvim_win_set_buf(0, scratch.buffer(name, stage.text, syntax))
      vim.cmd.diffthis()
    end
  end, source)
end

return M
