//! NVIDIA's compilers on workers: jobs that compile groups of sources.
//!
//! In: a group of sources, the compilers as they are here. Out: the code of each. A job has a folder for each source,
//! with the files that a compilation here leaves. The compilers travel with it, or are named by a folder of the worker;
//! then their versions are compared with those here, as they are a part of the key of what comes. Linear in the files
//! of the compilers once, and in the sources.

use std::{
    collections::BTreeMap,
    env, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use codegen::{
    build::Compiled,
    execute::{Content, Done, Executor, Job, JobFile, NotDone, Stop},
};

use super::{
    CudaCompiler, Programs,
    farm::{Elsewhere, GroupDone, Source},
    nvrtc, version_word,
};

/// The most bytes of a file of the compilers.
const LARGEST: u64 = 1 << 30;
/// The most files of the compilers.
const MOST: usize = 50_000;
/// Where the compilers are in the folder of a job, if they travel.
const TOOLS: &str = "tools";
/// The versions that a worker's programs tell.
const VERSIONS: &str = "versions";
/// The output of the process for NVRTC: a line a source.
const SAID: &str = "said";
/// Its input.
const LINES: &str = "lines";
/// Its script.
const SCRIPT: &str = "nvrtc.py";

/// How workers run compilers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerSettings {
    /// The folder of CUDA on workers; `None` if the compilers are sent there.
    pub cuda: Option<String>,
    /// Properties of the machine that is wanted, as the service names them.
    pub platform: Vec<(String, String)>,
    /// The longest that a job may take.
    pub timeout: Duration,
}

/// The compilers on workers.
#[derive(Debug)]
pub(super) struct CudaJobs {
    compiler: CudaCompiler,
    executor: Arc<dyn Executor>,
    settings: WorkerSettings,
    /// The files of the compilers: with headers, and without.
    tools: OnceLock<Result<Tools, String>>,
}

/// The files of compilers in the folder of a job.
#[derive(Default, Debug)]
struct Tools {
    programs: Vec<JobFile>,
    headers: Vec<JobFile>,
}

impl CudaJobs {
    pub(super) fn new(
        compiler: CudaCompiler,
        executor: Arc<dyn Executor>,
        settings: WorkerSettings,
    ) -> CudaJobs {
        CudaJobs { compiler, executor, settings, tools: OnceLock::new() }
    }

    /// Reads the compilers, once, if they are sent at all.
    fn tools(&self) -> Result<&Tools, NotDone> {
        let read = || {
            let read = match (&self.compiler.programs, &self.settings.cuda) {
                (Programs::Nvcc { .. }, Some(_)) => Ok(Tools::default()),
                (Programs::Nvcc { nvcc, ptxas }, None) => Tools::of_nvcc(nvcc, ptxas),
                (Programs::Nvrtc(nvrtc), cuda) => Tools::of_nvrtc(nvrtc, cuda.is_some()),
            };
            read.map_err(|it| format!("the compilers cannot be sent: {it}"))
        };
        self.tools.get_or_init(read).as_ref().map_err(|it| NotDone::Failed(it.clone()))
    }

