//! Slots: the identity of functions and units of one name, over edits.
//!
//! Among functions of one path and name (dumps are full of `main`) each has a *slot* that passes from version to
//! version: to the one with the same tree first, then in order. Linear; only trees of those that have or had namesakes
//! are hashed.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

/// A path and a name.
pub(crate) type Name<'a> = (&'a str, &'a str);

/// The slots of the functions of a new version, parallel to them; `old` also gives the slots. `hash` distinguishes
/// trees.
pub(crate) fn assign<'a, T: Copy>(
    new: impl Iterator<Item = (Name<'a>, T)> + Clone,
    old: impl Iterator<Item = (Name<'a>, T, u32)> + Clone,
    hash: impl Fn(T) -> u128,
) -> Vec<u32> {
    let mut n_new: FxHashMap<Name<'_>, u32> = FxHashMap::default();
    for (name, _) in new.clone() {
        *n_new.entry(name).or_default() += 1;
    }
    // Only functions that have or had namesakes need more than zero.
    let mut is_contested: FxHashSet<Name<'_>> =
        old.clone().filter(|it| it.2 != 0).map(|it| it.0).collect();
    is_contested.extend(new.clone().map(|it| it.0).filter(|it| n_new[it] > 1));
    let mut slots: Vec<Option<u32>> = vec![None; new.clone().count()];
    if is_contested.is_empty() {
        return vec![0; slots.len()];
    }
    let mut left = Unmatched::default();
    for (name, tree, slot) in old.filter(|it| is_contested.contains(&it.0)) {
        left.add(name, hash(tree), slot);
    }
    let contested: Vec<(usize, Name<'_>, T)> = new
        .enumerate()
        .filter(|(_, it)| is_contested.contains(&it.0))
        .map(|(i, (name, tree))| (i, name, tree))
        .collect();
    for &(i, name, tree) in &contested {
        slots[i] = left.same(name, hash(tree));
    }
    let mut next: FxHashMap<Name<'_>, u32> = FxHashMap::default();
    for &(i, name, _) in &contested {
        slots[i] = slots[i].or_else(|| left.first(name));
        if let Some(slot) = slots[i] {
            let next = next.entry(name).or_default();
            *next = (*next).max(slot + 1);
        }
    }
    for &(i, name, _) in &contested {
        if slots[i].is_none() {
            let next = next.entry(name).or_default();
            slots[i] = Some(*next);
            *next += 1;
        }
    }
    slots.into_iter().map(Option::unwrap_or_default).collect()
}

/// The old functions whose slots no new function has taken over.
#[derive(Default)]
struct Unmatched<'a> {
    /// By number: the slot, none once it is taken.
    slots: Vec<Option<u32>>,
    by_name: FxHashMap<Name<'a>, VecDeque<usize>>,
    by_tree: FxHashMap<(Name<'a>, u128), VecDeque<usize>>,
}

impl<'a> Unmatched<'a> {
    fn add(&mut self, name: Name<'a>, hash: u128, slot: u32) {
        let number = self.slots.len();
        self.slots.push(Some(slot));
        self.by_name.entry(name).or_default().push_back(number);
        self.by_tree.entry((name, hash)).or_default().push_back(number);
    }

    /// The slot of the first that has the same tree.
    fn same(&mut self, name: Name<'a>, hash: u128) -> Option<u32> {
        let number = self.by_tree.get_mut(&(name, hash))?.pop_front()?;
        self.slots[number].take()
    }

    /// The slot of the first that is left.
    fn first(&mut self, name: Name<'a>) -> Option<u32> {
        let numbers = self.by_name.get_mut(&name)?;
        while let Some(number) = numbers.pop_front() {
            if let Some(slot) = self.slots[number].take() {
                return Some(slot);
            }
        }
        None
    }
}
