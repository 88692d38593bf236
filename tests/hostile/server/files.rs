//! Workspaces with things in them that are no files, have no end, or lead elsewhere.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use tests::{
    binary,
    document::Document,
    lsp::{Server, uri_of, usual_capabilities},
    metrics::Metrics,
};

use super::hover;

/// The statement that all of these functions have in common.
const SHARED: &str = "B[i] = A[i] * T.float32(3) + A[i + 1] * T.float32(5)";

fn module(name: &str) -> String {
    format!(
        "from tvm.script import tir as T\n\n\n@T.prim_func\ndef {name}(A: T.Buffer((9,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n    for i in range(8):\n        {SHARED}\n"
    )
}

fn fifo(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status().expect("there is `mkfifo`");
    assert!(status.success());
}

fn changed(server: &mut Server, path: &Path, kind: u32) {
    let change = json!({ "changes": [{ "uri": uri_of(path), "type": kind }] });
    server.notify("workspace/didChangeWatchedFiles", change);
}

/// The hover over the expression that all have, once it contains the expected text.
#[track_caller]
fn wait_until(server: &mut Server, here: &Document, is_wanted: impl Fn(&str) -> bool) -> String {
    let begin = Instant::now();
    loop {
        let text = hover(server, here, here.find(SHARED) + 25);
        if is_wanted(&text) {
            return text;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "{text}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A server in a folder, and a document that is not in it.
fn server(dir: &Path) -> (Server, Document) {
    let mut server = Server::start(dir);
    let here = Document::new("file:///elsewhere/here.py", module("here"));
    server.open(&here);
    (server, here)
}

#[test]
fn settings_that_cannot_be_read_are_told() {
    for make in [fifo, |path: &Path| symlink("/dev/zero", path).unwrap()] {
        let dir = tempfile::tempdir().unwrap();
        make(&dir.path().join("tir-analyzer.toml"));
        let mut server = Server::spawn(dir.path());
        server.initialize(usual_capabilities(), dir.path()).unwrap();
        let message = server.notification("window/showMessage")["message"].to_string();
        assert!(message.contains("cannot read"), "{message}");
        assert_eq!(server.shutdown().code(), Some(0));
    }
}

#[test]
fn known_file_that_becomes_something_else_is_forgotten() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = dir.path().join("known.py");
    let secret = outside.path().join("secret.py");
    fs::write(&secret, module("secret")).unwrap();
    fs::write(&path, module("known")).unwrap();
    let (mut server, here) = server(dir.path());
    let makes: [(&str, Box<dyn Fn()>); 4] = [
        ("endless", Box::new(|| symlink("/dev/zero", &path).unwrap())),
        ("blocking", Box::new(|| fifo(&path))),
        ("outside", Box::new(|| symlink(&secret, &path).unwrap())),
        ("large", Box::new(|| fs::File::create(&path).unwrap().set_len(1 << 40).unwrap())),
    ];
    for (name, make) in makes {
        wait_until(&mut server, &here, |it| it.contains("known.py:"));
        fs::remove_file(&path).unwrap();
        make();
        changed(&mut server, &path, 2);
        let text = wait_until(&mut server, &here, |it| !it.contains("known.py:"));
        assert!(!text.contains("secret"), "{name}: {text}");
        fs::remove_file(&path).unwrap();
        fs::write(&path, module("known")).unwrap();
        changed(&mut server, &path, 2);
    }
    wait_until(&mut server, &here, |it| it.contains("known.py:"));
    let figures = Metrics::of(server.process());
    assert!(figures.is_none_or(|it| it.anonymous < 150_000), "{figures:?}");
    assert_eq!(server.shutdown().code(), Some(0));
}

#[test]
fn workspace_full_of_traps_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    fifo(&at("a_fifo.py"));
    fifo(&at("sub/.gitignore"));
    symlink("/dev/zero", at(".ignore")).unwrap();
    symlink("/dev/zero", at("a_zero.py")).unwrap();
    symlink("..", at("sub/loop")).unwrap();
    fs::write(at("sub/hidden.py"), module("hidden")).unwrap();
    fs::write(at("z.py"), module("last")).unwrap();
    let (mut server, here) = server(dir.path());
    let text = wait_until(&mut server, &here, |it| it.contains("[z.py:"));
    assert!(!text.contains("hidden"), "what hides there cannot be told: {text}");
    assert_eq!(server.shutdown().code(), Some(0));
}

#[test]
fn files_without_kernels_do_not_count_and_a_limit_is_told() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..2_500 {
        fs::write(dir.path().join(format!("a{number:04}.py")), "x = 1\n").unwrap();
    }
    for name in ["y1", "y2", "z"] {
        fs::write(dir.path().join(format!("{name}.py")), module(name)).unwrap();
    }
    let (mut server, here) = server(dir.path());
    wait_until(&mut server, &here, |it| it.contains("z.py:"));
    assert_eq!(server.shutdown().code(), Some(0));

    fs::write(dir.path().join("tir-analyzer.toml"), "[elsewhere]\nmax-files = 2\n").unwrap();
    let mut server = Server::start(dir.path());
    let message = server.notification("window/showMessage")["message"].to_string();
    assert!(message.contains("2 files with kernels were read"), "{message}");
    assert_eq!(server.shutdown().code(), Some(0));
}

