//! TileLang's own output for a kernel: its IR after each pass, and the device code.
//!
//! In: the Python that has TileLang (`tilelang.python` of the settings), a file, the kernel or the call of its factory.
//! Out: the texts, or why there are none. A process of that Python imports the file and lowers the kernel
//! (`tilelang/passes.py`), which executes the file: only a command that asks for it comes here, never the opening of a
//! file. The process has a limit of time, ends with this value, and leaves nothing behind.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::{Value, json};

/// The helper, which the interpreter is given as its program.
const HELPER: &str = include_str!("tilelang/passes.py");
/// The architecture that kernels are lowered for, where `targets.cuda.arch` says none.
pub(crate) const ARCH: &str = "sm_90a";
/// Bytes of a line that the helper writes: the text of a module.
const MOST_LINE: u64 = 16 << 20;
/// Lines that are read.
const MOST_LINES: usize = 1000;
/// How often it is looked whether somebody still waits.
const LOOK: Duration = Duration::from_millis(50);

/// A kernel to be lowered, and by whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lowering {
    /// The interpreter.
    pub(crate) python: PathBuf,
    /// The file.
    pub(crate) path: PathBuf,
    /// The call of its factory; none for a kernel at the top of the file.
    pub(crate) call: Option<String>,
    /// The name of the kernel.
    pub(crate) function: String,
    /// The architecture of NVIDIA's device, as `sm_90`.
    pub(crate) arch: String,
    /// The time that the process may take.
    pub(crate) limit: Duration,
}

/// A kernel on its way through TileLang.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Lowered {
    /// Its name there.
    pub(crate) function: String,
    /// Its IR before the first pass.
    pub(crate) before: Text,
    /// The passes that changed it, each with the module after it.
    pub(crate) passes: Vec<(String, Text)>,
    /// The device code.
    pub(crate) code: String,
}

/// A module as TileLang prints it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Text {
    /// The text.
    pub(crate) text: String,
    /// Lines of the text, and the lines of the file that they come from by the spans of TileLang, both from 0.
    pub(crate) lines: Vec<(u32, u32)>,
}

/// A line of the helper.
#[derive(Deserialize)]
struct Line {
    function: Option<String>,
    before: Option<String>,
    pass: Option<String>,
    text: Option<String>,
    #[serde(default)]
    lines: Vec<(u32, u32)>,
    code: Option<String>,
    error: Option<String>,
}

/// The process, which ends when this goes.
struct Helper(Child);

