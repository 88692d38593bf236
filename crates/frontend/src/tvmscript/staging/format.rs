//! Values as text: `str`, `repr`, and the fields of formatted strings.

use syntax::ast::literals::{StringPart, StringPrefix};

use super::{
    function::ClassKind,
    limits::MAX_SIZE,
    operators::as_data,
    value::{Items, Value},
};

/// A part of a formatted string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece<'a> {
    /// Text as it is.
    Text(String),
    /// `{value!r:>8}`
    Field {
        /// The text of the expression.
        value: &'a str,
        /// `!r`
        conversion: Option<char>,
        /// The text behind the colon.
        spec: &'a str,
    },
}

/// The parts of a token of a formatted string; `None` if it has a form that is not read.
pub(crate) fn pieces(token: &str) -> Option<Vec<Piece<'_>>> {
    let part = StringPart::parse(token).filter(|it| it.terminated && !it.prefix.bytes)?;
    if !part.prefix.formatted {
        return Some(vec![Piece::Text(part.text()?.into_owned())]);
    }
    // A template string is no string.
    if token[..token.find(['"', '\''])?].contains(['t', 'T']) {
        return None;
    }
    let body = part.body;
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut at = 0;
    while at < body.len() {
        let rest = &body[at..];
        let next = rest.find(['{', '}']).unwrap_or(rest.len());
        text.push_str(&literal(&rest[..next], part.prefix.raw)?);
        let rest = &rest[next..];
        at += next;
        if rest.starts_with("{{") || rest.starts_with("}}") {
            text.push_str(&rest[..1]);
            at += 2;
        } else if rest.starts_with('}') {
            return None;
        } else if !rest.is_empty() {
            let (field, len) = field(&rest[1..])?;
            if !text.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
            }
            pieces.push(field);
            at += 1 + len;
        }
    }
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Some(pieces)
}

/// The text between two fields.
fn literal(text: &str, raw: bool) -> Option<String> {
    let prefix = StringPrefix { raw, bytes: false, formatted: false };
    let part = StringPart { prefix, quote: "\"", body: text, terminated: true };
    part.text().map(std::borrow::Cow::into_owned)
}

