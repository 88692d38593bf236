//! Programs that stand in for vendors' compilers, where a test is about what is asked of them and kept.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

/// Writes an `nvcc` and a `ptxas` of a version into `folder`. The first notes its arguments in `folder/log`; the second says
/// what the shell makes of `registers`, with the source in `kernel.ptx`.
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
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{says}\n{does}\n")).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    }
}
