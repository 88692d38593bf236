//! Targets: their names, who writes them, how their sources are compiled.

use serde::{Deserialize, Serialize};

use crate::{
    Options,
    c_family::dialect::Dialect,
    naga::{self, Language},
    names::Reserved,
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
        matches!(self, Target::Cuda | Target::Hip)
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
    /// What no identifier in `text`, canonical code for this target, may be.
    pub(crate) fn reserved(self, text: &str) -> Reserved<'_> {
        match self.backend(&Options::default()) {
            Backend::C(dialect) => Reserved {
                prefixes: dialect.reserved_prefixes(),
                is_word: Box::new(move |word| dialect.is_reserved(word)),
            },
            Backend::Naga(language) => {
                let words = naga::words(text);
                Reserved {
                    prefixes: naga::RESERVED_PREFIXES,
                    is_word: Box::new(move |word| {
                        words.contains(word) || naga::is_reserved(word, language)
                    }),
                }
            }
        }
    }
    /// Flags that the source has to be compiled with, to mean what the program means.
    pub fn compile_flags(self, options: &Options) -> Vec<String> {
        let arch = options.device.arch.as_deref();
        let fast = |flag| options.is_fast_math().then_some(flag);
        let mut flags = Vec::new();
        match self {
            Target::Cuda => {
                let fuse = if options.contract { "--fmad=true" } else { "--fmad=false" };
                flags.extend(["--std=c++17", fuse]);
                flags.extend(fast("--use_fast_math"));
            }
            Target::OpenCl => {
                let exact = "-cl-fp32-correctly-rounded-divide-sqrt";
                flags.push(fast("-cl-fast-relaxed-math").unwrap_or(exact));
            }
            Target::Hip => {
                flags.extend(["-std=c++17", contraction(options)]);
                flags.extend(fast("-ffast-math"));
            }
            Target::C => {
                flags.extend(["-std=c11", contraction(options)]);
                flags.extend(fast("-ffast-math"));
            }
            // Contraction is said in the binary, and cannot be said in WGSL.
            Target::Spirv | Target::Wgsl => {}
            Target::Metal => {
                flags.push(fast("-ffast-math").unwrap_or("-fno-fast-math"));
                flags.extend((!options.contract).then_some("-ffp-contract=off"));
            }
        }
        let mut flags: Vec<String> = flags.into_iter().map(str::to_owned).collect();
        match self {
            Target::Cuda => flags.extend(arch.map(|it| format!("--gpu-architecture={it}"))),
            Target::Hip => flags.extend(arch.map(|it| format!("--offload-arch={it}"))),
            Target::OpenCl => flags.insert(0, format!("-cl-std=CL{}", arch.unwrap_or("1.2"))),
            Target::Metal => {
                let version = arch.unwrap_or("2.3");
                // From version 3 on it is the same for all of Apple's systems.
                flags.insert(0, format!("-std=metal{version}"));
            }
            Target::C | Target::Spirv | Target::Wgsl => {}
        }
        flags
    }
}

/// The flag of gcc and clang for `a * b + c`.
fn contraction(options: &Options) -> &'static str {
    if options.contract { "-ffp-contract=fast" } else { "-ffp-contract=off" }
}
