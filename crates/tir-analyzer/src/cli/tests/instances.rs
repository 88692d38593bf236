//! `--instance`, and the instances of `build`.

use expect_test::expect;

use super::Project;

const FACTORY: &str = r#"from tvm.script import tirx as T


def scale(n, k=2, dtype="float32"):
    block = n // k

    @T.prim_func
    def main(A: T.Buffer((n,), dtype), B: T.Buffer((n,), dtype)):
        for i in T.thread_binding(block, thread="threadIdx.x"):
            B[i * k + 1] = A[i * k + 1] * A[i * k + 1]

    return main


def helper(n):
    return scale(n)


kernels = [scale(16), scale(n=16), scale(32, dtype="float16")]
"#;

fn project() -> Project {
    Project::new(&[("a.py", FACTORY)])
}

fn run(project: &Project, words: &[&str]) -> super::Outcome {
    project.run_words(words.iter().copied(), &[])
}

#[test]
fn the_kernel_of_an_instance_is_printed_without_its_factory() {
    run(&project(), &["opt", "a.py", "--instance", "scale(8, dtype='int32')"]).check(expect![[
        r#"
        from tvm.script import tirx as T


        @T.prim_func
        def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
            for i in T.thread_binding(4, thread="threadIdx.x"):
                cse_v1: T.let[T.int32] = i * 2 + 1
                cse_v2: T.let[T.int32] = A[cse_v1]
                B[cse_v1] = cse_v2 * cse_v2
        --- exit code 0
    "#
    ]]);
}

