//! Diagnostics of functions of statements: syntax, lowering, findings, simplifications, and what could be computed
//! once.

use std::cmp::Reverse;

use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use frontend::tvmscript::{
    Allowances, FunctionKind,
    diagnostics::{REDEFINITION, SYNTAX_ERROR, internal_error},
};
use ir::{
    OccurrenceId,
    guard::Panicked,
    plan::{CseGroup, Decision, simplify::SimplificationKind},
};
use rustc_hash::FxHashSet;
use syntax::{Diagnostic, Severity};
use transform::findings::FindingKind;

use super::once::{self, MAX_RELATED};
use crate::{
    diagnostic::{COMMON_SUBEXPRESSION, DiagnosticsConfig, Worth},
    finding_text::FindingText,
    plan_text::PlanText,
    simplifications::{Simpler, simpler},
};

/// Functions of a module that have one name.
pub(super) fn redefined_functions(db: &RootDatabase, file: SourceFile) -> Vec<Diagnostic> {
    let Some(found) = db::file_index(db, file).functions() else { return Vec::new() };
    let name = |number: usize| {
        let item = &found.functions[number];
        item.source.name_range + item.range.start()
    };
    let code = REDEFINITION;
    let all = found.redefinitions.iter().filter(|&&(again, _)| {
        let unit = db::units(db, file).functions[again];
        // What is known of a function's comments is known of those that are lowered.
        found.functions[again].source.kind != FunctionKind::PrimFunc
            || !read(db, unit).allowances.at(code, unit.name_range(db))
    });
    all.map(|&(again, first)| Diagnostic {
        code,
        severity: Severity::Error,
        range: name(again),
        message: format!(
            "`{}` is already defined in this module",
            found.functions[again].source.name
        ),
        related: vec![(name(first), "it is defined here first".to_owned())],
        ..Diagnostic::default()
    })
    .collect()
}

/// The diagnostics of one function, at their places in the file.
pub(crate) fn function_diagnostics(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    config: &DiagnosticsConfig,
) -> Vec<Diagnostic> {
    let Read { syntax, lowering, allowances, lines } = &**read(db, at.unit);
    let Planned { panics, informational, n_inside } = planned(db, at.unit);
    let found = config.levels.has_simplifications().then(|| simpler(db, at.unit));
    let mut simpler: Vec<&Simpler> = found.iter().flat_map(|it| &it.simpler).collect();
    simpler.retain(|it| {
        let is_allowed = allowances.at(it.kind.name(), it.told.range);
        // Of what is half typed nobody wants to hear that it does nothing.
        let is_broken = syntax.iter().any(|error| error.range.intersect(it.told.range).is_some());
        let is_told = config.levels.simplification(it.kind).is_some() && !it.is_style;
        is_told && !is_allowed && !is_broken
    });
    let shared: &[Shared] = match config.common_subexpressions {
        true => shared_values(db, at.unit),
        false => &[],
    };
    let (shown, hidden) = worth_telling(shared, &mut simpler, config.worth, *lines);
    // A new binding in what is still to be scheduled is for those who ask for that one.
    let is_fixed = !shown.is_empty() && !informational;
    let name = at.unit.name_range(db);
    let panics = panics.iter().chain(found.and_then(|it| it.panicked.as_ref()));
    let mut panics: Vec<_> = panics.map(|it| internal_error(it, name)).collect();
    panics.dedup();
    let shared = shown.iter().map(|it| &it.told);
    let all = syntax.iter().chain(&**lowering).chain(shared).chain(&panics);
    let reported = all.filter(|it| !allowances.at(it.code, it.range)).map(|it| {
        ir::interrupt::check();
        let n_fixes = usize::from(it.code == COMMON_SUBEXPRESSION && is_fixed);
        Diagnostic { n_fixes, ..it.placed(|range| at.to_file(range)) }
    });
    let findings = reported_findings(db, at, at.unit, config).map(|it| it.1);
    let mut res: Vec<Diagnostic> = reported.chain(findings).collect();
    once::told_once(&mut res);
    let mut told = res.iter_mut().filter(|it| it.code == COMMON_SUBEXPRESSION && it.n_fixes > 0);
    if let Some(first) = told.next() {
        let is_allowed = |it: &&Shared| allowances.at(it.told.code, it.told.range);
        first.n_fixes += n_inside + hidden.iter().filter(|it| !is_allowed(it)).count();
    }
    if !simpler.is_empty() {
        let removed = simpler.iter().filter(|it| it.is_removed).map(|it| at.to_file(it.told.range));
        let told = simpler.iter().filter_map(|it| {
            let severity = config.levels.simplification(it.kind)?;
            let diagnostic = Diagnostic { severity, ..it.told.placed(|it| at.to_file(it)) };
            Some((it.kind, diagnostic))
        });
        once::add_simplifications(&mut res, removed, told);
    }
    res
}

