//! A peer at work: Python processes that answer requests, one JSON object a line.
//!
//! Input: the worker's source (embedded in this program), the interpreter of its environment, requests. Output: an
//! answer per request, in the order of the requests, whatever process gave it. A process that dies or hangs is
//! killed and replaced, and only the request it was working on is lost: it is answered with an error of its own.
//!
//! Answers are kept on disk under a hash of the worker, the environment's packages and the request, so that a
//! second run over the same files asks the peer nothing. Cost: one process start a worker, then the peer's own.

use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use rayon::prelude::*;
use serde_json::Value;

use crate::skip::Skip;
use crate::system;
use crate::venv::Venv;
use crate::workspace::{Workspace, complain};

/// The answer of a peer, or the reason why there is none.
pub(crate) type Answer = Result<Value, String>;

/// The time that one request may take before its process is replaced.
const TIME_LIMIT: Duration = Duration::from_secs(900);
/// Processes of one peer that work side by side, unless it is asked for less.
const PROCESSES: usize = 2;

/// The packages of TVM's environment.
pub(crate) const TVM_PACKAGES: &[&str] =
    &["apache-tvm==0.27.0.post1", "numpy==2.4.6", "ml_dtypes==0.6.0"];
/// The packages of TileLang's environment: 5.7 GB, with the frameworks that it needs.
const TILELANG_PACKAGES: &[&str] = &["tilelang==0.1.15", "pytest==9.2.0"];
/// The packages of an environment with arrays alone.
const NUMPY_PACKAGES: &[&str] = &["numpy==2.4.6", "ml_dtypes==0.6.0"];
/// The packages of Paddle's environment.
const PADDLE_PACKAGES: &[&str] = &["paddlepaddle==3.3.1", "numpy==2.4.6"];
/// The packages through which Vulkan is called.
const VULKAN_PACKAGES: &[&str] = &["vulkan==1.3.275.1"];
/// The packages of NVIDIA's run-time compiler, its headers included.
const CUDA_PACKAGES: &[&str] = &[
    "nvidia-cuda-nvrtc==13.5.37",
    "nvidia-cuda-runtime==13.5.37",
    "nvidia-cuda-cccl==13.3.5.0.6",
    "nvidia-cuda-crt==13.5.37",
];

/// Through which a GPU is called.
const CUDA_BINDINGS: &str = "cuda-bindings==13.5.0";

/// The modules that several workers import.
const SHARED: [(&str, &str); 3] = [
    ("literals.py", include_str!("literals.py")),
    ("worker_loop.py", include_str!("worker_loop.py")),
    ("run_tests.py", include_str!("run_tests.py")),
];

/// A program that our output is compared with.
#[derive(Debug)]
pub(crate) struct Peer {
    name: &'static str,
    python: PathBuf,
    script: PathBuf,
    cache: PathBuf,
    /// The inputs of an answer besides the request.
    key: String,
    /// The number of its processes that work side by side.
    processes: usize,
    /// Its version, for the head of a report.
    pub(crate) version: String,
}

/// The storage of answers for the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Answers depend on the request alone.
    OnDisk,
    /// The answer names files, or is quickly had.
    Nothing,
}

impl Peer {
    /// TVM from its published wheel.
    pub(crate) fn tvm(ws: &Workspace) -> Result<Peer, Skip> {
        let venv = Venv::with_packages(ws, "tvm", TVM_PACKAGES)?;
        let script = include_str!("tvm_worker.py");
        Peer::start(ws, "tvm", venv.python(), script, &TVM_PACKAGES.join(" "), &Value::Null)
    }

    /// TVM, asked for its CUDA C++ of functions and how it is launched; no GPU is needed.
    pub(crate) fn tvm_cuda(ws: &Workspace) -> Result<Peer, Skip> {
        // Its worker uses parts of the other one, which has to be there.
        let tvm = Peer::tvm(ws)?;
        let script = include_str!("tvm_cuda_worker.py");
        Peer::start(ws, "tvm-cuda", tvm.python, script, &tvm.key, &Value::Null)
    }

    /// TVM's simplifier, asked about functions.
    pub(crate) fn tvm_simplifier(ws: &Workspace) -> Result<Peer, Skip> {
        // Its worker is a part of the other one, which has to be there.
        let tvm = Peer::tvm(ws)?;
        let script = include_str!("simplify_worker.py");
        let key = format!("{} {}", TVM_PACKAGES.join(" "), tvm.key);
        Peer::start(ws, "tvm-simplify", tvm.python, script, &key, &Value::Null)
    }

