//! Accesses with more effects than a read or a write: volatile, atomic and ordered ones, in the words of any dialect.
//!
//! In: an operation that touches memory. Out: whether its attributes or types say that every execution counts, or that
//! it orders other accesses. It is asked of words, not of names of operations: dialects spell it `volatile_`,
//! `isVolatile`, `ordering = 4`, `#spirv.memory_access<Volatile>`, `["Volatile"]`, `memory_order(acquire)`, and as
//! decorations of the types of pointers. Where an attribute is about ordering and its word is not known to be harmless,
//! the access is ordered. Each dictionary and type is read once.

use ir::{Attr, AttrDictId, Body, NameId, Operation, Type, ValueKind, arena::Id};
use rustc_hash::FxHashMap;

use super::value_of;

/// The results so far.
#[derive(Default)]
pub(super) struct Orderings {
    of_dict: FxHashMap<AttrDictId, bool>,
    of_type: FxHashMap<NameId, bool>,
}

impl Orderings {
    /// Returns true if every execution of an access counts, or if it orders other accesses.
    pub(super) fn is_ordered(&mut self, body: &Body, op: &Operation) -> bool {
        let by_attributes = || body.dict(op.attrs).iter().any(|(key, it)| attribute(key, it));
        if op.attrs.index() != 0 && *self.of_dict.entry(op.attrs).or_insert_with(by_attributes) {
            return true;
        }
        let operands = op.operands.iter().map(|it| body.expr(*it).ty);
        let results = op.results.iter().map(|it| body.values[*it].ty);
        operands.chain(results).any(|it| self.type_(body, it))
    }

    fn type_(&mut self, body: &Body, ty: Type) -> bool {
        let Type::Named(name) = ty else { return false };
        *self.of_type.entry(name).or_insert_with(|| {
            let text = body.name(name).to_ascii_lowercase();
            // Of a long alias only a digest is known.
            ["volatile", "coherent", "!long."].iter().any(|it| text.contains(it))
        })
    }
}

/// Returns true if the cache policy of a raw buffer access, its last operand, is a constant without the "volatile" bit.
pub(super) fn has_plain_policy(body: &Body, op: &Operation) -> bool {
    let policy = op.operands.last().and_then(|it| value_of(body, *it));
    let Some(ValueKind::Result(by, _)) = policy.map(|it| body.values[it].kind) else {
        return false;
    };
    let dict = body.dict(body.ops[by].attrs);
    let value = dict.iter().find(|(key, _)| &**key == "value").map(|(_, it)| lower(it));
    let number = value.and_then(|it| it.split(' ').next()?.parse::<i64>().ok());
    number.is_some_and(|it| (0..1 << 31).contains(&it))
}

/// Words of orderings that order nothing.
const UNORDERED: &[&str] = &["not_atomic", "notatomic", "nonatomic", "unordered", "none"];
/// Words beside an access that order nothing and do not make it count.
const PLAIN: &[&str] =
    &["aligned", "nontemporal", "invariant", "invariant_group", "inbounds", "true", "unit"];
/// Words that order, wherever they stand.
const ORDERED: &[&str] = &[
    "acq_rel",
    "acquire",
    "acquire_release",
    "acquirerelease",
    "atomic",
    "consume",
    "monotonic",
    "nonprivatepointer",
    "relaxed",
    "release",
    "seq_cst",
    "seqcst",
    "sequentially_consistent",
    "sequentiallyconsistent",
];

fn attribute(key: &str, value: &Attr) -> bool {
    let (key, text) = (key.to_ascii_lowercase(), lower(value));
    let has = |what: &str| key.contains(what);
    if text == "false" {
        return false;
    }
    if ["volatile", "atomic", "coherent", "syncscope"].into_iter().any(has) {
        return true;
    }
    if has("ordering") || has("order") && has("mem") || has("semantics") || key == "sem" {
        // Of this key alone the numbers are known: 0 is none, 1 `unordered`.
        let number = text.split(' ').next().and_then(|it| it.parse::<i64>().ok());
        return match number.filter(|_| key == "ordering") {
            Some(number) => !(0..=1).contains(&number),
            None => !words(&text).all(|it| UNORDERED.contains(&it)),
        };
    }
    if has("memory_access") {
        return match text.split(' ').next().and_then(|it| it.parse::<u32>().ok()) {
            // Bits: volatile, aligned, nontemporal; then those of a memory model.
            Some(bits) => bits & !0b110 != 0,
            None => !words(&text).all(is_plain),
        };
    }
    // A word of the pretty form that no rule reads.
    let is_bare =
        key.starts_with('$') && text.bytes().all(|it| it.is_ascii_alphabetic() || it == b'_');
    is_bare && !is_plain(&text)
        || words(&text).any(|it| ORDERED.contains(&it) || orders_by_part(it))
        || has("cache") && words(&text).any(|it| it == "cv")
}

