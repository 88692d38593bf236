//! `build`: what is written, what a second run does, and what it says about each kernel.

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
            T.evaluate(T.ptx_wait_group(0))
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
    assert!(first.contains("not built for cuda: unsupported of net.py"), "{first}");
    assert!(
        first.contains(
            "2 kernels: 2 built, 0 generated and unchanged, 0 reused; 1 functions not built"
        ),
        "{first}"
    );
    assert!(project.read("out/cuda/net/scale_kernel.cu").contains("A[cse_v1] * 2.0f"));
    let second = built(&project);
    assert!(second.contains("0 built, 0 generated and unchanged, 2 reused"), "{second}");
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
    assert!(constant.contains("1 built, 0 generated and unchanged, 1 reused"), "{constant}");

    let commented = MODULE
        .replace("float32(2.0)", "float32(3.0)")
        .replace("    def shift", "    # A comment,\n    # which moves the rest.\n    def shift");
    project.write("models/net.py", commented.as_bytes());
    let comment = built(&project);
    assert!(comment.contains("0 built, 0 generated and unchanged, 2 reused"), "{comment}");

    project.write("models/net.py", commented.replace("bx", "block").as_bytes());
    let renamed = built(&project);
    assert!(renamed.contains("0 built, 0 generated and unchanged, 2 reused"), "{renamed}");
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
    for file in ["cuda/net/scale_kernel.cu", "cuda/net/shift_kernel.cu", "cuda/manifest.json"] {
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
