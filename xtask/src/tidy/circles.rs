//! Circles between the files of a crate: a file that, through others, uses what uses it.
//!
//! Who reads one file of a circle has to read all of them, and none can be taken out. A module and what lies in its own
//! folder may know each other; every other circle is found here: the files of each crate are read for the paths in
//! their code, a path leads to the file of the module that it names (through `use` of others, so that a name of the
//! crate's root counts for the file that has it), and files that reach each other are one circle. Tests do not count.
//!
//! Circles that are there are recorded with their size and a reason. A circle may shrink, and then its record has to;
//! it may not grow.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::paths::{Path, names_of, paths_of};
use crate::tidy::tree::{Finding, Tree, product_code};

/// A circle that is there: its first file in the order of paths, how many files are in it, and why.
type Accepted = (&'static str, usize, &'static str);

/// Nobody has cut it yet.
const NOT_CUT: &str = "not cut yet";
/// The reason why a grammar may be recursive.
const GRAMMAR: &str = "a recursive grammar";
/// An operand is an expression, which has operands.
const EXPRESSIONS: &str = "expressions in expressions";
/// Types that name each other.
const DATA: &str = "data that is one structure";
/// The state of a run is one struct with methods in many files.
const ONE_MACHINE: &str = "one machine, not cut yet";

/// The recorded circles. Make it shorter.
const ACCEPTED: &[Accepted] = &[
    ("crates/build-kernels/src/run.rs", 2, NOT_CUT),
    ("crates/codegen/src/artifact.rs", 2, NOT_CUT),
    ("crates/codegen/src/backend/c_family/expr.rs", 4, EXPRESSIONS),
    ("crates/codegen/src/backend/naga/expr.rs", 4, EXPRESSIONS),
    ("crates/codegen/src/build/output.rs", 2, NOT_CUT),
    ("crates/db/src/document_aliases.rs", 5, NOT_CUT),
    ("crates/db/src/finding.rs", 3, NOT_CUT),
    ("crates/frontend/src/mlir/aliases.rs", 3, NOT_CUT),
    ("crates/frontend/src/mlir/blocks.rs", 10, NOT_CUT),
    ("crates/frontend/src/tvmscript/allow.rs", 2, NOT_CUT),
    ("crates/frontend/src/tvmscript/lower/arguments.rs", 3, EXPRESSIONS),
    ("crates/frontend/src/tvmscript/simplify_edits/chains.rs", 2, NOT_CUT),
    ("crates/frontend/src/tvmscript/staging/function.rs", 2, DATA),
    ("crates/interp/src/access.rs", 15, ONE_MACHINE),
    ("crates/interp/src/bind.rs", 2, NOT_CUT),
    ("crates/interp/src/mlir/affine.rs", 20, ONE_MACHINE),
    ("crates/ir/src/body.rs", 3, DATA),
    ("crates/ir/src/dtype.rs", 2, DATA),
    ("crates/ir/src/interned.rs", 2, NOT_CUT),
    ("crates/lower/src/from_ops/convert.rs", 2, NOT_CUT),
    ("crates/lower/src/serial_threads/parts.rs", 3, NOT_CUT),
    ("crates/parser/src/mlir/formats.rs", 7, GRAMMAR),
    ("crates/parser/src/tvmscript/grammar/block.rs", 3, GRAMMAR),
    ("crates/syntax/src/green.rs", 2, NOT_CUT),
    ("crates/tir-analyzer/src/cli/commands/build/binaries.rs", 2, NOT_CUT),
    ("crates/tir-analyzer/src/cli/input/files.rs", 3, NOT_CUT),
    ("crates/tir-analyzer/src/server/outbox.rs", 2, NOT_CUT),
    ("crates/transform/src/simplify/expressions.rs", 3, NOT_CUT),
    ("xtask/checks/src/conformance/mlir.rs", 2, NOT_CUT),
    ("xtask/checks/src/test/clients.rs", 2, NOT_CUT),
];

/// Reports circles that are new or have grown, and records that are out of date.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    check_against(tree, ACCEPTED)
}

