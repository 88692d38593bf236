//! `build`: its outputs, a second run, and its messages about each kernel.

use expect_test::expect;

use super::Project;

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
    def shift(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32")):
        with T.launch_thread("blockIdx.x", 4) as bx:
            tx = T.launch_thread("threadIdx.x", 1024)
            B[bx * 1024 + tx] = A[bx * 1024 + tx] + T.float32(1.0)

    @T.prim_func
    def unsupported(A: T.Buffer((4096,), "float32")):
        with T.launch_thread("threadIdx.x", 1024) as tx:
            T.evaluate(T.ptx_wait_barrier(0))
            A[tx] = T.float32(0.0)
"#;

fn built(project: &Project) -> String {
    let outcome = project.run("build models --out out");
    assert_eq!(outcome.code, 0, "{}", outcome.err());
    outcome.out()
}

#[test]
fn kernels_are_built_once_and_reasons_are_told() {
    let project = Project::new(&[("models/net.py", MODULE)]);
    let first = built(&project);
    assert!(first.contains("built     cuda/net/scale_kernel.cu (new)"), "{first}");
    assert!(
        first.contains(
            "models/net.py:21:13: `unsupported` is not built for cuda: \
             `T.ptx_wait_barrier` is not lowered [intrinsic]\n  help: Write it with operations that are lowered"
        ),
        "{first}"
    );
    assert!(first.contains("2 kernels: 2 built, 0 reused; 1 function not built"), "{first}");
    assert!(project.read("out/cuda/net/scale_kernel.cu").contains("A[cse_v1] * 2.0f"));
    let second = built(&project);
    assert!(second.contains("0 built, 2 reused"), "{second}");
}

#[test]
fn a_changed_constant_builds_one_kernel_and_a_comment_or_a_new_name_none() {
    let project = Project::new(&[("models/net.py", MODULE)]);
    built(&project);
    project.write("models/net.py", MODULE.replace("float32(2.0)", "float32(3.0)").as_bytes());
    let constant = built(&project);
    assert!(
        constant.contains("built     cuda/net/scale_kernel.cu (the function changed)"),
        "{constant}"
    );
    assert!(constant.contains("1 built, 1 reused"), "{constant}");

    let commented = MODULE
        .replace("float32(2.0)", "float32(3.0)")
        .replace("    def shift", "    # A comment,\n    # which moves the rest.\n    def shift");
    project.write("models/net.py", commented.as_bytes());
    let comment = built(&project);
    assert!(comment.contains("0 built, 2 reused"), "{comment}");

    project.write("models/net.py", commented.replace("bx", "block").as_bytes());
    let renamed = built(&project);
    assert!(renamed.contains("0 built, 2 reused"), "{renamed}");
    assert!(renamed.contains("renamed   cuda/net/scale_kernel.cu"), "{renamed}");
    assert!(project.read("out/cuda/net/scale_kernel.cu").contains("const int block ="));
}

#[test]
fn warm_and_cold_output_are_the_same_bytes() {
    let warm = Project::new(&[("models/net.py", MODULE)]);
    built(&warm);
    let renamed = MODULE.replace("tx", "lane");
    warm.write("models/net.py", renamed.as_bytes());
    built(&warm);
    let cold = Project::new(&[("models/net.py", &renamed)]);
    built(&cold);
    let manifests = ["cuda/manifest.json", "cuda/net/module.json"];
    for file in manifests.iter().chain(&["cuda/net/scale_kernel.cu", "cuda/net/shift_kernel.cu"]) {
        assert_eq!(warm.read(&format!("out/{file}")), cold.read(&format!("out/{file}")), "{file}");
    }
}

#[test]
fn every_reason_can_be_explained() {
    let project = Project::new(&[]);
    let outcome = project.run("explain shared-hazard-in-divergent-flow");
    assert_eq!(outcome.code, 0, "{}", outcome.err());
    assert!(outcome.out().contains("barrier"), "{}", outcome.out());
}

#[test]
fn passes_are_chosen_and_part_of_what_an_artifact_is() {
    let project = Project::new(&[("models/net.py", MODULE)]);
    let plain = project.run("build models --out out --passes none");
    assert!(plain.out().contains("2 built"), "{}", plain.out());
    assert!(!project.read("out/cuda/net/scale_kernel.cu").contains("cse_v"));
    let shared = built(&project);
    assert!(shared.contains("2 built"), "{shared}");
    assert!(project.read("out/cuda/net/scale_kernel.cu").contains("cse_v1"));
    let both = project.run("build models --out out --passes dead-store,cse");
    assert_eq!(both.code, 0, "{}", both.err());
    let wrong = project.run("build models --out out --passes csee");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err().contains("there is no such pass; did you mean `cse`"), "{}", wrong.err());
}

