//! Statements and expressions in vector form.
//!
//! In: a statement of a vector loop. Out: its operands for all lanes at once, applied when all statements have them; or
//! the part without a vector form. An expression that is the same in all lanes stays as it is. Sums and products of
//! `Ramp`s with values that are the same in all lanes are `Ramp`s, which changes no value that does not overflow
//! (`SEMANTICS: I1`, `P4`).
//!
//! `and` and `or` evaluate both sides on vectors (`S6`), so the right one must not be able to trap; `if_then_else`
//! chooses one arm for all lanes. Each node is looked at once a statement and binder.

use ir::{
    BinaryOp, Body, BufferField, Callee, DataType, ExprId, ExprKind, Lanes, OpId, OpKind, Type,
    ValueId,
    effects::{EffectTable, Trap, tvm_op},
    substitution::Substitution,
};
use rustc_hash::FxHashMap;

use super::{Obstacle, VectorLoop};
use crate::lists::{blocks_of, constant};

type Result<T> = std::result::Result<T, Obstacle>;

/// An expression for all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wide {
    /// The same in all lanes.
    Same(ExprId),
    /// A vector of as many elements as there are lanes.
    Each(ExprId),
}

impl Wide {
    fn expr(self) -> ExprId {
        match self {
            Wide::Same(it) | Wide::Each(it) => it,
        }
    }
}

/// The change of one operation.
struct Change {
    op: OpId,
    operands: Vec<ExprId>,
}

/// Vector forms of the statements of one loop.
pub(super) struct Widener<'e> {
    effects: &'e EffectTable,
    it: VectorLoop,
    first: ExprId,
    /// The operation that is looked at.
    at: OpId,
    /// Names of vectors.
    values: FxHashMap<ValueId, ExprId>,
    /// Names that become names of vectors.
    retyped: Vec<(ValueId, DataType)>,
    changes: Vec<Change>,
    /// By depth of binders.
    memo: Vec<FxHashMap<ExprId, Wide>>,
    /// By binder: the type of its variable if that is a vector.
    binders: Vec<Option<Type>>,
}

