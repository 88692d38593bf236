//! Products in the offsets of accesses that int32 cannot hold.
//!
//! From an access, its address is followed back to the products that it is made of, element by element: the product and
//! the mask of the access are terms at the same lanes. A product is told of if a witness makes it leave int32 while the
//! mask lets the element through.

use arith::operations::{Lanes, OperationFacts};
use ir::{BinaryOp, Body, DataType, ExprId, OpId, ValueId, ValueKind, known_ops};
use rustc_hash::FxHashSet;

use super::{OpFinding, OpFindingKind, OpWord, Search, for_values, is_named, text};

/// Values on the way of one address.
const MOST_STEPS: usize = 512;

/// A product of 32 bits in an address: its operation, and its operands as terms.
struct Product {
    op: OpId,
    operands: [ExprId; 2],
}

impl Search<'_> {
    pub(super) fn offset(&mut self, op: OpId, name: &str) {
        let addresses = match name {
            "tt.load" | "tt.store" | "tt.atomic_rmw" => 0..1,
            "memref.load" => 1..self.body().ops[op].operands.len(),
            _ if is_named(self.body(), op, known_ops::MEMREF_STORE) => {
                2..self.body().ops[op].operands.len()
            }
            _ => return,
        };
        if self.is_inside_unknown(op) {
            return;
        }
        let mask = self.mask_of(op, name);
        for at in addresses {
            let Some(address) = self.facts.operand(op, at) else { continue };
            let products = products(&mut self.facts, address);
            for product in products {
                if !self.found.iter().any(|it| it.op == product.op) {
                    self.product(op, &product, mask);
                }
            }
        }
    }

    fn product(&mut self, access: OpId, product: &Product, mask: Option<ValueId>) {
        let [a, b] = product.operands;
        let exact = self.facts.analyzer().grow(|body| {
            let wide = [a, b].map(|it| body.cast(it, DataType::INT64));
            body.binary(BinaryOp::Mul, wide[0], wide[1])
        });
        let Some(bound) = self.facts.bound_at(access, exact) else { return };
        let mask = mask.and_then(|it| self.facts.term(it));
        let masks: Vec<ExprId> = mask.into_iter().collect();
        let limits = [
            (BinaryOp::Gt, i64::from(i32::MAX), bound.max > i128::from(i32::MAX)),
            (BinaryOp::Lt, i64::from(i32::MIN), bound.min < i128::from(i32::MIN)),
        ];
        for (compare, limit, may_be) in limits {
            if !may_be {
                continue;
            }
            let condition = self.facts.analyzer().grow(|body| {
                let limit = body.int(limit.into(), DataType::INT64);
                body.binary(compare, exact, limit)
            });
            if let Some(witness) = self.witness(access, &[condition], &masks, &[a, b, exact]) {
                self.overflows(access, product, &witness);
                return;
            }
        }
    }

    fn overflows(&mut self, access: OpId, product: &Product, witness: &arith::operations::Witness) {
        let &[a, b, exact] = &witness.terms[..] else { return };
        let help = match arith::operations::name_of(self.body(), access).starts_with("tt.") {
            true => "Widen an operand before the multiplication: `x.to(tl.int64) * stride`",
            false => "Widen the operands before the multiplication, by `arith.extsi`",
        };
        let mut message = Vec::new();
        if let Some(&result) = self.body().ops[product.op].results.first() {
            message.extend([OpWord::Value(result), text(" is ")]);
        }
        message.push(text(format!("{a} * {b} = {exact}, which int32 cannot hold,")));
        message.extend(for_values(witness));
        self.found.push(OpFinding {
            kind: OpFindingKind::OffsetOverflow,
            op: product.op,
            message,
            related: vec![(access, "this access is at the offset")],
            help: Some(help.to_owned()),
        });
    }
}

/// The products of 32 bits that an address is a sum of.
fn products(facts: &mut OperationFacts<'_>, address: ValueId) -> Vec<Product> {
    let body = facts.body();
    let Some(lanes) = facts.any_lanes(address) else { return Vec::new() };
    let mut todo: Vec<(ValueId, Lanes)> = vec![(address, lanes)];
    let mut seen = FxHashSet::default();
    let mut res = Vec::new();
    while let Some((value, lanes)) = todo.pop() {
        if seen.len() >= MOST_STEPS || !seen.insert((value, lanes.clone())) {
            continue;
        }
        let op = match body.values[value].kind {
            ValueKind::Result(op, 0) => op,
            ValueKind::BlockArg(..) => {
                // On the first turn of a loop it is what the loop begins with.
                todo.extend(initial(body, value).map(|it| (it, lanes)));
                continue;
            }
            _ => continue,
        };
        let name = arith::operations::name_of(body, op);
        match name {
            "arith.addi" | "arith.subi" | "tt.addptr" => {
                todo.extend(
                    (0..2).rev().filter_map(|at| Some((facts.operand(op, at)?, lanes.clone()))),
                );
            }
            "arith.extsi" | "arith.index_cast" | "arith.trunci" => {
                todo.extend(facts.operand(op, 0).map(|it| (it, lanes)));
            }
            "arith.muli" => {
                let operands = [0, 1].map(|at| facts.operand(op, at));
                let [Some(a), Some(b)] = operands else { continue };
                todo.extend([(b, lanes.clone()), (a, lanes.clone())]);
                let terms = [a, b].map(|it| facts.term_at(it, &lanes));
                if let [Some(a), Some(b)] = terms
                    && facts.analyzer().body().dtype(a) == Some(DataType::INT32)
                {
                    res.push(Product { op, operands: [a, b] });
                }
            }
            _ => {
                if let Some(source) = facts.source_of(op, &lanes) {
                    todo.push(source);
                }
            }
        }
    }
    res
}

/// The value that an argument of an `scf.for` has on the first turn.
fn initial(body: &Body, value: ValueId) -> Option<ValueId> {
    let ValueKind::BlockArg(block, number) = body.values[value].kind else { return None };
    let op = body.regions[body.blocks[block].parent].parent?;
    if !is_named(body, op, known_ops::SCF_FOR) || number == 0 {
        return None;
    }
    let operand = *body.ops[op].operands.get(2 + number as usize)?;
    crate::ops::op_traits::value_of(body, operand)
}
