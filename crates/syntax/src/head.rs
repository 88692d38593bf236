//! The head of a text of MLIR: the comments that say how it is run.

use parser::{
    SyntaxKind::{MLIR_FILE, SPLIT_MARKER},
    mlir::{HEAD, is_whole},
};

use crate::{SyntaxNode, SyntaxToken};

/// Returns true if a text of MLIR states how it is run, and not that it is split: what seems to be several documents is
/// one. O(its head).
pub fn is_one_document(root: &SyntaxNode) -> bool {
    root.kind() == MLIR_FILE && is_whole(&head_of(root))
}

/// Returns true if a text of MLIR states that it is run together with another one: `// RUN: cat %S/defs.mlir %s | …`.
/// O(its head).
pub fn is_joined(root: &SyntaxNode) -> bool {
    root.kind() == MLIR_FILE && head_of(root).lines().any(joins)
}

/// Returns true if a line says how a text is run, and that begins with `cat`.
fn joins(line: &str) -> bool {
    let command = line.trim_start().strip_prefix("//").and_then(|it| it.split_once("RUN:"));
    command.is_some_and(|(_, it)| it.trim_start().starts_with("cat "))
}

/// The beginning of a text, up to the first token of the first line that is no comment: whether the text is one
/// document depends on it alone.
pub(crate) fn head_of(root: &SyntaxNode) -> String {
    let mut res = String::new();
    for token in std::iter::successors(root.first_token(), SyntaxToken::next_token) {
        let is_code = !token.kind().is_trivia() && token.kind() != SPLIT_MARKER;
        let line = res.rfind(['\n', '\r']).map_or(0, |it| it + 1);
        let line = res[line..].trim_start_matches('\u{feff}').trim_start();
        // Code may stand behind a marker in a comment.
        let ends = is_code && !line.starts_with("//");
        let text = token.text();
        res.push_str(&text[..text.floor_char_boundary(HEAD)]);
        if ends || res.len() >= HEAD {
            break;
        }
    }
    res
}
