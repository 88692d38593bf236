//! Control flow, operation by operation, without an explicit graph: which operation may be executed after which.
//!
//! In: a body with its scopes and effects. Out: [`FlowTables`], read through a [`Flow`]: for each operation its
//! [`Shape`] (how it runs its regions) and its [`Jumps`] (where control may go besides the next operation), for each
//! operand whether it is always evaluated. The solver follows it; analyses ask it rather than matching on kinds
//! themselves.
//!
//! Rests on `SEMANTICS: L2` (a loop may run no iteration unless its extent is a positive constant), `L5`–`L7`, `L9`
//! (guards and `init`), `L11`, `L12`, `P1`, `P6` (iterations of parallel and thread loops: as those of a serial loop,
//! of which nobody knows the order), `X2`, `X3`, `X8` (unknown arms: any number of times in any order), `S2`–`S6`
//! (operands). Building is O(operations + expressions), without recursion; every question is O(1).

use ir::{
    BinaryOp, BlockId, Body, Callee, ExprId, ExprKind, ForKind, Intrinsic, Lanes, OccurrenceId,
    Occurrences, OpId, OpKind, RegionId, RegionKind, ValueId,
    arena::{Id, Table},
    effects::{EffectTable, Trap},
    role::may_become_constant,
    walk::WalkEvent,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::scopes::ScopeTree;

/// How an operation runs its regions, after its operands have been evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// It has none.
    Plain,
    /// Each one once, in order: attributes, bindings and allocations written as a `with`.
    Once,
    /// One of the arms; no arm if there is only one.
    Branch,
    /// The body any number of times; at least once if `certain`. `for`, `launch_thread`.
    Loop {
        /// True if the body is executed at least once.
        certain: bool,
    },
    /// The operand is evaluated, then the body if it holds, and again.
    While,
    /// `init` (the second region) or not, then the body; neither if `guarded` and the predicate fails.
    SBlock {
        /// True if a predicate guards the block.
        guarded: bool,
    },
    /// Nobody knows: any region, any number of times, in any order.
    Unknown,
}

/// A place that an operation jumps to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The end of the function.
    Exit,
    /// After the loop.
    Break(OpId),
    /// The end of an iteration of the loop, or of the part of a thread.
    Continue(OpId),
}

/// The place where control goes when an operation's operands have been evaluated, besides into its regions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jumps {
    /// True if control may continue with the next operation.
    pub next: bool,
    /// The other places where it may go.
    pub targets: SmallVec<[Target; 2]>,
}

/// How an operand of a node is evaluated when the node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evaluated {
    /// Always.
    Always,
    /// Perhaps: right sides of `and` and `or`, arms of `Select` (which are strict, except in C), operands that fold
    /// away beside some value of an unknown name.
    Perhaps,
    /// It or its sibling: arms of `if_then_else`.
    OneOf,
}

/// The control flow of a body, as tables by number, without the body.
#[derive(Clone, Debug)]
pub struct FlowTables {
    jumps: FxHashMap<OpId, Jumps>,
    goes_on: Jumps,
    /// Position of each operation in its block.
    position: Table<OpId, u32>,
    /// By scope: whether something in it jumps out of it, but not out of the function.
    jumps_out: Vec<bool>,
    /// By block: whether control may come to its end.
    ends: Table<BlockId, bool>,
}

impl FlowTables {
    /// The control flow of `body`.
    pub(crate) fn build(body: &Body, scopes: &ScopeTree, effects: &EffectTable) -> FlowTables {
        let jumps = jumps(body, scopes, effects);
        let mut tables = FlowTables {
            jumps_out: jumps_out(body, scopes, &jumps),
            jumps,
            goes_on: Jumps { next: true, targets: SmallVec::new() },
            position: positions(body),
            ends: Table::default(),
        };
        let occurrences = &Occurrences::none();
        let ends = Flow { body, occurrences, scopes, effects, tables: &tables }.ends();
        tables.ends = ends;
        tables
    }
}

/// The control flow of a body: the body with its [`FlowTables`].
#[derive(Clone, Copy, Debug)]
pub struct Flow<'a> {
    /// The function.
    pub body: &'a Body,
    /// Its occurrences.
    pub occurrences: &'a Occurrences,
    /// Its scopes.
    pub scopes: &'a ScopeTree,
    /// The effects of its calls.
    pub effects: &'a EffectTable,
    pub(crate) tables: &'a FlowTables,
}

