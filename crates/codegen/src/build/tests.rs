//! What a build does a second time, after an edit, and from an empty store.

use std::cell::Cell;

use super::*;
use crate::test_bodies::{add_dynamic, normalize_rows};

/// A project of one file.
struct Project {
    folder: tempfile::TempDir,
}

/// A function: name, its text's hash, its body.
type Function = (&'static str, Option<u8>, ir::Body);

impl Project {
    fn new() -> Project {
        Project { folder: tempfile::tempdir().expect("a folder") }
    }
    fn request<'a>(
        &self,
        out: &str,
        functions: &'a [Function],
        lowered: &'a Cell<usize>,
    ) -> BuildRequest<'a> {
        BuildRequest {
            functions: functions
                .iter()
                .map(|(name, text, body)| SourceFunction {
                    file: "models/net.py".to_owned(),
                    name: (*name).to_owned(),
                    text: text.map(|it| [it; 32]),
                    first_line: 10,
                    body: Box::new(|| {
                        lowered.set(lowered.get() + 1);
                        let lines = body.ops_preorder().zip(1..).collect();
                        Ok(SourceBody { body: body.clone(), lines })
                    }),
                })
                .collect(),
            // Two languages are enough to see that each has its own files.
            targets: vec![Target::Cuda, Target::OpenCl],
            out: self.folder.path().join(out),
            store: self.folder.path().join("store"),
            options: Options::default(),
            force: false,
            progress: &|_| {},
        }
    }
    fn build(&self, out: &str, functions: &[Function]) -> (BuildReport, usize) {
        let lowered = Cell::new(0);
        let report = build(&self.request(out, functions, &lowered)).expect("a build");
        (report, lowered.get())
    }
    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).expect(file)
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

fn statuses(report: &BuildReport) -> Vec<(&str, Status)> {
    let cuda = report.kernels.iter().filter(|it| it.target == Target::Cuda);
    cuda.map(|it| (it.entry.as_str(), it.status)).collect()
}

fn two(scale: f64, input: &str) -> Vec<Function> {
    vec![("add", None, add_dynamic("add", input, scale)), ("normalize", None, normalize_rows())]
}

#[test]
fn a_second_build_rebuilds_nothing_and_writes_nothing() {
    let project = Project::new();
    let (first, _) = project.build("out", &two(1.0, "A"));
    assert_eq!(
        statuses(&first),
        [("add_kernel", Status::Built(Why::New)), ("normalize_kernel", Status::Built(Why::New))]
    );
    let before = project.files("out");
    let (second, _) = project.build("out", &two(1.0, "A"));
    assert!(second.kernels.iter().all(|it| it.status == Status::Reused && !it.written));
    assert_eq!(second.generated, 0);
    assert_eq!(project.files("out"), before);
}

#[test]
fn a_changed_constant_changes_one_file() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let (report, _) = project.build("out", &two(2.0, "A"));
    assert_eq!(
        statuses(&report),
        [("add_kernel", Status::Built(Why::BodyChanged)), ("normalize_kernel", Status::Reused)]
    );
    let written: Vec<_> =
        report.kernels.iter().filter(|it| it.written).map(|it| &it.output).collect();
    assert_eq!(written, ["cuda/models/net/add_kernel.cu", "opencl/models/net/add_kernel.cl"]);
}

#[test]
fn a_renamed_variable_generates_nothing_and_renames_the_output() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let (report, _) = project.build("out", &two(1.0, "input"));
    assert_eq!(report.generated, 0);
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
fn a_text_that_did_not_change_is_not_lowered() {
    let project = Project::new();
    let functions = vec![("add", Some(1), add_dynamic("add", "A", 1.0))];
    let (_, lowered) = project.build("out", &functions);
    // Once for both targets.
    assert_eq!(lowered, 1);
    let before = project.files("out");
    let (report, lowered) = project.build("out", &functions);
    assert_eq!((lowered, report.lowered, report.generated), (0, 0, 0));
    assert_eq!(project.files("out"), before);
    // Another text of the same structure, with other names.
    let renamed = vec![("add", Some(2), add_dynamic("add", "X", 1.0))];
    let (report, lowered) = project.build("out", &renamed);
    assert_eq!((lowered, report.generated), (1, 0));
    assert!(project.read("out/cuda/models/net/add_kernel.cu").contains("restrict__ X,"));
}

#[test]
fn options_are_part_of_the_key() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let functions = two(1.0, "A");
    let lowered = Cell::new(0);
    let mut request = project.request("out", &functions, &lowered);
    request.options.contract = true;
    let report = build(&request).expect("a build");
    assert_eq!(statuses(&report)[0].1, Status::Unchanged(Why::OptionsChanged));
    assert!(project.read("out/opencl/models/net/add_kernel.cl").contains("FP_CONTRACT ON"));
    assert!(project.read("out/cuda/manifest.json").contains("--fmad=true"));
}

#[test]
fn what_no_longer_belongs_is_removed_and_nothing_else() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let own = project.folder.path().join("out/cuda/models/net/notes.txt");
    fs::write(&own, "mine").expect("a file of the user");
    let (report, _) = project.build("out", &two(1.0, "A")[..1]);
    let removed: Vec<_> = report
        .removed
        .iter()
        .map(|it| it.file_name().expect("a file").to_string_lossy().into_owned())
        .collect();
    assert_eq!(removed, ["normalize_kernel.cu", "normalize_kernel.cl"]);
    assert!(own.exists());
    assert!(project.folder.path().join("out/cuda/models/net/add_kernel.cu").exists());
}

#[test]
fn a_broken_entry_of_the_store_is_rebuilt_and_reported() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let before = project.files("out");
    for path in project.files("store").keys() {
        fs::write(project.folder.path().join("store").join(path), "garbage").expect("a file");
    }
    let (report, _) = project.build("out", &two(1.0, "A"));
    assert_eq!(report.repaired, 4);
    assert!(report.kernels.iter().all(|it| it.status == Status::Unchanged(Why::StoreLost)));
    assert_eq!(project.files("out"), before);
    let (report, _) = project.build("out", &two(1.0, "A"));
    assert_eq!((report.repaired, report.generated), (0, 0));
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
    let alone = Project::new();
    alone.build("out", &two(4.0, "A"));
    assert_eq!(project.files("out"), alone.files("out"));
}

#[test]
fn functions_of_one_name_have_entries_of_their_own() {
    let project = Project::new();
    let functions = vec![
        ("main", None, add_dynamic("main", "A", 1.0)),
        ("main", None, add_dynamic("main", "A", 2.0)),
    ];
    let (report, _) = project.build("out", &functions);
    let entries: Vec<_> = report.kernels.iter().map(|it| it.entry.as_str()).collect();
    assert_eq!(entries, ["main_kernel", "main_2_kernel", "main_kernel", "main_2_kernel"]);
}

#[test]
fn lines_of_the_output_lead_to_the_text() {
    let project = Project::new();
    project.build("out", &two(1.0, "A"));
    let manifest =
        Manifest::from_json(&project.read("out/cuda/manifest.json")).expect("a manifest");
    let text = project.read("out/cuda/models/net/add_kernel.cu");
    let line = text.lines().position(|it| it.contains("if (")).expect("the guard") + 1;
    // The guard is the third operation of the function, whose first line is line 10 of the file.
    let lines = &manifest.functions[0].kernels[0].lines;
    assert!(lines.split(' ').any(|it| it == format!("{line}:13")), "{lines}");
}
