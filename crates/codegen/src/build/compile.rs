//! Compilers of vendors: the interface, and the metrics of a compiled kernel.
//!
//! In: a source, flags, an architecture. Out: code for the assembler and the device, and its metrics. This crate starts
//! no program; the caller of a build provides the compiler ([`Settings::compile`](super::Settings)).

use std::{collections::BTreeMap, fmt, sync::Arc};

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

    /// Returns true if it can do more at once than threads ask for.
    fn has_helpers(&self) -> bool {
        false
    }

    /// Is told that a source will be compiled soon: one that has helpers begins. Returns at once.
    fn expect(&self, _source: &str, _flags: &[String], _arch: &str) {}

    /// Tells what other machines did since the last report, and forgets it; `None` if there are none.
    fn helped(&self) -> Option<Helped> {
        None
    }
}

/// The work of other machines in a build.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Helped {
    /// The service, for people: its address without secrets.
    pub name: String,
    /// Sources that were compiled here.
    pub here: usize,
    /// Sources that others compiled, by the name of the machine.
    pub by_worker: BTreeMap<Arc<str>, usize>,
    /// Compilations whose outcome nobody needed: another machine was faster.
    pub unneeded: usize,
    /// Describes what went wrong, for people; the build went on without.
    pub notes: Vec<String>,
}

/// The place where a kernel was compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// On this machine.
    Here,
    /// On the worker of this name.
    Worker(Arc<str>),
    /// On a worker, at an earlier time: the service knew what came of it.
    Known(Arc<str>),
    /// In the store.
    Store,
    /// In the cache that machines share.
    SharedCache,
}

impl Origin {
    /// For people.
    pub fn text(&self) -> String {
        match self {
            Origin::Here => "compiled here".to_owned(),
            Origin::Worker(name) => format!("compiled by {name}"),
            Origin::Known(name) => format!("compiled by {name} before"),
            Origin::Store => "binary from the store".to_owned(),
            Origin::SharedCache => "binary from the shared cache".to_owned(),
        }
    }
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
    /// The place where it was compiled now; no part of an entry of the store.
    #[serde(skip)]
    pub origin: Option<Origin>,
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
    /// The place where the kernel as it is written out was compiled in this build; `None` if nothing was asked for.
    #[serde(skip)]
    pub origin: Option<Origin>,
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
