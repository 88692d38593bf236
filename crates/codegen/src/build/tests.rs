//! The second build, a build after an edit, and a build from an empty store.

use std::{fs, path::PathBuf, sync::Mutex, time::Duration};

use super::*;
use crate::{
    artifact::{
        key::Key,
        manifest::Manifest,
        store::layer::{Fetched, LayerReport},
    },
    reasons,
    test_bodies::{add_dynamic, normalize_rows},
};

/// A project of one file.
struct Project {
    folder: tempfile::TempDir,
}

const TARGETS: [Target; 2] = [Target::Cuda, Target::OpenCl];

/// A function: its name and its body, which is its text.
type Function = (&'static str, ir::Body);

impl Project {
    fn new() -> Project {
        Project { folder: tempfile::tempdir().expect("a folder") }
    }
    fn settings(&self, out: &str) -> Settings {
        Settings {
            // Two languages are enough to see that each has its own files.
            targets: TARGETS.to_vec(),
            store: self.folder.path().join("store"),
            ..Settings::new(self.folder.path().join(out))
        }
    }
    fn build(&self, out: &str, functions: &[Function]) -> BuildReport {
        build(&self.settings(out), &[("models/net.py", "", functions)])
    }
    fn store(&self) -> Store {
        Store::new(self.folder.path().join("store"))
    }
    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).expect(file)
    }
    /// As if the store had never heard of the folder.
    fn forget(&self) {
        fs::remove_dir_all(self.folder.path().join("store/outputs")).expect("notes");
    }
    /// All files of a folder with their bytes.
    fn files(&self, out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let root = self.folder.path().join(out);
        let mut found = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    let path = entry.path().strip_prefix(&root).expect("inside").to_owned();
                    found.insert(path, fs::read(entry.path()).expect("a file"));
                }
            }
        }
        found
    }
}

/// Builds files: name, text besides the functions, functions.
fn build(settings: &Settings, files: &[(&str, &str, &[Function])]) -> BuildReport {
    build_without(settings, files, &[])
}

fn begin(settings: &Settings) -> Build<'_> {
    let folder = OutputFolder::open(settings, &|| {}).expect("a folder");
    Build::new(settings, folder).expect("a build")
}

/// Likewise; outputs of other files are removed.
fn build_without(
    settings: &Settings,
    files: &[(&str, &str, &[Function])],
    gone: &[&str],
) -> BuildReport {
    let build = begin(settings);
    let built = files.iter().map(|(name, rest, functions)| {
        let texts: Vec<String> =
            functions.iter().map(|(_, body)| ir::print::tvmscript(body, 0)).collect();
        let all: Vec<&[u8]> = texts.iter().map(String::as_bytes).chain([rest.as_bytes()]).collect();
        let text = hash_of(&all);
        if let Some(built) = build.known(name, text).expect("a file") {
            return built;
        }
        let function = |((name, body), text): (&Function, &String)| SourceFunction {
            name: (*name).to_owned(),
            text: hash_of(&[text.as_bytes()]),
            first_line: 10,
            name_at: Place { line: 1, column: 5 },
            body: {
                let body = body.clone();
                Box::new(move || {
                    let places = (1..).map(|line| Place { line, column: 9 });
                    let places = body.ops_preorder().zip(places).collect();
                    Ok(SourceBody { body: body.clone(), places })
                })
            },
        };
        let functions: Vec<_> = functions.iter().zip(&texts).map(function).collect();
        build.parsed(name, text, &functions).expect("a file")
    });
    let built = built.collect();
    let gone = gone.iter().map(|it| (*it).to_owned()).collect();
    build.finish(built, &gone).expect("a build")
}

fn statuses(report: &BuildReport) -> Vec<(&str, Status)> {
    let cuda = report.kernels.iter().filter(|it| it.target == Target::Cuda);
    cuda.map(|it| (it.entry(), it.status)).collect()
}

fn two(scale: f64, input: &str) -> Vec<Function> {
    vec![("add", add_dynamic("add", input, scale)), ("normalize", normalize_rows())]
}

