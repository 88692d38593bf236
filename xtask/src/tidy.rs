//! `cargo xtask tidy`: rules of the house that the compiler does not check.
//!
//! Every rule is a function from a [`Tree`] (paths and contents, in memory) to findings, so that a test plants a
//! violation without touching the disk. A finding has file and line, and names the way out.

mod circles;
mod dependencies;
mod edits;
mod files;
mod io;
mod known_names;
mod languages;
mod layers;
mod layout;
mod lines;
mod manifest;
mod paths;
mod prose;
mod rules;
mod rust_text;
mod size;
mod sources;
mod tree;
mod units;
mod words;

use crate::tidy::tree::{Finding, Tree};
use crate::workspace::{Workspace, say};
use crate::{Outcome, codegen};

/// Check rules that the compiler does not: layers, module headers, words, style, generated files.
///
/// Reads every file that git tracks or would track. Each finding has its place and the way to resolve it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask tidy           everything
  cargo xtask tidy --list    the rules, by name
  cargo xtask tidy layers    one rule")]
pub(crate) struct Args {
    /// Only these rules.
    rules: Vec<String>,
    /// Say which rules there are.
    #[arg(long)]
    list: bool,
}

/// A rule: its name, its demand, and the function that looks for violations.
struct Rule {
    name: &'static str,
    demand: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

const RULES: &[Rule] = &[
    Rule {
        name: "layers",
        demand: "dependencies between crates only go down",
        check: layers::check,
    },
    Rule {
        name: "externals",
        demand: "a library is used only where it belongs",
        check: dependencies::homes,
    },
    Rule { name: "unused", demand: "a declared dependency is used", check: dependencies::unused },
    Rule {
        name: "reasons",
        demand: "a README says why a library is there",
        check: dependencies::explained,
    },
    Rule {
        name: "stale",
        demand: "a library with a home is still there",
        check: dependencies::stale,
    },
    Rule {
        name: "manifests",
        demand: "versions and lints come from the workspace",
        check: manifest::check,
    },
    Rule {
        name: "io",
        demand: "crates that compute touch no file, process or clock",
        check: io::check,
    },
    Rule {
        name: "files",
        demand: "files are read by the crate `files` alone",
        check: files::check,
    },
    Rule { name: "edits", demand: "edits that users get were read back", check: edits::check },
    Rule {
        name: "rules",
        demand: "a name in a message is declared once, where it is produced",
        check: rules::check,
    },
    Rule { name: "units", demand: "functions are worked on under a guard", check: units::check },
    Rule {
        name: "languages",
        demand: "few files name a language: the others ask its row",
        check: languages::check,
    },
    Rule {
        name: "headers",
        demand: "a Rust file opens with `//!` and says what it is",
        check: sources::headers,
    },
    Rule {
        name: "unfinished",
        demand: "no work is left as a marker in the code",
        check: sources::unfinished,
    },
    Rule {
        name: "ignored-tests",
        demand: "a test that is left out says why",
        check: sources::ignored_tests,
    },
    Rule {
        name: "known-names",
        demand: "a well-known name is compared as text only where text is read",
        check: known_names::check,
    },
    Rule {
        name: "circles",
        demand: "files of a crate use each other in one direction",
        check: circles::check,
    },
    Rule { name: "size", demand: "a file holds one idea", check: size::check },
    Rule {
        name: "lines",
        demand: "no trailing blanks, tabs in Rust or missing line ends",
        check: lines::check,
    },
    Rule {
        name: "words",
        demand: "no machine's paths, registry hosts or tool talk",
        check: words::check,
    },
    Rule {
        name: "width",
        demand: "comments and Markdown have at most 120 columns",
        check: prose::width,
    },
    Rule { name: "cells", demand: "a table of a README fits a screen", check: prose::cells },
    Rule {
        name: "openings",
        demand: "a doc comment begins with a noun or a verb",
        check: prose::openings,
    },
    Rule { name: "names", demand: "no private names from before", check: prose::names },
    Rule {
        name: "layout",
        demand: "READMEs exist, and nothing lies about at the top",
        check: layout::check,
    },
];

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    if args.list {
        for rule in RULES {
            say(format_args!("{:14} {}", rule.name, rule.demand));
        }
        say(format_args!("{:14} {GENERATED_DEMAND}", GENERATED));
        return Ok(Outcome::Passed);
    }
    for name in &args.rules {
        let known = name == GENERATED || RULES.iter().any(|rule| rule.name == name);
        anyhow::ensure!(known, "no rule is called `{name}`; `cargo xtask tidy --list` names them");
    }
    let tree = Tree::read(ws)?;
    let mut count = 0;
    for rule in RULES.iter().filter(|rule| wanted(args, rule.name)) {
        let findings = (rule.check)(&tree);
        count += findings.len();
        findings.iter().for_each(|finding| say(format_args!("{}[{}]", finding, rule.name)));
    }
    if wanted(args, GENERATED)
        && codegen::run(&codegen::Args { check: true }, ws)? == Outcome::Failed
    {
        count += 1;
    }
    say(format_args!(
        "tidy: {} files, {}",
        tree.len(),
        if count == 0 { "clean".into() } else { plural(count) }
    ));
    Ok(if count == 0 { Outcome::Passed } else { Outcome::Failed })
}

/// Checks every rule.
pub fn run_all(ws: &Workspace) -> anyhow::Result<Outcome> {
    run(&Args { rules: Vec::new(), list: false }, ws)
}

const GENERATED: &str = "generated";
const GENERATED_DEMAND: &str = "generated files are up to date (`cargo xtask codegen --check`)";

fn wanted(args: &Args, name: &str) -> bool {
    args.rules.is_empty() || args.rules.iter().any(|rule| rule == name)
}

fn plural(count: usize) -> String {
    if count == 1 { "1 finding".into() } else { format!("{count} findings") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_distinct_names() {
        let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).chain([GENERATED]).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len() + 1);
    }

    #[test]
    fn empty_tree_breaks_no_rule_but_the_missing_readmes() {
        let tree = Tree::default();
        let broken: Vec<_> = RULES
            .iter()
            .filter(|rule| !(rule.check)(&tree).is_empty())
            .map(|rule| rule.name)
            .collect();
        assert_eq!(broken, ["layout"]);
    }
}
