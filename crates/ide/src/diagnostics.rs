//! Diagnostics of the functions of a file: what cannot be read, what lowering says, what the facts tell (dead stores, conditions that
//! are always true …), and, as hints, what could be computed once.
//!
//! Nothing outside the functions is reported: that is the business of the Python tools.

use std::ops::Range;

use db::{Database as _, Db, Function, RootDatabase, SourceFile};
use frontend::tvmscript::{
    FunctionKind, Severity,
    diagnostics::{INTERNAL_ERROR, internal_error},
};
use ir::{OccurrenceId, guard::Panicked, plan::CseGroup};
use syntax::{TextRange, TextSize};
use transform::findings::FindingKind;

use crate::{
    finding_levels::FindingLevels,
    finding_text::FindingText,
    function_at::{FunctionAt, function_at, n_functions, try_functions},
    ops,
    plan_text::{self, PlanText},
    simplifications::{self, Simpler, simpler},
};

/// The name of the rule about shared values.
pub const COMMON_SUBEXPRESSION: &str = ir::plan::COMMON_SUBEXPRESSION.name;

/// What is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagnosticsConfig {
    /// Report what could be shared.
    pub common_subexpressions: bool,
    /// Report what is wrong with MLIR and PIR: off where another server does.
    pub operations: bool,
    /// How bad findings of each kind are.
    pub levels: FindingLevels,
    /// Say of what could be shared whether `fix` does it. In MLIR and PIR that costs as much as doing it.
    pub read_back: bool,
    /// At most this many; the worst are kept.
    pub limit: usize,
}

impl Default for DiagnosticsConfig {
    fn default() -> DiagnosticsConfig {
        DiagnosticsConfig {
            common_subexpressions: true,
            operations: true,
            levels: FindingLevels::default(),
            read_back: false,
            limit: usize::MAX,
        }
    }
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The rule, in kebab-case.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub range: TextRange,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places that matter, with what they are.
    pub related: Vec<(TextRange, String)>,
    /// The text could go: editors show it faded.
    pub is_unnecessary: bool,
    /// How many things `fix` does about it unasked, with those inside of it that are told of nowhere else.
    pub n_fixes: usize,
}

pub(crate) fn diagnostics(
    db: &RootDatabase,
    file: SourceFile,
    config: &DiagnosticsConfig,
) -> Vec<Diagnostic> {
    let mut in_file = InFile::default();
    in_file.add(db, file, config, 0..usize::MAX);
    in_file.finish(db, file, config)
}

/// As [`diagnostics`], of a file that nobody asks about again: what was computed of some functions is forgotten before the next.
pub(crate) fn diagnostics_once(
    db: &mut RootDatabase,
    file: SourceFile,
    config: &DiagnosticsConfig,
) -> Vec<Diagnostic> {
    /// Finding a part is linear in the units before it: with so many parts that is nothing, and what is held is a small part of all.
    const MAX_PARTS: usize = 64;
    db.keep_few();
    keep(db, db::FEW);
    let n = ops::n_units(db, file).max(n_functions(db, file));
    let step = (n / MAX_PARTS).max(db::FEW);
    let mut in_file = InFile::default();
    for first in (0..n).step_by(step) {
        in_file.add(db, file, config, first..first + step);
        db.forget(file);
    }
    in_file.finish(db, file, config)
}

/// Sets how many results the queries about functions and units keep; see [`RootDatabase::keep_few`].
fn keep(db: &mut dyn Db, n: usize) {
    syntax_errors::set_lru_capacity(db, n);
    function_findings::set_lru_capacity(db, n);
    shared_values::set_lru_capacity(db, n);
    simplifications::keep(db, n);
    plan_text::keep(db, n);
    ops::diagnostics::keep(db, n);
}

/// The diagnostics of a file as they are collected.
#[derive(Default)]
struct InFile {
    found: Vec<Diagnostic>,
    of_units: ops::diagnostics::InFile,
}

impl InFile {
    /// Adds those of some functions or units, by their numbers in the order of the text.
    fn add(
        &mut self,
        db: &RootDatabase,
        file: SourceFile,
        config: &DiagnosticsConfig,
        numbers: Range<usize>,
    ) {
        self.of_units.add(db, file, config, numbers.clone(), &mut self.found);
        let of_function = |at| {
            db.unwind_if_revision_cancelled();
            function_diagnostics(db, at, config)
        };
        for (at, found) in try_functions(db, file, numbers, of_function) {
            let name = at.to_file(at.function.source(db).name_range);
            self.found.extend(found.unwrap_or_else(|it| vec![of_panic(&it, name)]));
        }
    }

