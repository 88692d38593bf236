-- tir-analyzer for Neovim: starts the server for TVMScript, MLIR and PIR, shows its hints, and adds two commands.
local M = {}

local NAME = 'tir_analyzer'
local SECTION = 'tir-analyzer'

---@class tir_analyzer.Options
---@field cmd? string[] the server and its arguments
---@field inlay_hints? boolean show hints as soon as the client attaches
---@field code_lens? boolean show a lens above each function with device code
---@field settings? table the section `tir-analyzer` of the configuration
local defaults = { inlay_hints = true, code_lens = true, settings = {} }

local started = false
M.options = vim.deepcopy(defaults)

--- The client's configuration that follows from the options.
local function configuration()
  local settings = M.options.settings
  local config = {
    settings = { [SECTION] = settings },
    init_options = vim.tbl_isempty(settings) and vim.empty_dict() or settings,
  }
  if M.options.cmd then
    config.cmd = M.options.cmd
  end
  return config
end

local function create_autocommands()
  local group = vim.api.nvim_create_augroup(NAME, { clear = true })
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == NAME and M.options.inlay_hints then
        vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
      end
    end,
  })
  -- A buffer may become TVMScript after it was opened: look again when it is saved.
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = group,
    pattern = '*.py',
    callback = function(event)
      local attached = #vim.lsp.get_clients({ bufnr = event.buf, name = NAME }) > 0
      if not attached and require('tir_analyzer.detect').is_tvmscript(event.buf) then
        vim.lsp.enable(NAME)
      end
    end,
  })
end

--- Neovim watches no files on Linux: what it writes itself is told.
local function create_settings_autocommand()
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = vim.api.nvim_create_augroup(NAME .. '_settings', { clear = true }),
    pattern = 'tir-analyzer.toml',
    callback = function(event)
      local changes = { { uri = vim.uri_from_bufnr(event.buf), type = vim.lsp.protocol.FileChangeType.Changed } }
      for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
        client:notify('workspace/didChangeWatchedFiles', { changes = changes })
      end
    end,
  })
end

--- Lenses are asked for when the server attaches, and again when nothing is typed.
local function create_lenses()
  local group = vim.api.nvim_create_augroup(NAME .. '_lens', { clear = true })
  vim.api.nvim_create_autocmd({ 'LspAttach', 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    callback = function(event)
      local attached = #vim.lsp.get_clients({ bufnr = event.buf, name = NAME }) > 0
      if M.options.code_lens and attached then
        vim.lsp.codelens.refresh({ bufnr = event.buf })
      end
    end,
  })
  vim.lsp.commands['tir-analyzer.viewDeviceCode'] = function(command)
    require('tir_analyzer.device_code').show(nil, command.arguments[2])
  end
  vim.lsp.commands['tir-analyzer.chooseInstance'] = function(command)
    require('tir_analyzer.instances').choose(command.arguments)
  end
end

local function create_commands()
  vim.api.nvim_create_user_command('TirAnalyzerDeviceCode', function(command)
    if command.args == 'tilelang' then
      return require('tir_analyzer.tilelang').show()
    end
    require('tir_analyzer.device_code').show(command.args ~= '' and command.args or nil)
  end, {
    nargs = '?',
    complete = function(lead)
      return vim.tbl_filter(function(target)
        return vim.startswith(target, lead)
      end, { 'cuda', 'opencl', 'hip', 'c', 'spirv', 'wgsl', 'metal', 'tilelang' })
    end,
    desc = 'Show the device code of the kernel under the cursor',
  })
  vim.api.nvim_create_user_command('TirAnalyzerPasses', function(command)
    local passes = command.args ~= '' and command.args or 'simplify,cse'
    require('tir_analyzer.passes').show(vim.split(passes, '[,%s]+', { trimempty = true }))
  end, {
    nargs = '?',
    desc = 'Show the function under the cursor before and after passes',
  })
  vim.api.nvim_create_user_command('TirAnalyzerTileLang', function(command)
    require('tir_analyzer.tilelang')[command.bang and 'cancel' or 'show']()
  end, {
    bang = true,
    desc = "Show TileLang's own passes and device code of the kernel under the cursor; with ! end that",
  })
  vim.api.nvim_create_user_command('TirAnalyzerRestart', M.restart, {
    desc = 'Stop the server and start it again',
  })
end

--- Starts with the options of `vim.g.tir_analyzer`, unless `setup` was called before.
function M.start()
  if not started then
    M.setup(vim.g.tir_analyzer or {})
  end
end

--- Tells running servers that the settings changed.
local function push_settings(settings)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    client.settings = settings
    client:notify('workspace/didChangeConfiguration', { settings = settings })
  end
end

--- Sets options and starts. Called again, it changes them: settings at once, `cmd` with the next start.
---@param options? tir_analyzer.Options
function M.setup(options)
  M.options = vim.tbl_deep_extend('force', defaults, options or {})
  local config = configuration()
  vim.lsp.config(NAME, config)
  push_settings(config.settings)
  create_autocommands()
  create_settings_autocommand()
  create_lenses()
  create_commands()
  started = true
  vim.lsp.enable(NAME)
end

--- Stops the server and starts it again once it is gone.
function M.restart()
  local clients = vim.lsp.get_clients({ name = NAME })
  vim.lsp.enable(NAME, false)
  for _, client in ipairs(clients) do
    client:stop()
  end
  local function is_gone()
    return #vim.lsp.get_clients({ name = NAME }) == 0
  end
  if not vim.wait(3000, is_gone, 20) then
    for _, client in ipairs(clients) do
      client:stop(true)
    end
    vim.wait(1000, is_gone, 20)
  end
  vim.lsp.enable(NAME)
end

return M
