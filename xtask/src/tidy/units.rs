//! Functions are worked on under a guard: commands reach them through one place, and so do the features of editors.

use crate::tidy::tree::{Finding, Tree, code_only};

/// The place where something may be called, and the replacement elsewhere.
struct Gate {
    /// The folder that this is about.
    below: &'static str,
    /// The called functions.
    calls: &'static [&'static str],
    /// The only files that may.
    only: &'static [&'static str],
    /// The callers that guard their own work.
    except: &'static [&'static str],
    way_out: &'static str,
}

const GATES: &[Gate] = &[
    Gate {
        below: "crates/",
        calls: &["tvmscript::lower(", "tvmscript::try_lower("],
        only: &["crates/pipeline/src/expressions.rs"],
        except: &[],
        way_out: "use `pipeline::expressions`",
    },
    Gate {
        below: "crates/tir-analyzer/src/",
        calls: &["expressions::lower(", "expressions::try_lower("],
        only: &["crates/tir-analyzer/src/cli/driver/unit.rs"],
        except: &[],
        way_out: "use `cli::driver::unit::with_function`",
    },
    Gate {
        below: "crates/ide/src/",
        calls: &["db::placed_units("],
        // The last two put the units of a document together, and guard what they make of each.
        only: &[
            "crates/ide/src/units.rs",
            "crates/ide/src/names/operations.rs",
            "crates/ide/src/document_symbols/operations.rs",
        ],
        except: &[],
        way_out: "use `of_units` or `try_units`",
    },
    Gate {
        below: "crates/ide/src/lib.rs",
        calls: &["(db, file, offset)"],
        only: &[],
        // It says in the places of its parts what became of them.
        except: &["hover::hover("],
        way_out: "use `ask_at` or `ask_or_at`",
    },
];

/// Reports ways around the guards.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files() {
        let gates =
            GATES.iter().filter(|it| path.starts_with(it.below) && !it.only.contains(&path));
        let gates: Vec<&Gate> = gates.collect();
        // A test that fails, or a bench, costs nobody's function.
        let is_ours = ["/tests/", "/benches/"].iter().any(|it| path.contains(it));
        if gates.is_empty() || is_ours || path.ends_with("/tests.rs") {
            continue;
        }
        for (index, line) in code_only(text).lines().enumerate() {
            let has = |words: &[&str]| words.iter().any(|it| line.contains(it));
            let hit = |gate: &&&Gate| has(gate.calls) && !has(gate.except);
            if let Some(gate) = gates.iter().find(hit) {
                let problem = "a function is worked on without a guard".to_owned();
                findings.push(Finding::new(path, index + 1, problem, gate.way_out));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn functions_are_reached_through_the_guards() {
        let lower = "//! a\nlet it = tvmscript::lower(&source, &environment);\n";
        let guarded = "//! a\nlet it = expressions::try_lower(&source, &environment);\n";
        let units = "//! a\nfor it in db::placed_units(db, file) {}\n";
        let places = "//! a\nself.ask(file, |db, file| explain::explain(db, file, offset))\n\
                      self.ask(file, |db, file| hover::hover(db, file, offset))\n\
                      self.ask_at(file, offset, explain::explain)\n";
        let tree = Tree::of(&[
            ("crates/tir-analyzer/src/cli/commands/opt.rs", lower),
            ("crates/tir-analyzer/src/cli/commands/fix.rs", guarded),
            ("crates/tir-analyzer/src/cli/driver/unit.rs", guarded),
            ("crates/pipeline/src/expressions.rs", lower),
            ("crates/tir-analyzer/src/cli/tests/opt.rs", lower),
            ("crates/build-kernels/src/source.rs", lower),
            ("crates/ide/src/units.rs", units),
            ("crates/ide/src/folding_ranges.rs", units),
            ("crates/ide/src/lib.rs", places),
        ]);
        expect![[r#"
            crates/build-kernels/src/source.rs:2: a function is worked on without a guard
            crates/ide/src/folding_ranges.rs:2: a function is worked on without a guard
            crates/ide/src/lib.rs:2: a function is worked on without a guard
            crates/tir-analyzer/src/cli/commands/fix.rs:2: a function is worked on without a guard
            crates/tir-analyzer/src/cli/commands/opt.rs:2: a function is worked on without a guard
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }
}
