//! Every parameter of every form that is read by hand, given by position and by keyword: TVM reads the same from our
//! print as from the original, or the statement is left as it is written.
//!
//! The forms and their parameters come from the signatures of TVM (`arguments.py`), whose Python is named in the
//! environment.

use std::{path::PathBuf, process::Command};

use tempfile::TempDir;

use super::run::{assert_none, run};

/// Functions that TVM reads at least, so that a change of TVM cannot make the test say nothing.
const AT_LEAST: usize = 600;

/// A Python that has TVM.
fn python() -> PathBuf {
    std::env::var_os("TIR_ANALYZER_TVM").expect("`TIR_ANALYZER_TVM` names a Python with TVM").into()
}

fn worker(python: &PathBuf, arguments: &[&std::path::Path]) -> String {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("hostile/python/arguments.py");
    let output = Command::new(python).arg(script).args(arguments).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
#[ignore = "needs TVM"]
fn no_argument_is_lost_or_taken_for_another_by_tvm() {
    let python = python();
    let folder = TempDir::new().expect("a folder");
    let (before, after) = (folder.path().join("before.py"), folder.path().join("after.py"));
    worker(&python, &["make".as_ref(), &before]);
    let outcome = run(folder.path(), &["opt", "--passes", "none", "before.py"]);
    assert_eq!(outcome.fault(), None);
    std::fs::write(&after, &outcome.out).expect("the print is written");
    let answers = worker(&python, &["compare".as_ref(), &before, &after]);
    let mut faults = Vec::new();
    let mut n_read = 0;
    for line in answers.lines() {
        let answer: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        n_read += usize::from(text("kind") != "unread");
        if matches!(&*text("kind"), "changed" | "refused") {
            faults.push(format!(
                "{}: {}\n{}\nbecame\n{}",
                text("kind"),
                text("why"),
                text("text"),
                text("printed")
            ));
        }
    }
    assert_none(&faults);
    assert!(n_read >= AT_LEAST, "TVM reads {n_read} functions only");
}
