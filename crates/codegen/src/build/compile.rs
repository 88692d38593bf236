//! Compilers of vendors: the interface, and the metrics of a compiled kernel.
//!
//! In: a source, flags, an architecture. Out: code for the assembler and the device, and its metrics. This crate starts
//! no program; the caller of a build provides the compiler ([`Settings::compile`](super::Settings)).

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::artifact::manifest::Metrics;

/// A compiler of sources.
pub trait Compiler: fmt::Debug + Send + Sync {
    /// Names and versions of its programs, for people and manifests.
    fn identity(&self) -> &str;

    /// All settings that determine its output: part of the key of that output.
    fn inputs(&self) -> &str {
        self.identity()
    }

    /// Compiles the source of one kernel.
    ///
    /// # Errors
    ///
    /// The messages of the compiler.
    fn compile(&self, source: &str, flags: &[String], arch: &str) -> Result<Compiled, String>;
}

/// The wanted binaries.
#[derive(Clone, Debug)]
pub struct Compile {
    /// The compilers that make them.
    pub compiler: Arc<dyn Compiler>,
    /// PTX beside the source.
    pub ptx: bool,
    /// A cubin beside the source.
    pub cubin: bool,
    /// Also compile the code without `cse`, to report the savings.
    pub compare: bool,
}

/// The code of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Compiled {
    /// For the assembler.
    pub ptx: String,
    /// For the device.
    pub cubin: Vec<u8>,
    /// The metrics.
    pub figures: Metrics,
}

/// The result of compiling a kernel.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Of the kernel as it is written out.
    pub figures: Option<Metrics>,
    /// Of the kernel without `cse`, if that was asked for.
    pub before: Option<Metrics>,
    /// `cse` changes nothing in this kernel.
    pub is_same_source: bool,
    /// The error message of the compiler.
    pub failure: Option<String>,
}

/// The savings of `cse`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// There was nothing in common.
    NothingShared,
    /// As many instructions and registers: the compiler finds it anyway.
    FoundAnyway,
    /// Fewer instructions, or as many with fewer registers.
    Survives,
    /// More instructions, or as many with more registers.
    Costs,
}

impl Verdict {
    /// One word, as programs read it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::NothingShared => "nothing-shared",
            Verdict::FoundAnyway => "found-anyway",
            Verdict::Survives => "survives",
            Verdict::Costs => "costs",
        }
    }
}

impl Measured {
    /// Returns the savings of `cse`; `None` if they were not measured.
    pub fn verdict(&self) -> Option<Verdict> {
        let (after, before) = (self.figures.as_ref()?, self.before.as_ref()?);
        if self.is_same_source {
            return Some(Verdict::NothingShared);
        }
        let of = |it: &Metrics| (it.instructions, it.registers);
        Some(match of(after).cmp(&of(before)) {
            std::cmp::Ordering::Less => Verdict::Survives,
            std::cmp::Ordering::Equal => Verdict::FoundAnyway,
            std::cmp::Ordering::Greater => Verdict::Costs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_judged_by_instructions_then_registers() {
        let figures = |instructions, registers| Metrics {
            instructions: Some(instructions),
            registers,
            ..Metrics::default()
        };
        let verdict = |before, after| {
            let measured =
                Measured { figures: Some(after), before: Some(before), ..Measured::default() };
            measured.verdict().map(Verdict::name)
        };
        assert_eq!(verdict(figures(40, 12), figures(32, 14)), Some("survives"));
        assert_eq!(verdict(figures(32, 14), figures(32, 12)), Some("survives"));
        assert_eq!(verdict(figures(32, 12), figures(32, 12)), Some("found-anyway"));
        assert_eq!(verdict(figures(32, 12), figures(32, 13)), Some("costs"));
        assert_eq!(Measured::default().verdict(), None);
    }
}
