//! Which memory one step may read and write: the one place that says so.
//!
//! In: an occurrence or an operation. Out: a [`Touch`]: alias classes by name, and kinds of memory ([`Reach`]) as a whole:
//! what an unknown call or a barrier reaches (`SEMANTICS: X1`, `X2`, `Y1`, `Y3`, `Y4`). What a load reads and a store writes
//! is here too, so that an analysis asks one question a step. [`Steps`] needs the body and its alias classes alone; analyses
//! along paths ask [`Touches`], memory versions and reads by place (`memory`) ask the former. O(operands of the call).
//!
//! A set of memory is kept as a set of [`Cell`]s: one for each class and one for each kind of memory as a whole, so that a
//! barrier adds one element, not one for each class.

use ir::{
    Body, BufferId, BufferOrigin, Callee, ExprKind, OccurrenceId, Occurrences, OpId, OpKind,
    arena::Id,
    effects::{Asynchrony, EffectTable, Flags, MemoryEffect, MemorySet, OpEffects},
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

    /// The class that it is, or the kind of memory; none for [`Cell::OUTLIVING`].
    pub(crate) fn part(self) -> Option<Part> {
        Some(match self.0 {
            0 => Part::All(Reach::Private),
            1 => Part::All(Reach::Escaped),
            2 => Part::All(Reach::Visible),
            3 => return None,
            class => Part::Class(AliasClass::new(class as usize - N_KINDS)),
        })
    }

    /// Whether a set holds a class, by itself or with its kind.
    pub fn holds(set: &IdSet<Cell>, class: AliasClass, aliases: &AliasClasses) -> bool {
        set.contains(Cell::class(class))
            || set.contains(Cell::reach(aliases.reach(class)))
            || (set.contains(Cell::OUTLIVING) && aliases.outlives(class))
    }
}

/// What a [`Cell`] stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Class(AliasClass),
    All(Reach),
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps<'a> {
    pub(crate) body: &'a Body,
    pub(crate) occurrences: &'a Occurrences,
    pub(crate) effects: &'a EffectTable,
    pub(crate) aliases: &'a AliasClasses,
}

impl Steps<'_> {
    /// What evaluating a node touches, its operands apart.
    pub(crate) fn occurrence(&self, id: OccurrenceId) -> Touch {
        let mut touch = Touch::default();
        match self.body.expr(self.occurrences[id].expr).kind {
            ExprKind::Load { .. } if is_name_of_element(self.body, self.occurrences, id) => {}
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
    pub(crate) fn operation(&self, op: OpId) -> Touch {
        let mut touch = Touch::default();
        match self.body.ops[op].kind {
            OpKind::Store { buffer, .. } | OpKind::Alloc { buffer, .. } => {
                touch.writes.push(Cell::class(self.aliases.class(buffer)));
            }
            OpKind::Opaque(_) | OpKind::Named(_) => touch = everything(),
            OpKind::Attr(key) if self.body.name(key).starts_with("async_wait") => {
                let others = SmallVec::from_slice(&OTHERS.map(Cell::reach));
                touch = Touch { reads: others.clone(), writes: others };
            }
            _ => {}
        }
        touch
    }

    fn call(&self, callee: Callee, id: OccurrenceId, touch: &mut Touch) {
        let effects = self.effects.callee(self.body, callee);
        // Control goes elsewhere; no memory is touched.
        if effects.flags.contains(Flags::TERMINATOR) {
            return;
        }
        let orders = effects.is_barrier() || effects.asynchrony != Asynchrony::None;
        if effects.memory_effect == MemoryEffect::None && !orders {
            return;
        }
        let mut cells: SmallVec<[Cell; 4]> = SmallVec::new();
        let knows = self.arguments(id, &mut cells);
        if orders || reaches_more(effects, knows) {
            cells.extend(OTHERS.map(Cell::reach));
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
        let mut known = true;
        let mut at = OccurrenceId::new(call.index() + 1);
        while at < self.occurrences[call].end {
            let expr = self.occurrences[at].expr;
            let class = match self.body.expr(expr).kind {
                ExprKind::Load { buffer, .. } => Some(self.aliases.class(buffer)),
                _ => self.aliases.of_address(expr),
            };
            if let Some(class) = class {
                known &= class != self.aliases.world();
                if !cells.contains(&Cell::class(class)) {
                    cells.push(Cell::class(class));
                }
            }
            at = self.occurrences[at].end;
        }
        known && !cells.is_empty()
    }
}

/// Whether a load only names an element: it is the operand of a call that takes its address.
pub(crate) fn is_name_of_element(
    body: &Body,
    occurrences: &Occurrences,
    load: OccurrenceId,
) -> bool {
    let Some(parent) = occurrences[load].parent else { return false };
    match body.expr(occurrences[parent].expr).kind {
        ExprKind::Call { callee, .. } => is_address_of(body, callee),
        _ => false,
    }
}

/// What others than this code reach.
const OTHERS: [Reach; 2] = [Reach::Escaped, Reach::Visible];

/// Whether a call may touch more than its arguments name.
fn reaches_more(effects: &OpEffects, knows_arguments: bool) -> bool {
    let named = effects.memory.contains(MemorySet::ARGUMENT) && knows_arguments;
    let wide = MemorySet::GLOBAL.union(MemorySet::SHARED);
    let is_local = effects.memory == MemorySet::LOCAL && knows_arguments;
    effects.memory_effect == MemoryEffect::Unknown
        || effects.memory.intersects(wide)
        || !(named || is_local)
}

fn everything() -> Touch {
    let all = [Reach::Private, Reach::Escaped, Reach::Visible].map(Cell::reach);
    Touch { reads: all.into_iter().collect(), writes: all.into_iter().collect() }
}

/// What steps touch, for analyses along the paths of a body.
#[derive(Clone, Debug)]
pub struct Touches<'a> {
    steps: Steps<'a>,
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
        let (body, occurrences, effects) = (flow.body, flow.occurrences, flow.effects);
        Touches { steps: Steps { body, occurrences, effects, aliases }, sole }
    }

    /// The alias classes.
    pub fn aliases(&self) -> &'a AliasClasses {
        self.steps.aliases
    }

    /// The allocation or cell that a class is, if it is nothing else.
    pub fn sole(&self, class: AliasClass) -> Option<BufferId> {
        self.sole[class.index()]
    }

    /// The operation that an occurrence belongs to.
    pub fn op_of(&self, id: OccurrenceId) -> OpId {
        self.steps.occurrences[id].op
    }

    /// What evaluating a node touches, its operands apart.
    pub fn occurrence(&self, id: OccurrenceId) -> Touch {
        self.steps.occurrence(id)
    }

    /// What an operation touches after its operands have been evaluated.
    pub fn operation(&self, op: OpId) -> Touch {
        self.steps.operation(op)
    }

    /// The class all of whose memory an operation makes new: an allocation, or the store to a cell.
    pub fn overwrites(&self, op: OpId) -> Option<AliasClass> {
        let body = self.steps.body;
        let buffer = match body.ops[op].kind {
            OpKind::Alloc { buffer, .. } => buffer,
            OpKind::Store { buffer, predicated: false }
                if body.buffers[buffer].origin == BufferOrigin::Cell =>
            {
                buffer
            }
            _ => return None,
        };
        let class = self.steps.aliases.class(buffer);
        (self.sole(class) == Some(buffer)).then_some(class)
    }
}
