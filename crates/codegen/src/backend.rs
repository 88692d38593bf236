//! Backends: who writes the code of each target, and how what they write is compiled.
//!
//! In: a kernel of a [`crate::KernelSet`]. Out: its canonical source, with slots for names. [`c_family`] writes all
//! C-like languages, each by a dialect; [`naga`] writes those of the library naga.

mod c;
pub(crate) mod c_family;
mod cuda;
mod hip;
pub(crate) mod naga;
mod opencl;
mod spelling;

use ir::OpId;

use crate::{
    Options, Target,
    artifact::{manifest::Bindings, names::Reserved},
    kernel::{bound::BoundLine, host::HostExpr},
};

use self::{c_family::dialect::Dialect, naga::ShaderLanguage};

/// The code generator of a target.
pub(crate) enum Backend {
    /// The writer for C-like languages.
    C(Box<dyn Dialect>),
    /// naga.
    Naga(ShaderLanguage),
}

/// Canonical source of one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceCode {
    /// Text with slots.
    pub text: String,
    /// Wanted names of the slots that code generation made.
    pub made: Vec<String>,
    /// Bytes of shared memory that the source itself declares.
    pub static_shared: u64,
    /// Bytes of shared memory that the launch has to give.
    pub dynamic_shared: u64,
    /// Lines of the text, from 1, and the operation that each begins.
    pub lines: Vec<(u32, OpId)>,
    /// Lines that compute values bound by `cse`.
    pub(crate) shared: Vec<BoundLine>,
    /// The words of the binary, where the language has one; the text then only shows its contents.
    pub binary: Vec<u32>,
    /// The place where arguments are bound, where they have no order of their own.
    pub bindings: Option<Bindings>,
    /// The required device features beyond the language.
    pub features: Vec<Feature>,
    /// The checks of the host before a launch.
    pub checks: Vec<HostExpr>,
}

/// A required device feature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feature {
    /// As manifests write it.
    pub name: String,
    /// The first operation that asks for it, if one does.
    pub op: Option<OpId>,
}

impl Target {
    /// Its code generator.
    pub(crate) fn backend(self, options: &Options) -> Backend {
        match self {
            Target::Cuda => Backend::C(Box::new(cuda::Cuda)),
            Target::OpenCl => Backend::C(Box::new(opencl::OpenCl { contract: options.contract })),
            Target::Hip => Backend::C(Box::new(hip::Hip { contract: options.contract })),
            Target::C => Backend::C(Box::new(c::C { contract: options.contract })),
            Target::Spirv => Backend::Naga(ShaderLanguage::Spirv),
            Target::Wgsl => Backend::Naga(ShaderLanguage::Wgsl),
            Target::Metal => Backend::Naga(ShaderLanguage::Metal),
        }
    }
    /// Returns the words that no identifier may be in `text`, canonical code for this target.
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

    /// Flags that the source must be compiled with to preserve the meaning of the program.
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
