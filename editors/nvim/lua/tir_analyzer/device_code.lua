-- The device code of the kernel under the cursor, in a scratch buffer that follows the source.
local M = {}

local METHOD = 'tir-analyzer/viewDeviceCode'
local FILETYPES = { cuda = 'cuda', ['cuda-cpp'] = 'cuda', opencl = 'opencl', hip = 'cuda', c = 'c', cpp = 'cpp', wgsl = 'wgsl', metal = 'cpp' }

local function notify(message)
  vim.notify('tir-analyzer: ' .. message, vim.log.levels.WARN)
end

local function client_of(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr, name = 'tir_analyzer' })[1]
end

--- The buffer that shows `target` code of `source`; made on first use.
local function view_of(source, target)
  local file = vim.fs.basename(vim.api.nvim_buf_get_name(source))
  local name = ('tir-analyzer://%d/%s.%s'):format(source, file, target or 'device')
  local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?') .. '$')
  if bufnr == -1 then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
    vim.bo[bufnr].bufhidden = 'hide'
    vim.bo[bufnr].modifiable = false
  end
  return bufnr
end

-- What each view shows, for the way from its lines to the source and back.
local results = {}
local NAMESPACE = vim.api.nvim_create_namespace('tir_analyzer_device_code')

--- The last entry of `lines` that is not below a line (from 0) of the view.
local function source_line(lines, line)
  local found
  for _, it in ipairs(lines) do
    if it.line > line then
      break
    end
    found = it.source
  end
  return found
end

--- What is computed once on the line under the cursor of a view, in a floating window.
local function explain(view)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, it in ipairs((results[view] or {}).shared or {}) do
    if it.line == line then
      local places = vim.tbl_map(function(source) return tostring(source + 1) end, it.sources)
      local text = { it.text, 'used on lines ' .. table.concat(places, ', ') .. ' of the source' }
      return vim.lsp.util.open_floating_preview(text, 'markdown', { focusable = false })
    end
  end
  notify('nothing was computed once on this line')
end

--- Goes from a line of the view to the source.
local function jump(view, source)
  local line = source_line((results[view] or {}).lines or {}, vim.api.nvim_win_get_cursor(0)[1] - 1)
  local window = vim.fn.bufwinid(source)
  if line and window ~= -1 then
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_win_set_cursor(window, { line + 1, 0 })
  end
end

--- Marks the lines of the view that come from the line under the cursor of the source.
local function mark(view, source)
  vim.api.nvim_buf_clear_namespace(view, NAMESPACE, 0, -1)
  local cursor = vim.api.nvim_win_get_cursor(0)[1] - 1
  local lines = (results[view] or {}).lines or {}
  for at, it in ipairs(lines) do
    if it.source == cursor then
      local last = lines[at + 1] and lines[at + 1].line or it.line + 1
      for line = it.line, math.min(last, vim.api.nvim_buf_line_count(view)) - 1 do
        vim.api.nvim_buf_set_extmark(view, NAMESPACE, line, 0, { line_hl_group = 'Visual' })
      end
    end
  end
end

local function fill(view, result)
  results[view] = result
  local lines = vim.split(result.text, '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  end
  vim.bo[view].modifiable = true
  vim.api.nvim_buf_set_lines(view, 0, -1, false, lines)
  vim.bo[view].modifiable = false
  vim.bo[view].modified = false
  local filetype = FILETYPES[result.languageId] or result.languageId or ''
  if vim.bo[view].filetype ~= filetype then
    vim.bo[view].filetype = filetype
  end
end

--- Asks the server and gives the result (or nothing and why) to `on_result`.
local function request(source, position, target, on_result)
  local client = client_of(source)
  if not client then
    return on_result(nil, 'the server is not attached to this buffer')
  end
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(source) },
    position = position,
    target = target,
  }
  client:request(METHOD, params, function(err, result)
    if err then
      on_result(nil, err.message)
    elseif not result or result == vim.NIL then
      on_result(nil, 'there is no kernel under the cursor')
    else
      on_result(result)
    end
  end, source)
end

--- Renews the view after edits of the source for as long as it is shown. A state of the source without a
--- kernel (a half-typed line) leaves the last code standing.
local function follow(source, view, target)
  local group = vim.api.nvim_create_augroup('tir_analyzer_view_' .. view, { clear = true })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'BufWritePost' }, {
    group = group,
    buffer = source,
    callback = function()
      if vim.fn.bufwinid(view) == -1 or vim.api.nvim_get_current_buf() ~= source then
        return
      end
      local client = client_of(source)
      if client then
        local position = vim.lsp.util.make_position_params(0, client.offset_encoding).position
        request(source, position, target, function(result)
          if result and vim.api.nvim_buf_is_valid(view) then
            fill(view, result)
          end
        end)
      end
    end,
  })
end

--- The keys of a view, and the lines of the cursor in the source.
local function connect(source, view)
  vim.keymap.set('n', 'K', function() explain(view) end, { buffer = view, desc = 'what is computed once here' })
  vim.keymap.set('n', '<CR>', function() jump(view, source) end, { buffer = view, desc = 'to the source' })
  local group = vim.api.nvim_create_augroup('tir_analyzer_mark_' .. view, { clear = true })
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = group,
    buffer = source,
    callback = function()
      if vim.fn.bufwinid(view) ~= -1 and vim.api.nvim_get_current_buf() == source then
        mark(view, source)
      end
    end,
  })
end

--- Shows the device code of the kernel under the cursor beside it.
---@param target? string 'cuda', 'opencl', …, with settings ('cuda:arch=sm_90'); the configured one if absent
---@param position? table where the kernel is; the cursor if absent
function M.show(target, position)
  local source = vim.api.nvim_get_current_buf()
  local client = client_of(source)
  if not client then
    return notify('the server is not attached to this buffer')
  end
  position = position or vim.lsp.util.make_position_params(0, client.offset_encoding).position
  request(source, position, target, function(result, problem)
    if not result then
      return notify(problem)
    end
    local view = view_of(source, target)
    fill(view, result)
    if vim.fn.bufwinid(view) == -1 then
      local window = vim.api.nvim_open_win(view, false, { split = 'right', win = 0 })
      vim.wo[window].wrap = false
    end
    follow(source, view, target)
    connect(source, view)
  end)
end

return M
