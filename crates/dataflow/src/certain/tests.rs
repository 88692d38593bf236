//! Tests of [`super`]: operations that are executed for certain, and operations that end a list.

use ir::{BlockId, Body, DataType, Dialect, ExprId, ExprKind, ForKind, OpKind};

use super::*;

struct Build {
    body: Body,
    block: BlockId,
}

impl Build {
    fn new() -> Build {
        let body = Body::new("f", Dialect::Tirx);
        let block = body.entry(body.root);
        Build { body, block }
    }
    fn int(&mut self, value: i64) -> ExprId {
        self.body.make(ExprKind::Int(value), DataType::INT32.into())
    }
    fn op(&mut self, kind: OpKind) -> OpId {
        let one = self.int(1);
        self.body.push_op(self.block, kind, &[one])
    }
    /// An operation with a region, which the statements that `inside` makes are in.
    fn nest(&mut self, kind: OpKind, operands: &[ExprId], inside: impl FnOnce(&mut Build)) -> OpId {
        let outside = self.block;
        let op = self.body.push_op(outside, kind, operands);
        let region = self.body.push_region(op);
        self.block = self.body.entry(region);
        inside(self);
        self.block = outside;
        op
    }
    fn loop_of(&mut self, extent: ExprId, inside: impl FnOnce(&mut Build)) -> OpId {
        let zero = self.int(0);
        self.nest(OpKind::For(ForKind::Serial), &[zero, extent], inside)
    }
    fn certainty(&self) -> (ScopeTree, Certainty) {
        let scopes = ScopeTree::build(&self.body);
        let certainty = Certainty::build(&self.body, &scopes, EffectTable::builtin());
        (scopes, certainty)
    }
}

#[test]
fn a_loop_is_entered_if_its_extent_is_a_positive_constant() {
    let mut build = Build::new();
    let value = build.body.new_value("n", DataType::INT32.into(), ir::ValueKind::Param(0));
    let n = build.body.make(ExprKind::Value(value), DataType::INT32.into());
    let (four, zero) = (build.int(4), build.int(0));
    let mut inner = Vec::new();
    for extent in [four, zero, n] {
        build.loop_of(extent, |it| inner.push(it.op(OpKind::Evaluate)));
    }
    let (scopes, certainty) = build.certainty();
    let entered: Vec<bool> = inner
        .iter()
        .map(|&it| certainty.executed_by(&scopes, it, scopes.root()).is_some())
        .collect();
    assert_eq!(entered, [true, false, false]);
}

#[test]
fn operations_after_an_exit_are_another_segment() {
    let mut build = Build::new();
    let four = build.int(4);
    let first = build.op(OpKind::Evaluate);
    build.op(OpKind::Assert);
    let second = build.op(OpKind::Evaluate);
    // A `break` ends its own loop only, a `return` in a loop the function.
    build.loop_of(four, |it| {
        it.op(OpKind::Break);
    });
    let third = build.op(OpKind::Evaluate);
    build.loop_of(four, |it| {
        it.op(OpKind::Return);
    });
    let fourth = build.op(OpKind::Evaluate);
    let (_, certainty) = build.certainty();
    let segments = [first, second, third, fourth].map(|it| certainty.segment(it));
    assert_eq!(segments, [0, 1, 1, 2]);
}

#[test]
fn a_while_may_not_end_and_an_arm_may_not_be_taken() {
    let mut build = Build::new();
    let one = build.int(1);
    let mut inside = Vec::new();
    build.nest(OpKind::If, &[one], |it| inside.push(it.op(OpKind::Evaluate)));
    build.nest(OpKind::While, &[one], |it| inside.push(it.op(OpKind::Evaluate)));
    let after = build.op(OpKind::Evaluate);
    let (scopes, certainty) = build.certainty();
    for op in inside {
        assert_eq!(certainty.executed_by(&scopes, op, scopes.root()), None);
    }
    assert_eq!(certainty.segment(after), 1);
}

#[test]
fn certainty_goes_through_several_scopes() {
    let mut build = Build::new();
    let four = build.int(4);
    let mut deep = None;
    let mut after_exit = None;
    let outer = build.loop_of(four, |it| {
        it.loop_of(four, |it| deep = Some(it.op(OpKind::Evaluate)));
        it.op(OpKind::Continue);
        it.loop_of(four, |it| after_exit = Some(it.op(OpKind::Evaluate)));
    });
    let (scopes, certainty) = build.certainty();
    let by = |op: Option<OpId>| certainty.executed_by(&scopes, op.unwrap(), scopes.root());
    assert_eq!(by(deep), Some(outer));
    assert_eq!(by(after_exit), None);
}

#[test]
fn an_unknown_call_may_not_come_back() {
    let mut build = Build::new();
    for (name, leaves) in [("exp", false), ("thread_return", true), ("my_own_thing", true)] {
        let callee = build.body.operator(name);
        let one = build.int(1);
        let attrs = Body::no_attrs();
        let call = build.body.call(callee, &[one], attrs, DataType::INT32.into(), true);
        build.body.push_op(build.block, OpKind::Evaluate, &[call]);
        let after = build.op(OpKind::Evaluate);
        let (_, certainty) = build.certainty();
        let before = certainty.segment(build.body.blocks[build.block].ops[0]);
        assert_eq!(certainty.segment(after) > before, leaves, "{name}");
        build = Build::new();
    }
}
