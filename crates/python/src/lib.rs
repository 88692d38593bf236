//! The native part of the Python package `tir_analyzer`: the commands of the command line.
//!
//! `program` is the whole program, for the script on the PATH; `command` runs one command on streams of its own.
//! Input: the words of a command, its standard input, the folder where relative paths start. Output: the exit code and
//! what the command wrote. Everything else (which words, and what the answers mean to Python) is in the package's
//! sources beside this crate. The work is done without Python's lock, and a panic becomes an exception.

#![allow(missing_docs, reason = "the functions below are documented for Python, in `_native.pyi`")]

use std::{ffi::OsString, path::PathBuf};

use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    types::{PyBytes, PyModule},
};
use tir_analyzer::cli::{self, Answer};

/// Runs the command `words` (without the name of the program): its exit code, its output and its errors.
#[pyfunction]
fn command<'py>(
    py: Python<'py>,
    words: Vec<OsString>,
    stdin: Vec<u8>,
    folder: PathBuf,
) -> PyResult<(u8, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let done = py.detach(|| ir::guard::catch(|| cli::answer(words, &stdin, &folder)));
    let Answer { code, out, err } = done.map_err(|what| {
        PyRuntimeError::new_err(ir::guard::report_on("the command", &what, "it has no answer"))
    })?;
    Ok((code, PyBytes::new(py, &out), PyBytes::new(py, &err)))
}

/// The program `tir-analyzer` with `words` (the name of the program comes first), on the streams of this process. Gives
/// the exit code.
#[pyfunction]
fn program(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    let done = py.detach(|| ir::guard::catch(|| cli::main_with(&words)));
    done.map_err(|what| {
        PyRuntimeError::new_err(ir::guard::report_on("the program", &what, "it ended"))
    })
}

/// The module `tir_analyzer._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Panics are told by who catches them, and not on the standard error of a program of others.
    ir::guard::install_panic_hook(false);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(program, module)?)
}
