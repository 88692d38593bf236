//! Equal and dead operations of MLIR: our preset beside the peer's own pass, `mlir-opt -cse` and `iree-opt -cse`.
//!
//! In: a corpus whose files `X.mlir` and `X.generic.mlir` have the peer's answer `X.cse.generic.mlir` beside them; of
//! folders named `iree` or `compiler` the answer is of LLVM 24, of all others of LLVM 19. Out: a report. Each file is
//! compared in two ways:
//!
//! * *structure*: our output and the answer, both read by us, are equal up to names. This needs no peer;
//! * *peer*: the peer reads our output and prints it in its generic form, which must equal its print of its own pass
//!   over the input.
//!
//! The rules are the peer's own (`--allow-unsound`). Beside that the report counts the functions that our interpreter
//! executes, and the pairs `X.mlir` and `X.generic.mlir` that are one program to us; operations whose two forms are
//! known to say different things are named.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use frontend::{
    mlir::{self, Difference, Shapes},
    ops,
};
use ir::{effects::EffectTable, plan::Preset};
use syntax::{Edit, TextEdit, TextSize};
use transform::ops::{OpOptions, plan};

use crate::conformance::report::{Report, Target};
use crate::conformance::{mlir_run, parallel};
use crate::skip::Skip;
use crate::venv::Venv;
use crate::workspace::Workspace;
use crate::{process, system};

const KINDS: &[&str] = &[
    "same",
    "differs",
    "peer same",
    "peer differs",
    "no peer",
    "executed",
    "not executed",
    "pair same",
    "pair differs",
];

/// The place where Debian's package puts the tool.
const MLIR_OPT: &[&str] = &["/usr/lib/llvm-19/bin/mlir-opt", "mlir-opt-19", "mlir-opt"];
const MLIR_PACKAGE: &str = "mlir-19-tools";
const IREE_PACKAGES: &[&str] = &["iree-base-compiler==3.13.0"];

/// One input and the peer's answer.
struct File {
    group: String,
    name: String,
    path: PathBuf,
    text: String,
    answer: String,
}

impl File {
    fn preset(&self) -> Preset {
        let is_of_iree = self.group.starts_with("iree") || self.group == "compiler";
        if is_of_iree { Preset::Mlir24 } else { Preset::Mlir19 }
    }

    fn label(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }
}

/// The peers that could be had.
struct Peers {
    mlir: Result<PathBuf, Skip>,
    iree: Result<PathBuf, Skip>,
}

/// The result of comparing one file.
struct Verdict {
    structure: Result<(), String>,
    /// None without a peer.
    peer: Option<Result<(), String>>,
    /// Of each function: why our interpreter does not execute it, if it does not.
    executed: Vec<Option<String>>,
    /// The differences from the generic form; `None` for a file without one.
    pair: Option<Vec<Difference>>,
}

/// Compares all files of a corpus. With `quick`, the structure of files of IREE is compared with the answers only: its
/// package is large.
pub(crate) fn compare(
    ws: &Workspace,
    corpus: &Path,
    filter: Option<&str>,
    quick: bool,
) -> anyhow::Result<Report> {
    let files = read(corpus, filter)?;
    let has = |preset: Preset| files.iter().any(|it| it.preset() == preset);
    let absent = |what: &str| Err(Skip::new(what, "no file asks for it"));
    let peers = Peers {
        mlir: if has(Preset::Mlir19) { mlir_opt() } else { absent("mlir-opt") },
        iree: match has(Preset::Mlir24) {
            true if quick => Err(Skip::new("iree-opt", "its answers are there")),
            true => iree_opt(ws),
            false => absent("iree-opt"),
        },
    };
    let mut report = Report::new("Our preset `mlir` beside the peer's own pass", KINDS);
    for (name, peer) in [("mlir-opt", &peers.mlir), ("iree-opt", &peers.iree)] {
        match peer {
            Ok(path) => report.note(format!("{name}: {}", version(path))),
            Err(skip) => report.note(format!("{skip}")),
        }
    }
    let verdicts = parallel(&files, |file| judge(file, &peers));
    for (file, verdict) in files.iter().zip(verdicts) {
        count(&mut report, file, verdict);
    }
    targets(&mut report, &files);
    Ok(report)
}

