//! Edits of what a kernel is made of, in a workspace of files that import each other.
//!
//! In a chain of [`FILES`] files, each takes a constant and a helper from the one before it, and has a factory. Two
//! neighbours in the middle are open. One digit is typed over in the kernel, in a constant of its file, in its factory,
//! in a constant and in a helper of the file that it imports; the time is from sending the change to having the hints
//! of the kernel.

use std::{path::Path, time::Instant};

use serde_json::{Value, json};
use tests::{
    document::Document,
    lsp::{Server, uri_of},
};

use super::{KEYS, Times};

/// Files of the workspace.
const FILES: usize = 2_000;

/// The edits: the name of what is edited, whether it stands in the imported file, and the text before the digit.
const EDITS: [(&str, bool, &str); 5] = [
    ("the body of the kernel", false, "A[i] + "),
    ("a constant of its file", false, "\nSIZE = "),
    ("its factory", false, "block = "),
    ("a constant of an imported file", true, "\nSIZE = "),
    ("a helper of an imported file", true, "return x * "),
];

/// Measures the edits one after the other in one server: one line each.
pub(super) fn measure() -> anyhow::Result<Vec<Value>> {
    let dir = tempfile::tempdir()?;
    for number in 0..FILES {
        std::fs::write(dir.path().join(name_of(number)), text_of(number))?;
    }
    let mut server = Server::start(dir.path());
    let mut imported = document(dir.path(), FILES / 2 - 1);
    let mut edited = document(dir.path(), FILES / 2);
    server.open(&imported);
    server.open(&edited);
    EDITS
        .iter()
        .map(|&(what, is_imported, before)| {
            one(&mut server, &mut imported, &mut edited, (what, is_imported, before))
        })
        .collect()
}

fn one(
    server: &mut Server,
    imported: &mut Document,
    edited: &mut Document,
    (what, is_imported, before): (&str, bool, &str),
) -> anyhow::Result<Value> {
    let failed = |it: tests::lsp::ResponseError| anyhow::anyhow!("{}", it.message);
    let mut times = Times::default();
    let mut n_hints = 0;
    for key in 0..KEYS {
        let document = if is_imported { &mut *imported } else { &mut *edited };
        let at = document.text().find(before).map(|at| at + before.len());
        let at = at.ok_or_else(|| anyhow::anyhow!("there is no `{before}`"))?;
        let digit = char::from(b'2' + (key % 8) as u8).to_string();
        let change = document.replace(at, at + 1, &digit);
        let start = edited.text().find("@T.prim_func").unwrap_or_default();
        let params = edited.over(start, edited.text().len());
        let begin = Instant::now();
        server.change(change);
        let hints = server.request("textDocument/inlayHint", params).map_err(failed)?;
        times.push(begin);
        n_hints = hints.as_array().map_or(0, Vec::len);
    }
    Ok(json!({
        "bench": "latency", "scenario": format!("{FILES} files that import each other, {what}"),
        "file_bytes": edited.text().len(), "function_bytes": edited.text().len(), "hints": n_hints, "keys": KEYS,
        "p50_ms": times.quantile(0.5), "p99_ms": times.quantile(0.99), "max_ms": times.quantile(1.0),
    }))
}

fn name_of(number: usize) -> String {
    format!("kernel_{number}.py")
}

fn document(dir: &Path, number: usize) -> Document {
    Document::new(uri_of(&dir.join(name_of(number))), text_of(number))
}

/// A file with a constant, a helper and a factory of one kernel, which uses those of the file before it.
fn text_of(number: usize) -> String {
    let from = match number {
        0 => "BASE = 4\n\n\ndef scaled(x):\n    return x * 2\n".to_owned(),
        _ => format!("from kernel_{} import SIZE as BASE, mapped as scaled\n", number - 1),
    };
    format!(
        "from tvm.script import tirx as T
{from}
SIZE = 4


def mapped(x):
    return x * 2 + BASE


def make(n):
    block = 4

    @T.prim_func
    def main(A: T.Buffer((4096,), \"int32\"), B: T.Buffer((4096,), \"int32\")):
        for i in range(n // block):
            B[scaled(i) * SIZE + block] = A[i] + 2
            B[scaled(i) * SIZE + BASE] = A[scaled(i) * SIZE] + block

    return main


kernel = make(1024)
"
    )
}
