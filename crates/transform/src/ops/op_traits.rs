//! The traits of operations: what the reference compiler says of each, and what the effects table knows. All planners
//! ask here, and nowhere else.
//!
//! In: a body, the effects table, whose rules. Out: the traits of every operation: properties ([`Bits`]), the memory
//! that it touches ([`Reach`]), and by whom it is executed ([`OpTraits::team`]). Three kinds of operations are told
//! apart:
//!
//! * *known*: by its row. What depends on types and attributes (a structured operation on tensors has no effect, a
//!   volatile load has) is decided for each operation (`ordering`);
//! * *unknown*: no row has its name. It has all effects on all memory that other threads or its operands reach; what is
//!   inside of it is nobody's business ([`Bits::INSIDE`]), as its regions may be patterns, or run never, twice or at
//!   once;
//! * *unread*: the text was not understood, whatever the name is. As unknown: the text may say more than the name does.
//!   One with regions that has no effect but theirs by its name goes if nothing uses it and they have none; without
//!   regions nothing tells where its text ends.
//!
//! The reference compiler says what the effects table says except where `reference.txt` has another word. The traits of
//! a name are found once. O(operations).

mod ordering;
mod reference;

use ir::{
    Attr, AttrDictId, Body, ExprKind, NameId, OpId, OpKind, Operation, Type,
    arena::Id,
    effects::{
        Applies, Asynchrony, EffectTable, Flags, Match, MatchKind, MemoryEffect, MemorySet, Merge,
        Namespace, OpEffects, Trap,
    },
    known_ops,
    plan::Preset,
};
use rustc_hash::FxHashMap;

use self::{ordering::Orderings, reference::ReferenceTraits};

/// A set of properties of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Bits(u32);

impl Bits {
    /// Reference: reads memory.
    pub(super) const READ: Bits = Bits(1);
    /// Reference: makes an object.
    pub(super) const ALLOC: Bits = Bits(1 << 1);
    /// Reference: stands between loads.
    pub(super) const WRITE: Bits = Bits(1 << 2);
    /// Reference: must stay, used or not.
    pub(super) const KEEP: Bits = Bits(1 << 3);
    /// The effects of its regions count as its own.
    pub(super) const RECURSIVE: Bits = Bits(1 << 4);
    pub(super) const TERMINATOR: Bits = Bits(1 << 5);
    pub(super) const SYMBOL: Bits = Bits(1 << 6);
    pub(super) const COMMUTATIVE: Bits = Bits(1 << 7);
    pub(super) const ISOLATED: Bits = Bits(1 << 8);
    /// Table: depends on which threads arrive together.
    pub(super) const CONVERGENT: Bits = Bits(1 << 9);
    /// Table: two executions may give two results.
    pub(super) const VARIES: Bits = Bits(1 << 10);
    /// Table: reads memory.
    pub(super) const LOOKS: Bits = Bits(1 << 11);
    /// Table: must stay, used or not.
    pub(super) const NEEDED: Bits = Bits(1 << 12);
    /// Table: the result may share storage with other values.
    pub(super) const ALIAS: Bits = Bits(1 << 13);
    /// Table: may change memory.
    pub(super) const CHANGES: Bits = Bits(1 << 14);
    /// Table: may trap.
    pub(super) const TRAPS: Bits = Bits(1 << 15);
    /// Nothing is known of the name.
    pub(super) const UNKNOWN: Bits = Bits(1 << 16);
    /// Table: its place is its meaning.
    pub(super) const MARKER: Bits = Bits(1 << 17);
    /// It is in a region of an operation that is unknown, or that was not read.
    pub(super) const INSIDE: Bits = Bits(1 << 18);
    /// Control may leave more than the region that it is in: a return from inside of a loop.
    pub(super) const LEAVES: Bits = Bits(1 << 19);
    /// Table: depends on the thread.
    pub(super) const PER_THREAD: Bits = Bits(1 << 20);
    /// Table: no text has its region.
    pub(super) const IMPLIED_REGION: Bits = Bits(1 << 21);
    /// Table: each region runs at most once, and first.
    pub(super) const RUNS_ONCE: Bits = Bits(1 << 22);
    /// Table: its regions are executed by the thread that executes it, before it ends.
    pub(super) const SAME_THREAD: Bits = Bits(1 << 23);
    /// Table: what is in its regions may be executed before it.
    pub(super) const STRUCTURED: Bits = Bits(1 << 24);
    /// Table: of its two regions one is executed.
    pub(super) const CHOICE: Bits = Bits(1 << 25);
    /// Table: floats, associative where the operation's own flags allow it.
    pub(super) const REASSOCIATES: Bits = Bits(1 << 26);
    /// Reference: it is known to state no effects.
    pub(super) const UNSTATED: Bits = Bits(1 << 27);
    /// Reference: of the operations right in its regions, only effects that they state count.
    pub(super) const STATED_ONLY: Bits = Bits(1 << 28);
    /// Reference: of these, only effects on memory that is not made in its regions.
    pub(super) const ROOTED: Bits = Bits(1 << 29);

