//! What an operation is to a plan: what the peer itself says of it, and what the effects table knows.
//!
//! In: a body, the effects table, whose rules. Out: a [`Label`] for every operation by its number. The peer's own word is
//! that of the effects table except where `labels.txt` has another. Labels of names are found once a name; what depends on
//! types and attributes (a structured operation on tensors has no effect, a volatile load has) is decided for each operation.
//! O(operations).

use std::sync::LazyLock;

use ir::{
    Attr, AttrDictId, Body, ExprKind, NameId, OpId, OpKind, Operation, Type,
    arena::Id,
    effects::{
        Applies, EffectTable, Flags, Match, MatchKind, MemoryEffect, Merge, Namespace, OpEffects,
        Trap,
    },
    plan::ops::OpPreset,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of properties of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Bits(u32);

impl Bits {
    /// Peer: reads memory.
    pub(super) const READ: Bits = Bits(1);
    /// Peer: makes an object.
    pub(super) const ALLOC: Bits = Bits(1 << 1);
    /// Peer: stands between loads.
    pub(super) const WRITE: Bits = Bits(1 << 2);
    /// Peer: must stay, used or not.
    pub(super) const KEEP: Bits = Bits(1 << 3);
    /// What regions do counts.
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
    /// Table: the result may be somebody's storage.
    pub(super) const ALIAS: Bits = Bits(1 << 13);
    /// Table: may change memory.
    pub(super) const CHANGES: Bits = Bits(1 << 14);
    /// Table: may trap.
    pub(super) const TRAPS: Bits = Bits(1 << 15);
    /// Nothing is known of the name.
    pub(super) const UNKNOWN: Bits = Bits(1 << 16);
    /// Table: its place is its meaning.
    pub(super) const MARKER: Bits = Bits(1 << 17);

    /// What an operation does, seen from outside of an operation that it is inside of.
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
            | Self::UNKNOWN.0,
    );
    /// Peer: any effect.
    pub(super) const EFFECT: Bits =
        Bits(Self::READ.0 | Self::ALLOC.0 | Self::WRITE.0 | Self::KEEP.0);

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

/// What is looked at besides the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Special {
    None,
    /// No effect unless an operand is memory.
    Tensor,
    /// A volatile or ordered access writes as well.
    Access,
    /// `has_side_effects` says it.
    Assembly,
}

/// The label of a name.
#[derive(Clone, Copy, Debug)]
struct Named {
    bits: Bits,
    special: Special,
}

/// Labels of the operations of one body.
pub(super) struct Labels {
    /// By operation: the number of its label, of which there are few.
    of_op: Vec<u16>,
    all: Vec<Bits>,
}

impl Labels {
    pub(super) fn collect(body: &Body, effects: &EffectTable, preset: OpPreset) -> Labels {
        let mut names: FxHashMap<NameId, Named> = FxHashMap::default();
        let mut memory = MemoryTypes::default();
        let own_word = OwnWord::of(preset);
        let mut all: Vec<Bits> = Vec::new();
        let mut of_op = Vec::with_capacity(body.ops.len());
        let mut push = |bits: Bits| {
            // 18 properties, which depend on each other: far less than 2^16 sets of them.
            let number = all.iter().position(|it| *it == bits).unwrap_or_else(|| {
                all.push(bits);
                all.len() - 1
            });
            of_op.push(number as u16);
        };
        for (_, op) in body.ops.iter() {
            let (OpKind::Named(name) | OpKind::Opaque(name)) = op.kind else {
                push(label(&effects.explain(Namespace::Mlir, ""), "", None).bits);
                continue;
            };
            // Where a type is not known, the text was not understood, and attributes may be missing too.
            let is_unknown = |it: &ir::ValueId| body.values[*it].ty == Type::Unknown;
            let is_opaque =
                matches!(op.kind, OpKind::Opaque(_)) || op.results.iter().any(is_unknown);
            let named = if is_opaque {
                unknown()
            } else {
                *names.entry(name).or_insert_with(|| {
                    let text = body.name(name);
                    label(&effects.explain(Namespace::Mlir, text), text, own_word)
                })
            };
            let mut bits = specialise(body, op, named, &mut memory);
            if preset == OpPreset::Default && op.operands.len() != 2 {
                // Of three operands (`math.fma`) only the first two may be swapped.
                bits = bits.without(Bits::COMMUTATIVE);
            }
            push(bits);
        }
        Labels { of_op, all }
    }

