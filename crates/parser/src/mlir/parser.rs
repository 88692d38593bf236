//! The base of the grammars of MLIR and PIR: the current token, steps, nesting.
//!
//! Text is lexed as the grammar goes, one token ahead. The kind of a node is known when it is entered, or at the latest
//! when the name of its operation is read, so steps are in the order of the text as they are recorded: a sink may take
//! them away at any operation. Trivia is recorded when the next node starts or the next token is consumed.
//!
//! Every step is O(1) amortised; the lists of results over which [`Parser::op_starts_at`] looks are remembered.

mod lines;

pub(super) use self::lines::{Form, Line, MOST_BYTES};

use self::lines::Lines;
use super::{
    MAX_DEPTH, Piece, Sink,
    default_dialect::{default_dialect, name_in},
    lexer::{self, Dialect, Markers},
    shapes::{OpInfo, Shapes},
};
use crate::{
    Step,
    SyntaxKind::{self, *},
};

/// The stack is checked every so many levels of nesting.
const STACK_CHECK_EVERY: u32 = 8;
/// The number of steps that are kept before they are given to the sink at the next operation.
const FLUSH_AT: usize = 16 * 1024;

/// A token that is not trivia, with properties of the trivia before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) kind: SyntaxKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// True if it is the first of its line.
    pub(crate) newline: bool,
    /// True if more than white space stands before it.
    mixed: bool,
}

/// The place of an `Enter`, whose kind may still change.
#[derive(Clone, Copy)]
pub(crate) struct Entered(usize);

/// A place to which the parser can return, until it has read a region.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    current: Token,
    recorded: usize,
    n_steps: usize,
    n_regions: u32,
    last: SyntaxKind,
    symbol_is_def: bool,
}

/// The state of one parse.
pub(crate) struct Parser<'t> {
    text: &'t str,
    dialect: Dialect,
    pub(super) shapes: &'t Shapes,
    pub(crate) current: Token,
    /// The text before this offset is recorded.
    recorded: usize,
    steps: Vec<Piece>,
    sink: Option<&'t mut dyn Sink>,
    /// The lines that were read, if the sink takes lines that repeat.
    pub(super) lines: Option<Lines>,
    /// Regions and other nests around the current token.
    depth: u32,
    /// Regions around it.
    regions: u32,
    /// True if the text is one document: a split marker in a region is a comment.
    is_whole: bool,
    /// True if the nearest enclosing symbol table or function is a function: a function cannot be nested in it.
    pub(super) in_function: bool,
    /// True if an operation that the table does not have stands between: it may be a symbol table.
    pub(super) in_unknown: bool,
    /// The dialect of operations that are written without one, in this region.
    pub(super) default_dialect: &'t str,
    /// The name of the innermost operation as its pretty form has it; empty in the generic form.
    pub(super) op_name: &'t str,
    /// The place where the innermost operation begins; `None` if that is not the begin of a line.
    pub(super) op_start: Option<usize>,
    /// True if the next symbol of a form that is not known is the one that the operation defines.
    pub(super) symbol_is_def: bool,
    /// The number of regions that were entered so far.
    n_regions: u32,
    /// The offsets of braces that are known to open a region, behind the current token; the next one is the last.
    region_braces: Vec<usize>,
    /// Text before this offset was read again.
    read_again: usize,
    /// The kind of the last token that was consumed.
    last: SyntaxKind,
    /// True if the file continues after the text.
    more: bool,
    starved: bool,
    /// Values that may be the results of an operation, and whether they are.
    results_memo: (std::ops::Range<usize>, Results),
    /// Open brackets of the flat parts being read.
    pub(super) brackets: Vec<SyntaxKind>,
    /// The number of them around the innermost region.
    pub(super) n_outer_brackets: usize,
    #[cfg(test)]
    pub(super) work: u64,
}

impl<'t> Parser<'t> {
    /// A parser of `text` from `start` on.
    pub(crate) fn new(text: &'t str, start: usize, dialect: Dialect, shapes: &'t Shapes) -> Self {
        Self::stretch(text, start, dialect, shapes, false, 0)
    }

