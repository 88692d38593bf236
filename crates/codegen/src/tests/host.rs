//! Functions that the host calls, as C.

use expect_test::expect;
use ir::{AllocKind, BinaryOp, DataType, ForKind, OpKind};

use super::check;
use crate::{
    Options, Target, device_code,
    test_bodies::{Builder, add_dynamic, normalize_rows},
};

/// Everything behind the headers and pragmas.
#[track_caller]
fn check_c(body: &ir::Body, expected: expect_test::Expect) {
    let text = match device_code(body, Target::C, &Options::default()) {
        Ok(sources) => {
            let text = sources.into_iter().map(|it| it.text).collect::<String>();
            let at = text.find("TIR_FUNCTION int").or_else(|| text.find("int32_t")).unwrap_or(0);
            text[at..].to_owned()
        }
        Err(reasons) => format!("{}: {}", reasons[0].reason, reasons[0].detail),
    };
    expected.assert_eq(&text);
}

/// `assert n > 0`, then in parallel `C[i] = A[i] + 1` with a binding of the index.
fn add_in_parallel() -> ir::Body {
    let mut b = Builder::new("add");
    let n = b.symbol("n");
    let (a, c) = (b.param("A", "float32", &[n]), b.param("C", "float32", &[n]));
    b.param("unused", "bool", &[n]);
    let zero = b.body.int(0, DataType::INT64);
    let positive = b.bin(BinaryOp::Gt, n, zero);
    b.body.push_op(b.block, OpKind::Assert, &[positive]);
    b.repeat("i", n, |b, i| {
        let (value, one) = (b.load(a, i), b.f32(1.0));
        let sum = b.bin(BinaryOp::Add, value, one);
        b.store(c, i, sum);
    });
    for op in b.body.ops.ids().collect::<Vec<_>>() {
        if b.body.ops[op].kind == OpKind::For(ForKind::Serial) {
            b.body.ops[op].kind = OpKind::For(ForKind::Parallel);
        }
    }
    b.body
}

