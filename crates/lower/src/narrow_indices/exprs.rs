//! Expressions of 64 bits, narrowed to 32.
//!
//! In: an expression of a body as it was, and the context in which it is evaluated. Out: the expression of 32 bits that
//! has its value, if it and all it is computed from are shown to fit; and the expression with such parts in the places
//! of those that are used as indices, compared, cast, or widened again. Each node is looked at once a context.

use arith::{Analyzer, ContextId};
use ir::{BinaryOp, Body, DataType, ExprId, ExprKind, Type};
use rustc_hash::FxHashMap;

use super::{NARROW, fits};
use crate::lists::WIDE;

/// Expressions of one context.
pub(super) struct Narrower<'a, 'b> {
    analyzer: &'a mut Analyzer<'b>,
    before: &'b Body,
    context: ContextId,
    narrow: FxHashMap<ExprId, Option<ExprId>>,
    rewritten: FxHashMap<ExprId, ExprId>,
}

impl<'a, 'b> Narrower<'a, 'b> {
    pub(super) fn new(
        analyzer: &'a mut Analyzer<'b>,
        before: &'b Body,
        context: ContextId,
    ) -> Narrower<'a, 'b> {
        let (narrow, rewritten) = Default::default();
        Narrower { analyzer, before, context, narrow, rewritten }
    }

    /// An expression of the body as it was, with narrow parts, as one of `body`.
    pub(super) fn rewrite(&mut self, body: &mut Body, expr: ExprId) -> ExprId {
        if let Some(&known) = self.rewritten.get(&expr) {
            return known;
        }
        let new = ir::stack::with_room(|| self.rewrite_node(body, expr));
        self.rewritten.insert(expr, new);
        new
    }

    fn rewrite_node(&mut self, body: &mut Body, expr: ExprId) -> ExprId {
        let node = self.before.expr(expr);
        match node.kind {
            ExprKind::Load { buffer, indices, predicate } => {
                let indices = self.before.items(indices).to_vec();
                let indices: Vec<ExprId> =
                    indices.into_iter().map(|it| self.index(body, it)).collect();
                let predicate = predicate.map(|it| self.rewrite(body, it));
                return body.load(buffer, &indices, predicate);
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                if let (Some(a), Some(b)) = (self.narrow(body, a), self.narrow(body, b)) {
                    return body.binary(op, a, b);
                }
            }
            ExprKind::Cast(value) if node.ty.prim().is_some_and(|it| it.element() == NARROW) => {
                if let Some(narrow) = self.narrow(body, value) {
                    return narrow;
                }
            }
            ExprKind::Binary(..) | ExprKind::Select(..) | ExprKind::Ramp { .. } => {
                if let Some(narrow) = self.narrow(body, expr)
                    && let Some(dtype) = node.ty.prim()
                {
                    return body.cast(narrow, dtype);
                }
            }
            _ => {}
        }
        body.map_children(expr, &mut |body, child| self.rewrite(body, child))
    }

    /// An index, narrow if it can be.
    pub(super) fn index(&mut self, body: &mut Body, expr: ExprId) -> ExprId {
        match self.narrow(body, expr) {
            Some(narrow) => narrow,
            None => self.rewrite(body, expr),
        }
    }

    /// The expression of 32 bits with the value of one of 64.
    pub(super) fn narrow(&mut self, body: &mut Body, expr: ExprId) -> Option<ExprId> {
        let dtype = self.before.dtype(expr)?;
        if dtype.element() != WIDE || self.before.expr(expr).flags.open_binders > 0 {
            return None;
        }
        if let Some(&known) = self.narrow.get(&expr) {
            return known;
        }
        let new = ir::stack::with_room(|| self.narrow_node(body, expr, dtype));
        self.narrow.insert(expr, new);
        new
    }

    fn narrow_node(&mut self, body: &mut Body, expr: ExprId, dtype: DataType) -> Option<ExprId> {
        let to = NARROW.with_lanes(dtype.lanes);
        let ty: Type = to.into();
        match self.before.expr(expr).kind {
            ExprKind::Int(value) => i32::try_from(value).ok().map(|it| body.int(it.into(), NARROW)),
            ExprKind::Cast(value) => {
                let from = self.before.dtype(value)?;
                let is_narrower = from.is_bool()
                    || (from.is_int() && from.bits <= 32)
                    || (from.is_uint() && from.bits < 32);
                if !is_narrower {
                    return None;
                }
                let value = self.rewrite(body, value);
                Some(body.cast(value, to))
            }
            ExprKind::Value(_) => self.is_narrow(expr).then(|| body.cast(expr, to)),
            ExprKind::Binary(op, a, b) => {
                use BinaryOp::{Add, Div, FloorDiv, FloorMod, Max, Min, Mod, Mul, Sub};
                let is_arithmetic =
                    matches!(op, Add | Sub | Mul | Div | Mod | FloorDiv | FloorMod | Min | Max);
                if !is_arithmetic {
                    return None;
                }
                let (a, b) = (self.narrow(body, a)?, self.narrow(body, b)?);
                self.is_narrow(expr).then(|| body.binary(op, a, b))
            }
            ExprKind::Select(condition, a, b) => {
                let (a, b) = (self.narrow(body, a)?, self.narrow(body, b)?);
                let condition = self.rewrite(body, condition);
                Some(body.select(condition, a, b))
            }
            ExprKind::IfThenElse(condition, a, b) => {
                let (a, b) = (self.narrow(body, a)?, self.narrow(body, b)?);
                let condition = self.rewrite(body, condition);
                Some(body.make(ExprKind::IfThenElse(condition, a, b), ty))
            }
            ExprKind::Ramp { base, stride, lanes } => {
                let (base, stride) = (self.narrow(body, base)?, self.narrow(body, stride)?);
                let is_narrow = self.is_narrow(expr);
                is_narrow.then(|| body.make(ExprKind::Ramp { base, stride, lanes }, ty))
            }
            ExprKind::Broadcast { value, lanes } => {
                let value = self.narrow(body, value)?;
                Some(body.make(ExprKind::Broadcast { value, lanes }, ty))
            }
            _ => None,
        }
    }

    /// Returns true if all values fit, also where a sum would wrap.
    fn is_narrow(&mut self, expr: ExprId) -> bool {
        fits(self.analyzer.bound(self.context, expr))
    }
}
