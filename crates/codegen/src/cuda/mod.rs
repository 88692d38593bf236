//! CUDA C++ (for NVRTC or nvcc, C++17).

mod dialect;
mod keywords;

/// The dialect.
pub(crate) struct Cuda;
