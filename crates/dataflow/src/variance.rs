//! Thread variance: which values are the same in all threads, and where threads may diverge.
//!
//! In: the control flow and the alias classes of a body. Out: [`Variance`]: for every expression and value how far it
//! may [`Vary`], for every scope how far the decision to enter it may. A value is *uniform* if all threads that
//! evaluate it in the same iteration of their loops get the same; a scope is *divergent* if threads of one block may
//! disagree about entering it, or about how often (`SEMANTICS: P6`–`P8`, `Y2`).
//!
//! Sources of variance: thread indices (`P7`) and iterations of parallel loops; results of calls that are no function
//! of their operands, that read memory, or that threads execute together; loads of memory that a kernel writes;
//! thread-local memory, except a cell whose stores are uniform (`E6`). A value that depends on one of these varies to
//! the same extent. A scope diverges with the condition or bounds of its operation, with the scope around it, and, by
//! `break`, `continue`, `return`, with the scopes from which a thread leaves it. Lanes of vector loops are not threads.
//! Without threads everything is uniform.
//!
//! The answer does not depend on the path: values have one definition, and of cells all stores are taken together. So
//! it is the least solution of "`b` varies at least to the extent of `a`" over expressions, values, cells and scopes: a
//! graph whose nodes rise at most twice. Building is O(expressions + operations + scopes), a query O(1).

use ir::{
    Body, BufferOrigin, Callee, ExprId, ExprKind, ForKind, Intrinsic, OpId, OpKind, ThreadTag,
    ValueId,
    arena::Id,
    effects::{Flags, MemoryEffect},
};

use crate::{
    alias::{AliasClass, AliasClasses, Reach},
    flow::{Flow, Target},
    lattice::Lattice,
    scopes::{ScopeId, ScopeKind},
};

/// Between whom something differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Vary {
    /// Nobody: the same in all threads.
    #[default]
    Uniform,
    /// Blocks of threads; inside a block it is the same.
    Block,
    /// The threads of a block.
    Thread,
}

/// The further of both.
impl Lattice for Vary {
    fn join(&mut self, other: &Vary) -> bool {
        let changed = *other > *self;
        *self = (*self).max(*other);
        changed
    }
}

impl Vary {
    /// Returns the extent to which the index of this thread tag varies.
    pub fn of_tag(tag: ThreadTag) -> Vary {
        // Virtual threads are threads as far as values go.
        if tag.is_block() { Vary::Block } else { Vary::Thread }
    }

    /// `uniform`, `varies by block`, `varies by thread`.
    pub fn text(self) -> &'static str {
        match self {
            Vary::Uniform => "uniform",
            Vary::Block => "varies by block",
            Vary::Thread => "varies by thread",
        }
    }
}

/// The extent to which the values and scopes of a body vary.
#[derive(Clone, Debug)]
pub struct Variance {
    /// By node of the graph.
    levels: Vec<Vary>,
    places: Places,
    n_steps: u64,
}

/// The place where the kinds of nodes start.
#[derive(Clone, Copy, Debug)]
struct Places {
    values: usize,
    classes: usize,
    scopes: usize,
    len: usize,
}

impl Variance {
    /// The variance of a body.
    pub fn build(flow: &Flow<'_>, aliases: &AliasClasses) -> Variance {
        let values = flow.body.n_exprs();
        let classes = values + flow.body.values.len();
        let scopes = classes + aliases.len();
        let places = Places { values, classes, scopes, len: scopes + flow.scopes.len() };
        let mut graph = Graph {
            flow,
            aliases,
            places,
            sources: vec![Vary::Uniform; places.len],
            edges: Vec::new(),
        };
        if has_threads(flow.body) {
            graph.collect();
        }
        let (levels, n_steps) = graph.solve();
        Variance { levels, places, n_steps }
    }

    /// Returns the extent to which an expression may vary, wherever it is evaluated.
    pub fn of_expr(&self, expr: ExprId) -> Vary {
        self.levels[expr.index()]
    }
    /// Returns the extent to which a value may vary.
    pub fn of_value(&self, value: ValueId) -> Vary {
        self.levels[self.places.values + value.index()]
    }
    /// Returns the threads that may disagree about entering a scope.
    pub fn divergence(&self, scope: ScopeId) -> Vary {
        self.levels[self.places.scopes + scope.index()]
    }
    /// Returns true if threads of one block may disagree about entering a scope: nothing convergent may be placed
    /// there.
    pub fn divergent(&self, scope: ScopeId) -> bool {
        self.divergence(scope) == Vary::Thread
    }
    /// Edges of the graph that were followed: for tests of growth.
    pub fn work(&self) -> u64 {
        self.n_steps
    }
}

