//! The overview as one page: a chart and tables, without anything from outside.

use ide::shortened;

use super::{
    FunctionSavings, Overview, Spot, Twin,
    text::{MEANING, TITLE, number, percent, place},
};
use crate::cli::output::{count, findings::uri, visible::visible};

/// Bars of the chart.
const BARS: usize = 20;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;width:100%;margin:1em 0}\
th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid #8884;vertical-align:top}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
code{font:13px ui-monospace,monospace}\
.chart{display:grid;grid-template-columns:minmax(0,2fr) 3fr auto;gap:.35em .7em;align-items:center;margin:1em 0}\
.chart a{text-align:right;text-decoration:none;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}\
.chart small{opacity:.7}.whole{background:#8882}.bar{height:1em;background:#3b7dd8}.guess{background:#8fb4e3}\
a{color:inherit}\
.places{opacity:.75;font-size:13px}td,th a{overflow-wrap:anywhere}td.n{overflow-wrap:normal}\
td:nth-child(5){white-space:nowrap}\
@media(max-width:640px){table,tbody{display:block}tr{display:block;padding:.5em 0;border-bottom:1px solid #8884}\
td,th{display:inline;border:0;padding:0 .6em 0 0}th{display:inline-block}td:nth-child(4){display:block}\
.chart{grid-template-columns:1fr auto}.chart a{grid-column:1/-1;text-align:left}}";

pub(super) fn page(overview: &Overview, limit: usize) -> String {
    let mut out = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>tir-analyzer report</title>\n<style>",
    );
    out.push_str(STYLE);
    out.push_str("</style>\n</head>\n<body>\n<h1>What is computed more than once</h1>\n");
    let n_values: usize = overview.savings.iter().map(|it| it.savings.len()).sum();
    out.push_str(&format!(
        "<p>{} functions in {} files; {n_values} values in {} functions could be computed once.</p>\n",
        overview.n_functions,
        overview.n_files,
        overview.savings.len()
    ));
    if !overview.savings.is_empty() {
        out.push_str(&format!("<h2>{TITLE}</h2>\n"));
        chart(&overview.savings, &mut out);
        out.push_str(&format!("<p class=\"places\">{}</p>\n", with_code(MEANING)));
        savings(&overview.savings, limit, &mut out);
    }
    twins("Functions that are equal up to names", &overview.functions, limit, &mut out);
    twins("Expressions in several functions", &overview.expressions, limit, &mut out);
    refused(overview, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

/// A bar a function: its length is the share that can be saved, of a whole that is drawn behind it.
fn chart(all: &[FunctionSavings], out: &mut String) {
    out.push_str("<div class=\"chart\">\n");
    for it in &all[..all.len().min(BARS)] {
        let class = if it.is_estimated() { "bar guess" } else { "bar" };
        // Functions of many files have one name.
        let file = it.at.path.rsplit(['/', '\\']).next().unwrap_or_default();
        out.push_str(&format!(
            "<a href=\"{}\" title=\"{}: {}\"><code>{}</code> <small>{}:{}</small></a>\
             <div class=\"whole\"><div class=\"{class}\" style=\"width:{:.1}%\"></div></div><span>{}</span>\n",
            escaped(&href(&it.at)),
            escaped(&place(&it.at)),
            count(it.savings.len(), "value"),
            escaped(&shortened(&it.at.function, 50)),
            escaped(file),
            it.at.line,
            it.share() * 100.0,
            escaped(&percent(it.share(), it.is_estimated())),
        ));
    }
    out.push_str("</div>\n");
}

/// A table of the values of each function, the function in a row of its own.
fn savings(all: &[FunctionSavings], limit: usize, out: &mut String) {
    out.push_str(
        "<table><tr><th class=\"n\">share</th><th class=\"n\">cost</th><th class=\"n\">evaluations</th>\
         <th>value</th><th>name</th><th>place</th></tr>\n",
    );
    for function in all.iter().take(limit) {
        out.push_str(&format!(
            "<tr><th class=\"n\">{}</th><th colspan=\"4\">{}</th><th>{}</th></tr>\n",
            escaped(&percent(function.share(), function.is_estimated())),
            escaped(&function.at.function),
            link(&function.at),
        ));
        for it in &function.savings {
            out.push_str(&format!(
                "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
                 <td><code>{}</code></td><td><code>{}</code></td><td>{}</td></tr>\n",
                escaped(&percent(function.share_of(it.total()), it.is_estimated)),
                it.cost,
                number(it.evaluations),
                escaped(&it.expression),
                escaped(&it.name),
                link(&it.at),
            ));
        }
    }
    out.push_str("</table>\n");
    more(all.len(), limit, out);
}

/// A place that leads to its line, where what shows the page knows lines.
fn link(at: &Spot) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(&href(at)), escaped(&place(at)))
}

fn href(at: &Spot) -> String {
    format!("{}#L{}", uri(&at.path), at.line)
}

/// A text of ours, with what stands between backticks as code.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let part = |(at, it): (usize, &str)| match at % 2 {
        0 => escaped(it),
        _ => format!("<code>{}</code>", escaped(it)),
    };
    parts.map(part).collect()
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
            .map(|at| format!("{} ({})", link(at), escaped(&at.function)))
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
    for c in visible(text).chars() {
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
