//! The decoder's view of one operation: types of operands and results, and parsed attributes.
//!
//! Attributes are canonical texts. Linear in their length.

use super::super::{memory::read_scalar, ops::Val};
use super::{
    types::{Ty, count},
    value::Value,
};
use ir::{
    Attr, Body, DataType, OpId, TypeCode,
    text::{
        affine::Map,
        cursor::{Cursor, Token, items},
    },
};

/// The marker of a size that is an operand.
pub(super) const DYNAMIC: i64 = i64::MIN;

/// The reason why an operation is not executed.
pub(super) type Decoded<T> = Result<T, String>;

/// An operation of a body.
#[derive(Clone, Copy)]
pub(super) struct OpView<'a> {
    pub(super) body: &'a Body,
    pub(super) op: OpId,
    /// Its name without the dialect.
    pub(super) name: &'a str,
}

impl<'a> OpView<'a> {
    /// Not executed, for a reason that its name alone does not say.
    pub(super) fn unsupported<T>(&self, why: &str) -> Decoded<T> {
        Err(why.to_owned())
    }

    pub(super) fn n_operands(&self) -> usize {
        self.body.ops[self.op].operands.len()
    }

    pub(super) fn operand_ty(&self, at: usize) -> Ty {
        let operand = self.body.ops[self.op].operands.get(at);
        operand.map_or(Ty::Other, |&it| Ty::of(self.body, self.body.ty(it)))
    }

    pub(super) fn result_ty(&self, at: usize) -> Ty {
        let result = self.body.ops[self.op].results.get(at);
        result.map_or(Ty::Other, |&it| Ty::of(self.body, self.body.values[it].ty))
    }

    /// The data type of an operand's elements.
    pub(super) fn operand_dtype(&self, at: usize) -> Decoded<DataType> {
        self.operand_ty(at).dtype().ok_or_else(|| "a type without values here".to_owned())
    }

    /// The data type of a result's elements.
    pub(super) fn result_dtype(&self, at: usize) -> Decoded<DataType> {
        self.result_ty(at).dtype().ok_or_else(|| "a type without values here".to_owned())
    }

    /// The text of an attribute.
    pub(super) fn attr(&self, name: &str) -> Option<&'a str> {
        let dict = self.body.dict(self.body.ops[self.op].attrs);
        text_of(dict.iter().find(|(key, _)| &**key == name).map(|(_, value)| value)?)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.attr(name).is_some()
    }

    /// Integers of an attribute that is a list of them, or one.
    pub(super) fn ints(&self, name: &str) -> Decoded<Vec<i64>> {
        let text = self.attr(name).ok_or_else(|| format!("no attribute {name}"))?;
        integers(text).ok_or_else(|| format!("the attribute {name}"))
    }

    /// One integer.
    pub(super) fn int(&self, name: &str) -> Decoded<i64> {
        self.ints(name)?.first().copied().ok_or_else(|| format!("the attribute {name}"))
    }

    /// Sizes of the segments of operands, if it has them.
    pub(super) fn segments(&self) -> Option<Vec<usize>> {
        let sizes = integers(self.attr("operandSegmentSizes")?)?;
        sizes.into_iter().map(|it| usize::try_from(it).ok()).collect()
    }

    /// A map or set.
    pub(super) fn map(&self, name: &str) -> Decoded<Map> {
        let text = self.attr(name).ok_or_else(|| format!("no attribute {name}"))?;
        map(text).ok_or_else(|| format!("the attribute {name}"))
    }

    /// A list of maps.
    pub(super) fn maps(&self, name: &str) -> Decoded<Vec<Map>> {
        let text = self.attr(name).ok_or_else(|| format!("no attribute {name}"))?;
        let maps: Option<Vec<Map>> = items(text).into_iter().map(map).collect();
        maps.ok_or_else(|| format!("the attribute {name}"))
    }

    /// The words in an attribute of an enumeration: `add` of `#vector.kind<add>`.
    pub(super) fn words(&self, name: &str) -> Vec<&'a str> {
        let body = self.attr(name).and_then(|it| it.split_once('<')?.1.strip_suffix('>'));
        let words = body.unwrap_or_default().split(',').map(str::trim);
        words.filter(|it| !it.is_empty()).collect()
    }
}

