//! Kernels as they are written out.

mod cancelled;
mod growth;
mod hip;
mod host;
mod inputs;
mod narrow_and_wide;

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

/// A block with more shared memory than some devices have.
fn large_block() -> ir::Body {
    let mut b = Builder::new("large");
    let (len, threads) = (b.int(64), b.int(64));
    let c = b.param("C", "float32", &[len]);
    let tx = b.launch("threadIdx.x", "tx", threads);
    let tile = b.alloc("tile", "float32", 20_000, "shared");
    let one = b.f32(1.0);
    let stride = b.int(317);
    let at = b.bin(BinaryOp::Mul, tx, stride);
    b.store(tile, at, one);
    let value = b.load(tile, at);
    b.store(c, tx, value);
    b.body
}

#[test]
fn shared_memory_is_held_against_the_architecture() {
    let code = |spec| {
        let (target, options) = crate::TargetOptions::parse(spec).expect("settings");
        device_code(&large_block(), target, &Options::default().with(&options))
            .map_err(|reasons| format!("{}: {}", reasons[0].reason, reasons[0].detail))
    };
    assert!(code("cuda:arch=sm_80").is_ok());
    let refused = |spec| code(spec).expect_err("it does not fit");
    expect!["shared-memory-size: 79888 bytes of shared memory; sm_75 takes 65536"]
        .assert_eq(&refused("cuda:arch=sm_75"));
    expect!["shared-memory-size: 79888 bytes of shared memory; `shared-memory` allows 16384"]
        .assert_eq(&refused("cuda:shared-memory=16K"));
    expect!["shared-memory-size: 79888 bytes of shared memory; wgsl takes 32768"]
        .assert_eq(&refused("wgsl"));
}

#[test]
fn wide_indices_are_refused_where_narrow_ones_are_asked_for() {
    let code = |spec| {
        let (target, options) = crate::TargetOptions::parse(spec).expect("settings");
        device_code(&add_dynamic("add", "A", 0.5), target, &Options::default().with(&options))
            .map_err(|reasons| format!("{}: {}", reasons[0].reason, reasons[0].detail))
    };
    assert!(code("cuda").is_ok());
    expect!["index-width: an index of `C` is `int64` and not shown to fit 32 bits"]
        .assert_eq(&code("cuda:index-bits=32").expect_err("n is 64 bits wide"));
}

/// In each of 8 rounds, 64 threads fill a tile and read elements of other threads.
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
    assert_eq!(refused[0].reason.name(), "shared-hazard-in-divergent-flow");
}

/// A step of a scan: threads from 1 on add the value of the thread before them.
fn scan(distance: i64) -> ir::Body {
    let mut b = Builder::new("scan");
    let threads = b.int(64);
    let (a, c) = (b.param("A", "float32", &[threads]), b.param("C", "float32", &[threads]));
    let tx = b.launch("threadIdx.x", "tx", threads);
    let tile = b.alloc("tile", "float32", 64, "shared");
    let value = b.load(a, tx);
    b.store(tile, tx, value);
    let distance = b.int(distance);
    let others = b.bin(BinaryOp::Le, distance, tx);
    b.when(others, |b| {
        let before = b.bin(BinaryOp::Sub, tx, distance);
        let (own, other) = (b.load(tile, tx), b.load(tile, before));
        let value = b.bin(BinaryOp::Add, own, other);
        b.store(tile, tx, value);
    });
    let value = b.load(tile, tx);
    b.store(c, tx, value);
    b.body
}

