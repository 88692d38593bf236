//! The output of `build`: text for people, JSON for programs.
//!
//! In: a report. Out: words. Lists are cut unless all is requested; reasons are always given.

use std::collections::{BTreeMap, BTreeSet};

use build_kernels::{
    BuildReport, Change, Helped, How, KernelReport, LayerReport, Outcome, Status, Work,
    manifest::UnsupportedFunction, reasons::INTERNAL,
};
use serde_json::{Value, json};

use super::{Shown, binaries};
use crate::cli::{
    args::BuildArgs,
    io::{self, Io, Styled, Tone},
    output::{count, visible::visible},
};

/// Lines of a list that are shown unless all are asked for.
pub(super) const SHOWN: usize = 20;
/// Functions that are told of each reason why functions are not built.
const OF_A_REASON: usize = 3;
/// Version of the JSON: raised when a field changes its meaning or goes.
const VERSION: u32 = 1;
/// Characters of a key that are shown.
const KEY: usize = 12;

/// The report for people.
pub(super) fn text(
    outcome: &Outcome,
    shown_files: &Shown,
    args: &BuildArgs,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<()> {
    let report = &outcome.report;
    if args.explain_rebuild {
        explain(report, io)?;
    } else {
        list(report, args, io)?;
    }
    refusals(report, shown_files, args, io, styled)?;
    for path in &report.removed {
        let path = path.strip_prefix(&io.folder).unwrap_or(path).display().to_string();
        writeln!(io.out, "removed {}", visible(&path))?;
    }
    others(outcome, args, io, styled)?;
    if report.work.repaired > 0 {
        let text = match report.work.repaired {
            1 => "1 broken entry of the store was replaced".to_owned(),
            n => format!("{n} broken entries of the store were replaced"),
        };
        io::message(io.out, styled.out, Tone::Warning, &text)?;
    }
    if let Some(shrunk) = report.shrunk {
        writeln!(
            io.out,
            "the store was over its limit: {} entries were removed, {} stay",
            shrunk.removed.entries, shrunk.kept.entries
        )?;
    }
    if args.verbose {
        for alias in &report.aliases {
            let all = alias.functions.iter().map(|it| format!("{} of {}", it.name, it.file));
            writeln!(io.out, "equal: {}", all.collect::<Vec<_>>().join(", "))?;
        }
    }
    binaries::text(report, args.verbose, io, styled)?;
    if let Some(helped) = &outcome.shards {
        let workers = helped.by_worker.iter().map(|(worker, n)| format!("{n} by {worker}"));
        let all: Vec<String> =
            std::iter::once(format!("{} lowered here", count(helped.here, "file")))
                .chain(workers)
                .collect();
        writeln!(io.out, "{}: {}", helped.name, all.join(", "))?;
    }
    let Work { found, generated, .. } = report.work;
    if found > 0 {
        writeln!(io.out, "store: {found} of {} found", count(found + generated, "artifact"))?;
    }
    if let Some(layer) = report.layer.as_ref().filter(|it| it.hits + it.kept > 0) {
        let LayerReport { name, hits, misses, kept, .. } = layer;
        let asked = hits + misses;
        writeln!(io.out, "shared cache {name}: {hits} of {asked} entries found, {kept} added")?;
    }
    if !report.aliases.is_empty() {
        writeln!(
            io.out,
            "{} functions are equal to others up to names: generated once, {} bytes of code that need no compiling",
            report.alias_count(),
            report.alias_bytes
        )?;
    }
    writeln!(io.out, "{}", summary(report))?;
    Ok(())
}

/// The last line: how many kernels there are, and where they came from.
fn summary(report: &BuildReport) -> String {
    let of = |is: fn(Status) -> bool| report.count(is);
    let untouched = report.untouched.kernels;
    let reused = of(|it| matches!(it, Status::Reused | Status::Alias)) + untouched;
    let mut parts = vec![
        format!("{} built", of(|it| matches!(it, Status::Built(_)))),
        format!("{reused} reused"),
    ];
    match of(|it| matches!(it, Status::Unchanged(_))) {
        0 => {}
        n => parts.push(format!("{n} generated again with the same result")),
    }
    match report.removed.len() {
        0 => {}
        n => parts.push(format!("{} removed", count(n, "output"))),
    }
    // A function that two targets refuse for different reasons is one.
    let refused: BTreeSet<_> = report.unsupported.iter().map(|it| (&it.file, &it.name)).collect();
    let refused = count(refused.len(), "function");
    let all = report.kernels.len() + untouched;
    format!("{}: {}; {refused} not built", count(all, "kernel"), parts.join(", "))
}

/// A function that was not built, for all targets that refuse it for one reason.
struct Refusal<'r> {
    it: &'r UnsupportedFunction,
    /// The details, with the targets of each.
    details: Vec<(&'r str, Vec<&'r str>)>,
}

