//! The largest memory that a process ever had, for tests of the memory cost of a text; Linux only.

use std::{
    fs::{self, File},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A process that has not ended by then hangs. No test limits a duration.
const PATIENCE: Duration = Duration::from_secs(900);

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// Its status and output.
    pub output: Output,
    /// Its largest resident memory, in bytes; 0 where the system does not tell.
    pub peak: u64,
}

/// Runs a command to its end.
///
/// # Panics
/// If it does not start, or never ends.
pub fn run(mut command: Command) -> Ended {
    let files = tempfile::tempdir().expect("a folder for the output");
    let create = |name: &str| File::create(files.path().join(name)).expect("a file is created");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(create("out"))
        .stderr(create("err"))
        .spawn()
        .expect("the tool starts");
    let status = format!("/proc/{}/status", child.id());
    let begin = Instant::now();
    let mut peak = 0;
    let status = loop {
        // The system keeps the maximum: only what comes after the last look is missed, when all that is left is to end.
        peak = peak.max(high_water_mark(&status).unwrap_or(0));
        if let Some(status) = child.try_wait().expect("the process is ours") {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{command:?} hangs");
        }
        thread::sleep(Duration::from_millis(1));
    };
    let read = |name: &str| fs::read(files.path().join(name)).expect("the output is there");
    Ended { output: Output { status, stdout: read("out"), stderr: read("err") }, peak }
}

fn high_water_mark(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
