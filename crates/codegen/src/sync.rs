//! Barriers: each access to shared memory is ordered after the accesses of other threads that it depends on.
//!
//! TVM places barriers after the stage that this crate reads, so they are placed here. The rule is TVM's own reading
//! of such a program: statement after statement, a thread sees what the threads of its block wrote before.
//!
//! Walk in program order with the accesses *pending* since the last barrier on any path. Before a statement with a
//! *hazard* (it reads what is pending as written, or writes what is pending as read or written, and the two may
//! come from different threads) goes a barrier, after which nothing is pending. A loop is walked until its body
//! needs no further barrier with what its own last iteration leaves pending. Barriers go only where all threads
//! of a block pass: under conditions and in loops that are *uniform* (they depend on no thread index). Another
//! statement with control flow is one unit: a hazard before it puts a barrier before it, a hazard inside it is refused.
//!
//! Two accesses come from one thread if their addresses say so: an index that is a sum of thread terms, constants and
//! one and the same remaining part is enumerated over the threads of the block (guards that depend on threads alone
//! are applied). Everything else is taken to conflict: a barrier too many costs time, never a result.

mod threads;

use std::{collections::BTreeMap, rc::Rc};

use ir::{
    BlockId, Body, BufferId, Callee, ExprId, ExprKind, OpId, OpKind, RegionId, Type, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    kernel::{Kernel, Refusal, Result, Root, Space},
    split::{bindings, nest, root_of, space},
};

/// Nested loops with shared memory beyond which analysis is refused: each level multiplies its passes.
const MAX_NESTING: usize = 10;

/// Inserts the missing barriers of all `kernels`; the number of barriers inserted.
pub(crate) fn insert_barriers(body: &mut Body, kernels: &[Kernel]) -> Result<usize> {
    let mut before = FxHashSet::default();
    let mut at_end = FxHashSet::default();
    for kernel in kernels {
        if !kernel.roots.iter().any(|it| matches!(it.space, Space::Shared | Space::SharedDyn)) {
            continue;
        }
        if kernel.block_threads() == Some(1) {
            continue;
        }
        let mut planner = Planner::new(body, kernel)?;
        let mut state = State::default();
        planner.op(kernel.op, &mut state, &Flow::convergent())?;
        before.extend(planner.before);
        at_end.extend(planner.at_end);
    }
    let blocks: Vec<BlockId> = body.blocks.ids().collect();
    for block in blocks {
        let ops = std::mem::take(&mut body.blocks[block].ops);
        for op in ops {
            if before.contains(&op) {
                push_barrier(body, block);
            }
            body.blocks[block].ops.push(op);
        }
        if at_end.contains(&block) {
            push_barrier(body, block);
        }
    }
    Ok(before.len() + at_end.len())
}

/// Whether all threads of a block get to an operation together, as often: what is around it depends on no thread, and nothing leaves early.
///
/// # Errors
/// Memory that is not understood.
pub(crate) fn is_convergent(body: &Body, kernel: &Kernel, op: OpId) -> Result<bool> {
    let mut planner = Planner::new(body, kernel)?;
    if planner.jumps.contains(&kernel.op) {
        return Ok(false);
    }
    let mut at = body.parent_op(op);
    while let Some(around) = at.filter(|&it| it != kernel.op) {
        let operation = &body.ops[around];
        let is_uniform = match operation.kind {
            OpKind::If | OpKind::For(_) => {
                operation.operands.iter().all(|&it| planner.is_uniform(it))
            }
            OpKind::While => false,
            _ => true,
        };
        if !is_uniform {
            return Ok(false);
        }
        at = body.parent_op(around);
    }
    Ok(true)
}

fn push_barrier(body: &mut Body, block: BlockId) {
    let callee = Callee::Intrinsic(body.intern("tvm_storage_sync"));
    let scope = body.string("shared");
    let ty = Type::Prim(ir::DataType::INT32);
    let call = body.call(callee, &[scope], Body::no_attrs(), ty, true);
    body.push_op(block, OpKind::Evaluate, &[call]);
}