/// The findings that are reported of a unit at a place, the general function there or an instance, with their kinds.
pub(super) fn reported_findings<'a>(
    db: &'a RootDatabase,
    at: &'a PlacedUnit<'_>,
    unit: Unit<'a>,
    config: &'a DiagnosticsConfig,
) -> impl Iterator<Item = (FindingKind, Diagnostic)> + 'a {
    let allowances = &read(db, unit).allowances;
    function_findings(db, unit).iter().filter_map(|it| {
        ir::interrupt::check();
        let severity = config.levels.of(it.kind, it.is_shown)?;
        let is_allowed = allowances.at(it.kind.name(), it.told.range);
        let told = || Diagnostic { severity, ..it.told.placed(|it| at.to_file(it)) };
        (!is_allowed).then(|| (it.kind, told()))
    })
}

/// Returns the shared values that are told and those that are not, and leaves of the simpler expressions those that are
/// told: of both together those that save most. Expressions with equal words are told once, and count once.
fn worth_telling<'a>(
    shared: &'a [Shared],
    simpler: &mut Vec<&'a Simpler>,
    worth: Worth,
    lines: usize,
) -> (Vec<&'a Shared>, Vec<&'a Shared>) {
    let is_expression = |it: &Simpler| it.kind == SimplificationKind::Simplifiable;
    // By what they save: shared values by their index, expressions by their words.
    let mut all: Vec<(u64, Result<usize, &str>)> = Vec::new();
    for (index, it) in shared.iter().enumerate() {
        if worth.shows(it.rank, it.saves, lines) {
            all.push((it.saves, Ok(index)));
        }
    }
    let mut words: FxHashSet<&str> = FxHashSet::default();
    for it in simpler.iter().filter(|it| is_expression(it)) {
        if words.insert(&it.told.message) {
            all.push((it.saves, Err(&it.told.message)));
        }
    }
    // Of equal savings those first that share a value, then by their place.
    all.sort_by_key(|it| Reverse(it.0));
    all.truncate(worth.room(lines));
    let told: FxHashSet<Result<usize, &str>> = all.into_iter().map(|it| it.1).collect();
    simpler.retain(|it| !is_expression(it) || told.contains(&Err(&it.told.message[..])));
    let (shown, hidden): (Vec<_>, Vec<_>) =
        shared.iter().enumerate().partition(|it| told.contains(&Ok(it.0)));
    let values = |all: Vec<(usize, &'a Shared)>| all.into_iter().map(|it| it.1).collect();
    (values(shown), values(hidden))
}

/// Computes what is told of a function.
pub(super) fn warm(db: &dyn Db, unit: Unit<'_>) {
    read(db, unit);
    planned(db, unit);
    shared_values(db, unit);
    function_findings(db, unit);
    simpler(db, unit);
}

/// The diagnostics of the text of a function, and what decides on those that are told: kept of all functions of a file,
/// so that who asks for all diagnostics reads the edited function alone.
struct Read {
    /// Relative to the function.
    syntax: Box<[Diagnostic]>,
    /// Relative to the function.
    lowering: Box<[Diagnostic]>,
    allowances: Allowances,
    lines: usize,
}

#[salsa::tracked(returns(ref), no_eq, lru = 0)]
fn read<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Box<Read> {
    let syntax: Box<[_]> = super::syntax_errors(db, unit).into();
    // Lowering says less about the same places.
    let is_told = |it: &&Diagnostic| syntax.is_empty() || it.code != SYNTAX_ERROR;
    let lowering = db::lowering_diagnostics(db, unit).iter().filter(is_told).cloned().collect();
    let allowances = db::source_map(db, unit).allowances().clone();
    let lines = db::function_text(db, unit).lines.line_count() as usize;
    Box::new(Read { syntax, lowering, allowances, lines })
}

/// The answers of the plan of a function beside the values that could be shared.
struct Planned {
    /// The mistakes of ours that planning met.
    panics: Box<[Panicked]>,
    informational: bool,
    n_inside: usize,
}

#[salsa::tracked(returns(ref), no_eq, lru = 0)]
fn planned<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Planned {
    let panics = db::panics(db, unit).cloned().collect();
    let informational = db::cse_plan(db, unit).informational;
    Planned { panics, informational, n_inside: n_inside(db, unit) }
}

/// A finding in words, relative to the function; how bad it is, is for the user to say.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    kind: FindingKind,
    is_shown: bool,
    told: Diagnostic,
}

