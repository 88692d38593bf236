//! A user's rows about the operations of dialects, in `tir-analyzer.toml`:
//!
//! ```toml
//! [[effects.mlir]]
//! ops = ["my.add", "my.vec.*"]
//! commutative = "all"
//! shape = "binary"
//! ```
//!
//! Calls of TVMScript have rows too (`[[effects.tir]]`), which say nothing of how they are written. What an operation
//! does is said as in `effects.toml` (a row without `effect` is a pure operation), how it is written by `shape`: the
//! name of a shape of the product, or a notation of one's own (`V ',' V D ':' T`). `function = true` makes it a unit of
//! its own, `module = true` a symbol table. In: the section as JSON. Out: [`DialectRows`], which are known to be
//! readable, and from them the tables.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Context as _;
use dialects::{Dialect, Mark, Row};
use frontend::language;
use ide::{Dialects, EffectError, EffectRow, EffectRows, EffectTable, MatchKind, Namespace};
use serde::Deserialize as _;
use serde_json::{Map, Value};
use syntax::{Form, Language};

use super::{
    problem::{Problem, shown, unknown},
    schema,
};
use crate::suggest::near;

/// The rows of a source of settings.
#[derive(Clone, Debug, Default)]
pub struct DialectRows {
    effects: EffectRows,
    /// The forms of operations, a dialect at a time.
    forms: Vec<Dialect>,
    /// The tables made from the rows.
    tables: Dialects,
}

impl PartialEq for DialectRows {
    fn eq(&self, other: &DialectRows) -> bool {
        (&self.effects, &self.forms) == (&other.effects, &other.forms)
    }
}

impl Eq for DialectRows {}

impl DialectRows {
    /// Reads the section `effects`.
    pub(super) fn read(
        section: &Value,
        unknown_keys: &mut Vec<Problem>,
    ) -> Result<DialectRows, Problem> {
        let mut section = section.clone();
        let mut forms = Forms::default();
        let name = |it: Language| language::of(it).namespace.name();
        for language in Language::with(|it| it.form == Form::Operations) {
            let rows = section.get_mut(name(language)).and_then(Value::as_array_mut);
            for (at, row) in rows.into_iter().flatten().enumerate() {
                let Some(row) = row.as_object_mut() else { continue };
                forms.take(row, language.support().uses_shapes).map_err(|(field, what)| {
                    Problem::new(format!("effects.{}.{at}.{field}", name(language)), what)
                })?;
            }
        }
        if let Some(section) = section.as_object_mut() {
            let is_name = |key: &str| Language::ALL.into_iter().any(|it| name(it) == key);
            for key in section.keys().filter(|it| !is_name(it)) {
                let near = near(key, Language::ALL.into_iter().map(name));
                unknown_keys.push(unknown(&format!("effects.{key}"), &near));
            }
            section.retain(|key, _| is_name(key));
        }
        let effects: EffectRows = serde_json::from_value(section.clone())
            .map_err(|it| wrong_row(&section).unwrap_or(Problem::new("effects", it.to_string())))?;
        let rows = DialectRows::new(effects, forms.dialects.into_values().collect());
        rows.map_err(|it| match it.downcast_ref::<EffectError>() {
            Some(EffectError { namespace, row, column, message, .. }) => {
                let key = format!("effects.{}.{row}.{column}", namespace.name());
                Problem::new(key, message.clone())
            }
            None => Problem::new("effects", format!("{it:#}")),
        })
    }

    /// The rows of files of dialects, with those of the settings on top.
    pub(super) fn of_files(
        files: Vec<Dialect>,
        settings: Option<&DialectRows>,
    ) -> anyhow::Result<DialectRows> {
        let mut effects = EffectRows::default();
        for dialect in &files {
            for row in &dialect.rows {
                effects.mlir.extend(effect_row(dialect, row)?);
            }
        }
        let mut forms = files;
        if let Some(settings) = settings {
            let EffectRows { tir, mlir, pir, .. } = settings.effects.clone();
            (effects.tir, effects.pir) = (tir, pir);
            effects.mlir.extend(mlir);
            forms.extend(settings.forms.iter().cloned());
        }
        DialectRows::new(effects, forms)
    }

