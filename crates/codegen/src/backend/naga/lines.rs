//! The line of naga's text that each operation begins.
//!
//! naga's writers tell of no positions, so markers are written with the code and read from the text: a `Kill`, which no
//! kernel can have, before the statements of an operation. In: a module with markers, the operations in the order of
//! theirs. Out: the module without them, and the map. The module without markers is validated and written out; the
//! other one is written for the map alone, which is given only if its text is the same without the lines of markers.
//! Linear in the printed size.

use ::naga::{Block, Module, Statement};
use ir::OpId;

/// The marker before the statements of an operation.
pub(super) const MARKER: Statement = Statement::Kill;
/// Its lines, in WGSL and Metal.
const LINES: [&str; 2] = ["discard;", "metal::discard_fragment();"];

/// The module without markers.
pub(super) fn without_markers(module: &Module) -> Module {
    let mut plain = module.clone();
    for point in &mut plain.entry_points {
        point.function.body = block_without_markers(&point.function.body);
    }
    plain
}

/// Nesting is bounded where blocks are made.
fn block_without_markers(block: &Block) -> Block {
    let statements = block.iter().filter(|it| !matches!(it, Statement::Kill));
    let plain = statements.map(|statement| match statement {
        Statement::If { condition, accept, reject } => Statement::If {
            condition: *condition,
            accept: block_without_markers(accept),
            reject: block_without_markers(reject),
        },
        Statement::Loop { body, continuing, break_if } => Statement::Loop {
            body: block_without_markers(body),
            continuing: block_without_markers(continuing),
            break_if: *break_if,
        },
        Statement::Block(inner) => Statement::Block(block_without_markers(inner)),
        other => other.clone(),
    });
    Block::from_vec(plain.collect())
}

/// Lines of `text` from 1 and the operation that each begins, by the text with markers; none where the texts are not
/// one.
pub(super) fn of_text(text: &str, with_markers: &str, ops: &[OpId]) -> Vec<(u32, OpId)> {
    let mut lines: Vec<(u32, OpId)> = Vec::new();
    let (mut plain, mut ops, mut number) = (text.lines(), ops.iter(), 1);
    for line in with_markers.lines() {
        if LINES.contains(&line.trim()) {
            let Some(&op) = ops.next() else { return Vec::new() };
            match lines.last_mut() {
                // An operation inside says more about a line than the one around it.
                Some(last) if last.0 == number => last.1 = op,
                _ => lines.push((number, op)),
            }
        } else {
            if plain.next() != Some(line) {
                return Vec::new();
            }
            number += 1;
        }
    }
    if ops.next().is_some() || plain.next().is_some() {
        return Vec::new();
    }
    lines
}
