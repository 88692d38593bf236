//! Loop unrolling: the body of a loop once an iteration, with the value of the variable substituted.
//!
//! In: a body without blocks. Out: no `T.unroll` loop of constant bounds is left, but those whose body would have more
//! than [`LowerOptions::max_unrolled`] statements, which a device compiler may unroll or not (`SEMANTICS: L8`: serial
//! meaning). Where `pragma_auto_unroll_max_step` applies to an enclosing loop (as an annotation or by `T.attr`), serial
//! loops are unrolled too, innermost first, as long as the number of statements stays within the limit and no loop in
//! them stays (as UnrollLoop counts). `pragma_unroll_explicit` of 0 means that such a loop is only marked, and stays
//! with the mark. The other pragmas go.
//!
//! Each iteration stays the same, in the same order, barriers included: the bounds are constants, so all threads meet
//! at the same copy (`Y2`). A loop that something leaves by `break` or `continue` stays. Linear in the output.

use ir::{Attr, Body, ExprId, ForKind, OpId, OpKind};
use rustc_hash::FxHashMap;

use super::{
    LowerOptions, LowerRefusal, Origins,
    copy::{Copier, can_copy},
    lists::{blocks_of, constant, new_list, replace_ops, take_list},
};

const MAX_STEP: &str = "pragma_auto_unroll_max_step";
const EXPLICIT: &str = "pragma_unroll_explicit";

/// Loops in loops that `pragma_auto_unroll_max_step` reaches (UnrollLoop's `auto_max_depth`).
const MOST_DEEP: u32 = 8;

/// See the module.
pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Result<(), LowerRefusal> {
    let pragmas = pragmas(body);
    if pragmas.is_empty() && !has_unrolled(body) {
        return Ok(());
    }
    let mut sizes: FxHashMap<OpId, Size> = FxHashMap::default();
    replace_ops(body, |body, op| {
        let pragma = pragmas.get(&op).copied().unwrap_or_default();
        let (size, others) = visit(body, op, pragma, options, &sizes, origins);
        if let Some(others) = &others {
            // What takes the place of a loop counts as the loop did.
            for &other in others {
                sizes.insert(other, Size::default());
            }
            if let Some(&first) = others.first() {
                sizes.insert(first, size);
            }
        } else {
            sizes.insert(op, size);
        }
        Ok(others)
    })
}

fn has_unrolled(body: &Body) -> bool {
    body.ops_preorder().any(|it| body.ops[it].kind == OpKind::For(ForKind::Unrolled))
}

/// The pragmas around an operation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Pragma {
    /// Statements, at most.
    max_step: i64,
    /// True if a loop is only marked.
    marks: bool,
}

/// By operation, the pragmas around it, its own included; only where there are any.
fn pragmas(body: &Body) -> FxHashMap<OpId, Pragma> {
    let mut found: FxHashMap<OpId, Pragma> = FxHashMap::default();
    for op in body.ops_preorder() {
        let around = body.parent_op(op).and_then(|it| found.get(&it)).copied();
        let data = &body.ops[op];
        let mut own = around;
        for (key, value) in body.dict(data.attrs) {
            let value = match value {
                Attr::Int(value, _) => *value,
                Attr::Bool(value) => i64::from(*value),
                Attr::Expr(expr) => constant(body, *expr).unwrap_or(0),
                _ => continue,
            };
            say(&mut own, key, value);
        }
        if let OpKind::Attr(key) = data.kind
            && let Some(value) = constant(body, data.operands[1])
        {
            say(&mut own, body.name(key), value);
        }
        if let Some(own) = own {
            found.insert(op, own);
        }
    }
    found
}

fn say(pragma: &mut Option<Pragma>, key: &str, value: i64) {
    match key {
        MAX_STEP => pragma.get_or_insert_default().max_step = value,
        EXPLICIT => pragma.get_or_insert_default().marks = value == 0,
        _ => {}
    }
}

/// The size of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Size {
    /// Stores and calls, as often as they are written.
    steps: i64,
    /// Unrolled loops in each other.
    unrolled: u32,
    /// Loops in each other that stay.
    loops: u32,
}

fn visit(
    body: &mut Body,
    op: OpId,
    pragma: Pragma,
    options: &LowerOptions,
    sizes: &FxHashMap<OpId, Size>,
    origins: &mut Origins,
) -> (Size, Option<Vec<OpId>>) {
    let mut size = Size::default();
    for block in blocks_of(body, op) {
        for it in &body.blocks[block].ops {
            let inner = sizes.get(it).copied().unwrap_or_default();
            size.steps = size.steps.saturating_add(inner.steps);
            size.unrolled = size.unrolled.max(inner.unrolled);
            size.loops = size.loops.max(inner.loops);
        }
    }
    match body.ops[op].kind {
        OpKind::Store { .. } | OpKind::Evaluate => size.steps += 1,
        OpKind::While => size.loops += 1,
        OpKind::Attr(key) if matches!(body.name(key), MAX_STEP | EXPLICIT) => {
            let block = body.entry(body.ops[op].regions[0]);
            return (size, Some(take_list(body, block)));
        }
        OpKind::For(kind) => return for_loop(body, op, kind, pragma, options, size, origins),
        _ => {}
    }
    (size, None)
}

