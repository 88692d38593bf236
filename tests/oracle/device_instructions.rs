//! Kernels with instructions of tensor cores and of the copy engine: the barriers that code generation places, and the
//! generated code.
//!
//! In: the functions of `tests/instructions`, which have no barriers. Each is executed as code generation leaves it,
//! its threads in several orders, with races looked for: one barrier too few shows. The output is compared with the
//! words of the PTX ISA.

use codegen::{Options as CodeOptions, TargetOptions, device_code, kernels};
use interp::{Argument, Array, OnError, Options, Schedule, run};
use ir::{Body, DataType};

use lower::LowerOptions;

use crate::functions::functions_of;

const SCHEDULES: [Schedule; 4] =
    [Schedule::Lockstep, Schedule::Serial, Schedule::Reverse, Schedule::Random(7)];

/// The functions of a file.
fn bodies(name: &str) -> Vec<Body> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions").join(name);
    let text = std::fs::read_to_string(path).expect("a file");
    let functions = functions_of("case", &text);
    functions.iter().map(|it| it.lowered.body.clone()).collect()
}

fn array(dtype: &str, shape: &[i64], value: impl Fn(usize) -> f64) -> Array {
    let mut array = Array::zeros(DataType::parse(dtype).expect("a data type"), shape);
    (0..array.len()).for_each(|at| array.set_f64(at, value(at)));
    array
}

/// Runs a function with the barriers of code generation; the last argument is the result.
#[track_caller]
fn check_run(file: &str, arguments: &[Array], expected: &[f64]) {
    let lowered = lower::lower(&bodies(file)[0], &LowerOptions::default());
    let set = kernels(&lowered.expect("lowers"));
    assert_eq!(set.unsupported, []);
    for schedule in SCHEDULES {
        let options =
            Options { schedule, on_error: OnError::Event, find_races: true, ..Options::default() };
        let arguments = arguments.iter().cloned().map(Argument::Array).collect();
        let outcome = run(&set.body, arguments, &options).expect("runs");
        let events: Vec<_> =
            outcome.events.iter().map(|it| format!("{}: {}", it.kind.name(), it.detail)).collect();
        assert_eq!(events, Vec::<String>::new(), "{file} {schedule:?}");
        let Some(Argument::Array(result)) = outcome.arguments.last() else { panic!("an array") };
        assert_eq!(result.to_f64s(), expected, "{file} {schedule:?}");
    }
}

