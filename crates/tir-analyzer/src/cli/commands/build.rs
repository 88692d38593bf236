//! `build`: device code and manifests for every function of a codebase that launches threads, and every kernel of its
//! MLIR.
//!
//! In: files. Out: a folder for each target with one source a kernel and its manifests, and a report of the built and
//! reused kernels, the failures, and the reasons. The work is `build-kernels`'; here are the files, progress, watching
//! ([`watch`]) and the words ([`report`]). `cargo xtask build-kernels` calls this command.

mod binaries;
mod helpers;
mod places;
mod report;
mod watch;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Write as _, stderr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use build_kernels::{
    Compile, CudaCompiler, Input, InputSource, Layer, Options, Outcome, RunOptions, Settings,
    Shards, Target, TargetOptions, manifest::UnsupportedFunction, reasons::INTERNAL, store_of,
};
use frontend::tvmscript::{
    Request,
    modules::{Files as _, Workspace},
};
use ir::effects::EffectTable;
use syntax::Language;

use crate::cli::{
    Exit,
    args::{BinaryKind, BuildArgs, CacheAddress, Format, TargetName},
    input::{
        jobs::{self, Job},
        settings,
        since::Since,
    },
    interrupt,
    io::{self, Io, Styled, Tone},
    output::progress::Progress,
    parallel,
};

use crate::{config::Config, notebook};

use self::places::Places;

/// Runs the command.
pub(crate) fn build(args: &BuildArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    if args.watch {
        return watch::watch(args, io, styled);
    }
    let started = std::time::Instant::now();
    let plan = Plan::new(args, &mut SharedCache::default(), io, styled)?;
    let (outcome, exit) = plan.run(args, io, styled)?;
    match args.format {
        Format::Text => {
            report::text(&outcome, &plan.shown, args, io, styled)?;
            // Elsewhere the output depends on the files and the options only.
            if io.out_is_terminal {
                writeln!(io.out, "in {:.2} s", started.elapsed().as_secs_f64())?;
            }
        }
        Format::Json => writeln!(io.out, "{}", report::json(&outcome))?,
    }
    // The program ends here. Giving back the report of many kernels piece by piece takes as long as making it.
    std::mem::forget((plan, outcome));
    Ok(exit)
}

/// Does a part of a build that another machine asked for.
pub(crate) fn shard(io: &Io<'_>) -> anyhow::Result<Exit> {
    build_kernels::do_shard(&io.folder).context("this part of a build is not done")?;
    Ok(Exit::Success)
}

/// The names of files in messages, by their names in manifests.
type Shown = BTreeMap<String, String>;

/// The plan of a build, made anew before each.
struct Plan {
    inputs: Vec<Input>,
    /// The name of each file in messages.
    shown: Shown,
    /// The inputs that were not found.
    failures: Vec<String>,
    settings: Settings,
    /// The instances that are asked for.
    instances: Arc<[Request]>,
    /// The folders whose files may import each other.
    workspaces: Vec<Vec<PathBuf>>,
    /// The reason why there will be no binaries, though they are asked for.
    no_compiler: Option<String>,
    /// The reason why the shared cache is not used.
    no_cache: Option<String>,
    /// The reason why no workers help.
    no_workers: Option<String>,
    /// Workers that lower files.
    shards: Option<Arc<Shards>>,
    /// Threads that wait for workers, beside those that compute.
    n_waiting: usize,
    /// Ends what workers do, should the program be interrupted.
    _stopping: Option<interrupt::OnExit>,
}

/// The shared cache of the last build of a process, which a watching one keeps.
#[derive(Default)]
pub(super) struct SharedCache(Option<(remote::Settings, Arc<dyn Layer>)>);

impl SharedCache {
    /// The cache of these settings.
    pub(super) fn of(
        &mut self,
        settings: Option<remote::Settings>,
    ) -> Result<Option<Arc<dyn Layer>>, String> {
        let Some(settings) = settings else { return Ok(None) };
        if let Some((_, layer)) = self.0.as_ref().filter(|it| it.0 == settings) {
            return Ok(Some(Arc::clone(layer)));
        }
        let layer = remote::connect(&settings, &|name| std::env::var(name).ok())?;
        self.0 = Some((settings, Arc::clone(&layer)));
        Ok(Some(layer))
    }
}

