//! What the grammar stands on: the current token, brackets, lines, markers.
//!
//! The grammar sees *significant* tokens only. White space, comments, continuations, and newlines inside
//! brackets or on blank lines are *trivia*: they are recorded lazily, when the next node starts or the
//! next token is consumed, so that a node never begins or ends with them. A `NEWLINE` that ends a
//! statement is significant.
//!
//! Every step is O(1) amortised: a raw token is crossed once as trivia or consumed once. Looking ahead
//! stays on the line, or is bounded by a constant.

use super::{MAX_DEPTH, lexer::Lexer};
use crate::{
    Parse, SyntaxKind,
    SyntaxKind::*,
    T,
    event::{Events, StartIdx},
};

/// How many significant tokens a decision may look ahead over several lines.
const MAX_LOOKAHEAD: usize = 4096;
/// How many raw tokens are lexed at once when parsing a part of a text.
const LEX_CHUNK: usize = 128;
/// The stack is checked every so many levels of nesting; between two checks the grammar uses less than
/// `STACK_RED_ZONE`, also without optimisation.
const STACK_CHECK_EVERY: u32 = 8;
const STACK_RED_ZONE: usize = 256 * 1024;
const STACK_SEGMENT: usize = 2 * 1024 * 1024;

/// Open brackets by kind.
#[derive(Debug, Clone, Copy, Default)]
struct Brackets {
    paren: u32,
    square: u32,
    curly: u32,
}

impl Brackets {
    /// The count that an opening or closing bracket changes.
    fn count(&mut self, bracket: SyntaxKind) -> &mut u32 {
        match bracket {
            T!['('] | T![')'] => &mut self.paren,
            T!['['] | T![']'] => &mut self.square,
            _ => &mut self.curly,
        }
    }

    fn any(&self) -> bool {
        (self.paren | self.square | self.curly) != 0
    }
}

pub(super) fn is_opening(kind: SyntaxKind) -> bool {
    matches!(kind, T!['('] | T!['['] | T!['{'])
}

pub(super) fn is_closing(kind: SyntaxKind) -> bool {
    matches!(kind, T![')'] | T![']'] | T!['}'])
}

#[derive(Debug, Clone, Copy)]
struct Token {
    kind: SyntaxKind,
    start: u32,
}

