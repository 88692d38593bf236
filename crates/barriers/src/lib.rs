#![doc = include_str!("../README.md")]

mod common;
mod evidence;
pub mod in_place;
pub mod instructions;
mod pointers;
pub mod reasons;
pub mod refusal;
mod threads;

use std::{collections::BTreeMap, rc::Rc};

use ir::{
    BlockId, Body, BufferId, ExprId, ExprKind, Intrinsic, OpId, OpKind, RegionId, ValueId,
    arena::Id as _, effects::EffectTable, walk::WalkEvent,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::evidence::Hazard;
use self::{
    common::Common,
    pointers::{PointerAccess, makes_address},
};
use crate::refusal::LowerRefusal;

type Result<T> = std::result::Result<T, LowerRefusal>;

/// The properties of a kernel that the analysis needs.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The outermost `launch_thread`.
    pub op: OpId,
    /// Extents of the thread axes x, y, z, if all are constants and the block has at most 1024 threads.
    pub block: Option<[i64; 3]>,
    /// The axis (0, 1, 2) of each thread index.
    pub thread_vars: FxHashMap<ValueId, usize>,
    /// By buffer: the shared memory that it shows, as a number.
    pub shared: Vec<Option<u32>>,
    /// By buffer: whether it is global memory that nothing changes while the kernel runs.
    pub is_constant: Vec<bool>,
}

/// The place where barriers go.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// Before these operations.
    pub before: FxHashSet<OpId>,
    /// At the ends of these blocks.
    pub at_end: FxHashSet<BlockId>,
    /// The reason, for each operation, in program order.
    pub hazards: Vec<Hazard>,
    /// Stores that read elements that another thread writes in the same statement: no barrier can stand in between
    /// until they are divided ([`in_place`]).
    pub exchanges: Vec<OpId>,
}

/// Threads that may run in step.
const WARP: u32 = 32;

/// Nested loops with shared memory beyond which analysis is refused: each level multiplies its passes.
const MAX_NESTING: usize = 10;

/// The definitions of all bound values of a function.
pub fn bindings(body: &Body) -> FxHashMap<ValueId, ExprId> {
    let mut definitions = FxHashMap::default();
    for op in body.ops_preorder() {
        let operation = &body.ops[op];
        if operation.kind == OpKind::Bind
            && let (Some(&value), Some(&expr)) =
                (operation.results.first(), operation.operands.first())
        {
            definitions.insert(value, expr);
        }
    }
    definitions
}

/// An operation and all in it, in program order.
pub fn nest(body: &Body, kernel: OpId) -> impl Iterator<Item = OpId> + '_ {
    std::iter::once(kernel).chain(body.ops[kernel].regions.iter().flat_map(|&region| {
        body.walk(region).filter_map(|event| match event {
            WalkEvent::Enter(op) => Some(op),
            _ => None,
        })
    }))
}

/// One access to shared memory.
struct Access {
    op: OpId,
    root: u32,
    write: bool,
    addresses: Option<Addresses>,
    /// A warp executes it together, or the executing threads are unknown: being the same thread is no excuse.
    is_collective: bool,
    /// Ends at a wait.
    is_asynchronous: bool,
    /// True if all its addresses are accessed.
    is_exact: bool,
    /// The threads that touch each address, for writes; computed on first use.
    owners: std::cell::OnceCell<FxHashMap<i64, u32>>,
}

/// Several threads.
const MANY: u32 = u32::MAX;

/// The addresses of an access, by thread, relative to a part that is the same for all threads.
#[derive(Clone)]
struct Addresses {
    /// The common part: terms without thread indices, sorted.
    base: Vec<Common>,
    /// Bytes of an element.
    unit: usize,
    /// First element of each thread.
    of_thread: Rc<[i64]>,
    /// Added to all.
    constant: i64,
    /// The first and the last of all.
    span: [i64; 2],
    /// The offsets that each thread accesses, from its first element.
    offsets: Rc<[i64]>,
    /// Threads that get here.
    active: Option<Rc<[bool]>>,
}

impl Addresses {
    /// The addresses of all threads.
    fn count(&self) -> usize {
        self.of_thread.len() * self.offsets.len()
    }

