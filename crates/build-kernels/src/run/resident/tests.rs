//! Saves in a resident build: the same folder as a build of all leaves, and the same work in any workspace.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use codegen::{
    build::{How, Work},
    manifest::Manifest,
};

/// A workspace with its outputs.
struct Project {
    folder: tempfile::TempDir,
    numbers: AtomicUsize,
}

/// A function that launches threads, and writes a number.
fn function(name: &str, value: &str) -> String {
    format!(
        "@T.prim_func\ndef {name}(A: T.Buffer((64,), \"float32\")):\n    \
         with T.launch_thread(\"threadIdx.x\", 64) as tx:\n        A[tx] = T.float32({value})\n\n"
    )
}

/// All files in a folder and in those inside of it: where each is, and its path from there, in the order of these.
fn files_in(root: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(root).expect("inside").to_owned();
                    found.push((path, name));
                }
            }
        }
    }
    found.sort();
    found
}

const HEAD: &str = "from tvm.script import tirx as T\n";

const FACTORY: &str = "from tvm.script import tirx as T\nfrom sizes import K\n\n\ndef scale(n):\n    \
    @T.prim_func\n    def main(A: T.Buffer((n * K,), \"float32\")):\n        \
    for i in T.thread_binding(n, thread=\"threadIdx.x\"):\n            A[i * K] = T.float32(2.0)\n\n    return main\n";

impl Project {
    fn new(files: usize) -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project { folder, numbers: AtomicUsize::new(0) };
        project.write("sizes.py", "K = 2\n");
        project.write("factory.py", FACTORY);
        project.write("run.py", "from factory import scale\n\nscale(4)\n");
        project.write("user.py", &format!("{HEAD}from sizes import K\n\n{}", function("u", "K")));
        for file in 0..files {
            project.write(
                &format!("k/f{file}.py"),
                &format!("{HEAD}\n{}", function("f", &file.to_string())),
            );
        }
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("kernels")
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    fn settings(&self, out: &str) -> Settings {
        Settings::new(self.folder.path().join(out))
    }

    fn options(&self) -> RunOptions {
        let workspaces = vec![vec![self.root()]];
        RunOptions { jobs: 2, prune: false, instances: Arc::default(), workspaces, shards: None }
    }

    fn inputs(&self) -> Vec<Input> {
        let input = |(path, name): (PathBuf, PathBuf)| {
            let name = name.to_str().expect("a text").replace('\\', "/");
            Input { name, source: InputSource::Path(path), is_only_name: true }
        };
        files_in(&self.root()).into_iter().map(input).collect()
    }

    fn start(&self) -> Resident {
        let (inputs, settings) = (self.inputs(), self.settings("out"));
        let started = Resident::start(&inputs, &settings, &self.options(), &|_| {});
        let (outcome, resident) = started.expect("a build");
        assert_eq!(outcome.failures, []);
        resident.expect("it stays")
    }

    /// The outcome of a save; none if all is to be built.
    fn saved(&self, resident: &mut Resident, paths: &[PathBuf]) -> Option<Outcome> {
        let paths = paths.iter().cloned().collect();
        match resident.reached(&paths, &BTreeSet::new()).expect("readable") {
            Reached::All => None,
            Reached::Some(reached) => resident.build(&reached, &|_| {}).expect("a build"),
        }
    }

    fn outputs(&self, out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = files_in(&self.folder.path().join(out)).into_iter();
        files.map(|(path, name)| (name, fs::read(path).expect("a file"))).collect()
    }

    /// Compares the outputs with those of a build from nothing.
    fn check_outputs(&self, what: &str) {
        let cold = format!("cold{}", self.numbers.fetch_add(1, Ordering::Relaxed));
        super::super::run(&self.inputs(), &self.settings(&cold), &self.options(), &|_| {})
            .expect("a build");
        assert_eq!(self.outputs("out"), self.outputs(&cold), "{what}");
        Manifest::read(&self.folder.path().join("out/cuda")).expect("a true manifest");
    }
}

/// The work of a save in a workspace of so many files.
fn effort(files: usize) -> Vec<(Looks, Work, usize)> {
    let project = Project::new(files);
    // What was written a moment ago is looked at anew: on a slow machine, fewer of many files.
    let rest = || std::thread::sleep(std::time::Duration::from_millis(150));
    rest();
    let mut resident = project.start();
    let mut done = Vec::new();
    for (name, text) in [
        ("k/f3.py", format!("{HEAD}\n{}", function("f", "0.5"))),
        // The same again.
        ("k/f3.py", format!("{HEAD}\n{}", function("f", "0.5"))),
        // A file that two others import, one of them a factory.
        ("sizes.py", "K = 3\n".to_owned()),
        ("run.py", "from factory import scale\n\nscale(4)\nscale(8)\n".to_owned()),
    ] {
        rest();
        let path = project.write(name, &text);
        let outcome = project.saved(&mut resident, &[path]).expect("some files");
        let report = outcome.report;
        done.push((report.looks, report.work, report.files.len()));
        // Its own outputs are no change.
        let outputs: Vec<PathBuf> =
            project.outputs("out").into_keys().filter(|it| it.starts_with("cuda/k/f3")).collect();
        let outputs: Vec<PathBuf> =
            outputs.iter().map(|it| project.folder.path().join("out").join(it)).collect();
        let outputs: BTreeSet<PathBuf> = outputs.into_iter().collect();
        let reached = resident.reached(&outputs, &BTreeSet::new()).expect("readable");
        assert_eq!(reached, Reached::Some(ReachedInputs::default()));
    }
    done
}

