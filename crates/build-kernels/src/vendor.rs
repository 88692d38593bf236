//! NVIDIA's compilers, found at run time and run as processes: `nvcc` for PTX and `ptxas` for cubins, or the library
//! NVRTC for both ([`nvrtc`]); a disassembler to count.
//!
//! In: a folder, or the environment. Out: a [`Compiler`] for a build, or the missing programs. They are looked for in
//! the folder that is named, otherwise in `CUDA_HOME` and `CUDA_PATH`, then where `PATH` leads; NVRTC last in the usual
//! places, too. A folder may be an installation, its `bin`, or one that Python's wheels (`nvidia-cuda-nvcc`,
//! `nvidia-nvvm`, `nvidia-cuda-crt`, `nvidia-cuda-runtime`, `nvidia-cuda-cccl`; or `nvidia-cuda-nvrtc` and
//! `nvidia-cuda-runtime`) are installed in. Every kernel is compiled in a folder of its own under one file name, so
//! that the output contains nothing of this machine.

mod farm;
mod jobs;
mod nvrtc;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use codegen::{
    build::{Compiled, Compiler, Metrics},
    execute::Executor,
};

pub use self::{
    farm::{Farm, FarmLimits},
    jobs::WorkerSettings,
};
use self::{jobs::CudaJobs, nvrtc::Nvrtc};

/// NVIDIA's compilers.
#[derive(Clone, Debug)]
pub struct CudaCompiler {
    programs: Programs,
    /// `cuobjdump -sass` or `nvdisasm -c`.
    disassembler: Option<(PathBuf, &'static str)>,
    identity: String,
    /// The same, with headers and the reader of machine code.
    inputs: String,
}

/// The compilers that turn sources into code.
#[derive(Clone, Debug)]
enum Programs {
    Nvcc { nvcc: PathBuf, ptxas: PathBuf },
    Nvrtc(Nvrtc),
}

impl CudaCompiler {
    /// Finds the programs in `folder`, or the library if they are absent; without a folder, in the places that the
    /// environment names.
    ///
    /// # Errors
    ///
    /// The missing program or library, and the way out.
    pub fn find(folder: Option<&Path>) -> Result<CudaCompiler, String> {
        let homes = match folder {
            Some(folder) => Homes::of(folder),
            None => Homes::of_environment(),
        };
        let program = |name: &str| {
            let file = format!("{name}{}", env::consts::EXE_SUFFIX);
            homes.programs.iter().map(|it| it.join(&file)).find(|it| it.is_file())
        };
        let (programs, identity) = match (program("nvcc"), program("ptxas")) {
            (Some(nvcc), Some(ptxas)) => {
                let identity = format!("nvcc {}, ptxas {}", version(&nvcc)?, version(&ptxas)?);
                (Programs::Nvcc { nvcc, ptxas }, identity)
            }
            (nvcc, _) => {
                let everywhere = folder.is_none().then(Homes::of_system);
                let homes = match everywhere {
                    Some(usual) => homes.clone().and(usual),
                    None => homes.clone().and(Homes::of_path()),
                };
                let absent = || {
                    let place = match folder {
                        Some(folder) => format!("in {}", folder.display()),
                        None => "in CUDA_HOME, CUDA_PATH, PATH and the usual places".to_owned(),
                    };
                    let what = match nvcc {
                        Some(_) => "there is nvcc, but neither ptxas nor libnvrtc",
                        None => "there is neither nvcc nor libnvrtc",
                    };
                    format!(
                        "{what} {place}; install CUDA, or `pip install nvidia-cuda-nvrtc nvidia-cuda-runtime`, \
                         and name the folder with --cuda-path"
                    )
                };
                let nvrtc = Nvrtc::find(&homes).unwrap_or_else(|| Err(absent()))?;
                let identity = format!("nvrtc {}", nvrtc.version()?);
                (Programs::Nvrtc(nvrtc), identity)
            }
        };
        let disassembler = program("cuobjdump")
            .map(|it| (it, "-sass"))
            .or_else(|| program("nvdisasm").map(|it| (it, "-c")));
        let headers = match &programs {
            // They come with the programs, whose version is theirs.
            Programs::Nvcc { .. } => String::new(),
            Programs::Nvrtc(nvrtc) => nvrtc.headers(),
        };
        let reader = disassembler.as_ref().and_then(|it| version(&it.0).ok()).unwrap_or_default();
        let inputs = format!("{identity}, headers {headers}, disassembler {reader}");
        Ok(CudaCompiler { programs, disassembler, identity, inputs })
    }