    /// The properties that an operation adds to the operation around it.
    pub(super) const SPREAD: Bits = Bits(
        Self::READ.0
            | Self::ALLOC.0
            | Self::WRITE.0
            | Self::KEEP.0
            | Self::CONVERGENT.0
            | Self::VARIES.0
            | Self::LOOKS.0
            | Self::NEEDED.0
            | Self::CHANGES.0
            | Self::TRAPS.0
            | Self::UNKNOWN.0
            | Self::LEAVES.0,
    );
    /// Reference: makes an object and writes it.
    pub(super) const MAKES: Bits = Bits(Self::ALLOC.0 | Self::WRITE.0);
    /// Reference: any effect.
    pub(super) const EFFECT: Bits =
        Bits(Self::READ.0 | Self::ALLOC.0 | Self::WRITE.0 | Self::KEEP.0);

    /// Any effect, by the reference and by the table.
    const ANY_EFFECT: Bits =
        Bits(Self::EFFECT.0 | Self::LOOKS.0 | Self::NEEDED.0 | Self::CHANGES.0 | Self::VARIES.0);

    pub(super) fn has(self, other: Bits) -> bool {
        self.0 & other.0 != 0
    }
    pub(super) fn add(&mut self, other: Bits) {
        self.0 |= other.0;
    }
    #[must_use]
    pub(super) fn and(self, other: Bits) -> Bits {
        Bits(self.0 & other.0)
    }
    #[must_use]
    pub(super) fn without(self, other: Bits) -> Bits {
        Bits(self.0 & !other.0)
    }
}

/// The memory that an operation itself touches, if it touches any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// The memory that its operands reach.
    Operands,
    /// That, and memory that is not known to belong to the body.
    Outside,
    /// All memory that its operands or any other thread reach: it orders threads, or is unknown.
    Everything,
}

impl Reach {
    fn of(row: &OpEffects) -> Reach {
        let orders = row.is_barrier()
            || row.flags.contains(Flags::ATOMIC)
            || row.asynchrony != Asynchrony::None
            || row.memory.contains(MemorySet::SHARED);
        match () {
            () if orders => Reach::Everything,
            () if row.memory == MemorySet::ARGUMENT => Reach::Operands,
            () => Reach::Outside,
        }
    }
}

/// The properties of special operations, decided by more than the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Special {
    None,
    /// No effect unless an operand is memory.
    Tensor,
    /// Of the reference compiler too, a volatile or ordered access writes as well.
    Access,
    /// Its last operand may say that it is volatile.
    Policy,
    /// The attribute `has_side_effects`.
    Assembly,
    /// No effect if its attributes say so.
    Stated,
}

/// The traits of a name.
#[derive(Clone, Copy, Debug)]
struct Named {
    traits: Traits,
    special: Special,
}

/// The traits of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Traits {
    bits: Bits,
    reach: Reach,
    /// True if it may pass memory that it is given to others, or access it later.
    keeps: bool,
}

