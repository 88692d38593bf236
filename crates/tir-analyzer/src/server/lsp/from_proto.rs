//! From the protocol to the analysis.

use ide::{ActionKind, TextRange, TextSize};
use lsp_types::{CodeActionKind, Position, PositionEncodingKind, Range};

use syntax::{ColumnEncoding, LineCol, LineIndex};

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
/// list, the client wants all but those that change the whole source.
pub(crate) fn wants(only: Option<&[CodeActionKind]>, kind: ActionKind) -> bool {
    let kind_name: String = super::to_proto::action_kind(kind).into();
    match only {
        None => kind != ActionKind::FixAll,
        Some(only) => only.iter().any(|asked| {
            let asked: String = asked.clone().into();
            asked.is_empty()
                || kind_name == asked
                || kind_name.strip_prefix(&asked).is_some_and(|rest| rest.starts_with('.'))
        }),
    }
}
