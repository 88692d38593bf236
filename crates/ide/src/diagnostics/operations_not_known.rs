//! Operations that are not known, or whose form is not: one note a dialect and file, where the first of them stands.
//!
//! In: what each unit says of each name. Out: the notes, in the order of the names of dialects. Linear.

use std::collections::{BTreeMap, BTreeSet};

use frontend::ops::codes::{UNKNOWN_OPERATION, UNREAD_OPERATION};
use syntax::Diagnostic;

/// The dialect of operations that were written without one.
const STANDARD: &str = "std";

/// Names that a note shows.
const MOST_SHOWN: usize = 3;

/// The operations of a file that are not known as they are collected, by the rule and the dialect.
#[derive(Default)]
pub(super) struct OperationsNotKnown {
    dialects: BTreeMap<(&'static str, String), OfDialect>,
}

/// Those of one dialect.
struct OfDialect {
    /// The diagnostic of the first one.
    first: Diagnostic,
    names: BTreeSet<String>,
    /// The names in the order of the text, as many as are shown.
    shown: Vec<String>,
}

impl OperationsNotKnown {
    /// Takes what a unit says of an operation, at its place in the file; gives back what is about something else.
    pub(super) fn take(&mut self, told: Diagnostic) -> Option<Diagnostic> {
        if told.code != UNKNOWN_OPERATION && told.code != UNREAD_OPERATION {
            return Some(told);
        }
        let name = told.message.split('`').nth(1).unwrap_or_default().to_owned();
        let dialect = name.split('.').next().unwrap_or_default().to_owned();
        let of = self.dialects.entry((told.code, dialect)).or_insert_with(|| OfDialect {
            first: told.clone(),
            names: BTreeSet::new(),
            shown: Vec::new(),
        });
        if told.range.start() < of.first.range.start() {
            of.first = told;
        }
        if of.names.insert(name.clone()) && of.shown.len() < MOST_SHOWN {
            of.shown.push(name);
        }
        None
    }

    /// The notes.
    pub(super) fn finish(self) -> impl Iterator<Item = Diagnostic> {
        self.dialects.into_iter().map(|((code, dialect), of)| of.note(code, &dialect))
    }
}

impl OfDialect {
    fn note(self, code: &str, dialect: &str) -> Diagnostic {
        let n = self.names.len();
        let (operations, are) = if n == 1 { ("operation", "is") } else { ("operations", "are") };
        let others = if n > self.shown.len() { " and others" } else { "" };
        let shown = format!("(`{}`{others})", self.shown.join("`, `"));
        let first_help = self.first.help.as_deref().unwrap_or_default();
        let (what, help) = match code == UNKNOWN_OPERATION {
            true if dialect == STANDARD => (
                format!("{are} not known {shown}"),
                "before 2022 these were written without their dialect; now they are operations of `arith`, `cf`, \
                 `func`, `math`, `memref` and `tensor`"
                    .to_owned(),
            ),
            true => (
                format!("{are} not known {shown}"),
                format!(
                    "`tir-analyzer dialect import` makes `dialects/{dialect}.toml` from its definitions; or {first_help}"
                ),
            ),
            false => (
                format!("{are} written in a form that is not known {shown}"),
                first_help.to_owned(),
            ),
        };
        Diagnostic {
            message: format!(
                "{n} {operations} of the dialect `{dialect}` {what}: nothing is merged with them or moved over them"
            ),
            help: Some(help),
            ..self.first
        }
    }
}
