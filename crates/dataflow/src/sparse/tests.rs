//! Tests of [`super`]: against ordered maps of the standard library.

use std::collections::{BTreeMap, BTreeSet};

use ir::ValueId;
use test_utils::Rng;

use super::*;
use crate::laws;

fn id(index: usize) -> ValueId {
    ValueId::new(index)
}

fn random_keys(rng: &mut Rng) -> BTreeSet<usize> {
    let n = rng.below(20);
    // Near and far keys, so that prefixes of all lengths occur.
    (0..n).map(|_| if rng.one_in(4) { rng.below(1 << 31) } else { rng.below(40) }).collect()
}

fn set_of(keys: &BTreeSet<usize>) -> IdSet<ValueId> {
    keys.iter().map(|&it| id(it)).collect()
}

fn keys_of(set: &IdSet<ValueId>) -> Vec<usize> {
    set.keys().map(Id::index).collect()
}

#[test]
fn sets_agree_with_ordered_sets() {
    let mut rng = Rng::new(7);
    for _ in 0..2000 {
        let (a, b) = (random_keys(&mut rng), random_keys(&mut rng));
        let (mut union, mut common) = (set_of(&a), set_of(&a));
        let changed = union.union(&set_of(&b));
        let expected: Vec<usize> = a.union(&b).copied().collect();
        assert_eq!((keys_of(&union), changed), (expected, !b.is_subset(&a)));
        let changed = common.intersect(&set_of(&b));
        let expected: Vec<usize> = a.intersection(&b).copied().collect();
        assert_eq!((keys_of(&common), changed), (expected, !a.is_subset(&b)));
        // However it was made, an equal set is equal.
        let all: Vec<ValueId> = b.iter().rev().chain(&a).map(|&it| id(it)).collect();
        assert_eq!(union, all.into_iter().collect());
        assert_eq!(union == common, a == b);
    }
}

#[test]
fn updates_agree_with_an_ordered_map_and_leave_clones_alone() {
    let mut rng = Rng::new(3);
    let mut map: IdMap<ValueId, u32> = IdMap::default();
    let mut expected = BTreeMap::new();
    for step in 0..5000 {
        let key = rng.below(60);
        let kept = map.clone();
        let before: Vec<(usize, u32)> = expected.iter().map(|(k, v)| (*k, *v)).collect();
        if rng.one_in(3) {
            assert_eq!(map.remove(id(key)), expected.remove(&key).is_some());
        } else {
            let changed = expected.insert(key, step / 8) != Some(step / 8);
            assert_eq!(map.set(id(key), step / 8), changed);
        }
        assert_eq!(map.get(id(key)), expected.get(&key));
        let list = |map: &IdMap<ValueId, u32>| -> Vec<(usize, u32)> {
            map.iter().map(|(k, v)| (k.index(), *v)).collect()
        };
        assert_eq!(list(&kept), before);
        assert_eq!(list(&map), expected.iter().map(|(k, v)| (*k, *v)).collect::<Vec<_>>());
    }
}

#[test]
fn the_lattices_keep_the_laws() {
    let mut rng = Rng::new(5);
    for _ in 0..20 {
        let sets: Vec<IdSet<ValueId>> = (0..8).map(|_| set_of(&random_keys(&mut rng))).collect();
        laws::check_join(&sets.iter().cloned().map(May).collect::<Vec<_>>());
        laws::check_join(&sets.iter().cloned().map(Must).collect::<Vec<_>>());
        let maps: Vec<IdMap<ValueId, bool>> = (0..8)
            .map(|_| {
                let mut map = IdMap::default();
                for key in random_keys(&mut rng) {
                    map.set(id(key), rng.one_in(2));
                }
                map
            })
            .collect();
        laws::check_join(&maps);
    }
}

#[test]
fn merging_shared_trees_keeps_them_shared() {
    let big: IdSet<ValueId> = (0..1000).map(id).collect();
    let mut more = big.clone();
    more.insert(id(5000));
    let mut joined = big.clone();
    assert!(joined.union(&more));
    // The larger side is taken over as it is.
    assert!(Arc::ptr_eq(joined.root.as_ref().unwrap(), more.root.as_ref().unwrap()));
    assert!(!joined.union(&big));
}

#[test]
fn ranges_are_taken_out() {
    let mut rng = Rng::new(11);
    for _ in 0..2000 {
        let keys = random_keys(&mut rng);
        let (a, b) = (rng.below(50) as u32, rng.below(50) as u32);
        let mut set = set_of(&keys);
        let changed = set.remove_range(a..b);
        let rest: Vec<usize> =
            keys.iter().copied().filter(|it| !(a as usize..b as usize).contains(it)).collect();
        assert_eq!((changed, keys_of(&set)), (rest.len() != keys.len(), rest));
    }
}
