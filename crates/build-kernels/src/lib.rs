#![doc = include_str!("../README.md")]

mod imports;
mod operations;
mod run;
mod shards;
mod source;
mod sources;
mod texts;
mod vendor;
mod worker;
mod workspace;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

pub use codegen::{
    Options, Target, TargetOptions,
    build::{
        BuildReport, Change, Compilations, Compile, Compiler, FileReport, Helped, How,
        KernelReport, Looks, Measured, Metrics, Origin, STORE_LIMIT, Settings, Status, Untouched,
        Verdict, Why, Work, store_of,
    },
    execute, manifest,
    manifest::Manifest,
    reasons,
    store::layer::{Layer, LayerReport},
};
use frontend::tvmscript::Request;
pub use run::{
    Input, InputSource, Outcome, Progress, Reached, ReachedInputs, Resident, RunOptions, run,
};
pub use shards::{ShardProgram, ShardSettings, Shards};
pub use vendor::{CudaCompiler, Farm, FarmLimits, WorkerSettings};
pub use worker::do_shard;
pub use workspace::{WorkspaceFiles, module_path};

/// A build of a folder of kernels, for build scripts.
#[derive(Clone, Debug)]
pub struct Builder {
    kernels: PathBuf,
    settings: Settings,
    options: RunOptions,
}

impl Builder {
    /// A build of all `.py` and `.mlir` files in a folder (hidden ones left out), or of one file, into another folder;
    /// CUDA unless targets are named.
    pub fn new(kernels: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Builder {
        let settings = Settings { targets: Vec::new(), ..Settings::new(out) };
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let kernels = kernels.into();
        let folder = if kernels.is_dir() { Some(&*kernels) } else { kernels.parent() };
        let workspaces = folder.map(|it| vec![it.to_owned()]).into_iter().collect();
        let options =
            RunOptions { jobs, prune: false, instances: Arc::default(), workspaces, shards: None };
        Builder { kernels, settings, options }
    }

    /// One more target.
    #[must_use]
    pub fn target(mut self, target: Target) -> Builder {
        self.settings.targets.push(target);
        self
    }

    /// One more target, with its settings: `cuda:arch=sm_90:max-threads=512`.
    ///
    /// # Errors
    /// If there is no such target, setting or value.
    pub fn target_with(mut self, text: &str) -> Result<Builder, String> {
        let (target, options) = TargetOptions::parse(text)?;
        self.settings.devices.insert(target, options);
        Ok(self.target(target))
    }

    /// Has NVIDIA's compilers make PTX and cubins of the sources for CUDA. Their refusals are in
    /// [`BuildReport::kernels`].
    #[must_use]
    pub fn binaries(mut self, compiler: CudaCompiler) -> Builder {
        let compiler = Arc::new(compiler);
        self.settings.compile = Some(Compile { compiler, ptx: true, cubin: true, compare: false });
        self
    }

    /// Another folder for the store than the one beside the output (`kernels.store` for `kernels`), such as one that is
    /// kept between clean builds. It must not lie in the output.
    #[must_use]
    pub fn store(mut self, store: impl Into<PathBuf>) -> Builder {
        self.settings.store = store.into();
        self
    }

    /// A cache beyond the store that several machines share.
    #[must_use]
    pub fn layer(mut self, layer: Arc<dyn Layer>) -> Builder {
        self.settings.layer = Some(layer);
        self
    }

    /// Options of code generation.
    #[must_use]
    pub fn options(mut self, options: Options) -> Builder {
        self.settings.options = options;
        self
    }

    /// The number of concurrent threads; by default one a processor.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Builder {
        self.options.jobs = jobs;
        self
    }

    /// One more instance of a factory than those that calls in the files make: `matmul(M=1024, dtype="float16")`.
    ///
    /// # Errors
    /// If the text is no call with known arguments.
    pub fn instance(mut self, call: &str) -> Result<Builder, String> {
        let request = Request::parse(call).map_err(|it| it.message)?;
        let asked = self.options.instances.iter().cloned();
        self.options.instances = asked.chain([request]).collect();
        Ok(self)
    }

