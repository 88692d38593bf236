-- Buffers that show a text and nothing else.
local M = {}

--- A scratch buffer with the lines of a text, which no language server reads and nobody changes.
---@param name string shown as its name
---@param text string
---@param syntax string its colours
---@return integer bufnr
function M.buffer(name, text, syntax)
  local lines = vim.split(vim.trim(text), '\n', { plain = true })
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  pcall(vim.api.nvim_buf_set_name, bufnr, ('tir-analyzer://%d/%s'):format(bufnr, name))
  vim.bo[bufnr].modifiable = false
  -- Colours without a language server: nothing here is to be changed.
  vim.bo[bufnr].syntax = syntax
  return bufnr
end

return M
