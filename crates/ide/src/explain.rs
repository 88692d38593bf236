//! Explanations: the decision about an expression, with reasons, for hovers and the command line.

use db::{PlacedUnit, RootDatabase, SourceFile};
use ir::{
    OccurrenceId, OpKind,
    arena::Id as _,
    plan::{CseGroup, Decision, Refusal},
};
use syntax::{TextRange, TextSize};

use crate::{
    integer_facts::{IntegerFacts, integer_facts},
    plan_text::{HOST_ROUNDING, INFORMATIONAL, PlanText},
    units::shown_function_at,
};

/// The reason where there is nothing to decide.
pub(crate) const COMPUTED_ONCE: &str = "It is computed once.";

/// All that is known of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The expression.
    pub range: TextRange,
    /// Its text, on one line.
    pub text: String,
    /// Its type.
    pub ty: String,
    /// Number of its value: equal numbers in a function are equal expressions.
    pub value_number: u32,
    /// The number of times that the function computes it.
    pub n_occurrences: usize,
    /// True if it is a statement: nobody uses its value.
    pub is_statement: bool,
    /// All places where it is computed.
    pub occurrences: Vec<TextRange>,
    /// Kebab-case name of the decision: `bind`, `reuse`, `covered`, the name of a refusal, or `single`.
    pub decision: &'static str,
    /// The name that holds the value: of the new binding, or the user's own.
    pub binding: Option<String>,
    /// Operations that one evaluation costs, and evaluations that the decision saves, if there is something to decide.
    pub cost: Option<u32>,
    /// See [`Explanation::cost`].
    pub saved: Option<u32>,
    /// The decision and the reasons, in sentences.
    pub reasons: Vec<String>,
    /// The integer facts at this place, if it is an integer or a condition.
    pub integer: Option<IntegerFacts>,
}

pub(crate) fn explain(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<Explanation> {
    let (at, offset) = shown_function_at(db, file, offset)?;
    let text = PlanText::new(db, at.unit);
    let occurrence = occurrence_at(db, &at, &text, offset)?;
    let occurrences = db::occurrences(db, at.unit);
    let (expr, op) = (occurrences[occurrence].expr, occurrences[occurrence].op);
    let is_whole = occurrences[occurrence].parent.is_none();
    let group = group_of(&text, occurrence);
    let mut places: Vec<OccurrenceId> = match group {
        Some(group) => group.occurrences.clone(),
        None => occurrences.iter().filter(|(_, it)| it.expr == expr).map(|(id, _)| id).collect(),
    };
    places.sort_by_key(|&it| (text.map.occurrence_range(it).start(), it));
    let (decision, reasons) = decision(&text, group, expr, places.len());
    Some(Explanation {
        range: at.to_file(text.map.occurrence_range(occurrence)),
        text: text.expr(occurrence),
        ty: text.type_of(expr),
        value_number: expr.index() as u32,
        n_occurrences: places.len(),
        is_statement: is_whole && matches!(text.body.ops[op].kind, OpKind::Evaluate),
        occurrences: places.iter().map(|&it| at.to_file(text.map.occurrence_range(it))).collect(),
        decision,
        binding: group.and_then(|it| text.binding_name(it)).map(str::to_owned),
        cost: group.map(|it| it.cost),
        saved: group.map(|it| it.saved),
        reasons,
        integer: integer_facts(db, at.unit, occurrence),
    })
}

/// The innermost computed expression whose text holds an offset; a variable or a constant only if nothing else does.
fn occurrence_at(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    text: &PlanText<'_>,
    offset: TextSize,
) -> Option<OccurrenceId> {
    let occurrences = db::occurrences(db, at.unit);
    let around = occurrences.iter().filter(|(id, _)| {
        text.map.is_real(*id) && text.map.occurrence_range(*id).contains_inclusive(offset)
    });
    around
        .min_by_key(|(id, it)| {
            (text.body.expr(it.expr).is_leaf(), text.map.occurrence_range(*id).len(), id.index())
        })
        .map(|(id, _)| id)
}

/// The group that an occurrence belongs to.
fn group_of<'a>(text: &PlanText<'a>, occurrence: OccurrenceId) -> Option<&'a CseGroup> {
    let groups = text.plan.groups.iter();
    // What looks the same and is not is listed beside what is done.
    let kind = |it: &&CseGroup| match it.decision {
        Decision::Bind(_) | Decision::Reuse(_) | Decision::Insert(_) => 0,
        // What says more than that it is part of something.
        Decision::Refuse(Refusal::PartialRedundancy { .. }) => 1,
        Decision::Covered { .. } => 2,
        Decision::Refuse(_) => 3,
    };
    groups.filter(|it| it.occurrences.binary_search(&occurrence).is_ok()).min_by_key(kind)
}

fn decision(
    text: &PlanText<'_>,
    group: Option<&CseGroup>,
    expr: ir::ExprId,
    n_occurrences: usize,
) -> (&'static str, Vec<String>) {
    let Some(group) = group else {
        let node = text.body.expr(expr);
        let reason = if node.is_leaf() {
            "A variable or a constant: there is nothing to compute.".to_owned()
        } else if n_occurrences < 2 {
            COMPUTED_ONCE.to_owned()
        } else if node.flags.has_impure {
            "It contains a call that may have an effect or give another value each time.".to_owned()
        } else if node.flags.has_load {
            "It reads memory that is written between, or the rules in force do not share loads."
                .to_owned()
        } else {
            "Each of its occurrences is part of a larger expression that is shared, or the rules in \
             force do not consider it."
                .to_owned()
        };
        return (if n_occurrences < 2 { "single" } else { "not-considered" }, vec![reason]);
    };
    let name = match &group.decision {
        Decision::Bind(_) => "bind",
        Decision::Reuse(_) => "reuse",
        Decision::Insert(_) => "insert",
        Decision::Covered { .. } => "covered",
        Decision::Refuse(refusal) => refusal.name(),
    };
    let mut reasons = vec![text.decision(group)];
    if let Some(equivalence) = PlanText::equivalence(group) {
        reasons.push(format!("The occurrences are {equivalence}."));
    }
    if group.host_rounding {
        reasons.push(HOST_ROUNDING.to_owned());
    }
    if text.plan.informational {
        reasons.push(INFORMATIONAL.to_owned());
    }
    (name, reasons)
}
