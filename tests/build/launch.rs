//! The loader in Python runs the built kernels, on a real driver, by the manifests alone.

use std::{path::Path, process::Command};

use crate::project::Project;

/// Dynamic extents, a scalar parameter, two kernels and memory between them.
const MODULE: &str = r#"from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def scaled_square(a: T.handle, b: T.handle, k: T.int32):
        n = T.int32()
        A = T.match_buffer(a, (n, 8), "float32")
        B = T.match_buffer(b, (n, 8), "float32")
        C = T.alloc_buffer((n, 8), "float32")
        with T.launch_thread("blockIdx.x", (n + 3) // 4) as bx:
            tx = T.launch_thread("threadIdx.x", 32)
            if bx * 4 + tx // 8 < n:
                C[bx * 4 + tx // 8, tx % 8] = A[bx * 4 + tx // 8, tx % 8] * A[bx * 4 + tx // 8, tx % 8]
        with T.launch_thread("blockIdx.x", n) as bx:
            tx = T.launch_thread("threadIdx.x", 8)
            B[bx, tx] = C[bx, tx] * T.Cast("float32", k)
"#;

/// Calls the function on arrays of two sizes and compares with numpy.
const SCRIPT: &str = r#"
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import launch
function = launch.load(sys.argv[2], "net.py", "scaled_square")
for n in (5, 64):
    a = np.random.default_rng(n).uniform(-1, 1, (n, 8)).astype("float32")
    b = np.zeros_like(a)
    function.call(a, b, 3)
    assert (b == a * a * np.float32(3)).all(), (n, b)
print("equal")
"#;

#[test]
#[ignore = "needs pyopencl and an OpenCL device"]
fn pyopencl_runs_what_was_built() {
    let project = Project::new();
    project.write("net.py", MODULE);
    let report = project.json("build kernels --target opencl --out out --format json");
    assert_eq!(report["unsupported"].as_array().map(Vec::len), Some(0), "{report}");
    let python = std::env::var_os("TIR_ANALYZER_PYOPENCL").unwrap_or_else(|| "python3".into());
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/build-kernels/examples");
    let folder = project.path().join("out/opencl");
    let run = |words: &[&std::ffi::OsStr]| {
        let output = Command::new(&python).args(words).output().expect("Python runs");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let printed = run(&["-c".as_ref(), SCRIPT.as_ref(), examples.as_ref(), folder.as_ref()]);
    assert_eq!(printed, "equal\n");
    // As a program, it prints a line for each array.
    let script = examples.join("launch.py");
    let words = [script.as_ref(), folder.as_ref(), "net.py".as_ref(), "scaled_square".as_ref()];
    let printed = run(&words);
    assert!(printed.starts_with("A float32 [64, 8] "), "{printed}");
    assert_eq!(printed.lines().count(), 2);
}
