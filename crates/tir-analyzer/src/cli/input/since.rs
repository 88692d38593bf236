//! The functions that were changed since a revision of the git repository.
//!
//! In: a revision, asked of the program `git`. Out: for each file the places of the functions whose text differs from
//! the revision. Files that are unchanged according to git are not read again; files that the revision does not have
//! are new, with all in them.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context as _, bail};
use rustc_hash::FxHashSet;
use syntax::{Language, TextRange};

use crate::cli::input::functions::Functions;

/// A revision to compare with.
#[derive(Debug)]
pub(crate) struct Since {
    root: PathBuf,
    commit: String,
    /// Files that differ from the revision, relative to the root.
    changed: FxHashSet<PathBuf>,
}

impl Since {
    /// Asks git about a revision of the repository around a folder.
    pub(crate) fn new(folder: &Path, revision: &str) -> anyhow::Result<Since> {
        let root = text(git(folder, &["rev-parse", "--show-toplevel"])?)
            .map_err(|why| anyhow::anyhow!("`--since` needs a git repository: {why}"))?;
        let root = PathBuf::from(root);
        let wanted = format!("{revision}^{{commit}}");
        let commit =
            git(&root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])?;
        let Ok(commit) = text(commit) else {
            bail!("`{revision}` is no revision of the git repository {}", root.display());
        };
        let tracked = git(&root, &["diff", "--name-only", "--no-renames", "-z", &commit, "--"])?;
        let others = git(&root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
        let mut changed = FxHashSet::default();
        for output in [tracked, others] {
            if !output.status.success() {
                bail!("git cannot compare with `{revision}`: {}", complaint(&output));
            }
            let names = output.stdout.split(|it| *it == 0).filter(|it| !it.is_empty());
            changed.extend(names.map(|it| PathBuf::from(String::from_utf8_lossy(it).into_owned())));
        }
        let root = root.canonicalize().unwrap_or(root);
        Ok(Since { root, commit, changed })
    }

    /// Returns true if a file differs from the revision, or does not exist there.
    pub(crate) fn differs(&self, path: &Path) -> bool {
        let full = path.canonicalize();
        let inside = full.as_ref().ok().and_then(|it| it.strip_prefix(&self.root).ok());
        inside.is_none_or(|it| self.changed.contains(it))
    }

    /// The functions of a file that were changed; none of them if `None`, which is: nothing to compare with, so all.
    pub(crate) fn changed(&self, path: &Path, now: &str) -> anyhow::Result<Option<Vec<TextRange>>> {
        let full =
            path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?;
        // What lies outside the repository has no past.
        let Ok(inside) = full.strip_prefix(&self.root) else { return Ok(None) };
        if !self.changed.contains(inside) {
            return Ok(Some(Vec::new()));
        }
        let name = inside.to_string_lossy().replace('\\', "/");
        let before = git(&self.root, &["show", &format!("{}:{name}", self.commit)])?;
        if !before.status.success() {
            return Ok(None);
        }
        let before = String::from_utf8_lossy(&before.stdout);
        Ok(Some(Functions::changed(Language::of_file(path, now), now, &before)))
    }
}

fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<Output> {
    match Command::new("git").args(arguments).current_dir(folder).output() {
        Ok(output) => Ok(output),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("`--since` needs the program `git`, which is not installed")
        }
        Err(error) => Err(error).context("cannot run `git`"),
    }
}

/// Returns the output of git, or its error message.
fn text(output: Output) -> Result<String, String> {
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    } else {
        Err(complaint(&output))
    }
}

fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().next().unwrap_or("it gives no reason");
    first.trim_start_matches("fatal: ").to_owned()
}
