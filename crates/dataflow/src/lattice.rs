//! Lattices: the knowledge of an analysis at one point, and the join of two such pieces of knowledge.
//!
//! A [`Lattice`] here is a join-semilattice of finite height: `join` is the least upper bound of two elements, "more"
//! is "weaker". A *may* analysis joins by union (facts of some path), a *must* analysis by intersection (facts of every
//! path); the solver does not know the difference. The laws, which [`crate::laws`] checks:
//!
//! - commutative: `a ∨ b = b ∨ a`; associative: `(a ∨ b) ∨ c = a ∨ (b ∨ c)`; idempotent: `a ∨ a = a`;
//! - `join` returns whether it changed its left side: exactly if `a ∨ b ≠ a`;
//! - every ascending chain is finite (else a loop has no fixpoint), and a transfer function is *monotone*: `a ∨ b = b`
//!   implies `f(a) ∨ f(b) = f(b)`.
//!
//! An element for "no path comes here" is not needed: the solver has it beside the lattice, as `Option::None`. Joining
//! and cloning should cost as much as the two sides differ, not as much as they hold: see [`crate::sparse`].

/// A join-semilattice of finite height, with the laws of this module.
pub trait Lattice: Clone + PartialEq {
    /// Makes `self` the least upper bound of both; returns true if that changed it.
    fn join(&mut self, other: &Self) -> bool;
}

/// No knowledge: for an analysis that only observes.
impl Lattice for () {
    fn join(&mut self, (): &()) -> bool {
        false
    }
}

/// Some path has it: `false ≤ true`.
impl Lattice for bool {
    fn join(&mut self, other: &bool) -> bool {
        let changed = *other && !*self;
        *self |= *other;
        changed
    }
}

/// Both at once, each joined by itself.
impl<A: Lattice, B: Lattice> Lattice for (A, B) {
    fn join(&mut self, other: &(A, B)) -> bool {
        // Both sides must be joined, so no short-circuit.
        self.0.join(&other.0) | self.1.join(&other.1)
    }
}

/// `None` is "no path": less than everything.
impl<L: Lattice> Lattice for Option<L> {
    fn join(&mut self, other: &Option<L>) -> bool {
        match (self, other) {
            (_, None) => false,
            (Some(a), Some(b)) => a.join(b),
            (a @ None, Some(b)) => {
                *a = Some(b.clone());
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::laws;

    #[test]
    fn the_lattices_of_this_module_keep_the_laws() {
        laws::check_join(&[()]);
        laws::check_join(&[false, true]);
        laws::check_join(&[(false, false), (false, true), (true, false), (true, true)]);
        laws::check_join(&[None, Some(false), Some(true)]);
    }
}