fn has_threads(body: &Body) -> bool {
    body.ops.iter().any(|(_, op)| {
        matches!(
            op.kind,
            OpKind::LaunchThread { .. }
                | OpKind::EnvThread(_)
                | OpKind::For(ForKind::ThreadBinding(_) | ForKind::Parallel)
                | OpKind::Named(_)
        )
    })
}

struct Graph<'g, 'a> {
    flow: &'g Flow<'a>,
    aliases: &'g AliasClasses,
    places: Places,
    /// The extent to which a node varies by itself.
    sources: Vec<Vary>,
    /// The second varies at least to the extent of the first.
    edges: Vec<(u32, u32)>,
}

impl Graph<'_, '_> {
    fn value(&self, value: ValueId) -> usize {
        self.places.values + value.index()
    }
    fn class(&self, class: AliasClass) -> usize {
        self.places.classes + class.index()
    }
    fn scope(&self, scope: ScopeId) -> usize {
        self.places.scopes + scope.index()
    }
    fn edge(&mut self, from: usize, to: usize) {
        self.edges.push((from as u32, to as u32));
    }
    fn source(&mut self, node: usize, level: Vary) {
        self.sources[node] = self.sources[node].max(level);
    }

    fn collect(&mut self) {
        self.cells();
        for index in 0..self.flow.body.n_exprs() {
            self.expr(ExprId::new(index));
        }
        self.binders();
        for op in self.flow.body.ops_preorder() {
            self.op(op);
        }
        for scope in self.flow.scopes.ids() {
            self.enter(scope);
        }
    }

    // ---- expressions ----

    fn expr(&mut self, id: ExprId) {
        let body = self.flow.body;
        let kind = body.expr(id).kind;
        let to = id.index();
        match kind {
            ExprKind::Value(value) => self.edge(self.value(value), to),
            ExprKind::Opaque { .. } => self.source(to, Vary::Thread),
            ExprKind::Load { buffer, .. } | ExprKind::Region(buffer, _) => {
                let class = self.class(self.aliases.class(buffer));
                self.edge(class, to);
            }
            ExprKind::Call { callee, .. } => {
                let effects = self.flow.effects.call(body, kind);
                if let Callee::Intrinsic(_, it) = callee
                    && it.is_scope_index()
                {
                    let varies = if it.is_block_index() { Vary::Block } else { Vary::Thread };
                    return self.source(to, varies);
                }
                let is_value = effects.memory_effect == MemoryEffect::None
                    && effects.deterministic
                    && !effects.convergent
                    && !effects.flags.contains(Flags::PER_THREAD);
                if !is_value {
                    self.source(to, Vary::Thread);
                }
                // All threads have the same, whatever the operand is.
                if matches!(callee, Callee::Intrinsic(_, Intrinsic::ThreadInvariant)) {
                    return;
                }
            }
            _ => {}
        }
        let edges = &mut self.edges;
        body.each_child(kind, &mut |child| edges.push((child.index() as u32, to as u32)));
    }

    /// Variables of `Let` and `Lambda` are named by their depth: all of one depth are taken together.
    fn binders(&mut self) {
        let body = self.flow.body;
        let ids = || (0..body.n_exprs()).map(ExprId::new);
        let bound: Vec<ExprId> =
            ids().filter(|&it| matches!(body.expr(it).kind, ExprKind::Bound(_))).collect();
        let Some(&first) = bound.first() else { return };
        for id in ids() {
            match body.expr(id).kind {
                ExprKind::Let { value, .. } => self.edge(value.index(), first.index()),
                ExprKind::Lambda { .. } => self.source(first.index(), Vary::Thread),
                _ => {}
            }
        }
        for &other in &bound[1..] {
            self.edge(first.index(), other.index());
        }
    }

    // ---- memory ----

    /// The extent to which memory varies by itself: memory that a kernel may write varies by thread, except cells that
    /// start with a store.
    fn cells(&mut self) {
        let flow = self.flow;
        let mut is_cell = vec![false; self.aliases.len()];
        let mut n_buffers = vec![0u32; self.aliases.len()];
        for (buffer, data) in flow.body.buffers.iter() {
            let class = self.aliases.class(buffer);
            n_buffers[class.index()] += 1;
            is_cell[class.index()] =
                data.origin == BufferOrigin::Cell && self.aliases.reach(class) == Reach::Private;
        }
        for class in (0..self.aliases.len()).map(AliasClass::new) {
            let alone = is_cell[class.index()] && n_buffers[class.index()] == 1;
            is_cell[class.index()] = alone;
            if !alone && self.aliases.reach(class) != Reach::Visible {
                self.source(self.class(class), Vary::Thread);
            }
        }
        let in_threads = in_threads(flow);
        let mut home = vec![None; self.aliases.len()];
        for op in flow.body.ops_preorder() {
            self.writes(op, &is_cell, in_threads[flow.scopes.of_op(op).index()], &mut home);
        }
    }

