//! The user's own bindings.
//!
//! In: the positions of an expression. Out: the bindings of the user that serve them all, if there are such. A binding
//! of the user is eager and is never changed (`SEMANTICS: E4`, `E7`), so later code that sees it may use it, on the
//! same side of a launch; on the other only if it is an integer of the host. A scalar of `tirx` (`E6`) is memory: it
//! serves the code that its one store dominates, on the same side of a launch, if nothing else writes it.

use dataflow::memory::WriteKind;
use ir::{BufferId, OccurrenceId, OpId, OpKind, arena::Id, plan::ExistingName};

use super::Greedy;
use crate::cse::{facts::NONE, finish::Reused, place::Position};

impl Greedy<'_> {
    /// Reuses the user's bindings of the value if they serve all positions. Gives the bindings themselves, which may
    /// share a value.
    pub(super) fn reuse(&mut self, positions: &[Position]) -> Option<Vec<Position>> {
        let facts = self.facts;
        let expr_of = |it: OccurrenceId| facts.occurrences[it].expr;
        let mut found: Vec<Reused> = Vec::new();
        let mut served: Vec<Vec<OccurrenceId>> = Vec::new();
        let mut definitions = Vec::new();
        for position in positions {
            let scope = facts.scopes.of_op(position.op);
            let order = facts.scopes.order(position.op);
            // Positions come in order, so only the last definition can hold this one.
            if let Some(last) = found.last()
                && facts.scopes.is_ancestor(last.scope, scope)
            {
                let same_side = facts.kernel(last.scope) == facts.kernel(scope)
                    || last.crosses
                        && self.crosses_launches(expr_of(position.occurrence))
                        && facts.kernel(last.scope).is_none();
                let user = facts.occurrences[position.occurrence].op;
                let is_known = facts.scopes.is_in_block_of(facts.body, last.bound_by, user)
                    && order > facts.scopes.order(last.bound_by)
                    && facts.part(last.bound_by) == facts.part(position.op);
                if !(same_side && is_known) {
                    return None;
                }
                served.last_mut().expect("one list a definition").push(position.occurrence);
                continue;
            }
            found.push(self.definition(position)?);
            definitions.push(*position);
            served.push(Vec::new());
        }
        let serves_all = found.iter().zip(&served).all(|(it, served)| self.serves(it.form, served));
        if served.iter().all(Vec::is_empty) || !serves_all {
            return None;
        }
        for (definition, served) in found.into_iter().zip(served) {
            if !served.is_empty() {
                self.draft.reuses.push(definition);
                for occurrence in served {
                    self.mark(occurrence, None);
                }
            }
        }
        Some(definitions)
    }

    /// The binding whose whole value the position is.
    fn definition(&self, position: &Position) -> Option<Reused> {
        let facts = self.facts;
        let body = facts.body;
        let here = facts.occurrences[position.occurrence];
        let op = &body.ops[here.op];
        if here.parent.is_some() || self.home[position.occurrence.index()] != NONE {
            return None;
        }
        let (held, ty) = match (op.kind, &op.results[..]) {
            (OpKind::Bind, &[value]) => (ExistingName::Value(value), body.values[value].ty),
            (OpKind::Store { buffer, predicated: false }, _) if here.operand == 0 => {
                let is_held =
                    body.buffers[buffer].is_cell() && self.is_stored_once(buffer, here.op);
                (is_held.then_some(ExistingName::Cell(buffer))?, body.buffers[buffer].dtype.into())
            }
            _ => return None,
        };
        if ty != body.ty(here.expr) {
            return None;
        }
        let is_cell = matches!(held, ExistingName::Cell(_));
        let scope = match op.regions.first() {
            Some(&region) => facts.scopes.of_block(body.entry(region)),
            None => facts.scopes.of_op(here.op),
        };
        Some(Reused {
            held,
            bound_by: here.op,
            definition: position.occurrence,
            scope,
            crosses: !is_cell && self.crosses_launches(here.expr) && facts.kernel(scope).is_none(),
            form: self.form(position.occurrence, here.op),
            accepted: true,
        })
    }

    /// Returns true if one store writes a scalar, and nothing else writes it after its declaration.
    fn is_stored_once(&self, buffer: BufferId, store: OpId) -> bool {
        let memory = self.memory;
        let is_known = |(op, kind)| match kind {
            WriteKind::Store => op == store,
            kind => kind == WriteKind::Allocation,
        };
        memory.versions.writes(memory.aliases.class(buffer)).take(3).all(is_known)
    }
}
