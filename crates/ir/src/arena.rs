//! Typed ids and dense tables.
//!
//! Every entity of a body has a dense `u32` id and lives in a [`Table`]. Ids are given in program order and mean
//! nothing outside their body; nothing that leaves a body may be ordered, named or hashed by one.
//!
//! A table is as long as a function is: growing one and going through one comes by the flag that ends computations.

use std::{marker::PhantomData, ops};

/// A dense typed index.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug {
    /// The id of the `index`-th entity.
    fn new(index: usize) -> Self;
    /// Its position in the table.
    fn index(self) -> usize;
}

/// Items that are copied between two looks at the flag.
const CHUNK: usize = 64;

/// A growable table of `T`, indexed by `I`. Push and access are O(1).
#[derive(PartialEq, Eq)]
pub struct Table<I, T> {
    items: Vec<T>,
    marker: PhantomData<fn(I) -> T>,
}

impl<I, T: Clone> Clone for Table<I, T> {
    fn clone(&self) -> Self {
        let mut items = Vec::with_capacity(self.items.len());
        for part in self.items.chunks(CHUNK) {
            interrupt::look();
            items.extend_from_slice(part);
        }
        Table { items, marker: PhantomData }
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Table { items: Vec::new(), marker: PhantomData }
    }
}

impl<I: Id, T: std::fmt::Debug> std::fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<I: Id, T> Table<I, T> {
    /// A table of `n` equal items.
    pub fn filled(n: usize, item: T) -> Table<I, T>
    where
        T: Clone,
    {
        Table { items: vec![item; n], marker: PhantomData }
    }

    /// Makes room for as many items more.
    pub fn reserve(&mut self, n_items: usize) {
        self.items.reserve(n_items);
    }

    /// Adds an item and gives its id.
    pub fn push(&mut self, item: T) -> I {
        interrupt::check();
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }

    /// Adds the items of a range once more; gives the new ones.
    pub(crate) fn repeat(&mut self, range: ops::Range<usize>) -> &mut [T]
    where
        T: Copy,
    {
        let first = self.items.len();
        self.items.extend_from_within(range);
        &mut self.items[first..]
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if the arena has no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Items with their ids, in the order they were added.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| {
            interrupt::check();
            (I::new(index), item)
        })
    }

    /// Ids in the order the items were added.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(|index| {
            interrupt::check();
            I::new(index)
        })
    }

    /// Replaces the items of a range by others; ids behind the range then refer to the moved items.
    /// O(items from the range on).
    pub(crate) fn splice(&mut self, range: ops::Range<usize>, items: Vec<T>) {
        drop(self.items.splice(range, items));
    }

    /// The item, if `id` belongs to this table.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<I: Id, T> ops::Index<I> for Table<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> ops::IndexMut<I> for Table<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

macro_rules! define_ids {
    ($($(#[$attr:meta])* $name:ident,)*) => {$(
        $(#[$attr])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::arena::Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 entities in one body"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}
pub(crate) use define_ids;