    /// A parser of a stretch of a longer text, inside `depth` nests.
    pub(crate) fn stretch(
        text: &'t str,
        start: usize,
        dialect: Dialect,
        shapes: &'t Shapes,
        more: bool,
        depth: u32,
    ) -> Self {
        let current = Token { kind: EOF, start, end: start, newline: true, mixed: false };
        let mut parser = Self {
            text,
            dialect,
            shapes,
            current,
            recorded: start,
            steps: Vec::new(),
            sink: None,
            lines: None,
            depth,
            regions: depth,
            is_whole: false,
            in_function: false,
            in_unknown: false,
            default_dialect: "",
            op_name: "",
            op_start: None,
            symbol_is_def: false,
            n_regions: 0,
            region_braces: Vec::new(),
            read_again: start,
            last: EOF,
            more,
            starved: false,
            results_memo: (0..0, Results::No),
            brackets: Vec::new(),
            n_outer_brackets: 0,
            #[cfg(test)]
            work: 0,
        };
        parser.current = parser.token_from(start);
        parser
    }

    /// States whether the text that is read, or of which it is a stretch, is one document.
    pub(super) fn set_whole(&mut self, is_whole: bool) {
        self.is_whole = is_whole;
        self.current = self.token_from(self.recorded);
    }

    /// Makes room for the steps of so many bytes.
    pub(super) fn reserve(&mut self, len: usize) {
        self.steps.reserve(len / 3 + 16);
    }

    /// Gives steps to `sink` as they become final.
    pub(super) fn set_sink(&mut self, sink: &'t mut dyn Sink) {
        self.lines = sink.takes_lines().then(Lines::default);
        self.sink = Some(sink);
    }

    /// Records the steps behind those in this list.
    pub(super) fn put_steps(&mut self, steps: Vec<Piece>) {
        self.steps = steps;
    }

    /// Ends the parse: the steps that no sink has taken.
    pub(crate) fn finish_steps(self) -> Vec<Step> {
        self.finish().into_iter().filter_map(Piece::step).collect()
    }

    /// The same, as pieces.
    pub(super) fn finish(mut self) -> Vec<Piece> {
        if self.sink.is_some() {
            self.flush();
        }
        self.steps
    }

    // ---- tokens ----

    /// The first significant token from `pos` on.
    #[inline]
    pub(crate) fn token_from(&mut self, pos: usize) -> Token {
        #[cfg(test)]
        {
            self.work += 1;
        }
        let bytes = self.text.as_bytes();
        let markers = match (self.dialect, self.regions) {
            (Dialect::Pir, _) => Markers::Nowhere,
            (Dialect::Mlir, 0) => Markers::Anywhere,
            (Dialect::Mlir, _) if self.is_whole => Markers::Parts,
            (Dialect::Mlir, _) => Markers::Lines,
        };
        let trivia = lexer::trivia(bytes, pos, markers);
        let (mut kind, end) = lexer::token(bytes, trivia.end, self.dialect, markers);
        // The rest of its line says whether a marker is one.
        let is_cut = |it: &[u8]| !it.iter().any(|it| matches!(it, b'\n' | b'\r'));
        let may_go_on = end == bytes.len() || kind == SPLIT_MARKER && is_cut(&bytes[end..]);
        if self.more && may_go_on {
            // What touches the end of a stretch may go on behind it.
            kind = EOF;
            self.starved = true;
        }
        let newline = trivia.newline || pos == 0;
        Token { kind, start: trivia.end, end, newline, mixed: trivia.mixed }
    }

    /// The token after the current one.
    pub(crate) fn peek(&mut self) -> SyntaxKind {
        self.token_from(self.current.end).kind
    }

