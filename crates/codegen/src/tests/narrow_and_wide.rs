//! Accesses to all lanes of a vector at once, and arithmetic in `float16`.

use expect_test::expect;
use ir::{Attr, BinaryOp, DataType, ExprId, ExprKind};

use super::check;
use crate::{Target, test_bodies::Builder};

/// `C[4 i + offset : … + 4] = A[4 i + offset : … + 4] * A[i]`, four lanes of `dtype` a thread.
fn by_four(dtype: &str, offset: i64, align: Option<i64>) -> ir::Body {
    let mut b = Builder::new("wide");
    let len = b.int(1024);
    let (a, c) = (b.param("A", dtype, &[len]), b.param("C", dtype, &[len]));
    if let Some(align) = align {
        let attr = b.body.attr_dict(vec![("align".into(), Attr::Int(align, None))]);
        b.body.buffers[a].attrs = attr;
    }
    let threads = b.int(64);
    let tx = b.launch("threadIdx.x", "tx", threads);
    let (four, offset) = (b.int(4), b.int(offset));
    let product = b.bin(BinaryOp::Mul, tx, four);
    let base = b.bin(BinaryOp::Add, product, offset);
    let index = ramp(&mut b, base);
    let (load, scale) = (b.load(a, index), b.load(a, tx));
    let four_lanes = DataType::parse(&format!("{dtype}x4")).expect("a dtype");
    let lanes = b.int(4);
    let scale = b.body.make(ExprKind::Broadcast { value: scale, lanes }, four_lanes.into());
    let value = b.bin(BinaryOp::Mul, load, scale);
    b.store(c, index, value);
    b.body
}

fn ramp(b: &mut Builder, base: ExprId) -> ExprId {
    let (stride, lanes) = (b.int(1), b.int(4));
    let ty = DataType::parse("int32x4").expect("a dtype");
    b.body.make(ExprKind::Ramp { base, stride, lanes }, ty.into())
}

#[test]
fn four_lanes_are_one_access_where_the_address_is_aligned() {
    check(
        &by_four("float32", 4, None),
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(64) wide_kernel(const float* __restrict__ A, float* __restrict__ C) {
          const int tx = (int)threadIdx.x;
          const int cse_v1 = tx * 4 + 4;
          __align__(16) float wide[4];
          *(float4*)wide = *(const float4*)(A + cse_v1);
          __align__(16) float wide_1[4];
          wide_1[0] = wide[0] * A[tx];
          wide_1[1] = wide[1] * A[tx];
          wide_1[2] = wide[2] * A[tx];
          wide_1[3] = wide[3] * A[tx];
          *(float4*)(C + cse_v1) = *(float4*)wide_1;
        }
    "#]],
    );
    check(
        &by_four("int8", 4, None),
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(64) wide_kernel(const signed char* __restrict__ A, signed char* __restrict__ C) {
          const int tx = (int)threadIdx.x;
          const int cse_v1 = tx * 4 + 4;
          __align__(4) signed char wide[4];
          *(unsigned int*)wide = *(const unsigned int*)(A + cse_v1);
          __align__(4) signed char wide_1[4];
          wide_1[0] = (signed char)(wide[0] * A[tx]);
          wide_1[1] = (signed char)(wide[1] * A[tx]);
          wide_1[2] = (signed char)(wide[2] * A[tx]);
          wide_1[3] = (signed char)(wide[3] * A[tx]);
          *(unsigned int*)(C + cse_v1) = *(unsigned int*)wide_1;
        }
    "#]],
    );
}

/// `S[4 tx : 4 tx + 4] = T.if_then_else(tx < 4, A[4 tx : 4 tx + 32 : 8], 0)` with shared memory `S`.
fn gathered() -> ir::Body {
    let mut b = Builder::new("gathered");
    let len = b.int(1024);
    let (a, s) = (b.param("A", "float32", &[len]), b.alloc("S", "float32", 1024, "shared"));
    let threads = b.int(64);
    let tx = b.launch("threadIdx.x", "tx", threads);
    let four = b.int(4);
    let base = b.bin(BinaryOp::Mul, tx, four);
    let (to, step) = (ramp(&mut b, base), b.int(8));
    let ty = DataType::parse("int32x4").expect("a dtype");
    let from = b.body.make(ExprKind::Ramp { base, stride: step, lanes: four }, ty.into());
    let load = b.load(a, from);
    let condition = b.bin(BinaryOp::Lt, tx, four);
    let zero = b.f32(0.0);
    let lanes = DataType::parse("float32x4").expect("a dtype");
    let zero = b.body.make(ExprKind::Broadcast { value: zero, lanes: four }, lanes.into());
    let value = b.body.make(ExprKind::IfThenElse(condition, load, zero), lanes.into());
    b.store(s, to, value);
    b.body
}

