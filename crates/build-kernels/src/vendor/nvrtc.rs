//! NVIDIA's run-time compiler, a library, run in processes of Python's.
//!
//! In: folders to look in, then sources in folders. Out: PTX and a cubin beside each source, and the messages. The
//! library has no program of its own, and loading one into this process takes unsafe code and ends this process where
//! it fails; a user of NVIDIA's wheels has Python, which loads it with its own means (`nvrtc.py`, `ctypes`). A process
//! compiles one source after the other, as starting it takes longer than a kernel: there are as many as threads compile
//! at once, and they end with their owner.

use std::{
    env, fs,
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

use codegen::build::hash_of;

use super::{Homes, first_error, version_word};

/// Between the parts of a line: no path has it.
pub(super) const SEPARATOR: &[u8] = b"\x1f";
/// The script that the processes run.
pub(super) const SCRIPT: &str = include_str!("nvrtc.py");

/// The library, and the Python that runs it.
#[derive(Clone, Debug)]
pub(super) struct Nvrtc {
    python: PathBuf,
    pub(super) library: PathBuf,
    /// Folders of NVIDIA's headers.
    pub(super) includes: Vec<PathBuf>,
    /// Processes with nothing to do.
    idle: Arc<Mutex<Vec<Worker>>>,
}

/// A process.
#[derive(Debug)]
struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Headers that code for narrow floats and tensor cores includes.
const DEVICE_HEADERS: [&str; 7] = [
    "cuda_bf16.h",
    "cuda_bf16.hpp",
    "cuda_fp16.h",
    "cuda_fp16.hpp",
    "cuda_fp8.h",
    "cuda_fp8.hpp",
    "mma.h",
];

impl Nvrtc {
    /// Returns the version of the headers: wheels may have another version than the library.
    pub(super) fn headers(&self) -> String {
        let all = self.includes.iter().flat_map(|folder| DEVICE_HEADERS.map(|it| folder.join(it)));
        let texts: Vec<Vec<u8>> =
            all.filter_map(|it| files::read(&it, files::ARTIFACT).ok()).collect();
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        hash_of(&texts)[..8].iter().map(|it| format!("{it:02x}")).collect()
    }

    /// Finds the library; `None` if it is nowhere.
    ///
    /// # Errors
    /// If it is there and cannot be run.
    pub(super) fn find(homes: &Homes) -> Option<Result<Nvrtc, String>> {
        let (home, library) = homes.all.iter().find_map(|home| {
            let folders = ["lib", "lib64", LIBRARIES, TARGET_LIBRARIES, ""];
            Some((home, folders.iter().find_map(|it| newest(&home.join(it)))?))
        })?;
        let found = |name: &str| {
            let file = format!("{name}{}", env::consts::EXE_SUFFIX);
            homes.programs.iter().map(|it| it.join(&file)).find(|it| it.is_file())
        };
        let Some(python) = found("python3").or_else(|| found("python")) else {
            return Some(Err(format!(
                "{} is there, and no Python to run it with: install one (nothing else is needed), or nvcc",
                library.display()
            )));
        };
        // Headers of its own version before others; wheels may have them apart.
        let mut includes = headers(home);
        if includes.is_empty() {
            includes = homes
                .all
                .iter()
                .map(|it| headers(it))
                .find(|it| !it.is_empty())
                .unwrap_or_default();
        }
        Some(Ok(Nvrtc { python, library, includes, idle: Arc::default() }))
    }

    /// The version of the library, read off its output for an empty source.
    ///
    /// # Errors
    /// If it cannot be run.
    pub(super) fn version(&self) -> Result<String, String> {
        let folder = tempfile::tempdir().map_err(|it| format!("no folder to compile in: {it}"))?;
        fs::write(folder.path().join("kernel.cu"), "").map_err(|it| it.to_string())?;
        self.compile_in(folder.path(), &[], "sm_80")?;
        let ptx = files::read_text(&folder.path().join("kernel.ptx"), files::ARTIFACT)
            .unwrap_or_default();
        version_word(&ptx)
            .ok_or_else(|| format!("{} does not tell its version", self.library.display()))
    }

    /// Compiles `kernel.cu` of a folder; returns the output.
    ///
    /// # Errors
    ///
    /// The message of the compiler, or that it cannot be run.
    pub(super) fn compile_in(
        &self,
        folder: &Path,
        flags: &[String],
        arch: &str,
    ) -> Result<String, String> {
        let include = |it: &PathBuf| [b"-I", it.as_os_str().as_encoded_bytes()].concat();
        let includes: Vec<Vec<u8>> = self.includes.iter().map(include).collect();
        let options = options(flags, arch, &includes);
        let line = line(folder.as_os_str().as_encoded_bytes(), &options);
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let failed = |it: io::Error| format!("{} cannot be run: {it}", self.library.display());
        let mut worker = match idle {
            Some(worker) => worker,
            None => self.start().map_err(failed)?,
        };
        let said = worker.ask(&line).map_err(failed)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        let log = files::read(&folder.join("kernel.log"), files::ARTIFACT).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        match said.as_str() {
            "ok" => Ok(log),
            error => Err(explained(first_error(&log).unwrap_or(error), arch)),
        }
    }

    fn start(&self) -> io::Result<Worker> {
        let mut command = Command::new(&self.python);
        // Neither the user's settings of Python nor packages: the script needs none.
        command.args(["-I", "-S", "-c", SCRIPT]).arg(&self.library);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn()?;
        let closed = || io::Error::other("a stream is closed");
        let input = child.stdin.take().ok_or_else(closed)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(closed)?);
        Ok(Worker { child, input, output })
    }
}

