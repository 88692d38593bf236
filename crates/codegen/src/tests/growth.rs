//! The text of a kernel is linear in the statements of its function.

use ir::OpKind;

use crate::{Options, Target, emit, kernels_for, test_bodies::Builder};

/// A kernel that stores by one of `n` conditions, each in the other arm of the one before.
fn chain(n: i64) -> ir::Body {
    let mut b = Builder::new("chain");
    let len = b.int(64);
    let a = b.param("A", "int32", &[len]);
    let tx = b.launch("threadIdx.x", "tx", len);
    for i in 0..n {
        let at = b.int(i);
        let condition = b.bin(ir::BinaryOp::Eq, tx, at);
        let op = b.body.push_op(b.block, OpKind::If, &[condition]);
        let arms = [b.body.push_region(op), b.body.push_region(op)];
        b.block = b.body.entry(arms[0]);
        b.store(a, tx, at);
        b.block = b.body.entry(arms[1]);
    }
    let last = b.int(n);
    b.store(a, tx, last);
    b.body
}

#[test]
fn chains_of_conditions_are_written_flat() {
    for target in [Target::Cuda, Target::Hip, Target::OpenCl, Target::C] {
        let text = |n: i64| {
            let set = kernels_for(&chain(n), target, ir::effects::EffectTable::builtin());
            emit(&set, &set.kernels[0], target, &Options::default()).expect("it is written").text
        };
        let [short, long] = [100, 400].map(|n| text(n).len());
        assert!(long < 5 * short, "{target:?}: {short} bytes, then {long}");
        assert!(text(3).contains("} else if ("), "{target:?}");
    }
}

#[test]
fn each_arm_of_a_chain_has_its_line() {
    let set = kernels_for(&chain(3), Target::Cuda, ir::effects::EffectTable::builtin());
    let code =
        emit(&set, &set.kernels[0], Target::Cuda, &Options::default()).expect("it is written");
    let lines: Vec<&str> = code.text.lines().collect();
    let choices = code.lines.iter().filter(|(_, op)| set.body.ops[*op].kind == OpKind::If);
    let written: Vec<&str> = choices.map(|(line, _)| lines[*line as usize - 1].trim()).collect();
    assert_eq!(written.len(), 3, "{written:?}");
    assert!(written.iter().all(|it| it.contains("if (")), "{written:?}");
}
