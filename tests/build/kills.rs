//! A build that is killed at any moment leaves a store that is whole and no wrong kernel, and builds at once do.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use test_utils::Rng;
use tests::kernels;

use crate::project::Project;

const FILES: usize = 4;
const SIZE: usize = 3;
const VERSIONS: usize = 4;
const KILLS: usize = 200;
const BUILD: &str =
    "build kernels --target cuda,opencl --out out --store store --jobs 2 --format json";

fn text(file: usize, version: usize) -> String {
    kernels::module(kernels::numbers(file, SIZE).map(|it| (it, version)))
}

/// The folder of a file's output.
fn folder(target: &str, file: usize) -> PathBuf {
    let name = kernels::file_name(file);
    PathBuf::from(target).join(name.trim_end_matches(".py"))
}

/// Returns the outputs of a build from nothing for each version of all files.
fn expected() -> Vec<BTreeMap<PathBuf, Vec<u8>>> {
    let version = |version| {
        let project = Project::new();
        (0..FILES).for_each(|it| project.write(&kernels::file_name(it), &text(it, version)));
        project.json(BUILD);
        project.outputs("out")
    };
    (0..VERSIONS).map(version).collect()
}

/// Every source is a whole one of a version that was there; and manifests that fit their sources are of one version.
fn check_output(project: &Project, expected: &[BTreeMap<PathBuf, Vec<u8>>], seen: &[Vec<usize>]) {
    let outputs = project.outputs("out");
    for (path, bytes) in &outputs {
        if path.ends_with("manifest.json") {
            let text = std::str::from_utf8(bytes).expect("text");
            serde_json::from_str::<Value>(text).expect("a whole manifest");
            continue;
        }
        let file = (0..FILES)
            .find(|it| {
                ["cuda", "opencl"].iter().any(|target| path.starts_with(folder(target, *it)))
            })
            .unwrap_or_else(|| panic!("nobody writes {}", path.display()));
        let is_whole = seen[file].iter().any(|it| expected[*it].get(path) == Some(bytes));
        assert!(is_whole, "{} is of no version", path.display());
    }
}

#[test]
fn kills_at_any_moment_leave_a_whole_store_and_no_wrong_kernel() {
    let expected = expected();
    let project = Project::new();
    let mut now = [0; FILES];
    (0..FILES).for_each(|it| project.write(&kernels::file_name(it), &text(it, 0)));
    let started = Instant::now();
    project.json(BUILD);
    // As long as a build takes here, about: what ends before it is killed makes it shorter, what is killed longer.
    let mut longest = started.elapsed().as_micros() as usize;
    let mut rng = Rng::new(20);
    let mut killed = 0;
    for round in 0.. {
        if killed == KILLS {
            break;
        }
        assert!(round < 10 * KILLS, "only {killed} builds were killed in time");
        // The versions whose output may be there: that of the last whole build, and those since.
        let mut seen: Vec<Vec<usize>> = (0..FILES).map(|_| (0..VERSIONS).collect()).collect();
        let file = rng.below(FILES);
        now[file] = rng.below(VERSIONS);
        project.write(&kernels::file_name(file), &text(file, now[file]));
        if rng.one_in(4) {
            // From an empty store, or from an empty output.
            let gone = if rng.one_in(2) { "store" } else { "out" };
            let _ = fs::remove_dir_all(project.path().join(gone));
        }
        let mut child = project.command(BUILD).spawn().expect("the program runs");
        thread::sleep(Duration::from_micros(rng.below(longest) as u64));
        child.kill().expect("a kill");
        let is_killed = !child.wait().expect("an end").success();
        killed += usize::from(is_killed);
        longest = if is_killed { longest * 21 / 20 } else { longest * 9 / 10 }.max(100);
        // A kill may come before there is a store: one that is named and not there is an error.
        if ["kernels", "texts"].iter().any(|it| project.path().join("store").join(it).exists()) {
            let verified = project.run("cache verify --store store");
            assert!(verified.status.success(), "round {round}: {verified:?}");
        }
        check_output(&project, &expected, &seen);
        if round % 10 == 9 {
            let report = project.json(BUILD);
            assert_eq!(report["work"]["repaired"], 0);
            (0..FILES).for_each(|it| seen[it] = vec![now[it]]);
            check_output(&project, &expected, &seen);
            assert_eq!(project.outputs("out").len(), expected[0].len());
        }
    }
    let warm = project.json(BUILD);
    assert_eq!(warm["failures"], Value::Array(Vec::new()));
    let outputs = project.outputs("out");
    project.json(&BUILD.replace("out out", "out cold").replace("store store", "store fresh"));
    assert_eq!(outputs, project.outputs("cold"));
}

#[test]
fn two_processes_share_a_store() {
    let expected = expected();
    let project = Project::new();
    for (version, expected) in expected.iter().enumerate() {
        (0..FILES).for_each(|it| project.write(&kernels::file_name(it), &text(it, version)));
        let build = |out: &str| project.command(&BUILD.replace("out out", &format!("out {out}")));
        let outs = ["one", "two", "three"];
        let children: Vec<_> =
            outs.iter().map(|out| build(out).spawn().expect("the program runs")).collect();
        for child in children {
            let output = child.wait_with_output().expect("an end");
            assert!(output.status.success(), "{output:?}");
            let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(report["work"]["repaired"], 0);
        }
        for out in outs {
            assert_eq!(&project.outputs(out), expected, "{out}");
        }
        assert!(project.run("cache verify --store store").status.success());
        // Between them they stored each kernel once.
        let stat = project.json("cache stat --store store --format json");
        assert_eq!(stat["kernels"]["entries"], 2 * FILES * SIZE * (version + 1));
    }
}
