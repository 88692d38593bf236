//! Every name that a message may carry, with its documentation: rules of lowering, kinds of syntax errors, rules of
//! plans, what is simplified, and the reasons why something is not shared or simplified or a function has no device code.
//!
//! `explain` prints them, SARIF lists them. Sorted by name.

use std::borrow::Cow;

use frontend::tvmscript::{Severity, diagnostics};
use ide::{FindingKind, FindingLevels};
use ir::plan::{docs, finding, ops::OpActionKind, simplify, simplify::SimplificationKind};
use syntax::SyntaxErrorKind;

/// What a name is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Topic {
    /// Findings of `check`.
    Finding,
    /// Why something is not shared.
    NotShared,
    /// What is simplified, and why something is not.
    Simplification,
    /// Why a function has no device code.
    NotBuilt,
}

/// The documentation of one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    /// Kebab-case name.
    pub(crate) name: &'static str,
    /// One line without a full stop.
    pub(crate) summary: &'static str,
    /// Markdown.
    pub(crate) text: Cow<'static, str>,
    /// What it is about.
    pub(crate) topic: Topic,
    /// How bad its findings are; none for reasons, which report nothing by themselves.
    pub(crate) severity: Option<Severity>,
    /// Whether `fix` has fixes for it.
    pub(crate) is_fixable: bool,
}

/// All names, sorted.
pub(crate) fn all() -> Vec<Rule> {
    let lowering = diagnostics::ALL.iter().map(|it| Rule {
        name: it.code,
        summary: it.summary,
        text: it.docs.into(),
        topic: Topic::Finding,
        severity: Some(it.severity),
        is_fixable: false,
    });
    let operations = frontend::ops::ALL.iter().map(|it| Rule {
        name: it.code,
        summary: it.summary,
        text: it.docs.into(),
        topic: Topic::Finding,
        severity: Some(it.severity),
        is_fixable: false,
    });
    let plans = docs::all().iter().map(|it| Rule {
        name: it.name,
        summary: it.summary,
        text: it.text.into(),
        topic: if is_reported(it.name) { Topic::Finding } else { Topic::NotShared },
        severity: is_reported(it.name).then_some(Severity::Hint),
        is_fixable: is_fixable(it.name),
    });
    let levels = FindingLevels::default();
    let findings = FindingKind::ALL.iter().map(|&kind| {
        let doc = finding::docs::of(kind);
        Rule {
            name: doc.name,
            summary: doc.summary,
            text: doc.text.into(),
            topic: Topic::Finding,
            severity: levels.get(kind),
            is_fixable: has_fix(kind),
        }
    });
    let simplifications = simplify::docs::all().iter().map(|it| {
        let severity =
            SimplificationKind::from_name(it.name).and_then(|it| levels.simplification(it));
        Rule {
            name: it.name,
            summary: it.summary,
            text: it.text.into(),
            topic: if severity.is_some() { Topic::Finding } else { Topic::Simplification },
            severity,
            is_fixable: severity.is_some(),
        }
    });
    let rewrites = arith::rules::all().iter().map(|it| Rule {
        name: it.name,
        summary: "a rewrite rule of the simplifier",
        text: format!("{}\n\n    {}\n", it.doc, it.text).into(),
        topic: Topic::Simplification,
        severity: None,
        is_fixable: false,
    });
    let stages = arith::simplify::STAGES.iter().map(|(name, text)| Rule {
        name,
        summary: "a step of the simplifier",
        text: (*text).into(),
        topic: Topic::Simplification,
        severity: None,
        is_fixable: false,
    });
    let unbuilt = codegen::reasons::ALL.iter().map(|it| Rule {
        name: it.name,
        summary: it.text.trim_end_matches('.'),
        text: format!("{} {}", it.text, it.help).into(),
        topic: Topic::NotBuilt,
        severity: None,
        is_fixable: false,
    });
    let syntax = SYNTAX.iter().map(|(kind, summary, text)| Rule {
        name: kind.code(),
        summary,
        text: (*text).into(),
        topic: Topic::Finding,
        severity: Some(Severity::Error),
        is_fixable: false,
    });
    let mut all: Vec<Rule> = lowering
        .chain(operations)
        .chain(plans)
        .chain(findings)
        .chain(simplifications)
        .chain(rewrites)
        .chain(stages)
        .chain(syntax)
        .chain(unbuilt)
        .collect();
    all.sort_by_key(|it| it.name);
    all.dedup_by_key(|it| it.name);
    all
}

