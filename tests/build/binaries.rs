//! Binaries: absent compilers are reported, and the compiled output depends on the structure of a kernel, the flags and
//! the compiler, nothing else.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::project::Project;

const MODULE: &str = r#"from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def scale(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32")):
        with T.launch_thread("blockIdx.x", 4) as bx:
            tx = T.launch_thread("threadIdx.x", 1024)
            B[bx * 1024 + tx] = A[bx * 1024 + tx] * T.float32(2.0)

    @T.prim_func
    def fill(B: T.Buffer((4096,), "float32")):
        with T.launch_thread("blockIdx.x", 4) as bx:
            tx = T.launch_thread("threadIdx.x", 1024)
            B[bx * 1024 + tx] = T.float32(1.0)
"#;

/// A build that may end with a code of 1, with its report.
fn build(project: &Project, words: &str) -> (Option<i32>, Value) {
    let words = format!("build kernels --out out --format json {words}");
    let output = project.run(words.trim_end());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|it| panic!("{it}: {errors}")))
}

#[test]
fn absent_compilers_are_told_and_sources_are_written() {
    let project = Project::new();
    project.write("net.py", MODULE);
    fs::create_dir(project.path().join("empty")).expect("a folder");
    let words = "build kernels --out out --emit cubin --cuda-path empty";
    let output = project.run(words);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains(
            "sources are written without binaries: there is neither nvcc nor libnvrtc in "
        ),
        "{errors}"
    );
    assert!(project.path().join("out/cuda/net/scale_kernel.cu").exists());
    assert!(!project.path().join("out/cuda/net/scale_kernel.cubin").exists());
}

/// Compilers whose registers are the letters of their input.
#[cfg(unix)]
fn pretend(project: &Project, version: &str) {
    let folder = project.path().join("cuda/bin");
    tests::pretend::cuda_compilers(&folder, version, "$(wc -c < kernel.ptx)");
}

#[cfg(unix)]
fn compiled(report: &Value) -> (u64, u64) {
    let number = |name: &str| report["compiled"][name].as_u64().expect("a number");
    (number("run"), number("found"))
}

#[cfg(unix)]
#[test]
fn binaries_depend_on_structure_flags_and_compiler() {
    let project = Project::new();
    project.write("net.py", MODULE);
    pretend(&project, "1.0");
    let words = "--emit ptx,cubin --cuda-path cuda";
    let (code, first) = build(&project, words);
    assert_eq!((code, compiled(&first)), (Some(0), (2, 0)));
    let manifest = fs::read(project.path().join("out/cuda/net/module.json")).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    let binary = &manifest["functions"][0]["kernels"][0]["binaries"][1];
    assert_eq!((&binary["kind"], &binary["entry"]), (&json!("cubin"), &json!("tir_kernel")));
    assert_eq!(binary["compiler"], "nvcc V1.0, ptxas V1.0");
    let file = project.path().join("out/cuda").join(binary["file"].as_str().expect("a file"));
    let text = fs::read_to_string(file).expect("a binary");
    assert!(text.contains("tir_kernel(") && !text.contains("scale"), "{text}");
    let log = fs::read_to_string(project.path().join("cuda/bin/log")).expect("a log");
    assert!(log.contains("--fmad=false --gpu-architecture=sm_80 --ptx"), "{log}");

    // Nothing to do; other names; a comment; a file that was lost.
    assert_eq!(compiled(&build(&project, words).1), (0, 0));
    project.write("net.py", &MODULE.replace("tx", "lane").replace("scale", "twice"));
    let (_, renamed) = build(&project, words);
    assert_eq!(compiled(&renamed), (0, 2));
    assert!(project.path().join("out/cuda/net/twice_kernel.cubin").exists());
    assert!(!project.path().join("out/cuda/net/scale_kernel.cubin").exists());
    fs::remove_file(project.path().join("out/cuda/net/twice_kernel.cubin")).expect("it is there");
    assert_eq!(compiled(&build(&project, words).1), (0, 2));
    assert!(project.path().join("out/cuda/net/twice_kernel.cubin").exists());

    // Another body, another architecture, another compiler.
    project.write("net.py", &MODULE.replace("2.0", "3.0"));
    assert_eq!(compiled(&build(&project, words).1), (1, 1));
    let other = format!("{words} --target cuda:arch=sm_90");
    assert_eq!(compiled(&build(&project, &other).1), (2, 0));
    pretend(&project, "2.0");
    assert_eq!(compiled(&build(&project, &other).1), (2, 0));

    // Without the options the binaries go.
    build(&project, "");
    assert!(!project.path().join("out/cuda/net/scale_kernel.ptx").exists());
}