    fn writes(
        &mut self,
        op: OpId,
        is_cell: &[bool],
        in_threads: bool,
        home: &mut [Option<ScopeId>],
    ) {
        let flow = self.flow;
        let data = &flow.body.ops[op];
        let kernel = flow.scopes.kernel(flow.scopes.of_op(op));
        match data.kind {
            OpKind::Store { buffer, .. } => {
                let class = self.aliases.class(buffer);
                if is_cell[class.index()] {
                    let to = self.class(class);
                    for operand in &data.operands {
                        self.edge(operand.index(), to);
                    }
                    self.edge(self.scope(flow.scopes.of_op(op)), to);
                    if home[class.index()] != kernel {
                        self.source(to, Vary::Thread);
                    }
                } else if in_threads {
                    self.source(self.class(class), Vary::Thread);
                }
            }
            OpKind::Alloc { buffer, .. } => {
                let class = self.aliases.class(buffer);
                home[class.index()] = kernel;
                if !is_cell[class.index()] || !self.starts_with_store(op) {
                    self.source(self.class(class), Vary::Thread);
                }
            }
            OpKind::Opaque(_) | OpKind::Named(_) => self.all_memory(),
            _ => {}
        }
        let calls = data.operands.iter().any(|&it| {
            let flags = flow.body.expr(it).flags;
            flags.has_impure || flags.has_unknown
        });
        if calls && in_threads {
            self.calls_write(op);
        }
    }

    /// Returns true if the operation after an allocation stores to it: nothing reads the memory before.
    fn starts_with_store(&self, op: OpId) -> bool {
        let body = self.flow.body;
        let OpKind::Alloc { buffer: made, .. } = body.ops[op].kind else { return false };
        let next = body.blocks[body.ops[op].parent].ops.get(self.flow.position(op) + 1);
        next.is_some_and(|&it| {
            matches!(body.ops[it].kind, OpKind::Store { buffer, predicated: false } if buffer == made)
                && body.ops[it].operands.iter().all(|&it| !body.expr(it).flags.has_load)
        })
    }

    fn calls_write(&mut self, op: OpId) {
        let flow = self.flow;
        for id in flow.occurrences.of_op(op) {
            let writes = match flow.body.expr(flow.occurrences[id].expr).kind {
                // A barrier makes seen what others wrote, and their stores are looked at.
                call @ ExprKind::Call { .. } => {
                    let effects = flow.effects.call(flow.body, call);
                    effects.may_write() && !effects.is_barrier()
                }
                ExprKind::Opaque { .. } => true,
                _ => false,
            };
            if writes {
                self.all_memory();
                return;
            }
        }
    }

    fn all_memory(&mut self) {
        for class in 0..self.aliases.len() {
            self.source(self.places.classes + class, Vary::Thread);
        }
    }

    // ---- operations ----

    fn op(&mut self, op: OpId) {
        let flow = self.flow;
        let data = &flow.body.ops[op];
        match data.kind {
            OpKind::Bind => {
                for (&result, &operand) in data.results.iter().zip(&data.operands) {
                    self.edge(operand.index(), self.value(result));
                }
            }
            OpKind::For(kind) => self.loop_variables(op, kind),
            OpKind::LaunchThread { tag, var } => {
                self.source(self.value(var), Vary::of_tag(tag));
            }
            OpKind::EnvThread(tag) => {
                for &result in &data.results {
                    self.source(self.value(result), Vary::of_tag(tag));
                }
            }
            OpKind::SBlock(_) => {
                let args = &flow.body.blocks[flow.body.entry(data.regions[0])].args;
                for (&arg, &binding) in args.iter().zip(&data.operands) {
                    self.edge(binding.index(), self.value(arg));
                }
            }
            _ => {
                for &result in &data.results {
                    self.source(self.value(result), Vary::Thread);
                }
            }
        }
        self.jumps(op);
    }

