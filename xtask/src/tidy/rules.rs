//! Names of rules: each is declared once, each declaration is used, and no message has a name without one.
//!
//! The forms of declarations are those of the crate `rules`: `Rule::reported("name", …)` and its siblings, a row
//! `NAME = "name", …` of `reasons!` or `codes!`, and a row `stage("name", …)` of the simplifier's steps.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::tidy::rust_text::{Kind, classify};
use crate::tidy::tree::{Finding, Tree, product_code};

/// The text before the name in a declaration that is a call.
const CALLS: &[&str] = &["Rule::reported(", "Rule::not_shared(", "Rule::simplification(", "stage("];

/// A declaration of a name.
struct Declaration<'a> {
    name: &'a str,
    path: &'a str,
    line: usize,
    /// The constant or the value of an enum that it is; none for a row of a table that is used as a whole.
    key: Option<Key<'a>>,
}

/// The key by which the code names a rule.
#[derive(Clone, Copy)]
enum Key<'a> {
    Constant(&'a str),
    Variant(&'a str),
}

/// Reports names with two declarations, declarations that nothing uses, and names that are not declared.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let sources: Vec<(&str, &str)> = tree.rust_files().filter(|it| is_source(it.0)).collect();
    let mut findings = Vec::new();
    let mut declared: BTreeMap<&str, Declaration<'_>> = BTreeMap::new();
    for &(path, text) in &sources {
        for it in declarations(path, text) {
            if let Some(other) = declared.get(it.name) {
                let problem = format!("`{}` is declared in {} too", it.name, other.path);
                let way_out =
                    "declare it once, in the file that both producers see, and name that constant";
                findings.push(Finding::new(it.path, it.line, problem, way_out));
            } else {
                declared.insert(it.name, it);
            }
        }
    }
    let code: String = sources.iter().map(|it| product_code(it.1)).collect();
    for it in declared.values() {
        let is_used = match it.key {
            None => true,
            // One is the declaration.
            Some(Key::Constant(key)) => n_words(&code, key) > 1,
            Some(Key::Variant(key)) => n_words(&code, &format!("::{key}")) > 0,
        };
        if !is_used {
            let problem = format!("`{}` is declared and nothing gives it", it.name);
            findings.push(Finding::new(it.path, it.line, problem, "remove the declaration"));
        }
    }
    for &(path, text) in &sources {
        undeclared(path, text, &mut findings);
    }
    findings
}

/// Sources of the product, but those of the declarations' own types.
fn is_source(path: &str) -> bool {
    let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
    path.starts_with("crates/")
        && path.contains("/src/")
        && !is_test
        && !path.starts_with("crates/rules/")
}

/// The declarations of a file, in the order of the text.
fn declarations<'a>(path: &'a str, text: &'a str) -> Vec<Declaration<'a>> {
    let has_rows = text.contains("reasons! {") || text.contains("codes! {");
    let is_name = |it: &&Range<usize>| is_kebab(inside(text, it));
    let found = |it: Range<usize>| {
        let before = text[..it.start].trim_end();
        let call = CALLS.iter().find_map(|call| before.strip_suffix(call));
        let key = match call {
            Some(before) => key_before(before),
            None if has_rows => Some(row_key(before)?),
            None => return None,
        };
        let line = text[..it.start].matches('\n').count() + 1;
        Some(Declaration { name: inside(text, &it), path, line, key })
    };
    literals(text).iter().filter(is_name).cloned().filter_map(found).collect()
}

/// The constant or value in front of a call: `const A: Rule =`, `A =`, or `const A: FindingRule = FindingRule { rule:`.
fn key_before(before: &str) -> Option<Key<'_>> {
    let before = before.trim_end();
    if let Some(before) = before.strip_suffix("rule:") {
        let (_, declared) = before.rsplit_once("const ")?;
        return Some(Key::Constant(declared.split(':').next()?.trim()));
    }
    let before = before.strip_suffix('=')?.trim_end();
    match before.strip_suffix(": Rule") {
        Some(before) => Some(Key::Constant(last_word(before))),
        None if is_constant(last_word(before)) => Some(Key::Constant(last_word(before))),
        None => Some(Key::Variant(last_word(before))),
    }
}

