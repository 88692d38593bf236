//! The grammar: one function a construct, named after the node that it makes.
//!
//! A function that may find nothing returns `None` and consumes nothing then. Missing pieces are missing
//! children; tokens that fit nowhere go to an `ERROR_NODE` where they stand.

mod atom;
mod block;
mod compound;
mod expr;
mod list;
mod simple;
mod statement;

use super::parser::{CompletedMarker, Parser};
use crate::{SyntaxKind, SyntaxKind::*, T};

pub(super) use block::{block, source_file, statements_until};

/// A `NAME` or `NAME_REF`, if an identifier is there.
fn name(p: &mut Parser<'_>, kind: SyntaxKind) -> Option<CompletedMarker> {
    if !p.at(IDENT) {
        return None;
    }
    let m = p.start();
    p.bump();
    Some(m.complete(p, kind))
}

/// Runs `f` behind an operator that leans to the right. Beyond the limit, the rest up to the next comma or
/// closing bracket becomes `TOO_DEEP`.
fn deeper(
    p: &mut Parser<'_>,
    f: fn(&mut Parser<'_>) -> Option<CompletedMarker>,
) -> Option<CompletedMarker> {
    match p.lean(f) {
        Some(res) => res,
        None => p.skip(TOO_DEEP, false, |kind| matches!(kind, T![,] | T![;])),
    }
}

/// Reads `body` between the brackets `open` (here) and `close`; `body` returns the kind of the node. Beyond the limit,
/// the whole group becomes `TOO_DEEP`.
fn bracketed(
    p: &mut Parser<'_>,
    close: SyntaxKind,
    body: fn(&mut Parser<'_>) -> SyntaxKind,
) -> Option<CompletedMarker> {
    let m = p.start();
    let read = p.nest(|p| {
        p.open();
        let kind = body(p);
        p.close(close);
        kind
    });
    match read {
        Some(kind) => Some(m.complete(p, kind)),
        None => {
            m.abandon(p);
            p.skip(TOO_DEEP, true, |_| false)
        }
    }
}
