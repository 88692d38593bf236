//! Execution of statements over the active lanes.

use std::{collections::BTreeMap, rc::Rc};

use smallvec::SmallVec;

use super::{
    EventKind, Options, RunError, RunErrorKind,
    access::Offsets,
    counts::Counts,
    memory::{Storage, fixed_lanes, write_scalar},
    ops::Val,
    uniform::Uniformity,
};
use crate::{
    BlockId, Body, BufferId, DataType, ExprId, ExprKind, OpId, OpKind, RegionId, ValueId, arena::Id,
};

type Result<T> = std::result::Result<T, Box<RunError>>;

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
    pub(super) element_bytes: i64,
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
    pub(super) buffers: Vec<Option<Rc<BoundBuffer>>>,
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
    pub(super) counts: Counts,
    /// The statement being executed.
    pub(super) at: Option<OpId>,
    pub(super) events: BTreeMap<(OpId, EventKind), u64>,
    /// The kernel being run: its number of threads a block.
    pub(super) kernel: Option<super::launch::Kernel>,
    /// Enclosing `T.attr(comm_reducer, "reduce_scope", …)` nodes.
    pub(super) reducers: Vec<ExprId>,
    pub(super) returned: Option<Val>,
    /// The shapes of array arguments, by their storage.
    pub(super) argument_shapes: Vec<(usize, Vec<i64>)>,
    /// Which expressions are the same in all lanes, and their values in the current statement.
    pub(super) uniformity: Uniformity,
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
            counts: Counts::default(),
            at: None,
            events: BTreeMap::new(),
            kernel: None,
            reducers: Vec::new(),
            returned: None,
            argument_shapes: Vec::new(),
            uniformity: Uniformity::of(body),
        }
    }

    pub(super) fn fail<T>(&self, kind: RunErrorKind, message: String) -> Result<T> {
        Err(Box::new(RunError { op: self.at, kind, message }))
    }

    pub(super) fn event(&mut self, kind: EventKind) {
        if let Some(op) = self.at {
            *self.events.entry((op, kind)).or_default() += 1;
        }
    }

    // ---- statements ----

    pub(super) fn region(&mut self, region: RegionId, active: &[u32]) -> Result<()> {
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

    pub(super) fn statement(&mut self, op: OpId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let data = &body.ops[op];
        self.uniformity.forget();
        match data.kind {
            OpKind::Store { buffer, predicated } => self.store(op, buffer, predicated, active),
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
            OpKind::Opaque(_) | OpKind::Named(_) => {
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
    pub(super) fn define(&mut self, value: ValueId, expr: ExprId, active: &[u32]) -> Result<()> {
        let slot = if self.frame.threads.len() == 1 || self.uniformity.is_uniform(expr) {
            Slot::Uniform(self.for_all(active, |it| it.eval(expr, active[0] as usize))?)
        } else {
            let mut values = vec![Val::Unit; self.frame.threads.len()];
            for &lane in active {
                values[lane as usize] = self.eval(expr, lane as usize)?;
            }
            Slot::Lanes(values.into())
        };
        self.frame.slots[value.index()] = slot;
        self.uniformity.forget();
        Ok(())
    }

    /// The active lanes where a condition holds, and those where it does not.
    pub(super) fn partition(
        &mut self,
        condition: ExprId,
        active: &[u32],
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        if self.frame.threads.len() == 1 || self.uniformity.is_uniform(condition) {
            let holds = self.for_all(active, |it| it.int(condition, active[0] as usize))? != 0;
            let all = active.to_vec();
            return Ok(if holds { (all, Vec::new()) } else { (Vec::new(), all) });
        }
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for &lane in active {
            if self.int(condition, lane as usize)? != 0 { yes.push(lane) } else { no.push(lane) }
        }
        Ok((yes, no))
    }

    fn store(
        &mut self,
        op: OpId,
        buffer: BufferId,
        is_predicated: bool,
        active: &[u32],
    ) -> Result<()> {
        let body = self.body;
        let operands = &body.ops[op].operands;
        let (value, indices) = (operands[0], &operands[1..]);
        let (predicate, indices) = match indices.split_last() {
            Some((last, rest)) if is_predicated => (Some(*last), rest),
            _ => (None, indices),
        };
        // All lanes are evaluated before the first one writes (SEMANTICS: E2, P3).
        let mut writes: SmallVec<[(u32, Offsets, Val); 1]> = SmallVec::new();
        for &lane in active {
            let value = self.eval(value, lane as usize)?;
            let offsets = self.offsets(buffer, indices, predicate, lane as usize)?;
            writes.push((lane, offsets, value));
        }
        let dtype = body.buffers[buffer].dtype;
        for (lane, offsets, value) in &writes {
            self.mark_used(value);
            match (offsets, value) {
                (Offsets::One(offset), Val::Int(..) | Val::Float(_)) if dtype.is_scalar() => {
                    self.write(buffer, dtype, *offset, *lane, value)?;
                }
                _ => self.write_lanes(buffer, dtype, offsets, *lane, value)?,
            }
        }
        Ok(())
    }

    /// Writes a vector: the elements of each offset, each with all lanes of the element type.
    fn write_lanes(
        &mut self,
        buffer: BufferId,
        dtype: DataType,
        offsets: &Offsets,
        lane: u32,
        value: &Val,
    ) -> Result<()> {
        let n = fixed_lanes(dtype).unwrap_or(1);
        let element = dtype.element();
        for (position, offset) in offsets.as_slice().iter().enumerate() {
            if *offset == Offsets::OFF {
                self.counts.stores += n as u64;
                continue;
            }
            for k in 0..n {
                let part = match value {
                    Val::Vector(values) => values.get(position * n + k).cloned(),
                    scalar => Some(scalar.clone()),
                };
                let Some(part) = part else {
                    let message = "a store of too few lanes".to_owned();
                    return self.fail(RunErrorKind::Unsupported, message);
                };
                let at = offset + (k * element.bytes()) as i64;
                self.write(buffer, element, at, lane, &part)?;
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
        self.counts.stores += u64::from(!self.body.buffers[buffer].is_cell());
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
        let offsets = self.offsets(buffer, self.body.items(indices), None, lane as usize)?;
        let dtype = self.body.buffers[buffer].dtype;
        self.write(buffer, dtype, offsets.as_slice()[0], lane, value)
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
