//! The pages of rules: every example has its finding, and every fix gives the text after.
//!
//! `UPDATE_EXPECT=1` writes what is said, and what `fix` makes, into the pages.

use std::{fs, path::PathBuf};

use rules::Rule;
use serde_json::Value;

use super::Project;
use crate::cli::rules::{
    self as catalogue,
    pages::{self, Example, Fence, Page},
};

/// Rules that no small file shows, and why.
const WITHOUT_EXAMPLE: [(&str, &str); 5] = [
    ("internal-error", "a mistake of ours, which no text should cause"),
    ("more-diagnostics", "a thousand diagnostics"),
    ("syntax-error", "what no other rule names"),
    ("too-deep", "hundreds of levels"),
    ("unknown-character", "what `unexpected-text` does not name"),
];

/// Returns true for rules that have a page: those whose findings are reported.
fn has_page(rule: &Rule) -> bool {
    rule.level.is_some() || rule.is_fixable()
}

#[test]
fn every_rule_that_is_reported_has_a_page_and_no_other_has() {
    let rules: Vec<&str> =
        catalogue::all().iter().filter(|it| has_page(it)).map(|it| it.name).collect();
    assert_eq!(pages::names().collect::<Vec<_>>(), rules);
    for name in rules {
        let page = pages::of(name).unwrap();
        assert!(!page.why.is_empty() && !page.when_not.is_empty(), "{name}");
        let has_none = WITHOUT_EXAMPLE.iter().any(|it| it.0 == name);
        assert_eq!(page.example.is_none(), has_none, "{name}");
    }
}

#[test]
fn examples_have_their_finding_and_fixes_give_the_text_after() {
    let wrong: Vec<String> = pages::names().filter_map(|name| check(name).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks the page of a rule, or writes it.
fn check(name: &str) -> Result<(), String> {
    let Page { why, example, when_not } = pages::of(name).unwrap();
    let Some(example) = example else { return Ok(()) };
    let said = said(name, example.before, example.settings);
    if said.is_empty() {
        return Err(format!("{name}: the example has no such finding"));
    }
    let after = match example.after {
        Some(it) if !it.is_fix => {
            let left = self::said(name, it, example.settings);
            if !left.is_empty() {
                return Err(format!("{name}: the text after has the finding still: {left}"));
            }
            it.text.to_owned()
        }
        _ => fixed(name, &example)?,
    };
    let is_fix = example.after.is_none_or(|it| it.is_fix);
    let language = example.before.language;
    let settings = match example.settings {
        "" => String::new(),
        it => format!("```toml\n{it}```\n\n"),
    };
    let page = format!(
        "## Why\n\n{why}\n\n## Example\n\n```{language}\n{}```\n\n{settings}```text\n{said}```\n\n## \
         After\n\n```{language}{}\n{after}```\n\n## When not\n\n{when_not}\n",
        example.before.text,
        if is_fix { " fix" } else { "" },
    );
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("rules/{name}.md"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, page).unwrap();
        return Ok(());
    }
    let found = fs::read_to_string(path).unwrap();
    match found == page {
        true => Ok(()),
        false => Err(format!("{name}: the page should be (UPDATE_EXPECT=1 writes it)\n{page}")),
    }
}

/// The words of `check` about a file, by one rule: a line a finding.
fn said(name: &str, file: Fence, settings: &str) -> String {
    let project = project(file, settings);
    let outcome =
        project.run(&format!("check --format json --limit 0 --level hint {}", path(file)));
    let report: Value = serde_json::from_slice(&outcome.out).expect(name);
    let files = report["files"].as_array().unwrap();
    let all = files.iter().flat_map(|it| it["diagnostics"].as_array().unwrap());
    let lines = all.filter(|it| it["code"] == name).map(|it| {
        let at = &it["range"]["start"];
        format!("{}:{}: {}\n", at["line"], at["column"], it["message"].as_str().unwrap())
    });
    lines.collect()
}

/// The file as `fix` leaves it: of TVMScript by this rule alone, of others by all that is found.
fn fixed(name: &str, example: &Example) -> Result<String, String> {
    let file = example.before;
    let project = project(file, example.settings);
    let only = match catalogue::find(name).is_ok_and(Rule::is_fixable) && file.language == "python"
    {
        true => format!("--only {name}"),
        false => String::new(),
    };
    let outcome = project.run(&format!("fix {only} {}", path(file)));
    let after = project.read(path(file));
    match outcome.code == 0 && after != file.text {
        true => Ok(after),
        false => Err(format!("{name}: `fix` changes nothing: {}", outcome.err())),
    }
}

fn project(file: Fence, settings: &str) -> Project {
    Project::new(&[(path(file), file.text), ("tir-analyzer.toml", settings)])
}

fn path(file: Fence) -> &'static str {
    match file.language {
        "python" => "example.py",
        "mlir" => "example.mlir",
        "pir" => "example.pir",
        it => panic!("examples are not of {it}"),
    }
}
