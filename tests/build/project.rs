//! A folder with kernels, its store and its output.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tests::binary;

pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Project {
        Project { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of the sources.
    pub(crate) fn kernels(&self) -> PathBuf {
        self.path().join("kernels")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.kernels().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a source");
    }

    /// The program in this folder.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = binary::command();
        command.args(words.split(' ')).current_dir(self.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, words: &str) -> Output {
        self.command(words).output().expect("the program runs")
    }

    /// The report of a command that ends well.
    pub(crate) fn json(&self, words: &str) -> Value {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {errors}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Builds all kernels and gives how much was done.
    pub(crate) fn build(&self) -> Value {
        self.json("build kernels --out out --format json")["work"].take()
    }

    /// Returns the outputs for users in a folder: all files except states and stores.
    pub(crate) fn outputs(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let root = self.path().join(folder);
        let mut found = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                if is_hidden {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&root).expect("inside").to_owned();
                    found.insert(name, fs::read(path).expect("a file"));
                }
            }
        }
        found
    }
}
