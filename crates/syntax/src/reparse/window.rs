//! The text that a part needs, cut out of the old tree and the edit.

use std::ops::Range;

use rowan::TextRange;

use super::Site;
use crate::{Edit, SyntaxNode};

/// A stretch of the new text.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) text: String,
    /// Where the part is in it.
    pub(super) range: Range<usize>,
}

impl Window {
    pub(super) fn new(root: &SyntaxNode, edit: &Edit, site: &Site) -> Window {
        let end = root.text_range().end();
        // The byte before the part is given too: it shows that a line begins.
        let start = site.range.start().checked_sub(1.into()).unwrap_or_default();
        let text = edited_text(root, edit, TextRange::new(start, end));
        let range = Range::<usize>::from(site.new_range(edit) - start);
        Window { text, range }
    }
}

/// The new text of a range of the old one that contains the edit.
pub(super) fn edited_text(root: &SyntaxNode, edit: &Edit, range: TextRange) -> String {
    let before = root.text_in(TextRange::new(range.start(), edit.range.start()));
    let after = root.text_in(TextRange::new(edit.range.end(), range.end()));
    [&before, &edit.text, &after].map(String::as_str).concat()
}
