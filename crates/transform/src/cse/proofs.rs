//! Proofs about values at places where the program does not evaluate them.
//!
//! In: the facts, and the memory versions of loads. Out: [`Proofs`], which answers whether evaluating an expression
//! right before an operation adds no error: no trap and no access out of bounds, by the bounds that hold there
//! (`arith`, under the conditions of `dataflow`), no read of memory that nobody wrote or that could race with a write
//! of another thread (`SEMANTICS: M3`, `P2`), no overflow (`I1`). Control flow and conditions are built on first use.

use std::cell::{OnceCell, RefCell};

use arith::{Analyzer, ContextId};
use dataflow::{conditions::Conditions, memory::WriteKind, scopes::ScopeKind};
use ir::{ExprKind, ForKind, OccurrenceId, OpId, arena::Id};

use super::{facts::Facts, values::Memory};

/// Proofs from bounds and conditions.
pub(super) struct Proofs<'a> {
    facts: &'a Facts<'a>,
    memory: &'a Memory<'a>,
    /// True if several threads run some of the code.
    is_concurrent: bool,
    known: OnceCell<(RefCell<Analyzer<'a>>, Conditions)>,
}

impl<'a> Proofs<'a> {
    pub(super) fn new(facts: &'a Facts<'a>, memory: &'a Memory<'a>) -> Proofs<'a> {
        let is_concurrent = facts.scopes.ids().any(|it| {
            matches!(
                facts.scopes.kind(it),
                ScopeKind::Launch
                    | ScopeKind::Other
                    | ScopeKind::Loop(ForKind::Parallel | ForKind::ThreadBinding(_))
            )
        });
        Proofs { facts, memory, is_concurrent, known: OnceCell::new() }
    }

    /// Returns true if evaluating the expression of an occurrence right before an operation cannot err.
    pub(super) fn cannot_trap(&self, value: OccurrenceId, before: OpId) -> bool {
        let expr = self.facts.occurrences[value].expr;
        self.reads_are_free(value) && self.ask(before, |it, ctx| it.cannot_trap(ctx, expr))
    }

    /// Returns true if the operator of an occurrence cannot err right before an operation, given that its operands are
    /// evaluated there without an error.
    pub(super) fn cannot_trap_alone(&self, at: OccurrenceId, before: OpId) -> bool {
        let expr = self.facts.occurrences[at].expr;
        let is_load = matches!(self.facts.body.expr(expr).kind, ExprKind::Load { .. });
        (!is_load || self.read_is_free(at))
            && self.ask(before, |it, ctx| it.cannot_trap_alone(ctx, expr))
    }

    /// Returns true if no sum or product in the expression of an occurrence leaves its type right before an operation.
    pub(super) fn cannot_overflow(&self, value: OccurrenceId, before: OpId) -> bool {
        let expr = self.facts.occurrences[value].expr;
        self.ask(before, |it, ctx| it.no_overflow(ctx, expr))
    }

    fn ask(
        &self,
        before: OpId,
        question: impl FnOnce(&mut Analyzer<'a>, ContextId) -> bool,
    ) -> bool {
        let (analyzer, conditions) = self.known.get_or_init(|| {
            let mut analyzer = self.facts.analyses.analyzer();
            let conditions = self.facts.analyses.conditions(&mut analyzer);
            (RefCell::new(analyzer), conditions)
        });
        question(&mut analyzer.borrow_mut(), conditions.before(before))
    }

    /// Returns true if all memory that a value is read from may be read where the program does not read it.
    fn reads_are_free(&self, value: OccurrenceId) -> bool {
        let facts = self.facts;
        if !facts.body.expr(facts.occurrences[value].expr).flags.has_load {
            return true;
        }
        let inside = (value.index()..facts.occurrences[value].end.index()).map(OccurrenceId::new);
        let mut loads = inside.filter(|&it| {
            matches!(facts.body.expr(facts.occurrences[it].expr).kind, ExprKind::Load { .. })
        });
        loads.all(|it| self.read_is_free(it))
    }

    /// Returns true if memory may be read where the program does not read it: it was the caller's, so that it holds a
    /// value (`SEMANTICS: M3`), and no other thread of this function writes it meanwhile (`P2`). A barrier only orders
    /// such writes.
    fn read_is_free(&self, load: OccurrenceId) -> bool {
        let Memory { aliases, versions, .. } = self.memory;
        versions.class_of(load).is_none_or(|class| {
            let mut writes = versions.writes(class);
            aliases.outlives(class)
                && (!self.is_concurrent || writes.all(|(_, kind)| kind == WriteKind::Barrier))
        })
    }
}
