-- Starts with Neovim; `vim.g.tir_analyzer` holds the options, `false` switches the plug-in off.
if vim.g.loaded_tir_analyzer or vim.g.tir_analyzer == false then
  return
end
vim.g.loaded_tir_analyzer = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('tir-analyzer needs Neovim 0.11 or newer', vim.log.levels.WARN)
  return
end

-- Triton's stages are MLIR; printed programs of Paddle have a type of their own.
vim.filetype.add({ extension = { mlir = 'mlir', ttir = 'mlir', ttgir = 'mlir', pir = 'pir' } })

require('tir_analyzer').start()
