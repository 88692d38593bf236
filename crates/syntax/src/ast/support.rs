//! The building blocks of the generated getters.

use std::marker::PhantomData;

use parser::SyntaxKind;

use super::{AstChildren, AstNode};
use crate::{SyntaxElement, SyntaxNode, SyntaxToken, SyntaxTokens};

/// The first child of a type.
pub(super) fn child<N: AstNode>(parent: &SyntaxNode) -> Option<N> {
    parent.children().find_map(N::cast)
}

/// All children of a type.
pub(super) fn children<N: AstNode>(parent: &SyntaxNode) -> AstChildren<N> {
    AstChildren { inner: parent.children(), of: PhantomData }
}

/// The first token of a kind.
pub(super) fn token(parent: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxToken> {
    tokens(parent, kind).next()
}

/// All tokens of a kind.
pub(super) fn tokens(parent: &SyntaxNode, kind: SyntaxKind) -> SyntaxTokens {
    SyntaxTokens { children: parent.children_with_tokens(), kind }
}

/// The first token directly below that is not trivia.
pub(super) fn first_token(parent: &SyntaxNode) -> Option<SyntaxToken> {
    significant_tokens(parent).next()
}

/// The tokens directly below that are not trivia.
pub(super) fn significant_tokens(parent: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> + use<> {
    parent
        .children_with_tokens()
        .filter_map(SyntaxElement::into_token)
        .filter(|it| !it.kind().is_trivia())
}

/// The first child of a type that stands after the first element of kind `after` and before the next of kind `before`.
pub(super) fn child_between<N: AstNode>(
    parent: &SyntaxNode,
    after: Option<SyntaxKind>,
    before: Option<SyntaxKind>,
) -> Option<N> {
    let mut children = parent.children_with_tokens();
    if let Some(after) = after {
        children.find(|it| it.kind() == after)?;
    }
    children
        .take_while(|it| Some(it.kind()) != before)
        .filter_map(SyntaxElement::into_node)
        .find_map(N::cast)
}
