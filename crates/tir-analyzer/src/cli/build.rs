//! `build`: device code and a manifest for every function of a codebase that launches threads.
//!
//! In: files. Out: a folder for each target with one source a kernel and `manifest.json`, and a summary that says what
//! was built, what was reused, what could not be built, and why. The work is `codegen`'s; here are the files, the way
//! from text to bodies, and the words. `cargo xtask build-kernels` calls this command.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use codegen::{
    Options, Target,
    build::{BuildReport, BuildRequest, KernelReport, SourceBody, SourceFunction, Status, hash_of},
    manifest::UnsupportedFunction,
};
use frontend::tvmscript::{self, FileFunctions, FunctionItem, FunctionKind, Severity};
use syntax::{ColumnEncoding, LineIndex, TextSize};
use transform::passes::Pass;

use crate::cli::{
    Exit,
    args::Inputs,
    io::{self, Io, Styled, Tone},
    jobs,
    progress::Progress,
    rules::{did_you_mean, near},
};

/// Where sources and manifests go.
pub(crate) const OUT: &str = "build/kernels";
/// The store, inside that folder.
pub(crate) const STORE: &str = ".store";

/// Lines of a list that are shown unless all are asked for.
const SHOWN: usize = 20;

#[derive(clap::Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The device language; may be given several times.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "cuda")]
    pub(crate) target: Vec<TargetName>,
    /// The folder that sources and manifests are written to, one folder a target.
    #[arg(long, value_name = "DIR", default_value = OUT)]
    pub(crate) out: PathBuf,
    /// The folder of the artifact store; by default `.store` in the output folder. Several codebases may share one.
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Generate everything anew, whatever the store has.
    #[arg(long)]
    pub(crate) force: bool,
    /// Let the device compiler fuse a product and a sum, which changes the last bits.
    #[arg(long)]
    pub(crate) fmad: bool,
    /// What to run before code is written, in this order, separated by commas: `cse` or rules with fixes (`dead-store`); `none`
    /// for nothing. Artifacts of other passes are others in the store.
    #[arg(long, value_delimiter = ',', default_value = "cse", value_name = "PASS")]
    pub(crate) passes: Vec<PassName>,
    /// List every kernel, also those that were reused.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

pub(crate) const BUILD_EXAMPLES: &str = "\
Examples:
  tir-analyzer build models/ --out out                    CUDA C++ for a codebase of lowered modules
  tir-analyzer build models/ --target cuda,opencl --out out
  tir-analyzer build models/ --target c --out out         C11 for the functions that launch no threads
  tir-analyzer build attention.py --fmad --out out        with fused multiply-add
  tir-analyzer explain shared-hazard-in-divergent-flow    why a function was not built";

/// Targets by their names on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum TargetName {
    /// CUDA C++
    Cuda,
    /// OpenCL C 1.2
    Opencl,
    /// HIP C++
    Hip,
    /// C11: whole functions that launch no threads
    C,
}

impl From<TargetName> for Target {
    fn from(name: TargetName) -> Target {
        match name {
            TargetName::Cuda => Target::Cuda,
            TargetName::Opencl => Target::OpenCl,
            TargetName::Hip => Target::Hip,
            TargetName::C => Target::C,
        }
    }
}

/// A file that was read.
struct Module {
    /// Relative to what is common to all inputs, with `/`.
    name: String,
    lines: LineIndex,
    functions: FileFunctions,
    /// For each function, the hash of all that its body depends on.
    hashes: Vec<[u8; 32]>,
}

pub(crate) fn build(args: &BuildArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let jobs = jobs::find(&args.inputs, io, styled)?;
    let mut exit = Exit::Success;
    for failure in &jobs.failures {
        io::message(io.err, styled.err, Tone::Error, failure)?;
        exit = Exit::Failure;
    }
    let root = common_folder(&args.inputs.paths, io);
    let mut modules = Vec::new();
    for job in &jobs.jobs {
        let name = module_name(&job.file.path, &root, &job.file.shown);
        match job.run(|source| Ok(Module::read(name, &source.text))) {
            Ok(module) => modules.push(module),
            Err(error) => {
                io::message(io.err, styled.err, Tone::Error, &format!("{error:#}"))?;
                exit = Exit::Failure;
            }
        }
    }
    let report = run(args, &modules, io)?;
    write_summary(&report, args, io, styled)?;
    Ok(exit)
}

