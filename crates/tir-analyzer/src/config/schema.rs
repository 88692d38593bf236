//! The JSON schema of `tir-analyzer.toml`, for editors of TOML.

use ide::{Target, TargetOptions};
use serde_json::{Map, Value, json};

use super::{Config, rows::settings};

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
    let options = TargetOptions::KEYS.map(|it| {
        let kinds = json!({ "type": ["string", "integer", "boolean"] });
        (it.to_owned(), kinds)
    });
    let options: Map<String, Value> = options.into_iter().collect();
    let target = json!({
        "type": "object", "additionalProperties": false, "properties": options,
    });
    let targets: Map<String, Value> =
        Target::ALL.iter().map(|it| (it.name().to_owned(), target.clone())).collect();
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
    let row = json!({
        "type": "object", "required": ["ops"],
        "properties": { "ops": { "type": "array", "items": { "type": "string" } } },
    });
    let rows = |what: &str| json!({ "type": "array", "items": row, "description": what });
    json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "tir": rows("What calls of TVMScript do"),
            "mlir": rows("What operations of MLIR do, and how they are written"),
            "pir": rows("What operations of Paddle do"),
        },
    })
}