fn check_against(tree: &Tree, accepted: &[Accepted]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for circle in circles(tree) {
        let record = accepted.iter().find(|it| it.0 == circle[0]);
        seen.extend(record.map(|it| it.0));
        let n = circle.len();
        let (problem, way_out) = match record.map(|it| it.1) {
            Some(recorded) if recorded == n => continue,
            Some(recorded) if recorded > n => (
                format!("the circle has {n} files, {recorded} are recorded"),
                "record the smaller number",
            ),
            Some(recorded) => {
                (format!("the circle grew from {recorded} files to {}", list(&circle)), WAY_OUT)
            }
            None => (format!("a circle of {}", list(&circle)), WAY_OUT),
        };
        findings.push(Finding::new(&circle[0], 1, problem, way_out));
    }
    for (first, ..) in accepted.iter().filter(|it| !seen.contains(it.0) && tree.len() > 0) {
        let problem = format!("the circle of {first} is gone");
        findings.push(Finding::new("xtask/src/tidy/circles.rs", 1, problem, "remove its record"));
    }
    findings
}

fn list(circle: &[String]) -> String {
    format!("{} files: {}", circle.len(), circle.join(" "))
}

const WAY_OUT: &str = "move what both need below both, or make one the module of the other";

/// The circles of all crates, each in the order of paths.
fn circles(tree: &Tree) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (crate_, files) in crates(tree) {
        let modules = Modules::of(&crate_, &files);
        all.extend(components(&modules.edges()));
    }
    all.sort();
    all
}

/// By crate, the files of its library or program: path and code.
fn crates(tree: &Tree) -> BTreeMap<String, Vec<(String, String)>> {
    let mut crates: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (path, text) in tree.rust_files() {
        let Some(at) = path.find("/src/") else { continue };
        let inside = &path[at + 5..];
        if inside.contains("tests/") || inside.ends_with("tests.rs") || inside.contains("bin/") {
            continue;
        }
        let files = crates.entry(path[..at + 5].to_owned()).or_default();
        files.push((path.to_owned(), product_code(text)));
    }
    crates
}

/// A module: its file, and what `use` makes of other modules' names in it.
struct Module {
    file: String,
    paths: Vec<Path>,
    /// By name: the path that it stands for.
    names: BTreeMap<String, Path>,
}

/// The modules of a crate, by their path from its root.
struct Modules {
    all: BTreeMap<Path, Module>,
}

impl Modules {
    fn of(folder: &str, files: &[(String, String)]) -> Modules {
        let mut all = BTreeMap::new();
        for (file, code) in files {
            let at = module_path(&file[folder.len()..]);
            let module =
                Module { file: file.clone(), paths: paths_of(code), names: names_of(code) };
            all.insert(at, module);
        }
        Modules { all }
    }

    /// By file, the files that it uses and that are neither around it nor in its folder.
    fn edges(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut edges = BTreeMap::new();
        for (at, module) in &self.all {
            let used: BTreeSet<String> = module
                .paths
                .iter()
                .filter_map(|it| self.module_of(at, it, MOST_USES))
                .filter(|it| !it.starts_with(at) && !at.starts_with(it))
                .filter_map(|it| self.all.get(&it).map(|it| it.file.clone()))
                .collect();
            edges.insert(module.file.clone(), used);
        }
        edges
    }

    /// The module that has what a path in the module `at` names.
    fn module_of(&self, at: &[String], path: &[String], left: u32) -> Option<Path> {
        let left = left.checked_sub(1)?;
        let mut here: Path = match path.first()?.as_str() {
            "crate" => Path::new(),
            "super" => at[..at.len().checked_sub(1)?].to_vec(),
            "self" => at.to_vec(),
            // A module in the folder of this one, or a name of a `use`.
            first => {
                let mut child = at.to_vec();
                child.push(first.to_owned());
                match self.all.contains_key(&child) {
                    true => return self.walk(child, &path[1..], left),
                    false => return None,
                }
            }
        };
        let mut rest = &path[1..];
        while rest.first().is_some_and(|it| it == "super") {
            here.pop()?;
            rest = &rest[1..];
        }
        self.walk(here, rest, left)
    }

    /// The module at the end of a path from the module `here`.
    fn walk(&self, mut here: Path, mut rest: &[String], left: u32) -> Option<Path> {
        while let Some(name) = rest.first() {
            let mut child = here.clone();
            child.push(name.clone());
            if self.all.contains_key(&child) {
                here = child;
                rest = &rest[1..];
                continue;
            }
            let module = self.all.get(&here)?;
            if let Some(target) = module.names.get(name) {
                let mut target = target.clone();
                target.extend(rest[1..].iter().cloned());
                return self.module_of(&here, &target, left).or(Some(here));
            }
            return Some(here);
        }
        Some(here)
    }
}

/// Uses of uses that are followed.
const MOST_USES: u32 = 8;

