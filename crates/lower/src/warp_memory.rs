//! Memory of a warp becomes memory of its threads (as TVM's LowerWarpMemory, for the accesses that TVM's matrix
//! instructions make).
//!
//! In: allocations of scope `warp`, used only as registers of instructions ([`barriers::instructions`]), in blocks with
//! `threadIdx.x` of extent 32. Such memory holds, for each of the 32 threads, groups of `n` neighbours: element
//! `q * 32 n + lane * n + r` is the `q n + r`th of the thread `lane`. Out: `local` memory of a 32nd of the size. An
//! offset is taken apart as a sum: the term of the lane must have the factor `n`, the other terms factors of whole
//! groups, and the constant must stay in a thread's part. Instructions that say where the warp's part begins
//! (`mma_fill`, `mma_store`) have no lane in it. An unproved access is refused
//! (`warp-memory`). Linear.

use barriers::{
    bindings,
    instructions::{Instruction, instruction},
};
use ir::{
    BinaryOp, Body, BufferField, BufferId, Dim, ExprId, ExprKind, MemoryScope, OpId, OpKind,
    ThreadTag, Type, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{LowerOptions, LowerRefusal, Origins, lists::constant, storage_reuse::elements};
use crate::reasons;

/// Threads of a warp.
const WARP: i64 = 32;

fn refusal(what: &str) -> LowerRefusal {
    LowerRefusal::new(reasons::WARP_MEMORY, format!("memory of a warp {what}"))
}

/// See the module.
pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    let allocations: Vec<(OpId, BufferId)> = body
        .ops_preorder()
        .filter_map(|op| match body.ops[op].kind {
            OpKind::Alloc { buffer, .. } if body.buffers[buffer].scope == MemoryScope::Warp => {
                Some((op, buffer))
            }
            _ => None,
        })
        .collect();
    if allocations.is_empty() {
        return Ok(());
    }
    let buffers: FxHashSet<BufferId> = allocations.iter().map(|it| it.1).collect();
    let uses = uses(body, &buffers)?;
    let lanes = lanes(body)?;
    let definitions = bindings(body);
    let mut parts = FxHashMap::default();
    for &(op, buffer) in &allocations {
        let part = part(body, &uses, buffer, &lanes, &definitions).map_err(|it| it.at(op))?;
        parts.insert(buffer, part);
    }
    let mut changed: FxHashMap<OpId, Vec<(usize, ExprId)>> = FxHashMap::default();
    for it in &uses {
        let sum = Sum::of(body, it.offset, &lanes, &definitions);
        let new = sum.own(body, parts[&it.buffer], it.is_base).ok_or_else(|| {
            refusal("is used at an offset that is not shown to be a thread's own").at(it.op)
        })?;
        changed.entry(it.op).or_default().push((it.position, new));
    }
    for &(op, buffer) in &allocations {
        let is_compact = body.buffers[buffer].strides.as_ref().is_none_or(Vec::is_empty);
        let Some(elements) = elements(body, buffer).filter(|_| is_compact) else {
            return Err(refusal("has no constant size").at(op));
        };
        if elements % (WARP * parts[&buffer]) != 0 {
            return Err(refusal("has a size that is no multiple of its threads' parts").at(op));
        }
        let dtype = body.dtype(body.buffers[buffer].shape[0]).unwrap_or(ir::DataType::INT32);
        let extent = body.int((elements / WARP).into(), dtype);
        body.buffers[buffer].shape = vec![extent];
        body.buffers[buffer].scope = MemoryScope::Local;
        body.ops[op].operands = body.buffers[buffer].operands().collect();
    }
    for it in &uses {
        if let Some(offsets) = changed.remove(&it.op) {
            rewrite(body, it.op, &buffers, &offsets);
        }
    }
    Ok(())
}

/// A pointer to memory of a warp, and the offset from it, among the operands of an instruction.
struct Use {
    op: OpId,
    buffer: BufferId,
    /// Of the offset among the operands.
    position: usize,
    offset: ExprId,
    /// True if it is the start of the memory of the whole warp.
    is_base: bool,
}