#[test]
fn a_second_build_does_nothing() {
    let project = Project::new();
    let first = project.build("out", &two(1.0, "A"));
    assert_eq!(
        statuses(&first),
        [("add_kernel", Status::Built(Why::New)), ("normalize_kernel", Status::Built(Why::New))]
    );
    let targets = TARGETS.len();
    assert_eq!((first.work.lowered, first.work.generated), (2, 2 * targets));
    let before = project.files("out");
    let second = project.build("out", &two(1.0, "A"));
    assert!(second.kernels.iter().all(|it| it.status == Status::Reused && !it.written));
    assert_eq!(second.files[0].how, How::Kept);
    assert_eq!(second.work, Work::default());
    assert_eq!(project.files("out"), before);
}

#[test]
fn a_changed_constant_changes_one_kernel() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let report = project.build("out", &two(2.0, "A"));
    assert_eq!(
        statuses(&report),
        [("add_kernel", Status::Built(Why::BodyChanged)), ("normalize_kernel", Status::Reused)]
    );
    assert_eq!(report.files[0].lowered, ["add"]);
    let written: Vec<_> = report.kernels.iter().filter(|it| it.written).collect();
    assert_eq!(written.len(), TARGETS.len());
    assert_eq!(written[0].output(), "cuda/models/net/add_kernel.cu");
    let before = written[0].key_before.as_ref().expect("another key");
    assert_ne!(before, &written[0].key());
}

#[test]
fn a_renamed_variable_generates_nothing_and_renames_the_output() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let report = project.build("out", &two(1.0, "input"));
    assert_eq!((report.work.lowered, report.work.generated), (1, 0));
    assert!(report.kernels.iter().all(|it| it.status == Status::Reused));
    let text = project.read("out/cuda/models/net/add_kernel.cu");
    assert!(text.contains("const float* __restrict__ input,"), "{text}");
}

#[test]
fn warm_and_cold_output_are_the_same_bytes() {
    let warm = Project::new();
    warm.build("out", &two(3.0, "other"));
    warm.build("out", &two(1.0, "A"));
    warm.build("out", &two(1.0, "input"));
    let cold = Project::new();
    cold.build("out", &two(1.0, "input"));
    assert_eq!(warm.files("out"), cold.files("out"));
}

#[test]
fn text_around_a_function_and_its_place_lower_nothing() {
    let project = Project::new();
    let functions = two(1.0, "A");
    project.build("out", &functions);
    let before = project.files("out");
    let commented =
        build(&project.settings("out"), &[("models/net.py", "# a comment", &functions)]);
    let work = commented.work;
    assert_eq!((work.parsed, work.lowered, work.generated, work.written), (1, 0, 0, 0));
    // The text that was there before is known, and so is the same text in another file and another folder.
    let back = project.build("out", &functions);
    assert_eq!((back.files[0].how, back.work.parsed), (How::Known, 0));
    assert_eq!(project.files("out"), before);
    let files: [(&str, &str, &[Function]); 1] = [("other.py", "", &functions)];
    let other = build(&project.settings("elsewhere"), &files);
    assert_eq!((other.files[0].how, other.work.parsed, other.work.generated), (How::Known, 0, 0));
    assert!(project.read("elsewhere/cuda/other/add_kernel.cu").contains("add_kernel"));
}

#[test]
fn options_are_part_of_the_key_and_the_reason_is_told() {
    let project = Project::new();
    let functions = two(1.0, "A");
    project.build("out", &functions);
    let mut settings = project.settings("out");
    settings.options.contract = true;
    let report = build(&settings, &[("models/net.py", "", &functions)]);
    assert_eq!(statuses(&report)[0].1, Status::Unchanged(Why::OptionsChanged));
    assert_eq!(report.work.lowered, 2);
    let change = &report.changes[0];
    assert_eq!(change.what, "options");
    assert!(
        change.before.contains("\"contract\":false") && change.now.contains("\"contract\":true")
    );
    assert!(project.read("out/opencl/models/net/add_kernel.cl").contains("FP_CONTRACT ON"));
    assert!(project.read("out/cuda/models/net/module.json").contains("--fmad=true"));
}

