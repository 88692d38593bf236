//! The lexer: text to flat tokens that cover every byte.
//!
//! It knows neither brackets nor indentation (a `NEWLINE` is a token wherever it stands) and is therefore
//! the same from any token boundary on; the one thing it remembers, how to read f-strings, lasts until the
//! next `NEWLINE`. Linear in the text, no allocation but the output.

mod number;
mod string;

use crate::{SyntaxKind, SyntaxKind::*, T};

/// Tokens of a text: kinds and start offsets.
#[derive(Debug, Default)]
pub struct Lexed {
    kinds: Vec<SyntaxKind>,
    /// One more than `kinds`: the last is the length of the text.
    starts: Vec<u32>,
}

impl Lexed {
    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns true if the text was empty.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The kind of token `idx`, which must be below [`Lexed::len`].
    pub fn kind(&self, idx: usize) -> SyntaxKind {
        self.kinds[idx]
    }

    /// The bytes of token `idx`, which must be below [`Lexed::len`].
    pub fn range(&self, idx: usize) -> std::ops::Range<u32> {
        self.starts[idx]..self.starts[idx + 1]
    }

    /// The kinds in order.
    pub fn kinds(&self) -> &[SyntaxKind] {
        &self.kinds
    }
}

/// Splits `text` into tokens. `text` must be shorter than 4 GiB.
pub fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer::new(text, 0);
    let guess = text.len() / 2 + 8;
    let mut lexed = Lexed { kinds: Vec::with_capacity(guess), starts: Vec::with_capacity(guess) };
    loop {
        lexed.starts.push(lexer.pos() as u32);
        match lexer.next() {
            EOF => return lexed,
            kind => lexed.kinds.push(kind),
        }
    }
}

/// The state of lexing: a position, and how f-strings are read on the current line.
pub(super) struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    fstrings: string::FStrings,
}

const fn is_ident_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Indexed by byte: whether it continues an ASCII identifier.
static IDENT_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = is_ident_byte(b as u8);
        b += 1;
    }
    table
};

impl<'t> Lexer<'t> {
    /// A lexer that begins at `start`, a token boundary of `text`.
    pub(super) fn new(text: &'t str, start: usize) -> Self {
        Self { text, bytes: text.as_bytes(), pos: start, fstrings: string::FStrings::default() }
    }

