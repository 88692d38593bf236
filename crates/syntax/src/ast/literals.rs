//! Values of literals: numbers of any base, strings with their prefixes and escapes.

use std::{borrow::Cow, fmt};

use parser::SyntaxKind;

use super::{AstNode, Literal, StringExpr, support};
use crate::{SyntaxToken, TokenText};

/// The value of a literal that is not a string.
#[derive(Debug, Clone, PartialEq)]
pub enum LiteralValue {
    /// `1`, `0x1f`, `1_000`
    Int(IntValue),
    /// `1.0`, `1e-5`
    Float(f64),
    /// `1j`: the imaginary part.
    Imaginary(f64),
    /// `True`, `False`
    Bool(bool),
    /// `None`
    None,
    /// `...`
    Ellipsis,
}

/// A non-negative integer: Python's have no bounds, those that programs mean have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum IntValue {
    /// A value that fits.
    Small(u128),
    /// A value beyond 128 bits, as it is written.
    Big(TokenText),
}

impl fmt::Display for IntValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntValue::Small(value) => value.fmt(f),
            IntValue::Big(text) => text.fmt(f),
        }
    }
}

impl Literal {
    /// The token.
    pub fn token(&self) -> Option<SyntaxToken> {
        support::first_token(self.syntax())
    }

    /// The value; `None` if the token is malformed.
    pub fn value(&self) -> Option<LiteralValue> {
        let token = self.token()?;
        let value = match token.kind() {
            SyntaxKind::INT => LiteralValue::Int(int_value(&token)?),
            SyntaxKind::FLOAT => LiteralValue::Float(float_value(token.text())?),
            SyntaxKind::IMAGINARY => {
                LiteralValue::Imaginary(float_value(token.text().trim_end_matches(['j', 'J']))?)
            }
            SyntaxKind::TRUE_KW => LiteralValue::Bool(true),
            SyntaxKind::FALSE_KW => LiteralValue::Bool(false),
            SyntaxKind::NONE_KW => LiteralValue::None,
            SyntaxKind::DOT3 => LiteralValue::Ellipsis,
            _ => return None,
        };
        Some(value)
    }
}

fn int_value(token: &SyntaxToken) -> Option<IntValue> {
    let text = token.text();
    let (radix, digits) = match text.get(..2) {
        Some("0x" | "0X") => (16, &text[2..]),
        Some("0o" | "0O") => (8, &text[2..]),
        Some("0b" | "0B") => (2, &text[2..]),
        _ => (10, text),
    };
    let mut value: Option<u128> = Some(0);
    let mut any = false;
    for c in digits.chars().filter(|c| *c != '_') {
        let digit = c.to_digit(radix)?;
        any = true;
        value =
            value.and_then(|it| it.checked_mul(u128::from(radix))?.checked_add(u128::from(digit)));
    }
    any.then(|| value.map_or_else(|| IntValue::Big(token.shared_text()), IntValue::Small))
}

fn float_value(text: &str) -> Option<f64> {
    if text.contains('_') { text.replace('_', "").parse().ok() } else { text.parse().ok() }
}

/// The letters before a string's quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StringPrefix {
    /// `r`: backslashes are themselves.
    pub raw: bool,
    /// `b`: the value is bytes.
    pub bytes: bool,
    /// `f` or `t`: the value depends on the names in it.
    pub formatted: bool,
}

/// The value of one or more adjacent strings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StringValue {
    /// The text.
    Text(String),
    /// The bytes of a `b` string.
    Bytes(Vec<u8>),
    /// An f-string's value is known only when it runs.
    Formatted,
}

/// One string token, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StringPart<'a> {
    /// The letters before the quotes.
    pub prefix: StringPrefix,
    /// The quotes: one or three.
    pub quote: &'a str,
    /// The text between the quotes, as written.
    pub body: &'a str,
    /// True if the closing quotes are there.
    pub terminated: bool,
}

