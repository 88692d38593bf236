//! Signatures of operations: the operands by name, from the format of their definition, with attributes and results.

use std::ops::Range;

use db::{RootDatabase, SourceFile};
use frontend::language;
use syntax::TextSize;

use super::SignatureHelp;
use crate::{
    attribute_names::{AttributeName, attribute_names},
    hover::effects_text,
};

/// An operation with its operands by name, as they are written.
#[derive(Default)]
struct Form {
    label: String,
    operands: Vec<Range<usize>>,
}

pub(super) fn signature_help(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<SignatureHelp> {
    if !db::language(db, file).support().uses_shapes {
        return None;
    }
    let at = db::unit_at(db, file, offset)?;
    let before = db::text(db, at.unit).get(..usize::from(at.from_file(offset)?))?;
    let (op, written) = written_operation(before)?;
    let shapes = db::shapes(db, file);
    let mut form = Form { label: format!("{op} "), operands: Vec::new() };
    match shapes.format_of(op) {
        Some(format) => form.read(format),
        None => form.label.push_str(&shapes.example_of(op)?),
    }
    let namespace = language::of(db::language(db, file)).namespace;
    let effects = file.configuration(db).dialects(db).effects.as_ref();
    let documentation = effects_text(effects, namespace, shapes.full_name(op));
    let n_operands = form.operands.len();
    let label_end = form.label.trim_end().len();
    form.label.truncate(label_end);
    let results = shapes.parts_of(op).and_then(|it| it.results).unwrap_or_default();
    form.add_parts(&attribute_names(shapes, op), &results);
    let active = match written.rsplit_once('{') {
        Some((_, inside)) => form.key(n_operands, inside),
        None => active(&form, n_operands, op.len(), written),
    };
    let Form { label, operands } = form;
    Some(SignatureHelp { label, parameters: operands, active, documentation: Some(documentation) })
}

/// The operation that the last line of a text begins, and what is written behind its name.
pub(crate) fn written_operation(before: &str) -> Option<(&str, &str)> {
    let line = before.rsplit('\n').next()?.trim_start();
    let rest = match line.starts_with(['%', '(']) {
        true => line.split_once('=')?.1.trim_start(),
        false => line,
    };
    // The generic form.
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '.');
    let end = rest.find(|it| !is_of_name(it))?;
    let (op, written) = rest.split_at(end);
    let written = written.strip_prefix('"').unwrap_or(written);
    let is_comment = written.contains("//");
    (!op.is_empty() && !is_comment && written.starts_with([' ', '('])).then_some((op, written))
}

impl Form {
    /// Adds the operands of a format: its variables and the marks between them, up to the types. What is optional is
    /// left out.
    fn read(&mut self, format: &str) {
        let mut rest = format.trim_start();
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '`' => {
                    let Some(end) = rest[1..].find('`') else { return };
                    let literal = rest[1..=end].trim();
                    if literal == ":" {
                        return;
                    }
                    self.mark(literal);
                    end + 2
                }
                '$' => {
                    let is_end = |it: char| !(it.is_ascii_alphanumeric() || it == '_');
                    let end = rest[1..].find(is_end).map_or(rest.len(), |it| it + 1);
                    let start = self.label.len();
                    self.label.push_str(&rest[1..end]);
                    self.operands.push(start..self.label.len());
                    end
                }
                '(' => group_end(rest),
                _ => {
                    let end =
                        rest.find(|it: char| it.is_whitespace() || it == '(').unwrap_or(rest.len());
                    // A directive with its parentheses: `type(…)`, `custom<…>(…)`, `oilist(…)`.
                    end.max(1)
                        + if rest[end..].starts_with('(') { group_end(&rest[end..]) } else { 0 }
                }
            };
            rest = rest[end.min(rest.len())..].trim_start();
        }
    }

    /// Adds the attributes that are not there yet, and the results.
    fn add_parts(&mut self, attributes: &[AttributeName], results: &[String]) {
        let is_there = |form: &Form, name: &str| {
            form.operands.iter().any(|it| form.label[it.clone()] == *name)
        };
        let mut is_first = true;
        for attribute in attributes {
            let name = attribute.name.as_str();
            if is_there(self, name) {
                continue;
            }
            self.label.push_str(if std::mem::take(&mut is_first) { " {" } else { ", " });
            let start = self.label.len();
            self.label.push_str(name);
            self.operands.push(start..self.label.len());
            self.label.push_str(if attribute.is_optional { "?" } else { "" });
        }
        if !is_first {
            self.label.push('}');
        }
        if !results.is_empty() {
            self.label.push_str(&format!(" -> {}", results.join(", ")));
        }
    }

    /// The number of the attribute that is being written, by its name.
    fn key(&self, n_operands: usize, inside: &str) -> Option<usize> {
        let last = inside.rsplit(',').next()?;
        let key = last.split('=').next()?.trim();
        let attributes = self.operands.iter().enumerate().skip(n_operands);
        attributes.filter(|it| self.label[it.1.clone()] == *key).map(|it| it.0).next()
    }

    fn mark(&mut self, literal: &str) {
        match literal {
            "" => {}
            "," => {
                self.label.truncate(self.label.trim_end().len());
                self.label.push_str(", ");
            }
            "[" | "(" | "]" | ")" | "<" | ">" => self.label.push_str(literal),
            word => {
                if !self.label.ends_with([' ', '[', '(']) {
                    self.label.push(' ');
                }
                self.label.push_str(word);
                self.label.push(' ');
            }
        }
    }
}

/// The length of a group in parentheses with its mark, at the start of a text.
fn group_end(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut is_literal = false;
    for (at, it) in text.char_indices() {
        match it {
            '`' => is_literal = !is_literal,
            '(' if !is_literal => depth += 1,
            ')' if !is_literal => {
                depth -= 1;
                if depth == 0 {
                    let is_mark = text[at + 1..].starts_with(['?', '*']);
                    return at + 1 + usize::from(is_mark);
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// The number of the operand that is being written: the last one with no more marks before it than were written.
fn active(form: &Form, n_operands: usize, name: usize, written: &str) -> Option<usize> {
    if written.contains([':', '{', '<']) {
        return None;
    }
    let marks = |text: &str| text.chars().filter(|it| matches!(it, ',' | '[' | '(')).count();
    let n = marks(written);
    form.operands[..n_operands].iter().rposition(|it| marks(&form.label[name..it.start]) <= n)
}
