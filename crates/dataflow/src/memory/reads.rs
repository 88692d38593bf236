//! The reads of a body, by the memory that they may look at.
//!
//! In: a body and its alias classes. Out: [`MemoryReads`]: whether anything between two places may read a class, or anything
//! after a place. Loads read their class; calls what their effects and arguments say (`SEMANTICS: X1`), unknown ones and
//! barriers all that others reach (`X2`, `Y1`: other threads read after the barrier), a statement kept by its text everything.
//! Building is O(occurrences · log), a question O(log n).

use ir::{
    Body, ExprKind, OccurrenceId, Occurrences, OpId, OpKind,
    arena::Id,
    effects::{Asynchrony, EffectTable, Flags},
};
use smallvec::SmallVec;

use super::events::{after, arguments, before, is_name_of_element, reaches_more, shared_chain};
use crate::{
    alias::{AliasClass, AliasClasses, Reach},
    scopes::ScopeTree,
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
        for op in body.ops_preorder() {
            let at = before(scopes.order(op));
            if matches!(body.ops[op].kind, OpKind::Opaque(_) | OpKind::Named(_)) {
                reads.reaches(aliases, at, [true; 3]);
            }
            for id in occurrences.of_op(op) {
                reads.occurrence(body, occurrences, effects, aliases, id, at);
            }
        }
        for chain in &mut reads.chains {
            chain.sort_unstable();
            chain.dedup();
        }
        reads
    }

    /// Whether an operation after `first`, up to `last` with its operands, may read a class. Both are in one list.
    pub fn between(&self, scopes: &ScopeTree, class: AliasClass, first: OpId, last: OpId) -> bool {
        let (from, to) = (after(scopes.order(first)), before(scopes.order(last)));
        self.of(class).any(|chain| {
            let next = chain.partition_point(|&it| it < from);
            chain.get(next).is_some_and(|&it| it <= to)
        })
    }

    /// Whether any operation whose number is in the range may read a class.
    pub fn within(&self, class: AliasClass, orders: std::ops::Range<u32>) -> bool {
        self.of(class).any(|chain| {
            let next = chain.partition_point(|&it| it < before(orders.start));
            chain.get(next).is_some_and(|&it| it < before(orders.end))
        })
    }

    /// Whether anything reads a class at all.
    pub fn any(&self, class: AliasClass) -> bool {
        self.of(class).any(|chain| !chain.is_empty())
    }

    fn of(&self, class: AliasClass) -> impl Iterator<Item = &[u32]> {
        [class.index(), self.shared[class.index()]].into_iter().map(|it| &self.chains[it][..])
    }

    fn reaches(&mut self, aliases: &AliasClasses, at: u32, reaches: [bool; 3]) {
        for reach in [Reach::Private, Reach::Escaped, Reach::Visible] {
            if reaches[reach as usize] {
                self.chains[shared_chain(aliases, reach)].push(at);
            }
        }
    }

    fn occurrence(
        &mut self,
        body: &Body,
        occurrences: &Occurrences,
        effects: &EffectTable,
        aliases: &AliasClasses,
        id: OccurrenceId,
        at: u32,
    ) {
        match body.expr(occurrences[id].expr).kind {
            ExprKind::Load { buffer, .. } | ExprKind::Region(buffer, _)
                if !is_name_of_element(body, occurrences, id) =>
            {
                self.chains[aliases.class(buffer).index()].push(at);
            }
            ExprKind::Opaque { .. } => self.reaches(aliases, at, [true; 3]),
            ExprKind::Call { callee, .. } => {
                let row = effects.callee(body, callee);
                // What is done when control goes elsewhere: others may read what outlives the code.
                if row.flags.contains(Flags::TERMINATOR) {
                    return self.reaches(aliases, at, [false, true, true]);
                }
                let is_async = row.asynchrony != Asynchrony::None;
                if !row.may_read() && !row.is_barrier() && !is_async {
                    return;
                }
                let mut classes = SmallVec::new();
                let known = arguments(body, occurrences, aliases, id, &mut classes);
                for class in classes {
                    self.chains[class.index()].push(at);
                }
                if reaches_more(row, known) || row.is_barrier() || is_async {
                    self.reaches(aliases, at, [false, true, true]);
                }
            }
            _ => {}
        }
    }
}
