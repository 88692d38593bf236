-- Configuration of the Neovim under test: nothing but our plug-in, the server named in the environment, and
-- the probes that the tests ask.
local root = vim.env.TIR_ANALYZER_TEST_ROOT
vim.opt.runtimepath:append(root .. '/editors/nvim')
vim.o.swapfile = false
vim.o.wrap = false
vim.o.more = false
vim.g.tir_analyzer = { cmd = { vim.env.TIR_ANALYZER_TEST_SERVER, 'server' } }
dofile(root .. '/tests/nvim/probe.lua')
