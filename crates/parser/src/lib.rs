//! Lexers and error-tolerant grammars: text in, a flat list of tree-building steps out.
//!
//! The crate knows no tree type. A grammar records *events* while it reads tokens, and [`Parse::steps`] replays them in
//! tree order, every byte of the text in exactly one token. Nothing here fails: unreadable text is kept in nodes of
//! kind [`SyntaxKind::ERROR_NODE`]. See the README of this crate for the rules of recovery, the shape of blocks and the
//! limits.

mod event;
pub mod mlir;
pub mod pir;
mod stack;
mod syntax_kind;
pub mod tvmscript;

pub use event::{Parse, Step, Steps};
pub use syntax_kind::SyntaxKind;
