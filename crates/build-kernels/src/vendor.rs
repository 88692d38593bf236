//! NVIDIA's compilers, found at run time and run as processes: `nvcc` for PTX, `ptxas` for cubins, a disassembler to count.
//!
//! In: a folder, or the environment. Out: a [`Compiler`] for a build, or what is missing. They are looked for in the
//! folder that is named, then in `CUDA_HOME` and `CUDA_PATH`, then in `PATH`. A folder may be an installation, its `bin`, or
//! one that Python's wheels (`nvidia-cuda-nvcc`, `nvidia-nvvm`, `nvidia-cuda-crt`, `nvidia-cuda-runtime`,
//! `nvidia-cuda-cccl`) are installed in. Every kernel is compiled in a folder of its own under one file name, so that
//! nothing of this machine is in what comes out.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use codegen::build::{Compiled, Compiler, Figures};

/// NVIDIA's compilers.
#[derive(Clone, Debug)]
pub struct CudaCompiler {
    nvcc: PathBuf,
    ptxas: PathBuf,
    /// `cuobjdump -sass` or `nvdisasm -c`.
    disassembler: Option<(PathBuf, &'static str)>,
    identity: String,
}

impl CudaCompiler {
    /// Finds the programs in `folder`; without one, where the environment says.
    ///
    /// # Errors
    /// What is not there, and what to do about it.
    pub fn find(folder: Option<&Path>) -> Result<CudaCompiler, String> {
        let folders = match folder {
            Some(folder) => places(folder),
            None => {
                let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
                let mut all: Vec<PathBuf> = homes.flat_map(|it| places(Path::new(&it))).collect();
                all.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
                all
            }
        };
        let program = |name: &str| {
            let file = format!("{name}{}", env::consts::EXE_SUFFIX);
            folders.iter().map(|it| it.join(&file)).find(|it| it.is_file())
        };
        let missing = |name: &str| {
            let place = match folder {
                Some(folder) => format!("in {}", folder.display()),
                None => "in CUDA_HOME, CUDA_PATH and PATH".to_owned(),
            };
            format!("there is no {name} {place}; install CUDA, or name its folder with --cuda-path")
        };
        let nvcc = program("nvcc").ok_or_else(|| missing("nvcc"))?;
        let ptxas = program("ptxas").ok_or_else(|| missing("ptxas"))?;
        let disassembler = program("cuobjdump")
            .map(|it| (it, "-sass"))
            .or_else(|| program("nvdisasm").map(|it| (it, "-c")));
        let identity = format!("nvcc {}, ptxas {}", version(&nvcc)?, version(&ptxas)?);
        Ok(CudaCompiler { nvcc, ptxas, disassembler, identity })
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
        let own = format!("--gpu-architecture={arch}");
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.args(flags.iter().filter(|it| **it != own));
        nvcc.args([&own, "--ptx", "--output-file", "kernel.ptx", "kernel.cu"]);
        run(&mut nvcc, folder)?;
        let mut ptxas = Command::new(&self.ptxas);
        ptxas.args([
            "--verbose",
            "--gpu-name",
            arch,
            "--output-file",
            "kernel.cubin",
            "kernel.ptx",
        ]);
        let said = run(&mut ptxas, folder)?;
        let mut figures = figures(&said);
        if let Some((program, option)) = &self.disassembler {
            let text = run(Command::new(program).args([option, "kernel.cubin"]), folder)?;
            figures.instructions = Some(instructions(&text));
        }
        let read = |name: &str| fs::read(file(name)).map_err(|it| it.to_string());
        let ptx = String::from_utf8_lossy(&read("kernel.ptx")?).into_owned();
        Ok(Compiled { ptx, cubin: read("kernel.cubin")?, figures })
    }
}

impl Compiler for CudaCompiler {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn compile(&self, source: &str, flags: &[String], arch: &str) -> Result<Compiled, String> {
        let folder = tempfile::tempdir().map_err(|it| format!("no folder to compile in: {it}"))?;
        self.compile_in(folder.path(), source, flags, arch)
    }
}

/// Where programs may lie under a folder: its own, those of an installation, those of Python's wheels.
fn places(folder: &Path) -> Vec<PathBuf> {
    let mut places = vec![folder.to_owned(), folder.join("bin")];
    let mut packages = vec![folder.to_owned()];
    for python in subfolders(&folder.join("lib")) {
        packages.push(python.join("site-packages"));
    }
    for package in packages {
        places.extend(subfolders(&package.join("nvidia")).into_iter().map(|it| it.join("bin")));
    }
    places
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
    let word = said.split_whitespace().find(|it| {
        it.strip_prefix('V').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    });
    word.map(str::to_owned)
        .ok_or_else(|| format!("{} does not tell its version", program.display()))
}

/// What a program said on both streams, if it ended well; otherwise the first line of it that tells of an error.
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
            let is_error = |it: &&str| it.contains("error") || it.contains("fatal");
            let line = said.lines().find(is_error).or_else(|| said.lines().next());
            Err(format!("{name}: {}", line.unwrap_or("it failed and said nothing").trim()))
        }
    }
}

/// The figures that `ptxas --verbose` tells of the one kernel.
fn figures(said: &str) -> Figures {
    // The number before a word: `Used 10 registers, used 1 barriers, 512 bytes smem`.
    let before = |text: &str| {
        let at = said.find(text)?;
        let digits = said[..at].trim_end().rsplit(|it: char| !it.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    let number = |text| before(text).unwrap_or(0);
    Figures {
        registers: number(" registers"),
        shared_bytes: number(" bytes smem"),
        stack_bytes: number(" bytes stack frame"),
        spill_store_bytes: number(" bytes spill stores"),
        spill_load_bytes: number(" bytes spill loads"),
        instructions: None,
    }
}

/// Lines `/*0070*/ @P0 EXIT ;` of a disassembly. What stands after the end as padding is none: `NOP`, and a jump to itself.
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
        let expected = Figures {
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
    fn what_is_missing_is_said() {
        let empty = tempfile::tempdir().unwrap();
        let error = CudaCompiler::find(Some(empty.path())).unwrap_err();
        assert!(error.starts_with("there is no nvcc in "), "{error}");
    }
}
