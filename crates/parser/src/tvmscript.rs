//! TVMScript: Python's grammar as TVM's printer and its users write it, tolerant of errors.
//!
//! [`lex`] and [`parse`] take any valid UTF-8 text. [`reparse_block_in`] and [`reparse_statements_in`] read a
//! part of a text exactly as [`parse`] would read it inside the whole, or refuse.

mod grammar;
mod lexer;
mod lines;
mod parser;
mod reparse;
#[cfg(test)]
mod tests;

pub use lexer::{Lexed, lex};
pub use lines::indent_at;
pub use reparse::{
    Refused, Stretch, reparse_block, reparse_block_in, reparse_statements, reparse_statements_in,
};

use crate::Parse;

/// The limit on the nesting of brackets and blocks, together; and on open operators that lean to the right (`-`, `not`,
/// `**`, `lambda`, `else`). Deeper text is kept, unread, in a node of kind `TOO_DEEP`.
///
/// Chains that lean to the left (`a + b + c`, `a.b.c`, `f()()`) have no limit: a tree can be as deep as its text is
/// long, so walks and drops of it must not recurse.
pub const MAX_DEPTH: u32 = 12_000;

/// Parses a whole file. The root of the steps is a `SOURCE_FILE`.
///
/// `text` must be shorter than 4 GiB (offsets are 32 bits wide, as in the tree built from them).
pub fn parse(text: &str) -> Parse {
    let mut p = parser::Parser::new(text);
    grammar::source_file(&mut p);
    p.finish()
}
