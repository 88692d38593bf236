//! The programs that are executed: each function of each document, with what it mentions.
//!
//! In: a folder. Out: a text a function. The other functions of the document are left out, as the peer lowers a text
//! as a whole or not at all: one operation that it does not know would take all functions of a file with it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use frontend::mlir::{self, Shapes, UnitKind};

use crate::conformance::upstream_mlir::MARKER;

/// One function and the text that it is executed in.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) text: String,
    pub(super) function: String,
}

/// The functions of the files below a folder that are no answers and no generic forms.
pub(super) fn read(folder: &Path, filter: Option<&str>) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    let files = test_utils::mlir_files(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let group = path.parent().and_then(Path::file_name).unwrap_or_default();
        let group = group.to_string_lossy().into_owned();
        let is_input = !name.ends_with(".generic") && !name.ends_with(".cse");
        if !is_input || filter.is_some_and(|it| !format!("{group}/{name}").contains(it)) {
            continue;
        }
        // A file that is no text is no file for this tool.
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for (number, document) in text.split(MARKER).enumerate() {
            let name = if number == 0 { name.clone() } else { format!("{name}#{number}") };
            cases.extend(of_document(document).into_iter().map(|(function, text)| Case {
                group: group.clone(),
                name: name.clone(),
                text,
                function,
            }));
        }
    }
    Ok(cases)
}

/// The functions of a document, each with the text that is left of it.
fn of_document(text: &str) -> Vec<(String, String)> {
    let mut functions: Vec<(String, std::ops::Range<usize>)> = Vec::new();
    mlir::lower_file(text, Shapes::builtin(), &mut |unit| {
        if unit.kind == UnitKind::Function && unit.document == 0 {
            functions.push((unit.lowered.body.name.to_string(), unit.offset..unit.end));
        }
    });
    let frame = without(text, functions.iter().map(|it| it.1.clone()));
    let mut res = Vec::new();
    for (name, range) in &functions {
        let mut seen = mentioned(&frame);
        seen.insert(name);
        let mut todo = vec![&text[range.clone()]];
        todo.extend(named(&functions, &seen, text));
        while let Some(part) = todo.pop() {
            let new: BTreeSet<&str> = mentioned(part).difference(&seen).copied().collect();
            todo.extend(named(&functions, &new, text));
            seen.extend(new);
        }
        let others = functions.iter().filter(|it| !seen.contains(it.0.as_str()));
        res.push((name.clone(), without(text, others.map(|it| it.1.clone()))));
    }
    res
}

/// The texts of the functions with these names.
fn named<'t>(
    functions: &[(String, std::ops::Range<usize>)],
    names: &BTreeSet<&str>,
    text: &'t str,
) -> Vec<&'t str> {
    let has_name = functions.iter().filter(|it| names.contains(it.0.as_str()));
    has_name.map(|it| &text[it.1.clone()]).collect()
}

/// A text without some of its parts, which are in order.
fn without(text: &str, parts: impl Iterator<Item = std::ops::Range<usize>>) -> String {
    let (mut res, mut from) = (String::new(), 0);
    for part in parts {
        res.push_str(text.get(from..part.start).unwrap_or_default());
        from = from.max(part.end);
    }
    res.push_str(&text[from..]);
    res
}

/// The names behind `@` in a text, comments included.
fn mentioned(text: &str) -> BTreeSet<&str> {
    let name = |part: &'_ str| {
        let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '.' | '-');
        part.find(|it| !is_part(it)).unwrap_or(part.len())
    };
    text.split('@')
        .skip(1)
        .map(|it| {
            it.strip_prefix('"').map_or_else(
                || &it[..name(it)],
                |quoted| quoted.split('"').next().unwrap_or_default(),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_stands_with_what_it_mentions() {
        let text = "func.func @a() {\n  call @b() : () -> ()\n  return\n}\n\
                    func.func private @b()\n\
                    func.func @c() {\n  \"no.such\"() : () -> ()\n  return\n}\n";
        let cases = of_document(text);
        let names: Vec<&str> = cases.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(cases[0].1.matches("func.func").count(), 2);
        assert!(!cases[0].1.contains("no.such"));
        assert_eq!(cases[2].1.matches("func.func").count(), 1);
    }
}
