//! `SEMANTICS.md` is cited by row: ids are unique, rows have all their columns, and every citation leads to a row.

use std::path::Path;

use rustc_hash::FxHashMap;

const PAGE: &str = include_str!("../SEMANTICS.md");

/// Returns true if a text has the form of a row id: one capital letter of the page's groups, one or two digits.
fn is_id(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|it| "ESICFMLPYXBH".contains(it))
        && matches!(text.len(), 2..=3)
        && chars.all(|it| it.is_ascii_digit())
}

/// The rows of the page: id and number of columns.
fn rows() -> Vec<(&'static str, usize)> {
    let cells = |line: &str| line.replace("\\|", "").matches('|').count() - 1;
    PAGE.lines()
        .filter_map(|line| {
            let id = line.strip_prefix("| ")?.split(' ').next()?;
            is_id(id).then(|| (id, cells(line)))
        })
        .collect()
}

/// Ids cited in a text, in the spelling that `quote` brackets.
fn citations<'a>(text: &'a str, open: &'a str, close: char) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |it| it.split(close).next()).filter(|it| is_id(it))
}

#[test]
fn ids_are_unique_and_rows_are_complete() {
    let mut columns: FxHashMap<&str, usize> = FxHashMap::default();
    for (id, n) in rows() {
        assert!(columns.insert(id, n).is_none(), "{id} is there twice");
        let expected = if id.starts_with(['B', 'H']) { 5 } else { 8 };
        assert!(n == expected, "{id} has {n} columns");
    }
    assert!(columns.len() > 100);
}

#[test]
fn citations_on_the_page_lead_to_rows() {
    let rows = rows();
    for id in citations(PAGE, "`", '`') {
        assert!(rows.iter().any(|(it, _)| *it == id), "{id} is cited and not there");
    }
}

#[test]
fn citations_in_the_code_lead_to_rows() {
    let rows = rows();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for id in
                citations(&text, "SEMANTICS: ", ' ').chain(citations(&text, "SEMANTICS ", ')'))
            {
                assert!(rows.iter().any(|(it, _)| *it == id), "{id} in {}", path.display());
            }
        }
    }
}
