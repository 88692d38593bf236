//! The reads of a body, by the memory that they may access.
//!
//! In: a body and its alias classes. Out: [`MemoryReads`]: whether anything between two places may read a class, or
//! anything after a place. Loads read their class; calls read by their effects and arguments (`SEMANTICS: X1`), unknown
//! ones and barriers all memory that others reach (`X2`, `Y1`: other threads read after the barrier), a statement kept
//! by its text everything. Building is O(occurrences · log), a question O(log n).

use ir::{
    Body, ExprKind, OccurrenceId, Occurrences, OpId,
    arena::Id,
    effects::{EffectTable, Flags},
};

use super::events::{after, before, chain_of, shared_chain};
use crate::{
    alias::{AliasClass, AliasClasses, Reach},
    scopes::ScopeTree,
    touch::{Cell, Steps},
};

/// The places that may read each class.
#[derive(Clone, Debug)]
pub struct MemoryReads {
    /// By class, then by [`Reach`]: places, sorted.
    chains: Vec<Vec<u32>>,
    /// By class: its chains.
    shared: Vec<usize>,
}

impl MemoryReads {
    /// The reads of `body`.
    pub fn build(
        body: &Body,
        occurrences: &Occurrences,
        scopes: &ScopeTree,
        effects: &EffectTable,
        aliases: &AliasClasses,
    ) -> MemoryReads {
        let shared = (0..aliases.len())
            .map(|it| shared_chain(aliases, aliases.reach(AliasClass::new(it))))
            .collect();
        let mut reads = MemoryReads { chains: vec![Vec::new(); aliases.len() + 3], shared };
        let steps = Steps { body, occurrences, effects, aliases };
        for op in body.ops_preorder() {
            let at = before(scopes.order(op));
            reads.add(aliases, at, &steps.operation(op).reads);
            for id in occurrences.of_op(op) {
                reads.add(aliases, at, &steps.occurrence(id).reads);
                // What is done when control goes elsewhere: others may read what outlives the code.
                if leaves(&steps, id) {
                    let others = [Reach::Escaped, Reach::Visible].map(Cell::reach);
                    reads.add(aliases, at, &others);
                }
            }
        }
        for chain in &mut reads.chains {
            chain.sort_unstable();
            chain.dedup();
        }
        reads
    }

    /// Returns true if an operation after `first`, up to `last` with its operands, may read a class. Both are in one
    /// list.
    pub fn between(&self, scopes: &ScopeTree, class: AliasClass, first: OpId, last: OpId) -> bool {
        let (from, to) = (after(scopes.order(first)), before(scopes.order(last)));
        self.of(class).any(|chain| {
            let next = chain.partition_point(|&it| it < from);
            chain.get(next).is_some_and(|&it| it <= to)
        })
    }

    /// Returns true if any operation whose number is in the range may read a class.
    pub fn within(&self, class: AliasClass, orders: std::ops::Range<u32>) -> bool {
        self.of(class).any(|chain| {
            let next = chain.partition_point(|&it| it < before(orders.start));
            chain.get(next).is_some_and(|&it| it < before(orders.end))
        })
    }

    /// Returns true if any operation reads a class.
    pub fn any(&self, class: AliasClass) -> bool {
        self.of(class).any(|chain| !chain.is_empty())
    }

    fn of(&self, class: AliasClass) -> impl Iterator<Item = &[u32]> {
        [class.index(), self.shared[class.index()]].into_iter().map(|it| &self.chains[it][..])
    }

    fn add(&mut self, aliases: &AliasClasses, at: u32, cells: &[Cell]) {
        for chain in cells.iter().filter_map(|it| chain_of(aliases, *it)) {
            self.chains[chain].push(at);
        }
    }
}

/// Returns true if a node is a call that transfers control.
fn leaves(steps: &Steps<'_>, id: OccurrenceId) -> bool {
    match steps.body.expr(steps.occurrences[id].expr).kind {
        call @ ExprKind::Call { .. } => {
            steps.effects.call(steps.body, call).flags.contains(Flags::TERMINATOR)
        }
        _ => false,
    }
}