fn is_plain(word: &str) -> bool {
    word.contains('.') || UNORDERED.contains(&word) || PLAIN.contains(&word)
}

/// Of families of words: `VolatileTexel`, `MakePointerVisible`.
fn orders_by_part(word: &str) -> bool {
    // Of a long alias only a digest is known.
    let is_digest = word.starts_with("long.");
    is_digest
        || ["volatile", "coherent", "makepointer", "maketexel"].iter().any(|it| word.contains(it))
}

/// Words in lower case; names of attributes keep their dialect.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.');
    text.split(move |it| !is_word(it)).filter(|it| !it.is_empty())
}

fn lower(value: &Attr) -> String {
    match value {
        Attr::Text(text) => text.to_ascii_lowercase(),
        Attr::Bool(it) => it.to_string(),
        Attr::Int(it, _) => it.to_string(),
        Attr::None => "unit".to_owned(),
        other => format!("{other:?}").to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ordered: bool, attributes: &[(&str, &str)]) {
        for (key, text) in attributes {
            assert_eq!(attribute(key, &Attr::Text((*text).into())), ordered, "{key} = {text}");
        }
    }

    #[test]
    fn words_of_all_dialects() {
        check(
            true,
            &[
                ("volatile_", "unit"),
                ("isVolatile", "true"),
                ("is_volatile", "1 : i1"),
                ("volatile", "true"),
                ("$0", "volatile"),
                ("$0", "[\"Volatile\"]"),
                ("$1", "[\"Volatile\", \"Aligned\", 4]"),
                ("$0", "weird"),
                ("memory_access", "#spirv.memory_access<Volatile>"),
                ("memory_access", "#spirv.memory_access<Volatile|Aligned>"),
                ("memory_access", "#spirv.memory_access<MakePointerVisible>"),
                ("memory_access", "#spirv.memory_access<Newer>"),
                ("memory_access", "1 : i32"),
                ("memory_access", "32 : i32"),
                ("source_memory_access", "#spirv.memory_access<Volatile>"),
                ("image_operands", "#spirv.image_operands<VolatileTexel>"),
                ("ordering", "2 : i64"),
                ("ordering", "7 : i64"),
                ("ordering", "weird"),
                ("success_ordering", "4 : i64"),
                ("memory_order", "#omp<memoryorderkind relaxed>"),
                ("memory_order_val", "0 : i32"),
                ("memory_semantics", "#spirv.memory_semantics<Acquire>"),
                ("sem", "4 : i32"),
                ("mode", "#d.mode<acq_rel>"),
                ("cacheModifier", "#tt.cache<cv>"),
                ("syncscope", "\"agent\""),
                ("atomic", "unit"),
            ],
        );
        check(
            false,
            &[
                ("volatile_", "false"),
                ("isVolatile", "false"),
                ("alignment", "4 : i64"),
                ("nontemporal", "true"),
                ("invariant", "unit"),
                ("ordering", "0 : i64"),
                ("ordering", "1 : i64"),
                ("ordering", "not_atomic"),
                ("memory_access", "#spirv.memory_access<Aligned>"),
                ("memory_access", "#spirv.memory_access<Aligned|Nontemporal>"),
                ("memory_access", "2 : i32"),
                ("$0", "[\"Aligned\", 4]"),
                ("$0", "nontemporal"),
                ("cacheModifier", "#tt.cache<cg>"),
                ("in_bounds", "[true, false]"),
                ("map", "affine_map<(d0) -> (d0)>"),
                ("permutation_map", "affine_map<(d0, d1) -> (d1, d0)>"),
                ("boundsCheck", "true"),
            ],
        );
    }
}
