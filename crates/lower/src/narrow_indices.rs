//! Integers of 64 bits that stay in 32 are computed in 32.
//!
//! In: a body without blocks. Out: first variables of loops, threads and bindings whose every value is shown to fit,
//! then ([`exprs`]) indices, comparisons and other arithmetic of which each part is shown to fit. The proofs do not
//! assume that sums do not overflow (`arith`, the wrapping reading), under the facts at the operation: so each part
//! keeps its value, and none overflows that did not before (`SEMANTICS: I1`, `M2`, `L4`). A value that may leave 32
//! bits, such as the size of an unbounded buffer, stays wide.
//!
//! A variable that a call with an effect takes stays, since the threads of a reduction are named so. Extents of
//! launches stay as the host computes them, unless they are constants. Linear in the operands, and the work of the
//! analyzer.

mod exprs;

use arith::{Analyzer, Interval};
use dataflow::{analyses::Analyses, conditions::Conditions};
use ir::{
    Body, DataType, ExprId, ExprKind, Occurrences, OpId, OpKind, ValueId, effects::EffectTable,
    substitution::Substitution,
};

use rustc_hash::FxHashSet;

use self::exprs::Narrower;
use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{each_node, loop_var, map_op},
    lists::{WIDE, constant},
};

/// The type of the narrowed computations.
const NARROW: DataType = DataType::INT32;

/// See the module.
pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    _: &mut Origins,
) -> Result<(), LowerRefusal> {
    if options.index_bits > 32 || !has_wide(body) {
        return Ok(());
    }
    let mut before = body.clone();
    let variables = with_facts(&before, &options.effects, |facts| {
        let variables = variables(facts, &mut facts.before.clone());
        if variables.is_empty() {
            narrow_operands(facts, body);
        }
        variables
    });
    if !variables.is_empty() {
        retype(body, &variables);
        before.clone_from(body);
        with_facts(&before, &options.effects, |facts| narrow_operands(facts, body));
    }
    Ok(())
}

/// Returns true if anything is computed in 64 bits.
fn has_wide(body: &Body) -> bool {
    let is_wide = |op: OpId| body.ops[op].operands.iter().any(|&it| holds_wide(body, it));
    body.ops_preorder().any(is_wide)
}

fn holds_wide(body: &Body, expr: ExprId) -> bool {
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        let node = body.expr(at);
        let is_wide = node.ty.prim().is_some_and(|it| it.element() == WIDE);
        if is_wide && !node.is_constant() {
            return true;
        }
        body.each_child(node.kind, &mut |child| stack.push(child));
    }
    false
}

/// The facts about a body, and the body that is changed.
struct Facts<'a> {
    before: &'a Body,
    analyzer: Analyzer<'a>,
    conditions: Conditions,
}