fn text_of(attr: &Attr) -> Option<&str> {
    match attr {
        Attr::Text(text) | Attr::Str(text) => Some(text),
        _ => None,
    }
}

/// The map or set of `affine_map<…>` or `affine_set<…>`.
pub(super) fn map(text: &str) -> Option<Map> {
    let body = |word: &str| text.strip_prefix(word)?.strip_suffix('>');
    match body("affine_map<") {
        Some(inner) => Map::parse(inner, false),
        None => Map::parse(body("affine_set<")?, true),
    }
}

/// The integers of `3 : i64`, `array<i64: 1, 2>`, `[1 : i64, 2 : i64]`, `dense<[1, 2]> : vector<2xi32>`, `[true]`.
pub(super) fn integers(text: &str) -> Option<Vec<i64>> {
    let of = |item: &str| {
        let text = item.split(':').next().unwrap_or_default().trim();
        match text {
            "true" => Some(1),
            "false" => Some(0),
            _ => text.parse().ok(),
        }
    };
    if text.starts_with("dense<") {
        let Value::Elements(list) = constant(text)? else { return None };
        let number = |it: &Val| if let Val::Int(it, _) = it { Some(*it) } else { None };
        return list.values.iter().map(number).collect();
    }
    if let Some(body) = text.strip_prefix("array<") {
        let Some((_, list)) = body.strip_suffix('>')?.split_once(':') else { return Some(vec![]) };
        return list.split(',').map(of).collect();
    }
    if text.starts_with('[') {
        return items(text).into_iter().map(of).collect();
    }
    Some(vec![of(text)?])
}

/// The lists of integers in `[[0 : i64, 1 : i64], [2 : i64]]`.
pub(super) fn integer_lists(text: &str) -> Option<Vec<Vec<i64>>> {
    items(text).into_iter().map(integers).collect()
}

/// A number of an element type.
fn number(text: &str, negative: bool, dtype: DataType) -> Option<Val> {
    if dtype.is_float() {
        if let Some(digits) = text.strip_prefix("0x") {
            let bits = u64::from_str_radix(digits, 16).ok()?;
            return read_scalar(dtype, bits.to_le_bytes().get(..dtype.bytes())?);
        }
        let value: f64 = text.parse().ok()?;
        return Some(Val::Float(dtype.round_float(if negative { -value } else { value })));
    }
    let value: i128 = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    Some(Val::Int(dtype.wrap_int(if negative { -value } else { value }), false))
}

/// The value of an attribute: `1 : i32`, `true`, `dense<…> : vector<…>`; `None` for an unsupported value.
pub(super) fn constant(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Scalar(super::value::bit(true))),
        "false" => return Some(Value::Scalar(super::value::bit(false))),
        _ => {}
    }
    if text.starts_with("dense<") {
        return dense(text);
    }
    if let Some(name) = text.strip_prefix('@') {
        return Some(Value::Function(name.trim_matches('"').into()));
    }
    let (literal, ty) = text.rsplit_once(" : ")?;
    let (negative, digits) = match literal.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, literal),
    };
    let Ty::Scalar(dtype) = Ty::read(ty) else { return None };
    Some(Value::Scalar(number(digits, negative, dtype)?))
}