/// Runs a command that must end; its exit code and output.
#[track_caller]
fn run(dir: &Path, arguments: &[&str], input: Option<&str>) -> (Option<i32>, String) {
    let mut command = binary::command();
    command.args(arguments).current_dir(dir).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    stdin.write_all(input.unwrap_or_default().as_bytes()).expect("room");
    drop(stdin);
    let begin = Instant::now();
    while child.try_wait().expect("it is our child").is_none() {
        if begin.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{arguments:?} does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("it has ended");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn commands_read_regular_files_of_folders_and_whatever_is_named() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = |name: &str| dir.path().join(name);
    fs::write(outside.path().join("o.py"), module("outside")).unwrap();
    fs::write(at("a.py"), module("fine")).unwrap();
    fifo(&at("b.py"));
    symlink("/dev/zero", at("c.py")).unwrap();
    symlink(outside.path().join("o.py"), at("d.py")).unwrap();
    symlink("a.py", at("e.py")).unwrap();
    fs::File::create(at("f.py")).unwrap().set_len(1 << 40).unwrap();
    let (code, said) = run(dir.path(), &["check", "."], None);
    assert_eq!(code, Some(2), "{said}");
    for told in ["d.py: it is a link that leads out of", "cannot read f.py"] {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(!said.contains("b.py") && !said.contains("c.py") && !said.contains("e.py:"), "{said}");
    // Named, streams are read.
    let (code, said) = run(dir.path(), &["check", "/dev/stdin"], Some(&module("named")));
    assert_ne!(code, Some(2), "{said}");
    let writing = thread::spawn({
        let path = at("b.py");
        move || fs::write(path, module("streamed")).expect("somebody reads")
    });
    let (code, said) = run(dir.path(), &["check", "b.py"], None);
    assert_ne!(code, Some(2), "{said}");
    writing.join().expect("no panic");
}

#[test]
fn settings_and_baselines_of_commands_are_files() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("a.py"), module("fine")).unwrap();
    fifo(&at("tir-analyzer.toml"));
    let (code, said) = run(dir.path(), &["check", "a.py"], None);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("it is a FIFO, and only regular files are read"), "{said}");
    fs::remove_file(at("tir-analyzer.toml")).unwrap();
    symlink("/dev/zero", at("baseline.json")).unwrap();
    let (code, said) = run(dir.path(), &["check", "a.py", "--baseline", "baseline.json"], None);
    assert_eq!(code, Some(2), "{said}");
}
