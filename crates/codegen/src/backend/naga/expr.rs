//! Expressions, lane by lane, as nodes of naga.
//!
//! An operand that the source does not always evaluate gets a block of its own if it reads memory: naga evaluates both
//! arms of a `select` and both sides of `&&` (`SEMANTICS: S2`, `S5`). A `Let` is computed where it stands, once for all
//! its uses below (`E5`).

use std::rc::Rc;

use ::naga::{BinaryOperator as Op, Expression, Literal, Scalar, Statement, UnaryOperator};
use ir::{BinaryOp, Callee, DataType, ExprId, ExprKind, ExprListId, UnaryOp};

use super::{
    function::Node,
    types,
    writer::{Writer, lanes},
};
use crate::kernel::{Refusal, Result};
use crate::reasons;

/// The place where an expression stands.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) lane: u32,
    /// The values of enclosing binders, lane by lane, outermost first.
    binders: Vec<Rc<[Node]>>,
}

impl Place {
    pub(super) fn lane(lane: u32) -> Place {
        Place { lane, binders: Vec::new() }
    }
    /// The same place, another lane.
    pub(super) fn at(&self, lane: u32) -> Place {
        Place { lane, binders: self.binders.clone() }
    }
}

impl Writer<'_> {
    /// Scalar type of an expression.
    pub(super) fn dtype(&self, expr: ExprId) -> Result<DataType> {
        let ty = self.body.ty(expr);
        ty.prim().ok_or_else(|| {
            Refusal::new(reasons::UNKNOWN_TYPE, format!("an expression has type {ty:?}"))
        })
    }

    /// One lane of an expression, as a register.
    pub(super) fn expr(&mut self, expr: ExprId, place: &Place) -> Result<Node> {
        ir::stack::with_room(|| self.node(expr, place))
    }

    fn node(&mut self, expr: ExprId, place: &Place) -> Result<Node> {
        ir::interrupt::check();
        let body = self.body;
        let dtype = self.dtype(expr)?;
        match body.expr(expr).kind {
            ExprKind::Int(value) => self.int(value, dtype),
            ExprKind::Float(bits) => self.float(f64::from_bits(bits), dtype),
            ExprKind::Value(value) => self.variable(value, place),
            ExprKind::Bound(index) => self.bound(index, place),
            ExprKind::Binary(op, a, b) if op.is_logical() && body.expr(b).flags.has_load => {
                self.short_circuit(op, a, b, place)
            }
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, place),
            ExprKind::Unary(op, a) => {
                let node = self.expr(a, place)?;
                match op {
                    UnaryOp::BitNot if !dtype.is_bool() => {
                        let node = self.unary(UnaryOperator::BitwiseNot, node)?;
                        self.wrapped(node, dtype)
                    }
                    _ => self.unary(UnaryOperator::LogicalNot, node),
                }
            }
            ExprKind::Cast(a) => self.cast(a, dtype, place),
            ExprKind::Select(c, a, b) => self.conditional(c, a, b, dtype, place),
            ExprKind::IfThenElse(c, a, b) if self.dtype(c)?.is_scalar() => {
                self.conditional(c, a, b, dtype, place)
            }
            ExprKind::IfThenElse(..) => Err(super::intrinsics::unsupported("if_then_else")),
            ExprKind::Load { buffer, indices, predicate: None } => {
                self.note_type(dtype, false);
                self.load(buffer, indices, place)
            }
            ExprKind::Load { .. } => {
                Err(Refusal::new(reasons::PREDICATED_ACCESS, "a load has a lane predicate"))
            }
            ExprKind::BufferField(..) => self.fields.get(&expr).copied().ok_or_else(|| {
                Refusal::new(reasons::BUFFER_POINTER, "a buffer's pointer is used as a value")
            }),
            ExprKind::Ramp { base, stride, .. } => self.ramp(base, stride, place),
            ExprKind::Broadcast { value, .. } => {
                let n_lanes = lanes(self.dtype(value)?)?;
                self.expr(value, &place.at(place.lane % n_lanes))
            }
            ExprKind::Shuffle { vectors, indices } => self.shuffle(vectors, indices, place),
            ExprKind::Let { value, body } => {
                let mut place = place.clone();
                let n_lanes = lanes(self.dtype(value)?)?;
                let nodes: Result<Vec<Node>> =
                    (0..n_lanes).map(|lane| self.expr(value, &place.at(lane))).collect();
                place.binders.push(nodes?.into());
                self.expr(body, &place)
            }
            ExprKind::Call { callee: Callee::Intrinsic(name, it), args, .. } => {
                self.call((body.name(name), it), args, dtype, place)
            }
            ExprKind::Call { callee: Callee::Function(name) | Callee::Unknown(name), .. } => {
                Err(Refusal::new(reasons::CALL, format!("`{}` is called", body.name(name))))
            }
            ExprKind::Opaque { text, .. } => Err(Refusal::new(
                reasons::OPAQUE_EXPRESSION,
                format!("`{}` is not understood", body.name(text)),
            )),
            ExprKind::Str(_)
            | ExprKind::Buffer(_)
            | ExprKind::Region(..)
            | ExprKind::Slice { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Tuple(_) => Err(Refusal::new(
                reasons::EXPRESSION,
                "an argument that is no value is used as one",
            )),
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOperator, expr: Node) -> Result<Node> {
        self.out.add(Expression::Unary { op, expr })
    }

    // ---- leaves ----

    /// An integer constant; its low half where the register is that.
    pub(super) fn int(&mut self, value: i64, dtype: DataType) -> Result<Node> {
        let literal = match types::register(dtype, self.language)? {
            Scalar::BOOL => Literal::Bool(value != 0),
            Scalar::I32 => Literal::I32(value as i32),
            Scalar::U32 => Literal::U32(value as u32),
            Scalar::I64 => Literal::I64(value),
            Scalar::U64 => Literal::U64(value as u64),
            _ => return Err(types::no_type(dtype)),
        };
        self.note_type(dtype, false);
        self.out.literal(literal)
    }

    /// A float constant. One that is not finite is no literal; its bits go through a variable, since WGSL refuses
    /// constants that are not finite also where they are made of bits.
    pub(super) fn float(&mut self, value: f64, dtype: DataType) -> Result<Node> {
        self.note_type(dtype, false);
        match types::register(dtype, self.language)? {
            Scalar::F64 if value.is_finite() => self.out.literal(Literal::F64(value)),
            Scalar::F32 if value.is_finite() => self.out.f32(value as f32),
            Scalar::F64 => {
                let bits = self.out.literal(Literal::U64(value.to_bits()))?;
                let bits = self.opaque(bits, Scalar::U64)?;
                self.features.insert("shader-int64");
                self.out.bits(bits, ::naga::ScalarKind::Float)
            }
            Scalar::F32 => {
                let bits = self.out.u32((value as f32).to_bits())?;
                let bits = self.opaque(bits, Scalar::U32)?;
                self.out.bits(bits, ::naga::ScalarKind::Float)
            }
            _ => Err(types::no_type(dtype)),
        }
    }

    /// The value by way of a variable.
    fn opaque(&mut self, value: Node, scalar: Scalar) -> Result<Node> {
        let ty = self.out.scalar_type(scalar);
        let name = self.out.names.made("bits".to_owned());
        let pointer = self.out.variable(name, ty)?;
        self.out.store(pointer, value);
        self.out.load(pointer)
    }

    fn variable(&mut self, value: ir::ValueId, place: &Place) -> Result<Node> {
        let Some(nodes) = self.values.get(&value) else {
            let name = self.body.name(self.body.values[value].name);
            return Err(Refusal::new(
                reasons::FREE_VARIABLE,
                format!("nothing gives `{name}` a value"),
            ));
        };
        Ok(nodes[(place.lane as usize).min(nodes.len() - 1)])
    }

    fn bound(&mut self, index: u32, place: &Place) -> Result<Node> {
        let outside =
            || Refusal::new(reasons::EXPRESSION, "a bound variable stands outside its binder");
        let at = place.binders.len().checked_sub(index as usize + 1).ok_or_else(outside)?;
        let nodes = &place.binders[at];
        nodes.get((place.lane as usize).min(nodes.len() - 1)).copied().ok_or_else(outside)
    }

    // ---- what is evaluated only sometimes ----

    /// `c ? a : b`; an arm that reads memory is evaluated only if it is chosen.
    pub(super) fn conditional(
        &mut self,
        c: ExprId,
        a: ExprId,
        b: ExprId,
        dtype: DataType,
        place: &Place,
    ) -> Result<Node> {
        let scalar_condition = self.dtype(c)?.is_scalar();
        let at = if scalar_condition { place.at(0) } else { place.clone() };
        let condition = self.expr(c, &at)?;
        let reads = |it: ExprId| self.body.expr(it).flags.has_load;
        if reads(a) || reads(b) {
            return self.branches(
                condition,
                dtype,
                &mut |writer| writer.expr(a, place),
                &mut |writer| writer.expr(b, place),
            );
        }
        let (accept, reject) = (self.expr(a, place)?, self.expr(b, place)?);
        self.out.select(condition, accept, reject)
    }

    /// `a and b`, `a or b` where `b` reads memory.
    fn short_circuit(&mut self, op: BinaryOp, a: ExprId, b: ExprId, place: &Place) -> Result<Node> {
        let condition = self.expr(a, place)?;
        let is_and = op == BinaryOp::And;
        let mut right = |writer: &mut Self| writer.expr(b, place);
        let mut decided = |writer: &mut Self| writer.out.literal(Literal::Bool(!is_and));
        match is_and {
            true => self.branches(condition, DataType::BOOL, &mut right, &mut decided),
            false => self.branches(condition, DataType::BOOL, &mut decided, &mut right),
        }
    }

    fn branches(
        &mut self,
        condition: Node,
        dtype: DataType,
        accept: &mut dyn FnMut(&mut Self) -> Result<Node>,
        reject: &mut dyn FnMut(&mut Self) -> Result<Node>,
    ) -> Result<Node> {
        let scalar = types::register(dtype, self.language)?;
        let ty = self.out.scalar_type(scalar);
        let name = self.out.names.made("chosen".to_owned());
        let pointer = self.out.variable(name, ty)?;
        self.nested()?;
        let arm = |writer: &mut Self, value: &mut dyn FnMut(&mut Self) -> Result<Node>| {
            writer.out.open_block();
            let value = value(writer)?;
            writer.out.store(pointer, value);
            Ok(writer.out.close_block())
        };
        let (accept, reject) = (arm(self, accept)?, arm(self, reject)?);
        self.nesting -= 1;
        self.out.push(Statement::If { condition, accept, reject });
        self.out.load(pointer)
    }

    // ---- vectors ----

    fn ramp(&mut self, base: ExprId, stride: ExprId, place: &Place) -> Result<Node> {
        let dtype = self.dtype(base)?.element();
        let scalar = place.at(0);
        let (step, lane) = (self.constant(stride), i64::from(place.lane));
        let first = self.expr(base, &scalar)?;
        if lane == 0 || step == Some(0) {
            return Ok(first);
        }
        let offset = match step.and_then(|it| it.checked_mul(lane)) {
            Some(offset) => self.int(offset, dtype)?,
            None => {
                let step = self.expr(stride, &scalar)?;
                let lane = self.int(lane, dtype)?;
                self.out.binary(Op::Multiply, step, lane)?
            }
        };
        let sum = self.out.binary(Op::Add, first, offset)?;
        self.wrapped(sum, dtype)
    }

    fn shuffle(&mut self, vectors: ExprListId, indices: ExprListId, place: &Place) -> Result<Node> {
        let body = self.body;
        let no_index = || {
            Refusal::new(reasons::SHUFFLE, "an index of a shuffle is no constant of its vectors")
        };
        let index = *body.items(indices).get(place.lane as usize).ok_or_else(no_index)?;
        let index = self.constant(index).and_then(|it| u32::try_from(it).ok());
        let mut index = index.ok_or_else(no_index)?;
        for &vector in body.items(vectors) {
            let n_lanes = lanes(self.dtype(vector)?)?;
            if index < n_lanes {
                return self.expr(vector, &place.at(index));
            }
            index -= n_lanes;
        }
        Err(no_index())
    }
}
