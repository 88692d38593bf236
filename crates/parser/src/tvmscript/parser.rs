//! The base of the grammar: the current token, brackets, lines, markers.
//!
//! The grammar sees *significant* tokens only. White space, comments, continuations, and newlines inside brackets or on
//! blank lines are *trivia*: they are recorded lazily, when the next node starts or the next token is consumed, so that
//! a node never begins or ends with them. A `NEWLINE` that ends a statement is significant.
//!
//! Every step is O(1) amortised: a raw token is crossed once as trivia or consumed once. Looking ahead stays on the
//! line, or is bounded by a constant.

mod brackets;
mod comments;
mod lookahead;
mod marker;

pub(super) use brackets::{is_closing, is_opening};
pub(super) use marker::{CompletedMarker, Marker};

use self::brackets::Brackets;
use super::{MAX_DEPTH, lexer::Lexer};
use crate::{Parse, SyntaxKind, SyntaxKind::*, event::Events};

/// The number of raw tokens lexed at once when parsing a part of a text.
const LEX_CHUNK: usize = 128;
/// The stack is checked every so many levels of nesting.
const STACK_CHECK_EVERY: u32 = 8;

#[derive(Debug, Clone, Copy)]
struct Token {
    kind: SyntaxKind,
    start: u32,
}

/// The state of one parse.
pub(super) struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The raw tokens lexed so far, and behind them one of kind `EOF` at their end.
    tokens: Vec<Token>,
    /// Index of the current significant token; equal to the count of raw tokens at the end.
    pos: usize,
    current: SyntaxKind,
    /// The significant token before the current one.
    prev: SyntaxKind,
    /// Raw tokens before this index are recorded.
    recorded: usize,
    brackets: Brackets,
    /// The column of the line on which the current statement begins.
    col: u32,
    /// True if the current token is the first of a statement's line.
    line_start: bool,
    /// Memo of `pending_comment`: the value of `recorded` it was made at, and the answer.
    comment_memo: (usize, Option<(usize, u32)>),
    /// A token that begins here or later may be looked at, not consumed.
    limit: u32,
    overran: bool,
    /// True if the file continues after `text`.
    more: bool,
    /// True if the parser looked at a token that `text` does not hold completely.
    starved: bool,
    events: Events,
    /// Brackets and blocks around the current token.
    depth: u32,
    /// Operators before it that lean to the right.
    leaning: u32,
    in_pattern: bool,
    #[cfg(test)]
    steps: u64,
}

impl<'t> Parser<'t> {
    /// A parser of a whole text.
    pub(super) fn new(text: &'t str) -> Self {
        let mut p = Self::with_capacity(text, 0, text.len() / 2 + 16);
        p.lex_tokens(usize::MAX);
        p.start_line();
        p
    }

    /// A parser of the part of `text` from `start`, a token boundary, to `limit`.
    pub(super) fn part(text: &'t str, start: usize, limit: usize, depth: u32) -> Self {
        let mut p = Self::with_capacity(text, start, LEX_CHUNK);
        p.limit = limit as u32;
        p.depth = depth;
        p
    }

    fn with_capacity(text: &'t str, start: usize, capacity: usize) -> Self {
        let mut tokens = Vec::with_capacity(capacity + 1);
        tokens.push(Token { kind: EOF, start: start as u32 });
        Self {
            text,
            lexer: Lexer::new(text, start),
            tokens,
            pos: 0,
            current: EOF,
            prev: EOF,
            recorded: 0,
            brackets: Brackets::default(),
            col: 0,
            line_start: false,
            comment_memo: (usize::MAX, None),
            limit: u32::MAX,
            overran: false,
            more: false,
            starved: false,
            events: Events::with_capacity(capacity * 2),
            depth: 0,
            leaning: 0,
            in_pattern: false,
            #[cfg(test)]
            steps: 0,
        }
    }

    /// Ends the parse. All tokens must be recorded.
    pub(super) fn finish(self) -> Parse {
        Parse::new(self.events)
    }

    // ---- raw tokens ----

    /// Lexes on until there are `count` tokens or no more text.
    fn lex_tokens(&mut self, count: usize) {
        self.tokens.pop();
        loop {
            let start = self.lexer.pos() as u32;
            let mut kind = if self.tokens.len() < count { self.lexer.next() } else { EOF };
            if self.more && self.lexer.pos() == self.text.len() && kind != NEWLINE {
                // What touches the end of a stretch may go on behind it.
                kind = EOF;
            }
            self.tokens.push(Token { kind, start });
            if kind == EOF {
                return;
            }
        }
    }

    /// The kind of raw token `idx`; `EOF` past the end.
    #[inline]
    pub(super) fn raw(&mut self, idx: usize) -> SyntaxKind {
        #[cfg(test)]
        {
            self.steps += 1;
        }
        match self.tokens.get(idx) {
            Some(token) if token.kind != EOF => token.kind,
            _ => self.raw_beyond(idx),
        }
    }

    /// `raw` where nothing is lexed yet.
    #[cold]
    fn raw_beyond(&mut self, idx: usize) -> SyntaxKind {
        if !self.overran {
            self.lex_tokens(idx + LEX_CHUNK);
        }
        let kind = self.tokens.get(idx).map_or(EOF, |it| it.kind);
        if kind == EOF && self.more && !self.overran {
            self.starved = true;
            self.overran = true;
        }
        kind
    }

    fn end_of(&self, idx: usize) -> u32 {
        self.tokens[idx + 1].start
    }

