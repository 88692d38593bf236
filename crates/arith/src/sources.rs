//! Sources of facts, and missing facts, as data for explanations.
//!
//! In: a context, an expression. Out: the contexts that changed the facts about it, each with the facts before and
//! after and the kind of its place; or, for an undecided condition, facts that would decide it. Both ask the analyzer
//! again in other contexts: as much work as so many questions, and nothing that a plan should do for every node.

use ir::{BufferId, BufferOrigin, ExprId, ExprKind, ValueId};

use crate::{
    Interval,
    contexts::{Constraint, ContextId, Contexts},
    deduction::Deduction,
    facts::{Facts, Overflow},
    forms::{Atom, AtomKind, Linear, Made},
    nodes::VariableSet,
};

/// Contexts that are looked at for one expression; reasons further away explain nothing to a person.
const MOST_CONTEXTS: usize = 128;
/// Facts that are tried for one condition.
const MOST_TRIED: usize = 8;

/// The kind of place that a fact comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The variable is a size, which is not negative (`SEMANTICS: B6`).
    Size(ValueId),
    /// The shape of a buffer from outside, whose extents are not negative (`B6`).
    Shape(BufferId),
    /// The range of a loop, whose body runs only where the extent is positive (`L4`).
    Loop(ContextId),
    /// The launch of threads, likewise (`P7`).
    Launch(ContextId),
    /// A condition on the way (`L7`, `S5`, `X3`, `X4`, `L9`).
    Condition(ContextId),
    /// The definition of a variable.
    Definition(ContextId),
}

/// A place that changed the facts about an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The place.
    pub source: Source,
    /// The facts known outside it.
    pub before: Facts,
    /// The facts known inside it.
    pub after: Facts,
}

/// A fact that is not shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lacking {
    /// The fact that the expression is at least this.
    AtLeast(ExprId, i64),
    /// The fact that no sum or product leaves the range of its type.
    NoOverflow,
}

/// Returns the place where the facts of `expr` in `ctx` come from: the places that changed them, outermost first.
pub(crate) fn sources(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    expr: ExprId,
) -> Vec<Origin> {
    let mut origins = Vec::new();
    let mut at = of.relevant(overflow, ctx, expr);
    for _ in 0..MOST_CONTEXTS {
        let Some(above) = of.contexts().parent(at) else { break };
        let (before, after) = (of.facts(overflow, above, expr), of.facts(overflow, at, expr));
        if before != after
            && let Some(source) = source_of_context(of, at)
        {
            origins.push(Origin { source, before, after });
        }
        at = of.relevant(overflow, above, expr);
    }
    let root = of.facts(overflow, Contexts::ROOT, expr);
    let signature = sources_of_signature(of, expr);
    let before =
        Facts::of_interval(of.body().dtype(expr).map_or(Interval::EVERYTHING, Interval::of_type));
    if root != before {
        // Outermost of all, in program order after the reversal.
        let all = signature.into_iter().rev();
        origins.extend(all.map(|source| Origin { source, before, after: root }));
    }
    origins.reverse();
    origins
}

/// Returns the kind of place of a context; `None` for binders and the signature.
pub(crate) fn source_of_context(of: &Deduction<'_>, ctx: ContextId) -> Option<Source> {
    Some(match of.contexts().constraint(ctx) {
        Constraint::Range { min: None, .. } => Source::Launch(ctx),
        Constraint::Range { .. } => Source::Loop(ctx),
        Constraint::Assume { .. } | Constraint::AtLeast { .. } => Source::Condition(ctx),
        Constraint::Define { .. } => Source::Definition(ctx),
        Constraint::Shape { buffer } => Source::Shape(buffer),
        Constraint::Signature | Constraint::Binder { .. } => return None,
    })
}

/// The size variables and shapes of parameters that an expression is made of.
fn sources_of_signature(of: &mut Deduction<'_>, expr: ExprId) -> Vec<Source> {
    let set = of.nodes_mut().summary(expr).variables;
    if set == VariableSet::ALL {
        return Vec::new();
    }
    let variables: Vec<ValueId> = of.nodes().variables(set).unwrap_or_default().to_vec();
    let mut sources = Vec::new();
    let sizes = variables.iter().filter(|it| of.body().values[**it].is_size);
    sources.extend(sizes.map(|&it| Source::Size(it)));
    for param in 0..of.body().params.len() {
        let Some(buffer) = of.body().params[param].buffer else { continue };
        let data = &of.body().buffers[buffer];
        if data.origin != BufferOrigin::Param {
            continue;
        }
        let is_extent = data.shape.iter().any(|&extent| match of.body().expr(extent).kind {
            ExprKind::Value(value) => {
                variables.contains(&value) && !of.body().values[value].is_size
            }
            _ => extent == expr,
        });
        if is_extent {
            sources.push(Source::Shape(buffer));
        }
    }
    sources
}

