//! TileLang's own passes and device code, by a command: a script stands for the Python that has TileLang.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};
use tests::{
    document::Document,
    lsp::{Server, code, uri_of},
};

const KERNEL: &str = "import tilelang.language as T


def make(n):
    @T.prim_func
    def main(A: T.Tensor((n,), \"int32\")):
        with T.Kernel(1, threads=32) as bx:
            A[bx] = 1

    return main


make(8)
";

/// A server on a folder with the kernel and a Python that is this script.
fn server(folder: &Path, script: &str) -> (Server, Document) {
    test_utils::stand_in::python(&folder.join("python"), script).unwrap();
    std::fs::write(folder.join("tir-analyzer.toml"), "[tilelang]\npython = \"./python\"\n")
        .unwrap();
    std::fs::write(folder.join("a.py"), KERNEL).unwrap();
    let document = Document::new(uri_of(&folder.join("a.py")), KERNEL);
    let mut server = Server::start(folder);
    server.open(&document);
    (server, document)
}

const VIEW: &str = "tir-analyzer/viewTileLang";

#[test]
fn passes_and_code_lead_back_to_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let answers = r#"cat <<'END'
{"function": "main", "before": "a = 1\nb = 2", "lines": [[0, 6], [1, 7]]}
{"pass": "tl.Simplify", "text": "b = 2", "lines": [[0, 7]]}
{"code": "void main_kernel() {}\n"}
END"#;
    let (mut server, document) = server(folder.path(), answers);
    let at = document.at(document.find("A[bx]"));
    let found = server.request(VIEW, at).expect("an answer");
    assert_eq!(found["function"], "main");
    assert_eq!(found["instance"], "make(n=8)");
    assert_eq!(found["before"]["lines"][1], json!({"line": 1, "source": 7}));
    let stage =
        json!({"pass": "tl.Simplify", "text": "b = 2", "lines": [{"line": 0, "source": 7}]});
    assert_eq!(found["stages"], json!([stage]));
    assert_eq!(found["code"], "void main_kernel() {}\n");
    let asked = std::fs::read_to_string(folder.path().join("request")).unwrap();
    let asked: Value = serde_json::from_str(&asked).unwrap();
    assert_eq!(asked["call"], "make(n=8)");
    assert_eq!(asked["function"], "main");
}

#[test]
fn nothing_runs_before_the_command_and_what_is_not_saved_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut server, mut document) = server(folder.path(), "touch \"$(dirname \"$0\")/ran\"");
    server.request("textDocument/inlayHint", document.over_all()).expect("hints");
    server.request("textDocument/codeLens", json!({ "textDocument": document.identifier() })).ok();
    let change = document.replace_once("A[bx] = 1", "A[bx] = 2");
    server.change(change);
    let at = document.at(document.find("A[bx]"));
    let refused = server.request(VIEW, at).expect_err("it is not saved");
    assert_eq!(refused.message, "TileLang reads the file itself: save it first");
    assert!(!folder.path().join("ran").exists());
}

#[test]
fn the_process_ends_with_its_request_and_edits_do_not_wait_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo $$ > \"$(dirname \"$0\")/pid.new\"\nmv \"$(dirname \"$0\")/pid.new\" \"$(dirname \"$0\")/pid\"\nexec sleep 100";
    let (mut server, mut document) = server(folder.path(), script);
    let id = server.send(VIEW, document.at(document.find("A[bx]")));
    let pid = folder.path().join("pid");
    let soon = |is: &dyn Fn() -> bool| {
        (0..400).any(|_| {
            std::thread::sleep(Duration::from_millis(25));
            is()
        })
    };
    assert!(soon(&|| pid.exists()));
    let process = Path::new("/proc").join(std::fs::read_to_string(&pid).unwrap().trim());
    // An edit and its hints come while it runs.
    let change = document.replace_once("A[bx] = 1", "A[bx] = 2");
    server.change(change);
    server.request("textDocument/inlayHint", document.over_all()).expect("hints");
    assert!(process.exists() || !cfg!(target_os = "linux"));
    server.cancel(id);
    assert_eq!(server.wait_for(id).expect_err("cancelled").code, code::REQUEST_CANCELLED);
    assert!(soon(&|| !process.exists()), "the process still runs");
}