/// The traits of the operations of one body.
pub(super) struct OpTraits {
    /// By operation: the number of its traits, of which there are few sets.
    of_op: Vec<u16>,
    all: Vec<Traits>,
    /// By operation; empty where there are no regions.
    teams: Vec<u32>,
}

impl OpTraits {
    pub(super) fn collect(body: &Body, effects: &EffectTable, preset: Preset) -> OpTraits {
        let mut names: FxHashMap<NameId, Named> = FxHashMap::default();
        let mut cx = Context::default();
        let reference = ReferenceTraits::of(preset);
        let mut all = OpTraits {
            of_op: Vec::with_capacity(body.ops.len()),
            all: Vec::new(),
            teams: Vec::new(),
        };
        let mut has_regions = false;
        for (id, op) in body.ops.iter() {
            has_regions |= !op.regions.is_empty();
            let (OpKind::Named(name) | OpKind::Opaque(name)) = op.kind else {
                let number = all.number(unknown().traits);
                all.of_op.push(number);
                continue;
            };
            // Where a type is not known, the text was not understood, and attributes may be missing too; unless all of
            // the text is an attribute.
            let is_unknown = |it: &ir::ValueId| body.values[*it].ty == Type::Unknown;
            let is_whole = || arith::operations::attr(body, id, "$form").is_some();
            let is_unread = matches!(op.kind, OpKind::Opaque(_))
                || (op.results.iter().any(is_unknown) && !is_whole());
            let named = if is_unread {
                match op.regions.is_empty() {
                    true => unknown(),
                    false => unread(effects.mlir(body.name(name)), body.name(name), reference),
                }
            } else {
                *names.entry(name).or_insert_with(|| {
                    let text = body.name(name);
                    traits_of_name(&effects.explain(Namespace::Mlir, text), (name, text), reference)
                })
            };
            let mut traits = specialise(body, op, named, &mut cx);
            if preset == Preset::Default && op.operands.len() != 2 {
                // Of three operands (`math.fma`) only the first two may be swapped.
                traits.bits = traits.bits.without(Bits::COMMUTATIVE);
            }
            let number = all.number(traits);
            all.of_op.push(number);
        }
        if has_regions {
            all.place(body);
        }
        all
    }

    /// The number of a set of traits.
    fn number(&mut self, traits: Traits) -> u16 {
        // A few properties, which depend on each other: far less than 2^16 sets of them.
        let number = self.all.iter().position(|it| *it == traits).unwrap_or_else(|| {
            self.all.push(traits);
            self.all.len() - 1
        });
        number as u16
    }

    /// Computes the properties that follow from the operations around each one.
    fn place(&mut self, body: &Body) {
        self.teams = vec![0; body.ops.len()];
        for op in body.ops_preorder() {
            let Some(around) = body.parent_op(op) else { continue };
            let team = match self.of(around).has(Bits::SAME_THREAD) {
                true => self.teams[around.index()],
                false => around.index() as u32 + 1,
            };
            self.teams[op.index()] = team;
            let outer = self.of(around);
            if outer.has(Bits::UNKNOWN) || outer.has(Bits::INSIDE) {
                let mut traits = self.traits(op);
                traits.bits.add(Bits::INSIDE);
                self.of_op[op.index()] = self.number(traits);
            }
        }
    }

    fn traits(&self, op: OpId) -> Traits {
        self.all[usize::from(self.of_op[op.index()])]
    }

    /// Returns the properties of the operation itself, without its regions.
    pub(super) fn of(&self, op: OpId) -> Bits {
        self.traits(op).bits
    }

    /// The memory that the operation itself touches, if it touches any.
    pub(super) fn reach(&self, op: OpId) -> Reach {
        self.traits(op).reach
    }

    /// Returns true if memory that the operation is given may become known to others, or be accessed after the
    /// operation has ended.
    pub(super) fn keeps(&self, op: OpId) -> bool {
        self.traits(op).keeps
    }