    fn compile_in(
        &self,
        folder: &Path,
        source: &str,
        flags: &[String],
        arch: &str,
    ) -> Result<Compiled, String> {
        let file = |name: &str| folder.join(name);
        fs::write(file("kernel.cu"), source).map_err(|it| it.to_string())?;
        let said = match &self.programs {
            Programs::Nvcc { nvcc, ptxas } => {
                let own = format!("--gpu-architecture={arch}");
                let mut nvcc = Command::new(nvcc);
                nvcc.args(flags.iter().filter(|it| **it != own));
                nvcc.args([&own, "--ptx", "--output-file", "kernel.ptx", "kernel.cu"]);
                run(&mut nvcc, folder)?;
                let mut ptxas = Command::new(ptxas);
                ptxas.args(["--verbose", "--gpu-name", arch, "--output-file", "kernel.cubin"]);
                run(ptxas.arg("kernel.ptx"), folder)?
            }
            Programs::Nvrtc(nvrtc) => nvrtc.compile_in(folder, flags, arch)?,
        };
        let figures = self.figures(folder, &said)?;
        let read =
            |name: &str| files::read(&file(name), files::ARTIFACT).map_err(|it| it.to_string());
        let ptx = String::from_utf8_lossy(&read("kernel.ptx")?).into_owned();
        Ok(Compiled { ptx, cubin: read("kernel.cubin")?, figures, origin: None })
    }

    /// The metrics of the cubin of a folder, of which the assembler said this.
    fn figures(&self, folder: &Path, said: &str) -> Result<Metrics, String> {
        let mut figures = figures(said);
        if let Some((program, option)) = &self.disassembler {
            let text = run(Command::new(program).args([option, "kernel.cubin"]), folder)?;
            figures.instructions = Some(instructions(&text));
        }
        Ok(figures)
    }

    /// Code that was made elsewhere, with its metrics.
    fn compiled(&self, ptx: String, cubin: Vec<u8>, said: &str) -> Result<Compiled, String> {
        let folder = tempfile::tempdir().map_err(|it| format!("no folder to look in: {it}"))?;
        if self.disassembler.is_some() {
            let path = folder.path().join("kernel.cubin");
            fs::write(path, &cubin).map_err(|it| it.to_string())?;
        }
        let figures = self.figures(folder.path(), said)?;
        Ok(Compiled { ptx, cubin, figures, origin: None })
    }

    /// The same compilers, here and on other machines at once.
    pub fn with_workers(
        self,
        executor: Arc<dyn Executor>,
        settings: WorkerSettings,
        limits: FarmLimits,
    ) -> Farm {
        let here = Arc::new(self.clone());
        Farm::new(here, Arc::new(CudaJobs::new(self, executor, settings)), limits)
    }
}

impl Compiler for CudaCompiler {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn inputs(&self) -> &str {
        &self.inputs
    }

    fn compile(&self, source: &str, flags: &[String], arch: &str) -> Result<Compiled, String> {
        let folder = tempfile::tempdir().map_err(|it| format!("no folder to compile in: {it}"))?;
        self.compile_in(folder.path(), source, flags, arch)
    }
}

/// The place where programs and libraries may lie.
#[derive(Clone, Default, Debug)]
struct Homes {
    /// Folders with `bin`, `lib` and `include`.
    all: Vec<PathBuf>,
    /// Folders of programs.
    programs: Vec<PathBuf>,
}

impl Homes {
    /// A folder, its installed programs, and the place of Python's wheels in it.
    fn of(folder: &Path) -> Homes {
        let mut all = vec![folder.to_owned()];
        if folder.ends_with("bin") {
            all.extend(folder.parent().map(Path::to_owned));
        }
        let mut packages = vec![folder.to_owned()];
        for home in &all {
            let pythons = subfolders(&home.join("lib"));
            packages.extend(pythons.iter().map(|it| it.join("site-packages")));
        }
        for package in packages {
            all.extend(subfolders(&package.join("nvidia")));
        }
        let mut programs = vec![folder.to_owned()];
        programs.extend(all.iter().map(|it| it.join("bin")));
        Homes { all, programs }
    }

    /// Returns the folders that environment variables name.
    fn of_environment() -> Homes {
        let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
        let homes = named.map(|it| Homes::of(Path::new(&it)));
        let path = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
        homes.fold(Homes::default(), Homes::and).and(Homes { all: Vec::new(), programs: path })
    }

    /// Programs of `PATH`.
    fn of_path() -> Homes {
        let programs = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
        Homes { all: Vec::new(), programs }
    }

    /// Returns the folders beside the programs of `PATH`, such as wheels of a Python environment; then those where
    /// systems have CUDA.
    fn of_system() -> Homes {
        let path = Homes::of_path();
        let bins = path.programs.iter().filter(|it| it.ends_with("bin"));
        let usual = ["/usr/local/cuda", "/opt/cuda", "/usr"].map(PathBuf::from);
        let homes = bins.cloned().chain(usual).map(|it| Homes::of(&it));
        Homes { all: homes.flat_map(|it| it.all).collect(), programs: Vec::new() }
    }

    fn and(mut self, other: Homes) -> Homes {
        self.all.extend(other.all);
        self.programs.extend(other.programs);
        self
    }
}

/// In the order of names.
fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<_> = entries.map(|it| it.path()).filter(|it| it.is_dir()).collect();
    all.sort();
    all
}

