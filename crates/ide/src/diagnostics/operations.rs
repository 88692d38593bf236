//! Diagnostics of units of operations: what cannot be read, what lowering says, and, as hints, what is computed twice
//! or for nothing.

use std::cell::LazyCell;

use db::{AliasName, Db, DocumentAliases, PlacedUnit, RootDatabase, SourceFile, Unit};
use frontend::{
    ops::codes::{ALIAS_REDEFINITION, SYMBOL_REDEFINITION, UNDEFINED_ALIAS, UNDEFINED_SYMBOL},
    tvmscript::diagnostics::internal_error,
};
use ir::{
    guard::{Stage, guarded},
    plan::ops::{OpAction, OpChange},
};
use syntax::{
    Diagnostic, Severity, SourcePlace, SyntaxKind, SyntaxNode, TextRange, UnitKind, symbol_text,
};

use transform::ops::findings::{Debugging, OpFinding, OpFindingKind, OpWord};

use super::{operations_not_known::OperationsNotKnown, syntax_errors};
use crate::{
    diagnostic::DiagnosticsConfig,
    names::marks::{Marks, Redefinition, marks},
    plan_text::operations::PlanWords,
};

/// The diagnostics of one unit, at their places in the file; operations of dialects that are not known go to
/// `not_known`.
pub(super) fn diagnostics(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    config: &DiagnosticsConfig,
    not_known: &mut OperationsNotKnown,
) -> Vec<Diagnostic> {
    // All of the text is searched for locations: only where something is told.
    let sources = LazyCell::new(|| Sources::of(db, at.unit));
    let place = |it: &Diagnostic| {
        ir::interrupt::check();
        let source = sources.as_ref().and_then(|sources| sources.place(it.range)).map(Box::new);
        Diagnostic { source, ..it.placed(|range| at.to_file(range)) }
    };
    let mut res = Vec::new();
    let found = &unit_diagnostics(db, at.unit);
    if config.operations {
        let sees_others = LazyCell::new(|| sees_others(db, at.unit.file(db)));
        let is_told = |it: &&Diagnostic| it.code != UNDEFINED_ALIAS || !*sees_others;
        let problems = found.problems.iter().filter(is_told).map(place);
        let problems = problems.filter(|it| !at.is_of_function(it.range.start()));
        match at.unit.kind(db) {
            UnitKind::Program => res.extend(problems),
            _ => res.extend(problems.filter_map(|it| not_known.take(it))),
        }
        // The name of a function stands in its header, and is the frame's business all the same.
        res.extend(found.symbols.iter().map(place));
        res.extend(undefined_symbols(db, at.unit).iter().map(place));
    }
    res.extend(found.findings.iter().filter_map(|(kind, it)| {
        Some(Diagnostic { severity: config.levels.operation(*kind)?, ..place(it) })
    }));
    if config.common_subexpressions {
        let all = (found.has_more && config.limit > MAX_SAID).then(|| plan(db, at.unit).0);
        let said = all.as_ref().unwrap_or(&found.plan).iter();
        let fixes = if config.read_back { db::op_fixes(db, at.unit).as_ref() } else { None };
        res.extend(said.map(|it| Diagnostic {
            n_fixes: usize::from(fixes.is_some_and(|fixes| fixes.is_done[it.action])),
            ..place(&it.what)
        }));
    }
    res
}

/// The places of the source that the operations of a unit were made of.
struct Sources<'db> {
    db: &'db dyn Db,
    unit: Unit<'db>,
    tree: SyntaxNode,
}

impl<'db> Sources<'db> {
    /// None if the text has no locations.
    fn of(db: &'db dyn Db, unit: Unit<'db>) -> Option<Sources<'db>> {
        let has_locations = db::text(db, unit).contains("loc(");
        has_locations.then(|| Sources { db, unit, tree: unit.green(db).syntax() })
    }

    fn place(&self, range: TextRange) -> Option<SourcePlace> {
        let Sources { db, unit, ref tree } = *self;
        let (file, document) = (unit.file(db), unit.document(db));
        let alias = |name: &str| db::alias(db, AliasName::new(db, file, document, name)).clone();
        frontend::mlir::source_place(tree, range, &alias)
    }
}

/// Sets how many results the query here keeps; see [`RootDatabase::keep_few`].
pub(super) fn keep(db: &mut dyn Db, n: usize) {
    unit_diagnostics::set_lru_capacity(db, n);
}

