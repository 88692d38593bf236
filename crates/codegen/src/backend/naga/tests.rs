//! Kernels in WGSL as they are written out, and the extra features of the other two languages.

use expect_test::{Expect, expect};
use ir::{BinaryOp, DataType};

use crate::{
    Options, Target, device_code,
    test_bodies::{Builder, add_dynamic, normalize_rows},
};

fn text(body: &ir::Body, target: Target) -> String {
    match device_code(body, target, &Options::default()) {
        Ok(sources) => sources.into_iter().map(|it| it.text).collect::<Vec<_>>().join("\n"),
        Err(reasons) => {
            let lines = reasons.iter().map(|it| format!("{}: {}\n", it.reason, it.detail));
            lines.collect()
        }
    }
}

#[track_caller]
fn check(body: &ir::Body, target: Target, expected: Expect) {
    expected.assert_eq(&text(body, target));
}

/// `C[i] = value(A[i])` by 64 threads.
fn map(dtype: &str, value: impl FnOnce(&mut Builder, ir::ExprId) -> ir::ExprId) -> ir::Body {
    let mut b = Builder::new("map");
    let n = b.int(64);
    let (a, c) = (b.param("A", dtype, &[n]), b.param("C", dtype, &[n]));
    let tx = b.launch("threadIdx.x", "tx", n);
    let load = b.load(a, tx);
    let value = value(&mut b, load);
    b.store(c, tx, value);
    b.body
}

