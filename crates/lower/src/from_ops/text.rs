//! Parsers for texts of attributes and types: element types, memrefs with their layouts, lists of integers, constants.
//!
//! In: canonical texts of the front end. Out: plain data, or `None` for unsupported text. Linear in the text.

use ir::{
    Attr, Body, DataType, MemoryScope, OpId, OpKind, Type, TypeCode, ValueId,
    text::{cursor::items, types},
};

/// The marker of an extent, stride or offset that is not in the type.
pub(super) const DYNAMIC: i64 = i64::MIN;

/// The place where the elements of a memref lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Memref {
    /// Extents, or [`DYNAMIC`].
    pub(super) shape: Vec<i64>,
    pub(super) dtype: DataType,
    /// Strides and offset in elements, or [`DYNAMIC`]; none for compact row-major.
    pub(super) layout: Option<(Vec<i64>, i64)>,
    /// The scope of the memory space; none if the type does not say one.
    pub(super) scope: Option<MemoryScope>,
}

/// The name of an operation of a dialect.
pub(super) fn name_of(body: &Body, op: OpId) -> &str {
    match body.ops[op].kind {
        OpKind::Named(name) => body.name(name),
        _ => "",
    }
}

/// The text of an attribute of an operation.
pub(super) fn attr<'a>(body: &'a Body, op: OpId, key: &str) -> Option<&'a str> {
    attr_text(body.dict(body.ops[op].attrs).iter().find(|(it, _)| &**it == key).map(|it| &it.1)?)
}

/// The text of an attribute.
pub(super) fn attr_text(attr: &Attr) -> Option<&str> {
    match attr {
        Attr::Text(text) | Attr::Str(text) => Some(text),
        _ => None,
    }
}

/// The text of the type of a value.
pub(super) fn type_of(body: &Body, value: ValueId) -> &str {
    match body.values[value].ty {
        Type::Named(name) => body.name(name),
        _ => "",
    }
}

/// The data type of a scalar: an `index` has 64 bits, `i1` is a truth value.
pub(super) fn scalar(text: &str) -> Option<DataType> {
    Some(match text {
        "index" => DataType::INT64,
        "i1" => DataType::BOOL,
        "i8" | "i16" | "i32" | "i64" => DataType::int(text[1..].parse().ok()?),
        "f16" | "f32" | "f64" => DataType::float(text[1..].parse().ok()?),
        "bf16" => DataType::scalar(TypeCode::BFloat, 16),
        _ => return None,
    })
}

/// A memref of scalars whose layout is compact or `strided`.
pub(super) fn memref(text: &str) -> Option<Memref> {
    if !text.starts_with("memref<") {
        return None;
    }
    let number = |extent: &str| if extent == "?" { Some(DYNAMIC) } else { extent.parse().ok() };
    let shape = types::shape_of(text).into_iter().map(number).collect::<Option<Vec<i64>>>()?;
    let mut res =
        Memref { shape, dtype: scalar(types::element_of(text)?)?, layout: None, scope: None };
    // Behind the shape, which is the first item.
    for &part in items(&text["memref".len()..]).iter().skip(1) {
        if part.starts_with("strided<") {
            let (strides, offset) = layout(part)?;
            if strides.len() != res.shape.len() {
                return None;
            }
            res.layout = Some((strides, offset));
        } else {
            res.scope = Some(scope(part)?);
        }
    }
    Some(res)
}

/// `strided<[4, ?], offset: ?>`
fn layout(text: &str) -> Option<(Vec<i64>, i64)> {
    let parts = items(text.strip_prefix("strided")?);
    let number = |text: &str| match text.trim() {
        "?" => Some(DYNAMIC),
        text => text.parse().ok(),
    };
    let strides = parts.first()?;
    let strides = items(strides).into_iter().map(number).collect::<Option<Vec<i64>>>()?;
    let offset = match parts.get(1) {
        Some(offset) => number(offset.strip_prefix("offset:")?)?,
        None => 0,
    };
    Some((strides, offset))
}