/// Facts that would decide a condition that is not decided, with the decision: that a divisor or factor is positive, or
/// not negative, or that nothing overflows. As few as can be found by leaving out one after another; none if nothing of
/// the kind decides it.
pub(crate) fn lacking(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    cond: ExprId,
) -> Option<(bool, Vec<Lacking>)> {
    if of.decide_with(overflow, ctx, cond).is_some() {
        return None;
    }
    if overflow == Overflow::Wraps
        && let Some(decision) = of.decide_with(Overflow::Excluded, ctx, cond)
    {
        return Some((decision, vec![Lacking::NoOverflow]));
    }
    let reading = Overflow::Excluded;
    let mut facts = candidates(of, reading, ctx, cond);
    let decision = decide_given(of, reading, ctx, cond, &facts)?;
    let mut at = 0;
    while at < facts.len() {
        let mut fewer = facts.clone();
        fewer.remove(at);
        if decide_given(of, reading, ctx, cond, &fewer) == Some(decision) {
            facts = fewer;
            continue;
        }
        // Not being negative may do where being positive does.
        let mut weaker = facts.clone();
        weaker[at].1 = 0;
        if decide_given(of, reading, ctx, cond, &weaker) == Some(decision) {
            facts = weaker;
        }
        at += 1;
    }
    let mut lacking: Vec<Lacking> =
        facts.iter().map(|&(expr, least)| Lacking::AtLeast(expr, least)).collect();
    if overflow == Overflow::Wraps {
        lacking.push(Lacking::NoOverflow);
    }
    Some((decision, lacking))
}

fn decide_given(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    cond: ExprId,
    facts: &[(ExprId, i64)],
) -> Option<bool> {
    let mut inner = ctx;
    for &(expr, least) in facts {
        inner = of.add_context(inner, Constraint::AtLeast { expr, least });
    }
    if of.is_contradiction(overflow, inner) {
        return None;
    }
    of.decide_with(overflow, inner, cond)
}

/// Divisors and factors of the sides of a comparison that are not shown to be positive, in program order.
fn candidates(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    cond: ExprId,
) -> Vec<(ExprId, i64)> {
    let ExprKind::Binary(op, a, b) = of.body().expr(cond).kind else { return Vec::new() };
    if !op.is_comparison() {
        return Vec::new();
    }
    let mut nodes = Vec::new();
    let mut forms: Vec<Linear> =
        [a, b].into_iter().filter_map(|it| of.linear(overflow, ctx, it)).collect();
    let mut left = 4 * MOST_TRIED;
    while let Some(form) = forms.pop()
        && left > 0
    {
        left -= 1;
        for atom in form.atoms() {
            parts(of, overflow, ctx, atom, &mut nodes, &mut forms);
        }
    }
    nodes.retain(|&it| of.facts(overflow, ctx, it).interval.min < 1);
    nodes.sort_unstable();
    nodes.dedup();
    nodes.truncate(MOST_TRIED);
    nodes.into_iter().map(|it| (it, 1)).collect()
}

/// The nodes whose sign an atom depends on, and the forms inside it.
fn parts(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    atom: Atom,
    nodes: &mut Vec<ExprId>,
    forms: &mut Vec<Linear>,
) {
    match (atom.kind(), of.atoms().made(atom).cloned()) {
        (_, Some(Made::Product(factors))) => {
            for factor in factors {
                match factor.as_node() {
                    Some(node) => nodes.push(node),
                    None => forms.push(Linear::atom(factor)),
                }
            }
        }
        (_, Some(Made::Quotient(it))) => {
            nodes.extend(it.divisor.atoms().filter_map(Atom::as_node));
            forms.push(it.dividend);
        }
        (AtomKind::Node(expr), _) => {
            if let ExprKind::Binary(op, a, b) = of.body().expr(expr).kind
                && op.is_division()
            {
                let by = of.linear(overflow, ctx, b);
                nodes.extend(by.iter().flat_map(Linear::atoms).filter_map(Atom::as_node));
                forms.extend(of.linear(overflow, ctx, a));
                // The sign of the dividend tells how a remainder rounds.
                nodes.push(a);
            }
        }
        (AtomKind::Made(_), None) => {}
    }
}
