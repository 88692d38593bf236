//! Liveness: which variables, and which memory, may still be read.
//!
//! In: the control flow and the alias classes. Out: [`Liveness`]: at every point the values that some path from there
//! uses before they get a new one, and the memory that some path reads before it is made new. A value is used where it
//! is evaluated, passed to a branch, or mentioned by an operation without being evaluated (annotations, domains and
//! regions of schedulable blocks), so a binding that is live nowhere can be removed with its text. Memory that others
//! see is live at the end of the function, at barriers, and for calls that may read it; parameters are at every exit
//! (`SEMANTICS: X3`, `M8`, `Y1`).
//!
//! A backward may analysis over sparse sets: O(n log n) in the operations and occurrences, whatever the nesting.

use ir::{
    AttrDictId, BlockId, Body, BufferId, BufferRegion, ExprId, ExprKind, OccurrenceId, OpId,
    OpKind, RegionDim, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    alias::{AliasClass, AliasClasses},
    flow::Flow,
    lattice::Lattice,
    solver::{Analysis, Cursor, Direction, Solution, solve},
    sparse::{IdSet, May},
    touch::{Cell, Touches},
};

/// The live variables and memory at a point.
#[derive(Clone, PartialEq, Debug)]
pub struct Live {
    values: May<ValueId>,
    memory: May<Cell>,
}

impl Lattice for Live {
    fn join(&mut self, other: &Live) -> bool {
        self.values.join(&other.values) | self.memory.join(&other.memory)
    }
}

impl Live {
    /// Returns true if a variable is live.
    pub fn value(&self, value: ValueId) -> bool {
        self.values.0.contains(value)
    }
    /// The variables that are, in the order of their definitions.
    pub fn values(&self) -> impl Iterator<Item = ValueId> {
        self.values.0.keys()
    }
    /// Returns true if some byte of a class is live.
    pub fn class(&self, class: AliasClass, aliases: &AliasClasses) -> bool {
        Cell::holds(&self.memory.0, class, aliases)
    }
    /// Returns true if some byte of a buffer, or of memory that it may overlap, is live.
    pub fn buffer(&self, buffer: BufferId, aliases: &AliasClasses) -> bool {
        self.class(aliases.class(buffer), aliases)
    }
}

/// The problem for the solver.
pub struct LiveVariables<'a> {
    flow: &'a Flow<'a>,
    touches: Touches<'a>,
    mentions: FxHashMap<OpId, Vec<ValueId>>,
}

impl Analysis for LiveVariables<'_> {
    type State = Live;
    const DIRECTION: Direction = Direction::Backward;

    fn boundary(&self) -> Live {
        let memory = May([Cell::OUTLIVING].into_iter().collect());
        Live { values: May(IdSet::default()), memory }
    }

    fn occurrence(&self, id: OccurrenceId, state: &mut Live) {
        match self.flow.body.expr(self.flow.occurrences[id].expr).kind {
            ExprKind::Value(value) => {
                state.values.0.insert(value);
            }
            ExprKind::Load { .. }
            | ExprKind::Region(..)
            | ExprKind::Opaque { .. }
            | ExprKind::Call { .. } => {
                for cell in self.touches.occurrence(id).reads {
                    state.memory.0.insert(cell);
                }
            }
            _ => {}
        }
    }

    fn operation(&self, op: OpId, state: &mut Live) {
        for &result in &self.flow.body.ops[op].results {
            state.values.0.remove(result);
        }
        if let Some(class) = self.touches.overwrites(op) {
            state.memory.0.remove(Cell::class(class));
        }
        for cell in self.touches.operation(op).reads {
            state.memory.0.insert(cell);
        }
        for &value in self.mentions.get(&op).into_iter().flatten() {
            state.values.0.insert(value);
        }
    }

    fn block_start(&self, block: BlockId, state: &mut Live) {
        for &arg in self.flow.arguments(block) {
            state.values.0.remove(arg);
        }
    }

    fn edge(&self, terminator: OpId, index: usize, state: &mut Live) {
        let body = self.flow.body;
        let args = body.ops[terminator].successors[index].args;
        let mut used = Uses::new(body);
        body.items(args).iter().for_each(|&it| used.expr(it));
        for value in used.values {
            state.values.0.insert(value);
        }
    }
}

/// Liveness of a body.
pub struct Liveness<'a> {
    solution: Solution<'a, LiveVariables<'a>>,
}

impl<'a> Liveness<'a> {
    /// Solves it.
    pub fn build(flow: &'a Flow<'a>, aliases: &'a AliasClasses) -> Liveness<'a> {
        let touches = Touches::build(flow, aliases);
        let mentions = mentions(flow.body);
        Liveness { solution: solve(flow, LiveVariables { flow, touches, mentions }) }
    }

    /// Reads it at program points.
    pub fn cursor(&self) -> Cursor<'_, 'a, LiveVariables<'a>> {
        self.solution.cursor()
    }

    /// The fixpoint.
    pub fn solution(&self) -> &Solution<'a, LiveVariables<'a>> {
        &self.solution
    }
}

/// Values that an operation has in it without evaluating them.
fn mentions(body: &Body) -> FxHashMap<OpId, Vec<ValueId>> {
    let mut mentions = FxHashMap::default();
    for op in body.ops_preorder() {
        let data = &body.ops[op];
        let mut uses = Uses::new(body);
        uses.attrs(data.attrs);
        match data.kind {
            OpKind::SBlock(block) => {
                let block = &body.sblocks[block];
                for var in &block.iter_vars {
                    uses.expr(var.dom_min);
                    uses.expr(var.dom_extent);
                }
                block.reads.iter().chain(&block.writes).flatten().for_each(|it| uses.region(it));
            }
            OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => {
                uses.attrs(body.buffers[buffer].attrs);
            }
            _ => {}
        }
        if !uses.values.is_empty() {
            mentions.insert(op, uses.values);
        }
    }
    mentions
}

/// The values in some expressions.
struct Uses<'b> {
    body: &'b Body,
    values: Vec<ValueId>,
    seen: FxHashSet<ExprId>,
}

impl<'b> Uses<'b> {
    fn new(body: &'b Body) -> Uses<'b> {
        Uses { body, values: Vec::new(), seen: FxHashSet::default() }
    }

    fn expr(&mut self, expr: ExprId) {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let kind = self.body.expr(at).kind;
            if let ExprKind::Value(value) = kind {
                if !self.values.contains(&value) {
                    self.values.push(value);
                }
            } else if self.seen.insert(at) {
                self.body.each_child(kind, &mut |child| stack.push(child));
            }
        }
    }

    fn region(&mut self, region: &BufferRegion) {
        for dim in &region.dims {
            match *dim {
                RegionDim::Point(index) => self.expr(index),
                RegionDim::Slice { lower, upper, step } => {
                    lower.into_iter().chain(upper).chain(step).for_each(|it| self.expr(it));
                }
            }
        }
    }

    fn attrs(&mut self, dict: AttrDictId) {
        if dict == Body::no_attrs() {
            return;
        }
        self.body.dict(dict).iter().flat_map(|it| it.1.expressions()).for_each(|it| self.expr(it));
    }
}
