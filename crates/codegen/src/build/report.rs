//! The report of a build, with reasons: plain data for people and programs.

use std::{path::PathBuf, sync::Arc};

use super::{
    Helped, Measured,
    output::{module_folder, source_path},
    state::{FileState, FunctionState, KernelState},
};
use crate::{
    Target,
    artifact::{
        manifest::{Alias, UnsupportedFunction},
        store::{layer::LayerReport, maintain::Shrunk},
    },
};

/// Returns the status.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BuildReport {
    /// Every file, in the order of names.
    pub files: Vec<FileReport>,
    /// Every kernel: by target, file and place.
    pub kernels: Vec<KernelReport>,
    /// Functions that launch threads and have no code.
    pub unsupported: Vec<UnsupportedFunction>,
    /// Functions that are equal to others up to names.
    pub aliases: Vec<Alias>,
    /// Bytes of the sources of [`Self::aliases`] that need no compiling: all but the first of each.
    pub alias_bytes: u64,
    /// Functions that launch nothing (and so have no kernels).
    pub without_launch: usize,
    /// Outputs that files which were built no longer make: they were removed.
    pub removed: Vec<PathBuf>,
    /// Outputs of files that were to go: they were removed.
    pub pruned: Vec<PathBuf>,
    /// The changed options or generator of a target, which affect all its kernels.
    pub changes: Vec<Change>,
    /// The amount of work.
    pub work: Work,
    /// The runs of vendors' compilers, if they were asked for.
    pub compiled: Option<Compilations>,
    /// The entries removed from the store by the clean-up, if there was one.
    pub shrunk: Option<Shrunk>,
    /// The work of the layer beyond the store, if there is one.
    pub layer: Option<LayerReport>,
    /// The looks at the file system.
    pub looks: Looks,
    /// The files that a build of some did not come near, and the kernels in them.
    pub untouched: Untouched,
}

/// The looks of a build at sources and outputs, without the store: what grows with a workspace where nothing else does.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Looks {
    /// Files whose metadata was asked for.
    pub stats: usize,
    /// Files whose bytes were read.
    pub reads: usize,
}

/// The files that are as they were because nothing led to them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Untouched {
    /// Files.
    pub files: usize,
    /// Their kernels, for all targets.
    pub kernels: usize,
}

/// The amount of work: the measure of an incremental build.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Files that were split into functions.
    pub parsed: usize,
    /// Functions whose body was made.
    pub lowered: usize,
    /// Functions for which code was generated, here or by workers; equal functions count once for each target.
    pub generated: usize,
    /// Artifacts that the store had.
    pub found: usize,
    /// Files of the output that were replaced.
    pub written: usize,
    /// Entries of the store that were broken and were replaced.
    pub repaired: usize,
}

/// The work of a vendor's compiler.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Compilations {
    /// Its names and versions.
    pub compiler: String,
    /// Sources that it was started for; equal ones count once.
    pub run: usize,
    /// Binaries that the store had.
    pub found: usize,
    /// Kernels that it refused.
    pub failed: usize,
    /// The work of other machines, if there are some.
    pub helped: Option<Helped>,
}

/// A difference to the last build that concerns every kernel of a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The target.
    pub target: Target,
    /// The changed input: `options` or `generator`.
    pub what: &'static str,
    /// As it was.
    pub before: String,
    /// As it is.
    pub now: String,
}

/// The report for a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileReport {
    /// Its name.
    pub file: String,
    /// Returns the status.
    pub how: How,
    /// The worker that read its text in this build, if it was not read here.
    pub worker: Option<Arc<str>>,
    /// Functions that were lowered, in order.
    pub lowered: Vec<String>,
}

/// The report for a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Its text and all its outputs are as the last build left them.
    Kept,
    /// Its text was seen before: it was not parsed.
    Known,
    /// It was parsed.
    Parsed,
}

