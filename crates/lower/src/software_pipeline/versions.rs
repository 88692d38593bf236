//! Accesses of one version of memory: by elements one more index, by pointers a further offset.
//!
//! In: the operations of statements, buffers and the version that each access is to have. Out: the operations with
//! these accesses. Pointers are understood where they are those of instructions ([`barriers::instructions`]) and of
//! `T.tvm_access_ptr`; a buffer that is used in another way can have no versions. Linear in the nodes.

use barriers::instructions::{Instruction, instruction};
use ir::{
    BinaryOp, Body, BufferField, BufferId, DataType, ExprId, ExprKind, Intrinsic, MemoryScope,
    OpId, OpKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    edit::{folded, map_expr, map_op, same_type},
    lists::constant,
    storage_reuse::elements,
};

/// A pointer to a buffer among the operands of a call, and what counts from it.
pub(super) struct Pointer {
    pub(super) buffer: BufferId,
    /// Its place among the operands.
    pub(super) at: usize,
    /// The place of the offset.
    pub(super) offset: usize,
    /// True if the offset is the number of a fragment.
    pub(super) is_fragment: bool,
}

/// The pointers of a call that are understood.
pub(super) fn pointers(body: &Body, call: ExprId) -> Vec<Pointer> {
    let ExprKind::Call { args, .. } = body.expr(call).kind else { return Vec::new() };
    let args = body.items(args);
    let buffer_at = |at: usize| match body.expr(*args.get(at)?).kind {
        ExprKind::BufferField(buffer, BufferField::Data) => Some(buffer),
        _ => None,
    };
    let one = |at: usize, offset: usize, is_fragment: bool| {
        buffer_at(at).map(|buffer| Pointer { buffer, at, offset, is_fragment })
    };
    if let Some(&[element, ..]) = body.operands_of(call, Intrinsic::AccessPtr) {
        let same = |it: &Pointer| body.dtype(element) == Some(body.buffers[it.buffer].dtype);
        return one(1, 2, false).into_iter().filter(same).collect();
    }
    match instruction(body, call) {
        Some(
            Instruction::Mma(_)
            | Instruction::LoadMatrix { .. }
            | Instruction::Fill { .. }
            | Instruction::Store { .. },
        ) => (0..args.len()).filter_map(|at| one(at, at + 1, false)).collect(),
        Some(Instruction::MultiplyFragments { .. }) => {
            (0..args.len()).filter_map(|at| one(at, at + 1, true)).collect()
        }
        Some(
            Instruction::LoadFragment(_)
            | Instruction::StoreFragment(_)
            | Instruction::FillFragment { .. },
        ) => one(0, 4, true).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A use of a buffer in an expression.
pub(super) enum Use {
    /// An element is read by this load.
    Load(ExprId),
    /// A pointer with this offset.
    Offset { at: ExprId, is_fragment: bool },
}

/// The uses of a buffer in an expression; none if one of them is not understood.
pub(super) fn uses(body: &Body, expr: ExprId, buffer: BufferId) -> Option<Vec<Use>> {
    let mut found = Vec::new();
    let mut stack = vec![expr];
    let mut seen = FxHashSet::default();
    while let Some(at) = stack.pop() {
        if !seen.insert(at) {
            continue;
        }
        let kind = body.expr(at).kind;
        match kind {
            ExprKind::Load { buffer: of, .. } if of == buffer => found.push(Use::Load(at)),
            ExprKind::BufferField(of, _) | ExprKind::Buffer(of) | ExprKind::Region(of, _)
                if of == buffer =>
            {
                return None;
            }
            ExprKind::Call { args, .. } => {
                let known = pointers(body, at);
                let args = body.items(args);
                for it in known.iter().filter(|it| it.buffer == buffer) {
                    found.push(Use::Offset { at: args[it.offset], is_fragment: it.is_fragment });
                }
                let is_known = |at: usize| known.iter().any(|it| it.at == at);
                let rest = args.iter().enumerate().filter(|it| !is_known(it.0));
                stack.extend(rest.map(|it| *it.1));
                continue;
            }
            _ => {}
        }
        body.each_child(kind, &mut |child| stack.push(child));
    }
    Some(found)
}

/// Returns true if all uses of a buffer in the operations are understood.
pub(super) fn can_be_given(body: &Body, ops: &[OpId], buffer: BufferId) -> bool {
    let mut has_fragments = false;
    for &operand in ops.iter().flat_map(|&it| &body.ops[it].operands) {
        let Some(uses) = uses(body, operand, buffer) else { return false };
        has_fragments |= uses.iter().any(|it| matches!(it, Use::Offset { is_fragment: true, .. }));
    }
    !has_fragments || fragments(body, buffer).is_some()
}

/// The number of fragments that a buffer has room for: those of the function are of one product.
fn fragments(body: &Body, buffer: BufferId) -> Option<i64> {
    let shape = |op: OpId| match instruction(body, *body.ops[op].operands.first()?)? {
        Instruction::LoadFragment(it) | Instruction::StoreFragment(it) => Some(it.shape),
        Instruction::FillFragment { shape, .. } => Some(shape),
        _ => None,
    };
    let is_call = |op: &OpId| body.ops[*op].kind == OpKind::Evaluate;
    let mut shapes = body.ops_preorder().filter(is_call).filter_map(shape);
    let first = shapes.next()?;
    let [m, n, k] = first.map(|it| constant(body, it));
    let elements_of_one = match body.buffers[buffer].scope {
        MemoryScope::MatrixA => m? * k?,
        MemoryScope::MatrixB => k? * n?,
        MemoryScope::Accumulator => m? * n?,
        _ => return None,
    };
    let all = elements(body, buffer)?;
    let is_whole = elements_of_one > 0 && all % elements_of_one == 0;
    (shapes.all(|it| it == first) && is_whole).then(|| all / elements_of_one)
}

/// Gives each access its version. The buffers still have the shape of one.
pub(super) fn give(body: &mut Body, ops: &[OpId], versions: &FxHashMap<BufferId, ExprId>) {
    let sizes: FxHashMap<BufferId, (ExprId, Option<i64>)> = versions
        .keys()
        .map(|&it| {
            let fragments = fragments(body, it);
            (it, (size(body, it), fragments))
        })
        .collect();
    let mut memo = FxHashMap::default();
    for &op in ops {
        map_op(body, op, &mut |body, expr| {
            map_expr(body, expr, &mut memo, &mut |body, at| access(body, at, versions, &sizes))
        });
        if let OpKind::Store { buffer, .. } = body.ops[op].kind
            && let Some(&version) = versions.get(&buffer)
        {
            let mut operands = body.ops[op].operands.to_vec();
            operands.insert(1, version);
            body.ops[op].operands = operands.into();
        }
    }
}

/// The number of elements of a buffer.
fn size(body: &mut Body, buffer: BufferId) -> ExprId {
    let one = body.int(1, DataType::INT32);
    let shape = body.buffers[buffer].shape.clone();
    shape.into_iter().fold(one, |all, extent| {
        let (all, extent) = same_type(body, all, extent);
        folded(body, BinaryOp::Mul, all, extent)
    })
}

fn access(
    body: &mut Body,
    expr: ExprId,
    versions: &FxHashMap<BufferId, ExprId>,
    sizes: &FxHashMap<BufferId, (ExprId, Option<i64>)>,
) -> ExprId {
    match body.expr(expr).kind {
        ExprKind::Load { buffer, indices, predicate } => {
            let Some(&version) = versions.get(&buffer) else { return expr };
            let mut all = vec![version];
            all.extend(body.items(indices));
            body.load(buffer, &all, predicate)
        }
        ExprKind::Call { callee, args, attrs, instance } => {
            let mut args = body.items(args).to_vec();
            let known = pointers(body, expr);
            let known: Vec<Pointer> =
                known.into_iter().filter(|it| versions.contains_key(&it.buffer)).collect();
            if known.is_empty() {
                return expr;
            }
            for it in known {
                let (elements, fragments) = sizes[&it.buffer];
                let step = match fragments {
                    Some(n) if it.is_fragment => body.int(n.into(), DataType::INT32),
                    _ => elements,
                };
                let (version, step) = same_type(body, versions[&it.buffer], step);
                let first = folded(body, BinaryOp::Mul, version, step);
                let (offset, first) = same_type(body, args[it.offset], first);
                args[it.offset] = folded(body, BinaryOp::Add, first, offset);
            }
            let args = body.list(&args);
            let ty = body.ty(expr);
            body.make(ExprKind::Call { callee, args, attrs, instance }, ty)
        }
        _ => expr,
    }
}
