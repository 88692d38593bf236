//! The verbs of the package `checks`, which links the product: it is compiled when one of them is asked for.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::Context as _;

use crate::workspace::Workspace;

/// The names of all verbs of `checks`.
pub const CHECKS: [&str; 8] = [
    "test",
    "prove-rules",
    "proof",
    "coverage-fuzz",
    "mutants",
    "bench",
    "farm-model",
    "conformance",
];

/// A verb of `checks` and its arguments, which are not looked at here.
#[derive(clap::Subcommand)]
pub(crate) enum Verb {
    /// Run every check: format, lints, tidy, tests, real editors, comparisons with the peers.
    #[command(disable_help_flag = true)]
    Test(Arguments),
    /// Prove every rewrite rule of the simplifier.
    #[command(disable_help_flag = true)]
    ProveRules(Arguments),
    /// Make the page of what campaigns have checked.
    #[command(disable_help_flag = true)]
    Proof(Arguments),
    /// Run targets with inputs that are led by what they execute.
    #[command(disable_help_flag = true)]
    CoverageFuzz(Arguments),
    /// Change the code in small ways, and see that tests notice.
    #[command(disable_help_flag = true)]
    Mutants(Arguments),
    /// Measure speed beside the peer, in the same run.
    #[command(disable_help_flag = true)]
    Bench(Arguments),
    /// Predict builds on a farm by a model.
    #[command(disable_help_flag = true)]
    FarmModel(Arguments),
    /// Compare with the peers: TVM, MLIR, Paddle, the vendors' compilers.
    #[command(disable_help_flag = true)]
    Conformance(Arguments),
}

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The arguments of the verb; `--help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Verb {
    pub(crate) fn name_and_arguments(&self) -> (&'static str, &[OsString]) {
        let [test, prove_rules, proof, coverage_fuzz, mutants, bench, farm_model, conformance] =
            CHECKS;
        let (name, arguments) = match self {
            Verb::Test(it) => (test, it),
            Verb::ProveRules(it) => (prove_rules, it),
            Verb::Proof(it) => (proof, it),
            Verb::CoverageFuzz(it) => (coverage_fuzz, it),
            Verb::Mutants(it) => (mutants, it),
            Verb::Bench(it) => (bench, it),
            Verb::FarmModel(it) => (farm_model, it),
            Verb::Conformance(it) => (conformance, it),
        };
        (name, &arguments.arguments)
    }
}

/// Compiles `checks` if needed and runs a verb of it in the current folder, with the streams of this process. Gives its
/// exit code.
pub(crate) fn start(verb: &Verb) -> anyhow::Result<ExitCode> {
    let (name, arguments) = verb.name_and_arguments();
    let mut command = match is_whole_test(verb) {
        true => built_as_tests_are()?,
        false => {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut command = Command::new(cargo);
            command.args(["run", "--quiet", "--package", "checks", "--"]);
            command
        }
    };
    let status = command.arg(name).args(arguments).status().context("cannot start the checks")?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2).into())
}

/// Returns true for the verb that runs all tests.
fn is_whole_test(verb: &Verb) -> bool {
    let is_plain = |it: &OsString| it == "--ci" || it.to_string_lossy().starts_with("--jobs=");
    matches!(verb, Verb::Test(it) if it.arguments.iter().all(is_plain))
}

/// `checks`, linked with the libraries that the tests are linked with: nothing is compiled twice, and the analyzer in
/// the comparisons with peers, which it makes itself, is optimised.
fn built_as_tests_are() -> anyhow::Result<Command> {
    let workspace = Workspace::find()?;
    // Only with a test among them are the features of packages those of tests.
    let selected = ["--workspace", "--bins", "--test", "emacs"];
    let mut build = workspace.cargo();
    build.args(["build", "--quiet", "--profile", "test"]).args(selected);
    let status = build.status().context("cannot start cargo")?;
    anyhow::ensure!(status.success(), "the checks cannot be compiled: {status}");
    let name = format!("checks{}", std::env::consts::EXE_SUFFIX);
    Ok(Command::new(workspace.target().join("debug").join(name)))
}
