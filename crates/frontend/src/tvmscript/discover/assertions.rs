//! Conditions that Python has checked before it makes a function: `assert M % 16 == 0`, `if M % 16 != 0: raise …`.
//!
//! In: the statements of the functions around. Out: the conditions that are executed in any case, once, before the
//! first TVMScript function of the same scope, and whose names mean the same in that function. A name that may get
//! another value in between, or whose object may be changed, has no such condition. Python is taken to run with its
//! assertions on.

use syntax::{Green, SyntaxKind as K, SyntaxNode};

use super::{Finder, ScopeId, scopes::Change, scopes::Scopes};
use crate::tvmscript::{
    ast::{self, Ast, ExKind},
    environment::predefined,
};

/// Conditions of one scope that are kept.
const MOST: usize = 64;

/// A condition that Python has checked.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Assertion {
    /// The expression.
    pub condition: Green,
    /// False if it has been found not to hold.
    pub holds: bool,
}

impl Finder<'_> {
    /// Notes the condition of a statement that ends the function where it fails.
    pub(super) fn asserted(&mut self, node: &SyntaxNode, scope: ScopeId) {
        let condition = match node.kind() {
            K::ASSERT_STMT => node.first_child().map(|it| (it, true)),
            K::IF_STMT if raises(node) => node.first_child().map(|it| (it, false)),
            _ => None,
        };
        let Some((condition, holds)) = condition.filter(|_| is_always_executed(node)) else {
            return;
        };
        let own = &mut self.scopes[scope.0 as usize];
        if !own.is_class && !own.has_function && own.asserted.len() < MOST {
            own.asserted.push(Assertion { condition: Green::of(&condition), holds });
        }
    }

    /// Notes that a function of TVMScript stands in a scope: what is checked behind it has not been checked before it.
    pub(super) fn has_function(&mut self, scope: ScopeId) {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &mut self.scopes[id.0 as usize];
            scope.has_function = true;
            at = scope.parent;
        }
    }
}

/// Returns true for `if c: raise …` without more.
fn raises(node: &SyntaxNode) -> bool {
    let mut children = node.children().skip(1);
    let (Some(block), None) = (children.next(), children.next()) else { return false };
    let mut statements = block.children();
    matches!((statements.next(), statements.next()), (Some(only), None) if only.kind() == K::RAISE_STMT)
}

/// Returns true for a statement of a function itself, or of the file.
fn is_always_executed(node: &SyntaxNode) -> bool {
    let Some(around) = node.parent() else { return false };
    match around.kind() {
        K::SOURCE_FILE => true,
        K::BLOCK => around.parent().is_some_and(|it| it.kind() == K::FUNCTION_DEF),
        _ => false,
    }
}

impl Scopes {
    /// Returns the conditions that have been checked before a function of a scope is made, outermost first.
    /// O(conditions).
    pub fn assertions(&self, scope: ScopeId) -> Vec<Assertion> {
        let mut around: Vec<ScopeId> = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            around.push(id);
            at = self.parent(id);
        }
        let of_scope = |&id: &ScopeId| self.get(id).map_or(&[][..], |it| &it.asserted);
        let all = around.iter().rev().flat_map(|id| of_scope(id).iter().map(move |it| (*id, it)));
        let kept = all.filter(|(id, it)| self.means_the_same(*id, scope, &it.condition));
        kept.map(|(_, it)| it.clone()).collect()
    }

    /// Returns true if all names of a condition have one value, from where it is checked to a scope inside.
    fn means_the_same(&self, from: ScopeId, to: ScopeId, condition: &Green) -> bool {
        let ast = ast::read(condition);
        let is_plain = ast.errors.is_empty() && ast.named_inside.is_empty();
        is_plain
            && ast.exprs.iter().all(|it| match it.kind {
                ExKind::Name(name) => {
                    let places = [from, to].map(|it| self.binding(it, name));
                    match places {
                        [Some(a), Some(b)] => a == b && self.is_fixed(a, name, &ast),
                        [None, None] => predefined(name).is_some(),
                        _ => false,
                    }
                }
                ExKind::Lambda { .. } | ExKind::Comprehension { .. } | ExKind::Other => false,
                _ => true,
            })
    }

    /// The scope that binds a name for code in a scope.
    fn binding(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let mut at = Some(scope);
        while let Some(id) = at {
            if self.visible(id, name, id == scope).is_some() {
                return Some(id);
            }
            at = self.parent(id);
        }
        None
    }

    /// Returns true if a name keeps its value: it is bound once, and if a part of its object is asked for, nothing may
    /// change that.
    fn is_fixed(&self, id: ScopeId, name: &str, ast: &Ast<'_>) -> bool {
        let has_parts = ast.exprs.iter().any(|it| {
            matches!(it.kind, ExKind::Attr { .. } | ExKind::Subscript { .. } | ExKind::Call { .. })
        });
        let change = self.change(id, name);
        self.is_bound_once(id, name) && change.is_none_or(|it| it == Change::Escape && !has_parts)
    }
}
