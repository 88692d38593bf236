//! The overview as one page: a chart and tables, without anything from outside.

use ide::shortened;

use super::{
    Overview, Saving, Twin,
    text::{number, place, total},
};

/// Bars of the chart.
const BARS: usize = 20;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;width:100%;margin:1em 0}\
th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid #8884;vertical-align:top}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
code{font:13px ui-monospace,monospace}\
svg{width:100%;height:auto;font:12px ui-monospace,monospace}\
.bar{fill:#3b7dd8}.guess{fill:#8fb4e3}text{fill:currentColor}\
.places{color:#888;font-size:13px}";

pub(super) fn page(overview: &Overview, limit: usize) -> String {
    let mut out = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>tir-analyzer report</title>\n<style>",
    );
    out.push_str(STYLE);
    out.push_str("</style>\n</head>\n<body>\n<h1>What is computed more than once</h1>\n");
    out.push_str(&format!(
        "<p>{} functions in {} files; {} values could be computed once.</p>\n",
        overview.n_functions,
        overview.n_files,
        overview.savings.len()
    ));
    if !overview.savings.is_empty() {
        out.push_str("<h2>Operations that one call saves</h2>\n");
        chart(&overview.savings, &mut out);
        out.push_str(
            "<p class=\"places\">The scale is logarithmic. Light bars: an extent is not a constant and was taken as 64.</p>\n",
        );
        savings(&overview.savings, limit, &mut out);
    }
    twins("Functions that are equal up to names", &overview.functions, limit, &mut out);
    twins("Expressions in several functions", &overview.expressions, limit, &mut out);
    refused(overview, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

/// Bars by the logarithm: savings differ by orders of magnitude.
fn chart(savings: &[Saving], out: &mut String) {
    const WIDTH: f64 = 1000.0;
    const ROW: usize = 24;
    const LEFT: f64 = 420.0;
    let shown = &savings[..savings.len().min(BARS)];
    let length = |n: f64| (1.0 + n.max(0.0)).log10();
    let longest = shown.iter().map(|it| length(it.total())).fold(0.0, f64::max).max(1e-9);
    out.push_str(&format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"Operations saved, logarithmic\">\n",
        shown.len() * ROW + 4
    ));
    for (row, it) in shown.iter().enumerate() {
        let y = row * ROW;
        let width = (WIDTH - LEFT - 90.0) * length(it.total()) / longest;
        let class = if it.is_estimated { "bar guess" } else { "bar" };
        out.push_str(&format!(
            "<g><title>{}: {}</title><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{width:.1}\" height=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{}\">{}</text></g>\n",
            escaped(&place(&it.at)),
            escaped(&it.expression),
            LEFT - 8.0,
            y + 17,
            escaped(&shortened(&it.expression, 50)),
            y + 4,
            ROW - 8,
            LEFT + width + 6.0,
            y + 17,
            escaped(&total(it)),
        ));
    }
    out.push_str("</svg>\n");
}

fn savings(all: &[Saving], limit: usize, out: &mut String) {
    out.push_str(
        "<table><tr><th class=\"n\">operations</th><th class=\"n\">cost</th><th class=\"n\">evaluations</th>\
         <th>value</th><th>name</th><th>place</th></tr>\n",
    );
    for it in all.iter().take(limit) {
        out.push_str(&format!(
            "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td><code>{}</code></td>\
             <td><code>{}</code></td><td>{} ({})</td></tr>\n",
            escaped(&total(it)),
            it.cost,
            number(it.evaluations),
            escaped(&it.expression),
            escaped(&it.name),
            escaped(&place(&it.at)),
            escaped(&it.at.function),
        ));
    }
    out.push_str("</table>\n");
    more(all.len(), limit, out);
}

fn twins(title: &str, all: &[Twin], limit: usize, out: &mut String) {
    if all.is_empty() {
        return;
    }
    out.push_str(&format!(
        "<h2>{title}</h2>\n<table><tr><th>what</th><th class=\"n\">places</th><th>where</th></tr>\n"
    ));
    for it in all.iter().take(limit) {
        let places: Vec<String> = it
            .places
            .iter()
            .take(20)
            .map(|at| format!("{} ({})", escaped(&place(at)), escaped(&at.function)))
            .collect();
        let rest = if it.places.len() > 20 { "<br>…" } else { "" };
        out.push_str(&format!(
            "<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"places\">{}{rest}</td></tr>\n",
            escaped(&it.what),
            it.places.len(),
            places.join("<br>")
        ));
    }
    out.push_str("</table>\n");
    more(all.len(), limit, out);
}

fn refused(overview: &Overview, out: &mut String) {
    if overview.refused.is_empty() {
        return;
    }
    out.push_str(
        "<h2>Found and left alone</h2>\n<table><tr><th class=\"n\">groups</th><th>reason</th></tr>\n",
    );
    for (reason, n) in &overview.refused {
        out.push_str(&format!("<tr><td class=\"n\">{n}</td><td><code>{reason}</code></td></tr>\n"));
    }
    out.push_str("</table>\n");
}

fn more(n: usize, limit: usize, out: &mut String) {
    if n > limit {
        out.push_str(&format!("<p class=\"places\">and {} more</p>\n", n - limit));
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}
