//! The uses of a function's parameters, so that made-up inputs keep the run inside its memory.
//!
//! Input: a body. Output: a [`Role`] for each buffer and value. Two seeds: a value in an index, a loop bound or a
//! condition on memory is an *index*; a value that divides or that is a shift amount is a *divisor*. The roles flow
//! backwards through stores and bindings to the parameters, and between views of one memory. Too wide a role only makes
//! inputs tamer. O(n) in the body: every flow is recorded once and followed once.

use ir::{
    BinaryOp, Body, Buffer, BufferField, BufferId, BufferOrigin, ExprId, ExprKind, OpKind, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The uses of a value.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Role {
    /// It reaches an index, an extent or a bound.
    pub(crate) is_index: bool,
    /// It reaches the right side of a division or shift.
    pub(crate) is_divisor: bool,
}

/// A source of values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Source {
    Buffer(BufferId),
    Value(ValueId),
}

/// The roles of one body.
#[derive(Default)]
pub(crate) struct Roles {
    indices: FxHashSet<Source>,
    divisors: FxHashSet<Source>,
}

impl Roles {
    /// Looks at every operation.
    pub(crate) fn of(body: &Body) -> Roles {
        let mut flows = Flows::new(body);
        for op in body.ops_preorder() {
            flows.operation(op);
        }
        flows.views();
        Roles { indices: flows.closure(&flows.indices), divisors: flows.closure(&flows.divisors) }
    }

    /// The role of the contents of a buffer.
    pub(crate) fn buffer(&self, buffer: BufferId) -> Role {
        self.role(Source::Buffer(buffer))
    }

    /// The role of a scalar.
    pub(crate) fn value(&self, value: ValueId) -> Role {
        self.role(Source::Value(value))
    }

    fn role(&self, source: Source) -> Role {
        Role {
            is_index: self.indices.contains(&source),
            is_divisor: self.divisors.contains(&source),
        }
    }
}

/// The flows of a body being collected.
struct Flows<'a> {
    body: &'a Body,
    /// The edges of the flow, from the target back.
    into: FxHashMap<Source, Vec<Source>>,
    indices: Vec<Source>,
    divisors: Vec<Source>,
    /// Expressions already searched for indices and divisors inside.
    searched: FxHashSet<ExprId>,
}

impl<'a> Flows<'a> {
    fn new(body: &'a Body) -> Flows<'a> {
        Flows {
            body,
            into: FxHashMap::default(),
            indices: Vec::new(),
            divisors: Vec::new(),
            searched: FxHashSet::default(),
        }
    }

    fn operation(&mut self, op: ir::OpId) {
        let body = self.body;
        let operation = &body.ops[op];
        match operation.kind {
            OpKind::Store { buffer, predicated: _ } => {
                if let Some((&value, indices)) = operation.operands.split_first() {
                    self.flow(value, Source::Buffer(buffer));
                    self.seed_indices(indices);
                }
            }
            OpKind::Bind => {
                for (&value, &result) in operation.operands.iter().zip(&operation.results) {
                    self.flow(value, Source::Value(result));
                }
            }
            OpKind::For(_) | OpKind::LaunchThread { .. } | OpKind::While => {
                self.seed_indices(&operation.operands);
                let variable = operation.regions.first().map(|&region| body.entry(region));
                if let Some(&variable) = variable.and_then(|block| body.blocks[block].args.first())
                {
                    for &operand in &operation.operands {
                        self.flow(operand, Source::Value(variable));
                    }
                }
            }
            _ => {}
        }
        for &operand in &operation.operands {
            self.search(operand);
        }
    }

    /// Records that the reads of an expression flow into `target`.
    fn flow(&mut self, expr: ExprId, target: Source) {
        let sources = self.sources(expr);
        self.into.entry(target).or_default().extend(sources);
    }

    fn seed_indices(&mut self, exprs: &[ExprId]) {
        for &expr in exprs {
            let sources = self.sources(expr);
            self.indices.extend(sources);
        }
    }

    /// The buffers and variables that an expression reads.
    fn sources(&self, expr: ExprId) -> Vec<Source> {
        let mut found = Vec::new();
        self.visit(expr, &mut |kind| match kind {
            ExprKind::Load { buffer, .. } => found.push(Source::Buffer(buffer)),
            ExprKind::Value(value) => found.push(Source::Value(value)),
            _ => {}
        });
        found
    }

    /// Looks for indices and divisors inside an expression, once a node.
    fn search(&mut self, root: ExprId) {
        let body = self.body;
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            if !self.searched.insert(expr) {
                continue;
            }
            let kind = body.expr(expr).kind;
            match kind {
                ExprKind::Load { indices, .. } => self.seed_indices(body.items(indices)),
                ExprKind::Binary(op, _, rhs) if is_delicate(op) => {
                    let sources = self.sources(rhs);
                    self.divisors.extend(sources);
                }
                _ => {}
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
    }

    fn visit(&self, root: ExprId, visit: &mut dyn FnMut(ExprKind)) {
        let mut stack = vec![root];
        let mut seen = FxHashSet::default();
        while let Some(expr) = stack.pop() {
            if seen.insert(expr) {
                let kind = self.body.expr(expr).kind;
                visit(kind);
                self.body.each_child(kind, &mut |child| stack.push(child));
            }
        }
    }

    /// Views of one memory hold the same values.
    fn views(&mut self) {
        let body = self.body;
        for (id, buffer) in body.buffers.iter() {
            if let Some(source) = viewed(body, buffer) {
                let (view, source) = (Source::Buffer(id), Source::Buffer(source));
                self.into.entry(view).or_default().push(source);
                self.into.entry(source).or_default().push(view);
            }
        }
    }

    /// All that flows into the seeds, over any number of steps.
    fn closure(&self, seeds: &[Source]) -> FxHashSet<Source> {
        let mut reached = FxHashSet::default();
        let mut stack = seeds.to_vec();
        while let Some(source) = stack.pop() {
            if reached.insert(source) {
                stack.extend(self.into.get(&source).into_iter().flatten());
            }
        }
        reached
    }
}

/// Operators whose right side must not be zero, negative or large.
fn is_delicate(op: BinaryOp) -> bool {
    op.is_division() || matches!(op, BinaryOp::Shl | BinaryOp::Shr)
}

/// The buffer whose memory a buffer is another view of.
pub(super) fn viewed(body: &Body, buffer: &Buffer) -> Option<BufferId> {
    match buffer.origin {
        BufferOrigin::View { source, .. } => Some(source),
        BufferOrigin::Decl { data: Some(data) } => match body.expr(data).kind {
            ExprKind::BufferField(source, BufferField::Data) => Some(source),
            _ => None,
        },
        _ => None,
    }
}
