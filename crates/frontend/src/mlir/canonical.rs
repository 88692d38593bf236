//! Attributes and types in one spelling: equal ones have equal texts.
//!
//! Text in, text out: aliases expanded, blanks as MLIR's printer sets them, keys sorted, numbers by [`super::number`]
//! with their default types, affine maps simplified, `#d<m …>` as `#d.m<…>`, uniform `dense` as a splat. The body of a
//! dialect's attribute or type is known by its tokens only.
//!
//! Linear in the text with aliases expanded; an alias whose text is long stands for itself by a hash of it, so that
//! nested aliases cannot explode. Text nested deeper than [`MAX_LEVELS`] is written by its tokens: each level costs a
//! look over all its contents.

use std::cell::Cell;

use syntax::{is_bare_name, unescape};

use super::{
    affine::Map,
    aliases::Aliases,
    cursor::{Cursor, Token},
    dense,
    number::{self, Element},
};

/// The levels of attributes and types that are written canonically. Equal texts are equal at any depth; deeper, another
/// spelling is another value: a bound on work, for which at worst two equal operations are not recognised.
const MAX_LEVELS: u32 = 64;

/// The canonical text of an attribute.
pub(super) fn attribute(text: &str, aliases: &Aliases) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut cursor = Cursor::new(text);
    Writer::new(aliases).attribute(&mut cursor, &mut out);
    Writer::new(aliases).rest(&mut cursor, &mut out);
    out
}

/// The canonical text of a type.
pub(super) fn type_(text: &str, aliases: &Aliases) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut cursor = Cursor::new(text);
    Writer::new(aliases).type_(&mut cursor, &mut out);
    Writer::new(aliases).rest(&mut cursor, &mut out);
    out
}

/// Returns true if a type is certainly written canonically.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_alphanumeric())
        || ["tensor<", "vector<"].iter().any(|it| {
            text.strip_prefix(it)
                .and_then(|it| it.strip_suffix('>'))
                .is_some_and(|body| body.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'?'))
        })
}

/// Writes canonical texts; an alias is replaced by its definition.
pub(super) struct Writer<'a> {
    aliases: &'a Aliases,
    /// Levels around the current text.
    level: Cell<u32>,
}

impl<'a> Writer<'a> {
    /// A writer with these aliases in scope.
    pub(super) fn new(aliases: &'a Aliases) -> Writer<'a> {
        Writer { aliases, level: Cell::new(0) }
    }

    /// Writes one level deeper; `false` if that is too deep.
    fn nest(&self, write: impl FnOnce()) -> bool {
        let level = self.level.get();
        if level >= MAX_LEVELS {
            return false;
        }
        self.level.set(level + 1);
        write();
        self.level.set(level);
        true
    }
}

impl Writer<'_> {
    /// Copies the remaining tokens of a broken text.
    fn rest(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        while !cursor.at_end() {
            let before = cursor.pos();
            self.flat_token(cursor, out);
            if cursor.pos() == before {
                return;
            }
        }
    }

    fn attribute(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        if !self.nest(|| self.attribute_here(cursor, out)) {
            tokens(cursor.item(), out);
        }
    }

    fn attribute_here(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        match cursor.peek() {
            Token::String(text) => {
                cursor.next();
                string(text, out);
                self.of_type(cursor, out);
            }
            Token::Number(_) | Token::Mark('-') => self.number(cursor, out),
            Token::Mark('[') => self.list(cursor, out),
            Token::Mark('{') => {
                out.push_str(&dictionary(&self.entries(cursor)));
            }
            Token::Mark('(') => self.type_(cursor, out),
            Token::Name(name) if name.starts_with('@') => self.symbol(cursor, out),
            Token::Name(name) if name.starts_with('#') => {
                self.dialect(cursor, out);
                self.of_type(cursor, out);
            }
            Token::Word(word) => self.word(cursor, word, out),
            Token::Name(_) => self.type_(cursor, out),
            Token::End => {}
            _ => self.flat_token(cursor, out),
        }
    }

    /// `: T`
    fn of_type(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        if cursor.eat(':') {
            out.push_str(" : ");
            self.type_(cursor, out);
        }
    }

    fn symbol(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        while let Token::Name(name) = cursor.peek() {
            cursor.next();
            out.push_str(&symbol_text(name));
            let mut ahead = *cursor;
            if ahead.eat(':') && ahead.eat(':') {
                *cursor = ahead;
                out.push_str("::");
            } else {
                return;
            }
        }
    }

    fn number(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        let negative = cursor.eat('-');
        let Token::Number(text) = cursor.peek() else {
            out.push('-');
            return;
        };
        cursor.next();
        let mut ty = String::new();
        if cursor.eat(':') {
            self.type_(cursor, &mut ty);
        } else {
            ty.push_str(if text.contains('.') { "f64" } else { "i64" });
        }
        out.push_str(&number::canonical(text, negative, Element::of(&ty)));
        if ty != "i1" {
            out.push_str(" : ");
            out.push_str(&ty);
        }
    }

