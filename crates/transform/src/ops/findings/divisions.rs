//! Divisions by zero.

use ir::{BinaryOp, OpId};

use super::{OpFinding, OpFindingKind, OpWord, Search, for_values, text};

const DIVISIONS: [&str; 14] = [
    "arith.divsi",
    "arith.divui",
    "arith.remsi",
    "arith.remui",
    "arith.floordivsi",
    "arith.ceildivsi",
    "arith.ceildivui",
    "index.divs",
    "index.divu",
    "index.rems",
    "index.remu",
    "index.floordivs",
    "index.ceildivs",
    "index.ceildivu",
];

impl Search<'_> {
    pub(super) fn division(&mut self, op: OpId, name: &str) {
        if !DIVISIONS.contains(&name) || self.is_inside_unknown(op) {
            return;
        }
        let Some(divisor) = self.facts.operand(op, 1) else { return };
        let Some(term) = self.facts.term(divisor) else { return };
        let Some(bound) = self.facts.bound_at(op, term).filter(|it| it.contains(0)) else { return };
        let is_zero = self.facts.analyzer().grow(|body| {
            let zero = body.dtype(term).map(|it| body.int(0, it));
            zero.map(|zero| body.binary(BinaryOp::Eq, term, zero))
        });
        let Some(is_zero) = is_zero else { return };
        let mut message = vec![text("the divisor "), OpWord::Value(divisor), text(" is 0")];
        if bound.as_constant() == Some(0) {
            message.push(text(" whenever this is executed"));
        } else {
            let Some(witness) = self.witness(op, &[is_zero], &[], &[]) else { return };
            message.extend(for_values(&witness));
        }
        let kind = OpFindingKind::ZeroDivisor;
        self.found.push(OpFinding { kind, op, message, related: Vec::new(), help: None });
    }
}