#[test]
fn another_limit_generates_nothing_and_what_does_not_fit_is_told_with_figures() {
    let project = Project::new();
    let functions = two(1.0, "A");
    project.build("out", &functions);
    let mut settings = project.settings("out");
    let few = TargetOptions { max_threads: Some(512), ..TargetOptions::default() };
    settings.devices.insert(Target::Cuda, few);
    let report = build(&settings, &[("models/net.py", "", &functions)]);
    assert_eq!((report.work.lowered, report.work.generated), (0, 0));
    let told: Vec<_> = report.unsupported.iter().map(|it| (it.place(), &*it.detail)).collect();
    // The launch is the first operation.
    let place = "models/net.py:11:9".to_owned();
    assert_eq!(told, [(place, "a block has 1024 threads; `max-threads` allows 512")]);
    assert!(project.folder.path().join("out/opencl/models/net/add_kernel.cl").exists());
    assert!(!project.folder.path().join("out/cuda/models/net/add_kernel.cu").exists());
    // Without the limit it is there again, from the store.
    assert_eq!(project.build("out", &functions).work.generated, 0);
    assert!(project.folder.path().join("out/cuda/models/net/add_kernel.cu").exists());
}

#[test]
fn a_function_without_a_body_is_told_at_its_place_or_at_its_name() {
    let project = Project::new();
    let settings = project.settings("out");
    let place = |place| SourceFunction {
        name: "f".to_owned(),
        text: hash_of(&[format!("{place:?}").as_bytes()]),
        first_line: 10,
        name_at: Place { line: 1, column: 5 },
        body: Box::new(move || {
            let (reason, detail) = (reasons::HAS_ERRORS, "an error".to_owned());
            Err(Broken { reason, detail, place })
        }),
    };
    let functions = [place(Some(Place { line: 3, column: 7 })), place(None)];
    for _ in 0..2 {
        let build = begin(&settings);
        // The second time from what the store remembers of the text.
        let file = match build.known("f.py", [1; 32]).expect("a file") {
            Some(file) => file,
            None => build.parsed("f.py", [1; 32], &functions).expect("a file"),
        };
        let report = build.finish(vec![file], &BTreeSet::new()).expect("a build");
        let told: Vec<_> = report.unsupported.iter().map(|it| it.place()).collect();
        assert_eq!(told[..2], ["f.py:13:7", "f.py:11:5"]);
        assert_eq!(report.unsupported[0].help(), reasons::HAS_ERRORS.help());
        drop(build);
        project.forget();
    }
}

#[test]
fn another_reader_of_texts_reads_them_again() {
    let project = Project::new();
    let functions = two(1.0, "A");
    project.build("out", &functions);
    let settings = Settings { reader: "2".to_owned(), ..project.settings("out") };
    let report = build(&settings, &[("models/net.py", "", &functions)]);
    // What it reads is the same: the store has the code.
    let work = report.work;
    assert_eq!((work.parsed, work.lowered, work.generated), (1, 2, 0));
    assert_eq!(report.changes[0].what, "generator");
}

#[test]
fn stale_outputs_and_nothing_else_are_removed() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let own = project.folder.path().join("out/cuda/models/net/notes.txt");
    fs::write(&own, "mine").expect("a file of the user");
    let report = project.build("out", &two(1.0, "A")[..1]);
    let removed: Vec<_> = report
        .removed
        .iter()
        .map(|it| it.file_name().expect("a file").to_string_lossy().into_owned())
        .collect();
    assert_eq!(removed[..2], ["normalize_kernel.cu", "normalize_kernel.cl"]);
    assert!(own.exists());
    assert!(project.folder.path().join("out/cuda/models/net/add_kernel.cu").exists());
    // Nothing to build is no reason to remove what was built.
    let report = build(&project.settings("out"), &[]);
    assert_eq!((report.removed.len(), report.pruned.len()), (0, 0));
    let edited = project.folder.path().join("out/opencl/models/net/add_kernel.cl");
    fs::write(&edited, "mine, too").expect("a change");
    let report = build_without(&project.settings("out"), &[], &["models/net.py"]);
    assert_eq!((report.removed.len(), report.pruned.len()), (0, 2 * TARGETS.len() - 1));
    assert!(own.exists() && edited.exists());
}

