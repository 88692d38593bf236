//! Errors of MLIR and PIR: error nodes, missing parts, unclosed brackets.
//!
//! Where an operation of a known shape is concerned, the message shows the shape. Linear, without recursion.

use parser::{
    SyntaxKind::{self, *},
    mlir::Shapes,
};
use rowan::{GreenNodeData, NodeOrToken, TextRange, TextSize};

use super::{SyntaxError, SyntaxErrorKind, unexpected::quote};
use crate::bounded::Bounded;
use crate::{Green, SyntaxNode, green, syntax_node::kind_from_raw, unshared::each_unshared};

/// The limit on unexpected text that is searched for its first line.
const MAX_LINE: usize = 200;

/// The errors below a node of a language of operations; `clean` has none. What a node that is not read holds is loose
/// text, but for regions, which are read.
pub(crate) fn of_items(node: &SyntaxNode, clean: Option<&Green>) -> Vec<SyntaxError> {
    let mut found = Bounded::default();
    each_unshared(node.green(), clean.map(|it| &**it.node()), |it| {
        let parent = it.parent.map(|(node, start)| Parent { node, start });
        match it.element {
            NodeOrToken::Node(node) => report(node, parent, it.start, &mut found),
            NodeOrToken::Token(token) => {
                let in_error = parent.is_some_and(|it| it.kind() == ERROR_NODE);
                let kind = kind_from_raw(token.kind());
                let error = token_error(kind, token.text(), it.start, in_error);
                error.into_iter().for_each(|it| found.push(it));
            }
        }
        true
    });
    found.into_sorted()
}

/// A node, and where it begins.
#[derive(Clone, Copy)]
struct Parent<'a> {
    node: &'a GreenNodeData,
    start: TextSize,
}

impl Parent<'_> {
    fn kind(self) -> SyntaxKind {
        kind_from_raw(self.node.kind())
    }
}

fn report(
    node: &GreenNodeData,
    parent: Option<Parent<'_>>,
    at: TextSize,
    found: &mut Bounded<SyntaxError>,
) {
    let (kind, range, message, help) = match kind_from_raw(node.kind()) {
        ERROR_NODE => {
            let text = green::text_start(node, MAX_LINE);
            let line = text.lines().next().unwrap_or_default().trim_end();
            let range = TextRange::at(at, TextSize::of(line));
            let shown = quote(line);
            match parent.and_then(|it| shape_of(it.node)) {
                Some((name, shape)) => {
                    let message = format!("{shown} does not fit: `{name}` is written `{shape}`");
                    (SyntaxErrorKind::UnexpectedText, range, message, None)
                }
                None => {
                    let message = format!("{shown} cannot stand here");
                    (SyntaxErrorKind::UnexpectedText, range, message, None)
                }
            }
        }
        MLIR_MISSING | PIR_MISSING => {
            let shape = parent.and_then(|it| shape_of(it.node));
            let (range, message) = match (parent, shape) {
                (Some(it), _) if matches!(it.kind(), MLIR_REGION | PIR_BLOCK) => {
                    // Where it should have been closed is a guess; where it was opened is not.
                    (TextRange::at(it.start, 1.into()), "this `{` is never closed".to_owned())
                }
                (_, Some((name, shape))) => {
                    let message = format!("something is missing: `{name}` is written `{shape}`");
                    (TextRange::empty(at), message)
                }
                _ => (TextRange::empty(at), "something is missing here".to_owned()),
            };
            (SyntaxErrorKind::MissingPart, range, message, None)
        }
        TOO_DEEP => {
            let message =
                format!("nested more than {} levels deep: not read", parser::mlir::MAX_DEPTH);
            (SyntaxErrorKind::TooDeep, TextRange::at(at, 1.into()), message, None)
        }
        _ => return,
    };
    found.push(SyntaxError { kind, range, message, help });
}

/// The name and the shape of an operation in a pretty form.
fn shape_of(operation: &GreenNodeData) -> Option<(String, String)> {
    if !matches!(kind_from_raw(operation.kind()), MLIR_CUSTOM_OP | MLIR_GENERIC_OP) {
        // Others may have any number of children, each of which asks.
        return None;
    }
    let mut tokens = operation.children().filter_map(NodeOrToken::into_token);
    let name = tokens.find(|it| matches!(kind_from_raw(it.kind()), IDENT | STRING))?;
    if kind_from_raw(name.kind()) == STRING {
        let shape = format!("{}(operands) {{attributes}} : (types) -> types", name.text());
        return Some((name.text().trim_matches('"').to_owned(), shape));
    }
    let example = Shapes::builtin().example_of(name.text())?;
    Some((name.text().to_owned(), format!("{} {example}", name.text())))
}

fn token_error(kind: SyntaxKind, text: &str, at: TextSize, in_error: bool) -> Option<SyntaxError> {
    let range = TextRange::at(at, TextSize::of(text));
    let open_string = kind == STRING && (text.len() == 1 || !text.ends_with('"'));
    let (kind, message) = if open_string {
        (SyntaxErrorKind::UnterminatedString, "this string is not closed on its line".to_owned())
    } else if kind == ERROR && !in_error {
        (SyntaxErrorKind::UnknownCharacter, format!("{} cannot stand here", quote(text)))
    } else {
        return None;
    };
    Some(SyntaxError { kind, range, message, help: None })
}
