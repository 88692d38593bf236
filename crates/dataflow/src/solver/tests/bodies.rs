//! Bodies for the tests of the solver: random ones with every construct, and families that grow.

use ir::{
    BinaryOp, BlockId, Body, DataType, Dialect, ExprId, ExprKind, ForKind, OpKind, RegionKind,
    SBlock, Successor, ValueId, arena::Id,
};
use test_utils::Rng;

struct Build<'r> {
    body: Body,
    block: BlockId,
    rng: &'r mut Rng,
    budget: usize,
}

/// A body with a random mixture of everything that has control flow.
pub(crate) fn random(rng: &mut Rng) -> Body {
    let body = Body::new("f", Dialect::Tirx);
    let block = body.entry(body.root);
    let budget = rng.below(40) + 2;
    let mut build = Build { body, block, rng, budget };
    while build.budget > 0 {
        build.statement(0);
    }
    build.body
}

impl Build<'_> {
    fn int(&mut self, value: i64, dtype: DataType) -> ExprId {
        self.body.make(ExprKind::Int(value), dtype.into())
    }

    fn expr(&mut self, depth: usize) -> ExprId {
        let kind = if depth > 3 { 0 } else { self.rng.below(8) };
        let child = |build: &mut Self| build.expr(depth + 1);
        match kind {
            0..3 => {
                let value = self.rng.between(0, 3);
                self.int(value, DataType::BOOL)
            }
            3 => {
                let (a, b) = (child(self), child(self));
                self.body.binary(BinaryOp::And, a, b)
            }
            4 => {
                let (a, b) = (child(self), child(self));
                self.body.binary(BinaryOp::BitXor, a, b)
            }
            5 => {
                let (c, a, b) = (child(self), child(self), child(self));
                self.body.select(c, a, b)
            }
            6 => {
                let (c, a, b) = (child(self), child(self), child(self));
                self.body.if_then_else(c, a, b)
            }
            _ => {
                let args = [child(self)];
                let name = ["exp", "my_own", "break_loop", "thread_return", "continue_loop"];
                let name = *self.rng.pick(&name);
                self.call(name, &args)
            }
        }
    }

    fn call(&mut self, name: &str, args: &[ExprId]) -> ExprId {
        let callee = self.body.operator(name);
        self.body.call(callee, args, Body::no_attrs(), DataType::BOOL.into(), false)
    }

    fn unknown(&mut self) -> ExprId {
        self.body.opaque("FLAG")
    }

    fn op(&mut self, kind: OpKind, operands: &[ExprId]) -> ir::OpId {
        self.budget = self.budget.saturating_sub(1);
        self.body.push_op(self.block, kind, operands)
    }

    /// Fills a new region of `op`.
    fn region(&mut self, op: ir::OpId, depth: usize) {
        let outside = self.block;
        let region = self.body.push_region(op);
        self.block = self.body.entry(region);
        for _ in 0..self.rng.below(4) {
            self.statement(depth + 1);
        }
        self.block = outside;
    }

    fn statement(&mut self, depth: usize) {
        let simple = depth > 5 || self.budget == 0;
        let kind = if simple { self.rng.below(6) } else { self.rng.below(19) };
        match kind {
            0..4 => {
                let operand = self.expr(0);
                self.op(OpKind::Evaluate, &[operand]);
            }
            4 => {
                let operand = self.expr(1);
                self.op(OpKind::Assert, &[operand]);
            }
            5 => {
                let jumps = [OpKind::Break, OpKind::Continue, OpKind::Return];
                let kind = *self.rng.pick(&jumps);
                self.op(kind, &[]);
            }
            6..9 => self.for_loop(depth),
            9 => {
                let condition = self.expr(0);
                let op = self.op(OpKind::While, &[condition]);
                self.region(op, depth);
            }
            10..13 => {
                let condition = if self.rng.one_in(4) { self.unknown() } else { self.expr(0) };
                let op = self.op(OpKind::If, &[condition]);
                self.region(op, depth);
                if self.rng.one_in(2) {
                    self.region(op, depth);
                }
            }
            13 => self.sblock(depth),
            14 => self.launch(depth),
            15 => {
                let op = self.op(OpKind::AttrDict, &[]);
                self.region(op, depth);
            }
            16 => {
                let name = self.body.intern("with foo():");
                let op = self.op(OpKind::Opaque(name), &[]);
                for _ in 0..self.rng.below(3) {
                    self.region(op, depth);
                }
            }
            17 => self.branching(depth),
            _ => {
                let name = self.body.intern("graph");
                let op = self.op(OpKind::Named(name), &[]);
                self.region(op, depth);
                let region = self.body.ops[op].regions[0];
                self.body.regions[region].kind = RegionKind::Graph;
            }
        }
    }

    fn for_loop(&mut self, depth: usize) {
        let zero = self.int(0, DataType::INT32);
        let extent = if self.rng.one_in(2) { self.int(4, DataType::INT32) } else { self.expr(2) };
        let op = self.op(OpKind::For(ForKind::Serial), &[zero, extent]);
        self.region(op, depth);
    }

    fn launch(&mut self, depth: usize) {
        let extent = if self.rng.one_in(2) { self.int(4, DataType::INT32) } else { self.expr(2) };
        let tag = self.body.thread_tag("threadIdx.x");
        let var = ValueId::new(0);
        let op = self.op(OpKind::LaunchThread { tag, var }, &[extent]);
        self.region(op, depth);
    }

    fn sblock(&mut self, depth: usize) {
        let name = self.body.intern("b");
        let has_predicate = self.rng.one_in(2);
        let block = self.body.sblocks.push(SBlock {
            name,
            iter_vars: Vec::new(),
            has_predicate,
            reads: None,
            writes: None,
        });
        let mut operands = vec![self.expr(1)];
        if has_predicate {
            operands.push(self.expr(1));
        }
        let op = self.op(OpKind::SBlock(block), &operands);
        self.region(op, depth);
        if self.rng.one_in(2) {
            self.region(op, depth);
        }
    }

    /// An operation whose region has several blocks, each of which reaches the last one.
    fn branching(&mut self, depth: usize) {
        let name = self.body.intern("cf.region");
        let op = self.op(OpKind::Named(name), &[]);
        let outside = self.block;
        let region = self.body.push_region(op);
        let n = self.rng.below(5) + 2;
        let mut blocks = vec![self.body.entry(region)];
        for _ in 1..n {
            blocks.push(self.body.new_block(region));
        }
        for (index, &block) in blocks.iter().enumerate() {
            self.block = block;
            for _ in 0..self.rng.below(3) {
                self.statement(depth + 2);
            }
            if index + 1 < n {
                let name = self.body.intern("cf.br");
                let last = self.op(OpKind::Named(name), &[]);
                let mut targets = vec![blocks[index + 1]];
                for _ in 0..self.rng.below(3) {
                    let to = self.rng.below(n);
                    targets.push(blocks[to]);
                }
                let args = self.body.list(&[]);
                self.body.ops[last].successors =
                    targets.into_iter().map(|block| Successor { block, args }).collect();
            }
        }
        self.block = outside;
    }
}

