//! The files of a comparison: every `.py` under a folder, by name, with the group each belongs to.
//!
//! A corpus with a folder `tvm` is read from there. A group is the folder a file lies in (`lowered_cuda`, `legalized`,
//! …), relative to the corpus. Order is by path, so that a report is the same on every machine.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use test_utils::python_files;

/// One input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// The folder inside the corpus, `.` for the corpus itself.
    pub(crate) group: String,
    /// The file's name without the ending.
    pub(crate) name: String,
    /// The place where it is.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
}

impl File {
    /// Returns the name in reports.
    pub(crate) fn label(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }
}

/// Reads the files whose label contains `filter`.
pub(crate) fn read(corpus: &Path, filter: Option<&str>) -> anyhow::Result<Vec<File>> {
    // A corpus of several languages keeps TVMScript in a folder of its own.
    let of_tvm = corpus.join("tvm");
    below(if of_tvm.is_dir() { &of_tvm } else { corpus }, filter)
}

/// Reads the files below a folder whose label contains `filter`.
pub(crate) fn below(corpus: &Path, filter: Option<&str>) -> anyhow::Result<Vec<File>> {
    let mut files = Vec::new();
    let paths = python_files(corpus)
        .with_context(|| format!("cannot read the folder {}", corpus.display()))?;
    for path in paths {
        let parent = path.parent().unwrap_or(corpus);
        let group = parent.strip_prefix(corpus).unwrap_or(parent);
        let group = match group.to_string_lossy().replace('\\', "/") {
            empty if empty.is_empty() => ".".to_owned(),
            group => group,
        };
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if filter.is_none_or(|filter| format!("{group}/{name}").contains(filter)) {
            let bytes =
                std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            files.push(File { group, name, path, text });
        }
    }
    anyhow::ensure!(!files.is_empty(), "no .py file under {} matches", corpus.display());
    Ok(files)
}

/// The files of several folders that `is_wanted` takes by their text, each with the name of its folder.
pub(crate) fn in_folders(
    folders: &[PathBuf],
    filter: Option<&str>,
    is_wanted: impl Fn(&str) -> bool,
) -> anyhow::Result<Vec<(String, File)>> {
    let mut files = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = below(folder, filter)?.into_iter().filter(|it| is_wanted(&it.text));
        files.extend(found.map(|it| (name.clone(), it)));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_of_several_languages_has_a_folder_for_tvm() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["tvm/lowered_cpu/one.py", "pir/make.py"] {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "pass\n").unwrap();
        }
        let files = read(dir.path(), None).unwrap();
        assert_eq!(files.iter().map(File::label).collect::<Vec<_>>(), ["lowered_cpu/one"]);
    }

    #[test]
    fn files_are_grouped_sorted_and_filtered() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["b/two.py", "b/one.py", "a/one.py", "a/other.txt", "top.py"] {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "pass\n").unwrap();
        }
        let labels = |filter| -> Vec<String> {
            read(dir.path(), filter).unwrap().iter().map(File::label).collect()
        };
        assert_eq!(labels(None), ["a/one", "b/one", "b/two", "./top"]);
        assert_eq!(labels(Some("b/")), ["b/one", "b/two"]);
        assert!(read(dir.path(), Some("nothing")).is_err());
    }
}