/// All uses; refused if there are others than registers of instructions.
fn uses(body: &Body, buffers: &FxHashSet<BufferId>) -> Result<Vec<Use>, LowerRefusal> {
    let mut found = Vec::new();
    for op in body.ops_preorder() {
        let operation = &body.ops[op];
        let is_part = |it: BufferId| buffers.contains(&it);
        let other = || Err(refusal("is accessed by its elements").at(op));
        match operation.kind {
            OpKind::Store { buffer, .. } if is_part(buffer) => return other(),
            OpKind::DeclBuffer { buffer } if !is_part(buffer) => {
                if let ir::BufferOrigin::Decl { data: Some(data) } = body.buffers[buffer].origin
                    && let ExprKind::BufferField(of, _) = body.expr(data).kind
                    && is_part(of)
                {
                    return other();
                }
            }
            _ => {}
        }
        let mut allowed = FxHashSet::default();
        if operation.kind == OpKind::Evaluate
            && let Some(known) = instruction(body, operation.operands[0])
            && let ExprKind::Call { args, .. } = body.expr(operation.operands[0]).kind
        {
            let args = body.items(args);
            let is_base = matches!(known, Instruction::Fill { .. } | Instruction::Store { .. });
            for (at, pair) in args.windows(2).enumerate() {
                if let ExprKind::BufferField(buffer, BufferField::Data) = body.expr(pair[0]).kind
                    && is_part(buffer)
                {
                    allowed.insert(pair[0]);
                    found.push(Use { op, buffer, position: at + 1, offset: pair[1], is_base });
                }
            }
        }
        let mut stack: Vec<ExprId> = operation.operands.to_vec();
        let mut seen = FxHashSet::default();
        while let Some(at) = stack.pop() {
            if !seen.insert(at) || allowed.contains(&at) {
                continue;
            }
            match body.expr(at).kind {
                ExprKind::Load { buffer, .. }
                | ExprKind::BufferField(buffer, _)
                | ExprKind::Buffer(buffer)
                | ExprKind::Region(buffer, _)
                    if is_part(buffer) =>
                {
                    return other();
                }
                kind => body.each_child(kind, &mut |child| stack.push(child)),
            }
        }
    }
    Ok(found)
}

/// The indices `threadIdx.x`, which must be of a warp.
fn lanes(body: &Body) -> Result<FxHashSet<ValueId>, LowerRefusal> {
    let mut lanes = FxHashSet::default();
    for op in body.ops_preorder() {
        let OpKind::LaunchThread { tag, var } = body.ops[op].kind else { continue };
        if tag != ThreadTag::ThreadIdx(Dim::X) {
            continue;
        }
        if constant(body, body.ops[op].operands[0]) != Some(WARP) {
            return Err(refusal("in a block whose `threadIdx.x` has not 32 threads").at(op));
        }
        lanes.insert(var);
    }
    Ok(lanes)
}

/// Neighbours of a thread: the factor of the lane in some use, or the number that an instruction requires.
fn part(
    body: &Body,
    uses: &[Use],
    buffer: BufferId,
    lanes: &FxHashSet<ValueId>,
    definitions: &FxHashMap<ValueId, ExprId>,
) -> Result<i64, LowerRefusal> {
    let own = uses.iter().filter(|it| it.buffer == buffer);
    let factors = own.map(|it| Sum::of(body, it.offset, lanes, definitions).lane);
    let mut part = None;
    for factor in factors.filter(|it| *it != 0) {
        if part.is_some_and(|it| it != factor) || factor < 0 {
            return Err(refusal("is used with parts of several sizes"));
        }
        part = Some(factor);
    }
    match part {
        Some(part) => Ok(part),
        None => Err(refusal("is never used by a thread's own part")),
    }
}

/// An offset as a sum.
#[derive(Default)]
struct Sum {
    /// Factor of the lane.
    lane: i64,
    constant: i64,
    terms: Vec<(ExprId, i64)>,
}