    fn new(effects: EffectRows, forms: Vec<Dialect>) -> anyhow::Result<DialectRows> {
        let mut tables = Dialects::default();
        if !effects.is_empty() {
            tables.effects = Arc::new(EffectTable::builtin().overlay(&effects)?);
        }
        for dialect in &forms {
            let shapes = tables.shapes.with(dialect);
            let place = || match dialect.source.is_empty() {
                true => "in a `shape` of the settings".to_owned(),
                false => format!("in the file of the dialect `{}`", dialect.name),
            };
            tables.shapes = Arc::new(shapes.with_context(place)?);
        }
        Ok(DialectRows { effects, forms, tables })
    }

    /// The tables of the product with these rows on top.
    pub fn tables(&self) -> &Dialects {
        &self.tables
    }

    /// The dialects that say how operations are written.
    pub(crate) fn dialects(&self) -> &[Dialect] {
        &self.forms
    }
}

/// The first row of the section `effects` that cannot be read.
fn wrong_row(section: &Value) -> Option<Problem> {
    for (language, rows) in section.as_object()? {
        let key = format!("effects.{language}");
        let Some(rows) = rows.as_array() else {
            return Some(Problem::new(&key, format!("a list of rows is expected: `[[{key}]]`")));
        };
        for (at, row) in rows.iter().enumerate() {
            if let Err(error) = EffectRow::deserialize(row) {
                let message = error.to_string();
                let Some((field, value)) = wrong_field(row, &message) else {
                    return Some(Problem::new(format!("{key}.{at}"), message));
                };
                let key = format!("{key}.{at}.{field}");
                return Some(match schema::field_of_effects(field) {
                    Ok(expected) => {
                        Problem::new(key, format!("{expected} is expected, not {}", shown(value)))
                    }
                    Err(near) => {
                        unknown(&key, &near.iter().map(String::as_str).collect::<Vec<_>>())
                    }
                });
            }
        }
    }
    None
}

/// The field of a row that a message is about: the first without which it is another one, or none.
fn wrong_field<'a>(row: &'a Value, message: &str) -> Option<(&'a String, &'a Value)> {
    let fields = row.as_object()?;
    fields.iter().find(|&(field, _)| {
        let mut without = fields.clone();
        without.remove(field);
        let read = EffectRow::deserialize(Value::Object(without));
        read.err().is_none_or(|it| it.to_string() != message)
    })
}

/// The row of the effects table that a row of a file gives: its own, the one that follows from the definition, or that
/// of an operation that may do anything, unless the product knows better.
fn effect_row(dialect: &Dialect, row: &Row) -> anyhow::Result<Option<EffectRow>> {
    let fields = match row.states_effects() {
        true => Some(row.fields.clone()),
        false => dialects::effect_fields(row, &dialect.defaults),
    };
    let ops: Vec<String> = row.ops.iter().map(|it| dialect.full_name(it)).collect();
    let Some(fields) = fields else {
        let is_known = |op: &String| {
            EffectTable::builtin().explain(Namespace::Mlir, op).kind != MatchKind::Default
        };
        let ops: Vec<String> = ops.into_iter().filter(|it| !is_known(it)).collect();
        return Ok((!ops.is_empty()).then(|| EffectRow::unknown(ops)));
    };
    let row = EffectRow::of_fields(ops, &fields);
    row.map(Some).map_err(anyhow::Error::msg)
}

/// How operations are written, taken out of their rows.
#[derive(Default)]
struct Forms {
    /// By name.
    dialects: BTreeMap<String, Dialect>,
}

