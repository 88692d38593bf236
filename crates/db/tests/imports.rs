//! Names of other files: which queries a change of these reruns, asserted on the query log.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use db::{Content, RootDatabase, Settings, SourceFile};
use frontend::tvmscript::modules::{Entry, Files};
use syntax::Language;

/// Files in memory below `/w`, as they are now.
#[derive(Default)]
struct Disk {
    texts: Mutex<BTreeMap<String, String>>,
    /// The texts that were read.
    read: Mutex<Vec<String>>,
}

impl Files for Disk {
    fn roots(&self) -> &[Box<str>] {
        static ROOTS: std::sync::LazyLock<[Box<str>; 1]> =
            std::sync::LazyLock::new(|| ["/w".into()]);
        &*ROOTS
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
        self.read.lock().unwrap().push(path.to_owned());
        self.texts.lock().unwrap().get(path).cloned()
    }
}

struct World {
    disk: Arc<Disk>,
    db: RootDatabase,
    file: SourceFile,
}

const KERNELS: &str = "\
from tvm.script import tirx as T
from sizes import N, twice


@T.prim_func
def f(A: T.Buffer((twice(N),), \"int32\"), i: T.int32):
    A[i * 4 + 1] = i * 4 + 1


@T.prim_func
def g(A: T.Buffer((32,), \"int32\"), i: T.int32):
    A[i * 8 + 1] = i * 8 + 1
";

const SIZES: &str = "N = 16\nM = 32\n\n\ndef twice(x):\n    return 2 * x\n";

impl World {
    fn new(files: &[(&str, &str)]) -> World {
        let disk = Arc::new(Disk::default());
        let mut db = RootDatabase::default().successor_with(Some(disk.clone()));
        let own = files[0];
        let configuration = db.add_configuration(Settings::default());
        let file = db.add_file(Content::Tree(syntax::parse(own.1)), configuration);
        db.set_path(file, Some(own.0.into()));
        let mut world = World { disk, db, file };
        for (path, text) in &files[1..] {
            world.write(path, Some(text));
        }
        world.ask();
        world
    }

    fn write(&mut self, path: &str, text: Option<&str>) -> bool {
        let mut texts = self.disk.texts.lock().unwrap();
        match text {
            Some(text) => texts.insert(path.to_owned(), text.to_owned()),
            None => texts.remove(path),
        };
        drop(texts);
        self.db.module_changed(path)
    }

    fn ask(&self) {
        for &unit in &db::units(&self.db, self.file).functions {
            db::plan(&self.db, unit);
        }
    }

    /// The functions that are lowered again now.
    fn lowered(&self) -> Vec<String> {
        self.db.start_log();
        self.ask();
        self.db.take_log().into_iter().filter(|it| it.starts_with("lowered")).collect()
    }

    /// The shape of the first parameter of the first function.
    fn shape(&self) -> String {
        let unit = db::units(&self.db, self.file).functions[0];
        let text = ir::print::tvmscript(db::body(&self.db, unit), 0);
        let start = text.find("T.Buffer(").expect("a buffer");
        text[start..].split(", \"").next().unwrap_or_default().to_owned()
    }
}

#[test]
fn an_edit_of_an_imported_file_reaches_the_users_of_changed_values_only() {
    let mut world = World::new(&[("/w/k.py", KERNELS), ("/w/sizes.py", SIZES)]);
    assert_eq!(world.shape(), "T.Buffer((32,)");
    // A comment, another name.
    assert!(world.write("/w/sizes.py", Some(&format!("# sizes\n{SIZES}\n# end\n"))));
    assert_eq!(world.lowered(), Vec::<String>::new());
    world.write("/w/sizes.py", Some(&SIZES.replace("M = 32", "M = 64")));
    assert_eq!(world.lowered(), Vec::<String>::new());
    // A value that is used, and the body of a helper.
    world.write("/w/sizes.py", Some(&SIZES.replace("N = 16", "N = 24")));
    assert_eq!(world.lowered(), ["lowered(f)"]);
    assert_eq!(world.shape(), "T.Buffer((48,)");
    world.write("/w/sizes.py", Some(&SIZES.replace("2 * x", "3 * x")));
    assert_eq!(world.lowered(), ["lowered(f)"]);
    assert_eq!(world.shape(), "T.Buffer((48,)");
    // Nobody asked for another file.
    assert!(!world.write("/w/other.py", Some("N = 1\n")));
    assert_eq!(world.lowered(), Vec::<String>::new());
}

#[test]
fn files_that_appear_and_disappear_are_noticed() {
    let mut world = World::new(&[("/w/k.py", KERNELS)]);
    assert_eq!(world.shape(), "T.Buffer((twice(N),)");
    world.write("/w/sizes.py", Some(SIZES));
    assert_eq!(world.lowered(), ["lowered(f)"]);
    assert_eq!(world.shape(), "T.Buffer((32,)");
    // A package comes before a file.
    world.write("/w/sizes/__init__.py", Some(&SIZES.replace("N = 16", "N = 1")));
    assert_eq!(world.shape(), "T.Buffer((2,)");
    world.write("/w/sizes/__init__.py", None);
    assert_eq!(world.shape(), "T.Buffer((32,)");
    world.write("/w/sizes.py", None);
    assert_eq!(world.shape(), "T.Buffer((twice(N),)");
}

#[test]
fn an_open_file_counts_in_the_place_of_the_one_on_disk() {
    let mut world = World::new(&[("/w/k.py", KERNELS), ("/w/sizes.py", SIZES)]);
    let configuration = world.file.configuration(&world.db);
    let content = Content::Tree(syntax::parse(&SIZES.replace("16", "20")));
    let open = world.db.add_file(content, configuration);
    world.db.set_path(open, Some("/w/sizes.py".into()));
    assert_eq!(world.shape(), "T.Buffer((40,)");
    world.db.set_content(open, Content::Tree(syntax::parse(&SIZES.replace("16", "22"))));
    assert_eq!(world.shape(), "T.Buffer((44,)");
    assert!(world.db.has_new_exports(open) && !world.db.has_new_exports(open));
    // On disk nothing counts until it is closed.
    assert!(!world.write("/w/sizes.py", Some(&SIZES.replace("16", "30"))));
    assert_eq!(world.shape(), "T.Buffer((44,)");
    world.db.clear_file(open);
    assert_eq!(world.shape(), "T.Buffer((60,)");
}

#[test]
fn files_that_import_each_other_have_values_or_a_reason() {
    let kernels = KERNELS.replace("import N", "import P as N") + "\nQ = 5\nR = P\n";
    let kernels = kernels.replace("import P as N, twice", "import P as N, twice, P");
    let sizes = "from k import Q, R\nP = Q + 3\nS = R\n\n\ndef twice(x):\n    return 2 * x\n";
    let world = World::new(&[("/w/k.py", &kernels), ("/w/sizes.py", sizes)]);
    assert_eq!(world.shape(), "T.Buffer((16,)");
    let circle = sizes.replace("P = Q + 3", "P = R");
    let world = World::new(&[("/w/k.py", &kernels), ("/w/sizes.py", &circle)]);
    assert_eq!(world.shape(), "T.Buffer((2 * N,)");
}

#[test]
fn an_edit_of_a_body_looks_at_no_other_file() {
    let mut world = World::new(&[("/w/k.py", KERNELS), ("/w/sizes.py", SIZES)]);
    let before = world.disk.read.lock().unwrap().clone();
    assert_eq!(before, ["/w/sizes.py"]);
    let parse = db::parse(&world.db, world.file);
    let at = KERNELS.find("i * 8 + 1] =").expect("the text") as u32 + 4;
    let range = syntax::TextRange::new(at.into(), (at + 1).into());
    let parse = parse.reparse(&syntax::Edit::replace(range, "9")).parse;
    world.db.set_content(world.file, Content::Tree(parse));
    world.db.start_log();
    world.ask();
    let log = world.db.take_log();
    assert!(log.contains(&"lowered(g)".to_owned()) && !log.contains(&"lowered(f)".to_owned()));
    assert!(!log.iter().any(|it| it.starts_with("capture(N") || it == "closed_scopes"), "{log:?}");
    assert_eq!(*world.disk.read.lock().unwrap(), before);
    assert_eq!(db::language(&world.db, world.file), Language::TvmScript);
}