fn run(args: &BuildArgs, modules: &[Module], io: &Io<'_>) -> anyhow::Result<BuildReport> {
    let out = io.resolve(&args.out);
    let store = args.store.as_ref().map_or_else(|| out.join(STORE), |it| io.resolve(it));
    let mut functions = Vec::new();
    // The number of functions up to the end of each file.
    let mut ends = Vec::new();
    for module in modules {
        functions.extend(module.source_functions());
        ends.push(functions.len());
    }
    let mut targets: Vec<Target> = args.target.iter().map(|&it| it.into()).collect();
    targets.sort_unstable();
    targets.dedup();
    let progress = Progress::new(modules.len(), io.err_is_terminal);
    let advance = |done: usize| {
        for _ in ends.iter().filter(|&&it| it == done) {
            progress.advance();
        }
    };
    let request = BuildRequest {
        functions,
        targets,
        out: out.clone(),
        store,
        options: Options { contract: args.fmad, passes: passes(&args.passes) },
        force: args.force,
        progress: &advance,
    };
    codegen::build::build(&request)
        .with_context(|| format!("cannot write to {}; choose another --out", out.display()))
}

/// A pass by its name, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PassName(pub(crate) Option<Pass>);

impl std::str::FromStr for PassName {
    type Err = String;

    fn from_str(name: &str) -> Result<PassName, String> {
        if name == "none" {
            return Ok(PassName(None));
        }
        let names = || Pass::all().map(Pass::name);
        Pass::from_name(name).map(|it| PassName(Some(it))).ok_or_else(|| {
            format!(
                "there is no such pass{}; passes are none, {}",
                did_you_mean(&near(name, names())),
                names().collect::<Vec<_>>().join(", ")
            )
        })
    }
}

fn passes(names: &[PassName]) -> Vec<String> {
    names.iter().filter_map(|it| it.0).map(|it| it.name().to_owned()).collect()
}

impl Module {
    fn read(name: String, text: &str) -> Module {
        let parse = syntax::parse(text);
        let functions = tvmscript::functions(&parse);
        let rest = hash_of_the_rest(&functions, text);
        let hash = |item: &FunctionItem| {
            hash_of(&[&rest, &[item.source.dialect as u8], text[item.range].as_bytes()])
        };
        let hashes = functions.functions.iter().map(hash).collect();
        Module { name, lines: LineIndex::new(text), functions, hashes }
    }

    fn line(&self, offset: TextSize) -> u32 {
        self.lines.line_col(offset, ColumnEncoding::Utf8).line
    }

    fn source_functions(&self) -> impl Iterator<Item = SourceFunction<'_>> {
        let items = self.functions.functions.iter().zip(&self.hashes);
        items.filter(|(item, _)| item.source.kind == FunctionKind::PrimFunc).map(|(item, hash)| {
            SourceFunction {
                file: self.name.clone(),
                name: item.source.name.to_string(),
                text: Some(*hash),
                first_line: self.line(item.range.start()) + 1,
                body: Box::new(|| self.body(item)),
            }
        })
    }

    fn body(&self, item: &FunctionItem) -> Result<SourceBody, String> {
        let lowered = tvmscript::lower(&item.source, &self.functions.environment(item));
        let error = lowered.diagnostics.into_iter().find(|it| it.severity == Severity::Error);
        if let Some(error) = error {
            return Err(error.message);
        }
        let start = item.range.start();
        let line =
            |op| self.line(start + lowered.source_map.op_range(op).start()) - self.line(start);
        let lines = lowered.body.ops_preorder().map(|op| (op, line(op))).collect();
        Ok(SourceBody { body: lowered.body, lines })
    }
}