/// The field that begins behind a brace, and its length with the closing one.
fn field(text: &str) -> Option<(Piece<'_>, usize)> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    let mut end = None;
    let mut conversion = None;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' => at += string_len(&text[at..])? - 1,
            b'(' | b'[' | b'{' => depth += 1,
            b'}' if depth == 0 => {
                let value = &text[..end.unwrap_or(at)];
                return closed(value, conversion, "").map(|it| (it, at + 1));
            }
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b'!' if depth == 0 && bytes.get(at + 1) != Some(&b'=') => {
                end = Some(at);
                conversion = Some(char::from(*bytes.get(at + 1)?));
                at += 1;
            }
            b':' if depth == 0 => {
                let spec = &text[at + 1..];
                let len = spec.find('}')?;
                let spec = &spec[..len];
                // A format that depends on values, or a name that is given inside.
                if spec.contains('{') || spec.starts_with('=') {
                    return None;
                }
                let value = &text[..end.unwrap_or(at)];
                return closed(value, conversion, spec).map(|it| (it, at + len + 2));
            }
            b'\\' | b'#' => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

fn closed<'a>(value: &'a str, conversion: Option<char>, spec: &'a str) -> Option<Piece<'a>> {
    let value = value.trim();
    // `{x=}` shows its own text.
    let is_shown = value.ends_with('=');
    (!value.is_empty() && !is_shown).then_some(Piece::Field { value, conversion, spec })
}

/// The length of the string that a text begins with.
fn string_len(text: &str) -> Option<usize> {
    let quote = &text[..1];
    if text.starts_with(&quote.repeat(3)) {
        return None;
    }
    text[1..].find(quote).map(|it| it + 2)
}

/// A value in a field of a formatted string.
pub(crate) fn formatted(value: &Value, conversion: Option<char>, spec: &str) -> Option<String> {
    let text = match conversion {
        None if !spec.is_empty() => return by_spec(as_data(value), spec),
        None | Some('s') => str_of(value)?,
        Some('r') => repr(value)?,
        Some(_) => return None,
    };
    if spec.is_empty() { Some(text) } else { by_spec(&Value::str(text), spec) }
}

/// `str(value)`
pub(crate) fn str_of(value: &Value) -> Option<String> {
    match value {
        Value::Str(it) => Some(it.to_string()),
        Value::Instance(class, fields) => match class.kind {
            _ if class.member("__str__").is_some() || class.member("__format__").is_some() => None,
            // Python's versions disagree about enumerations that are strings.
            ClassKind::Enum { is_str: false, is_int: false } => match fields.get("_name_") {
                Some(Value::Str(name)) => Some(format!("{}.{name}", class.name)),
                _ => None,
            },
            _ => None,
        },
        _ => repr(value),
    }
}

/// `repr(value)`
pub(crate) fn repr(value: &Value) -> Option<String> {
    let mut out = String::new();
    write(value, &mut out)?;
    Some(out)
}

fn write(value: &Value, out: &mut String) -> Option<()> {
    use std::fmt::Write as _;
    if out.len() > 4 * MAX_SIZE {
        return None;
    }
    match value {
        Value::None => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Int(it) => write!(out, "{it}").ok()?,
        Value::Float(it) => out.push_str(&float(f64::from_bits(*it))),
        Value::Str(it) => quoted(it, out)?,
        Value::Tuple(items) => {
            list(items, out, "(", ")")?;
            if items.len() == 1 {
                out.truncate(out.len() - 1);
                out.push_str(",)");
            }
        }
        Value::List(items) => list(items, out, "[", "]")?,
        // The order of a set is Python's own.
        Value::Set(items) if items.len() == 1 => list(items, out, "{", "}")?,
        Value::Dict(items) => {
            out.push('{');
            for (index, pair) in items.chunks_exact(2).enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write(&pair[0], out)?;
                out.push_str(": ");
                write(&pair[1], out)?;
            }
            out.push('}');
        }
        Value::Slice(items) => {
            out.push_str("slice");
            list(items, out, "(", ")")?;
        }
        Value::Range(start, stop, 1) => write!(out, "range({start}, {stop})").ok()?,
        Value::Range(start, stop, step) => write!(out, "range({start}, {stop}, {step})").ok()?,
        Value::Instance(class, fields) => match class.kind {
            ClassKind::Data { .. } if class.member("__repr__").is_none() => {
                write!(out, "{}(", class.name).ok()?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    write!(out, "{}{name}=", if index > 0 { ", " } else { "" }).ok()?;
                    write(value, out)?;
                }
                out.push(')');
            }
            _ => return None,
        },
        _ => return None,
    }
    Some(())
}

fn list(items: &Items, out: &mut String, open: &str, close: &str) -> Option<()> {
    out.push_str(open);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write(item, out)?;
    }
    out.push_str(close);
    Some(())
}

fn quoted(text: &str, out: &mut String) -> Option<()> {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            // Which of the others are printed is told by tables of Unicode.
            _ => return None,
        }
    }
    out.push(quote);
    Some(())
}

/// A float as Python prints it: the shortest text that is read back as the same number.
pub(crate) fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or_default();
    if value != 0.0 && !(-4..16).contains(&power) {
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", power.abs());
    }
    let plain = format!("{value}");
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

