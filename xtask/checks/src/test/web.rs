//! The page of `editors/web` in a headless Chromium.
//!
//! The analyzer is built for WebAssembly without optimisation, which is also the proof that `ide` needs no files,
//! clocks or threads. `tests/web/run.mjs` serves the page, watches its requests, and writes a line a case.
//! `TIR_ANALYZER_PICTURES=DIR` makes pictures too.

use std::path::PathBuf;
use std::process::Command;

use xtask::web::{self, Compiler};

use crate::skip::Skip;
use crate::test::vscode::chromium;
use crate::workspace::{Workspace, say};
use crate::{process, system};

/// The driver of the browser.
const DRIVER: &str = "playwright-core@1.65.1";

/// The command that runs the tests; none without Rust's library for WebAssembly, which no package manager has that
/// this repository may use: that is said, and is no skipped check. The inner error is a [`Skip`] that names what the
/// machine lacks besides.
///
/// # Errors
/// If the page does not build.
pub(crate) fn command(
    ws: &Workspace,
    cargo: Command,
) -> anyhow::Result<Result<Option<Command>, Skip>> {
    let compiler = match Compiler::find_or_install() {
        Ok(compiler) => compiler,
        Err(error) => {
            say(format_args!("{}", Skip::new("Rust for WebAssembly", format!("{error:#}"))));
            return Ok(Ok(None));
        }
    };
    let (driver, chromium) = match tools(ws) {
        Ok(tools) => tools,
        Err(skip) => return Ok(Err(skip)),
    };
    let page = match web::install(ws) {
        Ok(page) => page,
        Err(error) => return Ok(Err(Skip::new("packages of editors/web", format!("{error:#}")))),
    };
    let out = ws.target().join("web").join("test-page");
    page.build(&compiler, cargo, "dev", &out)?;
    let mut command = Command::new("node");
    command.arg(ws.path("tests/web/run.mjs"));
    command.env("WEB_DRIVER", driver).env("WEB_CHROMIUM", chromium).env("WEB_PAGE", out);
    if let Some(folder) = std::env::var_os("TIR_ANALYZER_PICTURES") {
        command.env("WEB_SHOTS", std::path::absolute(folder)?);
    }
    Ok(Ok(Some(command)))
}

fn tools(ws: &Workspace) -> Result<(PathBuf, String), Skip> {
    let npm = || process::run_quiet(Command::new("npm").arg("--version"));
    system::find_or_install("npm", &["nodejs", "npm"], npm)?;
    let chromium = system::find_or_install("chromium", &["chromium"], chromium)?;
    let driver =
        install_driver(ws).map_err(|error| Skip::new("playwright", format!("{error:#}")))?;
    Ok((driver, chromium))
}

/// The folder with the driver.
fn install_driver(ws: &Workspace) -> anyhow::Result<PathBuf> {
    let dir = ws.peers().join(DRIVER.replace('@', "-"));
    if !dir.join("node_modules/playwright-core/package.json").exists() {
        std::fs::create_dir_all(&dir)?;
        std::fs::write(dir.join("package.json"), "{\"private\":true}\n")?;
        let mut npm = Command::new("npm");
        npm.args(["install", DRIVER, "--ignore-scripts", "--no-audit", "--no-fund"]);
        process::run_quiet(npm.current_dir(&dir))?;
    }
    Ok(dir)
}
