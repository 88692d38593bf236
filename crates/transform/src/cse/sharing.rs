//! The conditions for sharing an expression, by the nodes in it.
//!
//! In: a node, and the properties of its operands. Out: its [`Sharing`], bits that are passed up from operands to their
//! users, and whether a name can stand for the node itself. Constant time a node.
//!
//! Rests on `SEMANTICS: X1, X2, X5` (calls have the effects of their row), `P8` (convergent calls stay in their block),
//! `P7` (values that depend on the thread stay in the kernel), `H2` (only exactly rounded operations are shared across
//! a launch), `I3` (narrow integers), `P4` (a ramp has no name of its own), `S9` (hints stay where they are), `M10`
//! (volatile accesses are effects).

use ir::{
    BinaryOp, Body, Callee, DataType, ExprId, ExprKind, Intrinsic, Type, TypeCode, UnaryOp,
    effects::{EffectTable, Element, Flags, MemoryEffect, Merge, is_register},
    role,
};

bitflags::bitflags! {
    /// Properties of an expression that bear on sharing.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub(super) struct Sharing: u8 {
        /// Computes in a narrow integer type, unbound: C does not cut it to its width.
        const NARROW = 1;
        /// Its value may come from a sum or product that left its type.
        const SUM = 2;
        /// A call that is no value of its operands.
        const IMPURE = 4;
        /// A call that depends on which threads arrive together.
        const CONVERGENT = 8;
        /// It differs between threads, whatever its operands are.
        const PER_THREAD = 16;
        /// Something that hosts and devices may compute to different last bits.
        const INEXACT = 32;
        /// A variable that is bound to a product of floats.
        const PRODUCT = 64;
    }
}

impl Sharing {
    /// The properties that a value hands to what is computed from it.
    pub(super) fn inherited(self) -> Sharing {
        self & (Sharing::INEXACT | Sharing::SUM)
    }
}

/// Returns the properties of a node whose operands together have `below`.
pub(super) fn of_node(body: &Body, effects: &EffectTable, id: ExprId, below: Sharing) -> Sharing {
    let kind = body.expr(id).kind;
    let own = match kind {
        ExprKind::Call { .. } => of_call(body, effects, kind),
        ExprKind::Opaque { .. } => Sharing::IMPURE,
        ExprKind::Bound(_) => Sharing::SUM,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
            if body.dtype(id).is_some_and(|it| it.is_integer() && it.bits >= 32) =>
        {
            Sharing::SUM
        }
        _ => Sharing::default(),
    };
    let below = below.union(own);
    // What memory holds was used when it was stored.
    let is_load = matches!(kind, ExprKind::Load { .. });
    let below = if is_load { below.difference(Sharing::SUM) } else { below };
    let Some(dtype) = body.dtype(id).filter(|it| !it.is_symbolic()) else {
        return of_open(body, kind, id, below);
    };
    let below = if dtype.is_float() { below.union(of_float(body, kind, dtype)) } else { below };
    if is_narrow(dtype) && cuts(kind, below) {
        below.union(Sharing::NARROW)
    } else {
        below.difference(Sharing::NARROW)
    }
}

/// The least permissive reading where the type is not known: narrow unless an operand says otherwise, rounded as floats
/// are, overflowing as integers are (`SEMANTICS: G3`).
fn of_open(body: &Body, kind: ExprKind, id: ExprId, below: Sharing) -> Sharing {
    if !body.expr(id).flags.has_captured || !matches!(kind, ExprKind::Binary(..)) {
        return below.difference(Sharing::NARROW);
    }
    let below = below.union(Sharing::SUM | Sharing::INEXACT);
    match role::is_open_number(body, id) {
        true => below.difference(Sharing::NARROW),
        false => below.union(Sharing::NARROW),
    }
}

/// A product that a compiler may fuse with its sum, and a value that is rounded only when it is stored
/// (`SEMANTICS: F2`, `C8`).
fn of_float(body: &Body, kind: ExprKind, dtype: DataType) -> Sharing {
    let is_product = |it: ExprId| is_product(body, it, false);
    if is_fused(kind, is_product) || dtype.code == TypeCode::BFloat {
        Sharing::INEXACT
    } else {
        Sharing::default()
    }
}

/// Returns true if a node is a sum of a product.
pub(super) fn is_fused(kind: ExprKind, is_product: impl Fn(ExprId) -> bool) -> bool {
    match kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => is_product(a) || is_product(b),
        _ => false,
    }
}

/// Returns true if the value of a node may be an unrounded product of floats, also through a binding (`SEMANTICS: F2`):
/// that of a let here, or of a statement if the caller knows that its variable is one.
pub(super) fn is_product(body: &Body, id: ExprId, is_bound: bool) -> bool {
    let is_float = body.dtype(id).is_some_and(DataType::is_float);
    let is_product =
        matches!(body.expr(id).kind, ExprKind::Binary(BinaryOp::Mul, ..) | ExprKind::Bound(_));
    is_float && (is_product || is_bound)
}

