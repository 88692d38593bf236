//! `cargo xtask install`: the server and the Neovim plug-in, where the editor finds them.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::Outcome;
use crate::workspace::{Workspace, say};

/// Build the server in release mode and install it, and the Neovim plug-in beside the user's others.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask install                             server to ~/.cargo/bin, plug-in to Neovim's package folder
  cargo xtask install --bin-dir ~/bin --no-nvim   only the server, elsewhere")]
pub(crate) struct Args {
    /// Folder for the server [default: the `bin` of Cargo's home].
    #[arg(long)]
    bin_dir: Option<PathBuf>,
    /// Folder for the Neovim plug-in [default: nvim/site/pack/tir-analyzer/start/tir-analyzer in the data home].
    #[arg(long)]
    nvim_dir: Option<PathBuf>,
    /// Leave Neovim alone.
    #[arg(long, conflicts_with = "nvim_dir")]
    no_nvim: bool,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let bin_dir =
        args.bin_dir.clone().or_else(cargo_bin).context("no home folder: say --bin-dir DIR")?;
    let server = build_server(ws)?;
    let installed = install_server(&server, &bin_dir)?;
    say(format_args!("server: {}", installed.display()));
    if !args.no_nvim {
        let dir = args
            .nvim_dir
            .clone()
            .or_else(nvim_package)
            .context("no home folder: say --nvim-dir DIR")?;
        replace_folder(&ws.path("editors/nvim"), &dir)?;
        say(format_args!("Neovim plug-in: {}", dir.display()));
    }
    if !on_path(&bin_dir) {
        say(format_args!(
            "note: {} is not on PATH; add it, or set `cmd` of the plug-in",
            bin_dir.display()
        ));
    }
    Ok(Outcome::Passed)
}

/// Builds the server in release mode, and gives its path.
pub(crate) fn build_server(ws: &Workspace) -> anyhow::Result<PathBuf> {
    let status = ws
        .cargo()
        .args([
            "build",
            "--release",
            "--locked",
            "--package",
            "tir-analyzer",
            "--bin",
            "tir-analyzer",
        ])
        .status()
        .context("cannot run cargo")?;
    anyhow::ensure!(status.success(), "the server does not build");
    Ok(ws.target().join("release").join(executable("tir-analyzer")))
}

/// Copies to a temporary name first and renames: a running server keeps its file.
fn install_server(server: &Path, bin_dir: &Path) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(bin_dir)
        .with_context(|| format!("cannot make {}", bin_dir.display()))?;
    let goal = bin_dir.join(executable("tir-analyzer"));
    let fresh = bin_dir.join(format!(".tir-analyzer-{}", std::process::id()));
    std::fs::copy(server, &fresh).with_context(|| format!("cannot copy {}", server.display()))?;
    std::fs::rename(&fresh, &goal).with_context(|| format!("cannot write {}", goal.display()))?;
    Ok(goal)
}

/// Makes `to` a copy of `from`, without leftovers of an older version. Refuses to empty a folder that is not an earlier
/// copy of the plug-in.
fn replace_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    if to.exists() {
        let is_ours =
            to.join("lua/tir_analyzer").is_dir() || std::fs::read_dir(to)?.next().is_none();
        anyhow::ensure!(
            is_ours,
            "{} exists and is not this plug-in; remove it or say --nvim-dir",
            to.display()
        );
        std::fs::remove_dir_all(to)?;
    }
    let mut pending = vec![(from.to_owned(), to.to_owned())];
    while let Some((source, goal)) = pending.pop() {
        std::fs::create_dir_all(&goal)
            .with_context(|| format!("cannot make {}", goal.display()))?;
        for entry in std::fs::read_dir(&source)
            .with_context(|| format!("cannot read {}", source.display()))?
        {
            let entry = entry?;
            let target = goal.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                pending.push((entry.path(), target));
            } else {
                std::fs::copy(entry.path(), &target)?;
            }
        }
    }
    Ok(())
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

fn cargo_bin() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    home.map(|dir| dir.join("bin"))
}

fn nvim_package() -> Option<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|dir| dir.is_absolute())
        .or_else(|| Some(std::env::home_dir()?.join(".local/share")))?;
    Some(data.join("nvim/site/pack/tir-analyzer/start/tir-analyzer"))
}

fn on_path(dir: &Path) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|entry| entry == dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plugin(root: &Path, file: &str) -> PathBuf {
        let dir = root.join("from");
        std::fs::create_dir_all(dir.join("lua/tir_analyzer")).unwrap();
        std::fs::write(dir.join("lua/tir_analyzer").join(file), "return {}").unwrap();
        dir
    }

    #[test]
    fn second_installation_removes_files_of_the_first() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (plugin(root.path(), "init.lua"), root.path().join("to"));
        replace_folder(&from, &to).unwrap();
        std::fs::write(to.join("lua/tir_analyzer/old.lua"), "").unwrap();
        replace_folder(&from, &to).unwrap();
        assert!(to.join("lua/tir_analyzer/init.lua").is_file());
        assert!(!to.join("lua/tir_analyzer/old.lua").exists());
    }

    #[test]
    fn foreign_folder_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (plugin(root.path(), "init.lua"), root.path().join("to"));
        std::fs::create_dir_all(&to).unwrap();
        std::fs::write(to.join("diary.txt"), "mine").unwrap();
        let error = replace_folder(&from, &to).unwrap_err().to_string();
        assert!(error.contains("is not this plug-in"), "{error}");
        assert!(to.join("diary.txt").is_file());
    }

    #[test]
    fn server_replaces_an_older_one() {
        let root = tempfile::tempdir().unwrap();
        let built = root.path().join("built");
        std::fs::write(&built, "new").unwrap();
        let bin = root.path().join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::write(bin.join(executable("tir-analyzer")), "old").unwrap();
        let installed = install_server(&built, &bin).unwrap();
        assert_eq!(std::fs::read_to_string(installed).unwrap(), "new");
        assert_eq!(std::fs::read_dir(bin).unwrap().count(), 1);
    }
}