#[test]
fn all_threads_read_before_one_writes_in_the_same_statement() {
    check(
        &scan(1),
        Target::OpenCl,
        expect![[r#"
        #pragma OPENCL FP_CONTRACT OFF

        __kernel __attribute__((reqd_work_group_size(64, 1, 1))) void scan_kernel(__global const float* restrict A, __global float* restrict C) {
          __local float tile[64] __attribute__((aligned(16)));
          const int tx = (int)get_local_id(0);
          tile[tx] = A[tx];
          barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
          const float exchanged = 1 <= tx ? tile[tx] + tile[tx - 1] : 0.0f;
          barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
          if (1 <= tx) {
            tile[tx] = exchanged;
          }
          C[tx] = tile[tx];
        }
    "#]],
    );
    // What a thread reads is its own.
    let text = device_code(&scan(0), Target::OpenCl, &Options::default()).expect("supported");
    assert!(!text[0].text.contains("barrier"), "{}", text[0].text);
}

/// Each of `groups` rows of `size` threads adds its numbers, and all get the sum.
fn group_sums(groups: i64, size: i64) -> ir::Body {
    let mut b = Builder::new("sums");
    let (len, rows, columns) = (b.int(groups * size), b.int(groups), b.int(size));
    let (a, c) = (b.param("A", "float32", &[len]), b.param("C", "float32", &[len]));
    let ty = b.launch("threadIdx.y", "ty", rows);
    let tx = b.launch("threadIdx.x", "tx", columns);
    let cross = b.alloc("cross", "float32", 1, "local");
    let zero = b.int(0);
    let row = b.bin(BinaryOp::Mul, ty, columns);
    let index = b.bin(BinaryOp::Add, row, tx);
    let (value, result) = (b.load(a, index), b.load(cross, zero));
    b.allreduce_sum(value, result, tx);
    let sum = b.load(cross, zero);
    b.store(c, index, sum);
    b.body
}

#[test]
fn a_group_within_a_warp_is_reduced_by_shuffles() {
    check(
        &group_sums(16, 4),
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(64) sums_kernel(const float* __restrict__ A, float* __restrict__ C) {
          const int ty = (int)threadIdx.y;
          const int tx = (int)threadIdx.x;
          float cross[1];
          const int cse_v1 = ty * 4 + tx;
          const int red_lane = tx;
          const float red_value = A[cse_v1];
          const float red_other = __shfl_down_sync(4294967295u, red_value, 2, 32);
          const float red_value_1 = red_lane < 2 ? red_value + red_other : red_value;
          const float red_other_1 = __shfl_down_sync(4294967295u, red_value_1, 1, 32);
          const float red_value_2 = red_lane < 1 ? red_value_1 + red_other_1 : red_value_1;
          const float red_result = __shfl_sync(4294967295u, red_value_2, 0, 4);
          cross[0] = red_result;
          C[cse_v1] = cross[0];
        }
    "#]],
    );
}

#[test]
fn a_group_of_warps_is_reduced_by_shared_memory_and_then_by_shuffles() {
    check(
        &group_sums(2, 64),
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(128) sums_kernel(const float* __restrict__ A, float* __restrict__ C) {
          __shared__ __align__(16) float red[128];
          const int ty = (int)threadIdx.y;
          const int tx = (int)threadIdx.x;
          float cross[1];
          const int cse_v1 = ty * 64 + tx;
          const int red_lane = tx;
          const int red_first = ty * 64;
          const int red_slot = red_first + red_lane;
          red[red_slot] = A[cse_v1];
          __syncthreads();
          if (red_lane < 32) {
            const float lhs = red[red_slot];
            const float rhs = red[red_slot + 32];
            red[red_slot] = lhs + rhs;
          }
          const float red_value = red[red_slot];
          const float red_other = __shfl_down_sync(4294967295u, red_value, 16, 32);
          const float red_value_1 = red_lane < 16 ? red_value + red_other : red_value;
          const float red_other_1 = __shfl_down_sync(4294967295u, red_value_1, 8, 32);
          const float red_value_2 = red_lane < 8 ? red_value_1 + red_other_1 : red_value_1;
          const float red_other_2 = __shfl_down_sync(4294967295u, red_value_2, 4, 32);
          const float red_value_3 = red_lane < 4 ? red_value_2 + red_other_2 : red_value_2;
          const float red_other_3 = __shfl_down_sync(4294967295u, red_value_3, 2, 32);
          const float red_value_4 = red_lane < 2 ? red_value_3 + red_other_3 : red_value_3;
          const float red_other_4 = __shfl_down_sync(4294967295u, red_value_4, 1, 32);
          const float red_value_5 = red_lane < 1 ? red_value_4 + red_other_4 : red_value_4;
          if (red_lane < 1) {
            red[red_slot] = red_value_5;
          }
          __syncthreads();
          cross[0] = red[red_first];
          C[cse_v1] = cross[0];
        }
    "#]],
    );
}

#[test]
fn shuffles_give_the_bits_that_the_tree_gives() {
    use interp::{Argument, Array, Options as RunOptions, run};
    for (groups, size) in [(16, 4), (1, 32), (8, 16), (2, 64), (1, 1024), (3, 96), (4, 24), (2, 3)]
    {
        let body = group_sums(groups, size);
        let sets = [Target::OpenCl, Target::Cuda]
            .map(|it| crate::device::kernels_for(&body, it, ir::effects::EffectTable::builtin()));
        assert!(sets.iter().all(|it| it.unsupported.is_empty()));
        let numbers = (0..groups * size).map(|it| (it * 7919 % 1009) as f32 / 7.0 - 50.0);
        let data: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        let array = |data: Vec<u8>| {
            let shape = vec![groups * size];
            Argument::Array(Array { dtype: ir::DataType::FLOAT32, shape, data })
        };
        let arguments = vec![array(data.clone()), array(vec![0; data.len()])];
        let [tree, shuffles] = sets.map(|it| {
            run(&it.body, arguments.clone(), &RunOptions::default()).expect("it runs").arguments
        });
        assert_eq!(tree, shuffles, "{groups} groups of {size}");
    }
}

/// As in a sort by odd and even pairs: each of 4 threads reads and writes a pair of its own, which begins at an odd
/// place in odd rounds.
#[test]
fn pairs_that_begin_at_one_place_in_all_threads_need_no_barrier_inside() {
    let mut b = Builder::new("pairs");
    let (len, four, two, one) = (b.int(9), b.int(4), b.int(2), b.int(1));
    let a = b.param("A", "float32", &[len]);
    let tx = b.launch("threadIdx.x", "tx", four);
    let tile = b.alloc("tile", "float32", 9, "shared");
    let value = b.load(a, tx);
    b.store(tile, tx, value);
    b.repeat("k", len, |b, k| {
        let first = b.bin(BinaryOp::Mul, tx, two);
        let place = b.bin(BinaryOp::Add, first, k);
        let place = b.bin(BinaryOp::FloorMod, place, two);
        let left = b.bin(BinaryOp::Add, first, place);
        let right = b.bin(BinaryOp::Add, left, one);
        let (x, y) = (b.load(tile, left), b.load(tile, right));
        let is_less = b.bin(BinaryOp::Lt, y, x);
        b.when(is_less, |b| {
            b.store(tile, left, y);
            b.store(tile, right, x);
        });
    });
    let value = b.load(tile, tx);
    b.store(a, tx, value);
    check(
        &b.body,
        Target::Cuda,
        expect![[r#"
            extern "C" __global__ void __launch_bounds__(4) pairs_kernel(float* __restrict__ A) {
              __shared__ __align__(16) float tile[9];
              const int tx = (int)threadIdx.x;
              tile[tx] = A[tx];
              __syncthreads();
              for (int k = 0; k < 9; ++k) {
                const int cse_v1 = tx * 2;
                const int cse_v2 = cse_v1 + ((cse_v1 + k) & 1);
                const int cse_v3 = cse_v2 + 1;
                __syncthreads();
                const float cse_v4 = tile[cse_v3];
                if (cse_v4 < tile[cse_v2]) {
                  tile[cse_v2] = cse_v4;
                  tile[cse_v3] = tile[cse_v2];
                }
              }
              __syncthreads();
              A[tx] = tile[tx];
            }
        "#]],
    );
}

#[test]
fn floats_of_8_bits_are_bytes() {
    let mut b = Builder::new("cast");
    let n = b.int(64);
    let (a, c) = (b.param("A", "float16", &[n]), b.param("C", "float8_e4m3fn", &[n]));
    let d = b.param("D", "float32", &[n]);
    let tx = b.launch("threadIdx.x", "tx", n);
    let value = b.load(a, tx);
    let value = b.body.cast(value, ir::DataType::parse("float8_e4m3fn").expect("a type"));
    b.store(c, tx, value);
    let value = b.load(c, tx);
    let value = b.body.cast(value, ir::DataType::FLOAT32);
    b.store(d, tx, value);
    check(
        &b.body,
        Target::Cuda,
        expect![[r##"
        #include <cuda_fp16.h>

        static __device__ __forceinline__ unsigned int tir_max_u32(unsigned int a, unsigned int b) { return a > b ? a : b; }

        extern "C" __global__ void __launch_bounds__(64) cast_kernel(const __half* __restrict__ A, unsigned char* __restrict__ C, float* __restrict__ D) {
          const int tx = (int)threadIdx.x;
          const unsigned int t = ((unsigned int)__float_as_int(__half2float(A[tx])));
          const unsigned int t_1 = (t & 2147483647u) < 1015021568u ? ((unsigned int)__float_as_int(__int_as_float((int)(t & 2147483647u)) + 16384.0f)) - 1182793728u : (tir_max_u32(t & 2147483647u, 1015021568u) - 1006108673u + (((t & 2147483647u) >> 20u) & 1u)) >> 20u;
          C[tx] = (unsigned char)(t_1 > 126u ? 127u : ((t >> 24u) & 128u) | t_1);
          const unsigned int t_2 = (unsigned int)C[tx];
          D[tx] = __int_as_float((int)((t_2 & 127u) == 127u ? 2143289344u : ((t_2 & 128u) << 24u) | ((t_2 & 127u) < 8u ? ((unsigned int)__float_as_int((float)(t_2 & 127u) * 0x1p-9f /* 0.001953125 */)) : ((t_2 & 127u) << 20u) + 1006632960u)));
        }
    "##]],
    );
    for target in [Target::OpenCl, Target::Hip, Target::C, Target::Spirv, Target::Metal] {
        let written = device_code(&b.body, target, &Options::default());
        assert!(written.is_ok(), "{target:?}: {written:?}");
    }
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