/// What functions may depend on besides their own text: everything of the file outside its functions of TIR, the
/// macros, and what callers see of the functions.
fn hash_of_the_rest(functions: &FileFunctions, text: &str) -> [u8; 32] {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut done = 0;
    for item in &functions.functions {
        if item.source.kind != FunctionKind::PrimFunc || usize::from(item.range.start()) < done {
            continue;
        }
        parts.push(text.as_bytes()[done..item.range.start().into()].to_vec());
        let seen = functions.capture(item.scope, &item.source.name);
        parts.push(format!("{seen:?}").into_bytes());
        done = item.range.end().into();
    }
    parts.push(text.as_bytes()[done..].to_vec());
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    hash_of(&parts)
}

// ---- names of files ----

/// The folder that all inputs lie in.
fn common_folder(paths: &[PathBuf], io: &Io<'_>) -> PathBuf {
    let folders = paths.iter().map(|path| {
        let full = io.resolve(path);
        if full.is_dir() { full } else { full.parent().map(Path::to_owned).unwrap_or_default() }
    });
    folders
        .reduce(|a, b| {
            a.components().zip(b.components()).take_while(|(x, y)| x == y).map(|it| it.0).collect()
        })
        .unwrap_or_else(|| io.folder.clone())
}

fn module_name(path: &Path, root: &Path, shown: &str) -> String {
    let Ok(relative) = path.strip_prefix(root) else { return shown.replace('\\', "/") };
    let parts: Vec<_> = relative.iter().map(|it| it.to_string_lossy()).collect();
    parts.join("/")
}

// ---- words ----

fn write_summary(
    report: &BuildReport,
    args: &BuildArgs,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<()> {
    let is_news = |it: &&KernelReport| args.verbose || it.status != Status::Reused || it.written;
    let news: Vec<&KernelReport> = report.kernels.iter().filter(is_news).collect();
    let shown = if args.verbose { news.len() } else { SHOWN };
    for kernel in news.iter().take(shown) {
        writeln!(io.out, "{} {} ({})", what(kernel), kernel.output, why(kernel))?;
    }
    more(io, news.len(), shown, "kernels")?;
    let shown = if args.verbose { report.unsupported.len() } else { SHOWN };
    for UnsupportedFunction { target, file, name, reason, detail } in
        report.unsupported.iter().take(shown)
    {
        let text = format!("not built for {target}: {name} of {file}: {detail} [{reason}]");
        io::message(io.out, styled.out, Tone::Warning, &text)?;
    }
    more(io, report.unsupported.len(), shown, "functions that were not built")?;
    for path in &report.removed {
        writeln!(io.out, "removed {}", path.display())?;
    }
    if report.repaired > 0 {
        let text = format!("{} broken entries of the store were replaced", report.repaired);
        io::message(io.out, styled.out, Tone::Warning, &text)?;
    }
    let built = report.count(|it| matches!(it, Status::Built(_)));
    let unchanged = report.count(|it| matches!(it, Status::Unchanged(_)));
    let reused = report.count(|it| it == Status::Reused);
    writeln!(
        io.out,
        "{} kernels: {built} built, {unchanged} generated and unchanged, {reused} reused; {} functions not built",
        report.kernels.len(),
        report.unsupported.len(),
    )?;
    Ok(())
}

fn more(io: &mut Io<'_>, n: usize, shown: usize, what: &str) -> anyhow::Result<()> {
    if n > shown {
        writeln!(io.out, "… and {} more {what} (--verbose lists all)", n - shown)?;
    }
    Ok(())
}

fn what(kernel: &KernelReport) -> &'static str {
    match (kernel.status, kernel.written) {
        (Status::Built(_), _) => "built    ",
        (Status::Unchanged(_), _) => "unchanged",
        (Status::Reused, true) => "renamed  ",
        (Status::Reused, false) => "reused   ",
    }
}

fn why(kernel: &KernelReport) -> String {
    match (kernel.status, kernel.written) {
        (Status::Built(why) | Status::Unchanged(why), _) => why.text().to_owned(),
        (Status::Reused, true) => {
            "code from the store, written with the names of the text".to_owned()
        }
        (Status::Reused, false) => "nothing changed".to_owned(),
    }
}