/// Building each file alone leaves the same folder as building all, whether the store remembers the folder or not.
#[test]
fn parts_that_are_built_one_after_the_other_make_the_whole() {
    let whole = Project::new();
    let (one, two) = (two(1.0, "A"), two(2.0, "A"));
    let all: [(&str, &str, &[Function]); 3] =
        [("a.py", "", &one), ("b.py", "", &two), ("sub/a.py", "", &one[..1])];
    build(&whole.settings("out"), &all);
    for forgets in [false, true] {
        let parts = Project::new();
        for file in [1, 0, 2, 1, 0] {
            let report = build(&parts.settings("out"), &all[file..=file]);
            assert_eq!((report.removed.len(), report.pruned.len()), (0, 0));
            if forgets {
                parts.forget();
            }
        }
        assert_eq!(parts.files("out"), whole.files("out"), "{forgets}");
    }
}

#[test]
fn a_part_that_was_built_with_other_options_is_built_again_with_these() {
    let project = Project::new();
    let (one, two) = (two(1.0, "A"), two(2.0, "A"));
    let files: [(&str, &str, &[Function]); 2] = [("a.py", "", &one), ("b.py", "", &two)];
    let settings = project.settings("out");
    build(&settings, &files);
    let mut fused = settings;
    fused.options.contract = true;
    build(&fused, &files[..1]);
    // `a.py` is of other options than `b.py` now.
    build(&fused, &files);
    let cold = Project::new();
    let mut settings = cold.settings("out");
    settings.options.contract = true;
    build(&settings, &files);
    assert_eq!(project.files("out"), cold.files("out"));
}

#[test]
fn a_manifest_of_somebody_else_is_not_replaced() {
    for text in ["{}", "", "{\"schema\": \"tir-analyzer/kernels\", \"version\": 99}"] {
        let project = Project::new();
        let settings = project.settings("out");
        let path = project.folder.path().join("out/cuda/manifest.json");
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        let folder = OutputFolder::open(&settings, &|| {}).expect("a folder");
        let error = Build::new(&settings, folder).err().expect("an error").to_string();
        assert!(error.contains("move it away, or choose another --out"), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), text);
    }
}

#[test]
fn names_that_differ_in_case_or_in_letters_that_c_lacks_have_outputs_of_their_own() {
    let project = Project::new();
    let names = ["f", "F", "f", "f_2", "größe", "gr__e", "../../up", ""];
    let functions: Vec<Function> = names.map(|it| (it, add_dynamic(it, "A", 1.0))).to_vec();
    let report = build(&project.settings("out"), &[("a.py", "", &functions)]);
    let outputs: BTreeSet<String> =
        report.kernels.iter().map(|it| it.output().to_lowercase()).collect();
    assert_eq!(outputs.len(), names.len() * TARGETS.len());
    let sources = project.files("out");
    let n_sources = sources.keys().filter(|it| it.extension().is_some_and(|it| it == "cu")).count();
    assert_eq!(n_sources, names.len());
}

#[test]
fn files_that_are_not_named_stay() {
    let project = Project::new();
    let (one, two) = (two(1.0, "A"), two(2.0, "A"));
    let settings = project.settings("out");
    build(&settings, &[("a.py", "", &one), ("b.py", "", &one)]);
    let report = build(&settings, &[("b.py", "", &two)]);
    assert_eq!((report.removed.len(), report.files.len()), (0, 1));
    let manifest = Manifest::read(&settings.out.join("cuda")).expect("a manifest");
    assert!(
        manifest.function("a.py", "add").is_some() && manifest.function("b.py", "add").is_some()
    );
    assert_eq!(manifest.aliases.len(), 1);
}

