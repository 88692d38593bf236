//! Signatures: which value a name in a quoted extent is.

use ir::{ExprKind, ValueKind};

use super::lowered;

#[test]
fn a_quoted_extent_means_the_scalar_parameter_that_follows() {
    let text = "from tvm.script import tirx as T\nfrom typing import TypeVar\nb = TypeVar(\"b\")\n\n\
                @T.prim_func(s_tir=True)\n\
                def f(A: T.Buffer((\"b * T.int64(2)\",), \"int32\"), b: T.int64):\n    A[0] = 1\n";
    let body = lowered(text).1.body;
    let buffer = body.params[0].buffer.expect("a buffer parameter");
    let ExprKind::Binary(_, factor, _) = body.expr(body.buffers[buffer].shape[0]).kind else {
        panic!("the extent is no product");
    };
    assert_eq!(body.expr(factor).kind, ExprKind::Value(body.params[1].value));
    assert_eq!(body.values[body.params[1].value].kind, ValueKind::Param(1));
}
