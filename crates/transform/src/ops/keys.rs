//! Equality keys of the preset `default`: names, operands in a canonical order, and attributes without promises.
//!
//! In: an operation without regions. Out: a [`Key`]: words that are equal exactly if the operations are, up to the
//! order of operands of commutative operations and of comparisons (`a < b` is `b > a`); and the [`Promises`] apart.
//! Promises are the poison-generating and fast-math flags. An operation with fewer promises (`nsw`, `fast`) may replace
//! one with more, not the other way round: its undefined cases are a subset of the other's.
//!
//! O(operands) each, and the text of each attribute dictionary once.

use ir::{
    Attr, AttrDictId, Body, NameId, OpId, OpKind, Operation, Type, ValueId, ValueKind, arena::Id,
    known_ops,
};
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

/// The words of a key in front of its operands: the name, the attributes and the number of operands, the predicate.
const HEADER: usize = 3;

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
        let mut words: SmallVec<[u64; 8]> = SmallVec::from_buf_and_len([0; 8], HEADER);
        for_each_operand(body, op, |_, operand| {
            words.push(match value_of(body, operand) {
                Some(value) => replaced.get(value).index() as u64,
                None => operand.index() as u64 | 1 << 40,
            });
        });
        let n_operands = words.len() - HEADER;
        let mut predicate = stripped.predicate;
        let mut is_swapped = false;
        if n_operands == 2 && words[HEADER] > words[HEADER + 1] {
            let mirrored = match (comparison, predicate) {
                (Comparisons::None, _) | (_, None) => None,
                (Comparisons::Integer, Some(it)) => mirrored_integer(it),
                (Comparisons::Float, Some(it)) => mirrored_float(it),
            };
            is_swapped = self.traits.of(op).has(Bits::COMMUTATIVE) || mirrored.is_some();
            predicate = mirrored.or(predicate);
            if is_swapped {
                words.swap(HEADER, HEADER + 1);
            }
        }
        words[0] = name;
        words[1] = u64::from(stripped.rest) << 32 | n_operands as u64;
        // Only comparisons have one apart; of all others it is in the rest.
        words[2] = predicate.map_or(u64::MAX, |it| it as u64);
        data.results.iter().for_each(|&it| words.push(type_word(body.values[it].ty)));
        Key { words, promises: stripped.promises, is_swapped }
    }

    /// The promises of an operation.
    pub(super) fn promises(&mut self, op: OpId) -> Promises {
        self.stripped(self.body.ops[op].attrs).promises
    }

    /// Returns true if two operations have the same attributes but for promises.
    pub(super) fn have_same_attributes(&mut self, a: OpId, b: OpId) -> bool {
        let body = self.body;
        let mut rest = |op: OpId| self.stripped(body.ops[op].attrs).rest;
        rest(a) == rest(b)
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
fn slot<I: Id, T: Clone + Default>(table: &mut Vec<T>, id: I) -> &mut T {
    if table.len() <= id.index() {
        table.resize(id.index() + 1, T::default());
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
const MAX_TERMS: u8 = 16;

/// The terms of a sum or product, by a hash that does not depend on their order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Sum {
    /// The sum of the hashes of the terms.
    hash: u64,
    /// The number of terms; 0 if the value is no sum, or one of too many.
    n: u8,
    /// All operations in it promise nothing.
    is_free: bool,
}

/// The terms of sums and products, for comparing them in any order: a hash finds those that may be equal, and only
/// these are written out.
#[derive(Default)]
pub(super) struct Terms {
    /// By result.
    of_value: Vec<Sum>,
}

impl Terms {
    /// The key of an associative operation: a hash of its name, type and terms, and whether it may stand for another
    /// one. None if it has only its own two operands, or too many. `is_float` operations must all allow another order;
    /// others must promise nothing to stand for another.
    pub(super) fn key(
        &mut self,
        body: &Body,
        op: OpId,
        replaced: &Replaced,
        promises: Promises,
        is_float: bool,
    ) -> Option<(u64, bool)> {
        let data = &body.ops[op];
        let &[result] = &data.results[..] else { return None };
        let &[left, right] = &data.operands[..] else { return None };
        if is_float && !promises.allow_reassociation() {
            return None;
        }
        let mut sum = Sum { hash: 0, n: 0, is_free: is_float || promises.is_empty() };
        for operand in [left, right] {
            let value = replaced.get(value_of(body, operand)?);
            let inner = self.inner(body, data, value);
            sum.hash = sum.hash.wrapping_add(match inner {
                Some((_, it)) => it.hash,
                None => mix(1, value.index() as u64),
            });
            sum.n += inner.map_or(1, |(_, it)| it.n);
            sum.is_free &= inner.is_none_or(|(_, it)| it.is_free);
        }
        if sum.n > MAX_TERMS {
            return None;
        }
        *slot(&mut self.of_value, result) = sum;
        if sum.n < 3 {
            return None;
        }
        let OpKind::Named(name) = data.kind else { return None };
        let words = [name.index() as u64, type_word(body.values[result].ty), u64::from(sum.n)];
        Some((words.into_iter().fold(sum.hash, mix), sum.is_free))
    }

    /// Returns true if two operations with one key have the same terms.
    pub(super) fn are_equal(&self, body: &Body, replaced: &Replaced, a: OpId, b: OpId) -> bool {
        let ty = |op: OpId| body.ops[op].results.first().map(|it| body.values[*it].ty);
        let terms = |op: OpId| self.terms(body, replaced, op);
        body.ops[a].kind == body.ops[b].kind
            && ty(a) == ty(b)
            && terms(a).is_some_and(|it| Some(it) == terms(b))
    }

    /// The sum that an operand of an operation is, if its terms are terms of the operation.
    fn inner(&self, body: &Body, outer: &Operation, value: ValueId) -> Option<(OpId, Sum)> {
        let ValueKind::Result(by, _) = body.values[value].kind else { return None };
        let op = &body.ops[by];
        let is_same = op.kind == outer.kind && op.parent == outer.parent;
        let sum = self.of_value.get(value.index()).filter(|it| is_same && it.n > 0)?;
        Some((by, *sum))
    }

    /// The terms, sorted; none if they have become too many since they were counted. O([`MAX_TERMS`]).
    fn terms(&self, body: &Body, replaced: &Replaced, op: OpId) -> Option<SmallVec<[ValueId; 16]>> {
        let outer = &body.ops[op];
        let mut terms = SmallVec::new();
        let mut next: SmallVec<[OpId; 16]> = SmallVec::from_slice(&[op]);
        while let Some(op) = next.pop() {
            for value in body.ops[op].operands.iter().filter_map(|&it| value_of(body, it)) {
                let value = replaced.get(value);
                match self.inner(body, outer, value) {
                    Some((by, _)) => next.push(by),
                    None => terms.push(value),
                }
            }
            if terms.len() + next.len() > usize::from(MAX_TERMS) {
                return None;
            }
        }
        terms.sort_unstable();
        Some(terms)
    }
}
