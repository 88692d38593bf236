//! Memory versions: two loads of one address read the same value if their memory has the same version.
//!
//! In: a body, its occurrences, scopes, effects and [`AliasClasses`]. Out: [`MemoryVersions`]: memory in
//! single-assignment form, computed when asked. Two loads of one address with one [`VersionId`] read one value
//! (`SEMANTICS: M11`): no path between them writes the class.
//!
//! A *version* is named by its [`Origin`]: the entry of the function, a write, the end of a statement that holds a
//! write, the start of a loop that has one. Its class is not part of it; compare versions of one class only. The writes
//! are:
//!
//! * a store, an allocation (`M9`: a fresh object), a call as its effects say (`X1`); an unknown call everything but
//!   private memory (`X2`), a statement kept by its text everything;
//! * a barrier or wait everything that others reach (`Y1`, `Y4`), and local memory whose address got out;
//! * an asynchronous copy its target; until a wait every load of it is a version of its own (`Y3`);
//! * every iteration of a `while` writes the memory that other threads reach, and a load in its condition is a version
//!   of its own (`Y5`, `L5`); a volatile load always is (`M10`).
//!
//! Loops of all kinds count as if iterations followed each other: for parallel, vector and thread loops of race-free
//! programs that is the safe side (`P1`, `P2`, `P3`, `P6`). Blocks of a region with several, and regions whose order is
//! not known, start with a change of all memory (`L11`, `L12`, `L9` for `init`).
//!
//! Building is O(occurrences + operations · α); a question is O(log n), as `reach` explains.

mod events;
mod obstacle;
mod reach;
mod reads;
#[cfg(test)]
pub(crate) mod tests;

use ir::{
    BlockId, Body, ExprKind, OccurrenceId, Occurrences, OpId, OpKind, arena::Id,
    effects::EffectTable, walk::WalkEvent,
};

use crate::{
    alias::{AliasClass, AliasClasses, Reach},
    scopes::{ScopeId, ScopeKind, ScopeTree},
    touch::{Steps, is_name_of_element},
};
use events::{Events, after, before, shared_chain};
pub use obstacle::Obstacle;
use reach::{Change, Place};
pub use reads::MemoryReads;

/// The place where a version starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The memory contents at the call of the function.
    Entry,
    /// After this operation wrote.
    Write(OpId),
    /// The start of each iteration of this loop.
    LoopEntry(OpId),
    /// The start of a block that several paths lead to.
    BlockEntry(BlockId),
    /// After this operation, which holds a write.
    After(OpId),
    /// This load alone.
    Load(OccurrenceId),
}

/// A version of the memory of one class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VersionId(Origin);

impl VersionId {
    /// Returns the place where it starts.
    pub fn origin(self) -> Origin {
        self.0
    }
}

/// The kind of a write between two accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WriteKind {
    /// A store.
    Store,
    /// A call that writes.
    Call,
    /// A barrier or a wait.
    Barrier,
    /// An asynchronous copy.
    AsyncCopy,
    /// Memory made anew.
    Allocation,
    /// A `while` that may wait for another thread.
    Polled,
    /// Something that is kept by its text, or of another language.
    Opaque,
}

/// The versions of memory of a body: the body with its [`MemoryTables`].
#[derive(Clone, Copy)]
pub struct MemoryVersions<'a> {
    pub(crate) body: &'a Body,
    pub(crate) occurrences: &'a Occurrences,
    pub(crate) scopes: &'a ScopeTree,
    pub(crate) effects: &'a EffectTable,
    pub(crate) aliases: &'a AliasClasses,
    pub(crate) tables: &'a MemoryTables,
}

/// The writes of a body by the memory that they change, as tables by number, without the body.
pub struct MemoryTables {
    events: Events,
    /// By operation: the order of the last operation in it.
    ends: Vec<u32>,
    /// By scope: the innermost one around (or at) it that may run again after itself.
    loop_of: Vec<Option<ScopeId>>,
    /// By scope: the innermost one around (or at) it that is entered on several paths.
    joined: Vec<Option<ScopeId>>,
    /// By scope: the innermost body of a `while` around (or at) it.
    polled: Vec<Option<ScopeId>>,
    /// By scope: the outermost one around (or at) it that is left only after it, by plain nesting.
    straight: Vec<ScopeId>,
}

