//! The access of commands to a function of TVMScript: it is read and worked on under a guard.
//!
//! In: a function of a file, and the work on it. Out: the result, or the panic that ended the work: a mistake of ours
//! costs that function, and the command reports it and goes on. No command lowers a function in another way
//! (`cargo xtask tidy`, rule `units`), so each has this without asking for it. Units of MLIR and PIR are guarded where
//! they are read (`frontend`) and where they are planned ([`super::ops`]).

use anyhow::{anyhow, bail};
use frontend::tvmscript::{Factory, FileFunctions, FunctionItem, FunctionKind, Instance};
use ir::guard::{Panicked, Stage, guarded};
use pipeline::expressions;
use syntax::{LineIndex, TextSize};

use crate::{
    cli::{
        args::InstanceCall,
        input::{jobs::Job, source::Source},
    },
    suggest::{did_you_mean, near},
};

/// The functions of the text of a job, whose calls do what the settings say, with the files that it imports.
pub(crate) fn functions(source: &Source, job: &Job) -> FileFunctions {
    let effects = &job.config.dialects.tables().effects;
    expressions::functions(&syntax::parse(&source.text), effects).with_modules(job.modules())
}

/// A function of a file as it was read.
#[derive(Clone, Copy)]
pub(crate) struct Function<'a> {
    pub(crate) item: &'a FunctionItem,
    pub(crate) read: expressions::Function<'a>,
}

impl<'a> std::ops::Deref for Function<'a> {
    type Target = expressions::Function<'a>;
    fn deref(&self) -> &expressions::Function<'a> {
        &self.read
    }
}

/// The panic that ended the work on a function.
#[derive(Debug)]
pub(crate) struct Failed {
    /// The name of the function in the file.
    pub(crate) at: TextSize,
    /// The report of the panic, ready to be sent.
    pub(crate) report: String,
}

/// Reads a function, and does something with it.
pub(crate) fn with_function<T>(
    functions: &FileFunctions,
    item: &FunctionItem,
    stage: Stage,
    work: impl FnOnce(Function<'_>) -> T,
) -> Result<T, Failed> {
    with_instance(functions, item, None, stage, work)
}

/// As [`with_function`], of a function in an instance of a factory around it.
pub(crate) fn with_instance<T>(
    functions: &FileFunctions,
    item: &FunctionItem,
    instance: Option<&Instance>,
    stage: Stage,
    work: impl FnOnce(Function<'_>) -> T,
) -> Result<T, Failed> {
    let environment = functions.environment_in(item, instance);
    let failed = |it: Panicked| Failed {
        at: item.range.start() + item.source.name_range.start(),
        report: it.report(),
    };
    let lowered = expressions::try_lower(&item.source, &environment).map_err(failed)?;
    let read = expressions::Function {
        source: &item.source,
        environment: &environment,
        lowered: &lowered,
    };
    guarded(stage, &item.source.name, || work(Function { item, read })).map_err(failed)
}

impl Failed {
    /// The report with its place.
    pub(crate) fn located(&self, shown: &str, source: &Source, lines: &LineIndex) -> String {
        let at = source.line_col(lines, self.at);
        format!("{shown}:{}:{}: {}", at.line, at.col, self.report)
    }

    /// The error of a command that is about this function alone.
    pub(crate) fn error(&self, shown: &str, source: &Source) -> anyhow::Error {
        anyhow!(self.located(shown, source, &LineIndex::new(&source.text)))
    }
}

/// The functions that a command is about: of a name, and those in the factory of an instance.
pub(crate) fn choose<'a>(
    name: Option<&str>,
    instance: Option<&Instance>,
    functions: &'a FileFunctions,
    shown: &str,
) -> anyhow::Result<Vec<&'a FunctionItem>> {
    let is_in = |it: &&FunctionItem| {
        let is_in = instance.is_none_or(|instance| instance.is_around(&it.source.key.path));
        it.source.kind == FunctionKind::PrimFunc && is_in
    };
    let all = functions.functions.iter().filter(is_in);
    let Some(name) = name else { return Ok(all.collect()) };
    let is_it = |it: &&FunctionItem| {
        let source = &it.source;
        *source.name == *name || format!("{}.{}", source.key.path, source.name) == name
    };
    let chosen: Vec<&FunctionItem> = all.clone().filter(is_it).collect();
    if chosen.is_empty() {
        let names = near(name, all.map(|it| &*it.source.name));
        return Err(anyhow!("{shown} has no function `{name}`{}", did_you_mean(&names)));
    }
    Ok(chosen)
}

/// Returns the instance that a call on the command line asks for; none if it asks for none.
///
/// # Errors
/// No factory of the file is meant, or several are, or the arguments are not its.
pub(crate) fn instance_of(
    call: Option<&InstanceCall>,
    functions: &FileFunctions,
    shown: &str,
) -> anyhow::Result<Option<Instance>> {
    let Some(InstanceCall(request)) = call else { return Ok(None) };
    let factories = functions.functions_around(functions.context());
    let meant: Vec<&Factory> = factories.iter().filter(|it| request.means(&it.path)).collect();
    match meant[..] {
        [factory] => match factory.instance(&request.arguments) {
            Ok(instance) => Ok(Some(instance)),
            Err(why) => {
                let parameters: Vec<&str> = factory.parameters().collect();
                match parameters.is_empty() {
                    true => bail!("{shown}: {why}; it has no parameters"),
                    false => bail!("{shown}: {why}; its parameters are: {}", parameters.join(", ")),
                }
            }
        },
        [] => {
            let names = near(&request.function, factories.iter().map(|it| &*it.path));
            let name = &request.function;
            bail!("{shown} has no factory `{name}`{}", did_you_mean(&names))
        }
        _ => {
            let paths: Vec<&str> = meant.iter().map(|it| &*it.path).collect();
            bail!("{shown} has several factories of this name: write one of {}", paths.join(", "))
        }
    }
}
