//! Expressions, lane by lane, with C's precedence.
//!
//! Every expression is written straight into the output, so a sum of 10^4 terms costs its length. A `Let` in a
//! position that is certainly evaluated becomes a statement before the current one (`SEMANTICS: E5`); one in a lazy
//! position is written out where it is used, so that nothing is evaluated that the source does not evaluate.

use ir::{BinaryOp, Callee, DataType, ExprId, ExprKind, UnaryOp};

use super::{
    constants,
    helpers::{Helper, Scalar},
    types::{compute, is_half, is_narrow, lanes, unsigned},
    writer::{Writer, no_type},
};
use crate::kernel::{Refusal, Result};

/// Strengths of C's operators; a child is put in parentheses if it is weaker than its place asks for.
pub(super) mod prec {
    pub(in crate::backend::c_family) const ANY: u8 = 0;
    pub(in crate::backend::c_family) const TERNARY: u8 = 3;
    pub(in crate::backend::c_family) const OR: u8 = 4;
    pub(in crate::backend::c_family) const AND: u8 = 5;
    pub(in crate::backend::c_family) const BIT_OR: u8 = 6;
    pub(in crate::backend::c_family) const BIT_XOR: u8 = 7;
    pub(in crate::backend::c_family) const BIT_AND: u8 = 8;
    pub(in crate::backend::c_family) const EQUALITY: u8 = 9;
    pub(in crate::backend::c_family) const RELATION: u8 = 10;
    pub(in crate::backend::c_family) const SHIFT: u8 = 12;
    pub(in crate::backend::c_family) const SUM: u8 = 14;
    pub(in crate::backend::c_family) const PRODUCT: u8 = 16;
    pub(in crate::backend::c_family) const UNARY: u8 = 18;
}
use crate::reasons;
use prec::{ANY, UNARY};

/// The variable that an enclosing binder binds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Bound {
    /// A local variable for each lane, by their identifiers.
    Named(Vec<String>),
    /// Written out at each use: the expression, and the binders around it.
    Inline(ExprId, Vec<Bound>),
}

/// A `Let` and the binders around it.
pub(super) type LetKey = (ExprId, Vec<Bound>);

/// The place where an expression stands.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) lane: u32,
    pub(super) prec: u8,
    /// Enclosing binders, outermost first.
    pub(super) binders: Vec<Bound>,
    /// True if an overflow here is no event of the IR: the value need not be used (`SEMANTICS: I1`).
    pub(super) wraps: bool,
}

