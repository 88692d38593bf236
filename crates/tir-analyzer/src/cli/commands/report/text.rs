//! The overview for people.

use super::{Overview, Saving, Spot, Twin};
use crate::cli::output::{count, visible::visible};

/// Entries of each list.
pub(super) const SHOWN: usize = 20;
/// Places of each entry.
const PLACES: usize = 6;
/// Values of each function.
const VALUES: usize = 5;

pub(super) const TITLE: &str = "Functions by the share of their work that is done twice";

/// The meaning of the figures.
pub(super) const MEANING: &str = "A loop counts with its extent, a load, a division and a call more than an addition \
    (`explain` tells the cost of a value); ~ where an extent is no constant and was taken as 64. A value that is part of another counts in both, but once in \
    the share of the function.";

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
    out.push_str(&format!("\n{TITLE}\n{MEANING}\n\n"));
    for function in overview.savings.iter().take(limit) {
        let all = function.savings.len();
        out.push_str(&format!(
            "  {:>6}  {} {}: {}\n",
            percent(function.share(), function.is_estimated()),
            place(&function.at),
            visible(&function.at.function),
            count(all, "value"),
        ));
        for it in function.savings.iter().take(VALUES) {
            out.push_str(&format!(
                "          {:>6}  {}: `{}` as `{}`{}\n",
                percent(function.share_of(it.total()), it.is_estimated),
                place(&it.at),
                visible(&it.expression),
                visible(&it.name),
                note(it)
            ));
        }
        if all > VALUES {
            out.push_str(&format!("                  and {} more\n", all - VALUES));
        }
    }
    more(overview.savings.len(), limit, out);
}

fn twins(title: &str, twins: &[Twin], limit: usize, out: &mut String) {
    if twins.is_empty() {
        return;
    }
    out.push_str(&format!("\n{title}\n"));
    for it in twins.iter().take(limit) {
        out.push_str(&format!("  {} in {}\n", visible(&it.what), count(it.places.len(), "place")));
        for at in it.places.iter().take(PLACES) {
            out.push_str(&format!("      {} ({})\n", place(at), visible(&at.function)));
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
    format!("{}:{}:{}", visible(&at.path), at.line, at.column)
}

/// A share, marked where it rests on a guess.
pub(super) fn percent(share: f64, is_estimated: bool) -> String {
    let mark = if is_estimated { "~" } else { "" };
    match share * 100.0 {
        it if it < 1.0 => format!("{mark}<1 %"),
        it => format!("{mark}{it:.0} %"),
    }
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
