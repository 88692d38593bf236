//! Vector loops become vector statements: `Ramp` and `Broadcast` replace the loop and its variable.
//!
//! In: a body without blocks. Out: no loop is `T.vectorized`. The lanes of such a loop run statement by statement, and
//! in a statement all loads come before all stores (`SEMANTICS: P3`), exactly as in one statement on vectors (`P4`,
//! `S6`); values that are the same in all lanes are computed once.
//!
//! A statement without a vector form (a condition that differs between lanes, a function without one, an index other
//! than the last) runs lane by lane in a loop of its own, if no lane accesses elements that another one writes there
//! ([`lanes`]). Otherwise one lane could see a later effect of the next one, and the function is refused by name. A
//! loop with bindings is made of vector statements as a whole or runs lane by lane as a whole.
//!
//! Loops are simplified before, so that `(i * 4 + v) // 8` is seen to be the same in all lanes. Linear, apart from that
//! and from pairs of accesses in the lane-by-lane part.

pub(crate) mod lanes;
mod widen;

use ir::{Body, ForKind, Occurrences, OpId, OpKind, ValueId};

use self::{
    lanes::{Memory, why_not_independent},
    widen::Widener,
};
use super::{
    LowerOptions, LowerRefusal, Origins,
    copy::{Copier, can_copy},
    lists::{constant, new_list, replace_ops, take_list},
    unroll::leaves,
};
use crate::reasons;
use dataflow::analyses::Analyses;
use transform::simplify::{self, SimplifyOptions};

/// See the module.
pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Result<(), LowerRefusal> {
    let is_vector = |body: &Body, it: OpId| body.ops[it].kind == OpKind::For(ForKind::Vectorized);
    if !body.ops_preorder().any(|it| is_vector(body, it)) {
        return Ok(());
    }
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, &options.effects);
    let plan = simplify::plan(&analyses, None, &SimplifyOptions::default());
    if !plan.is_empty() {
        *body = simplify::rewrite(body, &occurrences, &plan);
    }
    let memory = Memory::of(body, &options.effects);
    replace_ops(body, |body, op| match is_vector(body, op) {
        true => vectorize(body, op, &memory, options, origins).map_err(|it| it.at(op)),
        false => Ok(None),
    })
}

/// A loop whose iterations are lanes.
#[derive(Clone, Copy, Debug)]
struct VectorLoop {
    op: OpId,
    var: ValueId,
    lanes: u16,
}

/// The reason why something has no vector form.
struct Obstacle {
    /// The operation.
    op: OpId,
    /// The reason.
    what: &'static str,
    /// True if the loop cannot run lane by lane either.
    is_final: bool,
}

/// Returns the replacement of a loop; `None` if it has become a serial one.
fn vectorize(
    body: &mut Body,
    op: OpId,
    memory: &Memory<'_>,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Result<Option<Vec<OpId>>, LowerRefusal> {
    let block = body.entry(body.ops[op].regions[0]);
    let var = body.blocks[block].args[0];
    let extent = constant(body, body.ops[op].operands[1]);
    if extent.is_some_and(|it| it <= 1) {
        body.ops[op].kind = OpKind::For(ForKind::Serial);
        return Ok(None);
    }
    if leaves(body, op) || !can_copy(body, op) {
        return Err(LowerRefusal::new(reasons::VECTOR_CONTROL, "a vector loop is left early"));
    }
    let is_plain = body.ops[op].operands.len() == 2;
    let lanes = extent.and_then(|it| u16::try_from(it).ok()).filter(|&it| it <= options.max_lanes);
    let Some(lanes) = lanes.filter(|_| is_plain) else { return serial(body, op, memory) };
    let it = VectorLoop { op, var, lanes };
    let ops = body.blocks[block].ops.clone();
    let mut widener = Widener::new(body, it, &options.effects);
    let all = ops.iter().try_for_each(|&op| widener.op(body, op));
    match all {
        Ok(()) => {
            widener.apply(body);
            return Ok(Some(ops));
        }
        Err(obstacle) if obstacle.is_final => return Err(refuse(&obstacle)),
        Err(_) => {}
    }
    let declares = |kind: OpKind| matches!(kind, OpKind::Bind | OpKind::DeclBuffer { .. });
    if ops.iter().any(|&it| declares(body.ops[it].kind) && body.ops[it].regions.is_empty()) {
        return serial(body, op, memory);
    }
    one_by_one(body, it, &ops, memory, origins).map(Some)
}

fn refuse(obstacle: &Obstacle) -> LowerRefusal {
    LowerRefusal::new(reasons::VECTOR_STATEMENT, obstacle.what).at(obstacle.op)
}

/// The whole loop lane by lane.
fn serial(
    body: &mut Body,
    op: OpId,
    memory: &Memory<'_>,
) -> Result<Option<Vec<OpId>>, LowerRefusal> {
    let block = body.entry(body.ops[op].regions[0]);
    let ops = body.blocks[block].ops.clone();
    if let Some(culprit) = why_not_independent(body, op, &ops, memory) {
        return Err(depends(culprit));
    }
    body.ops[op].kind = OpKind::For(ForKind::Serial);
    Ok(None)
}

fn depends(culprit: OpId) -> LowerRefusal {
    let detail = "lanes of a vector loop may touch what another lane writes";
    LowerRefusal::new(reasons::VECTOR_LANES_DEPEND, detail).at(culprit)
}

/// Each statement as a vector statement, or in a loop of its own.
fn one_by_one(
    body: &mut Body,
    it: VectorLoop,
    ops: &[OpId],
    memory: &Memory<'_>,
    origins: &mut Origins,
) -> Result<Vec<OpId>, LowerRefusal> {
    let mut list = Vec::new();
    for &op in ops {
        let mut widener = Widener::new(body, it, memory.effects);
        if widener.op(body, op).is_ok() {
            widener.apply(body);
            list.push(op);
            continue;
        }
        if let Some(culprit) = why_not_independent(body, it.op, &[op], memory) {
            return Err(depends(culprit));
        }
        list.push(lane_by_lane(body, it, op, origins));
    }
    Ok(list)
}

/// A loop over the lanes around a copy of one statement.
fn lane_by_lane(body: &mut Body, it: VectorLoop, op: OpId, origins: &mut Origins) -> OpId {
    let list = new_list(body);
    let operands = body.ops[it.op].operands.clone();
    let around = body.push_op(list, OpKind::For(ForKind::Serial), &operands);
    let region = body.push_region(around);
    let block = body.entry(region);
    let data = body.values[it.var];
    let name = body.name(data.name).to_owned();
    let var = body.new_block_arg(block, &name, data.ty);
    let var = body.value_expr(var);
    Copier::with(it.var, var).append(body, &[op], block, origins);
    take_list(body, list);
    around
}
