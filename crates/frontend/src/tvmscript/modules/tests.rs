//! Imports of files that are in memory.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{Entry, FileModules, Files, Workspace, resolve};
use crate::tvmscript::{Context, discover::MODULE, functions, staging::tests::shown};

/// Files by their paths, the roots, and the number of texts that were read.
struct Tree {
    roots: Vec<Box<str>>,
    texts: BTreeMap<String, String>,
    n_read: AtomicUsize,
}

impl Tree {
    fn new(roots: &[&str], texts: &[(&str, &str)]) -> Tree {
        let texts = texts.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        let roots = roots.iter().map(|it| Box::from(*it)).collect();
        Tree { roots, texts, n_read: AtomicUsize::new(0) }
    }
}

impl Files for Tree {
    fn roots(&self) -> &[Box<str>] {
        &self.roots
    }
    fn entry(&self, path: &str) -> Option<Entry> {
        assert!(self.roots.iter().any(|it| path.starts_with(&**it)), "{path} is outside");
        if self.texts.contains_key(path) {
            return Some(Entry::File);
        }
        let folder = format!("{path}/");
        self.texts.keys().any(|it| it.starts_with(&folder)).then_some(Entry::Folder)
    }
    fn text(&self, path: &str) -> Option<String> {
        self.n_read.fetch_add(1, Ordering::Relaxed);
        self.texts.get(path).cloned()
    }
}

const LAYOUT: [(&str, &str); 9] = [
    ("/w/top.py", ""),
    ("/w/src/pkg/__init__.py", ""),
    ("/w/src/pkg/a.py", ""),
    ("/w/src/pkg/a/__init__.py", ""),
    ("/w/src/pkg/sub/__init__.py", ""),
    ("/w/src/pkg/sub/b.py", ""),
    ("/w/spaces/one/c.py", ""),
    ("/v/spaces/two/d.py", ""),
    ("/outside/e.py", ""),
];

#[test]
fn imports_mean_files_of_the_workspace_only() {
    let tree = Tree::new(&["/w", "/v"], &LAYOUT);
    let of = |from: &str, path: &str| {
        let found = resolve(from, path, &tree.roots, &|it| tree.entry(it));
        found.map_or("-".to_owned(), |it| it.to_string())
    };
    // Absolute: beside the script, at the roots, in their folders for sources, around the outermost package.
    assert_eq!(of("/w/run.py", "top"), "/w/top.py");
    assert_eq!(of("/w/tests/t.py", "top"), "/w/top.py");
    assert_eq!(of("/w/tests/t.py", "pkg.sub.b"), "/w/src/pkg/sub/b.py");
    assert_eq!(of("/w/src/pkg/sub/b.py", "pkg"), "/w/src/pkg/__init__.py");
    assert_eq!(of("/w/src/pkg/sub/b.py", "b"), "-");
    // A package comes before a file.
    assert_eq!(of("/w/tests/t.py", "pkg.a"), "/w/src/pkg/a/__init__.py");
    assert_eq!(of("/w/tests/t.py", "pkg.nothing"), "-");
    assert_eq!(of("/w/tests/t.py", "top.nothing"), "-");
    // Relative.
    assert_eq!(of("/w/src/pkg/sub/b.py", "."), "/w/src/pkg/sub/__init__.py");
    assert_eq!(of("/w/src/pkg/sub/b.py", "..a"), "/w/src/pkg/a/__init__.py");
    assert_eq!(of("/w/src/pkg/__init__.py", ".sub.b"), "/w/src/pkg/sub/b.py");
    // Packages without `__init__.py` have parts in several roots.
    assert_eq!(of("/w/run.py", "spaces"), "/w/spaces/");
    assert_eq!(of("/w/run.py", "spaces.one.c"), "/w/spaces/one/c.py");
    assert_eq!(of("/w/run.py", "spaces.two.d"), "/v/spaces/two/d.py");
    assert_eq!(of("/w/spaces/", ".one.c"), "/w/spaces/one/c.py");
    // Never outside.
    assert_eq!(of("/w/run.py", "..outside.e"), "-");
    assert_eq!(of("/w/run.py", "....outside.e"), "-");
    assert_eq!(of("/w/run.py", "../outside/e"), "-");
    assert_eq!(of("/outside/x.py", "e"), "-");
    assert_eq!(of("/w/run.py", ""), "-");
}

#[track_caller]
fn check(texts: &[(&str, &str)], expected: &str) {
    let tree = Arc::new(Tree::new(&["/w"], texts));
    let workspace = Arc::new(Workspace::new(tree));
    let modules = FileModules::new(workspace, texts[0].0);
    let context = Context { modules: &modules, instance: None };
    let found = functions(&syntax::parse(texts[0].1)).scopes().capture(MODULE, None, "N", context);
    assert_eq!(shown(&found.capture), expected);
}