impl MemoryTables {
    /// The writes of `body`.
    pub(crate) fn build(
        body: &Body,
        occurrences: &Occurrences,
        scopes: &ScopeTree,
        effects: &EffectTable,
        aliases: &AliasClasses,
    ) -> MemoryTables {
        let ends = ends(body, scopes);
        let events = Events::collect(Steps { body, occurrences, effects, aliases }, scopes, &ends);
        let n = scopes.len();
        let mut this = MemoryTables {
            events,
            ends,
            loop_of: Vec::with_capacity(n),
            joined: Vec::with_capacity(n),
            polled: Vec::with_capacity(n),
            straight: Vec::with_capacity(n),
        };
        for scope in scopes.ids() {
            let inherit =
                |table: &[Option<ScopeId>]| scopes.parent(scope).and_then(|it| table[it.index()]);
            let nature = Nature::of(body, scopes, scope);
            let own = |is: bool, above: Option<ScopeId>| if is { Some(scope) } else { above };
            let loop_of = own(nature.repeats, inherit(&this.loop_of));
            let joined = own(nature.joins, inherit(&this.joined));
            let polled = own(nature.polls, inherit(&this.polled));
            let straight = match scopes.parent(scope) {
                Some(parent) if nature.is_straight => this.straight[parent.index()],
                _ => scope,
            };
            this.loop_of.push(loop_of);
            this.joined.push(joined);
            this.polled.push(polled);
            this.straight.push(straight);
        }
        this
    }
}

impl<'a> MemoryVersions<'a> {
    /// The class whose memory an occurrence reads: a load that is not only the name of an element, or a part of a
    /// buffer.
    pub fn class_of(&self, occurrence: OccurrenceId) -> Option<AliasClass> {
        match self.body.expr(self.occurrences[occurrence].expr).kind {
            ExprKind::Load { buffer, .. } | ExprKind::Region(buffer, _) => {
                let is_name =
                    is_name_of_element(self.body, self.occurrences, self.effects, occurrence);
                (!is_name).then(|| self.aliases.class(buffer))
            }
            _ => None,
        }
    }

    /// The version that a load reads; `None` for other nodes.
    pub fn of_load(&self, occurrence: OccurrenceId) -> Option<VersionId> {
        self.of_load_counted(occurrence, &mut 0)
    }

    pub(crate) fn of_load_counted(
        &self,
        occurrence: OccurrenceId,
        work: &mut u64,
    ) -> Option<VersionId> {
        let class = self.class_of(occurrence)?;
        Some(self.at_counted(occurrence, class, work))
    }

    /// The version of a class that something evaluated at an occurrence reads.
    pub fn at_occurrence(&self, occurrence: OccurrenceId, class: AliasClass) -> VersionId {
        self.at_counted(occurrence, class, &mut 0)
    }

    pub(crate) fn at_counted(
        &self,
        occurrence: OccurrenceId,
        class: AliasClass,
        work: &mut u64,
    ) -> VersionId {
        let op = self.occurrences[occurrence].op;
        let place = self.place_of(op);
        let own = VersionId(Origin::Load(occurrence));
        let reach = self.aliases.reach(class);
        let is_condition = self.body.ops[op].kind == OpKind::While;
        if self.aliases.is_volatile(class)
            || is_condition && reach == Reach::Visible
            || self.is_unordered(occurrence, op, class)
        {
            return own;
        }
        if self.chains(class).into_iter().any(|it| self.in_flight(it, place, work)) {
            return own;
        }
        VersionId(self.change(class, place, work).origin)
    }

    /// The version of a class right before an operation; for the operands of a `while`, in each of its iterations.
    pub fn before(&self, op: OpId, class: AliasClass) -> VersionId {
        VersionId(self.change(class, self.place_of(op), &mut 0).origin)
    }