impl Drop for Helper {
    fn drop(&mut self) {
        // One that has ended by itself is waited for alone.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Lowering {
    /// Lowers the kernel, until nobody waits for it any more: the process is killed then.
    ///
    /// # Errors
    /// The interpreter does not start, TileLang refuses the kernel, the time is over, or nobody waits.
    pub(crate) fn run(&self, is_given_up: &dyn Fn() -> bool) -> anyhow::Result<Lowered> {
        let mut command = Command::new(&self.python);
        command.args(["-c", HELPER]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| {
            anyhow::anyhow!(
                "cannot run `{}`: {error}; `tilelang.python` of the settings names it",
                self.python.display()
            )
        })?;
        let mut helper = Helper(child);
        if let Some(mut stdin) = helper.0.stdin.take() {
            // A program that does not read says why by its end.
            let _ = stdin.write_all(format!("{}\n", self.request()).as_bytes());
        }
        let said = helper.0.stderr.take().map(|it| thread::spawn(move || last_line(it)));
        let (sender, lines) = channel();
        if let Some(stdout) = helper.0.stdout.take() {
            thread::spawn(move || {
                let mut out = BufReader::new(stdout);
                let mut line = String::new();
                while matches!(out.by_ref().take(MOST_LINE).read_line(&mut line), Ok(n) if n > 0) {
                    if sender.send(std::mem::take(&mut line)).is_err() {
                        return;
                    }
                }
            });
        }
        let until = Instant::now() + self.limit;
        let mut found = Lowered::default();
        let mut n_lines = 0;
        while n_lines < MOST_LINES {
            anyhow::ensure!(!is_given_up(), "TileLang was stopped");
            let left = until.saturating_duration_since(Instant::now());
            match lines.recv_timeout(left.min(LOOK)) {
                Ok(line) => {
                    n_lines += 1;
                    if found.take(&line)? {
                        return Ok(found);
                    }
                }
                Err(RecvTimeoutError::Timeout) if left > LOOK => {}
                Err(RecvTimeoutError::Timeout) => {
                    anyhow::bail!("TileLang took longer than {} s", self.limit.as_secs())
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        drop(helper);
        let said = said.and_then(|it| it.join().ok()).unwrap_or_default();
        anyhow::bail!("`{}` gave no kernel: {said}", self.python.display())
    }

    fn request(&self) -> Value {
        json!({
            "path": self.path, "call": self.call, "function": self.function,
            "target": { "kind": "cuda", "arch": self.arch },
        })
    }
}

impl Lowered {
    /// Takes a line of the helper. Whether it is the last.
    fn take(&mut self, line: &str) -> anyhow::Result<bool> {
        // What else is printed on the way is no answer.
        let Ok(line) = serde_json::from_str::<Line>(line) else { return Ok(false) };
        if let Some(error) = line.error {
            anyhow::bail!("TileLang refuses the kernel: {error}");
        }
        let lines = line.lines;
        if let (Some(function), Some(text)) = (line.function, line.before) {
            (self.function, self.before) = (function, Text { text, lines });
        } else if let (Some(pass), Some(text)) = (line.pass, line.text) {
            self.passes.push((pass, Text { text, lines }));
        }
        let is_last = line.code.is_some();
        self.code = line.code.unwrap_or_default();
        Ok(is_last)
    }
}

/// The last line of what a process says of its mistakes.
fn last_line(stream: impl std::io::Read) -> String {
    let mut last = String::new();
    for line in BufReader::new(stream.take(MOST_LINE)).lines().map_while(Result::ok) {
        if !line.trim().is_empty() {
            last = line;
        }
    }
    last
}

/// The interpreter that a setting names: a path is one beside the settings, a bare name is searched as commands are.
pub(crate) fn interpreter(folder: &Path, named: &Path) -> PathBuf {
    match named.components().count() {
        0 | 1 => named.to_owned(),
        _ => folder.join(named),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use expect_test::expect;

    use super::*;

    /// Returns the answer of an interpreter that is this script.
    fn lowered(script: &str, limit: Duration) -> String {
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join("python");
        std::fs::write(&python, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
        let lowering = Lowering {
            python,
            path: "a.py".into(),
            call: Some("make(n=1)".to_owned()),
            function: "f".to_owned(),
            arch: "sm_90".to_owned(),
            limit,
        };
        match lowering.run(&|| false) {
            Ok(it) => format!("{it:?}"),
            Err(error) => {
                format!("{error:#}").replace(&folder.path().display().to_string(), "FOLDER")
            }
        }
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn lines_of_the_helper_are_passes_and_code() {
        let script = r#"read line
echo 'text of the file'
echo '{"function": "f", "before": "a"}'
echo '{"pass": "tl.Simplify", "text": "b", "lines": [[0, 7]]}'
echo '{"code": "c"}'
sleep 100"#;
        expect![[
            r#"Lowered { function: "f", before: Text { text: "a", lines: [] }, passes: [("tl.Simplify", Text { text: "b", lines: [(0, 7)] })], code: "c" }"#
        ]]
        .assert_eq(&lowered(script, LONG));
    }

    #[test]
    fn what_goes_wrong_is_told() {
        let refused = r#"echo '{"error": "ValueError: no"}'"#;
        expect!["TileLang refuses the kernel: ValueError: no"].assert_eq(&lowered(refused, LONG));
        expect!["`FOLDER/python` gave no kernel: ModuleNotFoundError: No module named 'tilelang'"]
            .assert_eq(&lowered(
                "echo \"ModuleNotFoundError: No module named 'tilelang'\" >&2",
                LONG,
            ));
        expect!["TileLang took longer than 0 s"]
            .assert_eq(&lowered("exec sleep 100", Duration::from_millis(200)));
    }
}
