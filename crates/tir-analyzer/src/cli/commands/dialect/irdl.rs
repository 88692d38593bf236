//! Definitions from IRDL, MLIR's dialect for definitions.
//!
//! In: the text of a file in IRDL's pretty form. Out: its dialects. IRDL states neither effects nor forms: operations
//! have their parts by name, and nothing else. Linear.

use dialects::{Dialect, Parts, Row};

/// Reads the dialects of a text.
///
/// # Errors
///
/// Text without a dialect.
pub(super) fn read(text: &str, source: &str) -> Result<Vec<Dialect>, String> {
    let words = words(text);
    let mut dialects: Vec<Dialect> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let name = || words.get(at + 1).and_then(|it| it.strip_prefix('@')).map(str::to_owned);
        match words[at] {
            "irdl.dialect" => dialects.push(Dialect {
                name: name().ok_or("a dialect without a name")?,
                source: source.to_owned(),
                ..Dialect::default()
            }),
            "irdl.operation" => {
                let op = name().ok_or("an operation without a name")?;
                let dialect = dialects.last_mut().ok_or("an operation outside of a dialect")?;
                let parts = Parts {
                    operands: Some(Vec::new()),
                    results: Some(Vec::new()),
                    attributes: Some(Vec::new()),
                    regions: Some(Vec::new()),
                    successors: None,
                };
                dialect.rows.push(Row { ops: vec![op], parts, ..Row::default() });
            }
            "irdl.operands" | "irdl.results" | "irdl.attributes" | "irdl.regions" => {
                if let Some(row) = dialects.last_mut().and_then(|it| it.rows.last_mut()) {
                    let parts = &mut row.parts;
                    let (list, kind) = match words[at] {
                        "irdl.operands" => (&mut parts.operands, "operand"),
                        "irdl.results" => (&mut parts.results, "result"),
                        "irdl.attributes" => (&mut parts.attributes, "attribute"),
                        _ => (&mut parts.regions, "region"),
                    };
                    *list = Some(listed(&words[at + 1..], kind));
                }
            }
            _ => {}
        }
        at += 1;
    }
    match dialects.is_empty() {
        true => Err("there is no `irdl.dialect` in this text".to_owned()),
        false => Ok(dialects),
    }
}

/// The names in `(a: %0, optional b: %1, %2)` or `{"a" = %0}`, with their marks.
fn listed(words: &[&str], kind: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut name, mut mark) = (None, "");
    for word in words.iter().skip(1) {
        match *word {
            ")" | "}" => break,
            "optional" => mark = "?",
            "variadic" => mark = "*",
            "single" | ":" | "=" | "," => {}
            value if value.starts_with('%') => {
                let next = names.len();
                let own = name.take().unwrap_or_else(|| format!("{kind}{next}"));
                names.push(format!("{own}{mark}"));
                mark = "";
            }
            other => name = Some(other.trim_matches('"').to_owned()),
        }
    }
    names
}

/// Words and marks, without comments.
fn words(text: &str) -> Vec<&str> {
    let mut res = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let mut rest = line;
        while let Some(start) = rest.find(|it: char| !it.is_whitespace()) {
            rest = &rest[start..];
            let is_mark = |it: char| "(){},:=".contains(it);
            let end = match rest.chars().next() {
                Some(first) if is_mark(first) => first.len_utf8(),
                _ => rest.find(|it: char| it.is_whitespace() || is_mark(it)).unwrap_or(rest.len()),
            };
            res.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    res
}
