//! Output folders with the work of other builds, of other people, and of builds that go on at the same time.

use std::{
    collections::BTreeMap, fs, os::unix::fs::symlink, path::PathBuf, thread, time::Duration,
};

use serde_json::Value;
use test_utils::Rng;

use super::{Here, said};

/// Each file of a folder of kernels.
const FILES: [&str; 4] = ["a.py", "b.py", "sub/a.py", "sub/deep/c.py"];

fn here() -> Here {
    let here = Here::new();
    here.write("ws/tir-analyzer.toml", "");
    for (number, file) in FILES.iter().enumerate() {
        here.kernel(&format!("ws/k/{file}"), number);
    }
    here
}

/// The files that the manifest of a target lists; all that it lists is there.
#[track_caller]
fn listed(here: &Here, folder: &str) -> Vec<String> {
    let manifest: Value =
        serde_json::from_str(&here.read(&format!("{folder}/manifest.json"))).expect("JSON");
    let modules = manifest["modules"].as_array().expect("modules").iter();
    let name = |it: &Value| {
        let module = here.read(&format!("{folder}/{}", it["manifest"].as_str().expect("a path")));
        let module: Value = serde_json::from_str(&module).expect("JSON");
        for kernel in module["functions"].as_array().expect("functions") {
            for kernel in kernel["kernels"].as_array().expect("kernels") {
                here.read(&format!("{folder}/{}", kernel["file"].as_str().expect("a path")));
            }
        }
        it["file"].as_str().expect("a name").to_owned()
    };
    modules.map(name).collect()
}

fn all() -> Vec<String> {
    FILES.iter().map(|it| format!("k/{it}")).collect()
}

#[test]
fn parts_add_to_the_whole_whatever_is_named() {
    let here = here();
    here.ok("build ws/k --out out");
    let whole = here.files("out");
    assert_eq!(listed(&here, "out/cuda"), all());
    for part in
        ["ws/k/b.py", "ws/k/sub", "ws/k/sub/deep/c.py ws/k/a.py", "ws", "ws/k/../k/a.py", "./ws"]
    {
        here.ok(&format!("build {part} --out out"));
        assert_eq!(here.files("out"), whole, "{part}");
    }
    // Part by part into an empty folder.
    for part in FILES {
        here.ok(&format!("build ws/k/{part} --out parts"));
    }
    assert_eq!(here.files("parts"), whole);
    // From within the workspace, and by a link to it.
    symlink("ws/k", here.at("link")).expect("a link");
    here.ok("build link/a.py --out out");
    assert_eq!(here.files("out"), whole);
    // Without what the store knows, too.
    fs::remove_dir_all(here.at("out.store")).expect("a store");
    here.ok("build ws/k/a.py --out out");
    assert_eq!(here.files("out"), whole);
}

#[test]
fn targets_stay_beside_each_other() {
    let here = here();
    here.ok("build ws --out out --target cuda,opencl");
    here.ok("build ws/k/a.py --out out --target c");
    here.ok("build ws/k/a.py --out out --target opencl --prune");
    assert_eq!((listed(&here, "out/cuda"), listed(&here, "out/opencl")), (all(), all()));
}

#[test]
fn nothing_but_outputs_lies_in_the_output_folder() {
    let here = here();
    here.ok("build ws --out out --target cuda,c");
    for (path, _) in here.files("out") {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let is_output =
            ["cu", "c", "json"].iter().any(|it| path.extension().is_some_and(|e| e == *it));
        assert!(is_output && !name.starts_with('.'), "{}", path.display());
    }
    assert!(
        here.refused("build ws --out out --store out/store").contains("choose another --store")
    );
    assert!(here.refused("build ws --out out --store out").contains("choose another --store"));
}

#[test]
fn an_output_folder_of_an_earlier_version_is_taken_over() {
    let here = here();
    here.ok("build ws --out out");
    let whole = here.files("out");
    fs::rename(here.at("out.store"), here.at("out/.store")).expect("a store");
    here.ok("build ws/k/a.py --out out");
    assert_eq!(here.files("out"), whole);
    let again = here.ok("build ws --out out");
    assert!(again.contains("4 reused"), "{again}");
}

