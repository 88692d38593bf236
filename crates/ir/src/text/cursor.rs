//! A position in the text of an attribute, a type or a list: the tokens that canonical texts and rules are made from.
//!
//! The texts are parts of parsed files, but may be broken: every method gives something on every text. O(1) a step.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// A word: letters, digits, `_`, `$`, `.`.
    Word(&'t str),
    /// A number without sign: `12`, `0xFF`, `1.5e-3`.
    Number(&'t str),
    /// A string with its quotes.
    String(&'t str),
    /// `#name`, `!name`, `@name`, `%name`, `^name` with its sigil.
    Name(&'t str),
    /// `->`
    Arrow,
    /// Any other character.
    Mark(char),
    /// The end of the text.
    End,
}

/// A position in a text.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'t> {
    text: &'t str,
    pos: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

impl<'t> Cursor<'t> {
    /// At the start of a text.
    pub fn new(text: &'t str) -> Self {
        Cursor { text, pos: 0 }
    }

    /// Returns the number of consumed bytes.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// The text from an offset to here.
    pub fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.pos]
    }

    /// All of the text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Skips white space and comments; gives whether there was any.
    pub fn space(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let start = self.pos;
        loop {
            match bytes.get(self.pos) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.pos += 1,
                Some(b'/') if bytes.get(self.pos + 1) == Some(&b'/') => {
                    while self.pos < bytes.len() && !matches!(bytes[self.pos], b'\n' | b'\r') {
                        self.pos += 1;
                    }
                }
                _ => return self.pos > start,
            }
        }
    }

    /// The next token, which is consumed.
    #[expect(clippy::should_implement_trait, reason = "it never ends: the end is a token")]
    pub fn next(&mut self) -> Token<'t> {
        self.space();
        let bytes = self.text.as_bytes();
        let start = self.pos;
        let Some(&first) = bytes.get(start) else { return Token::End };
        match first {
            b'"' => {
                self.string();
                Token::String(self.since(start))
            }
            b'#' | b'!' | b'@' | b'%' | b'^' => {
                self.pos += 1;
                if first == b'@' && bytes.get(self.pos) == Some(&b'"') {
                    self.string();
                } else {
                    self.word();
                }
                Token::Name(self.since(start))
            }
            b'-' if bytes.get(start + 1) == Some(&b'>') => {
                self.pos += 2;
                Token::Arrow
            }
            b'0'..=b'9' => {
                self.number();
                Token::Number(self.since(start))
            }
            _ if is_word(first) => {
                self.word();
                Token::Word(self.since(start))
            }
            _ => {
                let mark = self.text[start..].chars().next().unwrap_or(' ');
                self.pos += mark.len_utf8();
                Token::Mark(mark)
            }
        }
    }

    /// The next token, which stays.
    pub fn peek(&self) -> Token<'t> {
        let mut ahead = *self;
        ahead.next()
    }

    /// Returns true if this mark is next.
    pub fn at(&self, mark: char) -> bool {
        self.peek() == Token::Mark(mark)
    }

    /// Consumes this mark, if it is next.
    pub fn eat(&mut self, mark: char) -> bool {
        let mut ahead = *self;
        let found = ahead.next() == Token::Mark(mark);
        if found {
            *self = ahead;
        }
        found
    }

    /// Returns true if only white space is left.
    pub fn at_end(&self) -> bool {
        self.peek() == Token::End
    }

    /// Returns true if this mark follows without white space.
    pub fn adjacent(&self, mark: u8) -> bool {
        self.text.as_bytes().get(self.pos) == Some(&mark)
    }

    fn word(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.pos).is_some_and(|&it| is_word(it)) {
            self.pos += 1;
        }
    }

    fn string(&mut self) {
        let bytes = self.text.as_bytes();
        self.pos += 1;
        while let Some(&byte) = bytes.get(self.pos) {
            self.pos += 1;
            match byte {
                b'"' => return,
                b'\\' if self.pos < bytes.len() => {
                    // What is escaped may be the first byte of a longer character.
                    self.pos += self.text[self.pos..].chars().next().map_or(1, char::len_utf8);
                }
                _ => {}
            }
        }
    }

    fn number(&mut self) {
        let bytes = self.text.as_bytes();
        let at = |pos: usize| bytes.get(pos).copied().unwrap_or(0);
        let digits = |mut pos: usize| {
            while at(pos).is_ascii_digit() {
                pos += 1;
            }
            pos
        };
        if at(self.pos) == b'0' && at(self.pos + 1) == b'x' && at(self.pos + 2).is_ascii_hexdigit()
        {
            self.pos += 2;
            while at(self.pos).is_ascii_hexdigit() {
                self.pos += 1;
            }
            return;
        }
        self.pos = digits(self.pos);
        if at(self.pos) == b'.' {
            self.pos = digits(self.pos + 1);
            let sign = usize::from(matches!(at(self.pos + 1), b'+' | b'-'));
            if matches!(at(self.pos), b'e' | b'E') && at(self.pos + 1 + sign).is_ascii_digit() {
                self.pos = digits(self.pos + 1 + sign);
            }
        }
    }

    /// Skips a group whose opening bracket is next, with all groups in it. `>` closes only a `<` that is innermost.
    pub fn skip_group(&mut self) {
        let mut open: Vec<char> = Vec::new();
        // How many of those in `open` are no `<`, by kind: what is not there is not looked for.
        let mut n_open = [0usize; 3];
        let kind = |mark: char| "([{".find(mark);
        loop {
            match self.next() {
                Token::End => return,
                Token::Mark(mark @ ('(' | '[' | '{' | '<')) => {
                    open.push(mark);
                    if let Some(kind) = kind(mark) {
                        n_open[kind] += 1;
                    }
                }
                Token::Mark('>') if open.last() == Some(&'<') => {
                    open.pop();
                }
                Token::Mark('>') => {}
                Token::Mark(mark @ (')' | ']' | '}')) => {
                    let partner = match mark {
                        ')' => '(',
                        ']' => '[',
                        _ => '{',
                    };
                    let is_open = kind(partner).is_some_and(|it| n_open[it] > 0);
                    while is_open && let Some(closed) = open.pop() {
                        if let Some(kind) = kind(closed) {
                            n_open[kind] -= 1;
                        }
                        if closed == partner {
                            break;
                        }
                    }
                }
                _ => {}
            }
            if open.is_empty() {
                return;
            }
        }
    }

    /// The text of the item up to the next `,` or closing bracket outside of groups; neither is consumed.
    pub fn item(&mut self) -> &'t str {
        self.space();
        let start = self.pos;
        let mut end = start;
        loop {
            match self.peek() {
                Token::End | Token::Mark(',' | ')' | ']' | '}' | '>') => break,
                Token::Mark('(' | '[' | '{' | '<') => self.skip_group(),
                _ => {
                    self.next();
                }
            }
            end = self.pos;
        }
        &self.text[start..end]
    }
}

/// The items of a list in brackets: of `[a, b]` or `(a, b)` without the brackets.
pub fn items(text: &str) -> Vec<&str> {
    let mut cursor = Cursor::new(text);
    let mut res = Vec::new();
    cursor.next();
    loop {
        let before = cursor.pos();
        let item = cursor.item();
        if !item.is_empty() {
            res.push(item);
        }
        if !cursor.eat(',') || cursor.pos() == before {
            return res;
        }
    }
}

impl<'t> Cursor<'t> {
    /// At an offset of a text, which must be the border of a character.
    pub fn at_offset(text: &'t str, pos: usize) -> Self {
        Cursor { text, pos }
    }
}
