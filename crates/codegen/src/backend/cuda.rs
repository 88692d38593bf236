//! CUDA C++ (for NVRTC or nvcc, C++17).

mod dialect;
mod keywords;
pub(crate) mod ptx;

/// The dialect.
pub(crate) struct Cuda;
