//! Equal and dead operations in other people's MLIR: our preset `mlir` beside `mlir-opt -cse`, on every document that
//! `mlir-opt` reads, and what it says to the result of the preset `default`.
//!
//! In: folders with `.mlir` files, cut as in [`upstream_mlir`](super::upstream_mlir). The peer prints the generic form
//! of four texts of a document: as it is, after its own pass, after our preset `mlir` (with the peer's own rules,
//! `--allow-unsound`), after our preset `default`. The second and the third have to be equal; the fourth has to be
//! there. Where the peer refuses a text of ours it is asked about the result of its own pass too: what it refuses as
//! well says nothing about us, as a dialect that was loaded only because an unused operation named it. Documents of
//! one file are given to the peer together, and one by one if it ends on them.
//!
//! The peer may be the tool of another project (`--tool`); our preset is that of its version of LLVM.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use ir::plan::Preset;

use crate::conformance::mlir::{first_difference, mlir_opt, optimize, version};
use crate::conformance::parallel;
use crate::conformance::report::{Report, Target};
use crate::conformance::upstream_mlir::{Document, MARKER, documents};
use crate::skip::Skip;

const KINDS: &[&str] =
    &["not read", "equal", "of changed", "differs", "pass fails", "accepted", "refused"];

/// The options with which the peer prints.
const PRINTED: &[&str] = &["--mlir-print-op-generic", "--allow-unregistered-dialect"];

/// The comparison of one document.
enum Verdict {
    /// The peer does not read it.
    NotRead,
    /// The peer's own pass does not come to an end, or leaves what the peer does not read.
    PassFails,
    Read {
        /// True if the peer's pass changes something.
        is_changed: bool,
        /// The first difference between the two results.
        difference: Option<String>,
        /// The fault of the text after the preset `default`.
        refused: Option<String>,
    },
}

/// The tool that is asked.
struct Peer {
    path: PathBuf,
    /// Our preset with the rules of its version of LLVM.
    preset: Preset,
}

impl Peer {
    /// A tool, or MLIR's own one.
    fn find(tool: Option<&Path>) -> Result<Peer, Skip> {
        let path = tool.map_or_else(mlir_opt, |it| Ok(it.to_owned()))?;
        let preset = preset_of(&version(&path));
        Ok(Peer { path, preset })
    }
}

/// The preset with the rules of the version that a tool states; those of LLVM 19 if it states none.
fn preset_of(version: &str) -> Preset {
    let number = version.rsplit_once("version ").map_or("", |it| it.1);
    let major = number.split('.').next().and_then(|it| it.parse::<u32>().ok());
    if major.is_some_and(|it| it > 19) { Preset::Mlir24 } else { Preset::Mlir19 }
}

/// Compares all documents of the folders, by `tool` or `mlir-opt`.
pub(crate) fn compare(
    folders: &[PathBuf],
    filter: Option<&str>,
    tool: Option<&Path>,
) -> anyhow::Result<Result<Report, Skip>> {
    let peer = match Peer::find(tool) {
        Ok(peer) => peer,
        Err(skip) => return Ok(Err(skip)),
    };
    let name = peer.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let title = format!("Our presets on documents of MLIR beside `{name} -cse`");
    let mut report = Report::new(&title, KINDS);
    report.note(format!("{name}: {}", version(&peer.path)));
    for folder in folders {
        let documents = documents(folder, filter, None)?;
        let files: Vec<&[Document]> = documents.chunk_by(|a, b| a.file == b.file).collect();
        let verdicts = parallel(&files, |file| judge(&peer, file));
        for (document, verdict) in documents.iter().zip(verdicts.into_iter().flatten()) {
            count(&mut report, document, verdict);
        }
    }
    let (equal, differs) = (report.total("equal"), report.total("differs"));
    let what = "documents with the result of the peer's pass";
    report.target(Target { what, least: 99.0 }, equal, equal + differs);
    let (accepted, refused) = (report.total("accepted"), report.total("refused"));
    let what = "documents that the peer reads after the preset `default`";
    report.target(Target { what, least: 100.0 }, accepted, accepted + refused);
    Ok(Ok(report))
}

