-- What the tests ask of a running Neovim. `Probe` is global: the tests reach it with `luaeval`.
local METHOD = 'textDocument/inlayHint'

-- Whether the hints shown belong to the text shown: the server was told the last change, and every request
-- for hints since then has been answered.
local told = -1
local answered = -1
local pending = 0

vim.api.nvim_create_autocmd('LspNotify', {
  callback = function(event)
    if event.data.method == 'textDocument/didChange' or event.data.method == 'textDocument/didOpen' then
      told = vim.b[event.buf].changedtick
    end
  end,
})

vim.api.nvim_create_autocmd('LspRequest', {
  callback = function(event)
    local request = event.data.request
    if request.method ~= METHOD then
      return
    elseif request.type == 'pending' then
      pending = pending + 1
    else
      pending = math.max(pending - 1, 0)
      if request.type == 'complete' then
        answered = vim.b[event.buf].changedtick
      end
    end
  end,
})

-- Writing a file counts as a change of its buffer, and the text is the same.
local before_writing = -1
vim.api.nvim_create_autocmd('BufWritePre', {
  callback = function(event)
    before_writing = vim.b[event.buf].changedtick
  end,
})
vim.api.nvim_create_autocmd('BufWritePost', {
  callback = function(event)
    local now = vim.b[event.buf].changedtick
    told = told == before_writing and now or told
    answered = answered == before_writing and now or answered
  end,
})

local function client()
  return vim.lsp.get_clients({ bufnr = 0, name = 'tir_analyzer' })[1]
end

local function label(hint)
  if type(hint.label) == 'string' then
    return hint.label
  end
  return vim.iter(hint.label):map(function(part) return part.value end):join('')
end

Probe = {}

function Probe.is_attached()
  local found = client()
  return found ~= nil and found.initialized == true
end

function Probe.is_settled()
  local now = vim.b.changedtick
  return pending == 0 and told == now and answered == now
end

-- The hints of the buffer: line and column from 0, label, and the text of the line.
function Probe.hints()
  local hints = {}
  for _, entry in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
    local position = entry.inlay_hint.position
    table.insert(hints, {
      line = position.line,
      column = position.character,
      label = label(entry.inlay_hint),
      text = vim.api.nvim_buf_get_lines(0, position.line, position.line + 1, false)[1] or '',
    })
  end
  table.sort(hints, function(a, b)
    return a.line < b.line or (a.line == b.line and a.column < b.column)
  end)
  return hints
end

function Probe.lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

-- Runs the first code action at a place whose title contains the words.
function Probe.apply_action(line, column, words)
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
  local taken = false
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      local is_first = not taken and action.title:find(words, 1, true) ~= nil
      taken = taken or is_first
      return is_first
    end,
  })
  return true
end

-- The lines of the floating window, if there is one.
function Probe.float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    end
  end
  return vim.NIL
end

-- The lines of the first other window, and its file type.
function Probe.other_window()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if window ~= vim.api.nvim_get_current_win() then
      local bufnr = vim.api.nvim_win_get_buf(window)
      return { filetype = vim.bo[bufnr].filetype, lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false) }
    end
  end
  return vim.NIL
end

-- The answer to a request about a place.
function Probe.ask(method, line, column)
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = line, character = column } }
  local answer = client():request_sync(method, params, 5000, 0)
  return answer and answer.result or vim.NIL
end

-- The names of the functions that call the one at a place.
function Probe.callers(line, column)
  local item = Probe.ask('textDocument/prepareCallHierarchy', line, column)[1]
  local answer = client():request_sync('callHierarchy/incomingCalls', { item = item }, 5000, 0)
  return vim.iter(answer.result):map(function(call) return call.from.name end):totable()
end
