-- The client's configuration, found by `vim.lsp.config` under the name `tir_analyzer`.
-- What the user chose with `setup` is laid over it.
local detect = require('tir_analyzer.detect')

return {
  cmd = { 'tir-analyzer', 'server' },
  filetypes = { 'python', 'mlir', 'pir' },
  -- The server offers lenses with commands that this plug-in has.
  capabilities = { experimental = { commands = { commands = { 'tir-analyzer.viewDeviceCode', 'tir-analyzer.chooseInstance' } } } },
  -- A client starts only for the buffers this function calls back for.
  root_dir = function(bufnr, on_dir)
    if detect.is_ours(bufnr) then
      on_dir(detect.root(bufnr))
    end
  end,
}