    /// By whom, and when, the operation is executed: two of one team are executed by one thread, in the order of
    /// control. Others are in regions that may be run by other threads, at other times, or for each element.
    pub(super) fn team(&self, op: OpId) -> u32 {
        self.teams.get(op.index()).copied().unwrap_or(0)
    }

    /// Returns true if deleting the operation would leave a block without operations, so that a region without a label
    /// would have no block. Terminators stay, so this asks only about blocks without one; their last operation stays.
    /// The block of a module is there without a text.
    pub(super) fn holds_its_block(&self, body: &Body, op: OpId) -> bool {
        let block = &body.blocks[body.ops[op].parent];
        block.parent != body.root
            && block.ops.last() == Some(&op)
            && !self.of(op).has(Bits::TERMINATOR)
            && !body.parent_op(op).is_some_and(|it| is_module(body, it))
    }

    /// Returns true for a marked operation with regions: a loop of OpenMP, or a wrapper of one.
    pub(super) fn is_marked(&self, body: &Body, op: OpId) -> bool {
        self.of(op).has(Bits::MARKER) && !body.ops[op].regions.is_empty()
    }

    /// Returns true if an operation with regions is alone in a marked one, but for the terminator: it is what that one
    /// wraps, which must not be without it.
    pub(super) fn is_wrapped(&self, body: &Body, op: OpId) -> bool {
        let data = &body.ops[op];
        !data.regions.is_empty()
            && body.blocks[data.parent].ops.len() == 2
            && body.parent_op(op).is_some_and(|it| self.is_marked(body, it))
    }
}

fn is_module(body: &Body, op: OpId) -> bool {
    matches!(body.ops[op].kind, OpKind::Named(known_ops::BUILTIN_MODULE))
}

fn unknown() -> Named {
    let mut bits = Bits::UNKNOWN;
    bits.add(row_bits(OpEffects::unknown()));
    for bit in [Bits::WRITE, Bits::KEEP, Bits::ISOLATED, Bits::LEAVES] {
        bits.add(bit);
    }
    Named { traits: Traits { bits, reach: Reach::Everything, keeps: true }, special: Special::None }
}

/// The traits of an operation with regions whose text was not understood. What it is written with may say more than its
/// name; that it has no effect, or at most those of its regions, is said by its name.
fn unread(row: &OpEffects, text: &str, reference: Option<&ReferenceTraits>) -> Named {
    let is_recursive = row.flags.contains(Flags::RECURSIVE);
    let is_of_regions = is_recursive && row.memory_effect == MemoryEffect::Unknown;
    let is_transparent = (is_of_regions || row.memory_effect == MemoryEffect::None)
        && row.asynchrony == Asynchrony::None
        // A marked one stands together with the operations in it.
        && !row.flags.intersects(Flags::MARKER.union(Flags::TERMINATOR))
        && !row.is_barrier();
    let mut named = unknown();
    if !is_transparent || reference.is_some_and(|it| it.class(text).is_some()) {
        if row.flags.contains(Flags::MARKER) {
            named.traits.bits.add(Bits::MARKER);
        }
        return named;
    }
    let own = [Bits::NEEDED, Bits::CHANGES, Bits::LOOKS, Bits::WRITE, Bits::KEEP, Bits::LEAVES];
    for bit in own {
        named.traits.bits = named.traits.bits.without(bit);
    }
    if is_recursive {
        // To the reference compiler, what is in the regions of one that states no effect does not count either.
        named.traits.bits.add(Bits::RECURSIVE);
    }
    if row.flags.contains(Flags::SYMBOL) {
        named.traits.bits.add(Bits::SYMBOL);
    }
    named
}

