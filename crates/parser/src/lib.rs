//! See the README of this crate.

mod syntax_kind;

pub use syntax_kind::SyntaxKind;
