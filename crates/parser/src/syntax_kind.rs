//! The kinds of tokens and nodes: one `u16` enum, generated from the grammar, shared with the tree.

mod generated;

pub use generated::SyntaxKind;