impl Plan {
    fn new(
        args: &BuildArgs,
        shared: &mut SharedCache,
        io: &mut Io<'_>,
        styled: Styled,
    ) -> anyhow::Result<Plan> {
        let languages = Language::with(|it| it.has_device_code);
        let jobs = jobs::find_of(&languages, &args.inputs, io, styled)?;
        let since = args.since.as_ref().map(|it| Since::new(&io.folder, it)).transpose()?;
        let is_wanted = |job: &&Job| since.as_ref().is_none_or(|it| it.differs(&job.file.path));
        let mut places = Places::new(&args.inputs.paths, io);
        let mut inputs = Vec::new();
        let mut shown = Shown::new();
        let mut roots = BTreeSet::new();
        let mut workspaces: BTreeSet<Vec<PathBuf>> = BTreeSet::new();
        let mut failures = jobs.failures;
        for job in jobs.jobs.iter().filter(is_wanted) {
            if notebook::is_notebook(&job.file.path) {
                failures.push(notebook::refusal(&job.file.shown));
                continue;
            }
            let placed = places.of(&job.file.path);
            let name = placed.as_ref().map_or_else(|| job.file.shown.clone(), |it| it.name.clone());
            let is_only_name = placed.as_ref().is_some_and(|it| it.is_only_name);
            roots.extend(placed.map(|it| it.root));
            let folders =
                |it: &Arc<Workspace>| it.roots().iter().map(|it| (&**it).into()).collect();
            workspaces.extend(job.workspace.iter().map(folders));
            // Two arguments may lead to one file.
            if shown.insert(name.clone(), job.file.shown.clone()).is_some()
                && is_same_file(&inputs, &name, &job.file.path)
            {
                continue;
            }
            let source = match job.stdin_bytes() {
                Some(bytes) => InputSource::Bytes(bytes.to_vec()),
                None => InputSource::Path(job.file.path.clone()),
            };
            inputs.push(Input { name, source, is_only_name });
        }
        if roots.is_empty() {
            roots.insert(places.first_argument().to_owned());
        }
        let out = io.resolve(&args.out);
        let Chosen { devices, effects, instances, cache, workers } = chosen(args, &roots)?;
        let (layer, no_cache) = match shared.of(cache) {
            Ok(layer) => (layer, None),
            Err(why) => (None, Some(why)),
        };
        let asked = args.instance.iter().map(|it| it.0.clone());
        let instances = instances.iter().cloned().chain(asked).collect();
        let passes = args.passes.iter().filter_map(|it| it.0).map(|it| it.name().to_owned());
        let asked = !args.emit.is_empty() || args.ptxas;
        let folder = args.cuda_path.as_ref().map(|it| io.resolve(it));
        let found = asked.then(|| CudaCompiler::find(folder.as_deref())).transpose();
        let (compiler, no_compiler) = match found {
            Ok(compiler) => (compiler, None),
            Err(missing) => (None, Some(missing)),
        };
        let n_jobs = parallel::n_jobs(args.inputs.jobs, inputs.len());
        let helpers::Chosen { compiler, shards, no_workers, n_waiting, stopping } =
            helpers::chosen(compiler, workers, n_jobs);
        let compile = compiler.map(|compiler| Compile {
            compiler,
            ptx: args.emit.contains(&BinaryKind::Ptx),
            cubin: args.emit.contains(&BinaryKind::Cubin),
            compare: args.ptxas,
        });
        let settings = Settings {
            compile,
            targets: devices.keys().copied().collect(),
            store: args.store.as_ref().map_or_else(|| store_of(&out), |it| io.resolve(it)),
            options: Options {
                contract: args.fmad,
                passes: passes.collect(),
                effects,
                ..Options::default()
            },
            devices,
            force: args.force,
            layer,
            store_limit: args.store_limit.0,
            ..Settings::new(&out)
        };
        Ok(Plan {
            inputs,
            shown,
            failures,
            settings,
            instances,
            workspaces: workspaces.into_iter().collect(),
            no_compiler,
            no_cache,
            no_workers,
            shards,
            n_waiting,
            _stopping: stopping,
        })
    }

    /// Builds, and reports failures.
    fn run(
        &self,
        args: &BuildArgs,
        io: &mut Io<'_>,
        styled: Styled,
    ) -> anyhow::Result<(Outcome, Exit)> {
        let outcome = self.with(args, io, |options, show| {
            build_kernels::run(&self.inputs, &self.settings, options, show)
        })?;
        let exit = self.tell(&outcome, io, styled)?;
        Ok((outcome, exit))
    }

    /// Does the work of a build with its options, and shows its progress.
    fn with<R>(
        &self,
        args: &BuildArgs,
        io: &Io<'_>,
        work: impl FnOnce(&RunOptions, &(dyn Fn(build_kernels::Progress) + Sync)) -> std::io::Result<R>,
    ) -> anyhow::Result<R> {
        let n_jobs = parallel::n_jobs(args.inputs.jobs, self.inputs.len()) + self.n_waiting;
        let progress = Progress::new(self.inputs.len(), io.err_is_terminal && !args.watch);
        let show = |it: build_kernels::Progress| {
            if it.is_waiting {
                // Nobody can be told who does not read: the build goes on.
                let out = args.out.display();
                let _ = writeln!(stderr(), "waiting for another build into {out} to end");
                return;
            }
            progress.set(it.files, |seconds| {
                let rate = it.kernels as f64 / seconds;
                let hits = 100 * it.hits / it.kernels.max(1);
                format!("{} kernels ({rate:.0}/s, {hits} % from the store), ", it.kernels)
            });
        };
        // A name that was mistyped is no reason to remove what was built.
        let prune = args.prune && self.failures.is_empty();
        let instances = Arc::clone(&self.instances);
        let options = RunOptions {
            jobs: n_jobs,
            prune,
            instances,
            workspaces: self.workspaces.clone(),
            shards: self.shards.clone(),
        };
        work(&options, &show).with_context(|| {
            format!("cannot build into {}; choose another --out", self.settings.out.display())
        })
    }

