//! The results of the passes for neutral operands, and for constants alone.

use expect_test::expect;

use super::check_with;

const PASS: &str = "neutral_operands";

#[test]
fn constants_go_where_nothing_else_does() {
    check_with(
        PASS,
        "A: T.Buffer((1024,), \"int32\"), F: T.Buffer((4,), \"float32\"), x: T.int32, y: T.int32",
        "
        A[T.Mul(T.Add(x, 0), 512) + T.FloorDiv(T.Mul(y, 1), 1)] = T.Add(T.Mul(0, 32), x)
        A[T.FloorMod(T.Add(7, 1), 3)] = T.Mul(A[x], 0) + T.Min(3, 2)
        A[0] = T.Mul(T.call_extern(\"int32\", \"f\"), 0)
        A[1] = T.Add(2147483647, 1)
        A[2] = T.FloorDiv(x, T.Sub(x, x))
        F[0] = T.Add(F[1], T.float32(0))
        ",
        expect![[r#"
            A[x * 512 + y] = x
            A[2] = 2
            A[0] = T.Mul(T.call_extern("int32", "f"), 0)
            A[1] = T.Add(2147483647, 1)
            A[2] = x // (x - x)
            F[0] = T.Add(F[1], T.float32(0.0))
        "#]],
    );
}