fn count(report: &mut Report, file: &File, verdict: Verdict) {
    match verdict.structure {
        Ok(()) => report.count(&file.group, "same"),
        Err(why) => {
            report.count(&file.group, "differs");
            report.list(0, "not the peer's answer", format!("{}: {why}", file.label()));
        }
    }
    for reason in verdict.executed {
        match reason {
            None => report.count(&file.group, "executed"),
            Some(why) => {
                report.count(&file.group, "not executed");
                report.tally(0, "functions that the interpreter does not execute", why, 1);
            }
        }
    }
    if let Some(all) = verdict.pair {
        let (known, others): (Vec<_>, Vec<_>) = all.iter().partition(|it| it.is_of_forms());
        for it in known {
            let title = "operations whose two forms say different things";
            report.tally(2, title, it.what(), 1);
        }
        report.count(&file.group, if others.is_empty() { "pair same" } else { "pair differs" });
        if let Some(it) = others.first() {
            let line = format!("{}: {}: {} / {}", file.label(), it.what(), it.left, it.right);
            report.list(2, "otherwise in the generic form", line);
        }
    }
    match verdict.peer {
        None => report.count(&file.group, "no peer"),
        Some(Ok(())) => report.count(&file.group, "peer same"),
        Some(Err(why)) => {
            report.count(&file.group, "peer differs");
            report.list(1, "printed otherwise by the peer", format!("{}: {why}", file.label()));
        }
    }
}

fn targets(report: &mut Report, files: &[File]) {
    let all = files.len();
    let iree = files.iter().filter(|it| it.preset() == Preset::Mlir24).count();
    // The corpus of compilers may miss a few; everything else must be exact.
    let least = if iree > 0 { 97.0 } else { 100.0 };
    let same = report.total("same");
    report.target(Target { what: "files with the peer's operations", least }, same, all);
    let judged = report.total("peer same") + report.total("peer differs");
    if judged > 0 {
        let what = "files that the peer prints as its own result";
        report.target(Target { what, least }, report.total("peer same"), judged);
    }
    let pairs = report.total("pair same") + report.total("pair differs");
    if pairs > 0 {
        let what = "files that are the program of their generic form";
        report.target(Target { what, least: 100.0 }, report.total("pair same"), pairs);
    }
}

// ---- files ----

