//! The stages of the test command.

use std::collections::BTreeMap;
use std::process::Command;

use crate::process::Finished;
use crate::skip::Skip;
use crate::tally::Tally;
use crate::test::{cargo_output, clients, python, remote, vscode, web};
use crate::workspace::{Workspace, say};
use crate::{Outcome, conformance, process, prove_rules, tidy};

/// A part of the test command.
pub(crate) struct Stage {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// The checked property.
    pub(crate) what: &'static str,
    /// It takes long for what few change: it runs only if it is named.
    pub(crate) is_on_request: bool,
    /// Its place among the others.
    pub(crate) lane: Lane,
    /// Runs it. An error counts as one failed check.
    pub(crate) run: Run,
}

/// The places of stages; those of one lane run one after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    /// Before the others: compilers, and tests that take all processors.
    First,
    /// Then: programs that are started and waited for.
    Clients,
    /// Beside the clients: comparisons that this program makes itself, without cargo.
    Peers,
}

type Run = fn(&mut Context<'_>, &mut Tally) -> anyhow::Result<()>;

const fn stage(lane: Lane, name: &'static str, what: &'static str, run: Run) -> Stage {
    Stage { name, what, is_on_request: false, lane, run }
}

/// All stages, quick ones first in each lane.
pub(crate) const STAGES: &[Stage] = &[
    stage(Lane::First, "fmt", "the code is formatted", fmt),
    stage(Lane::First, "tidy", "the rules of the house", tidy),
    stage(Lane::First, "clippy", "no lint", clippy),
    stage(Lane::First, "rust", "unit and integration tests", rust),
    stage(Lane::Peers, "rules", "every rewrite rule is proved", rules),
    stage(Lane::Clients, "clients", "real editors and tests that need one", clients::run),
    stage(Lane::Clients, "python", "the Python package, with its peers", python),
    stage(Lane::Clients, "dist", "the plain package is whole and runs", dist),
    stage(Lane::Clients, "vscode", "the extension in a real VS Code", vscode),
    stage(Lane::Clients, "web", "the page in a real browser", web),
    stage(Lane::Peers, "conformance", "the peers agree on the committed samples", conformance),
    Stage {
        is_on_request: true,
        ..stage(Lane::Clients, "remote", "shared caches, with real servers", remote)
    },
];

/// The common context of the stages.
pub(crate) struct Context<'a> {
    /// The checkout.
    pub(crate) ws: &'a Workspace,
    jobs: usize,
    /// Tests that were left out so far, with their reasons.
    ignored: BTreeMap<String, String>,
}

impl<'a> Context<'a> {
    /// A context in which nothing has run.
    pub(crate) fn new(ws: &'a Workspace, jobs: usize) -> Context<'a> {
        Context { ws, jobs, ignored: BTreeMap::new() }
    }

    /// A cargo command with the agreed number of compilers and plain output.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = self.ws.cargo();
        command.env("CARGO_BUILD_JOBS", self.jobs.to_string()).env("CARGO_TERM_COLOR", "never");
        command
    }

    /// Runs a `cargo test` command and counts its tests; a program that ends without a result is a failure.
    pub(crate) fn run_tests(
        &mut self,
        command: &mut Command,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let finished = process::run_shown(command)?;
        self.count(&finished, tally);
        Ok(())
    }

    /// Adds the output of a finished test run.
    fn count(&mut self, finished: &Finished, tally: &mut Tally) {
        let counts = cargo_output::count(&finished.output);
        tally.pass(counts.passed);
        tally.fail(counts.failed);
        if !finished.success && counts.failed == 0 {
            say(format_args!("a test program ended without a result ({})", finished.status));
            tally.fail(1);
        }
        self.ignored.extend(counts.ignored);
        counts.ran.iter().for_each(|name| drop(self.ignored.remove(name)));
    }

    /// Adds the tests that were left out beside.
    pub(crate) fn add(&mut self, beside: Context<'_>) {
        self.ignored.extend(beside.ignored);
    }

    /// The tests that no stage ran.
    pub(crate) fn left_out(&self) -> Vec<Skip> {
        self.ignored
            .iter()
            .map(|(name, reason)| Skip::new(format!("test {name}"), reason))
            .collect()
    }
}

