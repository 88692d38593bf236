//! Peak resident memory of `tir-analyzer check` over a whole corpus.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;

use super::figures::{Figure, Figures};
use crate::workspace::{Workspace, complain};

pub(super) fn run(ws: &Workspace, corpus: &Path) -> anyhow::Result<Figures> {
    let mut figures = Figures::of("memory");
    let binary = release_binary(ws)?;
    let mut child = Command::new(&binary)
        .arg("check")
        .arg(corpus)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let start = std::time::Instant::now();
    let mut peak = None;
    while child.try_wait()?.is_none() {
        peak = high_water_mark(child.id()).or(peak);
        std::thread::sleep(Duration::from_millis(2));
    }
    let bytes = corpus_bytes(corpus)?;
    let seconds = start.elapsed().as_secs_f64();
    match peak {
        Some(peak) => figures.tell(Figure::new(
            format!("check of {:.1} MB of text", bytes as f64 / 1e6),
            format!(
                "{seconds:.2} s, peak resident memory {:.1} MB: {:.1} times the text",
                peak as f64 / 1e6,
                peak as f64 / bytes as f64
            ),
        )),
        None => complain(format_args!("skipped: peak memory (this system has no /proc)")),
    }
    Ok(figures)
}

/// The server and command line, built in release mode.
pub(super) fn release_binary(ws: &Workspace) -> anyhow::Result<std::path::PathBuf> {
    let status =
        ws.cargo().args(["build", "--release", "--quiet", "--package", "tir-analyzer"]).status()?;
    anyhow::ensure!(status.success(), "tir-analyzer does not build");
    Ok(ws.target().join("release/tir-analyzer").with_extension(std::env::consts::EXE_EXTENSION))
}

/// The most memory a process has had so far, in bytes.
pub(super) fn high_water_mark(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

fn corpus_bytes(corpus: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for path in test_utils::python_files(corpus)? {
        bytes += path.metadata()?.len();
    }
    Ok(bytes)
}