/// The report for one kernel. Most are only counted, so texts are made on demand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelReport {
    /// Target.
    pub target: Target,
    /// Source file.
    pub file: Arc<str>,
    /// The outputs of the file.
    pub(super) made: Arc<FileState>,
    /// The number of the function in it, and of the kernel in the function.
    pub(super) at: (usize, usize),
    /// The key at the last build, if it was another.
    pub key_before: Option<String>,
    /// Returns the status.
    pub status: Status,
    /// True if the output file was replaced.
    pub written: bool,
    /// True if its code came from the cache beyond the store.
    pub is_fetched: bool,
    /// The worker that generated its code in this build, if it was not generated here.
    pub worker: Option<Arc<str>>,
}

impl KernelReport {
    fn of(&self) -> (&FunctionState, &KernelState) {
        let function = &self.made.functions[self.at.0];
        (function, &function.kernels[self.at.1])
    }

    /// Function.
    pub fn function(&self) -> &str {
        &self.of().0.name
    }

    /// Entry symbol.
    pub fn entry(&self) -> &str {
        &self.of().1.entry
    }

    /// The output, relative to the output folder.
    pub fn output(&self) -> String {
        let path = source_path(&module_folder(&self.file), self.entry(), self.target);
        [self.target.name(), "/", &path].concat()
    }

    /// Key of its function: structure, and all else that the code depends on.
    pub fn key(&self) -> String {
        self.of().0.key_text()
    }

    /// Returns the result of compiling it, if that was asked for.
    pub fn binary(&self) -> Option<&Measured> {
        self.of().1.measured.as_ref()
    }
}

/// The status of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Code was generated.
    Built(Why),
    /// Code was generated for its function, and this kernel came out as it was.
    Unchanged(Why),
    /// Code was generated for a function before it that is equal up to names.
    Alias,
    /// The code was in the store.
    Reused,
}

impl Status {
    /// One word, as programs read it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Built(_) => "built",
            Status::Unchanged(_) => "unchanged",
            Status::Alias => "alias",
            Status::Reused => "reused",
        }
    }

    /// Returns the reason why code was generated.
    pub fn why(self) -> Option<Why> {
        match self {
            Status::Built(why) | Status::Unchanged(why) => Some(why),
            Status::Alias | Status::Reused => None,
        }
    }
}

/// Returns the reason why code was generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The function was not built before.
    New,
    /// The function computes something else now.
    BodyChanged,
    /// Options are others now.
    OptionsChanged,
    /// The generator is another now.
    GeneratorChanged,
    /// The store had lost it.
    StoreLost,
    /// The store had it broken.
    StoreBroken,
    /// It was asked for.
    Forced,
}

impl Why {
    /// Words for a person.
    pub fn text(self) -> &'static str {
        match self {
            Why::New => "new",
            Why::BodyChanged => "the function changed",
            Why::OptionsChanged => "options changed",
            Why::GeneratorChanged => "this program changed",
            Why::StoreLost => "it was missing in the store",
            Why::StoreBroken => "its entry in the store was broken",
            Why::Forced => "asked for",
        }
    }

    /// One word, as programs read it.
    pub fn name(self) -> &'static str {
        match self {
            Why::New => "new",
            Why::BodyChanged => "body-changed",
            Why::OptionsChanged => "options-changed",
            Why::GeneratorChanged => "generator-changed",
            Why::StoreLost => "store-lost",
            Why::StoreBroken => "store-broken",
            Why::Forced => "forced",
        }
    }
}

impl BuildReport {
    /// Number of kernels with a status.
    pub fn count(&self, which: impl Fn(Status) -> bool) -> usize {
        self.kernels.iter().filter(|it| which(it.status)).count()
    }

    /// Functions that needed no code of their own, as one before them is equal.
    pub fn alias_count(&self) -> usize {
        self.aliases.iter().map(|it| it.functions.len() - 1).sum()
    }
}
