-- What TileLang itself makes of the kernel under the cursor: its IR after each pass, and its device code. It is asked
-- by this command alone: the Python of the setting `tilelang.python` imports the file, which executes it.
local M = {}

local scratch = require('tir_analyzer.scratch')

local METHOD = 'tir-analyzer/viewTileLang'

local function notify(message, level)
  vim.notify('tir-analyzer: ' .. message, level or vim.log.levels.WARN)
end

--- A scratch buffer with a text; `<CR>` goes to the line of the source that a line comes from.
local function buffer(name, stage, syntax, source)
  local bufnr = scratch.buffer(name, stage.text, syntax)
  -- Lines are counted from the first of the text.
  local _, skipped = (stage.text:match('^%s*') or ''):gsub('\n', '')
  vim.keymap.set('n', '<CR>', function()
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1 + skipped
    for _, it in ipairs(stage.lines or {}) do
      if it.line == line then
        return M.jump(source, it.source)
      end
    end
    notify('this line comes from no line of the source')
  end, { buffer = bufnr, desc = 'to the source' })
  return bufnr
end

--- Shows a line of the source, in its window if it has one.
function M.jump(source, line)
  for _, window in ipairs(vim.fn.win_findbuf(source)) do
    vim.api.nvim_set_current_win(window)
    return vim.api.nvim_win_set_cursor(window, { line + 1, 0 })
  end
  vim.cmd.sbuffer(source)
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
end

--- The request that runs, so that a second command ends the first.
local running

--- Shows the passes that change something: a tab with the device code, and the IR before and after a chosen pass.
local function show(source, result)
  vim.cmd.tabnew()
  vim.bo.bufhidden = 'wipe'
  local code = { text = result.code, lines = {} }
  vim.api.nvim_win_set_buf(0, buffer(result['function'] .. '.cu', code, 'cuda', source))
  local stages = { result.before }
  vim.list_extend(stages, result.stages)
  local items = {}
  for at = 2, #stages do
    items[#items + 1] = at
  end
  if #items == 0 then
    return
  end
  vim.ui.select(items, {
    prompt = 'Pass of TileLang',
    format_item = function(at)
      return ('%d %s'):format(at - 1, stages[at].pass)
    end,
  }, function(at)
    if not at then
      return
    end
    for _, stage in ipairs({ stages[at - 1], stages[at] }) do
      vim.cmd('rightbelow vsplit')
      local name = stage.pass == '' and 'before' or ('after ' .. stage.pass)
      vim.api.nvim_win_set_buf(0, buffer(name, stage, 'python', source))
      vim.cmd.diffthis()
    end
  end)
end

--- Has TileLang lower the kernel under the cursor. A second call, and `M.cancel`, end the process of the first.
function M.show()
  local source = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ bufnr = source, name = 'tir_analyzer' })[1]
  if not client then
    return notify('the server is not attached to this buffer')
  end
  M.cancel()
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  notify('TileLang lowers the kernel …', vim.log.levels.INFO)
  local mine
  local ok, id = client:request(METHOD, params, function(err, result)
    if running == mine then
      running = nil
    end
    if err then
      return notify(err.message)
    elseif not result or result == vim.NIL then
      return notify('there is no kernel under the cursor')
    end
    show(source, result)
  end, source)
  mine = ok and { client = client, id = id } or nil
  running = mine
end

--- Ends the process of a command that was not answered yet.
function M.cancel()
  if running then
    running.client:cancel_request(running.id)
    running = nil
  end
end

return M
