//! The SARIF 2.1.0 report, for code scanning.

use std::sync::LazyLock;

use ::rules::Rule;
use ide::Severity;
use serde_json::{Value, json};

use crate::cli::{
    output::findings::{FileFindings, Finding, Region, Told, uri},
    rules,
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn begin() -> String {
    let rules: Vec<Value> = REPORTED.iter().map(|it| rule(it)).collect();
    let driver = json!({
        "name": "tir-analyzer",
        "version": crate::version::NUMBER,
        "semanticVersion": crate::version::NUMBER,
        "rules": rules,
    });
    format!(
        "{{\"$schema\": \"{SCHEMA}\", \"version\": \"2.1.0\", \"runs\": [{{\"tool\": {{\"driver\": {driver}}},\n\
         \"columnKind\": \"unicodeCodePoints\", \"newlineSequences\": [\"\\r\\n\", \"\\n\", \"\\r\"], \"results\": [\n"
    )
}

/// Rules that report something, by name: reasons of plans do not.
static REPORTED: LazyLock<Vec<&'static Rule>> =
    LazyLock::new(|| rules::all().iter().copied().filter(|it| it.level.is_some()).collect());

fn rule(rule: &Rule) -> Value {
    let text = rule.docs.trim();
    json!({
        "id": rule.name,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": text },
        "help": { "text": text, "markdown": text },
        "defaultConfiguration": { "level": rule.level.map_or("none", level) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

pub(super) fn finding(file: &FileFindings<'_>, told: &Told<'_>, it: &Finding) -> String {
    let mut result = result(it, &uri(file.shown));
    if told.is_source {
        move_to_source(&mut result, it);
    }
    result.to_string()
}

/// Puts a result at the source that the text was made of; the place in the text becomes a related one.
fn move_to_source(result: &mut Value, it: &Finding) {
    let Some(place) = &it.place else { return };
    let source = json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&place.path) },
        "region": { "startLine": place.line, "startColumn": place.column },
    } });
    let mut text = std::mem::replace(&mut result["locations"], json!([source]))[0].take();
    text["message"] = json!({ "text": "in the IR" });
    let mut related = vec![text];
    if let Some(others) = result["relatedLocations"].as_array() {
        related.extend(others.iter().cloned());
    }
    related.iter_mut().enumerate().for_each(|(id, it)| it["id"] = json!(id));
    result["relatedLocations"] = related.into();
}

fn result(it: &Finding, artifact: &str) -> Value {
    let mut text = it.message.clone();
    if let Some(help) = &it.help {
        text.push_str(". ");
        text.push_str(help);
    }
    let mut result = json!({
        "ruleId": it.code,
        "level": level(it.severity),
        "message": { "text": text },
        "locations": [{ "physicalLocation": location(artifact, &it.region) }],
    });
    if let Ok(index) = REPORTED.binary_search_by_key(&it.code, |it| it.name) {
        result["ruleIndex"] = index.into();
    }
    if !it.related.is_empty() {
        let related = it.related.iter().enumerate().map(|(id, (region, message))| {
            json!({
                "id": id,
                "physicalLocation": location(artifact, region),
                "message": { "text": message },
            })
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

fn location(artifact: &str, region: &Region) -> Value {
    json!({
        "artifactLocation": { "uri": artifact },
        "region": {
            "startLine": region.start.line,
            "startColumn": region.start.col,
            "endLine": region.end.line,
            "endColumn": region.end.col,
        },
    })
}

pub(super) fn end(failures: &[String]) -> String {
    let notifications: Vec<Value> =
        failures.iter().map(|it| json!({ "level": "error", "message": { "text": it } })).collect();
    let invocation = json!({
        "executionSuccessful": failures.is_empty(),
        "toolExecutionNotifications": notifications,
    });
    format!("\n], \"invocations\": [{invocation}]}}]}}\n")
}