    /// Reports what failed.
    fn tell(&self, outcome: &Outcome, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
        let refused = outcome.report.compiled.as_ref().is_some_and(|it| it.failed > 0);
        let is_ours = |it: &UnsupportedFunction| it.reason == INTERNAL.name();
        let broken = outcome.report.unsupported.iter().any(is_ours);
        let mut exit = if refused || broken { Exit::Findings } else { Exit::Success };
        if let Some(missing) = &self.no_compiler {
            let text = format!("sources are written without binaries: {missing}");
            io::message(io.err, styled.err, Tone::Warning, &text)?;
            exit = Exit::Findings;
        }
        let layer = outcome.report.layer.as_ref();
        let noted = layer
            .into_iter()
            .flat_map(|it| it.notes.iter().map(|note| format!("{}: {note}", it.name)));
        for why in self.no_cache.iter().cloned().chain(noted) {
            let text = format!("the shared cache is not used for all: {why}");
            io::message(io.err, styled.err, Tone::Warning, &text)?;
        }
        let helped = outcome.report.compiled.as_ref().and_then(|it| it.helped.as_ref());
        let noted = helped
            .into_iter()
            .chain(&outcome.shards)
            .flat_map(|it| it.notes.iter().map(|note| format!("{}: {note}", it.name)));
        for why in self.no_workers.iter().cloned().chain(noted) {
            let text = format!("what workers were to do is done here: {why}");
            io::message(io.err, styled.err, Tone::Warning, &text)?;
        }
        let shown = |file: &String| self.shown.get(file).unwrap_or(file).clone();
        let unread = outcome
            .failures
            .iter()
            .map(|(file, why)| format!("cannot build {}: {why}", shown(file)));
        for failure in self.failures.iter().cloned().chain(unread) {
            io::message(io.err, styled.err, Tone::Error, &failure)?;
            exit = Exit::Failure;
        }
        Ok(exit)
    }
}

/// Returns true if one of the inputs is this file under another path.
fn is_same_file(inputs: &[Input], name: &str, path: &Path) -> bool {
    let is_it = |it: &&Input| it.name == name;
    let Some(InputSource::Path(other)) = inputs.iter().find(is_it).map(|it| &it.source) else {
        return false;
    };
    let real = |it: &Path| it.parent().and_then(|it| it.canonicalize().ok());
    real(other).is_some_and(|it| Some(it) == real(path)) && other.file_name() == path.file_name()
}

/// The settings of generated code.
#[derive(PartialEq, Eq)]
struct Chosen {
    devices: BTreeMap<Target, TargetOptions>,
    effects: Arc<EffectTable>,
    instances: Arc<[Request]>,
    cache: Option<remote::Settings>,
    workers: Option<helpers::Wanted>,
}

/// The shared cache that is asked for.
pub(super) fn cache(
    named: Option<&CacheAddress>,
    upload: bool,
    config: &Config,
) -> Option<remote::Settings> {
    let address = match named {
        Some(CacheAddress(address)) => address.clone(),
        None => config.cache.clone(),
    };
    Some(remote::Settings {
        address: address?,
        upload: upload || config.cache_upload,
        timeout: Duration::from_secs(config.cache_timeout.clamp(1, 600)),
    })
}

/// Returns the settings of each target, those of the command line on top of those of the workspace, and the effects of
/// calls, and the instances that are asked for.
fn chosen(args: &BuildArgs, roots: &BTreeSet<PathBuf>) -> anyhow::Result<Chosen> {
    let mut settings = settings::Settings::default();
    let mut found: Option<(&PathBuf, Chosen)> = None;
    for root in roots {
        let config = settings.of_folder(root)?;
        let mut devices: BTreeMap<Target, TargetOptions> = BTreeMap::new();
        for TargetName(target, options) in &args.target {
            let under = devices.get(target).cloned();
            let under = under.unwrap_or_else(|| config.target_options(*target));
            let all = under.overlaid(options);
            all.check(*target).map_err(|it| anyhow::anyhow!(it))?;
            devices.insert(*target, all);
        }
        let effects = config.dialects.tables().effects.clone();
        let cache = cache(args.remote_cache.as_ref(), args.remote_upload, &config);
        let workers = helpers::wanted(&args.execute, &config);
        let instances = config.instances.clone();
        let chosen = Chosen { devices, effects, instances, cache, workers };
        match &found {
            Some((first, known)) if *known != chosen => anyhow::bail!(
                "{} and {} have different settings for these targets, effects, instances or machines; build them one after the other",
                first.display(),
                root.display()
            ),
            Some(_) => {}
            None => found = Some((root, chosen)),
        }
    }
    let nothing = || Chosen {
        devices: BTreeMap::new(),
        effects: EffectTable::shared(),
        instances: Arc::default(),
        cache: cache(args.remote_cache.as_ref(), args.remote_upload, &Config::default()),
        workers: helpers::wanted(&args.execute, &Config::default()),
    };
    Ok(found.map_or_else(nothing, |it| it.1))
}