    /// Removes outputs of earlier builds for files that are gone. Without this it stays, as all that was built of other
    /// files does.
    #[must_use]
    pub fn prune(mut self) -> Builder {
        self.options.prune = true;
        self
    }

    /// Builds the changed kernels.
    ///
    /// # Errors
    /// If a file cannot be read, or the output or the store cannot be written. A function that cannot be built is no
    /// error: see [`Artifacts::report`].
    pub fn build(&self) -> io::Result<Artifacts> {
        let mut settings = self.settings.clone();
        if settings.targets.is_empty() {
            settings.targets.push(Target::Cuda);
        }
        let mut inputs = Vec::new();
        find(&self.kernels, "", &mut inputs)?;
        let outcome = run(&inputs, &settings, &self.options, &|_| {})?;
        if let Some((file, message)) = outcome.failures.first() {
            return Err(io::Error::other(format!("{file}: {message}")));
        }
        let files = inputs.into_iter().filter_map(|it| match it.source {
            InputSource::Path(path) => Some(path),
            InputSource::Bytes(_) => None,
        });
        let mut sources = vec![self.kernels.clone()];
        sources.extend(files);
        sources.dedup();
        Ok(Artifacts { out: settings.out, sources, report: outcome.report })
    }
}

/// The artifacts of a build.
#[derive(Clone, Debug)]
pub struct Artifacts {
    out: PathBuf,
    sources: Vec<PathBuf>,
    /// The report: built files, reasons, and failures.
    pub report: BuildReport,
}

impl Artifacts {
    /// The folder of a target: its sources and `manifest.json`.
    pub fn folder(&self, target: Target) -> PathBuf {
        self.out.join(target.name())
    }

    /// Returns the manifest for a target.
    ///
    /// # Errors
    ///
    /// If it was not built for this target, or somebody changed its files.
    pub fn manifest(&self, target: Target) -> io::Result<Manifest> {
        Manifest::read(&self.folder(target))
    }

    /// The folder and the files that were read, for `cargo:rerun-if-changed`.
    pub fn sources(&self) -> &[PathBuf] {
        &self.sources
    }
}

/// All `.py` and `.mlir` files of a folder that are not hidden, or the file itself, in the order of names.
fn find(path: &Path, name: &str, inputs: &mut Vec<Input>) -> io::Result<()> {
    let mut folders = vec![(path.to_owned(), name.to_owned())];
    let file =
        |name: String, path| Input { name, source: InputSource::Path(path), is_only_name: false };
    if path.is_file() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        inputs.push(file(name, path.to_owned()));
        return Ok(());
    }
    while let Some((folder, prefix)) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|it| {
            io::Error::new(it.kind(), format!("cannot read {}: {it}", folder.display()))
        })?;
        for entry in entries {
            let path = entry?.path();
            let own = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if own.starts_with('.') {
                continue;
            }
            let name = if prefix.is_empty() { own } else { format!("{prefix}/{own}") };
            // A link to a folder may lead back.
            if path.is_dir() && !path.is_symlink() {
                folders.push((path, name));
            } else if has_kernels(&path) && path.is_file() {
                inputs.push(file(name, path));
            }
        }
    }
    inputs.sort();
    Ok(())
}

/// Returns true if a file is in a language with device code, by its name.
fn has_kernels(path: &Path) -> bool {
    syntax::Language::of_path(path).is_some_and(|it| it.support().has_device_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let out = tempfile::tempdir().expect("a folder");
        let error = Builder::new("no/kernels", out.path()).build().expect_err("no folder");
        assert!(error.to_string().starts_with("cannot read no/kernels: "), "{error}");
    }

    #[test]
    fn files_have_names_relative_to_the_folder_and_hidden_ones_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.py", "a/c.py", "a/g.mlir", ".cache/d.py", "a/.e.py", "notes.txt"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        let names = |path: &Path| {
            let mut inputs = Vec::new();
            find(path, "", &mut inputs).expect("readable");
            inputs.into_iter().map(|it| it.name).collect::<Vec<_>>()
        };
        assert_eq!(names(folder.path()), ["a/c.py", "a/g.mlir", "b.py"]);
        assert_eq!(names(&folder.path().join("a/c.py")), ["c.py"]);
    }
}