#[test]
fn a_guarded_sum_over_a_dynamic_extent() {
    check(
        &add_dynamic("add", "A", 0.1),
        Target::Wgsl,
        expect![[r#"
            struct KernelArguments {
                n_arg: i32,
            }

            @group(0) @binding(0)
            var<storage> A: array<f32>;
            @group(0) @binding(1)
            var<storage, read_write> C: array<f32>;
            @group(0) @binding(2)
            var<uniform> arguments: KernelArguments;

            @compute @workgroup_size(1024, 1, 1)
            fn add_kernel(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) thread: vec3<u32>) {
                let n = arguments.n_arg;
                let blockIdx_x = i32(block.x);
                let threadIdx_x = i32(thread.x);
                let cse_v1 = ((blockIdx_x * 1024i) + threadIdx_x);
                if (cse_v1 < n) {
                    let _e16 = A[cse_v1];
                    C[cse_v1] = (_e16 + 0.1f);
                }
            }
        "#]],
    );
    check(
        &add_dynamic("add", "A", 0.1),
        Target::Metal,
        expect![[r#"
            // language: metal2.3
            #include <metal_stdlib>
            #include <simd/simd.h>

            using metal::uint;

            struct _mslBufferSizes {
                uint size0;
                uint size1;
            };

            typedef float type_1[1];
            struct KernelArguments {
                long n_arg;
                char _pad1[8];
            };

            struct add_kernelInput {
            };
            [[max_total_threads_per_threadgroup(1024)]] kernel void add_kernel(
              metal::uint3 block [[threadgroup_position_in_grid]]
            , metal::uint3 thread_1 [[thread_position_in_threadgroup]]
            , device type_1 const& A [[buffer(0)]]
            , device type_1& C [[buffer(1)]]
            , constant KernelArguments& arguments [[buffer(2)]]
            , constant _mslBufferSizes& _buffer_sizes [[buffer(3)]]
            ) {
                long n = arguments.n_arg;
                long blockIdx_x = static_cast<long>(block.x);
                int threadIdx_x = static_cast<int>(thread_1.x);
                long cse_v1 = as_type<long>(as_type<ulong>(as_type<long>(as_type<ulong>(blockIdx_x) * as_type<ulong>(1024L))) + as_type<ulong>(static_cast<long>(threadIdx_x)));
                if (cse_v1 < n) {
                    float _e18 = A[static_cast<int>(cse_v1)];
                    C[static_cast<int>(cse_v1)] = _e18 + 0.1;
                }
            }
        "#]],
    );
}

#[test]
fn a_reduction_over_threads_has_workgroup_memory_and_barriers() {
    check(
        &normalize_rows(),
        Target::Wgsl,
        expect![[r#"
            @group(0) @binding(0)
            var<storage> A: array<f32>;
            @group(0) @binding(1)
            var<storage, read_write> C: array<f32>;
            var<workgroup> red: array<f32, 100>;
            var<workgroup> sum_shared: array<f32, 1>;

            @compute @workgroup_size(100, 1, 1)
            fn normalize_kernel(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) thread: vec3<u32>) {
                var in_thread: array<f32, 1>;
                var cross_thread: array<f32, 1>;

                let bx = i32(block.x);
                let tx = i32(thread.x);
                let cse_v1 = ((bx * 100i) + tx);
                let _e16 = A[cse_v1];
                in_thread[0i] = _e16;
                let _e21 = in_thread[0i];
                red[tx] = _e21;
                storageBarrier();
                workgroupBarrier();
                if (tx < 36i) {
                    let lhs = red[tx];
                    let rhs = red[(tx + 64i)];
                    red[tx] = (lhs + rhs);
                }
                storageBarrier();
                workgroupBarrier();
                if (tx < 32i) {
                    let lhs_1 = red[tx];
                    let rhs_1 = red[(tx + 32i)];
                    red[tx] = (lhs_1 + rhs_1);
                }
                storageBarrier();
                workgroupBarrier();
                if (tx < 16i) {
                    let lhs_2 = red[tx];
                    let rhs_2 = red[(tx + 16i)];
                    red[tx] = (lhs_2 + rhs_2);
                }
                storageBarrier();
                workgroupBarrier();
                if (tx < 8i) {
                    let lhs_3 = red[tx];
                    let rhs_3 = red[(tx + 8i)];
                    red[tx] = (lhs_3 + rhs_3);
                }
                storageBarrier();
                workgroupBarrier();
                if (tx < 4i) {
                    let lhs_4 = red[tx];
                    let rhs_4 = red[(tx + 4i)];
                    red[tx] = (lhs_4 + rhs_4);
                }
                storageBarrier();
                workgroupBarrier();
                if (tx < 2i) {
                    let lhs_5 = red[tx];
                    let rhs_5 = red[(tx + 2i)];
                    red[tx] = (lhs_5 + rhs_5);
                }
                storageBarrier();
                workgroupBarrier();
                if (tx < 1i) {
                    let lhs_6 = red[tx];
                    let rhs_6 = red[(tx + 1i)];
                    red[tx] = (lhs_6 + rhs_6);
                }
                storageBarrier();
                workgroupBarrier();
                let _e95 = red[0i];
                cross_thread[0i] = _e95;
                if (tx == 0i) {
                    let _e102 = cross_thread[0i];
                    sum_shared[0i] = _e102;
                }
                storageBarrier();
                workgroupBarrier();
                let _e106 = A[cse_v1];
                let _e109 = sum_shared[0i];
                C[cse_v1] = (_e106 / _e109);
            }
        "#]],
    );
}

#[test]
fn bytes_share_words() {
    let body = map("int8", |b, it| {
        let three = b.body.int(3, DataType::int(8));
        b.bin(BinaryOp::Mul, it, three)
    });
    check(
        &body,
        Target::Wgsl,
        expect![[r#"
            @group(0) @binding(0)
            var<storage> A: array<u32>;
            @group(0) @binding(1)
            var<storage, read_write> C: array<atomic<u32>>;

            @compute @workgroup_size(64, 1, 1)
            fn map_kernel(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) thread: vec3<u32>) {
                let tx = i32(thread.x);
                let _e6 = u32(tx);
                let _e14 = A[(_e6 >> 2u)];
                let _e27 = u32(tx);
                let _e33 = ((_e27 & 3u) * 8u);
                let _e41 = atomicAnd((&C[(_e27 >> 2u)]), ~((255u << _e33)));
                let _e42 = atomicOr((&C[(_e27 >> 2u)]), ((bitcast<u32>((((((bitcast<i32>(((_e14 >> ((_e6 & 3u) * 8u)) & 255u)) << 24u) >> 24u) * 3i) << 24u) >> 24u)) & 255u) << _e33));
            }
        "#]],
    );
}

#[test]
fn half_floats_are_rounded_after_each_operation() {
    let double = |b: &mut Builder, it| b.bin(BinaryOp::Add, it, it);
    check(
        &map("float16", double),
        Target::Wgsl,
        expect![[r#"
            enable f16;

            @group(0) @binding(0)
            var<storage> A: array<f16>;
            @group(0) @binding(1)
            var<storage, read_write> C: array<f16>;

            @compute @workgroup_size(64, 1, 1)
            fn map_kernel(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) thread: vec3<u32>) {
                let tx = i32(thread.x);
                let _e7 = A[tx];
                let cse_v1 = f32(_e7);
                C[tx] = f16(f32(f16((cse_v1 + cse_v1))));
            }
        "#]],
    );
    check(
        &map("bfloat16", double),
        Target::Metal,
        expect![[r#"
        // language: metal2.3
        #include <metal_stdlib>
        #include <simd/simd.h>

        using metal::uint;

        struct type_1 {
            ushort inner[64];
        };

        struct map_kernelInput {
        };
        [[max_total_threads_per_threadgroup(64)]] kernel void map_kernel(
          metal::uint3 block [[threadgroup_position_in_grid]]
        , metal::uint3 thread_1 [[thread_position_in_threadgroup]]
        , device type_1 const& A [[buffer(0)]]
        , device type_1& C [[buffer(1)]]
        ) {
            int tx = static_cast<int>(thread_1.x);
            ushort _e7 = A.inner[tx];
            float cse_v1 = as_type<float>(static_cast<uint>(_e7) << 16u);
            uint _e13 = as_type<uint>(cse_v1 + cse_v1);
            C.inner[tx] = static_cast<ushort>(as_type<uint>(as_type<float>(((_e13 & 2147483647u) > 2139095040u) ? 2143289344u : (((_e13 + 32767u) + ((_e13 >> 16u) & 1u)) & 4294901760u))) >> 16u);
        }
    "#]],
    );
}

#[test]
fn constants_that_are_not_finite_are_made_of_bits() {
    let body = map("float32", |b, it| {
        let infinity = b.f32(f64::NEG_INFINITY);
        b.bin(BinaryOp::Max, it, infinity)
    });
    check(
        &body,
        Target::Wgsl,
        expect![[r#"
            @group(0) @binding(0)
            var<storage> A: array<f32>;
            @group(0) @binding(1)
            var<storage, read_write> C: array<f32>;

            @compute @workgroup_size(64, 1, 1)
            fn map_kernel(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) thread: vec3<u32>) {
                var bits: u32;

                let tx = i32(thread.x);
                let _e7 = A[tx];
                bits = 4286578688u;
                let _e10 = bits;
                let _e11 = bitcast<f32>(_e10);
                C[tx] = select(_e11, _e7, (_e7 > _e11));
            }
        "#]],
    );
}

#[test]
fn memory_read_is_executed_only_in_the_chosen_arm() {
    let mut b = Builder::new("pad");
    let (n, m) = (b.int(64), b.int(60));
    let (a, c) = (b.param("A", "float32", &[m]), b.param("C", "float32", &[n]));
    let tx = b.launch("threadIdx.x", "for", n);
    let inside = b.bin(BinaryOp::Lt, tx, m);
    let (load, zero) = (b.load(a, tx), b.f32(0.0));
    let value = b.body.if_then_else(inside, load, zero);
    b.store(c, tx, value);
    check(
        &b.body,
        Target::Wgsl,
        expect![[r#"
            @group(0) @binding(0)
            var<storage> A: array<f32>;
            @group(0) @binding(1)
            var<storage, read_write> C: array<f32>;

            @compute @workgroup_size(64, 1, 1)
            fn pad_kernel(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) thread: vec3<u32>) {
                var chosen: f32;

                let for_1 = i32(thread.x);
                if (for_1 < 60i) {
                    let _e10 = A[for_1];
                    chosen = _e10;
                } else {
                    chosen = 0f;
                }
                let _e12 = chosen;
                C[for_1] = _e12;
            }
        "#]],
    );
}

#[test]
fn division_rounds_down() {
    let body = map("int32", |b, it| {
        let seven = b.int(7);
        b.bin(BinaryOp::FloorDiv, it, seven)
    });
    check(
        &body,
        Target::Wgsl,
        expect![[r#"
            @group(0) @binding(0)
            var<storage> A: array<i32>;
            @group(0) @binding(1)
            var<storage, read_write> C: array<i32>;

            @compute @workgroup_size(64, 1, 1)
            fn map_kernel(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) thread: vec3<u32>) {
                let tx = i32(thread.x);
                let _e7 = A[tx];
                let _e10 = (_e7 % 7i);
                let _e16 = (_e7 / 7i);
                C[tx] = select(_e16, (_e16 - 1i), ((_e10 != 0i) && ((_e10 < 0i) != (7i < 0i))));
            }
        "#]],
    );
}

#[test]
fn missing_feature_is_refused_by_name() {
    let same = |_: &mut Builder, it| it;
    check(
        &map("float64", same),
        Target::Wgsl,
        expect![[r#"
        dtype: `float64` has no type in this language
    "#]],
    );
    check(
        &map("int64", same),
        Target::Wgsl,
        expect![[r#"
        dtype: `int64` has no type in this language
    "#]],
    );
    check(
        &map("float64", same),
        Target::Metal,
        expect![[r#"
        dtype: `float64` has no type in this language
    "#]],
    );
    check(
        &map("float6_e2m3fn", same),
        Target::Spirv,
        expect![[r#"
        dtype: `float6_e2m3fn` has no type in this language
    "#]],
    );
    let mut b = Builder::new("large");
    let (many, one) = (b.int(70_000), b.int(1));
    let c = b.param("C", "int32", &[many]);
    let bx = b.launch("blockIdx.x", "bx", many);
    let _ = b.launch("threadIdx.x", "tx", one);
    b.store(c, bx, bx);
    check(
        &b.body,
        Target::Spirv,
        expect![[r#"
        grid-size: `blockIdx.x` has 70000 blocks, of 65535
    "#]],
    );
}

/// A product that does not fit 32 bits is refused where it is compared, and not where only its low half matters.
#[test]
fn integers_of_64_bits_are_narrowed_where_that_is_shown_to_be_right() {
    let mut b = Builder::new("product");
    let n = b.symbol("n");
    let len = b.int(64);
    let c = b.param("C", "float32", &[n]);
    let tx = b.launch("threadIdx.x", "tx", len);
    let square = b.bin(BinaryOp::Mul, n, n);
    let guard = b.bin(BinaryOp::Lt, square, n);
    b.when(guard, |b| {
        let zero = b.f32(0.0);
        b.store(c, tx, zero);
    });
    check(
        &b.body,
        Target::Wgsl,
        expect![[r#"
        int64: a value of `int64` is not shown to fit 32 bits
    "#]],
    );
    assert!(text(&b.body, Target::Spirv).contains("i64"));
}

/// naga's writers recurse over expressions that are written in place.
#[test]
fn a_deep_expression_is_written_in_pieces() {
    let body = map("int32", |b, it| {
        let mut sum = it;
        for step in 0..5_000 {
            let step = b.int(step);
            sum = b.bin(BinaryOp::Add, sum, step);
            sum = b.bin(BinaryOp::BitXor, sum, it);
        }
        sum
    });
    for target in [Target::Spirv, Target::Wgsl, Target::Metal] {
        let text = text(&body, target);
        assert!(text.lines().count() > 400, "{}", &text[..text.len().min(400)]);
    }
}

/// The entry symbol and the names are not in the binary: it is the same for every text of the function.
#[test]
fn a_binary_has_no_names() {
    let binary = |name: &str, input: &str| {
        let sources =
            device_code(&add_dynamic(name, input, 0.1), Target::Spirv, &Options::default());
        sources.expect("it has a kernel").remove(0).binary
    };
    let words = binary("add", "A");
    assert_eq!(words[0], 0x0723_0203);
    assert_eq!(words, binary("sum", "input"));
}

/// The lines that operations begin, with the number of each.
#[track_caller]
fn check_lines(body: &ir::Body, target: Target, expected: &Expect) {
    let sources = device_code(body, target, &Options::default()).expect("code");
    let mut shown = String::new();
    for source in &sources {
        for (line, op) in &source.lines {
            let text = source.text.lines().nth(*line as usize - 1).unwrap_or_default();
            shown.push_str(&format!("{op}: {}\n", text.trim()));
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn operations_know_the_lines_that_they_begin() {
    let body = add_dynamic("add", "A", 0.1);
    check_lines(
        &body,
        Target::Spirv,
        &expect![[r#"
            2: if (cse_v1 < n) {
            3: let _e18 = A[i32(cse_v1)];
        "#]],
    );
    check_lines(
        &body,
        Target::Wgsl,
        &expect![[r#"
            2: if (cse_v1 < n) {
            3: let _e16 = A[cse_v1];
        "#]],
    );
    check_lines(
        &body,
        Target::Metal,
        &expect![[r#"
            2: if (cse_v1 < n) {
            3: float _e18 = A[static_cast<int>(cse_v1)];
        "#]],
    );
}

#[test]
fn lines_are_known_around_loops_and_barriers() {
    check_lines(
        &normalize_rows(),
        Target::Metal,
        &expect![[r#"
            5: float _e16 = A.inner[cse_v1];
            7: float _e21 = in_thread.inner[0];
            7: if (tx < 36) {
            7: float lhs = red.inner[tx];
            7: float rhs = red.inner[as_type<int>(as_type<uint>(tx) + as_type<uint>(64))];
            7: red.inner[tx] = lhs + rhs;
            7: if (tx < 32) {
            7: float lhs_1 = red.inner[tx];
            7: float rhs_1 = red.inner[as_type<int>(as_type<uint>(tx) + as_type<uint>(32))];
            7: red.inner[tx] = lhs_1 + rhs_1;
            7: if (tx < 16) {
            7: float lhs_2 = red.inner[tx];
            7: float rhs_2 = red.inner[as_type<int>(as_type<uint>(tx) + as_type<uint>(16))];
            7: red.inner[tx] = lhs_2 + rhs_2;
            7: if (tx < 8) {
            7: float lhs_3 = red.inner[tx];
            7: float rhs_3 = red.inner[as_type<int>(as_type<uint>(tx) + as_type<uint>(8))];
            7: red.inner[tx] = lhs_3 + rhs_3;
            7: if (tx < 4) {
            7: float lhs_4 = red.inner[tx];
            7: float rhs_4 = red.inner[as_type<int>(as_type<uint>(tx) + as_type<uint>(4))];
            7: red.inner[tx] = lhs_4 + rhs_4;
            7: if (tx < 2) {
            7: float lhs_5 = red.inner[tx];
            7: float rhs_5 = red.inner[as_type<int>(as_type<uint>(tx) + as_type<uint>(2))];
            7: red.inner[tx] = lhs_5 + rhs_5;
            7: if (tx < 1) {
            7: float lhs_6 = red.inner[tx];
            7: float rhs_6 = red.inner[as_type<int>(as_type<uint>(tx) + as_type<uint>(1))];
            7: red.inner[tx] = lhs_6 + rhs_6;
            7: float _e95 = red.inner[0];
            8: if (tx == 0) {
            9: float _e102 = cross_thread.inner[0];
            10: float _e106 = A.inner[cse_v1];
        "#]],
    );
}
