//! Typed names: a name from a table of well-known names is compared as text only where text is read.
//!
//! The names are the strings of the tables themselves, so a new row is watched from the start.

use std::collections::BTreeSet;

use crate::tidy::tree::{Finding, Tree, product_code};

/// A table of names: its file, the line that opens it, and what is compared instead.
struct Table {
    path: &'static str,
    opens: &'static str,
    way_out: &'static str,
    /// Beginnings of its names that tell a family, which code compared by `starts_with`.
    prefixes: &'static [&'static str],
}

const TABLES: &[Table] = &[
    Table {
        path: "crates/ir/src/intrinsic.rs",
        opens: "intrinsics! {",
        way_out: "match on `ir::Intrinsic`",
        prefixes: &["call_llvm"],
    },
    Table {
        path: "crates/ir/src/memory_scope.rs",
        opens: "const NAMES:",
        way_out: "ask `ir::MemoryScope`",
        prefixes: &["wmma."],
    },
    Table {
        path: "crates/ir/src/thread_tag.rs",
        opens: "const NAMES:",
        way_out: "ask `ir::ThreadTag`",
        prefixes: &["blockIdx", "threadIdx", "vthread"],
    },
    Table {
        path: "crates/ir/src/known_ops.rs",
        opens: "known_ops! {",
        way_out: "compare with a constant of `ir::known_ops`",
        prefixes: &[],
    },
];

/// Crates that reason about programs that have been read.
const REASONING: &[&str] =
    &["ir", "interp", "dataflow", "arith", "transform", "barriers", "lower", "codegen", "ide"];

/// Where text is read or written all the same, and why.
const TEXT: &[(&str, &str)] = &[
    ("crates/ir/src/intrinsic.rs", "a table of the names"),
    ("crates/ir/src/memory_scope.rs", "a table of the names"),
    ("crates/ir/src/thread_tag.rs", "a table of the names"),
    ("crates/ir/src/known_ops.rs", "a table of the names"),
    ("crates/ir/src/dtype.rs", "reads types"),
    ("crates/ir/src/effects/", "reads and normalises names of tables"),
    ("crates/ir/src/role/arguments.rs", "a table of the arguments of operators"),
    ("crates/ir/src/text/", "reads types of MLIR"),
    (
        "crates/barriers/src/instructions.rs",
        "reads instructions, whose operands are in their names",
    ),
    ("crates/interp/src/async_copy.rs", "reads instructions, whose operands are in their names"),
    ("crates/interp/src/intrinsics.rs", "functions of numbers by their names"),
    ("crates/interp/src/library.rs", "functions of other libraries by their names"),
    ("crates/interp/src/mlir", "operations by dialect and name, one table a dialect"),
    ("crates/codegen/src/backend/c/dialect.rs", "names of functions in C"),
    ("crates/codegen/src/backend/cuda/dialect.rs", "names of functions in CUDA"),
    ("crates/codegen/src/backend/hip.rs", "names of functions in HIP"),
    ("crates/codegen/src/backend/opencl/dialect.rs", "names of functions in OpenCL"),
    ("crates/lower/src/from_ops/", "operations by dialect and name"),
    ("crates/arith/src/rules/parse.rs", "reads the rules"),
];

/// Reports comparisons of well-known names as text.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let tables: Vec<(&Table, BTreeSet<&str>)> = TABLES
        .iter()
        .map(|it| (it, tree.get(it.path).map_or_else(BTreeSet::new, |text| names(text, it.opens))))
        .collect();
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files().filter(|(path, _)| is_reasoning(path)) {
        // Strings are blank in product code, and so are lines of tests and comments.
        let product = product_code(text);
        let lines = text.lines().zip(product.lines()).enumerate();
        for (index, (line, _)) in lines.filter(|(_, it)| !it.1.trim().is_empty()) {
            for (table, names) in &tables {
                let compared = literals(line)
                    .filter(|it| is_compared(line, it))
                    .find(|it| names.contains(it.text) || is_prefix(line, it, table.prefixes));
                if let Some(it) = compared {
                    let problem = format!("`{}` is compared as text", it.text);
                    findings.push(Finding::new(path, index + 1, problem, table.way_out));
                }
            }
        }
    }
    findings
}

fn is_reasoning(path: &str) -> bool {
    let is_test =
        path.ends_with("tests.rs") || path.contains("/tests/") || path.ends_with("/test_bodies.rs");
    let package = path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/"));
    !is_test
        && package.is_some_and(|(name, _)| REASONING.contains(&name))
        && !TEXT.iter().any(|(it, _)| path.starts_with(it))
}