    fn list(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        cursor.next();
        out.push('[');
        let mut first = true;
        while !cursor.eat(']') && !cursor.at_end() {
            if !std::mem::take(&mut first) {
                out.push_str(", ");
            }
            let before = cursor.pos();
            self.attribute(cursor, out);
            if !cursor.eat(',') && cursor.pos() == before {
                self.flat_token(cursor, out);
            }
        }
        out.push(']');
    }

    /// The entries of a dictionary in braces, in the order of the text.
    pub(super) fn entries(&self, cursor: &mut Cursor<'_>) -> Vec<(String, String)> {
        let mut res = Vec::new();
        cursor.eat('{');
        while !cursor.eat('}') && !cursor.at_end() {
            let before = cursor.pos();
            let key = match cursor.next() {
                Token::Word(key) => key.to_owned(),
                Token::String(key) => key_text(key),
                Token::Mark(',') => continue,
                _ => String::new(),
            };
            let mut value = String::new();
            if cursor.eat('=') {
                self.attribute(cursor, &mut value);
            } else {
                value.push_str("unit");
            }
            res.push((key, value));
            if cursor.pos() == before {
                break;
            }
        }
        res
    }

    fn word(&self, cursor: &mut Cursor<'_>, word: &str, out: &mut String) {
        match word {
            "true" | "false" | "unit" => {
                cursor.next();
                out.push_str(word);
                // `true : i1` is `true`.
                let mut ignored = String::new();
                self.of_type(cursor, &mut ignored);
            }
            "dense" => {
                cursor.next();
                let start = cursor.pos();
                cursor.skip_group();
                let body = cursor.since(start);
                let mut ty = String::new();
                if cursor.eat(':') {
                    self.type_(cursor, &mut ty);
                }
                dense::write(self, body, &ty, out);
            }
            "affine_map" | "affine_set" => {
                self.affine(cursor, out);
                self.of_type(cursor, out);
            }
            "array" | "sparse" | "dense_resource" | "strided" | "distinct" | "opaque" | "loc" => {
                cursor.next();
                out.push_str(word);
                while matches!(cursor.peek(), Token::Mark('<' | '[' | '(')) {
                    self.flat_group(cursor, out);
                }
                self.of_type(cursor, out);
            }
            _ => self.type_(cursor, out),
        }
    }

    /// `affine_map<…>`; as it is where it cannot be read.
    fn affine(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        let Token::Word(word) = cursor.next() else { return };
        let start = cursor.pos();
        cursor.skip_group();
        let group = cursor.since(start).trim();
        let body = group.strip_prefix('<').and_then(|it| it.strip_suffix('>')).unwrap_or_default();
        match Map::parse(body, word == "affine_set") {
            Some(map) => map.print(out),
            None => {
                out.push_str(word);
                if !self.nest(|| self.flat_group(&mut Cursor::new(group), out)) {
                    tokens(group, out);
                }
            }
        }
    }

    /// `#alias`, `#d.m<…>`, `#d<m …>`, `!…` likewise.
    fn dialect(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        let Token::Name(name) = cursor.next() else { return };
        let bracket = cursor.adjacent(b'<');
        if !bracket && let Some(text) = self.aliases.get(name) {
            out.push_str(text);
            return;
        }
        out.push_str(name);
        if !bracket {
            return;
        }
        if !self.nest(|| self.dialect_body(cursor, name, out)) {
            let start = cursor.pos();
            cursor.skip_group();
            tokens(cursor.since(start), out);
        }
    }

    /// `<…>` behind the name of a dialect's attribute or type.
    fn dialect_body(&self, cursor: &mut Cursor<'_>, name: &str, out: &mut String) {
        let mut ahead = *cursor;
        ahead.next();
        if !name.contains('.')
            && let Token::Word(mnemonic) = ahead.next()
            && !mnemonic.starts_with(|it: char| it.is_ascii_digit())
            && ahead.peek() != Token::Mark(',')
        {
            // `#d<m body>` is `#d.m<body>`, and so is `#d<m<body>>`.
            out.push('.');
            out.push_str(mnemonic);
            self.unwrap(cursor, ahead, out);
            return;
        }
        self.flat_group(cursor, out);
    }

