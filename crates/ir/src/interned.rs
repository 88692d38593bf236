//! The pools of a body: names and lists of expressions, each kind interned in one pool.
//!
//! In: texts and lists. Out: ids in order of first occurrence, equal for equal contents. Each pool is one allocation
//! with the ends of its items; an index entry holds the hash beside the id, so that a growing index reads no item.
//! O(length) an item.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::{ExprId, ExprListId, NameId, arena::Id, known_ops};

/// Ids by the hash of their contents.
#[derive(Clone, Debug)]
pub(crate) struct Index<I>(HashTable<(u32, I)>);

impl<I> Default for Index<I> {
    fn default() -> Self {
        Index(HashTable::new())
    }
}

impl<I: Id> Index<I> {
    /// The id with this hash which `is_it`.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(I) -> bool) -> Option<I> {
        let short = shorten(hash);
        self.0.find(spread(short), |&(it, id)| it == short && is_it(id)).map(|&(_, id)| id)
    }

    /// Returns the number of ids.
    fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds an id that is not there.
    pub(crate) fn insert(&mut self, hash: u64, id: I) {
        let short = shorten(hash);
        self.0.insert_unique(spread(short), (short, id), |&(it, _)| spread(it));
    }
}

/// The half of a hash that is kept.
fn shorten(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

/// Tables take bits from both ends of a hash, so a half is spread over all of it.
fn spread(short: u32) -> u64 {
    u64::from(short).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Names: those that every body has ([`known_ops`]), and its own behind them.
#[derive(Clone, Default, Debug)]
pub(crate) struct NameTable {
    text: String,
    /// The place where each name ends; it begins where the one before ends.
    ends: Vec<u32>,
    index: Index<NameId>,
    /// Printers of MLIR number values: names `%0`, `%1` … are found by their number, without hashing and all over
    /// memory.
    numbered: Vec<u32>,
    n_numbered: usize,
    /// Names with a number that are in the index all the same.
    n_large: usize,
    /// The empty name, which is asked for most, where values have none.
    empty: Option<NameId>,
}

/// No name has this number.
const NONE: u32 = u32::MAX;

/// The number of a name that is `%` and a number of up to nine digits, as it would be printed.
fn number_of(text: &str) -> Option<usize> {
    let digits = text.as_bytes().strip_prefix(b"%")?;
    let is_number = match digits {
        [] | [b'0', _, ..] => false,
        _ => digits.len() <= 9 && digits.iter().all(u8::is_ascii_digit),
    };
    is_number
        .then(|| digits.iter().fold(0, |number, digit| number * 10 + usize::from(digit - b'0')))
}

impl NameTable {
    /// O(length), or O(all names) without an index.
    pub(crate) fn lookup(&self, text: &str) -> Option<NameId> {
        if self.is_indexed() {
            return self.find(number_of(text), text);
        }
        let known = known_ops::find(FxBuildHasher.hash_one(text), text);
        known.or_else(|| self.own().find(|&id| self.text(id) == text))
    }

    /// The names that the body has added.
    fn own(&self) -> impl Iterator<Item = NameId> + use<> {
        (known_ops::N..known_ops::N + self.ends.len()).map(NameId::new)
    }

    fn find(&self, number: Option<usize>, text: &str) -> Option<NameId> {
        if let Some(&id) = number.and_then(|it| self.numbered.get(it))
            && id != NONE
        {
            return Some(NameId::new(id as usize));
        }
        if number.is_some() && self.n_large == 0 {
            return None;
        }
        let hash = FxBuildHasher.hash_one(text);
        let known = known_ops::find(hash, text);
        known.or_else(|| self.index.find(hash, |id| self.text(id) == text))
    }

    fn is_indexed(&self) -> bool {
        self.index.len() + self.n_numbered == self.ends.len()
    }

    /// Gives back the memory of the index; the next new name makes it again.
    pub(crate) fn forget_index(&mut self) {
        self.index = Index::default();
        self.numbered = Vec::new();
        (self.n_numbered, self.n_large) = (0, 0);
    }

    fn make_index(&mut self) {
        self.forget_index();
        for id in self.own() {
            self.insert(number_of(self.text(id)), id);
        }
    }

    fn insert(&mut self, number: Option<usize>, id: NameId) {
        // A few large numbers must not make a large table.
        let Some(number) = number.filter(|&it| it <= 2 * self.n_numbered + 1024) else {
            self.n_large += usize::from(number.is_some());
            let hash = FxBuildHasher.hash_one(self.text(id));
            return self.index.insert(hash, id);
        };
        if self.numbered.len() <= number {
            self.numbered.resize(number + 1, NONE);
        }
        self.numbered[number] = id.index() as u32;
        self.n_numbered += 1;
    }

    pub(crate) fn intern(&mut self, text: &str) -> NameId {
        if let Some(id) = self.empty.filter(|_| text.is_empty()) {
            return id;
        }
        if !self.is_indexed() {
            self.make_index();
        }
        let number = number_of(text);
        if let Some(id) = self.find(number, text) {
            return id;
        }
        let id = NameId::new(known_ops::N + self.ends.len());
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).expect("names of one body have less than 4 GiB");
        self.ends.push(end);
        self.insert(number, id);
        if text.is_empty() {
            self.empty = Some(id);
        }
        id
    }

    pub(crate) fn text(&self, id: NameId) -> &str {
        match id.index().checked_sub(known_ops::N) {
            Some(own) => &self.text[span(&self.ends, own)],
            None => known_ops::text(id),
        }
    }
}

/// Returns the place where an item lies in its pool.
fn span(ends: &[u32], at: usize) -> std::ops::Range<usize> {
    let start = if at == 0 { 0 } else { ends[at - 1] };
    start as usize..ends[at] as usize
}

/// The index follows from the names.
impl PartialEq for NameTable {
    fn eq(&self, other: &NameTable) -> bool {
        self.text == other.text && self.ends == other.ends
    }
}

/// Lists of expressions.
#[derive(Clone, Default, Debug)]
pub(crate) struct ListTable {
    pool: Vec<ExprId>,
    ends: Vec<u32>,
    index: Index<ExprListId>,
}

impl ListTable {
    pub(crate) fn items(&self, id: ExprListId) -> &[ExprId] {
        &self.pool[span(&self.ends, id.index())]
    }

    pub(crate) fn intern(&mut self, items: &[ExprId]) -> ExprListId {
        let hash = FxBuildHasher.hash_one(items);
        if let Some(id) = self.index.find(hash, |id| self.items(id) == items) {
            return id;
        }
        let id = ExprListId::new(self.ends.len());
        self.pool.extend_from_slice(items);
        self.ends.push(self.pool.len() as u32);
        self.index.insert(hash, id);
        id
    }
}

/// The index follows from the lists.
impl PartialEq for ListTable {
    fn eq(&self, other: &ListTable) -> bool {
        self.pool == other.pool && self.ends == other.ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_one_id_and_ids_count_up() {
        let mut names = NameTable::default();
        // Those that every body has come first.
        let own = |number: usize| NameId::new(known_ops::N + number);
        let texts: Vec<String> = (0..1000).map(|it| format!("n{}", it % 300)).collect();
        for text in &texts {
            let id = names.intern(text);
            assert_eq!((names.text(id), names.lookup(text)), (text.as_str(), Some(id)));
        }
        assert_eq!(names.intern("n299"), own(299));
        assert_eq!(names.intern(""), own(300));
        assert_eq!((names.text(own(300)), names.lookup("n300")), ("", None));
        let numbers: Vec<usize> = (0..5000).map(|it| it * 7919 % 9973 % 4000).collect();
        for number in numbers.iter().chain(&[0, 1 << 20, 99_999_999]) {
            for text in [format!("%{number}"), format!("%0{number}"), format!("{number}")] {
                let id = names.intern(&text);
                assert_eq!((names.text(id), names.lookup(&text)), (&*text, Some(id)));
                assert_eq!(names.intern(&text), id);
            }
        }
        assert!(names.numbered.len() < 10_000, "{}", names.numbered.len());
        let n = names.ends.len();
        names.forget_index();
        assert_eq!(names.lookup("n299"), Some(own(299)));
        assert_eq!([names.intern("n7"), names.intern("n300")], [own(7), own(n)]);
        assert_eq!(names.lookup("n300"), Some(own(n)));
        assert!((0..n).map(own).all(|it| names.lookup(names.text(it)) == Some(it)));
    }

    #[test]
    fn equal_lists_have_one_id() {
        let mut lists = ListTable::default();
        let ids = |items: &[usize]| items.iter().map(|&it| ExprId::new(it)).collect::<Vec<_>>();
        let (a, b, none) = (ids(&[1, 2]), ids(&[1]), ids(&[]));
        let made = [&a, &b, &none, &a, &none].map(|it| lists.intern(it).index());
        assert_eq!(made, [0, 1, 2, 0, 2]);
        assert_eq!(lists.items(ExprListId::new(0)), a);
        assert_eq!(lists.items(ExprListId::new(2)), none);
    }
}
