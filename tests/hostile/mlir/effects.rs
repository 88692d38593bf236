//! Operations that may do more than their text shows: barriers, unknown operations, code for other threads, volatile
//! accesses, jumps.
//!
//! `kept.mlir` has an attack between every two `// -----` lines: each looks as if something could be merged or deleted
//! in it, and every such change would be wrong. So `opt` gives it back as it is, byte by byte, with every preset, and
//! `fix` finds nothing to do. `done.mlir` is the other side: texts of the same kind in which each change is right, and
//! is made.

use std::{fs, path::Path};

use tests::binary;

const SPLIT: &str = "// -----\n";
const KEPT: &str = include_str!("effects/kept.mlir");
const DONE: &str = include_str!("effects/done.mlir");

/// Returns the text that `opt` prints for a text.
fn opt(text: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("attack.mlir");
    fs::write(&file, text).expect("the file can be written");
    let output = binary::command().arg("opt").args(arguments).arg(&file).output();
    let output = output.expect("the tool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The first lines of the parts that are not the same.
fn changed<'a>(before: &'a str, after: &str) -> Vec<&'a str> {
    let (before, after): (Vec<_>, Vec<_>) =
        (before.split(SPLIT).collect(), after.split(SPLIT).collect());
    assert_eq!(before.len(), after.len(), "parts are lost");
    let pairs = before.into_iter().zip(after).filter(|(a, b)| a != b);
    pairs.filter_map(|(it, _)| it.lines().next()).collect()
}

#[test]
fn nothing_is_done_where_it_would_be_wrong() {
    let none: &[&str] = &[];
    for preset in [&["default"][..], &["mlir"], &["mlir", "--llvm", "24"]] {
        let arguments = [&["--preset"], preset].concat();
        assert_eq!(changed(KEPT, &opt(KEPT, &arguments)), none, "preset {preset:?}");
    }
}

#[test]
fn fix_leaves_the_file_alone() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("attack.mlir");
    fs::write(&file, KEPT).expect("the file can be written");
    let run = |path: &Path| binary::command().arg("fix").arg(path).output().expect("the tool runs");
    run(&file);
    let after = fs::read_to_string(&file).expect("the file is still there");
    assert_eq!(changed(KEPT, &after), &[] as &[&str]);
}

#[test]
fn sound_merges_are_done() {
    let all: Vec<&str> = DONE.split(SPLIT).filter_map(|it| it.lines().next()).collect();
    assert_eq!(changed(DONE, &opt(DONE, &["--preset", "default"])), all);
}

/// The peer's own rules are still to be had, to measure how exact the presets are.
#[test]
fn the_peers_rules_can_be_asked_for() {
    let text = "\
\"mine.match\"() ({
  %0 = \"arith.constant\"() <{value = 1 : i32}> : () -> i32
  %1 = \"arith.constant\"() <{value = 1 : i32}> : () -> i32
  \"mine.use\"(%1) : (i32) -> ()
}) : () -> ()
";
    assert_eq!(opt(text, &["--preset", "mlir"]), text);
    let unsound = opt(text, &["--preset", "mlir", "--allow-unsound"]);
    assert_eq!(unsound.matches("arith.constant").count(), 1, "{unsound}");
}

/// Operations known by their names and not in their forms are reported once a dialect, however many functions have
/// them.
#[test]
fn forms_that_are_not_known_are_told() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("barriers.mlir");
    let function = |n: usize| {
        format!(
            "func.func @f{n}() {{\n  own.constant dense<1> : tensor<i32>\n  own.constant dense<2> : tensor<i32>\n  return\n}}\n"
        )
    };
    let text: String = (0..3).map(function).collect();
    fs::write(&file, text).expect("the file can be written");
    let definitions = "dialect = \"own\"\n[[operations]]\nops = [\"constant\"]\n";
    fs::create_dir(folder.path().join("dialects")).expect("there is room for a folder");
    fs::write(folder.path().join("dialects/own.toml"), definitions).expect("it can be written");
    let output = binary::command().arg("check").arg(&file).output().expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.matches("hint[unread-operation]").count(), 1, "{said}");
}
