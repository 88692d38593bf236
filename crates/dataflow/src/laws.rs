//! The laws of lattices and transfer functions as checks, for the tests of every analysis.
//!
//! In: a few elements of a lattice, random ones best. Each function panics at the first law that they break, and shows
//! the elements. O(n³) joins for [`check_join`], O(n²) transfers for [`check_monotone`].

use std::fmt::Debug;

use crate::lattice::Lattice;

/// Returns true if `a` is at most `b` in the lattice: joining it changes nothing.
fn at_most<L: Lattice>(a: &L, b: &L) -> bool {
    !b.clone().join(a)
}

fn joined<L: Lattice>(a: &L, b: &L) -> L {
    let mut joined = a.clone();
    joined.join(b);
    joined
}

/// `join` is commutative, associative, idempotent, an upper bound, and reports changes correctly.
#[track_caller]
pub fn check_join<L: Lattice + Debug>(elements: &[L]) {
    for a in elements {
        assert!(joined(a, a) == *a, "join is not idempotent on {a:?}");
        for b in elements {
            let mut ab = a.clone();
            let changed = ab.join(b);
            assert!(ab == joined(b, a), "join is not commutative on {a:?} and {b:?}");
            assert!(
                changed == (ab != *a),
                "join of {b:?} into {a:?} gives {ab:?} and says {changed}"
            );
            assert!(at_most(a, &ab) && at_most(b, &ab), "no upper bound: {a:?}, {b:?}: {ab:?}");
            for c in elements {
                let left = joined(&ab, c);
                let right = joined(a, &joined(b, c));
                assert!(left == right, "join is not associative on {a:?}, {b:?}, {c:?}");
            }
        }
    }
}

/// A transfer function keeps the order: knowing less before is knowing no more after.
#[track_caller]
pub fn check_monotone<L: Lattice + Debug>(elements: &[L], transfer: impl Fn(&mut L)) {
    let after = |it: &L| {
        let mut it = it.clone();
        transfer(&mut it);
        it
    };
    for a in elements {
        for b in elements {
            let above = joined(a, b);
            let (low, high) = (after(a), after(&above));
            assert!(
                at_most(&low, &high),
                "not monotone: {a:?} is at most {above:?}, but {low:?} is not at most {high:?}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `join` takes the other side: not commutative.
    #[derive(Clone, PartialEq, Debug)]
    struct Last(u32);
    impl Lattice for Last {
        fn join(&mut self, other: &Last) -> bool {
            let changed = self != other;
            self.0 = other.0;
            changed
        }
    }

    #[test]
    #[should_panic(expected = "not commutative")]
    fn a_join_that_is_none_is_caught() {
        check_join(&[Last(1), Last(2)]);
    }

    #[test]
    #[should_panic(expected = "not monotone")]
    fn a_transfer_that_is_not_monotone_is_caught() {
        check_monotone(&[false, true], |it| *it = !*it);
    }
}
