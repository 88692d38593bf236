//! Immediate dominators of a flow graph whose nodes are numbers.
//!
//! Lengauer, Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), with path compression only:
//! O(m log n). An intersection along the dominator tree is quadratic for a long chain of blocks that all lead to one
//! handler or back to one header.

const NONE: u32 = u32::MAX;

/// The immediate dominators of the nodes below `n`, all of which can be reached from 0; that of 0 is 0. And how many
/// steps up the tree that took.
pub(super) fn immediate_dominators<'a, T: Iterator<Item = usize>>(
    n: usize,
    targets: impl Fn(usize) -> T,
    preds_of: impl Fn(usize) -> &'a [u32],
) -> (Vec<u32>, u64) {
    let DepthFirst { number, node, parent } = DepthFirst::new(n, targets);
    let mut forest = Forest::new(n);
    let mut idom = vec![0; n];
    // Whose semidominator a node is: lists that start in `first`.
    let (mut first, mut next) = (vec![NONE; n], vec![NONE; n]);
    for at in (1..n).rev() {
        for &pred in preds_of(node[at] as usize) {
            let best = forest.best(number[pred as usize]);
            forest.semi[at] = forest.semi[at].min(forest.semi[best as usize]);
        }
        let semi = forest.semi[at] as usize;
        next[at] = std::mem::replace(&mut first[semi], at as u32);
        forest.ancestor[at] = parent[at];
        let mut waiting = std::mem::replace(&mut first[parent[at] as usize], NONE);
        while waiting != NONE {
            let it = waiting as usize;
            let best = forest.best(waiting);
            let is_lower = forest.semi[best as usize] < forest.semi[it];
            idom[it] = if is_lower { best } else { parent[at] };
            waiting = next[it];
        }
    }
    let mut by_node = vec![0; n];
    for at in 1..n {
        if idom[at] != forest.semi[at] {
            idom[at] = idom[idom[at] as usize];
        }
        by_node[node[at] as usize] = node[idom[at] as usize];
    }
    (by_node, forest.n_steps)
}

/// A depth-first spanning tree.
struct DepthFirst {
    /// By node: its number in preorder.
    number: Vec<u32>,
    /// By number: the node.
    node: Vec<u32>,
    /// By number: the number of the parent.
    parent: Vec<u32>,
}

impl DepthFirst {
    fn new<T: Iterator<Item = usize>>(n: usize, targets: impl Fn(usize) -> T) -> DepthFirst {
        let mut tree = DepthFirst { number: vec![NONE; n], node: Vec::new(), parent: Vec::new() };
        let mut stack = vec![(0, 0)];
        while let Some((node, parent)) = stack.pop() {
            if tree.number[node] == NONE {
                let number = tree.node.len() as u32;
                tree.number[node] = number;
                tree.node.push(node as u32);
                tree.parent.push(parent);
                stack.extend(targets(node).map(|it| (it, number)));
            }
        }
        tree
    }
}

/// The part of the spanning tree that has been looked at, with shortened paths.
struct Forest {
    ancestor: Vec<u32>,
    /// The node of the lowest semidominator on the shortened path.
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
    n_steps: u64,
}

impl Forest {
    fn new(n: usize) -> Forest {
        let all: Vec<u32> = (0..n as u32).collect();
        Forest {
            ancestor: vec![NONE; n],
            label: all.clone(),
            semi: all,
            path: Vec::new(),
            n_steps: 0,
        }
    }

    /// The node of the lowest semidominator on the way from `node` up to its root, without the root; a root is its own.
    fn best(&mut self, node: u32) -> u32 {
        let mut at = node;
        while self.ancestor[at as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
            self.n_steps += 1;
        }
        // The topmost stands below the root already.
        self.path.pop();
        while let Some(it) = self.path.pop() {
            let above = self.ancestor[it as usize] as usize;
            let (mine, theirs) = (self.label[it as usize], self.label[above]);
            if self.semi[theirs as usize] < self.semi[mine as usize] {
                self.label[it as usize] = theirs;
            }
            self.ancestor[it as usize] = self.ancestor[above];
        }
        self.label[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of `n` nodes, each of which leads to `common` too, with an edge from the first to the last.
    fn steps_of_chain(n: usize, common: usize) -> u64 {
        let targets: Vec<Vec<usize>> = (0..n)
            .map(|at| match at {
                _ if at + 1 == n => vec![],
                0 => vec![1, n - 1],
                _ => vec![at + 1, common],
            })
            .collect();
        let mut preds = vec![Vec::new(); n];
        for (from, to) in targets.iter().enumerate() {
            to.iter().for_each(|to| preds[*to].push(from as u32));
        }
        let targets = |at: usize| targets[at].iter().copied();
        immediate_dominators(n, targets, |at| &preds[at]).1
    }

    #[test]
    fn long_chains_take_steps_as_they_are_long() {
        for at_end in [false, true] {
            let steps = |n: usize| steps_of_chain(n, if at_end { n - 1 } else { 1 });
            let (small, large) = (steps(2_000), steps(8_000));
            assert!(small > 0 && large <= 5 * small, "{small} of 2,000 blocks, {large} of 8,000");
        }
    }
}