#[test]
fn a_function_is_whole_with_its_parameters_and_a_code() {
    check_c(
        &add_in_parallel(),
        expect![[r#"
            int32_t add_kernel(const float* restrict A, float* restrict C, const uint8_t* restrict unused, int64_t n) {
              (void)unused;
              if (!(n > 0LL)) return 1;
              TIR_PARALLEL
              for (int64_t i = 0LL; i < n; ++i) {
                C[i] = A[i] + 1.0f;
              }
              return 0;
            }
        "#]],
    );
}

#[test]
fn the_headers_and_pragmas_are_these() {
    let mut b = Builder::new("nothing");
    let one = b.int(1);
    b.body.push_op(b.block, OpKind::Evaluate, &[one]);
    check(
        &b.body,
        Target::C,
        expect![[r#"
            #include <math.h>
            #include <stdbool.h>
            #include <stdint.h>
            #include <stdlib.h>
            #include <string.h>

            #if defined(__clang__)
            #pragma STDC FP_CONTRACT OFF
            #endif
            #if defined(__GNUC__)
            #pragma GCC diagnostic ignored "-Wunused-variable"
            #pragma GCC diagnostic ignored "-Wunused-but-set-variable"
            #pragma GCC diagnostic ignored "-Wtype-limits"
            #if !defined(__clang__)
            #pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
            #endif
            #define TIR_FUNCTION static inline __attribute__((unused))
            #else
            #define TIR_FUNCTION static inline
            #endif

            int32_t nothing_kernel(void) {
              return 0;
            }
        "#]],
    );
}

/// `x = A[0] * A[0]` bound, and stored only if `A[0]` is small.
#[test]
fn an_overflow_that_is_not_used_is_none_in_c() {
    let mut b = Builder::new("square");
    let len = b.int(1);
    let (a, c) = (b.param("A", "int32", &[len]), b.param("C", "int32", &[len]));
    let (zero, small) = (b.int(0), b.int(100));
    let value = b.load(a, zero);
    let product = b.bin(BinaryOp::Mul, value, value);
    let op = b.body.push_op(b.block, OpKind::Bind, &[product]);
    let x = b.body.push_result(op, "x", DataType::INT32.into());
    let (x, value) = (b.body.value_expr(x), b.load(a, zero));
    let guard = b.bin(BinaryOp::Lt, value, small);
    b.when(guard, |b| {
        let sum = b.bin(BinaryOp::Add, x, small);
        b.store(c, zero, sum);
    });
    check_c(
        &b.body,
        expect![[r#"
            TIR_FUNCTION int32_t tir_mul_i32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }

            int32_t square_kernel(const int32_t* restrict A, int32_t* restrict C) {
              const int32_t cse_v1 = A[0];
              const int32_t x = tir_mul_i32(cse_v1, cse_v1);
              if (cse_v1 < 100) {
                C[0] = x + 100;
              }
              return 0;
            }
        "#]],
    );
}

/// `tmp` of `len` elements, filled and copied.
fn through(len: impl Fn(&mut Builder) -> ir::ExprId, parallel: bool) -> ir::Body {
    let mut b = Builder::new("through");
    let len = len(&mut b);
    let (a, c) = (b.param("A", "float32", &[len]), b.param("C", "float32", &[len]));
    let work = move |b: &mut Builder| {
        let scope = b.body.memory_scope("global");
        let name = b.body.intern("tmp");
        let tmp = b.body.buffers.push(ir::Buffer {
            name,
            dtype: DataType::FLOAT32,
            shape: vec![len],
            strides: None,
            elem_offset: None,
            scope,
            origin: ir::BufferOrigin::Alloc,
            attrs: ir::Body::no_attrs(),
        });
        let kind = OpKind::Alloc { buffer: tmp, kind: AllocKind::Flat };
        b.body.push_op(b.block, kind, &[len]);
        b.repeat("i", len, |b, i| {
            let value = b.load(a, i);
            b.store(tmp, i, value);
        });
        b.repeat("j", len, |b, j| {
            let value = b.load(tmp, j);
            b.store(c, j, value);
        });
    };
    if parallel {
        let two = b.int(2);
        b.repeat("p", two, |b, _| work(b));
        let outer = b.body.ops.ids().find(|&it| {
            b.body.ops[it].kind == OpKind::For(ForKind::Serial) && b.body.ops[it].parent == b.block
        });
        let outer = outer.expect("a loop");
        b.body.ops[outer].kind = OpKind::For(ForKind::Parallel);
    } else {
        work(&mut b);
    }
    b.body
}

#[test]
fn memory_of_unknown_size_is_taken_at_the_entry() {
    check_c(
        &through(|b| b.symbol("n"), false),
        expect![[r#"
            TIR_FUNCTION int64_t tir_count(int64_t a, int64_t b) {
              return a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b) ? -1 : a * b;
            }
            TIR_FUNCTION void* tir_allocate(int64_t count, size_t size) {
              if (count < 0 || (uint64_t)count > (uint64_t)(PTRDIFF_MAX / 2) / size) return 0;
              return malloc(count > 0 ? (size_t)count * size : 1u);
            }
            int32_t through_kernel(const float* restrict A, float* restrict C, int64_t n) {
              int32_t tir_status = 0;
              float* const tmp = (float*)tir_allocate(tir_count(1, n), sizeof(float));
              if (tmp == 0) { tir_status = -1; goto tir_end; }
              for (int64_t i = 0LL; i < n; ++i) {
                tmp[i] = A[i];
              }
              for (int64_t j = 0LL; j < n; ++j) {
                C[j] = tmp[j];
              }
            tir_end:
              free(tmp);
              return tir_status;
            }
        "#]],
    );
}

#[test]
fn an_iteration_of_a_parallel_loop_has_its_own_memory() {
    check_c(
        &through(|b| b.int(100_000), true),
        expect![[r#"
            TIR_FUNCTION int64_t tir_count(int64_t a, int64_t b) {
              return a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b) ? -1 : a * b;
            }
            TIR_FUNCTION void* tir_allocate(int64_t count, size_t size) {
              if (count < 0 || (uint64_t)count > (uint64_t)(PTRDIFF_MAX / 2) / size) return 0;
              return malloc(count > 0 ? (size_t)count * size : 1u);
            }
            int32_t through_kernel(const float* restrict A, float* restrict C) {
              int32_t tir_status = 0;
              TIR_PARALLEL
              for (int32_t p = 0; p < 2; ++p) {
                float* const tmp = (float*)tir_allocate(tir_count(1, 100000), sizeof(float));
                if (tmp == 0) {
                  TIR_ATOMIC
                  tir_status = -1;
                } else {
                  for (int32_t i = 0; i < 100000; ++i) {
                    tmp[i] = A[i];
                  }
                  for (int32_t j = 0; j < 100000; ++j) {
                    C[j] = tmp[j];
                  }
                }
                free(tmp);
              }
              return tir_status;
            }
        "#]],
    );
}

#[test]
fn a_jump_out_of_a_block_with_memory_is_refused() {
    let mut body = through(|b| b.int(100_000), true);
    let parallel = body.ops.ids().find(|&it| body.ops[it].kind == OpKind::For(ForKind::Parallel));
    let region = body.ops[parallel.expect("a loop")].regions[0];
    let block = body.entry(region);
    body.push_op(block, OpKind::Continue, &[]);
    check_c(
        &body,
        expect!["jump-over-allocation: a jump out of a block that allocates memory of the heap"],
    );
}

#[test]
fn an_assertion_in_a_parallel_loop_is_refused() {
    let mut body = add_in_parallel();
    let ops: Vec<_> = body.ops.ids().collect();
    let find = |kind| ops.iter().copied().find(|&it| body.ops[it].kind == kind).expect("there");
    let (looped, assert) = (find(OpKind::For(ForKind::Parallel)), find(OpKind::Assert));
    let condition = body.ops[assert].operands[0];
    let block = body.entry(body.ops[looped].regions[0]);
    body.push_op(block, OpKind::Assert, &[condition]);
    check_c(
        &body,
        expect!["exit-in-parallel-loop: an assertion or `return` inside a parallel loop"],
    );
}

#[test]
fn narrow_shifts_are_cut_to_their_width() {
    let mut b = Builder::new("shift");
    let len = b.int(1);
    let (a, c) = (b.param("A", "uint8", &[len]), b.param("C", "int32", &[len]));
    let zero = b.int(0);
    let (value, one) = (b.load(a, zero), b.body.int(1, DataType::uint(8)));
    let shifted = b.bin(BinaryOp::Shl, value, one);
    let wide = b.body.make(ir::ExprKind::Cast(shifted), DataType::INT32.into());
    b.store(c, zero, wide);
    check_c(
        &b.body,
        expect![[r#"
            int32_t shift_kernel(const uint8_t* restrict A, int32_t* restrict C) {
              C[0] = (int32_t)(uint8_t)((uint32_t)A[0] << 1);
              return 0;
            }
        "#]],
    );
}

#[test]
fn launches_without_an_exchange_are_loops() {
    let sources = device_code(&add_dynamic("add", "A", 0.5), Target::C, &Options::default());
    let text = &sources.expect("supported")[0].text;
    // Blocks around threads, each from 0 in steps of 1.
    let [blocks, threads] = ["++blockIdx_x) {", "++threadIdx_x) {"].map(|it| text.find(it));
    assert!(blocks.is_some() && blocks < threads, "{text}");
}

#[test]
fn threads_that_exchange_values_run_from_barrier_to_barrier() {
    check_c(
        &normalize_rows(),
        expect![[r#"
        int32_t normalize_kernel(const float* restrict A, float* restrict C) {
          for (int32_t bx = 0; bx < 65; ++bx) {
            float red[100];
            float cross_thread[1];
            float sum_shared[1];
            for (int32_t tx = 0; tx < 100; ++tx) {
              float in_thread[1];
              const int32_t cse_v1 = bx * 100 + tx;
              in_thread[0] = A[cse_v1];
              const int32_t red_lane = tx;
              red[red_lane] = in_thread[0];
            }
            for (int32_t tx_1 = 0; tx_1 < 100; ++tx_1) {
              const int32_t red_lane_1 = tx_1;
              if (red_lane_1 < 36) {
                const float lhs = red[red_lane_1];
                const float rhs = red[red_lane_1 + 64];
                red[red_lane_1] = lhs + rhs;
              }
            }
            for (int32_t tx_2 = 0; tx_2 < 100; ++tx_2) {
              const int32_t red_lane_2 = tx_2;
              if (red_lane_2 < 32) {
                const float lhs_1 = red[red_lane_2];
                const float rhs_1 = red[red_lane_2 + 32];
                red[red_lane_2] = lhs_1 + rhs_1;
              }
            }
            for (int32_t tx_3 = 0; tx_3 < 100; ++tx_3) {
              const int32_t red_lane_3 = tx_3;
              if (red_lane_3 < 16) {
                const float lhs_2 = red[red_lane_3];
                const float rhs_2 = red[red_lane_3 + 16];
                red[red_lane_3] = lhs_2 + rhs_2;
              }
            }
            for (int32_t tx_4 = 0; tx_4 < 100; ++tx_4) {
              const int32_t red_lane_4 = tx_4;
              if (red_lane_4 < 8) {
                const float lhs_3 = red[red_lane_4];
                const float rhs_3 = red[red_lane_4 + 8];
                red[red_lane_4] = lhs_3 + rhs_3;
              }
            }
            for (int32_t tx_5 = 0; tx_5 < 100; ++tx_5) {
              const int32_t red_lane_5 = tx_5;
              if (red_lane_5 < 4) {
                const float lhs_4 = red[red_lane_5];
                const float rhs_4 = red[red_lane_5 + 4];
                red[red_lane_5] = lhs_4 + rhs_4;
              }
            }
            for (int32_t tx_6 = 0; tx_6 < 100; ++tx_6) {
              const int32_t red_lane_6 = tx_6;
              if (red_lane_6 < 2) {
                const float lhs_5 = red[red_lane_6];
                const float rhs_5 = red[red_lane_6 + 2];
                red[red_lane_6] = lhs_5 + rhs_5;
              }
            }
            for (int32_t tx_7 = 0; tx_7 < 100; ++tx_7) {
              const int32_t red_lane_7 = tx_7;
              if (red_lane_7 < 1) {
                const float lhs_6 = red[red_lane_7];
                const float rhs_6 = red[red_lane_7 + 1];
                red[red_lane_7] = lhs_6 + rhs_6;
              }
            }
            for (int32_t tx_8 = 0; tx_8 < 100; ++tx_8) {
              cross_thread[0] = red[0];
              if (tx_8 == 0) {
                sum_shared[0] = cross_thread[0];
              }
            }
            for (int32_t tx_9 = 0; tx_9 < 100; ++tx_9) {
              const int32_t cse_v1_1 = bx * 100 + tx_9;
              C[cse_v1_1] = A[cse_v1_1] / sum_shared[0];
            }
          }
          return 0;
        }
    "#]],
    );
}
