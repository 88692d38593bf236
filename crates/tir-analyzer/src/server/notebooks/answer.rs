//! Places of a cell in messages: from the cell to the document of its notebook, and back.
//!
//! In: the parameters of a request, the answer to it. Out: the same with other lines and names of documents.
//! O(message).

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Notebook;

/// A cell of a notebook as it was when a request came.
#[derive(Clone, Debug)]
pub(crate) struct CellPlace {
    pub(super) notebook: Arc<Notebook>,
    pub(super) cell: usize,
}

/// Fields without which the thing around them has no place.
const PLACES: [&str; 8] = [
    "range",
    "selectionRange",
    "position",
    "location",
    "targetRange",
    "targetSelectionRange",
    "start",
    "end",
];

impl CellPlace {
    fn first(&self) -> u32 {
        self.notebook.cells[self.cell].first
    }

    /// Another cell of the notebook.
    fn other(&self, cell: usize) -> CellPlace {
        CellPlace { notebook: self.notebook.clone(), cell }
    }

    /// Puts the parameters of a request into the places of the document.
    pub(super) fn enter(&self, params: &mut Value) {
        let cell = &self.notebook.cells[self.cell];
        match params {
            Value::String(uri) if *uri == cell.uri => uri.clone_from(&self.notebook.uri),
            Value::Array(items) => items.iter_mut().for_each(|it| self.enter(it)),
            Value::Object(fields) => {
                if let Some(line) = position(fields) {
                    fields.insert("line".to_owned(), json!(line.saturating_add(cell.first)));
                    return;
                }
                if let Some(Value::String(id)) = fields.get("previousResultId") {
                    match id.strip_prefix(&self.mark()).map(str::to_owned) {
                        Some(id) => fields.insert("previousResultId".to_owned(), id.into()),
                        None => fields.remove("previousResultId"),
                    };
                }
                fields.values_mut().for_each(|it| self.enter(it));
            }
            _ => {}
        }
    }

    /// The beginning of the names of results of this cell: equal results mean something else in another place.
    fn mark(&self) -> String {
        let cell = &self.notebook.cells[self.cell];
        format!("{}+{}:", cell.first, cell.n_lines)
    }

    /// The answer to a request in the places of the cell.
    pub(crate) fn leave(&self, method: &str, answer: &impl Serialize) -> Value {
        let Ok(answer) = serde_json::to_value(answer) else { return Value::Null };
        match method {
            _ if method.starts_with("textDocument/semanticTokens") => self.tokens(&answer),
            "tir-analyzer/viewDeviceCode" => self.device_code(answer),
            _ => self.value(&answer).unwrap_or(Value::Null),
        }
    }

