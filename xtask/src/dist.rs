//! `cargo xtask dist`, `dist vscode` and `dist wheel`: packages for users.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::Outcome;
use crate::install::build_server;
use crate::tarball;
use crate::vscode::Extension;
use crate::wheel;
use crate::workspace::{Workspace, say};

/// Make packages for users: without a name, the program with its manual, completions of shells, the Neovim plug-in,
/// licences and a bill of materials, as a .tar.gz with its checksum; it is unpacked into an empty folder and tried.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  cargo xtask dist                                target/dist/tir-analyzer-VERSION-PLATFORM.tar.gz
  cargo xtask dist --target aarch64-unknown-linux-gnu
  cargo xtask dist vscode                         a .vsix for this platform, with the server in it
  cargo xtask dist vscode --platform linux-arm64 --server target/aarch64-unknown-linux-gnu/release/tir-analyzer
  cargo xtask dist wheel                          a wheel for this platform, and Python 3.10 and later
  cargo xtask dist wheel --profile dev            the same, built in less time, larger and slower
  cargo xtask dist wheel --zig                    for any Linux of this processor (manylinux_2_17)
  cargo xtask dist wheel --zig --target aarch64-unknown-linux-musl"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    package: Option<Package>,
    #[command(flatten)]
    tarball: TarballArgs,
}

#[derive(clap::Args)]
struct TarballArgs {
    /// The profile of cargo that it is built with.
    #[arg(long, default_value = "dist")]
    profile: String,
    /// The platform, as rustc names it [default: this one]. Its standard library and a linker for it must be there.
    #[arg(long)]
    target: Option<String>,
    /// Folder for the package [default: target/dist].
    #[arg(long)]
    out: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Package {
    /// The extension for VS Code, with the server of one platform in it.
    Vscode(VscodeArgs),
    /// The Python package `tir_analyzer`, with the program in it, as a wheel; it is installed into a new environment
    /// under `target/peers` and tried there.
    Wheel(WheelArgs),
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

#[derive(clap::Args)]
struct WheelArgs {
    /// The platform, as rustc names it [default: this one]. Its standard library must be there.
    #[arg(long)]
    target: Option<String>,
    /// Link with Zig (from PyPI): for Linux of any age, and of other processors.
    #[arg(long)]
    zig: bool,
    /// The profile of cargo that it is built with.
    #[arg(long, default_value = "dist")]
    profile: String,
    /// Folder for the wheel [default: target/dist].
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    match &args.package {
        Some(Package::Vscode(args)) => vscode(args, ws),
        Some(Package::Wheel(args)) => wheel(args, ws),
        None => tarball(&args.tarball, ws),
    }
}

fn tarball(args: &TarballArgs, ws: &Workspace) -> anyhow::Result<Outcome> {
    let out = out_folder(args.out.as_ref(), ws)?;
    let options =
        tarball::Options { profile: &args.profile, target: args.target.as_deref(), out: &out };
    say_size(&tarball::build(ws, &options)?)?;
    Ok(Outcome::Passed)
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
    let out = out_folder(args.out.as_ref(), ws)?;
    let package = out.join(format!("tir-analyzer-{platform}.vsix"));
    extension.pack(&std::path::absolute(server)?, platform, &package)?;
    say_size(&package)?;
    Ok(Outcome::Passed)
}

fn wheel(args: &WheelArgs, ws: &Workspace) -> anyhow::Result<Outcome> {
    let options =
        wheel::Options { profile: &args.profile, target: args.target.as_deref(), zig: args.zig };
    let package = wheel::build(ws, &options, &out_folder(args.out.as_ref(), ws)?)?;
    match options.is_for_here()? {
        true => wheel::try_out(ws, &package)?,
        false => say(format_args!("not tried: it is for another platform")),
    }
    say_size(&package)?;
    Ok(Outcome::Passed)
}

/// The folder for the packages, made and absolute.
fn out_folder(wanted: Option<&PathBuf>, ws: &Workspace) -> anyhow::Result<PathBuf> {
    let out = wanted.cloned().unwrap_or_else(|| ws.target().join("dist"));
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    Ok(std::path::absolute(out)?)
}

fn say_size(package: &Path) -> anyhow::Result<()> {
    let size = std::fs::metadata(package)?.len();
    say(format_args!("{} ({:.1} MB)", package.display(), size as f64 / 1e6));
    Ok(())
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