    /// The version of a class right after an operation and all in it.
    pub fn after(&self, op: OpId, class: AliasClass) -> VersionId {
        let at = after(self.tables.ends[op.index()]) + 1;
        let place = Place { scope: self.scopes.of_op(op), at };
        VersionId(self.change(class, place, &mut 0).origin)
    }

    /// The version of a class before a loop as a whole.
    pub fn before_loop(&self, op: OpId, class: AliasClass) -> VersionId {
        let place = Place { scope: self.scopes.of_op(op), at: before(self.scopes.order(op)) };
        VersionId(self.change(class, place, &mut 0).origin)
    }

    /// Returns true if an occurrence that has been evaluated would read the same memory contents again among the
    /// operands of `op`, a later operation that it dominates.
    pub fn reads_same_at(&self, top: OccurrenceId, op: OpId) -> bool {
        let place = self.place_of(op);
        let is_condition = self.body.ops[op].kind == OpKind::While;
        (top.index()..self.occurrences[top].end.index()).all(|index| {
            let id = OccurrenceId::new(index);
            let Some(class) = self.class_of(id) else { return true };
            let here = self.at_occurrence(id, class).origin();
            let is_polled = is_condition && self.aliases.reach(class) == Reach::Visible;
            let in_flight =
                || self.chains(class).into_iter().any(|it| self.in_flight(it, place, &mut 0));
            !matches!(here, Origin::Load(_))
                && !is_polled
                && !self.is_written_by_operands(op, class)
                && !in_flight()
                && self.change(class, place, &mut 0).origin == here
        })
    }

    /// Returns true if a call among the operands of an operation may write a class.
    pub fn is_written_by_operands(&self, op: OpId, class: AliasClass) -> bool {
        if !self.tables.events.in_operands.contains_key(&op) {
            return false;
        }
        let at = after(self.scopes.order(op));
        self.chains(class).into_iter().any(|chain| {
            let first = chain.done(at);
            chain.writes[first..].iter().take_while(|it| it.at == at).any(|it| {
                !matches!(it.kind, WriteKind::Store | WriteKind::Allocation | WriteKind::Polled)
            })
        })
    }

    /// The first operation of those with these numbers that may write a class.
    pub fn first_write_within(
        &self,
        class: AliasClass,
        orders: std::ops::Range<u32>,
    ) -> Option<OpId> {
        let firsts = self.chains(class).map(|chain| {
            let write = chain.writes.get(chain.done(before(orders.start)))?;
            (write.at < before(orders.end)).then_some(write)
        });
        firsts.into_iter().flatten().min_by_key(|it| it.at).map(|it| it.op)
    }

    /// Returns true if any operation in this range of numbers may write a class.
    pub fn writes_within(&self, class: AliasClass, orders: std::ops::Range<u32>) -> bool {
        self.first_write_within(class, orders).is_some()
    }

    /// How a store writes: at once, or as an asynchronous copy.
    pub fn kind_of_store(&self, op: OpId, class: AliasClass) -> Option<WriteKind> {
        let chain = &self.tables.events.chains[class.index()];
        let first = chain.done(after(self.scopes.order(op)));
        chain.writes[first..].iter().find(|it| it.op == op).map(|it| it.kind)
    }

    /// The innermost scope around (or at) this one that may run again after itself.
    pub fn loop_around(&self, scope: ScopeId) -> Option<ScopeId> {
        self.tables.loop_of[scope.index()]
    }

    /// The numbers of an operation and all in it.
    pub fn orders_of(&self, op: OpId) -> std::ops::Range<u32> {
        self.scopes.order(op)..self.tables.ends[op.index()] + 1
    }