fn of_call(body: &Body, effects: &EffectTable, call: ExprKind) -> Sharing {
    let ExprKind::Call { callee: Callee::Intrinsic(_, it), instance, .. } = call else {
        return Sharing::IMPURE;
    };
    let row = effects.call(body, call);
    // A hint is its operand: it stays inside of what it is part of.
    let merge = if it.is_hint() { Merge::Dominated } else { row.merge() };
    if instance != 0 || merge == Merge::Never || row.memory_effect != MemoryEffect::None {
        return Sharing::IMPURE;
    }
    let mut found = Sharing::default();
    if merge == Merge::SameBlock {
        found = found.union(Sharing::CONVERGENT);
    }
    if row.flags.contains(Flags::PER_THREAD) {
        found = found.union(Sharing::PER_THREAD);
    }
    if !is_exact(it) {
        found = found.union(Sharing::INEXACT);
    }
    found
}

/// Calls that give the same bits on every target.
fn is_exact(it: Intrinsic) -> bool {
    use Intrinsic::{Abs, CopySign, FAbs, IsFinite, IsInf, IsNan, PopCount, Reinterpret};
    it.is_hint()
        || it.is_rounding()
        || matches!(it, Abs | CopySign | FAbs | IsFinite | IsInf | IsNan | PopCount | Reinterpret)
}

/// Returns true if C keeps the node wider than its narrow type: `+ - *` and the nodes that pass them on. A conversion
/// is a conversion in C too, and truncates.
fn cuts(kind: ExprKind, below: Sharing) -> bool {
    match kind {
        ExprKind::Binary(
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::FloorDiv
            | BinaryOp::Shl,
            ..,
        )
        | ExprKind::Unary(UnaryOp::BitNot, _) => true,
        ExprKind::Binary(..)
        | ExprKind::Select(..)
        | ExprKind::IfThenElse(..)
        | ExprKind::Call { .. } => below.intersects(Sharing::NARROW),
        _ => false,
    }
}

fn is_narrow(dtype: DataType) -> bool {
    dtype.is_integer() && dtype.code != TypeCode::Bool && dtype.bits < 32
}

/// Returns true if a name can stand for the node: it computes a number. Vectors made from scalars (`T.Ramp`,
/// `T.Broadcast`, `T.Shuffle`) stay in the access that they describe, and hints stay where they are.
pub(super) fn is_value(body: &Body, id: ExprId) -> bool {
    let is_number =
        |ty: Type| ty.prim().is_some_and(|it| it.bits >= 8 && (it.is_float() || it.is_integer()));
    if !role::has_annotation(body.ty(id)) {
        return false;
    }
    if role::is_staged(body, id) {
        return false;
    }
    if role::is_open_number(body, id) {
        return true;
    }
    match body.expr(id).kind {
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(_) | ExprKind::Select(..) => {
            is_number(body.ty(id))
        }
        ExprKind::IfThenElse(condition, then, otherwise) => {
            is_number(body.ty(id))
                && [condition, then, otherwise].into_iter().all(|it| is_operand(body, it))
        }
        ExprKind::Load { predicate: None, .. } => is_number(body.ty(id)) && !is_register(body, id),
        ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } => {
            is_number(body.ty(id))
                && !it.is_hint()
                && body.items(args).iter().all(|&it| is_operand(body, it))
        }
        _ => false,
    }
}

/// Returns true if the node uses an operand that may come from an overflow (`SEMANTICS: I1`): a condition, the base and
/// stride of a ramp. Operators that may trap on an operand use it too, and are not covered here.
pub(super) fn uses_sum(kind: ExprKind, is_sum: impl Fn(ExprId) -> bool) -> bool {
    match kind {
        ExprKind::IfThenElse(condition, ..) => is_sum(condition),
        ExprKind::Ramp { base, stride, .. } => is_sum(base) || is_sum(stride),
        _ => false,
    }
}

/// Returns true if an argument is a number.
fn is_operand(body: &Body, id: ExprId) -> bool {
    body.dtype(id).is_some() && !is_place(body, id)
}

/// Returns true if an argument names something other than a number: a buffer, a region of one, a list.
fn is_place(body: &Body, id: ExprId) -> bool {
    matches!(
        body.expr(id).kind,
        ExprKind::Buffer(_)
            | ExprKind::Region(..)
            | ExprKind::Slice { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque { .. }
    )
}

/// Returns true if a load as the `index`-th argument of this call stands for its place and not its value
/// (`SEMANTICS: M8`): the call takes an address, or reads or writes there.
pub(super) fn takes_place(body: &Body, effects: &EffectTable, id: ExprId, index: usize) -> bool {
    let call = body.expr(id).kind;
    matches!(call, ExprKind::Call { .. } | ExprKind::IfThenElse(..))
        && (body.dtype(id).is_none_or(|it| it == DataType::HANDLE)
            || effects.element(body, call, index) != Element::Value)
}
