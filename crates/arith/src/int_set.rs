//! The values of an index while loops run, as bounds that are expressions.
//!
//! In: an integer expression, a context inside loops, the loop variables to run over. Out: an [`IntSet`]: the least and
//! the greatest value as expressions of everything else (extents, outer variables), and a stride. Each loop variable in
//! the expression's linear form is replaced, innermost first, by its first or last value, depending on the sign of its
//! factor; so loops may depend on those around them. Bounds are mathematical integers: who computes one shows that it
//! stays in range ([`crate::Analyzer::adds_no_overflow`]). O(terms · loops).

use ir::{BinaryOp, DataType, ExprId, ValueId};
use smallvec::SmallVec;

use crate::{
    Interval,
    contexts::{Constraint, ContextId},
    deduction::Deduction,
    facts::Overflow,
    forms::{Atom, AtomKind, Linear, Made},
    integers::gcd,
};

/// Quotients and products in each other that are written as an expression.
const MOST_NESTED: u32 = 12;

/// Values `min, min + stride, …, max`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntSet {
    /// No value is less; none if no bound is known.
    pub min: Option<ExprId>,
    /// No value is greater; none if no bound is known.
    pub max: Option<ExprId>,
    /// Values differ by multiples of this; 0 where there is one value only. Counted from `min` and from `max`.
    pub stride: i128,
    /// Each value of `min, min + stride, …, max` is taken, unless a condition on the way leaves it out.
    pub is_dense: bool,
}

/// An iteration: a variable with its first and last value.
struct Run {
    atom: Atom,
    var: ValueId,
    first: Linear,
    last: Linear,
    step: i128,
}

/// The values known so far.
struct Values {
    /// Least and greatest value.
    ends: [Option<Linear>; 2],
    stride: i128,
    /// Distance and number of steps of each variable, where nothing else varies; the number where it is a constant.
    parts: Option<Vec<(i128, Option<i128>)>>,
}

/// The values of `expr` in `ctx` while the loops and launches over these variables, and no others, run. Adds the bounds
/// to the body, as [`crate::Analyzer::grow`] does. None if the expression is no integer value of its variables.
pub(crate) fn int_set(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    expr: ExprId,
    over: &[ValueId],
) -> Option<IntSet> {
    let form = of.linear(overflow, ctx, expr)?;
    let dtype = of.body().dtype(expr)?;
    let mut values =
        Values { ends: [Some(form.clone()), Some(form)], stride: 0, parts: Some(Vec::new()) };
    for run in runs(of, overflow, ctx, over) {
        run_over(of, overflow, ctx, &run, &mut values);
    }
    let is_dense = values.parts.is_some_and(|it| is_dense(it, values.stride))
        && values.ends.iter().all(Option::is_some);
    let [min, max] = values.ends.map(|it| express(of, &it?, dtype, MOST_NESTED));
    Some(IntSet { min, max, stride: values.stride, is_dense })
}

/// The loops over these variables, innermost first.
fn runs(of: &mut Deduction<'_>, overflow: Overflow, ctx: ContextId, over: &[ValueId]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut at = Some(ctx);
    while let Some(here) = at {
        if let Constraint::Range { var, min, extent, step } = of.contexts().constraint(here)
            && over.contains(&var)
            && runs.iter().all(|it| it.var != var)
            && let Some(run) = run(of, overflow, here, (var, min, extent, step))
        {
            runs.push(run);
        }
        at = of.contexts().parent(here);
    }
    runs
}

fn run(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    (var, min, extent, step): (ValueId, Option<ExprId>, ExprId, Option<ExprId>),
) -> Option<Run> {
    // A range that may have wrapped says nothing (L3).
    let is_signed = |it: DataType| it.is_int() && it.bits >= 32;
    of.body().values[var].ty.prim().filter(|&it| is_signed(it))?;
    of.body().dtype(extent).filter(|&it| is_signed(it))?;
    let node = of.nodes().node_of(var)?;
    let atom = of.atom(node);
    let first = match min {
        Some(min) => of.linear(overflow, ctx, min)?,
        None => Linear::constant(0),
    };
    let mut span = of.linear(overflow, ctx, extent)?.plus(-1)?;
    let mut by = 1;
    if let Some(step) = step {
        let step = of.linear(overflow, ctx, step)?;
        by = step.as_constant().unwrap_or(1);
        let trips = of.quotient(span, step.clone())?;
        span = of.product_form(&trips, &step)?;
    }
    let last = first.combine(1, &span, 1)?;
    Some(Run { atom, var, first, last, step: by })
}