/// `n` statements.
pub(crate) fn list(n: usize) -> Body {
    let mut body = Body::new("f", Dialect::Tirx);
    let zero = body.make(ExprKind::Int(0), DataType::INT32.into());
    let block = body.entry(body.root);
    for _ in 0..n {
        body.push_op(block, OpKind::Evaluate, &[zero]);
    }
    body
}

/// The parts of a nest.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nest {
    For,
    While,
    If,
    Unknown,
}

impl Nest {
    pub(crate) const ALL: [Nest; 4] = [Nest::For, Nest::While, Nest::If, Nest::Unknown];
}

/// A nest of `n` operations, each with a statement before and after the inner one, and a way out of the loop.
pub(crate) fn nest(kind: Nest, n: usize) -> Body {
    let mut body = Body::new("f", Dialect::Tirx);
    let zero = body.make(ExprKind::Int(0), DataType::INT32.into());
    let mut block = body.entry(body.root);
    let mut outer = Vec::new();
    for _ in 0..n {
        body.push_op(block, OpKind::Evaluate, &[zero]);
        let op = match kind {
            Nest::For => body.push_op(block, OpKind::For(ForKind::Serial), &[zero, zero]),
            Nest::While => body.push_op(block, OpKind::While, &[zero]),
            Nest::If => body.push_op(block, OpKind::If, &[zero]),
            Nest::Unknown => {
                let condition = body.opaque("FLAG");
                body.push_op(block, OpKind::If, &[condition])
            }
        };
        outer.push(block);
        let region = body.push_region(op);
        block = body.entry(region);
    }
    for (depth, block) in outer.into_iter().enumerate().rev() {
        if depth > 0 && matches!(kind, Nest::For | Nest::While) && depth % 2 == 0 {
            let op = body.push_op(block, OpKind::If, &[zero]);
            let region = body.push_region(op);
            let inside = body.entry(region);
            body.push_op(inside, OpKind::Break, &[]);
        }
        body.push_op(block, OpKind::Evaluate, &[zero]);
    }
    body
}

/// `n` blocks, each of which goes to the next one and the one after it.
pub(crate) fn chain(n: usize) -> Body {
    let mut body = Body::new("f", Dialect::Mlir);
    let root = body.root;
    let mut blocks = vec![body.entry(root)];
    for _ in 1..n {
        blocks.push(body.new_block(root));
    }
    let name = body.intern("cf.br");
    let args = body.list(&[]);
    for (index, &block) in blocks.iter().enumerate() {
        let op = body.push_op(block, OpKind::Named(name), &[]);
        let next = blocks.iter().skip(index + 1).take(2);
        body.ops[op].successors = next.map(|&block| Successor { block, args }).collect();
    }
    body
}

/// An entry block and a block that goes to itself for ever.
pub(crate) fn endless() -> Body {
    let mut body = Body::new("f", Dialect::Mlir);
    let root = body.root;
    let entry = body.entry(root);
    let around = body.new_block(root);
    let args = body.list(&[]);
    for block in [entry, around] {
        body.push_op(block, OpKind::AttrDict, &[]);
        let op = body.push_op(block, OpKind::Evaluate, &[]);
        body.ops[op].successors = [Successor { block: around, args }].into_iter().collect();
    }
    body
}