/// The constant of a row `A = "name", …`.
fn row_key(before: &str) -> Option<Key<'_>> {
    let word = last_word(before.strip_suffix('=')?.trim_end());
    is_constant(word).then_some(Key::Constant(word))
}

/// Names that a message would have without a declaration.
fn undeclared(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let literals = literals(text);
    let is_code = |it: &&Range<usize>| {
        let before = text[..it.start].trim_end();
        before.ends_with(" code:") || before.ends_with(" reason:")
    };
    let at = |offset: usize| text[..offset].matches('\n').count() + 1;
    for it in literals.iter().filter(is_code).filter(|it| is_kebab(inside(text, it))) {
        let problem = format!("a message has the name `{}` as text", inside(text, it));
        findings.push(Finding::new(
            path,
            at(it.start),
            problem,
            "name the constant of its declaration",
        ));
    }
    if let Some(offset) = text.find("Reason::declared(") {
        let problem = "a reason is made by hand".to_owned();
        findings.push(Finding::new(path, at(offset), problem, "declare it with `reasons!`"));
    }
}

/// The string literals of a file, quotes included.
fn literals(text: &str) -> Vec<Range<usize>> {
    let kinds = classify(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < kinds.len() {
        let start = at;
        while kinds.get(at) == Some(&Kind::Text) {
            at += 1;
        }
        if at > start + 1 && text[start..].starts_with('"') {
            found.push(start..at);
        }
        at = at.max(start + 1);
    }
    found
}

fn inside<'a>(text: &'a str, literal: &Range<usize>) -> &'a str {
    &text[literal.start + 1..literal.end - 1]
}

fn is_kebab(name: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    !name.is_empty() && name.bytes().all(is_part)
}

fn is_constant(word: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
    !word.is_empty() && word.bytes().all(is_part)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The word at the end of a text; empty if it ends otherwise.
fn last_word(text: &str) -> &str {
    let start = text.rfind(|c| !is_word(c)).map_or(0, |it| it + 1);
    text.get(start..).unwrap_or_default()
}

/// How often a word stands in code as a whole.
fn n_words(code: &str, word: &str) -> usize {
    let is_whole = |at: usize| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let is_bound = !word.starts_with(is_word) || !before.is_some_and(is_word);
        is_bound && !after.is_some_and(is_word)
    };
    code.match_indices(word).filter(|it| is_whole(it.0)).count()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tidy::tree::problems;

    #[track_caller]
    fn check_files(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&problems(&check(&Tree::of(files))));
    }

    #[test]
    fn a_name_is_declared_once() {
        check_files(
            &[
                (
                    "crates/a/src/a.rs",
                    "const A: Rule = Rule::reported(\"a-b\", Hint, \"s\", \"d\"); use A;",
                ),
                ("crates/b/src/b.rs", "reasons! {\n    A_B = \"a-b\", \"t\", \"h\";\n}\nuse A_B;"),
            ],
            expect![[r#"
                crates/b/src/b.rs:2: `a-b` is declared in crates/a/src/a.rs too
            "#]],
        );
    }

    #[test]
    fn a_declaration_is_used() {
        let kinds = "kinds! { enum Kind {\n A = Rule::not_shared(\"a\", \"s\", \"d\");\n \
                     B = Rule::not_shared(\n \"b\", \"s\", \"d\");\n}}\nfn f() { Kind::A; }\n";
        let planner = "const DEAD: FindingRule = FindingRule {\n rule: Rule::reported(\"dead\", Hint, \"s\", \"d\"),\n};";
        check_files(
            &[("crates/a/src/a.rs", kinds), ("crates/a/src/b.rs", planner)],
            expect![[r#"
                crates/a/src/a.rs:4: `b` is declared and nothing gives it
                crates/a/src/b.rs:2: `dead` is declared and nothing gives it
            "#]],
        );
    }

    #[test]
    fn a_message_names_a_declaration() {
        check_files(
            &[("crates/a/src/a.rs", "fn f() { Diagnostic { code: \"a-b\", range } }")],
            expect![[r#"
                crates/a/src/a.rs:1: a message has the name `a-b` as text
            "#]],
        );
    }
}