    /// TVM, asked to run files of tests, by so many processes.
    pub(crate) fn tvm_tests(ws: &Workspace, processes: usize) -> Result<Peer, Skip> {
        // Its worker uses parts of the other one, which has to be there.
        let tvm = Peer::tvm(ws)?;
        let script = include_str!("reread_worker.py");
        let peer =
            Peer::start(ws, "tvm-reread", tvm.python, script, &runner_key(&tvm.key), &Value::Null)?;
        Ok(Peer { processes: processes.max(1), ..peer })
    }

    /// TVM, asked for the functions that files of tests make, by so many processes.
    pub(crate) fn tvm_staged(ws: &Workspace, processes: usize) -> Result<Peer, Skip> {
        let tvm = Peer::tvm(ws)?;
        let script = include_str!("staged_worker.py");
        let peer =
            Peer::start(ws, "tvm-staged", tvm.python, script, &runner_key(&tvm.key), &Value::Null)?;
        Ok(Peer { processes: processes.max(1), ..peer })
    }

    /// TVM, asked for what tests of its passes give to them and expect, by so many processes.
    pub(crate) fn tvm_pairs(ws: &Workspace, processes: usize) -> Result<Peer, Skip> {
        let tvm = Peer::tvm(ws)?;
        let script = include_str!("pairs_worker.py");
        let peer =
            Peer::start(ws, "tvm-pairs", tvm.python, script, &runner_key(&tvm.key), &Value::Null)?;
        Ok(Peer { processes: processes.max(1), ..peer })
    }

    /// TileLang, asked for the kernels that files make, by so many processes. `TIR_TILELANG_PYTHON` names an
    /// interpreter that has it already.
    pub(crate) fn tilelang(ws: &Workspace, processes: usize) -> Result<Peer, Skip> {
        let python = match std::env::var_os("TIR_TILELANG_PYTHON") {
            Some(python) => python.into(),
            None => Venv::with_packages(ws, "tilelang", TILELANG_PACKAGES)?.python(),
        };
        let script = include_str!("tilelang_worker.py");
        let literals = blake3::hash(include_str!("literals.py").as_bytes());
        let key = format!("{} {literals}", TILELANG_PACKAGES.join(" "));
        let peer = Peer::start(ws, "tilelang", python, script, &key, &Value::Null)?;
        Ok(Peer { processes: processes.max(1), ..peer })
    }

    /// NumPy, which runs kernels of TileLang's examples through our program and compares what they compute. TileLang is
    /// not needed; `TIR_TILELANG_PYTHON` may name its interpreter all the same, which has NumPy.
    pub(crate) fn tilelang_runs(ws: &Workspace) -> Result<Peer, Skip> {
        let python = match std::env::var_os("TIR_TILELANG_PYTHON") {
            Some(python) => python.into(),
            None => Venv::with_packages(ws, "numpy", NUMPY_PACKAGES)?.python(),
        };
        let script = include_str!("tilelang_runs.py");
        let key = NUMPY_PACKAGES.join(" ");
        Peer::start(ws, "tilelang-runs", python, script, &key, &Value::Null)
    }

    /// Paddle from its published wheel.
    pub(crate) fn paddle(ws: &Workspace) -> Result<Peer, Skip> {
        let venv = Venv::with_packages(ws, "paddle", PADDLE_PACKAGES)?;
        let script = include_str!("paddle_worker.py");
        Peer::start(ws, "paddle", venv.python(), script, &PADDLE_PACKAGES.join(" "), &Value::Null)
    }

    /// NVIDIA's run-time compiler from its published wheels. No GPU is needed.
    pub(crate) fn nvrtc(ws: &Workspace) -> Result<(Peer, PathBuf), Skip> {
        let venv = Venv::with_packages(ws, "cuda", CUDA_PACKAGES)?;
        let root = venv.site_packages().map_err(|error| Skip::new("cuda", format!("{error:#}")))?;
        let script = include_str!("nvrtc_worker.py");
        let hello = serde_json::json!({ "root": root });
        let key = CUDA_PACKAGES.join(" ");
        Ok((Peer::start(ws, "nvrtc", venv.python(), script, &key, &hello)?, root))
    }

    /// The OpenCL that the system has, with any device; PoCL, which makes one of the processor, where it has none.
    pub(crate) fn opencl(ws: &Workspace) -> Result<Peer, Skip> {
        let venv = Venv::with_packages(ws, "opencl", &[])?;
        let script = include_str!("opencl_worker.py");
        system::find_or_install("opencl", system::OPENCL, || {
            Peer::start(ws, "opencl", venv.python(), script, "", &Value::Null)
                .map_err(|it| it.reason)
        })
    }

