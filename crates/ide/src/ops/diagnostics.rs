//! Diagnostics of units of MLIR and PIR: what cannot be read, what lowering says, and, as hints, what is computed twice or for nothing.

use std::ops::Range;

use db::{Database as _, Db, DocumentAliases, OpUnit, PlacedUnit, RootDatabase, SourceFile};
use frontend::ops::{
    Diagnostic as Lowering, Severity,
    codes::{ALIAS_REDEFINITION, SYMBOL_REDEFINITION, UNREAD_OPERATION},
};
use frontend::tvmscript::diagnostics::internal_error;
use ir::plan::ops::OpChange;
use rustc_hash::FxHashSet;
use syntax::symbol_text;

use super::{
    marks::{Marks, Redefinition, marks},
    plan_words::PlanWords,
    try_units,
};
use crate::diagnostics::{Diagnostic, DiagnosticsConfig, of_panic};

/// The diagnostics of a file as they are collected.
#[derive(Default)]
pub(crate) struct InFile {
    /// Forms that are not known: each is told once a file.
    unread: FxHashSet<String>,
}

impl InFile {
    /// Adds those of some units, by their numbers in the order of the text.
    pub(crate) fn add(
        &mut self,
        db: &RootDatabase,
        file: SourceFile,
        config: &DiagnosticsConfig,
        numbers: Range<usize>,
        res: &mut Vec<Diagnostic>,
    ) {
        let of_unit = |at: PlacedUnit<'_>| {
            db.unwind_if_revision_cancelled();
            self.of_unit(db, &at, config)
        };
        for (at, found) in try_units(db, file, numbers, of_unit) {
            let name = at.to_file(at.unit.source(db).name_range);
            res.extend(found.unwrap_or_else(|it| vec![of_panic(&it, name)]));
        }
    }

    fn of_unit(
        &mut self,
        db: &RootDatabase,
        at: &PlacedUnit<'_>,
        config: &DiagnosticsConfig,
    ) -> Vec<Diagnostic> {
        let mut res = Vec::new();
        let found = &unit_diagnostics(db, at.unit);
        if config.operations {
            let problems = found
                .problems
                .iter()
                .filter(|it| it.code != UNREAD_OPERATION || self.unread.insert(it.message.clone()));
            res.extend(
                problems
                    .map(|it| placed(at, it, false))
                    .filter(|it| !at.is_of_function(it.range.start())),
            );
            // The name of a function stands in its header, and is the frame's business all the same.
            res.extend(found.symbols.iter().map(|it| placed(at, it, false)));
        }
        if config.common_subexpressions {
            let all = (found.has_more && config.limit > MAX_SAID).then(|| plan(db, at.unit).0);
            let said = all.as_ref().unwrap_or(&found.plan).iter();
            let fixes = if config.read_back { db::op_fixes(db, at.unit).as_ref() } else { None };
            res.extend(said.map(|it| Diagnostic {
                n_fixes: usize::from(fixes.is_some_and(|fixes| fixes.is_done[it.action])),
                ..placed(at, &it.what, it.is_dead)
            }));
        }
        res
    }
}

/// Sets how many results the queries about units keep; see [`RootDatabase::keep_few`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    unit_diagnostics::set_lru_capacity(db, n);
    super::marks::keep(db, n);
}

fn placed(at: &PlacedUnit<'_>, it: &Lowering, is_unnecessary: bool) -> Diagnostic {
    let related = it.related.iter();
    Diagnostic {
        code: it.code,
        severity: it.severity,
        range: at.to_file(it.range),
        message: it.message.clone(),
        help: it.help.clone(),
        related: related.map(|(range, it)| (at.to_file(*range), it.clone())).collect(),
        is_unnecessary,
        n_fixes: 0,
    }
}

/// What there is to say about a unit, relative to it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct UnitDiagnostics {
    /// What cannot be read, and what lowering says.
    problems: Vec<Lowering>,
    /// Symbols that are defined twice.
    symbols: Vec<Lowering>,
    /// What could be shared or deleted: that of the first places.
    plan: Vec<Said>,
    /// Whether there are more.
    has_more: bool,
}

