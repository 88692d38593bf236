//! Generated workspaces of kernels: as many files and functions as asked for, all different.
//!
//! In: numbers. Out: text of TVMScript. A function's version decides its computation; a function with another version
//! also has another list of parameters, so that a launcher with the wrong manifest would pass wrong arguments.

use std::{fs, io, path::Path};

/// A function `kernel_NUMBER`.
pub fn function(number: usize, version: usize) -> String {
    let extra = if version % 2 == 1 { "C: T.Buffer((1024,), \"float32\"), " } else { "" };
    let term = if version % 2 == 1 { " + C[bx * 256 + tx]" } else { "" };
    format!(
        r#"    @T.prim_func
    def kernel_{number}(A: T.Buffer((1024,), "float32"), {extra}B: T.Buffer((1024,), "float32")):
        with T.launch_thread("blockIdx.x", 4) as bx:
            tx = T.launch_thread("threadIdx.x", 256)
            B[bx * 256 + tx] = A[bx * 256 + tx] * T.float32({number}.0) + T.float32({version}.0){term}
"#
    )
}

/// A module with functions of the given numbers and versions.
pub fn module(functions: impl IntoIterator<Item = (usize, usize)>) -> String {
    let mut text = String::from(
        "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n",
    );
    for (number, version) in functions {
        text.push_str(&function(number, version));
        text.push('\n');
    }
    text
}

/// The numbers of the functions of a file, with `size` functions a file.
pub fn numbers(file: usize, size: usize) -> std::ops::Range<usize> {
    file * size..(file + 1) * size
}

/// The name of a file.
pub fn file_name(file: usize) -> String {
    format!("part_{}/file_{file}.py", file / 50)
}

/// Writes a workspace of version 0; the bytes of its texts.
pub fn write(folder: &Path, files: usize, size: usize) -> io::Result<u64> {
    let mut bytes = 0;
    for file in 0..files {
        let path = folder.join(file_name(file));
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let text = module(numbers(file, size).map(|it| (it, 0)));
        bytes += text.len() as u64;
        fs::write(path, text)?;
    }
    Ok(bytes)
}

/// Writes a file of such a workspace once more, with another version of its first function in each round.
pub fn edit(folder: &Path, file: usize, size: usize, round: usize) -> io::Result<()> {
    let version = |it| if it == file * size { 2 * round + 2 } else { 0 };
    let text = module(numbers(file, size).map(|it| (it, version(it))));
    fs::write(folder.join(file_name(file)), text)
}

/// A module with a factory of kernels and `instances` calls of it.
pub fn factory_module(number: usize, instances: usize) -> String {
    let calls: String =
        (1..=instances).map(|at| format!("    scale({}, {at}.0),\n", 1024 * at)).collect();
    format!(
        r#"from tvm.script import tirx as T


def scale(n, factor):
    @T.prim_func
    def scale_{number}(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        with T.launch_thread("blockIdx.x", n // 256) as bx:
            tx = T.launch_thread("threadIdx.x", 256)
            B[bx * 256 + tx] = A[bx * 256 + tx] * T.float32(factor) + T.float32({number}.0)

    return scale_{number}


kernels = [
{calls}]
"#
    )
}