/// One access to shared memory.
struct Access {
    root: BufferId,
    write: bool,
    addresses: Option<Addresses>,
    /// Which thread touches an address, for writes; made when first asked for.
    owners: std::cell::OnceCell<FxHashMap<i64, u32>>,
}

/// Several threads.
const MANY: u32 = u32::MAX;

/// A term of an index that is the same for all threads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Common {
    Expr(ExprId),
    /// The remainder of a sum of such terms.
    Remainder {
        of: Vec<Common>,
        constant: i64,
        modulus: i64,
    },
}

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
    /// Distance between lanes, and their number.
    stride: i64,
    lanes: i64,
    /// Threads that get here.
    active: Option<Rc<[bool]>>,
}

impl Addresses {
    fn each(&self) -> impl Iterator<Item = (i64, u32)> + '_ {
        let active = |thread: usize| self.active.as_ref().is_none_or(|it| it[thread]);
        self.of_thread.iter().enumerate().filter(move |it| active(it.0)).flat_map(
            move |(thread, &first)| {
                (0..self.lanes)
                    .map(move |lane| (first + self.constant + lane * self.stride, thread as u32))
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
#[derive(Clone, Default)]
struct State {
    reads: BTreeMap<BufferId, BTreeMap<u32, bool>>,
    writes: BTreeMap<BufferId, BTreeMap<u32, bool>>,
}

impl State {
    fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }
    fn add(&mut self, id: u32, access: &Access, aged: bool) {
        let side = if access.write { &mut self.writes } else { &mut self.reads };
        *side.entry(access.root).or_default().entry(id).or_insert(aged) |= aged;
    }
    fn join(&mut self, other: &State, age: bool) {
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

/// Where the walk is.
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

struct Planner<'a> {
    body: &'a Body,
    kernel: &'a Kernel,
    definitions: FxHashMap<ValueId, ExprId>,
    /// Extents of the thread axes x, y, z, if all are constants and the block is not too large.
    block: Option<[i64; 3]>,
    /// Operations that touch shared memory, or hold one that does.
    shared: FxHashSet<OpId>,
    /// Operations that are or hold a barrier of the source.
    synced: FxHashSet<OpId>,
    jumps: FxHashSet<OpId>,
    accesses: Vec<Access>,
    of_op: FxHashMap<OpId, Rc<[u32]>>,
    thread_parts: FxHashMap<Vec<(ExprId, bool)>, Option<Rc<[i64]>>>,
    uniform: FxHashMap<ExprId, bool>,
    before: FxHashSet<OpId>,
    at_end: FxHashSet<BlockId>,
}

impl<'a> Planner<'a> {
    fn new(body: &'a Body, kernel: &'a Kernel) -> Result<Planner<'a>> {
        let mut block = [1; 3];
        let mut fixed = kernel.block_threads().is_some_and(|it| it <= 1024);
        for dim in kernel.launch.iter().filter(|it| it.axis.is_thread()) {
            block[dim.axis.dim()] = dim.fixed().unwrap_or(0);
            fixed &= dim.fixed().is_some();
        }
        let mut planner = Planner {
            body,
            kernel,
            definitions: bindings(body),
            block: fixed.then_some(block),
            shared: FxHashSet::default(),
            synced: FxHashSet::default(),
            jumps: FxHashSet::default(),
            accesses: Vec::new(),
            of_op: FxHashMap::default(),
            thread_parts: FxHashMap::default(),
            uniform: FxHashMap::default(),
            before: FxHashSet::default(),
            at_end: FxHashSet::default(),
        };
        planner.classify()?;
        Ok(planner)
    }

    /// Marks the operations around accesses, barriers and jumps.
    fn classify(&mut self) -> Result<()> {
        let body = self.body;
        for op in nest(body, self.kernel.op) {
            let sync = is_barrier(body, op);
            let jump =
                matches!(body.ops[op].kind, OpKind::Break | OpKind::Continue | OpKind::Return);
            let access = self.touches_shared(op)?;
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
            if access {
                mark(&mut self.shared);
            }
        }
        Ok(())
    }

    fn touches_shared(&self, op: OpId) -> Result<bool> {
        let mut found = false;
        self.each_access(op, &mut |_, _, _, _| {
            found = true;
            Ok(())
        })?;
        Ok(found)
    }

    /// Calls `visit` with root, buffer, indices and whether it is a write, for each access of an operation's operands.
    fn each_access(
        &self,
        op: OpId,
        visit: &mut dyn FnMut(BufferId, BufferId, &[ExprId], bool) -> Result<()>,
    ) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        if matches!(
            operation.kind,
            OpKind::DeclBuffer { .. } | OpKind::Alloc { .. } | OpKind::LaunchThread { .. }
        ) {
            return Ok(());
        }
        let mut seen = FxHashSet::default();
        let mut stack: Vec<ExprId> = operation.operands.iter().copied().collect();
        while let Some(expr) = stack.pop() {
            if !body.expr(expr).flags.has_load || !seen.insert(expr) {
                continue;
            }
            let kind = body.expr(expr).kind;
            if let ExprKind::Load { buffer, indices, .. } = kind
                && let Some(root) = shared_root(body, buffer)?
            {
                visit(root, buffer, body.items(indices), false)?;
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
        if let OpKind::Store { buffer, predicated } = operation.kind
            && let Some(root) = shared_root(body, buffer)?
        {
            let end = operation.operands.len() - usize::from(predicated);
            visit(root, buffer, &operation.operands[1..end], true)?;
        }
        Ok(())
    }

    // ---- the walk ----

    fn region(&mut self, region: RegionId, state: &mut State, flow: &Flow) -> Result<()> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let body = self.body;
            for &block in &body.regions[region].blocks {
                for &op in &body.blocks[block].ops {
                    self.op(op, state, flow).map_err(|it| it.at(op))?;
                }
                if self.at_end.contains(&block) {
                    state.clear();
                }
            }
            Ok(())
        })
    }