#[test]
fn the_work_of_a_save_is_the_same_in_any_workspace() {
    let few = effort(10);
    // What is imported reaches itself, a file that uses it, and a factory; a call reaches its factory.
    assert_eq!(few.iter().map(|it| it.2).collect::<Vec<_>>(), [1, 1, 3, 2]);
    assert!(few.iter().all(|it| it.0.stats + it.0.reads < 60), "{few:?}");
    assert_eq!(few, effort(300));
}

#[test]
fn saves_leave_what_a_build_of_all_would() {
    let project = Project::new(6);
    let mut resident = project.start();
    let steps: &[(&str, &str, String)] = &[
        ("another body", "k/f1.py", format!("{HEAD}{}", function("f", "77"))),
        ("equal to another file's", "k/f1.py", format!("{HEAD}{}", function("g", "2"))),
        ("a third that is equal", "k/f4.py", format!("{HEAD}{}", function("h", "2"))),
        ("equal, with another name", "k/f4.py", format!("{HEAD}{}", function("hh", "2"))),
        ("one less", "k/f2.py", format!("{HEAD}{}", function("f", "22"))),
        ("equal to nothing", "k/f4.py", format!("{HEAD}{}", function("h", "44"))),
        (
            "two that change places",
            "k/f4.py",
            format!("{HEAD}{}{}", function("a", "5"), function("b", "3")),
        ),
        ("changed", "k/f4.py", format!("{HEAD}{}{}", function("b", "3"), function("a", "5"))),
        ("nothing in it", "k/f3.py", "x = 1\n".to_owned()),
        ("something again", "k/f3.py", format!("{HEAD}{}", function("f", "3"))),
        ("broken", "k/f5.py", format!("{HEAD}{}", function("f", "oops("))),
        ("whole", "k/f5.py", format!("{HEAD}{}", function("f", "5"))),
        ("an import", "k/f0.py", format!("{HEAD}from sizes import K\n\n{}", function("f", "K"))),
        ("what is imported", "sizes.py", "K = 4\n".to_owned()),
        ("a call more", "run.py", "from factory import scale\nscale(4)\nscale(16)\n".to_owned()),
        ("other calls", "k/f2.py", "from factory import scale\n\nscale(32)\n".to_owned()),
        ("no call", "run.py", "pass\n".to_owned()),
        ("no call at all", "k/f2.py", "pass\n".to_owned()),
        ("the factory", "factory.py", FACTORY.replace("2.0", "3.0")),
        ("what is imported, again", "sizes.py", "K = 5\n".to_owned()),
    ];
    for (what, name, text) in steps {
        let path = project.write(name, text);
        assert!(project.saved(&mut resident, &[path]).is_some(), "{what}: all was to be built");
        project.check_outputs(what);
    }
    // Several at once.
    let paths = [0, 1, 2]
        .map(|it| project.write(&format!("k/f{it}.py"), &format!("{HEAD}{}", function("f", "1"))));
    assert!(project.saved(&mut resident, &paths).is_some());
    project.check_outputs("several");
    // The notes are those of a build of all.
    resident.note().expect("writable");
    assert!(!resident.has_news());
    let settings = project.settings("out");
    let again = super::super::run(&project.inputs(), &settings, &project.options(), &|_| {});
    let report = again.expect("a build").report;
    assert_eq!((report.work.written, report.work.generated), (0, 0));
    assert!(
        report.files.iter().all(|it| it.how == How::Kept || it.how == How::Known),
        "{report:?}"
    );
}

#[test]
fn without_its_notes_the_next_process_finds_what_is_there() {
    let project = Project::new(4);
    let mut resident = project.start();
    let path = project.write("k/f1.py", &format!("{HEAD}{}", function("f", "77")));
    project.saved(&mut resident, &[path]).expect("some files");
    // As if it was killed.
    drop(resident);
    let settings = project.settings("out");
    let again = super::super::run(&project.inputs(), &settings, &project.options(), &|_| {});
    assert_eq!(again.expect("a build").report.work.written, 0);
    project.check_outputs("after a kill");
}

