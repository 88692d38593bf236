//! A solver process: z3, which the user has installed.
//!
//! In: scripts in SMT-LIB 2. Out: whether their assertions can hold together. One process answers all questions, each
//! from an empty solver. The limit is in the solver's own steps, so that an answer does not depend on the load of the
//! machine; a process that takes far too long for them is ended and replaced.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::Context as _;
use validate::{Answer, Solver};

/// Steps of z3 in a second of an idle machine, about.
const STEPS: u64 = 2_000_000;
/// The factor by which a process may exceed its limit before it is ended: the machine may be busy.
const PATIENCE: u32 = 10;
/// The line that ends an answer.
const END: &str = "end-of-answer";

/// z3, started when it is first asked.
#[derive(Debug)]
pub(crate) struct Z3 {
    program: PathBuf,
    limit: Duration,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Z3 {
    /// The solver of this program, with a limit for each question.
    ///
    /// # Errors
    /// It cannot be started, or is another program.
    pub(crate) fn new(program: &Path, limit: Duration) -> anyhow::Result<Z3> {
        let shown = program.display();
        let out = Command::new(program).arg("--version").stdin(Stdio::null()).output();
        let way_out = "install z3 (`apt install z3`, `brew install z3`, `pip install z3-solver`), \
                       name the program with --solver, or run the functions only with --solver none";
        let out = out.with_context(|| format!("cannot start the solver `{shown}`; {way_out}"))?;
        let version = String::from_utf8_lossy(&out.stdout);
        anyhow::ensure!(
            out.status.success() && version.contains("Z3"),
            "`{shown}` is not z3; {way_out}"
        );
        Ok(Z3 { program: program.to_owned(), limit, running: None })
    }

    /// The lines of the answer; none if it did not come in time.
    fn exchange(&mut self, text: &str) -> Result<Option<Vec<String>>, String> {
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(Running::start(&self.program).map_err(|it| format!("{it:#}"))?),
        };
        let sent = running.stdin.write_all(text.as_bytes()).and_then(|()| running.stdin.flush());
        if let Err(error) = sent {
            self.running = None;
            return Err(format!("the solver has ended: {error}"));
        }
        let mut lines = Vec::new();
        loop {
            match running.lines.recv_timeout(Duration::from_secs(5) + self.limit * PATIENCE) {
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

impl Solver for Z3 {
    fn check(&mut self, script: &str, wanted: &[String]) -> Result<Answer, String> {
        let steps = self.limit.as_secs().max(1) * STEPS;
        let question = format!(
            "(reset)\n(set-option :rlimit {steps})\n{script}(check-sat)\n(echo \"{END}\")\n"
        );
        let Some(lines) = self.exchange(&question)? else { return Ok(Answer::Unknown) };
        match lines.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["unsat"] => Ok(Answer::Unsatisfiable),
            ["unknown" | "timeout"] => Ok(Answer::Unknown),
            ["sat"] => {
                let mut values = Vec::with_capacity(wanted.len());
                for name in wanted {
                    let question = format!("(get-value ({name}))\n(echo \"{END}\")\n");
                    let lines = self.exchange(&question)?.unwrap_or_default();
                    values.push(number(&lines.join(" "), name));
                }
                Ok(Answer::Satisfiable(values))
            }
            _ => Err(format!("the solver does not read its question: {}", lines.join(" / "))),
        }
    }
}

/// The value in `((name #x0f))`.
fn number(answer: &str, name: &str) -> Option<i128> {
    let value = answer.trim().strip_prefix("((")?.strip_suffix("))")?;
    let value = value.trim().strip_prefix(name)?.trim();
    match value.split_at_checked(2)? {
        ("#x", digits) => i128::from_str_radix(digits, 16).ok(),
        ("#b", digits) => i128::from_str_radix(digits, 2).ok(),
        _ => None,
    }
}

impl Running {
    fn start(program: &Path) -> anyhow::Result<Running> {
        let mut child = Command::new(program)
            .args(["-in", "-smt2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start `{}`", program.display()))?;
        let stdin = child.stdin.take().context("the solver has no input")?;
        let stdout = child.stdout.take().context("the solver has no output")?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_solver_writes_them() {
        assert_eq!(number("((v1 #x0f))", "v1"), Some(15));
        assert_eq!(number("((v1 #b101))", "v1"), Some(5));
        assert_eq!(number("((v1 (- 7)))", "v1"), None);
    }

    #[test]
    fn a_program_that_is_no_solver_is_refused_with_a_way_out() {
        let error = Z3::new(Path::new("no-such-solver"), Duration::from_secs(1)).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("--solver none") && text.contains("no-such-solver"), "{text}");
    }
}
