//! The table of roles, by bodies made by hand: each kind of operand that has a role of its own.

use super::{Role, Roles, of_child, of_operand};
use crate::{
    Body, Callee, DataType, Dialect, ExprId, ExprKind, ForKind, Intrinsic, Lanes, Occurrences,
    OpId, OpKind, Type,
};

struct Fixture {
    body: Body,
    /// `n * 2`: no constant, no leaf.
    value: ExprId,
}

fn fixture() -> Fixture {
    let mut body = Body::new("f", Dialect::Tirx);
    let entry = body.entry(body.root);
    let tag = body.thread_tag("blockIdx.x");
    let made = body.push_op(entry, OpKind::EnvThread(tag), &[]);
    let n = body.push_result(made, "n", DataType::INT32.into());
    let n = body.value_expr(n);
    let two = body.int(2, DataType::INT32);
    let value = body.binary(crate::BinaryOp::Mul, n, two);
    Fixture { body, value }
}

impl Fixture {
    fn op(&mut self, kind: OpKind, operands: &[ExprId]) -> OpId {
        let entry = self.body.entry(self.body.root);
        self.body.push_op(entry, kind, operands)
    }

    fn call(&mut self, name: &str, args: &[ExprId], ty: Type) -> ExprId {
        let callee = self.body.operator(name);
        let args = self.body.list(args);
        let attrs = self.body.attr_dict(Vec::new());
        self.body.make(ExprKind::Call { callee, args, attrs, instance: 0 }, ty)
    }
}

#[test]
fn bounds_of_loops() {
    let Fixture { value, .. } = fixture();
    let bounds = |kind, starts_at_zero: bool| {
        let mut it = fixture();
        let zero = it.body.int(0, DataType::INT32);
        let min = if starts_at_zero { zero } else { value };
        let op = it.op(OpKind::For(kind), &[min, value]);
        [0, 1].map(|operand| of_operand(&it.body, op, operand))
    };
    use Role::{Launch, Trips, Value};
    assert_eq!(bounds(ForKind::Serial, true), [Value, Value]);
    assert_eq!(bounds(ForKind::Parallel, true), [Value, Value]);
    assert_eq!(bounds(ForKind::Serial, false), [Trips, Trips]);
    assert_eq!(bounds(ForKind::Vectorized, true), [Trips, Trips]);
    assert_eq!(bounds(ForKind::Unrolled, true), [Trips, Trips]);
    let tag = fixture().body.thread_tag("threadIdx.x");
    assert_eq!(bounds(ForKind::ThreadBinding(tag), true), [Launch, Launch]);
}

#[test]
fn parts_of_expressions() {
    let mut it = fixture();
    let (value, int) = (it.value, Type::from(DataType::INT32));
    let vector: Type = DataType { lanes: Lanes::Fixed(4), ..DataType::INT32 }.into();
    let ramp = it.body.make(ExprKind::Ramp { base: value, stride: value, lanes: value }, vector);
    let broadcast = it.body.make(ExprKind::Broadcast { value, lanes: value }, vector);
    let slice = ExprKind::Slice { lower: Some(value), upper: Some(value), step: Some(value) };
    let slice = it.body.make(slice, int);
    let list = it.body.list(&[value]);
    let shuffle = it.body.make(ExprKind::Shuffle { vectors: list, indices: list }, int);
    let lambda = it.body.make(ExprKind::Lambda { params: 1, body: value }, int);
    let float16 = it.call("type_annotation", &[], DataType::HANDLE.into());
    let pointer = it.call("tvm_stack_alloca", &[value, value], DataType::HANDLE.into());
    let access = it.call(
        "tvm_access_ptr",
        &[float16, pointer, value, value, value],
        DataType::HANDLE.into(),
    );
    let scope = it.call("cta_id", &[value], int);
    let wait = it.call("ptx.cp_async.wait_group", &[value], int);
    let copy = it.call("ptx.cp_async", &[pointer, value, pointer, value, value], int);
    let cast = it.call("cast", &[value, float16], Type::Unknown);
    let unknown = Callee::Unknown(it.body.intern("helper"));
    let attrs = it.body.attr_dict(Vec::new());
    let unknown = ExprKind::Call { callee: unknown, args: list, attrs, instance: 0 };
    let unknown = it.body.make(unknown, int);
    use Role::{
        Bounds, Constant, Converted, Function, Lanes as OfLanes, Scope, Text, Type as OfType, Value,
    };
    let cases: [(ExprId, &[Role]); 13] = [
        (value, &[Value, Value]),
        (ramp, &[Value, Value, OfLanes]),
        (broadcast, &[Value, OfLanes]),
        (slice, &[Bounds, Bounds, Bounds]),
        (shuffle, &[Value, Constant]),
        (lambda, &[Function]),
        (pointer, &[Value, Constant]),
        (access, &[OfType, Value, Value, Value, Constant]),
        (scope, &[Scope]),
        (wait, &[Constant]),
        (copy, &[Converted, Converted, Converted, Converted, Constant]),
        (cast, &[Converted, OfType]),
        (unknown, &[Text]),
    ];
    for (expr, expected) in cases {
        let children = it.body.children(expr).into_iter().enumerate();
        let roles: Vec<Role> =
            children.map(|(at, child)| of_child(&it.body, expr, at, child)).collect();
        assert_eq!(roles, expected, "{:?}", it.body.expr(expr).kind);
    }
}

#[test]
fn a_part_has_the_role_of_what_it_is_part_of() {
    let mut it = fixture();
    let vector: Type = DataType { lanes: Lanes::Fixed(4), ..DataType::INT32 }.into();
    let (value, one) = (it.value, it.body.int(1, DataType::INT32));
    let lanes = it.body.binary(crate::BinaryOp::Add, value, one);
    let vector = it.body.make(ExprKind::Broadcast { value, lanes }, vector);
    it.op(OpKind::Evaluate, &[vector]);
    let occurrences = Occurrences::collect(&it.body);
    let roles = Roles::of(&it.body, &occurrences);
    let of = |expr: ExprId| -> Vec<Role> {
        let all = occurrences.iter().filter(|(_, it)| it.expr == expr);
        all.map(|(id, _)| roles.role(id)).collect()
    };
    assert_eq!(of(vector), [Role::Value]);
    assert_eq!(of(lanes), [Role::Lanes]);
    assert_eq!(of(value), [Role::Value, Role::Lanes]);
}

#[test]
fn only_what_is_computed_takes_names() {
    let named: Vec<Role> = Role::ALL.into_iter().filter(|it| it.takes_name()).collect();
    assert_eq!(named, [Role::Value, Role::Launch, Role::Layout, Role::Converted]);
}

#[test]
fn operand_asked_for_its_type_takes_no_constant() {
    for (name, index, takes) in [
        ("tvm_warp_shuffle", 0, true),
        ("tvm_warp_shuffle", 1, false),
        ("tvm_warp_shuffle_down", 1, false),
        ("cuda.__shfl_sync", 1, false),
        ("exp", 0, true),
    ] {
        let role =
            super::arguments::of(&fixture().body, (name, Intrinsic::of_name(name)), &[], index);
        assert_eq!(role.takes_constant(), takes, "{name} {index}");
    }
}
