//! The text between two tokens: white space and comments, laid out.
//!
//! In: the tokens on both sides and the text between them. Out: the text as it should be. O(length of the text).

use parser::SyntaxKind::*;

use crate::{
    format::tokens::{Place, Token},
    text_edit::{first_line_end, line_breaks},
};

/// Columns of a level.
const INDENT: usize = 2;
/// Lines stand no further to the right than this. Nobody reads on there, and in a nest of n regions indentation alone
/// would be n² characters.
const MAX_COLUMN: usize = 200;
/// Columns of a line that goes on with an operation, outside of brackets.
const CONTINUATION: usize = 4;

/// The style of a whole text.
pub(super) struct Style {
    line_end: &'static str,
}

impl Style {
    /// The style of a text, from its gaps: lines end as the first one that is laid out does. Text that stays as it is
    /// does not count, so that the formatted text has the same style.
    pub(super) fn of<'t>(
        text: &'t str,
        mut gaps: impl Iterator<Item = (Option<&'t Token>, Option<&'t Token>, &'t str)>,
    ) -> Style {
        let first = gaps.find(|(before, token, gap)| {
            gap.contains(['\n', '\r'])
                && !matches!(layout(*before, *token, true, true), Layout::Kept)
        });
        Style { line_end: first_line_end(first.map_or(text, |it| it.2)) }
    }
}

/// How a token follows the one before.
enum Layout {
    /// On a line of its own, at this column; comments before it at that one.
    Line { column: usize, comments: usize },
    /// On the same line.
    Space(bool),
    /// As it is.
    Kept,
}

/// A comment in a gap.
struct Comment<'a> {
    text: &'a str,
    /// White space before it, if it stands behind a token.
    behind: Option<&'a str>,
    /// True if a blank line stands before it.
    after_blank: bool,
}

/// The text between two tokens as it should be.
pub(super) fn laid_out(
    style: &Style,
    before: Option<&Token>,
    token: Option<&Token>,
    gap: &str,
) -> String {
    let (mark, gap) = match gap.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", gap),
    };
    let (comments, ends_blank) = comments(gap, before.is_some());
    let has_line_end = gap.contains(['\n', '\r']);
    let mut layout = layout(before, token, has_line_end, !gap.is_empty());
    if !comments.is_empty() && matches!(layout, Layout::Space(_)) {
        layout = continued(token);
    }
    let (column, comment_column) = match layout {
        Layout::Kept => return [mark, gap].concat(),
        Layout::Space(space) => return [mark, if space { " " } else { "" }].concat(),
        Layout::Line { column, comments } => (column, comments),
    };
    let mut out = String::from(mark);
    let opens = before.is_some_and(|it| it.kind == L_BRACE && it.parent == MLIR_REGION);
    let closes = token.is_none_or(|it| matches!(it.place, Place::RegionEnd { .. }));
    let mut is_first = before.is_none();
    let mut may_be_blank = !opens && !is_first;
    let mut line = |out: &mut String, blank: bool, column: usize| {
        if !std::mem::take(&mut is_first) {
            out.push_str(style.line_end);
            if blank {
                out.push_str(style.line_end);
            }
        }
        out.extend(std::iter::repeat_n(' ', column.min(MAX_COLUMN)));
    };
    for comment in &comments {
        match comment.behind {
            Some("") => out.push(' '),
            Some(space) => out.push_str(space),
            None => {
                line(&mut out, comment.after_blank && may_be_blank, comment_column);
                may_be_blank = true;
            }
        }
        out.push_str(comment.text);
    }
    match token {
        Some(_) => line(&mut out, ends_blank && may_be_blank && !closes, column),
        None if before.is_some() || !comments.is_empty() => out.push_str(style.line_end),
        None => {}
    }
    out
}

/// The comments of a gap, and whether a blank line stands behind the last one.
fn comments(gap: &str, is_behind_token: bool) -> (Vec<Comment<'_>>, bool) {
    let mut found = Vec::new();
    let mut rest = gap;
    let mut is_first_line = is_behind_token;
    while let Some(at) = rest.find("//") {
        let space = &rest[..at];
        let end = rest[at..].find(['\n', '\r']).map_or(rest.len(), |it| at + it);
        let behind = (is_first_line && !space.contains(['\n', '\r'])).then_some(space);
        let text = rest[at..end].trim_end();
        // The line end behind a comment is left for what follows.
        let n_ends = line_breaks(space);
        found.push(Comment { text, behind, after_blank: n_ends > 1 });
        rest = &rest[end..];
        is_first_line = false;
    }
    (found, line_breaks(rest) > 1)
}

