//! The text that a part needs, cut out of the old tree and the edit.

use std::ops::Range;

use parser::SyntaxKind;
use rowan::{TextRange, TextSize};

use super::Site;
use crate::{Edit, SyntaxNode, SyntaxToken};

/// A stretch of the new text.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) text: String,
    /// The place where the part is in it.
    pub(super) range: Range<usize>,
    /// True if the file continues after it.
    pub(super) more: bool,
}

impl Window {
    /// The text of a part with at least `ahead` bytes behind it.
    pub(super) fn new(root: &SyntaxNode, edit: &Edit, site: &Site, ahead: u32) -> Window {
        let end = line_end(root, u32::from(site.range.end()).saturating_add(ahead).into());
        // The byte before the part is given too: it shows that a line begins.
        let start = site.range.start().checked_sub(1.into()).unwrap_or_default();
        let text = edited_text(root, edit, TextRange::new(start, end));
        let range = Range::<usize>::from(site.new_range(edit) - start);
        Window { text, range, more: end < root.text_range().end() }
    }
}

/// The end of the first newline that ends behind an offset and that no backslash escapes, or the end of the text. It is
/// behind any edit before the offset, so it is the end of a newline after the edit too.
fn line_end(root: &SyntaxNode, offset: TextSize) -> TextSize {
    let end = root.text_range().end();
    if offset >= end {
        return end;
    }
    let is_free = |newline: &SyntaxToken| {
        newline.text_range().start() >= offset
            && newline.prev_token().is_none_or(|before| !before.text().ends_with('\\'))
    };
    std::iter::successors(root.token_at_offset(offset).right_biased(), SyntaxToken::next_token)
        .find(|it| it.kind() == SyntaxKind::NEWLINE && is_free(it))
        .map_or(end, |it| it.text_range().end())
}

/// The new text of a range of the old one that contains the edit.
pub(super) fn edited_text(root: &SyntaxNode, edit: &Edit, range: TextRange) -> String {
    let before = root.text_in(TextRange::new(range.start(), edit.range.start()));
    let after = root.text_in(TextRange::new(edit.range.end(), range.end()));
    [&before, &edit.text, &after].map(String::as_str).concat()
}
