//! Execution of statements over the active lanes.

use std::{collections::BTreeMap, rc::Rc};

use smallvec::SmallVec;

use super::{
    EventKind, Options, RunError, RunErrorKind, Schedule,
    access::Place,
    async_copy::Flights,
    counts::Counts,
    fast::Programs,
    matrix,
    memory::Storage,
    ops::Val,
    races::{Agent, Races},
    schedule::{Convergence, Shuffler},
    uniform::Uniformity,
};
use ir::{
    BlockId, Body, BufferId, ExprId, ExprKind, ExprListId, Intrinsic, MemoryScope, OpId, OpKind,
    RegionId, ScopeAttr, ValueId, arena::Id, effects::EffectTable,
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

/// The memory of a buffer.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// None yet.
    Empty,
    /// The same in all lanes.
    Uniform(Rc<BoundBuffer>),
    /// One a lane.
    Lanes(Rc<[Option<Rc<BoundBuffer>>]>),
}

/// A buffer with memory.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BoundBuffer {
    pub(super) storage: usize,
    /// Byte offset of element 0.
    pub(super) base: i64,
    pub(super) shape: Vec<i64>,
    /// In elements.
    pub(super) strides: Vec<i64>,
    pub(super) element_bytes: i64,
}

/// The state of a lane at the end of the current statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LaneState {
    Running,
    Continued,
    Broke,
    Returned,
}

/// Lanes and their environment.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) slots: Vec<Slot>,
    pub(super) buffers: Vec<Binding>,
    /// The thread of each lane.
    pub(super) threads: Rc<[u32]>,
    pub(super) states: Vec<LaneState>,
    pub(super) has_jumped: bool,
}

