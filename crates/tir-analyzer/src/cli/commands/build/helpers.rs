//! `build --execute`: the compilers here, and workers beside them.
//!
//! In: the argument and the settings. Out: a compiler for the build, or the reason why nobody helps; then the build
//! goes on without. The work is shared out by `build-kernels`, and carried by `remote`.

use std::{sync::Arc, thread, time::Duration};

use build_kernels::{Compiler, CudaCompiler, FarmLimits, WorkerSettings};

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

/// The compilers of a build.
pub(super) struct Chosen {
    pub(super) compiler: Option<Arc<dyn Compiler>>,
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

/// The compiler with workers, if there is one and they can be asked.
pub(super) fn chosen(
    compiler: Option<CudaCompiler>,
    wanted: Option<Wanted>,
    n_jobs: usize,
) -> Chosen {
    let alone = |compiler: Option<CudaCompiler>, no_workers| Chosen {
        compiler: compiler.map(|it| Arc::new(it) as Arc<dyn Compiler>),
        no_workers,
        n_waiting: 0,
        stopping: None,
    };
    let (compiler, Wanted { service, execute }) = match (compiler, wanted) {
        (Some(compiler), Some(wanted)) => (compiler, wanted),
        (compiler, _) => return alone(compiler, None),
    };
    let workers = service.and_then(|it| {
        let workers = remote::workers(&it, &|name| std::env::var(name).ok())?;
        Ok((workers, settings(&execute)?))
    });
    let (executor, settings) = match workers {
        Ok(it) => it,
        Err(why) => return alone(Some(compiler), Some(why)),
    };
    let limits = FarmLimits {
        here: n_jobs,
        jobs: execute.jobs.clamp(1, 64),
        group: execute.kernels.clamp(1, 1000),
    };
    let farm = Arc::new(compiler.with_workers(executor, settings, limits));
    let stopped = Arc::downgrade(&farm);
    let stopping = OnExit::new(move || {
        if let Some(farm) = stopped.upgrade()
            && farm.stop()
        {
            thread::sleep(FAREWELL);
        }
    });
    Chosen {
        compiler: Some(farm),
        no_workers: None,
        n_waiting: (limits.jobs * limits.group).min(MOST_WAITING),
        stopping: Some(stopping),
    }
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