    /// Returns the place where the next token begins.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// Consumes the next token; `EOF` at the end.
    #[inline]
    pub(super) fn next(&mut self) -> SyntaxKind {
        let Some(&first) = self.bytes.get(self.pos) else { return EOF };
        match first {
            b' ' | b'\t' | b'\x0c' => self.whitespace(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'(' => self.single(T!['(']),
            b')' => self.single(T![')']),
            b'[' => self.single(T!['[']),
            b']' => self.single(T![']']),
            b',' => self.single(T![,]),
            b'{' => self.single(T!['{']),
            b'}' => self.single(T!['}']),
            b';' => self.single(T![;]),
            b'~' => self.single(T![~]),
            b'\n' | b'\r' => self.newline(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'#' => self.comment(),
            b'"' | b'\'' => self.string(0),
            b'\\' => self.backslash(),
            0x80.. => self.non_ascii(),
            _ => self.punct(first),
        }
    }

    #[inline]
    fn single(&mut self, kind: SyntaxKind) -> SyntaxKind {
        self.pos += 1;
        kind
    }

    fn whitespace(&mut self) -> SyntaxKind {
        let rest = &self.bytes[self.pos..];
        self.pos +=
            rest.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\x0c')).unwrap_or(rest.len());
        WHITESPACE
    }

    fn newline_len(&self, at: usize) -> usize {
        match self.bytes.get(at) {
            Some(b'\n') => 1,
            Some(b'\r') if self.bytes.get(at + 1) == Some(&b'\n') => 2,
            Some(b'\r') => 1,
            _ => 0,
        }
    }

    fn newline(&mut self) -> SyntaxKind {
        self.pos += self.newline_len(self.pos);
        self.fstrings.new_line();
        NEWLINE
    }

    fn comment(&mut self) -> SyntaxKind {
        let rest = &self.bytes[self.pos..];
        self.pos += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        COMMENT
    }

    fn backslash(&mut self) -> SyntaxKind {
        match self.newline_len(self.pos + 1) {
            0 => self.unknown(),
            len => {
                self.pos += 1 + len;
                LINE_CONTINUATION
            }
        }
    }

    /// An identifier, a keyword, or a string with a prefix.
    #[inline]
    fn word(&mut self) -> SyntaxKind {
        let start = self.pos;
        self.ident_tail();
        let len = self.pos - start;
        if len <= 2
            && matches!(self.peek(0), b'"' | b'\'')
            && string::is_prefix(&self.bytes[start..self.pos])
        {
            self.pos = start;
            return self.string(len);
        }
        if (2..=8).contains(&len) { keyword(&self.bytes[start..self.pos]) } else { IDENT }
    }

    #[inline]
    fn ident_tail(&mut self) {
        loop {
            match self.bytes.get(self.pos) {
                Some(&b) if IDENT_BYTE[b as usize] => self.pos += 1,
                Some(&b) if b >= 0x80 => match self.char_at(self.pos) {
                    Some(c) if unicode_ident::is_xid_continue(c) => self.pos += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn char_at(&self, pos: usize) -> Option<char> {
        self.text.get(pos..)?.chars().next()
    }

    fn non_ascii(&mut self) -> SyntaxKind {
        match self.char_at(self.pos) {
            Some('\u{feff}') if self.pos == 0 => {
                self.pos += '\u{feff}'.len_utf8();
                BOM
            }
            Some(c) if unicode_ident::is_xid_start(c) => {
                self.pos += c.len_utf8();
                self.ident_tail();
                IDENT
            }
            _ => self.unknown(),
        }
    }

    /// A run of characters that begin no token.
    fn unknown(&mut self) -> SyntaxKind {
        loop {
            self.pos += self.char_at(self.pos).map_or(1, char::len_utf8);
            match self.char_at(self.pos) {
                Some(c @ '\u{80}'..) if !unicode_ident::is_xid_start(c) => {}
                Some('$' | '?' | '`' | '\0'..='\x08' | '\x0e'..='\x1f' | '\x7f') => {}
                _ => return ERROR,
            }
        }
    }

    /// Punctuation that may go on for more than a byte; the longest wins.
    fn punct(&mut self, first: u8) -> SyntaxKind {
        let (kind, len) = match (first, self.peek(1), self.peek(2)) {
            (b'.', b'.', b'.') => (T![...], 3),
            (b'.', ..) => (T![.], 1),
            (b':', b'=', _) => (T![:=], 2),
            (b':', ..) => (T![:], 1),
            (b'=', b'=', _) => (T![==], 2),
            (b'=', ..) => (T![=], 1),
            (b'!', b'=', _) => (T![!=], 2),
            (b'-', b'>', _) => (T![->], 2),
            (b'-', b'=', _) => (T![-=], 2),
            (b'-', ..) => (T![-], 1),
            (b'+', b'=', _) => (T![+=], 2),
            (b'+', ..) => (T![+], 1),
            (b'*', b'*', b'=') => (T![**=], 3),
            (b'*', b'*', _) => (T![**], 2),
            (b'*', b'=', _) => (T![*=], 2),
            (b'*', ..) => (T![*], 1),
            (b'/', b'/', b'=') => (T!["//="], 3),
            (b'/', b'/', _) => (T!["//"], 2),
            (b'/', b'=', _) => (T![/=], 2),
            (b'/', ..) => (T![/], 1),
            (b'<', b'<', b'=') => (T![<<=], 3),
            (b'<', b'<', _) => (T![<<], 2),
            (b'<', b'=', _) => (T![<=], 2),
            (b'<', ..) => (T![<], 1),
            (b'>', b'>', b'=') => (T![>>=], 3),
            (b'>', b'>', _) => (T![>>], 2),
            (b'>', b'=', _) => (T![>=], 2),
            (b'>', ..) => (T![>], 1),
            (b'%', b'=', _) => (T![%=], 2),
            (b'%', ..) => (T![%], 1),
            (b'&', b'=', _) => (T![&=], 2),
            (b'&', ..) => (T![&], 1),
            (b'|', b'=', _) => (T![|=], 2),
            (b'|', ..) => (T![|], 1),
            (b'^', b'=', _) => (T![^=], 2),
            (b'^', ..) => (T![^], 1),
            (b'@', b'=', _) => (T![@=], 2),
            (b'@', ..) => (T![@], 1),
            _ => return self.unknown(),
        };
        self.pos += len;
        kind
    }
}

/// The reserved word or `IDENT`. The first byte rules out most identifiers.
#[inline]
fn keyword(word: &[u8]) -> SyntaxKind {
    match word[0] {
        b'F'
        | b'N'
        | b'T'
        | b'a'..=b'g'
        | b'i'
        | b'l'
        | b'n'..=b'p'
        | b'r'
        | b't'
        | b'w'
        | b'y' => {}
        _ => return IDENT,
    }
    match word {
        b"False" => T![False],
        b"None" => T![None],
        b"True" => T![True],
        b"and" => T![and],
        b"as" => T![as],
        b"assert" => T![assert],
        b"async" => T![async],
        b"await" => T![await],
        b"break" => T![break],
        b"class" => T![class],
        b"continue" => T![continue],
        b"def" => T![def],
        b"del" => T![del],
        b"elif" => T![elif],
        b"else" => T![else],
        b"except" => T![except],
        b"finally" => T![finally],
        b"for" => T![for],
        b"from" => T![from],
        b"global" => T![global],
        b"if" => T![if],
        b"import" => T![import],
        b"in" => T![in],
        b"is" => T![is],
        b"lambda" => T![lambda],
        b"nonlocal" => T![nonlocal],
        b"not" => T![not],
        b"or" => T![or],
        b"pass" => T![pass],
        b"raise" => T![raise],
        b"return" => T![return],
        b"try" => T![try],
        b"while" => T![while],
        b"with" => T![with],
        b"yield" => T![yield],
        _ => IDENT,
    }
}
