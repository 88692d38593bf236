//! The command line: arguments in, one command run, an exit code out.
//!
//! | folder or file | is |
//! |---|---|
//! | `args` | the arguments of each command and their help; knows no command |
//! | `commands` | one command each |
//! | `driver` | from a text to plans and edits, a unit at a time; a panic costs the unit |
//! | `input` | which files, their settings, their texts, what differs from a revision |
//! | `output` | findings as text, JSON and SARIF; unified diffs; where edits go; files that are always whole; progress |
//! | `rules` | the documentation of every name in a message |
//! | `parallel`, `guard`, `interrupt`, `io` | many files at once, panics, Ctrl-C, streams |

mod args;
mod commands;
mod driver;
mod guard;
pub(crate) mod input;
mod interrupt;
mod io;
mod output;
mod parallel;
mod rules;

#[cfg(test)]
mod tests;

use std::{
    ffi::OsString,
    io::{BufWriter, IsTerminal as _, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context as _;
use clap::Parser as _;

pub use crate::cli::io::Io;
use crate::{
    cli::{
        args::{AnswerFormat, Arguments, Command, Format, PreviewFormat, ReportFormat},
        io::{Styled, Tone, is_broken_pipe, stderr_is_terminal, wants_color},
        output::visible::Visible,
    },
    mcp, server,
};

/// The name of the program, the first word of a command.
const PROGRAM: &str = "tir-analyzer";

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// All is well.
    Success,
    /// The files have errors.
    Findings,
    /// Wrong usage, or a file that cannot be read or written.
    Failure,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Findings => 1,
            Exit::Failure => 2,
        }
    }
}

/// The program: its arguments, its streams, its exit code.
pub fn main() -> ExitCode {
    ExitCode::from(main_with(&std::env::args_os().collect::<Vec<OsString>>()))
}

/// The program with these arguments (its name comes first), on the streams of the process: it may be a part of another
/// program. Gives the exit code.
pub fn main_with(arguments: &[OsString]) -> u8 {
    let folder = match std::env::current_dir().context("the current folder is not there any more") {
        Ok(folder) => folder,
        Err(error) => {
            // Without a standard error there is nobody to tell.
            let _ = io::message(&mut std::io::stderr(), false, Tone::Error, &format!("{error:#}"));
            return Exit::Failure.code();
        }
    };
    // No stream is locked: the server and the progress bar use them from other threads.
    let mut io = Io {
        stdin: &mut std::io::stdin(),
        out: &mut BufWriter::with_capacity(1 << 16, std::io::stdout()),
        err: &mut std::io::stderr(),
        folder: folder.clone(),
        out_is_terminal: wants_color(std::io::stdout().is_terminal()),
        err_is_terminal: wants_color(stderr_is_terminal()),
    };
    #[cfg(debug_assertions)]
    plant_panics();
    match parse_arguments(arguments, &mut io) {
        Ok(Arguments { command: Command::Server, .. }) => {
            ir::guard::install_panic_hook(true);
            serve(server::run)
        }
        Ok(Arguments { command: Command::Mcp(args), .. }) => {
            ir::guard::install_panic_hook(true);
            let root = args.root.unwrap_or(folder);
            serve(|| mcp::run(&root).map(|()| Exit::Success.code()))
        }
        Ok(arguments) => {
            interrupt::install(stderr_is_terminal());
            ir::guard::install_panic_hook(false);
            run_command(&arguments, &mut io)
        }
        Err(code) => code,
    }
}

/// Panics that tests ask for: `STAGE:FUNCTION`, with commas between.
#[cfg(debug_assertions)]
fn plant_panics() {
    use ir::guard::{Stage, planted::plant};
    let asked = std::env::var("TIR_ANALYZER_PANIC").unwrap_or_default();
    for (stage, function) in asked.split(',').filter_map(|it| it.split_once(':')) {
        let stage = Stage::ALL.iter().find(|it| it.name() == stage);
        stage.into_iter().for_each(|stage| plant(*stage, function));
    }
}

fn serve(run: impl FnOnce() -> anyhow::Result<u8>) -> u8 {
    run().unwrap_or_else(|error| {
        let _ = io::message(&mut std::io::stderr(), false, Tone::Error, &format!("{error:#}"));
        Exit::Failure.code()
    })
}

/// Runs one command (the name of the program comes first) on the given streams. Gives the exit code. `server`
/// and `mcp` need the streams of the process and are refused.
pub fn run(arguments: &[OsString], io: &mut Io<'_>) -> u8 {
    match parse_arguments(arguments, io) {
        Ok(arguments) => run_command(&arguments, io),
        Err(code) => code,
    }
}

/// The output of a command, its messages and its exit code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The exit code.
    pub code: u8,
    /// Its output.
    pub out: Vec<u8>,
    /// Its messages.
    pub err: Vec<u8>,
}

