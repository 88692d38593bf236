//! Kernels as they are written out.

mod hip;
mod host;

use expect_test::{Expect, expect};

use ir::BinaryOp;

use crate::{
    Options, Target, device_code,
    test_bodies::{Builder, add_dynamic, normalize_rows},
};

#[track_caller]
fn check(body: &ir::Body, target: Target, expected: Expect) {
    let text = match device_code(body, target, &Options::default()) {
        Ok(sources) => sources.into_iter().map(|it| it.text).collect::<Vec<_>>().join("\n"),
        Err(reasons) => format!("{reasons:#?}"),
    };
    expected.assert_eq(&text);
}

#[test]
fn a_guarded_sum_over_a_dynamic_extent() {
    check(
        &add_dynamic("add", "A", 0.1),
        Target::Cuda,
        expect![[r#"
            extern "C" __global__ void __launch_bounds__(1024) add_kernel(const float* __restrict__ A, float* __restrict__ C, long long n) {
              const long long blockIdx_x = (long long)blockIdx.x;
              const int threadIdx_x = (int)threadIdx.x;
              const long long cse_v1 = blockIdx_x * 1024LL + (long long)threadIdx_x;
              if (cse_v1 < n) {
                C[cse_v1] = A[cse_v1] + 0x1.99999ap-4f /* 0.1 */;
              }
            }
        "#]],
    );
    check(
        &add_dynamic("add", "A", 0.1),
        Target::OpenCl,
        expect![[r#"
            #pragma OPENCL FP_CONTRACT OFF

            __kernel __attribute__((reqd_work_group_size(1024, 1, 1))) void add_kernel(__global const float* restrict A, __global float* restrict C, long n) {
              const long blockIdx_x = (long)get_group_id(0);
              const int threadIdx_x = (int)get_local_id(0);
              const long cse_v1 = blockIdx_x * 1024L + (long)threadIdx_x;
              if (cse_v1 < n) {
                C[cse_v1] = A[cse_v1] + 0x1.99999ap-4f /* 0.1 */;
              }
            }
        "#]],
    );
}

#[test]
fn a_reduction_over_threads_is_a_tree_with_barriers() {
    check(
        &normalize_rows(),
        Target::Cuda,
        expect![[r#"
            extern "C" __global__ void __launch_bounds__(100) normalize_kernel(const float* __restrict__ A, float* __restrict__ C) {
              __shared__ __align__(16) float red[100];
              __shared__ __align__(16) float sum_shared[1];
              const int bx = (int)blockIdx.x;
              const int tx = (int)threadIdx.x;
              float in_thread[1];
              float cross_thread[1];
              const int cse_v1 = bx * 100 + tx;
              in_thread[0] = A[cse_v1];
              const int red_lane = tx;
              red[red_lane] = in_thread[0];
              __syncthreads();
              if (red_lane < 36) {
                const float lhs = red[red_lane];
                const float rhs = red[red_lane + 64];
                red[red_lane] = lhs + rhs;
              }
              __syncthreads();
              if (red_lane < 32) {
                const float lhs_1 = red[red_lane];
                const float rhs_1 = red[red_lane + 32];
                red[red_lane] = lhs_1 + rhs_1;
              }
              __syncthreads();
              if (red_lane < 16) {
                const float lhs_2 = red[red_lane];
                const float rhs_2 = red[red_lane + 16];
                red[red_lane] = lhs_2 + rhs_2;
              }
              __syncthreads();
              if (red_lane < 8) {
                const float lhs_3 = red[red_lane];
                const float rhs_3 = red[red_lane + 8];
                red[red_lane] = lhs_3 + rhs_3;
              }
              __syncthreads();
              if (red_lane < 4) {
                const float lhs_4 = red[red_lane];
                const float rhs_4 = red[red_lane + 4];
                red[red_lane] = lhs_4 + rhs_4;
              }
              __syncthreads();
              if (red_lane < 2) {
                const float lhs_5 = red[red_lane];
                const float rhs_5 = red[red_lane + 2];
                red[red_lane] = lhs_5 + rhs_5;
              }
              __syncthreads();
              if (red_lane < 1) {
                const float lhs_6 = red[red_lane];
                const float rhs_6 = red[red_lane + 1];
                red[red_lane] = lhs_6 + rhs_6;
              }
              __syncthreads();
              cross_thread[0] = red[0];
              if (tx == 0) {
                sum_shared[0] = cross_thread[0];
              }
              __syncthreads();
              C[cse_v1] = A[cse_v1] / sum_shared[0];
            }
        "#]],
    );
}

/// In each of 8 rounds, 64 threads fill a tile and read what others filled.
fn rounds(read_by_others: bool, guarded: bool) -> ir::Body {
    let mut b = Builder::new("rounds");
    let (len, n, threads) = (b.int(512), b.int(8), b.int(64));
    let (a, c) = (b.param("A", "float32", &[len]), b.param("C", "float32", &[threads]));
    let tx = b.launch("threadIdx.x", "tx", threads);
    let tile = b.alloc("tile", "float32", 64, "shared");
    let sum = b.alloc("sum", "float32", 1, "local");
    let (zero, last) = (b.int(0), b.int(63));
    b.repeat("k", n, |b, k| {
        let (row, lane) = (b.bin(BinaryOp::Mul, k, threads), tx);
        let at = b.bin(BinaryOp::Add, row, lane);
        let mirrored = b.bin(BinaryOp::Sub, last, tx);
        let index = if read_by_others { mirrored } else { tx };
        let half = b.int(32);
        let few = b.bin(BinaryOp::Lt, tx, half);
        let work = |b: &mut Builder| {
            let value = b.load(a, at);
            b.store(tile, tx, value);
            let (old, new) = (b.load(sum, zero), b.load(tile, index));
            let value = b.bin(BinaryOp::Add, old, new);
            b.store(sum, zero, value);
        };
        if guarded { b.when(few, work) } else { work(b) }
    });
    let value = b.load(sum, zero);
    b.store(c, tx, value);
    b.body
}

#[test]
fn barriers_stand_between_writers_and_readers_also_around_a_loop() {
    check(
        &rounds(true, false),
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(64) rounds_kernel(const float* __restrict__ A, float* __restrict__ C) {
          __shared__ __align__(16) float tile[64];
          const int tx = (int)threadIdx.x;
          float sum[1];
          for (int k = 0; k < 8; ++k) {
            __syncthreads();
            tile[tx] = A[k * 64 + tx];
            __syncthreads();
            sum[0] = sum[0] + tile[63 - tx];
          }
          C[tx] = sum[0];
        }
    "#]],
    );
}

#[test]
fn a_thread_that_reads_its_own_needs_no_barrier() {
    let text = device_code(&rounds(false, false), Target::Cuda, &Options::default());
    assert!(!text.expect("supported")[0].text.contains("__syncthreads"));
}

#[test]
fn an_exchange_among_some_threads_only_is_refused_unless_they_keep_apart() {
    // Threads 0..32 write 0..32 and read 32..64, which nobody writes.
    assert!(device_code(&rounds(true, true), Target::Cuda, &Options::default()).is_ok());
    let mut body = rounds(true, true);
    let wide = body.int(64, ir::DataType::INT32);
    for op in body.ops.ids().collect::<Vec<_>>() {
        if body.ops[op].kind == ir::OpKind::If {
            let condition = body.ops[op].operands[0];
            let ir::ExprKind::Binary(it, tx, _) = body.expr(condition).kind else { continue };
            let product = body.binary(BinaryOp::Mul, tx, tx);
            body.ops[op].operands[0] = body.binary(it, product, wide);
        }
    }
    // Threads 0..8 still keep apart; a condition on memory does not say which threads pass.
    assert!(device_code(&body, Target::Cuda, &Options::default()).is_ok());
    let input = body.params[0].buffer.expect("a buffer");
    for op in body.ops.ids().collect::<Vec<_>>() {
        if body.ops[op].kind == ir::OpKind::If {
            let condition = body.ops[op].operands[0];
            let ir::ExprKind::Binary(it, product, _) = body.expr(condition).kind else { continue };
            let load = body.load(input, &[product], None);
            let one = body.float(1.0, ir::DataType::FLOAT32);
            body.ops[op].operands[0] = body.binary(it, load, one);
        }
    }
    let refused = device_code(&body, Target::Cuda, &Options::default()).expect_err("refused");
    assert_eq!(refused[0].reason, "shared-hazard-in-divergent-flow");
}

#[test]
fn copies_of_a_name_have_names_of_their_own() {
    let mut builder = Builder::new("twice");
    let two = builder.int(2);
    let a = builder.param("A", "float32", &[two]);
    builder.launch("threadIdx.x", "tx", two);
    builder.repeat("i", two, |b, i| {
        let loaded = b.load(a, i);
        let op = b.body.push_op(b.block, ir::OpKind::Bind, &[loaded]);
        let x = b.body.push_result(op, "x", ir::DataType::FLOAT32.into());
        let x = b.body.value_expr(x);
        let twice = b.bin(BinaryOp::Add, x, x);
        b.store(a, i, twice);
    });
    let ops: Vec<ir::OpId> = builder.body.ops_preorder().collect();
    for op in ops {
        if let ir::OpKind::For(_) = builder.body.ops[op].kind {
            builder.body.ops[op].kind = ir::OpKind::For(ir::ForKind::Unrolled);
        }
    }
    check(
        &builder.body,
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(2) twice_kernel(float* __restrict__ A) {
          const int tx = (int)threadIdx.x;
          const float x = A[0];
          A[0] = x + x;
          const float x_1 = A[1];
          A[1] = x_1 + x_1;
        }
    "#]],
    );
}
