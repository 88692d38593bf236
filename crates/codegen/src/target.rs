//! Targets and what may be chosen about the code for them.

use serde::{Deserialize, Serialize};
use transform::passes::Pass;

use crate::{
    c_family::dialect::Dialect,
    naga::{self, Language},
};

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

/// Who writes a target.
pub(crate) enum Backend {
    /// The writer for C-like languages.
    C(Box<dyn Dialect>),
    /// naga.
    Naga(Language),
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
    /// Whether its functions are called by the host, so that a whole function is written, with loops for its launches.
    pub fn is_host(self) -> bool {
        self == Target::C
    }
    /// Whether threads of a warp, of which there are always 32, can hand values to each other.
    pub(crate) fn has_shuffles(self) -> bool {
        self == Target::Cuda
    }
    /// Who writes it.
    pub(crate) fn backend(self, options: &Options) -> Backend {
        match self {
            Target::Cuda => Backend::C(Box::new(crate::cuda::Cuda)),
            Target::OpenCl => {
                Backend::C(Box::new(crate::opencl::OpenCl { contract: options.contract }))
            }
            Target::Hip => Backend::C(Box::new(crate::hip::Hip { contract: options.contract })),
            Target::C => Backend::C(Box::new(crate::c::C { contract: options.contract })),
            Target::Spirv => Backend::Naga(Language::Spirv),
            Target::Wgsl => Backend::Naga(Language::Wgsl),
            Target::Metal => Backend::Naga(Language::Metal),
        }
    }
    /// Whether a word cannot be an identifier in `text`, canonical code for this target.
    pub(crate) fn reserved(self, text: &str) -> Box<dyn Fn(&str) -> bool + '_> {
        match self.backend(&Options::default()) {
            Backend::C(dialect) => Box::new(move |word| dialect.is_reserved(word)),
            Backend::Naga(language) => {
                let words = naga::words(text);
                Box::new(move |word| words.contains(word) || naga::is_reserved(word, language))
            }
        }
    }
    /// Flags that the source has to be compiled with, to mean what the program means.
    pub fn compile_flags(self, options: &Options) -> Vec<&'static str> {
        match self {
            Target::Cuda => {
                vec!["--std=c++17", if options.contract { "--fmad=true" } else { "--fmad=false" }]
            }
            Target::OpenCl => vec!["-cl-std=CL1.2", "-cl-fp32-correctly-rounded-divide-sqrt"],
            Target::Hip => vec!["-std=c++17", contraction(options)],
            Target::C => vec!["-std=c11", contraction(options)],
            // Contraction is said in the binary, and cannot be said in WGSL.
            Target::Spirv | Target::Wgsl => Vec::new(),
            Target::Metal if options.contract => vec!["-std=metal2.3", "-fno-fast-math"],
            Target::Metal => vec!["-std=metal2.3", "-fno-fast-math", "-ffp-contract=off"],
        }
    }
}

/// The flag of gcc and clang for `a * b + c`.
fn contraction(options: &Options) -> &'static str {
    if options.contract { "-ffp-contract=fast" } else { "-ffp-contract=off" }
}

/// What may be chosen about generated code. Every field is part of the key of an artifact.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Options {
    /// Lets the compiler fuse `a * b + c` (`SEMANTICS: F2`). Off unless asked.
    pub contract: bool,
    /// What is run before code is written, in this order, by the names of `transform::passes`. A name that is none does nothing.
    pub passes: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options { contract: false, passes: vec![Pass::Cse.name().to_owned()] }
    }
}
