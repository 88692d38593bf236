//! Work of the instances on families that grow: so much an operation, however long the list and however deep the nest.

use dataflow::{
    analyses::Analyses, definite_init::Initialisation, liveness::Liveness,
    overwritten::Overwritten, reaching::ReachingStores, solver::Work, touch::Touches,
    variance::Variance,
};
use ir::{
    BinaryOp, Body, Buffer, BufferId, BufferOrigin, DataType, Dialect, ForKind, Occurrences,
    OpKind, effects::EffectTable,
};

struct Build {
    body: Body,
    block: ir::BlockId,
    buffer: BufferId,
}

impl Build {
    fn new() -> Build {
        let mut body = Body::new("f", Dialect::Tirx);
        let (name, scope) = (body.intern("A"), body.memory_scope("local"));
        let n = body.int(16, DataType::INT32);
        let buffer = body.buffers.push(Buffer {
            name,
            dtype: DataType::INT32,
            shape: vec![n],
            strides: None,
            elem_offset: None,
            scope,
            origin: BufferOrigin::Alloc,
            attrs: Body::no_attrs(),
        });
        let block = body.entry(body.root);
        let kind = OpKind::Alloc { buffer, kind: ir::AllocKind::Flat };
        body.push_op(block, kind, &[n]);
        Build { body, block, buffer }
    }

    fn int(&mut self, value: i128) -> ir::ExprId {
        self.body.int(value, DataType::INT32)
    }

    /// `name = value + 1`; the result is the variable.
    fn bind(&mut self, value: ir::ExprId) -> ir::ExprId {
        let one = self.int(1);
        let sum = self.body.binary(BinaryOp::Add, value, one);
        let op = self.body.push_op(self.block, OpKind::Bind, &[sum]);
        let value = self.body.push_result(op, "v", DataType::INT32.into());
        self.body.value_expr(value)
    }

    /// `A[0] = value`
    fn store(&mut self, value: ir::ExprId) {
        let zero = self.int(0);
        let kind = OpKind::Store { buffer: self.buffer, predicated: false };
        self.body.push_op(self.block, kind, &[value, zero]);
    }
}

/// `n` bindings, each of the one before, all of them used at the end in turn.
fn list(n: usize) -> Body {
    let mut build = Build::new();
    let mut value = build.int(0);
    let mut all = Vec::new();
    for _ in 0..n {
        value = build.bind(value);
        all.push(value);
    }
    for value in all {
        build.store(value);
    }
    build.body
}

/// `n` loops, each with a binding that is used after the loops inside it.
fn nest(n: usize) -> Body {
    let mut build = Build::new();
    let mut value = build.int(0);
    let mut open = Vec::new();
    for _ in 0..n {
        value = build.bind(value);
        open.push((build.block, value));
        let (zero, extent) = (build.int(0), build.int(4));
        let kind = OpKind::For(ForKind::Serial);
        let op = build.body.push_op(build.block, kind, &[zero, extent]);
        let region = build.body.push_region(op);
        build.block = build.body.entry(region);
        build.body.new_block_arg(build.block, "i", DataType::INT32.into());
    }
    for (block, value) in open.into_iter().rev() {
        build.block = block;
        build.store(value);
    }
    build.body
}

/// Steps an operation of each instance.
fn effort(body: &Body) -> Vec<f64> {
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
    let (flow, aliases) = (analyses.flow(), analyses.aliases());
    let touches = || Touches::build(&flow, aliases);
    let n = body.ops.len() as f64;
    let solved = |work: Work| work.operations as f64 / n;
    vec![
        solved(Liveness::build(&flow, aliases).solution().work()),
        solved(ReachingStores::build(&flow, touches()).solution().work()),
        solved(Initialisation::build(&flow, touches()).solution().work()),
        solved(Overwritten::build(&flow, aliases).work()),
        Variance::build(&flow, aliases).work() as f64 / n,
    ]
}

#[track_caller]
fn check(make: fn(usize) -> Body, sizes: [usize; 2]) {
    let (small, large) = (effort(&make(sizes[0])), effort(&make(sizes[1])));
    for (small, large) in small.iter().zip(&large) {
        assert!(*large <= small * 1.1 + 0.5 && *large < 6.0, "{small} then {large} an operation");
    }
}

#[test]
fn long_lists_cost_linear_time() {
    check(list, [1_000, 30_000]);
}

#[test]
fn deep_nests_cost_linear_time() {
    check(nest, [100, 5_000]);
}
