//! Short lists of ids: the operands and other references of an operation.
//!
//! Up to three ids lie in the list itself, more on the heap: 16 bytes, where a vector with room for two takes 24. A
//! function of a million operations has three of them an operation.

use std::{fmt, ops};

use thin_vec::ThinVec;

use crate::arena::Id;

/// Ids that are held in place.
const IN_PLACE: usize = 3;

/// A list of ids, mostly of at most three. Reads as a slice.
#[derive(Clone)]
pub struct IdList<I>(Repr<I>);

#[derive(Clone)]
enum Repr<I> {
    InPlace { len: u8, items: [I; IN_PLACE] },
    Heap(ThinVec<I>),
}

impl<I> IdList<I> {
    /// The ids.
    pub fn as_slice(&self) -> &[I] {
        self
    }
}

impl<I: Id> IdList<I> {
    /// An empty list.
    pub fn new() -> IdList<I> {
        IdList(Repr::InPlace { len: 0, items: [I::new(0); IN_PLACE] })
    }

    /// Appends an id. Amortised O(1).
    pub fn push(&mut self, id: I) {
        match &mut self.0 {
            Repr::Heap(all) => all.push(id),
            Repr::InPlace { len, items } if usize::from(*len) < IN_PLACE => {
                items[usize::from(*len)] = id;
                *len += 1;
            }
            Repr::InPlace { items, .. } => {
                let mut all = ThinVec::with_capacity(2 * IN_PLACE);
                all.extend_from_slice(items);
                all.push(id);
                self.0 = Repr::Heap(all);
            }
        }
    }

    /// Takes out the id at a place; those behind it move up.
    ///
    /// # Panics
    /// If there is none.
    pub fn remove(&mut self, at: usize) -> I {
        let removed = self[at];
        self.copy_within(at + 1.., at);
        self.truncate(self.len() - 1);
        removed
    }

    /// Takes out the last id.
    pub fn pop(&mut self) -> Option<I> {
        let last = self.last().copied()?;
        self.truncate(self.len() - 1);
        Some(last)
    }

    /// Puts an id in at a place; those behind it move down.
    ///
    /// # Panics
    /// If the list is shorter.
    pub fn insert(&mut self, at: usize, id: I) {
        self.push(id);
        self[at..].rotate_right(1);
    }

    /// Keeps the first `n` ids.
    pub fn truncate(&mut self, n: usize) {
        match &mut self.0 {
            Repr::InPlace { len, .. } => *len = (*len).min(n.min(IN_PLACE) as u8),
            Repr::Heap(all) => all.truncate(n),
        }
    }

    /// Takes out all ids.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the ids that are wanted, in their order.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(I) -> bool) {
        *self = self.iter().copied().filter(|&it| is_wanted(it)).collect();
    }
}

impl<I: Id> Default for IdList<I> {
    fn default() -> Self {
        IdList::new()
    }
}

impl<I> ops::Deref for IdList<I> {
    type Target = [I];
    fn deref(&self) -> &[I] {
        match &self.0 {
            Repr::InPlace { len, items } => &items[..usize::from(*len)],
            Repr::Heap(all) => all,
        }
    }
}

impl<I> ops::DerefMut for IdList<I> {
    fn deref_mut(&mut self) -> &mut [I] {
        match &mut self.0 {
            Repr::InPlace { len, items } => &mut items[..usize::from(*len)],
            Repr::Heap(all) => all,
        }
    }
}

impl<I: PartialEq> PartialEq for IdList<I> {
    fn eq(&self, other: &IdList<I>) -> bool {
        **self == **other
    }
}

impl<I: Eq> Eq for IdList<I> {}

impl<I: fmt::Debug> fmt::Debug for IdList<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<I: Id> From<&[I]> for IdList<I> {
    fn from(items: &[I]) -> IdList<I> {
        items.iter().copied().collect()
    }
}

impl<I: Id> From<Vec<I>> for IdList<I> {
    fn from(items: Vec<I>) -> IdList<I> {
        IdList::from(&*items)
    }
}

impl<I: Id, const N: usize> From<[I; N]> for IdList<I> {
    fn from(items: [I; N]) -> IdList<I> {
        IdList::from(&items[..])
    }
}

impl<I: Id> FromIterator<I> for IdList<I> {
    fn from_iter<T: IntoIterator<Item = I>>(items: T) -> IdList<I> {
        let mut list = IdList::new();
        list.extend(items);
        list
    }
}

impl<I: Id> Extend<I> for IdList<I> {
    fn extend<T: IntoIterator<Item = I>>(&mut self, items: T) {
        for item in items {
            self.push(item);
        }
    }
}

impl<'a, I> IntoIterator for &'a IdList<I> {
    type Item = &'a I;
    type IntoIter = std::slice::Iter<'a, I>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, I> IntoIterator for &'a mut IdList<I> {
    type Item = &'a mut I;
    type IntoIter = std::slice::IterMut<'a, I>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<I: Id> IntoIterator for IdList<I> {
    type Item = I;
    type IntoIter = IntoIter<I>;
    fn into_iter(self) -> IntoIter<I> {
        IntoIter { list: self, at: 0 }
    }
}

/// The ids of a list, in order.
#[derive(Clone, Debug)]
pub struct IntoIter<I> {
    list: IdList<I>,
    at: usize,
}

impl<I: Id> Iterator for IntoIter<I> {
    type Item = I;
    fn next(&mut self) -> Option<I> {
        let item = self.list.get(self.at).copied();
        self.at += 1;
        item
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.list.len().saturating_sub(self.at);
        (left, Some(left))
    }
}

impl<I: Id> ExactSizeIterator for IntoIter<I> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OpId, Operation};

    #[test]
    fn a_list_does_what_a_vector_does() {
        let id = OpId::new;
        for n in 0..8 {
            let plain: Vec<OpId> = (0..n).map(id).collect();
            let list = IdList::from(&*plain);
            assert_eq!(*list, *plain);
            assert_eq!(list.clone().into_iter().collect::<Vec<_>>(), plain);
            for at in 0..n {
                let (mut list, mut plain) = (list.clone(), plain.clone());
                assert_eq!(list.remove(at), plain.remove(at));
                list.insert(at, id(99));
                plain.insert(at, id(99));
                assert_eq!(*list, *plain);
                list.retain(|it| it.index() % 2 == 1);
                plain.retain(|it| it.index() % 2 == 1);
                assert_eq!(*list, *plain);
                list.truncate(at);
                plain.truncate(at);
                assert_eq!(list.pop(), plain.pop());
                assert_eq!(*list, *plain);
            }
        }
    }

    #[test]
    fn operations_are_small() {
        assert!(size_of::<IdList<OpId>>() <= 16);
        assert!(size_of::<Operation>() <= 72, "{}", size_of::<Operation>());
    }
}
