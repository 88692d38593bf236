//! The output of `build --emit` and `--ptxas`: metrics of each kernel, the savings of `cse`, and compilers' refusals.
//!
//! In: a report. Out: text, or JSON. It distinguishes values that the vendor's compiler would have shared anyway from
//! those that it would not; kernels in which nothing was shared are only counted.

use std::collections::BTreeMap;

use build_kernels::{BuildReport, KernelReport, Measured, Metrics, Verdict};
use serde_json::{Value, json};

use super::report::{SHOWN, more};
use crate::cli::{
    io::{self, Io, Styled, Tone},
    output::count,
};

/// For people.
pub(super) fn text(
    report: &BuildReport,
    verbose: bool,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<()> {
    let Some(compiled) = &report.compiled else { return Ok(()) };
    let measured = || report.kernels.iter().filter_map(|it| Some((it, it.binary()?)));
    for (kernel, failure) in
        measured().filter_map(|(it, binary)| Some((it, binary.failure.as_ref()?)))
    {
        let text = format!("not compiled: {}: {failure}", kernel.output());
        io::message(io.out, styled.out, Tone::Warning, &text)?;
    }
    let is_shown = |it: &(&KernelReport, &Measured)| {
        verbose || it.1.verdict().is_some_and(|it| it != Verdict::NothingShared)
    };
    let lines: Vec<String> =
        measured().filter(is_shown).filter_map(|it| line(it.0, it.1)).collect();
    let shown = if verbose { lines.len() } else { SHOWN };
    for line in lines.iter().take(shown) {
        writeln!(io.out, "{line}")?;
    }
    more(io, lines.len(), shown, "kernels with figures")?;
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for verdict in measured().filter_map(|it| it.1.verdict()) {
        *verdicts.entry(verdict).or_default() += 1;
    }
    if !verdicts.is_empty() {
        let words = verdicts.iter().map(|(verdict, n)| format!("{n} {}", words(*verdict)));
        writeln!(io.out, "cse: {}", words.collect::<Vec<_>>().join(", "))?;
    }
    writeln!(
        io.out,
        "{}: {} compiled, {} from the store, {} refused",
        compiled.compiler,
        count(compiled.run, "source"),
        compiled.found,
        compiled.failed
    )?;
    if let Some(helped) = &compiled.helped {
        let workers = helped.by_worker.iter().map(|(worker, n)| format!("{n} by {worker}"));
        let all: Vec<String> =
            std::iter::once(format!("{} compiled here", helped.here)).chain(workers).collect();
        writeln!(io.out, "{}: {}", helped.name, all.join(", "))?;
    }
    Ok(())
}

fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NothingShared => "with nothing in common",
        Verdict::FoundAnyway => "found by the compiler anyway",
        Verdict::Survives => "better",
        Verdict::Costs => "worse",
    }
}

/// `cuda/net/f_kernel.cu: 40 -> 32 instructions, 12 -> 14 registers: better`
fn line(kernel: &KernelReport, measured: &Measured) -> Option<String> {
    let after = measured.figures.as_ref()?;
    let before = measured.before.as_ref().unwrap_or(after);
    let pair = |before: u32, after: u32, what: &str| match before == after {
        true => format!("{after} {what}"),
        false => format!("{before} -> {after} {what}"),
    };
    let mut parts = Vec::new();
    if let (Some(before), Some(after)) = (before.instructions, after.instructions) {
        parts.push(pair(before, after, "instructions"));
    }
    parts.push(pair(before.registers, after.registers, "registers"));
    let figures = [
        (before.shared_bytes, after.shared_bytes, "bytes of shared memory"),
        (spilled(before), spilled(after), "bytes spilled"),
    ];
    parts.extend(figures.iter().filter(|it| it.0 + it.1 > 0).map(|it| pair(it.0, it.1, it.2)));
    let verdict = measured.verdict().map(|it| format!(": {}", words(it))).unwrap_or_default();
    Some(format!("{}: {}{verdict}", kernel.output(), parts.join(", ")))
}

fn spilled(figures: &Metrics) -> u32 {
    figures.spill_store_bytes.saturating_add(figures.spill_load_bytes)
}

/// For programs.
pub(super) fn json(measured: &Measured) -> Value {
    let figures = |it: &Metrics| {
        json!({
            "registers": it.registers, "sharedBytes": it.shared_bytes, "stackBytes": it.stack_bytes,
            "spillStoreBytes": it.spill_store_bytes, "spillLoadBytes": it.spill_load_bytes,
            "instructions": it.instructions,
        })
    };
    json!({
        "figures": measured.figures.as_ref().map(figures),
        "before": measured.before.as_ref().map(figures),
        "cse": measured.verdict().map(Verdict::name),
        "failure": measured.failure,
    })
}
