//! The printed programs that come with the workspace.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// One program.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Its path below the folder of samples, with slashes.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The programs below `tests/corpus`, sorted by name.
pub fn sample_files() -> Vec<Sample> {
    let samples = samples_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus"));
    assert!(!samples.is_empty(), "the samples are part of the workspace");
    samples
}

/// The texts of MLIR and PIR below `tests/corpus`, sorted by name.
pub fn ir_samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let samples = samples_of(&folder, &["mlir", "pir"]);
    assert!(!samples.is_empty(), "the samples are part of the workspace");
    samples
}

/// All `.mlir` files below a folder, sorted by name.
pub fn mlir_samples_below(folder: &Path) -> Vec<Sample> {
    samples_of(folder, &["mlir"])
}

/// All `.py` files below a folder, sorted by name.
pub fn samples_below(folder: &Path) -> Vec<Sample> {
    samples_of(folder, &["py"])
}

fn samples_of(folder: &Path, extensions: &[&str]) -> Vec<Sample> {
    let paths = files_below(folder, extensions)
        .unwrap_or_else(|err| panic!("cannot list {}: {err}", folder.display()));
    let mut res: Vec<Sample> = paths.iter().map(|path| read(folder, path)).collect();
    res.sort_by(|a, b| a.name.cmp(&b.name));
    res
}

/// The paths of all `.py` files below a folder, sorted.
pub fn python_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    files_below(folder, &["py"])
}

/// The paths of all `.mlir` files below a folder, sorted.
pub fn mlir_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    files_below(folder, &["mlir"])
}

fn files_below(folder: &Path, extensions: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| extensions.iter().any(|one| it == *one)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn read(folder: &Path, path: &Path) -> Sample {
    let text = fs::read_to_string(path)
        .unwrap_or_else(|err| panic!("cannot read {}: {err}", path.display()));
    let relative = path.strip_prefix(folder).expect("it was found below the folder");
    let parts: Vec<_> = relative.iter().map(|it| it.to_string_lossy()).collect();
    Sample { name: parts.join("/"), text }
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_are_samples_of_every_stage() {
        let samples = super::sample_files();
        for stage in ["unscheduled/", "scheduled_cuda/", "lowered_cpu/", "final_cuda/", "relax/"] {
            assert!(samples.iter().any(|it| it.name.starts_with(stage)), "{stage}");
        }
    }
}