/// Sorts a document into the columns.
fn count(report: &mut Report, document: &Document, verdict: Verdict) {
    let project = &document.project;
    let label = format!("{} line {}", document.label(), document.line);
    let (is_changed, difference, refused) = match verdict {
        Verdict::NotRead => return report.count(project, "not read"),
        Verdict::PassFails => {
            report.list(2, "the peer's pass fails", label);
            return report.count(project, "pass fails");
        }
        Verdict::Read { is_changed, difference, refused } => (is_changed, difference, refused),
    };
    match difference {
        None => {
            report.count(project, "equal");
            if is_changed {
                report.count(project, "of changed");
            }
        }
        Some(why) => {
            report.count(project, "differs");
            report.list(0, "not the result of the peer's pass", format!("{label}: {why}"));
        }
    }
    match refused {
        None => report.count(project, "accepted"),
        Some(why) => {
            report.count(project, "refused");
            report.list(1, "not read after the preset `default`", format!("{label}: {why}"));
        }
    }
}

fn judge(peer: &Peer, file: &[Document]) -> Vec<Verdict> {
    let (peer, preset) = (peer.path.as_path(), peer.preset);
    let texts: Vec<String> = file.iter().map(|it| it.text.clone()).collect();
    let before = printed(peer, &texts, &[]);
    let read: Vec<usize> = (0..texts.len()).filter(|&at| before[at].is_ok()).collect();
    let of_read = |work: &dyn Fn(&str) -> Option<String>| -> Vec<String> {
        read.iter().map(|&at| work(&texts[at]).unwrap_or_else(|| "%".to_owned())).collect()
    };
    let theirs = printed(peer, &of_read(&|it| Some(it.to_owned())), &["--cse"]);
    let ours = printed(peer, &of_read(&|it| optimize(it, preset, true).ok()), &[]);
    let default = printed(peer, &of_read(&|it| optimize(it, Preset::Default, false).ok()), &[]);
    let mut verdicts: Vec<Verdict> = before.iter().map(|_| Verdict::NotRead).collect();
    for (((at, theirs), ours), default) in read.into_iter().zip(theirs).zip(ours).zip(default) {
        let Ok(theirs) = theirs else {
            verdicts[at] = Verdict::PassFails;
            continue;
        };
        let is_refused = ours.is_err() || default.is_err();
        if is_refused && printed(peer, std::slice::from_ref(&theirs), &[])[0].is_err() {
            verdicts[at] = Verdict::PassFails;
            continue;
        }
        let difference = match ours {
            Ok(ours) => (ours != theirs).then(|| first_difference(&ours, &theirs)),
            Err(why) => Some(why),
        };
        let is_changed = before[at].as_ref() != Ok(&theirs);
        verdicts[at] = Verdict::Read { is_changed, difference, refused: default.err() };
    }
    verdicts
}

/// The generic forms that the peer prints for texts, or its first error.
fn printed(peer: &Path, texts: &[String], passes: &[&str]) -> Vec<Result<String, String>> {
    let are_cut = texts.iter().any(|it| it.contains(MARKER));
    if texts.len() > 1 && !are_cut {
        let together = texts.join(&format!("\n{MARKER}\n"));
        if let Ok((said, error)) = run(peer, &together, passes, true) {
            let parts: Vec<&str> = said.split("// -----\n").map(str::trim).collect();
            if parts.len() == texts.len() {
                let whole = |it: &&str| match it.is_empty() {
                    true => Err(error.clone()),
                    false => Ok((*it).to_owned()),
                };
                return parts.iter().map(whole).collect();
            }
        }
    }
    let alone = |text: &String| match run(peer, text, passes, false) {
        Ok((said, _)) if !said.trim().is_empty() => Ok(said.trim().to_owned()),
        Ok((_, error)) => Err(error),
        Err(error) => Err(format!("{error:#}")),
    };
    texts.iter().map(alone).collect()
}

/// The peer's output for a text, and its first error; an error if it does not end as it should.
fn run(peer: &Path, text: &str, passes: &[&str], is_cut: bool) -> anyhow::Result<(String, String)> {
    let file = tempfile::NamedTempFile::with_suffix(".mlir")?;
    std::fs::write(file.path(), text)?;
    let mut command = Command::new(peer);
    command.args(PRINTED).args(passes);
    if is_cut {
        command.arg("--split-input-file");
    }
    let output = command.arg(file.path()).output().context("cannot run the peer")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let error = said.lines().find_map(|it| it.split_once(" error: "));
    let error = error.map_or("no error", |it| it.1).to_owned();
    anyhow::ensure!(matches!(output.status.code(), Some(0 | 1)), "{}", output.status);
    Ok((String::from_utf8(output.stdout).context("no text")?, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preset_is_that_of_the_version_of_the_tool() {
        let of = |version| preset_of(version);
        assert_eq!(of("Debian LLVM version 19.1.7"), Preset::Mlir19);
        assert_eq!(of("LLVM version 24.0.0git"), Preset::Mlir24);
        assert_eq!(of("no version"), Preset::Mlir19);
    }
}