fn layout(
    before: Option<&Token>,
    token: Option<&Token>,
    has_line_end: bool,
    has_space: bool,
) -> Layout {
    // Text that is not read goes on up to what follows it.
    if before.is_some_and(|it| it.place == Place::Part) && !has_space {
        return Layout::Kept;
    }
    let Some(token) = token else { return Layout::Line { column: 0, comments: 0 } };
    let own_line = |column| Layout::Line { column, comments: column };
    match token.place {
        Place::Operation => own_line(token.depth * INDENT),
        Place::Marker | Place::Part => own_line(0),
        // Labels stand where the operation stands that has their region.
        Place::Label => own_line(token.depth.saturating_sub(1) * INDENT),
        Place::RegionEnd { is_empty: true } if !has_line_end => Layout::Space(false),
        Place::RegionEnd { .. } => {
            Layout::Line { column: token.depth * INDENT, comments: (token.depth + 1) * INDENT }
        }
        Place::Verbatim => Layout::Kept,
        Place::Inside => {
            let Some(before) = before else { return own_line(0) };
            let is_brace = |it: &Token, kind| it.kind == kind && it.parent == MLIR_REGION;
            if has_line_end && !is_brace(before, R_BRACE) && !is_brace(token, L_BRACE) {
                return continued(Some(token));
            }
            Layout::Space(is_spaced(before, token, has_space))
        }
    }
}

/// A line that goes on with an operation.
fn continued(token: Option<&Token>) -> Layout {
    let column = token.map_or(0, |it| {
        let inside = if it.brackets > 0 { it.brackets * INDENT } else { CONTINUATION };
        let is_closing = matches!(it.kind, R_PAREN | R_BRACK | R_BRACE);
        it.depth * INDENT + if is_closing { it.brackets * INDENT } else { inside }
    });
    Layout::Line { column, comments: column }
}

/// Returns true if a space stands between two tokens of an operation. Pairs without a rule stay as they are.
fn is_spaced(before: &Token, token: &Token, has_space: bool) -> bool {
    match (before.kind, token.kind) {
        (_, COMMA | R_PAREN | R_BRACK) | (L_PAREN | L_BRACK, _) => false,
        (COMMA, _) | (ARROW, _) | (_, ARROW) => true,
        (EQ, _) => is_assignment(before) || has_space,
        (_, EQ) => is_assignment(token) || has_space,
        (_, COLON) => match token.parent {
            MLIR_VALUE_DEF | MLIR_BLOCK_ARG | MLIR_BLOCK_LABEL => false,
            MLIR_GENERIC_OP | MLIR_STRING_ATTR | MLIR_NUMBER_ATTR | MLIR_HASH_ATTR
            | MLIR_BUILTIN_ATTR => true,
            MLIR_CUSTOM_OP => before.kind != IDENT || has_space,
            _ => has_space,
        },
        (COLON, _) => match before.parent {
            MLIR_VALUE_DEF => false,
            MLIR_BLOCK_ARG | MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPERAND_GROUP
            | MLIR_STRING_ATTR | MLIR_NUMBER_ATTR | MLIR_HASH_ATTR | MLIR_BUILTIN_ATTR => true,
            _ => has_space,
        },
        (LT, L_BRACE) | (R_BRACE, GT) => false,
        (_, L_BRACE) if matches!(token.parent, MLIR_REGION | MLIR_ATTR_DICT) => true,
        (_, LT) if token.parent == MLIR_PROPERTIES => true,
        (L_BRACE, _) if before.parent == MLIR_ATTR_DICT => false,
        (_, R_BRACE) if token.parent == MLIR_ATTR_DICT => false,
        (R_BRACE, _) if before.parent == MLIR_REGION => true,
        (STRING, L_PAREN) if token.parent == MLIR_GENERIC_OP => false,
        (_, L_BRACK) if token.parent == MLIR_SUCCESSOR_LIST => false,
        _ => has_space,
    }
}

fn is_assignment(token: &Token) -> bool {
    matches!(
        token.parent,
        MLIR_RESULT_LIST
            | MLIR_ATTR_ENTRY
            | MLIR_ASSIGN
            | MLIR_ATTR_ALIAS_DEF
            | MLIR_TYPE_ALIAS_DEF
    )
}