impl<'r> Refusal<'r> {
    /// All of a report, in its order.
    fn of(report: &'r BuildReport) -> Vec<Refusal<'r>> {
        let mut all: Vec<Refusal<'r>> = Vec::new();
        let mut at = BTreeMap::new();
        for it in &report.unsupported {
            let key = (&it.file, it.line, it.column, &it.name, &it.reason);
            let at = *at.entry(key).or_insert_with(|| {
                all.push(Refusal { it, details: Vec::new() });
                all.len() - 1
            });
            let details = &mut all[at].details;
            match details.iter_mut().find(|(detail, _)| *detail == it.detail) {
                Some((_, targets)) => targets.push(&it.target),
                None => details.push((&it.detail, vec![&it.target])),
            }
        }
        all
    }

    /// `cuda, hip: why; for opencl: why`.
    fn text(&self) -> String {
        let of =
            |(detail, targets): &(&str, Vec<&str>)| format!("{}: {detail}", targets.join(", "));
        self.details.iter().map(of).collect::<Vec<_>>().join("; for ")
    }
}

/// Functions that were not built, by reason, the most frequent first: some of each, and how many more.
fn refusals(
    report: &BuildReport,
    shown_files: &Shown,
    args: &BuildArgs,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<()> {
    let mut by_reason: BTreeMap<&str, Vec<Refusal<'_>>> = BTreeMap::new();
    for it in Refusal::of(report) {
        by_reason.entry(&it.it.reason).or_default().push(it);
    }
    let mut groups: Vec<(&str, Vec<Refusal<'_>>)> = by_reason.into_iter().collect();
    groups.sort_by_key(|(reason, all)| (std::cmp::Reverse(all.len()), *reason));
    for (reason, all) in groups {
        // Mistakes of ours are told however many there are.
        let is_all = args.verbose || reason == INTERNAL.name();
        let shown = if is_all { all.len() } else { OF_A_REASON };
        for refusal in all.iter().take(shown) {
            let it = refusal.it;
            let (file, place) = (shown_files.get(&it.file).unwrap_or(&it.file), it.place());
            let text = format!(
                "{file}{}: `{}` is not built for {} [{reason}]",
                place.strip_prefix(&it.file).unwrap_or(&place),
                it.name,
                refusal.text(),
            );
            io::message(io.out, styled.out, Tone::Warning, &text)?;
        }
        more(io, all.len(), shown, &format!("functions that were not built [{reason}]"))?;
        if let Some(first) = all.first() {
            writeln!(io.out, "  help: {}", first.it.help())?;
        }
    }
    Ok(())
}

/// Reports the outputs of files that are gone.
fn others(
    outcome: &Outcome,
    args: &BuildArgs,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<()> {
    let gone = count(outcome.gone.len(), "file");
    match outcome.report.pruned.len() {
        0 if outcome.gone.is_empty() => {}
        0 if args.prune => {}
        0 => writeln!(io.out, "outputs of {gone} that are gone stay; --prune removes them")?,
        n => writeln!(io.out, "pruned: {} of {gone} that are gone", count(n, "output"))?,
    }
    if args.prune && !outcome.unknown.is_empty() {
        writeln!(
            io.out,
            "outputs of {} stay: their source is unknown",
            count(outcome.unknown.len(), "other file")
        )?;
    }
    if let Some(old) = &outcome.old_store {
        let text = format!(
            "{} is a store of an earlier version that nothing uses any more; it can be removed",
            old.display()
        );
        io::message(io.out, styled.out, Tone::Warning, &text)?;
    }
    Ok(())
}

fn list(report: &BuildReport, args: &BuildArgs, io: &mut Io<'_>) -> anyhow::Result<()> {
    let news: Vec<&KernelReport> =
        report.kernels.iter().filter(|it| args.verbose || is_news(it)).collect();
    let shown = if args.verbose { news.len() } else { SHOWN };
    for kernel in news.iter().take(shown) {
        writeln!(io.out, "{} {} ({})", what(kernel), kernel.output(), why(kernel))?;
    }
    more(io, news.len(), shown, "kernels")
}

fn is_news(kernel: &KernelReport) -> bool {
    kernel.status != Status::Reused || kernel.written || kernel.is_fetched
}

/// Explains the changed inputs: for all files, for each file, for each kernel.
fn explain(report: &BuildReport, io: &mut Io<'_>) -> anyhow::Result<()> {
    for Change { target, what, before, now } in &report.changes {
        writeln!(io.out, "{} for {}: {before} -> {now}", what, target.name())?;
    }
    for file in &report.files {
        let how = match (file.how, &file.worker) {
            (How::Kept, _) => continue,
            (How::Known, None) => "this text was seen before; not parsed".to_owned(),
            (How::Known, Some(worker)) => format!("a new text; parsed and lowered by {worker}"),
            (How::Parsed, _) => "a new text; parsed".to_owned(),
        };
        writeln!(io.out, "{}: {how}", file.file)?;
        for function in &file.lowered {
            writeln!(io.out, "  {function}: it, or what it captures, has a new text; lowered")?;
        }
        let kernels = report.kernels.iter().filter(|it| *it.file == *file.file);
        for kernel in kernels.filter(|it| is_news(it)) {
            let worker = kernel.worker.as_ref().map(|it| format!("; generated by {it}"));
            let origin = kernel.binary().and_then(|it| it.origin.as_ref());
            let origin = origin.map(|it| format!("; {}", it.text()));
            let origin = [worker, origin].into_iter().flatten().collect::<String>();
            writeln!(io.out, "  {} {} ({}{origin})", what(kernel), kernel.output(), why(kernel))?;
            if let Some(before) = &kernel.key_before {
                let key = kernel.key();
                let (structure_before, code_before) = parts(before);
                let (structure, code) = parts(&key);
                writeln!(
                    io.out,
                    "            structure {structure_before} -> {structure}, code {code_before} -> {code}"
                )?;
            }
        }
    }
    let kept = report.files.iter().filter(|it| it.how == How::Kept).count();
    let kept = kept + report.untouched.files;
    let Work { parsed, lowered, generated, found, written, .. } = report.work;
    writeln!(
        io.out,
        "{kept} of {} as they were; {parsed} parsed, {} lowered, {generated} generated, \
         {found} found in the store; {} written",
        count(report.files.len() + report.untouched.files, "file"),
        count(lowered, "function"),
        count(written, "file")
    )?;
    Ok(())
}

/// The beginnings of both parts of a key.
fn parts(key: &str) -> (&str, &str) {
    let (structure, code) = key.split_once('-').unwrap_or((key, ""));
    (structure.get(..KEY).unwrap_or(structure), code.get(..KEY).unwrap_or(code))
}

pub(super) fn more(io: &mut Io<'_>, n: usize, shown: usize, what: &str) -> anyhow::Result<()> {
    if n > shown {
        writeln!(io.out, "… and {} more {what} (--verbose lists all)", n - shown)?;
    }
    Ok(())
}

fn what(kernel: &KernelReport) -> &'static str {
    match (kernel.status, kernel.written) {
        (Status::Built(_), _) => "built    ",
        (Status::Unchanged(_), _) => "unchanged",
        (Status::Alias, _) => "alias    ",
        (Status::Reused, _) if kernel.is_fetched => "fetched  ",
        (Status::Reused, true) => "renamed  ",
        (Status::Reused, false) => "reused   ",
    }
}

fn why(kernel: &KernelReport) -> &'static str {
    match (kernel.status, kernel.written) {
        (Status::Built(why) | Status::Unchanged(why), _) => why.text(),
        (Status::Alias, _) => "equal up to names to one that was generated",
        (Status::Reused, _) if kernel.is_fetched => "code from the shared cache",
        (Status::Reused, true) => "code from the store, written with the names of the text",
        (Status::Reused, false) => "nothing changed",
    }
}

/// The report for programs, on one line.
pub(super) fn json(outcome: &Outcome) -> Value {
    let report = &outcome.report;
    let kernel = |it: &KernelReport| {
        json!({
            "target": it.target.name(), "file": &*it.file, "function": it.function(), "entry": it.entry(),
            "output": it.output(), "key": it.key(), "keyBefore": it.key_before,
            "status": it.status.name(), "why": it.status.why().map(|it| it.name()), "written": it.written,
            "fetched": it.is_fetched, "worker": it.worker, "binary": it.binary().map(binaries::json),
        })
    };
    let unsupported = |it: &UnsupportedFunction| {
        json!({
            "target": it.target, "file": it.file, "line": it.line, "column": it.column, "name": it.name,
            "reason": it.reason, "detail": it.detail, "help": it.help(),
        })
    };
    let how = |it: How| match it {
        How::Kept => "kept",
        How::Known => "known",
        How::Parsed => "parsed",
    };
    let helped = |it: &Helped| {
        let by_worker = it.by_worker.iter().map(|(worker, n)| ((**worker).to_owned(), json!(n)));
        json!({
            "address": it.name, "here": it.here, "unneeded": it.unneeded, "notes": it.notes,
            "byWorker": by_worker.collect::<serde_json::Map<_, _>>(),
        })
    };
    let failure = |(file, why): &(String, String)| json!({ "file": file, "message": why });
    let change = |it: &Change| {
        json!({
            "target": it.target.name(), "what": it.what, "before": it.before, "now": it.now,
        })
    };
    let Work { parsed, lowered, generated, found, written, repaired } = report.work;
    json!({
        "version": VERSION,
        "toolVersion": crate::version::NUMBER,
        "kernels": report.kernels.iter().map(kernel).collect::<Vec<_>>(),
        "unsupported": report.unsupported.iter().map(unsupported).collect::<Vec<_>>(),
        "aliases": report.aliases,
        "aliasBytes": report.alias_bytes,
        "files": report.files.iter().map(|it| json!({
            "file": it.file, "how": how(it.how), "worker": it.worker, "lowered": it.lowered,
        })).collect::<Vec<_>>(),
        "removed": report.removed.iter().map(|it| it.display().to_string()).collect::<Vec<_>>(),
        "pruned": report.pruned.iter().map(|it| it.display().to_string()).collect::<Vec<_>>(),
        "gone": outcome.gone,
        "unknown": outcome.unknown,
        "changes": report.changes.iter().map(change).collect::<Vec<_>>(),
        "work": {
            "parsed": parsed, "lowered": lowered, "generated": generated, "found": found,
            "written": written, "repaired": repaired,
        },
        "looks": { "stats": report.looks.stats, "reads": report.looks.reads },
        "untouched": { "files": report.untouched.files, "kernels": report.untouched.kernels },
        "compiled": report.compiled.as_ref().map(|it| json!({
            "compiler": it.compiler, "run": it.run, "found": it.found, "failed": it.failed,
            "workers": it.helped.as_ref().map(helped),
        })),
        "shards": outcome.shards.as_ref().map(helped),
        "sharedCache": report.layer.as_ref().map(|it| json!({
            "address": it.name, "hits": it.hits, "misses": it.misses, "bytesIn": it.bytes_in,
            "added": it.kept, "bytesOut": it.bytes_out, "notes": it.notes,
        })),
        "failures": outcome.failures.iter().map(failure).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests;
