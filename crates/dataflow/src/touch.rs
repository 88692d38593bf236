//! Memory accesses: the memory that one step may read and write. All analyses ask here.
//!
//! In: an occurrence or an operation. Out: a [`Touch`]: alias classes by name, and kinds of memory ([`Reach`]) as a
//! whole: the memory that an unknown call or a barrier reaches (`SEMANTICS: X1`, `X2`, `Y1`, `Y3`, `Y4`). The reads of
//! loads and the writes of stores are here too, so that an analysis asks one question a step. [`Steps`] needs the body
//! and its alias classes alone; analyses along paths ask [`Touches`], memory versions and reads by place (`memory`) ask
//! the former. O(operands of the call).
//!
//! A set of memory is kept as a set of [`Cell`]s: one for each class and one for each kind of memory as a whole, so
//! that a barrier adds one element, not one for each class.

use ir::{
    Body, BufferId, BufferOrigin, DataType, ExprKind, OccurrenceId, Occurrences, OpId, OpKind,
    ScopeAttr, Type,
    arena::Id,
    effects::{
        Asynchrony, EffectTable, Element, Flags, MemoryEffect, MemorySet, OpEffects, OperandUse,
        access_mask, is_list,
    },
};
use smallvec::SmallVec;

use crate::{
    alias::{AliasClass, AliasClasses, Reach},
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

/// Number of cells that are kinds: three of [`Reach`], and the memory that is read after the function.
const N_KINDS: usize = 4;

impl Cell {
    /// One class.
    pub fn class(class: AliasClass) -> Cell {
        Cell::new(class.index() + N_KINDS)
    }
    /// All classes that other code reaches.
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

    /// Returns true if a set contains a class, directly or through its kind.
    pub fn holds(set: &IdSet<Cell>, class: AliasClass, aliases: &AliasClasses) -> bool {
        set.contains(Cell::class(class))
            || set.contains(Cell::reach(aliases.reach(class)))
            || (set.contains(Cell::OUTLIVING) && aliases.outlives(class))
    }
}

/// The memory that a [`Cell`] stands for.
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

/// The memory accesses of steps, in one body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps<'a> {
    pub(crate) body: &'a Body,
    pub(crate) occurrences: &'a Occurrences,
    pub(crate) effects: &'a EffectTable,
    pub(crate) aliases: &'a AliasClasses,
}