/// The traits of a name: the row's, with those of the reference compiler over them.
fn traits_of_name(
    found: &Match<'_>,
    (name, text): (NameId, &str),
    reference: Option<&ReferenceTraits>,
) -> Named {
    let is_unknown = matches!(found.kind, MatchKind::Default | MatchKind::Undeclared);
    if is_unknown && reference.is_none_or(|it| it.class(text).is_none()) {
        return unknown();
    }
    let row = found.effects;
    let flags = row.flags;
    let mut bits = row_bits(row);
    let mut class = match row.memory_effect {
        _ if flags.contains(Flags::RECURSIVE) => "none",
        MemoryEffect::None => "none",
        MemoryEffect::Read => "read",
        MemoryEffect::Alloc => "alloc",
        MemoryEffect::Free => "free",
        _ => "write",
    };
    let mut is_commutative = row.commutative == Applies::All;
    if flags.contains(Flags::RECURSIVE) {
        bits.add(Bits::RECURSIVE);
    }
    if let Some(words) = reference {
        if let Some(own) = words.class(text) {
            class = own;
            if own == "unknown" {
                bits = bits.without(Bits::RECURSIVE);
                bits.add(Bits::UNSTATED);
            }
        }
        if words.counts_what_is_stated(text) {
            bits.add(Bits::STATED_ONLY);
        }
        is_commutative = words.is_commutative(text).unwrap_or(is_commutative);
        if words.is_isolated(text) {
            bits.add(Bits::ISOLATED);
        }
        if words.is_recursive(text) {
            bits.add(Bits::RECURSIVE);
        }
        if words.is_one_time(text) {
            bits = bits.without(Bits::VARIES);
        }
    }
    bits.add(class_bits(class));
    if row.memory_effect == MemoryEffect::Alloc && !bits.has(Bits::ALLOC) {
        // To the reference compiler it is a value; each is an object of its own all the same.
        bits.add(Bits::VARIES);
    }
    if is_commutative {
        bits.add(Bits::COMMUTATIVE);
    }
    let is_wildcard = found.kind != MatchKind::Exact && row.memory_effect == MemoryEffect::Unknown;
    if is_wildcard && !flags.contains(Flags::RECURSIVE) {
        bits.add(Bits::UNKNOWN);
    }
    if flags.contains(Flags::TERMINATOR) && !flags.contains(Flags::REGION_END) && !is_yield(text) {
        bits.add(Bits::LEAVES);
    }
    let special = match name {
        known_ops::LLVM_LOAD | known_ops::LLVM_STORE => Special::Access,
        _ if text == "tt.load" => Special::Access,
        known_ops::LLVM_INLINE_ASM => Special::Assembly,
        known_ops::ROCDL_RAW_BUFFER_LOAD | known_ops::ROCDL_RAW_PTR_BUFFER_LOAD => Special::Policy,
        _ if flags.contains(Flags::TENSOR_NONE) => Special::Tensor,
        _ if flags.contains(Flags::STATED_NONE) => Special::Stated,
        _ => Special::None,
    };
    let keeps = row.memory != MemorySet::ARGUMENT || row.asynchrony != Asynchrony::None;
    Named { traits: Traits { bits, reach: Reach::of(row), keeps }, special }
}

/// Returns true if a terminator yields values to the operation whose region it ends, judging by its name: also in
/// dialects whose rows do not declare it.
fn is_yield(name: &str) -> bool {
    name.rsplit('.').next().unwrap_or_default().contains("yield")
}

/// The reference compiler's bits of a class of `reference.txt`.
fn class_bits(class: &str) -> Bits {
    let mut bits = Bits::default();
    match class {
        "none" => {}
        "read" => bits.add(Bits::READ),
        "alloc" => bits.add(Bits::ALLOC),
        "free" => bits.add(Bits::KEEP),
        "clone" => {
            bits.add(Bits::ALLOC);
            bits.add(Bits::WRITE);
        }
        _ => {
            bits.add(Bits::WRITE);
            bits.add(Bits::KEEP);
        }
    }
    bits
}

