//! Expressions in the places of variables.
//!
//! In: a body, variables with what takes their places, and an expression. Out: the expression without those variables, as nodes of the
//! body. What takes a place is not looked into again. Each node is rebuilt once, however many expressions are asked for; no recursion.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Body, ExprId, ExprKind, ValueId, arena::Id as _};

/// Expressions in the places of variables, each node once.
#[derive(Clone, Default, Debug)]
pub struct Substitution {
    values: FxHashMap<ValueId, ExprId>,
    /// By node.
    memo: Vec<Option<ExprId>>,
    /// Nodes on the way, and whether their operands were looked at.
    stack: Vec<(ExprId, bool)>,
}

impl Substitution {
    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether a variable is replaced.
    pub fn has(&self, value: ValueId) -> bool {
        self.values.contains_key(&value)
    }

    /// Replaces one more variable, in what is asked for from now on and was not before.
    pub fn add(&mut self, value: ValueId, with: ExprId) {
        self.values.insert(value, with);
    }

    /// The expression with all variables replaced.
    pub fn apply(&mut self, body: &mut Body, expr: ExprId) -> ExprId {
        if let Some(known) = self.known(body, expr) {
            return known;
        }
        self.memo.resize(body.n_exprs(), None);
        self.stack.push((expr, false));
        while let Some((at, is_ready)) = self.stack.pop() {
            if self.known(body, at).is_some() {
                continue;
            }
            let kind = body.expr(at).kind;
            if !is_ready {
                self.stack.push((at, true));
                let stack = &mut self.stack;
                body.each_child(kind, &mut |child| stack.push((child, false)));
                continue;
            }
            let mut is_same = true;
            body.each_child(kind, &mut |it| is_same &= self.known(body, it) == Some(it));
            let new = match is_same {
                true => at,
                false => {
                    let mut children: SmallVec<[ExprId; 8]> = SmallVec::new();
                    body.each_child(kind, &mut |it| {
                        children.push(self.known(body, it).unwrap_or(it))
                    });
                    let mut children = children.into_iter();
                    body.map_children(at, &mut |_, child| children.next().unwrap_or(child))
                }
            };
            self.memo[at.index()] = Some(new);
        }
        self.known(body, expr).unwrap_or(expr)
    }

    /// What an expression becomes, if that is known already.
    fn known(&self, body: &Body, expr: ExprId) -> Option<ExprId> {
        match body.expr(expr).kind {
            ExprKind::Value(value) => Some(self.values.get(&value).copied().unwrap_or(expr)),
            _ => self.memo.get(expr.index()).copied().flatten(),
        }
    }
}
