//! Expressions that may be deleted when their results are unused.
//!
//! In: a body. Out: for each expression whether evaluating it may be omitted (`SEMANTICS: E8`): values, loads and
//! divisions may; an expression that has an effect, is volatile, is unknown or belongs to other threads may not. One
//! pass over the nodes, children first; questions are O(1).

use dataflow::alias::AliasClasses;
use ir::{Body, Callee, ExprId, ExprKind, Intrinsic, Type, arena::Id as _, effects::EffectTable};

/// The expressions that may be omitted.
pub struct Deletable(Vec<bool>);

impl Deletable {
    /// Looks at all nodes of a body. Without classes of memory none of it is volatile.
    pub fn of(body: &Body, effects: &EffectTable, aliases: Option<&AliasClasses>) -> Deletable {
        let mut may_go = vec![true; body.n_exprs()];
        for (expr, node) in body.exprs() {
            // Most nodes have nothing in them that could stay.
            let has_class = node.flags.has_load && aliases.is_some();
            if !(node.flags.has_call || node.flags.has_unknown || has_class) {
                continue;
            }
            let mut all = match node.kind {
                ExprKind::Opaque { .. } => false,
                // A hint goes with what it is about (`SEMANTICS: S9`).
                ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::Likely), .. } => true,
                call @ ExprKind::Call { callee: Callee::Intrinsic(..), .. } => {
                    effects.call(body, call).is_deletable()
                }
                ExprKind::Call { .. } => false,
                // Every access of it is an effect (M10).
                ExprKind::Load { buffer, .. } => {
                    aliases.is_none_or(|it| !it.is_volatile(it.class(buffer)))
                }
                _ => node.ty != Type::Unknown,
            };
            // Children are made before their parents and have smaller ids.
            body.each_child(node.kind, &mut |child| all &= may_go[child.index()]);
            may_go[expr.index()] = all;
        }
        Deletable(may_go)
    }

    /// Returns true if evaluating an expression may be omitted.
    pub fn may_go(&self, expr: ExprId) -> bool {
        self.0[expr.index()]
    }
}
