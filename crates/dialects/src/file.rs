//! The notation of a dialect's file: TOML in, a [`Dialect`] out, or the place of the first mistake. Linear.

use std::fmt;

use serde::Deserialize;
use toml::{Spanned, Table, Value};

use crate::row::{Dialect, Mark, Parts, Row};

/// The fields of a row of the effects table; `effects.toml` of `ir` describes them.
pub const EFFECT_FIELDS: [&str; 20] = [
    "effect",
    "memory",
    "may_trap",
    "convergent",
    "deterministic",
    "async",
    "commutative",
    "associative",
    "lazy",
    "arity",
    "numbers",
    "addresses",
    "places",
    "reads",
    "writes",
    "texts",
    "flags",
    "departs",
    "basis",
    "reason",
];

/// A file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The line of the mistake, from 1.
    pub line: usize,
    /// The column of the mistake, in characters from 1.
    pub column: usize,
    /// The mistake.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for FileError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    dialect: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    shapes: Table,
    #[serde(default)]
    defaults: Table,
    #[serde(default)]
    operations: Vec<Spanned<Table>>,
}

/// Reads the text of a file.
///
/// # Errors
///
/// Text that is no TOML, a key or value that no file has; the place is that of the row at least.
pub fn read(text: &str) -> Result<Dialect, FileError> {
    let file: Text = toml::from_str(text).map_err(|it| {
        let at = it.span().map_or(0, |it| it.start);
        error(text, at, it.message().to_owned())
    })?;
    let at_top = |message| error(text, 0, message);
    if file.dialect.is_empty() || file.dialect.contains(char::is_whitespace) {
        return Err(at_top(format!("`{}` is not the name of a dialect", file.dialect)));
    }
    let fields = |table: &Table| {
        let fields = table.iter().map(|(key, value)| Ok((key.clone(), scalar(key, value)?)));
        fields.collect::<Result<Vec<_>, String>>()
    };
    let shapes = fields(&file.shapes).map_err(at_top)?;
    let defaults = fields(&file.defaults).map_err(at_top)?;
    let mut rows = Vec::with_capacity(file.operations.len());
    for row in &file.operations {
        let place = |message| error(text, row.span().start, message);
        let mut read = read_row(row.get_ref()).map_err(place)?;
        let at = error(text, row.span().start, String::new());
        (read.line, read.column) = (at.line, at.column);
        rows.push(read);
    }
    Ok(Dialect { name: file.dialect, source: file.source, shapes, defaults, rows })
}

/// Reads one row, the keys of which are those of an element of `operations`.
///
/// # Errors
///
/// A key or value that no row has.
pub fn read_row(table: &Table) -> Result<Row, String> {
    let mut row = Row::default();
    for (key, value) in table {
        match key.as_str() {
            "ops" => row.ops = list(key, value)?,
            "operands" => row.parts.operands = Some(list(key, value)?),
            "results" => row.parts.results = Some(list(key, value)?),
            "attributes" => row.parts.attributes = Some(list(key, value)?),
            "regions" => row.parts.regions = Some(list(key, value)?),
            "successors" => row.parts.successors = Some(list(key, value)?),
            "traits" => row.traits = list(key, value)?,
            "effects" => row.effects = list(key, value)?,
            "format" => row.format = Some(word(key, value)?),
            "shape" => row.shape = Some(word(key, value)?),
            "summary" => row.summary = Some(word(key, value)?),
            _ => match Mark::ALL.iter().find(|it| it.0 == key) {
                Some((_, mark)) if value.as_bool() == Some(true) => row.marks.push(*mark),
                Some(_) => return Err(format!("`{key}` is `true`, or absent")),
                None if EFFECT_FIELDS.contains(&key.as_str()) => {
                    row.fields.push((key.clone(), scalar(key, value)?));
                }
                None => return Err(format!("a row has no `{key}`")),
            },
        }
    }
    check(&row)?;
    Ok(row)
}

fn check(row: &Row) -> Result<(), String> {
    if row.ops.is_empty() {
        return Err("`ops` names no operation".to_owned());
    }
    for op in &row.ops {
        if op.is_empty() || op.contains(|it: char| it.is_whitespace() || "\"'`:=#".contains(it)) {
            return Err(format!("`{op}` is not the name of an operation"));
        }
        if op.matches('*').count() > 1 {
            return Err(format!("`{op}` has more than one `*`"));
        }
    }
    let is_effect = |key: &str| key != "reason";
    if !row.states_effects()
        && let Some((key, _)) = row.fields.iter().find(|it| is_effect(&it.0))
    {
        return Err(format!("`{key}` is there without `effect`"));
    }
    for part in row.parts.lists().into_iter().filter_map(|it| it.1.as_ref()).flatten() {
        let name = part.trim_end_matches(['*', '?', '!']);
        if name.contains(|it: char| !it.is_ascii_alphanumeric() && it != '_') {
            return Err(format!("`{part}` is not the name of a part"));
        }
    }
    Ok(())
}

fn word(key: &str, value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` is a text"))
}

fn list(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let items = value.as_array().ok_or_else(|| format!("`{key}` is a list of texts"))?;
    items.iter().map(|it| word(key, it)).collect()
}

/// A value as one text; the items of a list have blanks between them.
fn scalar(key: &str, value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Boolean(is) => is.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Array(items) => {
            let items = items.iter().map(|it| scalar(key, it));
            items.collect::<Result<Vec<_>, _>>()?.join(" ")
        }
        _ => return Err(format!("`{key}` is a text, a number or a list")),
    })
}

/// The error at an offset of the text.
fn error(text: &str, at: usize, message: String) -> FileError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    FileError { line, column, message }
}

/// The parts of a row in the notation of [`Parts::to_text`].
///
pub fn parts_of_text(text: &str) -> Parts {
    let mut parts = Parts::default();
    for list in text.split("; ").filter(|it| !it.is_empty()) {
        let mut words = list.split(' ');
        let slot = match words.next() {
            Some("operands") => &mut parts.operands,
            Some("results") => &mut parts.results,
            Some("attributes") => &mut parts.attributes,
            Some("regions") => &mut parts.regions,
            Some("successors") => &mut parts.successors,
            _ => continue,
        };
        *slot = Some(words.map(str::to_owned).collect());
    }
    parts
}
