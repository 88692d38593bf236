//! JUnit's XML, as most CI systems read it: a suite a file, a test a finding.

use crate::cli::output::findings::{Counts, Finding, Told, severity_name};

pub(super) fn begin() -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tir-analyzer\">\n".to_owned()
}

/// A finding as a test: one that failed, or one that passed and has something to say.
pub(super) fn finding(told: &Told<'_>, it: &Finding, fails: bool) -> String {
    let (start, _) = told.lines_of(it);
    let place = format!("{}:{}:{}", told.path, start.0, start.1);
    let mut text = format!("{place}: {}", it.message);
    if let Some(help) = &it.help {
        text.push_str(&format!("\n{help}"));
    }
    let case = format!(
        "    <testcase name=\"{}\" classname=\"{}\" line=\"{}\" column=\"{}\">",
        escaped(it.code),
        escaped(told.path),
        start.0,
        start.1
    );
    if !fails {
        let severity = severity_name(it.severity);
        return format!(
            "{case}<system-out>{severity}: {}</system-out></testcase>\n",
            escaped(&text)
        );
    }
    let failure = format!(
        "<failure type=\"{}\" message=\"{}\">{}</failure>",
        severity_name(it.severity),
        escaped(&it.message),
        escaped(&text)
    );
    format!("{case}{failure}</testcase>\n")
}

/// A file with its findings.
pub(super) fn file(path: &str, findings: &[&str]) -> String {
    let (name, n) = (escaped(path), findings.len());
    // Texts have no `<` of their own.
    let n_failed = findings.iter().filter(|it| it.contains("<failure ")).count();
    let cases = findings.concat();
    format!(
        "  <testsuite name=\"{name}\" tests=\"{n}\" failures=\"{n_failed}\">\n{cases}  </testsuite>\n"
    )
}

/// Paths that were not read are errors; where all is well there is a test that passed.
pub(super) fn end(counts: &Counts, is_empty: bool, failures: &[String]) -> String {
    let mut out = String::new();
    if !failures.is_empty() {
        let n = failures.len();
        out.push_str(&format!("  <testsuite name=\"not read\" tests=\"{n}\" errors=\"{n}\">\n"));
        for it in failures {
            let it = escaped(it);
            out.push_str(&format!(
                "    <testcase name=\"read\"><error message=\"{it}\"/></testcase>\n"
            ));
        }
        out.push_str("  </testsuite>\n");
    } else if is_empty {
        let name = format!("{} checked", super::super::count(counts.files, "file"));
        out.push_str(&format!(
            "  <testsuite name=\"check\" tests=\"1\" failures=\"0\">\n    \
             <testcase name=\"{name}\" classname=\"check\"/>\n  </testsuite>\n"
        ));
    }
    out.push_str("</testsuites>\n");
    out
}

/// A text in an attribute or an element. Characters that XML does not have become the replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
