//! Builds with the real binary, timed: once, and after each save while it watches. All times are in milliseconds.

use std::{
    io::{self, BufRead as _, BufReader},
    ops::Range,
    path::Path,
    process::{ChildStdout, Command, Stdio},
    time::Instant,
};

use anyhow::Context as _;

use crate::binary;

/// A build of the kernels in a folder, with its outputs beside `folder/out`.
pub fn command(folder: &Path, kernels: &Path) -> Command {
    let mut command = binary::command();
    command.arg("build").arg(kernels).arg("--out").arg(folder.join("out"));
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    command
}

/// Runs a command to its end, without its output.
///
/// # Errors
/// If it does not start, or fails.
pub fn timed(command: &mut Command) -> anyhow::Result<f64> {
    let started = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    anyhow::ensure!(status.success(), "{command:?} failed");
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

/// Times of builds while watching.
#[derive(Default)]
pub struct Watched {
    /// The builds alone.
    pub builds: Vec<f64>,
    /// From the save to the report: the pause after which a save is over counts too.
    pub saves: Vec<f64>,
}

/// Starts a build that watches, and waits for its report after each edit.
///
/// # Errors
/// If the build ends, tells no time, or an edit fails.
pub fn watched(
    build: &mut Command,
    rounds: Range<usize>,
    edit: impl Fn(usize) -> io::Result<()>,
) -> anyhow::Result<Watched> {
    let mut child = build.arg("--watch").stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let mut watched = Watched::default();
    let times = until(&mut lines, "watching").and_then(|_| {
        for round in rounds {
            let started = Instant::now();
            edit(round)?;
            let line = until(&mut lines, "in ")?;
            watched.saves.push(started.elapsed().as_secs_f64() * 1e3);
            let time = line.split(' ').nth(1).and_then(|it| it.parse().ok());
            watched.builds.push(time.context("no time")?);
        }
        Ok(())
    });
    child.kill()?;
    child.wait()?;
    times.map(|()| watched)
}

fn until(lines: &mut io::Lines<BufReader<ChildStdout>>, beginning: &str) -> anyhow::Result<String> {
    loop {
        let line = lines.next().context("the watching build ended")??;
        if line.starts_with(beginning) {
            return Ok(line);
        }
    }
}