#[test]
fn outputs_without_a_source_stay_until_pruned() {
    let here = here();
    here.ok("build ws --out out");
    here.write("out/cuda/k/sub/a/notes.txt", "mine");
    here.write("out/cuda/k/b/kernel_1_kernel.cu", "mine, too");
    fs::remove_dir_all(here.at("ws/k/sub")).expect("a folder");
    fs::rename(here.at("ws/k/b.py"), here.at("ws/k/renamed.py")).expect("a file");
    let said = here.ok("build ws --out out");
    assert!(said.contains("outputs of 3 files that are gone stay; --prune removes them"), "{said}");
    assert_eq!(listed(&here, "out/cuda").len(), 5);
    // A name that was mistyped removes nothing, also with --prune.
    here.refused("build wss --out out --prune");
    here.refused("build ws wss --out out --prune");
    assert_eq!(listed(&here, "out/cuda").len(), 5);
    let said = here.ok("build ws --out out --prune");
    assert_eq!(said.lines().filter(|it| it.starts_with("pruned: ")).count(), 1, "{said}");
    assert_eq!(listed(&here, "out/cuda"), ["k/a.py", "k/renamed.py"]);
    // What is not as it was written is somebody's.
    assert_eq!(here.read("out/cuda/k/sub/a/notes.txt"), "mine");
    assert_eq!(here.read("out/cuda/k/b/kernel_1_kernel.cu"), "mine, too");
    assert!(!here.at("out/cuda/k/sub/deep").exists());
}

#[test]
fn outputs_of_a_moved_file_stay_until_pruned() {
    let here = here();
    here.ok("build ws --out out");
    let whole = here.files("out");
    // A workspace within, and none again: the file is the same, its place is not.
    here.write("ws/k/sub/tir-analyzer.toml", "");
    let said = here.ok("build ws --out out");
    assert!(said.contains("2 files that are gone stay"), "{said}");
    let said = here.ok("build ws --out out --prune");
    assert!(said.contains(" of 2 files that are gone"), "{said}");
    assert_eq!(listed(&here, "out/cuda").len(), all().len());
    fs::remove_file(here.at("ws/k/sub/tir-analyzer.toml")).expect("a file");
    here.ok("build ws --out out");
    here.ok("build ws --out out --prune");
    assert_eq!(here.files("out"), whole);
    // Where the arguments decide, each of the places may be wanted.
    here.kernel("loose/deep/x.py", 7);
    here.ok("build loose --out two");
    here.ok("build loose/deep --out two --prune");
    assert_eq!(listed(&here, "two/cuda"), ["deep/x.py", "x.py"]);
}

#[test]
fn workspaces_share_an_output_folder() {
    let here = here();
    here.write("other/tir-analyzer.toml", "");
    here.kernel("other/k/a.py", 7);
    here.kernel("other/k/own.py", 8);
    here.ok("build ws --out out");
    let before = here.files("out");
    let told = here.refused("build other --out out --prune");
    assert!(
        told.contains("would take the place of those of") && told.contains("ws/k/a.py"),
        "{told}"
    );
    let after = here.files("out");
    assert!(
        before.iter().all(|it| it.0.ends_with("manifest.json") || after.get(it.0) == Some(it.1))
    );
    assert_eq!(listed(&here, "out/cuda").len(), 5);
    here.ok("build ws --out out --prune");
    assert_eq!(listed(&here, "out/cuda").len(), 5);
}

#[test]
fn an_output_folder_inside_the_sources_is_no_source() {
    let here = here();
    here.ok("build ws --out ws/k/out --target c,cuda");
    let before = here.files("ws/k/out");
    let again = here.ok("build ws --out ws/k/out --target c,cuda");
    assert!(again.contains("8 kernels: 0 built"), "{again}");
    assert_eq!(here.files("ws/k/out"), before);
    // The sources themselves, and a folder where each target's folder is.
    here.ok("build ws/k --out ws/k --target cuda");
    assert_eq!(listed(&here, "ws/k/cuda"), all());
    assert!(FILES.iter().all(|it| here.at("ws/k").join(it).is_file()));
}

