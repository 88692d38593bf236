//! Which memory one step may read and write, for analyses that follow memory along paths.
//!
//! In: an occurrence or an operation. Out: a [`Touch`]: alias classes by name, and kinds of memory ([`Reach`]) as a whole:
//! what an unknown call or a barrier reaches (`SEMANTICS: X1`, `X2`, `Y1`, `Y3`, `Y4`). What a load reads and a store writes
//! is here too, so that an analysis asks one question a step. O(operands of the call).
//!
//! A set of memory is kept as a set of [`Cell`]s: one for each class and one for each kind of memory as a whole, so that a
//! barrier adds one element, not one for each class.

use ir::{
    BufferId, BufferOrigin, Callee, ExprKind, OccurrenceId, OpId, OpKind,
    arena::Id,
    effects::{Asynchrony, Flags, MemoryEffect, MemorySet},
};
use smallvec::SmallVec;

use crate::{
    alias::{AliasClass, AliasClasses, Reach, is_address_of},
    flow::Flow,
    sparse::IdSet,
};

/// A class, or all classes of one kind: an element of a set of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u32);

impl Id for Cell {
    fn new(index: usize) -> Self {
        Cell(u32::try_from(index).expect("fewer cells than 2^32 classes"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of cells that are kinds: three of [`Reach`], and what is read after the function.
const N_KINDS: usize = 4;

impl Cell {
    /// One class.
    pub fn class(class: AliasClass) -> Cell {
        Cell::new(class.index() + N_KINDS)
    }
    /// All classes that somebody reaches.
    pub fn reach(reach: Reach) -> Cell {
        Cell::new(reach as usize)
    }
    /// All classes that are read after the function.
    pub const OUTLIVING: Cell = Cell(3);

    /// Whether a set holds a class, by itself or with its kind.
    pub fn holds(set: &IdSet<Cell>, class: AliasClass, aliases: &AliasClasses) -> bool {
        set.contains(Cell::class(class))
            || set.contains(Cell::reach(aliases.reach(class)))
            || (set.contains(Cell::OUTLIVING) && aliases.outlives(class))
    }
}

/// The memory that one step may read and write.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Touch {
    /// May be read.
    pub reads: SmallVec<[Cell; 4]>,
    /// May be written, in part or in whole.
    pub writes: SmallVec<[Cell; 4]>,
}

/// What steps touch, in one body.
#[derive(Clone, Debug)]
pub struct Touches<'a> {
    flow: &'a Flow<'a>,
    aliases: &'a AliasClasses,
    /// By class: the one buffer whose memory it is, if it is exactly that of one allocation or cell.
    sole: Vec<Option<BufferId>>,
}

impl<'a> Touches<'a> {
    /// For `flow`. O(buffers).
    pub fn build(flow: &'a Flow<'a>, aliases: &'a AliasClasses) -> Touches<'a> {
        let mut roots = vec![None; aliases.len()];
        let mut sole = vec![None; aliases.len()];
        let mut shared = vec![false; aliases.len()];
        for (buffer, data) in flow.body.buffers.iter() {
            let class = aliases.class(buffer).index();
            let root = aliases.root(buffer);
            shared[class] |= roots[class].is_some_and(|it| it != root);
            roots[class] = Some(root);
            if matches!(data.origin, BufferOrigin::Alloc | BufferOrigin::Cell) {
                shared[class] |= sole[class].is_some();
                sole[class] = Some(buffer);
            }
        }
        for (sole, shared) in sole.iter_mut().zip(shared) {
            if shared {
                *sole = None;
            }
        }
        Touches { flow, aliases, sole }
    }

    /// The alias classes.
    pub fn aliases(&self) -> &'a AliasClasses {
        self.aliases
    }

    /// The allocation or cell that a class is, if it is nothing else.
    pub fn sole(&self, class: AliasClass) -> Option<BufferId> {
        self.sole[class.index()]
    }

    /// The operation that an occurrence belongs to.
    pub fn op_of(&self, id: OccurrenceId) -> OpId {
        self.flow.occurrences[id].op
    }

    /// What evaluating a node touches, its operands apart.
    pub fn occurrence(&self, id: OccurrenceId) -> Touch {
        let body = self.flow.body;
        let mut touch = Touch::default();
        match body.expr(self.flow.occurrences[id].expr).kind {
            // Only its address is asked for.
            ExprKind::Load { .. } if self.only_names(id) => {}
            ExprKind::Load { buffer, .. } | ExprKind::Region(buffer, _) => {
                touch.reads.push(Cell::class(self.aliases.class(buffer)));
            }
            ExprKind::Opaque { .. } => touch = everything(),
            ExprKind::Call { callee, .. } => self.call(callee, id, &mut touch),
            _ => {}
        }
        touch
    }

    /// What an operation touches after its operands have been evaluated.
    pub fn operation(&self, op: OpId) -> Touch {
        let mut touch = Touch::default();
        let class = |buffer| Cell::class(self.aliases.class(buffer));
        match self.flow.body.ops[op].kind {
            OpKind::Store { buffer, .. } => touch.writes.push(class(buffer)),
            OpKind::Alloc { buffer, .. } => touch.writes.push(class(buffer)),
            OpKind::Opaque(_) | OpKind::Named(_) => touch = everything(),
            _ => {}
        }
        touch
    }

    /// The class all of whose memory an operation makes new: an allocation, or the store to a cell.
    pub fn overwrites(&self, op: OpId) -> Option<AliasClass> {
        let body = self.flow.body;
        let buffer = match body.ops[op].kind {
            OpKind::Alloc { buffer, .. } => buffer,
            OpKind::Store { buffer, predicated: false }
                if body.buffers[buffer].origin == BufferOrigin::Cell =>
            {
                buffer
            }
            _ => return None,
        };
        let class = self.aliases.class(buffer);
        (self.sole(class) == Some(buffer)).then_some(class)
    }

    /// Whether a load is the operand of a call that takes its address.
    fn only_names(&self, id: OccurrenceId) -> bool {
        let Some(parent) = self.flow.occurrences[id].parent else { return false };
        match self.flow.body.expr(self.flow.occurrences[parent].expr).kind {
            ExprKind::Call { callee, .. } => is_address_of(self.flow.body, callee),
            _ => false,
        }
    }

    fn call(&self, callee: Callee, id: OccurrenceId, touch: &mut Touch) {
        let effects = self.flow.effects.callee(self.flow.body, callee);
        if effects.flags.contains(Flags::TERMINATOR) {
            return;
        }
        let is_async = effects.asynchrony != Asynchrony::None;
        let orders = effects.is_barrier() || is_async;
        if effects.memory_effect == MemoryEffect::None && !orders {
            return;
        }
        let mut cells: SmallVec<[Cell; 4]> = SmallVec::new();
        let knows = self.arguments(id, &mut cells);
        let wide = MemorySet::GLOBAL.union(MemorySet::SHARED);
        let stays = knows
            && !orders
            && effects.memory_effect != MemoryEffect::Unknown
            && !effects.memory.intersects(wide);
        if !stays {
            cells.extend([Cell::reach(Reach::Escaped), Cell::reach(Reach::Visible)]);
        }
        if effects.may_read() || orders {
            touch.reads.clone_from(&cells);
        }
        if effects.may_write() || orders {
            touch.writes = cells;
        }
    }

    /// Collects what the arguments of a call are addresses or elements of. False if one may be of anything, or there is
    /// none.
    fn arguments(&self, call: OccurrenceId, cells: &mut SmallVec<[Cell; 4]>) -> bool {
        let flow = self.flow;
        let mut known = true;
        let mut at = OccurrenceId::new(call.index() + 1);
        while at < flow.occurrences[call].end {
            let expr = flow.occurrences[at].expr;
            let class = match flow.body.expr(expr).kind {
                ExprKind::Load { buffer, .. } => Some(self.aliases.class(buffer)),
                _ => self.aliases.of_address(expr),
            };
            if let Some(class) = class {
                known &= class != self.aliases.world();
                if !cells.contains(&Cell::class(class)) {
                    cells.push(Cell::class(class));
                }
            }
            at = flow.occurrences[at].end;
        }
        known && !cells.is_empty()
    }
}

fn everything() -> Touch {
    let all = [Reach::Private, Reach::Escaped, Reach::Visible].map(Cell::reach);
    Touch { reads: all.into_iter().collect(), writes: all.into_iter().collect() }
}
