//! How a codebase takes the tool up: the hooks of pre-commit, and the action of GitHub, on repositories of git.
#![cfg(unix)]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;
use tests::binary;

/// A kernel that stores to a buffer that nobody knows.
const BROKEN: &str = "from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), i: T.int32):
    B[i] = A[i]
";

const CLEAN: &str = "from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), i: T.int32):
    A[i] = 1
";

/// A repository with files, all committed.
struct Repository(TempDir);

impl Repository {
    fn new(files: &[(&str, &str)]) -> Repository {
        let repository = Repository(tempfile::tempdir().expect("a folder"));
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        files.iter().for_each(|(path, text)| repository.write(path, text));
        if !files.is_empty() {
            repository.commit();
        }
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }

    fn commit(&self) {
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "-m", "a change"]);
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]);
        let done = git.args(arguments).current_dir(self.path()).output().expect("git runs");
        assert!(done.status.success(), "git {arguments:?}: {}", text(&done));
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The root of the workspace, where hooks and action are declared.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// `PATH` with the program under test in front.
fn path() -> std::ffi::OsString {
    let folder: PathBuf = binary::path().parent().expect("a folder").into();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&rest)))
        .expect("a path")
}

/// Runs the action in a checkout with these inputs. Gives the exit code, what it said, and what it gave to later steps.
fn action(checkout: &Path, inputs: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let temporary = tempfile::tempdir().expect("a folder");
    let (given, summary) = (temporary.path().join("output"), temporary.path().join("summary"));
    let mut command = Command::new(root().join(".ci/action.sh"));
    command.current_dir(checkout).env("PATH", path());
    command.env("RUNNER_TEMP", temporary.path()).env("GITHUB_OUTPUT", &given);
    command.env("GITHUB_STEP_SUMMARY", &summary).env_remove("GITHUB_BASE_REF");
    let done = command.envs(inputs.iter().copied()).output().expect("the script runs");
    let summary = std::fs::read_to_string(summary).unwrap_or_default();
    assert!(summary.starts_with("### tir-analyzer\n"), "{summary}");
    let given = std::fs::read_to_string(given).unwrap_or_default();
    if let Some(sarif) = given.trim().strip_prefix("sarif=") {
        let text = std::fs::read_to_string(sarif).expect("the file is there");
        let sarif: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(sarif["version"], "2.1.0");
    }
    (done.status.code(), text(&done), given)
}

#[test]
fn the_action_shows_findings_at_lines_and_fails_for_errors() {
    let repository = Repository::new(&[("a.py", BROKEN), ("sub dir/b.py", CLEAN)]);
    let (code, said, given) = action(repository.path(), &[("INPUT_PATHS", ".")]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("::error") && said.contains("file=a.py,line=6"), "{said}");
    assert_eq!(given, "");
    let (code, said, _) = action(repository.path(), &[("INPUT_PATHS", "sub dir\n")]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn the_action_gives_sarif_if_it_is_asked_to() {
    let repository = Repository::new(&[("a.py", BROKEN)]);
    let (code, said, given) = action(repository.path(), &[("INPUT_SARIF", "true")]);
    assert_eq!(code, Some(1), "{said}");
    assert!(given.starts_with("sarif=/"), "{given}");
}

#[test]
fn the_action_looks_at_changed_functions_of_a_shallow_checkout() {
    let upstream = Repository::new(&[("old.py", BROKEN)]);
    upstream.git(&["checkout", "--quiet", "-b", "change"]);
    upstream.write("new.py", CLEAN);
    upstream.commit();
    let checkout = tempfile::tempdir().expect("a folder");
    let url = format!("file://{}", upstream.path().display());
    upstream.git(&[
        "clone",
        "--quiet",
        "--depth=1",
        "--branch=change",
        &url,
        checkout.path().to_str().expect("a path"),
    ]);
    let base = ("GITHUB_BASE_REF", "main");
    let (code, said, _) = action(checkout.path(), &[base]);
    assert_eq!(code, Some(0), "what was there before: {said}");
    let (code, said, _) = action(checkout.path(), &[base, ("INPUT_CHANGED_ONLY", "false")]);
    assert_eq!(code, Some(1), "{said}");
    std::fs::write(checkout.path().join("new.py"), BROKEN).expect("it can be written");
    let (code, said, _) = action(checkout.path(), &[base]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("file=new.py") && !said.contains("file=old.py"), "{said}");
}

#[test]
#[ignore = "needs pre-commit"]
fn hooks_run_in_a_repository_by_pre_commit() {
    let program = std::env::var_os("TIR_ANALYZER_PRE_COMMIT").expect("the variable is set");
    let repository = Repository::new(&[("a.py", BROKEN), ("notes.txt", "B[i]")]);
    // Hooks are taken from a commit: that of a repository with nothing but them.
    let hooks = Repository::new(&[]);
    let declared = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("hooks");
    hooks.write(".pre-commit-hooks.yaml", &declared);
    hooks.commit();
    let cache = tempfile::tempdir().expect("a folder");
    let run = |hook: &str| {
        let mut command = Command::new(&program);
        command.args(["try-repo", "--all-files", "--color", "never"]).arg(hooks.path()).arg(hook);
        command.current_dir(repository.path()).env("PATH", path());
        command.env("PRE_COMMIT_HOME", cache.path());
        let done = command.output().expect("pre-commit runs");
        (done.status.code(), text(&done))
    };
    let (code, said) = run("tir-analyzer-check");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("a.py:6:5") || said.contains("a.py"), "{said}");
    repository.write("a.py", CLEAN);
    repository.write("b.mlir", "func.func @f() {\n      return\n}\n");
    repository.commit();
    assert_eq!(run("tir-analyzer-check").0, Some(0));
    let (code, said) = run("tir-analyzer-format");
    assert_eq!(code, Some(1), "files were modified: {said}");
    let laid_out = std::fs::read_to_string(repository.path().join("b.mlir")).expect("a file");
    assert!(laid_out.contains("\n  return"), "{laid_out}");
    assert_eq!(run("tir-analyzer-format").0, Some(0));
}
