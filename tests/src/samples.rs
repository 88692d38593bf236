//! The committed sample files.

use std::path::{Path, PathBuf};

/// The folder of the samples.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// One sample, by stage and name without ending.
///
/// # Panics
/// If there is none of that name.
#[track_caller]
pub fn path(stage: &str, name: &str) -> PathBuf {
    let path = corpus().join(stage).join(format!("{name}.py"));
    assert!(path.is_file(), "there is no sample {stage}/{name}");
    path
}

/// The text of one sample.
///
/// # Panics
/// If there is none of that name.
#[track_caller]
pub fn text(stage: &str, name: &str) -> String {
    std::fs::read_to_string(path(stage, name)).expect("a sample can be read")
}

/// All samples of a stage, in the order of their names.
///
/// # Panics
/// If there is no such stage.
pub fn stage(stage: &str) -> Vec<PathBuf> {
    test_utils::python_files(&corpus().join(stage)).expect("the stage exists")
}
