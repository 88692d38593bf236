//! The text of MLIR and PIR: ends of documents, names after edits, line endings, deep and long texts.
//!
//! If `mlir-opt` is available it is asked too: it must read our output, and treat both texts as the same program.
//! `TIR_HOSTILE_LONG=1` makes the long inputs longer.

mod comments;
mod cuts;
mod growth;
mod names;

use std::{
    cell::Cell,
    path::{Path, PathBuf},
    process::Output,
};

thread_local! {
    /// True if the tests of this thread ask `mlir-opt` too.
    static IS_PEER_ASKED: Cell<bool> = const { Cell::new(false) };
}

/// `mlir-opt`, for a test that asks it.
fn peer() -> Option<PathBuf> {
    let path = || std::env::var_os("TIR_ANALYZER_MLIR_OPT").unwrap_or_else(|| "mlir-opt".into());
    IS_PEER_ASKED.get().then(|| path().into())
}

/// Runs tests once more, and asks `mlir-opt` about each of their texts. Checks that need that program are ignored where
/// it is not declared present, so that they are reported by name.
fn asking_the_peer(tests: &[fn()]) {
    IS_PEER_ASKED.set(true);
    tests.iter().for_each(|test| test());
}

/// Returns the output of `mlir-opt` for a text of several documents; its message if it refuses.
fn through_peer(peer: &Path, text: &str, passes: &[&str]) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a folder for the peer");
    let path = folder.path().join("input.mlir");
    std::fs::write(&path, text).expect("the input is written");
    let output = std::process::Command::new(peer)
        .arg("-allow-unregistered-dialect")
        .args(passes)
        .arg(&path)
        .output()
        .expect("mlir-opt runs");
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Runs the tool on a text; returns its outcome, and the file afterwards.
fn run(arguments: &[&str], name: &str, text: &str) -> (Output, String) {
    let folder = tempfile::tempdir().expect("a folder for the input");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("the input is written");
    let output = tests::binary::command()
        .args(arguments)
        .arg(&path)
        .current_dir(folder.path())
        .output()
        .expect("the tool runs");
    let after = std::fs::read_to_string(&path).expect("the file is there");
    (output, after)
}
