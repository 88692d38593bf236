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

use anyhow::{Context as _, bail};
use frontend::language;
use ide::{Dialects, EffectRows, EffectTable, Shapes};
use serde_json::{Map, Value};
use syntax::{Form, Language};

/// The rows of a source of settings.
#[derive(Clone, Debug, Default)]
pub struct DialectRows {
    effects: EffectRows,
    /// In the notation of the product's table of shapes.
    shapes: String,
    /// The tables made from the rows.
    tables: Dialects,
}

impl PartialEq for DialectRows {
    fn eq(&self, other: &DialectRows) -> bool {
        (&self.effects, &self.shapes) == (&other.effects, &other.shapes)
    }
}

impl Eq for DialectRows {}

impl DialectRows {
    /// Reads the section `effects`.
    pub(super) fn read(section: &Value) -> anyhow::Result<DialectRows> {
        let mut section = section.clone();
        let mut forms = Forms::default();
        let name = |it: Language| language::of(it).namespace.name();
        for language in Language::with(|it| it.form == Form::Operations) {
            let rows = section.get_mut(name(language)).and_then(Value::as_array_mut);
            for row in rows.into_iter().flatten().filter_map(Value::as_object_mut) {
                forms.take(row, language.support().uses_shapes)?;
            }
        }
        if let Some(section) = section.as_object_mut() {
            section.retain(|key, _| Language::ALL.into_iter().any(|it| name(it) == key));
        }
        let effects: EffectRows =
            serde_json::from_value(section).context("in a row of `effects`")?;
        let shapes = forms.text();
        let tables = tables(&effects, &shapes)?;
        Ok(DialectRows { effects, shapes, tables })
    }

    /// The tables of the product with these rows on top.
    pub fn tables(&self) -> &Dialects {
        &self.tables
    }
}

fn tables(effects: &EffectRows, shapes: &str) -> anyhow::Result<Dialects> {
    let mut dialects = Dialects::default();
    if !effects.is_empty() {
        let table = EffectTable::builtin().overlay(effects);
        dialects.effects = Arc::new(table.context("in `effects` of the settings")?);
    }
    if !shapes.is_empty() {
        let shapes = Shapes::builtin().extended(shapes);
        dialects.shapes = Arc::new(shapes.context("in a `shape` of the settings")?);
    }
    Ok(dialects)
}

/// How operations are written, taken out of their rows.
#[derive(Default)]
struct Forms {
    /// Names of shapes of the user, by notation.
    notations: BTreeMap<String, String>,
    operations: Vec<String>,
    flags: Vec<String>,
}

impl Forms {
    fn take(&mut self, row: &mut Map<String, Value>, uses_shapes: bool) -> anyhow::Result<()> {
        let names: Vec<String> = row
            .get("ops")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect();
        let shape = row.remove("shape");
        let flags: Vec<&str> = ["function", "module"]
            .into_iter()
            .filter(|flag| row.remove(*flag).is_some_and(|it| it == Value::Bool(true)))
            .collect();
        if !uses_shapes && (shape.is_some() || !flags.is_empty()) {
            bail!("operations of PIR are all written in one way: their rows have no shape");
        }
        let shape = match &shape {
            None => None,
            Some(Value::String(shape)) => Some(self.shape(shape)?),
            Some(_) => bail!("a `shape` is a text"),
        };
        for name in names {
            if name.chars().any(|it| it.is_whitespace() || matches!(it, ':' | '=' | '#')) {
                bail!("`{name}` is not the name of an operation");
            }
            if let Some(shape) = &shape {
                let Some((dialect, rest)) = name.split_once('.') else {
                    bail!("`{name}` names no dialect");
                };
                self.operations.push(format!("{shape} {dialect}: {rest}"));
            }
            self.flags.extend(flags.iter().map(|flag| format!("{flag} = {name}")));
        }
        Ok(())
    }

    /// The name of a shape that is given by name or by notation.
    fn shape(&mut self, shape: &str) -> anyhow::Result<String> {
        let is_name = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        if !shape.is_empty() && shape.chars().all(is_name) {
            return Ok(shape.to_owned());
        }
        if shape.contains(['\n', '\r']) || shape.trim().is_empty() {
            bail!("a shape is one line");
        }
        let next = format!("user-{}", self.notations.len());
        Ok(self.notations.entry(shape.to_owned()).or_insert(next).clone())
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut section = |name: &str, rows: &mut dyn Iterator<Item = String>| {
            let mut rows = rows.peekable();
            if rows.peek().is_some() {
                text.push_str(&format!("[{name}]\n"));
            }
            rows.for_each(|row| text.push_str(&format!("{row}\n")));
        };
        let shapes =
            &mut self.notations.iter().map(|(notation, name)| format!("{name} = {notation}"));
        section("shapes", shapes);
        section("operations", &mut self.operations.iter().cloned());
        section("flags", &mut self.flags.iter().cloned());
        text
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
