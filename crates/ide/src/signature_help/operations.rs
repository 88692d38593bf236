//! Signatures of operations: the operands by name, from the format of their definition, with attributes and results.
//!
//! Operands that the format leaves to code follow in their order. The one that is being written is found by matching
//! the text with the format (`position`); where the form does not say which it is, none is.

mod format;
mod position;

use std::ops::Range;

use db::{RootDatabase, SourceFile};
use frontend::language;
use syntax::TextSize;

use self::{
    format::{Definition, Kind, Part, bare, parts},
    position::{Program, tokens},
};
use super::SignatureHelp;
use crate::{
    attribute_names::{AttributeName, attribute_names},
    hover::effects_text,
};

/// An operation with its parameters by name, as they are written.
#[derive(Default)]
struct Form {
    label: String,
    parameters: Vec<Range<usize>>,
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
    let is_generic = before[..before.len() - written.len()].ends_with('"');
    let shapes = db::shapes(db, file);
    let known = shapes.parts_of(op).unwrap_or_default();
    let format = shapes.format_of(op);
    let parts = format.map(parts).unwrap_or_default();
    let mut definition = Definition {
        operands: known.operands,
        successors: known.successors,
        ..Definition::default()
    };
    definition.note_types(&parts);
    let mut form = Form { label: format!("{op} "), parameters: Vec::new() };
    form.read(&parts, &definition, false);
    let example = shapes.example_of(op);
    // A form with marks of its own says more than the names of its operands.
    let has_names = is_generic || example.as_deref().is_none_or(is_list);
    if format.is_none() && !(has_names && definition.operands.is_some()) {
        form.label.push_str(&example?);
        definition.operands = None;
    }
    form.add_hidden(&definition);
    let namespace = language::of(db::language(db, file)).namespace;
    let effects = file.configuration(db).dialects(db).effects.as_ref();
    let documentation = effects_text(effects, namespace, shapes.full_name(op));
    let n_operands = form.parameters.len();
    let label_end = form.label.trim_end().len();
    form.label.truncate(label_end);
    form.add_attributes(&attribute_names(shapes, op), &known.results.unwrap_or_default());
    let parameter = |name: &str| {
        form.parameters[..n_operands].iter().position(|it| form.label[it.clone()] == *name)
    };
    let active = match open_brace(written) {
        Some(inside) => form.key(n_operands, inside),
        None => {
            let generic = [Part::Literal("("), Part::Operands];
            // A form that only code knows has the attributes before or behind the operands.
            let by_code = [Part::Dict, Part::Operands, Part::Types(Vec::new())];
            let keeps_order = shapes.keeps_order(op) && !shapes.is_swapped(op);
            let parts = match format {
                _ if is_generic => &generic[..],
                Some(_) => &parts,
                None if keeps_order && definition.operands.is_some() => &by_code,
                None => &[],
            };
            Program::new(parts, &definition, &parameter).active(written)
        }
    };
    let Form { label, parameters } = form;
    Some(SignatureHelp { label, parameters, active, documentation: Some(documentation) })
}

/// Returns true if a form shows nothing but values before its types.
fn is_list(example: &str) -> bool {
    let values = example.split(':').next().unwrap_or_default();
    values.split(',').all(|it| {
        it.trim().strip_prefix('%').is_some_and(|it| it.bytes().all(|it| it.is_ascii_lowercase()))
    })
}

/// The text behind the innermost brace that a text leaves open.
fn open_brace(written: &str) -> Option<&str> {
    let mut open = Vec::new();
    for token in tokens(written) {
        match token.text {
            "{" => open.push(token.end),
            "}" => {
                open.pop();
            }
            _ => {}
        }
    }
    open.last().map(|&end| &written[end..])
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
    /// Adds the variables of a format and the marks between them, up to the types. Of what is optional, and of what
    /// code prints, only operands and successors; all of it where the definition does not say what is what.
    fn read(&mut self, parts: &[Part<'_>], definition: &Definition, is_optional: bool) {
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(":") if !is_optional && !has_operand(&parts[at..], definition) => {
                    return;
                }
                Part::Literal(":") => {}
                Part::Literal(literal) => self.mark(literal),
                Part::Variable(name) => {
                    let is_optional = is_optional || definition.kind(name) == Kind::OptionalOperand;
                    self.name(name, is_optional);
                }
                Part::Group(first, _) if names_values(first, definition) => {
                    self.read(first, definition, true);
                }
                Part::Custom(_, names, _) => {
                    let shown = |it: &&&str| definition.kind(it) != Kind::Attribute;
                    self.names(names.iter().copied().filter(|it| shown(&it)));
                }
                Part::Operands => match &definition.operands {
                    Some(names) => self.names(names.iter().map(String::as_str)),
                    None => self.names(["operands"]),
                },
                Part::Successors => self.names(["successors"]),
                Part::Group(..) | Part::Types(_) | Part::Dict | Part::Clauses(_) => {}
            }
        }
    }

    /// Adds the operands that are not there yet, in order.
    fn add_hidden(&mut self, definition: &Definition) {
        let is_there = |form: &Form, name: &str| {
            form.parameters.iter().any(|it| form.label[it.clone()] == *name)
        };
        for name in definition.operands.iter().flatten() {
            if !is_there(self, bare(name)) {
                if !self.parameters.is_empty() {
                    self.mark(",");
                }
                self.names([name.as_str()]);
            }
        }
    }

    /// Adds parameters with commas between them.
    fn names<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        for (at, name) in names.into_iter().enumerate() {
            if at > 0 {
                self.mark(",");
            }
            self.name(bare(name), name.ends_with('?'));
        }
    }

    fn name(&mut self, name: &str, is_optional: bool) {
        if !self.label.ends_with([' ', '[', '(', '<']) {
            self.label.push(' ');
        }
        let start = self.label.len();
        self.label.push_str(name);
        self.parameters.push(start..self.label.len());
        self.label.push_str(if is_optional { "?" } else { "" });
    }

    /// Adds the attributes that are not there yet, and the results.
    fn add_attributes(&mut self, attributes: &[AttributeName], results: &[String]) {
        let is_there = |form: &Form, name: &str| {
            form.parameters.iter().any(|it| form.label[it.clone()] == *name)
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
            self.parameters.push(start..self.label.len());
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
        let attributes = self.parameters.iter().enumerate().skip(n_operands);
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

/// True if some parts name operands, successors, or what may be one.
fn names_values(parts: &[Part<'_>], definition: &Definition) -> bool {
    parts.iter().any(|it| match it {
        Part::Variable(name) => definition.is_value(name),
        Part::Custom(_, names, _) => names.iter().any(|it| definition.is_value(it)),
        Part::Group(first, other) => {
            names_values(first, definition) || names_values(other, definition)
        }
        Part::Operands | Part::Successors => true,
        _ => false,
    })
}

/// True if some parts name what is known to be an operand.
fn has_operand(parts: &[Part<'_>], definition: &Definition) -> bool {
    definition.operands.is_some() && names_values(parts, definition)
}