impl<'a> Flow<'a> {
    /// Returns for each block whether control may reach its end. Inner blocks come first.
    fn ends(&self) -> Table<BlockId, bool> {
        let mut ends = Table::filled(self.body.blocks.len(), true);
        if self.tables.jumps.values().all(|it| it.next) {
            return ends;
        }
        for event in self.body.walk(self.body.root) {
            let WalkEvent::LeaveRegion(region) = event else { continue };
            for &block in &self.body.regions[region].blocks {
                let goes_on = |&op: &OpId| self.jumps(op).next && self.goes_past(op, &ends);
                ends[block] = self.body.blocks[block].ops.iter().all(goes_on);
            }
        }
        ends
    }

    /// Returns true if control may leave the regions of `op` and continue after it.
    fn goes_past(&self, op: OpId, ends: &Table<BlockId, bool>) -> bool {
        let ends = |region: &RegionId| match self.body.regions[*region].blocks[..] {
            [only] => ends[only],
            _ => true,
        };
        let regions = &self.body.ops[op].regions;
        match self.shape(op) {
            Shape::Once => regions.iter().all(ends),
            Shape::Branch => regions.len() < 2 || regions.iter().any(ends),
            Shape::SBlock { guarded } => guarded || ends(&regions[0]),
            Shape::Plain | Shape::Loop { .. } | Shape::While | Shape::Unknown => true,
        }
    }

    /// Returns true if control may reach the end of a block.
    pub fn reaches_end(&self, block: BlockId) -> bool {
        self.tables.ends[block]
    }

    /// Returns true if control may continue with the operation after `op` in its block.
    pub fn goes_on(&self, op: OpId) -> bool {
        self.jumps(op).next && self.goes_past(op, &self.tables.ends)
    }

    /// How `op` runs its regions.
    pub fn shape(&self, op: OpId) -> Shape {
        let data = &self.body.ops[op];
        if data.regions.is_empty() {
            return Shape::Plain;
        }
        match data.kind {
            OpKind::For(_) => Shape::Loop { certain: self.is_positive(op, 1) },
            OpKind::LaunchThread { .. } => Shape::Loop { certain: self.is_positive(op, 0) },
            OpKind::While => Shape::While,
            OpKind::If if self.has_unknown_condition(op) => Shape::Unknown,
            OpKind::If => Shape::Branch,
            OpKind::SBlock(block) => {
                Shape::SBlock { guarded: self.body.sblocks[block].has_predicate }
            }
            OpKind::Attr(_)
            | OpKind::AttrDict
            | OpKind::Bind
            | OpKind::Alloc { .. }
            | OpKind::DeclBuffer { .. } => Shape::Once,
            _ => Shape::Unknown,
        }
    }

    fn has_unknown_condition(&self, op: OpId) -> bool {
        let condition = self.body.ops[op].operands.first();
        condition.is_none_or(|&it| self.body.expr(it).flags.has_unknown)
    }

    fn is_positive(&self, op: OpId, operand: usize) -> bool {
        let extent = self.body.ops[op].operands.get(operand);
        extent
            .is_some_and(|&it| matches!(self.body.expr(it).kind, ExprKind::Int(value) if value > 0))
    }

    /// The loops that something leaves by `break`, in no order.
    pub(crate) fn broken(&self) -> impl Iterator<Item = OpId> + '_ {
        self.tables.jumps.values().flat_map(|it| &it.targets).filter_map(|target| match *target {
            Target::Break(to) => Some(to),
            _ => None,
        })
    }

    /// Returns the place where control goes from `op`.
    pub fn jumps(&self, op: OpId) -> &'a Jumps {
        self.tables.jumps.get(&op).unwrap_or(&self.tables.goes_on)
    }

    /// The position of an operation in its block.
    pub fn position(&self, op: OpId) -> usize {
        self.tables.position[op] as usize
    }

    /// Returns true if an operation in the block jumps to a place outside it other than the end of the function.
    pub fn jumps_out(&self, block: BlockId) -> bool {
        self.tables.jumps_out[self.scopes.of_block(block).index()]
    }

    /// Returns true if the operations of a block have no order (`SEMANTICS: L12`).
    pub fn is_graph(&self, block: BlockId) -> bool {
        self.body.regions[self.body.blocks[block].parent].kind == RegionKind::Graph
    }

    /// The values that get a new value where the block starts. The `init` of a schedulable block sees the variables of
    /// its body.
    pub fn arguments(&self, block: BlockId) -> &'a [ValueId] {
        let body = self.body;
        let args = &body.blocks[block].args;
        let owner = body.regions[body.blocks[block].parent].parent;
        match owner.map(|op| &body.ops[op]) {
            Some(data) if args.is_empty() && matches!(data.kind, OpKind::SBlock(_)) => {
                &body.blocks[body.entry(data.regions[0])].args
            }
            _ => args,
        }
    }

    /// How the `index`-th operand of an occurrence is evaluated when the occurrence is.
    pub fn evaluated(&self, parent: OccurrenceId, index: usize) -> Evaluated {
        evaluated(
            self.body,
            self.effects,
            self.body.expr(self.occurrences[parent].expr).kind,
            index,
        )
    }
}

