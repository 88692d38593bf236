//! Many scripts as one question: the disjunction of what they assert.
//!
//! It cannot be satisfied if and only if none of them can, also where they share the names of their variables: each is
//! asked about some values. Starting anew costs the solver as much as a small question, and questions about one place
//! share most of their terms.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

/// Returns true if a script can be one of many: it declares no sort and no function of its own.
pub(crate) fn is_joinable(script: &str) -> bool {
    !script.contains("(declare-fun ") && !script.contains("(declare-sort ")
}

/// The logic of a script that declares no sort and no function, as its first line; none if it has arrays, or functions
/// of the solver that the logic has not.
pub(crate) fn logic(script: &str) -> &'static str {
    let is_more = ["(Array ", "mul_noovfl ", "mul_noudfl "].iter().any(|it| script.contains(it));
    if is_more { "" } else { "(set-logic QF_BV)\n" }
}

/// One script for several, each of which is joinable.
pub(crate) fn joined(scripts: &[&str]) -> String {
    // Variables by name and sort, functions of all scripts by name, and the terms of each.
    let mut variables: BTreeMap<String, &str> = BTreeMap::new();
    let mut functions: BTreeMap<&str, &str> = BTreeMap::new();
    let mut terms = String::new();
    let mut all = String::new();
    for (number, script) in scripts.iter().enumerate() {
        let mut names: FxHashMap<&str, String> = FxHashMap::default();
        all.push_str("(and true");
        for line in script.lines() {
            if let Some((name, sort)) = declared(line) {
                let width: String = sort.chars().filter(char::is_ascii_alphanumeric).collect();
                let new = format!("{name}-{width}");
                variables.insert(new.clone(), sort);
                names.insert(name, new);
            } else if let Some(goal) = line.strip_prefix("(assert ") {
                all.push(' ');
                renamed(goal.strip_suffix(')').unwrap_or(goal), &names, &mut all);
            } else if let Some(name) = line.strip_prefix("(define-fun ").and_then(first_word) {
                if name.starts_with("floor-") {
                    functions.insert(name, line);
                    continue;
                }
                names.insert(name, format!("{name}-{number}"));
                renamed(line, &names, &mut terms);
                terms.push('\n');
            }
        }
        all.push_str(")\n");
    }
    let mut out = String::new();
    for (name, sort) in variables {
        let _ = writeln!(out, "(declare-const {name} {sort})");
    }
    for function in functions.values() {
        let _ = writeln!(out, "{function}");
    }
    let _ = write!(out, "{terms}(assert (or false\n{all}))\n");
    out
}

fn first_word(text: &str) -> Option<&str> {
    text.split(' ').next()
}

/// The name and the sort that a line declares.
fn declared(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("(declare-const ")?.strip_suffix(')')?.split_once(' ')
}

/// Writes a text with other names.
fn renamed(text: &str, names: &FxHashMap<&str, String>, out: &mut String) {
    for part in text.split_inclusive(['(', ')', ' ']) {
        let word = part.trim_end_matches(['(', ')', ' ']);
        match names.get(word) {
            Some(new) => {
                out.push_str(new);
                out.push_str(&part[word.len()..]);
            }
            None => out.push_str(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn scripts_share_variables_of_one_sort_and_no_terms() {
        let scripts = [
            "(declare-const v0 (_ BitVec 32))\n(define-fun t1 () Bool (bvslt v0 (_ bv1 32)))\n(assert t1)\n",
            "(declare-const v0 (_ BitVec 64))\n(declare-const v1 Bool)\n\
             (define-fun t1 () Bool (= v0 (_ bv0 64)))\n(define-fun t2 () Bool (not t1))\n(assert v1)\n(assert t2)\n",
        ];
        expect![[r#"
            (declare-const v0-BitVec32 (_ BitVec 32))
            (declare-const v0-BitVec64 (_ BitVec 64))
            (declare-const v1-Bool Bool)
            (define-fun t1-0 () Bool (bvslt v0-BitVec32 (_ bv1 32)))
            (define-fun t1-1 () Bool (= v0-BitVec64 (_ bv0 64)))
            (define-fun t2-1 () Bool (not t1-1))
            (assert (or false
            (and true t1-0)
            (and true v1-Bool t2-1)
            ))
        "#]]
        .assert_eq(&joined(&scripts));
    }

    #[test]
    fn a_logic_is_named_only_where_the_solver_knows_all_in_it() {
        let of =
            |goal: &str| logic(&format!("(declare-const v0 (_ BitVec 32))\n(assert {goal})\n"));
        assert_eq!(of("(bvslt v0 (_ bv1 32))"), "(set-logic QF_BV)\n");
        assert_eq!(of("(not (bvumul_noovfl v0 v0))"), "");
        assert_eq!(of("(not (and (bvsmul_noovfl v0 v0) (bvsmul_noudfl v0 v0)))"), "");
    }

    #[test]
    fn scripts_with_sorts_of_their_own_stay_alone() {
        assert!(is_joinable("(declare-const v0 Bool)\n(assert v0)\n"));
        assert!(!is_joinable("(declare-sort S1 0)\n(declare-const v0 S1)\n"));
        assert!(!is_joinable("(declare-fun f1 (Bool) Bool)\n"));
    }
}
