//! Running other programs: output shown as it comes and kept, so that it can be counted afterwards.

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::workspace::say;

/// The result of a finished program.
#[derive(Debug)]
pub struct Finished {
    /// True if it reported success.
    pub success: bool,
    /// Its exit code in words, for messages.
    pub status: String,
    /// Its standard output.
    pub output: String,
}

/// Runs `command`, shows its standard output line by line and returns it; standard error goes to ours.
pub fn run_shown(command: &mut Command) -> anyhow::Result<Finished> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start `{name}`"))?;
    let mut output = String::new();
    if let Some(stdout) = child.stdout.take() {
        for_each_line(stdout, |line| {
            say(format_args!("{line}"));
            output.push_str(line);
            output.push('\n');
        })?;
    }
    let status = child.wait().with_context(|| format!("lost `{name}`"))?;
    Ok(Finished { success: status.success(), status: status.to_string(), output })
}

/// Runs `command` in silence. On failure the error carries the end of the output.
pub fn run_quiet(command: &mut Command) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{name}`"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
    anyhow::bail!("`{name}` failed ({}): {}", output.status, last.trim())
}

/// Returns true if `program` can be started at all (`--version` or the given flag answers).
pub fn exists(program: &str, flag: &str) -> bool {
    Command::new(program)
        .arg(flag)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn for_each_line(stream: impl Read, mut visit: impl FnMut(&str)) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        visit(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
        bytes.clear();
    }
    Ok(())
}

/// The platform of this machine, as rustc names it.
///
/// # Errors
/// There is no rustc, or it does not say.
pub fn host() -> anyhow::Result<String> {
    let said = run_quiet(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|it| it.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_and_bad_bytes_survive() {
        let mut seen = Vec::new();
        for_each_line(&b"a\r\nb\xffc\nlast"[..], |line| seen.push(line.to_owned())).unwrap();
        assert_eq!(seen, ["a", "b\u{fffd}c", "last"]);
    }

    #[test]
    fn missing_program_is_named() {
        let error = run_quiet(&mut Command::new("no-such-program-anywhere")).unwrap_err();
        assert_eq!(error.to_string(), "cannot start `no-such-program-anywhere`");
    }
}