    fn loop_variables(&mut self, op: OpId, kind: ForKind) {
        let flow = self.flow;
        let data = &flow.body.ops[op];
        for &arg in &flow.body.blocks[flow.body.entry(data.regions[0])].args {
            let var = self.value(arg);
            match kind {
                ForKind::ThreadBinding(tag) => {
                    self.source(var, Vary::of_tag(tag));
                }
                ForKind::Parallel => self.source(var, Vary::Thread),
                ForKind::Serial | ForKind::Vectorized | ForKind::Unrolled => {}
            }
            for (index, &operand) in data.operands.iter().enumerate() {
                // How many iterations there are is the scope's concern.
                if index != 1 {
                    self.edge(operand.index(), var);
                }
            }
        }
    }

    /// A thread that leaves a loop, or a kernel, is missing in the rest of it.
    fn jumps(&mut self, op: OpId) {
        let flow = self.flow;
        let from = flow.scopes.of_op(op);
        let is_plain = !flow.jumps(op).next;
        for target in &flow.jumps(op).targets {
            let (Target::Break(to) | Target::Continue(to)) = *target else { continue };
            for &region in &flow.body.ops[to].regions {
                let body = self.scope(flow.scopes.of_block(flow.body.entry(region)));
                self.edge(self.scope(from), body);
                // What else may jump does so for reasons of its own.
                if !is_plain {
                    self.source(body, Vary::Thread);
                }
            }
        }
    }

    // ---- scopes ----

    fn enter(&mut self, scope: ScopeId) {
        let flow = self.flow;
        let to = self.scope(scope);
        if let Some(parent) = flow.scopes.parent(scope) {
            self.edge(self.scope(parent), to);
        }
        let Some(creator) = flow.scopes.creator(scope) else { return };
        let data = &flow.body.ops[creator];
        match flow.scopes.kind(scope) {
            ScopeKind::While | ScopeKind::Arm(_) | ScopeKind::Loop(_) | ScopeKind::Launch => {
                for operand in &data.operands {
                    self.edge(operand.index(), to);
                }
            }
            ScopeKind::SBlock(true) => {
                if let Some(predicate) = data.operands.last() {
                    self.edge(predicate.index(), to);
                }
            }
            // Where the reduction starts, by the variables of the block.
            ScopeKind::Init => {
                for operand in &data.operands {
                    self.edge(operand.index(), to);
                }
            }
            // A captured name is the same for all threads; anything else is not known.
            ScopeKind::UnknownArm(_) => match (data.kind, data.operands.first()) {
                (OpKind::If, Some(condition)) => self.edge(condition.index(), to),
                _ => self.source(to, Vary::Thread),
            },
            ScopeKind::Other | ScopeKind::Successor => self.source(to, Vary::Thread),
            ScopeKind::Function
            | ScopeKind::Attr
            | ScopeKind::SBlock(false)
            | ScopeKind::Binding => {}
        }
        self.phis(scope);
    }

    /// Arguments of blocks that are entered by a branch: their incoming values are not tracked.
    fn phis(&mut self, scope: ScopeId) {
        let flow = self.flow;
        let is_branching =
            matches!(flow.scopes.kind(scope), ScopeKind::Successor | ScopeKind::Other);
        if is_branching {
            for &arg in &flow.body.blocks[flow.scopes.block(scope)].args {
                self.source(self.value(arg), Vary::Thread);
            }
        }
    }

    // ---- solving ----

    /// The least levels, and the number of edges followed.
    fn solve(self) -> (Vec<Vary>, u64) {
        let n = self.places.len;
        let mut start = vec![0u32; n + 1];
        for &(from, _) in &self.edges {
            start[from as usize + 1] += 1;
        }
        for at in 0..n {
            start[at + 1] += start[at];
        }
        let mut next = start.clone();
        let mut targets = vec![0u32; self.edges.len()];
        for &(from, to) in &self.edges {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        let mut levels = self.sources;
        let mut steps = 0;
        let mut pending: Vec<u32> =
            (0..n as u32).filter(|&it| levels[it as usize] != Vary::Uniform).collect();
        while let Some(node) = pending.pop() {
            let level = levels[node as usize];
            for &to in &targets[start[node as usize] as usize..start[node as usize + 1] as usize] {
                steps += 1;
                if levels[to as usize].join(&level) {
                    pending.push(to);
                }
            }
        }
        (levels, steps)
    }
}

/// By scope: whether its code runs in the threads of a kernel or of a parallel loop.
pub(crate) fn in_threads(flow: &Flow<'_>) -> Vec<bool> {
    let mut inside = vec![false; flow.scopes.len()];
    for scope in flow.scopes.ids() {
        inside[scope.index()] = flow.scopes.kernel(scope).is_some()
            || flow.scopes.kind(scope) == ScopeKind::Loop(ForKind::Parallel)
            || flow.scopes.parent(scope).is_some_and(|it| inside[it.index()]);
    }
    inside
}