/// The state of a run.
pub(super) struct Machine<'a> {
    pub(super) body: &'a Body,
    /// The effects of unknown calls, and the calls that threads make together.
    pub(super) effects: &'a EffectTable,
    pub(super) options: Options,
    pub(super) frame: Frame,
    pub(super) storages: Vec<Storage>,
    /// Values of the variables of enclosing binders, innermost last.
    pub(super) binders: Vec<Val>,
    pub(super) steps: u64,
    pub(super) counts: Counts,
    /// True if a wrapped integer became a float.
    pub(super) has_lost_overflow: bool,
    /// The statement being executed.
    pub(super) at: Option<OpId>,
    /// The counts, and the details of the first ones.
    pub(super) events: BTreeMap<(OpId, EventKind), (u64, String)>,
    /// The kernel being run: its number of threads a block.
    pub(super) kernel: Option<super::launch::Kernel>,
    /// Enclosing `T.attr(comm_reducer, "reduce_scope", …)` nodes.
    pub(super) reducers: Vec<ExprId>,
    pub(super) returned: Option<Val>,
    /// The place where the array arguments lie: storage and first byte, none for scalars.
    pub(super) homes: Vec<Option<(usize, usize)>>,
    /// Storages that calls of unknown functions may touch, beside those of arguments.
    pub(super) escaped: Vec<usize>,
    /// The expressions that are the same in all lanes, and their values in the current statement.
    pub(super) uniformity: Uniformity,
    pub(super) programs: Programs,
    /// The operations that threads must execute together; empty if the schedule is lockstep anyway.
    pub(super) convergence: Convergence,
    pub(super) shuffler: Shuffler,
    /// The number of vectorised loops that enclose the statement.
    pub(super) vector_depth: u32,
    /// The lanes that execute the statement, where other threads may look at them; empty for all that ask.
    pub(super) participants: Vec<u32>,
    pub(super) races: Races,
    /// Asynchronous copies without a wait so far.
    pub(super) flights: Flights,
    /// The agent of the current accesses, if races are detected; the thread is filled in at the access.
    pub(super) agent: Option<Agent>,
    /// Number of kernels and parallel loops so far.
    pub(super) n_launches: u32,
    /// Barriers with phases of the block of threads that runs.
    pub(super) phases: super::phases::Phases,
    /// True if statements of a tile kernel differ between the threads of a block.
    pub(super) asks_for_threads: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn new(body: &'a Body, effects: &'a EffectTable, options: Options) -> Self {
        let frame = Frame {
            slots: vec![Slot::Empty; body.values.len()],
            buffers: vec![Binding::Empty; body.buffers.len()],
            threads: Rc::new([0]),
            states: vec![LaneState::Running],
            has_jumped: false,
        };
        Machine {
            body,
            effects,
            options,
            frame,
            phases: Default::default(),
            asks_for_threads: super::tile_kernel::asks_for_threads(body, effects),
            storages: Vec::new(),
            binders: Vec::new(),
            steps: 0,
            counts: Counts::default(),
            has_lost_overflow: false,
            at: None,
            events: BTreeMap::new(),
            kernel: None,
            reducers: Vec::new(),
            returned: None,
            homes: Vec::new(),
            escaped: Vec::new(),
            uniformity: Uniformity::of(body),
            programs: Programs::new(body.ops.len()),
            convergence: match options.schedule {
                Schedule::Lockstep => Convergence::default(),
                _ => Convergence::of(body, effects),
            },
            shuffler: Shuffler::new(match options.schedule {
                Schedule::Random(seed) => seed,
                _ => 0,
            }),
            vector_depth: 0,
            participants: Vec::new(),
            races: Races::default(),
            flights: Flights::default(),
            agent: None,
            n_launches: 0,
        }
    }

    pub(super) fn fail<T>(&self, kind: RunErrorKind, message: String) -> Result<T> {
        Err(Box::new(RunError { op: self.at, function: 0, kind, message }))
    }

    // ---- statements ----

    pub(super) fn region(&mut self, region: RegionId, active: &[u32]) -> Result<()> {
        let blocks = &self.body.regions[region].blocks;
        if blocks.len() > 1 {
            return self.fail(RunErrorKind::Unsupported, "a region of several blocks".to_owned());
        }
        self.block(blocks[0], active)
    }

    /// Executes a block in the active lanes; those that jump leave it.
    pub(super) fn block(&mut self, block: BlockId, active: &[u32]) -> Result<()> {
        let body = self.body;
        self.statements(&body.blocks[block].ops, active)
    }

    /// Executes a list of statements in the active lanes.
    pub(super) fn statements(&mut self, ops: &[OpId], active: &[u32]) -> Result<()> {
        if self.kernel.is_none()
            && let Some(entry) = ops.iter().position(|&op| self.is_device_entry(op))
        {
            self.list(&ops[..entry], active)?;
            return self.device(&ops[entry + 1..]);
        }
        if self.is_one_by_one(active) {
            return self.stretches(ops, active);
        }
        self.list(ops, active)
    }

    /// Executes statements in lockstep.
    pub(super) fn list(&mut self, ops: &[OpId], active: &[u32]) -> Result<()> {
        let mut active = std::borrow::Cow::Borrowed(active);
        for &op in ops {
            self.at = Some(op);
            ir::stack::with_room(|| self.statement(op, &active))?;
            if self.frame.has_jumped {
                self.retain_running(active.to_mut());
                if active.is_empty() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Takes out the lanes that have jumped.
    pub(super) fn retain_running(&self, active: &mut Vec<u32>) {
        if self.frame.has_jumped {
            active.retain(|&lane| self.frame.states[lane as usize] == LaneState::Running);
        }
    }

    pub(super) fn statement(&mut self, op: OpId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let data = &body.ops[op];
        self.uniformity.forget();
        if self.kernel.is_some() {
            self.participants.clear();
            self.participants.extend_from_slice(active);
        }
        match data.kind {
            OpKind::Store { buffer, predicated } => self.store(op, buffer, predicated, active),
            OpKind::Bind if self.take_index(op)? => Ok(()),
            OpKind::Bind => {
                let (value, expr) = (data.results[0], data.operands[0]);
                if !self.fast_define(op, value, expr, active)? {
                    self.define(value, expr, active)?;
                }
                data.regions.first().map_or(Ok(()), |&region| self.region(region, active))
            }
            OpKind::For(kind) => self.for_loop(op, kind, active),
            OpKind::If => {
                let (then, otherwise) = match self.fast_partition(op, data.operands[0], active)? {
                    Some(parts) => parts,
                    None => self.partition(data.operands[0], active)?,
                };
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
            OpKind::Attr(_) => {
                let is_reducer = body.scope_attr(op) == Some(ScopeAttr::ReduceScope);
                if is_reducer {
                    self.reducers.push(data.operands[0]);
                }
                let result = self.region(data.regions[0], active);
                if is_reducer {
                    self.reducers.pop();
                }
                result
            }
            OpKind::AttrDict if self.kernel.is_none() && self.is_device_scope(op) => {
                self.device(&body.blocks[body.entry(data.regions[0])].ops)
            }
            OpKind::AttrDict => self.region(data.regions[0], active),
            OpKind::Alloc { buffer, kind } => {
                self.allocate(buffer, kind, active)?;
                data.regions.first().map_or(Ok(()), |&region| self.region(region, active))
            }
            OpKind::DeclBuffer { buffer } => self.declare(buffer, active),
            OpKind::Evaluate => self.evaluate(data.operands[0], active),
            OpKind::Assert => {
                let (_, failed) = self.partition(data.operands[0], active)?;
                if !failed.is_empty() {
                    let message = EventKind::FailedAssertion.message();
                    self.error(EventKind::FailedAssertion, |_| message.to_owned())?;
                    self.jump(LaneState::Returned, &failed);
                }
                Ok(())
            }
            OpKind::Return => {
                if let Some(&value) = data.operands.first() {
                    let value = self.eval(value, active[0] as usize)?;
                    self.mark_used(&value);
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
        if let ExprKind::Value(from) = self.body.expr(expr).kind
            && !matches!(self.frame.slots[from.index()], Slot::Empty)
            && (self.frame.threads.len() == active.len())
        {
            // Another name for a variable: in all lanes at once, and nothing is computed.
            self.step()?;
            self.frame.slots[value.index()] = self.frame.slots[from.index()].clone();
        } else if self.frame.threads.len() == 1 || self.uniformity.is_uniform(expr) {
            let one = self.for_all(active, |it| it.eval(expr, active[0] as usize))?;
            self.frame.slots[value.index()] = Slot::Uniform(one);
        } else {
            let mut values = self.lanes_of(value);
            for &lane in active {
                let one = self.eval(expr, lane as usize)?;
                if let Some(values) = Rc::get_mut(&mut values) {
                    values[lane as usize] = one;
                }
            }
            self.frame.slots[value.index()] = Slot::Lanes(values);
        }
        self.uniformity.forget();
        Ok(())
    }

    /// The values of a variable in all lanes, to be changed: those that other lanes have stay.
    pub(super) fn lanes_of(&self, value: ValueId) -> Rc<[Val]> {
        match &self.frame.slots[value.index()] {
            Slot::Lanes(old) if old.len() == self.frame.threads.len() => {
                old.iter().cloned().collect()
            }
            _ => vec![Val::Unit; self.frame.threads.len()].into(),
        }
    }

    /// Gives a variable its value in one lane.
    pub(super) fn set_in_lane(&mut self, value: ValueId, lane: usize, to: Val) {
        if self.frame.threads.len() == 1 {
            self.frame.slots[value.index()] = Slot::Uniform(to);
        } else {
            let mut values = self.lanes_of(value);
            if let Some(values) = Rc::get_mut(&mut values) {
                values[lane] = to;
            }
            self.frame.slots[value.index()] = Slot::Lanes(values);
        }
        self.uniformity.forget();
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
        if !is_predicated && self.fast_store(op, buffer, active)? {
            return Ok(());
        }
        let body = self.body;
        let operands = &body.ops[op].operands;
        let (value, indices) = (operands[0], &operands[1..]);
        let (predicate, indices) = match indices.split_last() {
            Some((last, rest)) if is_predicated => (Some(*last), rest),
            _ => (None, indices),
        };
        // All lanes are evaluated before the first one writes (SEMANTICS: E2, P3).
        let mut writes: SmallVec<[(u32, Place, Val); 1]> = SmallVec::new();
        for &lane in active {
            let value = self.eval(value, lane as usize)?;
            let place = self.place(buffer, indices, predicate, lane as usize)?;
            writes.push((lane, place, value));
        }
        for (lane, place, value) in &writes {
            self.write_to(buffer, place, *lane, value)?;
        }
        Ok(())
    }

    // ---- calls for their effect ----

    fn evaluate(&mut self, expr: ExprId, active: &[u32]) -> Result<()> {
        if let ExprKind::Call { callee: ir::Callee::Intrinsic(name, it), args, .. } =
            self.body.expr(expr).kind
        {
            match it {
                Intrinsic::ThreadAllreduce => return self.allreduce(args, active),
                Intrinsic::StorageSync
                | Intrinsic::BlockSync
                | Intrinsic::WarpSync
                | Intrinsic::ThreadFence => {
                    self.barrier(it, args, active);
                    return Ok(());
                }
                Intrinsic::Assume => {
                    let condition = self.body.items(args)[0];
                    if !self.partition(condition, active)?.1.is_empty() {
                        self.event(EventKind::FalseAssumption);
                    }
                    return Ok(());
                }
                Intrinsic::BreakLoop => {
                    self.jump(LaneState::Broke, active);
                    return Ok(());
                }
                Intrinsic::ContinueLoop => {
                    self.jump(LaneState::Continued, active);
                    return Ok(());
                }
                Intrinsic::Return | Intrinsic::ThreadReturn => {
                    self.jump(LaneState::Returned, active);
                    return Ok(());
                }
                it if it.is_tile() => return self.tile_primitive(expr, active),
                it if it.is_tilelang_tile() => return self.tilelang_operation(expr, active),
                _ if matrix::is_collective(self.body.name(name)) => {
                    return self.collective(expr, active);
                }
                _ => {}
            }
        }
        for &lane in active {
            self.eval(expr, lane as usize)?;
        }
        Ok(())
    }

    /// A barrier: the threads stand here anyway; those that returned earlier are not waited for (SEMANTICS: Y1, Y2).
    fn barrier(&mut self, it: Intrinsic, args: ExprListId, active: &[u32]) {
        let body = self.body;
        let scope = body.items(args).first().and_then(|it| match body.expr(*it).kind {
            ExprKind::Str(scope) => Some(body.scope_of(scope)),
            _ => None,
        });
        let is_of_warp = it == Intrinsic::WarpSync || scope == Some(MemoryScope::Warp);
        self.counts.calls += active.len() as u64;
        if it != Intrinsic::ThreadFence && !is_of_warp {
            let waiting = self.frame.states.iter().filter(|it| **it != LaneState::Returned).count();
            if active.len() != waiting {
                let n_active = active.len();
                self.event_with(EventKind::DivergentBarrier, |_| {
                    format!("{n_active} of {waiting} threads of the block reach a barrier")
                });
            }
        }
        if is_of_warp {
            let threads = active.iter().map(|it| self.frame.threads[*it as usize]);
            self.races.warp_barrier(threads);
        } else if let Some(agent) = &mut self.agent {
            // A fence counts too: what it orders is told by atomics, which are not followed. No race is made up.
            agent.epoch += 1;
        }
    }
}
