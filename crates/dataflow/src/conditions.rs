//! Path conditions: the facts known at a point from the conditions on the way there, as contexts of [`arith`].
//!
//! In: the control flow and an [`Analyzer`]. Out: [`Conditions`]: the [`ContextId`] at the start of every scope, before
//! and after every operation and at every occurrence; what follows from it, the analyzer answers. The known facts are
//! exactly these (`SEMANTICS: 0`, Facts): the condition of an `if` or `if_then_else` in its arms, of a `while` in its
//! body and (without `break`) after it, the range of a loop (with its step) or thread, the predicate of a schedulable
//! block in it, assertions and assumptions, the shapes of matched buffers; after an `if` of which only one arm
//! continues, the condition that chose that arm. The left side of `and` and the condition of `Select` say nothing
//! (`S2`, `S4`).
//!
//! A context is a chain that grows inwards and downwards, so a fact may be lost where paths meet, never made up: after
//! an `if` whose arms both continue, assertions of both arms are forgotten. A condition on a load says nothing later;
//! the analyzer takes care of that. Building is O(operations + occurrences), a query O(log n).

use arith::{Analyzer, ContextId};
use ir::{
    Body, BufferOrigin, ExprId, ExprKind, Intrinsic, OccurrenceId, OpId, OpKind, ScopeAttr,
    arena::{Id, Table},
};

use crate::{
    flow::{Evaluated, Flow, Shape},
    scopes::{ScopeId, ScopeKind},
};

/// From an occurrence on, which conditions hold beside those of the operation.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: OccurrenceId,
    /// None where the operation's own context holds.
    context: Option<ContextId>,
}

/// An operand with a context of its own, which is being walked through.
struct Arm {
    end: OccurrenceId,
    context: ContextId,
}

/// The contexts of all points of a body.
#[derive(Clone, Debug)]
pub struct Conditions {
    at_start: Vec<ContextId>,
    at_end: Vec<ContextId>,
    before: Table<OpId, ContextId>,
    after: Table<OpId, ContextId>,
    /// By start, one at an occurrence.
    stretches: Vec<Stretch>,
}

/// How the context of a place follows from the one before it: for walks that make contexts on the way, of operands as
/// they become.
#[derive(Clone, Debug)]
pub struct Passage {
    /// By operation: whether something leaves it by `break`.
    breaks: Vec<bool>,
    /// A launch may run more threads than it says; see [`ScopeAttr::WarpSpecialization`].
    has_more_threads: bool,
}

impl Passage {
    /// Collects the facts that the conditions of a body rest on. O(operations).
    pub fn of(flow: &Flow<'_>) -> Passage {
        let body = flow.body;
        let adds = |op| body.scope_attr(op) == Some(ScopeAttr::WarpSpecialization);
        let has_more_threads = body.ops.ids().any(adds);
        Passage { breaks: loops_with_break(flow), has_more_threads }
    }

    /// The context with which a scope is entered that an operation makes, where the context before the operation is
    /// `around` and it has these operands. A block of a region with several blocks is entered with the facts before the
    /// operation.
    pub fn inside(
        &self,
        flow: &Flow<'_>,
        analyzer: &mut Analyzer<'_>,
        scope: ScopeId,
        around: ContextId,
        operands: &[ExprId],
    ) -> ContextId {
        let Some(creator) = flow.scopes.creator(scope) else { return around };
        let data = &flow.body.ops[creator];
        match (flow.scopes.kind(scope), operands.first()) {
            (ScopeKind::While, Some(&first)) => analyzer.assume(around, first, true),
            (ScopeKind::Arm(arm), Some(&first)) => analyzer.assume(around, first, arm == 0),
            (ScopeKind::Loop(_), _) => {
                let var = flow.arguments(flow.scopes.block(scope)).first();
                match (var, operands) {
                    (Some(&var), &[min, extent]) => analyzer.range(around, var, min, extent),
                    (Some(&var), &[min, extent, step]) => {
                        analyzer.stepped(around, var, min, extent, step)
                    }
                    _ => around,
                }
            }
            (ScopeKind::Launch, _) if self.has_more_threads => around,
            (ScopeKind::Launch, Some(&extent)) => match data.kind {
                OpKind::LaunchThread { var, .. } => analyzer.thread(around, var, extent),
                _ => around,
            },
            (ScopeKind::SBlock(_) | ScopeKind::Init, _) => {
                let predicate = operands.last().filter(|_| has_predicate(flow.body, creator));
                predicate.map_or(around, |&it| analyzer.assume(around, it, true))
            }
            _ => around,
        }
    }