/// An action of a plan in words.
#[derive(Clone, PartialEq, Debug)]
struct Said {
    what: Lowering,
    /// Whether what it is about could go altogether.
    is_dead: bool,
    /// Its place in the plan.
    action: usize,
}

/// So much of what is planned in a unit is put into words and kept: editors show less of a file. Who wants more gets it made again.
const MAX_SAID: usize = 256;

/// What there is to say about a unit.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub(crate) fn unit_diagnostics<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> UnitDiagnostics {
    let mut problems = syntax_errors(db, unit);
    problems.extend(db::op_diagnostics(db, unit).iter().cloned());
    let name = unit.source(db).name_range;
    problems.extend(db::op_panics(db, unit).map(|it| internal_error(it, name)));
    let (plan, has_more) = first_of_plan(db, unit, MAX_SAID);
    let mut symbols = Vec::new();
    if unit.is_frame(db) {
        symbols = redefined(marks(db, unit));
        symbols.extend(redefined_aliases(db::op_aliases(db, unit)));
    }
    UnitDiagnostics { problems, symbols, plan, has_more }
}

/// Aliases of a document that are defined twice.
fn redefined_aliases(aliases: &DocumentAliases) -> impl Iterator<Item = Lowering> {
    aliases.redefinitions().map(|(name, range, first)| Lowering {
        code: ALIAS_REDEFINITION,
        severity: Severity::Error,
        range,
        message: format!("`{name}` is already defined"),
        help: None,
        related: vec![(first, "it is defined here first".to_owned())],
    })
}

/// Symbols of a frame that are defined twice in one table.
fn redefined(marks: &Marks) -> Vec<Lowering> {
    let of = |it: &Redefinition| {
        let (again, first) = (&marks.definitions[it.again], &marks.definitions[it.first]);
        Lowering {
            code: SYMBOL_REDEFINITION,
            severity: Severity::Error,
            range: again.range,
            message: format!("`{}` is already defined here", symbol_text(&again.name)),
            help: None,
            related: vec![(first.range, "it is defined here first".to_owned())],
        }
    };
    marks.redefinitions.iter().map(of).collect()
}

/// What cannot be read. What is wrong with the header of a function is the function's.
fn syntax_errors<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Vec<Lowering> {
    let errors = syntax::syntax_errors(&unit.source(db).green.syntax()).into_iter();
    errors
        .map(|it| Lowering {
            code: it.kind.name(),
            severity: Severity::Error,
            range: it.range,
            message: it.message,
            help: it.help.map(str::to_owned),
            related: Vec::new(),
        })
        .collect()
}

/// All that is planned in a unit.
fn plan<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> (Vec<Said>, bool) {
    first_of_plan(db, unit, usize::MAX)
}

/// What is planned at the first places of a unit, in the order of the plan, and whether there is more.
fn first_of_plan<'db>(db: &'db dyn Db, unit: OpUnit<'db>, limit: usize) -> (Vec<Said>, bool) {
    let Some(words) = PlanWords::new(db, unit) else { return (Vec::new(), false) };
    let written = words.plan.actions.iter().enumerate().filter(|(_, it)| words.is_written(it));
    let mut first: Vec<(u32, u32, usize)> = written
        .map(|(number, it)| (words.action_place(it), number))
        .map(|(place, number)| (place.start().into(), place.end().into(), number))
        .collect();
    let has_more = first.len() > limit;
    if has_more {
        first.select_nth_unstable(limit);
        first.truncate(limit);
        first.sort_unstable_by_key(|it| it.2);
    }
    (first.into_iter().map(|it| said(&words, it.2)).collect(), has_more)
}

/// An action in words.
fn said(words: &PlanWords<'_>, number: usize) -> Said {
    let action = &words.plan.actions[number];
    let role = match action.change {
        OpChange::Hoist { .. } => "it could stand before this one",
        _ => "this one stays",
    };
    let related = words.other_place(action).map(|it| (it, role.to_owned()));
    let what = Lowering {
        code: action.kind.name(),
        severity: Severity::Hint,
        range: words.action_place(action),
        message: words.sentence(action),
        help: Some(words.title(action, |_| None)),
        related: related.into_iter().collect(),
    };
    Said { what, is_dead: matches!(action.change, OpChange::Delete), action: number }
}
