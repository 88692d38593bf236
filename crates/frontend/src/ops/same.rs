//! Equality of two bodies as programs: the same operations, regions and blocks in the same order, with the same
//! attributes and types, that use the same values. Names of values and blocks do not count, and ids neither.
//!
//! Both are walked together, in program order; interned parts are compared once a pair. Linear, no recursion.

use std::hash::Hash;

use ir::{BlockId, Body, ExprId, ExprKind, OpId, OpKind, RegionId, ValueId};
use rustc_hash::FxHashMap;

use super::parts::EqualParts;

/// Returns true if two bodies are one program.
pub fn is_same(a: &Body, b: &Body) -> bool {
    let mut walk = Walk {
        a,
        b,
        values: Pairs::default(),
        blocks: Pairs::default(),
        parts: EqualParts::of(a, b),
        operations: Vec::new(),
    };
    walk.regions() && walk.operands()
}

/// The correspondence of the parts of two bodies. Each has one partner at most.
struct Pairs<T> {
    of_a: FxHashMap<T, T>,
    of_b: FxHashMap<T, T>,
}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Pairs { of_a: FxHashMap::default(), of_b: FxHashMap::default() }
    }
}

impl<T: Copy + Eq + Hash> Pairs<T> {
    /// Makes two each other's partners; whether neither has another one.
    fn join(&mut self, a: T, b: T) -> bool {
        *self.of_a.entry(a).or_insert(b) == b && *self.of_b.entry(b).or_insert(a) == a
    }
}

struct Walk<'a> {
    a: &'a Body,
    b: &'a Body,
    values: Pairs<ValueId>,
    blocks: Pairs<BlockId>,
    parts: EqualParts<'a>,
    operations: Vec<(OpId, OpId)>,
}

impl Walk<'_> {
    /// Everything except the operands of operations, which may be defined later.
    fn regions(&mut self) -> bool {
        let mut open: Vec<(RegionId, RegionId)> = vec![(self.a.root, self.b.root)];
        while let Some((a, b)) = open.pop() {
            let (a, b) = (&self.a.regions[a], &self.b.regions[b]);
            if a.kind != b.kind || a.blocks.len() != b.blocks.len() {
                return false;
            }
            for (&a, &b) in a.blocks.iter().zip(&b.blocks) {
                if !self.blocks.join(a, b) || !self.block(a, b, &mut open) {
                    return false;
                }
            }
        }
        true
    }

    fn block(&mut self, a: BlockId, b: BlockId, open: &mut Vec<(RegionId, RegionId)>) -> bool {
        let (a, b) = (&self.a.blocks[a], &self.b.blocks[b]);
        if a.ops.len() != b.ops.len() || !self.definitions(&a.args, &b.args) {
            return false;
        }
        a.ops.iter().zip(&b.ops).all(|(&a, &b)| self.operation(a, b, open))
    }

    fn operation(&mut self, a: OpId, b: OpId, open: &mut Vec<(RegionId, RegionId)>) -> bool {
        ir::interrupt::check();
        self.operations.push((a, b));
        let (a, b) = (&self.a.ops[a], &self.b.ops[b]);
        let is_same_kind = match (a.kind, b.kind) {
            (OpKind::Named(a), OpKind::Named(b)) | (OpKind::Opaque(a), OpKind::Opaque(b)) => {
                self.parts.names(a, b)
            }
            _ => false,
        };
        open.extend(a.regions.iter().copied().zip(b.regions.iter().copied()));
        is_same_kind
            && a.regions.len() == b.regions.len()
            && a.operands.len() == b.operands.len()
            && a.successors.len() == b.successors.len()
            && self.parts.dictionaries(a.attrs, b.attrs)
            && self.definitions(&a.results, &b.results)
    }

    fn definitions(&mut self, a: &[ValueId], b: &[ValueId]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(&a, &b)| {
                let types = (self.a.values[a].ty, self.b.values[b].ty);
                self.values.join(a, b) && self.parts.types(types.0, types.1)
            })
    }

    fn operands(&mut self) -> bool {
        let operations = std::mem::take(&mut self.operations);
        operations.into_iter().all(|(a, b)| {
            ir::interrupt::check();
            let (a, b) = (&self.a.ops[a], &self.b.ops[b]);
            self.uses(&a.operands, &b.operands)
                && a.successors.iter().zip(&b.successors).all(|(a, b)| {
                    self.blocks.join(a.block, b.block)
                        && self.uses(self.a.items(a.args), self.b.items(b.args))
                })
        })
    }

    fn uses(&mut self, a: &[ExprId], b: &[ExprId]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(&a, &b)| {
                let (a, b) = (self.a.expr(a), self.b.expr(b));
                match (a.kind, b.kind) {
                    (ExprKind::Value(a), ExprKind::Value(b)) => self.values.join(a, b),
                    // An operand of PIR that is not there.
                    (ExprKind::Tuple(_), ExprKind::Tuple(_)) => self.parts.types(a.ty, b.ty),
                    _ => false,
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use parser::mlir::Shapes;

    use super::*;
    use crate::mlir::{Aliases, reread_function};

    fn body(text: &str) -> Body {
        let function = format!("func.func @f(%a: i32, %b: i32, %c: i1) {{\n{text}\n}}");
        let read = reread_function(&function, &Aliases::default(), Shapes::builtin());
        read.expect("one function").body
    }

    #[test]
    fn names_do_not_count_and_all_else_does() {
        let text = "%0:2 = \"t.x\"(%a, %b) {k = 1 : i32} : (i32, i32) -> (i32, i32)\n\
                    cf.br ^l(%0#1 : i32)\n^l(%x: i32):\n\
                    scf.if %c {\n \"t.y\"(%x) : (i32) -> ()\n }\nreturn";
        let renamed = text.replace("%0", "%v").replace("%x", "%y").replace("^l", "^m");
        assert!(is_same(&body(text), &body(&renamed)));
        for (from, to) in [
            ("(%a, %b)", "(%b, %a)"),
            ("#1", "#0"),
            ("1 : i32}", "2 : i32}"),
            ("-> (i32, i32)", "-> (i32, i64)"),
            ("t.y", "t.z"),
            ("^l(%x: i32)", "^l(%x: i64)"),
            ("return", "\"t.z\"() : () -> ()\nreturn"),
            (" \"t.y\"(%x) : (i32) -> ()\n }", "}\n \"t.y\"(%x) : (i32) -> ()"),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(!is_same(&body(text), &body(&text.replace(from, to))), "{from} {to}");
        }
    }
}
