//! Output places: links, devices, folders with the files of others.

#![cfg(unix)]

mod builds;
mod places;
mod programs;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tests::{binary, kernels};

/// A folder that the program runs in.
struct Here(tempfile::TempDir);

impl Here {
    fn new() -> Here {
        Here(tempfile::tempdir().expect("a folder"))
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A file with the function `kernel_NUMBER`.
    fn kernel(&self, path: &str, number: usize) {
        self.write(path, &kernels::module([(number, 0)]));
    }

    fn command(&self, words: &str) -> Command {
        let mut command = binary::command();
        command.args(words.split(' ')).current_dir(self.0.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.command(words).output().expect("the program runs")
    }

    /// Returns the output of a command that ends well.
    #[track_caller]
    fn ok(&self, words: &str) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{words}: {}", said(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Returns the output of a command that ends with wrong usage, and not with a panic.
    #[track_caller]
    fn refused(&self, words: &str) -> String {
        let output = self.run(words);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{words}: {said}");
        assert!(!said.contains("panicked") && !said.contains("internal error"), "{words}: {said}");
        said
    }

    /// All files of a folder with their bytes; links are not followed.
    fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let root = self.at(folder);
        let mut found = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&root).expect("inside").to_owned();
                    found.insert(name, fs::read(path).unwrap_or_default());
                }
            }
        }
        found
    }
}

/// Returns the output of a program on both streams.
fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Returns true if this user may write where permissions forbid it.
fn is_almighty(here: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = here.join("closed");
    fs::create_dir(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).expect("permissions");
    let may = fs::write(folder.join("x"), "").is_ok();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("permissions");
    may
}