fn run_over(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    run: &Run,
    values: &mut Values,
) {
    let [least, greatest] = values.ends.clone().map(|it| varying(of, it.as_ref(), run));
    if least != greatest {
        values.parts = None;
    }
    for (atom, factor) in least.into_iter().chain(greatest) {
        // As many steps of the loop, unless it is more than a multiple of the variable.
        let rest = of.without_factors(atom, run.atom);
        let is_multiple = rest.is_some_and(|it| it.atoms().all(|it| !varies(of, it, run)));
        let by = if is_multiple { factor.saturating_mul(run.step) } else { factor };
        values.stride = gcd(values.stride, by);
    }
    let [form, _] = &values.ends;
    let factor = form.as_ref().map_or(0, |it| it.factor(run.atom));
    let n_varying = varying(of, form.clone().as_ref(), run).len();
    let count = run.last.minus(&run.first).and_then(|it| it.as_constant());
    match &mut values.parts {
        _ if n_varying == 0 => {}
        Some(parts) if n_varying == 1 && factor != 0 => {
            let by = factor.saturating_mul(run.step).saturating_abs();
            parts.push((by, count.map(|it| it / run.step + 1)));
        }
        parts => *parts = None,
    }
    for (end, is_least) in [(0, true), (1, false)] {
        let form = values.ends[end].take();
        values.ends[end] =
            form.and_then(|it| at_end(of, overflow, ctx, &it, run, is_least, MOST_NESTED));
    }
}

fn varying(
    of: &mut Deduction<'_>,
    form: Option<&Linear>,
    run: &Run,
) -> SmallVec<[(Atom, i128); 4]> {
    let terms = form.map_or(&[][..], Linear::terms);
    terms.iter().copied().filter(|it| varies(of, it.0, run)).collect()
}

fn varies(of: &mut Deduction<'_>, atom: Atom, run: &Run) -> bool {
    let set = of.variables_of_atom(atom);
    of.nodes().variables(set).is_none_or(|it| it.contains(&run.var))
}

/// The least or greatest value of a form while one variable runs.
fn at_end(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    form: &Linear,
    run: &Run,
    is_least: bool,
    left: u32,
) -> Option<Linear> {
    let mut total = Linear::constant(form.offset());
    for &(atom, factor) in form.terms() {
        let term = if varies(of, atom, run) {
            atom_at_end(of, overflow, ctx, atom, run, is_least == (factor > 0), left)?
        } else {
            Linear::atom(atom)
        };
        total = total.combine(1, &term, factor)?;
    }
    Some(total)
}

fn atom_at_end(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    atom: Atom,
    run: &Run,
    is_least: bool,
    left: u32,
) -> Option<Linear> {
    if atom == run.atom {
        return Some(if is_least { run.first.clone() } else { run.last.clone() });
    }
    match of.atoms().made(atom).cloned() {
        Some(Made::Product(_)) => {
            let rest = of.without_factors(atom, run.atom)?;
            let (rest_atom, ..) = rest.single()?;
            if varies(of, rest_atom, run) {
                return None;
            }
            let sign = of.interval_of(overflow, ctx, &rest);
            let end = match () {
                () if sign.is_non_negative() => is_least,
                () if sign.max <= 0 => !is_least,
                () => return None,
            };
            let end = if end { &run.first } else { &run.last };
            of.product_form(end, &rest)
        }
        Some(Made::Quotient(it)) if left > 0 => {
            let is_fixed = it.divisor.atoms().all(|atom| !varies(of, atom, run));
            if !is_fixed || of.interval_of(overflow, ctx, &it.divisor).min <= 0 {
                return None;
            }
            let end = at_end(of, overflow, ctx, &it.dividend, run, is_least, left - 1)?;
            of.quotient(end, it.divisor)
        }
        _ => {
            let Interval { min, max } = of.facts_of_atom(overflow, ctx, atom).interval;
            let end = if is_least { min } else { max };
            let is_known = ![Interval::NEG_INF, Interval::POS_INF].contains(&end);
            is_known.then(|| Linear::constant(end))
        }
    }
}

