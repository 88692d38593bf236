//! `cargo xtask test`: everything that must hold, in stages from quick to slow.
//!
//! The last ones run in two lanes: editors and browsers mostly wait, and comparisons with peers take the processors
//! meanwhile.
//!
//! The stages go on after a failure, so that one run shows all there is to mend. Tools that a machine lacks (an editor,
//! a compiler, a package) are installed into folders of their own under `target/peers`; unavailable ones are reported
//! as skipped, by name and with the reason, and with `--ci` that is a failure.

mod cargo_output;
mod clients;
mod python;
mod remote;
mod stages;
mod vscode;
mod web;

use std::time::Instant;

use crate::Outcome;
use crate::tally::Tally;
use crate::test::stages::{Context, Lane, STAGES, Stage};
use crate::workspace::{Workspace, say};

/// Run every check: format, lints, tidy, tests, real editors, comparisons with the peers.
///
/// Needs the Rust toolchain and Python 3; the rest is installed into folders of its own under `target/peers`. Tools
/// that a machine cannot have are skipped by name. The last line counts the checks.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask test                everything
  cargo xtask test --ci           the same, and every skipped check is a failure
  cargo xtask test fmt clippy     some stages
  cargo xtask test --list         the stages, by name")]
pub(crate) struct Args {
    /// Only these stages.
    stages: Vec<String>,
    /// Fail if anything had to be skipped.
    #[arg(long)]
    ci: bool,
    /// Say which stages there are.
    #[arg(long)]
    list: bool,
    /// Compilers at a time [default: by cores and memory].
    #[arg(long)]
    jobs: Option<usize>,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    if args.list {
        for Stage { name, what, is_on_request, .. } in STAGES {
            let when = if *is_on_request { " (on request)" } else { "" };
            say(format_args!("{name:12} {what}{when}"));
        }
        return Ok(Outcome::Passed);
    }
    for name in &args.stages {
        let known = STAGES.iter().any(|stage| stage.name == name);
        anyhow::ensure!(known, "no stage is called `{name}`; `cargo xtask test --list` names them");
    }
    let wanted = |stage: &&Stage| {
        let is_named = args.stages.iter().any(|name| name == stage.name);
        is_named || args.stages.is_empty() && !stage.is_on_request
    };
    let start = Instant::now();
    let jobs = args.jobs.unwrap_or_else(default_jobs);
    let mut context = Context::new(ws, jobs);
    let run_lane = |lane: Lane, context: &mut Context<'_>| -> Vec<(String, Tally)> {
        let stages = STAGES.iter().filter(wanted).filter(|it| it.lane == lane);
        stages.map(|it| run_stage(it, context)).collect()
    };
    let mut done = run_lane(Lane::First, &mut context);
    std::thread::scope(|scope| {
        let peers = scope.spawn(|| {
            let mut context = Context::new(ws, jobs);
            (run_lane(Lane::Peers, &mut context), context)
        });
        done.extend(run_lane(Lane::Clients, &mut context));
        let (compared, beside) = peers.join().unwrap_or_else(|it| std::panic::resume_unwind(it));
        done.extend(compared);
        context.add(beside);
    });
    let mut report = Vec::new();
    let mut whole = Tally::default();
    for (line, part) in done {
        report.push(line);
        whole.add(part);
    }
    let mut unrun = Tally::default();
    context.left_out().into_iter().for_each(|skip| unrun.skip(skip));
    whole.add(unrun);
    say(format_args!("\n== summary"));
    report.iter().for_each(|line| say(format_args!("{line}")));
    say(format_args!("{:20} {:4} s", "in all", start.elapsed().as_secs()));
    whole.skips().iter().for_each(|skip| say(format_args!("{skip}")));
    if args.ci && !whole.skips().is_empty() {
        say(format_args!("nothing may be skipped with --ci"));
    }
    say(format_args!("{}", whole.summary()));
    let is_good = whole.failed() == 0 && (!args.ci || whole.skips().is_empty());
    Ok(if is_good { Outcome::Passed } else { Outcome::Failed })
}

fn run_stage(stage: &Stage, context: &mut Context<'_>) -> (String, Tally) {
    say(format_args!("\n== {}: {}", stage.name, stage.what));
    let start = Instant::now();
    let mut tally = Tally::default();
    if let Err(error) = (stage.run)(context, &mut tally) {
        say(format_args!("{}: {error:#}", stage.name));
        tally.fail(1);
    }
    let verdict = if tally.failed() > 0 { "FAILED" } else { "ok" };
    (format!("{:12} {verdict:7} {:4} s", stage.name, start.elapsed().as_secs()), tally)
}

/// One compiler a core, and memory for each: linking a test binary with debug information takes up to 3 GiB.
fn default_jobs() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let memory = memory_gib().map_or(cores, |gib| gib / 3);
    cores.min(memory).max(1)
}

fn memory_gib() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: usize = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib / (1024 * 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_stage_is_an_error() {
        let ws = Workspace::find().unwrap();
        let args = Args { stages: vec!["nonsense".into()], ci: false, list: false, jobs: None };
        let error = run(&args, &ws).unwrap_err().to_string();
        assert!(error.contains("nonsense"), "{error}");
    }

    #[test]
    fn failed_stage_is_counted_and_named() {
        let ws = Workspace::find().unwrap();
        let stage = Stage {
            name: "broken",
            what: "always",
            is_on_request: false,
            lane: Lane::First,
            run: |_, _| anyhow::bail!("it is broken"),
        };
        let (line, tally) = run_stage(&stage, &mut Context::new(&ws, 1));
        assert!(line.starts_with("broken       FAILED"), "{line}");
        assert_eq!(tally.failed(), 1);
    }
}