/// `m × k` times `k × n`; the second matrix in rows, or in columns.
fn product(a: &[f64], b: &[f64], [m, n, k]: [usize; 3], in_columns: bool) -> Vec<f64> {
    let of_b = |it: usize, j: usize| if in_columns { b[j * k + it] } else { b[it * n + j] };
    let at = |i: usize, j: usize| (0..k).map(|it| a[i * k + it] * of_b(it, j)).sum();
    (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect()
}

#[test]
fn placed_barriers_order_fragments_registers_and_copies() {
    let a = array("float16", &[16, 16], |at| (at * 7 % 23) as f64 - 9.0);
    let b = array("float16", &[16, 16], |at| (at * 5 % 19) as f64 - 8.0);
    let c = array("float32", &[16, 16], |_| -1.0);
    let (x, y) = (a.to_f64s(), b.to_f64s());
    let all = [a, b, c];
    check_run("fragments.py", &all, &product(&x, &y, [16, 16, 16], true));
    check_run("registers.py", &all, &product(&x, &y, [16, 16, 16], false));
    let tall = array("float16", &[32, 16], |at| (at * 11 % 29) as f64 - 13.0);
    let expected = product(&tall.to_f64s(), &y, [32, 16, 16], false);
    let c = array("float32", &[32, 16], |_| -1.0);
    let all = [tall, all[1].clone(), c];
    check_run("warp.py", &all, &expected);
    check_run("parts_registers.py", &all, &expected);
    let a = array("int8", &[4096], |at| (at * 7 % 23) as f64 - 9.0);
    let b = array("int8", &[4096], |at| (at * 5 % 19) as f64 - 8.0);
    let c = array("int32", &[4096], |_| -1.0);
    let expected = product(&a.to_f64s(), &b.to_f64s(), [64, 64, 64], true);
    check_run("fragments_shared.py", &[a, b, c], &expected);
    let small = |dtype, by| array(dtype, &[64, 64], move |at| (at * by % 5) as f64 - 2.0);
    let (a, b) = (small("float16", 7), small("float16", 13));
    let expected = product(&a.to_f64s(), &b.to_f64s(), [64, 64, 64], true);
    check_run("parts.py", &[a, b, small("float16", 1)], &expected);
    let square = |by| array("float32", &[32, 32], move |at| (at * by % 11) as f64 - 5.0);
    let (a, b) = (square(7), square(5));
    let expected = product(&a.to_f64s(), &b.to_f64s(), [32, 32, 32], false);
    check_run("virtual_threads.py", &[a, b, square(1)], &expected);
    let rows = array("float32", &[32, 32], |at| (at % 7) as f64);
    let sums: Vec<f64> = rows.to_f64s().chunks(32).map(|it| it.iter().sum()).collect();
    check_run("reduction.py", &[rows, array("float32", &[32], |_| 0.0)], &sums);
    let a = array("float32", &[1024], |at| at as f64);
    let reversed: Vec<f64> =
        (0..1024).map(|at| (at / 128 * 128 + (31 - at % 128 / 4) * 4 + at % 4) as f64).collect();
    check_run("pipeline.py", &[a, array("float32", &[1024], |_| 0.0)], &reversed);
}

fn cuda(body: &Body, settings: &str) -> Result<String, Vec<(&'static str, String)>> {
    let (target, device) = TargetOptions::parse(settings).expect("settings");
    let sources = device_code(body, target, &CodeOptions::default().with(&device));
    sources
        .map(|it| it.into_iter().map(|it| it.text).collect())
        .map_err(|all| all.into_iter().map(|it| (it.reason.name(), it.detail)).collect())
}

#[test]
fn every_shape_is_written_as_the_isa_has_it() {
    let mut found = Vec::new();
    for body in bodies("shapes.py") {
        let text = cuda(&body, "cuda").expect("CUDA");
        let line = text.lines().find(|it| it.contains("mma.sync")).expect("an instruction");
        found.push(
            line.trim().trim_start_matches("asm volatile(\"").trim_end_matches(";\\n\"").to_owned(),
        );
    }
    expect_test::expect![[r#"
        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5}
        mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10}
        mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6}
        mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9}
        mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}
        mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10}
        mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}
        mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10}
        mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %5}
        mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10}
        mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}
        mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0, %1}, {%2}, {%3}, {%4, %5}
        mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}
        mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0, %1}, {%2}, {%3}, {%4, %5}
        mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}
        mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}"#]].assert_eq(&found.join("\n"));
}

#[test]
fn other_targets_say_who_has_the_instruction() {
    for target in ["hip", "opencl", "c", "spirv", "wgsl", "metal"] {
        for file in ["fragments.py", "registers.py", "pipeline.py", "warp.py"] {
            let refused = cuda(&bodies(file)[0], target).expect_err("no such instruction");
            let is_named = |it: &(&str, String)| it.0 == "nvidia-only" && it.1.contains("`T.");
            assert!(refused.iter().any(is_named), "{target} {file}: {refused:?}");
        }
    }
}

