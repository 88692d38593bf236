//! Names of other files: their values are the same in every command.

use super::Project;

const KERNELS: &str = r#"from tvm.script import tirx as T

from ..sizes import N, THREADS
from .helpers import *


@T.prim_func
def scale(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32")):
    for i in T.thread_binding(THREADS, thread="threadIdx.x"):
        if i < doubled(THREADS):
            B[i] = A[i] * T.float32(2.0)
"#;

fn project() -> Project {
    Project::new(&[
        ("tir-analyzer.toml", ""),
        ("src/app/__init__.py", ""),
        ("src/app/sizes.py", "N = 64\nTHREADS = N // 2\n"),
        ("src/app/ops/__init__.py", ""),
        (
            "src/app/ops/helpers.py",
            "__all__ = ['doubled']\n\n\ndef doubled(x):\n    return 2 * x\n",
        ),
        ("src/app/ops/scale.py", KERNELS),
    ])
}

#[test]
fn commands_know_the_values_of_imported_names() {
    let project = project();
    let file = "src/app/ops/scale.py";
    let is_known = |command: &str| {
        let outcome = project.run(&format!("{command} {file}"));
        format!("{}{}", outcome.out(), outcome.err())
    };
    let opt = is_known("opt");
    assert!(opt.contains("A: T.Buffer((64,), \"float32\")"), "{opt}");
    assert!(opt.contains("T.thread_binding(32, thread=\"threadIdx.x\")"), "{opt}");
    let wrong = KERNELS.replace("(N,), \"float32\"), B", "(N, THREADS), \"float32\"), B");
    project
        .write("src/app/ops/wrong.py", wrong.replace("B[i] =", "B[i + N // 64 * 99] =").as_bytes());
    for inputs in ["src", "src/app/ops/wrong.py", ""] {
        let check = project.run(&format!("check {inputs}"));
        assert!(check.out().contains("`A` has 2 dimensions"), "{}{}", check.out(), check.err());
    }
    let preview = is_known("preview");
    assert!(preview.contains("T.Buffer((64,)"), "{preview}");
    let explain = project.run(&format!("explain {file}:10:12"));
    assert!(explain.out().contains("always"), "{}{}", explain.out(), explain.err());
    let fixed = project.run(&format!("fix {file} --select constant-condition --diff"));
    assert!(
        fixed.out().contains("-        if i < doubled(THREADS):"),
        "{}{}",
        fixed.out(),
        fixed.err()
    );
}

#[test]
fn nothing_outside_of_the_workspace_is_imported() {
    let project = project();
    project.write("outside.py", b"N = 8\n");
    project.write("inner/tir-analyzer.toml", b"");
    let text = KERNELS.replace(
        "from ..sizes import N, THREADS\nfrom .helpers import *",
        "from ..outside import N",
    );
    project.write("inner/scale.py", text.replace("THREADS", "N").as_bytes());
    let outcome = project.run("opt inner/scale.py");
    assert!(outcome.out().contains("A: T.Buffer((N,)"), "{}{}", outcome.out(), outcome.err());
}

const FACTORY: &str = r#"from tvm.script import tirx as T
from sizes import K


def scale(n):
    @T.prim_func
    def main(A: T.Buffer((n * K,), "float32")):
        for i in T.thread_binding(n, thread="threadIdx.x"):
            A[i * K] = T.float32(2.0)

    return main
"#;

/// The report of a build, without the order of its lines.
fn built(project: &Project, inputs: &str) -> String {
    let outcome = project.run(&format!("build {inputs} --out out --verbose"));
    format!("{}{}", outcome.out(), outcome.err())
}

#[test]
fn builds_follow_imports_and_calls_in_other_files() {
    let project = Project::new(&[
        ("tir-analyzer.toml", ""),
        ("sizes.py", "K = 2\n"),
        ("ops/__init__.py", "from .factory import scale\n"),
        ("ops/factory.py", FACTORY),
        (
            "tests/run.py",
            "from ops import scale as make\nfrom sizes import K\n\nmake(4)\nmake(n=4 * K)\n",
        ),
    ]);
    let first = built(&project, ".");
    assert!(first.contains("built     cuda/ops/factory/main_n_4__kernel.cu (new)"), "{first}");
    assert!(first.contains("built     cuda/ops/factory/main_n_8__kernel.cu (new)"), "{first}");
    let source = || project.read("out/cuda/ops/factory/main_n_4__kernel.cu");
    assert!(source().contains("* 2"), "{}", source());
    // Nothing changed; then a comment in the imported file.
    let again = built(&project, ".");
    assert!(again.contains("2 kernels: 0 built, 2 reused"), "{again}");
    project.write("sizes.py", b"# sizes\nK = 2\n");
    let comment = built(&project, ".");
    assert!(comment.contains("2 kernels: 0 built, 2 reused"), "{comment}");
    // Its value: of the kernels, and of the argument of a call.
    project.write("sizes.py", b"K = 3\n");
    let changed = built(&project, ".");
    assert!(source().contains("* 3"), "{changed}\n{}", source());
    assert!(changed.contains("main_n_12__kernel.cu (new)"), "{changed}");
    // A call that is gone, and one that appears.
    project.write("tests/run.py", b"from ops.factory import scale\n\nscale(16)\n");
    let called = built(&project, ".");
    assert!(
        called.contains("1 kernels: 1 built") || called.contains("1 kernel: 1 built"),
        "{called}"
    );
    assert!(called.contains("main_n_16__kernel.cu (new)"), "{called}");
    // Long enough ago that nothing is opened again.
    std::thread::sleep(std::time::Duration::from_millis(250));
    built(&project, ".");
    let kept = built(&project, ".");
    assert!(kept.contains("0 built, 1 reused"), "{kept}");
    project.write("sizes.py", b"K = 5\n");
    let changed = built(&project, ".");
    assert!(project.read("out/cuda/ops/factory/main_n_16__kernel.cu").contains("* 5"), "{changed}");
    // A file that takes the place of the imported one.
    project.write("ops/sizes.py", b"K = 7\n");
    project.write("sizes/__init__.py", b"K = 9\n");
    built(&project, ".");
    assert!(project.read("out/cuda/ops/factory/main_n_16__kernel.cu").contains("* 9"));
}

#[test]
fn settings_name_more_folders_in_which_imports_are_searched() {
    let text = "from tvm.script import tirx as T\n\nfrom sizes import N\nfrom far import M\n\n\n@T.prim_func\ndef f(A: T.Buffer((N,), \"float32\")):\n    for i in T.thread_binding(N, thread=\"threadIdx.x\"):\n        A[i] = T.float32(M)\n";
    let project = Project::new(&[
        ("inner/tir-analyzer.toml", "[imports]\nroots = [\"lib/common\", \"../far\"]\n"),
        ("inner/lib/common/sizes.py", "N = 48\n"),
        ("inner/app/kernels.py", text),
        ("far/far.py", "M = 3\n"),
    ]);
    let opt = project.run("opt inner/app/kernels.py");
    assert!(opt.out().contains("T.Buffer((48,), \"float32\")"), "{}{}", opt.out(), opt.err());
    // It is outside of the workspace.
    assert!(!opt.out().contains("3.0"), "{}", opt.out());
    let built = project.run("build inner --target cuda --out out");
    let said = format!("{}{}", built.out(), built.err());
    assert!(said.contains("`M` is not known here") && !said.contains("`N`"), "{said}");
    project.write("inner/app/kernels.py", text.replace("T.float32(M)", "T.float32(N)").as_bytes());
    let built = project.run("build inner --target cuda --out out");
    let said = format!("{}{}", built.out(), built.err());
    assert!(said.contains("1 built"), "{said}");
}
