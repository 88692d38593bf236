//! Targets and what may be chosen about the code for them.

use serde::{Deserialize, Serialize};
use transform::passes::Pass;

use crate::c_family::dialect::Dialect;

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
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 4] = [Target::Cuda, Target::OpenCl, Target::Hip, Target::C];

    /// The name it has on the command line, in paths and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Target::Cuda => "cuda",
            Target::OpenCl => "opencl",
            Target::Hip => "hip",
            Target::C => "c",
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
        }
    }
    /// Whether its functions are called by the host, so that a whole function is written, with loops for its launches.
    pub fn is_host(self) -> bool {
        self == Target::C
    }
    pub(crate) fn dialect(self, options: &Options) -> Box<dyn Dialect> {
        match self {
            Target::Cuda => Box::new(crate::cuda::Cuda),
            Target::OpenCl => Box::new(crate::opencl::OpenCl { contract: options.contract }),
            Target::Hip => Box::new(crate::hip::Hip { contract: options.contract }),
            Target::C => Box::new(crate::c::C { contract: options.contract }),
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
