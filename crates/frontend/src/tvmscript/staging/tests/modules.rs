//! Names of other files, which are in memory here.

use std::sync::Arc;

use super::shown;
use crate::tvmscript::{
    Context, Modules, Scopes,
    discover::{MODULE, functions},
};

/// Files by their paths; the first is the one that is asked.
struct Files(Vec<(&'static str, Scopes)>);

impl Files {
    fn new(files: &[(&'static str, &str)]) -> Files {
        let scopes = |text: &str| functions(&syntax::parse(text)).scopes().clone();
        Files(files.iter().map(|(path, text)| (*path, scopes(text))).collect())
    }

    fn number(&self, path: &str) -> Option<Arc<str>> {
        let at = self.0.iter().position(|it| it.0 == path)?;
        Some(if at == 0 { "" } else { path }.into())
    }
}

impl Modules for Files {
    fn module(&self, from: &str, path: &str) -> Option<Arc<str>> {
        let from = if from.is_empty() { self.0[0].0 } else { from };
        let rest = path.trim_start_matches('.');
        let mut folder: Vec<&str> = from.split('/').collect();
        match path.len() - rest.len() {
            0 => folder.clear(),
            n_dots => folder.truncate(folder.len().saturating_sub(n_dots)),
        }
        folder.extend(rest.split('.').filter(|it| !it.is_empty()));
        let stem = folder.join("/");
        let package = format!("{stem}/__init__.py");
        self.number(&format!("{stem}.py")).or_else(|| self.number(package.trim_start_matches('/')))
    }

    fn file(&self, number: &str) -> Option<Scopes> {
        self.0.iter().find(|it| it.0 == number).map(|it| it.1.clone())
    }
}

#[track_caller]
fn check(files: &[(&'static str, &str)], expected: &str) {
    let files = Files::new(files);
    let context = Context { modules: &files, ..Context::default() };
    let found = files.0[0].1.capture(MODULE, None, "N", context);
    assert_eq!(shown(&found.capture), expected);
}

#[test]
fn names_of_other_files_are_followed() {
    let helpers = "K = 4\ndef twice(x):\n    return 2 * x * K\nclass C:\n    W = 3\n";
    check(&[("a.py", "from b import twice\nN = twice(2)"), ("b.py", helpers)], "16");
    check(&[("a.py", "import b as h\nN = h.twice(1) + h.C.W"), ("b.py", helpers)], "11");
    check(&[("p/a.py", "from .b import K as n\nN = n"), ("p/b.py", helpers)], "4");
    check(&[("p/q/a.py", "from ..b import K\nN = K"), ("p/b.py", helpers)], "4");
    check(&[("p/a.py", "from . import b\nN = b.K"), ("p/b.py", helpers)], "4");
    check(&[("a.py", "from p import K\nN = K"), ("p/__init__.py", helpers)], "4");
    check(&[("a.py", "from p import b\nN = b.K"), ("p/__init__.py", ""), ("p/b.py", helpers)], "4");
    check(&[("a.py", "from b import nothing\nN = nothing"), ("b.py", helpers)], "path b.nothing");
    check(&[("a.py", "from other import K\nN = K")], "path other.K");
}

#[test]
fn files_may_import_each_other() {
    check(
        &[
            ("a.py", "from b import f\nK = 3\nN = f(1)"),
            ("b.py", "from a import K\ndef f(x):\n    return x + K\n"),
        ],
        "4",
    );
    check(
        &[("a.py", "from b import M\nN = M"), ("b.py", "from a import N\nM = N\n")],
        "?: `N` depends on itself",
    );
}
