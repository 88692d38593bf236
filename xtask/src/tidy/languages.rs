//! A language is a row of two tables: few files name one. Everything else asks the row, so that a new language changes
//! few places.

use crate::tidy::tree::{Finding, Tree, product_code};

/// So many files may name a language, tests aside.
const MAX_FILES: usize = 4;

/// The enum, whose variants are looked for.
const LANGUAGE: &str = "Language::";

/// Reports the files that name a language, if there are too many.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let named =
        tree.rust_files().filter(|(path, _)| is_product(path)).filter_map(|(path, text)| {
            let code = product_code(text);
            let line = code.lines().position(names_a_language)?;
            Some((path.to_owned(), line + 1))
        });
    let named: Vec<(String, usize)> = named.collect();
    if named.len() <= MAX_FILES {
        return Vec::new();
    }
    let n = named.len();
    let finding = |(path, line): (String, usize)| {
        let problem = format!("one of {n} files that name a language; {MAX_FILES} may");
        Finding::new(&path, line, problem, "ask `Language::support` or `frontend::language::of`")
    };
    named.into_iter().map(finding).collect()
}

fn is_product(path: &str) -> bool {
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    // The languages that device code is written in are others.
    let is_of_devices = path.starts_with("crates/codegen/");
    !is_test && !is_of_devices && path.starts_with("crates/")
}

/// Returns true if a line names a variant: `Language::Mlir`, and not `Language::ALL` or `Language::of_path`.
fn names_a_language(line: &str) -> bool {
    line.match_indices(LANGUAGE).any(|(at, _)| {
        let mut behind = line[at + LANGUAGE.len()..].chars();
        let is_own = !line[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_');
        let first = behind.next().is_some_and(char::is_uppercase);
        is_own && first && behind.next().is_some_and(char::is_lowercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn one_file_more_is_one_too_many() {
        let names = (0..=MAX_FILES).map(|it| format!("crates/ide/src/f{it}.rs"));
        let names: Vec<String> = names.collect();
        let text = "fn f() {\n    Language::Mlir;\n}\n";
        let files: Vec<(&str, &str)> = names.iter().map(|it| (it.as_str(), text)).collect();
        let mut at_most = files[..MAX_FILES].to_vec();
        at_most.push(("crates/ide/src/tests/a.rs", text));
        at_most.push(("crates/codegen/src/backend.rs", text));
        at_most.push(("crates/ide/src/other.rs", "const ALL: usize = Language::ALL;\n"));
        at_most
            .push(("crates/ide/src/of.rs", "#[cfg(test)]\nmod tests {\n    Language::Pir;\n}\n"));
        assert!(check(&Tree::of(&at_most)).is_empty());
        let found = check(&Tree::of(&files));
        assert_eq!(found.len(), MAX_FILES + 1);
        expect![[r#"
            crates/ide/src/f0.rs:2: one of 5 files that name a language; 4 may
        "#]]
        .assert_eq(&problems(&found[..1]));
    }
}
