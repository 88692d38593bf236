//! Expressions as terms, by the rows of `SEMANTICS.md`.
//!
//! In: an expression and the state of its function. Out: its value. On the way the conditions without which it is an
//! error are met: of the function before they are assumed, of the function after they are goals.

use ir::{BinaryOp, DataType, ExprId, ExprKind, Lanes, Type, UnaryOp, ValueId};

use crate::{
    engine::{Engine, Stop},
    names::{COMMUTES, is_given, variable_name},
    side::{Side, Value, Which},
    term::{Flat, Op, Sort, Term},
};

type Result<T> = std::result::Result<T, Stop>;

/// The most nodes of one expression.
const MOST_NODES: u32 = 200_000;

/// An integer type that has a width here.
pub(crate) fn int_type(dtype: DataType) -> bool {
    dtype.is_integer() && dtype.lanes == Lanes::Fixed(1) && (1..=64).contains(&dtype.bits)
}

fn truth_type(dtype: DataType) -> bool {
    dtype.is_bool() && dtype.lanes == Lanes::Fixed(1)
}

impl Engine<'_> {
    pub(crate) fn sort_of(&mut self, ty: Type) -> Flat {
        match ty {
            Type::Prim(dtype) if truth_type(dtype) => Flat::Bool,
            Type::Prim(dtype) if int_type(dtype) => Flat::Bits(dtype.bits),
            // Floats of one type, vectors of one type, pointers.
            ty => self.pool.named(&format!("{ty:?}")),
        }
    }

    pub(crate) fn plain(&mut self, term: Term) -> Value {
        let no = self.pool.truth(false);
        Value { term, wrapped: no, wrapped_unsigned: no }
    }

    /// A value made of others, which is wrapped if one of them is.
    pub(crate) fn derived(&mut self, term: Term, from: &[Value]) -> Value {
        let mut value = self.plain(term);
        for it in from {
            value.wrapped = self.pool.or(value.wrapped, it.wrapped);
            value.wrapped_unsigned = self.pool.or(value.wrapped_unsigned, it.wrapped_unsigned);
        }
        value
    }

    /// Without this condition there is an error here.
    pub(crate) fn require(&mut self, side: &Side<'_>, condition: Term) {
        let condition = self.pool.implies(side.guard, condition);
        if self.pool.known_truth(condition) == Some(true) {
            return;
        }
        match side.which {
            Which::Before => self.assume(condition),
            Which::After => self.goals.push(condition),
        }
    }

    /// The value is used: it is an error that it is wrapped.
    pub(crate) fn used(&mut self, side: &mut Side<'_>, value: Value) {
        let is_exact = self.pool.not(value.wrapped);
        self.require(side, is_exact);
        let used = self.pool.and(side.guard, value.wrapped_unsigned);
        if self.pool.known_truth(used) != Some(false) {
            side.unsigned_uses.push(used);
        }
    }

    /// The value of an expression.
    pub(crate) fn eval(&mut self, side: &mut Side<'_>, expr: ExprId) -> Result<Value> {
        self.n_nodes += 1;
        let node = side.body.expr(expr);
        if node.size > MOST_NODES || self.n_nodes > self.options.max_nodes {
            return Err(Stop::limit("the function is too large"));
        }
        match node.kind {
            ExprKind::Int(value) => {
                let term = match self.sort_of(node.ty) {
                    Flat::Bool => self.pool.truth(value != 0),
                    Flat::Bits(bits) => self.pool.bits(value, bits),
                    sort => self.pool.function(&format!("int {value}"), &[], Sort::Flat(sort)),
                };
                Ok(self.plain(term))
            }
            ExprKind::Float(bits) => {
                let sort = Sort::Flat(self.sort_of(node.ty));
                let term = self.pool.function(&format!("float {bits:x}"), &[], sort);
                Ok(self.plain(term))
            }
            ExprKind::Value(value) => self.variable(side, value),
            ExprKind::Binary(op, a, b) => self.deep(|it| it.binary(side, op, a, b, node.ty)),
            ExprKind::Unary(op, a) => {
                let a = self.deep(|it| it.eval(side, a))?;
                let sort = self.pool.sort(a.term);
                let term = match (op, sort) {
                    (_, Sort::BOOL) => self.pool.not(a.term),
                    (UnaryOp::BitNot, _) if sort.width().is_some() => self.pool.bit_not(a.term),
                    _ => self.pool.function(&format!("{op:?}"), &[a.term], sort),
                };
                Ok(self.derived(term, &[a]))
            }
            ExprKind::Cast(a) => self.deep(|it| it.cast(side, a, node.ty)),
            ExprKind::Select(c, a, b) => self.deep(|it| it.select(side, c, a, b, node.ty)),
            ExprKind::IfThenElse(c, a, b) => self.deep(|it| it.choice(side, c, a, b)),
            ExprKind::Load { buffer, indices, predicate } => {
                self.deep(|it| it.load(side, buffer, indices, predicate, node.ty))
            }
            ExprKind::BufferField(buffer, field) => self.field(side, buffer, field, node.ty),
            ExprKind::Ramp { base, stride, .. } => {
                let parts = [base, stride];
                self.opaque_of(side, "ramp", &parts, node.ty)
            }
            ExprKind::Broadcast { value, .. } => {
                self.opaque_of(side, "broadcast", &[value], node.ty)
            }
            ExprKind::Shuffle { vectors, indices } => {
                let n = side.body.items(vectors).len();
                let mut parts = side.body.items(vectors).to_vec();
                parts.extend_from_slice(side.body.items(indices));
                self.opaque_of(side, &format!("shuffle {n}"), &parts, node.ty)
            }
            ExprKind::Let { value, body } => self.deep(|it| {
                let value = it.eval(side, value)?;
                side.binders.push(value);
                let result = it.eval(side, body);
                side.binders.pop();
                result
            }),
            ExprKind::Bound(index) => {
                let at = side.binders.len().checked_sub(index as usize + 1);
                at.and_then(|at| side.binders.get(at).copied())
                    .ok_or_else(|| Stop::unsupported("a variable without its binder"))
            }
            ExprKind::Call { callee, args, .. } => {
                self.deep(|it| it.call(side, expr, callee, args, node.ty))
            }
            ExprKind::Str(_)
            | ExprKind::Buffer(_)
            | ExprKind::Region(..)
            | ExprKind::Slice { .. }
            | ExprKind::Tuple(_) => {
                let term = self.place(side, expr)?;
                Ok(self.plain(term))
            }
            ExprKind::Lambda { .. } => Err(Stop::unsupported("a function as a value")),
            ExprKind::Opaque { .. } => Err(Stop::unsupported("an expression kept by its text")),
        }
    }

    pub(crate) fn deep<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        ir::stack::with_room(|| step(self))
    }

    fn variable(&mut self, side: &mut Side<'_>, id: ValueId) -> Result<Value> {
        if let Some(&value) = side.values.get(&id) {
            return Ok(value);
        }
        if !is_given(side.body.values[id].kind, side.body) {
            return Err(Stop::unsupported("a variable that is used before it is defined"));
        }
        // A parameter, a symbol, a captured value: one value in both functions.
        let data = &side.body.values[id];
        let sort = Sort::Flat(self.sort_of(data.ty));
        let term = self.pool.var(&variable_name(side.body, id), sort);
        let value = self.plain(term);
        if data.is_size && sort.width().is_some() {
            let zero = self.pool.bits(0, sort.width().unwrap_or(64));
            let holds = self.pool.relation(Op::LessEq(true), zero, term);
            self.facts.push(holds);
        }
        side.values.insert(id, value);
        Ok(value)
    }

    fn binary(
        &mut self,
        side: &mut Side<'_>,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        ty: Type,
    ) -> Result<Value> {
        let a = self.eval(side, lhs)?;
        if op.is_logical() && self.pool.sort(a.term) == Sort::BOOL {
            return self.logic(side, op, a, rhs);
        }
        let b = self.eval(side, rhs)?;
        let dtype = side.body.dtype(lhs);
        match dtype {
            Some(dtype) if int_type(dtype) => self.integers(side, op, dtype, a, b),
            Some(dtype) if truth_type(dtype) => Ok(self.truths(op, a, b, ty)),
            _ => self.others(side, op, a, b, ty),
        }
    }

    /// `S2`: the right side is evaluated only if the left does not decide. Where both are asked for, it always is.
    fn logic(&mut self, side: &mut Side<'_>, op: BinaryOp, a: Value, rhs: ExprId) -> Result<Value> {
        let is_and = op == BinaryOp::And;
        let goes_on = if is_and { a.term } else { self.pool.not(a.term) };
        let guard = side.guard;
        if !self.is_strict {
            side.guard = self.pool.and(guard, goes_on);
        }
        let counted = (self.n_assumed, self.goals.len());
        let b = self.eval(side, rhs);
        self.has_lazy_errors |= counted != (self.n_assumed, self.goals.len());
        side.guard = guard;
        let b = b?;
        let (no, term) = (
            self.pool.truth(false),
            if is_and { self.pool.and(a.term, b.term) } else { self.pool.or(a.term, b.term) },
        );
        // What is not evaluated wraps nothing.
        let wraps = |it: &mut Self, of: Term, also: Term| {
            let also = if it.is_strict { also } else { it.pool.ite(goes_on, also, no) };
            it.pool.or(of, also)
        };
        let wrapped = wraps(self, a.wrapped, b.wrapped);
        let wrapped_unsigned = wraps(self, a.wrapped_unsigned, b.wrapped_unsigned);
        Ok(Value { term, wrapped, wrapped_unsigned })
    }

    fn truths(&mut self, op: BinaryOp, a: Value, b: Value, ty: Type) -> Value {
        let term = match op {
            BinaryOp::BitAnd | BinaryOp::And | BinaryOp::Min => self.pool.and(a.term, b.term),
            BinaryOp::BitOr | BinaryOp::Or | BinaryOp::Max => self.pool.or(a.term, b.term),
            BinaryOp::Eq => self.pool.eq(a.term, b.term),
            BinaryOp::Ne | BinaryOp::BitXor => {
                let same = self.pool.eq(a.term, b.term);
                self.pool.not(same)
            }
            op => {
                let sort = Sort::Flat(self.sort_of(ty));
                self.pool.function(&format!("bool {op:?}"), &[a.term, b.term], sort)
            }
        };
        self.derived(term, &[a, b])
    }

    fn integers(
        &mut self,
        side: &mut Side<'_>,
        op: BinaryOp,
        dtype: DataType,
        a: Value,
        b: Value,
    ) -> Result<Value> {
        let (x, y) = (a.term, b.term);
        let is_signed = dtype.is_int();
        let term = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let (op, overflows) = match op {
                    BinaryOp::Add => (Op::Add, Op::AddOverflows(is_signed)),
                    BinaryOp::Sub => (Op::Sub, Op::SubOverflows(is_signed)),
                    _ => (Op::Mul, Op::MulOverflows(is_signed)),
                };
                let term = self.pool.arithmetic(op, x, y);
                let mut value = self.derived(term, &[a, b]);
                if dtype.bits >= 32 {
                    let overflows = self.pool.relation(overflows, x, y);
                    let of =
                        if is_signed { &mut value.wrapped } else { &mut value.wrapped_unsigned };
                    *of = self.pool.or(*of, overflows);
                }
                return Ok(value);
            }
            BinaryOp::Div | BinaryOp::Mod | BinaryOp::FloorDiv | BinaryOp::FloorMod => {
                self.divisor(side, dtype, a, b);
                let op = match (op, is_signed) {
                    (BinaryOp::FloorDiv, true) => Op::FloorDiv,
                    (BinaryOp::FloorMod, true) => Op::FloorRem,
                    (BinaryOp::Div | BinaryOp::FloorDiv, _) => Op::Div(is_signed),
                    _ => Op::Rem(is_signed),
                };
                self.pool.arithmetic(op, x, y)
            }
            BinaryOp::Min | BinaryOp::Max => {
                let less = if op == BinaryOp::Min { (x, y) } else { (y, x) };
                let less = self.pool.relation(Op::Less(is_signed), less.0, less.1);
                self.pool.ite(less, x, y)
            }
            BinaryOp::Eq => self.pool.eq(x, y),
            BinaryOp::Ne => {
                let same = self.pool.eq(x, y);
                self.pool.not(same)
            }
            BinaryOp::Lt => self.pool.relation(Op::Less(is_signed), x, y),
            BinaryOp::Le => self.pool.relation(Op::LessEq(is_signed), x, y),
            BinaryOp::Gt => self.pool.relation(Op::Less(is_signed), y, x),
            BinaryOp::Ge => self.pool.relation(Op::LessEq(is_signed), y, x),
            BinaryOp::BitAnd => self.pool.arithmetic(Op::BitAnd, x, y),
            BinaryOp::BitOr => self.pool.arithmetic(Op::BitOr, x, y),
            BinaryOp::BitXor => self.pool.arithmetic(Op::BitXor, x, y),
            BinaryOp::Shl | BinaryOp::Shr => {
                let width = self.pool.bits(i64::from(dtype.bits), dtype.bits);
                let in_range = self.pool.relation(Op::Less(false), y, width);
                self.require(side, in_range);
                let op = if op == BinaryOp::Shl { Op::Shl } else { Op::Shr(is_signed) };
                self.pool.arithmetic(op, x, y)
            }
            BinaryOp::And | BinaryOp::Or => {
                return Err(Stop::unsupported("logic of integers"));
            }
        };
        Ok(self.derived(term, &[a, b]))
    }

    /// `I5`, `I6`; a wrapped divisor is used, a wrapped dividend only by -1.
    fn divisor(&mut self, side: &mut Side<'_>, dtype: DataType, a: Value, b: Value) {
        let zero = self.pool.bits(0, dtype.bits);
        let is_zero = self.pool.eq(b.term, zero);
        let is_some = self.pool.not(is_zero);
        self.require(side, is_some);
        self.used(side, b);
        if dtype.is_int() {
            let minus_one = self.pool.bits(-1, dtype.bits);
            let least = self.pool.bits(i64::MIN >> (64 - u32::from(dtype.bits)), dtype.bits);
            let is_minus_one = self.pool.eq(b.term, minus_one);
            let is_least = self.pool.eq(a.term, least);
            let errs = self.pool.or(is_least, a.wrapped);
            let errs = self.pool.and(is_minus_one, errs);
            let is_right = self.pool.not(errs);
            self.require(side, is_right);
        }
    }

    /// Floats, vectors, pointers: functions of which only congruence is known, and that sums and products commute and
    /// the exact identities of `F3`.
    fn others(
        &mut self,
        side: &mut Side<'_>,
        op: BinaryOp,
        a: Value,
        b: Value,
        ty: Type,
    ) -> Result<Value> {
        let sort = Sort::Flat(self.sort_of(ty));
        let (mut x, mut y) = (a.term, b.term);
        let commutes = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Mul
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
        );
        if commutes && y < x {
            std::mem::swap(&mut x, &mut y);
        }
        if op.is_division() && !self.is_float_sort(x) {
            let ok = self.pool.function(&format!("defined {op:?}"), &[x, y], Sort::BOOL);
            self.require(side, ok);
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let ok = self.pool.function(&format!("defined {op:?}"), &[x, y], Sort::BOOL);
            self.require(side, ok);
        }
        let (op, x, y, negated) = match op {
            BinaryOp::Gt => (BinaryOp::Lt, y, x, false),
            BinaryOp::Ge => (BinaryOp::Le, y, x, false),
            BinaryOp::Ne if sort == Sort::BOOL => (BinaryOp::Eq, x, y, true),
            op => (op, x, y, false),
        };
        if let Some(same) = self.identity(op, x, y) {
            return Ok(self.derived(same, &[a, b]));
        }
        let mark = if commutes && op != BinaryOp::Ne { COMMUTES } else { "" };
        let mut term = self.pool.function(&format!("{mark}{op:?}"), &[x, y], sort);
        if negated {
            term = self.pool.not(term);
        }
        Ok(self.derived(term, &[a, b]))
    }

    /// The exact identities of `F3`: `max(x, x)`, `x * 1`, `x / 1`, `x - (+0)`, `x + (-0)`.
    fn identity(&self, op: BinaryOp, x: Term, y: Term) -> Option<Term> {
        let is = |term: Term, value: f64| match self.pool.node(term).op {
            Op::Function(name) if self.is_float_sort(term) => {
                let name = self.pool.name(name);
                name.starts_with(&format!("float {:x},", value.to_bits()))
            }
            _ => false,
        };
        match op {
            BinaryOp::Max | BinaryOp::Min if x == y => Some(x),
            BinaryOp::Mul | BinaryOp::Div if is(y, 1.0) => Some(x),
            BinaryOp::Mul if is(x, 1.0) => Some(y),
            BinaryOp::Sub if is(y, 0.0) => Some(x),
            BinaryOp::Add if is(y, -0.0) => Some(x),
            BinaryOp::Add if is(x, -0.0) => Some(y),
            _ => None,
        }
    }

    fn is_float_sort(&self, term: Term) -> bool {
        match self.pool.sort(term) {
            Sort::Flat(Flat::Named(name)) => self.pool.name(name).contains("float"),
            _ => false,
        }
    }

    fn cast(&mut self, side: &mut Side<'_>, operand: ExprId, to: Type) -> Result<Value> {
        let a = self.eval(side, operand)?;
        let from = side.body.ty(operand);
        if from == to {
            return Ok(a);
        }
        let sort = self.sort_of(to);
        let is_signed = from.prim().is_some_and(DataType::is_int);
        let term = match (self.pool.sort(a.term), sort) {
            (Sort::Flat(Flat::Bits(_)), Flat::Bits(bits)) => {
                self.pool.resize(a.term, bits, is_signed)
            }
            (Sort::Flat(Flat::Bits(bits)), Flat::Bool) => {
                let zero = self.pool.bits(0, bits);
                let is_zero = self.pool.eq(a.term, zero);
                self.pool.not(is_zero)
            }
            (Sort::BOOL, Flat::Bits(bits)) => {
                let (one, zero) = (self.pool.bits(1, bits), self.pool.bits(0, bits));
                self.pool.ite(a.term, one, zero)
            }
            (_, sort) => {
                let name = format!("cast {from:?} {to:?}");
                if matches!(sort, Flat::Bits(_)) || self.is_narrowing(from, to) {
                    // `C2`: of a float that the type does not hold.
                    let ok = self.pool.function(&format!("defined {name}"), &[a.term], Sort::BOOL);
                    self.require(side, ok);
                }
                if matches!(sort, Flat::Named(_)) {
                    // A float keeps no mark of it.
                    self.used(side, a);
                }
                let term = self.pool.function(&name, &[a.term], Sort::Flat(sort));
                return Ok(self.plain(term));
            }
        };
        Ok(self.derived(term, &[a]))
    }

    /// A vector of floats that becomes one of integers.
    fn is_narrowing(&self, from: Type, to: Type) -> bool {
        let is = |ty: Type, what: fn(DataType) -> bool| ty.prim().is_none_or(what);
        is(from, |it| it.is_float()) && is(to, |it| it.is_integer())
    }

    /// `S4`: all three are evaluated, one is chosen.
    fn select(
        &mut self,
        side: &mut Side<'_>,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        ty: Type,
    ) -> Result<Value> {
        let c = self.eval(side, condition)?;
        let a = self.eval(side, then)?;
        let b = self.eval(side, otherwise)?;
        if self.pool.sort(c.term) != Sort::BOOL {
            let sort = Sort::Flat(self.sort_of(ty));
            let term = self.pool.function("select", &[c.term, a.term, b.term], sort);
            return Ok(self.derived(term, &[c, a, b]));
        }
        if self.pool.sort(a.term) != self.pool.sort(b.term) {
            return Err(Stop::unsupported("a choice between two types"));
        }
        let chosen = self.chosen(c.term, a, b);
        let term = chosen.term;
        Ok(self.derived(term, &[c, chosen]))
    }

    pub(crate) fn chosen(&mut self, condition: Term, a: Value, b: Value) -> Value {
        Value {
            term: self.pool.ite(condition, a.term, b.term),
            wrapped: self.pool.ite(condition, a.wrapped, b.wrapped),
            wrapped_unsigned: self.pool.ite(condition, a.wrapped_unsigned, b.wrapped_unsigned),
        }
    }

    /// `S5`: one arm is evaluated; the condition is used.
    fn choice(
        &mut self,
        side: &mut Side<'_>,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    ) -> Result<Value> {
        let c = self.condition(side, condition)?;
        let guard = side.guard;
        side.guard = self.pool.and(guard, c);
        let a = self.eval(side, then);
        let not = self.pool.not(c);
        side.guard = self.pool.and(guard, not);
        let b = self.eval(side, otherwise);
        side.guard = guard;
        let (a, b) = (a?, b?);
        if self.pool.sort(a.term) != self.pool.sort(b.term) {
            return Err(Stop::unsupported("a choice between two types"));
        }
        Ok(self.chosen(c, a, b))
    }

    /// A condition of a branch, which is used.
    pub(crate) fn condition(&mut self, side: &mut Side<'_>, expr: ExprId) -> Result<Term> {
        let value = self.eval(side, expr)?;
        self.used(side, value);
        self.truth_of(value.term)
    }

    /// A truth value, or an integer as one.
    pub(crate) fn truth_of(&mut self, term: Term) -> Result<Term> {
        match self.pool.sort(term) {
            Sort::BOOL => Ok(term),
            Sort::Flat(Flat::Bits(bits)) => {
                let zero = self.pool.bits(0, bits);
                let is_zero = self.pool.eq(term, zero);
                Ok(self.pool.not(is_zero))
            }
            _ => Err(Stop::unsupported("a condition that is no number")),
        }
    }

    /// An index as a mathematical integer (`M2`).
    pub(crate) fn wide(&mut self, term: Term, ty: Type) -> Term {
        self.pool.resize(term, 64, ty.prim().is_some_and(DataType::is_int))
    }

    /// The value of an expression that is not evaluated here, as an extent: it errs nowhere.
    pub(crate) fn quiet(&mut self, side: &mut Side<'_>, expr: ExprId) -> Result<Value> {
        if side.body.expr(expr).flags.has_load {
            return Err(Stop::unsupported("an extent that is read from memory"));
        }
        let guard = side.guard;
        side.guard = self.pool.truth(false);
        let value = self.eval(side, expr);
        side.guard = guard;
        value
    }

    fn opaque_of(
        &mut self,
        side: &mut Side<'_>,
        name: &str,
        parts: &[ExprId],
        ty: Type,
    ) -> Result<Value> {
        let mut values = Vec::new();
        for &it in parts {
            values.push(self.deep(|engine| engine.eval(side, it))?);
        }
        let terms: Vec<Term> = values.iter().map(|it| it.term).collect();
        let sort = Sort::Flat(self.sort_of(ty));
        let term = self.pool.function(name, &terms, sort);
        Ok(self.derived(term, &values))
    }
}
