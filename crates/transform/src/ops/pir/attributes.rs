//! The attributes of operations as Paddle compares them.
//!
//! Only declared attributes count, not those that tools write on an operation (`stop_gradient`, `op_callstack`, …). One
//! that Paddle does not register counts with all that is not such an annotation. Floating-point numbers are printed
//! with six digits, so a text with six of them, or with an exponent, may stand for several numbers: it is *rounded*.

use ir::{
    Attr, AttrDictId, Body, NameId, OpId, OpKind,
    arena::Id,
    effects::{is_paddle_annotation, paddle_op},
};
use rustc_hash::FxHashMap;

/// Digits that the printer writes at most.
const PRINTED_DIGITS: usize = 6;

/// The attributes that are compared, by operation.
pub(super) struct Attributes {
    ops: Vec<(u32, bool)>,
}

impl Attributes {
    /// Looks at each dictionary once for each name of an operation. Linear.
    pub(super) fn new(body: &Body) -> Attributes {
        let mut dicts: FxHashMap<(NameId, AttrDictId), (u32, bool)> = FxHashMap::default();
        let mut texts: FxHashMap<Vec<(&str, &str)>, u32> = FxHashMap::default();
        let mut ops = Vec::with_capacity(body.ops.len());
        for (_, data) in body.ops.iter() {
            let (OpKind::Named(name) | OpKind::Opaque(name)) = data.kind else {
                ops.push((0, false));
                continue;
            };
            let found = *dicts.entry((name, data.attrs)).or_insert_with(|| {
                let (declared, is_rounded) = declared(body, name, data.attrs);
                let next = texts.len() as u32;
                (*texts.entry(declared).or_insert(next), is_rounded)
            });
            ops.push(found);
        }
        Attributes { ops }
    }

    /// The number of the declared attributes: equal ones have equal numbers.
    pub(super) fn declared(&self, op: OpId) -> u32 {
        self.ops[op.index()].0
    }

    /// Returns true if one of them is rounded.
    pub(super) fn is_rounded(&self, op: OpId) -> bool {
        self.ops[op.index()].1
    }
}

fn declared(body: &Body, name: NameId, attrs: AttrDictId) -> (Vec<(&str, &str)>, bool) {
    let registered = paddle_op(body.name(name));
    let mut texts = Vec::new();
    let mut is_rounded = false;
    for (key, value) in body.dict(attrs) {
        let may_round = match registered {
            Some(op) => op.attribute(key),
            None => (!is_paddle_annotation(key)).then_some(true),
        };
        let Some(may_round) = may_round else { continue };
        let text = if let Attr::Text(text) = value { text } else { "" };
        let is_whole = registered.is_none() && !text.contains('.');
        is_rounded |= may_round && !is_whole && has_rounded_number(text);
        texts.push((&**key, text));
    }
    (texts, is_rounded)
}

/// Returns true if a number in the text has an exponent or as many digits as the printer writes. Quoted text does not
/// count.
fn has_rounded_number(text: &str) -> bool {
    let mut in_quotes = false;
    let is_word = |it: char| it.is_alphanumeric() || matches!(it, '.' | '_');
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            in_quotes = !in_quotes;
        }
        if in_quotes || !is_word(first) {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let len = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(len);
        rest = behind;
        if word.starts_with(|it: char| it.is_ascii_digit() || it == '.') && is_rounded(word) {
            return true;
        }
    }
    false
}

fn is_rounded(number: &str) -> bool {
    let digits = number.chars().filter(char::is_ascii_digit).collect::<String>();
    number.contains(['e', 'E']) || digits.trim_start_matches('0').len() >= PRINTED_DIGITS
}

#[cfg(test)]
mod tests {
    use super::has_rounded_number;

    #[test]
    fn six_digits_or_an_exponent_are_rounded() {
        for text in ["0.797885", "1.67772e+07", "1e-05", "[1,0.353553]", "-123456", "100000"] {
            assert!(has_rounded_number(text), "{text}");
        }
        for text in [
            "0.5",
            "[2,4]",
            "-1",
            "0.00125",
            "inf",
            "float32",
            "\"1e-05\"",
            "Place(gpu:0)",
            "99999",
            "",
        ] {
            assert!(!has_rounded_number(text), "{text}");
        }
    }
}
