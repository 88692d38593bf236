//! The system's C compiler: each source becomes two shared objects.
//!
//! - `strict`: C11, all warnings as errors, `-O2`, no OpenMP (its pragmas vanish), as in a user's build;
//! - `checked`: with OpenMP, and traps for overflow, shifts, null pointers and other undefined behaviour of C.
//!
//! Sources are compiled in batches; where a batch fails, each of its sources alone, so that an error has a name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::{Options, Target};

use crate::conformance::parallel;
use crate::process::run_quiet;
use crate::skip::Skip;

/// Sources of one batch.
const BATCH: usize = 12;

/// A name, and flags.
type Way = (&'static str, &'static [&'static str]);

/// How libraries are compiled.
const WAYS: [Way; 2] = [
    ("strict", &["-O2", "-Wall", "-Wextra", "-Werror"]),
    ("checked", &["-O1", "-fopenmp", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]),
];

/// The libraries of each source, or the compiler's complaint.
pub(super) type Compiled = BTreeMap<PathBuf, Result<Vec<PathBuf>, String>>;

/// A compiler that was found.
pub(super) struct Compiler {
    program: &'static str,
    /// The first line of its version message.
    pub(super) version: String,
}

impl Compiler {
    /// The compiler that `cc` is.
    pub(super) fn find() -> Result<Compiler, Skip> {
        let program = "cc";
        let said = run_quiet(Command::new(program).arg("--version"))
            .map_err(|error| Skip::new("c", format!("no C compiler: {error:#}")))?;
        let version = said.lines().next().unwrap_or_default().to_owned();
        Ok(Compiler { program, version })
    }

    fn compile(&self, flags: &[&str], sources: &[PathBuf], out: &Path) -> Result<(), String> {
        let mut command = Command::new(self.program);
        command.args(Target::C.compile_flags(&Options::default()));
        command.args(flags).args(["-fPIC", "-shared", "-o"]).arg(out).args(sources).arg("-lm");
        run_all_said(&mut command)
    }
}

/// Compiles all sources: those that are called in both ways, `others` as users do only, to see that they compile.
pub(super) fn all(
    compiler: &Compiler,
    dir: &Path,
    called: &[PathBuf],
    others: &[PathBuf],
) -> Compiled {
    let sources = || called.iter().chain(others);
    if let Err(error) = std::fs::create_dir_all(dir) {
        let failed = Err(format!("cannot make {}: {error}", dir.display()));
        return sources().map(|it| (it.clone(), failed.clone())).collect();
    }
    let in_both = called.chunks(BATCH).map(|it| (it, &WAYS[..]));
    let batches = in_both.chain(others.chunks(BATCH).map(|it| (it, &WAYS[..1])));
    let batches: Vec<_> = batches.enumerate().collect();
    let compiled = parallel(&batches, |(index, (batch, ways))| {
        let name = |part: &str| dir.join(format!("b{index}{part}"));
        match libraries(compiler, ways, &|way| name(&format!(".{way}.so")), batch) {
            Ok(libraries) => batch.iter().map(|it| (it.clone(), Ok(libraries.clone()))).collect(),
            Err(_) => {
                let alone = |(at, source): (usize, &PathBuf)| {
                    let out = |way: &str| name(&format!("_{at}.{way}.so"));
                    let made = libraries(compiler, ways, &out, std::slice::from_ref(source));
                    (source.clone(), made)
                };
                batch.iter().enumerate().map(alone).collect::<Vec<_>>()
            }
        }
    });
    compiled.into_iter().flatten().collect()
}

fn libraries(
    compiler: &Compiler,
    ways: &[Way],
    out: &dyn Fn(&str) -> PathBuf,
    sources: &[PathBuf],
) -> Result<Vec<PathBuf>, String> {
    let mut made = Vec::new();
    for (way, flags) in ways {
        let path = out(way);
        compiler.compile(flags, sources, &path)?;
        made.push(path);
    }
    Ok(made)
}

/// Runs a command; on failure its first complaint.
fn run_all_said(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("cannot start the compiler: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let complaint = said.lines().find(|it| it.contains("error") || it.contains("warning"));
    Err(format!("the compiler: {}", complaint.or(said.lines().next()).unwrap_or_default()))
}