#[test]
fn files_of_others_are_not_replaced_by_manifests() {
    let here = here();
    here.write("out/cuda/manifest.json", "{\"mine\": true}");
    assert!(here.refused("build ws --out out").contains("move it away, or choose another --out"));
    assert_eq!(here.read("out/cuda/manifest.json"), "{\"mine\": true}");
    here.write("file", "mine");
    here.refused("build ws --out file");
    here.refused("build ws --out file/sub");
    assert_eq!(here.read("file"), "mine");
}

#[test]
fn outputs_and_entries_that_are_no_files_are_refused_and_stay() {
    let here = here();
    here.write("elsewhere", "old");
    here.ok("build ws --out out");
    let source = "out/cuda/k/a/kernel_0_kernel.cu";
    let text = here.read(source);
    fs::remove_file(here.at(source)).expect("a file");
    symlink("../../../../elsewhere", here.at(source)).expect("a link");
    here.ok("build ws --out out");
    assert!(here.at(source).is_symlink());
    assert_eq!(here.read("elsewhere"), text);
    fs::remove_file(here.at(source)).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(here.at(source)).status();
    assert!(made.expect("mkfifo").success());
    assert!(here.refused("build ws --out out").contains("a pipe or a device"));
    fs::remove_file(here.at(source)).expect("a pipe");
    fs::create_dir(here.at(source)).expect("a folder");
    assert!(here.refused("build ws --out out").contains("it is a folder"));
    fs::remove_dir(here.at(source)).expect("a folder");
    here.ok("build ws --out out");
    assert_eq!(here.read(source), text);
}

#[test]
fn names_that_differ_in_case_only_are_all_built() {
    let here = Here::new();
    for (number, file) in
        ["k/a.py", "k/A.py", "k/größe.py", "k/a b.py", "k/a:b.py"].iter().enumerate()
    {
        here.kernel(file, number);
    }
    here.ok("build k --out out --target cuda,c");
    assert_eq!(listed(&here, "out/cuda").len(), 5);
}

#[test]
fn builds_at_once_lose_nothing_of_each_other() {
    let here = here();
    here.ok("build ws --out whole --target cuda,opencl");
    let parts: Vec<_> = FILES
        .iter()
        .cycle()
        .take(12)
        .map(|it| {
            let words = format!("build ws/k/{it} --out out --target cuda,opencl --jobs 1");
            here.command(&words).spawn().expect("the program runs")
        })
        .collect();
    for part in parts {
        let output = part.wait_with_output().expect("an end");
        assert!(output.status.success(), "{}", said(&output));
    }
    assert_eq!(here.files("out"), here.files("whole"));
}

#[test]
fn a_killed_build_of_a_part_loses_nothing_of_the_others() {
    let here = here();
    let whole = |here: &Here| -> BTreeMap<PathBuf, Vec<u8>> { here.files("out") };
    here.ok("build ws --out out");
    let mut rng = Rng::new(5);
    for round in 0..30 {
        here.kernel("ws/k/b.py", 100 + round);
        let mut child =
            here.command("build ws/k/b.py --out out").spawn().expect("the program runs");
        thread::sleep(Duration::from_micros(rng.below(30_000) as u64));
        let _ = child.kill();
        child.wait().expect("an end");
        if rng.one_in(3) {
            let _ = fs::remove_dir_all(here.at("out.store"));
        }
        here.ok("build ws/k/a.py --out out");
        assert!(all().iter().all(|it| listed(&here, "out/cuda").contains(it)), "round {round}");
    }
    here.ok("build ws/k/b.py --out out");
    let warm = whole(&here);
    fs::remove_dir_all(here.at("out")).expect("a folder");
    here.ok("build ws --out out");
    let fresh = whole(&here);
    for (path, bytes) in &fresh {
        assert_eq!(warm.get(path), Some(bytes), "{}", path.display());
    }
    // What a killed build had written and nobody knows of any more, because its store is lost, stays: it might be
    // somebody's.
    let is_remains = |it: &&PathBuf| {
        let name = it.file_name().unwrap_or_default().to_string_lossy();
        it.starts_with("cuda/k/b") || name.starts_with(".tmp-")
    };
    let extra: Vec<&PathBuf> = warm.keys().filter(|it| !fresh.contains_key(*it)).collect();
    assert_eq!(extra.iter().filter(|it| !is_remains(it)).count(), 0, "{extra:?}");
}
