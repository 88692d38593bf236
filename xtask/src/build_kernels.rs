//! `cargo xtask build-kernels`: device code for a whole model codebase.
//!
//! The same code as `tir-analyzer build`; without a path it builds the model codebase that comes with the workspace, so
//! that one command on a fresh machine demonstrates the tool.

use std::{ffi::OsString, path::PathBuf};

use crate::workspace::Workspace;
use crate::{Outcome, process};

const BUNDLED_MODELS: &str = "tests/models";
const DEFAULT_OUT: &str = "build/kernels";

/// Build device code and a manifest for every kernel of a model codebase.
///
/// Only kernels that an edit reaches are built again: a second run rebuilds nothing. All options of
/// `tir-analyzer build` may be given; `tir-analyzer build --help` describes them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask build-kernels                                  the bundled codebase, into build/kernels
  cargo xtask build-kernels my/models --target opencl        another one, for OpenCL
  cargo xtask build-kernels my/models --target cuda --target opencl --watch
  cargo xtask build-kernels my/models --explain-rebuild      what was different since the last build
  cargo xtask build-kernels my/models/attention.py --out out one file

Exit codes: 0 built, 1 a file cannot be read or written, 2 wrong usage.")]
pub(crate) struct Args {
    /// Files or folders of TVMScript modules, scheduled or lowered [default: the bundled tests/models].
    paths: Vec<PathBuf>,
    /// The device language, and its settings (cuda:arch=sm_90:max-threads=512); may be given several times.
    #[arg(long, default_value = "cuda", value_delimiter = ',')]
    target: Vec<String>,
    /// The place where kernels and manifests are written.
    #[arg(long, default_value = DEFAULT_OUT)]
    out: PathBuf,
    /// The folder of the artifact store; by default beside the output folder.
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// The limit of the store: bytes, or with K, M or G.
    #[arg(long, value_name = "SIZE")]
    store_limit: Option<String>,
    /// Files to work on at once.
    #[arg(long, short, value_name = "N")]
    jobs: Option<u16>,
    /// The passes to run before code is written, separated by commas; `none` for no passes.
    #[arg(long, value_name = "PASS")]
    passes: Option<String>,
    /// Only files that differ from this revision of the git repository.
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Let the device compiler fuse a product and a sum.
    #[arg(long)]
    fmad: bool,
    /// Also write the output of NVIDIA's compilers for the CUDA sources: ptx, cubin.
    #[arg(long, value_name = "KIND")]
    emit: Option<String>,
    /// Tell registers and instructions of kernels for CUDA, with and without `cse`.
    #[arg(long)]
    ptxas: bool,
    /// The place where NVIDIA's compilers are.
    #[arg(long, value_name = "DIR")]
    cuda_path: Option<PathBuf>,
    /// How to report: text or json.
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Build again whenever a file is saved.
    #[arg(long)]
    watch: bool,
    /// Remove the outputs of earlier builds for files that are gone.
    #[arg(long)]
    prune: bool,
    /// Generate everything anew.
    #[arg(long)]
    force: bool,
    /// Explain the changed inputs.
    #[arg(long)]
    explain_rebuild: bool,
    /// List every kernel.
    #[arg(long, short)]
    verbose: bool,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let mut command = ws.cargo();
    command.args(["run", "--quiet", "--package", "tir-analyzer", "--", "build"]);
    command.args(arguments(args, ws)?);
    let finished = process::run_shown(&mut command)?;
    Ok(if finished.success { Outcome::Passed } else { Outcome::Failed })
}

/// The arguments of `tir-analyzer build`.
fn arguments(args: &Args, ws: &Workspace) -> anyhow::Result<Vec<OsString>> {
    let paths =
        if args.paths.is_empty() { vec![ws.path(BUNDLED_MODELS)] } else { absolute(&args.paths)? };
    let mut words: Vec<OsString> = paths.into_iter().map(PathBuf::into).collect();
    let store = args.store.as_ref().map(std::path::absolute).transpose()?;
    let cuda_path = args.cuda_path.as_ref().map(std::path::absolute).transpose()?;
    let options: [(&str, Option<OsString>); 10] = [
        ("--target", Some(args.target.join(",").into())),
        ("--out", Some(out_dir(args, ws)?.into())),
        ("--store", store.map(PathBuf::into)),
        ("--store-limit", args.store_limit.as_ref().map(OsString::from)),
        ("--emit", args.emit.as_ref().map(OsString::from)),
        ("--cuda-path", cuda_path.map(PathBuf::into)),
        ("--jobs", args.jobs.map(|it| it.to_string().into())),
        ("--passes", args.passes.as_ref().map(OsString::from)),
        ("--since", args.since.as_ref().map(OsString::from)),
        ("--format", args.format.as_ref().map(OsString::from)),
    ];
    for (option, value) in options {
        words.extend(value.into_iter().flat_map(|it| [option.into(), it]));
    }
    let switches = [
        ("--watch", args.watch),
        ("--fmad", args.fmad),
        ("--ptxas", args.ptxas),
        ("--force", args.force),
        ("--prune", args.prune),
        ("--explain-rebuild", args.explain_rebuild),
        ("--verbose", args.verbose),
    ];
    words.extend(switches.iter().filter(|it| it.1).map(|it| OsString::from(it.0)));
    Ok(words)
}

fn out_dir(args: &Args, ws: &Workspace) -> anyhow::Result<PathBuf> {
    let is_default = args.out.as_os_str() == DEFAULT_OUT;
    Ok(if is_default { ws.path(DEFAULT_OUT) } else { std::path::absolute(&args.out)? })
}

fn absolute(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    paths.iter().map(|path| Ok(std::path::absolute(path)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn options_are_handed_on() {
        let ws = Workspace::find().unwrap();
        let words = "x . --target cuda:arch=sm_90 --target opencl --out /o --store-limit 1G --passes none --since HEAD --fmad --ptxas --emit ptx,cubin --watch -v";
        let cli = Cli::parse_from(words.split(' '));
        let words = arguments(&cli.args, &ws).unwrap();
        let words: Vec<_> = words[1..].iter().map(|it| it.to_string_lossy()).collect();
        assert_eq!(
            words.join(" "),
            "--target cuda:arch=sm_90,opencl --out /o --store-limit 1G --emit ptx,cubin --passes none --since HEAD --watch --fmad --ptxas --verbose"
        );
    }
}