/// Returns the properties of a row of the effects table.
fn row_bits(row: &OpEffects) -> Bits {
    let mut bits = Bits::default();
    let is_recursive = row.flags.contains(Flags::RECURSIVE);
    // What is only what its regions do says so by an unknown effect; all else in the row is its own.
    let is_transparent =
        is_recursive && row.memory_effect == MemoryEffect::Unknown && !row.is_barrier();
    let mut add = |is: bool, bit: Bits| {
        if is {
            bits.add(bit);
        }
    };
    add(row.flags.contains(Flags::TERMINATOR), Bits::TERMINATOR);
    add(row.flags.contains(Flags::SYMBOL), Bits::SYMBOL);
    add(row.flags.contains(Flags::ALIAS.union(Flags::DEPARTS)), Bits::ALIAS);
    add(row.flags.contains(Flags::MARKER), Bits::MARKER);
    add(row.flags.contains(Flags::ISOLATED), Bits::ISOLATED);
    add(row.flags.contains(Flags::PER_THREAD), Bits::PER_THREAD);
    add(row.flags.contains(Flags::IMPLIED_REGION), Bits::IMPLIED_REGION);
    add(row.flags.contains(Flags::RUNS_ONCE), Bits::RUNS_ONCE);
    add(row.flags.contains(Flags::SAME_THREAD), Bits::SAME_THREAD);
    add(row.flags.contains(Flags::STRUCTURED), Bits::STRUCTURED);
    add(row.flags.contains(Flags::CHOICE), Bits::CHOICE);
    add(row.flags.contains(Flags::REASSOCIATES), Bits::REASSOCIATES);
    add(row.convergent, Bits::CONVERGENT);
    add(!row.deterministic && !is_transparent, Bits::VARIES);
    let is_merged = row.merge() != Merge::Never || row.flags.contains(Flags::TERMINATOR);
    let is_alloc = row.memory_effect == MemoryEffect::Alloc;
    add(!is_transparent && !is_merged && !is_alloc, Bits::VARIES);
    add(!is_transparent && row.may_read() && !is_alloc, Bits::LOOKS);
    let is_kept = !row.is_deletable() && !row.flags.contains(Flags::TERMINATOR);
    add(!is_transparent && is_kept, Bits::NEEDED);
    let is_freed = row.memory_effect == MemoryEffect::Free;
    add(!is_transparent && row.may_write() && !is_freed, Bits::CHANGES);
    add(!matches!(row.may_trap, Trap::No) && !is_recursive, Bits::TRAPS);
    bits
}

/// The types and attributes that decide.
#[derive(Default)]
struct Context {
    memory: MemoryTypes,
    orderings: Orderings,
}

/// The traits of one operation: types and attributes considered.
fn specialise(body: &Body, op: &Operation, named: Named, cx: &mut Context) -> Traits {
    let mut traits = named.traits;
    let bits = &mut traits.bits;
    if bits.has(Bits::STATED_ONLY) && !op.operands.is_empty() {
        bits.add(Bits::ROOTED);
    }
    match named.special {
        Special::Tensor => {
            let memory = &mut cx.memory;
            let has_memory = op.operands.iter().any(|&it| memory.is_memory(body, body.expr(it).ty));
            if !has_memory {
                *bits = bits.without(Bits::ANY_EFFECT);
            } else if bits.has(Bits::RECURSIVE) {
                for bit in [Bits::READ, Bits::WRITE, Bits::KEEP, Bits::LOOKS, Bits::NEEDED] {
                    bits.add(bit);
                }
                bits.add(Bits::CHANGES);
            }
        }
        Special::Assembly => {
            if !says(body, op.attrs, "has_side_effects") {
                *bits = bits.without(Bits::EFFECT);
            }
        }
        Special::Stated => {
            if states_none(body, op.attrs) || makes_constant(body, op) {
                *bits = bits.without(Bits::ANY_EFFECT);
            } else if bits.has(Bits::ALLOC) && !op.operands.is_empty() {
                // It writes what it makes.
                bits.add(Bits::WRITE);
            }
        }
        Special::None | Special::Access | Special::Policy => {}
    }
    if bits.has(Bits::LEAVES) && bits.has(Bits::TERMINATOR) && !op.successors.is_empty() {
        // It goes on in a block of its region.
        *bits = bits.without(Bits::LEAVES);
    }
    if !op.regions.is_empty() && may_never_end(body, op.attrs) {
        bits.add(Bits::NEEDED);
    }
    let touches = bits.has(Bits::LOOKS) || bits.has(Bits::CHANGES);
    let is_volatile = named.special == Special::Policy && !ordering::has_plain_policy(body, op);
    if touches && (is_volatile || cx.orderings.is_ordered(body, op)) {
        traits.reach = Reach::Everything;
        for bit in [Bits::NEEDED, Bits::CHANGES, Bits::VARIES] {
            bits.add(bit);
        }
        if named.special == Special::Access {
            bits.add(Bits::WRITE);
            bits.add(Bits::KEEP);
        }
    }
    traits
}