impl Place {
    pub(super) fn lane(lane: u32) -> Place {
        Place { lane, prec: ANY, binders: Vec::new(), wraps: false }
    }
    /// The same where an overflow is no event: a binding, a scalar of the program, an operand of a conversion to float.
    pub(super) fn wrapping(self) -> Place {
        Place { wraps: true, ..self }
    }
    fn at(&self, prec: u8) -> Place {
        Place { prec, ..self.clone() }
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

    /// Writes one lane of an expression.
    pub(super) fn expr(&mut self, expr: ExprId, place: &Place) -> Result<()> {
        self.budget = self.budget.checked_sub(1).ok_or_else(|| {
            Refusal::new(
                reasons::EXPRESSION_TOO_LARGE,
                "an expression grows too large when written out",
            )
        })?;
        ir::stack::with_room(|| self.node(expr, place, false))
    }

    /// Writes one lane of an expression of a narrow float, without the rounding that the store after it does anyway.
    pub(super) fn expr_to_store(&mut self, expr: ExprId, place: &Place) -> Result<()> {
        let unrounded = self.half_function(expr).is_none();
        ir::stack::with_room(|| self.node(expr, place, unrounded))
    }

    fn node(&mut self, expr: ExprId, place: &Place, unrounded: bool) -> Result<()> {
        ir::interrupt::check();
        let body = self.body;
        let dtype = self.dtype(expr)?;
        match body.expr(expr).kind {
            ExprKind::Int(value) => {
                let text = constants::int(value, dtype, self.dialect);
                self.out.push_str(&text);
                Ok(())
            }
            ExprKind::Float(bits) => {
                self.register_type(dtype)?;
                let text = constants::float(f64::from_bits(bits), dtype, self.dialect);
                self.out.push_str(&text);
                Ok(())
            }
            ExprKind::Value(value) => self.variable(value, place),
            ExprKind::Bound(index) => self.bound(index, place),
            ExprKind::Binary(op, a, b) => match self.half_function(expr) {
                Some(function) if !unrounded => self.half_as_float(expr, function, place),
                _ => self.binary(op, a, b, dtype, place, unrounded),
            },
            ExprKind::Unary(UnaryOp::Not, a) => self.prefix("!", a, place),
            ExprKind::Unary(UnaryOp::BitNot, a) if dtype.is_bool() => self.prefix("!", a, place),
            ExprKind::Unary(UnaryOp::BitNot, a) if is_narrow(dtype) => {
                let ty = self.register_type(dtype)?;
                self.out.push_str(&format!("({ty})"));
                self.prefix("~", a, &place.at(UNARY))
            }
            ExprKind::Unary(UnaryOp::BitNot, a) => self.prefix("~", a, place),
            ExprKind::Cast(a) => self.cast(a, dtype, place, unrounded),
            ExprKind::Select(c, a, b) => self.conditional(c, a, b, place),
            ExprKind::IfThenElse(c, a, b) => self.if_then_else(c, a, b, place),
            ExprKind::Load { buffer, .. } if self.wide.contains_key(&expr) => {
                let element = body.buffers[buffer].dtype.element();
                let name = self.wide[&expr].clone();
                let (before, after) = self.dialect.load(element, false, &name);
                self.out.push_str(&format!("{before}{}{after}", place.lane));
                Ok(())
            }
            ExprKind::Load { buffer, indices, predicate: None } => {
                self.load(buffer, indices, dtype, place)
            }
            ExprKind::Load { .. } => {
                Err(Refusal::new(reasons::PREDICATED_ACCESS, "a load has a lane predicate"))
            }
            ExprKind::BufferField(..) => match self.fields.get(&expr) {
                Some(name) => {
                    let name = name.clone();
                    self.out.push_str(&name);
                    Ok(())
                }
                None => Err(Refusal::new(
                    reasons::BUFFER_POINTER,
                    "a buffer's pointer is used as a value",
                )),
            },
            ExprKind::Ramp { base, stride, .. } => self.ramp(base, stride, place),
            ExprKind::Broadcast { value, .. } => self.broadcast(value, place),
            ExprKind::Shuffle { vectors, indices } => self.shuffle(vectors, indices, place),
            ExprKind::Let { value, body } => self.let_expr(expr, value, body, place),
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

    // ---- leaves ----

    fn variable(&mut self, value: ir::ValueId, place: &Place) -> Result<()> {
        let data = &self.body.values[value];
        if !self.declared.contains(&value) {
            let name = self.body.name(data.name);
            return Err(Refusal::new(
                reasons::FREE_VARIABLE,
                format!("nothing gives `{name}` a value"),
            ));
        }
        let n_lanes = data.ty.prim().and_then(lanes).unwrap_or(1);
        let name =
            if n_lanes > 1 { self.lane_slot(value, place.lane) } else { self.value_slot(value) };
        self.out.push_str(&name);
        Ok(())
    }

    fn bound(&mut self, index: u32, place: &Place) -> Result<()> {
        let outside =
            || Refusal::new(reasons::EXPRESSION, "a bound variable stands outside its binder");
        let at = place.binders.len().checked_sub(index as usize + 1).ok_or_else(outside)?;
        match &place.binders[at] {
            Bound::Named(names) => {
                let lane = (place.lane as usize).min(names.len() - 1);
                self.out.push_str(&names[lane]);
                Ok(())
            }
            Bound::Inline(value, binders) => {
                let (value, binders) = (*value, binders.clone());
                self.expr(value, &Place { binders, ..place.clone() })
            }
        }
    }

    // ---- operators ----

    fn binary(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        dtype: DataType,
        place: &Place,
        unrounded: bool,
    ) -> Result<()> {
        let operand = self.dtype(a)?;
        let kind = operand.element();
        match op {
            BinaryOp::Min => {
                return self.helper_call(Helper::Min(Scalar::of(compute(kind))), a, b, place);
            }
            BinaryOp::Max => {
                return self.helper_call(Helper::Max(Scalar::of(compute(kind))), a, b, place);
            }
            BinaryOp::FloorDiv | BinaryOp::FloorMod if !kind.is_float() => {
                return self.floor_division(op, a, b, kind, place);
            }
            BinaryOp::FloorDiv | BinaryOp::FloorMod => {
                return Err(Refusal::new(
                    reasons::FLOAT_FLOOR_DIVISION,
                    "a floor division of floats",
                ));
            }
            BinaryOp::Mod if kind.is_float() => return self.float_remainder(a, b, kind, place),
            BinaryOp::Shl if kind.is_int() || is_narrow(kind) => {
                return self.shift_left(a, b, kind, place);
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul
                if self.may_wrap(op, a, b, kind, place) =>
            {
                return self.helper_call(Helper::Wrap(op.into(), Scalar::of(kind)), a, b, place);
            }
            _ => {}
        }
        let (spelling, strength, left, right) = operator(op);
        if op.is_comparison() || op.is_logical() {
            return self.infix(spelling, strength, (a, left), (b, right), place);
        }
        if is_half(kind) && !unrounded {
            let round = self.rounding(kind);
            self.out.push_str(&format!("{round}("));
            self.infix(spelling, strength, (a, left), (b, right), &place.at(ANY))?;
            self.out.push(')');
            return Ok(());
        }
        let wraps = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        if (is_narrow(kind) || dtype.is_bool()) && wraps {
            return self.narrow(op, a, b, kind, place);
        }
        self.register_type(kind)?;
        self.infix(spelling, strength, (a, left), (b, right), place)
    }

    /// `a op b` in parentheses where the place asks for them; each operand with the strength its side asks for.
    fn infix(
        &mut self,
        spelling: &str,
        strength: u8,
        (a, left): (ExprId, u8),
        (b, right): (ExprId, u8),
        place: &Place,
    ) -> Result<()> {
        let parens = strength < place.prec;
        self.out.push_str(if parens { "(" } else { "" });
        self.expr(a, &place.at(left))?;
        self.out.extend([" ", spelling, " "]);
        self.expr(b, &place.at(right))?;
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    /// Narrow integers are cut to their width after each operation (`SEMANTICS: I3`); computed unsigned, so that
    /// C's `int` cannot overflow.
    fn narrow(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        kind: DataType,
        place: &Place,
    ) -> Result<()> {
        let ty = self.register_type(kind)?;
        let (spelling, strength, left, right) = operator(op);
        self.out.push_str(&format!("({ty})("));
        if op == BinaryOp::Mul && kind.bits == 16 {
            let wide = self.register_type(DataType::uint(32))?;
            self.out.push_str(&format!("({wide})"));
            self.expr(a, &place.at(UNARY))?;
            self.out.push_str(&format!(" * ({wide})"));
            self.expr(b, &place.at(UNARY))?;
        } else {
            self.infix(spelling, strength, (a, left), (b, right), &place.at(ANY))?;
        }
        self.out.push(')');
        Ok(())
    }

    fn floor_division(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        kind: DataType,
        place: &Place,
    ) -> Result<()> {
        let is_div = op == BinaryOp::FloorDiv;
        self.register_type(kind)?;
        // Two's complement: shifting right and masking round down for a power of two (`SEMANTICS: I9`). Also where the
        // quotient would be the same: compilers do not see that a signed number is none below zero, and correct for
        // that (a product of `float16` matrices took 2.7 times as long on a GPU).
        if !kind.is_uint()
            && let Some(power) = self.constant(b).filter(|&it| it > 0 && it & (it - 1) == 0)
            && kind.bits >= 32
        {
            let (spelling, strength, constant, ty) = match is_div {
                true => (">>", prec::SHIFT, i64::from(power.trailing_zeros()), DataType::INT32),
                false => ("&", prec::BIT_AND, power - 1, kind),
            };
            let parens = strength < place.prec;
            self.out.push_str(if parens { "(" } else { "" });
            self.expr(a, &place.at(UNARY))?;
            let constant = constants::int(constant, ty, self.dialect);
            self.out.push_str(&format!(" {spelling} {constant}"));
            self.out.push_str(if parens { ")" } else { "" });
            return Ok(());
        }
        if kind.is_uint() || (self.bounds.non_negative(a) && self.bounds.non_negative(b)) {
            let spelling = if is_div { "/" } else { "%" };
            let strength = prec::PRODUCT;
            return self.infix(spelling, strength, (a, strength), (b, UNARY), place);
        }
        let scalar = Scalar::of(kind);
        self.helper_call(
            if is_div { Helper::FloorDiv(scalar) } else { Helper::FloorMod(scalar) },
            a,
            b,
            place,
        )
    }

    /// Returns true if C's signed operation is undefined where the IR has no event.
    fn may_wrap(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        kind: DataType,
        place: &Place,
    ) -> bool {
        let is_signed = kind.is_int() && kind.bits >= 32;
        place.wraps
            && is_signed
            && self.dialect.wraps_signed()
            && !self.wrapped.stays(op, a, b, kind)
    }

    fn float_remainder(
        &mut self,
        a: ExprId,
        b: ExprId,
        kind: DataType,
        place: &Place,
    ) -> Result<()> {
        let round = is_half(kind).then(|| self.rounding(kind));
        let function = self.dialect.math("fmod", compute(kind).bits == 64);
        self.wrapped_call(round, &function, &[a, b], place)
    }

    /// `[round(]function(args)[)]`
    pub(super) fn wrapped_call(
        &mut self,
        round: Option<String>,
        function: &str,
        args: &[ExprId],
        place: &Place,
    ) -> Result<()> {
        if let Some(round) = &round {
            self.out.push_str(&format!("{round}("));
        }
        self.out.push_str(&format!("{function}("));
        for (index, &arg) in args.iter().enumerate() {
            self.out.push_str(if index > 0 { ", " } else { "" });
            self.expr(arg, &place.at(ANY))?;
        }
        self.out.push_str(if round.is_some() { "))" } else { ")" });
        Ok(())
    }

    fn helper_call(&mut self, helper: Helper, a: ExprId, b: ExprId, place: &Place) -> Result<()> {
        let dtype = self.dtype(a)?;
        self.register_type(dtype)?;
        let name = self.helper(helper);
        self.wrapped_call(None, &name, &[a, b], place)
    }

    /// Shifted as unsigned: C leaves a shift into the sign undefined, the IR does not (`SEMANTICS: I9`).
    fn shift_left(&mut self, a: ExprId, b: ExprId, kind: DataType, place: &Place) -> Result<()> {
        let ty = self.register_type(kind)?;
        let wide = if kind.bits < 32 { DataType::uint(32) } else { unsigned(kind) };
        let wide = self.register_type(wide)?;
        self.out.push_str(&format!("({ty})(({wide})"));
        self.expr(a, &place.at(UNARY))?;
        self.out.push_str(" << ");
        self.expr(b, &place.at(UNARY))?;
        self.out.push(')');
        Ok(())
    }

    fn prefix(&mut self, spelling: &str, a: ExprId, place: &Place) -> Result<()> {
        let parens = UNARY < place.prec;
        self.out.push_str(if parens { "(" } else { "" });
        self.out.push_str(spelling);
        self.expr(a, &place.at(UNARY))?;
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    /// `c ? a : b`: lazy, which may only remove errors from a `Select` (`SEMANTICS: S4`, `S5`).
    pub(super) fn conditional(
        &mut self,
        c: ExprId,
        a: ExprId,
        b: ExprId,
        place: &Place,
    ) -> Result<()> {
        let parens = prec::TERNARY < place.prec;
        self.out.push_str(if parens { "(" } else { "" });
        self.expr(c, &place.at(prec::OR))?;
        self.out.push_str(" ? ");
        self.expr(a, &place.at(prec::OR))?;
        self.out.push_str(" : ");
        self.expr(b, &place.at(prec::TERNARY))?;
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    /// `c ? a : b` with one condition for all lanes: lanes that are not chosen are not evaluated (`SEMANTICS: S5`).
    fn if_then_else(&mut self, c: ExprId, a: ExprId, b: ExprId, place: &Place) -> Result<()> {
        match self.dtype(c)?.is_scalar() {
            true => self.conditional(c, a, b, place),
            false => Err(super::intrinsics::unsupported("if_then_else")),
        }
    }

    // ---- conversions ----

    fn cast(&mut self, a: ExprId, dtype: DataType, place: &Place, unrounded: bool) -> Result<()> {
        let (from, to) = (self.dtype(a)?.element(), dtype.element());
        if from == to {
            return self.expr(a, place);
        }
        self.register_type(from)?;
        let ty = self.register_type(to)?;
        if to.is_bool() {
            return self.not_zero(a, from, place);
        }
        if is_half(to) {
            return self.narrowed(a, from, to, place, unrounded);
        }
        if compute(from) == to {
            return self.expr(a, place);
        }
        let parens = UNARY < place.prec;
        self.out.push_str(if parens { "(" } else { "" });
        self.out.push_str(&format!("({ty})"));
        // A float keeps no mark of an overflow, so that may be none.
        let wraps = place.wraps || to.is_float();
        self.expr(a, &Place { wraps, ..place.at(UNARY) })?;
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    /// Conversion to bool: NaN is true (`SEMANTICS: C6`).
    fn not_zero(&mut self, a: ExprId, from: DataType, place: &Place) -> Result<()> {
        let parens = prec::EQUALITY < place.prec;
        self.out.push_str(if parens { "(" } else { "" });
        self.expr(a, &place.at(prec::RELATION))?;
        let zero = match compute(from) {
            it if it.is_float() => constants::float(0.0, it, self.dialect),
            it => constants::int(0, it, self.dialect),
        };
        self.out.push_str(&format!(" != {zero}"));
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    /// One rounding (`SEMANTICS: C7`): by way of `float` only if that is exact, or cannot matter.
    fn narrowed(
        &mut self,
        a: ExprId,
        from: DataType,
        to: DataType,
        place: &Place,
        unrounded: bool,
    ) -> Result<()> {
        // An integer that `float` does not hold is beyond float16 anyway, but not beyond bfloat16.
        let by_float = compute(from) == DataType::FLOAT32
            || from.is_bool()
            || is_narrow(from)
            || (from.is_integer() && to.code == ir::TypeCode::Float);
        if !by_float {
            let (open, close) = self.dialect.narrow(from, to).ok_or_else(|| {
                Refusal::new(reasons::CAST, format!("`{from}` to `{to}` with one rounding"))
            })?;
            self.out.push_str(open);
            self.expr(a, &place.at(ANY).wrapping())?;
            self.out.push_str(close);
            return Ok(());
        }
        let round = (!unrounded).then(|| self.rounding(to));
        if let Some(round) = &round {
            self.out.push_str(&format!("{round}("));
        }
        let inner = if round.is_some() { place.at(ANY) } else { place.clone() };
        if compute(from) == DataType::FLOAT32 {
            self.expr(a, &inner)?;
        } else {
            let parens = UNARY < inner.prec;
            self.out.push_str(if parens { "((float)" } else { "(float)" });
            self.expr(a, &place.at(UNARY).wrapping())?;
            self.out.push_str(if parens { ")" } else { "" });
        }
        self.out.push_str(if round.is_some() { ")" } else { "" });
        Ok(())
    }

    // ---- vectors ----

    fn ramp(&mut self, base: ExprId, stride: ExprId, place: &Place) -> Result<()> {
        let dtype = self.dtype(base)?;
        let (step, lane) = (self.constant(stride), i64::from(place.lane));
        if lane == 0 || step == Some(0) {
            return self.expr(base, &Place { lane: 0, ..place.clone() });
        }
        let kind = dtype.element();
        if place.wraps && kind.is_int() && kind.bits >= 32 && self.dialect.wraps_signed() {
            return self.wrapping_ramp(base, stride, kind, place);
        }
        let parens = prec::SUM < place.prec;
        self.out.push_str(if parens { "(" } else { "" });
        let scalar = Place { lane: 0, ..place.at(prec::SUM) };
        self.expr(base, &scalar)?;
        match step.and_then(|it| it.checked_mul(lane)) {
            Some(offset) => {
                let offset = constants::int(offset, dtype.element(), self.dialect);
                self.out.push_str(&format!(" + {offset}"));
            }
            None => {
                self.out.push_str(" + ");
                self.expr(stride, &scalar.at(prec::PRODUCT))?;
                let lane = constants::int(lane, dtype.element(), self.dialect);
                self.out.push_str(&format!(" * {lane}"));
            }
        }
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    /// A lane of a ramp where an overflow is none: in a binding.
    fn wrapping_ramp(
        &mut self,
        base: ExprId,
        stride: ExprId,
        kind: DataType,
        place: &Place,
    ) -> Result<()> {
        let scalar = Place { lane: 0, ..place.at(ANY) };
        let mut name = |op: BinaryOp| self.helper(Helper::Wrap(op.into(), Scalar::of(kind)));
        let (add, mul) = (name(BinaryOp::Add), name(BinaryOp::Mul));
        self.out.push_str(&format!("{add}("));
        self.expr(base, &scalar)?;
        self.out.push_str(&format!(", {mul}("));
        self.expr(stride, &scalar)?;
        let lane = constants::int(place.lane.into(), kind, self.dialect);
        self.out.push_str(&format!(", {lane}))"));
        Ok(())
    }

    fn broadcast(&mut self, value: ExprId, place: &Place) -> Result<()> {
        let dtype = self.dtype(value)?;
        let n_lanes = lanes(dtype).ok_or_else(|| no_type(dtype))?;
        self.expr(value, &Place { lane: place.lane % n_lanes, ..place.clone() })
    }

    fn shuffle(
        &mut self,
        vectors: ir::ExprListId,
        indices: ir::ExprListId,
        place: &Place,
    ) -> Result<()> {
        let body = self.body;
        let no_index = || {
            Refusal::new(reasons::SHUFFLE, "an index of a shuffle is no constant of its vectors")
        };
        let index = *body.items(indices).get(place.lane as usize).ok_or_else(no_index)?;
        let mut index =
            self.constant(index).and_then(|it| u32::try_from(it).ok()).ok_or_else(no_index)?;
        for &vector in body.items(vectors) {
            let n_lanes = self.dtype(vector).ok().and_then(lanes).ok_or_else(no_index)?;
            if index < n_lanes {
                return self.expr(vector, &Place { lane: index, ..place.clone() });
            }
            index -= n_lanes;
        }
        Err(no_index())
    }

    // ---- binders ----

    fn let_expr(&mut self, expr: ExprId, value: ExprId, body: ExprId, place: &Place) -> Result<()> {
        let bound = match self.lets.get(&(expr, place.binders.clone())) {
            Some(names) => Bound::Named(names.clone()),
            None => Bound::Inline(value, place.binders.clone()),
        };
        let mut binders = place.binders.clone();
        binders.push(bound);
        let parens = place.prec > ANY;
        self.out.push_str(if parens { "(" } else { "" });
        self.expr(body, &Place { binders, ..place.at(ANY) })?;
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    /// Declares the values of the `Let`s of an expression that are certainly evaluated.
    pub(super) fn hoist_lets(&mut self, expr: ExprId, binders: &[Bound]) -> Result<()> {
        let body = self.body;
        if !body.expr(expr).flags.has_binder {
            return Ok(());
        }
        ir::stack::with_room(|| match body.expr(expr).kind {
            ExprKind::Let { value, body } => {
                self.hoist_lets(value, binders)?;
                let names = self.declare_let(expr, value, binders)?;
                let mut inner = binders.to_vec();
                inner.push(Bound::Named(names));
                self.hoist_lets(body, &inner)
            }
            ExprKind::Lambda { .. } => Ok(()),
            // The other operands are lazy, or may be.
            ExprKind::Binary(op, a, _) if op.is_logical() => self.hoist_lets(a, binders),
            ExprKind::IfThenElse(condition, ..) => self.hoist_lets(condition, binders),
            kind => {
                let mut children = Vec::new();
                body.each_child(kind, &mut |child| children.push(child));
                children.into_iter().try_for_each(|child| self.hoist_lets(child, binders))
            }
        })
    }

    fn declare_let(
        &mut self,
        expr: ExprId,
        value: ExprId,
        binders: &[Bound],
    ) -> Result<Vec<String>> {
        let key = (expr, binders.to_vec());
        if let Some(names) = self.lets.get(&key) {
            return Ok(names.clone());
        }
        let dtype = self.dtype(value)?;
        let ty = self.register_type(dtype)?;
        let n_lanes = lanes(dtype).ok_or_else(|| no_type(dtype))?;
        let mut names = Vec::new();
        for lane in 0..n_lanes {
            let name = self.new_slot("t");
            self.start_line();
            self.out.push_str(&format!("const {ty} {name} = "));
            let place = Place { lane, prec: ANY, binders: binders.to_vec(), wraps: true };
            self.expr(value, &place)?;
            self.out.push_str(";\n");
            names.push(name);
        }
        self.lets.insert(key, names.clone());
        Ok(names)
    }
}

/// The mark of an operator.
pub(super) fn infix(op: BinaryOp) -> &'static str {
    operator(op).0
}

/// Spelling, strength, and the strengths asked of the left and right operand.
fn operator(op: BinaryOp) -> (&'static str, u8, u8, u8) {
    let plain = |spelling, strength| (spelling, strength, strength, strength + 1);
    // Mixed with others, these read badly without parentheses.
    let strict = |spelling, strength| (spelling, strength, UNARY, UNARY);
    // A comparison of comparisons, too.
    let compare = |spelling, strength| (spelling, strength, prec::SHIFT, prec::SHIFT);
    match op {
        BinaryOp::Add => plain("+", prec::SUM),
        BinaryOp::Sub => plain("-", prec::SUM),
        BinaryOp::Mul => plain("*", prec::PRODUCT),
        BinaryOp::Div | BinaryOp::FloorDiv => plain("/", prec::PRODUCT),
        BinaryOp::Mod | BinaryOp::FloorMod => plain("%", prec::PRODUCT),
        BinaryOp::Eq => compare("==", prec::EQUALITY),
        BinaryOp::Ne => compare("!=", prec::EQUALITY),
        BinaryOp::Lt => compare("<", prec::RELATION),
        BinaryOp::Le => compare("<=", prec::RELATION),
        BinaryOp::Gt => compare(">", prec::RELATION),
        BinaryOp::Ge => compare(">=", prec::RELATION),
        BinaryOp::And => ("&&", prec::AND, prec::AND, prec::BIT_OR),
        BinaryOp::Or => ("||", prec::OR, prec::EQUALITY, prec::EQUALITY),
        BinaryOp::BitAnd => strict("&", prec::BIT_AND),
        BinaryOp::BitXor => strict("^", prec::BIT_XOR),
        BinaryOp::BitOr => strict("|", prec::BIT_OR),
        BinaryOp::Shl => strict("<<", prec::SHIFT),
        BinaryOp::Shr => strict(">>", prec::SHIFT),
        BinaryOp::Min | BinaryOp::Max => plain(",", ANY),
    }
}
