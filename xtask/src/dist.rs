//! `cargo xtask dist vscode`: packages for users.

use std::path::PathBuf;

use anyhow::Context as _;

use crate::Outcome;
use crate::install::build_server;
use crate::vscode::Extension;
use crate::workspace::{Workspace, say};

/// Make packages for users.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask dist vscode                         a .vsix for this platform, with the server in it
  cargo xtask dist vscode --platform linux-arm64 --server target/aarch64-unknown-linux-gnu/release/tir-analyzer")]
pub(crate) struct Args {
    #[command(subcommand)]
    package: Package,
}

#[derive(clap::Subcommand)]
enum Package {
    /// The extension for VS Code, with the server of one platform in it.
    Vscode(VscodeArgs),
}

#[derive(clap::Args)]
struct VscodeArgs {
    /// The platform, as `vsce --target` names them [default: this one].
    #[arg(long, requires = "server")]
    platform: Option<String>,
    /// The server for that platform [default: it is built in release mode].
    #[arg(long)]
    server: Option<PathBuf>,
    /// Folder for the package [default: target/dist].
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    match &args.package {
        Package::Vscode(args) => vscode(args, ws),
    }
}

fn vscode(args: &VscodeArgs, ws: &Workspace) -> anyhow::Result<Outcome> {
    let platform = match &args.platform {
        Some(named) => named.as_str(),
        None => this_platform().context("VS Code has no name for this platform: say --platform")?,
    };
    let extension = Extension::install(ws)?;
    extension.build()?;
    let server = match &args.server {
        Some(server) => server.clone(),
        None => build_server(ws)?,
    };
    let out = args.out.clone().unwrap_or_else(|| ws.target().join("dist"));
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let out = std::path::absolute(out)?;
    let package = out.join(format!("tir-analyzer-{platform}.vsix"));
    extension.pack(&std::path::absolute(server)?, platform, &package)?;
    let size = std::fs::metadata(&package)?.len();
    say(format_args!("{} ({:.1} MB)", package.display(), size as f64 / 1e6));
    Ok(Outcome::Passed)
}

/// The name that VS Code has for the platform of this program.
fn this_platform() -> Option<&'static str> {
    let is_musl = cfg!(target_env = "musl");
    Some(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") if is_musl => "alpine-x64",
        ("linux", "aarch64") if is_musl => "alpine-arm64",
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("linux", "arm") => "linux-armhf",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        ("windows", "x86_64") => "win32-x64",
        ("windows", "aarch64") => "win32-arm64",
        _ => return None,
    })
}