impl Forms {
    /// Takes the parts of a row, or says which field is wrong and how.
    fn take(
        &mut self,
        row: &mut Map<String, Value>,
        uses_shapes: bool,
    ) -> Result<(), (&'static str, String)> {
        let names: Vec<String> = row
            .get("ops")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect();
        let shape = row.remove("shape");
        let is_marked = |row: &mut Map<String, Value>, key: &str| {
            row.remove(key).is_some_and(|it| it == Value::Bool(true))
        };
        let all = [("function", Mark::Function), ("module", Mark::Module)];
        let marks: Vec<Mark> =
            all.into_iter().filter(|it| is_marked(row, it.0)).map(|it| it.1).collect();
        if !uses_shapes && (shape.is_some() || !marks.is_empty()) {
            let field = match shape {
                Some(_) => "shape",
                None if marks.contains(&Mark::Function) => "function",
                None => "module",
            };
            let what = "operations of PIR are all written in one way: their rows have no shape";
            return Err((field, what.to_owned()));
        }
        let shape = match shape {
            None => None,
            Some(Value::String(shape)) if !shape.contains(['\n', '\r']) => Some(shape),
            Some(Value::String(_)) => return Err(("shape", "a shape is one line".to_owned())),
            Some(_) => return Err(("shape", "a `shape` is a text".to_owned())),
        };
        for name in names {
            if name.chars().any(|it| it.is_whitespace() || matches!(it, ':' | '=' | '#')) {
                return Err(("ops", format!("`{name}` is not the name of an operation")));
            }
            if shape.is_none() && marks.is_empty() {
                continue;
            }
            let Some((dialect, rest)) = name.split_once('.') else {
                return Err(("ops", format!("`{name}` names no dialect")));
            };
            let of = self.dialects.entry(dialect.to_owned()).or_default();
            of.name = dialect.to_owned();
            let (ops, marks) = (vec![rest.to_owned()], marks.clone());
            of.rows.push(Row { ops, shape: shape.clone(), marks, ..Row::default() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigPatch};

    fn rows(text: &str) -> anyhow::Result<ide::Dialects> {
        Ok(Config::layered([&ConfigPatch::from_toml(text)?]).dialects.tables().clone())
    }

    #[test]
    fn rows_say_what_operations_do_and_how_they_are_written() {
        let text = "[[effects.mlir]]\nops = [\"my.add\", \"my.v.*\"]\ncommutative = \"all\"\nshape = \"binary\"\n\
                    [[effects.mlir]]\nops = [\"my.f\"]\nshape = \"@= R\"\nfunction = true\neffect = \"unknown\"\n\
                    [[effects.pir]]\nops = [\"my_op.x\"]\n";
        let dialects = rows(text).unwrap();
        assert!(dialects.effects.mlir("my.add").is_pure_value());
        assert!(dialects.effects.mlir("my.v.mul").is_pure_value());
        assert!(dialects.effects.pir("my_op.x").is_pure_value());
        assert!(!dialects.effects.mlir("my.f").is_pure_value());
        assert_eq!(dialects.shapes.shape_of("my.v.mul"), Some("binary"));
        assert!(dialects.shapes.is_function("my.f"));
        assert!(dialects.shapes.shape_of("my.f").is_some());
        // What the product knows stays.
        assert!(dialects.effects.mlir("arith.addi").is_pure_value());
    }

    #[test]
    fn rows_that_cannot_be_read_are_errors() {
        for (row, message) in [
            ("ops = [\"my.x\"]\neffect = \"reads\"", "effect"),
            ("ops = [\"my.x\"]\nshape = \"no-such\"", "shape"),
            ("ops = [\"my.x\"]\nshape = \"( V\"", "shape"),
            ("ops = [\"my.x\"]\nshapes = \"binary\"", "shapes"),
            ("ops = [\"my x\"]", "my x"),
            ("ops = [\"x\"]\nshape = \"binary\"", "dialect"),
        ] {
            let error = rows(&format!("[[effects.mlir]]\n{row}\n")).unwrap_err();
            assert!(format!("{error:#}").contains(message), "{error:#}");
        }
        assert!(rows("[[effects.pir]]\nops = [\"a.b\"]\nshape = \"binary\"\n").is_err());
    }
}
