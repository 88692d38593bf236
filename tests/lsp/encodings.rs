//! Positions in the units that were agreed on, in lines with letters of one to four bytes.

use serde_json::{Value, json};
use tests::document::Document;
use tests::lsp::{Server, usual_capabilities};

use crate::hints;

/// The expression that the hint is about stands behind letters that every encoding counts differently.
const TEXT: &str = "\
from tvm.script import tirx as T
@T.prim_func
def f(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n * 4,), \"float32\")
    with T.launch_thread(\"threadIdx.x\", 32) as tx:
        A[0] = T.call_extern(\"float32\", \"é𝔸\", A[tx * 3 + 1] + A[tx * 3 + 1])
";

fn agreed_with(offered: Option<Value>) -> (Server, Value, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::spawn(dir.path());
    let mut capabilities = usual_capabilities();
    match offered {
        Some(encodings) => capabilities["general"]["positionEncodings"] = encodings,
        None => drop(capabilities.as_object_mut().and_then(|it| it.remove("general"))),
    }
    let mut result = server.initialize(capabilities, dir.path()).unwrap();
    (server, result["capabilities"]["positionEncoding"].take(), dir)
}

/// Columns of the hints of the last line.
fn columns(server: &mut Server) -> Vec<u64> {
    let document = Document::new("file:///sample/letters.py", TEXT);
    server.open(&document);
    let on_last_line = |hint: &Value| {
        (hint["position"]["line"] == 5).then(|| hint["position"]["character"].as_u64())
    };
    hints(server, &document).iter().filter_map(on_last_line).flatten().collect()
}

#[test]
fn encoding_is_chosen_among_those_offered() {
    let (_server, agreed, _dir) = agreed_with(Some(json!(["utf-8"])));
    assert_eq!(agreed, "utf-8");
    let (_server, agreed, _dir) = agreed_with(Some(json!(["utf-32"])));
    assert_eq!(agreed, "utf-32");
    let (_server, agreed, _dir) = agreed_with(Some(json!(["utf-7", "utf-16"])));
    assert_eq!(agreed, "utf-16");
}

#[test]
fn silence_means_utf_16() {
    let (_server, agreed, _dir) = agreed_with(None);
    assert!(agreed.is_null() || agreed == "utf-16", "{agreed}");
}

#[test]
fn columns_are_counted_in_the_agreed_units() {
    let (mut utf8, _, _dir8) = agreed_with(Some(json!(["utf-8"])));
    let (mut utf16, _, _dir16) = agreed_with(Some(json!(["utf-16"])));
    let (mut utf32, _, _dir32) = agreed_with(Some(json!(["utf-32"])));
    let (wide, middle, narrow) = (columns(&mut utf8), columns(&mut utf16), columns(&mut utf32));
    assert!(!narrow.is_empty(), "the line has a hint");
    // é takes 2, 1, 1 units and 𝔸 takes 4, 2, 1.
    assert_eq!(middle, narrow.iter().map(|column| column + 1).collect::<Vec<_>>());
    assert_eq!(wide, narrow.iter().map(|column| column + 4).collect::<Vec<_>>());
}
