//! The definitions of operations in the `.td` files of the workspace: where each stands, and what it says of itself.
//!
//! In: the folders of the workspace. Out: by the full name of an operation (`memref.load`) the place of its `def`, with
//! summary and description. Nothing is executed: the text is read as it stands, so that what only TableGen works out
//! (names that are pasted together, operations that a `multiclass` makes) is not found.
//!
//! The index is made when it is first asked for. A file is read again only if its size or its time has changed: that of
//! the file with the answer is looked at each time, those of all at most every [`LOOKED_FOR`]. Folders are listed again
//! at most every [`LISTED_FOR`]. Files and their sizes are bounded.

mod tablegen;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use self::tablegen::{FileRecords, Record};

/// The limit on `.td` files that are read.
const MAX_FILES: usize = 4000;

/// The limit on the bytes of one of them.
const MAX_SIZE: u64 = 4 << 20;

/// The limit on files and folders that are listed.
const MAX_LISTED: usize = 400_000;

/// Folders are not listed again before this.
const LISTED_FOR: Duration = Duration::from_secs(20);

/// The times of all files are not looked at again before this: there may be [`MAX_FILES`], and a question comes with
/// each hover.
const LOOKED_FOR: Duration = Duration::from_secs(2);

/// The definition of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OpDefinition {
    /// Its file.
    pub(crate) path: Arc<Path>,
    /// The line of its `def`, from 0.
    pub(crate) line: u32,
    /// The columns of its name there, in bytes of a line that is ASCII up to it.
    pub(crate) columns: (u32, u32),
    /// Its own summary, if it has one.
    pub(crate) summary: Option<String>,
    /// Its own description, in Markdown.
    pub(crate) description: Option<String>,
}

/// The index.
pub(crate) struct Definitions {
    index: Mutex<Index>,
    /// Between two looks at the times of all files.
    looked_for: Duration,
}

impl Default for Definitions {
    fn default() -> Definitions {
        Definitions::looking_every(LOOKED_FOR)
    }
}

#[derive(Default)]
struct Index {
    roots: Vec<PathBuf>,
    listed: Option<Instant>,
    /// When the times of all files were looked at.
    looked: Option<Instant>,
    /// Times of files that were looked at so far.
    n_looks: usize,
    files: BTreeMap<Arc<Path>, (Stamp, FileRecords)>,
    /// By full name: the file and the number of the record.
    by_name: BTreeMap<String, (Arc<Path>, usize)>,
}

type Stamp = (Option<SystemTime>, u64);

impl Definitions {
    fn looking_every(looked_for: Duration) -> Definitions {
        Definitions { index: Mutex::default(), looked_for }
    }

    /// The definition of an operation by its full name.
    pub(crate) fn find(&self, roots: &[PathBuf], name: &str) -> Option<OpDefinition> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.refresh(roots, name, self.looked_for);
        let (path, number) = index.by_name.get(name)?.clone();
        let (_, records) = index.files.get(&path)?;
        let record: &Record = records.operations.get(number)?;
        Some(OpDefinition {
            path,
            line: record.line,
            columns: record.columns,
            summary: record.summary.clone(),
            description: record.description.clone(),
        })
    }
}

impl Index {
    /// Reads again what has changed: of the files that the answer is in now, and of all once in a while.
    fn refresh(&mut self, roots: &[PathBuf], name: &str, looked_for: Duration) {
        let is_listed =
            self.roots == roots && self.listed.is_some_and(|it| it.elapsed() < LISTED_FOR);
        if is_listed {
            let is_looked = self.looked.is_some_and(|it| it.elapsed() < looked_for);
            let found = self.by_name.get(name).map(|it| it.0.clone());
            let is_old = match is_looked {
                true => found.is_some_and(|it| self.is_old(&it)),
                false => {
                    self.looked = Some(Instant::now());
                    let all: Vec<_> = self.files.keys().cloned().collect();
                    all.iter().any(|it| self.is_old(it))
                }
            };
            if !is_old {
                return;
            }
        }
        let mut old = std::mem::take(&mut self.files);
        let mut is_changed = self.roots != roots;
        for (root, path) in listed(roots) {
            let path: Arc<Path> = path.into();
            let Some(stamp) = stamp_of(&path) else { continue };
            let known = old.remove(&path).filter(|it| it.0 == stamp);
            is_changed |= known.is_none();
            let records = known.map(|it| it.1).unwrap_or_else(|| {
                let text = files::read_text_within(&root, &path, MAX_SIZE).unwrap_or_default();
                tablegen::records(&text)
            });
            self.files.insert(path, (stamp, records));
        }
        is_changed |= !old.is_empty();
        self.roots = roots.to_vec();
        self.listed = Some(Instant::now());
        self.looked = self.listed;
        if is_changed {
            let files: Vec<_> = self.files.iter().map(|(path, it)| (path, &it.1)).collect();
            self.by_name = tablegen::names(&files);
        }
    }

