//! Contexts: what is known to hold at a place, as a chain of constraints.
//!
//! A [`ContextId`] is a constraint and the context it was added to; the chain ends at the signature. Contexts are
//! persistent and interned: the same constraint added twice to the same context is one context, and siblings share what
//! they have in common. Making one is O(1): what follows from it is worked out when somebody asks.

use ir::{BufferId, ExprId, ValueId};
use rustc_hash::FxHashMap;

/// A context of one [`crate::Analyzer`]. A context made later has the larger number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ContextId(pub(crate) u32);

impl ContextId {
    /// None: no context has this number.
    pub(crate) const NOWHERE: ContextId = ContextId(u32::MAX);
}

/// What a context adds to its parent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constraint {
    /// The signature: size variables and the shapes of buffer parameters are not negative (`SEMANTICS: B6`).
    Signature,
    /// A condition that was evaluated and held, or did not (`SEMANTICS: L7`, `S5`, `X3`, `X4`). Conjunctions are split: a
    /// context has one condition that is no `and`.
    Assume {
        /// The condition.
        cond: ExprId,
        /// Whether it was true.
        holds: bool,
    },
    /// `min <= var < min + extent`, and the extent is positive; `var - min` is a multiple of the step, which is positive
    /// (`SEMANTICS: L4`, `P7`).
    Range {
        /// Loop variable or thread index.
        var: ValueId,
        /// First value; none for 0, which need not be a node of the body.
        min: Option<ExprId>,
        /// Number of values.
        extent: ExprId,
        /// Distance of the values; none for 1.
        step: Option<ExprId>,
    },
    /// `var` has the value of the expression.
    Define {
        /// Variable.
        var: ValueId,
        /// Its value.
        value: ExprId,
    },
    /// The expression is at least this: what a person says, or is asked whether it holds.
    AtLeast {
        /// An integer.
        expr: ExprId,
        /// Its least value.
        least: i64,
    },
    /// The extents of a buffer are not negative (`SEMANTICS: B6`).
    Shape {
        /// A buffer whose memory came from outside.
        buffer: BufferId,
    },
    /// Inside the body of a `Let`, whose variable is the innermost bound one; or of a `Lambda`, without values.
    Binder {
        /// The value of the `Let`.
        value: Option<ExprId>,
    },
}

pub(crate) struct Context {
    pub(crate) parent: ContextId,
    pub(crate) constraint: Constraint,
    /// The nearest context at or above that is a binder.
    pub(crate) binder: Option<ContextId>,
    /// In how many arms of conditional expressions it is, if it is there only for a walk over those arms.
    pub(crate) arms: u8,
    /// The nearest context at or above that says something, once that was looked for.
    pub(crate) informative: Option<ContextId>,
}

/// All contexts of an analyzer.
pub(crate) struct Contexts {
    all: Vec<Context>,
    index: FxHashMap<(ContextId, Constraint, u8), ContextId>,
}

impl Contexts {
    /// The context of the signature.
    pub(crate) const ROOT: ContextId = ContextId(0);

    pub(crate) fn new() -> Contexts {
        let root = Context {
            parent: Self::ROOT,
            constraint: Constraint::Signature,
            binder: None,
            arms: 0,
            informative: None,
        };
        Contexts { all: vec![root], index: FxHashMap::default() }
    }
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
    pub(crate) fn get(&self, id: ContextId) -> &Context {
        &self.all[id.0 as usize]
    }
    pub(crate) fn get_mut(&mut self, id: ContextId) -> &mut Context {
        &mut self.all[id.0 as usize]
    }
    /// The context that adds `constraint`; `arms` is 0 unless only a walk over the arms of an expression needs it.
    pub(crate) fn push(
        &mut self,
        parent: ContextId,
        constraint: Constraint,
        arms: u8,
    ) -> ContextId {
        let next = ContextId(self.all.len() as u32);
        let id = *self.index.entry((parent, constraint, arms)).or_insert(next);
        if id == next {
            let above = self.get(parent);
            let binder = match constraint {
                Constraint::Binder { .. } => Some(next),
                _ => above.binder,
            };
            self.all.push(Context { parent, constraint, binder, arms, informative: None });
        }
        id
    }
}
