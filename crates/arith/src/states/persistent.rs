//! A persistent map from small numbers to small numbers.
//!
//! Every version of the map stays readable after a later one was derived from it, as nested contexts need. It is a
//! radix tree of eight-way nodes in one arena; number 0 means "nothing" and node 0 is empty all the way down. A version
//! is as high as its largest key has octal digits. Lookup and insertion take that many steps; an insertion makes that
//! many new nodes.

/// A version of a map of one [`Maps`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MapId {
    root: u32,
    /// Octal digits of a key.
    digits: u32,
}

impl MapId {
    /// The map without entries.
    pub(crate) const EMPTY: MapId = MapId { root: 0, digits: 1 };

    fn holds(self, key: u32) -> bool {
        u64::from(key) >> (3 * self.digits) == 0
    }
}

/// The nodes of all versions.
#[derive(Clone)]
pub(crate) struct Maps {
    nodes: Vec<[u32; 8]>,
}

impl Maps {
    pub(crate) fn new() -> Maps {
        Maps { nodes: vec![[0; 8]] }
    }
    /// Makes room for as many nodes.
    pub(crate) fn reserve(&mut self, n_nodes: usize) {
        self.nodes.reserve(n_nodes);
    }
    /// The entry of `key`; 0 if there is none.
    pub(crate) fn get(&self, map: MapId, key: u32) -> u32 {
        if !map.holds(key) {
            return 0;
        }
        let mut node = map.root;
        for digit in (0..map.digits).rev() {
            node = self.nodes[node as usize][(key >> (3 * digit)) as usize & 7];
        }
        node
    }
    /// The map in which `key` has the entry `value`.
    pub(crate) fn insert(&mut self, mut map: MapId, key: u32, value: u32) -> MapId {
        while !map.holds(key) {
            // One digit more, 0 for all keys so far.
            let root = if map.root == 0 { 0 } else { self.nodes.len() as u32 };
            if root != 0 {
                self.nodes.push([map.root, 0, 0, 0, 0, 0, 0, 0]);
            }
            map = MapId { root, digits: map.digits + 1 };
        }
        let root = self.nodes.len() as u32;
        let mut old = map.root;
        for digit in (0..map.digits).rev() {
            let slot = (key >> (3 * digit)) as usize & 7;
            let mut node = self.nodes[old as usize];
            old = node[slot];
            node[slot] = if digit == 0 { value } else { self.nodes.len() as u32 + 1 };
            self.nodes.push(node);
        }
        MapId { root, ..map }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use test_utils::Rng;

    #[test]
    fn versions_stay_as_they_were() {
        let mut rng = Rng::new(1);
        let mut maps = Maps::new();
        let mut versions: Vec<(MapId, FxHashMap<u32, u32>)> =
            vec![(MapId::EMPTY, FxHashMap::default())];
        for _ in 0..400 {
            let (from, mut model) = versions[rng.below(versions.len())].clone();
            let most = *rng.pick(&[8, 70, 701, usize::MAX >> 32]);
            let (key, value) = (rng.below(most) as u32, 1 + rng.below(9) as u32);
            model.insert(key, value);
            versions.push((maps.insert(from, key, value), model));
        }
        for (map, model) in &versions {
            for key in (0..701).chain(model.keys().copied()) {
                assert_eq!(maps.get(*map, key), model.get(&key).copied().unwrap_or(0));
            }
        }
    }
}