    /// The operations that may write a class, in the order of a walk, with their kinds.
    pub fn writes(&self, class: AliasClass) -> impl Iterator<Item = (OpId, WriteKind)> + '_ {
        let [own, shared] = self.chains(class).map(|it| &it.writes[..]);
        let (mut a, mut b) = (0, 0);
        std::iter::from_fn(move || {
            let write = match (own.get(a), shared.get(b)) {
                (Some(x), Some(y)) if x.at <= y.at => {
                    b += usize::from(x.op == y.op);
                    a += 1;
                    x
                }
                (Some(x), None) => {
                    a += 1;
                    x
                }
                (_, Some(y)) => {
                    b += 1;
                    y
                }
                (None, None) => return None,
            };
            Some((write.op, write.kind))
        })
    }

    /// Steps taken to build, for tests of growth.
    pub fn work(&self) -> u64 {
        let tables = &self.tables;
        tables.events.work + tables.ends.len() as u64 + tables.straight.len() as u64
    }

    fn chains(&self, class: AliasClass) -> [&events::Chain; 2] {
        let shared = shared_chain(self.aliases, self.aliases.reach(class));
        [&self.tables.events.chains[class.index()], &self.tables.events.chains[shared]]
    }

    fn change(&self, class: AliasClass, place: Place, work: &mut u64) -> Change {
        let polls = self.aliases.reach(class) == Reach::Visible;
        let [own, shared] = self.chains(class);
        let own = self.reaching(own, place, polls, work);
        own.later(self.reaching(shared, place, polls, work))
    }

    /// Returns the place where the operands of an operation are evaluated.
    fn place_of(&self, op: OpId) -> Place {
        let data = &self.body.ops[op];
        let scope = match (data.kind, data.regions.first()) {
            (OpKind::While, Some(&region)) => self.scopes.of_block(self.body.entry(region)),
            _ => self.scopes.of_op(op),
        };
        Place { scope, at: before(self.scopes.order(op)) }
    }

    /// Returns true if a call of the same operation may write the memory of a load in unspecified order
    /// (`SEMANTICS: E1`). An argument of the only such call is read before the write.
    fn is_unordered(&self, occurrence: OccurrenceId, op: OpId, class: AliasClass) -> bool {
        let Some(writes) = self.tables.events.in_operands.get(&op) else { return false };
        let end = self.occurrences[writes.first].end;
        if !writes.many && writes.first < occurrence && occurrence < end {
            return false;
        }
        self.is_written_by_operands(op, class)
    }
}

/// How a scope is entered and left.
struct Nature {
    repeats: bool,
    joins: bool,
    polls: bool,
    is_straight: bool,
}

impl Nature {
    fn of(body: &Body, scopes: &ScopeTree, scope: ScopeId) -> Nature {
        let block = scopes.block(scope);
        let region = &body.regions[body.blocks[block].parent];
        let kind = scopes.kind(scope);
        let regions = scopes.creator(scope).map_or(0, |it| body.ops[it].regions.len());
        let several = region.blocks.len() > 1 || region.kind == ir::RegionKind::Graph;
        let with_init = matches!(kind, ScopeKind::SBlock(_) | ScopeKind::Init) && regions > 1;
        let repeats = with_init
            || match kind {
                ScopeKind::Loop(_)
                | ScopeKind::While
                | ScopeKind::Launch
                | ScopeKind::UnknownArm(_)
                | ScopeKind::Other
                | ScopeKind::Successor => true,
                ScopeKind::Function
                | ScopeKind::Arm(_)
                | ScopeKind::Attr
                | ScopeKind::SBlock(_)
                | ScopeKind::Init
                | ScopeKind::Binding => false,
            };
        let is_straight = !several
            && !with_init
            && matches!(kind, ScopeKind::Attr | ScopeKind::SBlock(false) | ScopeKind::Binding);
        Nature {
            repeats,
            joins: several || kind == ScopeKind::Successor,
            polls: kind == ScopeKind::While,
            is_straight,
        }
    }
}

/// For each operation the order of the last one in it.
fn ends(body: &Body, scopes: &ScopeTree) -> Vec<u32> {
    let mut ends = vec![0; body.ops.len()];
    let mut open: Vec<OpId> = Vec::new();
    for event in body.walk(body.root) {
        match event {
            WalkEvent::Enter(op) => {
                ends[op.index()] = scopes.order(op);
                open.push(op);
            }
            WalkEvent::Leave(op) => {
                open.pop();
                if let Some(above) = open.last() {
                    ends[above.index()] = ends[above.index()].max(ends[op.index()]);
                }
            }
            _ => {}
        }
    }
    ends
}