/// A form as an expression, its terms in the order of the program.
pub(crate) fn express(
    of: &mut Deduction<'_>,
    form: &Linear,
    dtype: DataType,
    left: u32,
) -> Option<ExprId> {
    let mut terms: Vec<(Vec<ExprId>, Atom, i128)> = Vec::new();
    for &(atom, factor) in form.terms() {
        terms.push((nodes_of(of, atom, left), atom, factor));
    }
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    // Subtract from something.
    let (up, down): (Vec<_>, Vec<_>) = terms.into_iter().partition(|it| it.2 > 0);
    let mut sum: Option<ExprId> = None;
    for (_, atom, factor) in up.into_iter().chain(down) {
        let term = express_atom(of, atom, dtype, left)?;
        let (op, times) = match sum {
            Some(_) if factor < 0 => (BinaryOp::Sub, factor.checked_neg()?),
            _ => (BinaryOp::Add, factor),
        };
        let term = with_constant(of, BinaryOp::Mul, term, times, dtype)?;
        sum = Some(match sum {
            Some(sum) => of.grow(|body| body.binary(op, sum, term)),
            None => term,
        });
    }
    match (sum, form.offset()) {
        (Some(sum), 0) => Some(sum),
        (Some(sum), it) if it < 0 => {
            with_constant(of, BinaryOp::Sub, sum, it.checked_neg()?, dtype)
        }
        (Some(sum), it) => with_constant(of, BinaryOp::Add, sum, it, dtype),
        (None, it) => {
            Interval::of_type(dtype).contains(it).then(|| of.grow(|body| body.int(it, dtype)))
        }
    }
}

fn with_constant(
    of: &mut Deduction<'_>,
    op: BinaryOp,
    expr: ExprId,
    value: i128,
    dtype: DataType,
) -> Option<ExprId> {
    if op == BinaryOp::Mul && value == 1 {
        return Some(expr);
    }
    let fits = Interval::of_type(dtype).contains(value);
    fits.then(|| {
        of.grow(|body| {
            let value = body.int(value, dtype);
            body.binary(op, expr, value)
        })
    })
}

fn express_atom(of: &mut Deduction<'_>, atom: Atom, dtype: DataType, left: u32) -> Option<ExprId> {
    let left = left.checked_sub(1)?;
    match (atom.kind(), of.atoms().made(atom).cloned()) {
        (AtomKind::Node(expr), _) => {
            let own = of.body().dtype(expr)?;
            let is_narrower = own.bits < dtype.bits && own.is_int() && dtype.is_int();
            match own == dtype {
                true => Some(expr),
                false if is_narrower => Some(of.grow(|body| body.cast(expr, dtype))),
                false => None,
            }
        }
        (_, Some(Made::Product(factors))) => {
            let mut keyed: Vec<(Vec<ExprId>, Atom)> =
                factors.into_iter().map(|it| (nodes_of(of, it, left), it)).collect();
            keyed.sort_by(|a, b| a.0.cmp(&b.0));
            let mut product = None;
            for (_, factor) in keyed {
                let factor = express_atom(of, factor, dtype, left)?;
                product = Some(match product {
                    Some(it) => of.grow(|body| body.binary(BinaryOp::Mul, it, factor)),
                    None => factor,
                });
            }
            product
        }
        (_, Some(Made::Quotient(it))) => {
            let dividend = express(of, &it.dividend, dtype, left)?;
            let divisor = express(of, &it.divisor, dtype, left)?;
            Some(of.grow(|body| body.binary(BinaryOp::FloorDiv, dividend, divisor)))
        }
        (AtomKind::Made(_), None) => None,
    }
}

/// The nodes an atom is made of, which have an order in the program.
fn nodes_of(of: &Deduction<'_>, atom: Atom, left: u32) -> Vec<ExprId> {
    let mut nodes = match (atom.kind(), of.atoms().made(atom)) {
        (AtomKind::Node(expr), _) => vec![expr],
        (_, Some(Made::Product(factors))) if left > 0 => {
            factors.iter().flat_map(|it| nodes_of(of, *it, left - 1)).collect()
        }
        (_, Some(Made::Quotient(it))) if left > 0 => {
            let atoms = it.dividend.atoms().chain(it.divisor.atoms());
            atoms.flat_map(|it| nodes_of(of, it, left - 1)).collect()
        }
        _ => Vec::new(),
    };
    nodes.sort_unstable();
    nodes
}

/// Returns true if sums of these multiples cover a range without gaps.
fn is_dense(mut parts: Vec<(i128, Option<i128>)>, stride: i128) -> bool {
    if let [_] = parts[..] {
        return true;
    }
    parts.sort_unstable();
    let mut reach: i128 = 0;
    parts.into_iter().all(|(by, count)| {
        let Some(count) = count else { return false };
        let touches = by <= reach.saturating_add(stride);
        reach = reach.saturating_add(by.saturating_mul((count - 1).max(0)));
        touches
    })
}