impl Steps<'_> {
    /// The memory that evaluating a node accesses, without its operands.
    pub(crate) fn occurrence(&self, id: OccurrenceId) -> Touch {
        let mut touch = Touch::default();
        match self.body.expr(self.occurrences[id].expr).kind {
            ExprKind::Load { .. } | ExprKind::Region(..)
                if is_name_of_element(self.body, self.occurrences, self.effects, id) => {}
            ExprKind::Load { buffer, .. } | ExprKind::Region(buffer, _) => {
                touch.reads.push(Cell::class(self.aliases.class(buffer)));
            }
            ExprKind::Opaque { text, .. } if is_number(self.body.name(text)) => {}
            ExprKind::Opaque { .. } => touch = everything(),
            ExprKind::Call { .. } => self.call(id, &mut touch),
            _ => {}
        }
        touch
    }

    /// The memory that an operation accesses after its operands have been evaluated.
    pub(crate) fn operation(&self, op: OpId) -> Touch {
        let mut touch = Touch::default();
        match self.body.ops[op].kind {
            OpKind::Store { buffer, .. } | OpKind::Alloc { buffer, .. } => {
                touch.writes.push(Cell::class(self.aliases.class(buffer)));
            }
            OpKind::Opaque(_) | OpKind::Named(_) => touch = everything(),
            OpKind::Evaluate => self.said(op, &mut touch),
            OpKind::Attr(_) if self.body.scope_attr(op) == Some(ScopeAttr::AsyncWait) => {
                let others = SmallVec::from_slice(&OTHERS.map(Cell::reach));
                touch = Touch { reads: others.clone(), writes: others };
            }
            _ => {}
        }
        touch
    }

    /// Adds the accesses that a pointer, as a statement of its own, declares for the memory behind it.
    fn said(&self, op: OpId, touch: &mut Touch) {
        let Some(root) = self.occurrences.of_op(op).next() else { return };
        let Some((reads, writes)) = access_mask(self.body, self.occurrences[root].expr) else {
            return;
        };
        let mut cells = SmallVec::new();
        self.operand(root, false, true, &mut cells);
        touch.reads.extend(cells.iter().copied().filter(|_| reads));
        touch.writes.extend(cells.into_iter().filter(|_| writes));
    }

    fn call(&self, id: OccurrenceId, touch: &mut Touch) {
        let call = self.body.expr(self.occurrences[id].expr).kind;
        let ExprKind::Call { attrs, .. } = call else { return };
        let effects = self.effects.call(self.body, call);
        // Control goes elsewhere; no memory is touched.
        if effects.flags.contains(Flags::TERMINATOR) {
            return;
        }
        let orders = effects.is_barrier() || effects.asynchrony != Asynchrony::None;
        if effects.memory_effect == MemoryEffect::None && !orders {
            return;
        }
        let attrs = self.body.dict(attrs);
        let row = [effects.may_read() || orders, effects.may_write() || orders];
        // A row without effect or that reads takes elements by value (their loads are evaluations of their own).
        let by_value = matches!(effects.memory_effect, MemoryEffect::None | MemoryEffect::Read);
        let mut known = Named { all: true, any: false };
        let mut at = OccurrenceId::new(id.index() + 1);
        let mut index = 0;
        while at < self.occurrences[id].end {
            ir::interrupt::check();
            let used = effects.operand_use(attrs, index);
            // Through a pointer of which a row that writes does not speak it may read too.
            let [reads, writes] = match used {
                Some(used) => [used.may_read(), used.may_write()],
                None => [row[0] || row[1], row[1]],
            };
            if reads || writes {
                let mut cells: SmallVec<[Cell; 4]> = SmallVec::new();
                let by_value = by_value && used.is_none();
                let is_address = effects.names_operand(attrs, index);
                known.and(self.operand(at, by_value, is_address, &mut cells));
                for (touched, cells_of) in [(reads, &mut touch.reads), (writes, &mut touch.writes)]
                {
                    let new = cells.iter().filter(|_| touched);
                    new.for_each(|it| {
                        if !cells_of.contains(it) {
                            cells_of.push(*it)
                        }
                    });
                }
            }
            at = self.occurrences[at].end;
            index += 1;
        }
        if orders || reaches_more(effects, known.all && known.any) {
            let others = OTHERS.map(Cell::reach);
            let [reads, writes] = row;
            touch.reads.extend(others.into_iter().filter(|_| reads));
            touch.writes.extend(others.into_iter().filter(|_| writes));
        }
    }

    /// Collects the memory that an operand reaches: the target of an address, the element or the buffer that it names,
    /// and the memory of the items of a list. An operand that the row names as an address is one whatever its type is.
    fn operand(
        &self,
        operand: OccurrenceId,
        by_value: bool,
        is_address: bool,
        cells: &mut SmallVec<[Cell; 4]>,
    ) -> Named {
        let mut named = Named { all: true, any: false };
        let mut at = operand;
        while at < self.occurrences[operand].end {
            ir::interrupt::check();
            let expr = self.occurrences[at].expr;
            let node = self.body.expr(expr);
            if is_list(node.kind) {
                at = OccurrenceId::new(at.index() + 1);
                continue;
            }
            at = self.occurrences[at].end;
            let class = match node.kind {
                ExprKind::Load { buffer, .. } if !by_value => Some(self.aliases.class(buffer)),
                _ => self.aliases.of_address(expr),
            };
            match class {
                Some(class) => {
                    let is_world = class == self.aliases.world();
                    named.and(Named { all: !is_world, any: true });
                    if !cells.contains(&Cell::class(class)) {
                        cells.push(Cell::class(class));
                    }
                    // An element that is given by its value may hold the address.
                    named.all &= !holds_address(node.kind, node.ty, is_address);
                }
                None if is_address || may_be_address(node.kind, node.ty) => named.all = false,
                None => {}
            }
        }
        named
    }
}