/// The diagnostics of a unit, relative to it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct UnitDiagnostics {
    /// The syntax errors, and the diagnostics of lowering.
    problems: Vec<Diagnostic>,
    /// Symbols that are defined twice.
    symbols: Vec<Diagnostic>,
    /// Findings about integers, with their kinds.
    findings: Vec<(OpFindingKind, Diagnostic)>,
    /// The first planned actions: values to share or operations to delete.
    plan: Vec<PlannedDiagnostic>,
    /// True if there are more.
    has_more: bool,
}

/// An action of a plan in words.
#[derive(Clone, PartialEq, Debug)]
struct PlannedDiagnostic {
    what: Diagnostic,
    /// Its place in the plan.
    action: usize,
}

/// The limit on planned actions of a unit that are put into words and cached: editors show fewer for a file. Further
/// ones are computed on request.
const MAX_SAID: usize = 256;

/// Returns the diagnostics of a unit.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub(super) fn unit_diagnostics<'db>(db: &'db dyn Db, unit: Unit<'db>) -> UnitDiagnostics {
    let mut problems = syntax_errors(db, unit);
    if unit.kind(db) != UnitKind::Program {
        problems.extend(db::attribute_problems(db, unit));
    }
    problems.extend(db::lowering_diagnostics(db, unit).iter().cloned());
    let name = unit.name_range(db);
    problems.extend(db::panics(db, unit).map(|it| internal_error(it, name)));
    let words = PlanWords::new(db, unit);
    let debugging = words.as_ref().map(|it| debugging(db, unit, it)).unwrap_or_default();
    let findings = words.as_ref().map(|it| findings(db, unit, it, &debugging)).unwrap_or_default();
    let (plan, has_more) = first_of_plan(words.as_ref(), &debugging, MAX_SAID);
    let mut symbols = Vec::new();
    if unit.is_frame(db) {
        symbols = redefined(marks(db, unit));
        symbols.extend(redefined_aliases(db::aliases(db, unit)));
    }
    UnitDiagnostics { problems, symbols, findings, plan, has_more }
}

/// Aliases of a document that are defined twice.
fn redefined_aliases(aliases: &DocumentAliases) -> impl Iterator<Item = Diagnostic> {
    aliases.redefinitions().map(|(name, range, first)| Diagnostic {
        code: ALIAS_REDEFINITION,
        severity: Severity::Error,
        range,
        message: format!("`{name}` is already defined"),
        related: vec![(first, "it is defined here first".to_owned())],
        ..Diagnostic::default()
    })
}

/// Symbols of a frame that are defined twice in one table.
fn redefined(marks: &Marks) -> Vec<Diagnostic> {
    let of = |it: &Redefinition| {
        let (again, first) = (&marks.definitions[it.again], &marks.definitions[it.first]);
        Diagnostic {
            code: SYMBOL_REDEFINITION,
            severity: Severity::Error,
            range: again.range,
            message: format!("`{}` is already defined here", symbol_text(&again.name)),
            related: vec![(first.range, "it is defined here first".to_owned())],
            ..Diagnostic::default()
        }
    };
    marks.redefinitions.iter().map(of).collect()
}

/// Symbols that a function names and its document does not have, where MLIR refuses that. No query: what the document
/// has is no part of a function.
fn undefined_symbols(db: &dyn Db, unit: Unit<'_>) -> Vec<Diagnostic> {
    if unit.kind(db) != UnitKind::Function || !mentions_symbols(db, unit) {
        return Vec::new();
    }
    let own = marks(db, unit);
    let Some(frame) = db::frame_of(db, unit) else { return Vec::new() };
    let of = |(name, range): &(Box<str>, TextRange)| Diagnostic {
        code: UNDEFINED_SYMBOL,
        severity: Severity::Error,
        range: *range,
        message: format!("nothing defines or declares `{}`", symbol_text(name)),
        ..Diagnostic::default()
    };
    let found: Vec<Diagnostic> = own.undefined(marks(db, frame.unit)).map(of).collect();
    let file = unit.file(db);
    if found.is_empty() || is_dump(db, file) || sees_others(db, file) {
        return Vec::new();
    }
    found
}

/// Returns true if documents see names that they do not have: what seems to be several documents is one, or the file is
/// run together with another one.
fn sees_others(db: &dyn Db, file: SourceFile) -> bool {
    let root = db::parse(db, file).syntax();
    syntax::is_joined(&root) || has_markers(&root, |_| true) && syntax::is_one_document(&root)
}