/// The options for a source.
pub(super) fn options(flags: &[String], arch: &str, includes: &[impl AsRef<[u8]>]) -> Vec<Vec<u8>> {
    let own = format!("--gpu-architecture={arch}");
    let flags = flags.iter().filter(|it| **it != own).map(|it| it.as_bytes());
    let rest = [own.as_bytes(), b"--ptxas-options=--verbose"];
    let includes = includes.iter().map(AsRef::as_ref);
    flags.chain(rest).chain(includes).map(<[u8]>::to_vec).collect()
}

/// The line that asks for a folder.
pub(super) fn line(folder: &[u8], options: &[Vec<u8>]) -> Vec<u8> {
    let mut line = folder.to_vec();
    for option in options {
        line.extend([SEPARATOR, option].concat());
    }
    line.push(b'\n');
    line
}

/// Returns the message of the compiler, with a way out where one is known.
fn explained(said: &str, arch: &str) -> String {
    let said = said.strip_prefix("nvrtc: ").unwrap_or(said);
    let help = if said.contains("open source file") {
        "; install CUDA's headers, as `nvidia-cuda-runtime` has them".to_owned()
    } else if said.contains("--gpu-architecture") {
        format!("; this version does not know {arch}: name another with `--target cuda:arch=…`")
    } else {
        String::new()
    };
    format!("nvrtc: {said}{help}")
}

impl Worker {
    fn ask(&mut self, line: &[u8]) -> io::Result<String> {
        let sent = self.input.write_all(line).and_then(|()| self.input.flush());
        let mut said = String::new();
        let n = sent.and_then(|()| self.output.read_line(&mut said));
        match n {
            Ok(n) if n > 0 => Ok(said.trim_end().to_owned()),
            ended => {
                // It is no more: what it said last is why.
                self.child.kill().ok();
                let mut last = String::new();
                if let Some(errors) = self.child.stderr.take() {
                    for line in BufReader::new(errors).lines().map_while(Result::ok) {
                        last = line;
                    }
                }
                let ended = ended.map_or_else(|it| it.to_string(), |_| "it ended".to_owned());
                Err(io::Error::other(if last.is_empty() { ended } else { last }))
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The place where Debian has libraries.
const LIBRARIES: &str =
    if cfg!(target_arch = "aarch64") { "lib/aarch64-linux-gnu" } else { "lib/x86_64-linux-gnu" };
/// The place where an installation of CUDA has them, if not in `lib64`.
const TARGET_LIBRARIES: &str = if cfg!(target_arch = "aarch64") {
    "targets/sbsa-linux/lib"
} else {
    "targets/x86_64-linux/lib"
};
/// Its headers.
const TARGET_HEADERS: &str = if cfg!(target_arch = "aarch64") {
    "targets/sbsa-linux/include"
} else {
    "targets/x86_64-linux/include"
};
/// By these a folder of headers is known.
const HEADERS: [&str; 2] = ["cuda_fp16.h", "cuda/std/version"];

/// The folders of NVIDIA's headers in a home.
fn headers(home: &Path) -> Vec<PathBuf> {
    let folders = ["include", "include/cccl", TARGET_HEADERS].map(|it| home.join(it));
    let is_known = |it: &PathBuf| HEADERS.iter().any(|header| it.join(header).is_file());
    folders.into_iter().filter(is_known).collect()
}

/// The library of the highest version in a folder: `libnvrtc.so.13` before `libnvrtc.so.12` before `libnvrtc.so`.
fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let version = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        let rest = name.strip_prefix("libnvrtc.so")?.split('.').skip(1);
        let numbers = rest.map(|it| it.parse::<u32>().ok()).collect::<Option<Vec<u32>>>()?;
        Some((numbers, path))
    };
    entries.filter_map(|it| version(it.path())).max().map(|it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_way_out_is_reported() {
        let said = "kernel.cu(1): catastrophic error: could not open source file \"cuda_fp16.h\"";
        let headers = explained(said, "sm_80");
        assert!(headers.ends_with("; install CUDA's headers, as `nvidia-cuda-runtime` has them"));
        let arch = "nvrtc: error: invalid value for --gpu-architecture (-arch)";
        assert_eq!(
            explained(arch, "sm_70"),
            "nvrtc: error: invalid value for --gpu-architecture (-arch); this version does not know sm_70: \
             name another with `--target cuda:arch=…`"
        );
        assert_eq!(explained("kernel.cu(3): error: no", "sm_80"), "nvrtc: kernel.cu(3): error: no");
    }

    #[test]
    fn the_newest_library_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "libnvrtc.so",
            "libnvrtc.so.9",
            "libnvrtc.so.12",
            "libnvrtc-builtins.so.13",
            "libnvrtc.so.alt",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(newest(folder.path()), Some(folder.path().join("libnvrtc.so.12")));
    }
}
