//! The outside world of a command: its streams, its folder, and the use of colours.
//!
//! Commands write through this and nothing else, so that tests run them in the process with buffers.

use std::{
    io::{self, IsTerminal as _, Read, Write},
    path::{Path, PathBuf},
};

use crate::cli::{args::ColorChoice, input::source};

/// The streams of one run.
pub struct Io<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn Read,
    /// Standard output: the requested output.
    pub out: &'a mut dyn Write,
    /// Standard error: errors and progress.
    pub err: &'a mut dyn Write,
    /// The place where relative paths start.
    pub folder: PathBuf,
    /// True if output may be styled by default.
    pub out_is_terminal: bool,
    /// Likewise for errors; also whether progress is shown.
    pub err_is_terminal: bool,
}

/// The styling of each stream.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Styled {
    pub(crate) out: bool,
    pub(crate) err: bool,
}

impl Io<'_> {
    pub(crate) fn styled(&self, choice: ColorChoice) -> Styled {
        let of = |is_terminal| match choice {
            ColorChoice::Auto => is_terminal,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        Styled { out: of(self.out_is_terminal), err: of(self.err_is_terminal) }
    }

    /// A path as the file system sees it.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }

    pub(crate) fn read_stdin(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // What is longer is refused, with its reason, by who takes it as a source.
        Read::take(&mut *self.stdin, source::MAX_LEN).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Returns true if a stream is a terminal with colours: `NO_COLOR` and a dumb terminal have none.
pub(crate) fn wants_color(is_terminal: bool) -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|it| it == "dumb");
    is_terminal && !no_color && !is_dumb
}

/// Returns true if standard error is a terminal.
pub(crate) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Returns true if an error means that nobody reads the output any more.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|it| it.downcast_ref::<io::Error>())
        .any(|it| it.kind() == io::ErrorKind::BrokenPipe)
}

/// Style of words in front of a message.
#[derive(Clone, Copy)]
pub(crate) enum Tone {
    Error,
    Warning,
}

/// `error: message` on a line of its own, styled if asked for.
pub(crate) fn message(
    to: &mut dyn Write,
    is_styled: bool,
    tone: Tone,
    message: &str,
) -> io::Result<()> {
    let (word, color) = match tone {
        Tone::Error => ("error", "\x1b[1;31m"),
        Tone::Warning => ("warning", "\x1b[1;33m"),
    };
    if is_styled {
        writeln!(to, "{color}{word}\x1b[0m: {message}")
    } else {
        writeln!(to, "{word}: {message}")
    }
}