/// Returns true if a symbol is named in a function. Most have none but their own, and all their marks take ten times as
/// long.
fn mentions_symbols(db: &dyn Db, function: Unit<'_>) -> bool {
    let name = std::ops::Range::<usize>::from(function.name_range(db));
    let mut marks = db::text(db, function).match_indices('@');
    if marks.all(|(at, _)| name.contains(&at)) {
        return false;
    }
    let mut found = false;
    function.green(db).each_part(|it| {
        found |= it.kind() == SyntaxKind::MLIR_SYMBOL_REF;
        !found
    });
    found
}

/// Returns true if a file is a dump of passes: functions stand in it without their module. O(documents).
fn is_dump(db: &dyn Db, file: SourceFile) -> bool {
    has_markers(&db::parse(db, file).syntax(), |it| it.contains("IR Dump "))
}

/// Returns true if a marker between documents has such a text.
fn has_markers(root: &SyntaxNode, mut is_such: impl FnMut(&str) -> bool) -> bool {
    let mut tokens = root.children_with_tokens().filter_map(|it| it.into_token());
    tokens.any(|it| it.kind() == SyntaxKind::SPLIT_MARKER && is_such(it.text()))
}

/// All that is planned in a unit.
fn plan<'db>(db: &'db dyn Db, unit: Unit<'db>) -> (Vec<PlannedDiagnostic>, bool) {
    let words = PlanWords::new(db, unit);
    let debugging = words.as_ref().map(|it| debugging(db, unit, it)).unwrap_or_default();
    first_of_plan(words.as_ref(), &debugging, usize::MAX)
}

/// The operations of a unit that only debugging needs.
fn debugging<'db>(db: &'db dyn Db, unit: Unit<'db>, words: &PlanWords<'_>) -> Debugging {
    let effects = &unit.configuration(db).dialects(db).effects;
    let place = |op| words.location(op);
    let work = || Debugging::of(words.body, effects, place);
    guarded(Stage::Planning, unit.name(db), work).unwrap_or_default()
}

/// The findings about the integers of a unit; nothing if there is a mistake of ours, which its plan tells of.
fn findings<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    words: &PlanWords<'_>,
    debugging: &Debugging,
) -> Vec<(OpFindingKind, Diagnostic)> {
    let tables = unit.configuration(db).dialects(db);
    let work = || {
        transform::ops::findings::findings(words.body, &tables.effects, &tables.facts, debugging)
    };
    let found = guarded(Stage::Planning, unit.name(db), work).unwrap_or_default();
    let written = found.iter().filter(|it| words.map.is_written(it.op));
    written.map(|it| (it.kind, finding(words, it))).collect()
}

/// A finding in words.
fn finding(words: &PlanWords<'_>, it: &OpFinding) -> Diagnostic {
    let message = it.message.iter().map(|word| match word {
        OpWord::Text(text) => text.to_string(),
        OpWord::Value(value) => format!("`{}`", words.value(*value)),
    });
    let related = it.related.iter().filter(|(op, _)| words.map.is_written(*op));
    Diagnostic {
        code: it.kind.name(),
        range: words.place(it.op),
        message: message.collect(),
        help: it.help.clone(),
        related: related.map(|(op, text)| (words.place(*op), (*text).to_owned())).collect(),
        ..Diagnostic::default()
    }
}

/// Returns the planned actions at the first places of a unit, in the order of the plan, and whether there are more.
fn first_of_plan(
    words: Option<&PlanWords<'_>>,
    debugging: &Debugging,
    limit: usize,
) -> (Vec<PlannedDiagnostic>, bool) {
    let Some(words) = words else { return (Vec::new(), false) };
    let is_told = |it: &OpAction| {
        ir::interrupt::check();
        words.is_written(it) && !debugging.is_only_for(it.op)
    };
    let written = words.plan.actions.iter().enumerate().filter(|(_, it)| is_told(it));
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
    (first.into_iter().map(|it| said(words, it.2)).collect(), has_more)
}

/// An action in words.
fn said(words: &PlanWords<'_>, number: usize) -> PlannedDiagnostic {
    ir::interrupt::check();
    let action = &words.plan.actions[number];
    let role = match action.change {
        OpChange::Hoist { .. } => "it could stand before this one",
        _ => "this one stays",
    };
    let related = words.other_place(action).map(|it| (it, role.to_owned()));
    let what = Diagnostic {
        code: action.kind.name(),
        severity: Severity::Hint,
        range: words.action_place(action),
        message: words.sentence(action),
        help: Some(words.title(action, |_| None)),
        related: related.into_iter().collect(),
        is_unnecessary: matches!(action.change, OpChange::Delete),
        ..Diagnostic::default()
    };
    PlannedDiagnostic { what, action: number }
}