fn dense(text: &str) -> Option<Value> {
    let mut cursor = Cursor::new(text);
    cursor.next();
    let start = cursor.pos();
    cursor.skip_group();
    let body = cursor.since(start).trim().strip_prefix('<')?.strip_suffix('>')?;
    let ty = Ty::read(text[cursor.pos()..].trim_start().strip_prefix(':')?.trim());
    let (shape, dtype) = (ty.fixed_shape()?, ty.dtype()?);
    let n = count(&shape)?;
    let mut values = if let Some(digits) = body.strip_prefix("\"0x") {
        of_bytes(digits.strip_suffix('"')?, dtype, n)?
    } else {
        of_tokens(body, dtype)?
    };
    if values.len() == 1 && n != 1 {
        values = vec![values[0].clone(); n];
    }
    (values.len() == n).then(|| super::value::elements(shape, values))
}

fn of_tokens(body: &str, dtype: DataType) -> Option<Vec<Val>> {
    let mut cursor = Cursor::new(body);
    let mut values = Vec::new();
    let mut negative = false;
    loop {
        match cursor.next() {
            Token::End => return Some(values),
            Token::Mark('-') => negative = true,
            Token::Mark(',' | '[' | ']') => {}
            Token::Number(text) => {
                values.push(number(text, std::mem::take(&mut negative), dtype)?);
            }
            Token::Word("true") => values.push(super::value::bit(true)),
            Token::Word("false") => values.push(super::value::bit(false)),
            _ => return None,
        }
    }
}

/// Elements as they lie in memory, in hexadecimal digits; truth values are packed.
fn of_bytes(digits: &str, dtype: DataType, n: usize) -> Option<Vec<Val>> {
    let bytes: Option<Vec<u8>> = (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok())
        .collect();
    let bytes = bytes?;
    if dtype == DataType::int(1) {
        let bit = |at: usize| Some(super::value::bit(bytes.get(at / 8)? >> (at % 8) & 1 != 0));
        return if bytes.len() == 1 && n > 8 {
            Some(vec![super::value::bit(bytes[0] != 0)])
        } else {
            (0..n).map(bit).collect()
        };
    }
    if !dtype.bits.is_multiple_of(8) || matches!(dtype.code, TypeCode::Handle) {
        return None;
    }
    bytes.chunks_exact(dtype.bytes()).map(|cell| read_scalar(dtype, cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalars(text: &str) -> Vec<Val> {
        constant(text).expect("a constant").scalars().to_vec()
    }

    #[test]
    fn constants_have_values() {
        assert_eq!(scalars("-1 : index"), [Val::Int(-1, false)]);
        assert_eq!(scalars("true"), [Val::Int(-1, false)]);
        assert_eq!(scalars("0xFF800000 : f32"), [Val::Float(f64::NEG_INFINITY)]);
        assert_eq!(scalars("1.500000e+00 : f64"), [Val::Float(1.5)]);
        assert_eq!(scalars("dense<2> : vector<3xi8>"), vec![Val::Int(2, false); 3]);
        let two = [Val::Float(-1.0), Val::Float(0.5)];
        assert_eq!(scalars("dense<[[-1.000000e+00, 5.000000e-01]]> : vector<1x2xf32>"), two);
        let two = [Val::Int(1, false), Val::Int(-2, false)];
        assert_eq!(scalars("dense<\"0x0100FEFF\"> : tensor<2xi16>"), two);
        assert_eq!(constant("[1.000000e+00 : f32, 2.000000e+00 : f32]"), None);
        assert_eq!(constant("dense<> : tensor<0xf32>").map(|it| it.scalars().len()), Some(0));
    }

    #[test]
    fn lists_of_integers_have_several_spellings() {
        for text in ["array<i64: 1, -2>", "[1 : i64, -2 : i64]", "dense<[1, -2]> : vector<2xi32>"] {
            assert_eq!(integers(text), Some(vec![1, -2]), "{text}");
        }
        assert_eq!(integers("array<i64>"), Some(vec![]));
        assert_eq!(integers("[]"), Some(vec![]));
        assert_eq!(
            integer_lists("[[0 : i64], [1 : i64, 2 : i64]]"),
            Some(vec![vec![0], vec![1, 2]])
        );
    }
}
