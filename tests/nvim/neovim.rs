//! A running Neovim that a test types into and asks.
//!
//! It runs without a screen, or inside a tmux of its own; either way it listens on a socket, and the tests send
//! keys and Lua expressions through `nvim --server`, so that its real main loop does the work.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::lsp::PATIENCE;

/// Columns and rows of the screen: the lines of printed kernels are long.
const SCREEN: (usize, usize) = (300, 60);

/// An editor with one file open.
pub(crate) struct Neovim {
    program: PathBuf,
    dir: tempfile::TempDir,
    host: Host,
}

enum Host {
    /// Without a screen.
    Headless(Child),
    /// In the only window of a tmux server with this name.
    Tmux(String),
}

/// A hint as the editor holds it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hint {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) label: String,
    pub(crate) text: String,
}

impl Neovim {
    /// Opens a file with this name and text, without a screen.
    pub(crate) fn headless(name: &str, text: &str) -> Neovim {
        Neovim::headless_with(name, text, "")
    }

    /// Opens a file with this name and text, without a screen, in a folder with these settings.
    pub(crate) fn headless_with(name: &str, text: &str, settings: &str) -> Neovim {
        Neovim::open(name, text, |program, dir, file| {
            if !settings.is_empty() {
                std::fs::write(dir.join("tir-analyzer.toml"), settings).expect("it is written");
            }
            let mut command = editor_command(program, dir, file);
            let child = command
                .arg("--headless")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            Host::Headless(child.spawn().expect("Neovim starts"))
        })
    }

    /// Opens a file with this name and text on a screen that can be read.
    pub(crate) fn on_screen(name: &str, text: &str) -> Neovim {
        Neovim::on_screen_of(SCREEN, name, text)
    }

    /// As [`Neovim::on_screen`], of so many columns and rows.
    pub(crate) fn on_screen_of((columns, rows): (usize, usize), name: &str, text: &str) -> Neovim {
        Neovim::open(name, text, |program, dir, file| {
            let server = format!("tir-analyzer-{}-{}", std::process::id(), name);
            let editor = editor_command(program, dir, file);
            let mut command = tmux(&server);
            command.args(["-f", "/dev/null", "new-session", "-d"]);
            command.args(["-x", &columns.to_string(), "-y", &rows.to_string()]);
            for (key, value) in editor.get_envs() {
                let (key, value) =
                    (key.to_string_lossy(), value.unwrap_or_default().to_string_lossy());
                command.args(["-e", &format!("{key}={value}")]);
            }
            let words = std::iter::once(editor.get_program()).chain(editor.get_args());
            let line: Vec<String> =
                words.map(|word| shell_quoted(&word.to_string_lossy())).collect();
            let status = command.arg(line.join(" ")).status().expect("tmux starts");
            assert!(status.success(), "tmux opens a session");
            Host::Tmux(server)
        })
    }

    fn open(name: &str, text: &str, start: impl FnOnce(&Path, &Path, &Path) -> Host) -> Neovim {
        let program: PathBuf =
            std::env::var_os("TIR_ANALYZER_NVIM").expect("TIR_ANALYZER_NVIM names a Neovim").into();
        let dir = tempfile::Builder::new()
            .prefix("nv")
            .tempdir()
            .expect("a temporary folder can be made");
        let file = dir.path().join(name);
        std::fs::write(&file, text).expect("the file can be written");
        let host = start(&program, dir.path(), &file);
        let editor = Neovim { program, dir, host };
        editor.wait_until("the editor listens", || editor.try_lua("1").is_some());
        editor
    }

    /// The folder with the file in it.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Types keys, in the notation of Vim (`<Esc>`).
    pub(crate) fn keys(&self, keys: &str) {
        let sent = self.remote(&["--remote-send", keys]);
        assert!(sent.is_some(), "the keys {keys:?} can be sent");
    }

    /// The value of a Lua expression.
    #[track_caller]
    pub(crate) fn lua(&self, expression: &str) -> Value {
        self.try_lua(expression).unwrap_or_else(|| panic!("no value of {expression}"))
    }

