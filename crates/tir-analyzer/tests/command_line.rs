//! The real binary as shells run it: exit codes, pipes that close, interrupts, colours, files.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::{Command, Output, Stdio},
};

const SHARED: &str = r#"from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    A[n * 4] = 1  # first
    A[n * 4 + 1] = n * 4
"#;

fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tir-analyzer"));
    command.args(words.split_whitespace()).current_dir(folder).env_remove("NO_COLOR");
    command.stdin(Stdio::null());
    command
}

fn run(folder: &Path, words: &str) -> Output {
    command(folder, words).output().unwrap()
}

#[test]
fn exit_codes_tell_findings_from_failures() {
    let folder = tempfile::tempdir().unwrap();
    let broken = SHARED.replace("= 1 ", "= missing ");
    fs::write(folder.path().join("shared.py"), SHARED).unwrap();
    fs::write(folder.path().join("broken.py"), broken).unwrap();
    let code = |words: &str| run(folder.path(), words).status.code();
    assert_eq!(code("check shared.py"), Some(0));
    assert_eq!(code("check broken.py"), Some(1));
    assert_eq!(code("check nowhere.py broken.py"), Some(2));
    assert_eq!(code("check --no-such-option"), Some(2));
    assert_eq!(code("--help"), Some(0));
    assert_eq!(code("explain may-trap"), Some(0));
    assert_eq!(code("explain no-such-rule"), Some(2));
}

#[test]
fn reader_that_goes_away_ends_the_output_quietly() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("large.py"), "x = 1 + 2\n".repeat(100_000)).unwrap();
    for words in ["parse large.py", "parse --text large.py", "opt large.py"] {
        let mut child = command(folder.path(), words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 16];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words}");
        assert_eq!(output.status.code(), Some(0), "{words}");
    }
}

#[cfg(unix)]
#[test]
fn interrupt_ends_with_its_exit_code() {
    use std::{os::unix::process::ExitStatusExt as _, thread, time::Duration};
    const SIGINT: i32 = 2;
    let folder = tempfile::tempdir().unwrap();
    // It waits for its input. An interrupt before the program listens ends it as it ends any: then it gets more time.
    for milliseconds in [50, 200, 800, 3200, 12_800] {
        let mut child =
            command(folder.path(), "check --stdin").stdin(Stdio::piped()).spawn().unwrap();
        // Waiting for the program would close its input, and it would end as ever.
        let input = child.stdin.take();
        thread::sleep(Duration::from_millis(milliseconds));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let status = child.wait().unwrap();
        drop(input);
        match status.code() {
            Some(code) => return assert_eq!(code, 130),
            None => assert_eq!(status.signal(), Some(SIGINT)),
        }
    }
    panic!("the program never listened");
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.py"), SHARED).unwrap();
    let has_colours = |words: &str| run(folder.path(), words).stdout.contains(&0x1b);
    assert!(!has_colours("check a.py"));
    assert!(!has_colours("check a.py --color never"));
    assert!(has_colours("check a.py --color always"));
    assert!(has_colours("--color always fix --diff a.py"));
}

#[test]
fn fixed_file_is_whole_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.py");
    fs::write(&path, SHARED).unwrap();
    let output = run(folder.path(), "fix a.py");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
    let fixed = fs::read_to_string(&path).unwrap();
    assert!(fixed.contains("cse_v1") && fixed.contains("# first"), "{fixed}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn text_goes_through_pipes_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> =
        (0..200_000_u32).map(|it| (it.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut child = command(folder.path(), "parse --text --stdin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&bytes).unwrap();
    drop(stdin);
    assert!(child.wait_with_output().unwrap().stdout == bytes);
}
