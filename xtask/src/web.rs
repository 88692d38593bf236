//! `cargo xtask web`: the page of `editors/web`, as static files.
//!
//! The crate `web` becomes WebAssembly with the toolchain that has Rust's library for it, in a target folder of its
//! own; npm bundles the sources and puts all files into one folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::process::run_quiet;
use crate::workspace::{Workspace, say};
use crate::{Outcome, npm};

/// The folder of the sources.
const SOURCES: &str = "editors/web";
/// The platform that it is compiled for.
const PLATFORM: &str = "wasm32-unknown-unknown";
/// The stack of the module, in bytes: what the tool needs for a deep input before the browser's own ends.
const STACK: u32 = 16 << 20;
/// The default profile.
const PROFILE: &str = "web";

/// Build the page: static files that work from any server of files, and then without a network.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask web                   the page, into target/web/page
  cargo xtask web --profile dev     the same, built in less time, larger and slower
  python3 -m http.server --directory target/web/page")]
pub struct Args {
    /// The profile of cargo that the analyzer is built with.
    #[arg(long, default_value = PROFILE)]
    profile: String,
    /// Folder for the page; it is made anew [default: target/web/page].
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let compiler = Compiler::find()?;
    let out = args.out.clone().unwrap_or_else(|| ws.target().join("web").join("page"));
    let page = std::path::absolute(out)?;
    install(ws)?.build(&compiler, ws.cargo(), &args.profile, &page)?;
    let mut size = 0;
    for entry in std::fs::read_dir(&page)? {
        size += entry?.metadata()?.len();
    }
    say(format_args!("{} ({:.1} MB in all)", page.display(), size as f64 / 1e6));
    Ok(Outcome::Passed)
}

/// A compiler that has Rust's library for WebAssembly.
#[derive(Debug)]
pub struct Compiler {
    /// None is cargo's own.
    rustc: Option<PathBuf>,
}

impl Compiler {
    /// The compiler of the toolchain in use, or that of the operating system.
    ///
    /// # Errors
    /// The ways out, if neither has the library.
    pub fn find() -> anyhow::Result<Compiler> {
        let usual = std::env::var_os("RUSTC").map(PathBuf::from);
        let candidates = [usual, Some("/usr/bin/rustc".into())];
        let found = candidates.into_iter().find(|it| has_library(it.as_deref()));
        let rustc = found.with_context(|| {
            format!(
                "Rust's library for WebAssembly is missing: `rustup target add {PLATFORM}`, or RUSTC=PATH of a \
                 compiler that has it (a package of the operating system, as `libstd-rust-dev-wasm32`)"
            )
        })?;
        Ok(Compiler { rustc })
    }

    /// As [`Compiler::find`]; the library is installed by rustup if it is missing.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub fn find_or_install() -> anyhow::Result<Compiler> {
        Compiler::find().or_else(|missing| {
            say(format_args!("installing Rust's library for {PLATFORM} with rustup"));
            run_quiet(Command::new("rustup").args(["target", "add", PLATFORM]))
                .with_context(|| format!("{missing:#}"))?;
            Compiler::find()
        })
    }
}

/// Returns true if a compiler (cargo's own, if none is named) has the library.
fn has_library(rustc: Option<&Path>) -> bool {
    let program = rustc.unwrap_or(Path::new("rustc"));
    let asked = ["--print", "target-libdir", "--target", PLATFORM];
    let folder = run_quiet(Command::new(program).args(asked)).unwrap_or_default();
    let mut entries = std::fs::read_dir(folder.trim()).into_iter().flatten().flatten();
    entries.any(|it| it.file_name().to_string_lossy().starts_with("libstd-"))
}

/// A copy of the page's sources with its packages.
#[derive(Debug)]
pub struct Page<'a> {
    ws: &'a Workspace,
    dir: PathBuf,
}

/// Copies the sources and installs the packages that the lock file names.
///
/// # Errors
/// If there is no npm, or a package cannot be had.
pub fn install(ws: &Workspace) -> anyhow::Result<Page<'_>> {
    let dir = ws.target().join("web").join("sources");
    npm::install(ws, SOURCES, &dir)?;
    Ok(Page { ws, dir })
}

impl Page<'_> {
    /// Builds the page with a profile of `cargo` into `out`.
    ///
    /// # Errors
    /// If the analyzer does not build for WebAssembly, or a type of the page is wrong.
    pub fn build(
        &self,
        compiler: &Compiler,
        mut cargo: Command,
        profile: &str,
        out: &Path,
    ) -> anyhow::Result<()> {
        let target = self.ws.target().join("web").join("cargo");
        let size = format!("link-arg=-zstack-size={STACK}");
        cargo.args(["rustc", "--locked", "--quiet", "--package", "web", "--lib"]);
        cargo.args(["--crate-type", "cdylib", "--target", PLATFORM, "--profile", profile]);
        cargo.args(["--", "-C", &size, "-C", "strip=symbols"]);
        // Nobody debugs it, and the information is most of the size of a build for tests.
        cargo.env("CARGO_TARGET_DIR", &target).env("CARGO_PROFILE_DEV_DEBUG", "0");
        if let Some(rustc) = &compiler.rustc {
            cargo.env("RUSTC", rustc);
        }
        let status = cargo.status().context("cannot run cargo")?;
        anyhow::ensure!(status.success(), "the analyzer does not build for WebAssembly");
        let folder = if profile == "dev" { "debug" } else { profile };
        let module = target.join(PLATFORM).join(folder).join("web.wasm");
        npm::run(&self.dir, "check", &[])?;
        let root = self.ws.path("");
        npm::run(&self.dir, "build", &[("ROOT", &root), ("WASM", &module), ("OUT", out)])
    }
}
