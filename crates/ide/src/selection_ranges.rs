//! Selection ranges: a place and all that is around it, from the token outwards. From the tree alone, for every
//! language.

use db::{RootDatabase, SourceFile};
use syntax::{SyntaxKind, SyntaxToken, TextRange, TextSize, TokenAtOffset};

/// More levels than twice this many are thinned out in the middle: a sum of 10^5 terms is as many levels deep.
const MAX_HALF: usize = 64;

/// The ranges around an offset, each strictly inside of the next.
pub(crate) fn selection_ranges(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Vec<TextRange> {
    let root = db::parse(db, file).syntax();
    let mut res: Vec<TextRange> = Vec::new();
    let mut push = |range: TextRange| {
        if res.last().is_none_or(|last| range.contains_range(*last) && range != *last) {
            res.push(range);
        }
    };
    let token = match root.token_at_offset(offset.min(root.text_range().end())) {
        TokenAtOffset::None => return vec![root.text_range()],
        TokenAtOffset::Single(token) => token,
        TokenAtOffset::Between(left, right) => better(left, right),
    };
    let range = token.text_range();
    let quotes = token.text().chars().next().filter(|it| matches!(it, '"' | '\''));
    if let Some(quote) = quotes
        && token.text().len() >= 2
        && token.text().ends_with(quote)
    {
        let inner =
            TextRange::new(range.start() + TextSize::of(quote), range.end() - TextSize::of(quote));
        if inner.contains_inclusive(offset) {
            push(inner);
        }
    }
    push(range);
    token.ancestors().for_each(|it| push(it.text_range()));
    let n = res.len();
    if n > 2 * MAX_HALF {
        res.drain(MAX_HALF..n - MAX_HALF);
    }
    res
}

/// Of two tokens that meet at a place, the one that people mean: a word before a mark, a mark before white space.
fn better(left: SyntaxToken, right: SyntaxToken) -> SyntaxToken {
    let rank = |it: &SyntaxToken| {
        let is_word = it.text().chars().any(|c| c.is_alphanumeric() || c == '_');
        match it.kind() {
            kind if kind.is_trivia() || kind == SyntaxKind::NEWLINE => 0,
            _ if is_word => 2,
            _ => 1,
        }
    };
    if rank(&left) > rank(&right) { left } else { right }
}
