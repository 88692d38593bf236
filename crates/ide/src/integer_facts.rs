//! Facts about an integer or a condition at its place: bounds, congruence, simplest form, and their sources.
//!
//! For one expression that a person asks about: its contexts are made anew, O(function). Overflow is taken to be
//! excluded, as it is an error of the program where the value is used.

use arith::{Constraint, Interval, Overflow, Simplifier, Source};
use dataflow::analyses::Analyses;
use db::{Db, Unit};
use ir::{OccurrenceId, Type, print::expr_text};

use crate::facts::constraint;

/// Expressions of more nodes are not simplified for a hover.
const MAX_NODES: u32 = 256;
/// The limit on reported places.
const MAX_ORIGINS: usize = 6;

/// The facts about an expression.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct IntegerFacts {
    /// `0 <= value <= 63`, if the bounds are tighter than those of its type.
    pub bounds: Option<String>,
    /// `4*k + 1`, if it is not any integer.
    pub congruence: Option<String>,
    /// The simplest form in a canonical order, if it is written otherwise.
    pub canonical: Option<String>,
    /// The rules that lead to it, each once.
    pub rules: Vec<&'static str>,
    /// The steps that lead to it, in their order.
    pub steps: Vec<RewriteStep>,
    /// Conditions, ranges and definitions that the bounds and the congruence rest on.
    pub because: Vec<String>,
}

/// One step to a simpler form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RewriteStep {
    /// The name of the rule or stage.
    pub rule: &'static str,
    /// The expression before the step.
    pub before: String,
    /// The expression after the step.
    pub after: String,
    /// The condition, range or definition that decides it.
    pub because: Option<String>,
}

impl std::fmt::Display for RewriteStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}  =>  {}", self.rule, self.before, self.after)?;
        match &self.because {
            Some(because) => write!(f, ", as {because}"),
            None => Ok(()),
        }
    }
}

impl IntegerFacts {
    /// One sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let mut out = Vec::new();
        out.extend(self.bounds.as_ref().map(|it| format!("bounds: `{it}`")));
        out.extend(self.congruence.as_ref().map(|it| format!("congruence: `{it}`")));
        if !self.because.is_empty() {
            let because: Vec<String> = self.because.iter().map(|it| format!("`{it}`")).collect();
            out.push(format!("known from {}", because.join(", ")));
        }
        if let Some(canonical) = &self.canonical {
            out.push(format!("canonical form: `{canonical}` ({})", self.rules.join(", ")));
        }
        out
    }
}

pub(crate) fn integer_facts<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    occurrence: OccurrenceId,
) -> Option<IntegerFacts> {
    let analyses = db::analyses(db, unit);
    let Analyses { body, occurrences, effects, .. } = analyses;
    let expr = occurrences[occurrence].expr;
    let dtype = body.dtype(expr)?;
    let node = body.expr(expr);
    let is_wanted = (dtype.is_integer() || dtype.is_bool()) && dtype.is_scalar();
    if !is_wanted || node.is_constant() || node.size > MAX_NODES || matches!(node.ty, Type::Unknown)
    {
        return None;
    }
    let mut simplifier = Simplifier::with_effects(body, effects);
    let conditions = analyses.conditions(simplifier.analyzer());
    let ctx = conditions.at(&analyses.flow(), occurrence);
    let reading = Overflow::Excluded;
    let mut out = IntegerFacts::default();
    let facts = simplifier.analyzer().facts_with(reading, ctx, expr);
    out.bounds = bounds(facts.interval, Interval::of_type(dtype));
    if facts.modular.coeff > 1 {
        out.congruence = Some(facts.modular.to_string());
    }
    let simple = simplifier.simplify(ctx, expr, reading);
    if simple != expr {
        out.canonical = Some(expr_text(simplifier.body(), simple));
        for step in simplifier.steps(ctx, expr, reading) {
            if !out.rules.contains(&step.rule) {
                out.rules.push(step.rule);
            }
            let said = step.because.map(|it| simplifier.analyzer().constraint(it));
            let body = simplifier.body();
            out.steps.push(RewriteStep {
                rule: step.rule,
                before: expr_text(body, step.before),
                after: expr_text(body, step.after),
                because: said.and_then(|it| constraint(body, it)),
            });
        }
    }
    let origins = simplifier.analyzer().sources(reading, ctx, expr);
    for origin in origins.iter().take(MAX_ORIGINS) {
        out.because.extend(match origin.source {
            Source::Size(value) => Some(format!("{} >= 0", body.name(body.values[value].name))),
            Source::Shape(buffer) => {
                Some(format!("the shape of {}", body.name(body.buffers[buffer].name)))
            }
            Source::Loop(at)
            | Source::Launch(at)
            | Source::Condition(at)
            | Source::Definition(at) => {
                let said: Constraint = simplifier.analyzer().constraint(at);
                constraint(simplifier.body(), said)
            }
        });
    }
    (out != IntegerFacts::default()).then_some(out)
}

/// The ends that are tighter than those of the type: a bound near an end of the type is only the rest of that end after
/// an operation.
pub(crate) fn bounds(it: Interval, of_type: Interval) -> Option<String> {
    let near = (of_type.max - of_type.min) / 8;
    let has_min = it.min > of_type.min + near || of_type.min == 0 && it.min > 0;
    let has_max = it.max < of_type.max - near;
    match (has_min, has_max) {
        _ if it.min == it.max => Some(format!("value == {}", it.min)),
        (true, true) => Some(format!("{} <= value <= {}", it.min, it.max)),
        (true, false) => Some(format!("{} <= value", it.min)),
        (false, true) => Some(format!("value <= {}", it.max)),
        (false, false) => None,
    }
}
