//! A real Emacs with eglot and the settings of the book: the server starts, and findings, hovers and fixes arrive.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use tests::binary;

const UNUSED: &str = "from tvm.script import tirx as T\n\n\n@T.prim_func\n\
    def f(A: T.Buffer((64,), \"int32\"), n: T.int32):\n    \
    a: T.let[T.int32] = n * 4\n    A[0] = n\n";

/// The settings of a page of the book that have a text.
fn settings<'a>(page: &'a str, text: &str) -> &'a str {
    let blocks = page.split("```lisp check\n").skip(1).filter_map(|it| it.split("```").next());
    blocks.into_iter().find(|it| it.contains(text)).expect("the page has the settings")
}

/// The things that a user sees who has the settings with a text, and waits for a finding: a line each.
struct Session(String);

impl Session {
    fn run((setting, finding): (&str, &str), text: &str, programs: &[PathBuf]) -> Session {
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
        let own = dir.path().join("bin");
        std::fs::create_dir(&own).expect("it can be made");
        std::os::unix::fs::symlink(binary::path(), own.join("tir-analyzer")).expect("a link");
        for it in programs {
            let name = it.file_name().and_then(|it| it.to_str()).expect("a name");
            // A fork has the name of what it stands in for.
            let name = name.strip_prefix("based").unwrap_or(name);
            std::os::unix::fs::symlink(it, own.join(name)).expect("a link");
        }
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(own).chain(std::env::split_paths(&others));
        let output = Command::new("emacs")
            .args(["--batch", "-l"])
            .arg(write("settings.el", settings(&page, setting)))
            .arg("-l")
            .arg(root.join("tests/emacs/session.el"))
            .arg(write("unused.py", text))
            .current_dir(dir.path())
            .env("PATH", std::env::join_paths(path).expect("paths"))
            .env("SESSION_FINDING", finding)
            .env("HOME", dir.path())
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("Emacs runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}{errors}");
        Session(said)
    }

    fn line(&self, name: &str) -> &str {
        let found = self.0.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_else(|| panic!("no {name}: {}", self.0))
    }
}

#[test]
#[ignore = "needs Emacs with eglot"]
fn emacs_shows_findings_and_fixes_them_with_the_settings_of_the_book() {
    let session = Session::run(("(\"tir-analyzer\"", "dead-binding"), UNUSED, &[]);
    assert_eq!(session.line("managed"), "tir-analyzer");
    assert!(session.line("findings").contains("[dead-binding]: `a` is never used"));
    assert!(session.line("hover").contains("a: int32"), "{}", session.0);
    assert!(session.line("text").ends_with("    A[0] = n / "), "{}", session.0);
    assert!(!session.line("text").contains("T.let"), "the fix is applied: {}", session.0);
}

#[test]
#[ignore = "needs Emacs with eglot, and other servers"]
fn emacs_with_rass_shows_findings_beside_those_of_the_server_for_python() {
    let programs = ["TIR_ANALYZER_RASS", "TIR_ANALYZER_PYRIGHT"]
        .map(|it| std::env::var_os(it).expect("the variable is set").into());
    let text = UNUSED.replace("\n\n\n", "\n\nnumber: int = \"text\"\n\n");
    let session = Session::run(("\"rass\"", "reportAssignmentType"), &text, &programs);
    assert!(
        session.line("findings").contains("[dead-binding]: `a` is never used"),
        "{}",
        session.0
    );
    assert!(session.line("text").ends_with("    A[0] = n / "), "{}", session.0);
}
