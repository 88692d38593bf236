//! Rows of a user's `tir-analyzer.toml` about calls of TVMScript, in every command that asks what calls do.

use super::Project;

/// A kernel that calls an operator twice, of which the table of the product says that it may do anything.
const CALLS: &str = r#"from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    A[0] = T.call_extern("int32", "twice", n) + 1
    A[1] = T.call_extern("int32", "twice", n) + 2
"#;

/// A user's word that the call is a value of its operands.
const PURE: &str = "[[effects.tir]]\nops = [\"T.call_extern\"]\n";

/// A project with the kernel and these settings.
fn project(settings: &str) -> Project {
    Project::new(&[("a.py", CALLS), ("tir-analyzer.toml", settings)])
}

#[test]
fn a_row_of_the_user_makes_a_call_a_value() {
    let [with, without] = [PURE, ""].map(project);
    let told = "is computed 2 times";
    assert!(with.run("check a.py").out().contains(told), "{}", with.run("check a.py").out());
    assert!(!without.run("check a.py").out().contains(told));
    for command in ["fix --diff a.py", "opt --passes cse a.py", "preview --passes cse a.py"] {
        let of = |project: &Project| project.run(command).out().contains("cse_v1");
        assert!(of(&with) && !of(&without), "{command}: {}", with.run(command).out());
    }
    with.run("fix a.py");
    assert_eq!(with.read("a.py").matches("T.call_extern").count(), 1);
}

#[test]
fn rows_of_the_user_are_part_of_the_key_of_a_kernel() {
    let kernel = r#"from tvm.script import tir as T

@T.prim_func
def scale(A: T.Buffer((64,), "float32")):
    with T.launch_thread("blockIdx.x", 64) as bx:
        A[bx] = A[bx] * T.float32(2.0)
"#;
    let project = Project::new(&[("a.py", kernel)]);
    let built = || {
        let done = project.run("build a.py --out out");
        assert_eq!(done.code, 0, "{}", done.err());
        done.out()
    };
    assert!(built().contains("1 built"));
    assert!(built().contains("1 reused"));
    project.write("tir-analyzer.toml", PURE.as_bytes());
    let other = built();
    assert!(other.contains("0 reused"), "{other}");
    assert!(built().contains("1 reused"));
    project.write("tir-analyzer.toml", b"");
    assert!(built().contains("1 reused"));
}

/// Calls whose rows the passes lean on.
const OPERATORS: &str = r#"from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32"), n: T.int32):
    T.func_attr({"tir.noalias": True})
    with T.launch_thread("blockIdx.x", 2) as bx:
        tx = T.launch_thread("threadIdx.x", 32)
        S = T.alloc_buffer((32,), "int32", scope="shared")
        S[tx] = T.if_then_else(n > 0, A[tx] // n, A[tx] % 3)
        T.tvm_storage_sync("shared")
        if T.likely(tx < n):
            A[tx] = S[tx] + T.max(n, 3) + T.max(n, 3) + T.Select(n > 1, n, 1 // n)
        B[tx] = T.exp(B[tx]) + T.exp(B[tx]) + T.call_extern("float32", "f", T.address_of(B[tx]))
        T.evaluate(T.ptx_cp_async("int32", S.data, 0, A.access_ptr("r"), 0, 4))
        T.ptx_wait_group(0)
        T.evaluate(T.tvm_warp_shuffle(T.uint32(1), n, 1, 32, 32))
        B[0] = T.float32(T.call_extern("int32", "g", n) + T.call_extern("int32", "g", n))
"#;

#[test]
fn rows_that_say_nonsense_cost_no_answer() {
    let names = "\"*\", \"T.*\", \"T.if_then_else\", \"T.likely\", \"T.tvm_storage_sync\", \"T.exp\", \"T.call_extern\", \
                 \"T.address_of\", \"T.tvm_access_ptr\", \"T.ptx_cp_async\", \"T.ptx_wait_group\", \"T.tvm_warp_shuffle\", \
                 \"Add\", \"Max\", \"FloorDiv\", \"Select\", \"Load\", \"Cast\", \"Not\"";
    let rows = [
        "",
        "commutative = \"all\"\nassociative = \"all\"\nlazy = [0, 1, 2, 3, 4, 5, 6, 7]\narity = 0",
        "lazy = [7]\narity = 255\nconvergent = true\ndeterministic = false",
        "effect = \"unknown\"\nmay_trap = \"yes\"\nconvergent = true",
        "effect = \"write\"\nmemory = \"argument\"\nwrites = [0, 1, 255]\nmay_trap = \"mem\"",
        "effect = \"read\"\nmemory = \"shared\"\nreads = [0, 99]\nnumbers = [1, 2]\nmay_trap = \"div\"",
        "effect = \"alloc\"\nmemory = \"global\"\ndeterministic = false\nplaces = [0]",
        "effect = \"write\"\nmemory = \"shared+global\"\nasync = \"copy\"\naddresses = [0, 1]\ntexts = [2]",
        "async = \"wait\"\nlazy = [0]\ncommutative = \"integers\"",
    ];
    let mut n_read = 0;
    for row in rows {
        let settings = format!("[[effects.tir]]\nops = [{names}]\n{row}\n");
        let project = Project::new(&[("a.py", OPERATORS), ("tir-analyzer.toml", &settings)]);
        for command in [
            "check a.py",
            "fix --diff a.py",
            "opt --passes simplify,cse a.py",
            "explain --facts a.py",
            "report a.py",
            "run --max-steps 100000 a.py",
            "build a.py --out out --target cuda",
        ] {
            let done = project.run(command);
            let said = done.out() + &done.err();
            assert!(!said.contains("internal error"), "{command} with\n{row}\n{said}");
            n_read += usize::from(!said.contains("[[tir]] row"));
        }
    }
    assert!(n_read > 30, "most rows can be read: {n_read}");
}
