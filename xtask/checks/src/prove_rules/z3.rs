//! A z3 process that stays: SMT-LIB text in, verdicts out.
//!
//! Input: a script without `check-sat`. Output: [`Verdict`]. Each question starts from an empty solver, so that a
//! question's answer does not depend on the ones before it, and has its own limit, in steps; a process that takes far
//! too long for them is killed and replaced. Starting one costs some milliseconds, a question the solver's own time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::Context as _;

use crate::skip::Skip;
use crate::{process, system};

/// Steps of the solver in a millisecond of an idle machine, about. The limit is in steps, so that a verdict does not
/// depend on the load of the machine.
const STEPS: u128 = 2_000;
/// The factor by which a process may exceed its limit before it is killed: the machine may be busy.
const PATIENCE: u32 = 20;
/// The least time after which it is: there are questions in which no step is counted.
const LEAST: Duration = Duration::from_secs(5);
/// The line that ends an answer.
const END: &str = "end-of-answer";

/// The verdict of the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No values satisfy the assertions.
    Unsatisfiable,
    /// These values do, in the order they were asked for; none where the solver gives no number.
    Satisfiable(Vec<Option<i128>>),
    /// It does not know, or not in time.
    Unknown,
}

/// Finds z3, or installs it where that is allowed and possible. The result is its version.
pub(crate) fn find() -> Result<String, Skip> {
    let version = || process::run_quiet(Command::new("z3").arg("--version"));
    Ok(system::find_or_install("z3", &["z3"], version)?.trim().to_owned())
}

/// The process.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Solver {
    /// Asks whether the assertions of `script` can be satisfied, and for the values of `wanted` if so.
    ///
    /// # Errors
    /// The process cannot be started, or rejects the script as malformed.
    pub(crate) fn check(
        &mut self,
        script: &str,
        wanted: &[String],
        limit: Duration,
    ) -> anyhow::Result<Verdict> {
        let question = format!(
            "(reset)\n(set-option :rlimit {})\n{script}\n(check-sat)\n(echo \"{END}\")\n",
            limit.as_millis() * STEPS
        );
        let Some(answer) = self.exchange(&question, limit)? else { return Ok(Verdict::Unknown) };
        match answer.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["unsat"] => Ok(Verdict::Unsatisfiable),
            ["unknown" | "timeout"] => Ok(Verdict::Unknown),
            ["sat"] => Ok(Verdict::Satisfiable(self.values(wanted, limit)?)),
            _ => anyhow::bail!("z3 does not read the script: {}\n{script}", answer.join(" / ")),
        }
    }

    fn values(&mut self, wanted: &[String], limit: Duration) -> anyhow::Result<Vec<Option<i128>>> {
        let mut values = Vec::new();
        for name in wanted {
            let question = format!("(get-value ({name}))\n(echo \"{END}\")\n");
            let answer = self.exchange(&question, limit)?.unwrap_or_default().join(" ");
            let value = answer.trim().strip_prefix("((").and_then(|it| it.strip_suffix("))"));
            let value = value.and_then(|it| it.trim().strip_prefix(name.as_str()));
            values.push(value.and_then(|it| number(it.trim())));
        }
        Ok(values)
    }

    /// The lines of the answer; none if it did not come in time.
    fn exchange(&mut self, text: &str, limit: Duration) -> anyhow::Result<Option<Vec<String>>> {
        if self.running.is_none() {
            self.running = Some(Running::start()?);
        }
        let Some(running) = self.running.as_mut() else { anyhow::bail!("z3 was not started") };
        running.stdin.write_all(text.as_bytes()).and_then(|()| running.stdin.flush())?;
        let mut lines = Vec::new();
        loop {
            match running.lines.recv_timeout(LEAST.max(limit * PATIENCE)) {
                Ok(line) if line.trim_matches('"') == END => return Ok(Some(lines)),
                Ok(line) => lines.push(line),
                Err(_) => {
                    self.running = None;
                    return Ok(None);
                }
            }
        }
    }
}

impl Running {
    fn start() -> anyhow::Result<Running> {
        let mut child = Command::new("z3")
            .args(["-in", "-smt2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start z3")?;
        let stdin = child.stdin.take().context("z3 has no input")?;
        let stdout = child.stdout.take().context("z3 has no output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Running { child, stdin, lines })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A number as the solver writes it: `7`, `(- 7)`, `#x0f`, `#b01`, `true`.
fn number(text: &str) -> Option<i128> {
    match text {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("#x") {
        return i128::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = text.strip_prefix("#b") {
        return i128::from_str_radix(digits, 2).ok();
    }
    match text.strip_prefix("(-").and_then(|it| it.strip_suffix(')')) {
        Some(digits) => digits.trim().parse::<i128>().ok().map(|it| -it),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_solver_writes_them() {
        let read = |text| number(text);
        assert_eq!(
            ["7", "(- 7)", "#x0f", "#b101", "true", "(- (/ 1 2))"].map(read),
            [Some(7), Some(-7), Some(15), Some(5), Some(1), None]
        );
    }

    #[test]
    #[ignore = "needs z3"]
    fn one_process_answers_many_questions() {
        find().unwrap();
        let mut solver = Solver::default();
        let limit = Duration::from_secs(20);
        let mut ask = |script: &str, wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|it| (*it).to_owned()).collect();
            solver.check(script, &wanted, limit)
        };
        let x = "(declare-const x Int)";
        assert_eq!(
            ask(&format!("{x}(assert (= (+ x 4) 1))"), &["x"]).unwrap(),
            Verdict::Satisfiable(vec![Some(-3)])
        );
        assert_eq!(ask(&format!("{x}(assert (< x x))"), &["x"]).unwrap(), Verdict::Unsatisfiable);
        assert!(ask("(assert nonsense)", &[]).is_err());
        assert_eq!(ask("(assert true)", &[]).unwrap(), Verdict::Satisfiable(Vec::new()));
    }
}
