//! Equality of two bodies as programs, up to the names of values and blocks, and up to ids.
//!
//! The oracle of pretty forms: the body of a pretty text equals the body of its generic text. Both bodies are walked in
//! program order, values and blocks are numbered as they come. Linear, no recursion.

use ir::{BlockId, Body, ExprKind, OpId, OpKind, RegionId, Type, ValueId};
use rustc_hash::FxHashMap;

/// A place where two bodies differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The operation, as the second body has it.
    pub operation: String,
    /// The part that differs: `name`, `operands`, `results`, `successors`, `attributes`, `regions`, `arguments`, or
    /// `shape` for a different number of operations.
    pub part: &'static str,
    /// As the first body has it.
    pub left: String,
    /// As the second body has it.
    pub right: String,
}

/// Operations, or their parts, of which the pretty form carries more or less than the generic one, or has no row; the
/// first column has the reason.
const PRETTY_ONLY: &[&str] = &[
    // The short form of a region of one operation.
    "linalg.map",
    "linalg.reduce attributes",
    // The generic form does not say the encoding.
    "hal.encoding_type",
    // Operands stand in another order.
    "hal.buffer_view.assert",
    "iree_linalg_ext.im2col",
    // No rows: a few operations each around the functions of a program.
    "spirv.EntryPoint",
    "spirv.ExecutionMode",
    "spirv.GlobalVariable",
    "spirv.module",
    "stream.tensor.dispatch",
];

impl Difference {
    /// The operation and the part.
    pub fn what(&self) -> String {
        format!("{} {}", self.operation, self.part)
    }

    /// Returns true if the two forms of this operation are known to carry different information.
    pub fn is_of_forms(&self) -> bool {
        let what = self.what();
        PRETTY_ONLY.iter().any(|it| what.starts_with(it))
    }
}

const PARTS: [&str; 6] = ["name", "operands", "results", "successors", "attributes", "regions"];

/// An operation, or the arguments of a block.
struct Line {
    depth: usize,
    is_block: bool,
    parts: [String; 6],
}

/// The differences of two bodies, in program order. A module that only one of them writes around everything is not one.
pub fn differences(left: &Body, right: &Body) -> Vec<Difference> {
    let (mut left, mut right) = (lines(left), lines(right));
    unwrap_module(&mut left, &right);
    unwrap_module(&mut right, &left);
    let mut res = Vec::new();
    for (a, b) in left.iter().zip(&right) {
        if a.is_block != b.is_block || a.depth != b.depth {
            res.push(difference("shape", 0, a, b));
            return res;
        }
        if let Some(at) = (0..PARTS.len()).find(|&at| a.parts[at] != b.parts[at]) {
            let part = if a.is_block { "arguments" } else { PARTS[at] };
            res.push(difference(part, at, a, b));
        }
    }
    if left.len() != right.len() {
        let (left, right) = (format!("{} lines", left.len()), format!("{} lines", right.len()));
        res.push(Difference { operation: String::new(), part: "shape", left, right });
    }
    res
}

fn difference(part: &'static str, at: usize, a: &Line, b: &Line) -> Difference {
    let (left, right) = (a.parts[at].clone(), b.parts[at].clone());
    Difference { operation: b.parts[0].clone(), part, left, right }
}

/// Removes the module that the generic form shows around an operation that stands alone in the pretty form.
fn unwrap_module(lines: &mut Vec<Line>, other: &[Line]) {
    let is_module = |it: &Line| it.parts[0] == "builtin.module";
    if !lines.get(1).is_some_and(is_module) || other.iter().any(is_module) {
        return;
    }
    lines.drain(1..3.min(lines.len()));
    for line in lines.iter_mut().skip(1) {
        line.depth = line.depth.saturating_sub(1);
    }
}

enum Visit {
    Region(RegionId, usize),
    Block(BlockId, usize),
    Op(OpId, usize),
}

fn in_order(body: &Body) -> Vec<Visit> {
    let mut res = Vec::new();
    let mut stack = vec![Visit::Region(body.root, 0)];
    while let Some(visit) = stack.pop() {
        match visit {
            Visit::Region(region, depth) => {
                let blocks = &body.regions[region].blocks;
                stack.extend(blocks.iter().rev().map(|&it| Visit::Block(it, depth)));
                continue;
            }
            Visit::Block(block, depth) => {
                let ops = &body.blocks[block].ops;
                stack.extend(ops.iter().rev().map(|&it| Visit::Op(it, depth)));
            }
            Visit::Op(op, depth) => {
                let regions = &body.ops[op].regions;
                stack.extend(regions.iter().rev().map(|&it| Visit::Region(it, depth + 1)));
            }
        }
        res.push(visit);
    }
    res
}

fn lines(body: &Body) -> Vec<Line> {
    let order = in_order(body);
    let mut printer = Printer { body, values: FxHashMap::default(), blocks: FxHashMap::default() };
    for visit in &order {
        match *visit {
            Visit::Block(block, _) => {
                let n = printer.blocks.len();
                printer.blocks.insert(block, n);
                printer.number(&body.blocks[block].args);
            }
            Visit::Op(op, _) => printer.number(&body.ops[op].results),
            Visit::Region(..) => {}
        }
    }
    order.iter().filter_map(|visit| printer.line(visit)).collect()
}

struct Printer<'b> {
    body: &'b Body,
    values: FxHashMap<ValueId, usize>,
    blocks: FxHashMap<BlockId, usize>,
}

impl Printer<'_> {
    fn number(&mut self, values: &[ValueId]) {
        for &value in values {
            let n = self.values.len();
            self.values.insert(value, n);
        }
    }

    fn line(&self, visit: &Visit) -> Option<Line> {
        match *visit {
            Visit::Block(block, depth) => {
                let parts = [self.types(&self.body.blocks[block].args), String::new()];
                let [args, none] = parts;
                let parts = [args, none.clone(), none.clone(), none.clone(), none.clone(), none];
                Some(Line { depth, is_block: true, parts })
            }
            Visit::Op(op, depth) => Some(Line { depth, is_block: false, parts: self.parts(op) }),
            Visit::Region(..) => None,
        }
    }

    fn parts(&self, op: OpId) -> [String; 6] {
        let body = self.body;
        let data = &body.ops[op];
        let name = match data.kind {
            OpKind::Named(name) => body.name(name).to_owned(),
            OpKind::Opaque(name) => format!("opaque {}", body.name(name)),
            other => format!("{other:?}"),
        };
        let successors: Vec<String> = data
            .successors
            .iter()
            .map(|it| {
                format!("b{:?}({})", self.blocks.get(&it.block), self.uses(body.items(it.args)))
            })
            .collect();
        let attrs: Vec<String> =
            body.dict(data.attrs).iter().map(|(key, value)| format!("{key} = {value:?}")).collect();
        [
            name,
            self.uses(&data.operands),
            self.types(&data.results),
            successors.join(" "),
            attrs.join("; "),
            data.regions.len().to_string(),
        ]
    }

    fn uses(&self, exprs: &[ir::ExprId]) -> String {
        let text = |it: &ir::ExprId| match self.body.expr(*it).kind {
            ExprKind::Value(value) => match self.values.get(&value) {
                Some(number) => format!("v{number}"),
                None => self.body.name(self.body.values[value].name).to_owned(),
            },
            other => format!("{other:?}"),
        };
        exprs.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    fn types(&self, values: &[ValueId]) -> String {
        let text = |it: &ValueId| match self.body.values[*it].ty {
            Type::Named(name) => self.body.name(name).to_owned(),
            other => format!("{other:?}"),
        };
        values.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}
