//! Settings that are one of several names.

/// Whose rules plans follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Preset {
    /// All sound plans with savings, and reuse of the user's bindings
    Default,
    /// TVM's pass, names and order included
    Tvm,
    /// TVM's pass of 2022 (0.21 to 0.23), names and order included
    #[value(name = "tvm-2022")]
    Tvm2022,
    /// `mlir-opt -cse` of LLVM 19, for files of MLIR
    Mlir,
    /// `mlir-opt -cse` of LLVM 24, for files of MLIR
    #[value(name = "mlir-24")]
    Mlir24,
    /// Paddle's pass, for printed programs
    Pir,
}

impl From<Preset> for ide::Preset {
    fn from(preset: Preset) -> ide::Preset {
        match preset {
            Preset::Default => ide::Preset::Default,
            Preset::Tvm => ide::Preset::Tvm,
            Preset::Tvm2022 => ide::Preset::Tvm2022,
            Preset::Mlir => ide::Preset::Mlir19,
            Preset::Mlir24 => ide::Preset::Mlir24,
            Preset::Pir => ide::Preset::Pir,
        }
    }
}

/// The compiler that processes the text after it was fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Downstream {
    /// Rewrites that preserve the meaning of the text
    Sound,
    /// TVM: values stay unbound whose names would make its passes evaluate something where the text does not
    Tvm,
}

impl From<Downstream> for ide::Downstream {
    fn from(downstream: Downstream) -> ide::Downstream {
        match downstream {
            Downstream::Sound => ide::Downstream::Sound,
            Downstream::Tvm => ide::Downstream::Tvm,
        }
    }
}

/// The level of equivalence that occurrences of one value must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Equivalence {
    /// The same tree
    Syntactic,
    /// The same after ordering the operands of `+`, `*` and the like: the same bits always
    Commutative,
    /// The same after re-association of integers, where no overflow can be added
    Associative,
    /// Equal sums and products of integers, where no overflow can be added
    Arithmetic,
}

impl From<Equivalence> for ide::Equivalence {
    fn from(equivalence: Equivalence) -> ide::Equivalence {
        match equivalence {
            Equivalence::Syntactic => ide::Equivalence::Syntactic,
            Equivalence::Commutative => ide::Equivalence::Commutative,
            Equivalence::Associative => ide::Equivalence::Associative,
            Equivalence::Arithmetic => ide::Equivalence::Arithmetic,
        }
    }
}
