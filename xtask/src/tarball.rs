//! The plain package: the program with all that belongs beside it, as a `.tar.gz` that is unpacked over a prefix.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use serde_json::Value;

use crate::archive::{self, Files};
use crate::packages::Packages;
use crate::process::{host, run_quiet};
use crate::workspace::{Workspace, say};

/// Where shells look for completions, below a prefix.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/tir-analyzer"),
    ("elvish", "share/elvish/lib/tir-analyzer.elv"),
    ("fish", "share/fish/vendor_completions.d/tir-analyzer.fish"),
    ("powershell", "share/powershell/tir-analyzer.ps1"),
    ("zsh", "share/zsh/site-functions/_tir-analyzer"),
];
/// The plug-in, where Neovim looks below a prefix.
const NEOVIM: &str = "share/nvim/site/pack/tir-analyzer/start/tir-analyzer";
/// Pages to read.
const DOC: &str = "share/doc/tir-analyzer";
/// A day that every tool takes, for sources of which no commit is known: 1980-01-01.
const NO_TIME: u64 = 315_532_800;

/// The package to build.
pub(crate) struct Options<'a> {
    /// The profile of cargo.
    pub(crate) profile: &'a str,
    /// The platform, as `rustc --print target-list` has it; this one if absent.
    pub(crate) target: Option<&'a str>,
    /// The folder for the package.
    pub(crate) out: &'a Path,
}

/// Builds the program and packs it. Gives the path of the package; its checksum lies beside it.
///
/// # Errors
/// If the program does not build, or something of it cannot be had.
pub(crate) fn build(ws: &Workspace, options: &Options<'_>) -> anyhow::Result<PathBuf> {
    let host = host()?;
    let platform = options.target.unwrap_or(&host);
    let program = build_program(ws, options.profile, options.target)?;
    // What it says of itself is said by one that runs here.
    let speaker = match platform == host {
        true => program.clone(),
        false => build_program(ws, "dev", None)?,
    };
    let files = files(ws, platform, &program, &speaker)?;
    let root = format!("tir-analyzer-{}-{platform}", version(ws)?);
    let package = options.out.join(format!("{root}.tar.gz"));
    archive::write_whole(&package, &files.pack(&root, time(ws))?)?;
    archive::write_checksum(&package)?;
    match platform == host {
        true => try_out(ws, &package, &root)?,
        false => say(format_args!("not tried: it is for {platform}, and this is {host}")),
    }
    Ok(package)
}

/// All files, by their paths below a prefix.
fn files(ws: &Workspace, platform: &str, program: &Path, speaker: &Path) -> anyhow::Result<Files> {
    let mut files = Files::default();
    let suffix = if platform.contains("windows") { ".exe" } else { "" };
    let bytes =
        std::fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    files.add_program(&format!("bin/tir-analyzer{suffix}"), bytes);
    for (shell, path) in COMPLETIONS {
        files.add(path, run_quiet(Command::new(speaker).args(["completions", shell]))?);
    }
    let pages = fresh_folder(ws, "man")?;
    run_quiet(Command::new(speaker).arg("man").arg(&pages))?;
    files.add_folder("share/man/man1", &pages)?;
    files.add_folder(NEOVIM, &ws.path("editors/nvim"))?;
    let packages = Packages::of(ws, "tir-analyzer", platform)?;
    files.add(&format!("{DOC}/LICENSES.txt"), packages.licences()?);
    let bill = serde_json::to_string_pretty(&packages.bill())?;
    files.add(&format!("{DOC}/sbom.cdx.json"), format!("{bill}\n"));
    let read = |path: &str| std::fs::read(ws.path(path)).with_context(|| format!("no {path}"));
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        files.add(&format!("{DOC}/{licence}"), read(licence)?);
    }
    files.add(&format!("{DOC}/reference.md"), read("crates/tir-analyzer/README.md")?);
    files.add(&format!("{DOC}/README.md"), README);
    Ok(files)
}

/// A page about the package, for who unpacks it.
const README: &str = "\
# tir-analyzer

rust-analyzer for tensor IR. Unpack it over a prefix, and all finds its place:

    tar -xzf tir-analyzer-VERSION-PLATFORM.tar.gz --strip-components 1 -C ~/.local

- `bin/tir-analyzer`: the program; nothing else is needed. `tir-analyzer --help` begins.
- `share/man`: a page of the manual for each command.
- `share/bash-completion`, `share/elvish`, `share/fish`, `share/powershell`, `share/zsh`: completions of shells. Bash and
  fish find them there; for zsh, put `fpath+=~/.local/share/zsh/site-functions` before `compinit`.
- `share/nvim`: the plug-in; Neovim 0.11 finds it below `~/.local`.
- `share/doc/tir-analyzer`: the reference, the licences of the program and of what is linked in, and a bill of materials
  (CycloneDX).
";

