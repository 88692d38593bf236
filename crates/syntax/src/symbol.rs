//! Names of symbols of MLIR, with and without quotes: `@f` and `@"f"` are one name; `@"q r"` has no other spelling.
//!
//! In: text as it is written. Out: names, and names as text. Linear.

use std::borrow::Cow;

/// The name that `@f`, `@"q r"` or the string `"q r"` stands for; a text that is not UTF-8 stays as it is written.
pub fn symbol_name(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('@').unwrap_or(text);
    let inner = without_quotes(text);
    if !inner.contains('\\') || inner.len() == text.len() {
        return Cow::Borrowed(inner);
    }
    String::from_utf8(unescape(text)).map_or(Cow::Borrowed(inner), Cow::Owned)
}

/// A symbol as it is written: `@f`, in quotes where the name needs them.
pub fn symbol_text(name: &str) -> String {
    match is_bare_name(name) {
        true => format!("@{name}"),
        false => format!("@\"{}\"", escaped(name)),
    }
}

/// A text as it stands between the quotes of a string.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '\\' => out.push_str("\\\\"),
            '"' | '\0'..' ' | '\x7f' => out.push_str(&format!("\\{:02X}", u32::from(it))),
            _ => out.push(it),
        }
    }
    out
}

/// Returns true if a name can be written without quotes.
pub fn is_bare_name(name: &str) -> bool {
    name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'$' | b'.'))
}

/// A string without its quotes, if it has both.
pub(crate) fn without_quotes(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inner.unwrap_or(text)
}

/// The bytes that a string in quotes stands for.
pub fn unescape(text: &str) -> Vec<u8> {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let inner = inner.strip_suffix('"').unwrap_or(inner).as_bytes();
    let mut res = Vec::with_capacity(inner.len());
    let mut at = 0;
    let hex = |at: usize| inner.get(at).and_then(|it| char::from(*it).to_digit(16));
    while at < inner.len() {
        let byte = inner[at];
        if byte != b'\\' || at + 1 == inner.len() {
            res.push(byte);
            at += 1;
            continue;
        }
        if let (Some(high), Some(low)) = (hex(at + 1), hex(at + 2)) {
            res.push((high * 16 + low) as u8);
            at += 3;
            continue;
        }
        res.push(match inner[at + 1] {
            b'n' => b'\n',
            b't' => b'\t',
            other => other,
        });
        at += 2;
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_being_written() {
        for name in ["f", "a.b$c", "q r", "", "1", "a\"b\\", "tab\t", "ü", "\u{7f}\n"] {
            assert_eq!(symbol_name(&symbol_text(name)), name);
            assert_eq!(symbol_name(&format!("\"{}\"", escaped(name))), name);
        }
    }

    #[test]
    fn quotes_are_no_part_of_a_name() {
        assert_eq!(symbol_name("@\"f\""), symbol_name("@f"));
        assert_eq!(symbol_name(r#"@"a\"b\5C""#), "a\"b\\");
        assert_eq!(symbol_text("f.g"), "@f.g");
        assert_eq!(symbol_text("f-g"), "@\"f-g\"");
    }
}
