//! Pairs of functions: right rewrites are proved, planted mistakes are refuted.
//!
//! The solver is the machine's z3. Where there is none, the tests that need it say so and pass: `cargo xtask
//! prove-rules` is the stage that insists on it.

mod claims;
mod planted;
mod proved;

use std::io::Write as _;
use std::process::{Command, Stdio};

use ir::{Body, effects::EffectTable};

use crate::{Answer, Options, Proof, Solver, prove, run};

/// A process for each question.
pub(crate) struct Z3;

impl Solver for Z3 {
    fn check(&mut self, script: &str, wanted: &[String]) -> Result<Answer, String> {
        let mut text = format!("(set-option :rlimit 20000000)\n{script}(check-sat)\n");
        if !wanted.is_empty() {
            text.push_str(&format!("(get-value ({}))\n", wanted.join(" ")));
        }
        let mut child = Command::new("z3")
            .args(["-in", "-smt2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|it| it.to_string())?;
        let mut stdin = child.stdin.take().ok_or("no input")?;
        stdin.write_all(text.as_bytes()).map_err(|it| it.to_string())?;
        drop(stdin);
        let out = child.wait_with_output().map_err(|it| it.to_string())?;
        let out = String::from_utf8_lossy(&out.stdout).into_owned();
        match out.lines().next() {
            Some("unsat") => Ok(Answer::Unsatisfiable),
            Some("sat") => {
                let value = |name: &String| {
                    let rest = out.split(&format!("({name} #x")).nth(1)?;
                    i128::from_str_radix(rest.split(')').next()?, 16).ok()
                };
                Ok(Answer::Satisfiable(wanted.iter().map(value).collect()))
            }
            Some("unknown") => Ok(Answer::Unknown),
            _ => Err(format!("{out}\n{script}")),
        }
    }
}

/// A solver that never knows: what is proved with it is equal as terms.
pub(crate) struct Nobody;

impl Solver for Nobody {
    fn check(&mut self, _: &str, _: &[String]) -> Result<Answer, String> {
        Ok(Answer::Unknown)
    }
}

pub(crate) fn has_z3() -> bool {
    Command::new("z3").arg("--version").stdout(Stdio::null()).status().is_ok()
}

/// The only function of a text.
pub(crate) fn body(text: &str) -> Body {
    let text = format!("from tvm.script import tirx as T\n\n{text}");
    let parse = syntax::parse(&text);
    let file = frontend::tvmscript::functions(&parse);
    let item = file.functions.first().expect("a function");
    let lowered = frontend::tvmscript::lower(&item.source, &file.environment(item));
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    lowered.body
}

/// Proves, or says why not.
pub(crate) fn verdict(before: &Body, after: &Body, solver: &mut dyn Solver) -> String {
    let effects = EffectTable::builtin();
    match prove(before, after, effects, solver, &Options::default()) {
        Proof::Proved { .. } => "proved".to_owned(),
        Proof::Open { reason, witness, is_failure } => {
            assert!(!is_failure, "{reason}");
            let run = run(before, after, effects, &witness);
            match run.difference {
                Some(it) => format!("refuted: {}", it.what),
                None => format!("open: {reason}; the same on {} inputs", run.n_same),
            }
        }
    }
}
