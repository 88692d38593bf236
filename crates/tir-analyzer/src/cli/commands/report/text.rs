//! The overview for people.

use super::{Overview, Saving, Spot, Twin};
use crate::cli::output::count;

/// Entries of each list.
pub(super) const SHOWN: usize = 20;
/// Places of each entry.
const PLACES: usize = 6;

pub(super) fn report(overview: &Overview, limit: usize) -> String {
    let mut out = format!(
        "{} in {}\n",
        count(overview.n_functions, "function"),
        count(overview.n_files, "file")
    );
    savings(overview, limit, &mut out);
    twins("Functions that are equal up to names", &overview.functions, limit, &mut out);
    twins("Expressions in several functions", &overview.expressions, limit, &mut out);
    if !overview.refused.is_empty() {
        out.push_str("\nFound and left alone, by reason (`tir-analyzer explain REASON`)\n");
        for (reason, n) in &overview.refused {
            out.push_str(&format!("  {n:>8}  {reason}\n"));
        }
    }
    out
}

fn savings(overview: &Overview, limit: usize, out: &mut String) {
    if overview.savings.is_empty() {
        out.push_str("\nNothing is computed twice that could be computed once.\n");
        return;
    }
    out.push_str(
        "\nOperations that one call saves, largest first (~ where an extent is a guess)\n",
    );
    for it in overview.savings.iter().take(limit) {
        out.push_str(&format!(
            "  {:>12}  {}: `{}` as `{}`{}\n",
            total(it),
            place(&it.at),
            it.expression,
            it.name,
            note(it)
        ));
    }
    more(overview.savings.len(), limit, out);
}

fn twins(title: &str, twins: &[Twin], limit: usize, out: &mut String) {
    if twins.is_empty() {
        return;
    }
    out.push_str(&format!("\n{title}\n"));
    for it in twins.iter().take(limit) {
        out.push_str(&format!("  {} in {}\n", it.what, count(it.places.len(), "place")));
        for at in it.places.iter().take(PLACES) {
            out.push_str(&format!("      {} ({})\n", place(at), at.function));
        }
        if it.places.len() > PLACES {
            out.push_str(&format!("      and {} more\n", it.places.len() - PLACES));
        }
    }
    more(twins.len(), limit, out);
}

fn more(n: usize, limit: usize, out: &mut String) {
    if n > limit {
        out.push_str(&format!("  and {} more (`--limit {n}` shows all)\n", n - limit));
    }
}

/// `a.py:3:5`
pub(super) fn place(at: &Spot) -> String {
    format!("{}:{}:{}", at.path, at.line, at.column)
}

/// Operations, marked where they are a guess.
pub(super) fn total(it: &Saving) -> String {
    let mark = if it.is_estimated { "~" } else { "" };
    format!("{mark}{}", number(it.total()))
}

/// A number that people can read: three digits and a unit beyond a thousand.
pub(super) fn number(n: f64) -> String {
    let mut n = n;
    for unit in ["", " k", " M", " G", " T", " P"] {
        if n < 1000.0 {
            return if unit.is_empty() { format!("{n:.0}") } else { format!("{n:.1}{unit}") };
        }
        n /= 1000.0;
    }
    format!("{n:.0} E")
}

fn note(it: &Saving) -> &'static str {
    match (it.is_reuse, it.is_informational) {
        (true, _) => " (which is there)",
        (false, true) => " (blocks can still be scheduled: `fix` leaves it alone)",
        (false, false) => "",
    }
}
