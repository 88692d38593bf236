//! Signatures: which value a name in a quoted extent is.

use ir::{ExprKind, ValueKind};

use super::lowered;

#[test]
fn a_parameter_may_name_a_value_of_specialize_that_follows() {
    let text = "from tvm.script import tirx as T\n\n\
                @T.jit(private=True)\n\
                def f(A: T.Buffer((N,), \"int32\"), *, N: T.constexpr):\n    for i in range(N):\n        A[i] = 1\n";
    let it = lowered(text).1;
    assert!(it.diagnostics.is_empty(), "{:?}", it.diagnostics);
    let body = it.body;
    let buffer = body.params[0].buffer.expect("a buffer parameter");
    let extent = body.expr(body.buffers[buffer].shape[0]).kind;
    assert_eq!(extent, ExprKind::Value(body.params[1].value));
}

#[test]
fn a_value_of_specialize_chooses_types_in_python() {
    let text = "from tvm.script import tirx as T\n\n\
                @T.jit\n\
                def f(a: T.handle, *, kind: T.constexpr):\n    \
                    A = T.match_buffer(a, (4,), \"uint8\" if kind == 1 else \"int8\")\n    \
                    B = T.match_buffer(a, (4,), \"uint8\" if kind == \"e4m3\" else kind)\n    \
                    A[0] = B[0]\n";
    let it = lowered(text).1;
    let is_claim =
        |it: &&crate::tvmscript::Diagnostic| it.severity != crate::tvmscript::Severity::Hint;
    assert_eq!(it.diagnostics.iter().find(is_claim), None);
}

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
