//! A function after an edit of its text, read alone.
//!
//! In: a function and an edit in it. Out: the function as the file would have it with the edited text; none if the edit
//! reaches its header, or the text is not one function any more. The text around it is not read: names are those of its
//! former environment. O(text).

use syntax::{Green, SyntaxKind, TextEdit, TextSize};

use super::FunctionSource;

impl FunctionSource {
    /// The function with an edit of its text done.
    pub fn edited(&self, edit: &TextEdit) -> Option<FunctionSource> {
        if edit.edits().iter().any(|it| it.range.start() < self.name_range.end()) {
            return None;
        }
        let before = self.green.text();
        let text = edit.apply(&before);
        // Inside of something its lines are indented.
        let line = before[..usize::from(self.name_range.start())].rfind(['\n', '\r']);
        let header = &before[line.map_or(0, |at| at + 1)..];
        let indent = &header[..header.len() - header.trim_start_matches([' ', '\t']).len()];
        let around = if indent.is_empty() { String::new() } else { format!("if 0:\n{indent}") };
        let parse = syntax::parse(&format!("{around}{text}"));
        let start = TextSize::of(&*around);
        let token = parse.syntax().token_at_offset(start).right_biased()?;
        let kind = self.green.kind();
        let node = token
            .ancestors()
            .find(|it| it.kind() == kind && it.text_range().start() == start)
            .filter(|_| kind == SyntaxKind::FUNCTION_DEF)?;
        let green = Green::of(&node);
        (green.text() == text).then(|| FunctionSource { green, ..self.clone() })
    }
}
