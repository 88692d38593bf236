//! The jobs of a command: each file with its settings, or standard input as a file.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::bail;
use build_kernels::module_path;
use frontend::tvmscript::{
    Modules, NoModules,
    modules::{FileModules, Workspace},
};
use ide::{AnalysisHost, FileId, Group, Settings as AnalysisSettings};
use syntax::{Form, Language};

use crate::{
    cli::{
        args::{Inputs, OneInput},
        guard::guard,
        input::{
            files::{self, InputFile},
            settings::Settings,
            source::Source,
            workspaces::Workspaces,
        },
        io::{self, Io, Styled, Tone},
        output::count,
    },
    config::Config,
    notebook,
};

/// The name of standard input where the user gives none.
const STDIN: &str = "<stdin>";

/// One file to work on.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) file: InputFile,
    /// The bytes of standard input.
    stdin: Option<Vec<u8>>,
    pub(crate) config: Config,
    /// The files that it may import; none of a text without a name.
    pub(crate) workspace: Option<Arc<Workspace>>,
}

impl Job {
    /// Reads the file and runs `work` on it; a panic is an error like others.
    pub(crate) fn run<R>(
        &self,
        work: impl FnOnce(Source) -> anyhow::Result<R>,
    ) -> anyhow::Result<R> {
        guard(&self.file.shown, || work(self.read()?))
    }

    /// Reads the file and runs `work` on it, also if it is a notebook; a panic is an error like others.
    pub(crate) fn run_with_notebooks<R>(
        &self,
        work: impl FnOnce(Source) -> anyhow::Result<R>,
    ) -> anyhow::Result<R> {
        guard(&self.file.shown, || work(self.read_any()?))
    }

    fn read(&self) -> anyhow::Result<Source> {
        if notebook::is_notebook(&self.file.path) {
            bail!(notebook::refusal(&self.file.shown));
        }
        self.read_any()
    }

    fn read_any(&self) -> anyhow::Result<Source> {
        match &self.stdin {
            Some(bytes) => Source::new(bytes.clone()),
            None => Source::read(&self.file),
        }
    }

    /// The files that the file imports.
    pub(crate) fn modules(&self) -> Arc<dyn Modules + Send + Sync> {
        match (&self.workspace, module_path(&self.file.path)) {
            (Some(workspace), Some(own)) => Arc::new(FileModules::new(workspace.clone(), own)),
            _ => Arc::new(NoModules),
        }
    }

    /// A host with the file as its only one.
    pub(crate) fn host(&self, config: ide::Config, source: &Source) -> AnalysisHost {
        let mut host = AnalysisHost::new();
        let settings = AnalysisSettings { config, ..self.config.for_analysis() };
        host.set_settings(Group::default(), settings);
        if let (Some(workspace), Some(own)) = (&self.workspace, module_path(&self.file.path)) {
            host.set_workspace(workspace.clone());
            host.set_path(FileId(0), Some(own.into()));
        }
        let language = Language::of_file(&self.file.path, &source.text);
        host.set_text(FileId(0), language, source.text.as_str().into());
        host
    }

    pub(crate) fn is_stdin(&self) -> bool {
        self.stdin.is_some()
    }

    /// The bytes of standard input.
    pub(crate) fn stdin_bytes(&self) -> Option<&[u8]> {
        self.stdin.as_deref()
    }
}

/// All jobs of a run, in order, and the paths that were not found.
pub(crate) struct Jobs {
    pub(crate) jobs: Vec<Job>,
    pub(crate) failures: Vec<String>,
}

/// Finds the files of a command on functions of statements and their settings. Warnings about settings are written.
pub(crate) fn find(inputs: &Inputs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Jobs> {
    find_of(&Language::with(|it| it.form == Form::Expressions), inputs, io, styled)
}

/// Finds the files of a command on these languages and their settings. Warnings about settings are written.
pub(crate) fn find_of(
    languages: &[Language],
    inputs: &Inputs,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<Jobs> {
    if inputs.stdin {
        let job = stdin(inputs.stdin_filename.as_deref(), io, styled)?;
        return Ok(Jobs { jobs: vec![job], failures: Vec::new() });
    }
    let mut found = files::find(inputs, languages, io);
    let mut settings = Settings::default();
    let mut workspaces = Workspaces::default();
    let mut jobs = Vec::with_capacity(found.files.len());
    let mut without_settings: Vec<(String, usize)> = Vec::new();
    for file in found.files {
        let config = match settings.of_file(&file.path) {
            Ok(config) => config,
            Err(error) => {
                let why = error.to_string();
                match without_settings.iter_mut().find(|(told, _)| *told == why) {
                    Some((_, n)) => *n += 1,
                    None => without_settings.push((why, 1)),
                }
                continue;
            }
        };
        let workspace = Some(workspaces.of_file(&file, &mut settings));
        jobs.push(Job { file, stdin: None, config, workspace });
    }
    warn(&settings, io, styled)?;
    for (why, n) in without_settings {
        // Where the others are done, it is said what is not.
        found.failures.push(match jobs.is_empty() {
            true => why,
            false => format!("{why}; {} with these settings left out", count(n, "file")),
        });
    }
    if jobs.is_empty() && found.failures.is_empty() {
        io::message(io.err, styled.err, Tone::Warning, &nothing_found(languages))?;
    }
    Ok(Jobs { jobs, failures: found.failures })
}

/// The complaint that there is nothing to work on.
fn nothing_found(languages: &[Language]) -> String {
    let extensions = languages.iter().flat_map(|it| it.support().extensions);
    let extensions: Vec<String> = extensions.map(|it| format!("`.{it}`")).collect();
    format!(
        "there is no file to read: {} that are neither hidden nor ignored by git are",
        extensions.join(", ")
    )
}

/// The one file of a command.
pub(crate) fn one(input: &OneInput, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Job> {
    match &input.file {
        Some(path) => file(path, io, styled),
        None => stdin(input.stdin_filename.as_deref(), io, styled),
    }
}

/// A file by its path.
pub(crate) fn file(path: &Path, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Job> {
    let file = files::input_file(path, io);
    let mut settings = Settings::default();
    let config = settings.of_file(&file.path)?;
    let workspace = Some(Workspaces::default().of_file(&file, &mut settings));
    warn(&settings, io, styled)?;
    Ok(Job { file, stdin: None, config, workspace })
}

/// Standard input under a name.
pub(crate) fn stdin(name: Option<&Path>, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Job> {
    let bytes = io.read_stdin()?;
    let mut settings = Settings::default();
    let (file, config) = match name {
        Some(path) => {
            let file = files::input_file(path, io);
            let config = settings.of_file(&file.path)?;
            (file, config)
        }
        None => {
            let file = InputFile { path: PathBuf::new(), shown: STDIN.to_owned(), found_in: None };
            (file, settings.of_folder(&io.folder)?)
        }
    };
    let workspace = name.map(|_| Workspaces::default().of_file(&file, &mut settings));
    warn(&settings, io, styled)?;
    Ok(Job { file, stdin: Some(bytes), config, workspace })
}

fn warn(settings: &Settings, io: &mut Io<'_>, styled: Styled) -> std::io::Result<()> {
    for warning in &settings.warnings {
        io::message(io.err, styled.err, Tone::Warning, warning)?;
    }
    Ok(())
}