fn fmt(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    check_command(context.cargo().args(["fmt", "--all", "--check"]), tally)
}

fn tidy(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    tally.check(tidy::run_all(context.ws)? == Outcome::Passed);
    Ok(())
}

fn clippy(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    let args = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--quiet",
        "--",
        "--deny",
        "warnings",
    ];
    check_command(context.cargo().args(args), tally)
}

/// Unit tests beside integration tests: of some programs only the longest test is left after a while, or none of the
/// tests computes. All are built before, so that neither half waits for the other's compilers.
fn rust(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    let tests = |args: &[&str]| {
        let mut command = context.cargo();
        command.args(["test", "--workspace", "--locked", "--no-fail-fast"]).args(args);
        command
    };
    if !process::run_shown(&mut tests(&["--no-run"]))?.success {
        tally.fail(1);
        return Ok(());
    }
    let run = |parts: &[&[&str]]| -> anyhow::Result<Vec<Finished>> {
        parts.iter().map(|it| process::run_shown(&mut tests(it))).collect()
    };
    let (units, integration) = std::thread::scope(|scope| {
        let integration = scope.spawn(|| run(&[&["--test", "*"]]));
        let units = run(&[&["--lib", "--bins"], &["--doc"]]);
        (units, integration.join().unwrap_or_else(|it| std::panic::resume_unwind(it)))
    });
    for it in units?.iter().chain(&integration?) {
        context.count(it, tally);
    }
    Ok(())
}

fn rules(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    prove_rules::check(context.ws, tally)
}

fn python(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    python::run(context.ws, context.cargo(), tally)
}

/// The package is tried by the command that makes it; the program in it is that of the tests.
fn dist(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    let out = context.ws.target().join("package").join("tested");
    let mut command = context.cargo();
    command.args(["xtask", "dist", "--profile", "test", "--out"]).arg(out);
    check_command(&mut command, tally)
}

fn vscode(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    match vscode::command(context.ws, context.cargo())? {
        Ok(mut command) => context.run_tests(&mut command, tally)?,
        Err(skip) => tally.skip(skip),
    }
    Ok(())
}

fn web(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    match web::command(context.ws, context.cargo())? {
        Ok(Some(mut command)) => context.run_tests(&mut command, tally)?,
        Ok(None) => {}
        Err(skip) => tally.skip(skip),
    }
    Ok(())
}

fn remote(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    let remote::Ready { mut command, skips, servers } = remote::ready(context.ws, context.cargo());
    skips.into_iter().for_each(|it| tally.skip(it));
    context.run_tests(&mut command, tally)?;
    drop(servers);
    Ok(())
}

fn conformance(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    conformance::check_samples(context.ws, tally)
}

fn check_command(command: &mut Command, tally: &mut Tally) -> anyhow::Result<()> {
    tally.check(process::run_shown(command)?.success);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A finished run that printed `output`. Nothing is run: its lines would count in the run around this test.
    fn printed(output: &str) -> Finished {
        Finished { success: true, status: "exit status: 0".to_owned(), output: output.to_owned() }
    }

    #[test]
    fn test_left_out_by_one_stage_and_run_by_another_is_not_skipped() {
        let ws = Workspace::find().unwrap();
        let mut context = Context::new(&ws, 1);
        let mut tally = Tally::default();
        context.count(&printed("test a ... ignored, slow\ntest b ... ignored, slow\n"), &mut tally);
        context.count(&printed("test a ... ok\ntest result: ok. 1 passed; 0 failed"), &mut tally);
        let left: Vec<_> = context.left_out().iter().map(Skip::to_string).collect();
        assert_eq!(left, ["skipped: test b (slow)"]);
        assert_eq!(tally.summary(), "tests: 1 passed, 0 failed, 0 skipped");
    }

    #[test]
    fn program_that_dies_without_a_result_is_a_failure() {
        let ws = Workspace::find().unwrap();
        let mut tally = Tally::default();
        let died = Finished { success: false, ..printed("") };
        Context::new(&ws, 1).count(&died, &mut tally);
        assert_eq!(tally.failed(), 1);
    }
}