fn with_facts<R>(
    before: &Body,
    effects: &EffectTable,
    then: impl FnOnce(&mut Facts<'_>) -> R,
) -> R {
    let occurrences = Occurrences::collect(before);
    let analyses = Analyses::of(before, &occurrences, effects);
    let mut analyzer = analyses.analyzer();
    let conditions = analyses.conditions(&mut analyzer);
    then(&mut Facts { before, analyzer, conditions })
}

/// Returns true if all values fit 32 bits.
fn fits(interval: Interval) -> bool {
    interval.is_within(Interval::of_type(NARROW))
}

// ---- variables ----

/// Variables of 64 bits whose values all fit, with the operation that defines each.
fn variables(facts: &mut Facts<'_>, scratch: &mut Body) -> Vec<(ValueId, OpId)> {
    let body = facts.before;
    let named = named(body);
    let mut found = Vec::new();
    for op in body.ops_preorder() {
        let data = &body.ops[op];
        let var = match data.kind {
            OpKind::For(_) => loop_var(body, op),
            OpKind::LaunchThread { var, .. } if constant(body, data.operands[0]).is_some() => var,
            OpKind::Bind => data.results[0],
            _ => continue,
        };
        if body.values[var].ty != WIDE.into() || named.contains(&var) {
            continue;
        }
        let is_narrow = match data.kind {
            OpKind::For(_) => is_narrow_loop(facts, scratch, op),
            OpKind::LaunchThread { .. } => {
                constant(body, data.operands[0]).is_some_and(|it| i32::try_from(it).is_ok())
            }
            _ => {
                let context = facts.conditions.before(op);
                let mut narrower = Narrower::new(&mut facts.analyzer, body, context);
                narrower.narrow(scratch, data.operands[0]).is_some()
            }
        };
        if is_narrow {
            found.push((var, op));
        }
    }
    found
}

/// Variables that are meant by name, not by value: the threads of a reduction, and the subject of an attribute.
fn named(body: &Body) -> FxHashSet<ValueId> {
    let mut named = FxHashSet::default();
    let mut note = |expr: ExprId| {
        if let ExprKind::Value(value) = body.expr(expr).kind {
            named.insert(value);
        }
    };
    for op in body.ops_preorder() {
        let data = &body.ops[op];
        if matches!(data.kind, OpKind::Attr(_)) {
            note(data.operands[0]);
        }
        for &operand in &data.operands {
            if body.expr(operand).flags.has_impure {
                each_node(body, operand, &mut |at| {
                    if let ExprKind::Call { args, instance: 1.., .. } = body.expr(at).kind {
                        body.items(args).iter().for_each(|&it| note(it));
                    }
                });
            }
        }
    }
    named
}

/// Returns true if a loop's bounds fit, and its variable with one step more.
fn is_narrow_loop(facts: &mut Facts<'_>, scratch: &mut Body, op: OpId) -> bool {
    let body = facts.before;
    let data = &body.ops[op];
    let context = facts.conditions.before(op);
    let mut narrower = Narrower::new(&mut facts.analyzer, body, context);
    let bounds = data.operands.iter().all(|&it| narrower.narrow(scratch, it).is_some());
    if !bounds {
        return false;
    }
    let step = match data.operands.get(2) {
        Some(&step) => facts.analyzer.bound(context, step),
        None => Interval::constant(1),
    };
    let [min, extent] = [0, 1].map(|at| facts.analyzer.bound(context, data.operands[at]));
    // The last increment may pass the end by less than a step (`SEMANTICS: L4`).
    step.min >= 1 && fits(min.plus(extent).plus(step)) && fits(min.plus(step))
}

/// Gives variables the narrow type. Their uses cast them to the former type.
fn retype(body: &mut Body, variables: &[(ValueId, OpId)]) {
    let mut substitution = Substitution::default();
    for &(var, _) in variables {
        let narrow = body.make(ExprKind::Value(var), NARROW.into());
        let wide = body.cast(narrow, WIDE);
        body.values[var].ty = NARROW.into();
        substitution.add(var, wide);
    }
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for op in ops {
        map_op(body, op, &mut |body, expr| substitution.apply(body, expr));
    }
    for &(_, op) in variables {
        map_op(body, op, &mut |body, expr| match constant(body, expr) {
            Some(value) => body.int(value.into(), NARROW),
            None => body.cast(expr, NARROW),
        });
    }
}

// ---- expressions ----

fn narrow_operands(facts: &mut Facts<'_>, body: &mut Body) {
    let before = facts.before;
    let ops: Vec<OpId> = before.ops_preorder().collect();
    for op in ops {
        let kind = before.ops[op].kind;
        let is_changed = matches!(
            kind,
            OpKind::For(_)
                | OpKind::If
                | OpKind::While
                | OpKind::Store { .. }
                | OpKind::Bind
                | OpKind::Evaluate
                | OpKind::Assert
        );
        if !is_changed {
            continue;
        }
        let context = facts.conditions.before(op);
        let mut narrower = Narrower::new(&mut facts.analyzer, before, context);
        for at in 0..before.ops[op].operands.len() {
            let old = before.ops[op].operands[at];
            let is_index = at > 0 && matches!(kind, OpKind::Store { .. });
            body.ops[op].operands[at] =
                if is_index { narrower.index(body, old) } else { narrower.rewrite(body, old) };
        }
    }
}