    /// The first GPU of NVIDIA, with its driver; NVRTC and the driver's bindings come from published wheels.
    pub(crate) fn gpu(ws: &Workspace) -> Result<Peer, Skip> {
        let packages: Vec<&str> = CUDA_PACKAGES.iter().copied().chain([CUDA_BINDINGS]).collect();
        let venv = Venv::with_packages(ws, "gpu", &packages)?;
        let script = include_str!("cuda_worker.py");
        Peer::start(ws, "gpu", venv.python(), script, &packages.join(" "), &Value::Null)
    }

    /// The Vulkan that the system has; lavapipe, which makes a device of the processor, where it has none.
    pub(crate) fn vulkan(ws: &Workspace) -> Result<Peer, Skip> {
        let venv = Venv::with_packages(ws, "vulkan", VULKAN_PACKAGES)?;
        let script = include_str!("vulkan_worker.py");
        let key = VULKAN_PACKAGES.join(" ");
        system::find_or_install("vulkan", system::VULKAN, || {
            Peer::start(ws, "vulkan", venv.python(), script, &key, &Value::Null)
                .map_err(|it| it.reason)
        })
    }

    /// A process that calls functions of shared objects.
    pub(crate) fn calls(ws: &Workspace) -> Result<Peer, Skip> {
        let venv = Venv::with_packages(ws, "c", &[])?;
        Peer::start(ws, "c", venv.python(), include_str!("c_worker.py"), "", &Value::Null)
    }

    /// Writes the worker where the interpreter finds it and asks for the peer's version: it works, or is skipped.
    fn start(
        ws: &Workspace,
        name: &'static str,
        python: PathBuf,
        script: &str,
        packages: &str,
        hello: &Value,
    ) -> Result<Peer, Skip> {
        let skip = |error: String| Skip::new(name, error);
        let dir = ws.peers().join("workers");
        let path = dir.join(format!("{name}_worker.py"));
        std::fs::create_dir_all(&dir).map_err(|error| skip(error.to_string()))?;
        std::fs::write(&path, script).map_err(|error| skip(error.to_string()))?;
        for (name, text) in SHARED {
            std::fs::write(dir.join(name), text).map_err(|it| skip(it.to_string()))?;
        }
        let mut peer = Peer {
            name,
            python,
            script: path,
            cache: ws.peers().join("cache").join(name),
            key: format!("{}\n{packages}\n", blake3::hash(script.as_bytes())),
            processes: PROCESSES,
            version: String::new(),
        };
        let mut request = hello.clone();
        if request.is_null() {
            request = serde_json::json!({});
        }
        request["op"] = "version".into();
        let answer = peer.ask(&request, Keep::Nothing).map_err(skip)?;
        peer.version = match (&answer["device"], &answer["version"]) {
            (Value::String(device), Value::String(version)) => format!("{version} on {device}"),
            (_, Value::String(version)) => version.clone(),
            _ => return Err(Skip::new(name, "it does not say its version")),
        };
        Ok(peer)
    }

    /// One question.
    pub(crate) fn ask(&self, request: &Value, keep: Keep) -> Answer {
        let mut answers = self.ask_all(std::slice::from_ref(request), keep);
        answers.pop().unwrap_or_else(|| Err("no answer".to_owned()))
    }

    /// Many questions, answered in the order of the requests by several processes.
    pub(crate) fn ask_all(&self, requests: &[Value], keep: Keep) -> Vec<Answer> {
        let n_threads = self.processes.min(requests.len());
        let pool = match rayon::ThreadPoolBuilder::new().num_threads(n_threads).build() {
            Ok(pool) => pool,
            Err(error) => return vec![Err(error.to_string()); requests.len()],
        };
        let n_begun = AtomicUsize::new(0);
        // Each thread has a process of its own.
        let processes: Vec<Mutex<Option<Process>>> =
            (0..n_threads).map(|_| Mutex::default()).collect();
        let answer = |request: &Value| {
            self.show_progress(n_begun.fetch_add(1, Ordering::Relaxed), requests.len());
            let process = &processes[rayon::current_thread_index().unwrap_or_default()];
            self.answer(&mut process.lock().unwrap_or_else(PoisonError::into_inner), request, keep)
        };
        pool.install(|| requests.par_iter().with_max_len(1).map(answer).collect())
    }

    fn show_progress(&self, index: usize, total: usize) {
        if total >= 20 && index.is_multiple_of(total / 10) && std::io::stderr().is_terminal() {
            complain(format_args!("{}: {index} of {total}", self.name));
        }
    }

