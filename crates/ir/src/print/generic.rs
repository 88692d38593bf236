//! Bodies of operations (MLIR, PIR) as text: one operation a line, values numbered in program order.
//!
//! In: a [`Body`]. Out: text in the manner of MLIR's generic form. Two bodies have one text exactly if they are equal
//! up to the names of values and blocks, so tests read this text, and comparisons with a reference compiler compare it.
//! Linear, no recursion.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::{Attr, BlockId, Body, ExprKind, OpId, OpKind, RegionId, Type, ValueId};

/// The whole body: blocks of its root region.
pub fn generic(body: &Body) -> String {
    let mut printer = Printer {
        body,
        out: String::new(),
        values: FxHashMap::default(),
        blocks: FxHashMap::default(),
    };
    printer.run();
    printer.out
}

struct Printer<'a> {
    body: &'a Body,
    out: String,
    values: FxHashMap<ValueId, usize>,
    blocks: FxHashMap<BlockId, usize>,
}

enum Step {
    Region(RegionId, usize),
    Block(BlockId, usize),
    Op(OpId, usize),
    /// The text after the last region of an operation.
    Close(OpId, usize),
    Between(usize),
}

impl Printer<'_> {
    fn run(&mut self) {
        let mut stack = vec![Step::Region(self.body.root, 0)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Region(region, depth) => {
                    let blocks = &self.body.regions[region].blocks;
                    for (at, &block) in blocks.iter().enumerate() {
                        self.blocks.insert(block, at);
                    }
                    stack.extend(blocks.iter().rev().map(|&it| Step::Block(it, depth)));
                }
                Step::Block(block, depth) => {
                    self.block(block, depth);
                    let ops = &self.body.blocks[block].ops;
                    stack.extend(ops.iter().rev().map(|&it| Step::Op(it, depth)));
                }
                Step::Op(op, depth) => self.op(op, depth, &mut stack),
                Step::Between(depth) => {
                    self.indent(depth);
                    self.out.push_str("}, {\n");
                }
                Step::Close(op, depth) => {
                    self.indent(depth);
                    self.out.push_str("})");
                    self.tail(op);
                }
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n("  ", depth));
    }

    fn value(&mut self, value: ValueId) -> usize {
        let next = self.values.len();
        *self.values.entry(value).or_insert(next)
    }

    /// The label, where there is something to say.
    fn block(&mut self, block: BlockId, depth: usize) {
        let data = &self.body.blocks[block];
        let is_first = self.body.regions[data.parent].blocks.first() == Some(&block);
        if is_first && data.args.is_empty() {
            return;
        }
        self.indent(depth.saturating_sub(1));
        let _ = write!(self.out, "^bb{}", self.blocks[&block]);
        for (at, &argument) in data.args.iter().enumerate() {
            let number = self.value(argument);
            self.out.push_str(if at == 0 { "(" } else { ", " });
            let _ = write!(self.out, "%{number}: ");
            self.ty(self.body.values[argument].ty);
        }
        self.out.push_str(if data.args.is_empty() { ":\n" } else { "):\n" });
    }

    fn op(&mut self, op: OpId, depth: usize, stack: &mut Vec<Step>) {
        let data = &self.body.ops[op];
        self.indent(depth);
        for (at, &result) in data.results.iter().enumerate() {
            let number = self.value(result);
            let _ = write!(self.out, "{}%{number}", if at == 0 { "" } else { ", " });
        }
        self.out.push_str(if data.results.is_empty() { "" } else { " = " });
        match data.kind {
            OpKind::Named(name) => {
                let _ = write!(self.out, "\"{}\"", self.body.name(name));
            }
            OpKind::Opaque(name) => {
                let _ = write!(self.out, "opaque \"{}\"", self.body.name(name));
            }
            other => {
                let _ = write!(self.out, "{other:?}");
            }
        }
        self.operands(&data.operands);
        for (at, successor) in data.successors.iter().enumerate() {
            self.out.push_str(if at == 0 { " [" } else { ", " });
            let block = self.blocks.get(&successor.block).copied();
            match block {
                Some(block) => {
                    let _ = write!(self.out, "^bb{block}");
                }
                None => self.out.push_str("^?"),
            }
            self.operands(self.body.items(successor.args));
        }
        self.out.push_str(if data.successors.is_empty() { "" } else { "]" });
        if data.regions.is_empty() {
            self.tail(op);
            return;
        }
        self.out.push_str(" ({\n");
        stack.push(Step::Close(op, depth));
        for (at, &region) in data.regions.iter().enumerate().rev() {
            stack.push(Step::Region(region, depth + 1));
            if at > 0 {
                stack.push(Step::Between(depth));
            }
        }
    }

    fn operands(&mut self, operands: &[crate::ExprId]) {
        self.out.push('(');
        for (at, &operand) in operands.iter().enumerate() {
            self.out.push_str(if at == 0 { "" } else { ", " });
            match self.body.expr(operand).kind {
                ExprKind::Value(value) => {
                    let number = self.value(value);
                    let _ = write!(self.out, "%{number}");
                }
                _ => self.out.push('?'),
            }
        }
        self.out.push(')');
    }

    /// Attributes and result types.
    fn tail(&mut self, op: OpId) {
        let data = &self.body.ops[op];
        for (at, (key, value)) in self.body.dict(data.attrs).iter().enumerate() {
            let _ = write!(self.out, "{}{key} = ", if at == 0 { " {" } else { ", " });
            match value {
                Attr::Text(text) => self.out.push_str(text),
                other => {
                    let _ = write!(self.out, "{other:?}");
                }
            }
        }
        self.out.push_str(if data.attrs == Body::no_attrs() { "" } else { "}" });
        for (at, &result) in data.results.iter().enumerate() {
            self.out.push_str(if at == 0 { " : " } else { ", " });
            self.ty(self.body.values[result].ty);
        }
        self.out.push('\n');
    }

    fn ty(&mut self, ty: Type) {
        match ty {
            Type::Named(name) => self.out.push_str(self.body.name(name)),
            other => {
                let _ = write!(self.out, "{other:?}");
            }
        }
    }
}
