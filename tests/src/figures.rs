//! Figures of benchmarks: one JSON object a line on standard output.

use std::io::{self, Write as _};

use serde_json::{Value, json};

/// Writes one line.
///
/// # Errors
/// If nobody reads it.
pub fn report(line: &Value) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// The best and the median of times; null of none.
pub fn summary(mut times: Vec<f64>) -> Value {
    times.sort_by(f64::total_cmp);
    json!({ "best": times.first(), "median": times.get(times.len() / 2) })
}
