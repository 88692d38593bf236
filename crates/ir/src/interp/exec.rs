//! Execution of statements over the active lanes.

use std::{collections::BTreeMap, rc::Rc};

use super::{
    Argument, Array, Event, EventKind, Options, Outcome, RunError, RunErrorKind,
    memory::{Storage, fixed_lanes, read_scalar, write_scalar},
    ops::Val,
};
use crate::{
    BlockId, Body, BufferId, BufferOrigin, DataType, ExprId, ExprKind, ForKind, IterKind, OpId,
    OpKind, RegionId, SBlockId, ValueId, ValueKind, arena::Id,
};

type Result<T> = std::result::Result<T, RunError>;

/// The value of a variable.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// Not defined.
    Empty,
    /// The same in all lanes.
    Uniform(Val),
    /// One a lane.
    Lanes(Rc<[Val]>),
}

/// A buffer with memory.
#[derive(Clone, Debug)]
pub(super) struct BoundBuffer {
    pub(super) storage: usize,
    /// Byte offset of element 0.
    pub(super) base: i64,
    pub(super) shape: Vec<i64>,
    /// In elements.
    pub(super) strides: Vec<i64>,
}

/// What a lane does at the end of the current statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LaneState {
    Running,
    Continued,
    Broke,
    Returned,
}

/// Lanes and what they see.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) slots: Vec<Slot>,
    pub(super) buffers: Vec<Option<BoundBuffer>>,
    /// The thread of each lane.
    pub(super) threads: Rc<[u32]>,
    pub(super) states: Vec<LaneState>,
    pub(super) has_jumped: bool,
}

