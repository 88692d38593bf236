//! The program under test, and what a run of its `opt` prints.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::Context as _;

use crate::process;
use crate::workspace::Workspace;

/// The program: the one that `TIR_ANALYZER_BIN` names, or the workspace's own, built now as tests are, which have built
/// most of it.
pub(crate) fn program(ws: &Workspace) -> anyhow::Result<OsString> {
    if let Some(path) = std::env::var_os("TIR_ANALYZER_BIN") {
        return Ok(path);
    }
    let mut cargo = ws.cargo();
    cargo.args(["build", "--quiet", "--profile", "test", "--package", "tir-analyzer"]);
    anyhow::ensure!(process::run_shown(&mut cargo)?.success, "the program does not build");
    let name = format!("tir-analyzer{}", std::env::consts::EXE_SUFFIX);
    Ok(ws.target().join("debug").join(name).into())
}

/// A printed text, and the messages about it.
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) said: String,
    status: ExitStatus,
}

impl Printed {
    /// An error if the run failed. A run that left functions as they are did not.
    pub(crate) fn done(self) -> anyhow::Result<Printed> {
        anyhow::ensure!(
            matches!(self.status.code(), Some(0 | 1)),
            "{}: {}",
            self.status,
            self.said
        );
        Ok(self)
    }
}

/// Runs `opt` with arguments, and with `input` for a program that reads it.
pub(crate) fn opt<A: AsRef<OsStr>>(
    program: &OsStr,
    arguments: impl IntoIterator<Item = A>,
    input: &str,
) -> anyhow::Result<Printed> {
    let mut command = Command::new(program);
    command.args(["opt", "--color", "never"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot run the program")?;
    let mut stdin = child.stdin.take().context("the program has no input")?;
    let output = std::thread::scope(|scope| {
        // A program that does not read its input closes it: no mistake.
        scope.spawn(move || drop(stdin.write_all(input.as_bytes())));
        child.wait_with_output()
    })?;
    Ok(Printed {
        text: String::from_utf8(output.stdout).context("no text")?,
        said: String::from_utf8_lossy(&output.stderr).into_owned(),
        status: output.status,
    })
}