/// The names of a table: the strings from the line that opens it up to its end.
fn names<'t>(text: &'t str, opens: &str) -> BTreeSet<&'t str> {
    let Some(start) = text.find(&format!("\n{opens}")) else { return BTreeSet::new() };
    let body = &text[start..];
    let end = body.find("\n}").into_iter().chain(body.find("\n];")).min().unwrap_or(body.len());
    let lines = body[..end].lines().filter(|it| !it.trim_start().starts_with("//"));
    lines.flat_map(literals).map(|it| it.text).filter(|it| !it.is_empty()).collect()
}

/// A string in a line, with where its quotes are.
struct Literal<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

fn literals(line: &str) -> impl Iterator<Item = Literal<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find('"')?;
        let end = start + 1 + line[start + 1..].find('"')? + 1;
        at = end;
        Some(Literal { text: &line[start + 1..end - 1], start, end })
    })
}

/// Returns true if a string is an operand of a comparison, a pattern, or in the list of a `matches!`.
fn is_compared(line: &str, it: &Literal<'_>) -> bool {
    let (before, after) = (line[..it.start].trim_end(), line[it.end..].trim_start());
    let is_operand = ["==", "!="].iter().any(|op| before.ends_with(op) || after.starts_with(op));
    let is_pattern = before.ends_with('|') && !before.ends_with("||")
        || after.starts_with("=>")
        || after.starts_with('|') && !after.starts_with("||")
        || after.starts_with(',') && after.contains("=>") && before.trim_start().starts_with('(');
    let is_listed = before.contains("matches!(") && !after.starts_with(". ");
    let is_affix =
        ["starts_with(", "ends_with(", "strip_prefix("].iter().any(|it| before.ends_with(it));
    is_operand || is_pattern || is_listed || is_affix
}

fn is_prefix(line: &str, it: &Literal<'_>, prefixes: &[&str]) -> bool {
    let is_affix = line[..it.start].trim_end().ends_with("starts_with(");
    is_affix && prefixes.iter().any(|prefix| it.text.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    const INTRINSICS: &str = "//! x\n\nintrinsics! {\n    /// `likely(\"no\")`\n    Likely = \"likely\",\n    \
                              Return = \"ret\" | \"return\",\n}\n";
    const TAGS: &str =
        "//! x\n\nconst NAMES: [(&str, ThreadTag); 1] = [\n    (\"threadIdx.x\", X),\n];\n";

    #[track_caller]
    fn check_line(line: &str, expected: bool) {
        let text = format!("fn f() {{\n{line}\n}}\n");
        let tree = Tree::of(&[
            ("crates/ir/src/intrinsic.rs", INTRINSICS),
            ("crates/ir/src/thread_tag.rs", TAGS),
            ("crates/arith/src/a.rs", &text),
        ]);
        assert_eq!(!check(&tree).is_empty(), expected, "{line}");
    }

    #[test]
    fn comparisons_and_patterns_are_found() {
        check_line("if body.name(name) == \"likely\" {", true);
        check_line("if \"likely\" != name {", true);
        check_line("    \"ret\" | \"other\" => 1,", true);
        check_line("            | \"return\"", true);
        check_line("    (\"likely\", &[a]) => self.expr(a),", true);
        check_line("matches!(name, \"other\" | \"likely\")", true);
        check_line("tag.starts_with(\"threadIdx\")", true);
    }

    #[test]
    fn texts_that_are_written_or_of_no_table_are_not() {
        check_line("let callee = body.operator(\"likely\");", false);
        check_line("    Some(_) => \"likely\",", false);
        check_line("    (\"exp\", &[a]) => self.expr(a),", false);
        check_line("if name == \"no\" {", false);
        check_line("// name == \"likely\"", false);
    }

    #[test]
    fn only_crates_that_reason_are_asked() {
        let text = "fn f() { x == \"likely\" }\n";
        let tree = Tree::of(&[
            ("crates/ir/src/intrinsic.rs", INTRINSICS),
            ("crates/frontend/src/a.rs", text),
            ("crates/arith/src/a/tests.rs", text),
            ("crates/lower/src/a.rs", text),
        ]);
        expect![[r#"
            crates/lower/src/a.rs:1: `likely` is compared as text
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }

    #[test]
    fn every_place_of_text_is_there() {
        let Ok(tree) = crate::workspace::Workspace::find().and_then(|it| Tree::read(&it)) else {
            return;
        };
        for (path, _) in TEXT {
            let is_there = tree.rust_files().any(|it| it.0.starts_with(path));
            assert!(is_there, "{path} is gone");
        }
    }
}
