//! Code generation of a kernel stops as soon as its request is cancelled, however long the kernel is.

use ir::interrupt::{Interrupt, Interrupted};

use crate::{Options, Target, emit, kernels_for, test_bodies::Builder};

/// A kernel of so many stores.
fn long(n: i64) -> ir::Body {
    let mut b = Builder::new("long");
    let len = b.int(64);
    let (a, c) = (b.param("A", "float32", &[len]), b.param("C", "float32", &[len]));
    let tx = b.launch("threadIdx.x", "tx", len);
    for i in 0..n {
        let (load, factor) = (b.load(a, tx), b.f32(i as f64));
        let value = b.bin(ir::BinaryOp::Mul, load, factor);
        b.store(c, tx, value);
    }
    b.body
}

#[test]
fn writing_a_long_kernel_can_be_given_up() {
    let body = long(1000);
    for target in Target::ALL {
        let (set, options) =
            (kernels_for(&body, target, ir::effects::EffectTable::builtin()), Options::default());
        assert!(emit(&set, &set.kernels[0], target, &options).is_ok(), "{target:?}");
        let interrupt = Interrupt::default();
        interrupt.raise();
        let outcome = interrupt.over(|| emit(&set, &set.kernels[0], target, &options).is_ok());
        assert_eq!(outcome, Err(Interrupted), "{target:?}");
    }
}
