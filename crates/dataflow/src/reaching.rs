//! Reaching stores: the writes that may have produced the contents of memory at a point.
//!
//! In: the control flow and the alias classes. Out: [`ReachingStores`]: at every point and for every class the
//! operations whose write some path brings there without all of the class being made new on the way. Only a store to a
//! cell and an allocation make all of a class new; a store to an element of a buffer adds itself. The contents on entry
//! are a write of their own, [`Written::Entry`].
//!
//! A forward may analysis: for each class a sparse set, O(log n) a write, shared between points.

use ir::{OccurrenceId, OpId, arena::Id};

use crate::{
    alias::AliasClass,
    flow::Flow,
    solver::{Analysis, Cursor, Direction, Solution, solve},
    sparse::{IdMap, May},
    touch::{Cell, Touches},
};

/// The origin of a memory's contents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Written {
    /// It was there when the function was called.
    Entry,
    /// This operation, or a call in its operands.
    By(OpId),
}

/// A [`Written`] as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WriteId(u32);

impl Id for WriteId {
    fn new(index: usize) -> Self {
        WriteId(u32::try_from(index).expect("fewer writes than 2^32 operations"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl WriteId {
    const ENTRY: WriteId = WriteId(0);

    fn by(op: OpId) -> WriteId {
        WriteId::new(op.index() + 1)
    }
    fn written(self) -> Written {
        match self.index().checked_sub(1) {
            None => Written::Entry,
            Some(op) => Written::By(OpId::new(op)),
        }
    }
}

/// For each class, or kind of memory, its possible writers.
pub type Writes = IdMap<Cell, May<WriteId>>;

/// The problem for the solver.
pub struct Reaching<'a> {
    touches: Touches<'a>,
}

fn add(state: &mut Writes, cell: Cell, write: WriteId) {
    let mut set = state.get(cell).cloned().unwrap_or(May(Default::default()));
    set.0.insert(write);
    state.set(cell, set);
}

impl Analysis for Reaching<'_> {
    type State = Writes;
    const DIRECTION: Direction = Direction::Forward;

    fn boundary(&self) -> Writes {
        let mut state = Writes::default();
        for class in 0..self.touches.aliases().len() {
            add(&mut state, Cell::class(AliasClass::new(class)), WriteId::ENTRY);
        }
        state
    }

    fn occurrence(&self, id: OccurrenceId, state: &mut Writes) {
        for cell in self.touches.occurrence(id).writes {
            add(state, cell, WriteId::by(self.touches.op_of(id)));
        }
    }

    fn operation(&self, op: OpId, state: &mut Writes) {
        if let Some(class) = self.touches.overwrites(op) {
            let only = May([WriteId::by(op)].into_iter().collect());
            state.set(Cell::class(class), only);
            return;
        }
        for cell in self.touches.operation(op).writes {
            add(state, cell, WriteId::by(op));
        }
    }
}

/// The writes that reach the points of a body.
pub struct ReachingStores<'a> {
    solution: Solution<'a, Reaching<'a>>,
}

impl<'a> ReachingStores<'a> {
    /// Solves it.
    pub fn build(flow: &'a Flow<'a>, touches: Touches<'a>) -> ReachingStores<'a> {
        ReachingStores { solution: solve(flow, Reaching { touches }) }
    }

    /// Reads it at program points.
    pub fn cursor(&self) -> Cursor<'_, 'a, Reaching<'a>> {
        self.solution.cursor()
    }

    /// The fixpoint.
    pub fn solution(&self) -> &Solution<'a, Reaching<'a>> {
        &self.solution
    }

    /// The possible writers of a class, in a state of the cursor: in the order of operations.
    pub fn of_class(&self, state: &Writes, class: AliasClass) -> Vec<Written> {
        let aliases = self.solution.analysis().touches.aliases();
        let cells = [Cell::class(class), Cell::reach(aliases.reach(class))];
        let mut writes: Vec<WriteId> =
            cells.into_iter().filter_map(|it| state.get(it)).flat_map(|it| it.0.keys()).collect();
        writes.sort_unstable();
        writes.dedup();
        writes.into_iter().map(WriteId::written).collect()
    }
}
