//! The JSON schema of `tir-analyzer.toml`, for editors of TOML.

use ide::{OptionValues, Target, TargetOptions};
use serde_json::{Map, Value, json};

use super::{Config, rows::settings};
use crate::suggest::near;

/// The schema, of draft 7: what taplo and Even Better TOML read.
pub fn schema() -> Value {
    let defaults = Config::default();
    let mut sections = Map::new();
    for it in settings() {
        let Some((section, name)) = it.key.split_once('.') else { continue };
        let mut row = it.schema();
        row["description"] = json!(it.doc.trim());
        row["default"] = it.value(&defaults);
        let table = || json!({ "type": "object", "additionalProperties": false, "properties": {} });
        sections.entry(section).or_insert_with(table)["properties"][name] = row;
    }
    // Conditions by the names of arguments.
    sections["facts"]["additionalProperties"] = json!({
        "type": "string",
        "description": "What is stated about an argument: 1 <= M <= 65536 and M % 16 == 0",
    });
    sections.insert("targets".to_owned(), targets());
    sections.insert("instance".to_owned(), instances());
    sections.insert("effects".to_owned(), effects());
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Settings of tir-analyzer",
        "type": "object",
        "additionalProperties": false,
        "properties": sections,
    })
}

fn targets() -> Value {
    let option = |target: Target, key: &str| {
        Some(match TargetOptions::values(target, key)? {
            OptionValues::Names(names) => json!({ "enum": names }),
            OptionValues::Count => json!({ "type": "integer", "minimum": 1 }),
            OptionValues::Bytes => json!({
                "type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+[KkMm]?$",
            }),
            OptionValues::Bits(numbers) => json!({ "enum": numbers }),
            OptionValues::Flag => json!({ "type": "boolean" }),
        })
    };
    let of_target = |target: Target| {
        let keys = TargetOptions::KEYS.into_iter();
        let options: Map<String, Value> =
            keys.filter_map(|it| Some((it.to_owned(), option(target, it)?))).collect();
        json!({ "type": "object", "additionalProperties": false, "properties": options })
    };
    let targets: Map<String, Value> =
        Target::ALL.into_iter().map(|it| (it.name().to_owned(), of_target(it))).collect();
    json!({
        "type": "object", "additionalProperties": false, "properties": targets,
        "description": "The options of single targets, as `build --target` has them",
    })
}

fn instances() -> Value {
    json!({
        "type": "array",
        "description": "Instances of factories, beside those that calls make",
        "items": {
            "type": "object", "additionalProperties": false, "required": ["function"],
            "properties": {
                "function": { "type": "string", "description": "A factory, by its name or path" },
                "args": {
                    "type": "object",
                    "description": "Values by the names of parameters; a list is a tuple",
                },
            },
        },
    })
}

fn effects() -> Value {
    let row = row_of_effects();
    let mut operation = row.clone();
    for (name, kind) in [("shape", "string"), ("function", "boolean"), ("module", "boolean")] {
        operation["properties"][name] = json!({ "type": kind });
    }
    let rows =
        |row: &Value, what: &str| json!({ "type": "array", "items": row, "description": what });
    json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "tir": rows(&row, "What calls of TVMScript do"),
            "mlir": rows(&operation, "What operations of MLIR do, and how they are written"),
            "pir": rows(&row, "What operations of Paddle do"),
        },
    })
}

/// A row of the effects table; `crates/ir/effects.toml` says what its fields mean.
fn row_of_effects() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let numbers = json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } });
    let operands =
        json!({ "type": "array", "items": { "type": ["integer", "string"], "minimum": 0 } });
    let text = json!({ "type": "string" });
    let flag = json!({ "type": "boolean" });
    let applies = json!({ "enum": ["all", "integers"] });
    let effects = ["none", "read", "write", "readwrite", "alloc", "free", "unknown"];
    json!({
        "type": "object", "additionalProperties": false, "required": ["ops"],
        "properties": {
            "ops": texts,
            "effect": { "enum": effects },
            "memory": text,
            "may_trap": text,
            "convergent": flag,
            "deterministic": flag,
            "async": { "enum": ["copy", "commit", "wait"] },
            "commutative": applies,
            "associative": applies,
            "lazy": numbers,
            "arity": { "type": "integer", "minimum": 0, "maximum": u8::MAX },
            "numbers": operands,
            "addresses": operands,
            "places": operands,
            "reads": operands,
            "writes": operands,
            "texts": operands,
            "flags": texts,
            "departs": flag,
            "basis": text,
            "reason": text,
        },
    })
}

/// Tells in words which values a field of a row of the effects table takes.
///
/// # Errors
/// Fields that are written much like it, where there is no such field.
pub(super) fn field_of_effects(name: &str) -> Result<&'static str, Vec<String>> {
    let row = row_of_effects();
    let Some(field) = row["properties"].get(name) else {
        let fields = row["properties"].as_object().into_iter().flatten();
        let near = near(name, fields.map(|it| it.0.as_str()));
        return Err(near.into_iter().map(str::to_owned).collect());
    };
    Ok(match (field["type"].as_str(), field["items"]["type"].as_str()) {
        (Some("boolean"), _) => "`true` or `false`",
        (Some("integer"), _) => "a whole number from 0 to 255",
        (_, Some("string")) => "a list of texts",
        (_, Some("integer")) => "a list of whole numbers",
        (Some("array"), _) => "a list of numbers and names",
        _ => "a text",
    })
}

#[cfg(test)]
mod tests {
    use ide::EffectRow;
    use serde::Deserialize as _;

    use super::*;

    #[test]
    fn rows_of_effects_have_the_fields_that_are_read() {
        let unknown = EffectRow::deserialize(json!({ "no such": 1 })).unwrap_err().to_string();
        let (_, expected) = unknown.split_once("expected one of ").unwrap();
        let read: Vec<&str> = expected.split(", ").map(|it| it.trim_matches('`')).collect();
        let row = row_of_effects();
        let told: Vec<&String> = row["properties"].as_object().unwrap().keys().collect();
        assert_eq!(told, read);
    }
}