#[test]
fn a_broken_entry_of_the_store_is_rebuilt_and_reported() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let before = project.files("out");
    for path in project.files("store").keys() {
        fs::write(project.folder.path().join("store").join(path), "garbage").expect("a file");
    }
    fs::remove_dir_all(project.folder.path().join("out")).expect("output");
    let report = project.build("out", &two(1.0, "A"));
    // Two functions for each target, and the text.
    assert_eq!(report.work.repaired, 2 * TARGETS.len() + 1);
    assert!(report.kernels.iter().all(|it| it.status == Status::Built(Why::StoreBroken)));
    assert_eq!(project.files("out"), before);
    fs::remove_dir_all(project.folder.path().join("out")).expect("output");
    let report = project.build("out", &two(1.0, "A"));
    assert_eq!((report.work.repaired, report.work.generated, report.work.lowered), (0, 0, 0));
}

#[test]
fn an_output_that_somebody_changed_or_removed_is_made_again() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let before = project.files("out");
    let path = project.folder.path().join("out/cuda/models/net/add_kernel.cu");
    let text = fs::read_to_string(&path).expect("a kernel");
    for harm in ["", &text.replace('+', "-"), &text.to_uppercase()] {
        fs::write(&path, harm).expect("a change");
        let report = project.build("out", &two(1.0, "A"));
        assert_eq!((report.work.generated, report.work.written), (0, 1));
        assert_eq!(project.files("out"), before);
    }
    // Another file of the same size and time takes its place.
    let time = fs::metadata(&path).and_then(|it| it.modified()).expect("a time");
    let other = project.folder.path().join("other");
    fs::write(&other, text.replace('+', "-")).expect("a file");
    let file = fs::File::options().write(true).open(&other).expect("a file");
    file.set_modified(time).expect("a time");
    fs::rename(&other, &path).expect("a change");
    let report = project.build("out", &two(1.0, "A"));
    assert_eq!((report.work.generated, report.work.written), (0, 1));
    assert_eq!(project.files("out"), before);
    fs::remove_file(&path).expect("a kernel");
    project.forget();
    let report = project.build("out", &two(1.0, "A"));
    assert_eq!((report.work.generated, report.work.lowered), (0, 0));
    assert_eq!(project.files("out"), before);
}

#[test]
fn two_builds_at_once_give_what_one_gives() {
    let project = Project::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for scale in 1..5 {
                    project.build("out", &two(f64::from(scale), "A"));
                }
            });
        }
    });
    project.build("out", &two(4.0, "A"));
    let alone = Project::new();
    alone.build("out", &two(4.0, "A"));
    assert_eq!(project.files("out"), alone.files("out"));
}

#[test]
fn equal_functions_are_generated_once_and_listed() {
    let project = Project::new();
    let functions = vec![
        ("main", add_dynamic("main", "A", 1.0)),
        ("other", add_dynamic("other", "input", 1.0)),
        ("third", add_dynamic("third", "A", 2.0)),
    ];
    let settings = Settings { force: true, ..project.settings("out") };
    for settings in [&settings, &project.settings("out")] {
        let report = build(settings, &[("a.py", "", &functions), ("b.py", "", &functions[..1])]);
        assert_eq!(report.aliases.len(), TARGETS.len());
        let names: Vec<_> =
            report.aliases[0].functions.iter().map(|it| (&*it.file, &*it.name)).collect();
        assert_eq!(names, [("a.py", "main"), ("a.py", "other"), ("b.py", "main")]);
        assert_eq!(report.alias_count(), 2 * TARGETS.len());
        if settings.force {
            assert_eq!(report.work.generated, 2 * TARGETS.len());
            let forced = Status::Built(Why::Forced);
            let expected = [
                ("main_kernel", forced),
                ("other_kernel", Status::Alias),
                ("third_kernel", forced),
                ("main_kernel", Status::Alias),
            ];
            assert_eq!(statuses(&report), expected);
        }
    }
    let manifest = Manifest::read(&settings.out.join("cuda")).expect("a manifest");
    assert_eq!(manifest.aliases[0].functions[1].entries, ["other_kernel"]);
}

#[test]
fn functions_of_one_name_have_entries_of_their_own() {
    let project = Project::new();
    let functions =
        vec![("main", add_dynamic("main", "A", 1.0)), ("main", add_dynamic("main", "A", 2.0))];
    let report = project.build("out", &functions);
    let entries: Vec<_> = statuses(&report).into_iter().map(|it| it.0).collect();
    assert_eq!(entries, ["main_kernel", "main_2_kernel"]);
    let collisions = Build::collisions(["a.py", "b.py", "a", "c", "b.py", "c.py", "a.mlir"]);
    assert_eq!(collisions, Build::collisions(["a", "b", "a", "c", "b", "c", "a.mlir"]));
    assert_eq!(collisions[..2], [vec![0, 2], vec![1, 4]]);
    assert!(Build::collisions(["a.py", "a/b.py"]).is_empty());
}

