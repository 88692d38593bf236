//! NVIDIA's compilers from published wheels: no GPU and no installation is needed.
//!
//! Out: a folder for `--cuda-path`, or a skip by name. `TIR_ANALYZER_CUDA` names another one.

use std::path::PathBuf;

use crate::process;
use crate::skip::Skip;
use crate::venv::Venv;
use crate::workspace::Workspace;

/// The compiler and its parts, headers, the assembler, the disassembler.
const PACKAGES: &[&str] = &[
    "nvidia-cuda-nvcc==13.5.37",
    "nvidia-nvvm==13.5.37",
    "nvidia-cuda-crt==13.5.37",
    "nvidia-cuda-runtime==13.5.37",
    "nvidia-cuda-cccl==13.3.5.0.6",
    "nvidia-cuda-cuobjdump==13.5.37",
    "nvidia-cuda-nvdisasm==13.5.37",
];

/// The folder that the compilers are installed in.
///
/// # Errors
/// If the wheels cannot be had, or there is no C++ compiler, which `nvcc` asks for.
pub(crate) fn folder(ws: &Workspace) -> Result<PathBuf, Skip> {
    if !process::exists("c++", "--version") {
        return Err(Skip::new("nvcc", "no C++ compiler on PATH, which nvcc needs"));
    }
    if let Some(given) = std::env::var_os("TIR_ANALYZER_CUDA") {
        return Ok(given.into());
    }
    let venv = Venv::with_packages(ws, "nvcc", PACKAGES)?;
    venv.site_packages().map_err(|error| Skip::new("nvcc", format!("{error:#}")))
}