    fn each(&self) -> impl Iterator<Item = (i64, u32)> + '_ {
        let active = |thread: usize| self.active.as_ref().is_none_or(|it| it[thread]);
        self.of_thread.iter().enumerate().filter(move |it| active(it.0)).flat_map(
            move |(thread, &first)| {
                let from = first + self.constant;
                self.offsets.iter().map(move |offset| (from + offset, thread as u32))
            },
        )
    }
}

impl Access {
    fn owners(&self, addresses: &Addresses) -> &FxHashMap<i64, u32> {
        self.owners.get_or_init(|| {
            let mut owners = FxHashMap::default();
            for (address, thread) in addresses.each() {
                owners
                    .entry(address)
                    .and_modify(|it| *it = if *it == thread { thread } else { MANY })
                    .or_insert(thread);
            }
            owners
        })
    }
}

/// Accesses since the last barrier, and whether they are of an earlier iteration of a loop.
#[derive(Clone, PartialEq, Eq, Default)]
struct State {
    reads: BTreeMap<u32, BTreeMap<u32, bool>>,
    writes: BTreeMap<u32, BTreeMap<u32, bool>>,
    /// Copies without a wait so far.
    flying: BTreeMap<u32, bool>,
}

/// An access that an operation makes.
enum FoundAccess {
    Element { root: u32, buffer: BufferId, indices: Vec<ExprId>, write: bool },
    Pointer { root: u32, access: PointerAccess },
}

impl State {
    /// Returns true if nothing is pending.
    fn is_clear(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }
    /// A barrier: copies in flight stay in flight.
    fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }
    fn add(&mut self, id: u32, access: &Access, aged: bool) {
        if access.is_asynchronous {
            *self.flying.entry(id).or_insert(aged) |= aged;
        } else {
            self.pend(id, access, aged);
        }
    }
    fn pend(&mut self, id: u32, access: &Access, aged: bool) {
        let side = if access.write { &mut self.writes } else { &mut self.reads };
        *side.entry(access.root).or_default().entry(id).or_insert(aged) |= aged;
    }
    /// A wait: copies in flight may have arrived, and have if the wait is for all.
    fn land(&mut self, accesses: &[Access], all: bool) {
        let flying = self.flying.clone();
        flying.iter().for_each(|(&id, &aged)| self.pend(id, &accesses[id as usize], aged));
        if all {
            self.flying.clear();
        }
    }
    /// Returns the state with only the copies in flight.
    fn in_flight(&self) -> State {
        State { flying: self.flying.clone(), ..State::default() }
    }
    fn join(&mut self, other: &State, age: bool) {
        for (&id, &aged) in &other.flying {
            *self.flying.entry(id).or_insert(false) |= aged || age;
        }
        for (mine, theirs) in [(&mut self.reads, &other.reads), (&mut self.writes, &other.writes)] {
            for (&root, accesses) in theirs {
                let mine = mine.entry(root).or_default();
                for (&id, &aged) in accesses {
                    *mine.entry(id).or_insert(false) |= aged || age;
                }
            }
        }
    }
}

/// The place where the walk is.
#[derive(Clone)]
struct Flow {
    /// All threads of a block pass here together.
    convergent: bool,
    active: Option<Rc<[bool]>>,
    nesting: usize,
}

impl Flow {
    fn convergent() -> Flow {
        Flow { convergent: true, active: None, nesting: 0 }
    }
    fn divergent(&self) -> Flow {
        Flow { convergent: false, ..self.clone() }
    }
}

/// Finds where a kernel needs barriers.
pub struct Planner<'a> {
    body: &'a Body,
    kernel: &'a Kernel,
    effects: &'a EffectTable,
    definitions: FxHashMap<ValueId, ExprId>,
    /// Operations that touch shared memory, or hold one that does.
    shared: FxHashSet<OpId>,
    /// Operations that are or hold a barrier of the source.
    synced: FxHashSet<OpId>,
    jumps: FxHashSet<OpId>,
    /// Operations that are or hold a wait for copies.
    waits: FxHashSet<OpId>,
    accesses: Vec<Access>,
    of_op: FxHashMap<OpId, Rc<[u32]>>,
    thread_parts: FxHashMap<Vec<(ExprId, i64)>, Option<Rc<[i64]>>>,
    uniform: FxHashMap<ExprId, bool>,
    /// Barriers of the source that are read as if they were not there.
    ignored: FxHashSet<OpId>,
    found: Plan,
}