    /// All of them, in the order of the text.
    fn finish(
        self,
        db: &RootDatabase,
        file: SourceFile,
        config: &DiagnosticsConfig,
    ) -> Vec<Diagnostic> {
        let mut res = self.found;
        res.extend(redefined_functions(db, file));
        if res.len() > config.limit {
            // The worst first, then as in the text.
            res.sort_by_key(|it| (it.severity, it.range.start(), it.range.end()));
            res.truncate(config.limit);
        }
        res.sort_by_key(|it| (it.range.start(), it.range.end(), it.severity));
        res
    }
}

/// What is told of mistakes of ours in the function or unit at an offset.
pub(crate) fn internal_errors(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Vec<String> {
    let config = DiagnosticsConfig::default();
    let found = match function_at(db, file, offset) {
        Some((at, _)) => function_diagnostics(db, at, &config),
        None => {
            let range = db::unit_at(db, file, offset).map(|it| it.range);
            let mut of_units = Vec::new();
            let all = 0..usize::MAX;
            ops::diagnostics::InFile::default().add(db, file, &config, all, &mut of_units);
            of_units.retain(|it| range.is_some_and(|range| range.contains_range(it.range)));
            of_units
        }
    };
    let ours = found.into_iter().filter(|it| it.code == INTERNAL_ERROR);
    ours.map(|it| format!("{}\n  {}", it.message, it.help.unwrap_or_default())).collect()
}

/// A mistake of ours for which nothing else is said.
pub(crate) fn of_panic(panicked: &Panicked, range: TextRange) -> Diagnostic {
    let frontend::tvmscript::Diagnostic { code, severity, range, message, help, .. } =
        internal_error(panicked, range);
    let related = Vec::new();
    Diagnostic { code, severity, range, message, help, related, is_unnecessary: false, n_fixes: 0 }
}

/// Functions of a module that have one name.
fn redefined_functions(db: &RootDatabase, file: SourceFile) -> Vec<Diagnostic> {
    let found = &db::file_index(db, file).functions;
    let name = |number: usize| {
        let item = &found.functions[number];
        item.source.name_range + item.range.start()
    };
    let code = frontend::tvmscript::diagnostics::REDEFINITION;
    let all = found.redefinitions.iter().filter(|&&(again, _)| {
        let function = db::functions(db, file)[again];
        let source = function.source(db);
        // What is known of a function's comments is known of those that are lowered.
        source.kind != FunctionKind::PrimFunc
            || !db::source_map(db, function).allowances().at(code, source.name_range)
    });
    all.map(|&(again, first)| Diagnostic {
        code,
        severity: Severity::Error,
        range: name(again),
        message: format!(
            "`{}` is already defined in this module",
            found.functions[again].source.name
        ),
        help: None,
        related: vec![(name(first), "it is defined here first".to_owned())],
        is_unnecessary: false,
        n_fixes: 0,
    })
    .collect()
}

/// The diagnostics of one function, at their places in the file.
pub(crate) fn function_diagnostics(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    config: &DiagnosticsConfig,
) -> Vec<Diagnostic> {
    let syntax = syntax_errors(db, at.function);
    // Lowering says less about the same places.
    let lowering = db::lowering_diagnostics(db, at.function).iter().filter(|it| {
        syntax.is_empty() || it.code != frontend::tvmscript::diagnostics::SYNTAX_ERROR
    });
    let shared: &[frontend::tvmscript::Diagnostic] =
        if config.common_subexpressions { shared_values(db, at.function) } else { &[] };
    let allowances = db::source_map(db, at.function).allowances();
    // A new binding in what is still to be scheduled is for those who ask for that one.
    let is_fixed = !shared.is_empty() && !db::cse_plan(db, at.function).informational;
    let name = at.function.source(db).name_range;
    let mut panics: Vec<_> = db::panics(db, at.function, config.levels.has_simplifications())
        .map(|it| internal_error(it, name))
        .collect();
    panics.dedup();
    let all = syntax.iter().chain(lowering).chain(shared).chain(&panics);
    let reported = all.filter(|it| !allowances.at(it.code, it.range)).map(|it| {
        let related = it.related.iter();
        Diagnostic {
            code: it.code,
            severity: it.severity,
            range: at.to_file(it.range),
            message: it.message.clone(),
            help: it.help.clone(),
            related: related.map(|(range, it)| (at.to_file(*range), it.clone())).collect(),
            is_unnecessary: false,
            n_fixes: usize::from(it.code == COMMON_SUBEXPRESSION && is_fixed),
        }
    });
    let findings = function_findings(db, at.function).iter().filter_map(|it| {
        let severity = config.levels.get(it.kind)?;
        let is_allowed = allowances.at(it.kind.name(), it.range);
        (!is_allowed).then(|| it.diagnostic(at, severity))
    });
    let mut res: Vec<Diagnostic> = reported.chain(findings).collect();
    let mut told = res.iter_mut().filter(|it| it.code == COMMON_SUBEXPRESSION && it.n_fixes > 0);
    if let Some(first) = told.next() {
        first.n_fixes += n_inside(db, at.function);
    }
    if config.levels.has_simplifications() {
        let simpler = simpler(db, at.function).iter();
        res.extend(simpler.filter_map(|it| {
            let severity = config.levels.simplification(it.kind)?;
            let is_allowed = allowances.at(it.kind.name(), it.range);
            // Of what is half typed nobody wants to hear that it does nothing.
            let is_broken = syntax.iter().any(|error| error.range.intersect(it.range).is_some());
            (!is_allowed && !is_broken).then(|| simplification(at, it, severity))
        }));
    }
    res
}

fn simplification(at: FunctionAt<'_>, it: &Simpler, severity: Severity) -> Diagnostic {
    let related = it.related.iter().map(|(range, it)| (at.to_file(*range), it.clone()));
    Diagnostic {
        code: it.kind.name(),
        severity,
        range: at.to_file(it.range),
        message: it.message.clone(),
        help: Some(it.action.clone()),
        related: related.collect(),
        is_unnecessary: false,
        n_fixes: 0,
    }
}

/// What cannot be read, relative to the function.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
fn syntax_errors<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
) -> Vec<frontend::tvmscript::Diagnostic> {
    let errors = syntax::syntax_errors(&function.source(db).green.syntax());
    errors
        .into_iter()
        .map(|it| frontend::tvmscript::Diagnostic {
            code: it.kind.name(),
            severity: Severity::Error,
            range: it.range,
            message: it.message,
            help: it.help.map(str::to_owned),
            related: Vec::new(),
        })
        .collect()
}

