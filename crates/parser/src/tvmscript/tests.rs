//! Tests of the TVMScript lexer and parser: common parts.

mod blocks;
mod errors;
mod expressions;
mod lexing;
mod limits;
mod properties;
mod reparsing;
mod statements;

use std::fmt::Write;

use super::{grammar, parser::Parser};
use crate::{Parse, Step, SyntaxKind, SyntaxKind::*};

/// The tree as text. A node whose only child is a token shares its line; `missing` trivia is left out.
fn dump(text: &str, parse: &Parse, trivia: bool) -> String {
    let mut out = String::new();
    let (mut depth, mut offset) = (0, 0);
    for step in parse.steps() {
        match step {
            Step::Enter(kind) => {
                let _ = writeln!(out, "{:depth$}{kind:?}", "");
                depth += 2;
            }
            Step::Exit => depth -= 2,
            Step::Token { kind, len } => {
                let token = &text[offset..offset + len as usize];
                offset += len as usize;
                if trivia || !kind.is_trivia() {
                    let _ = writeln!(out, "{:depth$}{kind:?} {token:?}", "");
                }
            }
        }
    }
    out
}

/// The tree on few lines: a node is `(KIND children)`, a token its text; trivia and the root are left out.
fn short(text: &str, parse: &Parse) -> String {
    let mut out = String::new();
    let (mut depth, mut offset) = (0, 0);
    for step in parse.steps() {
        match step {
            Step::Enter(kind) => {
                depth += 1;
                if depth == 2 && !out.is_empty() {
                    out.push('\n');
                }
                if depth > 1 {
                    let space = if out.is_empty() || out.ends_with('\n') { "" } else { " " };
                    let _ = write!(out, "{space}({kind:?}");
                }
            }
            Step::Exit => {
                if depth > 1 {
                    out.push(')');
                }
                depth -= 1;
            }
            Step::Token { kind, len } => {
                let token = &text[offset..offset + len as usize];
                offset += len as usize;
                if !kind.is_trivia() {
                    let _ = write!(out, " {token}");
                }
            }
        }
    }
    out.push('\n');
    out
}

/// Asserts the invariants of every parse: nodes are balanced under one root, tokens cover the text.
#[track_caller]
fn check_lossless(text: &str) -> Parse {
    let parse = super::parse(text);
    let (mut depth, mut offset) = (0usize, 0usize);
    for (idx, step) in parse.steps().enumerate() {
        match step {
            Step::Enter(kind) => {
                assert_eq!(idx == 0, kind == SOURCE_FILE, "{text:?}");
                assert!(kind.is_node(), "{kind:?} in {text:?}");
                depth += 1;
            }
            Step::Exit => depth = depth.checked_sub(1).expect("balanced"),
            Step::Token { kind, len } => {
                assert!(depth > 0 && len > 0 && !kind.is_node(), "{text:?}");
                offset += len as usize;
                assert!(text.is_char_boundary(offset), "{text:?}");
            }
        }
    }
    assert_eq!((depth, offset), (0, text.len()), "{text:?}");
    parse
}

fn is_error(kind: SyntaxKind) -> bool {
    matches!(kind, ERROR_NODE | UNEXPECTED_INDENT | TOO_DEEP | ERROR)
}

fn count(parse: &Parse, of: fn(SyntaxKind) -> bool) -> usize {
    parse
        .steps()
        .filter(|it| matches!(*it, Step::Enter(kind) | Step::Token { kind, .. } if of(kind)))
        .count()
}

/// Returns how often the parser looked at a raw token.
fn steps(text: &str) -> u64 {
    let mut p = Parser::new(text);
    grammar::source_file(&mut p);
    p.steps()
}

/// Deterministic pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}
