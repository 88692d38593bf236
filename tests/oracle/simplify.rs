//! Guards of fused loops over dynamic shapes, before and after the pass `simplify`: one is left, and on all small
//! shapes every thread of every block writes the same as before.

use interp::{Argument, Array, Options, run};
use ir::effects::EffectTable;
use ir::{Body, OpKind, verify::verify};
use transform::passes::Pass;

use crate::{functions::functions_of, rewrites::agrees};

/// The largest elements of the rows of a tensor of four dynamic dimensions, as a fused loop over three of them computes
/// it: nothing is asserted about the shapes, and each of the three guards is implied by another one.
const SOFTMAX: &str = r#"
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def softmax_maximum(a: T.handle, m: T.handle):
    d0 = T.int32()
    d1 = T.int32()
    d2 = T.int32()
    d3 = T.int32()
    A = T.match_buffer(a, (d0, d1, d2, d3))
    M = T.match_buffer(m, (d0, d1, d2))
    with T.launch_thread("blockIdx.x", (d0 * d1 * d2 + 511) // 512) as bx:
        tx = T.launch_thread("threadIdx.x", 512)
        if bx * 512 + tx < d2 * (d1 * d0):
            if (bx * 512 + tx) // d2 // d1 < d0:
                if (bx * 512 + tx) // d2 < d0 * d1:
                    M[(bx * 512 + tx) // d2 // d1, (bx * 512 + tx) // d2 % d1, (bx * 512 + tx) % d2] = T.float32(-1000)
                    for k in range(d3):
                        M[(bx * 512 + tx) // d2 // d1, (bx * 512 + tx) // d2 % d1, (bx * 512 + tx) % d2] = T.max(
                            M[(bx * 512 + tx) // d2 // d1, (bx * 512 + tx) // d2 % d1, (bx * 512 + tx) % d2],
                            A[(bx * 512 + tx) // d2 // d1, (bx * 512 + tx) // d2 % d1, (bx * 512 + tx) % d2, k],
                        )
"#;

/// Sizes of each dimension: none, small ones, and enough for several blocks.
const SIZES: [i64; 5] = [0, 1, 2, 3, 11];

fn body(text: &str) -> Body {
    let mut functions = functions_of("case", text);
    let function = functions.pop().expect("one function");
    assert!(function.lowered.diagnostics.is_empty(), "{:?}", function.lowered.diagnostics);
    function.lowered.body
}

fn guards(body: &Body) -> usize {
    body.ops_preorder().filter(|&op| body.ops[op].kind == OpKind::If).count()
}

/// An array of a shape whose elements all differ.
fn array(shape: &[i64]) -> Argument {
    let mut array = Array::zeros(ir::DataType::FLOAT32, shape);
    for index in 0..array.len() {
        array.set_f64(index, ((index * 37) % 101) as f64);
    }
    Argument::Array(array)
}

#[test]
fn one_guard_of_a_dynamic_softmax_is_left_and_says_the_same() {
    let before = body(SOFTMAX);
    let after = Pass::Simplify.run(&before, EffectTable::builtin());
    assert_eq!(verify(&after), []);
    assert_eq!((guards(&before), guards(&after)), (3, 1));
    let mut n_run = 0;
    for d0 in SIZES {
        for d1 in SIZES {
            for d2 in SIZES {
                for d3 in [0, 1, 3] {
                    let arguments = vec![array(&[d0, d1, d2, d3]), array(&[d0, d1, d2])];
                    let options = Options::default();
                    let old = run(&before, arguments.clone(), &options);
                    let new = run(&after, arguments, &options);
                    assert_eq!(agrees(&old, &new), Ok(()), "{d0}, {d1}, {d2}, {d3}");
                    n_run += usize::from(old.is_ok());
                }
            }
        }
    }
    assert_eq!(n_run, 5 * 5 * 5 * 3);
}
