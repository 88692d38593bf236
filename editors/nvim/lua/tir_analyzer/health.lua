-- `:checkhealth tir_analyzer`: is the server there, and does it run?
local M = {}

function M.check()
  local health = vim.health
  health.start('tir-analyzer')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim is 0.11 or newer')
  else
    health.error('Neovim 0.11 or newer is needed')
    return
  end
  local cmd = vim.lsp.config.tir_analyzer.cmd
  local program = type(cmd) == 'table' and cmd[1] or 'tir-analyzer'
  if vim.fn.executable(program) == 1 then
    health.ok(('`%s` is %s'):format(program, vim.fn.exepath(program)))
  else
    health.error(('`%s` is not executable'):format(program), {
      '`cargo xtask install` puts it beside cargo itself',
      'or set `cmd` in `vim.g.tir_analyzer`',
    })
  end
  local clients = vim.lsp.get_clients({ name = 'tir_analyzer' })
  if #clients == 0 then
    health.info('no server is running: none of the open Python buffers mentions TVMScript')
  end
  for _, client in ipairs(clients) do
    local info = client.server_info or {}
    health.ok(('server %s %s for %d buffers, positions in %s'):format(
      info.name or '?', info.version or '', vim.tbl_count(client.attached_buffers), client.offset_encoding))
  end
end

return M
