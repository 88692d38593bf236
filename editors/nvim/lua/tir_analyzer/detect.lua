-- Which buffers the server is for, and where their project begins.
local M = {}

-- A file that holds none of these holds no function for the server.
local SIGNS = { 'tvm.script', 'tilelang', '.prim_func', '.ir_module', '.macro' }
local CHUNK = 2000

local function mentions_tvmscript(line)
  for _, sign in ipairs(SIGNS) do
    if line:find(sign, 1, true) then
      return true
    end
  end
  return false
end

--- Whether the buffer's text mentions TVMScript or TileLang anywhere. Reads chunk by chunk and stops at the first sign,
--- which in real files is one of the imports.
---@param bufnr integer
---@return boolean
function M.is_tvmscript(bufnr)
  local count = vim.api.nvim_buf_line_count(bufnr)
  for first = 0, count - 1, CHUNK do
    for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, first, first + CHUNK, false)) do
      if mentions_tvmscript(line) then
        return true
      end
    end
  end
  return false
end

--- Whether the server is for the buffer: all of MLIR and PIR, and the Python that is TVMScript or TileLang.
---@param bufnr integer
---@return boolean
function M.is_ours(bufnr)
  return vim.bo[bufnr].filetype ~= 'python' or M.is_tvmscript(bufnr)
end

--- The folder of the project: the nearest one with a marker, else the file's own folder.
---@param bufnr integer
---@return string
function M.root(bufnr)
  local markers = { 'tir-analyzer.toml', { 'pyproject.toml', 'setup.py', 'setup.cfg' }, '.git' }
  local path = vim.api.nvim_buf_get_name(bufnr)
  return vim.fs.root(bufnr, markers) or (path ~= '' and vim.fs.dirname(path)) or vim.fn.getcwd()
end

return M