impl<'a> Planner<'a> {
    /// Reads a kernel. Linear in its operations.
    pub fn new(body: &'a Body, kernel: &'a Kernel, effects: &'a EffectTable) -> Planner<'a> {
        let mut planner = Planner {
            body,
            kernel,
            effects,
            definitions: bindings(body),
            shared: FxHashSet::default(),
            synced: FxHashSet::default(),
            jumps: FxHashSet::default(),
            waits: FxHashSet::default(),
            accesses: Vec::new(),
            of_op: FxHashMap::default(),
            thread_parts: FxHashMap::default(),
            uniform: FxHashMap::default(),
            ignored: FxHashSet::default(),
            found: Plan::default(),
        };
        planner.classify();
        planner
    }

    /// Plans the missing barriers.
    ///
    /// # Errors
    /// An exchange between threads where only some of them pass; too many nested loops.
    pub fn plan(self) -> Result<Plan> {
        self.plan_without(FxHashSet::default())
    }

    /// As [`Planner::plan`], if these barriers were not there.
    ///
    /// # Errors
    /// As [`Planner::plan`].
    pub fn plan_without(mut self, ignored: FxHashSet<OpId>) -> Result<Plan> {
        self.ignored = ignored;
        self.op(self.kernel.op, &mut State::default(), &Flow::convergent())?;
        Ok(self.found)
    }

    /// The barriers that the kernel has, in program order.
    pub fn barriers(&self) -> Vec<OpId> {
        nest(self.body, self.kernel.op).filter(|&it| is_barrier(self.body, it)).collect()
    }

    /// Returns true if all threads of a block reach an operation together, equally often: no condition around it
    /// depends on the thread, and nothing leaves early.
    pub fn is_convergent(&mut self, op: OpId) -> bool {
        let body = self.body;
        if self.jumps.contains(&self.kernel.op) {
            return false;
        }
        let mut at = body.parent_op(op);
        while let Some(around) = at.filter(|&it| it != self.kernel.op) {
            let operation = &body.ops[around];
            let is_uniform = match operation.kind {
                OpKind::If | OpKind::For(_) => {
                    operation.operands.iter().all(|&it| self.is_uniform(it))
                }
                OpKind::While => false,
                _ => true,
            };
            if !is_uniform {
                return false;
            }
            at = body.parent_op(around);
        }
        true
    }

    /// Marks the operations around accesses, barriers and jumps.
    fn classify(&mut self) {
        let body = self.body;
        for op in nest(body, self.kernel.op) {
            let sync = is_barrier(body, op);
            let jump =
                matches!(body.ops[op].kind, OpKind::Break | OpKind::Continue | OpKind::Return);
            let wait = self.waits(op);
            let access = wait || self.touches_shared(op);
            let mark = |set: &mut FxHashSet<OpId>| {
                let mut at = Some(op);
                while let Some(op) = at {
                    if !set.insert(op) || op == self.kernel.op {
                        break;
                    }
                    at = body.parent_op(op);
                }
            };
            if sync {
                mark(&mut self.synced);
            }
            if jump {
                mark(&mut self.jumps);
            }
            if wait {
                mark(&mut self.waits);
            }
            if access {
                mark(&mut self.shared);
            }
        }
    }

    fn touches_shared(&self, op: OpId) -> bool {
        let mut found = false;
        self.each_access(op, &mut |_| found = true);
        found
    }

    fn waits(&self, op: OpId) -> bool {
        let operation = &self.body.ops[op];
        operation.kind == OpKind::Evaluate && self.is_wait(operation.operands[0])
    }

    /// Calls `visit` for each access of an operation's operands.
    fn each_access(&self, op: OpId, visit: &mut dyn FnMut(FoundAccess)) {
        let body = self.body;
        let operation = &body.ops[op];
        if matches!(
            operation.kind,
            OpKind::DeclBuffer { .. } | OpKind::Alloc { .. } | OpKind::LaunchThread { .. }
        ) {
            return;
        }
        let mut seen = FxHashSet::default();
        let mut stack: Vec<ExprId> = operation.operands.iter().copied().collect();
        while let Some(expr) = stack.pop() {
            let flags = body.expr(expr).flags;
            if !(flags.has_load || flags.has_call) || !seen.insert(expr) {
                continue;
            }
            let kind = body.expr(expr).kind;
            match kind {
                ExprKind::Load { buffer, indices, .. } => {
                    if let Some(root) = self.kernel.shared[buffer.index()] {
                        let indices = body.items(indices).to_vec();
                        visit(FoundAccess::Element { root, buffer, indices, write: false });
                    }
                }
                // The element is named, not read.
                ExprKind::Call { callee, args, .. } if makes_address(callee) => {
                    for &arg in body.items(args) {
                        match body.expr(arg).kind {
                            ExprKind::Load { indices, .. } => stack.extend(body.items(indices)),
                            _ => stack.push(arg),
                        }
                    }
                    continue;
                }
                ExprKind::Call { .. } => {
                    for access in self.pointer_accesses(expr) {
                        for root in self.roots_of(&access) {
                            visit(FoundAccess::Pointer { root, access: access.clone() });
                        }
                    }
                }
                _ => {}
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
        if let OpKind::Store { buffer, predicated } = operation.kind
            && let Some(root) = self.kernel.shared[buffer.index()]
        {
            let end = operation.operands.len() - usize::from(predicated);
            let indices = operation.operands[1..end].to_vec();
            visit(FoundAccess::Element { root, buffer, indices, write: true });
        }
    }

    // ---- the walk ----

    fn region(&mut self, region: RegionId, state: &mut State, flow: &Flow) -> Result<()> {
        ir::stack::with_room(|| {
            let body = self.body;
            for &block in &body.regions[region].blocks {
                for &op in &body.blocks[block].ops {
                    self.op(op, state, flow).map_err(|it| it.at(op))?;
                }
                if self.found.at_end.contains(&block) {
                    state.clear();
                }
            }
            Ok(())
        })
    }

    fn op(&mut self, op: OpId, state: &mut State, flow: &Flow) -> Result<()> {
        let body = self.body;
        if is_barrier(body, op) {
            if !self.ignored.contains(&op) {
                state.clear();
            }
            return Ok(());
        }
        if self.found.before.contains(&op) {
            state.clear();
        }
        if !self.shared.contains(&op) && !self.synced.contains(&op) {
            return Ok(());
        }
        match body.ops[op].kind {
            OpKind::If => self.if_statement(op, state, flow),
            OpKind::For(_) | OpKind::While => self.loop_statement(op, state, flow),
            _ => {
                let accesses = self.accesses_of(op, flow)?;
                self.order(op, &accesses, state, flow)?;
                if self.is_exchange(op, &accesses) && !self.found.exchanges.contains(&op) {
                    self.found.exchanges.push(op);
                }
                if self.waits(op) {
                    let all = self.is_wait_for_all(body.ops[op].operands[0]);
                    state.land(&self.accesses, all);
                }
                for &region in &body.ops[op].regions {
                    self.region(region, state, flow)?;
                }
                Ok(())
            }
        }
    }

    /// Inserts a barrier before `op` if `accesses` have a hazard with the pending ones; then they are pending too.
    fn order(&mut self, op: OpId, accesses: &[u32], state: &mut State, flow: &Flow) -> Result<()> {
        if accesses.iter().any(|&it| self.hazard(it, state)) {
            if !flow.convergent {
                return Err(LowerRefusal::new(
                    reasons::SHARED_HAZARD_IN_DIVERGENT_FLOW,
                    "threads exchange shared memory where only some of them pass: no barrier can stand there",
                ));
            }
            self.insert_before(op, accesses, state);
            state.clear();
        }
        for &id in accesses {
            state.add(id, &self.accesses[id as usize], false);
        }
        Ok(())
    }

    /// Inserts a barrier before `op` if something in it has a hazard with the pending accesses.
    fn order_inside(&mut self, op: OpId, state: &mut State, flow: &Flow) -> Result<Vec<u32>> {
        let all = self.accesses_inside(op, flow)?;
        if all.iter().any(|&it| self.hazard(it, state)) {
            self.insert_before(op, &all, state);
            state.clear();
        }
        Ok(all)
    }

    fn hazard(&self, id: u32, state: &State) -> bool {
        let access = &self.accesses[id as usize];
        let conflict = |pending: Option<&BTreeMap<u32, bool>>| {
            pending
                .is_some_and(|it| it.iter().any(|(&other, &aged)| self.conflict(id, other, aged)))
        };
        let by_read = || access.write && conflict(state.reads.get(&access.root));
        conflict(state.writes.get(&access.root)) || by_read()
    }

    /// Returns true if two accesses of one root, one of them a write, may be accesses of different threads to one
    /// address.
    fn conflict(&self, a: u32, b: u32, aged: bool) -> bool {
        let (a, b) = (&self.accesses[a as usize], &self.accesses[b as usize]);
        let (Some(x), Some(y)) = (&a.addresses, &b.addresses) else { return true };
        if x.unit != y.unit {
            return true;
        }
        let by_any = a.is_collective || b.is_collective;
        let (owners, other) = if a.write { (a.owners(x), y) } else { (b.owners(y), x) };
        let meet_at = |distance: i64| {
            other.each().any(|(address, thread)| {
                let owner = owners.get(&(address + distance));
                owner.is_some_and(|&it| by_any || it != thread)
            })
        };
        let is_common = x.base == y.base && (!aged || y.base.is_empty());
        match is_common {
            true => meet_at(0),
            false => match (self.between_versions(x, y, aged), self.distances(x, y, aged)) {
                (Some(few), _) => few.into_iter().any(meet_at),
                (None, Some(mut all)) => all.any(meet_at),
                (None, None) => true,
            },
        }
    }

    fn if_statement(&mut self, op: OpId, state: &mut State, flow: &Flow) -> Result<()> {
        let body = self.body;
        let condition = body.ops[op].operands[0];
        // A condition that guards a barrier is uniform, or the program is in error (`SEMANTICS: Y2`).
        let uniform = self.is_uniform(condition) || self.synced.contains(&op);
        if !(flow.convergent && uniform) {
            return self.unit(op, state, flow);
        }
        let accesses = self.accesses_of(op, flow)?;
        self.order(op, &accesses, state, flow)?;
        // What is pending from before is ordered before, once for all branches and for what follows.
        // Nothing inside has to be looked at again where nothing is pending, however deep conditions nest.
        if !self.synced.contains(&op) && !state.is_clear() {
            self.order_inside(op, state, flow)?;
        }
        let entry = state.clone();
        let mut exit = State::default();
        for &region in &body.ops[op].regions {
            let mut branch = entry.clone();
            self.region(region, &mut branch, flow)?;
            exit.join(&branch, false);
        }
        if body.ops[op].regions.len() < 2 {
            exit.join(&entry, false);
        }
        *state = exit;
        Ok(())
    }

    fn loop_statement(&mut self, op: OpId, state: &mut State, flow: &Flow) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        let bounds = operation.operands.iter().all(|&it| self.is_uniform(it));
        let uniform = self.synced.contains(&op) || (bounds && !self.jumps.contains(&op));
        if !(flow.convergent && uniform) {
            return self.unit(op, state, flow);
        }
        if flow.nesting >= MAX_NESTING {
            return Err(LowerRefusal::new(
                reasons::NESTING_TOO_DEEP,
                "shared memory is used in too many nested loops",
            ));
        }
        let inner = Flow { nesting: flow.nesting + 1, ..flow.clone() };
        // What is pending from before the loop is ordered before it, not in each iteration.
        self.order_inside(op, state, flow)?;
        let own = self.accesses_of(op, flow)?;
        let is_while = operation.kind == OpKind::While;
        let region = operation.regions[0];
        let block = body.entry(region);
        let mut carried = State::default();
        let once = !is_while
            && matches!(body.expr(operation.operands[1]).kind, ExprKind::Int(extent) if extent <= 1);
        loop {
            let n_before = self.found.before.len() + self.found.at_end.len();
            let mut iteration = state.clone();
            iteration.join(&carried, true);
            if is_while && own.iter().any(|&it| self.hazard(it, &carried)) {
                self.found.at_end.insert(block);
                iteration = state.clone();
                iteration.join(&carried.in_flight(), true);
            }
            own.iter().for_each(|&it| iteration.add(it, &self.accesses[it as usize], false));
            self.region(region, &mut iteration, &inner)?;
            let settled = self.found.before.len() + self.found.at_end.len() == n_before;
            let mut next = State::default();
            next.join(&iteration, true);
            let same = next == carried;
            carried = next;
            if once || (settled && same) {
                break;
            }
        }
        state.join(&carried, false);
        Ok(())
    }

    /// A statement with control flow that threads may take differently: nothing can be put inside it.
    fn unit(&mut self, op: OpId, state: &mut State, flow: &Flow) -> Result<()> {
        if flow.convergent {
            let all = self.order_inside(op, state, flow)?;
            self.inside_unit(op, &mut state.in_flight(), &flow.divergent())?;
            all.iter().for_each(|&it| state.add(it, &self.accesses[it as usize], true));
            if self.waits.contains(&op) {
                state.land(&self.accesses, false);
            }
            return Ok(());
        }
        self.inside_unit(op, state, flow)
    }

    fn inside_unit(&mut self, op: OpId, state: &mut State, flow: &Flow) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        let is_loop = operation.kind != OpKind::If;
        if flow.nesting >= MAX_NESTING {
            return Err(LowerRefusal::new(
                reasons::NESTING_TOO_DEEP,
                "shared memory is used in too many nested loops",
            ));
        }
        let own = self.accesses_of(op, flow)?;
        self.order(op, &own, state, flow)?;
        let entry = state.clone();
        for (index, &region) in operation.regions.iter().enumerate() {
            let mut inner = flow.clone();
            inner.nesting += usize::from(is_loop);
            if !is_loop {
                inner.active = self.guarded(operation.operands[0], index == 0, &flow.active);
            }
            let mut branch = entry.clone();
            self.region(region, &mut branch, &inner)?;
            if is_loop {
                // Once more, with what an iteration leaves.
                let mut again = entry.clone();
                again.join(&branch, true);
                self.order(op, &own, &mut again, flow)?;
                self.region(region, &mut again, &inner)?;
                branch = again;
            }
            state.join(&branch, is_loop);
        }
        Ok(())
    }

    // ---- accesses ----

    fn accesses_of(&mut self, op: OpId, flow: &Flow) -> Result<Rc<[u32]>> {
        if let Some(known) = self.of_op.get(&op) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        self.each_access(op, &mut |it| found.push(it));
        let mut ids = Vec::new();
        for it in found {
            let access = match it {
                FoundAccess::Element { root, buffer, indices, write } => Access {
                    op,
                    root,
                    write,
                    addresses: self.addresses(buffer, &indices, &flow.active),
                    is_collective: false,
                    is_asynchronous: false,
                    is_exact: true,
                    owners: Default::default(),
                },
                FoundAccess::Pointer { root, access } => Access {
                    op,
                    root,
                    write: access.write,
                    addresses: self.pointer_addresses(&access, &flow.active),
                    is_collective: access.is_collective,
                    is_asynchronous: access.is_asynchronous,
                    is_exact: access.is_exact,
                    owners: Default::default(),
                },
            };
            ids.push(self.accesses.len() as u32);
            self.accesses.push(access);
        }
        let ids: Rc<[u32]> = ids.into();
        self.of_op.insert(op, ids.clone());
        Ok(ids)
    }

    /// The accesses of an operation and all in it, with the guards that stand in it.
    fn accesses_inside(&mut self, op: OpId, flow: &Flow) -> Result<Vec<u32>> {
        let body = self.body;
        let mut all = Vec::new();
        let mut stack = vec![(op, flow.active.clone())];
        while let Some((op, active)) = stack.pop() {
            if !self.shared.contains(&op) {
                continue;
            }
            let here = Flow { active: active.clone(), ..flow.clone() };
            all.extend(self.accesses_of(op, &here)?.iter());
            for (index, &region) in body.ops[op].regions.iter().enumerate() {
                let active = match body.ops[op].kind {
                    OpKind::If => self.guarded(body.ops[op].operands[0], index == 0, &active),
                    _ => active.clone(),
                };
                for &block in &body.regions[region].blocks {
                    stack.extend(body.blocks[block].ops.iter().map(|&it| (it, active.clone())));
                }
            }
        }
        Ok(all)
    }
}

/// Returns true if an operation is a barrier of the block.
pub fn is_barrier(body: &Body, op: OpId) -> bool {
    let operation = &body.ops[op];
    if operation.kind != OpKind::Evaluate {
        return false;
    }
    let args = body.operands_of(operation.operands[0], Intrinsic::StorageSync);
    let scope = args.and_then(|it| it.first()).map(|&it| body.expr(it).kind);
    let Some(ExprKind::Str(scope)) = scope else { return false };
    body.scope_of(scope).is_plain_shared()
}
