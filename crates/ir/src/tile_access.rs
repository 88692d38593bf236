//! Certain accesses of TileLang's tile operations: the effects table says what they may do.
//!
//! In: a call. Out: the operands that it reads in any case, and the one that it overwrites without reading it. A flag
//! of the call decides for accumulators; one whose value is not known says nothing. O(1).

use smallvec::SmallVec;

use crate::{Attr, Body, Callee, ExprId, ExprKind, Intrinsic, effects::has_keyword_operands};

/// The operand of a product that says whether its accumulator is cleared first.
const CLEARS_PRODUCT: usize = 9;
/// The operand of a reduction that says whether its target is cleared first.
const CLEARS_REDUCTION: usize = 4;

/// The operands that a call of a tile operation of TileLang reads whenever it is executed. None of other calls.
pub fn certain_reads(body: &Body, call: ExprId) -> SmallVec<[usize; 3]> {
    use Intrinsic as I;
    let mut reads = SmallVec::new();
    let Some((it, args)) = tile_operation(body, call) else { return reads };
    match it {
        I::TlCopy | I::TlAsyncCopy | I::TlTmaCopy | I::TlIm2Col | I::TlTranspose => reads.push(0),
        I::TlCumSum | I::TlCumMax => reads.push(0),
        I::TlGemm | I::TlWgmmaGemm | I::TlTcgen05Gemm => {
            reads.extend([0, 1]);
            reads.extend((flag(body, args, CLEARS_PRODUCT) == Some(false)).then_some(2));
        }
        I::TlReduce => {
            reads.push(0);
            reads.extend((flag(body, args, CLEARS_REDUCTION) == Some(false)).then_some(1));
        }
        I::TlAtomicAdd | I::TlAtomicMax | I::TlAtomicMin => reads.extend([0, 1]),
        _ => {}
    }
    reads
}

/// The operand that a call of a tile operation of TileLang writes without reading it, if that is all that it does.
pub fn overwritten(body: &Body, call: ExprId) -> Option<usize> {
    use Intrinsic as I;
    let (it, args) = tile_operation(body, call)?;
    let ExprKind::Call { attrs, .. } = body.expr(call).kind else { return None };
    // A barrier that is signalled, say.
    if has_keyword_operands(body, attrs)
        && body.dict(attrs).iter().any(|it| !is_number(body, args, &it.1))
    {
        return None;
    }
    match it {
        I::TlFill => Some(0),
        I::TlCopy | I::TlIm2Col | I::TlTranspose | I::TlCumSum | I::TlCumMax => Some(1),
        I::TlReduce => (flag(body, args, CLEARS_REDUCTION) == Some(true)).then_some(1),
        I::TlGemm => (flag(body, args, CLEARS_PRODUCT) == Some(true)).then_some(2),
        _ => None,
    }
}

fn tile_operation(body: &Body, call: ExprId) -> Option<(Intrinsic, &[ExprId])> {
    match body.expr(call).kind {
        ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } if it.is_tilelang_tile() => {
            Some((it, body.items(args)))
        }
        _ => None,
    }
}

/// The value of a flag; one that is left out is off.
fn flag(body: &Body, args: &[ExprId], at: usize) -> Option<bool> {
    match args.get(at).map(|&it| body.expr(it).kind) {
        None => Some(false),
        Some(ExprKind::Int(it)) => Some(it != 0),
        Some(_) => None,
    }
}

fn is_number(body: &Body, args: &[ExprId], value: &Attr) -> bool {
    match value {
        Attr::Operand(at) => args.get(*at as usize).is_some_and(|&it| {
            matches!(body.expr(it).kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_))
        }),
        _ => true,
    }
}