    fn job(&self, group: &[Source]) -> Result<Job, NotDone> {
        let tools = self.tools()?;
        let mut files = tools.programs.clone();
        if group.iter().any(|it| it.text.contains("#include")) {
            files.extend_from_slice(&tools.headers);
        }
        let mut outputs = Vec::new();
        for (at, source) in group.iter().enumerate() {
            files.push(file(format!("{at}/kernel.cu"), source.text.as_bytes().to_vec()));
            outputs.extend(
                ["kernel.ptx", "kernel.cubin", "kernel.log"].map(|it| format!("{at}/{it}")),
            );
        }
        let script = match &self.compiler.programs {
            Programs::Nvcc { .. } => {
                outputs.push(VERSIONS.to_owned());
                self.script_of_nvcc(group)
            }
            Programs::Nvrtc(nvrtc) => {
                let library = match &self.settings.cuda {
                    Some(folder) => format!("{folder}/lib64/libnvrtc.so"),
                    None => format!("{TOOLS}/{}", name(&nvrtc.library)),
                };
                // Headers always travel: those of a worker may be of another version than its library.
                let includes: Vec<String> =
                    (0..nvrtc.includes.len()).map(|it| format!("-I{TOOLS}/include{it}")).collect();
                let mut lines = Vec::new();
                for (at, source) in group.iter().enumerate() {
                    let options = nvrtc::options(&source.flags, &source.arch, &includes);
                    lines.extend(nvrtc::line(at.to_string().as_bytes(), &options));
                }
                files.push(file(LINES.to_owned(), lines));
                files.push(file(SCRIPT.to_owned(), nvrtc::SCRIPT.as_bytes().to_vec()));
                outputs.push(SAID.to_owned());
                format!("python3 -I -S {SCRIPT} {} < {LINES} > {SAID}", quoted(&library))
            }
        };
        Ok(Job {
            arguments: ["/bin/sh", "-c", &script].map(str::to_owned).to_vec(),
            environment: vec![
                ("LC_ALL".to_owned(), "C".to_owned()),
                ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ],
            files,
            outputs,
            platform: self.settings.platform.clone(),
            timeout: self.settings.timeout,
        })
    }

    /// For each source the same commands as here, in its folder; then the versions.
    fn script_of_nvcc(&self, group: &[Source]) -> String {
        let bin = match &self.settings.cuda {
            Some(folder) => format!("{folder}/bin"),
            None => format!("$PWD/{TOOLS}/bin"),
        };
        let mut script = format!("bin={bin}\n");
        for (at, Source { flags, arch, .. }) in group.iter().enumerate() {
            let own = format!("--gpu-architecture={arch}");
            let flags: Vec<String> =
                flags.iter().filter(|it| **it != own).map(|it| quoted(it)).collect();
            script.push_str(&format!(
                "(cd {at} && \"$bin/nvcc\" {} {} --ptx --output-file kernel.ptx kernel.cu && \"$bin/ptxas\" --verbose \
                 --gpu-name {} --output-file kernel.cubin kernel.ptx) > {at}/kernel.log 2>&1 || rm -f {at}/kernel.cubin\n",
                flags.join(" "),
                quoted(&own),
                quoted(arch)
            ));
        }
        script.push_str(&format!(
            "(\"$bin/nvcc\" --version; \"$bin/ptxas\" --version) > {VERSIONS}\n"
        ));
        script
    }

    /// The code of each source, if the compilers there are those here.
    fn taken(&self, group: &[Source], done: &Done) -> Result<Vec<Option<Compiled>>, String> {
        let outputs: BTreeMap<&str, &[u8]> =
            done.outputs.iter().map(|it| (it.0.as_str(), it.1.as_slice())).collect();
        let output = |name: &str| outputs.get(name).copied();
        if done.exit_code != 0 {
            let said = [&*done.stdout, &*done.stderr].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            let line = super::first_error(&said).unwrap_or("it says nothing");
            let line: String = line.chars().filter(|it| !it.is_control()).take(200).collect();
            return Err(format!("the compilers cannot be run there: {line}"));
        }
        let is_nvcc = matches!(self.compiler.programs, Programs::Nvcc { .. });
        if is_nvcc && self.settings.cuda.is_some() {
            let said = String::from_utf8_lossy(output(VERSIONS).unwrap_or_default()).into_owned();
            let versions: Vec<&str> = super::versions(&said).collect();
            let theirs = match &versions[..] {
                [nvcc, ptxas] => format!("nvcc {nvcc}, ptxas {ptxas}"),
                _ => return Err("the compilers there do not tell their versions".to_owned()),
            };
            self.check_identity(&theirs)?;
        }
        let mut all = Vec::new();
        for at in 0..group.len() {
            let of = |name: &str| output(&format!("{at}/{name}"));
            let files = (of("kernel.ptx"), of("kernel.cubin"), of("kernel.log"));
            let (Some(ptx), Some(cubin), Some(log)) = files else {
                all.push(None);
                continue;
            };
            let ptx = String::from_utf8_lossy(ptx).into_owned();
            if !is_nvcc {
                let version = version_word(&ptx).unwrap_or_default();
                self.check_identity(&format!("nvrtc {version}"))?;
            }
            let log = String::from_utf8_lossy(log);
            all.push(self.compiler.compiled(ptx, cubin.to_vec(), &log).ok());
        }
        Ok(all)
    }

