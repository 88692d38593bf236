//! The typed tree: views of nodes, made by `cargo xtask codegen` from `tvmscript.ungram`. Those of the
//! other languages are in [`mlir`] and [`pir`].
//!
//! A typed node is a cursor whose kind has been checked. Getters give an `Option` or an iterator, since any part may be
//! missing in broken code. Getters beyond the grammar's rules are written by hand: [`operators`] (the value of an
//! operator node), [`literals`] (numbers and strings decoded), [`names`] (dotted names), and `ext` (the pieces of
//! statements and calls).

mod ext;
mod generated;
pub mod literals;
pub mod mlir;
pub mod names;
pub mod operators;
pub mod pir;
mod support;

use std::marker::PhantomData;

use parser::SyntaxKind;
use rowan::TextRange;

pub use self::{
    ext::{ArgKind, BoundKind, ParamKind},
    generated::*,
    literals::{IntValue, LiteralValue, StringPart, StringPrefix, StringValue},
    names::DottedPath,
    operators::{ArithOp, BoolOp, CmpOp, PrefixOp},
};
use crate::{SyntaxNode, SyntaxNodeChildren, TokenText};

/// A view of a node of known kind.
pub trait AstNode: Sized + Clone {
    /// Returns true if a node of this kind can be viewed as this type.
    fn can_cast(kind: SyntaxKind) -> bool;

    /// The view, if the kind is right.
    fn cast(syntax: SyntaxNode) -> Option<Self>;

    /// The node itself.
    fn syntax(&self) -> &SyntaxNode;

    /// Returns the place where it is in the text of its tree.
    fn text_range(&self) -> TextRange {
        self.syntax().text_range()
    }
}

/// The children of a node that are of one type.
#[derive(Debug, Clone)]
pub struct AstChildren<N> {
    inner: SyntaxNodeChildren,
    of: PhantomData<N>,
}

impl<N: AstNode> Iterator for AstChildren<N> {
    type Item = N;

    fn next(&mut self) -> Option<N> {
        self.inner.find_map(N::cast)
    }
}

/// Nodes that introduce or use a name.
pub trait HasText: AstNode {
    /// The name, shared with the tree; `None` if it is missing in broken code.
    fn text(&self) -> Option<TokenText>;
}

impl HasText for Name {
    fn text(&self) -> Option<TokenText> {
        support::first_token(self.syntax()).map(|it| it.shared_text())
    }
}

impl HasText for NameRef {
    fn text(&self) -> Option<TokenText> {
        support::first_token(self.syntax()).map(|it| it.shared_text())
    }
}

impl HasText for NameExpr {
    fn text(&self) -> Option<TokenText> {
        self.name_ref()?.text()
    }
}
