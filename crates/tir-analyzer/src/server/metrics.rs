//! Metrics of kernels that the last build of the workspace measured, for lenses.
//!
//! In: the output folder of `build`. Out: by the structure of a function, how many registers a thread of its kernels
//! takes. The manifests are read again when `manifest.json` has changed; a function with a changed structure has no
//! metrics, so those of an older text are never shown.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use build_kernels::{Manifest, Target};

/// Registers by structure.
pub(crate) type Registers = BTreeMap<String, u32>;

/// The last metrics that were read.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<Option<Known>>);

struct Known {
    folder: PathBuf,
    manifest: Vec<u8>,
    registers: Arc<Registers>,
}

impl Metrics {
    /// The figures of a folder; none where nothing was built or measured.
    pub(crate) fn registers(&self, folder: &Path) -> Arc<Registers> {
        let folder = folder.join(Target::COMPILED.name());
        let manifest =
            files::read(&folder.join("manifest.json"), files::ARTIFACT).unwrap_or_default();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known
            && known.folder == folder
            && known.manifest == manifest
        {
            return Arc::clone(&known.registers);
        }
        let registers = Arc::new(read(&folder));
        *known = Some(Known { folder, manifest, registers: Arc::clone(&registers) });
        registers
    }
}

fn read(folder: &Path) -> Registers {
    // A build that is going on is looked at when it is done.
    let functions = Manifest::read(folder).map(|it| it.functions).unwrap_or_default();
    let of = |it: &build_kernels::manifest::Function| {
        let (structure, _) = it.key.split_once('-')?;
        let registers =
            it.kernels.iter().filter_map(|it| Some(it.figures.as_ref()?.registers)).max();
        Some((structure.to_owned(), registers?))
    };
    functions.iter().filter_map(of).collect()
}
