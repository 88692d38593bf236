//! Wrong rewrites, planted: the oracle must find each.

use interp::{
    Argument, Options,
    mlir::{self, Program},
};
use ir::{
    Body, OpId, OpKind,
    plan::{
        Preset,
        ops::{OpAction, OpActionKind, OpChange, OpPlan},
    },
};
use transform::ops::rewrite;

use super::{LAUNCH, agrees, program::documents};

fn named(body: &Body, name: &str) -> Vec<OpId> {
    let is = |op: &OpId| matches!(body.ops[*op].kind, OpKind::Named(it) if body.name(it) == name);
    body.ops.ids().filter(is).collect()
}

/// Returns the oracle's verdict about a change of the only function of a text.
fn judge(text: &str, change: impl Fn(&Body) -> (OpId, OpChange), inputs: Vec<Argument>) -> String {
    let documents = documents(text);
    let body = &documents[0].units[0].body;
    let (op, change) = change(body);
    let action = OpAction { op, change, kind: OpActionKind::Common };
    let plan = OpPlan { actions: vec![action], ..OpPlan::empty(Preset::Default) };
    let after = rewrite(body, &plan);
    let run = |body: &Body| {
        mlir::run(&Program::new([body]), 0, inputs.clone(), LAUNCH, &Options::default())
    };
    match (run(body).expect("it runs"), run(&after)) {
        (before, Ok(after)) => agrees(&before, &after).err().unwrap_or_default(),
        (_, Err(error)) => format!("it stops now: {error}"),
    }
}

fn merge(body: &Body, name: &str) -> (OpId, OpChange) {
    let ops = named(body, name);
    (ops[1], OpChange::Merge { into: ops[0] })
}

#[test]
fn loads_merged_across_a_store_are_found() {
    let text = "func.func @f(%m: memref<1xi32>, %v: i32, %i: index) -> i32 {
        %a = memref.load %m[%i] : memref<1xi32>
        memref.store %v, %m[%i] : memref<1xi32>
        %b = memref.load %m[%i] : memref<1xi32>
        %c = arith.subi %b, %a : i32
        return %c : i32
    }";
    let array = interp::Array::zeros(ir::DataType::INT32, &[1]);
    let inputs = vec![Argument::Array(array), Argument::Int(7), Argument::Int(0)];
    let found = judge(text, |body| merge(body, "memref.load"), inputs);
    assert_eq!(found, "result 0 differs");
}

#[test]
fn a_store_that_is_dropped_is_found() {
    let text = "func.func @f(%m: memref<1xi32>, %v: i32, %i: index) {
        memref.store %v, %m[%i] : memref<1xi32>
        return
    }";
    let array = interp::Array::zeros(ir::DataType::INT32, &[1]);
    let inputs = vec![Argument::Array(array), Argument::Int(7), Argument::Int(0)];
    let drop = |body: &Body| (named(body, "memref.store")[0], OpChange::Delete);
    assert_eq!(judge(text, drop, inputs), "argument 0 differs");
}

#[test]
fn a_division_that_leaves_its_condition_is_found() {
    let text = "func.func @f(%a: i32, %b: i32, %c: i1) -> i32 {
        %r = scf.if %c -> i32 {
            %q = arith.divsi %a, %b : i32
            scf.yield %q : i32
        } else {
            scf.yield %a : i32
        }
        return %r : i32
    }";
    let hoist = |body: &Body| {
        let before = named(body, "scf.if")[0];
        (named(body, "arith.divsi")[0], OpChange::Hoist { before })
    };
    let inputs = vec![Argument::Int(1), Argument::Int(0), Argument::Int(0)];
    assert_eq!(judge(text, hoist, inputs), "it stops now: division by zero");
}

#[test]
fn an_operation_with_more_promises_in_the_place_of_one_with_fewer_is_found() {
    let text = "func.func @f(%a: i32, %b: i32) -> (i32, i32) {
        %x = arith.addi %a, %b overflow<nsw> : i32
        %y = arith.addi %a, %b : i32
        return %x, %y : i32, i32
    }";
    let inputs = vec![Argument::Int(i32::MAX.into()), Argument::Int(1)];
    let found = judge(text, |body| merge(body, "arith.addi"), inputs);
    assert_eq!(found, "result 1 differs");
}