#[test]
fn changed_inputs_are_explained() {
    let project = Project::new(&[("models/net.py", MODULE)]);
    built(&project);
    project.write("models/net.py", MODULE.replace("float32(2.0)", "float32(3.0)").as_bytes());
    let out = project.run("build models --out out --explain-rebuild").out();
    assert!(out.contains("net.py: a new text; parsed\n  scale: it, or what it captures"), "{out}");
    assert!(out.contains("built     cuda/net/scale_kernel.cu (the function changed)"), "{out}");
    assert!(out.contains("            structure "), "{out}");
    assert!(
        out.contains("0 of 1 file as they were; 1 parsed, 1 function lowered, 1 generated"),
        "{out}"
    );
    let out = project.run("build models --out out --explain-rebuild --fmad").out();
    assert!(out.contains("options for cuda: {\"contract\":false"), "{out}");
    assert!(out.contains("(options changed)"), "{out}");
    let out = project.run("build models --out out --explain-rebuild --fmad").out();
    assert!(out.starts_with("1 of 1 file as they were; 0 parsed"), "{out}");
}

#[test]
fn targets_have_settings_on_the_command_line_and_in_a_file() {
    let project = Project::new(&[
        ("models/net.py", MODULE),
        ("models/tir-analyzer.toml", "[targets.cuda]\nmax-threads = 512\n"),
    ]);
    let few = project.run("build models --out out");
    assert_eq!(few.code, 0, "{}", few.err());
    let told = "models/net.py:8:9: `scale` is not built for cuda: a block has 1024 threads; `max-threads` allows 512 [block-size]";
    assert!(few.out().contains(told), "{}", few.out());
    // What is said on the command line holds over the file.
    let more =
        project.run("build models --out out --target cuda:max-threads=1024:arch=sm_90,opencl");
    assert!(more.out().contains("4 kernels: 4 built, 0 reused"), "{}", more.out());
    let manifest = project.read("out/cuda/net/module.json");
    assert!(manifest.contains("--gpu-architecture=sm_90"), "{manifest}");
    let wrong = project.run("build models --out out --target cuda:arch=sm_42");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err().contains("it is unknown; known are sm_70"), "{}", wrong.err());
}

#[test]
fn json_says_what_was_done() {
    let project = Project::new(&[("models/net.py", MODULE), ("models/copy.py", MODULE)]);
    let outcome = project.run("build models --out out --format json --jobs 2");
    let report: serde_json::Value = serde_json::from_slice(&outcome.out).unwrap();
    assert_eq!((&report["version"], &report["work"]["generated"]), (&1.into(), &3.into()));
    let kernel = &report["kernels"][0];
    assert_eq!((&kernel["file"], &kernel["status"]), (&"copy.py".into(), &"built".into()));
    assert_eq!(kernel["why"], "new");
    assert_eq!(report["kernels"][2]["status"], "alias");
    assert_eq!(report["aliases"].as_array().unwrap().len(), 2);
    assert_eq!(report["unsupported"][0]["name"], "unsupported");
}

#[test]
fn only_files_that_differ_from_a_revision_are_read() {
    let project = Project::new(&[("models/a.py", MODULE), ("models/b.py", MODULE)]);
    let git = |words: &str| {
        let status = std::process::Command::new("git")
            .args(["-c", "user.name=x", "-c", "user.email=x@x"])
            .args(words.split(' '))
            .current_dir(project.path())
            .output();
        assert!(status.unwrap().status.success(), "git {words}");
    };
    git("init -q");
    git("add models");
    git("commit -qm x");
    built(&project);
    project.write("models/b.py", MODULE.replace("float32(2.0)", "float32(3.0)").as_bytes());
    let outcome = project.run("build models --out out --since HEAD --format json");
    let report: serde_json::Value = serde_json::from_slice(&outcome.out).unwrap();
    assert_eq!(report["files"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&report["files"][0]["file"], &report["work"]["generated"]),
        (&"models/b.py".into(), &1.into())
    );
    // What earlier builds made of the other file stays.
    assert!(project.read("out/cuda/manifest.json").contains("\"file\": \"models/a.py\""));
    assert!(project.read("out/cuda/models/a/scale_kernel.cu").contains("2.0f"));
}

#[test]
fn a_store_that_grew_over_its_limit_is_shrunk() {
    let project = Project::new(&[("models/net.py", MODULE)]);
    let out = project.run("build models --out out --store-limit 1K").out();
    assert!(out.contains("the store was over its limit"), "{out}");
    let again = built(&project);
    assert!(again.contains("2 reused"), "{again}");
}