/// How the `index`-th operand of a node is evaluated when the node is.
pub fn evaluated(body: &Body, effects: &EffectTable, kind: ExprKind, index: usize) -> Evaluated {
    let is_scalar = |expr: ExprId| body.dtype(expr).is_none_or(|it| it.lanes == Lanes::Fixed(1));
    match kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, lhs, _) if index == 1 && is_scalar(lhs) => {
            Evaluated::Perhaps
        }
        ExprKind::Binary(op, lhs, rhs) if may_fold_away(body, op, [lhs, rhs], index) => {
            Evaluated::Perhaps
        }
        ExprKind::Select(condition, ..) if index > 0 && is_scalar(condition) => Evaluated::Perhaps,
        ExprKind::IfThenElse(..) if index > 0 => Evaluated::OneOf,
        ExprKind::Lambda { .. } => Evaluated::Perhaps,
        call @ ExprKind::Call { .. } if effects.is_lazy(body, call, index) => Evaluated::Perhaps,
        _ => Evaluated::Always,
    }
}

/// Returns true if an operand is dropped, unevaluated, where the one beside it is a compile-time constant that is
/// unknown here: TVM folds `x * 0`, `x % 1`, `0 // x`, `x and False` as it reads them (`SEMANTICS: S5`).
pub fn may_fold_away(body: &Body, op: BinaryOp, operands: [ExprId; 2], index: usize) -> bool {
    let other = operands[usize::from(index == 0)];
    let flags = body.expr(other).flags;
    (flags.has_unknown || may_become_constant(body, other))
        && match op {
            BinaryOp::Mul | BinaryOp::Mod | BinaryOp::FloorMod | BinaryOp::And | BinaryOp::Or => {
                true
            }
            BinaryOp::Div | BinaryOp::FloorDiv => index == 1,
            _ => false,
        }
}

fn positions(body: &Body) -> Table<OpId, u32> {
    let mut position = Table::filled(body.ops.len(), 0);
    for (_, block) in body.blocks.iter() {
        for (index, &op) in block.ops.iter().enumerate() {
            position[op] = index as u32;
        }
    }
    position
}

/// Ways in which evaluating a node may not come back, as bits.
pub(crate) mod leave {
    /// The function ends.
    pub(crate) const EXIT: u8 = 1;
    /// The function, or this thread of a kernel, ends.
    pub(crate) const RETURN: u8 = 2;
    /// To after the loop.
    pub(crate) const BREAK: u8 = 4;
    /// To the end of the iteration.
    pub(crate) const CONTINUE: u8 = 8;
    /// Nobody knows.
    pub(crate) const ANY: u8 = EXIT | RETURN | BREAK | CONTINUE;
}

/// How a call on purpose leaves the list it is in.
fn jump_of(it: Intrinsic) -> u8 {
    match it {
        Intrinsic::Return | Intrinsic::ThreadReturn => leave::RETURN,
        Intrinsic::BreakLoop => leave::BREAK,
        Intrinsic::ContinueLoop => leave::CONTINUE,
        Intrinsic::Trap => leave::EXIT,
        _ => 0,
    }
}

/// For each expression how evaluating it may not come back: an unknown call, one that traps or jumps on purpose.
pub(crate) fn leaving(body: &Body, effects: &EffectTable) -> Vec<u8> {
    let mut leaves = vec![0; body.n_exprs()];
    for (expr, node) in body.exprs() {
        // Most nodes have nothing in them that could.
        if !node.flags.has_call && !node.flags.has_unknown {
            continue;
        }
        let mut any = match node.kind {
            ExprKind::Opaque { .. } => leave::ANY,
            call @ ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } => {
                let trap = effects.call(body, call).may_trap == Trap::Yes;
                jump_of(it) | if trap { leave::EXIT } else { 0 }
            }
            ExprKind::Call { .. } => leave::EXIT,
            _ => 0,
        };
        // Children are made before their parents and have smaller ids.
        body.each_child(node.kind, &mut |child| any |= leaves[child.index()]);
        leaves[expr.index()] = any;
    }
    leaves
}

