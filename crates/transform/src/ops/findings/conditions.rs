//! Conditions and masks that are always true or never: comparisons where they are computed, conditions of branches and
//! masks where they are used.
//!
//! Constants that are written as conditions are meant, and comparisons of two constants are the business of folding:
//! nothing is told about them.

use arith::operations::{attr, name_of};
use ir::{ExprKind, OpId, ValueId, ValueKind, known_ops};

use super::{OpFinding, OpFindingKind, OpWord, Search, is_named, text};
use crate::ops::op_traits::Bits;

impl Search<'_> {
    pub(super) fn condition(&mut self, op: OpId, name: &str) {
        let is = |known| is_named(self.body(), op, known);
        match name {
            _ if is(known_ops::ARITH_CMPI) || name == "index.cmp" => {
                if let Some(&result) = self.body().ops[op].results.first()
                    && !self.are_constant(op)
                {
                    self.decided(op, result);
                }
            }
            _ if is(known_ops::SCF_IF) || is(known_ops::CF_COND_BR) => {
                if let Some(condition) = self.facts.operand(op, 0)
                    && !self.is_told(condition)
                {
                    self.decided(op, condition);
                }
            }
            "tt.load" | "tt.store" => self.mask(op, name),
            _ => {}
        }
    }

    /// True if all operands are constants.
    fn are_constant(&mut self, op: OpId) -> bool {
        (0..self.body().ops[op].operands.len()).all(|at| {
            let term = self.facts.operand(op, at).and_then(|it| self.facts.term(it));
            term.is_some_and(|it| self.is_literal(it))
        })
    }

    fn is_literal(&mut self, term: ir::ExprId) -> bool {
        matches!(self.facts.analyzer().body().expr(term).kind, ExprKind::Int(_))
    }

    /// True if the operation that makes a value has a finding already.
    fn is_told(&self, value: ValueId) -> bool {
        match self.body().values[value].kind {
            ValueKind::Result(by, _) => self.found.iter().any(|it| it.op == by),
            _ => false,
        }
    }

    fn decided(&mut self, op: OpId, condition: ValueId) {
        if self.facts.term(condition).is_none_or(|it| self.is_literal(it)) {
            return;
        }
        let Some(value) = self.facts.decide(op, condition) else { return };
        let decider = self.facts.decider(op, condition);
        let kind = match decider {
            Some(_) => OpFindingKind::RedundantCondition,
            None => OpFindingKind::ConstantCondition,
        };
        let (related, help) = self.because(decider);
        let here = if decider.is_some() { " here" } else { "" };
        let message = vec![OpWord::Value(condition), text(format!(" is always {value}{here}"))];
        self.found.push(OpFinding { kind, op, message, related, help });
    }

    /// The mask of an access of Triton, if it has one.
    pub(super) fn mask_of(&self, op: OpId, name: &str) -> Option<ValueId> {
        let body = self.body();
        let at = if name == "tt.store" { 2 } else { 1 };
        let mask = self.facts.operand(op, at)?;
        // Of a load, what stands there may be the other value.
        let sizes = attr(body, op, "operandSegmentSizes");
        let has_none = sizes.is_some_and(|it| it.contains("1, 0, ") && name == "tt.load");
        let ty = arith::operations::type_text(body, mask);
        let is_condition = ty == "i1" || ty.contains("xi1>") || ty.contains("xi1,");
        (is_condition && !has_none).then_some(mask)
    }

    fn mask(&mut self, op: OpId, name: &str) {
        let Some(mask) = self.mask_of(op, name).filter(|it| !self.is_told(*it)) else { return };
        if self.facts.term(mask).is_none_or(|it| self.is_literal(it)) {
            return;
        }
        let Some(value) = self.facts.decide(op, mask) else { return };
        let decider = self.facts.decider(op, mask);
        let (related, help) = self.because(decider);
        let (kind, words) = match value {
            true => (OpFindingKind::RedundantMask, " lets every element through"),
            false => (OpFindingKind::ConstantCondition, " lets no element through"),
        };
        let message = vec![text("the mask "), OpWord::Value(mask), text(words)];
        self.found.push(OpFinding { kind, op, message, related, help });
    }

    /// True if an operation that is not known, or that was not read, stands around another one.
    pub(super) fn is_inside_unknown(&self, op: OpId) -> bool {
        self.traits.of(op).has(Bits::INSIDE) || name_of(self.body(), op).is_empty()
    }
}