#[test]
fn stars_bind_what_a_module_offers() {
    let kernels = ("/w/k.py", "K = 4\n_P = 5\n");
    check(&[("/w/a.py", "from k import *\nN = K"), kernels], "4");
    check(&[("/w/a.py", "from k import *\nN = _P"), kernels], "?: `_P` is not defined");
    check(&[("/w/a.py", "from k import *\nfrom other import *\nN = max(3, 9)"), kernels], "9");
    check(
        &[("/w/a.py", "from k import *\nfrom other import *\nN = K"), kernels],
        "?: `K` may be imported by `from … import *`",
    );
    // The last one wins; what stands before a star that offers the name is bound anew, and what stands after it is not.
    let more = ("/w/m.py", "K = 6\n");
    check(
        &[
            ("/w/a.py", "from other import *\nfrom k import *\nfrom m import *\nN = K"),
            kernels,
            more,
        ],
        "6",
    );
    check(&[("/w/a.py", "K = 1\nfrom k import *\nN = K"), kernels], "4");
    check(&[("/w/a.py", "Q = 1\nfrom k import *\nN = Q"), kernels], "1");
    check(&[("/w/a.py", "from k import *\nK = 1\nN = K"), kernels], "1");
    // `__all__` decides, and names modules too.
    let listed = "__all__ = [\"_P\", \"sub\"]\nK = 4\n_P = 5\n";
    let package = ("/w/p/__init__.py", listed);
    let sub = ("/w/p/sub.py", "S = 7\n");
    check(&[("/w/a.py", "from p import *\nN = _P + sub.S"), package, sub], "12");
    check(&[("/w/a.py", "from p import *\nN = K"), package, sub], "?: `K` is not defined");
    let changed = ("/w/p/__init__.py", "__all__ = []\n__all__.append(\"K\")\nK = 4\n");
    check(
        &[("/w/a.py", "from p import *\nN = K"), changed],
        "?: `K` may be imported by `from … import *`",
    );
    check(&[("/w/a.py", "from p import *\nN = len([1])"), changed], "1");
    // Through modules, in circles too.
    let circle = [
        ("/w/a.py", "from b import *\nN = K + L"),
        ("/w/b.py", "from c import *\nL = 1\n"),
        ("/w/c.py", "from b import *\nfrom a import *\nK = 2\n"),
    ];
    check(&circle, "3");
    check(
        &[("/w/a.py", "from b import *\nN = Z"), circle[1], circle[2]],
        "?: `Z` may be imported by `from … import *`",
    );
    // Names of Python itself are known in circles as well.
    check(&[("/w/a.py", "from b import *\nN = max(K, 1)"), circle[1], circle[2]], "2");
}

#[test]
fn packages_hand_on_the_names_of_their_modules() {
    let texts = [
        (
            "/w/tests/a.py",
            "import p.q as q\nimport p.q\nfrom p import K, q as other\nN = K + q.V + p.q.V + other.V",
        ),
        ("/w/python/p/__init__.py", "from .impl import *\nfrom . import q\n"),
        ("/w/python/p/impl.py", "K = 100\n"),
        ("/w/python/p/q.py", "from ..p.impl import K\nV = K // 50\n"),
    ];
    check(&texts, "106");
}

#[test]
fn layers_of_stars_cost_no_more_than_their_modules() {
    const LAYERS: usize = 40;
    let name = |layer: usize, side: usize| format!("/w/m{layer}_{side}.py");
    let mut texts = vec![("/w/a.py".to_owned(), "from m0_0 import *\nN = Z".to_owned())];
    for layer in 0..LAYERS {
        for side in 0..2 {
            let next = layer + 1;
            let text = format!("from m{next}_0 import *\nfrom m{next}_1 import *\n");
            texts.push((name(layer, side), text));
        }
    }
    texts.extend((0..2).map(|side| (name(LAYERS, side), "K = 1\n".to_owned())));
    let texts: Vec<(&str, &str)> = texts.iter().map(|it| (&*it.0, &*it.1)).collect();
    let tree = Arc::new(Tree::new(&["/w"], &texts));
    let workspace = Arc::new(Workspace::new(tree.clone()));
    let modules = FileModules::new(workspace, "/w/a.py");
    let context = Context { modules: &modules, instance: None };
    let scopes = functions(&syntax::parse(texts[0].1)).scopes().clone();
    for _ in 0..3 {
        let found = scopes.capture(MODULE, None, "N", context);
        assert_eq!(shown(&found.capture), "?: `Z` is not defined");
    }
    // Each file was read once, whoever asked.
    assert_eq!(tree.n_read.load(Ordering::Relaxed), 2 * LAYERS + 1);
}