/// True for operands whose memory is known.
struct Named {
    /// All that may be an address is one of known memory.
    all: bool,
    /// Some operand is.
    any: bool,
}

impl Named {
    fn and(&mut self, other: Named) {
        self.all &= other.all;
        self.any |= other.any;
    }
}

/// Returns true if a number may be an address: addresses of shared memory have 32 bits without sign, those of all other
/// memory 64 bits.
fn may_be_address(kind: ExprKind, ty: Type) -> bool {
    let is_wide =
        |it: DataType| it.is_integer() && (it.bits == 64 || it.is_uint() && it.bits == 32);
    !matches!(kind, ExprKind::Int(_)) && ty.prim().is_none_or(is_wide)
}

/// Returns true if an element may hold the address of other memory: any integer that a row names as an address does.
fn holds_address(kind: ExprKind, ty: Type, is_address: bool) -> bool {
    let is_integer = || ty.prim().is_some_and(DataType::is_integer);
    matches!(kind, ExprKind::Load { .. })
        && (may_be_address(kind, ty) || is_address && is_integer())
}

/// Returns true if a load or a part of a buffer only names a place: it is the operand of a call that takes its address,
/// or a part of a buffer that a call writes and does not read. An element that is given to be written is evaluated:
/// its value may be the address to write to.
pub(crate) fn is_name_of_element(
    body: &Body,
    occurrences: &Occurrences,
    effects: &EffectTable,
    load: OccurrenceId,
) -> bool {
    let Some(parent) = occurrences[load].parent else { return false };
    let call = body.expr(occurrences[parent].expr).kind;
    let ExprKind::Call { attrs, .. } = call else { return false };
    let index = occurrences.index_in(parent, load);
    let is_written = || {
        effects.call(body, call).operand_use(body.dict(attrs), index) == Some(OperandUse::Writes)
    };
    let is_region = matches!(body.expr(occurrences[load].expr).kind, ExprKind::Region(..));
    effects.element(body, call, index) == Element::Name || is_region && is_written()
}

/// The memory that code outside this function may access.
const OTHERS: [Reach; 2] = [Reach::Escaped, Reach::Visible];

/// Returns true if a call may access more memory than its arguments name.
fn reaches_more(effects: &OpEffects, knows_arguments: bool) -> bool {
    let named = effects.memory.contains(MemorySet::ARGUMENT) && knows_arguments;
    let wide = MemorySet::GLOBAL.union(MemorySet::SHARED);
    let is_local = effects.memory == MemorySet::LOCAL && knows_arguments;
    effects.memory_effect == MemoryEffect::Unknown
        || effects.memory.intersects(wide)
        || !(named || is_local)
}

/// Returns true if a text is a number in Python; `inf` and `nan` are names.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.parse::<f64>().is_ok()
}

fn everything() -> Touch {
    let all = [Reach::Private, Reach::Escaped, Reach::Visible].map(Cell::reach);
    Touch { reads: all.into_iter().collect(), writes: all.into_iter().collect() }
}

/// The memory accesses of steps, for analyses along the paths of a body.
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

    /// The memory that evaluating a node accesses, without its operands.
    pub fn occurrence(&self, id: OccurrenceId) -> Touch {
        self.steps.occurrence(id)
    }

    /// The memory that an operation accesses after its operands have been evaluated.
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

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn names_that_sound_like_numbers_are_names() {
        assert!(["4294967296", "-4294967296", "0.1", "1e40", ".5"].into_iter().all(is_number));
        assert!(
            !["inf", "nan", "-inf", "infinity", "e1", "", "-", "1 + k"].into_iter().any(is_number)
        );
    }
}
