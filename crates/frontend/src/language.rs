//! The table of frontends: how the units of a language become bodies, one row a language.
//!
//! The rows of `syntax` ([`syntax::LanguageSupport`]) say how a language is written; these say what it means. Who works
//! on units of any language asks [`of`]; who works on units of one form asks [`operations`] or reads
//! [`crate::tvmscript`].

use ir::{Dialect, effects::Namespace, plan::ops::OpPlan};
use parser::mlir::Shapes;
use syntax::{Green, Language, TextEdit, TextRange, UnitKind};

use crate::{
    mlir::{self, Aliases},
    ops::Lowered,
    pir,
};

/// A row of the table.
pub struct Frontend {
    /// The dialect of their bodies; where the text of a unit tells which of several, the newest.
    pub dialect: Dialect,
    /// Where effects of what its units call are looked up.
    pub namespace: Namespace,
    /// How units of operations are read; none where units are functions of statements, which [`crate::tvmscript`]
    /// reads.
    pub operations: Option<Operations>,
}

/// How the units of a language of operations are read.
pub struct Operations {
    /// True if the reader of a file may have functions lowered elsewhere ([`mlir::Offload`]).
    pub is_divertible: bool,
    /// True if functions can be relowered incrementally ([`mlir::relower`]).
    pub is_incremental: bool,
    /// Lowers a unit; none if nothing is made of it.
    pub lower: fn(&UnitInput<'_>) -> Option<Lowered>,
    /// The unit of a kind that a text is by itself; none if it is not one.
    pub reread: fn(UnitKind, &str, &Aliases, &Shapes) -> Option<Lowered>,
    /// Returns true if the text of a unit after edits certainly reads as its body after a plan, so that it need not be
    /// read again.
    pub is_foreseen: fn(&str, &Lowered, &TextEdit, &OpPlan) -> bool,
    /// Lowers the units of a text, one after the other. No tree is made; bodies need not know the names of values.
    pub units: fn(&str, &Shapes, &mut dyn FnMut(TextUnit<'_>)),
}

/// A unit of a tree, with what it sees.
#[derive(Clone, Copy)]
pub struct UnitInput<'a> {
    /// The kind.
    pub kind: UnitKind,
    /// Its tree.
    pub green: &'a Green,
    /// The text of the tree.
    pub text: &'a str,
    /// The aliases of its document.
    pub aliases: &'a Aliases,
    /// The forms that the tree was read with.
    pub shapes: &'a Shapes,
}

/// A unit of a text.
pub struct TextUnit<'a> {
    /// The kind.
    pub kind: UnitKind,
    /// Where it is in the text.
    pub range: TextRange,
    /// The unit in the IR.
    pub lowered: &'a Lowered,
    /// Reads the unit again, from an edited text of it.
    pub reread: &'a dyn Fn(&str) -> Option<Lowered>,
}

/// The row of a language.
pub fn of(language: Language) -> &'static Frontend {
    match language {
        Language::TvmScript => &TVMSCRIPT,
        Language::Mlir => &MLIR,
        Language::Pir => &PIR,
    }
}

/// How the units of a language are read, if they are units of operations.
pub fn operations(language: Language) -> Option<&'static Operations> {
    of(language).operations.as_ref()
}

/// How units of operations of a dialect are read.
pub fn operations_of(dialect: Dialect) -> Option<&'static Operations> {
    let found = [&TVMSCRIPT, &MLIR, &PIR].into_iter().find(|it| it.dialect == dialect);
    found.and_then(|it| it.operations.as_ref())
}

static TVMSCRIPT: Frontend =
    Frontend { dialect: Dialect::Tirx, namespace: Namespace::Tir, operations: None };

static MLIR: Frontend = Frontend {
    dialect: Dialect::Mlir,
    namespace: Namespace::Mlir,
    operations: Some(Operations {
        is_divertible: true,
        is_incremental: true,
        lower: |unit| {
            let UnitInput { green, text, aliases, shapes, .. } = *unit;
            Some(match unit.kind {
                UnitKind::Frame => mlir::lower_frame(green, text, aliases, shapes),
                _ => mlir::lower_function(green, text, aliases, shapes),
            })
        },
        reread: |kind, text, aliases, shapes| match kind {
            UnitKind::Frame => mlir::reread_frame(text, shapes),
            _ => mlir::reread_function(text, aliases, shapes),
        },
        is_foreseen: mlir::is_foreseen,
        units: |text, shapes, take| {
            mlir::lower_file_without_names(text, shapes, &mut |unit| {
                unit.with_text_unit(shapes, &mut *take);
            });
        },
    }),
};

static PIR: Frontend = Frontend {
    dialect: Dialect::Pir,
    namespace: Namespace::Pir,
    operations: Some(Operations {
        is_divertible: false,
        is_incremental: false,
        // What stands around the programs says nothing.
        lower: |unit| (unit.kind == UnitKind::Program).then(|| pir::lower(unit.green)),
        reread: |_, text, _, _| pir::reread(text),
        is_foreseen: |_, _, _, _| false,
        units: |text, _, take| {
            for program in pir::programs(text) {
                let pir::Program { range, ref lowered } = program;
                take(TextUnit { kind: UnitKind::Program, range, lowered, reread: &pir::reread });
            }
        },
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::Form;

    #[test]
    fn rows_agree_with_those_of_syntax() {
        for language in Language::ALL {
            let row = language.support();
            let is_of_operations = row.form == Form::Operations;
            assert_eq!(operations(language).is_some(), is_of_operations, "{}", row.name);
            assert!(!is_of_operations || of(language).namespace.name() == row.id);
        }
    }
}
