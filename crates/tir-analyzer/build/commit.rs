//! The commit that sources are of: as an archive or a package of them tells it, else as git does.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The characters of a short name.
const SHORT: usize = 9;

/// A commit of this repository.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Its name: 40 or 64 hexadecimal digits.
    name: String,
    /// The day that it was made, `YYYY-MM-DD`; empty where nobody tells.
    day: String,
    /// Files that change when another commit is checked out.
    pub(crate) changes_with: Vec<PathBuf>,
}

impl Commit {
    fn new(name: &str, day: &str) -> Option<Commit> {
        let is_name = name.len() >= 40 && name.bytes().all(|it| it.is_ascii_hexdigit());
        let (name, day) = (name.to_owned(), day.to_owned());
        is_name.then(|| Commit { name, day, changes_with: Vec::new() })
    }

    /// The start of its name, and its day.
    pub(crate) fn short(&self) -> String {
        format!("{} {}", &self.name[..SHORT], self.day).trim_end().to_owned()
    }

    /// Its name and its day.
    pub(crate) fn long(&self) -> String {
        format!("{} {}", self.name, self.day).trim_end().to_owned()
    }
}

/// The commit of the package in `folder`, two folders below the root of the repository. None if it has changed hands in
/// another way than as an archive, as a package or by git.
pub(crate) fn of(folder: &Path) -> Option<Commit> {
    of_archive(folder).or_else(|| of_package(folder)).or_else(|| of_git(folder))
}

/// The commit that `git archive` writes in the place of a pattern.
fn of_archive(folder: &Path) -> Option<Commit> {
    let text = std::fs::read_to_string(folder.join("build/archive.txt")).ok()?;
    let (name, day) = text.trim().split_once(' ')?;
    Commit::new(name, day)
}

/// The commit that `cargo package` notes.
fn of_package(folder: &Path) -> Option<Commit> {
    let text = std::fs::read_to_string(folder.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    Commit::new(rest.split('"').nth(1)?, "")
}

fn of_git(folder: &Path) -> Option<Commit> {
    let root = folder.parent()?.parent()?;
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim_end().to_owned())
    };
    // A copy inside of another repository is not of its commits.
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let log = git(&["log", "-1", "--no-show-signature", "--format=%H %cs"])?;
    let (name, day) = log.split_once(' ')?;
    let mut commit = Commit::new(name, day)?;
    // The branch by name, and what moves with each commit; in a second work tree they stand elsewhere.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "logs/HEAD", "packed-refs", &branch] {
        let path = git(&["rev-parse", "--git-path", name]).map(|it| root.join(it));
        commit.changes_with.extend(path.filter(|it| it.is_file()));
    }
    Some(commit)
}
