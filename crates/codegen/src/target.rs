//! Targets: their names and capabilities.
//!
//! Their options are in [`options`], their devices in [`arch`], their code generators in `backend`.

pub mod arch;
pub(crate) mod limits;
pub(crate) mod options;

use serde::{Deserialize, Serialize};

/// A language that code is written in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// CUDA C++.
    Cuda,
    /// OpenCL C 1.2.
    OpenCl,
    /// HIP C++.
    Hip,
    /// C11, for the host.
    C,
    /// SPIR-V 1.3 for Vulkan, as a binary.
    Spirv,
    /// WGSL of WebGPU.
    Wgsl,
    /// Metal Shading Language 2.3.
    Metal,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 7] = [
        Target::Cuda,
        Target::OpenCl,
        Target::Hip,
        Target::C,
        Target::Spirv,
        Target::Wgsl,
        Target::Metal,
    ];

    /// The name it has on the command line, in paths and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Target::Cuda => "cuda",
            Target::OpenCl => "opencl",
            Target::Hip => "hip",
            Target::C => "c",
            Target::Spirv => "spirv",
            Target::Wgsl => "wgsl",
            Target::Metal => "metal",
        }
    }
    /// Reads its name.
    pub fn parse(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|it| it.name() == name)
    }
    /// Ending of source files.
    pub fn extension(self) -> &'static str {
        match self {
            Target::Cuda => "cu",
            Target::OpenCl => "cl",
            Target::Hip => "hip",
            Target::C => "c",
            Target::Spirv => "spv",
            Target::Wgsl => "wgsl",
            Target::Metal => "metal",
        }
    }
    /// The target whose sources NVIDIA's compilers make binaries of, and measure.
    pub const COMPILED: Target = Target::Cuda;
    /// Returns true if it is [`Self::COMPILED`].
    pub fn is_compiled(self) -> bool {
        self == Target::COMPILED
    }
    /// Returns true if the host calls its functions, so that a whole function is written, with loops for its launches.
    pub fn is_host(self) -> bool {
        self == Target::C
    }
    /// Returns true if threads of a warp, of which there are always 32, can exchange values.
    pub(crate) fn has_shuffles(self) -> bool {
        matches!(self, Target::Cuda | Target::Hip)
    }
    /// Returns true if it has tensor cores and asynchronous copies, of which a device of an older architecture lacks
    /// some.
    pub(crate) fn has_instructions(self) -> bool {
        self == Target::Cuda
    }
    /// Returns true if addresses may have 64 bits.
    pub(crate) fn has_wide_addresses(self) -> bool {
        !matches!(self, Target::Spirv | Target::Wgsl | Target::Metal)
    }
    /// Returns true if the language can forbid the fusion of `a * b + c`.
    pub(crate) fn controls_contraction(self) -> bool {
        self != Target::Wgsl
    }
    /// Returns true if inexact computation of floats can be requested.
    pub(crate) fn has_fast_math(self) -> bool {
        !matches!(self, Target::Spirv | Target::Wgsl)
    }
    /// Returns true if the version of the language is written into the code.
    pub(crate) fn writes_version(self) -> bool {
        matches!(self, Target::Spirv | Target::Metal)
    }
}
