//! `cargo xtask farm-model`: how long builds on a farm take, and what its cache has to bear, by a model.
//!
//! In: figures of a server, workers and builds of the tests in this machine (`crates/remote/src/tests/farm.rs`). Out:
//! what the model says of the same builds beside what was measured, and its predictions for farms that nobody has at
//! hand; with `--write` as a section of `crates/remote/README.md`, which a test holds to the model.

mod model;
mod queue;

use std::fmt::Write as _;
use std::process::Stdio;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::Outcome;
use crate::workspace::{Workspace, say};

use self::model::Farm;
use self::queue::{SECOND, Time};

/// The page with the section.
const PAGE: &str = "crates/remote/README.md";
const BEGIN: &str = "<!-- farm-model: ";
const END: &str = "<!-- farm-model: end -->";
/// Predictions that differ by more are wrong.
const MOST: f64 = 0.2;

/// Predict the time of builds on a farm and the load on its cache, by a model whose parameters are measured.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask farm-model                  measures, and compares the model with what was measured
  cargo xtask farm-model --write          the same, and writes the section of crates/remote/README.md
  cargo xtask farm-model --known --write  the section anew, with the parameters that it has")]
pub(crate) struct Args {
    /// Write the section of the README.
    #[arg(long)]
    write: bool,
    /// Take the parameters of the README, and measure nothing.
    #[arg(long)]
    known: bool,
    /// Measure a build for development: its texts and calls take longer than those of users.
    #[arg(long)]
    dev: bool,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let path = ws.path(PAGE);
    let page = std::fs::read_to_string(&path)?;
    let measured = match args.known {
        true => parameters(&page).context("the page has no parameters")?,
        false => measure(ws, args.dev)?,
    };
    let section = section(&measured)?;
    say(format_args!("{}", section.trim_end()));
    if args.write {
        std::fs::write(
            &path,
            with_section(&page, &section).context("the page has no place for it")?,
        )?;
    }
    let is_good = compared(&measured)?.iter().all(|it| it.difference().abs() <= MOST);
    Ok(if is_good { Outcome::Passed } else { Outcome::Failed })
}