    #[inline]
    pub(crate) fn at(&self, kind: SyntaxKind) -> bool {
        self.current.kind == kind
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    pub(crate) fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.start..token.end]
    }

    pub(crate) fn at_word(&self, word: &str) -> bool {
        self.current.kind == IDENT && self.text_of(self.current) == word
    }

    /// Returns true if `kind` follows directly, without trivia.
    pub(crate) fn adjacent(&self, kind: SyntaxKind) -> bool {
        self.current.kind == kind && self.current.start == self.recorded
    }

    /// Returns true if the text, or this part of it, ends here.
    #[inline]
    pub(crate) fn at_end(&self) -> bool {
        matches!(self.current.kind, EOF | SPLIT_MARKER)
    }

    /// Returns true if more text is needed to decide.
    pub(super) fn starved(&self) -> bool {
        self.starved
    }

    /// Returns true if unrecorded trivia stands before the current token.
    pub(crate) fn has_trivia(&self) -> bool {
        self.recorded < self.current.start
    }

    /// Returns true if that is more than white space.
    pub(super) fn has_mixed_trivia(&self) -> bool {
        self.current.mixed
    }

    /// The number of nests around the current token.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// The number of steps that the sink has not taken.
    pub(super) fn n_steps(&self) -> usize {
        self.steps.len()
    }

    /// The steps from a place on; none if they were taken.
    pub(super) fn steps_from(&self, first: usize) -> Option<&[Piece]> {
        self.steps.get(first..)
    }

    /// Records a line up to `end`; `last` is the kind of its last token, `next` the token behind it.
    pub(super) fn push_line(&mut self, line: Piece, end: usize, last: SyntaxKind, next: Token) {
        self.steps.push(line);
        (self.recorded, self.last, self.current) = (end, last, next);
    }

    /// Returns the place where the text that is not recorded begins.
    pub(super) fn recorded(&self) -> usize {
        self.recorded
    }

    /// Records the trivia before the current token.
    #[inline]
    pub(crate) fn record_trivia(&mut self) {
        let Token { start, mixed, .. } = self.current;
        if self.recorded == start {
            return;
        }
        if !mixed {
            self.push_token(WHITESPACE, start);
            return;
        }
        while self.recorded < start {
            let (kind, end) = lexer::trivia_piece(self.text.as_bytes(), self.recorded);
            self.push_token(kind, end.min(start));
        }
    }

    #[inline]
    fn push(&mut self, step: Step) {
        self.steps.push(Piece::Step(step));
    }

    #[inline]
    fn push_token(&mut self, kind: SyntaxKind, end: usize) {
        self.push(Step::Token { kind, len: (end - self.recorded) as u32 });
        self.recorded = end;
    }

    /// Consumes the current token.
    #[inline]
    pub(crate) fn bump(&mut self) {
        if self.current.kind == EOF {
            return;
        }
        self.record_trivia();
        self.push_token(self.current.kind, self.current.end);
        self.last = self.current.kind;
        self.current = self.token_from(self.current.end);
    }

    #[inline]
    pub(crate) fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.current.kind == kind;
        if found {
            self.bump();
        }
        found
    }

    /// The kind of the last token that was consumed.
    pub(super) fn last(&self) -> SyntaxKind {
        self.last
    }

    /// The last token is no longer continued.
    pub(super) fn forget_last(&mut self) {
        self.last = EOF;
    }

    /// Returns true if the last token asks for another one.
    pub(super) fn is_awaiting(&self) -> bool {
        matches!(self.last, COMMA | EQ | ARROW)
    }

    /// Takes a character that begins no token as a word: bodies of dialects may have any.
    pub(super) fn allow_character(&mut self) {
        if self.current.kind == ERROR {
            self.current.kind = IDENT;
        }
    }

    /// This place.
    pub(super) fn mark(&self) -> Mark {
        let (n_steps, n_regions) = (self.steps.len(), self.n_regions);
        let &Self { current, recorded, last, symbol_is_def, .. } = self;
        Mark { current, recorded, n_steps, n_regions, last, symbol_is_def }
    }

    /// Returns to a place, and forgets what was read since. `false`: a region was read, and is not read again, or
    /// regions in regions would be read again and again.
    pub(super) fn rewind(&mut self, mark: Mark) -> bool {
        if self.n_regions != mark.n_regions {
            return false;
        }
        self.steps.truncate(mark.n_steps);
        self.recorded = mark.recorded;
        self.current = mark.current;
        self.last = mark.last;
        self.symbol_is_def = mark.symbol_is_def;
        true
    }

    /// Returns to the brace at a place, which opens a region, as do these braces behind it. `false`: a region was read
    /// since, or the place was returned to before: no text is read more than twice.
    pub(super) fn rewind_to_regions(
        &mut self,
        mark: Mark,
        braces: impl DoubleEndedIterator<Item = usize>,
    ) -> bool {
        let end = self.current.start;
        if mark.current.start < self.read_again || !self.rewind(mark) {
            return false;
        }
        self.read_again = end;
        self.region_braces.clear();
        self.region_braces.extend(braces.rev());
        true
    }

    /// Returns true if the current brace is known to open a region.
    pub(super) fn is_region_here(&mut self) -> bool {
        while self.region_braces.last().is_some_and(|it| *it < self.current.start) {
            self.region_braces.pop();
        }
        self.region_braces.last() == Some(&self.current.start)
    }

    /// Reads the current token again as a dimension list, if it begins one.
    pub(super) fn relex_dimensions(&mut self) {
        let bytes = self.text.as_bytes();
        let end = lexer::dimensions_end(bytes, self.current.start);
        if end > self.current.start {
            if self.more && end == bytes.len() {
                self.starved = true;
            }
            self.current.kind = DIM_LIST;
            self.current.end = end;
        }
    }

    // ---- nodes ----

    /// Enters a node before the current token, after the trivia.
    #[inline]
    pub(crate) fn enter(&mut self, kind: SyntaxKind) -> Entered {
        self.record_trivia();
        self.enter_before_trivia(kind)
    }

    /// Enters a node right after the last consumed token.
    pub(crate) fn enter_before_trivia(&mut self, kind: SyntaxKind) -> Entered {
        self.push(Step::Enter(kind));
        Entered(self.steps.len() - 1)
    }

    /// Changes the kind of a node. No operation may have been read since it was entered.
    pub(super) fn set_kind(&mut self, entered: Entered, kind: SyntaxKind) {
        self.steps[entered.0] = Piece::Step(Step::Enter(kind));
    }

    #[inline]
    pub(crate) fn exit(&mut self) {
        self.push(Step::Exit);
    }

    /// An empty node that marks a missing part.
    pub(crate) fn missing(&mut self) {
        self.enter_before_trivia(match self.dialect {
            Dialect::Mlir => MLIR_MISSING,
            Dialect::Pir => PIR_MISSING,
        });
        self.exit();
    }

    /// Consumes the current token if it is of this kind; marks it as missing otherwise.
    pub(crate) fn expect(&mut self, kind: SyntaxKind) -> bool {
        let found = self.eat(kind);
        if !found {
            self.missing();
        }
        found
    }

    // ---- sinks ----

    /// Between two operations: gives steps away if they are many.
    #[inline]
    pub(super) fn flush_if_many(&mut self) {
        if self.sink.is_some() && self.steps.len() >= FLUSH_AT {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink.pieces(&self.steps);
            self.steps.clear();
        }
    }

    /// A function begins at the current token.
    pub(super) fn function_begins(&mut self) {
        self.record_trivia();
        self.flush();
        if let Some(sink) = &mut self.sink {
            sink.function_begins(self.recorded);
        }
    }

    /// A function ends behind the last consumed token.
    pub(super) fn function_ends(&mut self) {
        self.flush();
        if let Some(sink) = &mut self.sink {
            sink.function_ends(self.recorded);
        }
    }

    // ---- nesting ----

    /// Runs `f` inside one more nest; not if the limit is reached.
    pub(crate) fn nest<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let res = if self.depth.is_multiple_of(STACK_CHECK_EVERY) {
            crate::stack::with_room(|| f(self))
        } else {
            f(self)
        };
        self.depth -= 1;
        Some(res)
    }

    /// The default dialect in the regions of the innermost operation.
    pub(super) fn inner_dialect(&self) -> &'t str {
        match self.op_name {
            "" => self.default_dialect,
            name => default_dialect(name, self.default_dialect),
        }
    }

    /// Marks the following text as inside a region.
    pub(super) fn enter_region(&mut self) {
        self.default_dialect = self.inner_dialect();
        self.regions += 1;
        self.n_regions = self.n_regions.wrapping_add(1);
    }

    /// Returns true if a region is open.
    pub(super) fn is_in_region(&self) -> bool {
        self.regions > 0
    }

    /// Marks the text after the current token as outside the region again.
    pub(super) fn leave_region(&mut self) {
        self.regions -= 1;
    }

    // ---- where operations begin ----

    /// Returns the table's row for the operation whose name is the current token.
    pub(super) fn op_info(&self) -> OpInfo {
        match self.current.kind {
            IDENT => {
                let name = self.text_of(self.current);
                match name_in(name, self.default_dialect, self.shapes) {
                    Some(full) => self.shapes.info(&full),
                    None => self.shapes.info(name),
                }
            }
            STRING => {
                let text = self.text_of(self.current);
                self.shapes.info(text.trim_matches('"'))
            }
            _ => OpInfo::UNKNOWN,
        }
    }

    /// Returns true if the current token begins a line and an operation: open constructs end here.
    #[inline]
    pub(super) fn blocked(&mut self) -> bool {
        self.current.newline && self.op_starts_at(self.current)
    }

    /// Returns true if an operation begins with `token`, seen from inside another one.
    pub(super) fn op_starts_at(&mut self, token: Token) -> bool {
        self.op_starts_behind(self.last, token)
    }

    /// The same, of a token that stands behind one of this kind.
    pub(super) fn op_starts_behind(&mut self, last: SyntaxKind, token: Token) -> bool {
        match token.kind {
            VALUE_ID => match self.results_at(token) {
                Results::Yes => true,
                Results::No => false,
                Results::Assigned => self.is_outside_brackets(),
            },
            STRING => {
                let next = self.token_from(token.end);
                // A string in parentheses is the file of a named location.
                next.kind == L_PAREN && self.token_from(next.end).kind != STRING
            }
            IDENT => {
                let name = self.text_of(token);
                let is_name = name.contains('.') || self.shapes.info(name).is_bare;
                let next = match is_name || self.may_begin_bare(token) {
                    true => self.token_from(token.end).kind,
                    false => return false,
                };
                // The last entry of a dictionary.
                let is_entry = next == R_BRACE && matches!(last, COMMA | L_BRACE);
                let is_dotted = name.contains('.');
                let begins = match next {
                    EQ | COMMA | GT | R_PAREN | R_BRACK | COLON2 => false,
                    // An attribute or a word of a form stands in brackets, or further to the right. Behind a brace,
                    // more than that decides.
                    COLON => {
                        let is_here = token.start == self.current.start;
                        is_dotted && is_here && self.is_below_operation(token)
                    }
                    // A clause: `module(@m)`.
                    L_PAREN | LT => is_dotted,
                    L_BRACE => is_name,
                    _ => true,
                };
                begins && !is_entry
            }
            _ => false,
        }
    }

    /// Returns true if a word may be the name of an operation without its dialect: it begins a line where another
    /// operation may, and that before it does not end in a comma.
    fn may_begin_bare(&self, token: Token) -> bool {
        let is_awaited = self.is_awaiting() && token.start == self.current.start;
        !self.default_dialect.is_empty() && !is_awaited && self.is_below_operation(token)
    }

    /// Returns true if a token is further to the right than the operation before, outside of brackets.
    pub(super) fn is_inside_operation(&self, token: Token) -> bool {
        let is_deeper = |it| self.column(it) < self.column(token.start);
        self.is_outside_brackets() && self.op_start.is_some_and(is_deeper)
    }

    /// Returns true if a token begins a line outside of brackets, no further to the right than the operation before.
    fn is_below_operation(&self, token: Token) -> bool {
        token.newline
            && self.is_outside_brackets()
            && self.op_start.is_some_and(|it| self.column(token.start) <= self.column(it))
    }

    fn is_outside_brackets(&self) -> bool {
        self.brackets.len() == self.n_outer_brackets
    }

    /// The number of characters before the first token of a line.
    fn column(&self, start: usize) -> usize {
        let blanks = self.text.as_bytes()[..start].iter().rev();
        blanks.take_while(|it| matches!(it, b' ' | b'\t')).count()
    }

    /// An operation begins at the current token.
    pub(super) fn operation_begins(&mut self) {
        self.op_name = "";
        self.op_start = self.current.newline.then_some(self.current.start);
    }

    /// Says whether `%a, %b:2 =` begins with `token`.
    fn results_at(&mut self, token: Token) -> Results {
        // What holds for a list of results holds for its rest: no list is looked over twice.
        let (looked_over, answer) = &self.results_memo;
        if looked_over.contains(&token.start) {
            return *answer;
        }
        let start = token.start;
        let mut token = token;
        let answer = loop {
            let mut next = self.token_from(token.end);
            if next.kind == COLON {
                let count = self.token_from(next.end);
                if count.kind != INT {
                    break Results::No;
                }
                next = self.token_from(count.end);
            }
            if next.kind != COMMA {
                if next.kind != EQ {
                    break Results::No;
                }
                // `%a, %b = %c` belongs to a list of assignments that goes on at this line.
                let value = self.token_from(next.end);
                break match (value.kind == VALUE_ID, token.start == start) {
                    (false, _) => Results::Yes,
                    (true, true) if value.newline => Results::Yes,
                    (true, true) => Results::Assigned,
                    (true, false) => Results::No,
                };
            }
            let value = self.token_from(next.end);
            if value.kind != VALUE_ID {
                break Results::No;
            }
            token = value;
        };
        self.results_memo = (start..token.end, answer);
        answer
    }
}

/// The answer to whether names of values are those of the results of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Results {
    Yes,
    No,
    /// `%a = %b`: in brackets it belongs to a list of assignments.
    Assigned,
}
