//! The statements that lead up to the functions in a factory: those of a function of Python before the first TVMScript
//! function in it.
//!
//! A name that one statement binds has its value wherever it is asked for. One that several bind has that of the last
//! which was executed, so the statements are kept, to be interpreted in order (`staging::lead_up`), for names that
//! nothing binds from the first function on: all functions in the scope see the same value.
//!
//! In: the walk over the file. Out: [`LeadUp`] of a scope, and [`Definition::InOrder`] for such names.

use syntax::{Green, SyntaxKind as K, SyntaxNode};

use super::{
    Definition, Finder, ScopeId,
    scopes::{LeadUp, Rebound},
};

impl Finder<'_> {
    /// Keeps the statements before a function in the functions of Python around it.
    pub(super) fn lead_up(&mut self, function: &SyntaxNode, scope: ScopeId) {
        let (mut scope, mut statement) = (Some(scope), function.clone());
        while let Some((block, around)) =
            statement.parent().and_then(|it| Some((it.clone(), it.parent()?)))
        {
            if block.kind() != K::BLOCK {
                statement = block;
                continue;
            }
            let is_own = matches!(around.kind(), K::FUNCTION_DEF | K::CLASS_DEF);
            if let Some(id) = scope.filter(|_| is_own) {
                let own = &mut self.scopes[id.0 as usize];
                if around.kind() == K::FUNCTION_DEF {
                    if own.lead_up.is_some() {
                        return;
                    }
                    let end = statement.text_range().start();
                    let before = block.children().take_while(|it| it.text_range().start() < end);
                    let statements = before.map(|it| Green::of(&it)).collect();
                    own.lead_up = Some(LeadUp { statements, end });
                }
                scope = own.parent;
            }
            statement = around;
        }
    }

    /// Notes that a name that has a definition gets another one, or one that is not its first value.
    pub(super) fn rebound(&mut self, scope: ScopeId, name: &str, definition: &Definition) {
        let at = self.at;
        let own = &mut self.scopes[scope.0 as usize];
        let first = own.names.get(name);
        if is_hidden(definition) || first.is_some_and(is_hidden) {
            own.hidden.insert(name.into());
        }
        let known = own.rebound.entry(name.into()).or_insert_with(|| Rebound {
            last: at,
            is_followed: first.is_none_or(is_followed),
            parameter: match first {
                Some(Definition::Default(it, _)) => Some((**it).clone()),
                Some(it @ Definition::Parameter { .. }) => Some(it.clone()),
                _ => None,
            },
        });
        known.last = known.last.max(at);
        known.is_followed &= is_followed(definition);
    }

    /// Lets names have the value that the statements before the first function give them.
    pub(super) fn led_up_to(&mut self) {
        for scope in &mut self.scopes {
            let rebound = std::mem::take(&mut scope.rebound);
            let Some(LeadUp { end, .. }) = scope.lead_up else { continue };
            for (name, it) in rebound {
                let Some(definition) = scope.names.get_mut(&name) else { continue };
                if it.is_followed && it.last < end && definition.is_unread() {
                    *definition = Definition::InOrder { parameter: it.parameter.map(Box::new) };
                }
            }
        }
    }
}

/// Returns true for a binding that no statement makes which is interpreted.
fn is_hidden(definition: &Definition) -> bool {
    matches!(definition, Definition::Import(_) | Definition::Elsewhere)
}

/// Returns true if the interpreter of statements knows what a binding does.
fn is_followed(definition: &Definition) -> bool {
    matches!(
        definition,
        Definition::Statement { .. }
            | Definition::Python(_)
            | Definition::Parameter { .. }
            | Definition::Default(..)
            | Definition::Arms { .. }
            | Definition::Stepped
    )
}
