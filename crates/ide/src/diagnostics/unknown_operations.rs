//! Operations that are not known: one note a dialect and file, where the first of them stands.
//!
//! In: what each unit says of each name. Out: the notes, in the order of the names of dialects. Linear.

use std::collections::{BTreeMap, BTreeSet};

use syntax::Diagnostic;

/// Names that a note shows.
const MOST_SHOWN: usize = 3;

/// The unknown operations of a file as they are collected, by dialect.
#[derive(Default)]
pub(super) struct UnknownOperations {
    dialects: BTreeMap<String, OfDialect>,
}

/// Those of one dialect.
struct OfDialect {
    /// The diagnostic of the first one.
    first: Diagnostic,
    names: BTreeSet<String>,
    /// The names in the order of the text, as many as are shown.
    shown: Vec<String>,
}

impl UnknownOperations {
    /// Adds what a unit says of an operation, at its place in the file.
    pub(super) fn add(&mut self, told: Diagnostic) {
        let name = told.message.split('`').nth(1).unwrap_or_default().to_owned();
        let dialect = name.split('.').next().unwrap_or_default().to_owned();
        let of = self.dialects.entry(dialect).or_insert_with(|| OfDialect {
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
    }

    /// The notes.
    pub(super) fn finish(self) -> impl Iterator<Item = Diagnostic> {
        self.dialects.into_iter().map(|(dialect, of)| {
            let n = of.names.len();
            let (operations, are) = if n == 1 { ("operation", "is") } else { ("operations", "are") };
            let shown = of.shown.join("`, `");
            let others = if n > of.shown.len() { " and others" } else { "" };
            let help = of.first.help.as_deref().unwrap_or_default();
            Diagnostic {
                message: format!(
                    "{n} {operations} of the dialect `{dialect}` {are} not known (`{shown}`{others}): nothing is merged with \
                     them or moved over them"
                ),
                help: Some(format!(
                    "`tir-analyzer dialect import` makes `dialects/{dialect}.toml` from its definitions; or {help}"
                )),
                ..of.first
            }
        })
    }
}
