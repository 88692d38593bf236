//! The extension for VS Code, built from `editors/vscode` in a folder of its own: nothing is written beside its
//! sources.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::npm;
use crate::process::run_quiet;
use crate::workspace::{Workspace, say};

/// The folder of the sources.
const SOURCES: &str = "editors/vscode";

/// A copy of the extension with its packages.
#[derive(Debug)]
pub struct Extension {
    dir: PathBuf,
}

impl Extension {
    /// Copies the sources and installs the packages that the lock file names. No script of a package is run.
    ///
    /// # Errors
    /// If there is no npm, or a package cannot be had.
    pub fn install(ws: &Workspace) -> anyhow::Result<Extension> {
        let dir = ws.target().join("vscode").join("extension");
        npm::install(ws, SOURCES, &dir)?;
        Ok(Extension { dir })
    }

    /// Checks the types and bundles the sources.
    ///
    /// # Errors
    /// If a type is wrong; the compiler's messages are shown.
    pub fn build(&self) -> anyhow::Result<()> {
        npm::run(&self.dir, "check", &[])?;
        npm::run(&self.dir, "build", &[])
    }

    /// The folder with the manifest.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Packs the extension with a server in it, for one platform as `vsce` names them.
    ///
    /// # Errors
    /// If the server cannot be copied, or `vsce` refuses the manifest.
    pub fn pack(&self, server: &Path, platform: &str, package: &Path) -> anyhow::Result<()> {
        let folder = self.dir.join("server");
        std::fs::create_dir_all(&folder)?;
        let program =
            if platform.starts_with("win32") { "tir-analyzer.exe" } else { "tir-analyzer" };
        let goal = folder.join(program);
        std::fs::copy(server, &goal)
            .with_context(|| format!("cannot copy {}", server.display()))?;
        strip(&goal);
        let mut vsce = Command::new("node");
        vsce.arg(self.dir.join("node_modules/@vscode/vsce/vsce")).args(["package", "--target"]);
        vsce.arg(platform).args(["--no-dependencies", "--no-rewrite-relative-links"]);
        vsce.args(["--allow-missing-repository", "--skip-license"]);
        vsce.arg("--out").arg(package).current_dir(&self.dir);
        run_quiet(&mut vsce).map(drop)
    }
}

/// Removes symbols where there is a tool for it: the package is a third of the size.
fn strip(program: &Path) {
    if let Err(error) = run_quiet(Command::new("strip").arg(program)) {
        say(format_args!("note: the server keeps its symbols ({error:#})"));
    }
}
