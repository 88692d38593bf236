//! Lossless syntax trees of TVMScript files. See the README of this crate.

pub mod ast;
mod green;
mod keeper;
mod syntax_node;

pub use parser::{SyntaxKind, T};
pub use rowan::{Direction, TextLen, TextRange, TextSize, TokenAtOffset, WalkEvent};

pub use crate::{
    ast::AstNode,
    green::{Green, GreenStep},
    syntax_node::{
        Preorder, PreorderWithTokens, SyntaxElement, SyntaxElementChildren, SyntaxNode,
        SyntaxNodeChildren, SyntaxToken, SyntaxTokens, TokenText,
    },
};
