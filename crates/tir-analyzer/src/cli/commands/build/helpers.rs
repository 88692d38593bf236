//! `build --execute`: this machine with its compilers, and workers beside it.
//!
//! In: the argument and the settings. Out: a compiler for the build and workers that lower files, or the reason why
//! nobody helps; then the build goes on without. The work is shared out by `build-kernels`, and carried by `remote`.

use std::{env, io, sync::Arc, thread, time::Duration};

use build_kernels::{
    Compiler, CudaCompiler, FarmLimits, ShardProgram, ShardSettings, Shards, WorkerSettings,
};

use crate::{
    cli::{args::Execution, interrupt::OnExit},
    config::{Config, Execute},
};

/// The most threads that wait for workers.
const MOST_WAITING: usize = 256;
/// The time that an interrupt gives the service to hear of it.
const FAREWELL: Duration = Duration::from_millis(200);

/// The workers that are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wanted {
    /// The service, or that none is named.
    service: Result<remote::Settings, String>,
    execute: Execute,
}

/// The compilers of a build, and who else helps.
pub(super) struct Chosen {
    pub(super) compiler: Option<Arc<dyn Compiler>>,
    /// Workers that lower files.
    pub(super) shards: Option<Arc<Shards>>,
    /// The reason why no workers help.
    pub(super) no_workers: Option<String>,
    /// Threads that wait for workers, beside those that compute.
    pub(super) n_waiting: usize,
    /// Ends what workers do, should the program be interrupted.
    pub(super) stopping: Option<OnExit>,
}

/// The workers that the argument and the settings ask for.
pub(super) fn wanted(asked: &Execution, config: &Config) -> Option<Wanted> {
    let address = match asked {
        Execution::Local => return None,
        Execution::At(address) => Some(address.clone()),
        Execution::Remote => config.execute.remote.clone().or_else(|| config.cache.clone()),
    };
    let timeout = Duration::from_secs(config.cache_timeout.clamp(1, 600));
    let service = address
        .map(|address| remote::Settings { address, upload: true, timeout })
        .ok_or_else(|| "`execute.remote` names no service".to_owned());
    Some(Wanted { service, execute: config.execute.clone() })
}

/// The compiler and those who help, if workers are wanted and can be asked.
pub(super) fn chosen(
    compiler: Option<CudaCompiler>,
    wanted: Option<Wanted>,
    n_jobs: usize,
) -> Chosen {
    let alone = |compiler: Option<CudaCompiler>, no_workers| Chosen {
        compiler: compiler.map(|it| Arc::new(it) as Arc<dyn Compiler>),
        shards: None,
        no_workers,
        n_waiting: 0,
        stopping: None,
    };
    let Some(Wanted { service, execute }) = wanted else { return alone(compiler, None) };
    let workers = service.and_then(|it| {
        let workers = remote::workers(&it, &|name| std::env::var(name).ok())?;
        Ok((workers, settings(&execute)?))
    });
    let (executor, settings) = match workers {
        Ok(it) => it,
        Err(why) => return alone(compiler, Some(why)),
    };
    let limits = FarmLimits {
        here: n_jobs,
        jobs: execute.jobs.clamp(1, 64),
        group: execute.kernels.clamp(1, 1000),
    };
    let (shards, no_program) =
        match shards(&execute, &settings, limits.jobs).map_err(|it| it.to_string()) {
            Ok(it) => (it.map(|it| Arc::new(Shards::new(Arc::clone(&executor), it))), None),
            Err(why) => (None, Some(why)),
        };
    let n_waiting = (limits.jobs * limits.group).min(MOST_WAITING);
    let farm = compiler.map(|it| Arc::new(it.with_workers(executor, settings, limits)));
    let stopped = (farm.as_ref().map(Arc::downgrade), shards.clone());
    let stopping = OnExit::new(move || {
        let (farm, shards) = stopped;
        let farm = farm.and_then(|it| it.upgrade());
        let were_at_work = [farm.is_some_and(|it| it.stop()), shards.is_some_and(|it| it.stop())];
        if were_at_work.contains(&true) {
            thread::sleep(FAREWELL);
        }
    });
    Chosen {
        n_waiting: if farm.is_some() { n_waiting } else { 0 },
        compiler: farm.map(|it| it as Arc<dyn Compiler>),
        shards,
        no_workers: no_program,
        stopping: Some(stopping),
    }
}

/// How files are lowered on workers; none if they are not to be.
fn shards(
    execute: &Execute,
    workers: &WorkerSettings,
    jobs: usize,
) -> io::Result<Option<ShardSettings>> {
    if execute.shard_bytes == 0 {
        return Ok(None);
    }
    let program = match execute.program.as_str() {
        "" => ShardProgram::Sent(env::current_exe()?),
        path => ShardProgram::There(path.to_owned()),
    };
    Ok(Some(ShardSettings {
        program,
        platform: workers.platform.clone(),
        timeout: workers.timeout,
        jobs,
        bytes: execute.shard_bytes,
        files: execute.shard_files,
    }))
}

fn settings(execute: &Execute) -> Result<WorkerSettings, String> {
    let property = |it: &String| {
        let (name, value) = it
            .split_once('=')
            .ok_or_else(|| format!("`execute.platform`: `{it}` is no NAME=VALUE"))?;
        Ok::<_, String>((name.trim().to_owned(), value.trim().to_owned()))
    };
    Ok(WorkerSettings {
        cuda: (!execute.cuda_path.is_empty()).then(|| execute.cuda_path.clone()),
        platform: execute.platform.iter().map(property).collect::<Result<_, _>>()?,
        timeout: Duration::from_secs(execute.timeout.clamp(1, 24 * 3600)),
    })
}
