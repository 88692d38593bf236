//! Evaluation of expressions in one lane.

use super::{
    EventKind, RunError, RunErrorKind, counts,
    exec::{Machine, Slot},
    memory::fixed_lanes,
    ops::{self, Val},
    wrapped,
};
use ir::{
    BinaryOp, BufferField, BufferId, DataType, Expr, ExprId, ExprKind, ExprListId, Type, arena::Id,
};

type Result<T> = std::result::Result<T, Box<RunError>>;

impl Machine<'_> {
    /// Counts one step of work: a node, or an iteration, which may have none.
    pub(super) fn step(&mut self) -> Result<()> {
        self.steps += 1;
        self.check_steps()
    }

    /// An error if the run has taken too many steps.
    #[inline]
    pub(super) fn check_steps(&self) -> Result<()> {
        if self.steps <= self.options.max_steps {
            return Ok(());
        }
        let message = format!("stopped after {} steps", self.options.max_steps);
        self.fail(RunErrorKind::StepLimit, message)
    }

    /// The value of an expression in a lane.
    pub(super) fn eval(&mut self, expr: ExprId, lane: usize) -> Result<Val> {
        self.step()?;
        let Expr { kind, ty, size, .. } = self.body.expr(expr);
        match kind {
            ExprKind::Int(value) => Ok(Val::Int(value, false)),
            ExprKind::Float(bits) => Ok(Val::Float(f64::from_bits(bits))),
            ExprKind::Value(value) => match &self.frame.slots[value.index()] {
                Slot::Uniform(value) => Ok(value.clone()),
                Slot::Lanes(values) => Ok(values[lane].clone()),
                Slot::Empty => {
                    let name = self.body.name(self.body.values[value].name).to_owned();
                    let message = format!("`{name}` has no value: no argument's shape tells it");
                    self.fail(RunErrorKind::Arguments, message)
                }
            },
            _ if self.frame.threads.len() > 1 && self.uniformity.is_uniform(expr) => {
                if let Some((value, counts)) = self.uniformity.known(expr) {
                    self.counts.add(counts, 1);
                    return Ok(value.clone());
                }
                let before = self.counts;
                let value = self.eval_deep(kind, ty, size, lane)?;
                self.uniformity.learn(expr, value.clone(), self.counts.since(before));
                Ok(value)
            }
            _ => self.eval_deep(kind, ty, size, lane),
        }
    }

    fn eval_deep(&mut self, kind: ExprKind, ty: Type, size: u32, lane: usize) -> Result<Val> {
        if size > 200 {
            return ir::stack::with_room(|| self.eval_node(kind, ty, lane));
        }
        self.eval_node(kind, ty, lane)
    }

    /// The type of an operand before it was brought to one that is not known.
    fn operand_type(&self, operand: ExprId) -> Option<DataType> {
        match (self.body.dtype(operand), self.body.expr(operand).kind) {
            (None, ExprKind::Cast(inner)) => self.body.dtype(inner),
            (dtype, _) => dtype,
        }
    }

    fn eval_node(&mut self, kind: ExprKind, ty: Type, lane: usize) -> Result<Val> {
        self.counts.add(counts::own(self.body, kind, ty), 1);
        match kind {
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs) => {
                self.logic(op, lhs, rhs, lane)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let dtype = self.operand_type(lhs).or_else(|| self.operand_type(rhs));
                let a = self.eval(lhs, lane)?;
                let b = self.eval(rhs, lane)?;
                let dtype = dtype.unwrap_or(DataType::HANDLE);
                if let Some(value) = ops::fast_binary(op, dtype, &a, &b) {
                    return Ok(value);
                }
                self.operator(|events| ops::binary(op, dtype, &a, &b, events))
            }
            ExprKind::Unary(op, operand) => {
                let dtype = self.body.dtype(operand).unwrap_or(DataType::HANDLE);
                let a = self.eval(operand, lane)?;
                self.operator(|_| ops::unary(op, dtype, &a))
            }
            ExprKind::Cast(operand) => {
                let value = self.eval(operand, lane)?;
                let Some(to) = ty.prim() else { return Ok(value) };
                let from = self.body.dtype(operand).unwrap_or_else(|| ops::type_of(&value));
                if let Some(value) = ops::fast_cast(&value, from, to) {
                    return Ok(value);
                }
                let is_wrapped = wrapped::is_wrapped(&value);
                let cast = self.operator(|events| ops::cast(&value, from, to, events))?;
                Ok(self.carry(is_wrapped, cast))
            }
            ExprKind::Select(condition, then, otherwise) => {
                let condition = self.eval(condition, lane)?;
                let then = self.eval(then, lane)?;
                let otherwise = self.eval(otherwise, lane)?;
                let chosen = self.select(&condition, then, otherwise)?;
                Ok(self.carry(wrapped::is_wrapped(&condition), chosen))
            }
            ExprKind::IfThenElse(condition, then, otherwise) => {
                let taken = if self.int(condition, lane)? != 0 { then } else { otherwise };
                self.eval(taken, lane)
            }
            ExprKind::Load { buffer, indices, predicate } => {
                self.load(buffer, indices, predicate, lane)
            }
            ExprKind::Ramp { base, stride, lanes } => {
                let n = self.lane_count(ty, lanes)?;
                let base = self.int(base, lane)?;
                let stride = self.int(stride, lane)?;
                let element = ty.prim().unwrap_or(DataType::INT32).element();
                let at = |k: usize| {
                    Val::Int(
                        element.wrap_int(i128::from(base) + i128::from(stride) * k as i128),
                        false,
                    )
                };
                Ok(Val::Vector((0..n).map(at).collect()))
            }
            ExprKind::Broadcast { value, lanes } => {
                let n = self.lane_count(ty, lanes)?;
                let value = self.eval(value, lane)?;
                Ok(Val::Vector(std::iter::repeat_n(value, n).collect()))
            }
            ExprKind::Shuffle { vectors, indices } => self.shuffle(vectors, indices, lane),
            ExprKind::Let { value, body } => {
                let value = self.eval(value, lane)?;
                self.binders.push(value);
                let result = self.eval(body, lane);
                self.binders.pop();
                result
            }
            ExprKind::Bound(index) => {
                let at = self.binders.len().checked_sub(index as usize + 1);
                match at.and_then(|at| self.binders.get(at)) {
                    Some(value) => Ok(value.clone()),
                    None => self.fail(
                        RunErrorKind::Unsupported,
                        "a bound variable without its binder".to_owned(),
                    ),
                }
            }
            call @ ExprKind::Call { .. } => self.call(call, ty, lane),
            ExprKind::BufferField(buffer, field) => self.buffer_field(buffer, field, lane),
            ExprKind::Str(text) => Ok(Val::Text(text)),
            ExprKind::Buffer(buffer) => Ok(Val::Buffer(buffer)),
            ExprKind::Tuple(items) => {
                let items: Result<Vec<Val>> = self
                    .body
                    .items(items)
                    .to_vec()
                    .into_iter()
                    .map(|it| self.eval(it, lane))
                    .collect();
                Ok(Val::Tuple(items?.into()))
            }
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Value(_) => {
                unreachable!("handled by `eval`")
            }
            ExprKind::Region(..)
            | ExprKind::Slice { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque { .. } => self.fail(
                RunErrorKind::Unsupported,
                "an expression that has no value of its own".to_owned(),
            ),
        }
    }

    fn logic(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, lane: usize) -> Result<Val> {
        let a = self.eval(lhs, lane)?;
        let decides =
            matches!((op, &a), (BinaryOp::And, Val::Int(0, _)) | (BinaryOp::Or, Val::Int(1.., _)));
        if decides && !self.options.strict_logic {
            return Ok(a);
        }
        let b = self.eval(rhs, lane)?;
        self.operator(|events| ops::binary(op, DataType::BOOL, &a, &b, events))
    }

    fn select(&mut self, condition: &Val, then: Val, otherwise: Val) -> Result<Val> {
        match condition {
            Val::Int(it, _) => Ok(if *it != 0 { then } else { otherwise }),
            Val::Vector(lanes) => {
                let of = |value: &Val, lane: usize| match value {
                    Val::Vector(values) => values.get(lane).cloned().unwrap_or(Val::Unit),
                    scalar => scalar.clone(),
                };
                let picked = lanes.iter().enumerate().map(|(lane, it)| {
                    if matches!(it, Val::Int(0, _)) {
                        of(&otherwise, lane)
                    } else {
                        of(&then, lane)
                    }
                });
                Ok(Val::Vector(picked.collect()))
            }
            _ => self.fail(RunErrorKind::Unsupported, "a condition that is not bool".to_owned()),
        }
    }

    /// An integer that is used: a wrapped one is an event (SEMANTICS: I1).
    pub(super) fn used(&mut self, value: &Val) -> Result<i64> {
        match value {
            Val::Int(value, wrapped) => {
                if *wrapped {
                    self.event(EventKind::Overflow);
                }
                Ok(*value)
            }
            other => self
                .fail(RunErrorKind::Unsupported, format!("an integer was expected, not {other:?}")),
        }
    }

    /// Evaluates an expression that is the same in all active lanes once, and counts it for all of them.
    pub(super) fn for_all<T>(
        &mut self,
        active: &[u32],
        evaluate: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let before = self.counts;
        let value = evaluate(self)?;
        let once = self.counts.since(before);
        self.counts.add(once, active.len() as u64 - 1);
        Ok(value)
    }

    /// Evaluates something that the program does not compute here.
    pub(super) fn uncounted<T>(
        &mut self,
        evaluate: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let before = self.counts;
        let value = evaluate(self);
        self.counts = before;
        value
    }

    /// The value of an integer expression that is used as an index, bound or condition.
    pub(super) fn int(&mut self, expr: ExprId, lane: usize) -> Result<i64> {
        let value = self.eval(expr, lane)?;
        self.used(&value)
    }

    fn lane_count(&mut self, ty: Type, lanes: ExprId) -> Result<usize> {
        match ty.prim().and_then(fixed_lanes) {
            Some(n) if n > 1 => Ok(n),
            _ => match self.body.expr(lanes).kind {
                ExprKind::Int(n) if n > 0 => Ok(n as usize),
                _ => self.fail(RunErrorKind::Unsupported, "a scalable vector".to_owned()),
            },
        }
    }

    fn shuffle(&mut self, vectors: ExprListId, indices: ExprListId, lane: usize) -> Result<Val> {
        let mut pool = Vec::new();
        for vector in self.body.items(vectors).to_vec() {
            match self.eval(vector, lane)? {
                Val::Vector(values) => pool.extend(values.iter().cloned()),
                scalar => pool.push(scalar),
            }
        }
        let mut picked = Vec::new();
        for index in self.body.items(indices).to_vec() {
            let at = self.int(index, lane)?;
            match usize::try_from(at).ok().and_then(|at| pool.get(at)) {
                Some(value) => picked.push(value.clone()),
                None => {
                    return self.fail(
                        RunErrorKind::Program,
                        format!("shuffle index {at} is out of range"),
                    );
                }
            }
        }
        Ok(if let [one] = &picked[..] { one.clone() } else { Val::Vector(picked.into()) })
    }

    pub(super) fn buffer_field(
        &mut self,
        buffer: BufferId,
        field: BufferField,
        lane: usize,
    ) -> Result<Val> {
        let Some(bound) = self.bound(buffer, lane).cloned() else {
            return self.fail(
                RunErrorKind::Unsupported,
                "a property of a buffer without memory".to_owned(),
            );
        };
        let bytes = self.body.buffers[buffer].dtype.bytes().max(1) as i64;
        Ok(match field {
            BufferField::Data => Val::Pointer { storage: bound.storage, offset: 0 },
            BufferField::ElemOffset => Val::Int(bound.base / bytes, false),
            BufferField::Stride(dim) => {
                Val::Int(bound.strides.get(dim as usize).copied().unwrap_or(1), false)
            }
            BufferField::Shape(dim) => {
                Val::Int(bound.shape.get(dim as usize).copied().unwrap_or(0), false)
            }
        })
    }
}
