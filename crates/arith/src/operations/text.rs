//! Attributes and types as numbers.
//!
//! In: canonical texts of the front end. Out: plain data, or `None` for what is not understood. Linear in the text.

use ir::{
    Attr, Body, DataType, OpId, Type, ValueId,
    text::{cursor::items, types},
};

/// The text of an attribute of an operation.
pub fn attr<'a>(body: &'a Body, op: OpId, key: &str) -> Option<&'a str> {
    match body.dict(body.ops[op].attrs).iter().find(|(it, _)| &**it == key).map(|it| &it.1)? {
        Attr::Text(text) | Attr::Str(text) => Some(text),
        _ => None,
    }
}

/// The name of an operation with its dialect; empty for one that was not understood.
pub fn name_of(body: &Body, op: OpId) -> &str {
    super::op_name(body, op)
}

/// The text of the type of a value; empty if it is not known.
pub fn type_text(body: &Body, value: ValueId) -> &str {
    match body.values[value].ty {
        Type::Named(name) => body.name(name),
        _ => "",
    }
}

/// The extents of a memref, none for those that are not static; none for other types.
pub fn memref_extents(text: &str) -> Option<Vec<Option<i64>>> {
    if !text.starts_with("memref<") || text.starts_with("memref<*") {
        return None;
    }
    Some(types::shape_of(text).into_iter().map(|it| it.parse().ok()).collect())
}

/// The type of an integer: an `index` has 64 bits, `i1` is a truth value. Other widths are not calculated with.
pub(super) fn integer(text: &str) -> Option<DataType> {
    Some(match text {
        "index" => DataType::INT64,
        "i1" => DataType::BOOL,
        "i8" | "i16" | "i32" | "i64" => DataType::int(text[1..].parse().ok()?),
        _ => return None,
    })
}

/// The integers of `3 : i64`, `array<i32: 1, 2>` or `[1, 2]`.
pub(super) fn integers(text: &str) -> Option<Vec<i64>> {
    let number = |text: &str| text.split(':').next().unwrap_or_default().trim().parse().ok();
    if let Some(list) = text.strip_prefix("array<").and_then(|it| it.strip_suffix('>')) {
        return match list.split_once(':') {
            Some((_, list)) => list.split(',').map(number).collect(),
            None => Some(Vec::new()),
        };
    }
    if text.starts_with('[') {
        return items(text).into_iter().map(number).collect();
    }
    Some(vec![number(text)?])
}

/// The one integer of an attribute.
pub(super) fn int_attr(body: &Body, op: OpId, key: &str) -> Option<i64> {
    match integers(attr(body, op, key)?)?[..] {
        [value] => Some(value),
        _ => None,
    }
}

/// The integer of a constant: `-1 : index`, `true`, `dense<7> : tensor<4xi32>`.
pub(super) fn constant(text: &str) -> Option<i128> {
    match text {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let (literal, _) = text.rsplit_once(" : ")?;
    let literal = literal.trim();
    if let Some(inner) = literal.strip_prefix("dense<").and_then(|it| it.strip_suffix('>')) {
        return match inner {
            "true" => Some(1),
            "false" => Some(0),
            _ => inner.parse().ok(),
        };
    }
    literal.parse().ok()
}
