//! Equality keys of the preset `default`: names, operands in a canonical order, and attributes without promises.
//!
//! In: an operation without regions. Out: a [`Key`]: words that are equal exactly if the operations are, up to the
//! order of operands of commutative operations and of comparisons (`a < b` is `b > a`); and the [`Promises`] apart.
//! Promises are the poison-generating and fast-math flags. An operation with fewer promises (`nsw`, `fast`) may replace
//! one with more, not the other way round: its undefined cases are a subset of the other's.
//!
//! O(operands) each, and the text of each attribute dictionary once.

use ir::{Attr, AttrDictId, Body, NameId, OpId, OpKind, Type, arena::Id, known_ops};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    digest::mix,
    op_traits::{Bits, OpTraits, value_of},
    summary::{Replaced, for_each_operand},
};

/// A set of promises, a bit each, in the order of [`PROMISES`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Promises(u16);

const PROMISES: &[&str] = &[
    "nsw", "nuw", "exact", "disjoint", "nneg", "nnan", "ninf", "nsz", "arcp", "contract", "afn",
    "reassoc",
];
/// The flags that `fast` implies.
const FAST: u16 = 0b1111_1110_0000;
const REASSOC: u16 = 1 << 11;

impl Promises {
    /// Returns true if all promises here are also promised there.
    pub(super) fn is_within(self, other: Promises) -> bool {
        self.0 & !other.0 == 0
    }
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Returns true if sums may be reassociated.
    pub(super) fn allow_reassociation(self) -> bool {
        self.0 & REASSOC != 0
    }

    /// The promises of an attribute's text: `#arith.overflow<nsw, nuw>`; none if there is a word in it that is not
    /// known.
    fn parse(text: &str) -> Option<Promises> {
        let inside = text.split_once('<').map_or(text, |it| it.1.trim_end_matches('>'));
        let mut bits = 0;
        for word in inside.split(',').map(str::trim) {
            bits |= match word {
                "none" | "" => 0,
                "fast" => FAST,
                _ => 1 << PROMISES.iter().position(|it| *it == word)?,
            };
        }
        Some(Promises(bits))
    }
}

/// Attributes that hold promises.
const PROMISE_KEYS: &[(&str, Option<u16>)] = &[
    ("overflowFlags", None),
    ("fastmath", None),
    ("fastmathFlags", None),
    ("isExact", Some(1 << 2)),
    ("isDisjoint", Some(1 << 3)),
    ("nonNeg", Some(1 << 4)),
];

/// The key by which two operations are compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pub(super) words: SmallVec<[u64; 8]>,
    pub(super) promises: Promises,
    /// Operands do not stand as they are written.
    pub(super) is_swapped: bool,
}

impl Key {
    pub(super) fn hash(&self, salt: u64) -> u64 {
        self.words.iter().fold(salt, |hash, &word| mix(hash, word))
    }
}

/// A dictionary without promises and predicate.
#[derive(Clone, Copy)]
struct Stripped {
    rest: u32,
    promises: Promises,
    predicate: Option<i64>,
}

/// Makes keys; dictionaries are read once.
pub(super) struct Keys<'a> {
    body: &'a Body,
    traits: &'a OpTraits,
    /// By dictionary.
    dicts: Vec<Option<Stripped>>,
    rests: FxHashMap<String, u32>,
}

/// The comparison that an operation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparisons {
    None,
    Integer,
    Float,
}

impl Comparisons {
    fn of(name: NameId) -> Comparisons {
        match name {
            known_ops::ARITH_CMPI | known_ops::LLVM_ICMP => Comparisons::Integer,
            known_ops::ARITH_CMPF | known_ops::LLVM_FCMP => Comparisons::Float,
            _ => Comparisons::None,
        }
    }
}

impl<'a> Keys<'a> {
    pub(super) fn new(body: &'a Body, traits: &'a OpTraits) -> Keys<'a> {
        Keys { body, traits, dicts: Vec::new(), rests: FxHashMap::default() }
    }

    /// The key of an operation with its operands as they are now.
    pub(super) fn key(&mut self, op: OpId, replaced: &Replaced) -> Key {
        let body = self.body;
        let data = &body.ops[op];
        let stripped = self.stripped(data.attrs);
        let (name, comparison) = match data.kind {
            OpKind::Named(name) => (name.index() as u64, Comparisons::of(name)),
            _ => (op.index() as u64 | 1 << 40, Comparisons::None),
        };
        let mut operands: SmallVec<[u64; 4]> = SmallVec::new();
        for_each_operand(body, op, |_, operand| {
            operands.push(match value_of(body, operand) {
                Some(value) => replaced.get(value).index() as u64,
                None => operand.index() as u64 | 1 << 40,
            });
        });
        let mut predicate = stripped.predicate;
        let mut is_swapped = false;
        if operands.len() == 2 && operands[0] > operands[1] {
            let mirrored = match (comparison, predicate) {
                (Comparisons::None, _) | (_, None) => None,
                (Comparisons::Integer, Some(it)) => mirrored_integer(it),
                (Comparisons::Float, Some(it)) => mirrored_float(it),
            };
            is_swapped = self.traits.of(op).has(Bits::COMMUTATIVE) || mirrored.is_some();
            predicate = mirrored.or(predicate);
            if is_swapped {
                operands.swap(0, 1);
            }
        }
        let mut words: SmallVec<[u64; 8]> = SmallVec::new();
        words.push(name);
        words.push(u64::from(stripped.rest) << 32 | operands.len() as u64);
        // Only comparisons have one apart; of all others it is in the rest.
        words.push(predicate.map_or(u64::MAX, |it| it as u64));
        words.extend_from_slice(&operands);
        data.results.iter().for_each(|&it| words.push(type_word(body.values[it].ty)));
        Key { words, promises: stripped.promises, is_swapped }
    }

    /// The promises of an operation.
    pub(super) fn promises(&mut self, op: OpId) -> Promises {
        self.stripped(self.body.ops[op].attrs).promises
    }

    fn stripped(&mut self, attrs: AttrDictId) -> Stripped {
        if let Some(&Some(it)) = self.dicts.get(attrs.index()) {
            return it;
        }
        let mut promises = Promises::default();
        let mut predicate = None;
        let mut rest = String::new();
        for (key, value) in self.body.dict(attrs) {
            if let Some(it) = promise(key, value) {
                promises.0 |= it.0;
                continue;
            }
            if &**key == "predicate"
                && let Attr::Text(text) = value
                && let Some(number) = text.split(' ').next().and_then(|it| it.parse().ok())
            {
                predicate = Some(number);
                continue;
            }
            rest.push_str(&format!("{key}={value:?};"));
        }
        let next = self.rests.len() as u32;
        let rest = *self.rests.entry(rest).or_insert(next);
        let res = Stripped { rest, promises, predicate };
        *slot(&mut self.dicts, attrs) = Some(res);
        res
    }
}