    /// The context after an operation, where the context before it is `context` and it has these operands.
    pub fn behind(
        &self,
        flow: &Flow<'_>,
        analyzer: &mut Analyzer<'_>,
        context: ContextId,
        op: OpId,
        operands: &[ExprId],
    ) -> ContextId {
        let data = &flow.body.ops[op];
        let Some(&first) = operands.first() else { return context };
        match data.kind {
            OpKind::Assert => analyzer.assume(context, first, true),
            OpKind::Evaluate => match assumed(analyzer.body(), first) {
                Some(condition) => analyzer.assume(context, condition, true),
                None => context,
            },
            OpKind::If if flow.shape(op) == Shape::Branch => {
                let ends = |arm: usize| match data.regions.get(arm) {
                    Some(&region) => flow.reaches_end(flow.body.entry(region)),
                    None => true,
                };
                match (ends(0), ends(1)) {
                    (true, false) => analyzer.assume(context, first, true),
                    (false, true) => analyzer.assume(context, first, false),
                    _ => context,
                }
            }
            OpKind::While if !self.breaks[op.index()] => analyzer.assume(context, first, false),
            OpKind::DeclBuffer { buffer } => match flow.body.buffers[buffer].origin {
                BufferOrigin::Match { .. } => analyzer.shape(context, buffer),
                _ => context,
            },
            _ => context,
        }
    }
}

impl Conditions {
    /// The contexts of a body, made in `analyzer`.
    pub fn build(flow: &Flow<'_>, analyzer: &mut Analyzer<'_>) -> Conditions {
        let root = analyzer.entry();
        let n_scopes = flow.scopes.len();
        let before = Table::filled(flow.body.ops.len(), root);
        let mut conditions = Conditions {
            at_start: vec![root; n_scopes],
            at_end: vec![root; n_scopes],
            after: before.clone(),
            before,
            stretches: Vec::new(),
        };
        let passage = Passage::of(flow);
        for scope in flow.scopes.ids() {
            let start = conditions.start(flow, analyzer, &passage, scope);
            conditions.at_start[scope.index()] = start;
            let block = flow.scopes.block(scope);
            let is_graph = flow.is_graph(block);
            let mut context = start;
            for &op in &flow.body.blocks[block].ops {
                ir::interrupt::check();
                conditions.before[op] = context;
                if !is_graph {
                    let operands = &flow.body.ops[op].operands;
                    context = passage.behind(flow, analyzer, context, op, operands);
                }
                conditions.after[op] = context;
            }
            conditions.at_end[scope.index()] = context;
        }
        conditions.collect_stretches(flow, analyzer);
        conditions
    }

    /// The context at the start of a scope, its block's arguments having values.
    pub fn at_scope(&self, scope: ScopeId) -> ContextId {
        self.at_start[scope.index()]
    }
    /// The context at the end of a scope's own block.
    pub fn at_end(&self, scope: ScopeId) -> ContextId {
        self.at_end[scope.index()]
    }
    /// The context before an operation, in which its operands are evaluated.
    pub fn before(&self, op: OpId) -> ContextId {
        self.before[op]
    }
    /// The context after an operation.
    pub fn after(&self, op: OpId) -> ContextId {
        self.after[op]
    }
    /// The context in which an occurrence is evaluated.
    pub fn at(&self, flow: &Flow<'_>, id: OccurrenceId) -> ContextId {
        let after = self.stretches.partition_point(|it| it.start <= id);
        let within = after.checked_sub(1).and_then(|at| self.stretches[at].context);
        within.unwrap_or_else(|| self.before[flow.occurrences[id].op])
    }