fn read(corpus: &Path, filter: Option<&str>) -> anyhow::Result<Vec<File>> {
    let mut folders = vec![corpus.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read the folder {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(file) = file(&path)?
                && filter.is_none_or(|it| file.label().contains(it))
            {
                files.push(file);
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    anyhow::ensure!(!files.is_empty(), "no file of MLIR with an answer under {}", corpus.display());
    Ok(files)
}

/// The input at a path, if it is one and has an answer.
fn file(path: &Path) -> anyhow::Result<Option<File>> {
    let Some(name) = path.file_name().and_then(|it| it.to_str()) else { return Ok(None) };
    let Some(stem) = name.strip_suffix(".mlir") else { return Ok(None) };
    let base = stem.strip_suffix(".generic").unwrap_or(stem);
    let answer = path.with_file_name(format!("{base}.cse.generic.mlir"));
    if base.ends_with(".cse") || !answer.is_file() {
        return Ok(None);
    }
    let text = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    Ok(Some(File {
        group: folder.to_string_lossy().into_owned(),
        name: stem.to_owned(),
        path: path.to_owned(),
        text: text(path)?,
        answer: text(&answer)?,
    }))
}

// ---- our side ----

fn judge(file: &File, peers: &Peers) -> Verdict {
    let ours = optimize(&file.text, file.preset(), true);
    let structure = ours.as_deref().map_err(Clone::clone).and_then(|ours| {
        let (ours, theirs) = (structure(ours), structure(&file.answer));
        if ours == theirs { Ok(()) } else { Err(first_difference(&ours, &theirs)) }
    });
    let peer = match file.preset() {
        Preset::Mlir24 => peers.iree.as_ref(),
        _ => peers.mlir.as_ref(),
    };
    let peer = peer.ok().map(|tool| {
        let theirs = run_peer(tool, &file.text, true)?;
        let ours = run_peer(tool, &ours?, false)?;
        if ours == theirs { Ok(()) } else { Err(first_difference(&ours, &theirs)) }
    });
    // The generic form of a file has the same functions.
    let is_generic = file.name.ends_with(".generic");
    let executed = if is_generic { Vec::new() } else { mlir_run::executed(&file.text) };
    let generic = file.path.with_file_name(format!("{}.generic.mlir", file.name));
    let generic = if is_generic { None } else { std::fs::read_to_string(generic).ok() };
    let pair = generic.map(|generic| differences(&file.text, &generic));
    Verdict { structure, peer, executed, pair }
}

/// Returns the place where two texts are not the same program.
fn differences(left: &str, right: &str) -> Vec<Difference> {
    let bodies = |text: &str| {
        let mut bodies = Vec::new();
        mlir::lower_file(text, Shapes::builtin(), &mut |unit| bodies.push(unit.lowered.body));
        bodies
    };
    let (left, right) = (bodies(left), bodies(right));
    let mut all: Vec<Difference> =
        left.iter().zip(&right).flat_map(|(a, b)| mlir::differences(a, b)).collect();
    if left.len() != right.len() {
        let [left, right] = [left.len(), right.len()].map(|it| format!("{it} units"));
        all.push(Difference { operation: String::new(), part: "shape", left, right });
    }
    all
}

/// A text after our plan.
pub(crate) fn optimize(text: &str, preset: Preset, allow_unsound: bool) -> Result<String, String> {
    let options = OpOptions { preset, allow_unsound };
    let mut edits = Vec::new();
    mlir::lower_file(text, Shapes::builtin(), &mut |unit| {
        let (body, map) = (&unit.lowered.body, &unit.lowered.source_map);
        let plan = plan(body, EffectTable::builtin(), &options);
        let start = TextSize::new(unit.offset as u32);
        let of_unit = ops::edits(&text[unit.offset..], map, body, &plan).into_edits();
        edits.extend(of_unit.into_iter().map(|it| Edit::replace(it.range + start, it.text)));
    });
    let edits = TextEdit::from_edits(edits).map_err(|it| it.to_string())?;
    Ok(edits.apply(text))
}

/// All of a text that is no name.
fn structure(text: &str) -> String {
    let mut out = String::new();
    mlir::lower_file(text, Shapes::builtin(), &mut |unit| {
        out.push_str(&format!("unit {}\n", unit.lowered.body.name));
        out.push_str(&without_module(&ir::print::generic(&unit.lowered.body)));
    });
    out
}

/// Returns the text inside the module around everything, which the peer also writes where the input leaves it out.
fn without_module(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    let inner = match lines.as_slice() {
        [first, inner @ .., last]
            if *first == "\"builtin.module\"() ({" && last.starts_with("})") =>
        {
            inner
        }
        lines => lines,
    };
    inner.iter().flat_map(|it| [it.trim_start(), "\n"]).collect()
}

pub(crate) fn first_difference(ours: &str, theirs: &str) -> String {
    let lines = ours.lines().zip(theirs.lines());
    match lines.into_iter().find(|(a, b)| a != b) {
        Some((a, b)) => format!("`{}` for `{}`", a.trim(), b.trim()),
        None => format!("{} lines for {}", ours.lines().count(), theirs.lines().count()),
    }
}

// ---- peers ----

/// MLIR's own tool, installed if it can be.
pub(crate) fn mlir_opt() -> Result<PathBuf, Skip> {
    system::find_or_install("mlir-opt", &[MLIR_PACKAGE], || {
        let found = MLIR_OPT.iter().find(|it| process::exists(it, "--version"));
        found.map(PathBuf::from).ok_or("no program of that name")
    })
}

fn iree_opt(ws: &Workspace) -> Result<PathBuf, Skip> {
    let venv = Venv::with_packages(ws, "iree", IREE_PACKAGES)?;
    Ok(venv.python().with_file_name("iree-opt"))
}

pub(crate) fn version(tool: &Path) -> String {
    let text = process::run_quiet(Command::new(tool).arg("--version")).unwrap_or_default();
    let line = text.lines().map(str::trim).find(|it| it.contains("version"));
    line.unwrap_or("no version").to_owned()
}

/// The generic form that the peer prints, after its own pass or without it.
fn run_peer(tool: &Path, text: &str, with_cse: bool) -> Result<String, String> {
    let file = tempfile::NamedTempFile::with_suffix(".mlir").map_err(|it| it.to_string())?;
    std::fs::write(file.path(), text).map_err(|it| it.to_string())?;
    let mut command = Command::new(tool);
    command.args(["--mlir-print-op-generic", "--allow-unregistered-dialect"]);
    if with_cse {
        command.arg("--cse");
    }
    process::run_quiet(command.arg(file.path())).map_err(|it| format!("{it:#}"))
}
