//! An edit inside of one token, which stays what it was: a digit of a number, a letter of a name or of a comment.
//!
//! Nothing but the token is read. The path from it to the root is made anew, and all else is shared. So a key costs the
//! same in a statement of any length.

use parser::{SyntaxKind, tvmscript};
use rowan::{GreenToken, NodeOrToken};

use super::{Reparsed, splice};
use crate::{Edit, Green, Parse, SyntaxNode, SyntaxToken, syntax_node::kind_to_raw};

/// Returns true if a text stands where the token was and reads as that: as one token of its kind, whatever is around.
pub(crate) type ReadsAlike = fn(&SyntaxToken, &str) -> bool;

/// The longest token before the edited one that is read again with it.
const MAX_NEIGHBOUR: usize = 256;

/// The names that the grammar takes for keywords in some places.
const SOFT_KEYWORDS: [&str; 3] = ["match", "case", "type"];

/// See [`ReadsAlike`], in languages of statements.
pub(crate) fn reads_alike(old: &SyntaxToken, text: &str) -> bool {
    let kind = old.kind();
    let is_plain = match kind {
        SyntaxKind::INT | SyntaxKind::FLOAT | SyntaxKind::COMMENT => true,
        SyntaxKind::IDENT => ![old.text(), text].iter().any(|it| SOFT_KEYWORDS.contains(it)),
        _ => false,
    };
    is_plain && reads_by_itself(old, text) && reads_after_its_neighbour(old, text)
}

/// Returns true if the text with the character behind it begins with a token of the old one's kind that is the text.
fn reads_by_itself(old: &SyntaxToken, text: &str) -> bool {
    let behind = old.next_token();
    let behind = behind.as_ref().and_then(|it| it.text().chars().next());
    let lexed = tvmscript::lex(&text.chars().chain(behind).collect::<String>());
    !lexed.is_empty() && lexed.kind(0) == old.kind() && lexed.range(0).end as usize == text.len()
}

/// Returns true if the token before it and the text are two tokens.
fn reads_after_its_neighbour(old: &SyntaxToken, text: &str) -> bool {
    let Some(before) = old.prev_token() else { return true };
    if before.text().len() > MAX_NEIGHBOUR {
        return false;
    }
    let lexed = tvmscript::lex(&[before.text(), text].concat());
    lexed.kinds() == [before.kind(), old.kind()]
        && lexed.range(1).start as usize == before.text().len()
}

/// The parse after an edit, if it is inside of one token that stays what it was.
pub(super) fn reparse(old: &Parse, root: &SyntaxNode, edit: &Edit) -> Option<Reparsed> {
    let reads_alike = old.language().support().reads_alike?;
    // An insertion between two tokens belongs to either.
    let tokens: Vec<SyntaxToken> = match edit.range.is_empty() {
        true => root.token_at_offset(edit.range.start()).collect(),
        false => root.covering_element(edit.range).into_token().into_iter().collect(),
    };
    tokens.into_iter().find_map(|token| {
        let at = edit.range - token.text_range().start();
        let mut text = token.text().to_owned();
        text.replace_range(std::ops::Range::<usize>::from(at), &edit.text);
        if reads_alike(&token, &text) { replaced(old, &token, &text) } else { None }
    })
}

/// The parse with another text for a token.
fn replaced(old: &Parse, token: &SyntaxToken, text: &str) -> Option<Reparsed> {
    let parent = token.parent()?;
    let green = GreenToken::new(kind_to_raw(token.kind()), text);
    let list = parent.green().replace_child(token.index(), NodeOrToken::Token(green));
    let green = Green::new(splice::replace(&parent, list), old.green().depth_bound());
    let range = rowan::TextRange::at(token.text_range().start(), rowan::TextSize::of(text));
    Some(Reparsed {
        parse: Parse::from_green(green, old.table().clone()),
        range,
        lexed: text.len() as u64,
    })
}