#[test]
fn lines_of_the_output_lead_to_the_text() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let folder = project.folder.path().join("out/cuda");
    let manifest = Manifest::read(&folder).expect("a manifest");
    let kernel = &manifest.functions[0].kernels[0];
    let text = kernel.source(&folder).expect("a source");
    let line = text.lines().position(|it| it.contains("if (")).expect("the guard") + 1;
    // The guard is the third operation of the function, whose first line is line 10 of the file.
    let lines = &kernel.lines;
    assert!(lines.split(' ').any(|it| it == format!("{line}:13")), "{lines}");
}

#[test]
fn a_manifest_tells_files_of_another_build() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let folder = project.folder.path().join("out/cuda");
    let manifest = Manifest::read(&folder).expect("a manifest");
    project.build("new", &two(2.0, "A"));
    let new = project.folder.path().join("new/cuda/models/net");
    fs::copy(new.join("add_kernel.cu"), folder.join("models/net/add_kernel.cu")).expect("a copy");
    let error = manifest.functions[0].kernels[0].source(&folder).expect_err("another build");
    assert!(error.to_string().contains("not of the same build"), "{error}");
    fs::copy(new.join("module.json"), folder.join("models/net/module.json")).expect("a copy");
    assert!(Manifest::read(&folder).is_err());
}

/// The key of the code of each function for CUDA, by its place in the file.
fn keys(report: &BuildReport) -> Vec<String> {
    let cuda = report.kernels.iter().filter(|it| it.target == Target::Cuda);
    cuda.map(|it| it.key()).collect()
}

#[test]
fn keys_depend_on_no_path_name_line_time_or_order() {
    let (first, other) = (Project::new(), Project::new());
    let expected = keys(&first.build("out", &two(1.0, "A")));
    // Another machine, another time: another folder, store, file, names, and text before the functions.
    let renamed = vec![("plus", add_dynamic("plus", "x", 1.0)), ("norm", normalize_rows())];
    let settings = other.settings("elsewhere");
    let report = build(&settings, &[("other/place.py", "# a comment", &renamed)]);
    assert_eq!(keys(&report), expected);
    let mut swapped = two(1.0, "A");
    swapped.reverse();
    let mut found = keys(&other.build("third", &swapped));
    found.reverse();
    assert_eq!(found, expected);
    assert_ne!(keys(&other.build("fourth", &two(2.0, "A"))), expected);
}

/// Describes what a layer of the tests does.
#[derive(Default, Debug)]
struct Shared {
    files: Mutex<BTreeMap<Key, Vec<u8>>>,
    fetches: Mutex<Vec<usize>>,
    refused: AtomicUsize,
}

impl Layer for Shared {
    fn fetch(&self, wanted: &[(Kind, &Action)]) -> Vec<Option<Fetched>> {
        let files = self.files.lock().expect("a lock");
        self.fetches.lock().expect("a lock").push(wanted.len());
        let file = |key| files.get(&key).map(|it| Fetched { file: it.clone(), cost: None });
        wanted.iter().map(|it| file(it.1.key())).collect()
    }
    fn offer(&self, _: Kind, action: &Action, file: Vec<u8>, _: Duration) {
        self.files.lock().expect("a lock").insert(action.key(), file);
    }
    fn refuse(&self, _: Kind, _: &Action) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
    fn finish(&self) -> LayerReport {
        LayerReport { name: "shared".to_owned(), ..LayerReport::default() }
    }
}

/// A build on another machine with this layer; what it did.
fn elsewhere(shared: &Arc<Shared>, functions: &[Function]) -> (Project, BuildReport) {
    let project = Project::new();
    let settings =
        Settings { layer: Some(Arc::clone(shared) as Arc<dyn Layer>), ..project.settings("out") };
    let report = build(&settings, &[("models/net.py", "", functions)]);
    (project, report)
}