    /// Writes the text behind the mnemonic of `#d<m …>`; `cursor` is at the `<`, `inner` behind the mnemonic.
    fn unwrap(&self, cursor: &mut Cursor<'_>, inner: Cursor<'_>, out: &mut String) {
        let start = cursor.pos();
        cursor.skip_group();
        let whole = cursor.since(start);
        let offset = inner.pos() - start;
        let body =
            whole.get(offset..).and_then(|it| it.strip_suffix('>')).unwrap_or_default().trim();
        if body.is_empty() {
            return;
        }
        let mut probe = Cursor::new(body);
        let wrapped = body.starts_with('<') && {
            probe.skip_group();
            probe.at_end()
        };
        let mut cursor = Cursor::new(body);
        if wrapped {
            self.flat_group(&mut cursor, out);
        } else {
            out.push('<');
            self.flat_to_end(&mut cursor, out);
            out.push('>');
        }
    }

    pub(super) fn type_(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        if !self.nest(|| self.type_here(cursor, out)) {
            tokens(cursor.item(), out);
        }
    }

    fn type_here(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        match cursor.peek() {
            Token::Mark('(') => self.function_type(cursor, out),
            Token::Name(name) if name.starts_with('!') => self.dialect_type(cursor, name, out),
            Token::Word(name @ ("tensor" | "vector" | "memref")) => {
                cursor.next();
                out.push_str(name);
                if cursor.adjacent(b'<') {
                    self.shaped(cursor, name, out);
                }
            }
            Token::Word(name) => {
                cursor.next();
                out.push_str(name);
                if cursor.adjacent(b'<') {
                    self.flat_group(cursor, out);
                }
            }
            Token::End => {}
            _ => self.flat_token(cursor, out),
        }
    }

    fn dialect_type(&self, cursor: &mut Cursor<'_>, name: &str, out: &mut String) {
        if !name.starts_with("!llvm.") {
            self.dialect(cursor, out);
            return;
        }
        let mut inner = String::new();
        self.dialect(cursor, &mut inner);
        // Inside of LLVM's types its prefix may be left out.
        match inner.strip_prefix("!llvm.") {
            Some(rest) => {
                out.push_str("!llvm.");
                out.push_str(&rest.replace("!llvm.", ""));
            }
            None => out.push_str(&inner),
        }
    }

    fn function_type(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        self.type_list(cursor, out, true);
        let mut ahead = *cursor;
        if ahead.next() != Token::Arrow {
            return;
        }
        *cursor = ahead;
        out.push_str(" -> ");
        if cursor.at('(') {
            self.type_list(cursor, out, false);
        } else {
            self.type_(cursor, out);
        }
    }

    /// `(T, U)`; one type without parentheses unless they are to stay. The attributes of types are dropped.
    fn type_list(&self, cursor: &mut Cursor<'_>, out: &mut String, parens: bool) {
        cursor.next();
        let mut types: Vec<String> = Vec::new();
        while !cursor.eat(')') && !cursor.at_end() {
            let before = cursor.pos();
            let mut ty = String::new();
            self.type_(cursor, &mut ty);
            if cursor.at('{') {
                cursor.skip_group();
            }
            types.push(ty);
            cursor.eat(',');
            if cursor.pos() == before {
                break;
            }
        }
        match &types[..] {
            // `(() -> i32)` keeps its parentheses.
            [one] if !parens && !one.starts_with('(') => out.push_str(one),
            _ => {
                out.push('(');
                out.push_str(&types.join(", "));
                out.push(')');
            }
        }
    }

    /// `<4x?xf32, …>` behind the name of a shaped type.
    fn shaped(&self, cursor: &mut Cursor<'_>, name: &str, out: &mut String) {
        cursor.next();
        out.push('<');
        let start = cursor.pos();
        dimensions(cursor, out);
        let rank = super::types::dimensions_of(cursor.since(start)).len();
        self.type_(cursor, out);
        let mut parts = 0;
        while cursor.eat(',') {
            let mut part = String::new();
            self.attribute(cursor, &mut part);
            // The default layout and memory space are not there.
            let is_default = name == "memref"
                && (part == "0 : i64"
                    || parts == 0 && part.starts_with("affine_map<") && is_identity(&part, rank));
            parts += 1;
            if !is_default {
                out.push_str(", ");
                out.push_str(part.strip_suffix(" : i64").unwrap_or(&part));
            }
        }
        while !cursor.at('>') && !cursor.at_end() {
            self.flat_token(cursor, out);
        }
        cursor.eat('>');
        out.push('>');
    }

    /// A group with all that is in it by its tokens.
    pub(super) fn flat_group(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        let start = cursor.pos();
        cursor.skip_group();
        let text = cursor.since(start);
        self.flat_to_end(&mut Cursor::new(text), out);
    }

    fn flat_to_end(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        while !cursor.at_end() {
            self.flat_token(cursor, out);
        }
    }

