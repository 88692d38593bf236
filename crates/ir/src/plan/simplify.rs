//! Plans of simplification: which expressions and statements have a simpler form where they stand, and why.
//!
//! `transform::simplify` makes them from a body. They are plain data, so that the diagnostic, the quick fix, the
//! explanation, the preview and the lowered code say the same: `transform` applies them to a body, `frontend` to its
//! text.
//!
//! Terms. An *item* is one simplification; it is a list of mechanical *steps* on operations of the body, which keep
//! their ids throughout. Planning continues until nothing is left to simplify, so there are *rounds*: items of round 0
//! were found in the body as it is, the others in the results of earlier rounds. An item *needs* those of its round
//! without which it would not be right.

use smallvec::SmallVec;

use super::finding::{Place, Related};
use crate::{Body, Dialect, ExprId, OccurrenceId, OpId, ValueId};

mod kinds;

pub use kinds::{CONSTANT_CONDITION, REDUNDANT_CONDITION, SimplificationKind, SimplifyRefusal};

/// All that can be simplified in one body.
#[derive(Clone, PartialEq, Debug)]
pub struct SimplifyPlan {
    /// The body that was planned on, with the expressions that the steps name. Its ids are those of the body;
    /// operations, regions and values are as they were. Empty if there are no steps.
    pub grown: Body,
    /// The simplifications, in the order in which they are applied.
    pub items: Vec<Simplification>,
    /// The refused candidates with their reasons, in program order.
    pub refusals: Vec<Refused>,
    /// True if planning ended because there was nothing left to do; false if it ended at a limit.
    pub is_complete: bool,
}

impl SimplifyPlan {
    /// The plan that does nothing, and was not finished.
    pub fn none(dialect: Dialect) -> SimplifyPlan {
        let grown = Body::new("", dialect);
        SimplifyPlan { grown, items: Vec::new(), refusals: Vec::new(), is_complete: false }
    }
}

/// One simplification.
#[derive(Clone, PartialEq, Debug)]
pub struct Simplification {
    /// The kind.
    pub kind: SimplificationKind,
    /// The place, in the body that was planned on.
    pub place: Place,
    /// The steps, in order of application.
    pub steps: SmallVec<[Step; 1]>,
    /// The names of the rules that led there, in the order of their use; none for statements.
    pub rules: Vec<&'static str>,
    /// The places that justify it: the enclosing condition that decides, the loop, the other guard.
    pub because: Vec<Related>,
    /// Operations that one execution saves (`SEMANTICS.md` has the table); a statement counts one.
    pub saves: u32,
    /// 0: found in the body as it is.
    pub round: u32,
    /// Earlier items of the same round that it needs, by their indices. An item of a later round needs all of the
    /// rounds before.
    pub needs: Vec<usize>,
}

/// One mechanical change. Steps are done in order; each describes the state before the later ones.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// An occurrence becomes another expression of its type. Only in round 0, where occurrences are those of the body.
    Replace {
        /// The occurrence; no other such step is inside it.
        occurrence: OccurrenceId,
        /// The replacement.
        with: ExprId,
    },
    /// A whole operand becomes another expression of its type.
    Operand {
        /// The operation.
        op: OpId,
        /// The index of the operand.
        operand: u32,
        /// The replacement.
        with: ExprId,
    },
    /// An operation goes, with all that is in it.
    Remove {
        /// The operation.
        op: OpId,
        /// True if its list would be empty and gets `T.evaluate(0)`.
        fills: bool,
    },
    /// An operation is replaced by the contents of one of its regions.
    Open {
        /// The operation.
        op: OpId,
        /// The index of its region.
        region: u32,
    },
    /// A loop of one iteration is replaced by its body, in which its variable is the first value.
    Unwrap {
        /// The loop.
        op: OpId,
        /// Its variable.
        value: ValueId,
        /// Its first value.
        with: ExprId,
    },
    /// `if a: if b: S` becomes `if a and b: S`.
    Merge {
        /// The `if a`.
        outer: OpId,
        /// The `if b`.
        inner: OpId,
    },
    /// `if a: S` and `if a: T` after it become `if a: S; T`.
    Join {
        /// The first.
        first: OpId,
        /// The second.
        second: OpId,
    },
    /// `for i: if a: S` becomes `if a: for i: S`.
    Hoist {
        /// The loop.
        op: OpId,
        /// The `if`, alone in the loop.
        guard: OpId,
    },
    /// `if a: pass; else: S` becomes `if not a: S`.
    Negate {
        /// The `if`.
        op: OpId,
        /// The new condition.
        with: ExprId,
    },
    /// `if a: S; else: pass` becomes `if a: S`.
    DropElse {
        /// The `if`.
        op: OpId,
    },
}

/// Something that stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The kind of the simplification that was refused.
    pub kind: SimplificationKind,
    /// The place of the finding.
    pub place: Place,
    /// The reason why not.
    pub refusal: SimplifyRefusal,
    /// The operator that may fail, the write, or the exit from the loop; `None` if the place shows it.
    pub culprit: Option<Place>,
}

impl SimplifyPlan {
    /// Returns true if the plan simplifies nothing.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items that have to be done for one of them to be right, itself included; by index whether one is among them.
    pub fn with_needs(&self, item: usize) -> Vec<bool> {
        let mut wanted = vec![false; self.items.len()];
        let Some(last) = self.items.get(item) else { return wanted };
        wanted[item] = true;
        for at in (0..=item).rev() {
            if self.items[at].round < last.round {
                wanted[at] = true;
            }
            if wanted[at] {
                for &it in &self.items[at].needs {
                    wanted[it] = true;
                }
            }
        }
        wanted
    }

    /// The wanted items with what each needs, in order, as long as no more than `limit` are done; by index whether one
    /// is among them. An item that would pass the limit is left out. O(items) a wanted item.
    pub fn with_needs_of(
        &self,
        is_wanted: impl Fn(&Simplification) -> bool,
        limit: usize,
    ) -> Vec<bool> {
        let mut done = vec![false; self.items.len()];
        let mut left = limit;
        for at in (0..self.items.len()).filter(|at| is_wanted(&self.items[*at])) {
            let needed = self.with_needs(at);
            let n_new = needed.iter().zip(&done).filter(|(needed, has)| **needed && !**has).count();
            if n_new <= left {
                left -= n_new;
                done.iter_mut().zip(needed).for_each(|(has, needed)| *has |= needed);
            }
        }
        done
    }
}