/// Runs one command (its words follow the name of the program) on streams of its own, without colours; relative paths
/// start at `folder`.
pub fn answer<W: Into<OsString>>(
    words: impl IntoIterator<Item = W>,
    mut stdin: &[u8],
    folder: &Path,
) -> Answer {
    let words = words.into_iter().map(Into::into);
    let words: Vec<OsString> = std::iter::once(OsString::from(PROGRAM)).chain(words).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io {
        stdin: &mut stdin,
        out: &mut out,
        err: &mut err,
        folder: folder.to_owned(),
        out_is_terminal: false,
        err_is_terminal: false,
    };
    let code = run(&words, &mut io);
    Answer { code, out, err }
}

/// Reads the arguments; help and error messages are written, and end the run.
fn parse_arguments(arguments: &[OsString], io: &mut Io<'_>) -> Result<Arguments, u8> {
    Arguments::try_parse_from(arguments).map_err(|error| {
        let is_styled = if error.use_stderr() { io.err_is_terminal } else { io.out_is_terminal };
        let text = error.render();
        let text = if is_styled { text.ansi().to_string() } else { text.to_string() };
        // A reader that is gone needs no help.
        let _ = match error.use_stderr() {
            true => io.err.write_all(text.as_bytes()),
            false => io.out.write_all(text.as_bytes()).and_then(|()| io.out.flush()),
        };
        u8::try_from(error.exit_code()).unwrap_or(Exit::Failure.code())
    })
}

fn run_command(arguments: &Arguments, io: &mut Io<'_>) -> u8 {
    let styled = io.styled(arguments.color);
    let mut err = Visible::new(io.err, styled.err);
    let mut out: Box<dyn Write + '_> = match is_for_people(&arguments.command) {
        true => Box::new(Visible::new(io.out, styled.out)),
        false => Box::new(&mut *io.out),
    };
    let folder = io.folder.clone();
    let io = &mut Io { stdin: io.stdin, out: &mut *out, err: &mut err, folder, ..*io };
    // What no smaller guard caught costs the command, and is told as everything else.
    let outcome = ir::guard::catch(|| dispatch(&arguments.command, io, styled));
    let outcome = outcome.unwrap_or_else(|what| {
        let report = ir::guard::report_on("the command", &what, "what it did so far stays");
        Err(anyhow::anyhow!(report))
    });
    let outcome = outcome.and_then(|exit| {
        io.out.flush()?;
        Ok(exit)
    });
    match outcome {
        Ok(exit) => exit.code(),
        // Whoever read the output has seen enough (`| head`).
        Err(error) if is_broken_pipe(&error) => Exit::Success.code(),
        Err(error) => {
            let _ = io.out.flush();
            let _ = io::message(io.err, styled.err, Tone::Error, &format!("{error:#}"));
            Exit::Failure.code()
        }
    }
}

/// True if what a command writes is read by people, and by nothing that takes it for a text, a patch or data.
fn is_for_people(command: &Command) -> bool {
    match command {
        Command::Check(it) => matches!(it.format, ReportFormat::Text | ReportFormat::Github),
        Command::Explain(it) => it.format == AnswerFormat::Text,
        Command::Simplify(it) => it.format == AnswerFormat::Text,
        Command::Run(it) => it.format == AnswerFormat::Text,
        Command::Preview(it) => it.format == PreviewFormat::SideBySide,
        Command::Report(it) => it.format == Format::Text,
        Command::Build(it) => it.format == Format::Text,
        _ => false,
    }
}

fn dispatch(command: &Command, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    match command {
        Command::Check(args) => commands::check::check(args, io, styled),
        Command::Fix(args) => commands::fix::fix(args, io, styled),
        Command::Format(args) => commands::format::format(args, io, styled),
        Command::Bisect(args) => commands::bisect::bisect(args, io, styled),
        Command::Build(args) => commands::build::build(args, io, styled),
        Command::Cache(args) => commands::cache::cache(args, io, styled),
        Command::Completions(args) => commands::completions::completions(args, io),
        Command::Man(args) => commands::completions::man(args, io),
        Command::Config(args) => commands::config::config(args, io),
        Command::Dialect(args) => commands::dialect::dialect(args, io, styled),
        Command::Opt(args) => commands::opt::opt(args, io, styled),
        Command::Preview(args) => commands::preview::run(args, io, styled),
        Command::Explain(args) => commands::explain::explain(args, io, styled),
        Command::Simplify(args) => commands::simplify::simplify(args, io, styled),
        Command::Run(args) => commands::run::run(args, io, styled),
        Command::Report(args) => commands::report::report(args, io, styled),
        Command::Book(args) => commands::book::book(args, io),
        Command::Shard => commands::build::shard(io),
        Command::Parse(args) => commands::parse::parse(args, io, styled),
        Command::Server | Command::Mcp(_) => {
            Err(anyhow::anyhow!("a server needs the streams of the process"))
        }
    }
}