    /// A part of an answer; none if it is about another cell, and has no place here.
    fn value(&self, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) if *text == self.notebook.uri => {
                Some(self.notebook.cells[self.cell].uri.clone().into())
            }
            Value::Array(items) => {
                Some(items.iter().filter_map(|it| self.value(it)).collect::<Vec<_>>().into())
            }
            Value::Object(fields) => self.object(fields),
            other => Some(other.clone()),
        }
    }

    fn object(&self, fields: &Map<String, Value>) -> Option<Value> {
        if let Some(line) = position(fields) {
            let mut fields = fields.clone();
            fields.insert("line".to_owned(), json!(self.line(line)?));
            return Some(fields.into());
        }
        // What names its document is in the cell that its place says.
        let names_it = |it: &Map<String, Value>| it.get("uri") == Some(&json!(self.notebook.uri));
        let caller = fields.get("from").and_then(Value::as_object).filter(|it| names_it(it));
        let placed = if names_it(fields) { Some(fields) } else { caller };
        if let Some(line) = placed.and_then(first_line) {
            let cell = self.notebook.at(line)?;
            if cell != self.cell {
                return self.other(cell).object(fields);
            }
        }
        let mut out = Map::new();
        for (key, it) in fields {
            let it = match &**key {
                "startLine" | "endLine" => json!(self.line(it.as_u64()? as u32)?),
                "resultId" => json!(format!("{}{}", self.mark(), it.as_str().unwrap_or_default())),
                "changes" if it.is_object() => self.changes(it),
                "documentChanges" => self.document_changes(it),
                _ => match self.value(it) {
                    Some(it) => it,
                    None if PLACES.contains(&&**key) => return None,
                    None => continue,
                },
            };
            out.insert(key.clone(), it);
        }
        if let Some(first) = fields.get("location").and_then(Value::as_object).and_then(first_line)
        {
            self.number_of_line(&mut out, first);
        }
        Some(out.into())
    }

    /// The label of a hint names a line of the document (`(line 12)`): it names that of the cell.
    fn number_of_line(&self, part: &mut Map<String, Value>, line: u32) {
        let Some(Value::String(text)) = part.get_mut("value") else { return };
        let Some(before) = text.strip_suffix(&format!("(line {})", line + 1)) else { return };
        let Some(cell) = self.notebook.at(line) else { return };
        let line = line - self.notebook.cells[cell].first + 1;
        let place = match cell == self.cell {
            true => format!("(line {line})"),
            false => format!("(cell {}, line {line})", cell + 1),
        };
        *text = format!("{before}{place}");
    }

    /// The line of the cell; the one behind its last is its end.
    fn line(&self, line: u32) -> Option<u32> {
        let n_lines = self.notebook.cells[self.cell].n_lines;
        line.checked_sub(self.first()).filter(|&it| it <= n_lines)
    }

    /// Edits by document: those of the notebook by cell.
    fn changes(&self, changes: &Value) -> Value {
        let mut out = Map::new();
        for (uri, edits) in changes.as_object().into_iter().flatten() {
            if *uri != self.notebook.uri {
                out.insert(uri.clone(), edits.clone());
                continue;
            }
            for (uri, edits) in self.by_cell(edits) {
                out.insert(uri, edits.into());
            }
        }
        out.into()
    }

    fn document_changes(&self, changes: &Value) -> Value {
        let mut out = Vec::new();
        for change in changes.as_array().into_iter().flatten() {
            if change.pointer("/textDocument/uri") != Some(&json!(self.notebook.uri)) {
                out.push(change.clone());
                continue;
            }
            for (uri, edits) in self.by_cell(&change["edits"]) {
                // The version is that of the notebook.
                let document = json!({ "uri": uri, "version": null });
                out.push(json!({ "textDocument": document, "edits": edits }));
            }
        }
        out.into()
    }

    /// The edits in each cell, in the order of the cells.
    fn by_cell(&self, edits: &Value) -> Vec<(String, Vec<Value>)> {
        let of_cell = |cell: usize| {
            let place = self.other(cell);
            let edits = edits.as_array().into_iter().flatten();
            let is_here = |it: &&Value| {
                it.as_object()
                    .and_then(first_line)
                    .is_some_and(|it| self.notebook.cells[cell].has(it))
            };
            let edits: Vec<Value> =
                edits.filter(is_here).filter_map(|it| place.value(it)).collect();
            (self.notebook.cells[cell].uri.clone(), edits)
        };
        (0..self.notebook.cells.len()).map(of_cell).filter(|it| !it.1.is_empty()).collect()
    }

    /// Semantic tokens: five numbers each, the first two of them from the token before.
    fn tokens(&self, answer: &Value) -> Value {
        let data: Vec<u32> = match answer.get("data").and_then(Value::as_array) {
            Some(it) => it.iter().filter_map(|it| Some(it.as_u64()? as u32)).collect(),
            None => return Value::Null,
        };
        let (mut line, mut before) = (0, 0);
        let mut out: Vec<u32> = Vec::new();
        for token in data.chunks_exact(5) {
            line += token[0];
            if !self.notebook.cells[self.cell].has(line) {
                continue;
            }
            let at = line - self.first();
            // The first one of a line counts from its begin: what is left out is in other lines.
            out.extend([at - before, token[1], token[2], token[3], token[4]]);
            before = at;
        }
        json!({ "data": out })
    }

    /// Lines of device code name those of the document.
    fn device_code(&self, mut answer: Value) -> Value {
        let here = |it: &Value| it.as_u64().and_then(|it| self.line(it as u32));
        if let Some(lines) = answer.get_mut("lines").and_then(Value::as_array_mut) {
            lines.retain_mut(|it| match here(&it["source"]) {
                Some(line) => {
                    it["source"] = json!(line);
                    true
                }
                None => false,
            });
        }
        for shared in answer.get_mut("shared").and_then(Value::as_array_mut).into_iter().flatten() {
            let sources = shared["sources"].as_array().into_iter().flatten();
            shared["sources"] = sources.filter_map(here).collect::<Vec<u32>>().into();
        }
        answer
    }
}

/// The line, if an object is a position.
fn position(fields: &Map<String, Value>) -> Option<u32> {
    fields.get("character")?.as_u64()?;
    Some(fields.get("line")?.as_u64()? as u32)
}

/// The line that a thing with a place begins at.
fn first_line(fields: &Map<String, Value>) -> Option<u32> {
    let range = fields.get("selectionRange").or_else(|| fields.get("range"))?;
    position(range.get("start")?.as_object()?)
}
