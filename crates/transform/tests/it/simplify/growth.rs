//! Work grows with the body, counted: deep nests, long lists, many guards.

use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use ir::{
    BinaryOp, BlockId, Body, Buffer, BufferOrigin, DataType, Dialect, ExprId, ForKind, Occurrences,
    OpKind, Type,
};
use transform::simplify::{SimplifyOptions, Work, plan_counted, rewrite};

/// A function of a buffer and a number.
struct Function {
    body: Body,
    at: BlockId,
    x: ExprId,
    buffer: ir::BufferId,
}

impl Function {
    fn new() -> Function {
        let mut body = Body::new("f", Dialect::Tirx);
        let ty: Type = DataType::INT32.into();
        let value = body.new_value("x", ty, ir::ValueKind::Param(0));
        body.params.push(ir::Param { value, buffer: None });
        let x = body.value_expr(value);
        let (name, scope) = (body.intern("A"), body.memory_scope("global"));
        let size = body.int(1 << 20, DataType::INT32);
        let handle = Type::Prim(DataType::HANDLE);
        let handle = body.new_value("A", handle, ir::ValueKind::Param(1));
        let buffer = body.buffers.push(Buffer {
            name,
            dtype: DataType::INT32,
            shape: vec![size],
            strides: None,
            elem_offset: None,
            scope,
            origin: BufferOrigin::Param,
            attrs: Body::no_attrs(),
        });
        body.params.push(ir::Param { value: handle, buffer: Some(buffer) });
        let at = body.entry(body.root);
        Function { body, at, x, buffer }
    }

    fn int(&mut self, value: usize) -> ExprId {
        self.body.int(value as i128, DataType::INT32)
    }

    fn open_if(&mut self, condition: ExprId) {
        let op = self.body.push_op(self.at, OpKind::If, &[condition]);
        let region = self.body.push_region(op);
        self.at = self.body.entry(region);
    }

    fn open_for(&mut self, name: &str, extent: ExprId) -> ExprId {
        let zero = self.int(0);
        let op = self.body.push_op(self.at, OpKind::For(ForKind::Serial), &[zero, extent]);
        let region = self.body.push_region(op);
        self.at = self.body.entry(region);
        let value = self.body.new_block_arg(self.at, name, DataType::INT32.into());
        self.body.value_expr(value)
    }

    fn store(&mut self, index: ExprId, value: ExprId) {
        let kind = OpKind::Store { buffer: self.buffer, predicated: false };
        self.body.push_op(self.at, kind, &[value, index]);
    }
}

fn work(body: &Body) -> (Work, usize) {
    let occurrences = Occurrences::collect(body);
    let (plan, work) = plan_counted(
        &Analyses::of(body, &occurrences, EffectTable::builtin()),
        None,
        &SimplifyOptions::default(),
    );
    assert!(plan.is_complete, "{} items", plan.items.len());
    let after = rewrite(body, &occurrences, &plan);
    assert!(after.ops_preorder().count() <= body.ops_preorder().count());
    (work, plan.items.len())
}

/// Twice the size is at most a little more than twice the work.
#[track_caller]
fn check(n: usize, make: impl Fn(usize) -> Body) -> usize {
    let ((small, _), (large, n_items)) = (work(&make(n)), work(&make(2 * n)));
    let pairs = [
        (small.operations, large.operations),
        (small.nodes, large.nodes),
        (small.facts, large.facts),
    ];
    for (a, b) in pairs {
        assert!(b <= 2 * a + a / 4 + 64, "{small:?} then {large:?}");
    }
    assert_eq!(small.rounds, large.rounds);
    n_items
}

#[test]
fn nested_guards() {
    let n_items = check(500, |n| {
        let mut f = Function::new();
        for k in 0..n {
            let k = f.int(k);
            let condition = f.body.binary(BinaryOp::Ne, f.x, k);
            f.open_if(condition);
        }
        let zero = f.int(0);
        f.store(zero, zero);
        f.body
    });
    assert_eq!(n_items, 1000 - 1000 / 8);
}

#[test]
fn guards_that_enclosing_ones_decide() {
    // The walk to the condition that decides has a limit; below it a longer chain is a longer walk.
    check(1_000, |n| {
        let mut f = Function::new();
        for k in (0..n).rev() {
            let k = f.int(k);
            let condition = f.body.binary(BinaryOp::Gt, f.x, k);
            f.open_if(condition);
        }
        let zero = f.int(0);
        f.store(zero, zero);
        f.body
    });
}

#[test]
fn nested_loops_of_one_iteration() {
    let n_items = check(5_000, |n| {
        let mut f = Function::new();
        let one = f.int(1);
        let mut last = f.x;
        for k in 0..n {
            last = f.open_for(&format!("i{k}"), one);
        }
        f.store(last, last);
        f.body
    });
    assert!(n_items >= 10_000);
}

#[test]
fn guard_below_many_loops() {
    let n_items = check(5_000, |n| {
        let mut f = Function::new();
        let ten = f.int(10);
        let mut last = f.x;
        for k in 0..n {
            last = f.open_for(&format!("i{k}"), ten);
        }
        let condition = f.body.binary(BinaryOp::Lt, f.x, ten);
        f.open_if(condition);
        f.store(last, last);
        f.body
    });
    assert!(n_items >= 10_000);
}

#[test]
fn long_lists() {
    let n_items = check(50_000, |n| {
        let mut f = Function::new();
        let (zero, four) = (f.int(0), f.int(4));
        let bound = f.body.binary(BinaryOp::Lt, f.x, four);
        for k in 0..n {
            match k % 4 {
                0 => {
                    f.body.push_op(f.at, OpKind::Evaluate, &[zero]);
                }
                1 => {
                    let index = f.int(k);
                    let value = f.body.binary(BinaryOp::Sub, f.x, f.x);
                    f.store(index, value);
                }
                2 => {
                    let outer = f.at;
                    f.open_if(bound);
                    f.store(zero, zero);
                    f.at = outer;
                }
                _ => {
                    let outer = f.at;
                    f.open_for("i", four);
                    f.body.push_op(f.at, OpKind::Evaluate, &[zero]);
                    f.at = outer;
                }
            }
        }
        f.body
    });
    assert!(n_items >= 50_000, "{n_items}");
}

/// `A[x + at] = x + 0` and, with a guard, `if x < 5: if x < 3: A[0] = x`, whose guards become one that is simpler.
fn sums(n: usize, is_guarded: bool) -> Body {
    let mut function = Function::new();
    let zero = function.int(0);
    for at in 0..n {
        let at = function.int(at + 1);
        let index = function.body.binary(BinaryOp::Add, function.x, at);
        let value = function.body.binary(BinaryOp::Add, function.x, zero);
        function.store(index, value);
    }
    if is_guarded {
        for most in [5, 3] {
            let most = function.int(most);
            let condition = function.body.binary(BinaryOp::Lt, function.x, most);
            function.open_if(condition);
        }
        function.store(zero, function.x);
    }
    function.body
}

#[test]
fn a_round_that_changes_expressions_only_is_the_last() {
    let (work, n_items) = work(&sums(8, false));
    assert_eq!((work.rounds, n_items), (1, 8));
}

#[test]
fn a_later_round_asks_only_about_what_changed() {
    let (few, _) = work(&sums(8, true));
    let (many, _) = work(&sums(80, true));
    assert!(few.rounds > 1);
    // One round asks about the nodes of a statement, not each round anew.
    let alone = work(&sums(80, false)).0.facts - work(&sums(8, false)).0.facts;
    assert_eq!(many.facts - few.facts, alone);
}
