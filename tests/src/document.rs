//! A document as an editor keeps it: text, version, and positions counted in UTF-16 units (the default of LSP).

use serde_json::{Value, json};

/// An open text.
#[derive(Clone, Debug)]
pub struct Document {
    uri: String,
    version: i64,
    text: String,
}

impl Document {
    /// A text under a URI, not yet opened.
    pub fn new(uri: impl Into<String>, text: impl Into<String>) -> Document {
        Document { uri: uri.into(), version: 1, text: text.into() }
    }

    /// Its URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its version: how many there were.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// `TextDocumentIdentifier`.
    pub fn identifier(&self) -> Value {
        json!({ "uri": self.uri })
    }

    /// Returns the language identifier that editors use for files with this extension.
    fn language_id(&self) -> &'static str {
        match self.uri.rsplit_once('.') {
            Some((_, "mlir" | "ttir" | "ttgir")) => "mlir",
            Some((_, "pir")) => "pir",
            _ => "python",
        }
    }

    /// Parameters of `textDocument/didOpen`.
    pub fn open_params(&self) -> Value {
        json!({ "textDocument": {
            "uri": self.uri, "languageId": self.language_id(), "version": self.version, "text": self.text,
        }})
    }

    /// Parameters of a request at a place.
    pub fn at(&self, offset: usize) -> Value {
        json!({ "textDocument": self.identifier(), "position": self.position(offset) })
    }

    /// Parameters of a request over a part of the text.
    pub fn over(&self, start: usize, end: usize) -> Value {
        json!({ "textDocument": self.identifier(), "range": self.range(start, end) })
    }

    /// Parameters of a request over the whole text.
    pub fn over_all(&self) -> Value {
        self.over(0, self.text.len())
    }

    /// Replaces `start..end` (bytes) and gives the parameters of `textDocument/didChange` that tell so.
    pub fn replace(&mut self, start: usize, end: usize, new: &str) -> Value {
        let range = self.range(start, end);
        self.text.replace_range(start..end, new);
        self.version += 1;
        json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "range": range, "text": new }],
        })
    }

    /// Parameters of `textDocument/didChange` that give the whole text as it is, for servers that take nothing else.
    pub fn whole_change(&self) -> Value {
        json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "text": self.text }],
        })
    }

    /// Replaces the only occurrence of `old`.
    ///
    /// # Panics
    /// If `old` occurs never or several times.
    #[track_caller]
    pub fn replace_once(&mut self, old: &str, new: &str) -> Value {
        let start = self.find(old);
        self.replace(start, start + old.len(), new)
    }

    /// Returns the place where the only occurrence of `needle` begins.
    ///
    /// # Panics
    /// If `needle` occurs never or several times.
    #[track_caller]
    pub fn find(&self, needle: &str) -> usize {
        let mut places = self.text.match_indices(needle).map(|(at, _)| at);
        let first = places.next().unwrap_or_else(|| panic!("the text has no {needle:?}"));
        assert!(places.next().is_none(), "the text has several {needle:?}");
        first
    }

    /// Applies an array of `TextEdit`s, as an editor does: all ranges mean the text before.
    ///
    /// # Panics
    /// If edits overlap or lie outside the text.
    pub fn apply(&mut self, edits: &Value) {
        let edits = edits.as_array().expect("an array of edits");
        let mut changes: Vec<(usize, usize, &str)> = edits
            .iter()
            .map(|edit| {
                let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
                let text = edit["newText"].as_str().expect("an edit has a text");
                (self.offset(start), self.offset(end), text)
            })
            .collect();
        // Stable: insertions at one place stay in the order they were given.
        changes.sort_by_key(|&(start, end, _)| (start, end));
        assert!(
            changes.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "edits overlap: {changes:?}"
        );
        for &(start, end, new) in changes.iter().rev() {
            self.text.replace_range(start..end, new);
        }
        self.version += 1;
    }

    /// Parameters of `textDocument/didChange` that send the whole text.
    pub fn change_all_params(&mut self) -> Value {
        self.version += 1;
        json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "text": self.text }],
        })
    }

    /// The byte offset of a `Position`.
    ///
    /// # Panics
    /// If the position lies behind the text or inside a character.
    pub fn offset(&self, position: &Value) -> usize {
        let line = position["line"].as_u64().expect("a position has a line") as usize;
        let column = position["character"].as_u64().expect("a position has a character") as usize;
        let start = match line {
            0 => 0,
            _ => self
                .text
                .match_indices('\n')
                .nth(line - 1)
                .map(|(at, _)| at + 1)
                .expect("the line exists"),
        };
        let mut units = 0;
        for (at, c) in self.text[start..].char_indices() {
            if units == column || c == '\n' {
                assert_eq!(units, column, "the line has no such column");
                return start + at;
            }
            units += c.len_utf16();
        }
        assert_eq!(units, column, "the last line has no such column");
        self.text.len()
    }

    /// The `Position` of a byte offset.
    pub fn position(&self, offset: usize) -> Value {
        let before = &self.text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count();
        let character: usize = before[start..].chars().map(char::len_utf16).sum();
        json!({ "line": line, "character": character })
    }

    fn range(&self, start: usize, end: usize) -> Value {
        json!({ "start": self.position(start), "end": self.position(end) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf_16_units() {
        let document = Document::new("file:///a.py", "x = 1\ny = \"é𝔸\" + z\n");
        let offset = document.find("z");
        assert_eq!(document.position(offset), json!({ "line": 1, "character": 12 }));
        assert_eq!(document.offset(&json!({ "line": 1, "character": 12 })), offset);
        assert_eq!(document.offset(&json!({ "line": 2, "character": 0 })), document.text().len());
    }

    #[test]
    fn edits_mean_the_text_before() {
        let mut document = Document::new("file:///a.py", "a = i * 2\nb = i * 2\n");
        document.apply(&json!([
            { "range": { "start": { "line": 1, "character": 4 }, "end": { "line": 1, "character": 9 } }, "newText": "t" },
            { "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }, "newText": "t = i * 2\n" },
            { "range": { "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 9 } }, "newText": "t" },
        ]));
        assert_eq!(document.text(), "t = i * 2\na = t\nb = t\n");
    }

    #[test]
    fn change_tells_the_old_range_and_the_new_version() {
        let mut document = Document::new("file:///a.py", "a\nbc\n");
        let change = document.replace_once("bc", "d");
        assert_eq!(document.text(), "a\nd\n");
        assert_eq!(
            change,
            json!({
                "textDocument": { "uri": "file:///a.py", "version": 2 },
                "contentChanges": [{
                    "range": { "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 2 } },
                    "text": "d",
                }],
            })
        );
    }
}
