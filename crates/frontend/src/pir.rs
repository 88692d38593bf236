//! Paddle PIR: programs as `print(program)` writes them, to bodies. Plans become edits by [`crate::ops::edits`].
//!
//! In: the text of a file, or the green tree of one program. Out: [`Lowered`] for each program. A program is a `{ … }`
//! at the top of the file; it is lowered and edited alone. One reader ([`read`]) does both, so they agree.
//!
//! In the body, an operation has its printed name, absent operands are empty tuples of the type `<<NULL TYPE>>`,
//! sub-blocks are regions of one block, and the attributes are one dictionary of texts, sorted by their keys. Types are
//! texts; a type that the printer leaves out (all types of `pd_op.while`) is unknown. Unreadable text is an opaque
//! operation that uses every value named in it. Linear.

mod read;
#[cfg(test)]
mod tests;

use ir::{
    Dialect,
    guard::{self, Stage},
};
use parser::{Step, SyntaxKind, pir::parse};
use syntax::{Green, GreenStep, TextRange, TextSize};

pub use crate::ops::Lowered;

/// The type of an operand or result that is not there.
pub const NULL_TYPE: &str = "<<NULL TYPE>>";

/// A program of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// From its `{` to its `}`.
    pub range: TextRange,
    /// The result of lowering; positions are relative to the start of the range.
    pub lowered: Lowered,
}

/// The programs of a text, in order. No tree is made.
pub fn programs(text: &str) -> Vec<Program> {
    let steps = parse(text);
    let mut res = Vec::new();
    let (mut depth, mut offset, mut first) = (0u32, 0usize, (0usize, 0usize));
    for (index, step) in steps.iter().enumerate() {
        match *step {
            Step::Enter(kind) => {
                if kind == SyntaxKind::PIR_BLOCK && depth == 1 {
                    first = (index, offset);
                }
                depth += 1;
            }
            Step::Token { len, .. } => offset += len as usize,
            Step::Exit => {
                depth -= 1;
                let (start, start_offset) = first;
                if depth == 1 && steps[start] == Step::Enter(SyntaxKind::PIR_BLOCK) {
                    let part = &text[start_offset..offset];
                    let lowered = guarded(part, steps[start..=index].iter().copied());
                    let range = TextRange::new(size(start_offset), size(offset));
                    res.push(Program { range, lowered });
                    first = (0, 0);
                }
            }
        }
    }
    res
}

/// The program that a text is; none if it is not one program.
pub fn reread(text: &str) -> Option<Lowered> {
    let [only] = <[Program; 1]>::try_from(programs(text)).ok()?;
    let is_all = only.range == TextRange::up_to(size(text.len()));
    is_all.then_some(only.lowered)
}

/// The program whose block `green` is.
pub fn lower(green: &Green) -> Lowered {
    let text = green.text();
    let mut steps = Vec::new();
    green.walk(|step| {
        steps.push(match step {
            GreenStep::Enter(kind) => Step::Enter(kind),
            GreenStep::Token(kind, text) => Step::Token { kind, len: text.len() as u32 },
            GreenStep::Leave => Step::Exit,
        });
    });
    guarded(&text, steps.into_iter())
}

/// Reads a program. A panic costs it.
fn guarded(text: &str, steps: impl Iterator<Item = Step>) -> Lowered {
    let lowered = guard::guarded(Stage::Reading, "", || read::read(text, steps));
    lowered.unwrap_or_else(|panicked| Lowered::not_read(&panicked, Dialect::Pir))
}

fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).expect("texts are shorter than 4 GiB")
}
