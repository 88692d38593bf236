//! The binaries of kernels, each made once: found in the store, or compiled and stored.
//!
//! In: the canonical source of a kernel, which no name is in. Out: the compiler's output for it. The key hashes the
//! source, the flags, the architecture and the compiler, nothing else: a renamed variable compiles nothing, nor does
//! another version of this program that writes the same source. A kernel that a compiler refuses is not stored.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use super::{
    compile::{Compile, Compiled, Measured, Origin},
    kernels::Repaired,
    layers::Layers,
    slots::Slots,
};
use crate::{
    Options, Target,
    artifact::{
        Artifact,
        action::Action,
        store::{Kind, Read},
    },
};

type Outcome = Result<Arc<Compiled>, Arc<str>>;

/// All binaries of a build.
pub(super) struct Binaries {
    /// The identity of the source generator and of the compilers.
    generator: String,
    pub(super) compile: Compile,
    layers: Arc<Layers>,
    force: bool,
    slots: Slots<Outcome>,
    repaired: Arc<Repaired>,
    /// Sources that the compiler was started for.
    pub(super) compiled: AtomicUsize,
    /// Binaries that the store had.
    pub(super) found: AtomicUsize,
}

/// A kernel's binaries.
pub(super) struct KernelBinary {
    pub(super) measured: Measured,
    /// File name ending and bytes.
    pub(super) files: Vec<(&'static str, Vec<u8>)>,
}

impl Binaries {
    pub(super) fn new(
        compile: &Compile,
        layers: Arc<Layers>,
        force: bool,
        repaired: Arc<Repaired>,
        generator: &str,
    ) -> Binaries {
        Binaries {
            compile: compile.clone(),
            generator: generator.to_owned(),
            layers,
            force,
            slots: Slots::default(),
            repaired,
            compiled: AtomicUsize::new(0),
            found: AtomicUsize::new(0),
        }
    }

    /// Returns the text that the state of a folder stores about the compilers.
    pub(super) fn text(&self) -> String {
        let Compile { compiler, ptx, cubin, compare } = &self.compile;
        format!(" ptx={ptx} cubin={cubin} compare={compare} compiler={}", compiler.inputs())
    }

    /// The binaries of a kernel of an artifact. `plain` is the artifact without `cse`.
    pub(super) fn of(
        &self,
        artifact: &Artifact,
        plain: Option<&Artifact>,
        index: usize,
        options: &Options,
    ) -> io::Result<KernelBinary> {
        let source = artifact.compiled_text(index);
        let mut measured = Measured::default();
        let mut files = Vec::new();
        match self.get(&source, options)? {
            Err(said) => measured.failure = Some(said.to_string()),
            Ok(compiled) => {
                measured.figures = Some(compiled.figures.clone());
                measured.origin = compiled.origin.clone();
                if self.compile.ptx {
                    files.push(("ptx", compiled.ptx.clone().into_bytes()));
                }
                if self.compile.cubin {
                    files.push(("cubin", compiled.cubin.clone()));
                }
            }
        }
        // The host may compute what a kernel shares with another; there are as many kernels all the same.
        if let Some(plain) = plain.filter(|it| it.n_kernels() == artifact.n_kernels()) {
            let before = plain.compiled_text(index);
            measured.is_same_source = before == source;
            measured.before = self.get(&before, options)?.ok().map(|it| it.figures.clone());
        }
        Ok(KernelBinary { measured, files })
    }

    /// Has the compiler begin with what the store lacks of the kernels of artifacts, and of those without `cse`.
    pub(super) fn expect<'a>(
        &self,
        artifacts: impl Iterator<Item = &'a Artifact>,
        options: &Options,
    ) {
        if !self.compile.compiler.has_helpers() {
            return;
        }
        let arch = options.binary_arch();
        let flags = Target::COMPILED.compile_flags(options);
        for artifact in artifacts {
            for at in 0..artifact.n_kernels() {
                let source = artifact.compiled_text(at);
                let key = self.action(&source, options).key();
                if self.force || !self.layers.store.has(Kind::Binary, key) {
                    self.compile.compiler.expect(&source, &flags, arch);
                }
            }
        }
    }

    /// Describes what the binaries of all kernels of an artifact are made from.
    pub(super) fn actions(&self, artifact: &Artifact, options: &Options) -> Vec<Action> {
        let action = |it| self.action(&artifact.compiled_text(it), options);
        (0..artifact.n_kernels()).map(action).collect()
    }

    fn action(&self, source: &str, options: &Options) -> Action {
        let flags = Target::COMPILED.compile_flags(options);
        let compiler = self.compile.compiler.inputs();
        Action::of_binary(source, &flags, options.binary_arch(), compiler, &self.generator)
    }

    fn get(&self, source: &str, options: &Options) -> io::Result<Outcome> {
        let arch = options.binary_arch();
        let flags = Target::COMPILED.compile_flags(options);
        let compiler = self.compile.compiler.as_ref();
        let action = self.action(source, options);
        self.slots.with(action.key(), |slot| {
            if let Some(outcome) = slot {
                return Ok(outcome.clone());
            }
            let stored = match self.force {
                true => Read::Absent,
                false => self.layers.read(Kind::Binary, &action)?,
            };
            if let Read::Found(bytes) = &stored
                && let Ok(mut compiled) = postcard::from_bytes::<Compiled>(bytes)
            {
                let is_fetched = self.layers.was_fetched(Kind::Binary, action.key());
                compiled.origin =
                    Some(if is_fetched { Origin::SharedCache } else { Origin::Store });
                self.found.fetch_add(1, Ordering::Relaxed);
                return Ok(slot.insert(Ok(Arc::new(compiled))).clone());
            }
            if stored != Read::Absent {
                self.repaired.note(action.key());
            }
            self.compiled.fetch_add(1, Ordering::Relaxed);
            let start = Instant::now();
            let outcome = match compiler.compile(source, &flags, arch) {
                Ok(compiled) => {
                    let bytes =
                        postcard::to_extend(&compiled, Vec::new()).map_err(io::Error::other)?;
                    self.layers.write(Kind::Binary, &action, &bytes, start.elapsed())?;
                    Ok(Arc::new(compiled))
                }
                Err(said) => Err(Arc::from(said)),
            };
            Ok(slot.insert(outcome).clone())
        })
    }
}