impl<'e> Widener<'e> {
    pub(super) fn new(body: &Body, it: VectorLoop, effects: &'e EffectTable) -> Widener<'e> {
        Widener {
            effects,
            it,
            first: body.ops[it.op].operands[0],
            at: it.op,
            values: FxHashMap::default(),
            retyped: Vec::new(),
            changes: Vec::new(),
            memo: vec![FxHashMap::default()],
            binders: Vec::new(),
        }
    }

    /// Applies the changes.
    pub(super) fn apply(self, body: &mut Body) {
        for change in self.changes {
            body.ops[change.op].operands = change.operands.into();
        }
        for (value, dtype) in self.retyped {
            body.values[value].ty = dtype.into();
        }
    }

    fn obstacle<T>(&self, what: &'static str) -> Result<T> {
        Err(Obstacle { op: self.at, what, is_final: false })
    }

    fn hopeless<T>(&self, what: &'static str) -> Result<T> {
        Err(Obstacle { op: self.at, what, is_final: true })
    }

    /// Looks at a statement and all in it.
    pub(super) fn op(&mut self, body: &mut Body, op: OpId) -> Result<()> {
        ir::stack::with_room(|| {
            self.at = op;
            self.statement(body, op)?;
            for block in blocks_of(body, op) {
                for inner in body.blocks[block].ops.clone() {
                    self.op(body, inner)?;
                }
            }
            Ok(())
        })
    }

    fn statement(&mut self, body: &mut Body, op: OpId) -> Result<()> {
        let data = body.ops[op].clone();
        if data.operands.iter().any(|&it| body.expr(it).flags.has_impure) {
            return self.hopeless("a call in a vector loop has an effect");
        }
        match data.kind {
            OpKind::Store { predicated: false, .. } => self.store(body, op),
            OpKind::Bind => self.bind(body, op),
            OpKind::For(_)
            | OpKind::If
            | OpKind::While
            | OpKind::Attr(_)
            | OpKind::AttrDict
            | OpKind::DeclBuffer { .. }
            | OpKind::Assert
            | OpKind::Evaluate
            | OpKind::Store { .. } => {
                for &operand in &data.operands {
                    if self.wide(body, operand)? != Wide::Same(operand) {
                        return self.obstacle("control that differs between lanes");
                    }
                }
                Ok(())
            }
            OpKind::Break | OpKind::Continue => Ok(()),
            OpKind::Alloc { .. } => self.hopeless("memory is allocated in a vector loop"),
            _ => self.hopeless("a statement in a vector loop has no form for vectors"),
        }
    }

    fn store(&mut self, body: &mut Body, op: OpId) -> Result<()> {
        let operands = body.ops[op].operands.to_vec();
        let OpKind::Store { buffer, .. } = body.ops[op].kind else { return Ok(()) };
        let mut wide = Vec::new();
        for &operand in &operands {
            wide.push(self.wide(body, operand)?);
        }
        let Some((&last, others)) = wide[1..].split_last() else {
            return self.obstacle("a store without an index");
        };
        if others.iter().any(|it| matches!(it, Wide::Each(_))) {
            return self.obstacle("an index that is not the last one differs between lanes");
        }
        let value = match (wide[0], last) {
            (Wide::Same(value), Wide::Same(_)) => value,
            // All lanes write one element: the last one stays (`P3`).
            (Wide::Each(_), Wide::Same(_)) => self.in_last_lane(body, operands[0])?,
            (value, Wide::Each(_)) => {
                if !body.buffers[buffer].dtype.is_scalar() {
                    return self.obstacle("elements that are vectors already");
                }
                self.spread(body, value)?
            }
        };
        let mut operands = vec![value];
        operands.extend(wide[1..].iter().map(|it| it.expr()));
        self.changes.push(Change { op, operands });
        Ok(())
    }

    fn in_last_lane(&mut self, body: &mut Body, expr: ExprId) -> Result<ExprId> {
        if !self.values.is_empty() {
            return self.obstacle("the last lane of a name is stored");
        }
        let var = body.value_expr(self.it.var);
        let dtype = self.dtype(body, var)?;
        let more = body.int(i128::from(self.it.lanes) - 1, dtype);
        let last = match constant(body, self.first) {
            Some(first) => body.int(i128::from(first) + i128::from(self.it.lanes) - 1, dtype),
            None => {
                let first = body.cast(self.first, dtype);
                body.binary(BinaryOp::Add, first, more)
            }
        };
        let mut substitution = Substitution::default();
        substitution.add(self.it.var, last);
        Ok(substitution.apply(body, expr))
    }

    fn bind(&mut self, body: &mut Body, op: OpId) -> Result<()> {
        let operand = body.ops[op].operands[0];
        if let Wide::Each(value) = self.wide(body, operand)? {
            let (name, dtype) = (body.ops[op].results[0], self.dtype(body, value)?);
            let vector = body.make(ExprKind::Value(name), dtype.into());
            self.values.insert(name, vector);
            self.retyped.push((name, dtype));
            self.changes.push(Change { op, operands: vec![value] });
        }
        Ok(())
    }

    fn dtype(&self, body: &Body, expr: ExprId) -> Result<DataType> {
        match body.dtype(expr) {
            Some(dtype) => Ok(dtype),
            None => self.obstacle("a value without a type of elements"),
        }
    }

    fn lanes(&self) -> Lanes {
        Lanes::Fixed(self.it.lanes)
    }

    fn count(&self, body: &mut Body) -> ExprId {
        body.int(self.it.lanes.into(), DataType::INT32)
    }

    /// As a vector.
    fn spread(&mut self, body: &mut Body, value: Wide) -> Result<ExprId> {
        let value = match value {
            Wide::Each(it) => return Ok(it),
            Wide::Same(it) => it,
        };
        let dtype = self.dtype(body, value)?;
        if !dtype.is_scalar() || dtype == DataType::HANDLE {
            return self.obstacle("a value that has no vector of its kind");
        }
        let lanes = self.count(body);
        let ty = dtype.with_lanes(self.lanes());
        Ok(body.make(ExprKind::Broadcast { value, lanes }, ty.into()))
    }

    /// An expression for all lanes.
    fn wide(&mut self, body: &mut Body, expr: ExprId) -> Result<Wide> {
        if let Some(&known) = self.memo.last().and_then(|it| it.get(&expr)) {
            return Ok(known);
        }
        let wide = ir::stack::with_room(|| self.node(body, expr))?;
        if let Some(memo) = self.memo.last_mut() {
            memo.insert(expr, wide);
        }
        Ok(wide)
    }

    fn node(&mut self, body: &mut Body, expr: ExprId) -> Result<Wide> {
        let node = body.expr(expr);
        match node.kind {
            ExprKind::Value(value) if value == self.it.var => return self.ramp(body, expr),
            ExprKind::Value(value) => {
                let known = self.values.get(&value).map(|&it| Wide::Each(it));
                return Ok(known.unwrap_or(Wide::Same(expr)));
            }
            ExprKind::Bound(index) => {
                let at = self.binders.len().checked_sub(index as usize + 1);
                let ty = at.and_then(|at| self.binders[at]);
                return Ok(match ty {
                    Some(ty) => Wide::Each(body.make(node.kind, ty)),
                    None => Wide::Same(expr),
                });
            }
            ExprKind::Let { value, body: inner } => return self.binder(body, expr, value, inner),
            _ => {}
        }
        let children = body.children(expr);
        let mut wide = Vec::new();
        for &child in &children {
            wide.push(self.wide(body, child)?);
        }
        if wide.iter().all(|it| matches!(it, Wide::Same(_))) {
            return Ok(Wide::Same(expr));
        }
        let element = match node.ty {
            Type::Prim(dtype) if dtype.is_scalar() => dtype,
            _ => return self.obstacle("vectors in lanes"),
        };
        let ty: Type = element.with_lanes(self.lanes()).into();
        let new = match node.kind {
            ExprKind::Binary(op, _, right) => {
                if op.is_logical() && !cannot_trap(body, self.effects, right) {
                    return self.obstacle("a condition that protects another one");
                }
                return self.binary(body, op, wide[0], wide[1]);
            }
            ExprKind::Unary(op, _) => body.unary(op, wide[0].expr()),
            ExprKind::Cast(_) => self.cast(body, wide[0].expr(), element),
            ExprKind::Select(..) => {
                let then = self.spread(body, wide[1])?;
                let otherwise = self.spread(body, wide[2])?;
                body.make(ExprKind::Select(wide[0].expr(), then, otherwise), ty)
            }
            ExprKind::IfThenElse(..) => {
                let Wide::Same(condition) = wide[0] else {
                    return self.obstacle("a condition differs between lanes");
                };
                let then = self.spread(body, wide[1])?;
                let otherwise = self.spread(body, wide[2])?;
                body.make(ExprKind::IfThenElse(condition, then, otherwise), ty)
            }
            ExprKind::Load { buffer, indices, predicate: None } => {
                let n = body.items(indices).len();
                if wide[..n - 1].iter().any(|it| matches!(it, Wide::Each(_))) {
                    return self
                        .obstacle("an index that is not the last one differs between lanes");
                }
                let indices: Vec<ExprId> = wide.iter().map(|it| it.expr()).collect();
                body.load(buffer, &indices, None)
            }
            ExprKind::Call { callee, attrs, .. } => {
                let args = self.arguments(body, callee, &wide)?;
                body.call(callee, &args, attrs, ty, false)
            }
            _ => return self.obstacle("an expression that has no form for vectors"),
        };
        Ok(Wide::Each(new))
    }

    fn ramp(&mut self, body: &mut Body, var: ExprId) -> Result<Wide> {
        let dtype = self.dtype(body, var)?;
        let base = match constant(body, self.first) {
            Some(first) => body.int(first.into(), dtype),
            None => body.cast(self.first, dtype),
        };
        let stride = body.int(1, dtype);
        Ok(Wide::Each(self.make_ramp(body, base, stride, dtype)))
    }

    fn make_ramp(
        &mut self,
        body: &mut Body,
        base: ExprId,
        stride: ExprId,
        dtype: DataType,
    ) -> ExprId {
        let lanes = self.count(body);
        let ty = dtype.with_lanes(self.lanes());
        body.make(ExprKind::Ramp { base, stride, lanes }, ty.into())
    }

    fn binder(
        &mut self,
        body: &mut Body,
        expr: ExprId,
        value: ExprId,
        inner: ExprId,
    ) -> Result<Wide> {
        let new = self.wide(body, value)?;
        let ty = match new {
            Wide::Each(it) => Some(body.ty(it)),
            Wide::Same(_) => None,
        };
        self.binders.push(ty);
        self.memo.push(FxHashMap::default());
        let result = self.wide(body, inner);
        self.memo.pop();
        self.binders.pop();
        let result = result?;
        if new == Wide::Same(value) && result == Wide::Same(inner) {
            return Ok(Wide::Same(expr));
        }
        let ty = body.ty(result.expr());
        let made = body.make(ExprKind::Let { value: new.expr(), body: result.expr() }, ty);
        if let Some(names) = body.binder_names(expr).map(<[ir::NameId]>::to_vec) {
            body.set_binder_names(made, names);
        }
        Ok(match result {
            Wide::Each(_) => Wide::Each(made),
            Wide::Same(_) => Wide::Same(made),
        })
    }

    fn binary(&mut self, body: &mut Body, op: BinaryOp, a: Wide, b: Wide) -> Result<Wide> {
        let element = self.dtype(body, a.expr())?.element();
        if element.is_int()
            && element.bits >= 32
            && let Some(ramp) = self.sum_of_ramps(body, op, a, b, element)
        {
            return Ok(Wide::Each(ramp));
        }
        let (a, b) = (self.spread(body, a)?, self.spread(body, b)?);
        Ok(Wide::Each(body.binary(op, a, b)))
    }

    /// A sum, difference or product that is a `Ramp`.
    fn sum_of_ramps(
        &mut self,
        body: &mut Body,
        op: BinaryOp,
        a: Wide,
        b: Wide,
        dtype: DataType,
    ) -> Option<ExprId> {
        let zero = body.int(0, dtype);
        let parts = |it: Wide| match (it, body.expr(it.expr()).kind) {
            (Wide::Same(it), _) => Some((it, zero)),
            (Wide::Each(_), ExprKind::Ramp { base, stride, .. }) => Some((base, stride)),
            (Wide::Each(_), _) => None,
        };
        let ((a, a_stride), (b, b_stride)) = (parts(a)?, parts(b)?);
        let (base, stride) = match op {
            BinaryOp::Add | BinaryOp::Sub => {
                (fold(body, op, a, b), fold(body, op, a_stride, b_stride))
            }
            BinaryOp::Mul if b_stride == zero => {
                (fold(body, op, a, b), fold(body, op, a_stride, b))
            }
            BinaryOp::Mul if a_stride == zero => {
                (fold(body, op, a, b), fold(body, op, a, b_stride))
            }
            _ => return None,
        };
        Some(self.make_ramp(body, base, stride, dtype))
    }

    /// A `Ramp` of a wider type is the `Ramp` of that type.
    fn cast(&mut self, body: &mut Body, value: ExprId, to: DataType) -> ExprId {
        if let ExprKind::Ramp { base, stride, .. } = body.expr(value).kind
            && let Some(from) = body.dtype(base)
            && to.is_int()
            && from.is_int()
            && to.bits >= from.bits
            && from.bits >= 32
        {
            let [base, stride] = [base, stride].map(|it| match constant(body, it) {
                Some(value) => body.int(value.into(), to),
                None => body.cast(it, to),
            });
            return self.make_ramp(body, base, stride, to);
        }
        body.cast(value, to.with_lanes(self.lanes()))
    }

    /// The arguments of a call whose result is a vector.
    fn arguments(&mut self, body: &mut Body, callee: Callee, wide: &[Wide]) -> Result<Vec<ExprId>> {
        let Callee::Intrinsic(name, _) = callee else {
            return self.obstacle("a call of another function differs between lanes");
        };
        let op = tvm_op(body.name(name));
        if !op.is_some_and(|it| it.vectorizable && it.is_pure_by_label()) {
            return self.obstacle("a function has no form for vectors");
        }
        wide.iter().map(|&it| self.spread(body, it)).collect()
    }
}

/// The operator on integers, without neutral operands.
fn fold(body: &mut Body, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    let folded = match (op, constant(body, a), constant(body, b)) {
        (BinaryOp::Add, Some(0), _) | (BinaryOp::Mul, Some(1), _) => return b,
        (BinaryOp::Add | BinaryOp::Sub, _, Some(0)) | (BinaryOp::Mul, _, Some(1)) => return a,
        (BinaryOp::Add, Some(a), Some(b)) => a.checked_add(b),
        (BinaryOp::Sub, Some(a), Some(b)) => a.checked_sub(b),
        (BinaryOp::Mul, Some(a), Some(b)) => a.checked_mul(b),
        _ => None,
    };
    match (folded, body.dtype(a)) {
        (Some(it), Some(dtype)) if dtype.wrap_int(it.into()) == it => body.int(it.into(), dtype),
        _ => body.binary(op, a, b),
    }
}

/// Returns true if an expression cannot trap, for any values of its variables.
fn cannot_trap(body: &Body, effects: &EffectTable, expr: ExprId) -> bool {
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        let kind = body.expr(at).kind;
        let is_offset = matches!(kind, ExprKind::BufferField(_, BufferField::Data));
        if is_offset || effects.own_trap(body, at) != Trap::No {
            return false;
        }
        body.each_child(kind, &mut |child| stack.push(child));
    }
    true
}