/// A value in the format that a text names: width, alignment and sign; the digits of integers in a base; the digits of
/// floats behind the point.
fn by_spec(value: &Value, spec: &str) -> Option<String> {
    let mut rest = spec;
    let mut fill = ' ';
    let mut align = None;
    let mut chars = spec.chars();
    if let (Some(first), Some(second)) = (chars.next(), chars.next())
        && "<>^=".contains(second)
    {
        (fill, align) = (first, Some(second));
        rest = &rest[first.len_utf8() + 1..];
    } else if let Some(first) = spec.chars().next().filter(|it| "<>^=".contains(*it)) {
        align = Some(first);
        rest = &rest[1..];
    }
    let sign = rest.chars().next().filter(|it| "+- ".contains(*it));
    rest = &rest[usize::from(sign.is_some())..];
    let is_alternate = rest.starts_with('#');
    rest = &rest[usize::from(is_alternate)..];
    if rest.starts_with('0') && align.is_none() {
        (fill, align) = ('0', Some('='));
    }
    let (width, rest) = digits(rest)?;
    let is_grouped = rest.starts_with(',');
    let rest = &rest[usize::from(is_grouped)..];
    let (precision, rest) = match rest.strip_prefix('.') {
        Some(rest) if rest.starts_with(|it: char| it.is_ascii_digit()) => {
            let (precision, rest) = digits(rest)?;
            (Some(precision), rest)
        }
        Some(_) => return None,
        None => (None, rest),
    };
    if precision.is_some_and(|it| it > 100) || width > 1000 {
        return None;
    }
    let mut prefix = "";
    let (is_negative, text) = match value {
        Value::Int(it) if precision.is_none() => {
            let (base, text) = int_text(it.unsigned_abs(), rest, is_grouped)?;
            prefix = if is_alternate { base } else { "" };
            (*it < 0, text)
        }
        Value::Float(bits) if !is_alternate && !is_grouped && rest == "f" => {
            let value = f64::from_bits(*bits);
            if !value.is_finite() {
                return None;
            }
            (value.is_sign_negative(), format!("{:.*}", precision.unwrap_or(6), value.abs()))
        }
        Value::Str(it) if matches!(rest, "" | "s") && sign.is_none() && !is_grouped => {
            if is_alternate || align == Some('=') {
                return None;
            }
            let kept = it.chars().take(precision.unwrap_or(usize::MAX)).collect();
            return Some(padded(kept, "", fill, align.unwrap_or('<'), width));
        }
        _ => return None,
    };
    let sign = match (is_negative, sign) {
        (true, _) => "-",
        (_, Some('+')) => "+",
        (_, Some(' ')) => " ",
        _ => "",
    };
    if is_grouped && fill == '0' {
        return None;
    }
    Some(padded(text, &format!("{sign}{prefix}"), fill, align.unwrap_or('>'), width))
}

fn digits(text: &str) -> Option<(usize, &str)> {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = if len == 0 { 0 } else { text[..len].parse().ok()? };
    Some((number, &text[len..]))
}

/// The prefix of a base and the digits in it.
fn int_text(value: u128, base: &str, is_grouped: bool) -> Option<(&'static str, String)> {
    let (prefix, text) = match base {
        "" | "d" => ("", value.to_string()),
        "x" => ("0x", format!("{value:x}")),
        "X" => ("0X", format!("{value:X}")),
        "o" => ("0o", format!("{value:o}")),
        "b" => ("0b", format!("{value:b}")),
        _ => return None,
    };
    if !is_grouped {
        return Some((prefix, text));
    }
    if !prefix.is_empty() {
        return None;
    }
    let mut grouped = String::new();
    for (index, digit) in text.chars().enumerate() {
        if index > 0 && (text.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    Some((prefix, grouped))
}

fn padded(text: String, sign: &str, fill: char, align: char, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count() + sign.len());
    let fill = |n: usize| fill.to_string().repeat(n);
    match align {
        '<' => format!("{sign}{text}{}", fill(missing)),
        '^' => format!("{}{sign}{text}{}", fill(missing / 2), fill(missing - missing / 2)),
        '=' => format!("{sign}{}{text}", fill(missing)),
        _ => format!("{}{sign}{text}", fill(missing)),
    }
}
