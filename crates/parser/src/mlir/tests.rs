//! Tests of the lexer and the grammar of MLIR: common parts.

mod forms;
mod limits;
mod properties;
mod table;
mod unknown;

use std::fmt::Write;

use super::*;
use crate::SyntaxKind::{self, *};

/// The tree on few lines: a node is `(KIND children)`, a token its text; trivia, the root and chunks are left out.
fn short(text: &str, steps: &[Step]) -> String {
    let mut out = String::new();
    let (mut depth, mut offset) = (0, 0);
    for step in steps {
        match step {
            Step::Enter(MLIR_FILE | MLIR_CHUNK) => depth += 1,
            Step::Enter(kind) => {
                depth += 1;
                if depth == 3 && !out.is_empty() {
                    out.push('\n');
                }
                let space = if out.is_empty() || out.ends_with('\n') { "" } else { " " };
                let name = format!("{kind:?}");
                let _ = write!(out, "{space}({}", name.trim_start_matches("MLIR_"));
            }
            Step::Exit => {
                if depth > 2 {
                    out.push(')');
                }
                depth -= 1;
            }
            Step::Token { kind, len } => {
                let token = &text[offset..offset + *len as usize];
                offset += *len as usize;
                if !kind.is_trivia() {
                    let space = if out.is_empty() || out.ends_with('\n') { "" } else { " " };
                    let _ = write!(out, "{space}{token}");
                }
            }
        }
    }
    assert_eq!(offset, text.len(), "the tokens cover the text");
    assert_eq!(depth, 0, "what is entered is left");
    out
}

/// The text of all tokens, which must be the parsed text.
fn check_lossless(text: &str) -> Vec<Step> {
    let steps = parse(text);
    short(text, &steps);
    steps
}

fn count(steps: &[Step], kinds: &[SyntaxKind]) -> usize {
    steps.iter().filter(|it| matches!(it, Step::Enter(kind) if kinds.contains(kind))).count()
}

const ERRORS: &[SyntaxKind] = &[ERROR_NODE, MLIR_MISSING, TOO_DEEP];
