//! Programs of which code generation made wrong code, or none in any time.

use std::{fs, process::Command, time::Duration};

use super::Here;

/// A kernel and a function with names that languages keep for themselves.
fn named(name: &str) -> String {
    format!(
        "from tvm.script import tirx as T\n\n@T.prim_func\ndef {name}_f(A: T.Buffer((64,), \"float32\"), {name}b: T.Buffer((64,), \"float32\")):\n    \
         with T.launch_thread(\"threadIdx.x\", 64) as tx:\n        for {name} in range(4):\n            for _ in range(2):\n                \
         {name}b[tx] = A[tx] + T.float32(1)\n"
    )
}

#[test]
fn names_that_languages_keep_for_themselves_are_built_for_every_target() {
    let here = Here::new();
    let names = [
        "_", "__", "naga", "metal", "hip", "tir_", "TIR_", "PTRDIFF_", "cl_", "convert_", "FP_",
        "größe",
    ];
    for (number, name) in names.iter().enumerate() {
        here.write(&format!("k/n{number}.py"), &named(name));
    }
    let targets = "cuda,opencl,hip,c,spirv,wgsl,metal";
    let mut child =
        here.command(&format!("build k --out out --target {targets}")).spawn().expect("it runs");
    let mut waited = 0;
    while child.try_wait().expect("a state").is_none() {
        waited += 1;
        if waited > 1200 {
            let _ = child.kill();
            panic!("it takes too long");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let output = child.wait_with_output().expect("an end");
    let said = super::said(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains(&format!("{} kernels: ", names.len() * 7)), "{said}");
}

/// A reduction whose result is read through another buffer, and memory that is declared without a pointer.
const MEMORY: &str = r#"from tvm.script import tirx as T

@T.prim_func(private=True, s_tir=True)
def through_a_view(A: T.Buffer((128, 32), "float32"), B: T.Buffer(128, "float32")):
    A_flat = T.decl_buffer(4096, data=A.data)
    for i in range(128):
        threadIdx_x = T.launch_thread("threadIdx.x", 32)
        reduce = T.alloc_buffer((1,), "float32", scope="local")
        reduce_1 = T.decl_buffer(1, data=reduce.data, scope="local")
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.int32(0)):
            T.tvm_thread_allreduce(T.uint32(1), A_flat[0], T.bool(True), reduce_1[0], threadIdx_x)
        if threadIdx_x == 0:
            B[i] = reduce_1[0]

@T.prim_func
def declared(A: T.Buffer((4,), "float32"), O: T.Buffer((4,), "float32")):
    t = T.decl_buffer((4,), "float32")
    for i in range(4):
        t[i] = A[i] * T.float32(2)
    for i in range(4):
        O[i] = t[3 - i]

@T.prim_func(private=True, s_tir=True)
def declared_in_threads(A: T.Buffer((128, 32), "float32"), B: T.Buffer((128,), "float32")):
    A_flat = T.decl_buffer(4096, data=A.data)
    for i in range(128):
        threadIdx_x = T.launch_thread("threadIdx.x", 32)
        reduce = T.decl_buffer(1, dtype="float32", scope="local")
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.int32(0)):
            T.tvm_thread_allreduce(T.uint32(1), A_flat[i * 32 + threadIdx_x], T.bool(True), reduce[0], threadIdx_x)
        if threadIdx_x == 0:
            B[i] = reduce[0]
"#;

#[test]
fn declared_memory_is_built_for_every_target_and_executed() {
    let here = Here::new();
    here.write("a.py", MEMORY);
    let report = here.ok("build a.py --out out --target cuda,opencl,hip,c,spirv,wgsl,metal");
    assert!(
        report.contains("15 kernels: ") && report.contains("; 0 functions not built"),
        "{report}"
    );
    for function in ["through_a_view", "declared", "declared_in_threads"] {
        let run = here.ok(&format!("run a.py --function {function}"));
        assert!(run.contains("nothing went wrong"), "{run}");
    }
}

#[test]
#[ignore = "needs a C compiler"]
fn c_of_declared_memory_compiles_without_a_warning() {
    let here = Here::new();
    here.write("a.py", MEMORY);
    here.write("b.py", &named("PTRDIFF_"));
    here.ok("build a.py b.py --out out --target c");
    let sources =
        here.files("out/c").into_keys().filter(|it| it.extension().is_some_and(|it| it == "c"));
    let sources: Vec<_> = sources.map(|it| here.at("out/c").join(it)).collect();
    assert_eq!(sources.len(), 4);
    for source in sources {
        let output = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "-o", "/dev/null"])
            .arg(&source)
            .output()
            .expect("a C compiler");
        let text = fs::read_to_string(&source).unwrap_or_default();
        assert!(output.status.success(), "{}\n{text}", super::said(&output));
    }
}

/// Threads that read elements of others, with the barrier still to be placed, as TVM leaves it at this stage.
const EXCHANGE: &str = r#"from tvm.script import tirx as T

@T.prim_func
def reverse(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    with T.launch_thread("threadIdx.x", 64) as tx:
        s = T.alloc_buffer((64,), "float32", scope="shared")
        s[tx] = A[tx]
        B[tx] = s[63 - tx]
"#;

#[test]
fn run_places_the_barriers_that_build_places_and_says_so() {
    let here = Here::new();
    here.write("a.py", EXCHANGE);
    let output = here.run("run a.py --schedule serial");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}", super::said(&output));
    assert_eq!(errors, "1 barrier stands where `build` places them; --as-written runs without\n");
    let output = here.run("run a.py --schedule serial --as-written");
    assert_eq!(
        (output.status.code(), output.stderr.len()),
        (Some(1), 0),
        "{}",
        super::said(&output)
    );
}
