//! Words that do not belong in the sources: paths of somebody's machine, hosts of package registries (those are
//! configuration of the machine), folders outside the workspace, and talk about writing tools.
//!
//! The words are put together from halves here, so that this file passes its own rule.

use crate::tidy::tree::{Finding, Tree};

/// How a word is looked for.
enum Match {
    /// An absolute path: at a place where a path can start, a whole component.
    Path,
    /// Anywhere, in any case.
    Part,
    /// As a word of its own, in any case.
    Word,
}
use Match::{Part, Path, Word};

const FORBIDDEN: &[(Match, &str, &str)] = &[
    (Path, concat!("/ro", "ot"), MACHINE),
    (Path, concat!("/wo", "rk"), MACHINE),
    (Path, concat!("/tm", "p/w"), MACHINE),
    (Path, concat!("/tm", "p/t"), MACHINE),
    (Path, concat!("/ho", "me"), MACHINE),
    (Path, concat!("/Us", "ers"), MACHINE),
    (Part, concat!("../sha", "red"), OUTSIDE),
    (Part, concat!("index.cra", "tes.io"), REGISTRY),
    (Part, concat!("static.cra", "tes.io"), REGISTRY),
    (Part, concat!("pypi", ".org"), REGISTRY),
    (Part, concat!("python", "hosted.org"), REGISTRY),
    (Part, concat!("npm", "js.org"), REGISTRY),
    (Part, concat!("npm", "js.com"), REGISTRY),
    (Part, concat!("proxy.go", "lang.org"), REGISTRY),
    (Word, concat!("cla", "ude"), TOOL_TALK),
    (Word, concat!("anth", "ropic"), TOOL_TALK),
    (Word, concat!("chat", "gpt"), TOOL_TALK),
    (Word, concat!("cop", "ilot"), TOOL_TALK),
    (Word, concat!("sub", "agent"), TOOL_TALK),
    (Word, concat!("ai ", "assistant"), TOOL_TALK),
    (Word, concat!("ai ", "agent"), TOOL_TALK),
    (Word, concat!("ai ", "session"), TOOL_TALK),
];

const MACHINE: &str =
    "a path of one machine: make it relative, or take it from an option or the environment";
const OUTSIDE: &str = "a folder outside the workspace: take it from an option such as --corpus";
const REGISTRY: &str = "a registry host: leave it to the configuration of cargo, pip or npm";
const TOOL_TALK: &str = "talk about how the text was written: say what it does instead";

/// Reports forbidden words with their lines.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.files() {
        for (index, line) in text.lines().enumerate() {
            let lower = line.to_ascii_lowercase();
            for (how, word, way_out) in FORBIDDEN {
                let found = match how {
                    Path => line
                        .match_indices(word)
                        .any(|(at, _)| is_absolute_path(line, at, at + word.len())),
                    Part => lower.contains(&word.to_ascii_lowercase()),
                    Word => lower
                        .match_indices(word)
                        .any(|(at, _)| is_word(&lower, at, at + word.len())),
                };
                if found {
                    findings.push(Finding::new(
                        path,
                        index + 1,
                        format!("`{word}` does not belong here"),
                        *way_out,
                    ));
                }
            }
        }
    }
    findings
}

/// Returns true if `line[start..end]` starts a path and is a whole component of it.
fn is_absolute_path(line: &str, start: usize, end: usize) -> bool {
    let before = line[..start].chars().next_back();
    let after = line[end..].chars().next();
    let continues = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '}' | '$' | '>' | ')' | '*')
    };
    !before.is_some_and(continues)
        && !after.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn is_word(line: &str, start: usize, end: usize) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    !line[..start].chars().next_back().is_some_and(is_name)
        && !line[end..].chars().next().is_some_and(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_line(line: &str, expected: bool) {
        let found = check(&Tree::of(&[("a.md", line)]));
        assert_eq!(!found.is_empty(), expected, "{line:?} gives {found:?}");
    }

    #[test]
    fn absolute_paths_of_a_machine_are_found() {
        for (how, word, _) in FORBIDDEN {
            if matches!(how, Path) {
                check_line(&format!("see {word}/file"), true);
                check_line(&format!("file://{word}"), true);
                check_line(&format!("\"{word}\""), true);
                check_line(&format!("src{word}/file"), false);
                check_line(&format!("{word}able"), false);
            }
        }
    }

    #[test]
    fn words_are_found_whole_and_in_any_case() {
        for (how, word, _) in FORBIDDEN {
            if matches!(how, Word) {
                check_line(&format!("by {}.", word.to_uppercase()), true);
                check_line(&format!("x{word}"), false);
            }
        }
    }

    #[test]
    fn hosts_and_outside_folders_are_found_anywhere() {
        for (how, word, _) in FORBIDDEN {
            if matches!(how, Part) {
                check_line(&format!("https://{word}/simple"), true);
            }
        }
    }

    #[test]
    fn line_is_named() {
        let text = format!("fine\n{}x\n", FORBIDDEN[6].1);
        let found = check(&Tree::of(&[("a.md", &text)]));
        assert!(found[0].to_string().starts_with("a.md:2: "), "{}", found[0]);
    }
}
