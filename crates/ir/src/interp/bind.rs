//! Arguments, allocations and views: which memory a buffer is, with what layout (SEMANTICS: M7, M9, B6).

use std::rc::Rc;

use super::{
    Argument, Array, Event, Outcome, RunError, RunErrorKind,
    exec::{BoundBuffer, Machine, Slot},
    memory::Storage,
    ops::Val,
};
use crate::{
    BufferId, BufferOrigin, BufferRegion, ExprId, ExprKind, RegionDim, ValueId, ValueKind,
    arena::Id,
};

type Result<T> = std::result::Result<T, Box<RunError>>;

impl Machine<'_> {
    pub(super) fn run(mut self, arguments: Vec<Argument>) -> Result<Outcome> {
        let body = self.body;
        if arguments.len() != body.params.len() {
            let (given, wanted) = (arguments.len(), body.params.len());
            return self.fail(
                RunErrorKind::Arguments,
                format!("{given} arguments for {wanted} parameters"),
            );
        }
        let mut shapes = Vec::new();
        for (param, argument) in body.params.iter().zip(&arguments) {
            match argument {
                Argument::Int(value) => self.set(param.value, Val::Int(*value, false)),
                Argument::Float(value) => self.set(param.value, Val::Float(*value)),
                Argument::Array(array) => {
                    let storage = self.storages.len();
                    self.storages.push(Storage::argument(array.data.clone()));
                    shapes.push((storage, array.shape.clone()));
                    self.set(param.value, Val::Pointer { storage, offset: 0 });
                }
            }
        }
        let mut arrays = shapes.iter();
        let mut pending = Vec::new();
        for (param, argument) in body.params.iter().zip(&arguments) {
            if let (Argument::Array(_), Some((storage, shape))) = (argument, arrays.clone().next())
            {
                arrays.next();
                if let Some(buffer) = param.buffer {
                    self.bind_symbols(buffer, shape);
                    pending.push((buffer, *storage, shape.clone()));
                }
            }
        }
        for (buffer, storage, shape) in pending {
            self.bind_argument(buffer, storage, &shape)?;
        }
        self.argument_shapes = shapes;
        self.block(body.entry(body.root), &[0])?;
        Ok(self.finish(arguments))
    }

    fn finish(self, arguments: Vec<Argument>) -> Outcome {
        let mut storage = 0;
        let arguments = arguments
            .into_iter()
            .map(|argument| match argument {
                Argument::Array(array) => {
                    let data = self.storages[storage].bytes.clone();
                    storage += 1;
                    Argument::Array(Array { data, ..array })
                }
                scalar => scalar,
            })
            .collect();
        let returned = match self.returned {
            Some(Val::Int(value, _)) => Some(Argument::Int(value)),
            Some(Val::Float(value)) => Some(Argument::Float(value)),
            _ => None,
        };
        let events =
            self.events.into_iter().map(|((op, kind), count)| Event { kind, op, count }).collect();
        Outcome { arguments, returned, events, steps: self.steps, counts: self.counts }
    }

    /// Dimensions that are a variable without a value take it from the argument (SEMANTICS: B6).
    fn bind_symbols(&mut self, buffer: BufferId, shape: &[i64]) {
        let dims = self.body.buffers[buffer].shape.clone();
        for (dim, extent) in dims.into_iter().zip(shape) {
            if let ExprKind::Value(value) = self.body.expr(dim).kind
                && matches!(self.frame.slots[value.index()], Slot::Empty)
            {
                self.set(value, Val::Int(*extent, false));
            }
        }
        let strides = self.body.buffers[buffer].strides.clone().unwrap_or_default();
        for (dim, stride) in strides.into_iter().zip(compact_strides(shape)) {
            if let ExprKind::Value(value) = self.body.expr(dim).kind
                && matches!(self.frame.slots[value.index()], Slot::Empty)
            {
                self.set(value, Val::Int(stride, false));
            }
        }
        if let Some(offset) = self.body.buffers[buffer].elem_offset
            && let ExprKind::Value(value) = self.body.expr(offset).kind
            && matches!(self.frame.slots[value.index()], Slot::Empty)
        {
            self.set(value, Val::Int(0, false));
        }
    }

    fn bind_argument(&mut self, buffer: BufferId, storage: usize, shape: &[i64]) -> Result<()> {
        let data = &self.body.buffers[buffer];
        let dims = data.shape.clone();
        let mut expected = Vec::new();
        for dim in dims {
            expected.push(self.int(dim, 0)?);
        }
        if expected != shape {
            let name = self.body.name(data.name);
            let message = format!("`{name}` has shape {shape:?}, the signature says {expected:?}");
            return self.fail(RunErrorKind::Arguments, message);
        }
        let needed = shape.iter().product::<i64>().max(0) as usize * data.dtype.bytes();
        if self.storages[storage].stride < needed {
            let message = format!("`{}` needs {needed} bytes", self.body.name(data.name));
            return self.fail(RunErrorKind::Arguments, message);
        }
        self.bind_buffer(buffer, storage, 0, &[0])
    }

    pub(super) fn set(&mut self, value: ValueId, to: Val) {
        self.frame.slots[value.index()] = Slot::Uniform(to);
        self.uniformity.forget();
    }

    pub(super) fn allocate(&mut self, buffer: BufferId, active: &[u32]) -> Result<()> {
        let data = &self.body.buffers[buffer];
        let shape = self.uniform_ints(&data.shape, active)?;
        let scope = self.body.name(data.scope);
        let bytes = shape.iter().product::<i64>().max(0) as usize * data.dtype.bytes();
        let is_private = matches!(scope, "local" | "") || matches!(data.origin, BufferOrigin::Cell);
        let threads = match &self.kernel {
            Some(kernel) if is_private => Some(kernel.threads),
            _ => None,
        };
        if bytes.saturating_mul(threads.unwrap_or(1)) > 1 << 32 {
            return self.fail(RunErrorKind::Unsupported, format!("an allocation of {bytes} bytes"));
        }
        // What an earlier iteration allocated here is out of scope: its memory serves again, as fresh as new.
        let storage = match &self.frame.buffers[buffer.index()] {
            Some(bound) if self.storages[bound.storage].is_like(bytes, threads) => bound.storage,
            _ => self.storages.len(),
        };
        match self.storages.get_mut(storage) {
            Some(used) => used.refresh(),
            None => self.storages.push(Storage::fresh(bytes, threads)),
        }
        self.bind_buffer(buffer, storage, 0, active)
    }

    /// Binds a buffer to memory, with its shape, strides and offset as evaluated now.
    fn bind_buffer(
        &mut self,
        buffer: BufferId,
        storage: usize,
        offset: i64,
        active: &[u32],
    ) -> Result<()> {
        let data = self.body.buffers[buffer].clone();
        let shape = self.uniform_ints(&data.shape, active)?;
        let strides = match &data.strides {
            Some(strides) if !strides.is_empty() => self.uniform_ints(strides, active)?,
            _ => compact_strides(&shape),
        };
        let elements = match data.elem_offset {
            Some(offset) => self.uniform_ints(&[offset], active)?[0],
            None => 0,
        };
        let base = offset + elements * data.dtype.bytes() as i64;
        let element_bytes = data.dtype.bytes() as i64;
        let bound = BoundBuffer { storage, base, shape, strides, element_bytes };
        self.frame.buffers[buffer.index()] = Some(Rc::new(bound));
        Ok(())
    }

    /// The values of integer expressions that must be the same in all active lanes.
    fn uniform_ints(&mut self, exprs: &[ExprId], active: &[u32]) -> Result<Vec<i64>> {
        let mut values = Vec::with_capacity(exprs.len());
        for &expr in exprs {
            if self.uniformity.is_uniform(expr) {
                values.push(self.for_all(active, |it| it.int(expr, active[0] as usize))?);
                continue;
            }
            let first = self.int(expr, active[0] as usize)?;
            let others = &active[1..];
            for &lane in others {
                if self.int(expr, lane as usize)? != first {
                    let message = "a buffer whose layout differs between threads".to_owned();
                    return self.fail(RunErrorKind::Unsupported, message);
                }
            }
            values.push(first);
        }
        Ok(values)
    }

    pub(super) fn declare(&mut self, buffer: BufferId, active: &[u32]) -> Result<()> {
        let body = self.body;
        match &body.buffers[buffer].origin {
            BufferOrigin::View { source, .. } => match self.frame.buffers[source.index()].clone() {
                Some(source) => self.bind_buffer(buffer, source.storage, source.base, active),
                None => self.fail(
                    RunErrorKind::Unsupported,
                    "a view of a buffer without memory".to_owned(),
                ),
            },
            BufferOrigin::Decl { data: Some(pointer) } => {
                self.bind_pointer(buffer, *pointer, active)
            }
            BufferOrigin::Match { handle } => {
                if let ExprKind::Value(value) = body.expr(*handle).kind
                    && matches!(body.values[value].kind, ValueKind::Param(_))
                    && let Slot::Uniform(Val::Pointer { storage, .. }) =
                        self.frame.slots[value.index()]
                {
                    let shape = self
                        .argument_shapes
                        .iter()
                        .find(|(it, _)| *it == storage)
                        .map(|(_, it)| it.clone());
                    self.bind_symbols(buffer, &shape.unwrap_or_default());
                }
                self.bind_pointer(buffer, *handle, active)
            }
            BufferOrigin::MatchRegion(region) => self.bind_region(buffer, region, active),
            BufferOrigin::Decl { data: None } => {
                self.fail(RunErrorKind::Unsupported, "a buffer without a pointer".to_owned())
            }
            BufferOrigin::Param | BufferOrigin::Alloc | BufferOrigin::Cell => Ok(()),
        }
    }

    /// Binds a buffer to part of another one: its strides are those of the other's last dimensions, and variables in
    /// its strides and offset get their values from there (SEMANTICS: B6, M7).
    fn bind_region(
        &mut self,
        buffer: BufferId,
        region: &BufferRegion,
        active: &[u32],
    ) -> Result<()> {
        let body = self.body;
        let Some(source) = self.frame.buffers[region.buffer.index()].clone() else {
            let message = "a part of a buffer without memory".to_owned();
            return self.fail(RunErrorKind::Unsupported, message);
        };
        let data = &body.buffers[buffer];
        let Some(n_dropped) = source.strides.len().checked_sub(data.shape.len()) else {
            let message = "a part of a buffer with more dimensions than it".to_owned();
            return self.fail(RunErrorKind::Unsupported, message);
        };
        let mut elements = 0;
        for (dim, stride) in region.dims.iter().zip(&source.strides) {
            if let RegionDim::Point(lower) | RegionDim::Slice { lower: Some(lower), .. } = dim {
                elements += self.uniform_ints(&[*lower], active)?[0] * stride;
            }
        }
        let strides = source.strides[n_dropped..].to_vec();
        let base = source.base + elements * source.element_bytes;
        let element_bytes = data.dtype.bytes() as i64;
        for (expr, stride) in data.strides.iter().flatten().zip(&strides) {
            self.set_variable(*expr, *stride);
        }
        if let Some(offset) = data.elem_offset {
            self.set_variable(offset, base / element_bytes.max(1));
        }
        let shape = self.uniform_ints(&data.shape, active)?;
        let storage = source.storage;
        let bound = BoundBuffer { storage, base, shape, strides, element_bytes };
        self.frame.buffers[buffer.index()] = Some(Rc::new(bound));
        Ok(())
    }

    fn set_variable(&mut self, expr: ExprId, to: i64) {
        if let ExprKind::Value(value) = self.body.expr(expr).kind {
            self.set(value, Val::Int(to, false));
        }
    }

    fn bind_pointer(&mut self, buffer: BufferId, pointer: ExprId, active: &[u32]) -> Result<()> {
        match self.eval(pointer, active[0] as usize)? {
            Val::Pointer { storage, offset } => self.bind_buffer(buffer, storage, offset, active),
            other => self.fail(RunErrorKind::Unsupported, format!("memory at {other:?}")),
        }
    }
}

/// Row-major strides of a shape, in elements.
fn compact_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for dim in (0..shape.len().saturating_sub(1)).rev() {
        strides[dim] = strides[dim + 1] * shape[dim + 1].max(1);
    }
    strides
}
