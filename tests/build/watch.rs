//! `build --watch`: the rebuild after a save, its messages, and its end.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Command},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use tests::kernels;

use crate::project::Project;

/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(project: &Project, words: &str) -> Watching {
        let mut child = project.command(words).spawn().expect("the program runs");
        let lines = lines(child.stdout.take().expect("its output"));
        Watching { child, lines }
    }

    /// All lines up to one that begins like this.
    fn until(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            lines.push(line.unwrap_or_else(|_| panic!("no `{beginning}` after {lines:?}")));
            if lines.last().is_some_and(|it| it.starts_with(beginning)) {
                return lines;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|it| sender.send(it))
    });
    lines
}

#[test]
fn a_save_builds_what_it_reaches_and_an_interrupt_ends_it() {
    let project = Project::new();
    project.write("a.py", &kernels::module([(1, 0), (2, 0)]));
    // The output lies in the folder that is watched.
    let mut watching = Watching::start(&project, "build . --out kernels/out --watch");
    let first = watching.until("watching").join("\n");
    assert!(first.contains("2 kernels: 2 built"), "{first}");

    project.write("a.py", &kernels::module([(1, 0), (2, 1)]));
    let edited = watching.until("in ").join("\n");
    assert!(edited.contains("a.py was saved"), "{edited}");
    assert!(edited.contains("kernel_2_kernel.cu (the function changed)"), "{edited}");
    assert!(edited.contains("1 built, 1 reused"), "{edited}");

    project.write("new/b.py", &kernels::module([(3, 0)]));
    let added = watching.until("in ").join("\n");
    assert!(added.contains("kernel_3_kernel.cu (new)"), "{added}");

    // An output that somebody changes is made again, also where nothing of the sources changed.
    let output = project.kernels().join("out/cuda/kernels/new/b/kernel_3_kernel.cu");
    let text = std::fs::read(&output).expect("an output");
    std::fs::write(&output, "garbage").expect("an output");
    let healed = watching.until("in ").join("\n");
    assert!(healed.contains("renamed   cuda/kernels/new/b/kernel_3_kernel.cu"), "{healed}");
    assert_eq!(std::fs::read(&output).expect("an output"), text);

    let broken = project.kernels().join("new");
    std::fs::remove_dir_all(broken).expect("a folder");
    let gone = watching.until("in ").join("\n");
    assert!(gone.contains("outputs of 1 file that are gone stay"), "{gone}");
    assert!(project.outputs("kernels/out").keys().any(|it| it.ends_with("kernel_3_kernel.cu")));

    #[cfg(unix)]
    {
        let id = watching.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
        assert_eq!(watching.child.wait().expect("an end").code(), Some(130));
        assert!(project.run("cache verify --store kernels/out.store").status.success());
    }
    #[cfg(not(unix))]
    let _ = Command::new("true");
}

/// The calls of the system by which a process reads and writes; none where that is not told.
fn calls(process: u32) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    let of =
        |name: &str| text.lines().find_map(|it| it.strip_prefix(name)?.trim().parse::<u64>().ok());
    Some((of("syscr:")?, of("syscw:")?))
}

/// The work of a save in a workspace of so many files, and calls of the system for reading and writing.
fn effort(files: usize) -> (serde_json::Value, Option<(u64, u64)>) {
    let project = Project::new();
    kernels::write(&project.kernels(), files, 1).expect("a workspace");
    let watching = Watching::start(&project, "build kernels --out out --watch --format json");
    watching.until("{");
    let edit = |round: usize| kernels::edit(&project.kernels(), 3, 1, round).expect("an edit");
    // The first one reads what is read once.
    edit(1);
    watching.until("{");
    thread::sleep(Duration::from_secs(1));
    let before = calls(watching.child.id());
    edit(2);
    let line = watching.until("{").pop().expect("a line");
    let after = calls(watching.child.id());
    let mut report: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(
        report["untouched"],
        serde_json::json!({ "files": files - 1, "kernels": files - 1 })
    );
    let done = serde_json::json!([
        report["looks"].take(),
        report["work"].take(),
        report["files"].as_array().map(Vec::len),
        report["kernels"].as_array().map(Vec::len),
    ]);
    (done, before.zip(after).map(|(before, after)| (after.0 - before.0, after.1 - before.1)))
}

#[test]
fn a_save_costs_the_same_in_any_workspace() {
    let (few, calls_of_few) = effort(10);
    let (many, calls_of_many) = effort(1000);
    assert_eq!(few, many);
    assert_eq!(few[1]["parsed"], 1);
    // Messages about other files come when they come.
    if let (Some(few), Some(many)) = (calls_of_few, calls_of_many) {
        assert!(many.0 < few.0 + 40 && many.1 < few.1 + 40, "{few:?} {many:?}");
    }
}

#[test]
fn what_a_watching_build_leaves_is_what_a_build_would_leave() {
    let project = Project::new();
    kernels::write(&project.kernels(), 20, 2).expect("a workspace");
    let watching = Watching::start(&project, "build kernels --out out --watch");
    watching.until("watching");
    for round in 0..6 {
        kernels::edit(&project.kernels(), 3 * round, 2, round).expect("an edit");
        watching.until("in ");
        if round == 3 {
            std::fs::remove_file(project.kernels().join(kernels::file_name(2))).expect("a file");
            watching.until("in ");
            kernels::edit(&project.kernels(), 2, 2, 0).expect("a file");
            watching.until("in ");
        }
    }
    // The manifest is true at once. The notes come later, and at a kill are those of before.
    let cold = |out: &str| {
        let report = project.json(&format!("build kernels --out {out} --format json"));
        (report["work"]["written"].clone(), project.outputs(out))
    };
    let built = project.outputs("out");
    drop(watching);
    assert_eq!(built, cold("other").1);
    let (written, after) = cold("out");
    assert_eq!((written, after), (serde_json::json!(0), built));
}