/// Unpacks the package into an empty folder, and has the program there check a kernel.
fn try_out(ws: &Workspace, package: &Path, root: &str) -> anyhow::Result<()> {
    let folder = fresh_folder(ws, "unpacked")?;
    archive::unpack(package, &folder)?;
    let program =
        folder.join(root).join("bin").join(format!("tir-analyzer{}", std::env::consts::EXE_SUFFIX));
    let version = run_quiet(Command::new(&program).arg("--version").current_dir(&folder))?;
    std::fs::write(folder.join("tried.mlir"), KERNEL)?;
    let mut check = Command::new(&program);
    check.args(["check", "--format", "json", "tried.mlir"]).current_dir(&folder);
    let found = run_quiet(&mut check).context("the program of the package")?;
    anyhow::ensure!(found.contains("common-operation"), "the program of the package finds {found}");
    let first = version.lines().next().unwrap_or_default();
    say(format_args!("unpacked and tried: {first}"));
    Ok(())
}

/// A function with two equal operations.
const KERNEL: &str = "\
func.func @f(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  %1 = arith.muli %a, %a : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
";

/// Builds the program for a platform, and gives its path as cargo tells it.
fn build_program(ws: &Workspace, profile: &str, target: Option<&str>) -> anyhow::Result<PathBuf> {
    let mut command = ws.cargo();
    command.args(["build", "--locked", "--profile", profile, "--package", "tir-analyzer"]);
    command.args(["--bin", "tir-analyzer", "--message-format", "json-render-diagnostics"]);
    command.args(target.map(|it| ["--target", it]).into_iter().flatten());
    command.envs(variables(&target.map_or_else(host, |it| Ok(it.to_owned()))?));
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    anyhow::ensure!(
        output.status.success(),
        "the program does not build{}",
        target.map(missing_standard_library).unwrap_or_default()
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "tir-analyzer")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo did not say where the program is")
}

/// The variables for the build of a package for a platform. Systems for AArch64 have pages of 4, 16 or 64 KiB, and the
/// allocator ends at once where they are larger than those it was built for.
pub(crate) fn variables(target: &str) -> Option<(&'static str, &'static str)> {
    let is_meant = target.starts_with("aarch64-") && target.contains("-linux-");
    let name = "JEMALLOC_SYS_WITH_LG_PAGE";
    (is_meant && std::env::var_os(name).is_none()).then_some((name, "16"))
}

/// The way out, if it is to get the standard library of a platform.
pub(crate) fn missing_standard_library(target: &str) -> String {
    let installed =
        run_quiet(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))
            .is_ok_and(|it| Path::new(it.trim()).is_dir());
    match installed {
        true => String::new(),
        false => format!(
            ": the standard library of {target} is not installed (`rustup target add {target}`)"
        ),
    }
}

/// The version of the workspace.
fn version(ws: &Workspace) -> anyhow::Result<String> {
    let manifest: toml::Table = std::fs::read_to_string(ws.path("Cargo.toml"))?.parse()?;
    let version = manifest["workspace"]["package"]["version"].as_str();
    Ok(version.context("the workspace has no version")?.to_owned())
}

/// The time of the files: that of the commit, so that equal sources give equal bytes; `SOURCE_DATE_EPOCH` overrides it.
fn time(ws: &Workspace) -> u64 {
    let asked = std::env::var("SOURCE_DATE_EPOCH").ok();
    let of_commit = || {
        let mut git = Command::new("git");
        git.args(["log", "-1", "--format=%ct"]).current_dir(ws.path(""));
        run_quiet(&mut git).ok()
    };
    asked.or_else(of_commit).and_then(|it| it.trim().parse().ok()).unwrap_or(NO_TIME)
}

fn fresh_folder(ws: &Workspace, name: &str) -> anyhow::Result<PathBuf> {
    let folder = ws.target().join("package").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_has_the_version_of_the_workspace() {
        let ws = Workspace::find().unwrap();
        assert_eq!(version(&ws).unwrap(), env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn an_unknown_platform_names_the_way_out() {
        let said = missing_standard_library("no-such-platform");
        assert!(said.contains("rustup target add no-such-platform"), "{said}");
        assert_eq!(missing_standard_library(&host().unwrap()), "");
    }

    #[test]
    fn pages_of_all_systems_are_allowed_for() {
        assert_eq!(variables("x86_64-unknown-linux-gnu"), None);
        assert_eq!(variables("aarch64-apple-darwin"), None);
        let name = "JEMALLOC_SYS_WITH_LG_PAGE";
        assert_eq!(variables("aarch64-unknown-linux-musl"), Some((name, "16")));
    }

    #[test]
    fn the_linked_packages_of_the_program_are_known_with_licences() {
        let ws = Workspace::find().unwrap();
        let packages = Packages::of(&ws, "tir-analyzer", &host().unwrap()).unwrap();
        let bill = packages.bill();
        let components = bill["components"].as_array().unwrap();
        let has = |name: &str| components.iter().any(|it| it["name"] == name);
        assert!(has("salsa") && has("rowan") && !has("expect-test") && !has("syn"));
        for it in components {
            assert!(it["licenses"][0]["expression"] != "", "{it}");
            assert!(it["hashes"][0]["content"].is_string(), "{it}");
        }
    }
}
