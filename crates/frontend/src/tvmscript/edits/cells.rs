//! Scalars for partial redundancies, as lines of text.
//!
//! In: the plan's scalars that are applied. Out: the insertions: `cse_v1: T.float32` where a scalar is declared (with
//! its first value if it gets one there), `cse_v1 = e` right before the code that computes it, and at the end of an arm
//! that does not. Several at one end are one insertion, inner arms before outer ones. The lines that a new `else` needs
//! are made once. Linear in the inserted text.

use std::collections::BTreeMap;

use ir::{
    OpId, Type,
    plan::{CellPlace, CellStore, CseCell},
};
use syntax::{Edit, TextSize};

use super::{Writer, script_alias};

/// One level further in, where no text shows how far that is.
const LEVEL: &str = "    ";

impl Writer<'_> {
    pub(super) fn cells(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        // By the end of an arm, inner ones first: operations of inner regions come after those around.
        let mut ends: BTreeMap<(TextSize, std::cmp::Reverse<OpId>, u32), Vec<String>> =
            BTreeMap::new();
        for (_, cell) in self.plan.inserted() {
            self.declaration(cell, &mut edits);
            for store in &cell.stores {
                match store.at {
                    CellPlace::Before(op) if op == cell.before => {}
                    CellPlace::Before(op) => {
                        let Some(site) = self.map.site(op) else { continue };
                        let line = self.store(cell, store, site.offset);
                        self.line_before(op, line, &mut edits);
                    }
                    CellPlace::EndOfArm { branch, arm } => {
                        let Some(site) = self.map.end_site(branch, arm) else { continue };
                        let line = self.store(cell, store, site.offset);
                        let key = (site.offset, std::cmp::Reverse(branch), arm);
                        ends.entry(key).or_default().push(line);
                    }
                }
            }
        }
        edits.extend(ends.into_iter().filter_map(|((offset, branch, arm), lines)| {
            Some(Edit::insert(offset, self.end(branch.0, arm, &lines)?))
        }));
        edits
    }

    /// `cse_v1: T.float32`, with its value if that is computed by the same statement.
    fn declaration(&self, cell: &CseCell, edits: &mut Vec<Edit>) {
        let (Some(site), Type::Prim(dtype)) = (self.map.site(cell.before), self.body.ty(cell.expr))
        else {
            return;
        };
        let declared = format!("{}: {}.{dtype}", cell.name, script_alias(self.text));
        let here = cell.stores.iter().find(|it| it.at == CellPlace::Before(cell.before));
        let line = match here {
            Some(store) => format!("{declared} = {}", self.stored(cell, store, site.offset)),
            None => declared,
        };
        self.line_before(cell.before, line, edits);
    }

    fn line_before(&self, op: OpId, line: String, edits: &mut Vec<Edit>) {
        if let Some(site) = self.map.site(op) {
            let text = format!("{line}{}{}", self.newline(), site.indent);
            edits.push(Edit::insert(site.offset, text));
        }
    }

    fn store(&self, cell: &CseCell, store: &CellStore, place: TextSize) -> String {
        format!("{} = {}", cell.name, self.stored(cell, store, place))
    }

    fn stored(&self, cell: &CseCell, store: &CellStore, place: TextSize) -> String {
        let names = self.names_inside(&store.uses, &store.reuses);
        let occurrences = &self.plan.groups[cell.group].occurrences;
        self.value(cell.expr, occurrences, &names, place)
    }

    /// The lines at the end of an arm.
    fn end(&self, branch: OpId, arm: u32, lines: &[String]) -> Option<String> {
        let site = self.map.end_site(branch, arm)?;
        let newline = self.newline();
        let mut text = String::new();
        let indent = match &site.inner {
            None => site.indent.to_string(),
            Some(inner) => {
                text.push_str(&format!("{newline}{}else:", site.indent));
                match inner.len() > site.indent.len() {
                    true => inner.to_string(),
                    false => format!("{}{LEVEL}", site.indent),
                }
            }
        };
        for line in lines {
            text.push_str(&format!("{newline}{indent}{line}"));
        }
        Some(text)
    }
}
