//! The arguments of `completions` and `man`: what shells and readers of manuals are told of the other commands.

use std::path::PathBuf;

use clap_complete::Shell;

#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that reads it.
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  tir-analyzer completions bash > ~/.local/share/bash-completion/completions/tir-analyzer
  tir-analyzer completions zsh > ~/.zfunc/_tir-analyzer      with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  tir-analyzer completions fish > ~/.config/fish/completions/tir-analyzer.fish
  tir-analyzer completions powershell >> $PROFILE";

#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// The folder for the pages; it is made if it is not there.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  tir-analyzer man ~/.local/share/man/man1    then: man tir-analyzer-check";
