//! The paths that a Rust file names: those of its `use` declarations, taken apart, and those in its code.
//!
//! In: code without comments and strings. A reader of just that: one pass, linear; any input gives an answer.

use std::collections::BTreeMap;

/// The segments of a path: `crate`, `a`, `B`.
pub(crate) type Path = Vec<String>;

/// A leaf of a `use` declaration.
struct Use {
    path: Path,
    /// The name that it has here; none for `*`.
    name: Option<String>,
}

/// All paths of more than one segment, and those of `use` declarations.
pub(crate) fn paths_of(code: &str) -> Vec<Path> {
    let tokens = tokens(code);
    let mut paths: Vec<Path> = uses(&tokens).into_iter().map(|it| it.path).collect();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == "use" {
            at = end_of_use(&tokens, at);
            continue;
        }
        let mut end = at + 1;
        if is_name(tokens[at]) && at.checked_sub(1).is_none_or(|it| tokens[it] != "::") {
            while tokens.get(end) == Some(&"::")
                && tokens.get(end + 1).is_some_and(|it| is_name(it))
            {
                end += 2;
            }
            if end > at + 1 {
                paths.push(tokens[at..end].iter().step_by(2).map(|it| (*it).to_owned()).collect());
            }
        }
        at = end;
    }
    paths
}

/// Returns the paths that names stand for by `use` declarations.
pub(crate) fn names_of(code: &str) -> BTreeMap<String, Path> {
    let named = |it: Use| Some((it.name?, it.path));
    uses(&tokens(code)).into_iter().filter_map(named).collect()
}

/// The leaves of all `use` declarations.
fn uses(tokens: &[&str]) -> Vec<Use> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == "use" {
            let end = end_of_use(tokens, at);
            leaves(&tokens[at + 1..end], &mut found);
            at = end;
        }
        at += 1;
    }
    found
}

/// Where the declaration ends that begins at `start`.
fn end_of_use(tokens: &[&str], start: usize) -> usize {
    let length = tokens[start..].iter().position(|it| *it == ";");
    length.map_or(tokens.len(), |it| start + it)
}

/// The leaves of one declaration.
fn leaves(tokens: &[&str], found: &mut Vec<Use>) {
    let mut path = Path::new();
    // How long the path is at the start of each leaf of the groups around.
    let mut starts = vec![0];
    let mut alias: Option<String> = None;
    let mut is_leaf = false;
    let mut is_after_as = false;
    for token in tokens.iter().copied().chain([","]) {
        match token {
            "{" => {
                starts.push(path.len());
                is_leaf = false;
            }
            "," | "}" => {
                if std::mem::take(&mut is_leaf) {
                    found.push(leaf(&path, alias.take()));
                }
                if token == "}" && starts.len() > 1 {
                    starts.pop();
                }
                path.truncate(starts.last().copied().unwrap_or_default());
            }
            "as" => is_after_as = true,
            name if std::mem::take(&mut is_after_as) => alias = Some(name.to_owned()),
            "*" => {
                path.push("*".to_owned());
                is_leaf = true;
            }
            name if is_name(name) => {
                path.push(name.to_owned());
                is_leaf = true;
            }
            _ => {}
        }
    }
}

fn leaf(path: &[String], alias: Option<String>) -> Use {
    let is_glob = path.last().is_some_and(|it| it == "*");
    // `a::{self}` is `a`.
    let is_self = path.len() > 1 && path.last().is_some_and(|it| it == "self");
    let path = path[..path.len() - usize::from(is_glob || is_self)].to_vec();
    let name = alias.or_else(|| path.last().filter(|_| !is_glob).cloned());
    Use { path, name }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::`, and single characters.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(code: &str) -> Vec<String> {
        paths_of(code).into_iter().map(|it| it.join("::")).collect()
    }

    #[test]
    fn groups_are_taken_apart() {
        let code = "pub use crate::{a::{self, B as C, d::*}, e};\nuse super::f;\n";
        assert_eq!(
            joined(code)[..5],
            ["crate::a", "crate::a::B", "crate::a::d", "crate::e", "super::f"]
        );
        let names: Vec<_> = names_of(code).into_keys().collect();
        assert_eq!(names, ["C", "a", "e", "f"]);
    }

    #[test]
    fn paths_of_code_end_at_what_is_no_name() {
        assert_eq!(
            joined("fn f(x: a::B<c::D>) { e::f::<g::H>(x.y) }"),
            ["a::B", "c::D", "e::f", "g::H"]
        );
    }
}
