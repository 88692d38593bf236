//! From the protocol to the analysis.

use ide::{ActionKind, TextRange, TextSize};
use lsp_types::{CodeActionKind, Position, PositionEncodingKind, Range};

use syntax::{ColumnEncoding, LineCol, LineIndex};

use super::to_proto::FIX_ALL;

/// The offset of a position.
pub(crate) fn offset(lines: &LineIndex, encoding: ColumnEncoding, position: Position) -> TextSize {
    lines.offset(LineCol { line: position.line, col: position.character }, encoding)
}

/// The range between two positions; in order also where the client's are not.
pub(crate) fn range(lines: &LineIndex, encoding: ColumnEncoding, range: Range) -> TextRange {
    let start = offset(lines, encoding, range.start);
    let end = offset(lines, encoding, range.end);
    TextRange::new(start.min(end), start.max(end))
}

/// Bytes if the client can, else the first of its encodings that is known, else the protocol's default.
pub(crate) fn encoding(offered: Option<&[PositionEncodingKind]>) -> ColumnEncoding {
    let known = |it: &PositionEncodingKind| match it {
        PositionEncodingKind::UTF8 => Some(ColumnEncoding::Utf8),
        PositionEncodingKind::UTF16 => Some(ColumnEncoding::Utf16),
        PositionEncodingKind::UTF32 => Some(ColumnEncoding::Utf32),
        PositionEncodingKind::Custom(_) => None,
    };
    let offered = offered.unwrap_or_default();
    // Bytes need no counting; otherwise the client's order decides.
    if offered.contains(&PositionEncodingKind::UTF8) {
        return ColumnEncoding::Utf8;
    }
    offered.iter().find_map(known).unwrap_or(ColumnEncoding::Utf16)
}

/// Returns true if a client that asks for `only` wants actions of `kind`. Kinds are a hierarchy by dots; without a
/// list, the client wants all but those that change the whole source. Those of single rules are asked for by name: all
/// of them have what fixing all has.
pub(crate) fn wants(only: Option<&[CodeActionKind]>, kind: ActionKind) -> bool {
    let kind_name: String = super::to_proto::action_kind(kind).into();
    let Some(only) = only else {
        return !matches!(kind, ActionKind::FixAll | ActionKind::FixRule(_));
    };
    only.iter().any(|asked| {
        let asked: String = asked.clone().into();
        let is_above = || {
            asked.is_empty()
                || kind_name.strip_prefix(&asked).is_some_and(|rest| rest.starts_with('.'))
        };
        kind_name == asked
            || match kind {
                ActionKind::FixRule(_) => false,
                ActionKind::FixAll => is_above() || asked == FIX_ALL,
                _ => is_above(),
            }
    })
}

/// The kind of an action, by the protocol's name.
pub(crate) fn action_kind(kind: &CodeActionKind) -> Option<ActionKind> {
    let mut all = ActionKind::ALL.iter().copied().chain(ActionKind::of_rules());
    all.find(|it| super::to_proto::action_kind(*it) == *kind)
}

/// The kind of the action that fixes all, as a client that asks for `only` names it: some keep actions of that very
/// kind only.
pub(crate) fn fix_all_kind(only: Option<&[CodeActionKind]>) -> CodeActionKind {
    let names = |it: &&CodeActionKind| String::from((*it).clone()) == FIX_ALL;
    let own = only.into_iter().flatten().find(names);
    own.cloned().unwrap_or(CodeActionKind::SourceFixAll)
}