/// The storage scope of a memory space. The numbers are those of NVVM and ROCDL.
fn scope(text: &str) -> Option<MemoryScope> {
    let space = text.strip_prefix("#gpu.address_space<").and_then(|it| it.strip_suffix('>'));
    match space.unwrap_or_else(|| text.split(':').next().unwrap_or_default().trim()) {
        "global" | "0" | "1" => Some(MemoryScope::Global),
        "workgroup" | "3" => Some(MemoryScope::Shared),
        "private" | "5" => Some(MemoryScope::Local),
        _ => None,
    }
}

/// The integers of `3 : i64` or `array<i32: 1, 2>`.
pub(super) fn integers(text: &str) -> Option<Vec<i64>> {
    let number = |text: &str| text.split(':').next().unwrap_or_default().trim().parse().ok();
    match text.strip_prefix("array<").and_then(|it| it.strip_suffix('>')) {
        Some(list) => match list.split_once(':') {
            Some((_, list)) => list.split(',').map(number).collect(),
            None => Some(Vec::new()),
        },
        None => Some(vec![number(text)?]),
    }
}

/// A list of integers that is an attribute of an operation.
pub(super) fn int_list(body: &Body, op: OpId, key: &str) -> Option<Vec<i64>> {
    integers(attr(body, op, key)?)
}

/// The words of an enumeration: `nsw` of `#arith.overflow<nsw>`.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|it| it == word)
}

/// A number of an attribute.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    Int(i128, DataType),
    Float(f64, DataType),
}

/// The value of `-1 : index`, `true`, `1.5 : f32`, `0xFF800000 : f32`.
pub(super) fn number(text: &str) -> Option<Number> {
    match text {
        "true" => return Some(Number::Int(1, DataType::BOOL)),
        "false" => return Some(Number::Int(0, DataType::BOOL)),
        _ => {}
    }
    let (literal, ty) = text.rsplit_once(" : ")?;
    let dtype = scalar(ty.trim())?;
    let (literal, is_negative) = match literal.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (literal, false),
    };
    let hex = literal.strip_prefix("0x").and_then(|it| u64::from_str_radix(it, 16).ok());
    if dtype.is_float() {
        let value = match (hex, dtype.bits) {
            (Some(bits), 64) => f64::from_bits(bits),
            (Some(bits), 32) => f32::from_bits(u32::try_from(bits).ok()?).into(),
            // Only infinities and NaN of 16 bits are written so.
            (Some(_), _) => return None,
            (None, _) => literal.parse().ok()?,
        };
        return Some(Number::Float(if is_negative { -value } else { value }, dtype));
    }
    let value = match hex {
        Some(bits) => i128::from(bits),
        None => literal.parse().ok()?,
    };
    Some(Number::Int(if is_negative { -value } else { value }, dtype))
}

/// A name as other languages write it: of `%arg0`, `arg0`; of `%0`, `v0`.
pub(super) fn identifier(name: &str) -> String {
    let plain: String = name
        .trim_start_matches(['%', '@'])
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    match plain.chars().next() {
        Some(first) if !first.is_ascii_digit() => plain,
        _ => format!("v{plain}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memrefs_say_where_elements_lie() {
        let it =
            memref("memref<32x?xf32, strided<[?, 1], offset: ?>, #gpu.address_space<workgroup>>");
        let layout = Some((vec![DYNAMIC, 1], DYNAMIC));
        let shape = vec![32, DYNAMIC];
        let scope = Some(MemoryScope::Shared);
        assert_eq!(it, Some(Memref { shape, dtype: DataType::FLOAT32, layout, scope }));
        let plain = memref("memref<i8>").map(|it| (it.shape, it.dtype, it.layout));
        assert_eq!(plain, Some((vec![], DataType::int(8), None)));
        assert_eq!(memref("memref<4xvector<4xf32>>"), None);
        assert_eq!(memref("memref<4xf32, affine_map<(d0) -> (d0 + 1)>>"), None);
    }

    #[test]
    fn numbers_have_their_bits() {
        let inf = Some(Number::Float(f64::NEG_INFINITY, DataType::FLOAT32));
        assert_eq!(number("0xFF800000 : f32"), inf);
        assert_eq!(number("0x7E00 : f16"), None);
        assert_eq!(number("-1 : index"), Some(Number::Int(-1, DataType::INT64)));
        assert_eq!(integers("array<i32: 1, 2>"), Some(vec![1, 2]));
        assert_eq!(integers("array<i64>"), Some(vec![]));
    }
}