#[cfg(unix)]
#[test]
fn savings_of_cse_are_measured_against_the_kernel_without_it() {
    let project = Project::new();
    project.write("net.py", MODULE);
    pretend(&project, "1.0");
    let words = "--ptxas --cuda-path cuda";
    let (code, report) = build(&project, words);
    // `scale` with and without `cse`, and `fill`, which has nothing in common.
    assert_eq!((code, compiled(&report)), (Some(0), (3, 0)));
    let kernels = &report["kernels"];
    assert_ne!(kernels[0]["binary"]["cse"], "nothing-shared");
    assert_eq!(kernels[1]["binary"]["cse"], "nothing-shared");
    let (before, after) = (&kernels[0]["binary"]["before"], &kernels[0]["binary"]["figures"]);
    assert_ne!(before["registers"], after["registers"]);
    // Told again without compiling, and nothing is written beside the sources.
    let (_, again) = build(&project, words);
    assert_eq!((compiled(&again), &again["kernels"][0]["binary"]), ((0, 0), &kernels[0]["binary"]));
    assert!(!project.path().join("out/cuda/net/scale_kernel.ptx").exists());
}

#[cfg(unix)]
#[test]
fn refusals_of_a_compiler_are_reported() {
    let project = Project::new();
    project.write("net.py", MODULE);
    pretend(&project, "1.0");
    let ptxas = project.path().join("cuda/bin/ptxas");
    let text = fs::read_to_string(&ptxas).expect("a program");
    fs::write(&ptxas, text.replace("cp kernel.ptx", "echo 'error: no'; exit 1; cp")).expect("it");
    let (code, report) = build(&project, "--emit cubin --cuda-path cuda");
    assert_eq!((code, &report["compiled"]["failed"]), (Some(1), &json!(2)));
    assert_eq!(report["kernels"][0]["binary"]["failure"], "ptxas: error: no");
    assert!(project.path().join("out/cuda/net/scale_kernel.cu").exists());
}

#[cfg(unix)]
#[test]
fn without_nvcc_the_library_nvrtc_compiles() {
    let project = Project::new();
    project.write("net.py", MODULE);
    tests::pretend::nvrtc(&project.path().join("cuda"), "3.0");
    let words = "--emit ptx,cubin --ptxas --cuda-path cuda";
    let (code, report) = build(&project, words);
    assert_eq!((code, &report["compiled"]["compiler"]), (Some(0), &json!("nvrtc V3.0")));
    assert_eq!(report["kernels"][0]["binary"]["figures"]["registers"], 7);
    let cubin = fs::read_to_string(project.path().join("out/cuda/net/scale_kernel.cubin"));
    let cubin = cubin.expect("a binary");
    assert!(cubin.contains("tir_kernel(") && cubin.contains("--fmad=false"), "{cubin}");
    assert!(cubin.contains("--gpu-architecture=sm_80"), "{cubin}");
    assert_eq!(compiled(&build(&project, words).1), (0, 0));
    // Another version compiles again; what is not compiled is told, and what runs the library may end.
    tests::pretend::nvrtc(&project.path().join("cuda"), "3.1");
    assert_eq!(compiled(&build(&project, words).1).0, 3);
    let python = project.path().join("cuda/bin/python3");
    fs::write(&python, "#!/bin/sh\necho 'cannot open shared object' >&2\n").expect("a program");
    let output = project.run(&format!("build kernels --out out {words}"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("libnvrtc.so.1 cannot be run: cannot open shared object"), "{errors}");
}

#[test]
#[ignore = "needs NVIDIA's compilers"]
fn nvcc_tells_registers_and_instructions() {
    let project = Project::new();
    project.write("net.py", MODULE);
    let folder = std::env::var("TIR_ANALYZER_CUDA").expect("a folder");
    let (code, report) = build(&project, &format!("--ptxas --emit ptx,cubin --cuda-path {folder}"));
    assert_eq!(code, Some(0), "{report:#}");
    let figures = &report["kernels"][0]["binary"]["figures"];
    assert!(figures["registers"].as_u64().is_some_and(|it| it > 0), "{report:#}");
    assert!(figures["instructions"].as_u64().is_some_and(|it| it > 5), "{report:#}");
    // Two equal sums: any compiler finds them.
    assert_eq!(report["kernels"][0]["binary"]["cse"], "found-anyway");
    let cubin = fs::read(Path::new(&project.path()).join("out/cuda/net/scale_kernel.cubin"));
    assert!(cubin.expect("a binary").starts_with(b"\x7fELF"));
}
