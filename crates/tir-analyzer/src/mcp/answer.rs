//! The answer of a command that runs in the process.

use std::path::Path;

use super::{
    inside::Root,
    tools::Tool,
    words::{self, Words},
};
use crate::cli::{self, Answer};
use serde_json::{Map, Value};

/// An answer of more bytes fills the memory of the model that reads it; it is cut.
const MAX_BYTES: usize = 200_000;

/// The exit code of a command that was not done.
const NOT_DONE: u8 = 2;

/// The answer of a tool, or what went wrong; both are for the model.
pub(super) fn answer(
    tool: &Tool,
    arguments: &Map<String, Value>,
    root: &Root,
) -> Result<String, String> {
    let words = words::words(tool, arguments, root)?;
    if !tool.writes_apart {
        return run(words, root).map(cut);
    }
    let folder = tempfile::tempdir().map_err(|it| format!("cannot make a folder: {it}"))?;
    let out = folder.path().join("out");
    let mut words = words;
    let at = words.words.iter().position(|it| it == "--").unwrap_or(words.words.len());
    let apart = [format!("--out={}", out.display()), format!("--store={}.store", out.display())];
    words.words.splice(at..at, apart);
    let report = run(words, root)?;
    Ok(cut(sources(&report, &out)))
}

/// Runs a command. Its messages stand before its output where both are.
fn run(words: Words, root: &Root) -> Result<String, String> {
    let Answer { code, out, err } = cli::answer(words.words, words.stdin.as_bytes(), root.path());
    let (out, err) = (String::from_utf8_lossy(&out), String::from_utf8_lossy(&err));
    match (code, out.is_empty()) {
        (NOT_DONE, true) => Err(err.into_owned()),
        // JSON stays JSON: its readers do not look for messages around it.
        (_, false) if out.starts_with('{') => Ok(out.into_owned()),
        _ => Ok(format!("{err}{out}")),
    }
}

/// The sources that a build wrote, by the kernels of its report, and the reasons of those that it did not write.
fn sources(report: &str, out: &Path) -> String {
    let report: Value = match serde_json::from_str(report) {
        Ok(report) => report,
        Err(_) => return report.to_owned(),
    };
    let rows = |of: &str| report[of].as_array().cloned().unwrap_or_default();
    let mut text = String::new();
    for kernel in rows("kernels") {
        let name = |of: &str| kernel[of].as_str().unwrap_or_default().to_owned();
        let source = files::read(&out.join(name("output")), files::ARTIFACT).unwrap_or_default();
        let source = match std::str::from_utf8(&source) {
            Ok(source) => source.to_owned(),
            Err(_) => format!("({} bytes)\n", source.len()),
        };
        text.push_str(&format!("// {} of `{}`\n{source}\n", name("entry"), name("function")));
    }
    for refusal in rows("unsupported") {
        text.push_str(&format!("// not built: {refusal}\n"));
    }
    for failure in rows("failures") {
        text.push_str(&format!("// failed: {failure}\n"));
    }
    if text.is_empty() {
        text.push_str("no function of this file launches threads\n");
    }
    text
}

/// Cuts a long answer behind a line, and says so.
fn cut(mut text: String) -> String {
    if text.len() <= MAX_BYTES {
        return text;
    }
    let most = text.floor_char_boundary(MAX_BYTES);
    let end = text[..most].rfind('\n').map_or(most, |it| it + 1);
    let n_left = text.len() - end;
    text.truncate(end);
    text.push_str(&format!(
        "\n[cut: {n_left} more bytes; ask for one file, one function or a lower limit]\n"
    ));
    text
}
