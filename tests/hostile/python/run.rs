//! Running the tool on attacks: it always ends by itself and has no internal error.

use std::path::Path;

use tests::binary;

/// The outcome of a command.
pub(super) struct Outcome {
    pub(super) out: String,
    pub(super) err: String,
    pub(super) code: Option<i32>,
}

/// Runs the tool in a folder.
pub(super) fn run(folder: &Path, args: &[&str]) -> Outcome {
    let output = binary::command().args(args).current_dir(folder).output().expect("it starts");
    Outcome {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code(),
    }
}

impl Outcome {
    /// Returns the fault, if there is one: a signal, a panic, an internal error.
    pub(super) fn fault(&self) -> Option<String> {
        let is_fault = |it: &&str| {
            it.contains("internal error")
                || it.contains("panicked")
                || it.contains("overflowed its stack")
        };
        let said = self.err.lines().chain(self.out.lines()).find(is_fault);
        match self.code {
            Some(0..=2) => said.map(str::to_owned),
            code => Some(format!("exit code {code:?}: {}", self.err.lines().next().unwrap_or(""))),
        }
    }
}

/// Fails with everything that is wrong.
#[track_caller]
pub(super) fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