#[test]
fn a_second_machine_generates_nothing_and_writes_the_same_bytes() {
    let shared = Arc::new(Shared::default());
    let (first, report) = elsewhere(&shared, &two(1.0, "A"));
    assert_eq!(report.work.generated, 4);
    let (second, report) = elsewhere(&shared, &two(1.0, "A"));
    assert_eq!((report.work.parsed, report.work.generated), (0, 0));
    assert_eq!(report.layer.as_ref().map(|it| (it.hits, it.misses)), Some((5, 0)));
    assert_eq!(second.files("out"), first.files("out"));
    // One constant is another: the text is read, and one function is generated for each target.
    let (_, report) = elsewhere(&shared, &two(2.0, "A"));
    assert_eq!((report.work.parsed, report.work.generated, report.work.found), (1, 2, 2));
    let statistics = second.store().statistics();
    assert_eq!((statistics.layer.hits, statistics.store.hits), (5, 0));
}

#[test]
fn files_that_are_wrong_are_generated_anew() {
    let shared = Arc::new(Shared::default());
    let (first, _) = elsewhere(&shared, &two(1.0, "A"));
    let whole = shared.files.lock().expect("a lock").clone();
    let all: Vec<Key> = whole.keys().copied().collect();
    let damage: [fn(&mut Vec<u8>); 4] = [
        |it| it[70] ^= 1,
        |it| it.truncate(it.len() / 2),
        Vec::clear,
        |it| it.extend_from_slice(b"more"),
    ];
    for wrong in damage {
        *shared.files.lock().expect("a lock") = whole.clone();
        shared.files.lock().expect("a lock").values_mut().for_each(wrong);
        let (second, report) = elsewhere(&shared, &two(1.0, "A"));
        assert_eq!(report.work.generated, 4);
        assert_eq!(second.files("out"), first.files("out"));
    }
    // Each is another's.
    let mixed = all.iter().zip(all.iter().cycle().skip(1)).map(|(a, b)| (*a, whole[b].clone()));
    *shared.files.lock().expect("a lock") = mixed.collect();
    let (second, report) = elsewhere(&shared, &two(1.0, "A"));
    assert_eq!(report.work.generated, 4);
    assert_eq!(second.files("out"), first.files("out"));
    assert_eq!(shared.refused.load(Ordering::Relaxed), 5 * all.len());
}

#[test]
fn what_a_workspace_needs_is_asked_for_in_two_calls() {
    let shared = Arc::new(Shared::default());
    let project = Project::new();
    let settings = |out| Settings {
        layer: Some(Arc::clone(&shared) as Arc<dyn Layer>),
        store: project.folder.path().join(format!("{out}.store")),
        ..project.settings(out)
    };
    let names: Vec<String> = (0..20).map(|it| format!("{it}.py")).collect();
    let scaled: Vec<_> = (0..20).map(|it| two(f64::from(it), "A")).collect();
    let files: Vec<_> = names.iter().zip(&scaled).map(|(a, b)| (a.as_str(), "", &b[..])).collect();
    build(&settings("one"), &files);
    shared.fetches.lock().expect("a lock").clear();
    let settings = settings("two");
    let begun = begin(&settings);
    let text = |functions: &[Function]| {
        let texts: Vec<String> =
            functions.iter().map(|(_, body)| ir::print::tvmscript(body, 0)).collect();
        let all: Vec<&[u8]> = texts.iter().map(String::as_bytes).chain([&b""[..]]).collect();
        hash_of(&all)
    };
    let texts: Vec<_> = files.iter().map(|(name, _, all)| (*name, text(all))).collect();
    begun.prefetch(&texts).expect("writable");
    drop(begun);
    // Texts; then the code of 20 functions and one that all share, for two targets.
    assert_eq!(*shared.fetches.lock().expect("a lock"), [20, 42]);
    let report = build(&settings, &files);
    assert_eq!((report.work.parsed, report.work.generated), (0, 0));
    assert_eq!(shared.fetches.lock().expect("a lock").len(), 2);
}