/// Whether there are fixes for a kind.
fn has_fix(kind: FindingKind) -> bool {
    use FindingKind::{MissingBarrier, ReadBeforeWrite, SuperfluousBarrier};
    !matches!(kind, MissingBarrier | ReadBeforeWrite | SuperfluousBarrier)
}

/// Whether what a plan does under this name is reported.
fn is_reported(name: &str) -> bool {
    is_fixable(name) || OpActionKind::ALL.iter().any(|it| it.name() == name)
}

fn is_fixable(name: &str) -> bool {
    name == docs::COMMON_SUBEXPRESSION
}

/// The rule of a name; else names that are written much like it, the most alike first.
pub(crate) fn find(name: &str) -> Result<Rule, Vec<&'static str>> {
    let all = all();
    if let Some(rule) = all.iter().find(|it| it.name == name) {
        return Ok(rule.clone());
    }
    // What is reported is asked about more often than a step of the simplifier.
    let is_step = |it: &&Rule| it.topic == Topic::Simplification;
    let reported = near(name, all.iter().filter(|it| !is_step(it)).map(|it| it.name));
    if !reported.is_empty() {
        return Err(reported);
    }
    Err(near(name, all.iter().filter(is_step).map(|it| it.name)))
}

/// Those of `names` that are written much like `name`, the most alike first.
pub(crate) fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    const MOST: usize = 3;
    let name = name.to_lowercase();
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|it| {
            let lower = it.to_lowercase();
            let n_edits = strsim::levenshtein(&name, &lower);
            let is_part = name.len() > 2 && (lower.contains(&name) || name.contains(&lower));
            (n_edits <= 1 + name.len() / 3 || is_part).then_some((n_edits, it))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, it)| it).collect()
}

/// `; did you mean a or b?`, or nothing.
pub(crate) fn did_you_mean(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    format!("; did you mean {}?", quoted.join(" or "))
}

const SYNTAX: &[(SyntaxErrorKind, &str, &str)] = &[
    (
        SyntaxErrorKind::UnexpectedText,
        "text that fits nowhere",
        "Nothing in Python can stand here. The text is kept as it is; what stands around it is read.\n",
    ),
    (
        SyntaxErrorKind::MissingPart,
        "something that must be there is not",
        "A statement or expression lacks a part: an operand, a name, a body. While a line is half typed this goes away by \
         itself.\n",
    ),
    (
        SyntaxErrorKind::UnclosedBracket,
        "a bracket without its partner",
        "`(`, `[` or `{` is never closed. It ends at the next line that starts a statement with less indentation, so that \
         the functions after it are read as ever.\n",
    ),
    (
        SyntaxErrorKind::UnterminatedString,
        "a string without its closing quotes",
        "A string with single quotes ends at the end of its line; one with triple quotes takes the rest of the file.\n",
    ),
    (
        SyntaxErrorKind::MalformedNumber,
        "a number with wrong digits",
        "A digit does not belong to the base of the number (`0b12`), an underscore stands at its end, or digits are missing \
         (`0x`).\n",
    ),
    (
        SyntaxErrorKind::UnknownCharacter,
        "a character that begins no token",
        "Python knows no token that begins with this character. Often it was pasted: a typographic quote or dash.\n",
    ),
    (
        SyntaxErrorKind::UnexpectedIndent,
        "a line that is deeper than its block",
        "A line may be indented more than the one before it only after a colon.\n",
    ),
    (
        SyntaxErrorKind::TooDeep,
        "more levels than can be read",
        "Expressions or blocks are nested deeper than the reader goes. The text is kept as it is. Give parts of the \
         expression names.\n",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_and_rule_is_there_once() {
        let all = all();
        assert!(all.is_sorted_by(|a, b| a.name < b.name));
        for rule in &all {
            assert!(!rule.summary.ends_with('.') && !rule.text.trim().is_empty(), "{}", rule.name);
        }
        for rule in diagnostics::ALL {
            assert!(find(rule.code).is_ok());
        }
        assert!(find("too-deep").is_ok_and(|it| it.severity == Some(Severity::Error)));
    }

    #[test]
    fn near_names_are_offered() {
        assert_eq!(find("maytrap").unwrap_err()[0], "may-trap");
        assert_eq!(find("common-sub").unwrap_err()[0], "common-subexpression");
        assert!(find("qqqqqqqq").unwrap_err().is_empty());
    }
}
