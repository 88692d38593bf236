//! The arguments of `build`.

use std::path::PathBuf;

use build_kernels::{Target, TargetOptions};

use super::{DEFAULT_LIMIT, Format, Inputs, InstanceCall, OUT, PassName, Size};

#[derive(clap::Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The device language, and its settings: cuda, or cuda:arch=sm_90:max-threads=512; may be given several times.
    /// Settings: arch, max-threads, shared-memory, index-bits, contract, fast-math; those of `tir-analyzer.toml` are
    /// under them.
    #[arg(long, value_name = "NAME[:KEY=VALUE]…", value_delimiter = ',', default_value = "cuda")]
    pub(crate) target: Vec<TargetName>,
    /// The folder that sources and manifests are written to, one folder a target.
    #[arg(long, value_name = "DIR", default_value = OUT)]
    pub(crate) out: PathBuf,
    /// The folder of the artifact store; by default beside the output folder: `build/kernels.store`. Several codebases
    /// may share one.
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// The limit of the store: bytes, or with K, M or G. The least recently used entries are removed.
    #[arg(long, value_name = "SIZE", default_value = DEFAULT_LIMIT)]
    pub(crate) store_limit: Size,
    /// A cache that several machines share, beyond the store, in place of `cache.remote` of `tir-analyzer.toml`:
    /// grpcs://HOST/INSTANCE, s3://BUCKET/FOLDER, redis://HOST, file:///FOLDER; `none` for none.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) remote_cache: Option<CacheAddress>,
    /// Keep what is made here in that cache; otherwise it is only read, unless `cache.upload` is set.
    #[arg(long)]
    pub(crate) remote_upload: bool,
    /// Who lowers many files and runs NVIDIA's compilers (`--emit`, `--ptxas`): this machine alone, or workers too,
    /// those of `execute.remote` of `tir-analyzer.toml` or at this address: grpcs://HOST/INSTANCE of the Remote
    /// Execution API.
    #[arg(long, value_name = "local|remote|ADDRESS", default_value = "local")]
    pub(crate) execute: Execution,
    /// Generate everything anew, whatever the store has.
    #[arg(long)]
    pub(crate) force: bool,
    /// Remove the outputs of earlier builds for files that are gone. Nothing else that was built is ever removed,
    /// whichever files are named.
    #[arg(long, conflicts_with = "stdin")]
    pub(crate) prune: bool,
    /// Build again whenever a file is saved, and report the changed kernels and the reasons; Ctrl-C ends it.
    #[arg(long, conflicts_with_all = ["stdin", "force", "since"])]
    pub(crate) watch: bool,
    /// Read only files that differ from this revision of the git repository (functions reach nothing outside their
    /// file).
    #[arg(long, value_name = "REV", conflicts_with = "stdin")]
    pub(crate) since: Option<String>,
    /// Also build this instance of a factory (a Python function with kernels inside): a call, as
    /// 'matmul(M=1024, dtype="float16")'; may be given several times. Instances that calls in a file make, and those of
    /// `tir-analyzer.toml`, are built in any case.
    #[arg(long, value_name = "CALL")]
    pub(crate) instance: Vec<InstanceCall>,
    /// Let the device compiler fuse a product and a sum, which changes the last bits.
    #[arg(long)]
    pub(crate) fmad: bool,
    /// The passes to run before code is written, in this order, separated by commas: `cse` or rules with fixes
    /// (`dead-store`); `none` for no passes. Other passes make other artifacts in the store.
    #[arg(long, value_delimiter = ',', default_value = "cse", value_name = "PASS")]
    pub(crate) passes: Vec<PassName>,
    /// Also write the output of NVIDIA's compilers for the CUDA sources: ptx, cubin. They are found at run time;
    /// without them sources are written all the same, and the exit code is 1.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    pub(crate) emit: Vec<BinaryKind>,
    /// Tell for each kernel for CUDA its registers, shared memory, spills and machine instructions, with and without
    /// `cse`.
    #[arg(long)]
    pub(crate) ptxas: bool,
    /// The place where NVIDIA's compilers are (nvcc and ptxas, or the library NVRTC): an installation, its bin, or
    /// where Python's wheels are; otherwise CUDA_HOME, CUDA_PATH, PATH and the usual places.
    #[arg(long, value_name = "DIR")]
    pub(crate) cuda_path: Option<PathBuf>,
    /// How to report.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Explain for each file and kernel that was not simply reused its status and the changed inputs.
    #[arg(long)]
    pub(crate) explain_rebuild: bool,
    /// List every kernel, also those that were reused.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