    fn check_identity(&self, theirs: &str) -> Result<(), String> {
        let ours = &self.compiler.identity;
        match ours == theirs {
            true => Ok(()),
            false => Err(format!("the compilers there are {theirs}, and here {ours}")),
        }
    }
}

impl Elsewhere for CudaJobs {
    fn name(&self) -> &str {
        self.executor.name()
    }

    fn compile(&self, group: &[Source], stop: &Stop) -> Result<GroupDone, NotDone> {
        let job = self.job(group)?;
        let done = self.executor.execute(&job, stop)?;
        let compiled = self.taken(group, &done).map_err(NotDone::Failed)?;
        let worker = if done.worker.is_empty() { self.name() } else { &done.worker };
        Ok(GroupDone { compiled, worker: worker.into(), is_known: done.is_cached })
    }
}

impl Tools {
    /// The library with what lies beside it, and headers.
    fn of_nvrtc(nvrtc: &nvrtc::Nvrtc, is_there: bool) -> io::Result<Tools> {
        let mut tools = Tools::default();
        if !is_there {
            let folder = nvrtc.library.parent().unwrap_or(Path::new("."));
            for path in sorted(folder)? {
                if path.is_file() && name(&path).starts_with("libnvrtc") {
                    tools.programs.push(sent(&path, format!("{TOOLS}/{}", name(&path)))?);
                }
            }
        }
        for (at, include) in nvrtc.includes.iter().enumerate() {
            add_tree(include, &format!("{TOOLS}/include{at}"), &mut tools.headers)?;
        }
        Ok(tools)
    }

    /// The files that `nvcc` finds from its own place: programs, its front end and libraries of device code, headers.
    fn of_nvcc(nvcc: &Path, ptxas: &Path) -> io::Result<Tools> {
        let real = nvcc.canonicalize()?;
        let bin = real.parent().unwrap_or(Path::new("."));
        if ptxas.canonicalize()?.parent() != Some(bin) {
            return Err(io::Error::other("nvcc and ptxas lie in different folders"));
        }
        let home = bin.parent().unwrap_or(bin);
        let mut tools = Tools::default();
        for folder in ["bin", "nvvm"] {
            add_tree(&home.join(folder), &format!("{TOOLS}/{folder}"), &mut tools.programs)?;
        }
        let mut include = home.join("include");
        if !include.is_dir() {
            include =
                home.join("targets").join(format!("{}-linux", env::consts::ARCH)).join("include");
        }
        // `nvcc` includes some before each source.
        add_tree(&include, &format!("{TOOLS}/include"), &mut tools.programs)?;
        Ok(tools)
    }
}

fn file(path: String, bytes: Vec<u8>) -> JobFile {
    JobFile { path, content: Content::of_bytes(bytes), is_executable: false }
}

fn sent(path: &Path, to: String) -> io::Result<JobFile> {
    #[cfg(unix)]
    let is_executable = {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(path)?.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let is_executable = true;
    let content = Content::of_file(path.to_owned(), LARGEST)?;
    Ok(JobFile { path: to, content, is_executable })
}

/// All files below a folder, wherever links lead; nothing if it is not there.
fn add_tree(folder: &Path, to: &str, files: &mut Vec<JobFile>) -> io::Result<()> {
    let mut folders = vec![(folder.to_owned(), to.to_owned())];
    while let Some((folder, to)) = folders.pop() {
        for path in sorted(&folder)? {
            let to = format!("{to}/{}", name(&path));
            match fs::metadata(&path) {
                Ok(it) if it.is_dir() => folders.push((path, to)),
                Ok(it) if it.is_file() => files.push(sent(&path, to)?),
                _ => {}
            }
            // Links may lead in circles.
            if files.len() + folders.len() > MOST {
                return Err(io::Error::other(format!("there are more than {MOST} files")));
            }
        }
    }
    Ok(())
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|it| it.map(|it| it.path())).collect::<io::Result<_>>()?;
    all.sort();
    Ok(all)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// As one word of the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