    /// What the operation itself is; of its regions nothing is in it.
    pub(super) fn of(&self, op: OpId) -> Bits {
        self.all[usize::from(self.of_op[op.index()])]
    }
}

fn unknown() -> Named {
    let mut bits = Bits::UNKNOWN;
    bits.add(row_bits(OpEffects::unknown()));
    bits.add(Bits::WRITE);
    bits.add(Bits::KEEP);
    bits.add(Bits::ISOLATED);
    Named { bits, special: Special::None }
}

/// The label of a name: the row's, with the peer's own word over it.
fn label(found: &Match<'_>, name: &str, own_word: Option<&OwnWord>) -> Named {
    if found.kind == MatchKind::Default && own_word.is_none_or(|it| it.class(name).is_none()) {
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
    if let Some(words) = own_word {
        if let Some(own) = words.class(name) {
            class = own;
            if own == "unknown" {
                bits = bits.without(Bits::RECURSIVE);
            }
        }
        is_commutative = words.is_commutative(name).unwrap_or(is_commutative);
        if words.is_isolated(name) {
            bits.add(Bits::ISOLATED);
        }
        if words.is_one_time(name) {
            bits = bits.without(Bits::VARIES);
        }
    }
    bits.add(class_bits(class));
    if is_commutative {
        bits.add(Bits::COMMUTATIVE);
    }
    let special = match name {
        "llvm.load" | "llvm.store" => Special::Access,
        "llvm.inline_asm" => Special::Assembly,
        _ if flags.contains(Flags::TENSOR_NONE) => Special::Tensor,
        _ => Special::None,
    };
    Named { bits, special }
}

/// The peer's bits of a class of `labels.txt`.
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

/// What the effects table knows.
fn row_bits(row: &OpEffects) -> Bits {
    let mut bits = Bits::default();
    let is_recursive = row.flags.contains(Flags::RECURSIVE);
    let mut add = |is: bool, bit: Bits| {
        if is {
            bits.add(bit);
        }
    };
    add(row.flags.contains(Flags::TERMINATOR), Bits::TERMINATOR);
    add(row.flags.contains(Flags::SYMBOL), Bits::SYMBOL);
    add(row.flags.contains(Flags::ALIAS.union(Flags::DEPARTS)), Bits::ALIAS);
    add(row.flags.contains(Flags::MARKER), Bits::MARKER);
    add(row.convergent && !is_recursive, Bits::CONVERGENT);
    add(!row.deterministic && !is_recursive, Bits::VARIES);
    let is_merged = row.merge() != Merge::Never || row.flags.contains(Flags::TERMINATOR);
    let is_alloc = row.memory_effect == MemoryEffect::Alloc;
    add(!is_recursive && !is_merged && !is_alloc, Bits::VARIES);
    add(!is_recursive && row.may_read() && !is_alloc, Bits::LOOKS);
    let is_kept = !row.is_deletable() && !row.flags.contains(Flags::TERMINATOR);
    add(!is_recursive && is_kept, Bits::NEEDED);
    let is_freed = row.memory_effect == MemoryEffect::Free;
    add(!is_recursive && row.may_write() && !is_freed, Bits::CHANGES);
    add(!matches!(row.may_trap, Trap::No) && !is_recursive, Bits::TRAPS);
    bits
}

/// The label of one operation: types and attributes considered.
fn specialise(body: &Body, op: &Operation, named: Named, memory: &mut MemoryTypes) -> Bits {
    let mut bits = named.bits;
    match named.special {
        Special::None => {}
        Special::Tensor => {
            let has_memory = op.operands.iter().any(|&it| memory.is_memory(body, body.expr(it).ty));
            let effects = Bits::EFFECT.0 | Bits::LOOKS.0 | Bits::NEEDED.0 | Bits::CHANGES.0;
            if !has_memory {
                bits = bits.without(Bits(effects | Bits::VARIES.0));
            } else if bits.has(Bits::RECURSIVE) {
                for bit in [Bits::READ, Bits::WRITE, Bits::KEEP, Bits::LOOKS, Bits::NEEDED] {
                    bits.add(bit);
                }
                bits.add(Bits::CHANGES);
            }
        }
        Special::Access => {
            if is_set(body, op.attrs, "volatile_") || ordering(body, op.attrs) > 1 {
                for bit in [Bits::WRITE, Bits::KEEP, Bits::NEEDED, Bits::CHANGES, Bits::VARIES] {
                    bits.add(bit);
                }
            }
        }
        Special::Assembly => {
            if !is_set(body, op.attrs, "has_side_effects") {
                bits = bits.without(Bits::EFFECT);
            }
        }
    }
    bits
}

fn attr<'a>(body: &'a Body, attrs: AttrDictId, key: &str) -> Option<&'a Attr> {
    let dict = body.dict(attrs);
    dict.iter().find(|(it, _)| &**it == key).map(|(_, value)| value)
}