#[test]
fn outputs_that_somebody_changes_or_removes_are_made_again() {
    let project = Project::new(4);
    let mut resident = project.start();
    let outputs = project.outputs("out");
    let at = |name: &str| project.folder.path().join("out/cuda").join(name);
    let check = |resident: &mut Resident, path: &Path, files: usize| {
        let outcome = project.saved(resident, &[path.to_owned()]).expect("some files");
        assert_eq!((outcome.report.files.len(), outcome.report.work.generated), (files, 0));
        assert_eq!(project.outputs("out"), outputs);
    };
    let source = at("k/f1/f_kernel.cu");
    fs::write(&source, "garbage").expect("a file");
    check(&mut resident, &source, 1);
    fs::remove_file(&source).expect("a file");
    check(&mut resident, &source, 1);
    fs::remove_file(at("k/f2/module.json")).expect("a file");
    check(&mut resident, &at("k/f2/module.json"), 1);
    // Nothing changed; and something that is nobody's.
    check(&mut resident, &source, 0);
    fs::write(at("k/note.txt"), "").expect("a file");
    assert_eq!(project.saved(&mut resident, &[at("k/note.txt")]).expect("none").report.files, []);
    fs::remove_file(at("k/note.txt")).expect("a file");
    // More than a file is gone.
    for gone in ["k", ""] {
        fs::rename(at(gone), project.folder.path().join("elsewhere")).expect("a folder");
        assert!(project.saved(&mut resident, &[at(gone)]).is_none(), "{gone}");
        fs::rename(project.folder.path().join("elsewhere"), at(gone)).expect("a folder");
    }
    fs::write(at("manifest.json"), "{}").expect("a file");
    assert!(project.saved(&mut resident, &[at("manifest.json")]).is_none());
}

#[test]
fn what_concerns_more_files_is_told() {
    let project = Project::new(3);
    let mut resident = project.start();
    let is_all = |resident: &mut Resident, path: PathBuf| {
        let paths = BTreeSet::from([path]);
        resident.reached(&paths, &BTreeSet::new()).expect("readable") == Reached::All
    };
    let at = |name: &str| project.root().join(name);
    // Files of editors, and of other programs.
    for name in ["k/.f1.py.swp", "k/.#f1.py", "k/f1.py~", "k/4913", "k/notes.txt", ".git"] {
        assert!(!is_all(&mut resident, at(name)), "{name}");
    }
    fs::write(at("k/notes.txt"), "").expect("a file");
    assert!(!is_all(&mut resident, at("k/notes.txt")));
    // It may be imported.
    let new = project.write("k/new.py", "");
    assert!(is_all(&mut resident, new.clone()));
    let passed = BTreeSet::from([new.clone()]);
    let paths = BTreeSet::from([new.clone()]);
    let none = Reached::Some(ReachedInputs::default());
    assert_eq!(resident.reached(&paths, &passed).expect("readable"), none);
    fs::remove_file(&new).expect("a file");
    assert_eq!(resident.reached(&paths, &passed).expect("readable"), Reached::All);
    fs::create_dir(at("folder")).expect("a folder");
    assert!(is_all(&mut resident, at("folder")));
    // A file that is saved by another that takes its place.
    fs::write(at("k/temporary"), format!("{HEAD}{}", function("f", "9"))).expect("a file");
    fs::rename(at("k/temporary"), at("k/f1.py")).expect("a file");
    let outcome = project.saved(&mut resident, &[at("k/temporary"), at("k/f1.py")]);
    assert_eq!(outcome.expect("one file").report.work.generated, 1);
    fs::remove_file(at("k/f1.py")).expect("a file");
    assert!(is_all(&mut resident, at("k/f1.py")));
    fs::remove_dir_all(at("k")).expect("a folder");
    assert!(is_all(&mut resident, at("k")));
}

#[test]
fn somebody_elses_build_is_noticed() {
    let project = Project::new(3);
    let mut resident = project.start();
    let path = project.write("k/f2.py", &format!("{HEAD}{}", function("f", "8")));
    project.saved(&mut resident, &[path]).expect("some files");
    let path = project.write("k/f1.py", &format!("{HEAD}{}", function("f", "9")));
    super::super::run(&project.inputs(), &project.settings("out"), &project.options(), &|_| {})
        .expect("a build");
    assert!(resident.has_news());
    assert!(project.saved(&mut resident, std::slice::from_ref(&path)).is_none());
    // It does not write over what the other noted.
    let before = project.outputs("out.store");
    resident.note().expect("writable");
    assert_eq!(project.outputs("out.store"), before);
    assert!(!resident.has_news());
}

#[cfg(unix)]
#[test]
fn files_with_several_names_are_built_under_each() {
    use std::os::unix::fs::symlink;
    let project = Project::new(3);
    let at = |name: &str| project.root().join(name);
    symlink(at("k/f1.py"), at("k/link.py")).expect("a link");
    fs::hard_link(at("k/f2.py"), at("k/hard.py")).expect("a link");
    let mut resident = project.start();
    for name in ["k/f1.py", "k/f2.py"] {
        let path = project.write(name, &format!("{HEAD}{}", function("f", "9.5")));
        assert!(project.saved(&mut resident, &[path]).is_some());
        project.check_outputs(name);
    }
}