#[test]
fn mistakes_in_an_instance_are_told_with_their_place() {
    let project = project();
    let mut text = String::new();
    for call in ["scale(n=)", "scale(m)", "scale(m=1)", "shift(1)", "scale"] {
        let outcome = run(&project, &["opt", "a.py", "--instance", call]);
        text.push_str(&format!("{call}\n{}", outcome.err()));
    }
    expect![[r#"
        scale(n=)
        error: invalid value 'scale(n=)' for '--instance <CALL>': column 9: expected a value
          scale(n=)
                  ^

        For more information, try '--help'.
        scale(m)
        error: invalid value 'scale(m)' for '--instance <CALL>': column 7: this is no value; write a number, a text, True, False, None, or a tuple or list of them
          scale(m)
                ^

        For more information, try '--help'.
        scale(m=1)
        error: a.py: `scale` has no parameter `m`; its parameters are: n, k, dtype
        shift(1)
        error: a.py has no factory `shift`
        scale
        error: invalid value 'scale' for '--instance <CALL>': column 1: this is no call of a factory; write one, as `matmul(M=1024, dtype="float16")`
          scale
          ^

        For more information, try '--help'.
    "#]].assert_eq(&text);
}

#[test]
fn an_instance_is_run_previewed_and_checked() {
    let project = project();
    let run_it = run(&project, &["run", "a.py", "--instance", "scale(n=8)", "--inputs", "zeros"]);
    run_it.check(expect![[r#"
        A: float32 [8] = 0 0 0 0 0 0 0 0
        B: float32 [8] = 0 0 0 0 0 0 0 0
        `main` ran: 28 operators, 8 loads, 4 stores, 0 calls; nothing went wrong
        --- exit code 0
    "#]]);
    let words = ["preview", "a.py", "--instance", "scale(8)", "--format", "unified"];
    run(&project, &words).check(expect![[r#"
        --- main
        +++ main after simplify
        --- main
        +++ main after cse
        @@ -1,4 +1,6 @@
         @T.prim_func
         def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
             for i in T.thread_binding(4, thread="threadIdx.x"):
        -        B[i * 2 + 1] = A[i * 2 + 1] * A[i * 2 + 1]
        +        cse_v1: T.let[T.int32] = i * 2 + 1
        +        cse_v2: T.let[T.float32] = A[cse_v1]
        +        B[cse_v1] = cse_v2 * cse_v2
        --- exit code 0
    "#]]);
    run(&project, &["check", "a.py", "--instance", "scale(7)"]).check(expect![[r#"
        hint[common-subexpression]: `i * k + 1` is computed 3 times
          --> a.py:10:15
           |
        10 |             B[i * k + 1] = A[i * k + 1] * A[i * k + 1]
           |               ^^^^^^^^^      ---------      --------- computed again here
           |                              |
           |                              computed again here
           |
           = help: Computed once as `cse_v1` before `B[i * k + 1] = A[i * k + 1] * A[i * k + 1]`, it saves 2 evaluations of 2 operations each.

        hint[common-subexpression]: `A[i * k + 1]` is computed 2 times
          --> a.py:10:28
           |
        10 |             B[i * k + 1] = A[i * k + 1] * A[i * k + 1]
           |                            ^^^^^^^^^^^^   ------------ computed again here
           |
           = help: Computed once as `cse_v2` before `B[i * k + 1] = A[i * k + 1] * A[i * k + 1]`, it saves 1 evaluation of 6 operations each.

        1 file checked: 2 hints
        2 values can be computed once: `tir-analyzer fix --diff` shows how
        --- exit code 0
    "#]]);
    let none = run(&project, &["check", "a.py", "--level", "error", "--instance", "none(7)"]);
    none.check(expect![[r#"
        1 file checked: 2 hints
        1 value can be computed once: `tir-analyzer fix --diff` shows how
        --- errors
        error: no file has the factory `none`
        --- exit code 2
    "#]]);
}

#[test]
fn build_makes_the_instances_that_calls_and_settings_ask_for() {
    let project = project();
    project.write(
        "tir-analyzer.toml",
        b"[[instance]]\nfunction = \"scale\"\nargs = { n = 16, k = 4 }\n",
    );
    let words = ["build", "a.py", "--out", "out", "--verbose", "--instance", "scale(16)"];
    run(&project, &words).check(expect![[r#"
        built     cuda/a/main_n_16__k_2__dtype__float32___kernel.cu (new)
        built     cuda/a/main_n_32__k_2__dtype__float16___kernel.cu (new)
        built     cuda/a/main_n_16__k_4__dtype__float32___kernel.cu (new)
        3 kernels: 3 built, 0 reused; 0 functions not built
        --- exit code 0
    "#]]);
    let module: serde_json::Value =
        serde_json::from_str(&project.read("out/cuda/a/module.json")).unwrap();
    let functions = module["functions"].as_array().unwrap().iter();
    let threads = |it: &serde_json::Value| it["kernels"][0]["block"][0]["text"].to_string();
    let shown: Vec<String> =
        functions.map(|it| format!("{} {}", it["name"], threads(it))).collect();
    expect![[r#"
        "main[n=16, k=2, dtype=\"float32\"]" "8"
        "main[n=32, k=2, dtype=\"float16\"]" "16"
        "main[n=16, k=4, dtype=\"float32\"]" "4""#]]
    .assert_eq(&shown.join("\n"));
    // Nothing is generated that is known, and another argument is another kernel.
    let text = FACTORY.replace("scale(32, dtype", "scale(64, dtype");
    project.write("a.py", text.as_bytes());
    let out = run(&project, &words).out();
    assert!(out.contains("3 kernels: 1 built, 2 reused"), "{out}");
    let wrong = run(&project, &["build", "a.py", "--out", "out", "--instance", "scale(1, x=2)"]);
    wrong.check(expect![[r#"
        0 kernels: 0 built, 0 reused; 0 functions not built
        --- errors
        error: cannot build a.py: `scale` has no parameter `x`
        --- exit code 2
    "#]]);
}

#[test]
fn equal_instances_are_generated_once() {
    let text = FACTORY.replace("def scale(n, k=2,", "def scale(n, k=2, unused=0,");
    let text = text.replace("scale(32, dtype=\"float16\")", "scale(16, unused=1)");
    let project = Project::new(&[("a.py", &text)]);
    run(&project, &["build", "a.py", "--out", "out", "--verbose"]).check(expect![[r#"
        built     cuda/a/main_n_16__k_2__unused_0__dtype__float32___kernel.cu (new)
        alias     cuda/a/main_n_16__k_2__unused_1__dtype__float32___kernel.cu (equal up to names to one that was generated)
        equal: main[n=16, k=2, unused=0, dtype="float32"] of a.py, main[n=16, k=2, unused=1, dtype="float32"] of a.py
        1 functions are equal to others up to names: generated once, 279 bytes of code that need no compiling
        2 kernels: 1 built, 1 reused; 0 functions not built
        --- exit code 0
    "#]]);
}

#[test]
fn a_function_without_parameters_has_one_instance() {
    let text = "import tilelang.language as T\n\n\ndef make():\n    @T.prim_func\n    def main(A: T.Tensor((8,), \"float32\")):\n        with T.Kernel(1, threads=8) as bx:\n            T.clear(A)\n\n    return main\n";
    let project = Project::new(&[("a.py", text)]);
    run(&project, &["opt", "a.py", "--instance", "make()"]).check(expect![[r#"
        from tvm.script import tirx as T


        @T.prim_func
        def main(A: T.Buffer((8,), "float32")):
            for bx in T.thread_binding(1, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [8, 1, 1]})
                    T.fill(T.region(A[0], 2, 8), 0)
        --- exit code 0
    "#]]);
    run(&project, &["opt", "a.py", "--instance", "make(1)"]).check(expect![[r#"
        --- errors
        error: a.py: `make` takes 0 positional arguments, not 1; it has no parameters
        --- exit code 2
    "#]]);
}
