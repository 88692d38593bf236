//! Paddle PIR: programs as `print(program)` writes them.
//!
//! [`parse`] gives the steps of a `PIR_FILE`. The text has no declarations, no functions and one operation a line, so
//! an error ends with its line. Tokens are those of MLIR, except floating numbers (`1e-05`) and the marks of absent
//! values (`<<NULL VALUE>>`). Linear.

mod grammar;
#[cfg(test)]
mod tests;

pub(crate) use self::grammar::operations;

use crate::{
    Step,
    mlir::{Shapes, lexer::Dialect, parser::Parser},
};

/// Parses a whole file. The root of the steps is a `PIR_FILE`.
///
/// `text` must be shorter than 4 GiB.
pub fn parse(text: &str) -> Vec<Step> {
    let mut p = Parser::new(text, 0, Dialect::Pir, Shapes::builtin());
    grammar::file(&mut p);
    p.finish_steps()
}
