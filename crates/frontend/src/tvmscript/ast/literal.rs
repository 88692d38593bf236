//! Values of number and string tokens.

use std::borrow::Cow;

use syntax::ast::literals::StringPart;

use super::ExKind;

/// `1`, `0x1f`, `1_000`
pub(super) fn int<'a>(text: &str) -> ExKind<'a> {
    let digits: Cow<'_, str> =
        if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0o" | "0O") => (8, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ => (10, &*digits),
    };
    i128::from_str_radix(digits, radix).map_or(ExKind::OtherLiteral, ExKind::Int)
}

/// `1.0`, `1e-5`, `.5`, `1_0.`
pub(super) fn float<'a>(text: &str) -> ExKind<'a> {
    let digits: Cow<'_, str> =
        if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    digits.parse().map_or(ExKind::OtherLiteral, ExKind::Float)
}

/// Adjacent strings are one.
pub(super) fn string<'a>(so_far: Option<ExKind<'a>>, text: &'a str) -> ExKind<'a> {
    let Some(value) = StringPart::parse(text).and_then(|part| part.text()) else {
        return ExKind::OtherLiteral;
    };
    match so_far {
        None => ExKind::Str(value),
        Some(ExKind::Str(before)) => ExKind::Str(Cow::Owned(before.into_owned() + &value)),
        Some(other) => other,
    }
}

/// Returns true if the text of a string depends on the names in it.
pub(super) fn is_formatted(text: &str) -> bool {
    StringPart::parse(text).is_some_and(|part| part.prefix.formatted)
}
