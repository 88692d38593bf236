//! A persistent map from small numbers to small numbers.
//!
//! Every version of the map stays readable after a later one was made from it, which is what nested contexts need. It is
//! a radix tree of eight-way nodes in one arena; number 0 means "nothing" and node 0 is empty all the way down. Lookup and
//! insertion take as many steps as the largest key has octal digits; an insertion makes that many new nodes.

/// A version of a map of one [`Maps`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MapId(u32);

impl MapId {
    /// The map without entries.
    pub(crate) const EMPTY: MapId = MapId(0);
}

/// The nodes of all versions.
pub(crate) struct Maps {
    nodes: Vec<[u32; 8]>,
    /// Octal digits of a key.
    digits: u32,
}

impl Maps {
    /// For keys below `n_keys`.
    pub(crate) fn new(n_keys: usize) -> Maps {
        let bits = usize::BITS - n_keys.leading_zeros();
        Maps { nodes: vec![[0; 8]], digits: bits.div_ceil(3).max(1) }
    }
    /// The entry of `key`; 0 if there is none.
    pub(crate) fn get(&self, map: MapId, key: u32) -> u32 {
        let mut node = map.0;
        for digit in (0..self.digits).rev() {
            node = self.nodes[node as usize][(key >> (3 * digit)) as usize & 7];
        }
        node
    }
    /// The map in which `key` has the entry `value`.
    pub(crate) fn insert(&mut self, map: MapId, key: u32, value: u32) -> MapId {
        let root = self.nodes.len() as u32;
        let mut old = map.0;
        for digit in (0..self.digits).rev() {
            let slot = (key >> (3 * digit)) as usize & 7;
            let mut node = self.nodes[old as usize];
            old = node[slot];
            node[slot] = if digit == 0 { value } else { self.nodes.len() as u32 + 1 };
            self.nodes.push(node);
        }
        MapId(root)
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
        let mut maps = Maps::new(700);
        let mut versions: Vec<(MapId, FxHashMap<u32, u32>)> =
            vec![(MapId::EMPTY, FxHashMap::default())];
        for _ in 0..400 {
            let (from, mut model) = versions[rng.below(versions.len())].clone();
            let (key, value) = (rng.below(701) as u32, 1 + rng.below(9) as u32);
            model.insert(key, value);
            versions.push((maps.insert(from, key, value), model));
        }
        for (map, model) in &versions {
            for key in 0..701 {
                assert_eq!(maps.get(*map, key), model.get(&key).copied().unwrap_or(0));
            }
        }
    }
}
