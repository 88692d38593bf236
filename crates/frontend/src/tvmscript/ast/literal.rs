//! Values of number and string tokens.

use std::borrow::Cow;

use syntax::{SyntaxKind, ast::literals::StringPart};

use super::{ExKind, Whole};

/// A token that is a literal, but for strings.
pub(super) fn of_token(kind: SyntaxKind, text: &str) -> ExKind<'_> {
    match kind {
        SyntaxKind::INT => int(text),
        SyntaxKind::FLOAT => float(text),
        SyntaxKind::TRUE_KW => ExKind::Bool(true),
        SyntaxKind::FALSE_KW => ExKind::Bool(false),
        SyntaxKind::NONE_KW => ExKind::None,
        SyntaxKind::DOT3 => ExKind::Ellipsis,
        _ => ExKind::OtherLiteral,
    }
}

/// `1`, `0x1f`, `1_000`
fn int<'a>(text: &str) -> ExKind<'a> {
    let digits: Cow<'_, str> =
        if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0o" | "0O") => (8, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ => (10, &*digits),
    };
    i128::from_str_radix(digits, radix)
        .map_or(ExKind::OtherLiteral, |it| ExKind::Int(Whole::new(it)))
}

/// `1.0`, `1e-5`, `.5`, `1_0.`
fn float<'a>(text: &str) -> ExKind<'a> {
    let digits: Cow<'_, str> =
        if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    digits.parse().map_or(ExKind::OtherLiteral, ExKind::Float)
}

/// The value of a string token; none of one that has no text. `column` is that of the text that is read as if it began
/// its lines.
pub(super) fn string(text: &str, column: usize) -> Option<Cow<'_, str>> {
    match outdented(text, column) {
        None => StringPart::parse(text).and_then(|part| part.text()),
        Some(text) => StringPart::parse(&text)
            .and_then(|part| part.text())
            .map(|it| Cow::Owned(it.into_owned())),
    }
}

/// A string of several lines as TVM reads it in a function that is inside of something: it takes as many characters as
/// the function is indented off each line of its text, and the blanks at their ends, also where they belong to a string
/// (`Source` of its parser). None where nothing changes, and where the string would lose its end.
fn outdented(text: &str, column: usize) -> Option<String> {
    if column == 0 || !text.contains('\n') {
        return None;
    }
    let (lines, last) = text.rsplit_once('\n')?;
    let cut = |line: &'_ str| line.chars().skip(column).collect::<String>();
    if last.chars().take(column).any(|it| !it.is_whitespace()) {
        return None;
    }
    let mut lines = lines.split('\n');
    let mut result = lines.next().unwrap_or_default().trim_end().to_owned();
    for line in lines {
        result.push('\n');
        result.push_str(cut(line).trim_end());
    }
    result.push('\n');
    result.push_str(&cut(last));
    Some(result)
}

/// Returns true if the text of a string depends on the names in it.
pub(super) fn is_formatted(text: &str) -> bool {
    StringPart::parse(text).is_some_and(|part| part.prefix.formatted)
}