    fn try_lua(&self, expression: &str) -> Option<Value> {
        let call = format!("luaeval('vim.json.encode({})')", expression.replace('\'', "''"));
        serde_json::from_str(&self.remote(&["--remote-expr", &call])?).ok()
    }

    fn remote(&self, args: &[&str]) -> Option<String> {
        let output = Command::new(&self.program)
            .arg("--server")
            .arg(self.dir.path().join("socket"))
            .args(args)
            .stdin(Stdio::null())
            .output()
            .expect("Neovim starts");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Waits until something holds.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds() {
            assert!(Instant::now() < deadline, "never: {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a Lua expression is true.
    #[track_caller]
    pub(crate) fn wait_for(&self, what: &str, expression: &str) {
        self.wait_until(what, || self.try_lua(expression) == Some(Value::Bool(true)));
    }

    /// The hints, once they belong to the text as it is.
    #[track_caller]
    pub(crate) fn settled_hints(&self) -> Vec<Hint> {
        self.wait_for("hints belong to the text", "Probe.is_settled()");
        self.hints()
    }

    /// The hints as they are now.
    #[track_caller]
    pub(crate) fn hints(&self) -> Vec<Hint> {
        let hints = self.lua("Probe.hints()");
        let number = |value: &Value| value.as_u64().expect("a number");
        let string = |value: &Value| value.as_str().expect("a string").to_owned();
        let read = |hint: &Value| Hint {
            line: number(&hint["line"]),
            column: number(&hint["column"]),
            label: string(&hint["label"]),
            text: string(&hint["text"]),
        };
        // An empty Lua table is an empty object in JSON.
        hints.as_array().map(|hints| hints.iter().map(read).collect()).unwrap_or_default()
    }

    /// The lines of the buffer.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.lua("Probe.lines()");
        let lines = lines.as_array().expect("an array of lines");
        lines.iter().map(|line| line.as_str().expect("a line is a string").to_owned()).collect()
    }

    /// Returns the screen, row by row.
    pub(crate) fn screen(&self) -> String {
        self.captured(&["-p"])
    }

    /// Returns the screen, row by row, with escape sequences for its colours and all blanks.
    pub(crate) fn coloured_screen(&self) -> String {
        self.captured(&["-p", "-e", "-N"])
    }

    fn captured(&self, options: &[&str]) -> String {
        let Host::Tmux(server) = &self.host else { panic!("this editor has no screen") };
        let mut command = tmux(server);
        let output = command.arg("capture-pane").args(options).output().expect("tmux starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Neovim {
    fn drop(&mut self) {
        // The editor may be gone already: nothing to do then.
        match &mut self.host {
            Host::Headless(child) => {
                let _ = child.kill();
                let _ = child.wait();
            }
            Host::Tmux(server) => {
                let _ = tmux(server).arg("kill-server").stderr(Stdio::null()).status();
            }
        }
    }
}

/// Neovim with only our configuration; all it writes goes into the temporary folder.
fn editor_command(program: &Path, dir: &Path, file: &Path) -> Command {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace");
    let mut command = Command::new(program);
    command.arg("--clean").arg("-u").arg(root.join("tests/nvim/init.lua"));
    command.arg("--listen").arg(dir.join("socket"));
    // Not as an argument: without a terminal the first buffer would be the standard input.
    command.arg("-c").arg(format!("edit {}", file.display()));
    command
        .env("TIR_ANALYZER_TEST_ROOT", root)
        .env("TIR_ANALYZER_TEST_SERVER", tests::binary::path());
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env(name, dir.join(name));
    }
    command.env("LC_ALL", "C.UTF-8");
    command
}

fn tmux(server: &str) -> Command {
    let mut command = Command::new("tmux");
    command.args(["-u", "-L", server]);
    command.env("LC_ALL", "C.UTF-8").env("TERM", "xterm-256color");
    command
}

fn shell_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