    /// Returns true if a file is not as it was read.
    fn is_old(&mut self, path: &Path) -> bool {
        self.n_looks += 1;
        self.files.get(path).is_none_or(|(stamp, _)| stamp_of(path) != Some(*stamp))
    }
}

/// When a file was changed, and its size.
fn stamp_of(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok().filter(|it| it.is_file() && it.len() <= MAX_SIZE)?;
    Some((found.modified().ok(), found.len()))
}

/// The `.td` files of the folders that are not ignored, each with its folder, in order.
fn listed(roots: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut n_listed = 0;
    for root in roots {
        let walk = crate::walk::walk(root, false).sort_by_file_path(Path::cmp).build();
        for entry in walk.filter_map(Result::ok) {
            n_listed += 1;
            if n_listed > MAX_LISTED || found.len() == MAX_FILES {
                return found;
            }
            let is_file = entry.file_type().is_some_and(|it| it.is_file());
            if is_file && entry.path().extension().is_some_and(|it| it == "td") {
                found.push((root.clone(), entry.into_path()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "\
def Toy_Dialect : Dialect {
  let name = \"toy\";
}
class Toy_Op<string mnemonic, list<Trait> traits = []> :
    Op<Toy_Dialect, mnemonic, traits>;
";
    const OPS: &str = "\
include \"Base.td\"
// def Toy_NoOp : Toy_Op<\"no\">;
class Toy_Binary<string name> : Toy_Op<name, [Pure]> {
  let summary = \"of the class\";
}
def Toy_AddOp : Toy_Binary<\"add\"> {
  let summary = \"adds \" \"two\";
  let description = [{
    Adds `a` and `b`, as in `def x : y`.
  }];
}
let cppNamespace = \"x\" in {
  def Toy_LoadOp : Toy_Op<\"mem.load\">;
}
def FarOp : Elsewhere_Op<\"far\">;
";

    #[test]
    fn definitions_are_found_in_the_files_as_they_are_now() {
        let dir = tempfile::tempdir().unwrap();
        let roots = [dir.path().to_owned()];
        std::fs::write(dir.path().join("Base.td"), BASE).unwrap();
        std::fs::write(dir.path().join("Ops.td"), OPS).unwrap();
        let definitions = Definitions::looking_every(Duration::ZERO);
        let add = definitions.find(&roots, "toy.add").unwrap();
        assert_eq!((add.line, add.columns), (5, (4, 13)));
        assert_eq!(add.summary.as_deref(), Some("adds two"));
        assert_eq!(add.description.as_deref(), Some("Adds `a` and `b`, as in `def x : y`."));
        assert_eq!(definitions.find(&roots, "toy.mem.load").map(|it| it.line), Some(12));
        for name in ["toy.no", "toy.far", "elsewhere.far", "toy"] {
            assert_eq!(definitions.find(&roots, name), None, "{name}");
        }
        std::fs::write(dir.path().join("Ops.td"), format!("\n\n{OPS}")).unwrap();
        assert_eq!(definitions.find(&roots, "toy.add").map(|it| it.line), Some(7));
        std::fs::remove_file(dir.path().join("Base.td")).unwrap();
        assert_eq!(definitions.find(&roots, "toy.add"), None);
    }

    #[test]
    fn a_question_looks_at_the_file_of_its_answer_and_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let roots = [dir.path().to_owned()];
        std::fs::write(dir.path().join("Base.td"), BASE).unwrap();
        std::fs::write(dir.path().join("Ops.td"), OPS).unwrap();
        for number in 0..50 {
            std::fs::write(dir.path().join(format!("Other{number}.td")), "").unwrap();
        }
        let definitions = Definitions::looking_every(Duration::MAX);
        assert!(definitions.find(&roots, "toy.add").is_some());
        for _ in 0..10 {
            assert_eq!(definitions.find(&roots, "toy.add").map(|it| it.line), Some(5));
            assert_eq!(definitions.find(&roots, "toy.no"), None);
        }
        assert_eq!(definitions.index.lock().unwrap().n_looks, 10);
        // The answer is that of the file as it is now.
        std::fs::write(dir.path().join("Ops.td"), format!("\n\n{OPS}")).unwrap();
        assert_eq!(definitions.find(&roots, "toy.add").map(|it| it.line), Some(7));
    }
}