impl Sum {
    fn of(
        body: &Body,
        offset: ExprId,
        lanes: &FxHashSet<ValueId>,
        definitions: &FxHashMap<ValueId, ExprId>,
    ) -> Sum {
        let mut sum = Sum::default();
        let mut stack = vec![(offset, 1i64)];
        let mut budget = 4096usize;
        while let Some((at, factor)) = stack.pop() {
            budget = budget.saturating_sub(1);
            let int = |it: ExprId| constant(body, it);
            match body.expr(at).kind {
                ExprKind::Int(value) => {
                    sum.constant = sum.constant.saturating_add(value.saturating_mul(factor));
                }
                ExprKind::Binary(BinaryOp::Add, a, b) if budget > 0 => {
                    stack.extend([(a, factor), (b, factor)]);
                }
                ExprKind::Binary(BinaryOp::Sub, a, b) if budget > 0 => {
                    stack.extend([(a, factor), (b, factor.saturating_neg())]);
                }
                ExprKind::Binary(BinaryOp::Mul, a, b) if int(b).is_some() => {
                    stack.push((a, factor.saturating_mul(int(b).unwrap_or(0))));
                }
                ExprKind::Binary(BinaryOp::Mul, a, b) if int(a).is_some() => {
                    stack.push((b, factor.saturating_mul(int(a).unwrap_or(0))));
                }
                ExprKind::Value(value) if lanes.contains(&value) => {
                    sum.lane = sum.lane.saturating_add(factor);
                }
                ExprKind::Value(value) if definitions.contains_key(&value) && budget > 0 => {
                    stack.push((definitions[&value], factor));
                }
                _ => sum.terms.push((at, factor)),
            }
        }
        sum
    }

    /// The offset in the memory of the thread itself, whose parts have `part` elements; none if it is not shown to be
    /// there.
    fn own(&self, body: &mut Body, part: i64, is_base: bool) -> Option<ExprId> {
        let group = WARP.checked_mul(part)?;
        let (whole, rest) = (self.constant.div_euclid(group), self.constant.rem_euclid(group));
        let is_own = match is_base {
            true => self.lane == 0 && rest == 0,
            false => self.lane == part && rest < part,
        };
        if !is_own || self.terms.iter().any(|it| it.1 % group != 0) {
            return None;
        }
        let dtype = self.terms.first().and_then(|it| body.dtype(it.0));
        let dtype = dtype.unwrap_or(ir::DataType::INT32);
        let mut sum: Option<ExprId> = None;
        for &(term, factor) in &self.terms {
            let factor = body.int((factor / WARP).into(), dtype);
            let term = body.cast(term, dtype);
            let term = body.binary(BinaryOp::Mul, term, factor);
            sum = Some(match sum {
                Some(before) => body.binary(BinaryOp::Add, before, term),
                None => term,
            });
        }
        let constant = whole * part + rest;
        Some(match sum {
            Some(sum) if constant == 0 => sum,
            Some(sum) => {
                let constant = body.int(constant.into(), dtype);
                body.binary(BinaryOp::Add, sum, constant)
            }
            None => body.int(constant.into(), dtype),
        })
    }
}

/// Puts the new offsets into an instruction; its pointers are those of threads.
fn rewrite(body: &mut Body, op: OpId, buffers: &FxHashSet<BufferId>, offsets: &[(usize, ExprId)]) {
    let call = body.ops[op].operands[0];
    let ExprKind::Call { callee, args, attrs, instance } = body.expr(call).kind else { return };
    let mut args: Vec<ExprId> = body.items(args).to_vec();
    for &(position, new) in offsets {
        args[position] = new;
    }
    for arg in &mut args {
        if let ExprKind::BufferField(buffer, BufferField::Data) = body.expr(*arg).kind
            && buffers.contains(&buffer)
        {
            let data = &body.buffers[buffer];
            let ty = Type::Pointer { element: data.dtype, scope: data.scope };
            *arg = body.buffer_field(buffer, BufferField::Data, ty);
        }
    }
    let args = body.list(&args);
    let ty = body.ty(call);
    body.ops[op].operands[0] = body.make(ExprKind::Call { callee, args, attrs, instance }, ty);
}