/// A finding in words, relative to the function.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FunctionFinding {
    kind: FindingKind,
    range: TextRange,
    message: String,
    help: Option<String>,
    related: Vec<(TextRange, String)>,
}

impl FunctionFinding {
    fn diagnostic(&self, at: FunctionAt<'_>, severity: Severity) -> Diagnostic {
        let related = self.related.iter().map(|(range, it)| (at.to_file(*range), it.clone()));
        Diagnostic {
            code: self.kind.name(),
            severity,
            range: at.to_file(self.range),
            message: self.message.clone(),
            help: self.help.clone(),
            related: related.collect(),
            is_unnecessary: self.kind.is_unnecessary(),
            n_fixes: usize::from(self.help.is_some() && self.kind.is_fixed_by_default()),
        }
    }
}

/// What the facts tell beside common subexpressions.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
fn function_findings<'db>(db: &'db dyn Db, function: Function<'db>) -> Vec<FunctionFinding> {
    let text = FindingText::new(db, function);
    let findings = db::findings(db, function).iter();
    findings
        .filter_map(|it| {
            Some(FunctionFinding {
                kind: it.kind,
                range: text.range(it.place)?,
                message: text.message(it),
                help: text.action(it),
                related: text.related(it),
            })
        })
        .collect()
}

/// How many values get names that stand only in the values of other names: their hints are those of the others.
fn n_inside(db: &RootDatabase, function: Function<'_>) -> usize {
    let text = PlanText::new(db, function);
    let is_inside = |it: &&CseGroup| {
        it.decision.is_applied() && !text.replaced(it).any(|it| text.map.is_real(it))
    };
    text.plan.groups.iter().filter(is_inside).count()
}

/// What could be computed once, relative to the function.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
fn shared_values<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
) -> Vec<frontend::tvmscript::Diagnostic> {
    const MAX_RELATED: usize = 8;
    let text = PlanText::new(db, function);
    let mut res = Vec::new();
    for group in &text.plan.groups {
        let is_real = |it: &OccurrenceId| text.map.is_real(*it);
        let Some(first) = text.replaced(group).find(is_real) else { continue };
        // Those too that go with a larger expression around them.
        let all = group.occurrences.iter().copied().filter(is_real);
        let others = all.filter(|it| *it != first).take(MAX_RELATED);
        res.push(frontend::tvmscript::Diagnostic {
            code: COMMON_SUBEXPRESSION,
            severity: Severity::Hint,
            range: text.map.occurrence_range(first),
            message: format!(
                "`{}` is computed {} times",
                text.expr(first),
                group.occurrences.len()
            ),
            help: Some(text.decision(group)),
            related: others
                .map(|it| (text.map.occurrence_range(it), "computed again here".to_owned()))
                .collect(),
        });
    }
    res
}