    fn op(&mut self, op: OpId, state: &mut State, flow: &Flow) -> Result<()> {
        let body = self.body;
        if is_barrier(body, op) {
            state.clear();
            return Ok(());
        }
        if self.before.contains(&op) {
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
                for &region in &body.ops[op].regions {
                    self.region(region, state, flow)?;
                }
                Ok(())
            }
        }
    }

    /// Puts a barrier before `op` if `accesses` have a hazard with what is pending; then they are pending too.
    fn order(&mut self, op: OpId, accesses: &[u32], state: &mut State, flow: &Flow) -> Result<()> {
        if accesses.iter().any(|&it| self.hazard(it, state)) {
            if !flow.convergent {
                return Err(Refusal::new(
                    "shared-hazard-in-divergent-flow",
                    "threads exchange shared memory where only some of them pass: no barrier can stand there",
                ));
            }
            self.before.insert(op);
            state.clear();
        }
        for &id in accesses {
            state.add(id, &self.accesses[id as usize], false);
        }
        Ok(())
    }

    fn hazard(&self, id: u32, state: &State) -> bool {
        let access = &self.accesses[id as usize];
        let conflict = |pending: Option<&BTreeMap<u32, bool>>| {
            pending
                .is_some_and(|it| it.iter().any(|(&other, &aged)| self.conflict(id, other, aged)))
        };
        conflict(state.writes.get(&access.root))
            || (access.write && conflict(state.reads.get(&access.root)))
    }

    /// Whether two accesses of one root, one of them a write, may be of different threads to one address.
    fn conflict(&self, a: u32, b: u32, aged: bool) -> bool {
        let (a, b) = (&self.accesses[a as usize], &self.accesses[b as usize]);
        let (Some(x), Some(y)) = (&a.addresses, &b.addresses) else { return true };
        if x.base != y.base || x.unit != y.unit || (aged && !y.base.is_empty()) {
            return true;
        }
        let (owners, other) = if a.write { (a.owners(x), y) } else { (b.owners(y), x) };
        other.each().any(|(address, thread)| owners.get(&address).is_some_and(|&it| it != thread))
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
            return Err(Refusal::new(
                "nesting-too-deep",
                "shared memory is used in too many nested loops",
            ));
        }
        let inner = Flow { nesting: flow.nesting + 1, ..flow.clone() };
        // What is pending from before the loop is ordered before it, not in each iteration.
        let all = self.accesses_inside(op, flow)?;
        if all.iter().any(|&it| self.hazard(it, state)) {
            self.before.insert(op);
            state.clear();
        }
        let own = self.accesses_of(op, flow)?;
        let is_while = operation.kind == OpKind::While;
        let region = operation.regions[0];
        let block = body.entry(region);
        let mut carried = State::default();
        let once = !is_while
            && matches!(body.expr(operation.operands[1]).kind, ExprKind::Int(extent) if extent <= 1);
        loop {
            let n_before = self.before.len() + self.at_end.len();
            let mut iteration = state.clone();
            iteration.join(&carried, true);
            if is_while && own.iter().any(|&it| self.hazard(it, &carried)) {
                self.at_end.insert(block);
                iteration = state.clone();
            }
            own.iter().for_each(|&it| iteration.add(it, &self.accesses[it as usize], false));
            self.region(region, &mut iteration, &inner)?;
            let settled = self.before.len() + self.at_end.len() == n_before;
            let mut next = State::default();
            next.join(&iteration, true);
            let same = next.reads == carried.reads && next.writes == carried.writes;
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
        let all = self.accesses_inside(op, flow)?;
        if flow.convergent {
            if all.iter().any(|&it| self.hazard(it, state)) {
                self.before.insert(op);
                state.clear();
            }
            self.inside_unit(op, &mut State::default(), &flow.divergent())?;
            all.iter().for_each(|&it| state.add(it, &self.accesses[it as usize], true));
            return Ok(());
        }
        self.inside_unit(op, state, flow)
    }

    fn inside_unit(&mut self, op: OpId, state: &mut State, flow: &Flow) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        let is_loop = operation.kind != OpKind::If;
        if flow.nesting >= MAX_NESTING {
            return Err(Refusal::new(
                "nesting-too-deep",
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
        self.each_access(op, &mut |root, buffer, indices, write| {
            found.push((root, buffer, indices.to_vec(), write));
            Ok(())
        })?;
        let mut ids = Vec::new();
        for (root, buffer, indices, write) in found {
            let addresses = self.addresses(buffer, &indices, &flow.active);
            ids.push(self.accesses.len() as u32);
            self.accesses.push(Access { root, write, addresses, owners: Default::default() });
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

/// The shared allocation behind a buffer, if it is one.
fn shared_root(body: &Body, buffer: BufferId) -> Result<Option<BufferId>> {
    match root_of(body, buffer)? {
        Root::Alloc(owner) => {
            let shared = matches!(space(body, owner)?, Space::Shared | Space::SharedDyn);
            Ok(shared.then_some(owner))
        }
        _ => Ok(None),
    }
}

/// Whether an operation is a barrier of the block.
fn is_barrier(body: &Body, op: OpId) -> bool {
    let operation = &body.ops[op];
    if operation.kind != OpKind::Evaluate {
        return false;
    }
    let ExprKind::Call { callee: Callee::Intrinsic(name), args, .. } =
        body.expr(operation.operands[0]).kind
    else {
        return false;
    };
    let scope = body.items(args).first().map(|&it| body.expr(it).kind);
    let Some(ExprKind::Str(scope)) = scope else { return false };
    body.name(name) == "tvm_storage_sync" && matches!(body.name(scope), "shared" | "shared.dyn")
}