/// The state of a run.
pub(super) struct Machine<'a> {
    pub(super) body: &'a Body,
    pub(super) options: Options,
    pub(super) frame: Frame,
    pub(super) storages: Vec<Storage>,
    /// Values of the variables of enclosing binders, innermost last.
    pub(super) bound: Vec<Val>,
    pub(super) steps: u64,
    /// The statement being executed.
    pub(super) at: Option<OpId>,
    pub(super) events: BTreeMap<(OpId, EventKind), u64>,
    /// The kernel being run: its number of threads a block.
    pub(super) kernel: Option<super::launch::Kernel>,
    /// Enclosing `T.attr(comm_reducer, "reduce_scope", …)` nodes.
    pub(super) reducers: Vec<ExprId>,
    pub(super) returned: Option<Val>,
    /// The shapes of array arguments, by their storage.
    argument_shapes: Vec<(usize, Vec<i64>)>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(body: &'a Body, options: Options) -> Self {
        let frame = Frame {
            slots: vec![Slot::Empty; body.values.len()],
            buffers: vec![None; body.buffers.len()],
            threads: Rc::new([0]),
            states: vec![LaneState::Running],
            has_jumped: false,
        };
        Machine {
            body,
            options,
            frame,
            storages: Vec::new(),
            bound: Vec::new(),
            steps: 0,
            at: None,
            events: BTreeMap::new(),
            kernel: None,
            reducers: Vec::new(),
            returned: None,
            argument_shapes: Vec::new(),
        }
    }

    pub(super) fn fail<T>(&self, kind: RunErrorKind, message: String) -> Result<T> {
        Err(RunError { op: self.at, kind, message })
    }

    pub(super) fn event(&mut self, kind: EventKind) {
        if let Some(op) = self.at {
            *self.events.entry((op, kind)).or_default() += 1;
        }
    }

    // ---- arguments ----

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
        Outcome { arguments, returned, events, steps: self.steps }
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
    }

    // ---- statements ----

    fn region(&mut self, region: RegionId, active: &[u32]) -> Result<()> {
        let blocks = &self.body.regions[region].blocks;
        if blocks.len() > 1 {
            return self.fail(RunErrorKind::Unsupported, "a region of several blocks".to_owned());
        }
        self.block(blocks[0], active)
    }

    /// Executes a list of statements in the active lanes; those that jump leave it.
    pub(super) fn block(&mut self, block: BlockId, active: &[u32]) -> Result<()> {
        let mut active = std::borrow::Cow::Borrowed(active);
        for index in 0..self.body.blocks[block].ops.len() {
            let op = self.body.blocks[block].ops[index];
            self.at = Some(op);
            stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.statement(op, &active))?;
            if self.frame.has_jumped {
                let states = &self.frame.states;
                active.to_mut().retain(|&lane| states[lane as usize] == LaneState::Running);
                if active.is_empty() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn statement(&mut self, op: OpId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let data = &body.ops[op];
        match data.kind {
            OpKind::Store { buffer, predicated: false } => self.store(op, buffer, active),
            OpKind::Bind => {
                let value = data.operands[0];
                self.define(data.results[0], value, active)?;
                data.regions.first().map_or(Ok(()), |&region| self.region(region, active))
            }
            OpKind::For(kind) => self.for_loop(op, kind, active),
            OpKind::If => {
                let (then, otherwise) = self.partition(data.operands[0], active)?;
                if !then.is_empty() {
                    self.region(data.regions[0], &then)?;
                }
                match data.regions.get(1) {
                    Some(&region) if !otherwise.is_empty() => self.region(region, &otherwise),
                    _ => Ok(()),
                }
            }
            OpKind::While => self.while_loop(op, active),
            OpKind::SBlock(block) => self.sblock(op, block, active),
            OpKind::LaunchThread { .. } => self.launch_thread(op, active),
            OpKind::EnvThread(_) => Ok(()),
            OpKind::Attr(key) => {
                let is_reducer = body.name(key) == "reduce_scope";
                if is_reducer {
                    self.reducers.push(data.operands[0]);
                }
                let result = self.region(data.regions[0], active);
                if is_reducer {
                    self.reducers.pop();
                }
                result
            }
            OpKind::AttrDict => self.region(data.regions[0], active),
            OpKind::Alloc { buffer, .. } => {
                self.allocate(buffer, active)?;
                data.regions.first().map_or(Ok(()), |&region| self.region(region, active))
            }
            OpKind::DeclBuffer { buffer } => self.declare(buffer, active),
            OpKind::Evaluate => self.evaluate(data.operands[0], active),
            OpKind::Assert => {
                let (_, failed) = self.partition(data.operands[0], active)?;
                if failed.is_empty() {
                    return Ok(());
                }
                self.fail(RunErrorKind::Program, "an assertion failed".to_owned())
            }
            OpKind::Return => {
                if let Some(&value) = data.operands.first() {
                    let value = self.eval(value, active[0] as usize)?;
                    self.returned = Some(value);
                }
                self.jump(LaneState::Returned, active);
                Ok(())
            }
            OpKind::Break => {
                self.jump(LaneState::Broke, active);
                Ok(())
            }
            OpKind::Continue => {
                self.jump(LaneState::Continued, active);
                Ok(())
            }
            OpKind::Store { .. } | OpKind::Opaque(_) | OpKind::Named(_) => {
                self.fail(RunErrorKind::Unsupported, format!("the statement {:?}", data.kind))
            }
        }
    }

    fn jump(&mut self, state: LaneState, active: &[u32]) {
        for &lane in active {
            self.frame.states[lane as usize] = state;
        }
        self.frame.has_jumped = true;
    }

    /// Gives a variable the value of an expression in each active lane.
    fn define(&mut self, value: ValueId, expr: ExprId, active: &[u32]) -> Result<()> {
        let slot = if self.frame.threads.len() == 1 {
            Slot::Uniform(self.eval(expr, 0)?)
        } else {
            let mut values = vec![Val::Unit; self.frame.threads.len()];
            for &lane in active {
                values[lane as usize] = self.eval(expr, lane as usize)?;
            }
            Slot::Lanes(values.into())
        };
        self.frame.slots[value.index()] = slot;
        Ok(())
    }

    /// The active lanes where a condition holds, and those where it does not.
    fn partition(&mut self, condition: ExprId, active: &[u32]) -> Result<(Vec<u32>, Vec<u32>)> {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for &lane in active {
            if self.int(condition, lane as usize)? != 0 { yes.push(lane) } else { no.push(lane) }
        }
        Ok((yes, no))
    }

    fn store(&mut self, op: OpId, buffer: BufferId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let operands = &body.ops[op].operands;
        let mut writes = Vec::with_capacity(active.len());
        for &lane in active {
            let value = self.eval(operands[0], lane as usize)?;
            let mut indices: smallvec::SmallVec<[Val; 4]> = smallvec::SmallVec::new();
            for &index in &operands[1..] {
                indices.push(self.eval(index, lane as usize)?);
            }
            writes.push((lane, self.addresses(buffer, &indices)?, value));
        }
        let dtype = body.buffers[buffer].dtype;
        for (lane, offsets, value) in writes {
            self.mark_used(&value);
            let n = fixed_lanes(dtype).unwrap_or(1);
            for (position, offset) in offsets.iter().enumerate() {
                for k in 0..n {
                    let part = match &value {
                        Val::Vector(values) => values.get(position * n + k).cloned(),
                        scalar => Some(scalar.clone()),
                    };
                    let Some(part) = part else {
                        return self.fail(
                            RunErrorKind::Unsupported,
                            "a store of too few lanes".to_owned(),
                        );
                    };
                    self.write(
                        buffer,
                        dtype.element(),
                        offset + (k * dtype.element().bytes()) as i64,
                        lane,
                        &part,
                    )?;
                }
            }
        }
        Ok(())
    }

    fn mark_used(&mut self, value: &Val) {
        let wrapped = match value {
            Val::Int(_, wrapped) => *wrapped,
            Val::Vector(lanes) => lanes.iter().any(|it| matches!(it, Val::Int(_, true))),
            _ => false,
        };
        if wrapped {
            self.event(EventKind::Overflow);
        }
    }

    fn write(
        &mut self,
        buffer: BufferId,
        dtype: DataType,
        offset: i64,
        lane: u32,
        value: &Val,
    ) -> Result<()> {
        let bytes = dtype.bytes();
        let thread = self.frame.threads[lane as usize] as usize;
        let at = self.locate(buffer, offset, bytes, thread)?;
        let storage = self.storage_of_mut(buffer);
        if !write_scalar(dtype, value, &mut storage.bytes[at..at + bytes]) {
            return self
                .fail(RunErrorKind::Unsupported, format!("a store of {value:?} as {dtype}"));
        }
        if let Some(written) = storage.written.get_mut(at..at + bytes) {
            written.fill(true);
        }
        Ok(())
    }

    pub(super) fn storage_of(&self, buffer: BufferId) -> &Storage {
        let index = self.frame.buffers[buffer.index()].as_ref().map_or(0, |it| it.storage);
        &self.storages[index]
    }
    fn storage_of_mut(&mut self, buffer: BufferId) -> &mut Storage {
        let index = self.frame.buffers[buffer.index()].as_ref().map_or(0, |it| it.storage);
        &mut self.storages[index]
    }

    pub(super) fn locate(
        &self,
        buffer: BufferId,
        offset: i64,
        len: usize,
        thread: usize,
    ) -> Result<usize> {
        match self.storage_of(buffer).locate(offset, len, thread) {
            Some(at) => Ok(at),
            None => {
                let name = self.body.name(self.body.buffers[buffer].name);
                self.fail(
                    RunErrorKind::Program,
                    format!("byte {offset} is outside the memory of `{name}`"),
                )
            }
        }
    }

    /// Writes one scalar element given as in a load expression (for results of thread reductions).
    pub(super) fn write_back(&mut self, target: ExprId, lane: u32, value: &Val) -> Result<()> {
        let ExprKind::Load { buffer, indices, .. } = self.body.expr(target).kind else {
            return self.fail(
                RunErrorKind::Unsupported,
                "a reduction into something that is no load".to_owned(),
            );
        };
        let mut at = Vec::new();
        for index in self.body.items(indices).to_vec() {
            at.push(self.eval(index, lane as usize)?);
        }
        let offsets = self.addresses(buffer, &at)?;
        let dtype = self.body.buffers[buffer].dtype;
        self.write(buffer, dtype, offsets[0], lane, value)
    }

    // ---- loops ----

    fn for_loop(&mut self, op: OpId, kind: ForKind, active: &[u32]) -> Result<()> {
        let data = &self.body.ops[op];
        let (min, extent, step) =
            (data.operands[0], data.operands[1], data.operands.get(2).copied());
        let region = data.regions[0];
        let var = self.body.blocks[self.body.entry(region)].args[0];
        let mut ranges = Vec::with_capacity(active.len());
        for &lane in active {
            let min = self.int(min, lane as usize)?;
            let extent = self.int(extent, lane as usize)?;
            let step = step.map_or(Ok(1), |it| self.int(it, lane as usize))?;
            if step <= 0 {
                return self.fail(RunErrorKind::Program, format!("loop step {step}"));
            }
            ranges.push((min, extent, step));
        }
        if kind == ForKind::Vectorized {
            return self.vector_loop(region, var, &ranges, active);
        }
        let is_uniform = ranges.windows(2).all(|pair| pair[0] == pair[1]);
        let n_trips = |&(_, extent, step): &(i64, i64, i64)| {
            if extent <= 0 { 0 } else { (extent - 1) / step + 1 }
        };
        let most = ranges.iter().map(n_trips).max().unwrap_or(0);
        let mut lanes: Vec<u32> = active.to_vec();
        for trip in 0..most {
            if is_uniform {
                let (min, _, step) = ranges[0];
                self.set(var, Val::Int(min + trip * step, false));
            } else {
                let mut values = vec![Val::Unit; self.frame.threads.len()];
                for (&lane, &(min, _, step)) in active.iter().zip(&ranges) {
                    values[lane as usize] = Val::Int(min + trip * step, false);
                }
                self.frame.slots[var.index()] = Slot::Lanes(values.into());
            }
            let states = &self.frame.states;
            let running: Vec<u32> = if is_uniform {
                lanes.retain(|&lane| states[lane as usize] == LaneState::Running);
                lanes.clone()
            } else {
                let with_trips =
                    active.iter().zip(&ranges).filter(|(_, range)| trip < n_trips(range));
                with_trips
                    .map(|(&lane, _)| lane)
                    .filter(|&it| states[it as usize] == LaneState::Running)
                    .collect()
            };
            if running.is_empty() {
                break;
            }
            self.region(region, &running)?;
            self.land(LaneState::Continued, active);
            self.at = Some(op);
        }
        self.land(LaneState::Broke, active);
        Ok(())
    }

    /// Lanes in `state` go on running.
    fn land(&mut self, state: LaneState, active: &[u32]) {
        if !self.frame.has_jumped {
            return;
        }
        for &lane in active {
            if self.frame.states[lane as usize] == state {
                self.frame.states[lane as usize] = LaneState::Running;
            }
        }
        self.frame.has_jumped = self.frame.states.iter().any(|it| *it != LaneState::Running);
    }

    /// All iterations at once: each active lane becomes as many lanes as it has iterations (SEMANTICS: P3).
    fn vector_loop(
        &mut self,
        region: RegionId,
        var: ValueId,
        ranges: &[(i64, i64, i64)],
        active: &[u32],
    ) -> Result<()> {
        let mut origin = Vec::new();
        let mut values = Vec::new();
        for (&lane, &(min, extent, step)) in active.iter().zip(ranges) {
            for trip in 0..extent.max(0) {
                if trip * step >= extent {
                    break;
                }
                origin.push(lane as usize);
                values.push(Val::Int(min + trip * step, false));
            }
        }
        if origin.is_empty() {
            return Ok(());
        }
        let outer = self.frame.clone();
        for slot in &mut self.frame.slots {
            if let Slot::Lanes(old) = slot {
                *slot = Slot::Lanes(origin.iter().map(|&lane| old[lane].clone()).collect());
            }
        }
        self.frame.slots[var.index()] = Slot::Lanes(values.into());
        self.frame.threads = origin.iter().map(|&lane| outer.threads[lane]).collect();
        self.frame.states = vec![LaneState::Running; origin.len()];
        self.frame.has_jumped = false;
        let lanes: Vec<u32> = (0..origin.len() as u32).collect();
        let result = self.region(region, &lanes);
        self.frame = outer;
        result
    }

    fn while_loop(&mut self, op: OpId, active: &[u32]) -> Result<()> {
        let data = &self.body.ops[op];
        let (condition, region) = (data.operands[0], data.regions[0]);
        let mut lanes = active.to_vec();
        loop {
            self.at = Some(op);
            let states = &self.frame.states;
            lanes.retain(|&lane| states[lane as usize] == LaneState::Running);
            lanes = self.partition(condition, &lanes)?.0;
            if lanes.is_empty() {
                break;
            }
            self.region(region, &lanes)?;
            self.land(LaneState::Continued, active);
        }
        self.land(LaneState::Broke, active);
        Ok(())
    }

    fn sblock(&mut self, op: OpId, id: SBlockId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let block = &body.sblocks[id];
        let data = &body.ops[op];
        for (iter, &binding) in block.iter_vars.iter().zip(&data.operands) {
            self.define(iter.value, binding, active)?;
        }
        let mut lanes = active.to_vec();
        if block.has_predicate
            && let Some(&predicate) = data.operands.last()
        {
            lanes = self.partition(predicate, &lanes)?.0;
        }
        if lanes.is_empty() {
            return Ok(());
        }
        if let Some(&init) = data.regions.get(1) {
            let first = self.at_reduction_start(id, &lanes)?;
            // What the body allocates is visible in the initialisation.
            let declarations = body.blocks[body.entry(data.regions[0])].ops.clone();
            for &declaration in declarations.iter().take_while(|it| is_declaration(body, **it)) {
                self.statement(declaration, &lanes)?;
            }
            if !first.is_empty() {
                self.region(init, &first)?;
            }
            return self.after_declarations(body.entry(data.regions[0]), &lanes);
        }
        self.region(data.regions[0], &lanes)
    }

    /// Runs a block without its leading declarations, which have been executed.
    fn after_declarations(&mut self, block: BlockId, lanes: &[u32]) -> Result<()> {
        let ops = self.body.blocks[block].ops.clone();
        let body = self.body;
        let mut lanes = lanes.to_vec();
        for op in ops.into_iter().skip_while(|it| is_declaration(body, *it)) {
            self.at = Some(op);
            self.statement(op, &lanes)?;
            let states = &self.frame.states;
            lanes.retain(|&lane| states[lane as usize] == LaneState::Running);
            if lanes.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The lanes in which every reduction variable has the first value of its domain (SEMANTICS: L9).
    fn at_reduction_start(&mut self, id: SBlockId, lanes: &[u32]) -> Result<Vec<u32>> {
        let body = self.body;
        let mut first = Vec::new();
        for &lane in lanes {
            let mut is_first = true;
            for iter in body.sblocks[id].iter_vars.iter().filter(|it| it.kind == IterKind::Reduce) {
                let start = self.int(iter.dom_min, lane as usize)?;
                let value = match &self.frame.slots[iter.value.index()] {
                    Slot::Uniform(value) => value.clone(),
                    Slot::Lanes(values) => values[lane as usize].clone(),
                    Slot::Empty => Val::Unit,
                };
                is_first &= self.used(&value)? == start;
            }
            if is_first {
                first.push(lane);
            }
        }
        Ok(first)
    }

    // ---- memory ----

    fn allocate(&mut self, buffer: BufferId, active: &[u32]) -> Result<()> {
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
        let storage = self.storages.len();
        self.storages.push(Storage::fresh(bytes, threads));
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
        self.frame.buffers[buffer.index()] = Some(BoundBuffer { storage, base, shape, strides });
        Ok(())
    }

    /// The values of integer expressions that must be the same in all active lanes.
    fn uniform_ints(&mut self, exprs: &[ExprId], active: &[u32]) -> Result<Vec<i64>> {
        let mut values = Vec::with_capacity(exprs.len());
        for &expr in exprs {
            let first = self.int(expr, active[0] as usize)?;
            for &lane in &active[1..] {
                if self.int(expr, lane as usize)? != first {
                    let message = "a buffer whose layout differs between threads".to_owned();
                    return self.fail(RunErrorKind::Unsupported, message);
                }
            }
            values.push(first);
        }
        Ok(values)
    }

    fn declare(&mut self, buffer: BufferId, active: &[u32]) -> Result<()> {
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
            BufferOrigin::MatchRegion(_) | BufferOrigin::Decl { data: None } => self
                .fail(RunErrorKind::Unsupported, "a buffer matched to part of another".to_owned()),
            BufferOrigin::Param | BufferOrigin::Alloc | BufferOrigin::Cell => Ok(()),
        }
    }

    fn bind_pointer(&mut self, buffer: BufferId, pointer: ExprId, active: &[u32]) -> Result<()> {
        match self.eval(pointer, active[0] as usize)? {
            Val::Pointer { storage, offset } => self.bind_buffer(buffer, storage, offset, active),
            other => self.fail(RunErrorKind::Unsupported, format!("memory at {other:?}")),
        }
    }

    // ---- calls for their effect ----

    fn evaluate(&mut self, expr: ExprId, active: &[u32]) -> Result<()> {
        if let ExprKind::Call { callee: crate::Callee::Intrinsic(name), args, .. } =
            self.body.expr(expr).kind
        {
            match self.body.name(name) {
                "tvm_thread_allreduce" => return self.allreduce(args, active),
                "tvm_storage_sync" => {
                    if active.len() != self.frame.threads.len() {
                        self.event(EventKind::DivergentBarrier);
                    }
                    return Ok(());
                }
                "assume" => {
                    let condition = self.body.items(args)[0];
                    if !self.partition(condition, active)?.1.is_empty() {
                        self.event(EventKind::FalseAssumption);
                    }
                    return Ok(());
                }
                "break_loop" => {
                    self.jump(LaneState::Broke, active);
                    return Ok(());
                }
                "continue_loop" => {
                    self.jump(LaneState::Continued, active);
                    return Ok(());
                }
                "ret" | "thread_return" => {
                    self.jump(LaneState::Returned, active);
                    return Ok(());
                }
                _ => {}
            }
        }
        for &lane in active {
            self.eval(expr, lane as usize)?;
        }
        Ok(())
    }
}

fn is_declaration(body: &Body, op: OpId) -> bool {
    match body.ops[op].kind {
        OpKind::Alloc { kind, .. } => kind == crate::AllocKind::SBlock,
        OpKind::DeclBuffer { buffer } => {
            matches!(body.buffers[buffer].origin, BufferOrigin::MatchRegion(_))
        }
        _ => false,
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

impl Array {
    /// All scalar elements as doubles.
    pub fn to_f64s(&self) -> Vec<f64> {
        let bytes = self.dtype.element().bytes().max(1);
        let read = |chunk: &[u8]| match read_scalar(self.dtype.element(), chunk) {
            Some(Val::Int(value, _)) => value as f64,
            Some(Val::Float(value)) => value,
            _ => f64::NAN,
        };
        self.data.chunks_exact(bytes).map(read).collect()
    }
}