#[test]
fn an_older_architecture_is_refused_with_a_way_out() {
    let refused = cuda(&bodies("pipeline.py")[0], "cuda:arch=sm_75").expect_err("sm_80");
    expect_test::expect![[r#"
        [
            (
                "arch",
                "`cp.async` needs `arch=sm_80`; the target is sm_75",
            ),
        ]"#]]
    .assert_eq(&format!("{refused:#?}"));
    assert!(cuda(&bodies("pipeline.py")[0], "cuda:arch=sm_80").is_ok());
}

/// The registers of a thread lie in a tile of 16 × 16 as two accumulators of `mma` do (PTX ISA, fragments of m16n8k16).
#[test]
fn tiles_of_fragments_are_filled_by_wide_stores_without_barriers_between() {
    let text = cuda(&bodies("parts.py")[0], "cuda:arch=sm_80").expect("a kernel");
    let (from, to) = (text.find("S[(").expect("a store"), text.find("*(uint2*)(V + "));
    let between = &text[from..to.expect("a wide store")];
    assert!(!between.contains("__syncthreads"), "{text}");
    let around = text[..from].rfind("for (int i = 0; ").expect("a loop over rows");
    assert!(!text[around..from].contains("__syncthreads"), "{text}");
}

#[test]
fn virtual_threads_share_what_they_fetch() {
    let text = cuda(&bodies("virtual_threads.py")[0], "cuda").expect("a kernel");
    for part in ["X_shared[256]", "Y_shared[256]", "Z_local[64]"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // One load of each array, and a barrier before and after them in the one loop over the rounds.
    let count = |it: &str| text.matches(it).count();
    assert_eq!([count("= X["), count("= Y["), count("__syncthreads")], [1, 1, 2], "{text}");
}

#[test]
fn a_store_of_registers_is_written() {
    expect_test::expect![[r##"
        #include <cuda_fp16.h>

        static __device__ __forceinline__ void tir_mma_m16n8k16_row_col_f32_f16_f16_f32(void* to, const void* left, const void* right) {
          float* d = (float*)to;
          const unsigned int* a = (const unsigned int*)left;
          const unsigned int* b = (const unsigned int*)right;
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\n"
            : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
        }
        static __device__ __forceinline__ void tir_ldmatrix_x4(void* to, const void* from) {
          unsigned int* d = (unsigned int*)to;
          unsigned int at = (unsigned int)__cvta_generic_to_shared(from);
          asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
            : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
            : "r"(at)
            : "memory");
        }
        static __device__ __forceinline__ void tir_ldmatrix_x4_trans(void* to, const void* from) {
          unsigned int* d = (unsigned int*)to;
          unsigned int at = (unsigned int)__cvta_generic_to_shared(from);
          asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
            : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
            : "r"(at)
            : "memory");
        }
        static __device__ __forceinline__ void tir_mma_fill_f32(float* to, int n) {
          for (int i = 0; i < n; ++i) to[i] = (float)0;
        }
        static __device__ __forceinline__ void tir_mma_store_f32(float* to, const float* from, long long stride) {
          const int lane = (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            to[(lane / 4 + i % 4 / 2 * 8) * stride + (lane % 4 * 2 + i % 2 + i / 4 * 8)] = from[i];
          }
        }

        extern "C" __global__ void __launch_bounds__(32) registers_kernel(const __half* __restrict__ A, const __half* __restrict__ B, float* __restrict__ C) {
          __shared__ __align__(16) __half sa[256];
          __shared__ __align__(16) __half sb[256];
          const int bx = (int)blockIdx.x;
          const int tx = (int)threadIdx.x;
          __half a[8] __attribute__((aligned(16)));
          __half b[8] __attribute__((aligned(16)));
          float c[8] __attribute__((aligned(16)));
          for (int i = 0; i < 8; ++i) {
            const int cse_v1 = i * 32 + tx;
            const int cse_v2 = (cse_v1 >> 4) * 16 + (cse_v1 & 15);
            sa[cse_v1] = A[cse_v2];
            sb[cse_v1] = B[cse_v2];
          }
          tir_mma_fill_f32(c, 8);
          const int cse_v3 = 16 * (tx & 15) + 8 * (tx >> 4);
          __syncthreads();
          tir_ldmatrix_x4(a, sa + cse_v3);
          tir_ldmatrix_x4_trans(b, sb + cse_v3);
          tir_mma_m16n8k16_row_col_f32_f16_f16_f32(c, a, b);
          tir_mma_m16n8k16_row_col_f32_f16_f16_f32(c + 4, a, b + 4);
          tir_mma_store_f32(C, c, 16);
        }
    "##]]
        .assert_eq(&cuda(&bodies("registers.py")[0], "cuda").expect("CUDA"));
}
