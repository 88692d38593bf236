//! Evaluation of expressions in one lane.

use super::{
    EventKind, RunError, RunErrorKind,
    exec::{Machine, Slot},
    intrinsics,
    memory::{fixed_lanes, read_scalar},
    ops::{self, Val},
};
use crate::{
    BinaryOp, BufferField, BufferId, Callee, DataType, Expr, ExprId, ExprKind, ExprListId, Type,
    arena::Id,
};

type Result<T> = std::result::Result<T, RunError>;

impl Machine<'_> {
    /// The value of an expression in a lane.
    pub(super) fn eval(&mut self, expr: ExprId, lane: usize) -> Result<Val> {
        self.steps += 1;
        if self.steps > self.options.max_steps {
            return self.fail(
                RunErrorKind::StepLimit,
                format!("stopped after {} steps", self.options.max_steps),
            );
        }
        let Expr { kind, ty, size, .. } = *self.body.expr(expr);
        match kind {
            ExprKind::Int(value) => Ok(Val::Int(value, false)),
            ExprKind::Float(bits) => Ok(Val::Float(f64::from_bits(bits))),
            ExprKind::Value(value) => match &self.frame.slots[value.index()] {
                Slot::Uniform(value) => Ok(value.clone()),
                Slot::Lanes(values) => Ok(values[lane].clone()),
                Slot::Empty => {
                    let name = self.body.name(self.body.values[value].name).to_owned();
                    self.fail(RunErrorKind::Arguments, format!("`{name}` has no value"))
                }
            },
            _ if size > 200 => {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.eval_node(kind, ty, lane))
            }
            _ => self.eval_node(kind, ty, lane),
        }
    }

    fn eval_node(&mut self, kind: ExprKind, ty: Type, lane: usize) -> Result<Val> {
        match kind {
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs) => {
                self.logic(op, lhs, rhs, lane)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let dtype = self.body.dtype(lhs).unwrap_or(DataType::HANDLE);
                let a = self.eval(lhs, lane)?;
                let b = self.eval(rhs, lane)?;
                self.operator(|events| ops::binary(op, dtype, &a, &b, events))
            }
            ExprKind::Unary(op, operand) => {
                let dtype = self.body.dtype(operand).unwrap_or(DataType::HANDLE);
                let a = self.eval(operand, lane)?;
                self.operator(|_| ops::unary(op, dtype, &a))
            }
            ExprKind::Cast(operand) => {
                let value = self.eval(operand, lane)?;
                let (Some(from), Some(to)) = (self.body.dtype(operand), ty.prim()) else {
                    return Ok(value);
                };
                self.operator(|events| ops::cast(&value, from, to, events))
            }
            ExprKind::Select(condition, then, otherwise) => {
                let condition = self.eval(condition, lane)?;
                let then = self.eval(then, lane)?;
                let otherwise = self.eval(otherwise, lane)?;
                self.select(&condition, then, otherwise)
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
                self.bound.push(value);
                let result = self.eval(body, lane);
                self.bound.pop();
                result
            }
            ExprKind::Bound(index) => {
                let at = self.bound.len().checked_sub(index as usize + 1);
                match at.and_then(|at| self.bound.get(at)) {
                    Some(value) => Ok(value.clone()),
                    None => self.fail(
                        RunErrorKind::Unsupported,
                        "a bound variable without its binder".to_owned(),
                    ),
                }
            }
            ExprKind::Call { callee, args, .. } => self.call(callee, args, ty, lane),
            ExprKind::BufferField(buffer, field) => self.buffer_field(buffer, field),
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

    /// Runs an operator, recording its events.
    fn operator(
        &mut self,
        f: impl FnOnce(ops::Events<'_>) -> std::result::Result<Val, ops::Fault>,
    ) -> Result<Val> {
        let mut events: smallvec::SmallVec<[EventKind; 2]> = smallvec::SmallVec::new();
        let result = f(&mut |kind| events.push(kind));
        for kind in events {
            self.event(kind);
        }
        result.or_else(|(kind, message)| self.fail(kind, message))
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

    // ---- memory ----

    /// The byte offsets of an access: one a lane of the last index, each `element` bytes long.
    pub(super) fn addresses(&mut self, buffer: BufferId, indices: &[Val]) -> Result<Vec<i64>> {
        let Some(bound) = self.frame.buffers[buffer.index()].clone() else {
            let name = self.body.name(self.body.buffers[buffer].name).to_owned();
            return self.fail(RunErrorKind::Unsupported, format!("buffer `{name}` has no memory"));
        };
        if indices.len() != bound.shape.len() {
            return self.fail(RunErrorKind::Program, "wrong number of indices".to_owned());
        }
        let bytes = self.body.buffers[buffer].dtype.bytes() as i64;
        let mut offsets = vec![0i64];
        for (dim, index) in indices.iter().enumerate() {
            let positions: Vec<i64> = match index {
                Val::Vector(lanes) => {
                    let lanes = lanes.clone();
                    lanes.iter().map(|it| self.used(it)).collect::<Result<_>>()?
                }
                scalar => vec![self.used(scalar)?],
            };
            for &position in &positions {
                if position < 0 || position >= bound.shape[dim] {
                    let name = self.body.name(self.body.buffers[buffer].name).to_owned();
                    let extent = bound.shape[dim];
                    let message = format!(
                        "index {position} of dimension {dim} of `{name}` is not in 0..{extent}"
                    );
                    return self.fail(RunErrorKind::Program, message);
                }
            }
            if offsets.len() < positions.len() {
                offsets = vec![offsets[0]; positions.len()];
            }
            for (lane, offset) in offsets.iter_mut().enumerate() {
                let position = positions[lane.min(positions.len() - 1)];
                *offset = offset.wrapping_add(position.wrapping_mul(bound.strides[dim]));
            }
        }
        Ok(offsets.into_iter().map(|it| bound.base + it.wrapping_mul(bytes)).collect())
    }

    fn load(
        &mut self,
        buffer: BufferId,
        indices: ExprListId,
        predicate: Option<ExprId>,
        lane: usize,
    ) -> Result<Val> {
        if predicate.is_some() {
            return self.fail(RunErrorKind::Unsupported, "a predicated load".to_owned());
        }
        let mut values: smallvec::SmallVec<[Val; 4]> = smallvec::SmallVec::new();
        for position in 0..self.body.items(indices).len() {
            let index = self.body.items(indices)[position];
            values.push(self.eval(index, lane)?);
        }
        let offsets = self.addresses(buffer, &values)?;
        let dtype = self.body.buffers[buffer].dtype;
        let is_vector = values.iter().any(|it| matches!(it, Val::Vector(_)));
        let mut loaded = Vec::with_capacity(offsets.len());
        for offset in offsets {
            self.load_element(buffer, dtype, offset, lane, &mut loaded)?;
        }
        match (&loaded[..], is_vector || fixed_lanes(dtype) != Some(1)) {
            ([one], false) => Ok(one.clone()),
            _ => Ok(Val::Vector(loaded.into())),
        }
    }

    /// Reads all lanes of one element.
    fn load_element(
        &mut self,
        buffer: BufferId,
        dtype: DataType,
        offset: i64,
        lane: usize,
        loaded: &mut Vec<Val>,
    ) -> Result<()> {
        let element = dtype.element();
        let bytes = element.bytes();
        let thread = self.frame.threads[lane] as usize;
        for k in 0..fixed_lanes(dtype).unwrap_or(1) {
            let at = self.locate(buffer, offset + (k * bytes) as i64, bytes, thread)?;
            let storage = self.storage_of(buffer);
            let is_written =
                storage.written.get(at..at + bytes).is_none_or(|it| it.iter().all(|it| *it));
            let value = read_scalar(element, &storage.bytes[at..at + bytes]);
            if !is_written {
                self.event(EventKind::UninitializedRead);
            }
            match value {
                Some(value) => loaded.push(value),
                None => {
                    return self
                        .fail(RunErrorKind::Unsupported, format!("arithmetic on {element}"));
                }
            }
        }
        Ok(())
    }

    fn buffer_field(&mut self, buffer: BufferId, field: BufferField) -> Result<Val> {
        let Some(bound) = self.frame.buffers[buffer.index()].clone() else {
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

    // ---- calls ----

    fn call(&mut self, callee: Callee, args: ExprListId, ty: Type, lane: usize) -> Result<Val> {
        let Callee::Intrinsic(name) = callee else {
            return self.fail(RunErrorKind::Unsupported, "a call of another function".to_owned());
        };
        let name = self.body.name(name);
        let args = self.body.items(args);
        if name == "if_then_else"
            && let [condition, then, otherwise] = *args
        {
            let taken = if self.int(condition, lane)? != 0 { then } else { otherwise };
            return self.eval(taken, lane);
        }
        // A data type in front (`T.reinterpret("float32", x)`) is not an operand.
        let operands: Vec<ExprId> = args.iter().copied().filter(|&it| !self.is_text(it)).collect();
        let types: Vec<Option<DataType>> = operands.iter().map(|&it| self.body.dtype(it)).collect();
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push(self.eval(operand, lane)?);
        }
        let dtype = ty.prim().unwrap_or(DataType::HANDLE);
        let mut events: smallvec::SmallVec<[EventKind; 2]> = smallvec::SmallVec::new();
        let result = intrinsics::call(name, dtype, &values, &types, &mut |kind| events.push(kind));
        events.into_iter().for_each(|kind| self.event(kind));
        match result {
            Some(Ok(value)) => Ok(value),
            Some(Err((kind, message))) => self.fail(kind, message),
            None => self.fail(RunErrorKind::Unsupported, format!("the call T.{name}")),
        }
    }

    fn is_text(&self, expr: ExprId) -> bool {
        matches!(self.body.expr(expr).kind, ExprKind::Str(_))
    }
}
