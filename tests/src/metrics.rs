//! The system's metrics of a process: memory, threads, handles. For tests of long runs; Linux only.

use std::fs;

/// The figures of a process at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metrics {
    /// Resident memory, in kilobytes.
    pub resident: u64,
    /// Resident memory that is no file, in kilobytes.
    pub anonymous: u64,
    /// Threads.
    pub threads: u64,
    /// Open handles.
    pub handles: u64,
}

impl Metrics {
    /// The figures of a process now; none where the system does not tell, or the process is gone.
    pub fn of(process: u32) -> Option<Metrics> {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let figure = |name: &str| {
            let line = status.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Some(Metrics {
            resident: figure("VmRSS")?,
            anonymous: figure("RssAnon")?,
            threads: figure("Threads")?,
            handles: fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as u64,
        })
    }
}