    fn flat_token(&self, cursor: &mut Cursor<'_>, out: &mut String) {
        let spaced = cursor.space();
        match cursor.peek() {
            Token::Word("affine_map" | "affine_set") => {
                separate(out, spaced);
                self.affine(cursor, out);
            }
            Token::Word(word) | Token::Number(word) => {
                cursor.next();
                separate(out, spaced);
                out.push_str(word);
            }
            Token::Name(name) if name.starts_with(['#', '!']) && name.len() > 1 => {
                separate(out, spaced);
                self.dialect(cursor, out);
            }
            Token::Name(name) => {
                cursor.next();
                separate(out, spaced);
                out.push_str(name);
            }
            Token::String(text) => {
                cursor.next();
                separate(out, spaced);
                string(text, out);
            }
            Token::Arrow => {
                cursor.next();
                out.push_str(" -> ");
            }
            Token::Mark(mark) => {
                cursor.next();
                match mark {
                    ',' => out.push_str(", "),
                    '=' if !out.ends_with(['>', '<', '=']) => out.push_str(" = "),
                    ':' if cursor.at(':') || out.ends_with(':') => out.push(':'),
                    ':' => out.push_str(if spaced { " : " } else { ": " }),
                    '(' if spaced
                        && out.ends_with(|it: char| it.is_alphanumeric() || it == '>') =>
                    {
                        out.push_str(" (")
                    }
                    _ => out.push(mark),
                }
            }
            Token::End => {}
        }
    }
}

/// The tokens of a text, with a blank where there was white space.
fn tokens(text: &str, out: &mut String) {
    let mut cursor = Cursor::new(text);
    let mut is_first = true;
    loop {
        let is_spaced = cursor.space();
        let start = cursor.pos();
        if cursor.next() == Token::End {
            return;
        }
        if is_spaced && !std::mem::take(&mut is_first) {
            out.push(' ');
        }
        is_first = false;
        out.push_str(cursor.since(start));
    }
}

/// A blank between two words that had one.
fn separate(out: &mut String, spaced: bool) {
    let joins = |it: char| it.is_alphanumeric() || matches!(it, '_' | '>' | ')' | ']' | '"');
    if spaced && out.ends_with(joins) {
        out.push(' ');
    }
}

fn is_identity(map: &str, rank: usize) -> bool {
    let body = map.strip_prefix("affine_map<").and_then(|it| it.strip_suffix('>'));
    body.and_then(|it| Map::parse(it, false)).is_some_and(|it| it.dims == rank && it.is_identity())
}

/// `4x?x[8]x`, `*x`
fn dimensions(cursor: &mut Cursor<'_>, out: &mut String) {
    loop {
        let mut ahead = *cursor;
        ahead.space();
        let start = ahead.pos();
        let text = &ahead.text()[start..];
        let len = match text.as_bytes().first() {
            Some(b'?' | b'*') => 1,
            Some(b'[') => text.find(']').map_or(0, |it| it + 1),
            Some(b'0'..=b'9') => text.bytes().take_while(u8::is_ascii_digit).count(),
            _ => 0,
        };
        let rest = text[len..].trim_start();
        if len == 0 || !rest.starts_with('x') {
            return;
        }
        out.extend(text[..len].chars().filter(|it| !it.is_whitespace()));
        out.push('x');
        let end = start + len + (text[len..].len() - rest.len()) + 1;
        *cursor = Cursor::at_offset(cursor.text(), end);
    }
}

/// A dictionary from its entries, with sorted keys; the first of equal keys counts.
pub(super) fn dictionary(entries: &[(String, String)]) -> String {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    sorted.dedup_by(|a, b| a.0 == b.0);
    let mut out = String::from("{");
    for (at, (key, value)) in sorted.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(key);
        if value != "unit" {
            out.push_str(" = ");
            out.push_str(value);
        }
    }
    out.push('}');
    out
}

/// A string in quotes, escaped in one way.
pub(super) fn string(text: &str, out: &mut String) {
    out.push('"');
    if text.contains('\\') || !text.is_ascii() {
        for byte in unescape(text) {
            match byte {
                b'\\' => out.push_str("\\\\"),
                b'"' | 0..0x20 | 0x7F.. => out.push_str(&format!("\\{byte:02X}")),
                _ => out.push(char::from(byte)),
            }
        }
    } else {
        out.push_str(text.trim_matches('"'));
    }
    out.push('"');
}

/// `@name`, also of `@"name"`.
pub(super) fn symbol_text(name: &str) -> String {
    let inner = name.strip_prefix("@\"").and_then(|it| it.strip_suffix('"'));
    match inner {
        Some(inner) if is_bare_name(inner) => format!("@{inner}"),
        _ => name.to_owned(),
    }
}

fn key_text(key: &str) -> String {
    let inner = key.trim_matches('"');
    if is_bare_name(inner) { inner.to_owned() } else { key.to_owned() }
}