/// `a/b.rs` and `a/b/mod.rs` are `a::b`; the root is empty.
fn module_path(inside: &str) -> Path {
    let stem = inside.strip_suffix(".rs").unwrap_or(inside);
    let mut path: Path = stem.split('/').map(str::to_owned).collect();
    let is_root = path.len() == 1 && matches!(path[0].as_str(), "lib" | "main");
    if is_root || path.last().is_some_and(|it| it == "mod") {
        path.pop();
    }
    path
}

/// The sets of more than one file that reach each other, each in order. O(files · uses).
fn components(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|it| (it.as_str(), reachable(edges, it))).collect();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for (&file, from_here) in &reached {
        let is_back = |it: &&str| reached.get(*it).is_some_and(|there| there.contains(file));
        let circle: Vec<&str> = from_here.iter().copied().filter(is_back).collect();
        if circle.len() > 1 && done.insert(circle[0]) {
            found.push(circle.into_iter().map(str::to_owned).collect());
        }
    }
    found
}

/// The files that a file uses, and what these use.
fn reachable<'a>(edges: &'a BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&str> = edges.get(from).into_iter().flatten().map(String::as_str).collect();
    while let Some(file) = left.pop() {
        if reached.insert(file) {
            left.extend(edges.get(file).into_iter().flatten().map(String::as_str));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    const ROOT: (&str, &str) =
        ("crates/a/src/lib.rs", "mod one;\nmod two;\npub use one::{One, Other as Own};\n");

    #[track_caller]
    fn check(files: &[(&str, &str)], accepted: &[Accepted], expected: expect_test::Expect) {
        let mut all = vec![ROOT];
        all.extend(files);
        expected.assert_eq(&problems(&check_against(&Tree::of(&all), accepted)));
    }

    #[test]
    fn siblings_that_use_each_other_are_a_circle() {
        let files = [
            ("crates/a/src/one.rs", "use crate::two::Two;\nfn f() {}\n"),
            ("crates/a/src/two.rs", "fn g() { super::one::f() }\n"),
        ];
        check(
            &files,
            &[],
            expect![[r#"
            crates/a/src/one.rs:1: a circle of 2 files: crates/a/src/one.rs crates/a/src/two.rs
        "#]],
        );
        let first = "crates/a/src/one.rs";
        check(&files, &[(first, 2, "a reason")], expect![""]);
        check(
            &files,
            &[(first, 3, "a reason")],
            expect![[r#"
            crates/a/src/one.rs:1: the circle has 2 files, 3 are recorded
        "#]],
        );
        check(
            &files,
            &[(first, 1, "a reason")],
            expect![[r#"
            crates/a/src/one.rs:1: the circle grew from 1 files to 2 files: crates/a/src/one.rs crates/a/src/two.rs
        "#]],
        );
    }

    #[test]
    fn a_name_of_the_root_counts_for_the_file_that_has_it() {
        let files = [
            ("crates/a/src/one.rs", "use crate::two::{self, Two};\n"),
            ("crates/a/src/two.rs", "use crate::{Own, arena};\n"),
        ];
        check(
            &files,
            &[],
            expect![[r#"
            crates/a/src/one.rs:1: a circle of 2 files: crates/a/src/one.rs crates/a/src/two.rs
        "#]],
        );
    }

    #[test]
    fn a_module_and_its_folder_may_know_each_other_but_not_two_files_of_it() {
        let files = [
            ("crates/a/src/one.rs", "mod x;\nmod y;\nuse self::x::X;\nfn f() { y::g() }\n"),
            ("crates/a/src/one/x.rs", "use super::f;\n"),
            ("crates/a/src/one/y.rs", "use crate::one::f;\nuse super::X;\n"),
        ];
        check(&files, &[], expect![""]);
        let back = ("crates/a/src/one/x.rs", "use super::{f, y::g};\n");
        check(
            &[files[0], back, files[2]],
            &[],
            expect![[r#"
            crates/a/src/one/x.rs:1: a circle of 2 files: crates/a/src/one/x.rs crates/a/src/one/y.rs
        "#]],
        );
    }

    #[test]
    fn tests_and_comments_count_for_nothing_and_records_of_nothing_go() {
        let files = [
            ("crates/a/src/one.rs", "use crate::two::Two;\n"),
            (
                "crates/a/src/two.rs",
                "// crate::one\n#[cfg(test)]\nmod tests { use crate::one::f; }\n",
            ),
        ];
        check(
            &files,
            &[("crates/a/src/one.rs", 2, "a reason")],
            expect![[r#"
            xtask/src/tidy/circles.rs:1: the circle of crates/a/src/one.rs is gone
        "#]],
        );
    }
}