fn for_loop(
    body: &mut Body,
    op: OpId,
    kind: ForKind,
    pragma: Pragma,
    options: &LowerOptions,
    mut size: Size,
    origins: &mut Origins,
) -> (Size, Option<Vec<OpId>>) {
    let is_marked = marks(body, op);
    drop_pragmas(body, op, is_marked);
    let extent = constant(body, body.ops[op].operands[1]).map(|it| it.max(0));
    let steps = extent.and_then(|it| size.steps.checked_mul(it));
    let is_asked = kind == ForKind::Serial
        && size.loops == 0
        && size.unrolled <= MOST_DEEP
        && steps.is_some_and(|it| it <= pragma.max_step);
    let is_told = kind == ForKind::Unrolled && !is_marked;
    let Some(steps) = steps.filter(|_| is_asked || is_told) else {
        size.loops += 1;
        return (size, None);
    };
    size.unrolled += 1;
    if steps > i64::from(options.max_unrolled) || !can_be_unrolled(body, op) {
        size.loops += 1;
        return (size, None);
    }
    if is_asked && pragma.marks {
        let mut dict = body.dict(body.ops[op].attrs).clone();
        dict.push((EXPLICIT.into(), Attr::Int(0, None)));
        body.ops[op].attrs = body.attr_dict(dict);
        body.ops[op].kind = OpKind::For(ForKind::Unrolled);
        size.steps = steps;
        return (size, None);
    }
    size.steps = steps;
    let copies = unroll(body, op, origins);
    (size, copies)
}

/// Returns true if a loop was only marked.
fn marks(body: &Body, op: OpId) -> bool {
    let is_mark =
        |(key, value): &(Box<str>, Attr)| &**key == EXPLICIT && matches!(value, Attr::Int(0, _));
    body.ops[op].kind == OpKind::For(ForKind::Unrolled)
        && body.dict(body.ops[op].attrs).iter().any(is_mark)
}

fn drop_pragmas(body: &mut Body, op: OpId, is_marked: bool) {
    let mut dict = body.dict(body.ops[op].attrs).clone();
    let before = dict.len();
    dict.retain(|it| &*it.0 != MAX_STEP && (is_marked || &*it.0 != EXPLICIT));
    if dict.len() != before {
        body.ops[op].attrs = body.attr_dict(dict);
    }
}

/// Returns true if the iterations are known, nothing leaves one of them early, and each can be copied.
fn can_be_unrolled(body: &Body, op: OpId) -> bool {
    let data = &body.ops[op];
    data.operands.iter().all(|&it| constant(body, it).is_some())
        && data.attrs == Body::no_attrs()
        && can_copy(body, op)
        && !leaves(body, op)
}

/// Returns true if a `break` or `continue` in a loop refers to that loop.
pub(super) fn leaves(body: &Body, op: OpId) -> bool {
    let mut blocks = blocks_of(body, op);
    while let Some(block) = blocks.pop() {
        for &it in &body.blocks[block].ops {
            match body.ops[it].kind {
                OpKind::Break | OpKind::Continue => return true,
                OpKind::For(_) | OpKind::While => {}
                _ => blocks.extend(blocks_of(body, it)),
            }
        }
    }
    false
}

/// The body of a loop, once an iteration.
fn unroll(body: &mut Body, op: OpId, origins: &mut Origins) -> Option<Vec<OpId>> {
    let data = body.ops[op].clone();
    let number = |at: usize| data.operands.get(at).and_then(|&it| constant(body, it));
    let (min, extent, step) = (number(0)?, number(1)?, number(2).unwrap_or(1));
    if step <= 0 {
        return None;
    }
    let block = body.entry(data.regions[0]);
    let var = *body.blocks[block].args.first()?;
    let dtype = body.values[var].ty.prim()?;
    let list = new_list(body);
    let mut at = 0;
    while at < extent {
        let value: ExprId = body.int(i128::from(min) + i128::from(at), dtype);
        let ops = body.blocks[block].ops.clone();
        Copier::with(var, value).append(body, &ops, list, origins);
        at = at.checked_add(step)?;
    }
    Some(take_list(body, list))
}