/// The state of one parse.
pub(super) struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The raw tokens lexed so far, and behind them one of kind `EOF` that says where they end.
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
    /// Whether the current token is the first of a statement's line.
    line_start: bool,
    /// Memo of `pending_comment`: the value of `recorded` it was made at, and the answer.
    comment_memo: (usize, Option<(usize, u32)>),
    /// A token that begins here or later may be looked at, not consumed.
    limit: u32,
    overran: bool,
    events: Events,
    depth: u32,
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
            events: Events::with_capacity(capacity * 2),
            depth: 0,
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
            let kind = if self.tokens.len() < count { self.lexer.next() } else { EOF };
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
        self.tokens.get(idx).map_or(EOF, |it| it.kind)
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

    /// Whether the statement's text ends here.
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

    /// The significant token `n` after the current one, if the brackets open now stay open.
    pub(super) fn nth(&mut self, n: usize) -> SyntaxKind {
        let mut idx = self.pos;
        for _ in 0..n {
            match self.raw(idx) {
                end @ (NEWLINE | EOF) => return end,
                kind => idx = self.significant(idx + 1, kind, self.brackets.any()),
            }
        }
        self.raw(idx)
    }

    /// Whether the current statement's line, continued inside brackets, ends with a `:`. Brackets must not
    /// be open.
    pub(super) fn logical_line_ends_with_colon(&mut self) -> bool {
        let (mut idx, mut open, mut last) = (self.pos, 0u32, EOF);
        for _ in 0..MAX_LOOKAHEAD {
            match self.raw(idx) {
                NEWLINE | EOF => break,
                kind => {
                    open += u32::from(is_opening(kind));
                    open = open.saturating_sub(u32::from(is_closing(kind)));
                    last = kind;
                }
            }
            idx = self.significant(idx + 1, last, open > 0);
        }
        last == T![:]
    }

    /// At `(`: whether its partner is followed by `:`, with no `for`, `:=` or `yield` directly inside.
    /// Brackets must not be open.
    pub(super) fn parens_hold_with_items(&mut self) -> bool {
        let (mut idx, mut open) = (self.pos, 0u32);
        for _ in 0..MAX_LOOKAHEAD {
            let kind = self.raw(idx);
            match kind {
                NEWLINE | EOF => return false,
                T![for] | T![:=] | T![yield] if open == 1 => return false,
                _ => {}
            }
            open += u32::from(is_opening(kind));
            open = open.saturating_sub(u32::from(is_closing(kind)));
            idx = self.significant(idx + 1, kind, open > 0);
            if open == 0 {
                return self.raw(idx) == T![:];
            }
        }
        false
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

    // ---- brackets ----

    /// Consumes an opening bracket.
    pub(super) fn open(&mut self) {
        *self.brackets.count(self.current) += 1;
        self.bump();
    }

    /// Closes the innermost bracket, which `kind` closes; consumes it if it is there.
    pub(super) fn close(&mut self, kind: SyntaxKind) {
        *self.brackets.count(kind) -= 1;
        self.eat(kind);
    }

    /// Records tokens, in a node of kind `kind`, as [`Parser::skip_into_open_node`] does; no node if none.
    pub(super) fn skip(
        &mut self,
        kind: SyntaxKind,
        group: bool,
        stops: fn(SyntaxKind) -> bool,
    ) -> Option<CompletedMarker> {
        if self.at_end() || self.closes_outer() || stops(self.current) {
            return None;
        }
        let m = self.start();
        self.skip_into_open_node(group, stops);
        Some(m.complete(self, kind))
    }

    fn closes_outer(&mut self) -> bool {
        is_closing(self.current) && *self.brackets.count(self.current) > 0
    }

    /// Consumes tokens up to the first that `stops` outside brackets opened on the way, the end of the
    /// statement, or a bracket that closes one opened before. With `group`, stops also after the first
    /// group of brackets.
    pub(super) fn skip_into_open_node(&mut self, group: bool, stops: fn(SyntaxKind) -> bool) {
        let mut opened = Brackets::default();
        while !self.at_end() {
            let current = self.current;
            if is_opening(current) {
                *opened.count(current) += 1;
                self.open();
            } else if is_closing(current) && *opened.count(current) > 0 {
                *opened.count(current) -= 1;
                self.close(current);
                if group && !opened.any() {
                    break;
                }
            } else if self.closes_outer() || !opened.any() && stops(current) {
                break;
            } else {
                self.bump();
            }
        }
        self.brackets.paren -= opened.paren;
        self.brackets.square -= opened.square;
        self.brackets.curly -= opened.curly;
    }

    // ---- comments between statements ----

    /// The first comment line of the pending trivia: its raw token and its column.
    fn pending_comment(&mut self) -> Option<(usize, u32)> {
        if self.comment_memo.0 != self.recorded {
            let found = (self.recorded..self.pos).find(|&idx| self.tokens[idx].kind == COMMENT);
            let found = found.map(|idx| {
                let line = (self.recorded..idx).rev().find(|&it| self.tokens[it].kind == NEWLINE);
                let col = self.column(line.map_or(self.recorded, |it| it + 1));
                (idx, col)
            });
            self.comment_memo = (self.recorded, found);
        }
        self.comment_memo.1
    }

    /// After a block's last statement: records the comment lines not left of column `indent`, with the
    /// blank lines between, up to the first comment line that is.
    pub(super) fn record_block_comments(&mut self, indent: u32) {
        while let Some((comment, col)) = self.pending_comment()
            && col >= indent
            && !self.overran
        {
            self.overran = self.tokens[comment].start >= self.limit;
            let has_newline = comment + 1 < self.pos && self.tokens[comment + 1].kind == NEWLINE;
            self.record_until(comment + 1 + usize::from(has_newline));
        }
    }

    /// Where the recorded text ends.
    pub(super) fn recorded_end(&self) -> usize {
        self.tokens[self.recorded].start as usize
    }

    /// Whether a token past the limit was consumed.
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
        Marker { start: self.events.start(), bomb: Bomb(true) }
    }

    pub(super) fn in_pattern(&self) -> bool {
        self.in_pattern
    }

    pub(super) fn set_in_pattern(&mut self, in_pattern: bool) {
        self.in_pattern = in_pattern;
    }

    /// Runs `f` one level deeper, on a stack that is large enough; not if the limit is reached.
    pub(super) fn nest<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let res = if self.depth.is_multiple_of(STACK_CHECK_EVERY) {
            stacker::maybe_grow(STACK_RED_ZONE, STACK_SEGMENT, || f(self))
        } else {
            f(self)
        };
        self.depth -= 1;
        Some(res)
    }

    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }
}

/// Finds markers that a grammar function forgot, in builds with debug assertions.
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        debug_assert!(
            !self.0 || std::thread::panicking(),
            "a marker was neither completed nor abandoned"
        );
    }
}

/// An open node.
#[must_use]
pub(super) struct Marker {
    start: StartIdx,
    bomb: Bomb,
}

impl Marker {
    /// Ends the node after the last consumed token.
    pub(super) fn complete(mut self, p: &mut Parser<'_>, kind: SyntaxKind) -> CompletedMarker {
        self.bomb.0 = false;
        p.events.finish(self.start, kind);
        CompletedMarker { start: self.start, kind }
    }

    /// Takes the node back; its content stays.
    pub(super) fn abandon(mut self, p: &mut Parser<'_>) {
        self.bomb.0 = false;
        p.events.abandon(self.start);
    }
}

/// A node that is complete, around which another may be opened.
#[derive(Clone, Copy)]
pub(super) struct CompletedMarker {
    start: StartIdx,
    kind: SyntaxKind,
}

impl CompletedMarker {
    /// Opens a node around this one.
    pub(super) fn precede(self, p: &mut Parser<'_>) -> Marker {
        Marker { start: p.events.start_around(self.start), bomb: Bomb(true) }
    }

    pub(super) fn kind(self) -> SyntaxKind {
        self.kind
    }
}
