//! Sets that are only ever united. Nearly constant time an operation (path halving, union by size).

#[derive(Clone, Debug)]
pub(super) struct UnionFind {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl UnionFind {
    /// `n` sets of one element.
    pub(super) fn new(n: usize) -> UnionFind {
        UnionFind { parent: (0..n as u32).collect(), size: vec![1; n] }
    }

    /// The element that stands for the set of `at`.
    pub(super) fn find(&mut self, mut at: u32) -> u32 {
        while self.parent[at as usize] != at {
            let above = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = above;
            at = above;
        }
        at
    }

    /// Makes two sets one.
    pub(super) fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let is_larger = self.size[a as usize] >= self.size[b as usize];
        let (top, below) = if is_larger { (a, b) } else { (b, a) };
        self.parent[below as usize] = top;
        self.size[top as usize] += self.size[below as usize];
    }
}