/// Runs the builds of the tests: one object with all figures.
fn measure(ws: &Workspace, dev: bool) -> anyhow::Result<Value> {
    let mut command = ws.cargo();
    command.args(["test", "--quiet", "--package", "remote", "--features", "grpc"]);
    command.args(if dev { &[][..] } else { &["--release"] });
    command.args(["--", "--ignored", "--exact", "tests::farm::figures", "--nocapture"]);
    let output = command.stderr(Stdio::inherit()).output().context("cannot run cargo test")?;
    anyhow::ensure!(output.status.success(), "the builds failed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|it| it.starts_with('{')).context("no figures")?;
    let mut figures: Value = serde_json::from_str(line)?;
    figures["profile"] = json!(if dev { "dev" } else { "release" });
    Ok(figures)
}

fn number(figures: &Value, name: &str) -> anyhow::Result<f64> {
    figures[name].as_f64().with_context(|| format!("no figure `{name}`"))
}

fn time(seconds: f64) -> Time {
    (seconds * SECOND as f64) as Time
}

fn seconds(time: Time) -> f64 {
    time as f64 / SECOND as f64
}

/// The farm that was measured, with so many workers.
fn measured_farm(figures: &Value, workers: usize) -> anyhow::Result<Farm> {
    let of = |name: &str| number(figures, name);
    Ok(Farm {
        developers: 1,
        apart: 0,
        kernels: of("kernels")? as usize,
        hits: 0.0,
        workers,
        here: 1,
        compile_here: time(of("compile_here")?),
        produce: time(of("produce")?),
        group: of("group")? as usize,
        jobs: of("jobs")? as usize,
        job: time(of("job")?),
        compile_there: time(of("compile_there")?),
        // What a job takes beside a worker; the time of a call has its own in it.
        latency: time(of("latency")?),
        line: f64::INFINITY,
        cache_line: f64::INFINITY,
        calls: 64,
        call: time(of("call")?),
        cache_threads: 1,
        entry: of("entry")?,
        source: of("source")?,
    })
}

/// A build that was measured and predicted.
struct Compared {
    workers: usize,
    measured: f64,
    predicted: f64,
}

impl Compared {
    fn difference(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

fn compared(figures: &Value) -> anyhow::Result<Vec<Compared>> {
    let runs = figures["runs"].as_array().context("no runs")?;
    let compare = |run: &Value| {
        let (workers, measured) = (number(run, "workers")? as usize, number(run, "seconds")?);
        // The builds that were measured asked no cache.
        let farm = Farm { call: 0, ..measured_farm(figures, workers)? };
        let predicted = seconds(farm.simulate().end);
        Ok(Compared { workers, measured, predicted })
    };
    runs.iter().map(compare).collect()
}

/// A farm of a team: a developer's line has 1 Gbit/s, that of the cache 10 Gbit/s, and an answer takes 1 ms.
fn team(figures: &Value) -> anyhow::Result<Farm> {
    Ok(Farm {
        compile_here: SECOND / 2,
        compile_there: SECOND / 2,
        here: 8,
        jobs: 64,
        group: 8,
        latency: SECOND / 1000,
        line: 125e6,
        cache_line: 1.25e9,
        cache_threads: 16,
        ..measured_farm(figures, 0)?
    })
}

/// The section of the README: all of it is made of the figures.
fn section(figures: &Value) -> anyhow::Result<String> {
    let mut text = format!("{BEGIN}{figures:#} -->\n");
    let of = |name: &str| number(figures, name);
    let milli = |name: &str| of(name).map(|it| it * 1e3);
    let measured = format!(
        "Measured here (profile `{}`, {} processors), each in milliseconds: the text of a kernel {:.2}, a call of the \
         cache {:.3}, compiling a kernel here {:.1}; a job takes a worker {:.1} and {:.1} for each of its kernels, \
         and {:.1} on its way. An entry has {:.0} bytes. The compilers of the test only wait, so that more workers \
         than processors are as good as machines.",
        figures["profile"].as_str().unwrap_or("unknown"),
        of("processors")?,
        milli("produce")?,
        milli("call")?,
        milli("compile_here")?,
        milli("job")?,
        milli("compile_there")?,
        milli("latency")?,
        of("entry")?,
    );
    writeln!(text, "{}\n", wrapped(&measured))?;
    writeln!(
        text,
        "| {} kernels, workers beside one compiler here | measured | by the model | difference |",
        of("kernels")?
    )?;
    writeln!(text, "|---|---|---|---|")?;
    for it in compared(figures)? {
        let Compared { workers, measured, predicted } = &it;
        let percent = 100.0 * it.difference();
        writeln!(text, "| {workers} | {measured:.2} s | {predicted:.2} s | {percent:+.0} % |")?;
    }
    let team_words = "A team, by the model: a compiler takes 0.5 s a kernel, a developer's machine has 8 and a line of 1 Gbit/s, \
         the cache one of 10 Gbit/s and 16 threads, an answer takes 1 ms, and jobs have 8 kernels, 64 at a time, \
         the most that a build has. All else is as measured.";
    writeln!(text, "\n{}\n", wrapped(team_words))?;
    writeln!(
        text,
        "| one build of 1,000,000 kernels from nothing, workers | takes | workers busy |"
    )?;
    writeln!(text, "|---|---|---|")?;
    for workers in [0, 10, 100, 500] {
        let farm = Farm { workers, kernels: 1_000_000, ..team(figures)? };
        let outcome = farm.simulate();
        let busy = if workers == 0 { 0.0 } else { 100.0 * outcome.workers };
        writeln!(text, "| {workers} | {} | {busy:.0} % |", words(outcome.end))?;
    }
    writeln!(text)?;
    writeln!(
        text,
        "| 1,000 developers in 10 minutes, 200 workers; kernels each, of which the cache has | takes: median, last \
         | most calls, bytes of the cache in a second | its threads, workers busy |"
    )?;
    writeln!(text, "|---|---|---|---|")?;
    for (kernels, hits) in
        [(1_000_000, 1.0), (100_000, 1.0), (10_000, 1.0), (10_000, 0.99), (10_000, 0.95)]
    {
        let apart = 600 * SECOND / 1000;
        let farm = Farm { developers: 1000, apart, kernels, hits, workers: 200, ..team(figures)? };
        let outcome = farm.simulate();
        let mut builds = outcome.builds.clone();
        builds.sort_unstable();
        writeln!(
            text,
            "| {}, {:.0} % | {}, {} | {}, {:.2} GB | {:.0} %, {:.0} % |",
            thousands(kernels as u64),
            100.0 * hits,
            words(builds[builds.len() / 2]),
            words(builds[builds.len() - 1]),
            thousands(outcome.most_calls),
            outcome.most_bytes / 1e9,
            100.0 * outcome.cache,
            100.0 * outcome.workers,
        )?;
    }
    writeln!(text, "{END}")?;
    Ok(text)
}

/// Words in lines of at most 120 columns.
fn wrapped(words: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > 120 {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

/// A number with a comma between thousands.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time for people.
fn words(time: Time) -> String {
    match seconds(time) {
        it if it < 120.0 => format!("{it:.1} s"),
        it if it < 7200.0 => format!("{:.0} min", it / 60.0),
        it => format!("{:.1} h", it / 3600.0),
    }
}

/// The figures of which a page's section is made.
fn parameters(page: &str) -> Option<Value> {
    let from = page.find(BEGIN)? + BEGIN.len();
    serde_json::from_str(page[from..].split_once(" -->")?.0).ok()
}

/// A page with another section.
fn with_section(page: &str, section: &str) -> Option<String> {
    let from = page.find(BEGIN)?;
    let to = page.find(END)? + END.len() + 1;
    Some([&page[..from], section, page.get(to..)?].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_what_the_model_says() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = std::fs::read_to_string(root.join(PAGE)).expect("a page");
        let figures = parameters(&page).expect("figures");
        let section = section(&figures).expect("a section");
        let way_out = "run `cargo xtask farm-model --known --write`";
        assert_eq!(with_section(&page, &section).expect("a place"), page, "{way_out}");
        // And the model says what was measured.
        let compared = compared(&figures).expect("runs");
        assert_eq!(compared.iter().map(|it| it.workers).collect::<Vec<_>>(), [1, 2, 4]);
        for it in compared {
            assert!(
                it.difference().abs() <= MOST,
                "{} workers: {:.2}",
                it.workers,
                it.difference()
            );
        }
    }

    #[test]
    fn numbers_and_times_are_readable() {
        assert_eq!([7, 1000, 1_234_567].map(thousands), ["7", "1,000", "1,234,567"]);
        let times = [3, 600, 10_000].map(|it| words(it * SECOND));
        assert_eq!(times, ["3.0 s", "10 min", "2.8 h"]);
    }
}
