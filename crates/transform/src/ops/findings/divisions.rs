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
        let named = [text("the divisor "), OpWord::Value(divisor), text(" is 0")];
        let mut message = Vec::from(named);
        if bound.as_constant() == Some(0) {
            message.push(text(" whenever this is executed"));
        } else {
            let Some(witness) = self.witness(op, &[is_zero], &[], &[]) else { return };
            let rank = self.facts.shape(divisor).map_or(0, |it| it.len());
            message.splice(..0, element(&witness.lanes, rank));
            message.extend(for_values(&witness));
        }
        let kind = OpFindingKind::ZeroDivisor;
        self.found.push(OpFinding { kind, op, message, related: Vec::new(), help: None });
    }
}

/// `element 3 of `, `element [3, _] of `: the element of a tensor that is meant, if not all of them are.
fn element(lanes: &[(usize, i128)], rank: usize) -> Option<OpWord> {
    let index = |at| match lanes.iter().find(|it| it.0 == at) {
        Some((_, index)) => index.to_string(),
        None => "_".to_owned(),
    };
    let all: Vec<String> = (0..rank).map(index).collect();
    match (lanes, &all[..]) {
        ([], _) | (_, []) => None,
        (_, [index]) => Some(text(format!("element {index} of "))),
        _ => Some(text(format!("element [{}] of ", all.join(", ")))),
    }
}