    fn answer(&self, process: &mut Option<Process>, request: &Value, keep: Keep) -> Answer {
        let text = request.to_string();
        let place = self.place(&text);
        if keep == Keep::OnDisk
            && let Some(kept) = read_kept(&place)
        {
            return outcome(kept);
        }
        let answer = self.talk(process, &text);
        if keep == Keep::OnDisk
            && let Ok(answer) = &answer
            // One that the clock has cut short is another one on an idle machine.
            && answer["late"] != true
        {
            keep_answer(&place, answer);
        }
        answer.and_then(outcome)
    }

    fn talk(&self, process: &mut Option<Process>, request: &str) -> Answer {
        if process.is_none() {
            *process = Some(Process::start(self).map_err(|error| format!("{error:#}"))?);
        }
        let Some(running) = process.as_mut() else { return Err("not started".to_owned()) };
        match running.exchange(request) {
            Ok(line) => {
                serde_json::from_str(&line).map_err(|error| format!("unreadable answer: {error}"))
            }
            Err(lost) => {
                *process = None;
                Err(lost.to_owned())
            }
        }
    }

    /// Returns the place where the answer to a request is kept.
    fn place(&self, request: &str) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.key.as_bytes()).update(request.as_bytes());
        let name = hasher.finalize().to_hex();
        self.cache.join(&name[..2]).join(format!("{}.json", &name[2..32]))
    }
}

/// The inputs of the answers of workers that run files.
fn runner_key(tvm: &str) -> String {
    let runner = blake3::hash(include_str!("run_tests.py").as_bytes());
    let literals = blake3::hash(include_str!("literals.py").as_bytes());
    format!("{} {tvm} {runner} {literals}", TVM_PACKAGES.join(" "))
}

/// An answer with "error" at its top is the peer's refusal.
fn outcome(answer: Value) -> Answer {
    match answer.get("error").and_then(Value::as_str) {
        Some(error) => Err(error.to_owned()),
        None => Ok(answer),
    }
}

fn read_kept(place: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(place).ok()?).ok()
}

/// Keeping is a convenience: a full disk costs time, not the result.
fn keep_answer(place: &Path, answer: &Value) {
    let Some(dir) = place.parent() else { return };
    let _ = std::fs::create_dir_all(dir).and_then(|()| {
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(answer.to_string().as_bytes())?;
        file.persist(place)?;
        Ok(())
    });
}

/// One running worker.
struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    fn start(peer: &Peer) -> anyhow::Result<Process> {
        let mut child = Command::new(&peer.python)
            .arg(&peer.script)
            .env("TVM_NUM_THREADS", "1")
            .env("PYTHONHASHSEED", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start the worker of {}", peer.name))?;
        let stdin = child.stdin.take().context("the worker has no input")?;
        let stdout = child.stdout.take().context("the worker has no output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Process { child, stdin, lines })
    }

    fn exchange(&mut self, request: &str) -> Result<String, &'static str> {
        let sent =
            self.stdin.write_all(request.as_bytes()).and_then(|()| self.stdin.write_all(b"\n"));
        if sent.and_then(|()| self.stdin.flush()).is_err() {
            return Err("the peer crashed");
        }
        match self.lines.recv_timeout(TIME_LIMIT) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err("the peer did not answer in time"),
            Err(RecvTimeoutError::Disconnected) => Err("the peer crashed"),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A peer of a few lines of Python, where there is one.
    fn small_peer(dir: &Path) -> Option<Peer> {
        let script = dir.join("worker.py");
        std::fs::write(
            &script,
            "import sys, json, os\nfor line in sys.stdin:\n    r = json.loads(line)\n    \
             if r['n'] == 13: os._exit(3)\n    if r['n'] == 7: print(json.dumps({'error': 'seven'}), flush=True)\n    \
             else: print(json.dumps({'n': r['n'] * 2}), flush=True)\n",
        )
        .ok()?;
        crate::process::exists("python3", "--version").then(|| Peer {
            name: "small",
            python: "python3".into(),
            script,
            cache: dir.join("cache"),
            key: "1".to_owned(),
            processes: PROCESSES,
            version: "1".to_owned(),
        })
    }

    #[test]
    fn answers_come_in_order_and_a_crash_costs_one_request() {
        let dir = tempfile::tempdir().unwrap();
        let Some(peer) = small_peer(dir.path()) else { return };
        let requests: Vec<Value> = (0..20).map(|n| json!({ "n": n })).collect();
        for _ in 0..2 {
            let answers = peer.ask_all(&requests, Keep::OnDisk);
            for (n, answer) in answers.iter().enumerate() {
                match n {
                    7 => assert_eq!(answer, &Err("seven".to_owned())),
                    13 => assert_eq!(answer, &Err("the peer crashed".to_owned())),
                    _ => assert_eq!(answer, &Ok(json!({ "n": n * 2 }))),
                }
            }
        }
    }
}