#[test]
fn of_files_that_would_write_to_one_folder_none_is_built() {
    let files = [("models/net.py", MODULE), ("models/net", MODULE), ("models/other.py", MODULE)];
    let project = Project::new(&files);
    let outcome = project.run("build models/net.py models/net models/other.py --out out");
    assert_eq!(outcome.code, 2);
    let both = "net and net.py would be written to the same folder; build them apart";
    assert_eq!(outcome.err().matches(both).count(), 1, "{}", outcome.err());
    // The others are built.
    assert!(project.read("out/cuda/manifest.json").contains("other"), "{}", outcome.out());
    assert!(!project.path().join("out/cuda/net").exists());
    // What an earlier build made of one of them stays.
    assert_eq!(project.run("build models/net.py --out out").code, 0);
    assert_eq!(project.run("build models/net.py models/net --out out --prune").code, 2);
    assert!(project.path().join("out/cuda/net").exists());
}

const GPU_MODULE: &str = r#"module attributes {gpu.container_module} {
  func.func @twice(%a: memref<64xf32>) {
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@twice blocks in (%c8, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<64xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @twice(%a: memref<64xf32>) kernel {
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %0 = arith.muli %b, %n : index
      %1 = arith.addi %0, %t : index
      %2 = memref.load %a[%1] : memref<64xf32>
      %3 = arith.addf %2, %2 : f32
      memref.store %3, %a[%1] : memref<64xf32>
      gpu.return
    }
    gpu.func @unknown(%a: memref<64xf32>) kernel {
      gpu.return
    }
  }
}
"#;

#[test]
fn a_mistyped_name_removes_nothing() {
    let project = Project::new(&[("models/net.py", MODULE)]);
    built(&project);
    let outcome = project.run("build modles --out out");
    assert_eq!(outcome.code, 2);
    assert!(outcome.err().contains("cannot read modles"), "{}", outcome.err());
    assert!(!outcome.out().contains("removed"), "{}", outcome.out());
    assert!(project.read("out/cuda/net/scale_kernel.cu").contains("__global__"));
    assert!(built(&project).contains("0 built, 2 reused"));
}

#[test]
fn kernels_of_mlir_are_built() {
    let project = Project::new(&[("models/net.mlir", GPU_MODULE)]);
    let first = built(&project);
    assert!(first.contains("built     cuda/net.mlir/kernels_twice_kernel.cu (new)"), "{first}");
    assert!(
        first.contains("models/net.mlir:20:5: `kernels_unknown` is not built for cuda: nothing in the file launches it"),
        "{first}"
    );
    assert!(first.contains("[unknown-launch]\n  help: Give it `known_block_size"), "{first}");
    let source = project.read("out/cuda/net.mlir/kernels_twice_kernel.cu");
    assert!(source.contains("__launch_bounds__(8)"), "{source}");
    let second = built(&project);
    assert!(second.contains("0 built, 1 reused"), "{second}");
}