#[test]
fn lanes_that_are_gathered_under_a_condition_go_to_shared_memory_one_by_one() {
    check(
        &gathered(),
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(64) gathered_kernel(const float* __restrict__ A) {
          __shared__ __align__(16) float S[1024];
          const int tx = (int)threadIdx.x;
          const int cse_v1 = tx * 4;
          S[cse_v1] = tx < 4 ? A[cse_v1] : 0.0f;
          S[cse_v1 + 1] = tx < 4 ? A[cse_v1 + 8] : 0.0f;
          S[cse_v1 + 2] = tx < 4 ? A[cse_v1 + 16] : 0.0f;
          S[cse_v1 + 3] = tx < 4 ? A[cse_v1 + 24] : 0.0f;
        }
    "#]],
    );
}

#[test]
fn four_lanes_are_four_accesses_where_that_is_not_shown() {
    check(
        &by_four("float32", 2, None),
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(64) wide_kernel(const float* __restrict__ A, float* __restrict__ C) {
          const int tx = (int)threadIdx.x;
          const int cse_v1 = tx * 4 + 2;
          C[cse_v1] = A[cse_v1] * A[tx];
          C[cse_v1 + 1] = A[cse_v1 + 1] * A[tx];
          C[cse_v1 + 2] = A[cse_v1 + 2] * A[tx];
          C[cse_v1 + 3] = A[cse_v1 + 3] * A[tx];
        }
    "#]],
    );
    check(
        &by_four("float32", 4, Some(4)),
        Target::Cuda,
        expect![[r#"
        extern "C" __global__ void __launch_bounds__(64) wide_kernel(const float* __restrict__ A, float* __restrict__ C) {
          const int tx = (int)threadIdx.x;
          const int cse_v1 = tx * 4 + 4;
          __align__(16) float wide[4];
          wide[0] = A[cse_v1] * A[tx];
          wide[1] = A[cse_v1 + 1] * A[tx];
          wide[2] = A[cse_v1 + 2] * A[tx];
          wide[3] = A[cse_v1 + 3] * A[tx];
          *(float4*)(C + cse_v1) = *(float4*)wide;
        }
    "#]],
    );
}

/// `C[i] = A[i] * B[i] + max(A[i], B[i])`, and a copy.
#[test]
fn sums_and_products_of_float16_are_computed_as_such() {
    let mut b = Builder::new("half");
    let len = b.int(64);
    let [x, y, z, copy] = ["A", "B", "C", "D"].map(|it| b.param(it, "float16", &[len]));
    let tx = b.launch("threadIdx.x", "tx", len);
    let (one, other) = (b.load(x, tx), b.load(y, tx));
    let product = b.bin(BinaryOp::Mul, one, other);
    let largest = b.bin(BinaryOp::Max, one, other);
    let sum = b.bin(BinaryOp::Add, product, largest);
    b.store(z, tx, sum);
    b.store(copy, tx, one);
    check(
        &b.body,
        Target::Cuda,
        expect![[r##"
        #include <cuda_fp16.h>

        static __device__ __forceinline__ float tir_max_f32(float a, float b) { return a > b ? a : b; }

        extern "C" __global__ void __launch_bounds__(64) half_kernel(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, __half* __restrict__ D) {
          const int tx = (int)threadIdx.x;
          const float cse_v1 = __half2float(A[tx]);
          const float cse_v2 = __half2float(B[tx]);
          C[tx] = __hadd_rn(__hmul_rn(__float2half_rn(cse_v1), __float2half_rn(cse_v2)), __float2half_rn(tir_max_f32(cse_v1, cse_v2)));
          D[tx] = __float2half_rn(cse_v1);
        }
    "##]],
    );
    check(
        &b.body,
        Target::OpenCl,
        expect![[r#"
        #pragma OPENCL FP_CONTRACT OFF

        static float tir_f16_value(ushort b) { return vload_half(0, (const __private half*)&b); }
        static ushort tir_f16_bits(float x) {
          ushort b;
          vstore_half_rte(x, 0, (__private half*)&b);
          return b;
        }
        static float tir_round_f16(float x) { return tir_f16_value(tir_f16_bits(x)); }
        static float tir_max_f32(float a, float b) { return a > b ? a : b; }

        __kernel __attribute__((reqd_work_group_size(64, 1, 1))) void half_kernel(__global const half* restrict A, __global const half* restrict B, __global half* restrict C, __global half* restrict D) {
          const int tx = (int)get_local_id(0);
          const float cse_v1 = vload_half(tx, A);
          const float cse_v2 = vload_half(tx, B);
          vstore_half_rte(tir_round_f16(cse_v1 * cse_v2) + tir_max_f32(cse_v1, cse_v2), tx, C);
          vstore_half_rte(cse_v1, tx, D);
        }
    "#]],
    );
}
