//! `cache`: its counts, the broken entries that it finds, and the removed ones.

use std::fs;

use expect_test::expect;

use super::Project;
use crate::cli::args::Size;

const KERNEL: &str = r#"from tvm.script import tirx as T

@T.prim_func
def scale(A: T.Buffer((1024,), "float32")):
    with T.launch_thread("threadIdx.x", 1024) as tx:
        A[tx] = A[tx] * T.float32(2.0)
"#;

fn built() -> Project {
    let project = Project::new(&[("net.py", KERNEL)]);
    assert_eq!(project.run("build net.py --out out --store store").code, 0);
    project
}

/// The files of a kind of entries.
fn entries(project: &Project, kind: &str) -> Vec<std::path::PathBuf> {
    let folders = fs::read_dir(project.path().join("store").join(kind)).unwrap();
    let files = folders.flat_map(|it| fs::read_dir(it.unwrap().path()).unwrap());
    files.map(|it| it.unwrap().path()).collect()
}

#[test]
fn a_store_that_is_not_there_is_empty() {
    let project = Project::new(&[]);
    project.run("cache stat").check(expect![[r#"
        code of functions   0 entries, 0 B
        texts               0 entries, 0 B
        --- exit code 0
    "#]]);
    assert_eq!(project.run("cache verify").code, 0);
    assert_eq!(project.run("cache gc").code, 0);
}

#[test]
fn entries_are_counted() {
    let project = built();
    let text = project.run("cache stat --store store").out();
    assert!(text.contains("code of functions   1 entry, "), "{text}");
    let json = project.run("cache stat --store store --format json").out();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["version"], &json["kernels"]["entries"]), (&1.into(), &1.into()));
    let file = &entries(&project, "kernels")[0];
    assert_eq!(json["kernels"]["bytes"], file.metadata().unwrap().len());
}

#[test]
fn other_programs_keep_bytes_under_names() {
    let project = Project::new(&[]);
    assert_eq!(project.run("cache get --store others triton/a/k.ttir").code, 1);
    let put = "cache put --store others triton/a/k.ttir";
    assert_eq!(project.run_with(put, b"module {}\n").code, 0);
    let got = project.run("cache get --store others triton/a/k.ttir");
    assert_eq!((got.code, got.out()), (0, "module {}\n".to_owned()));
    assert_eq!(project.run("cache get --store others triton/b/k.ttir").code, 1);
}

#[test]
fn a_shared_cache_that_cannot_be_used_costs_a_warning() {
    let project = built();
    let build = "build net.py --out two --store two.store --remote-cache grpc://127.0.0.1:1";
    let outcome = project.run(build);
    assert_eq!(outcome.code, 0);
    assert!(outcome.err().contains("the shared cache is not used"), "{}", outcome.err());
    assert_eq!(project.run("build net.py --remote-cache nothing").code, 2);
}

#[test]
fn a_broken_entry_is_reported_and_the_next_build_replaces_it() {
    let project = built();
    assert_eq!(project.run("cache verify --store store").code, 0);
    let broken = &entries(&project, "kernels")[0];
    fs::write(broken, "garbage").unwrap();
    let outcome = project.run("cache verify --store store");
    assert_eq!(outcome.code, 1);
    assert!(outcome.err().contains(&broken.display().to_string()), "{}", outcome.err());
    assert!(outcome.out().contains("1 broken"), "{}", outcome.out());
    fs::remove_dir_all(project.path().join("out")).unwrap();
    let rebuilt = project.run("build net.py --out out --store store").out();
    assert!(rebuilt.contains("1 broken entry of the store was replaced"), "{rebuilt}");
    assert!(rebuilt.contains("(its entry in the store was broken)"), "{rebuilt}");
    assert_eq!(project.run("cache verify --store store").code, 0);
}

#[test]
fn a_broken_text_is_replaced_and_told() {
    let project = built();
    fs::write(&entries(&project, "texts")[0], "garbage").unwrap();
    fs::remove_dir_all(project.path().join("out")).unwrap();
    let rebuilt = project.run("build net.py --out out --store store").out();
    assert!(rebuilt.contains("1 broken entry of the store was replaced"), "{rebuilt}");
    assert_eq!(project.run("cache verify --store store").code, 0);
}

#[test]
fn a_store_that_is_named_and_not_there_is_an_error() {
    let project = built();
    fs::create_dir(project.path().join("empty")).unwrap();
    for command in ["stat", "verify", "gc"] {
        for name in ["strore", "empty"] {
            let outcome = project.run(&format!("cache {command} --store {name}"));
            assert_eq!((outcome.code, outcome.out().as_str()), (2, ""), "{command} {name}");
            let told = format!(
                "there is no store in {name}; name the folder that `build --store` was given"
            );
            assert!(outcome.err().contains(&told), "{}", outcome.err());
        }
    }
    project.run("build net.py --out other");
    let outcome = project.run("cache stat --store other");
    assert!(outcome.err().contains("/other.store?"), "{}", outcome.err());
}

#[test]
fn broken_entries_are_removed_on_request() {
    let project = built();
    fs::write(&entries(&project, "kernels")[0], "garbage").unwrap();
    assert_eq!(project.run("cache verify --store store --remove").code, 1);
    assert_eq!(project.run("cache verify --store store").code, 0);
    assert_eq!(entries(&project, "kernels").len(), 0);
}

#[test]
fn gc_removes_down_to_a_size() {
    let project = built();
    let kept = project.run("cache gc --store store").out();
    assert!(kept.starts_with("removed 0 entries, 0 B, kept "), "{kept}");
    let removed = project.run("cache gc --store store --max-size 0").out();
    assert!(removed.ends_with("kept 0 entries, 0 B\n"), "{removed}");
    assert_eq!(entries(&project, "kernels").len(), 0);
}

#[test]
fn sizes_are_written_as_people_do() {
    let size = |it: &str| it.parse::<Size>().map(|it| it.0).ok();
    assert_eq!([size("0"), size("12K"), size("3mb")], [Some(0), Some(12 << 10), Some(3 << 20)]);
    assert_eq!([size(""), size("1.5G"), size("7T"), size("99999999999G")], [None; 4]);
}
