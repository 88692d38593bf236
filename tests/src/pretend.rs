//! Programs that stand in for vendors' compilers, for tests of the requests to them and of caching.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

/// Writes a library NVRTC into `folder`, and a Python that runs it: its output for a source is the source and the
/// options.
///
/// # Panics
/// If they cannot be written.
pub fn nvrtc(folder: &Path, version: &str) {
    for part in ["bin", "lib"] {
        fs::create_dir_all(folder.join(part)).expect("a folder");
    }
    fs::write(folder.join("lib/libnvrtc.so.1"), "").expect("a library");
    let python = format!(
        "#!/bin/sh\nsep=$(printf '\\037')\nwhile IFS= read -r line; do\ncd \"${{line%%$sep*}}\"\n\
         echo 'release 1, V{version}' | cat - kernel.cu > kernel.ptx\n\
         echo \"${{line#*$sep}}\" | cat kernel.cu - > kernel.cubin\n\
         echo 'Used 7 registers' > kernel.log; echo ok\ndone\n"
    );
    write_program(&folder.join("bin/python3"), &python);
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).expect("a program");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// Writes an `nvcc` and a `ptxas` of a version into `folder`. The first notes its arguments in `folder/log`; the second
/// prints the expansion of `registers` by the shell, with the source in `kernel.ptx`.
///
/// # Panics
/// If they cannot be written.
pub fn cuda_compilers(folder: &Path, version: &str, registers: &str) {
    fs::create_dir_all(folder).expect("a folder");
    let says = format!("if [ \"$1\" = --version ]; then echo 'release 1, V{version}'; exit; fi");
    let log = folder.join("log");
    let nvcc = format!("echo \"$*\" >> '{}'\ncp kernel.cu kernel.ptx", log.display());
    let ptxas = format!("cp kernel.ptx kernel.cubin\necho \"Used {registers} registers\" >&2");
    for (name, does) in [("nvcc", nvcc), ("ptxas", ptxas)] {
        write_program(&folder.join(name), &format!("#!/bin/sh\n{says}\n{does}\n"));
    }
}
