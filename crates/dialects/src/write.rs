//! Writes a dialect's file. Equal dialects give equal text; reading it gives the dialect again. Linear.

use toml::Value;

use crate::row::{Dialect, Row};

/// The text of a file.
pub fn write(dialect: &Dialect) -> String {
    let mut text = String::new();
    entry("dialect", &dialect.name, &mut text);
    if !dialect.source.is_empty() {
        entry("source", &dialect.source, &mut text);
    }
    section("shapes", &dialect.shapes, &mut text);
    section("defaults", &dialect.defaults, &mut text);
    for row in &dialect.rows {
        write_row(row, &mut text);
    }
    text
}

fn section(name: &str, fields: &[(String, String)], text: &mut String) {
    if fields.is_empty() {
        return;
    }
    text.push_str(&format!("\n[{name}]\n"));
    for (key, value) in fields {
        field(key, value, text);
    }
}

fn write_row(row: &Row, text: &mut String) {
    text.push_str("\n[[operations]]\n");
    list("ops", &row.ops, text);
    for (key, parts) in row.parts.lists() {
        if let Some(parts) = parts {
            list(key, parts, text);
        }
    }
    for (key, items) in [("traits", &row.traits), ("effects", &row.effects)] {
        if !items.is_empty() {
            list(key, items, text);
        }
    }
    for (key, value) in [("format", &row.format), ("shape", &row.shape)] {
        if let Some(value) = value {
            entry(key, value, text);
        }
    }
    for (key, mark) in crate::row::Mark::ALL {
        if row.marks.contains(&mark) {
            text.push_str(&format!("{key} = true\n"));
        }
    }
    for (key, value) in &row.fields {
        field(key, value, text);
    }
    if let Some(summary) = &row.summary {
        entry("summary", summary, text);
    }
}

/// A field of the effects table: lists and flags have types of their own.
fn field(key: &str, value: &str, text: &mut String) {
    match key {
        "convergent" | "deterministic" | "departs" | "arity" => {
            text.push_str(&format!("{key} = {value}\n"));
        }
        "flags" => list(key, &words(value), text),
        "lazy" | "numbers" | "addresses" | "places" | "reads" | "writes" | "texts" => {
            let items = words(value).into_iter().map(|it| match it.parse::<i64>() {
                Ok(number) => Value::from(number).to_string(),
                Err(_) => Value::from(it).to_string(),
            });
            let items: Vec<String> = items.collect();
            text.push_str(&format!("{key} = [{}]\n", items.join(", ")));
        }
        _ => entry(key, value, text),
    }
}

fn words(value: &str) -> Vec<String> {
    value.split_whitespace().map(str::to_owned).collect()
}

fn entry(key: &str, value: &str, text: &mut String) {
    text.push_str(&format!("{key} = {}\n", Value::from(value)));
}

fn list(key: &str, items: &[String], text: &mut String) {
    let items: Vec<String> = items.iter().map(|it| Value::from(it.as_str()).to_string()).collect();
    text.push_str(&format!("{key} = [{}]\n", items.join(", ")));
}
