//! Names of other files: what is shown of them, and that open files stand for those on disk.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use frontend::tvmscript::modules::{Entry, Files};

use super::FILE;
use crate::{AnalysisHost, FileId, TextSize};

/// Files in memory below `/w`, as they are now.
pub(super) struct Disk {
    roots: Vec<Box<str>>,
    texts: Mutex<BTreeMap<String, String>>,
}

impl Disk {
    /// Writes a file.
    pub(super) fn put(&self, path: &str, text: &str) {
        self.texts.lock().unwrap().insert(path.to_owned(), text.to_owned());
    }
}

impl Files for Disk {
    fn roots(&self) -> &[Box<str>] {
        &self.roots
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        let texts = self.texts.lock().unwrap();
        if texts.contains_key(path) {
            return Some(Entry::File);
        }
        let folder = format!("{path}/");
        texts.keys().any(|it| it.starts_with(&folder)).then_some(Entry::Folder)
    }

    fn text(&self, path: &str) -> Option<String> {
        self.texts.lock().unwrap().get(path).cloned()
    }
}

pub(super) const KERNEL: &str = "\
from tvm.script import tirx as T
from .sizes import N, LIMIT, scale


@T.prim_func
def f(A: T.Buffer((N,), \"int32\"), i: T.int32):
    A[i * LIMIT + 1] = i * LIMIT + 1


kernel = scale(N)
";

pub(super) const SIZES: &str = "\
from tvm.script import tirx as T

N = 16
LIMIT = input()


def scale(n):
    @T.prim_func
    def main(A: T.Buffer((n,), \"int32\")):
        A[0] = n

    return main
";

const SIZES_PATH: &str = "/w/ops/sizes.py";

pub(super) fn host() -> (AnalysisHost, Arc<Disk>) {
    let texts = BTreeMap::from([(SIZES_PATH.to_owned(), SIZES.to_owned())]);
    let disk = Arc::new(Disk { roots: vec!["/w".into()], texts: Mutex::new(texts) });
    let mut host = AnalysisHost::new();
    host.set_workspace(disk.clone());
    host.set_path(FILE, Some("/w/ops/kernel.py".into()));
    host.open_file(FILE, syntax::parse(KERNEL));
    (host, disk)
}

fn hover(host: &AnalysisHost, at: &str) -> String {
    let offset = TextSize::from(KERNEL.find(at).unwrap() as u32);
    let hover = host.analysis().hover(FILE, offset).unwrap();
    let markdown = hover.map_or_else(String::new, |it| it.markdown);
    markdown.split("\n\n---\n\n").next().unwrap_or_default().to_owned()
}

#[test]
fn hover_says_the_value_and_the_file_of_an_imported_name() {
    let (mut host, disk) = host();
    assert_eq!(hover(&host, "N,), \"int32\""), "`N = 16`, imported from `ops/sizes.py`");
    let unknown = hover(&host, "LIMIT + 1]");
    assert!(unknown.starts_with("`LIMIT` is not known, as "), "{unknown}");
    assert!(unknown.ends_with(", imported from `ops/sizes.py`"), "{unknown}");
    // Of a function, what it is.
    let text = KERNEL.replacen("LIMIT + 1]", "scale(3) + 1]", 1);
    let offset = TextSize::from(text.find("scale(3").unwrap() as u32);
    host.open_file(FILE, syntax::parse(&text));
    let markdown = host.analysis().hover(FILE, offset).unwrap().expect("a hover").markdown;
    let expected = "```python\ndef scale(n)\n```\nfactory imported from `ops/sizes.py`: a call of it makes the kernels inside";
    assert!(markdown.starts_with(expected), "{markdown}");
    host.open_file(FILE, syntax::parse(KERNEL));
    // What is written elsewhere is noticed, and nothing else.
    disk.texts.lock().unwrap().insert(SIZES_PATH.to_owned(), SIZES.replace("16", "24"));
    assert!(!host.module_changed("/w/ops/other.py"));
    assert!(host.module_changed(SIZES_PATH));
    assert_eq!(hover(&host, "N,), \"int32\""), "`N = 24`, imported from `ops/sizes.py`");
    // An open file, and after it is closed the one on disk again; in another generation as well.
    let sizes = FileId(7);
    host.set_path(sizes, Some(SIZES_PATH.into()));
    host.open_file(sizes, syntax::parse(&SIZES.replace("16", "32")));
    assert_eq!(hover(&host, "N,), \"int32\""), "`N = 32`, imported from `ops/sizes.py`");
    let old = host.analysis();
    host.open_file(sizes, syntax::parse(&SIZES.replace("16", "40")));
    assert_eq!(hover(&host, "N,), \"int32\""), "`N = 40`, imported from `ops/sizes.py`");
    drop(old);
    host.close_file(sizes);
    assert_eq!(hover(&host, "N,), \"int32\""), "`N = 24`, imported from `ops/sizes.py`");
}

#[test]
fn calls_in_other_files_are_instances_by_their_file() {
    let (mut host, _) = host();
    let sizes = FileId(7);
    host.set_path(sizes, Some(SIZES_PATH.into()));
    host.open_file(sizes, syntax::parse(SIZES));
    let analysis = host.analysis();
    // Whatever the name of the module is: the import leads to the file.
    let calls = analysis.foreign_calls(sizes, "any.name").unwrap();
    let requests: Vec<_> = calls.into_iter().map(|it| it.1).collect();
    let found = analysis.instances(sizes, &requests).unwrap();
    let shown: Vec<String> = found[0].instances.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["scale(n=16)"]);
}