#[test]
fn an_instruction_of_a_later_architecture_is_told_at_its_line() {
    let module = r#"from tvm.script import tirx as T

@T.prim_func
def copy(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    with T.launch_thread("threadIdx.x", 32) as tx:
        s = T.alloc_buffer((128,), "float32", scope="shared")
        T.ptx.cp.async_.commit_group()
        B[tx] = A[tx]
"#;
    let project = Project::new(&[("copy.py", module)]);
    let told = project.run("build copy.py --target cuda:arch=sm_75 --out out").out();
    assert!(
        told.contains(
            "copy.py:7:9: `copy` is not built for cuda: `cp.async` needs `arch=sm_80`; the target is sm_75 [arch]\n  \
             help: Name that one"
        ),
        "{told}"
    );
    let report = project.run("build copy.py --target cuda:arch=sm_75 --out out --format json");
    let report: serde_json::Value = serde_json::from_str(&report.out()).expect("JSON");
    let place = &report["unsupported"][0];
    assert_eq!((&place["line"], &place["column"]), (&7.into(), &9.into()));
}

/// The lines about functions that are not built, for five that wait for a barrier and one with an unknown call.
fn refusals(arguments: &str) -> String {
    let function = |name: &str, statement: &str| {
        format!(
            "@T.prim_func\ndef {name}(A: T.Buffer((32,), \"float32\")):\n    \
             with T.launch_thread(\"threadIdx.x\", 32) as tx:\n        {statement}\n        \
             A[tx] = T.float32(0.0)\n\n\n"
        )
    };
    let mut module = "from tvm.script import tirx as T\n\n\n".to_owned();
    for name in ["a", "b", "c", "d", "e"] {
        module.push_str(&function(name, "T.evaluate(T.ptx_wait_barrier(0))"));
    }
    module.push_str(&function("f", "T.evaluate(T.call_extern(\"int32\", \"unknown_function\"))"));
    let project = Project::new(&[("net.py", &module)]);
    let told = project.run(&format!("build net.py --out out {arguments}"));
    let out = told.out();
    out.lines().filter(|it| !it.starts_with("built")).map(|it| format!("{it}\n")).collect()
}

#[test]
fn refusals_of_one_reason_stand_together_and_are_cut_after_three() {
    expect![[r#"
        warning: net.py:7:9: `a` is not built for cuda: `T.ptx_wait_barrier` is not lowered [intrinsic]
        warning: net.py:14:9: `b` is not built for cuda: `T.ptx_wait_barrier` is not lowered [intrinsic]
        warning: net.py:21:9: `c` is not built for cuda: `T.ptx_wait_barrier` is not lowered [intrinsic]
        … and 3 more functions that were not built [intrinsic] (--verbose lists all)
          help: Write it with operations that are lowered, or report its name.
        warning: net.py:7:9: `a` is not built for opencl: `T.ptx_wait_barrier` is an instruction of NVIDIA's GPUs [nvidia-only]
        warning: net.py:14:9: `b` is not built for opencl: `T.ptx_wait_barrier` is an instruction of NVIDIA's GPUs [nvidia-only]
        warning: net.py:21:9: `c` is not built for opencl: `T.ptx_wait_barrier` is an instruction of NVIDIA's GPUs [nvidia-only]
        … and 2 more functions that were not built [nvidia-only] (--verbose lists all)
          help: Build it for `cuda`, or schedule without the instruction.
        0 kernels: 0 built, 0 reused; 6 functions not built
    "#]].assert_eq(&refusals("--target cuda --target opencl"));
    expect![[r#"
        warning: net.py:7:9: `a` is not built for cuda: `T.ptx_wait_barrier` is not lowered [intrinsic]
        warning: net.py:14:9: `b` is not built for cuda: `T.ptx_wait_barrier` is not lowered [intrinsic]
        warning: net.py:21:9: `c` is not built for cuda: `T.ptx_wait_barrier` is not lowered [intrinsic]
        warning: net.py:28:9: `d` is not built for cuda: `T.ptx_wait_barrier` is not lowered [intrinsic]
        warning: net.py:35:9: `e` is not built for cuda: `T.ptx_wait_barrier` is not lowered [intrinsic]
        warning: net.py:42:9: `f` is not built for cuda: `T.call_extern` is not lowered [intrinsic]
          help: Write it with operations that are lowered, or report its name.
        0 kernels: 0 built, 0 reused; 6 functions not built
    "#]].assert_eq(&refusals("--target cuda --verbose"));
}

/// Notes are made of text; a file whose name is none is built without one.
#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_name_is_no_text_is_built() {
    use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _};
    let project = Project::new(&[("a.py", MODULE)]);
    let path = project.path().join(OsStr::from_bytes(b"\xff.py"));
    fs::write(path, MODULE).unwrap();
    for _ in 0..2 {
        let outcome = project.run("build --out out");
        assert_eq!(outcome.code, 0, "{}", outcome.err());
    }
}

#[test]
fn a_function_that_targets_refuse_for_one_reason_is_told_once() {
    let text = MODULE.replace("1024)", "2048)");
    let out = Project::new(&[("net.py", &text)]).run("build --out out --target cuda,opencl").out();
    let told: Vec<&str> = out.lines().filter(|it| it.contains("`scale`")).collect();
    expect!["warning: net.py:8:9: `scale` is not built for cuda: a block has 2048 threads; cuda takes 1024; for opencl: a block has 2048 threads; opencl takes 1024 [block-size]"].assert_eq(&told.join("\n"));
}

#[test]
fn what_the_store_had_is_counted() {
    let project = Project::new(&[("models/net.py", MODULE)]);
    let first = built(&project);
    assert!(!first.contains("store:"), "{first}");
    std::fs::remove_dir_all(project.path().join("out")).unwrap();
    let again = built(&project);
    let told: Vec<&str> = again.lines().filter(|it| it.starts_with("store:")).collect();
    expect!["store: 3 of 3 artifacts found"].assert_eq(&told.join("\n"));
}

#[test]
fn a_folder_that_is_no_part_of_a_build_is_refused() {
    let project = Project::new(&[]);
    let outcome = project.run("shard");
    assert_eq!((outcome.code, outcome.out()), (2, String::new()));
    assert!(outcome.err().starts_with("error: this part of a build is not done: "));
    project.write("order.json", b"{}");
    assert!(project.run("shard").err().contains("this is no order of a build: missing field"));
    assert!(!project.run("--help").out().contains("shard"));
}
