//! The folds of a unit of operations: braces or brackets over several lines, and comments of several lines. One walk.

use db::{Db, Unit};
use syntax::{GreenStep, SyntaxKind, SyntaxKind::*, TextRange, TextSize};

use super::Fold;

/// The folds of a unit, relative to it, in text order.
#[salsa::tracked(returns(ref), no_eq)]
pub(super) fn folds<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<Fold> {
    let mut folds = Folds::default();
    unit.green(db).walk(|step| folds.step(step));
    folds.end_comments();
    folds.found.sort_by_key(|it| (it.range.start(), std::cmp::Reverse(it.range.end())));
    folds.found
}

#[derive(Default)]
struct Folds {
    found: Vec<Fold>,
    /// Open nodes: the kind, where they start, and how many lines are before.
    open: Vec<(SyntaxKind, TextSize, u32)>,
    offset: TextSize,
    line: u32,
    /// The last token that is no white space: its kind, start and line.
    last: Option<(SyntaxKind, TextSize, u32)>,
    comments: Option<Comments>,
}

/// Comment lines that follow one another.
struct Comments {
    range: TextRange,
    first: u32,
    last: u32,
}

impl Folds {
    fn step(&mut self, step: GreenStep<'_>) {
        match step {
            GreenStep::Enter(kind) => self.open.push((kind, self.offset, self.line)),
            GreenStep::Token(kind, text) => self.token(kind, text),
            GreenStep::Leave => {
                let Some((kind, start, line)) = self.open.pop() else { return };
                let Some((last, close, last_line)) = self.last else { return };
                let closes = matches!(last, R_BRACE | R_BRACK | GT | R_PAREN);
                if is_folded(kind) && closes && close > start && last_line > line {
                    let range = TextRange::new(start, close);
                    self.found.push(Fold { range, keeps_last_line: true, is_comment: false });
                }
            }
        }
    }

    fn token(&mut self, kind: SyntaxKind, text: &str) {
        let len = TextSize::of(text);
        match kind {
            COMMENT => self.comment(TextRange::at(self.offset, len)),
            WHITESPACE | NEWLINE | BOM => {}
            _ => self.end_comments(),
        }
        if !matches!(kind, WHITESPACE | NEWLINE | BOM | COMMENT) {
            self.last = Some((kind, self.offset, self.line));
        }
        self.line += text.bytes().filter(|it| *it == b'\n').count() as u32;
        self.offset += len;
    }

    fn comment(&mut self, range: TextRange) {
        // A comment behind something is no line of comments.
        if self.last.is_some_and(|(_, _, line)| line == self.line) {
            return self.end_comments();
        }
        match &mut self.comments {
            Some(it) if it.last + 1 == self.line => {
                it.range = it.range.cover(range);
                it.last = self.line;
            }
            _ => {
                self.end_comments();
                self.comments = Some(Comments { range, first: self.line, last: self.line });
            }
        }
    }

    fn end_comments(&mut self) {
        if let Some(it) = self.comments.take()
            && it.last > it.first
        {
            self.found.push(Fold { range: it.range, keeps_last_line: false, is_comment: true });
        }
    }
}

fn is_folded(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        MLIR_REGION
            | MLIR_ATTR_DICT
            | MLIR_ARRAY_ATTR
            | MLIR_PARAMS
            | MLIR_FILE_METADATA
            | MLIR_BLOCK_ARGS
            | PIR_BLOCK
            | PIR_ATTR_MAP
    )
}
