//! Classes of expressions by structure, operands of commutative operators in either order.

use ir::{
    BinaryOp, Body, ExprId, ExprKind, ExprListId, Lanes, Type,
    arena::Id,
    effects::{self, EffectTable},
    plan::Equivalence as Level,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Equivalence;

/// A node with its operands taken out: what is left of the kind.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    head: ExprKind,
    ty: Type,
    operands: SmallVec<[u32; 4]>,
    /// Where operands of a second kind begin, or what else tells nodes apart.
    extra: u64,
}

/// [`Level::Syntactic`] and [`Level::Commutative`].
pub(super) struct Structural<'a> {
    effects: &'a EffectTable,
    sorts: bool,
    classes: FxHashMap<Key, u32>,
}

impl<'a> Structural<'a> {
    pub(super) fn new(effects: &'a EffectTable, level: Level) -> Structural<'a> {
        let sorts = level != Level::Syntactic;
        Structural { effects, sorts, classes: FxHashMap::default() }
    }

    /// Whether operands 0 and 1 may change places without a change of the value, bit for bit.
    fn is_commutative(&self, body: &Body, kind: ExprKind) -> bool {
        let is_integer = |it: ExprId| body.dtype(it).is_some_and(|it| !it.is_float());
        match kind {
            // The right side may not be evaluated (`SEMANTICS: S2`).
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, lhs, _) => {
                body.dtype(lhs).is_some_and(|it| it.lanes != Lanes::Fixed(1))
            }
            ExprKind::Binary(op, lhs, _) => {
                effects::binary(op).commutative.holds_for(is_integer(lhs))
            }
            ExprKind::Call { callee, args, .. } => match *body.items(args) {
                [lhs, _] => {
                    let commutative = self.effects.callee(body, callee).commutative;
                    commutative.holds_for(is_integer(lhs))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

impl Equivalence for Structural<'_> {
    fn class(&mut self, body: &Body, node: ExprId, operands: &[u32], extra: u64) -> u32 {
        let kind = body.expr(node).kind;
        let mut operands: SmallVec<[u32; 4]> = operands.into();
        let mut head = head(kind);
        if self.sorts && operands.len() >= 2 {
            if let Some(op) = mirrored(kind) {
                // `a > b` is `b < a`.
                head = head_of_binary(op);
                operands.swap(0, 1);
            } else if self.is_commutative(body, kind) && operands[0] > operands[1] {
                operands.swap(0, 1);
            }
        }
        let extra = match kind {
            ExprKind::Shuffle { vectors, .. } => body.items(vectors).len() as u64,
            _ => extra,
        };
        let next = self.classes.len() as u32;
        *self.classes.entry(Key { head, ty: body.ty(node), operands, extra }).or_insert(next)
    }

    fn len(&self) -> usize {
        self.classes.len()
    }
}

fn mirrored(kind: ExprKind) -> Option<BinaryOp> {
    match kind {
        ExprKind::Binary(BinaryOp::Gt, ..) => Some(BinaryOp::Lt),
        ExprKind::Binary(BinaryOp::Ge, ..) => Some(BinaryOp::Le),
        _ => None,
    }
}

fn head_of_binary(op: BinaryOp) -> ExprKind {
    let none = ExprId::new(0);
    ExprKind::Binary(op, none, none)
}

/// The kind without its operands.
fn head(kind: ExprKind) -> ExprKind {
    let none = ExprId::new(0);
    let list = ExprListId::new(0);
    match kind {
        ExprKind::Binary(op, ..) => head_of_binary(op),
        ExprKind::Unary(op, _) => ExprKind::Unary(op, none),
        ExprKind::Cast(_) => ExprKind::Cast(none),
        ExprKind::Select(..) => ExprKind::Select(none, none, none),
        ExprKind::Load { buffer, predicate, .. } => {
            ExprKind::Load { buffer, indices: list, predicate: predicate.map(|_| none) }
        }
        ExprKind::Region(buffer, _) => ExprKind::Region(buffer, list),
        ExprKind::Slice { lower, upper, step } => ExprKind::Slice {
            lower: lower.map(|_| none),
            upper: upper.map(|_| none),
            step: step.map(|_| none),
        },
        ExprKind::Ramp { .. } => ExprKind::Ramp { base: none, stride: none, lanes: none },
        ExprKind::Broadcast { .. } => ExprKind::Broadcast { value: none, lanes: none },
        ExprKind::Shuffle { .. } => ExprKind::Shuffle { vectors: list, indices: list },
        ExprKind::Let { .. } => ExprKind::Let { value: none, body: none },
        ExprKind::Lambda { params, .. } => ExprKind::Lambda { params, body: none },
        ExprKind::Call { callee, attrs, instance, .. } => {
            ExprKind::Call { callee, args: list, attrs, instance }
        }
        ExprKind::Tuple(_) => ExprKind::Tuple(list),
        ExprKind::Value(_)
        | ExprKind::Bound(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::BufferField(..)
        | ExprKind::Buffer(_)
        | ExprKind::Opaque { .. } => kind,
    }
}