/// Whether a unit attribute is there.
fn is_set(body: &Body, attrs: AttrDictId, key: &str) -> bool {
    match attr(body, attrs, key) {
        None | Some(Attr::Bool(false)) => false,
        Some(Attr::Text(text)) => &**text != "false",
        Some(_) => true,
    }
}

/// The number of an atomic ordering: 0 is none, 1 `unordered`.
fn ordering(body: &Body, attrs: AttrDictId) -> i64 {
    match attr(body, attrs, "ordering") {
        None => 0,
        Some(Attr::Int(value, _)) => *value,
        // `3 : i64`; what is not a number is taken for the strictest.
        Some(Attr::Text(text)) => {
            text.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(i64::MAX)
        }
        Some(_) => i64::MAX,
    }
}

/// Which types are memory, by their names.
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

/// Whether the peer takes the operands of an operation in any order.
pub(super) fn peer_takes_any_order(effects: &EffectTable, name: &str) -> bool {
    let own = OwnWord::of(OpPreset::Mlir24).and_then(|it| it.is_commutative(name));
    own.unwrap_or(effects.mlir(name).commutative == Applies::All)
}

/// The value that an operand is.
pub(super) fn value_of(body: &Body, operand: ir::ExprId) -> Option<ir::ValueId> {
    match body.expr(operand).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}

/// `labels.txt`, as it holds for one version of the peer.
struct OwnWord {
    classes: FxHashMap<&'static str, &'static str>,
    /// Prefixes of names that end in `*`.
    prefixes: Vec<(&'static str, &'static str)>,
    traits: FxHashSet<(&'static str, &'static str)>,
}

impl OwnWord {
    /// The peer's word; none for rules that follow no peer of MLIR.
    fn of(preset: OpPreset) -> Option<&'static OwnWord> {
        static WORDS: LazyLock<[OwnWord; 3]> = LazyLock::new(|| {
            ["19", "24", ""].map(|it| OwnWord::read(include_str!("labels.txt"), it))
        });
        match preset {
            OpPreset::Mlir19 => Some(&WORDS[0]),
            OpPreset::Mlir24 => Some(&WORDS[1]),
            OpPreset::Default => Some(&WORDS[2]),
            OpPreset::Pir => None,
        }
    }

    fn read(text: &'static str, version: &str) -> OwnWord {
        let mut words = OwnWord {
            classes: FxHashMap::default(),
            prefixes: Vec::new(),
            traits: FxHashSet::default(),
        };
        let mut class = "";
        for line in text.lines().filter(|it| !it.starts_with('#')) {
            if let Some(header) = line.strip_prefix('[') {
                let mut parts = header.trim_end_matches(']').split(' ');
                class = parts.next().unwrap_or_default();
                // Without a version, only what is no claim about effects counts.
                let is_fact = matches!(class, "isolated" | "one-time");
                if parts.next().is_some_and(|it| it != version) || (version.is_empty() && !is_fact)
                {
                    class = "";
                }
                continue;
            }
            for name in line.split_whitespace().filter(|_| !class.is_empty()) {
                words.insert(name, class);
            }
        }
        words
    }

    fn insert(&mut self, name: &'static str, class: &'static str) {
        if matches!(class, "commutative" | "ordered" | "isolated" | "one-time") {
            self.traits.insert((name, class));
        } else if let Some(prefix) = name.strip_suffix('*') {
            self.prefixes.push((prefix, class));
        } else {
            self.classes.insert(name, class);
        }
    }

    fn class(&self, name: &str) -> Option<&'static str> {
        let by_prefix = || self.prefixes.iter().find(|it| name.starts_with(it.0)).map(|it| it.1);
        self.classes.get(name).copied().or_else(by_prefix)
    }

    fn has(&self, name: &str, what: &'static str) -> bool {
        self.traits.contains(&(name, what))
    }

    fn is_commutative(&self, name: &str) -> Option<bool> {
        if self.has(name, "commutative") {
            return Some(true);
        }
        self.has(name, "ordered").then_some(false)
    }

    fn is_isolated(&self, name: &str) -> bool {
        self.has(name, "isolated")
    }

    fn is_one_time(&self, name: &str) -> bool {
        self.has(name, "one-time")
    }
}
