//! HIP: the text is CUDA C++ with other headers. No compiler of AMD is needed: a C++ compiler reads it, with a header
//! that declares the names in the text.

use std::{fs, process::Command};

use ir::{BinaryOp, DataType, ExprKind};

use crate::{
    Options, Target, device_code,
    test_bodies::{Builder, add_dynamic, normalize_rows},
};

fn text(body: &ir::Body) -> String {
    let sources = device_code(body, Target::Hip, &Options::default()).expect("supported");
    sources.into_iter().map(|it| it.text).collect()
}

/// `C[i] = A[i] * B[i] + A[i]` of two narrow types.
fn narrow() -> ir::Body {
    let mut b = Builder::new("narrow");
    let len = b.int(64);
    let (a, c) = (b.param("A", "float16", &[len]), b.param("C", "bfloat16", &[len]));
    let tx = b.launch("threadIdx.x", "tx", len);
    let (value, old) = (b.load(a, tx), b.load(c, tx));
    let sum = b.bin(BinaryOp::Add, value, value);
    let narrow = b.body.make(ExprKind::Cast(sum), DataType::parse("bfloat16").expect("").into());
    let product = b.bin(BinaryOp::Mul, narrow, old);
    b.store(c, tx, product);
    b.body
}

#[test]
fn the_text_has_the_headers_of_hip() {
    expect_test::expect![[r##"
        #include <hip/hip_runtime.h>
        #pragma clang fp contract(off)
        #if !defined(__align__)
        #define __align__(n) __attribute__((aligned(n)))
        #endif

        extern "C" __global__ void __launch_bounds__(1024) add_kernel(const float* __restrict__ A, float* __restrict__ C, long long n) {
          const long long blockIdx_x = (long long)blockIdx.x;
          const int threadIdx_x = (int)threadIdx.x;
          const long long cse_v1 = blockIdx_x * 1024LL + (long long)threadIdx_x;
          if (cse_v1 < n) {
            C[cse_v1] = A[cse_v1] + 0x1.99999ap-4f /* 0.1 */;
          }
        }
    "##]]
    .assert_eq(&text(&add_dynamic("add", "A", 0.1)));
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_compiler_reads_the_text() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("hip")).expect("a folder");
    for name in ["hip_runtime.h", "hip_fp16.h"] {
        fs::write(folder.path().join("hip").join(name), include_str!("hip_stub.h"))
            .expect("a file");
    }
    for (index, body) in
        [add_dynamic("add", "A", 0.1), normalize_rows(), narrow(), crate::tests::group_sums(1, 32)]
            .iter()
            .enumerate()
    {
        let path = folder.path().join(format!("{index}.cpp"));
        fs::write(&path, text(body)).expect("a file");
        let output = Command::new("c++")
            .args(["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unknown-pragmas"])
            .arg("-I")
            .arg(folder.path())
            .arg(&path)
            .output()
            .expect("a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn groups_of_32_threads_hand_values_to_each_other() {
    let text = text(&crate::tests::group_sums(1, 32));
    let shuffles: Vec<&str> =
        text.lines().filter(|it| it.contains("__shfl")).map(str::trim).collect();
    expect_test::expect![[r#"
        const float red_other = __shfl_down(red_value, 16, 32);
        const float red_other_1 = __shfl_down(red_value_1, 8, 32);
        const float red_other_2 = __shfl_down(red_value_2, 4, 32);
        const float red_other_3 = __shfl_down(red_value_3, 2, 32);
        const float red_other_4 = __shfl_down(red_value_4, 1, 32);
        const float red_result = __shfl(red_value_5, 0, 32);"#]]
    .assert_eq(&shuffles.join("\n"));
}
