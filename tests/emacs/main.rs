//! A real Emacs with eglot and the settings of the book: the server starts, and findings, hovers and fixes arrive.

use std::{path::Path, process::Command};

use tests::binary;

const UNUSED: &str = "from tvm.script import tirx as T\n\n\n@T.prim_func\n\
    def f(A: T.Buffer((64,), \"int32\"), n: T.int32):\n    \
    a: T.let[T.int32] = n * 4\n    A[0] = n\n";

/// The first settings of a page of the book.
fn settings(page: &str) -> String {
    let begin = "```lisp check\n";
    let at = page.find(begin).expect("the page has settings") + begin.len();
    let len = page[at..].find("```").expect("the block ends");
    page[at..at + len].to_owned()
}

#[test]
#[ignore = "needs Emacs with eglot"]
fn emacs_shows_findings_and_fixes_them_with_the_settings_of_the_book() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let page = root.join("crates/tir-analyzer/book/src/editors/emacs.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path
    };
    // The settings name the program as a user has it.
    let programs = dir.path().join("bin");
    std::fs::create_dir(&programs).expect("it can be made");
    std::os::unix::fs::symlink(binary::path(), programs.join("tir-analyzer")).expect("a link");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(programs).chain(std::env::split_paths(&others));
    let output = Command::new("emacs")
        .args(["--batch", "-l"])
        .arg(write("settings.el", &settings(&page)))
        .arg("-l")
        .arg(root.join("tests/emacs/session.el"))
        .arg(write("unused.py", UNUSED))
        .current_dir(dir.path())
        .env("PATH", std::env::join_paths(path).expect("paths"))
        .env("HOME", dir.path())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("Emacs runs");
    let (said, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{errors}");
    let line = |name: &str| {
        let found = said.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_else(|| panic!("no {name}: {said}{errors}"))
    };
    assert_eq!(line("managed"), "tir-analyzer");
    assert!(line("findings").contains("[dead-binding]: `a` is never used"), "{said}");
    assert!(line("hover").contains("a: int32"), "{said}");
    assert!(line("text").ends_with("    A[0] = n / "), "{said}");
    assert!(!line("text").contains("T.let"), "the fix is applied: {said}");
}
