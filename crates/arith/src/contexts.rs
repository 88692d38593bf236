//! Contexts: the conditions known at a place, as a chain of constraints.
//!
//! A [`ContextId`] is a constraint and the context it was added to; the chain ends at the signature. Contexts are
//! persistent and interned: the same constraint added twice to the same context is one context, and siblings share
//! their common prefix. Making one is O(1): its consequences are derived on demand.

use ir::{BinaryOp, BufferId, Callee, ExprId, ExprKind, Intrinsic, UnaryOp, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::nodes::Nodes;

/// Nested conditional expressions whose arms are looked at under their conditions; further ones may do anything.
const MOST_ARMS: u8 = 12;

/// A context of one [`crate::Analyzer`]. A context made later has the larger number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ContextId(u32);

impl ContextId {
    /// None: no context has this number.
    pub(crate) const NOWHERE: ContextId = ContextId(u32::MAX);

    /// Its number among the contexts of an analyzer.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Returns the constraint that a context adds to its parent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constraint {
    /// The signature: size variables and the shapes of buffer parameters are not negative (`SEMANTICS: B6`).
    Signature,
    /// A condition that was evaluated and held, or did not (`SEMANTICS: L7`, `S5`, `X3`, `X4`). Conjunctions are split:
    /// a context has one condition that is no `and`.
    Assume {
        /// The condition.
        cond: ExprId,
        /// True if the condition held.
        holds: bool,
    },
    /// `min <= var < min + extent`, and the extent is positive; `var - min` is a multiple of the step, which is
    /// positive (`SEMANTICS: L4`, `P7`).
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
    /// The expression is at least this: a statement, or a question, of a user.
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

#[derive(Clone)]
struct Context {
    parent: ContextId,
    constraint: Constraint,
    /// The nearest context at or above that is a binder.
    binder: Option<ContextId>,
    /// In how many arms of conditional expressions it is, if it is there only for a walk over those arms.
    arms: u8,
    /// The nearest context at or above with information, once that was searched for.
    informative: Option<ContextId>,
}

/// All contexts of an analyzer.
#[derive(Clone)]
pub(crate) struct Contexts {
    all: Vec<Context>,
    index: FxHashMap<(ContextId, Constraint, u8), ContextId>,
    /// By context: what is left of it without its conditions.
    unconditional: FxHashMap<ContextId, ContextId>,
    /// Contexts passed on the way to one with information.
    passed: u64,
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
        Contexts {
            all: vec![root],
            index: FxHashMap::default(),
            unconditional: FxHashMap::default(),
            passed: 0,
        }
    }
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
    #[inline]
    fn get(&self, id: ContextId) -> &Context {
        &self.all[id.0 as usize]
    }
    /// The context that a context was added to; none for [`Contexts::ROOT`].
    #[inline]
    pub(crate) fn parent(&self, ctx: ContextId) -> Option<ContextId> {
        (ctx != Contexts::ROOT).then(|| self.get(ctx).parent)
    }
    /// The context that a context was added to; itself for [`Contexts::ROOT`].
    #[inline]
    pub(crate) fn above(&self, ctx: ContextId) -> ContextId {
        self.get(ctx).parent
    }
    /// Returns the constraint that a context adds to its parent.
    #[inline]
    pub(crate) fn constraint(&self, ctx: ContextId) -> Constraint {
        self.get(ctx).constraint
    }
    /// In how many arms of conditional expressions a context is, if it is there only for a walk over those arms.
    pub(crate) fn arms_around(&self, ctx: ContextId) -> u8 {
        self.get(ctx).arms
    }
    /// Contexts passed on the way to one that says something, so far.
    pub(crate) fn passed(&self) -> u64 {
        self.passed
    }

    /// The context that adds `constraint`.
    pub(crate) fn add(&mut self, parent: ContextId, constraint: Constraint) -> ContextId {
        self.push(parent, constraint, 0)
    }
    /// The context that adds `constraint`; `arms` is 0 unless only a walk over the arms of an expression needs it.
    fn push(&mut self, parent: ContextId, constraint: Constraint, arms: u8) -> ContextId {
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

    /// `parent`, where `cond` is `holds`: a context for each condition in it that is no conjunction.
    pub(crate) fn assume(
        &mut self,
        nodes: &mut Nodes<'_>,
        parent: ContextId,
        cond: ExprId,
        holds: bool,
    ) -> ContextId {
        self.assume_in_arms(nodes, parent, cond, holds, 0)
    }

    /// As [`Contexts::assume`], in so many arms of conditional expressions.
    pub(crate) fn assume_in_arms(
        &mut self,
        nodes: &mut Nodes<'_>,
        parent: ContextId,
        cond: ExprId,
        holds: bool,
        arms: u8,
    ) -> ContextId {
        let mut ctx = parent;
        let mut stack: SmallVec<[(ExprId, bool); 8]> = SmallVec::new();
        stack.push((cond, holds));
        while let Some((cond, holds)) = stack.pop() {
            match nodes.body().expr(cond).kind {
                ExprKind::Unary(UnaryOp::Not | UnaryOp::BitNot, it)
                    if nodes.body().ty(it).is_bool() =>
                {
                    stack.push((it, !holds));
                }
                ExprKind::Binary(op, a, b)
                    if nodes.body().ty(a).is_bool()
                        && match op {
                            BinaryOp::And | BinaryOp::BitAnd => holds,
                            BinaryOp::Or | BinaryOp::BitOr => !holds,
                            _ => false,
                        } =>
                {
                    stack.push((b, holds));
                    stack.push((a, holds));
                }
                ExprKind::Call {
                    callee: Callee::Intrinsic(_, Intrinsic::Likely), args, ..
                } if nodes.body().items(args).len() == 1 => {
                    stack.push((nodes.body().items(args)[0], holds));
                }
                ExprKind::Int(value) if (value != 0) == holds => {}
                kind => {
                    ctx = self.push(ctx, Constraint::Assume { cond, holds }, arms);
                    if let ExprKind::Value(value) = kind
                        && let Some(definition) = nodes.definition(value)
                        && nodes.body().ty(definition) == nodes.body().ty(cond)
                        && nodes.summary(definition).is_stable
                    {
                        stack.push((definition, holds));
                    }
                }
            }
        }
        ctx
    }

    /// The contexts of the two arms of a conditional expression; none if it is too deep in others.
    pub(crate) fn arms(
        &mut self,
        nodes: &mut Nodes<'_>,
        ctx: ContextId,
        cond: ExprId,
    ) -> Option<[ContextId; 2]> {
        let arms = self.get(ctx).arms + 1;
        let is_near = arms <= MOST_ARMS;
        is_near
            .then(|| [true, false].map(|holds| self.assume_in_arms(nodes, ctx, cond, holds, arms)))
    }

    /// The context of the body of a `Let` of this value, for a walk over the expression.
    pub(crate) fn inside(&mut self, ctx: ContextId, value: ExprId) -> ContextId {
        let arms = self.get(ctx).arms;
        self.push(ctx, Constraint::Binder { value: Some(value) }, arms)
    }

    /// The context around the binder of a bound variable, and its value.
    pub(crate) fn binder_of(
        &self,
        ctx: ContextId,
        index: u32,
    ) -> Option<(ContextId, Option<ExprId>)> {
        let mut binder = self.get(ctx).binder?;
        for _ in 0..index {
            binder = self.get(self.get(binder).parent).binder?;
        }
        match self.constraint(binder) {
            Constraint::Binder { value } => Some((self.get(binder).parent, value)),
            _ => None,
        }
    }

    /// The nearest context at or above that may have information, or bind a variable: loads and values that may differ
    /// give none. Each context is passed once: a chain of `elif` is a chain of contexts.
    pub(crate) fn informative(&mut self, nodes: &mut Nodes<'_>, ctx: ContextId) -> ContextId {
        let mut passed: SmallVec<[ContextId; 8]> = SmallVec::new();
        let mut at = ctx;
        let found = loop {
            self.passed += 1;
            if let Some(known) = self.get(at).informative {
                break known;
            }
            passed.push(at);
            match (self.constraint(at), self.parent(at)) {
                (Constraint::Assume { cond, .. }, Some(parent))
                    if !nodes.summary(cond).is_stable =>
                {
                    at = parent;
                }
                _ => break at,
            }
        };
        for it in passed {
            self.all[it.0 as usize].informative = Some(found);
        }
        found
    }

    /// Returns a context without its conditions: signature, ranges and definitions stay. O(1) a context, once.
    pub(crate) fn unconditional(&mut self, ctx: ContextId) -> ContextId {
        let mut chain = Vec::new();
        let mut at = ctx;
        let mut bare = loop {
            if let Some(&known) = self.unconditional.get(&at) {
                break known;
            }
            match self.parent(at) {
                Some(parent) => {
                    chain.push(at);
                    at = parent;
                }
                None => break at,
            }
        };
        while let Some(at) = chain.pop() {
            let constraint = self.constraint(at);
            if !matches!(constraint, Constraint::Assume { .. } | Constraint::AtLeast { .. }) {
                bare = self.push(bare, constraint, self.get(at).arms);
            }
            self.unconditional.insert(at, bare);
        }
        bare
    }
}