/// The jumps of all operations that do not simply go on.
fn jumps(body: &Body, scopes: &ScopeTree, effects: &EffectTable) -> FxHashMap<OpId, Jumps> {
    let leaves = leaving(body, effects);
    let mut jumps = FxHashMap::default();
    if body.ops.ids().all(|op| ways_out(body, op, &leaves) == (0, true)) {
        return jumps;
    }
    // The innermost loop around the operations that are entered now.
    let mut loops: Vec<OpId> = Vec::new();
    for event in body.walk(body.root) {
        match event {
            WalkEvent::Enter(op) => {
                let (ways, next) = ways_out(body, op, &leaves);
                if ways != 0 || !next {
                    let kernel = scopes.kernel(scopes.of_op(op)).and_then(|it| scopes.creator(it));
                    let targets = targets(ways, loops.last().copied(), kernel);
                    jumps.insert(op, Jumps { next, targets });
                }
                if is_loop(body, op) {
                    loops.push(op);
                }
            }
            WalkEvent::Leave(op) if is_loop(body, op) => {
                loops.pop();
            }
            _ => {}
        }
    }
    jumps
}

/// Returns true if `break` and `continue` refer to it.
fn is_loop(body: &Body, op: OpId) -> bool {
    matches!(body.ops[op].kind, OpKind::For(_) | OpKind::While)
}

/// The ways in which an operation leaves its list, and whether it may go on.
fn ways_out(body: &Body, op: OpId, leaves: &[u8]) -> (u8, bool) {
    let data = &body.ops[op];
    let inside = data.operands.iter().fold(0, |ways, it| ways | leaves[it.index()]);
    match data.kind {
        OpKind::Return => (inside | leave::RETURN, false),
        OpKind::Break => (inside | leave::BREAK, false),
        OpKind::Continue => (inside | leave::CONTINUE, false),
        OpKind::Assert | OpKind::Named(_) => (inside | leave::EXIT, true),
        OpKind::Opaque(_) => (leave::ANY, true),
        OpKind::Evaluate => (inside, !is_jump(body, data.operands.first().copied())),
        _ => (inside, true),
    }
}

/// Returns true if evaluating the node never returns.
fn is_jump(body: &Body, expr: Option<ExprId>) -> bool {
    let Some(expr) = expr else { return false };
    match body.expr(expr).kind {
        ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } => jump_of(it) != 0,
        _ => false,
    }
}

fn targets(ways: u8, around: Option<OpId>, kernel: Option<OpId>) -> SmallVec<[Target; 2]> {
    let mut targets = SmallVec::new();
    let mut add = |target| {
        if !targets.contains(&target) {
            targets.push(target);
        }
    };
    if ways & (leave::EXIT | leave::RETURN) != 0 {
        add(Target::Exit);
    }
    if ways & leave::RETURN != 0
        && let Some(kernel) = kernel
    {
        add(Target::Continue(kernel));
    }
    // Outside of a loop it is an error of the program, which ends there.
    if ways & leave::BREAK != 0 {
        add(around.map_or(Target::Exit, Target::Break));
    }
    if ways & leave::CONTINUE != 0 {
        add(around.map_or(Target::Exit, Target::Continue));
    }
    targets
}

/// By scope: whether a jump in it leaves it. O(scopes + jumps): bottom-up by the depth of the outermost target.
fn jumps_out(body: &Body, scopes: &ScopeTree, jumps: &FxHashMap<OpId, Jumps>) -> Vec<bool> {
    if jumps.is_empty() {
        return vec![false; scopes.len()];
    }
    let mut reach: Vec<u32> = vec![u32::MAX; scopes.len()];
    for op in body.ops_preorder() {
        let Some(jumps) = jumps.get(&op) else { continue };
        for target in &jumps.targets {
            let (Target::Break(to) | Target::Continue(to)) = *target else { continue };
            let reach = &mut reach[scopes.of_op(op).index()];
            *reach = (*reach).min(scopes.depth(scopes.of_op(to)));
        }
    }
    for scope in scopes.ids().rev() {
        if let Some(parent) = scopes.parent(scope) {
            reach[parent.index()] = reach[parent.index()].min(reach[scope.index()]);
        }
    }
    scopes.ids().map(|it| reach[it.index()] < scopes.depth(it)).collect()
}

/// Returns true if different threads execute the iterations of a loop.
pub fn is_thread_loop(kind: OpKind) -> bool {
    matches!(kind, OpKind::LaunchThread { .. } | OpKind::For(ForKind::ThreadBinding(_)))
}
