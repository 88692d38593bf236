//! Deep trees and the stack.
//!
//! rowan frees a green tree by native recursion, one level of the stack for each level of the tree. A sum of
//! 10^5 terms is a tree 10^5 deep, far more than any thread's stack. So every handle of a *deep* tree (more than
//! [`DEEP`] levels; shallow ones pay nothing but a null check) also holds a shared [`Keeper`], which owns one
//! reference to the root. A handle gives up its own reference first and the keeper afterwards: the last
//! reference is therefore always the keeper's, and the keeper frees the tree on a stack made for its depth.
//! That costs one mapping of memory for each deep tree, not for each handle.

use std::sync::Arc;

use rowan::GreenNode;

/// The deepest tree that may be freed on whatever stack its last owner has.
const DEEP: u32 = 256;

/// The maximal stack use of one level while a tree is freed, also without optimisation.
const BYTES_A_LEVEL: usize = 1024;

/// The last owner of a deep tree.
#[derive(Debug)]
pub(crate) struct Keeper {
    /// Taken only by `drop`.
    root: Option<GreenNode>,
    depth: u32,
}

impl Keeper {
    /// A keeper for `root`, if the tree is deep. `depth` may be more than the true depth.
    pub(crate) fn new(root: &GreenNode, depth: u32) -> Option<Arc<Keeper>> {
        (depth > DEEP).then(|| Arc::new(Keeper { root: Some(root.clone()), depth }))
    }

    /// An upper bound of the depth of the tree.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let root = self.root.take();
        on_stack_for(self.depth, move || drop(root));
    }
}

/// Runs a function that recurses once a level of a tree of this depth.
pub(crate) fn on_stack_for<R>(depth: u32, run: impl FnOnce() -> R) -> R {
    let need = depth as usize * BYTES_A_LEVEL;
    stacker::maybe_grow(need + 64 * 1024, need + 256 * 1024, run)
}