/// Returns the findings other than common subexpressions.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
fn function_findings<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Box<[Found]> {
    let text = FindingText::new(db, unit);
    let findings = db::findings(db, unit).iter().filter(|it| !text.is_of_known_names(it));
    findings
        .filter_map(|it| {
            ir::interrupt::check();
            let help = text.action(it);
            let told = Diagnostic {
                code: it.kind.name(),
                range: text.range(it.place)?,
                message: text.message(it),
                related: text.related(it),
                is_unnecessary: it.kind.is_unnecessary(),
                n_fixes: usize::from(help.is_some() && it.kind.is_fixed_by_default()),
                help,
                ..Diagnostic::default()
            };
            Some(Found { kind: it.kind, is_shown: it.is_shown, told })
        })
        .collect()
}

/// Returns the number of values whose names stand only in the values of other names: their hints are those of the
/// others.
fn n_inside(db: &dyn Db, unit: Unit<'_>) -> usize {
    let text = PlanText::new(db, unit);
    let is_inside = |it: &&CseGroup| {
        it.decision.is_applied() && !text.replaced(it).any(|it| text.map.is_real(it))
    };
    text.plan.groups.iter().filter(is_inside).count()
}

/// A value that could be computed once.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shared {
    /// Its number among those of the function, in the order of what they save.
    rank: usize,
    /// The operations that it saves.
    saves: u64,
    /// Relative to the function.
    told: Diagnostic,
}

/// Returns the values that could be computed once.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
fn shared_values<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Box<[Shared]> {
    let text = PlanText::new(db, unit);
    let mut res = Vec::new();
    for (group, rank) in text.plan.groups.iter().zip(text.ranks()) {
        ir::interrupt::check();
        let is_real = |it: &OccurrenceId| text.map.is_real(*it);
        let Some(first) = text.replaced(group).find(is_real) else { continue };
        // Those too that go with a larger expression around them.
        let all = group.occurrences.iter().copied().filter(is_real);
        let others = all.filter(|it| *it != first).take(MAX_RELATED);
        let mut related: Vec<_> = others
            .map(|it| (text.map.occurrence_range(it), "computed again here".to_owned()))
            .collect();
        if let Decision::Bind(binding) = &group.decision {
            let before = text.first_line(text.plan.bindings[*binding].before);
            // On the line of the value itself it is in the way of the rest.
            if text.line(before.start()) != text.line(text.map.occurrence_range(first).start()) {
                related.push((before, "it would be bound before this".to_owned()));
            }
        }
        let told = Diagnostic {
            code: COMMON_SUBEXPRESSION,
            severity: Severity::Hint,
            range: text.map.occurrence_range(first),
            message: format!(
                "`{}` is computed {} times",
                text.expr(first),
                group.occurrences.len()
            ),
            help: Some(text.decision(group)),
            related,
            ..Diagnostic::default()
        };
        res.push(Shared { rank, saves: PlanText::saves(group), told });
    }
    res.into()
}

/// Sets how many results the queries here keep; see [`RootDatabase::keep_few`].
pub(super) fn keep(db: &mut dyn Db, n: usize) {
    read::set_lru_capacity(db, n);
    planned::set_lru_capacity(db, n);
    function_findings::set_lru_capacity(db, n);
    shared_values::set_lru_capacity(db, n);
}