impl<'a> StringPart<'a> {
    /// Takes the text of a string token apart.
    pub fn parse(text: &'a str) -> Option<StringPart<'a>> {
        let at = text.find(['"', '\''])?;
        let mut prefix = StringPrefix::default();
        for c in text[..at].chars() {
            match c.to_ascii_lowercase() {
                'r' => prefix.raw = true,
                'b' => prefix.bytes = true,
                'f' | 't' => prefix.formatted = true,
                'u' => {}
                _ => return None,
            }
        }
        let rest = &text[at..];
        let one = &rest[..1];
        let quote =
            if rest.len() >= 3 && rest.as_bytes()[..3].iter().all(|b| *b == one.as_bytes()[0]) {
                &rest[..3]
            } else {
                one
            };
        let after = &rest[quote.len()..];
        match after.strip_suffix(quote) {
            Some(body) if !ends_escaped(body) => {
                Some(StringPart { prefix, quote, body, terminated: true })
            }
            _ => Some(StringPart { prefix, quote, body: after, terminated: false }),
        }
    }

    /// The value, if it is a text: borrowed where no escape has to be read. `None` for bytes, f-strings and
    /// malformed escapes.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        if self.prefix.bytes || self.prefix.formatted {
            return None;
        }
        if self.prefix.raw || !self.body.contains(['\\', '\r']) {
            return Some(Cow::Borrowed(self.body));
        }
        let mut bytes = Vec::with_capacity(self.body.len());
        self.decode(&mut bytes)?;
        String::from_utf8(bytes).ok().map(Cow::Owned)
    }

    /// Adds the value to `out`; `None` if an escape is malformed.
    fn decode(&self, out: &mut Vec<u8>) -> Option<()> {
        if self.prefix.raw || !self.body.contains(['\\', '\r']) {
            out.extend_from_slice(self.body.as_bytes());
            return Some(());
        }
        let mut chars = self.body.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => decode_escape(&mut chars, self.prefix.bytes, out)?,
                // Python reads every line end in a source as `\n`.
                '\r' => {
                    chars.next_if_eq(&'\n');
                    out.push(b'\n');
                }
                _ => push_char(out, c),
            }
        }
        Some(())
    }
}

/// Returns true if the text ends in an odd number of backslashes: the quote after it is then part of the string, raw or
/// not.
fn ends_escaped(body: &str) -> bool {
    body.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
}

fn push_char(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Reads what follows a backslash.
fn decode_escape(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    bytes: bool,
    out: &mut Vec<u8>,
) -> Option<()> {
    let c = chars.next()?;
    let simple = match c {
        '\n' => return Some(()),
        '\r' => {
            chars.next_if_eq(&'\n');
            return Some(());
        }
        '\\' | '\'' | '"' => c,
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '0'..='7' => {
            let mut value = c.to_digit(8)?;
            for _ in 0..2 {
                let Some(digit) = chars.peek().and_then(|it| it.to_digit(8)) else { break };
                chars.next();
                value = value * 8 + digit;
            }
            return push_value(out, value, bytes);
        }
        'x' => return push_value(out, hex(chars, 2)?, bytes),
        'u' if !bytes => return push_value(out, hex(chars, 4)?, false),
        'U' if !bytes => return push_value(out, hex(chars, 8)?, false),
        // The names of Unicode's characters are not known here.
        'N' if !bytes => return None,
        _ => {
            out.push(b'\\');
            c
        }
    };
    push_char(out, simple);
    Some(())
}

fn hex(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, digits: usize) -> Option<u32> {
    let mut value: u32 = 0;
    for _ in 0..digits {
        value = value.checked_mul(16)? + chars.next()?.to_digit(16)?;
    }
    Some(value)
}

fn push_value(out: &mut Vec<u8>, value: u32, bytes: bool) -> Option<()> {
    if bytes {
        // Octal escapes beyond one byte keep its low bits, as in Python.
        out.push((value & 0xff) as u8);
    } else {
        push_char(out, char::from_u32(value)?);
    }
    Some(())
}

impl StringExpr {
    /// The value of all tokens joined; `None` if one is unterminated or malformed, or bytes and text are mixed.
    pub fn value(&self) -> Option<StringValue> {
        let mut out = Vec::new();
        let mut bytes = None;
        let mut formatted = false;
        for token in self.string_tokens() {
            let part = StringPart::parse(token.text()).filter(|it| it.terminated)?;
            if bytes.is_some_and(|it| it != part.prefix.bytes) {
                return None;
            }
            bytes = Some(part.prefix.bytes);
            formatted |= part.prefix.formatted;
            if !formatted {
                part.decode(&mut out)?;
            }
        }
        match bytes? {
            _ if formatted => Some(StringValue::Formatted),
            true => Some(StringValue::Bytes(out)),
            false => String::from_utf8(out).ok().map(StringValue::Text),
        }
    }

    /// The value, if it is text that is known without running.
    pub fn text_value(&self) -> Option<String> {
        match self.value()? {
            StringValue::Text(text) => Some(text),
            StringValue::Bytes(_) | StringValue::Formatted => None,
        }
    }
}
