//! Definite initialisation: which allocations and cells have been written, on no path, on some, or on all.
//!
//! In: the control flow and the alias classes. Out: [`Initialisation`]: at every point and for every class of memory
//! made in the function an [`Initialised`]. `Never` is a proof that a read there reads nothing that was written
//! (`SEMANTICS: M3`); `Always` is a proof that every element has been written on every path; in between nothing is
//! claimed. Memory that comes from outside is taken as written.
//!
//! A cell is written by a store to it. A buffer is written in whole by a nest of loops that counts through all of it: a
//! store without predicate whose indices are the variables of different loops around it, each from 0 over the extent of
//! its dimension, that every iteration of the outermost of them comes to: it is initialised after that loop (also where
//! an extent is 0: there is nothing to write then). Any other write initialises it in part.
//!
//! Forward, may and must at once. O(n log n) in operations and occurrences.

use ir::{
    Body, BufferId, BufferOrigin, ExprId, ExprKind, OccurrenceId, OpId, OpKind, ValueKind,
    arena::Id,
};
use rustc_hash::FxHashMap;

use crate::{
    alias::{AliasClass, Reach},
    flow::{Flow, Shape},
    lattice::Lattice,
    solver::{Analysis, Cursor, Direction, Solution, solve},
    sparse::{IdSet, May, Must},
    touch::{Cell, Touches},
};

/// The written part of some memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Initialised {
    /// Nothing, on any path.
    Never,
    /// Something on some path.
    Perhaps,
    /// Everything on every path.
    Always,
}

impl Initialised {
    /// `not written`, `written in part or on some paths`, `written`.
    pub fn text(self) -> &'static str {
        match self {
            Initialised::Never => "not written",
            Initialised::Perhaps => "written in part or on some paths",
            Initialised::Always => "written",
        }
    }
}

/// The memory written at a point.
#[derive(Clone, PartialEq, Debug)]
pub struct WrittenSets {
    some: May<Cell>,
    all: Must<Cell>,
}

impl Lattice for WrittenSets {
    fn join(&mut self, other: &WrittenSets) -> bool {
        self.some.join(&other.some) | self.all.join(&other.all)
    }
}

impl WrittenSets {
    /// Returns the written part of a class.
    pub fn of(&self, class: AliasClass, reach: Reach) -> Initialised {
        if self.all.0.contains(Cell::class(class)) {
            Initialised::Always
        } else if self.some.0.contains(Cell::class(class))
            || self.some.0.contains(Cell::reach(reach))
        {
            Initialised::Perhaps
        } else {
            Initialised::Never
        }
    }
}

/// The problem for the solver.
pub struct Initialising<'a> {
    touches: Touches<'a>,
    flow: &'a Flow<'a>,
    /// The buffers that are fully written when a loop is left.
    by_loop: FxHashMap<OpId, Vec<BufferId>>,
}

impl Initialising<'_> {
    /// The class that is exactly this allocation.
    fn class_of(&self, buffer: BufferId) -> Option<AliasClass> {
        let class = self.touches.aliases().class(buffer);
        (self.touches.sole(class) == Some(buffer)).then_some(class)
    }
}

impl Analysis for Initialising<'_> {
    type State = WrittenSets;
    const DIRECTION: Direction = Direction::Forward;

    fn boundary(&self) -> WrittenSets {
        // What the function does not make itself comes from outside.
        let aliases = self.touches.aliases();
        let outside: IdSet<Cell> = (0..aliases.len())
            .map(AliasClass::new)
            .filter(|&it| self.touches.sole(it).is_none())
            .map(Cell::class)
            .collect();
        WrittenSets { some: May(outside.clone()), all: Must(outside) }
    }

    fn occurrence(&self, id: OccurrenceId, state: &mut WrittenSets) {
        for cell in self.touches.occurrence(id).writes {
            state.some.0.insert(cell);
        }
    }

    fn operation(&self, op: OpId, state: &mut WrittenSets) {
        match self.flow.body.ops[op].kind {
            OpKind::Alloc { buffer, kind } => {
                let Some(class) = self.class_of(buffer) else { return };
                let cell = Cell::class(class);
                if kind == ir::AllocKind::Const {
                    state.some.0.insert(cell);
                    state.all.0.insert(cell);
                } else {
                    state.some.0.remove(cell);
                    state.all.0.remove(cell);
                }
            }
            OpKind::Store { .. } => {
                for cell in self.touches.operation(op).writes {
                    state.some.0.insert(cell);
                }
                if let Some(class) = self.touches.overwrites(op) {
                    state.all.0.insert(Cell::class(class));
                }
            }
            _ => {
                for cell in self.touches.operation(op).writes {
                    state.some.0.insert(cell);
                }
            }
        }
    }

    fn leave(&self, op: OpId, state: &mut WrittenSets) {
        for &buffer in self.by_loop.get(&op).into_iter().flatten() {
            if let Some(class) = self.class_of(buffer) {
                state.some.0.insert(Cell::class(class));
                state.all.0.insert(Cell::class(class));
            }
        }
    }
}

/// The memory that has been written at each point of a body.
pub struct Initialisation<'a> {
    solution: Solution<'a, Initialising<'a>>,
}

