//! Arguments, allocations and views: the memory and the layout of each buffer (SEMANTICS: M7, M9, B6).

use std::rc::Rc;

use super::{
    Argument, Array, Event, Outcome, Overlap, RunError, RunErrorKind,
    exec::{Binding, BoundBuffer, Machine, Slot},
    fragments::Fragments,
    memory::{Copies, Storage},
    ops::Val,
    symbols::{self, Symbols},
};
use ir::{
    AllocKind, BufferId, BufferOrigin, BufferRegion, ExprId, ExprKind, MemoryScope, RegionDim,
    ValueId, arena::Id,
};

type Result<T> = std::result::Result<T, Box<RunError>>;

impl Machine<'_> {
    pub(super) fn run(
        mut self,
        arguments: Vec<Argument>,
        symbols: &Symbols,
        overlaps: &[Overlap],
    ) -> Result<Outcome> {
        let body = self.body;
        if let Some(dtype) = body.first_symbolic_dtype() {
            let dtype = body.dtype_name(dtype);
            return self.fail(
                RunErrorKind::Unsupported,
                format!("the element type `{dtype}` is not known"),
            );
        }
        if arguments.len() != body.params.len() {
            let (given, wanted) = (arguments.len(), body.params.len());
            return self.fail(
                RunErrorKind::Arguments,
                format!("{given} arguments for {wanted} parameters"),
            );
        }
        for (&symbol, &value) in symbols {
            self.set(symbol, Val::Int(value, false));
        }
        self.house(&arguments, overlaps)?;
        for ((param, argument), home) in body.params.iter().zip(&arguments).zip(self.homes.clone())
        {
            let value = match (argument, home) {
                (Argument::Int(value), _) => Val::Int(*value, false),
                (Argument::Float(value), _) => Val::Float(*value),
                (Argument::Array(_), Some((storage, first))) => {
                    Val::Pointer { storage, offset: first as i64 }
                }
                (Argument::Array(_), None) => continue,
            };
            self.set(param.value, value);
        }
        let pending = self.buffers_of_arguments(&arguments);
        self.solve_symbols(&pending);
        for (buffer, argument, shape) in pending {
            match body.buffers[buffer].origin {
                BufferOrigin::Param => self.bind_argument(buffer, argument, &shape)?,
                BufferOrigin::Match { .. } => self.check_shape(buffer, &shape)?,
                // A declaration on a pointer says nothing about the size of the memory.
                _ => {}
            }
        }
        self.block(body.entry(body.root), &[0])?;
        Ok(self.finish(arguments))
    }

    /// Gives array arguments their memory: a storage of its own, or a part of another argument's.
    fn house(&mut self, arguments: &[Argument], overlaps: &[Overlap]) -> Result<()> {
        for argument in arguments {
            self.homes.push(match argument {
                Argument::Array(array) => {
                    self.storages.push(Storage::argument(array.data.clone()));
                    Some((self.storages.len() - 1, 0))
                }
                Argument::Int(_) | Argument::Float(_) => None,
            });
        }
        for overlap in overlaps {
            let length = |it: usize| match arguments.get(it) {
                Some(Argument::Array(array)) => Some(array.data.len()),
                _ => None,
            };
            let (own, other) = (length(overlap.argument), length(overlap.with));
            let fits = match (own, other) {
                (Some(own), Some(other)) => overlap.offset + own <= other,
                _ => false,
            };
            match self.homes.get(overlap.with).copied().flatten() {
                Some((storage, first)) if fits && overlap.with != overlap.argument => {
                    self.homes[overlap.argument] = Some((storage, first + overlap.offset));
                }
                _ => {
                    let message = "an argument that does not fit into the other one".to_owned();
                    return self.fail(RunErrorKind::Arguments, message);
                }
            }
        }
        Ok(())
    }

    /// The buffers that array arguments are, with their number and shape.
    fn buffers_of_arguments(&self, arguments: &[Argument]) -> Vec<(BufferId, usize, Vec<i64>)> {
        let of = |(index, argument): (usize, &Argument)| match argument {
            Argument::Array(array) => {
                Some((symbols::buffer_of(self.body, index)?, index, array.shape.clone()))
            }
            Argument::Int(_) | Argument::Float(_) => None,
        };
        arguments.iter().enumerate().filter_map(of).collect()
    }

    fn finish(self, arguments: Vec<Argument>) -> Outcome {
        let arguments = arguments
            .into_iter()
            .zip(&self.homes)
            .map(|(argument, home)| match (argument, home) {
                (Argument::Array(array), Some((storage, first))) => {
                    let bytes = &self.storages[*storage].bytes;
                    let data = bytes[*first..*first + array.data.len()].to_vec();
                    Argument::Array(Array { data, ..array })
                }
                (other, _) => other,
            })
            .collect();
        let returned = match self.returned {
            Some(Val::Int(value, _)) => Some(Argument::Int(value)),
            Some(Val::Float(value)) => Some(Argument::Float(value)),
            _ => None,
        };
        let events = self
            .events
            .into_iter()
            .map(|((op, kind), (count, detail))| Event { kind, op, count, detail })
            .collect();
        let Machine { steps, counts, has_lost_overflow, .. } = self;
        Outcome { arguments, returned, events, steps, counts, has_lost_overflow }
    }

    /// The extents of the signature must be those of the argument (SEMANTICS: B6).
    fn check_shape(&mut self, buffer: BufferId, shape: &[i64]) -> Result<()> {
        let data = &self.body.buffers[buffer];
        let mut expected = Vec::new();
        for &dim in &data.shape {
            expected.push(self.int(dim, 0)?);
        }
        if expected == shape {
            return Ok(());
        }
        let name = self.body.name(data.name);
        let message = format!("`{name}` has shape {shape:?}, the signature says {expected:?}");
        self.fail(RunErrorKind::Arguments, message)
    }

    fn bind_argument(&mut self, buffer: BufferId, argument: usize, shape: &[i64]) -> Result<()> {
        let (storage, first) = self.homes[argument].unwrap_or_default();
        self.check_shape(buffer, shape)?;
        let data = &self.body.buffers[buffer];
        let needed = shape.iter().product::<i64>().max(0) as usize * data.dtype.bytes();
        if self.storages[storage].stride < first + needed {
            let message = format!("`{}` needs {needed} bytes", self.body.name(data.name));
            return self.fail(RunErrorKind::Arguments, message);
        }
        let bound = self.layout(buffer, storage, first as i64, 0)?;
        self.frame.buffers[buffer.index()] = Binding::Uniform(Rc::new(bound));
        Ok(())
    }

    pub(super) fn set(&mut self, value: ValueId, to: Val) {
        self.frame.slots[value.index()] = Slot::Uniform(to);
        self.uniformity.forget();
    }

    pub(super) fn allocate(
        &mut self,
        buffer: BufferId,
        kind: AllocKind,
        active: &[u32],
    ) -> Result<()> {
        let data = &self.body.buffers[buffer];
        if kind == AllocKind::Const {
            return self.fail(RunErrorKind::Unsupported, "constant memory".to_owned());
        }
        let shape = self.uniform_ints(&data.shape, active)?;
        let scope = data.scope;
        let fragments = Fragments::of_scope(scope);
        let elements = shape.iter().fold(1usize, |n, &it| n.saturating_mul(it.max(0) as usize));
        let bytes = elements.saturating_mul(data.dtype.bytes());
        // Of a thread's own are allocations of global memory too that stand in a kernel.
        let is_private = scope.is_local() || scope.is_global() || data.is_cell();
        let copies = match &self.kernel {
            None => Copies::One,
            Some(_) if let Some(copies) = self.tile_copies(scope) => copies,
            Some(_) if is_private => Copies::PerThread,
            Some(_) if scope == MemoryScope::Warp || fragments.is_some() => Copies::PerWarp,
            Some(_) => Copies::One,
        };
        let threads = self.kernel.as_ref().map_or(1, |it| it.threads);
        if bytes.saturating_mul(copies.count(threads)) > 1 << 32 {
            return self.fail(RunErrorKind::Unsupported, format!("an allocation of {bytes} bytes"));
        }
        // What an earlier iteration allocated here is out of scope: its memory serves again, as fresh as new.
        let storage = match self.bound(buffer, active[0] as usize) {
            Some(bound) if self.storages[bound.storage].is_like(bytes, copies, threads) => {
                bound.storage
            }
            _ => self.storages.len(),
        };
        match self.storages.get_mut(storage) {
            Some(used) => used.refresh(),
            None => self.storages.push(Storage::fresh(bytes, copies, threads)),
        }
        // Where a schedulable block's buffer lies is decided when it is lowered: often inside of the parallel loop.
        let is_placed = kind != AllocKind::SBlock || self.kernel.is_some();
        self.storages[storage].is_watched &= is_placed;
        self.storages[storage].fragments = fragments;
        self.races.forget(storage);
        self.bind_each(buffer, active, |machine, lane| machine.layout(buffer, storage, 0, lane))
    }

    /// Binds a buffer in the active lanes: once if its layout cannot differ between them.
    fn bind_each(
        &mut self,
        buffer: BufferId,
        active: &[u32],
        mut bind: impl FnMut(&mut Self, usize) -> Result<BoundBuffer>,
    ) -> Result<()> {
        let binding = if active.len() == 1 && self.frame.threads.len() == 1
            || self.is_uniform_layout(buffer)
        {
            Binding::Uniform(Rc::new(self.for_all(active, |it| bind(it, active[0] as usize))?))
        } else {
            let mut lanes = match &self.frame.buffers[buffer.index()] {
                Binding::Lanes(old) if old.len() == self.frame.threads.len() => old.to_vec(),
                _ => vec![None; self.frame.threads.len()],
            };
            for &lane in active {
                lanes[lane as usize] = Some(Rc::new(bind(self, lane as usize)?));
            }
            Binding::Lanes(lanes.into())
        };
        self.frame.buffers[buffer.index()] = binding;
        Ok(())
    }

    /// Returns true if all lanes compute the same layout of a buffer.
    fn is_uniform_layout(&self, buffer: BufferId) -> bool {
        let data = &self.body.buffers[buffer];
        let source = match &data.origin {
            BufferOrigin::View { source, .. } => Some(*source),
            BufferOrigin::MatchRegion(region) => Some(region.buffer),
            _ => None,
        };
        let is_uniform_source =
            source.is_none_or(|it| !matches!(self.frame.buffers[it.index()], Binding::Lanes(_)));
        let bounds = match &data.origin {
            BufferOrigin::MatchRegion(region) => &region.dims[..],
            _ => &[],
        };
        let lowers = bounds.iter().filter_map(|dim| match dim {
            RegionDim::Point(lower) | RegionDim::Slice { lower: Some(lower), .. } => Some(*lower),
            RegionDim::Slice { lower: None, .. } => None,
        });
        is_uniform_source && data.operands().chain(lowers).all(|it| self.uniformity.is_uniform(it))
    }

    /// The layout of a buffer in memory that begins at `offset`: shape, strides and offset as evaluated now.
    fn layout(
        &mut self,
        buffer: BufferId,
        storage: usize,
        offset: i64,
        lane: usize,
    ) -> Result<BoundBuffer> {
        let body = self.body;
        let data = &body.buffers[buffer];
        let shape = self.ints(&data.shape, lane)?;
        let strides = match &data.strides {
            Some(strides) if !strides.is_empty() => self.ints(strides, lane)?,
            _ => compact_strides(&shape),
        };
        let elements = data.elem_offset.map_or(Ok(0), |it| self.int(it, lane))?;
        let element_bytes = data.dtype.bytes() as i64;
        let base = offset + elements * element_bytes;
        Ok(BoundBuffer { storage, base, shape, strides, element_bytes })
    }

    fn ints(&mut self, exprs: &[ExprId], lane: usize) -> Result<Vec<i64>> {
        exprs.iter().map(|&it| self.int(it, lane)).collect()
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
            BufferOrigin::View { source, .. } => self.bind_each(buffer, active, |machine, lane| {
                let Some(source) = machine.bound(*source, lane).cloned() else {
                    let message = "a view of a buffer without memory".to_owned();
                    return machine.fail(RunErrorKind::Unsupported, message);
                };
                if !is_plain_view(machine.body, buffer) {
                    let message = "a view whose layout is not known".to_owned();
                    return machine.fail(RunErrorKind::Unsupported, message);
                }
                machine.layout(buffer, source.storage, source.base, lane)
            }),
            BufferOrigin::Decl { data: Some(pointer) }
            | BufferOrigin::Match { handle: pointer } => {
                self.bind_each(buffer, active, |machine, lane| {
                    match machine.eval(*pointer, lane)? {
                        Val::Pointer { storage, offset } => {
                            machine.layout(buffer, storage, offset, lane)
                        }
                        other => {
                            machine.fail(RunErrorKind::Unsupported, format!("memory at {other:?}"))
                        }
                    }
                })
            }
            BufferOrigin::MatchRegion(region) => self.bind_each(buffer, active, |machine, lane| {
                machine.layout_of_region(buffer, region, lane)
            }),
            BufferOrigin::Decl { data: None }
            | BufferOrigin::Param
            | BufferOrigin::Alloc
            | BufferOrigin::Cell => Ok(()),
        }
    }

    /// The layout of part of another buffer: its strides are those of the other's last dimensions, and variables in
    /// its strides and offset get their values from there (SEMANTICS: B6, M7).
    fn layout_of_region(
        &mut self,
        buffer: BufferId,
        region: &BufferRegion,
        lane: usize,
    ) -> Result<BoundBuffer> {
        let body = self.body;
        let Some(source) = self.bound(region.buffer, lane).cloned() else {
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
                elements += self.int(*lower, lane)? * stride;
            }
        }
        let slices: Vec<i64> = (region.dims.iter().zip(&source.strides))
            .filter(|(dim, _)| matches!(dim, RegionDim::Slice { .. }))
            .map(|it| *it.1)
            .collect();
        // A part that names each of its dimensions has theirs, else those of the last.
        let strides = match slices.len() == data.shape.len() {
            true => slices,
            false => source.strides[n_dropped..].to_vec(),
        };
        let base = source.base + elements * source.element_bytes;
        let element_bytes = data.dtype.bytes() as i64;
        for (expr, stride) in data.strides.iter().flatten().zip(&strides) {
            self.set_variable(*expr, lane, *stride);
        }
        if let Some(offset) = data.elem_offset {
            self.set_variable(offset, lane, base / element_bytes.max(1));
        }
        let shape = self.ints(&data.shape, lane)?;
        Ok(BoundBuffer { storage: source.storage, base, shape, strides, element_bytes })
    }

    fn set_variable(&mut self, expr: ExprId, lane: usize, to: i64) {
        if let ExprKind::Value(value) = self.body.expr(expr).kind {
            self.set_in_lane(value, lane, Val::Int(to, false));
        }
    }
}

/// Returns true if the elements of a view are in the order of its memory: it was given a shape, or another type.
fn is_plain_view(body: &ir::Body, buffer: BufferId) -> bool {
    let attrs = body.dict(body.buffers[buffer].attrs);
    match &attrs[..] {
        [] => true,
        [(key, ir::Attr::List(args))] if &**key == "args" => match &args[..] {
            [ir::Attr::Str(_)] => true,
            args => args.contains(&ir::Attr::Int(-1, None)),
        },
        _ => false,
    }
}

/// Row-major strides of a shape, in elements.
pub(super) fn compact_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for dim in (0..shape.len().saturating_sub(1)).rev() {
        strides[dim] = strides[dim + 1] * shape[dim + 1].max(1);
    }
    strides
}
