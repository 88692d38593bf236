//! A progress bar for work that takes long, on standard error, only if that is a terminal.

use std::{
    io::{self, Write},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::io::{Tone, is_broken_pipe, message};

/// Work that takes less shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Between two pictures of what nobody can say how far it is.
const TICK: Duration = Duration::from_millis(120);

/// The progress of one command over its files.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// Shows the bar when it is time, where nothing is advanced until all is done.
    watch: Option<Watch>,
    started: Instant,
}

/// A thread that shows a bar after a while, unless it is stopped before.
struct Watch {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Watch {
    fn start(bar: ProgressBar) -> Option<Watch> {
        let (stop, stopped) = channel();
        let show = move || {
            if stopped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(TICK);
            }
        };
        // Without another thread nothing is shown.
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(show).ok()?;
        Some(Watch { stop, thread })
    }

    fn end(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}

impl Progress {
    pub(crate) fn new(n_files: usize, is_terminal: bool) -> Progress {
        let is_one = n_files == 1;
        let bar = (is_terminal && n_files > 0).then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(n_files as u64), ProgressDrawTarget::hidden());
            let template = match is_one {
                true => "{spinner} {elapsed}",
                false => "{bar:30} {pos}/{len} files, {msg}{eta} left",
            };
            // The template is a constant; with the default style the bar is only less pretty.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        // One file may take as long as many, and is done all at once.
        let watch = bar.clone().filter(|_| is_one).and_then(Watch::start);
        Progress { bar, watch, started: Instant::now() }
    }

    /// One more file is done.
    pub(crate) fn advance(&self) {
        let Some(bar) = &self.bar else { return };
        self.show_late(bar);
        bar.inc(1);
    }

    /// Sets the number of finished files; `words` gets the seconds since the beginning.
    pub(crate) fn set(&self, n_done: usize, words: impl FnOnce(f64) -> String) {
        let Some(bar) = &self.bar else { return };
        self.show_late(bar);
        bar.set_message(words(self.started.elapsed().as_secs_f64()));
        bar.set_position(n_done as u64);
    }

    fn show_late(&self, bar: &ProgressBar) {
        if bar.is_hidden() && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Tells people why a file failed, and goes on.
    ///
    /// # Errors
    ///
    /// If the output is closed: the error itself, if it is of that kind.
    pub(crate) fn tell(
        &self,
        to: &mut dyn Write,
        is_styled: bool,
        error: anyhow::Error,
    ) -> anyhow::Result<()> {
        if is_broken_pipe(&error) {
            return Err(error);
        }
        let mut line = Vec::new();
        message(&mut line, is_styled, Tone::Error, &format!("{error:#}"))?;
        Ok(self.write(to, &line)?)
    }

    /// Writes while the bar is out of the way.
    pub(crate) fn write(&self, to: &mut dyn Write, text: &[u8]) -> io::Result<()> {
        match &self.bar {
            Some(bar) if !bar.is_hidden() && !text.is_empty() => bar.suspend(|| {
                to.write_all(text)?;
                to.flush()
            }),
            _ => to.write_all(text),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // Nothing is shown after the end.
        self.watch.take().into_iter().for_each(Watch::end);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
