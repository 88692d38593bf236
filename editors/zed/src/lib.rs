//! The server in Zed: its command, and the settings that it gets.

use zed_extension_api::{
    Command, Extension, LanguageServerId, Result, Worktree, register_extension, serde_json::Value,
    settings::LspSettings,
};

struct TirAnalyzer;

impl Extension for TirAnalyzer {
    fn new() -> TirAnalyzer {
        TirAnalyzer
    }

    /// The program that the settings name, else the one on the path of the project's shell.
    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree)?.binary;
        let (path, arguments) = binary.map_or((None, None), |it| (it.path, it.arguments));
        let command = path.or_else(|| worktree.which("tir-analyzer")).ok_or(
            "tir-analyzer is not on the PATH; `lsp.tir-analyzer.binary.path` of the settings may name it",
        )?;
        let args = arguments.unwrap_or_else(|| vec!["server".to_owned()]);
        Ok(Command { command, args, env: worktree.shell_env() })
    }

    fn language_server_initialization_options(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(id.as_ref(), worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(id.as_ref(), worktree)?.settings)
    }
}

register_extension!(TirAnalyzer);