/// `V13.0.88` of `Cuda compilation tools, release 13.0, V13.0.88`.
fn version(program: &Path) -> Result<String, String> {
    let said = run(Command::new(program).arg("--version"), Path::new("."))?;
    version_word(&said).ok_or_else(|| format!("{} does not tell its version", program.display()))
}

/// The first word that is a version.
fn version_word(said: &str) -> Option<String> {
    versions(said).next().map(str::to_owned)
}

/// The words that are versions.
fn versions(said: &str) -> impl Iterator<Item = &str> {
    let is_version = |it: &&str| {
        it.strip_prefix('V').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    };
    said.split_whitespace().filter(is_version)
}

/// The first line that reports an error.
fn first_error(said: &str) -> Option<&str> {
    let is_error = |it: &&str| it.contains("error") || it.contains("fatal");
    said.lines().find(is_error).or_else(|| said.lines().next()).map(str::trim)
}

/// Runs a program; returns the output of both streams if it ended well, otherwise the first line that reports an error.
fn run(command: &mut Command, folder: &Path) -> Result<String, String> {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let output = command.current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|it: io::Error| format!("{name} cannot be run: {it}"))?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    match output.status.success() {
        true => Ok(said),
        false => {
            let line = first_error(&said).unwrap_or("it failed and said nothing");
            Err(format!("{name}: {line}"))
        }
    }
}

/// The metrics that `ptxas --verbose` reports for the one kernel.
fn figures(said: &str) -> Metrics {
    // The number before a word: `Used 10 registers, used 1 barriers, 512 bytes smem`.
    let before = |text: &str| {
        let at = said.find(text)?;
        let digits = said[..at].trim_end().rsplit(|it: char| !it.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    let number = |text| before(text).unwrap_or(0);
    Metrics {
        registers: number(" registers"),
        shared_bytes: number(" bytes smem"),
        stack_bytes: number(" bytes stack frame"),
        spill_store_bytes: number(" bytes spill stores"),
        spill_load_bytes: number(" bytes spill loads"),
        instructions: None,
    }
}

/// Lines `/*0070*/ @P0 EXIT ;` of a disassembly. Padding after the end does not count: `NOP`, and a jump to itself.
fn instructions(text: &str) -> u32 {
    let mut count = 0;
    let mut label = "";
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_suffix(':') {
            label = name;
            continue;
        }
        let Some((address, rest)) = line.strip_prefix("/*").and_then(|it| it.split_once("*/"))
        else {
            continue;
        };
        let instruction = rest.split(';').next().unwrap_or_default().trim();
        let is_address = !address.is_empty() && address.bytes().all(|it| it.is_ascii_hexdigit());
        let is_padding = match instruction.split_once(' ') {
            Some(("BRA", target)) => {
                let target = target.trim();
                // As an address, or as the name of the line.
                is_same_number(target, address) || target == format!("`({label})")
            }
            _ => instruction == "NOP",
        };
        count += u32::from(is_address && !instruction.is_empty() && !is_padding);
        label = "";
    }
    count
}

fn is_same_number(target: &str, address: &str) -> bool {
    let number = |it: &str| u64::from_str_radix(it, 16).ok();
    let target = target.strip_prefix("0x").and_then(number);
    target.is_some() && target == number(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read() {
        let said = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'tir_kernel' for 'sm_80'
ptxas info    : Function properties for tir_kernel
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 404 bytes smem, 376 bytes cmem[0]
";
        let expected = Metrics {
            registers: 10,
            shared_bytes: 404,
            stack_bytes: 16,
            spill_store_bytes: 8,
            spill_load_bytes: 12,
            instructions: None,
        };
        assert_eq!(figures(said), expected);
        assert_eq!(figures("nothing").registers, 0);
    }

    #[test]
    fn padding_is_no_instruction() {
        let text = "\
	.headerflags	@\"EF_CUDA_SM80\"
        /*0000*/                   S2R R2, SR_TID.X ;      /* 0x0000000000027919 */
                                                           /* 0x000e280000002100 */
        /*0010*/               @P0 EXIT ;                  /* 0x000000000000094d */
        /*0020*/                   EXIT ;                  /* 0x000000000000794d */
        /*0030*/                   BRA 0x30;               /* 0xfffffff000007947 */
        /*0040*/                   NOP;                    /* 0x0000000000007918 */
";
        assert_eq!(instructions(text), 3);
        let named = text
            .replace("        /*0030*/", ".L_x_0:\n        /*0030*/")
            .replace("0x30", "`(.L_x_0)");
        assert_eq!(instructions(&named), 3);
    }

    #[test]
    fn missing_programs_are_reported() {
        let empty = tempfile::tempdir().unwrap();
        let error = CudaCompiler::find(Some(empty.path())).unwrap_err();
        assert!(error.starts_with("there is neither nvcc nor libnvrtc in "), "{error}");
    }
}