/// Returns true if a unit attribute is present: in a dictionary, or as a word of a pretty form, which is a part of the
/// form (`$0`, `$1` …).
fn says(body: &Body, attrs: AttrDictId, key: &str) -> bool {
    let is_word = |text: &str| text.split_whitespace().any(|it| it == key);
    body.dict(attrs).iter().any(|(name, value)| match value {
        Attr::Text(text) if name.starts_with('$') => is_word(text),
        Attr::Bool(false) => false,
        Attr::Text(text) => &**name == key && &**text != "false",
        _ => &**name == key,
    })
}

/// Returns true if attributes say that an operation has no effect: `pure = true`, or the unit `is_immutable`, which a
/// pretty form has as the word `immutable`.
fn states_none(body: &Body, attrs: AttrDictId) -> bool {
    // Not in a string.
    let has_word =
        |text: &str| !text.contains('"') && text.split_whitespace().any(|it| it == "immutable");
    body.dict(attrs).iter().any(|(name, value)| match value {
        Attr::Text(text) if name.starts_with('$') => has_word(text),
        Attr::Text(text) if &**text == "false" => false,
        Attr::Bool(false) => false,
        _ => ["pure", "is_immutable"].contains(&&**name),
    })
}

/// Returns true if an operation of Triton makes memory that nobody may write, and that has no place yet.
fn makes_constant(body: &Body, op: &Operation) -> bool {
    let Some(Type::Named(ty)) = op.results.first().map(|it| body.values[*it].ty) else {
        return false;
    };
    let ty = body.name(ty);
    let has_place = body.dict(op.attrs).iter().any(|(name, _)| name.ends_with("offset"));
    // Of a long alias only a digest is known.
    ty.starts_with("!ttg.memdesc<") && !ty.contains("mutable") && !has_place
}

/// Returns true if attributes say that an operation need not end (`SEMANTICS: L10`).
fn may_never_end(body: &Body, attrs: AttrDictId) -> bool {
    body.dict(attrs).iter().any(|(name, value)| {
        let is_false = match value {
            Attr::Text(text) => &**text == "false",
            other => *other == Attr::Bool(false),
        };
        &**name == "mustProgress" && is_false
    })
}

/// The types that are memory, by their names.
#[derive(Default)]
pub(super) struct MemoryTypes {
    known: FxHashMap<NameId, bool>,
}

impl MemoryTypes {
    pub(super) fn is_memory(&mut self, body: &Body, ty: Type) -> bool {
        let Type::Named(name) = ty else { return true };
        *self.known.entry(name).or_insert_with(|| {
            let text = body.name(name);
            // A pointer or a type of a dialect that is not known may be memory.
            text.starts_with("memref<") || text.starts_with('!')
        })
    }
}

/// Returns true if the reference compiler compares the operands of an operation in any order.
pub(super) fn reference_takes_any_order(effects: &EffectTable, name: &str) -> bool {
    let own = ReferenceTraits::of(Preset::Mlir24).and_then(|it| it.is_commutative(name));
    own.unwrap_or(effects.mlir(name).commutative == Applies::All)
}

/// The value that an operand is.
pub(super) fn value_of(body: &Body, operand: ir::ExprId) -> Option<ir::ValueId> {
    match body.expr(operand).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}
