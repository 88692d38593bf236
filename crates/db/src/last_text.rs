//! Texts of functions of statements, with their lines, after edits.
//!
//! That of a large function is the text before, changed where the trees differ: an edit costs a copy, not a walk over
//! the tree. Which version that was does not matter: the parts follow from the two trees.

use std::sync::Arc;

use syntax::{Edit, Green, LineIndex, SyntaxKind, TextRange, changed_run};

/// The text of a function and its lines.
#[derive(Clone, Debug)]
pub struct FunctionText {
    /// The text.
    pub text: Box<str>,
    /// Its lines.
    pub lines: LineIndex,
}

/// The text of a version of a function.
#[derive(Debug)]
pub(crate) struct LastText {
    pub(crate) green: Green,
    pub(crate) text: Arc<FunctionText>,
}

impl FunctionText {
    pub(crate) fn new(green: &Green) -> FunctionText {
        let text = green.text();
        let lines = LineIndex::new(&text);
        FunctionText { text: text.into(), lines }
    }

    /// The text of a later version of a function; none where the difference is not inside of a block.
    pub(crate) fn after(last: &LastText, green: &Green) -> Option<FunctionText> {
        let run = changed_run(&last.green, green, |it| it == SyntaxKind::BLOCK)?;
        let text = run.edited_text(&last.text.text)?;
        let text_in = |range: TextRange| {
            text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default().to_owned()
        };
        let inserted = text_in(TextRange::at(run.start, run.new_len));
        let edit = Edit::replace(TextRange::at(run.start, run.old_len), inserted);
        let lines = last.text.lines.edited(&edit, text_in);
        Some(FunctionText { text: text.into(), lines })
    }
}
