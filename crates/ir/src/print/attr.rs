//! Attributes as Python literals.

use super::Printer;
use crate::Attr;

/// A Python string literal of `text`.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if (c as u32) < 0x20 => quoted.push_str(&format!("\\x{:02x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A Python float literal (or `float("inf")`'s argument in quotes) that reads back to the same double.
pub(super) fn float_literal(value: f64) -> String {
    if value.is_nan() {
        "\"nan\"".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "\"inf\"".to_owned() } else { "\"-inf\"".to_owned() }
    } else {
        format!("{value:?}")
    }
}

impl Printer<'_> {
    pub(super) fn attr_text(&mut self, attr: &Attr) -> String {
        match attr {
            Attr::None => "None".to_owned(),
            Attr::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
            Attr::Int(value, None) => value.to_string(),
            Attr::Int(value, Some(dtype)) if dtype.is_bool() => {
                format!("T.bool({})", if *value != 0 { "True" } else { "False" })
            }
            Attr::Int(value, Some(dtype)) => format!("T.{dtype}({value})"),
            Attr::Float(value, None) if value.is_finite() => float_literal(*value),
            Attr::Float(value, None) => format!("float({})", float_literal(*value)),
            Attr::Float(value, Some(dtype)) => format!("T.{dtype}({})", float_literal(*value)),
            Attr::Str(text) => quote(text),
            Attr::List(items) => {
                let items: Vec<String> = items.iter().map(|item| self.attr_text(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Attr::Dict(entries) => self.dict_text(entries),
            Attr::Call { name, args, keywords } => {
                let mut items: Vec<String> = args.iter().map(|arg| self.attr_text(arg)).collect();
                items.extend(
                    keywords.iter().map(|(key, value)| format!("{key}={}", self.attr_text(value))),
                );
                format!("{name}({})", items.join(", "))
            }
            Attr::Expr(expr) => self.expr_string(*expr),
            // Printed with the operands of its call.
            Attr::Operand(_) => String::new(),
            Attr::Text(text) => text.to_string(),
        }
    }

    /// A named argument; the last one without a name, and a dictionary of others.
    pub(super) fn keyword_text(&mut self, key: &str, value: &Attr) -> String {
        let value = self.attr_text(value);
        match key {
            "" | "**" => format!("{key}{value}"),
            key => format!("{key}={value}"),
        }
    }

    pub(super) fn dict_text(&mut self, entries: &[(Box<str>, Attr)]) -> String {
        let entries: Vec<String> = entries
            .iter()
            .map(|(key, value)| match &**key {
                "**" => self.keyword_text(key, value),
                key => format!("{}: {}", quote(key), self.attr_text(value)),
            })
            .collect();
        format!("{{{}}}", entries.join(", "))
    }
}
