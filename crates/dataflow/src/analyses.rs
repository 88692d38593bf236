//! The analyses of one body: each is worked out when somebody first asks for it, once, and shared by all who plan.
//!
//! In: a body, its occurrences and the effects of its calls. Out: [`Analyses`], which every planner takes. What is
//! worked out lies in [`Tables`], by number and without the body, so tables can be kept beside a body that somebody
//! else owns (a database, a pass) and be shared between threads.
//!
//! Conditions ([`Analyses::conditions`]) are contexts of the analyzer that is given: an analyzer remembers what it was
//! asked, so each planner has one of its own, and answers never depend on who asked first.

use std::sync::{Arc, OnceLock};

use arith::Analyzer;
use ir::{Body, Occurrences, effects::EffectTable, role::Roles};

use crate::{
    alias::AliasClasses,
    certain::Certainty,
    conditions::Conditions,
    flow::{Flow, FlowTables},
    memory::{MemoryTables, MemoryVersions},
    scopes::ScopeTree,
};

/// The analyses of a body so far; empty at first. All of them are of one body with one table of effects.
#[derive(Default)]
pub struct Tables {
    scopes: OnceLock<ScopeTree>,
    certainty: OnceLock<Certainty>,
    flow: OnceLock<FlowTables>,
    aliases: OnceLock<AliasClasses>,
    memory: OnceLock<MemoryTables>,
    roles: OnceLock<Roles>,
}

/// A body with its analyses. A clone shares what is worked out.
#[derive(Clone)]
pub struct Analyses<'a> {
    /// The function.
    pub body: &'a Body,
    /// Its occurrences.
    pub occurrences: &'a Occurrences,
    /// The effects of calls.
    pub effects: &'a EffectTable,
    tables: Arc<Tables>,
}

impl<'a> Analyses<'a> {
    /// Of a body of which nothing is worked out yet. O(1).
    pub fn of(
        body: &'a Body,
        occurrences: &'a Occurrences,
        effects: &'a EffectTable,
    ) -> Analyses<'a> {
        Analyses::kept(body, occurrences, effects, Arc::default())
    }

    /// Of a body of which `tables` were begun before, with these same occurrences and effects. O(1).
    pub fn kept(
        body: &'a Body,
        occurrences: &'a Occurrences,
        effects: &'a EffectTable,
        tables: Arc<Tables>,
    ) -> Analyses<'a> {
        Analyses { body, occurrences, effects, tables }
    }

    /// The tree of scopes.
    pub fn scopes(&self) -> &ScopeTree {
        self.tables.scopes.get_or_init(|| ScopeTree::build(self.body))
    }

    /// The places that are sure to be reached.
    pub fn certainty(&self) -> &Certainty {
        let build = || Certainty::build(self.body, self.scopes(), self.effects);
        self.tables.certainty.get_or_init(build)
    }

    /// The control flow.
    pub fn flow(&self) -> Flow<'_> {
        let Analyses { body, occurrences, effects, .. } = *self;
        let scopes = self.scopes();
        let build = || FlowTables::build(body, scopes, effects);
        let tables = self.tables.flow.get_or_init(build);
        Flow { body, occurrences, scopes, effects, tables }
    }

    /// The buffers that may overlap.
    pub fn aliases(&self) -> &AliasClasses {
        self.tables.aliases.get_or_init(|| AliasClasses::build(self.body, self.effects))
    }

    /// The versions of memory.
    pub fn memory(&self) -> MemoryVersions<'_> {
        let Analyses { body, occurrences, effects, .. } = *self;
        let (scopes, aliases) = (self.scopes(), self.aliases());
        let build = || MemoryTables::build(body, occurrences, scopes, effects, aliases);
        let tables = self.tables.memory.get_or_init(build);
        MemoryVersions { body, occurrences, scopes, effects, aliases, tables }
    }

    /// The roles of operands.
    pub fn roles(&self) -> &Roles {
        self.tables.roles.get_or_init(|| Roles::of(self.body, self.occurrences))
    }

    /// An analyzer of the integers of the body.
    pub fn analyzer(&self) -> Analyzer<'a> {
        Analyzer::with_effects(self.body, self.effects)
    }

    /// Returns the conditions known at each point, as contexts of `analyzer`.
    pub fn conditions(&self, analyzer: &mut Analyzer<'_>) -> Conditions {
        Conditions::build(&self.flow(), analyzer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shared_between_threads<T: Send + Sync>() {}

    #[test]
    fn tables_are_shared_between_threads_and_built_once() {
        is_shared_between_threads::<Tables>();
        is_shared_between_threads::<Analyses<'_>>();
        let body = Body::new("f", ir::Dialect::Tirx);
        let occurrences = Occurrences::collect(&body);
        let first = Analyses::of(&body, &occurrences, EffectTable::builtin());
        let second = first.clone();
        assert!(std::ptr::eq(first.scopes(), second.scopes()));
        assert!(std::ptr::eq(first.flow().tables, second.flow().tables));
        assert!(std::ptr::eq(first.memory().tables, second.memory().tables));
        assert!(std::ptr::eq(first.memory().scopes, second.scopes()));
    }
}