/// The place of an id in a table that grows with the ids that are asked for.
fn slot<I: Id, T: Clone>(table: &mut Vec<Option<T>>, id: I) -> &mut Option<T> {
    if table.len() <= id.index() {
        table.resize(id.index() + 1, None);
    }
    &mut table[id.index()]
}

fn promise(key: &str, value: &Attr) -> Option<Promises> {
    let (_, bit) = PROMISE_KEYS.iter().find(|(it, _)| *it == key)?;
    match (bit, value) {
        (Some(bit), Attr::Text(text)) if &**text == "unit" => Some(Promises(*bit)),
        (Some(bit), Attr::None) => Some(Promises(*bit)),
        (None, Attr::Text(text)) => Promises::parse(text),
        _ => None,
    }
}

/// The integer predicate with its operands the other way round: eq ne slt sle sgt sge ult ule ugt uge.
fn mirrored_integer(predicate: i64) -> Option<i64> {
    [0, 1, 4, 5, 2, 3, 8, 9, 6, 7].get(usize::try_from(predicate).ok()?).copied()
}

/// Likewise of floats: false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true.
fn mirrored_float(predicate: i64) -> Option<i64> {
    [0, 1, 4, 5, 2, 3, 6, 7, 8, 11, 12, 9, 10, 13, 14, 15]
        .get(usize::try_from(predicate).ok()?)
        .copied()
}

fn type_word(ty: Type) -> u64 {
    match ty {
        Type::Named(name) => name.index() as u64,
        other => {
            use std::hash::BuildHasher;
            rustc_hash::FxBuildHasher.hash_one(other)
        }
    }
}

/// The limit on terms of a sum that is compared in any order.
const MAX_TERMS: usize = 16;

/// The terms of sums and products, for comparing them in any order.
#[derive(Default)]
pub(super) struct Terms {
    /// By result: the terms, sorted, and whether all operations in it promise nothing.
    of_value: Vec<Option<(SmallVec<[u32; 4]>, bool)>>,
}

impl Terms {
    /// The key of an associative operation: its name, type and terms. None if it has only its own two operands, or too
    /// many. `is_float` operations must all allow another order; others must promise nothing to stand for another
    /// (`is_free`).
    pub(super) fn key(
        &mut self,
        body: &Body,
        op: OpId,
        replaced: &Replaced,
        promises: Promises,
        is_float: bool,
    ) -> Option<(SmallVec<[u64; 8]>, bool)> {
        let data = &body.ops[op];
        let &[result] = &data.results[..] else { return None };
        if data.operands.len() != 2 || (is_float && !promises.allow_reassociation()) {
            return None;
        }
        let mut terms: SmallVec<[u32; 4]> = SmallVec::new();
        let mut is_free = is_float || promises.is_empty();
        for &operand in &data.operands {
            let value = replaced.get(value_of(body, operand)?);
            let inner = match body.values[value].kind {
                ir::ValueKind::Result(by, _)
                    if body.ops[by].kind == data.kind && body.ops[by].parent == data.parent =>
                {
                    self.of_value.get(value.index()).and_then(Option::as_ref)
                }
                _ => None,
            };
            match inner {
                Some((inner, free)) => {
                    terms.extend_from_slice(inner);
                    is_free &= free;
                }
                None => terms.push(value.index() as u32),
            }
        }
        if terms.len() > MAX_TERMS {
            return None;
        }
        terms.sort_unstable();
        *slot(&mut self.of_value, result) = Some((terms.clone(), is_free));
        if terms.len() < 3 {
            return None;
        }
        let OpKind::Named(name) = data.kind else { return None };
        let mut words: SmallVec<[u64; 8]> = SmallVec::new();
        words.extend([name.index() as u64, type_word(body.values[result].ty)]);
        words.extend(terms.into_iter().map(u64::from));
        Some((words, is_free))
    }
}