pub(crate) const BUILD_EXAMPLES: &str = "\
Examples:
  tir-analyzer build models/ --out out                    CUDA C++ for a codebase of lowered modules
  tir-analyzer build models/ --target cuda,opencl --out out
  tir-analyzer build kernels.mlir --target cuda           the kernels of MLIR (gpu.func, gpu.launch)
  tir-analyzer build models/ --target c --out out         C11: whole functions
  tir-analyzer build models/ --target cuda:arch=sm_75     kernels that do not fit its devices are told
  tir-analyzer build models/ --watch                      again whenever a file is saved
  tir-analyzer build models/ --since origin/main          only files that were changed
  tir-analyzer build models/net.py --out out              one file more or anew; what else was built into out stays
  tir-analyzer build models/ --out out --prune            and what was built of files that are gone goes
  tir-analyzer build models/ --explain-rebuild            what was different
  tir-analyzer build models/ --format json                for programs
  tir-analyzer build attention.py --fmad --out out        with fused multiply-add
  tir-analyzer build models/ --emit ptx,cubin             compiled for sm_80, or for --target cuda:arch=…
  tir-analyzer build models/ --passes simplify,cse        simpler guards and indices; takes somewhat longer
  tir-analyzer build models/ --remote-cache grpcs://cache.example.com   what others built is not built again
  tir-analyzer build models/ --emit cubin --execute remote   workers of a farm compile, too
  tir-analyzer build models/ --ptxas                      registers and instructions, and what cse bought
  tir-analyzer explain shared-hazard-in-divergent-flow    why a function was not built

Exit codes: 0 built (functions that cannot be built are told, and are in the manifest), 1 binaries were asked for and
the compilers are absent or refuse a kernel (sources are written), or a mistake of tir-analyzer leaves a function
without code, 2 wrong usage, or a file that
cannot be read or written (the others are built), 130 interrupted; a later build goes on from there.";

/// A target on the command line, and its settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TargetName(pub(crate) Target, pub(crate) TargetOptions);

impl std::str::FromStr for TargetName {
    type Err = String;

    fn from_str(text: &str) -> Result<TargetName, String> {
        TargetOptions::parse(text).map(|(target, options)| TargetName(target, options))
    }
}

/// The address of a shared cache on the command line; or none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CacheAddress(pub(crate) Option<remote::Address>);

impl std::str::FromStr for CacheAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<CacheAddress, String> {
        match text {
            "none" | "" => Ok(CacheAddress(None)),
            _ => remote::Address::parse(text).map(|it| CacheAddress(Some(it))),
        }
    }
}

/// Who runs compilers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Execution {
    /// This machine alone.
    Local,
    /// Workers too: those of the settings.
    Remote,
    /// Workers too: those at an address.
    At(remote::Address),
}

impl std::str::FromStr for Execution {
    type Err = String;

    fn from_str(text: &str) -> Result<Execution, String> {
        match text {
            "local" => Ok(Execution::Local),
            "remote" => Ok(Execution::Remote),
            _ => remote::Address::parse(text).map(Execution::At),
        }
    }
}

/// The kind of binary that compilers make of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum BinaryKind {
    /// The assembler's language
    Ptx,
    /// Machine code
    Cubin,
}