    pub(super) fn raw_text(&self, idx: usize) -> &'t [u8] {
        &self.text.as_bytes()[self.tokens[idx].start as usize..self.end_of(idx) as usize]
    }

    // ---- the current token ----

    #[inline]
    pub(super) fn current(&self) -> SyntaxKind {
        self.current
    }

    #[inline]
    pub(super) fn at(&self, kind: SyntaxKind) -> bool {
        self.current == kind
    }

    /// Returns true if the statement's text ends here.
    #[inline]
    pub(super) fn at_end(&self) -> bool {
        matches!(self.current, NEWLINE | EOF)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.current == IDENT && self.raw_text(self.pos) == word.as_bytes()
    }

    /// The column of the line on which the current statement begins.
    pub(super) fn col(&self) -> u32 {
        self.col
    }

    pub(super) fn at_line_start(&self) -> bool {
        self.line_start
    }

    // ---- consuming ----

    #[inline]
    fn record_until(&mut self, end: usize) {
        while self.recorded < end {
            let token = self.tokens[self.recorded];
            self.events.token(token.kind, self.end_of(self.recorded) - token.start);
            self.recorded += 1;
        }
    }

    /// Records the trivia before the current token.
    #[inline]
    pub(super) fn record_trivia(&mut self) {
        self.record_until(self.pos);
    }

    /// Consumes the current token.
    #[inline]
    pub(super) fn bump(&mut self) {
        self.bump_as(self.current);
    }

    /// Consumes the current token as one of kind `kind`.
    pub(super) fn bump_as(&mut self, kind: SyntaxKind) {
        if self.current == EOF {
            return;
        }
        let start = self.tokens[self.pos].start;
        if start >= self.limit {
            self.overran = true;
            self.current = EOF;
            return;
        }
        self.record_until(self.pos);
        self.events.token(kind, self.end_of(self.pos) - start);
        self.recorded = self.pos + 1;
        self.pos += 1;
        self.prev = kind;
        self.line_start = false;
        if kind == NEWLINE {
            self.start_line();
        } else {
            self.skip_trivia();
        }
    }

    pub(super) fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    #[inline]
    fn skip_trivia(&mut self) {
        self.pos = self.significant(self.pos, self.prev, self.brackets.any());
        self.current = self.raw(self.pos);
    }

    /// From raw token `idx` on, the next significant one; `prev` is the significant one before. With
    /// `inside` brackets, a newline is significant only if the next line ends them, or if none follows.
    #[inline]
    fn significant(&mut self, mut idx: usize, prev: SyntaxKind, inside: bool) -> usize {
        loop {
            match self.raw(idx) {
                WHITESPACE | COMMENT | LINE_CONTINUATION | BOM => idx += 1,
                NEWLINE if inside => return self.cross_newline(idx, prev),
                _ => return idx,
            }
        }
    }

    /// `significant` at a newline inside brackets.
    fn cross_newline(&mut self, newline: usize, prev: SyntaxKind) -> usize {
        let (line, first) = self.next_text(newline);
        if self.raw(first) == EOF {
            return newline;
        }
        let col = self.column(line);
        if self.line_ends_brackets(first, col, prev) { newline } else { first }
    }

    /// From raw token `idx` on, the next one with text, and the first raw token of its line.
    fn next_text(&mut self, idx: usize) -> (usize, usize) {
        let (mut line, mut idx) = (idx, idx);
        loop {
            match self.raw(idx) {
                NEWLINE => {
                    idx += 1;
                    line = idx;
                }
                WHITESPACE | COMMENT | LINE_CONTINUATION | BOM => idx += 1,
                _ => return (line, idx),
            }
        }
    }

    /// Goes to the first token of the next line with text. The parser must be at the start of a line.
    pub(super) fn start_line(&mut self) {
        let (line, first) = self.next_text(self.pos);
        self.pos = first;
        self.current = self.raw(first);
        self.col = if self.current == EOF { 0 } else { self.column(line) };
        self.line_start = true;
    }

    /// For a parser of a part that begins inside a line: goes to the next token.
    pub(super) fn start_inside_line(&mut self, col: u32) {
        self.col = col;
        self.skip_trivia();
    }

    /// Returns the place where the recorded text ends.
    pub(super) fn recorded_end(&self) -> usize {
        self.tokens[self.recorded].start as usize
    }

    /// Says that the file goes on behind the text, which must end with a newline of the file.
    pub(super) fn expect_more(&mut self) {
        self.more = true;
    }

    /// Returns true if more text is needed to decide.
    pub(super) fn starved(&self) -> bool {
        self.starved
    }

    /// Returns true if a token past the limit was consumed.
    pub(super) fn overran(&self) -> bool {
        self.overran
    }

    // ---- nodes ----

    /// Opens a node before the current token, after the trivia.
    pub(super) fn start(&mut self) -> Marker {
        self.record_trivia();
        self.start_before_trivia()
    }

    /// Opens a node right after the last consumed token.
    pub(super) fn start_before_trivia(&mut self) -> Marker {
        Marker::new(self.events.start())
    }

    pub(super) fn in_pattern(&self) -> bool {
        self.in_pattern
    }

    pub(super) fn set_in_pattern(&mut self, in_pattern: bool) {
        self.in_pattern = in_pattern;
    }

    /// Runs `f` inside one more bracket or block; not if the limit is reached.
    pub(super) fn nest<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let res = self.with_stack(f);
        self.depth -= 1;
        Some(res)
    }

    /// Runs `f` behind one more operator that leans to the right; not if the limit is reached.
    pub(super) fn lean<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.leaning >= MAX_DEPTH {
            return None;
        }
        self.leaning += 1;
        let res = self.with_stack(f);
        self.leaning -= 1;
        Some(res)
    }

    /// Runs `f` on a stack that is large enough.
    fn with_stack<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        if (self.depth + self.leaning).is_multiple_of(STACK_CHECK_EVERY) {
            crate::stack::with_room(|| f(self))
        } else {
            f(self)
        }
    }

    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }
}
