//! Accesses outside of the static extents of a memref.

use arith::operations::{memref_extents, type_text};
use ir::{BinaryOp, DataType, ExprId, OpId};

use super::{OpFinding, OpFindingKind, OpWord, Search, for_values, text};

const LOADS: [&str; 2] = ["memref.load", "affine.load"];
const STORES: [&str; 2] = ["memref.store", "affine.store"];

impl Search<'_> {
    pub(super) fn access(&mut self, op: OpId, name: &str) {
        let at = match LOADS.contains(&name) {
            true => 0,
            false if STORES.contains(&name) => 1,
            false => return,
        };
        if self.is_inside_unknown(op) {
            return;
        }
        let Some(memref) = self.facts.operand(op, at) else { return };
        let Some(extents) = memref_extents(type_text(self.body(), memref)) else { return };
        let Some(indices) = self.facts.indices(op, at + 1) else { return };
        if indices.len() != extents.len() {
            return;
        }
        for (dimension, (&index, extent)) in indices.iter().zip(extents).enumerate() {
            let Some(extent) = extent else { continue };
            if let Some((outside, words)) = self.outside(op, index, extent) {
                let of = match indices.len() {
                    1 => text("the index"),
                    _ => text(format!("index {dimension}")),
                };
                let mut message = vec![of, text(format!(" is {outside}, outside of "))];
                message.push(OpWord::Value(memref));
                message.push(text(format!(", whose extent is {extent}")));
                message.extend(words);
                let kind = OpFindingKind::OutOfBounds;
                self.found.push(OpFinding { kind, op, message, related: Vec::new(), help: None });
                return;
            }
        }
    }

    /// Says where an index is outside of an extent, and when.
    fn outside(&mut self, op: OpId, index: ExprId, extent: i64) -> Option<(String, Vec<OpWord>)> {
        let bound = self.facts.bound_at(op, index)?;
        if bound.is_empty() || (bound.min >= 0 && bound.max < i128::from(extent)) {
            return None;
        }
        let always = |it: String| Some((it, vec![text(", whenever this is executed")]));
        match bound.as_constant() {
            Some(value) if value < 0 || value >= extent.into() => return always(value.to_string()),
            _ if bound.min >= extent.into() => return always(format!("at least {}", bound.min)),
            _ if bound.max < 0 => return always(format!("at most {}", bound.max)),
            _ => {}
        }
        for (compare, limit, may_be) in
            [(BinaryOp::Ge, extent, bound.max >= extent.into()), (BinaryOp::Lt, 0, bound.min < 0)]
        {
            if !may_be {
                continue;
            }
            let condition = self.facts.analyzer().grow(|body| {
                let limit = body.int(limit.into(), DataType::INT64);
                body.binary(compare, index, limit)
            });
            if let Some(witness) = self.witness(op, &[condition], &[], &[index]) {
                let value = witness.terms.first()?.to_string();
                return Some((value, for_values(&witness)));
            }
        }
        None
    }
}