impl<'a> Initialisation<'a> {
    /// Solves it.
    pub fn build(flow: &'a Flow<'a>, touches: Touches<'a>) -> Initialisation<'a> {
        let by_loop = whole_stores(flow);
        Initialisation { solution: solve(flow, Initialising { touches, flow, by_loop }) }
    }

    /// Reads it at program points.
    pub fn cursor(&self) -> Cursor<'_, 'a, Initialising<'a>> {
        self.solution.cursor()
    }

    /// The fixpoint.
    pub fn solution(&self) -> &Solution<'a, Initialising<'a>> {
        &self.solution
    }

    /// Returns the written part of a buffer, in a state of the cursor.
    pub fn of_buffer(&self, state: &WrittenSets, buffer: BufferId) -> Initialised {
        let aliases = self.solution.analysis().touches.aliases();
        let class = aliases.class(buffer);
        state.of(class, aliases.reach(class))
    }
}

/// For each loop the buffers that it writes in whole.
fn whole_stores(flow: &Flow<'_>) -> FxHashMap<OpId, Vec<BufferId>> {
    let mut found: FxHashMap<OpId, Vec<BufferId>> = FxHashMap::default();
    let mut made: FxHashMap<BufferId, OpId> = FxHashMap::default();
    for op in flow.body.ops_preorder() {
        match flow.body.ops[op].kind {
            OpKind::Alloc { buffer, .. } => {
                made.insert(buffer, op);
            }
            OpKind::Store { buffer, predicated: false } => {
                if flow.body.buffers[buffer].origin != BufferOrigin::Alloc {
                    continue;
                }
                let Some(outermost) = covered_by(flow, op, buffer) else { continue };
                // Made anew in each iteration, it is another one after the loop.
                if made.get(&buffer).is_some_and(|&it| flow.scopes.dominates(it, outermost)) {
                    found.entry(outermost).or_default().push(buffer);
                }
            }
            _ => {}
        }
    }
    found
}

/// The loop after which a store has written the whole buffer.
pub(crate) fn covered_by(flow: &Flow<'_>, store: OpId, buffer: BufferId) -> Option<OpId> {
    let body = flow.body;
    let data = &body.buffers[buffer];
    if data.shape.is_empty() {
        return None;
    }
    let indices = body.ops[store].operands.get(1..)?;
    if indices.len() != data.shape.len() {
        return None;
    }
    let mut missing: Vec<OpId> = Vec::new();
    for (&index, &extent) in indices.iter().zip(&data.shape) {
        let counter = counter_over(body, index, extent)?;
        if missing.contains(&counter) {
            return None;
        }
        missing.push(counter);
    }
    climb(flow, store, missing)
}

/// The loop whose variable `index` is, if it counts from 0 over `extent`. A variable of a schedulable block counts as
/// its value.
fn counter_over(body: &Body, index: ExprId, extent: ExprId) -> Option<OpId> {
    let ExprKind::Value(value) = body.expr(index).kind else { return None };
    let ValueKind::BlockArg(block, number) = body.values[value].kind else { return None };
    let owner = body.regions[body.blocks[block].parent].parent?;
    let OpKind::SBlock(_) = body.ops[owner].kind else {
        return is_counter(body, owner, extent).then_some(owner);
    };
    let bound = *body.ops[owner].operands.get(number as usize)?;
    let ExprKind::Value(outer) = body.expr(bound).kind else { return None };
    let ValueKind::BlockArg(block, 0) = body.values[outer].kind else { return None };
    let owner = body.regions[body.blocks[block].parent].parent?;
    is_counter(body, owner, extent).then_some(owner)
}

fn is_counter(body: &Body, op: OpId, extent: ExprId) -> bool {
    match (body.ops[op].kind, &body.ops[op].operands[..]) {
        (OpKind::For(_), &[min, count]) => {
            let flags = body.expr(count).flags;
            let same = count == extent && !flags.has_load && !flags.has_call
                || matches!((body.expr(count).kind, body.expr(extent).kind),
                    (ExprKind::Int(a), ExprKind::Int(b)) if a == b);
            body.expr(min).kind == ExprKind::Int(0) && same
        }
        _ => false,
    }
}

/// Further out than this a loop is not looked for: a nest so deep does not fill one buffer.
const MOST_LOOPS: usize = 64;

/// The outermost of `missing`, if all of them are around the store and nothing between may skip it.
fn climb(flow: &Flow<'_>, store: OpId, mut missing: Vec<OpId>) -> Option<OpId> {
    let body = flow.body;
    let mut at = store;
    for _ in 0..MOST_LOOPS {
        let block = body.ops[at].parent;
        let region = body.blocks[block].parent;
        if body.regions[region].blocks.len() != 1 || flow.jumps_out(block) || flow.is_graph(block) {
            return None;
        }
        let owner = body.regions[region].parent?;
        match flow.shape(owner) {
            Shape::Loop { certain } => match missing.iter().position(|&it| it == owner) {
                Some(found) => {
                    missing.swap_remove(found);
                    if missing.is_empty() {
                        return Some(owner);
                    }
                }
                // Another loop in between must have an iteration.
                None if !certain => return None,
                None => {}
            },
            Shape::Once => {}
            Shape::SBlock { guarded: false } if body.ops[owner].regions[0] == region => {}
            _ => return None,
        }
        at = owner;
    }
    None
}