    /// The context with which a scope is entered.
    fn start(
        &self,
        flow: &Flow<'_>,
        analyzer: &mut Analyzer<'_>,
        passage: &Passage,
        scope: ScopeId,
    ) -> ContextId {
        let Some(creator) = flow.scopes.creator(scope) else { return analyzer.entry() };
        match flow.scopes.kind(scope) {
            // What held in a dominating block holds: its values have not been defined again since, or that block would
            // have been entered again too.
            ScopeKind::Successor => self.after[creator],
            _ => {
                let operands = &flow.body.ops[creator].operands;
                passage.inside(flow, analyzer, scope, self.before[creator], operands)
            }
        }
    }

    fn collect_stretches(&mut self, flow: &Flow<'_>, analyzer: &mut Analyzer<'_>) {
        let mut open: Vec<Arm> = Vec::new();
        let mut next = 0;
        while next < flow.occurrences.len() {
            ir::interrupt::check();
            let id = OccurrenceId::new(next);
            let occurrence = flow.occurrences[id];
            let flags = flow.body.expr(occurrence.expr).flags;
            // Arms are operands of calls and binders.
            next = match flags.has_call || flags.has_binder {
                true => next + 1,
                false => occurrence.end.index(),
            };
            self.close(&mut open, id);
            let Some(parent) = occurrence.parent else { continue };
            let around = open.last().map_or(self.before[occurrence.op], |it| it.context);
            let index = || child_index(flow, parent, id);
            let context = match flow.body.expr(flow.occurrences[parent].expr).kind {
                ExprKind::IfThenElse(condition, ..) => {
                    let index = index();
                    if flow.evaluated(parent, index) != Evaluated::OneOf {
                        continue;
                    }
                    analyzer.assume(around, condition, index == 1)
                }
                ExprKind::Let { value, .. } if index() == 1 => analyzer.binder(around, Some(value)),
                ExprKind::Lambda { params, .. } => {
                    (0..params).fold(around, |around, _| analyzer.binder(around, None))
                }
                _ => continue,
            };
            open.push(Arm { end: occurrence.end, context });
            self.begin(id, Some(context));
        }
        self.close(&mut open, OccurrenceId::new(flow.occurrences.len()));
    }

    /// Leaves the arms that end before an occurrence, the innermost first: behind each the one around it goes on.
    fn close(&mut self, open: &mut Vec<Arm>, id: OccurrenceId) {
        while let Some(arm) = open.pop_if(|it| it.end <= id) {
            self.begin(arm.end, open.last().map(|it| it.context));
        }
    }

    fn begin(&mut self, start: OccurrenceId, context: Option<ContextId>) {
        match self.stretches.last_mut() {
            Some(last) if last.start == start => last.context = context,
            _ => self.stretches.push(Stretch { start, context }),
        }
    }
}

/// Returns the index of an occurrence among the operands of `parent`. O(operands), for nodes with few.
fn child_index(flow: &Flow<'_>, parent: OccurrenceId, id: OccurrenceId) -> usize {
    let mut child = OccurrenceId::new(parent.index() + 1);
    let mut index = 0;
    while child < id {
        child = flow.occurrences[child].end;
        index += 1;
    }
    index
}

/// The condition of `T.assume(condition)`.
fn assumed(body: &Body, expr: ExprId) -> Option<ExprId> {
    body.operands_of(expr, Intrinsic::Assume)?.first().copied()
}

fn has_predicate(body: &Body, op: OpId) -> bool {
    matches!(body.ops[op].kind, OpKind::SBlock(block) if body.sblocks[block].has_predicate)
}

/// For each operation whether something leaves it by `break`.
fn loops_with_break(flow: &Flow<'_>) -> Vec<bool> {
    let mut breaks = vec![false; flow.body.ops.len()];
    for op in flow.broken() {
        breaks[op.index()] = true;
    }
    breaks
}
