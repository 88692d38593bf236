//! The tree after an edit, made from the tree before it.
//!
//! The smallest list of statements around the edit is found; in it, the statements that the edit touches and the one
//! before them are read again, or the whole block if that is not possible. If the result does not end where it must (a
//! bracket or a triple quote stays open, the indentation changes, an `else` comes loose), the next larger list is
//! tried, and at last the file. The parser gives a part only if it reads as it would inside the whole, so the tree is
//! that of a fresh parse; tests compare the two.
//!
//! New nodes are made for the part that was read and for the path from there to the root. Everything else is shared
//! with the tree before: an untouched function keeps its place in memory. The cost is that of the statements read, plus
//! one reference count for each child of the nodes on the path.
//!
//! An edit inside of one token that stays what it was reads nothing else ([`token`]).
//!
//! - [`sites`] finds the parts that could be read again, from the inside to the outside; [`items`] does it for MLIR and
//!   PIR;
//! - [`window`] cuts the text that a part needs out of the old tree and the edit;
//! - [`splice`] puts a part into the tree.

mod items;
mod sites;
mod splice;
mod token;
mod window;

use parser::{
    Step,
    mlir::Shapes,
    tvmscript::{self, Refused, Stretch},
};
use rowan::TextRange;

pub(crate) use self::{
    sites::Site,
    token::{ReadsAlike, reads_alike},
};
use self::{
    sites::{SiteKind, sites},
    window::Window,
};
use crate::{Edit, Parse, SyntaxNode, builder};

/// The number of bytes behind a part that are given to the parser at first.
const AHEAD: u32 = 256;
/// The largest lookahead: only an open triple quote looks further, and it extends to the end of the file.
const MAX_AHEAD: u32 = 64 * 1024;

/// The parse after an edit.
#[derive(Debug, Clone)]
pub struct Reparsed {
    /// The parse: equal to that of the text after the edit.
    pub parse: Parse,
    /// The range that was read again, in offsets of the text after the edit.
    pub range: TextRange,
    /// The number of bytes given to the lexer, in all attempts together.
    pub lexed: u64,
}

/// The parse of a text after an edit, from the parse before it.
///
/// # Panics
///
/// If the edit's range is not in the text or cuts a character.
pub fn reparse(old: &Parse, edit: &Edit) -> Reparsed {
    assert!(edit.range.end() <= old.text_len(), "the edit is outside of the text");
    let root = old.syntax();
    if let Some(reparsed) = token::reparse(old, &root, edit) {
        return reparsed;
    }
    let shapes = old.shapes();
    let mut lexed = 0;
    for site in (old.language().support().sites)(&root, edit, shapes) {
        match read(&root, edit, &site, shapes, &mut lexed) {
            Read::Part(steps, text) => {
                let part = builder::build(&text, steps.into_iter());
                let green = splice::splice(old.green(), &site, part);
                return Reparsed {
                    parse: Parse::from_green(green, old.table().clone()),
                    range: site.new_range(edit),
                    lexed,
                };
            }
            Read::Differs => {}
            Read::Unbounded => break,
        }
    }
    let text = window::edited_text(&root, edit, root.text_range());
    lexed += text.len() as u64;
    // Also then, statements that read as before stay what they were.
    let site = Site::file(&root);
    let green = splice::splice(old.green(), &site, old.again(&text).green().clone());
    Reparsed {
        parse: Parse::from_green(green, old.table().clone()),
        range: site.new_range(edit),
        lexed,
    }
}

impl Parse {
    /// See [`reparse`].
    pub fn reparse(&self, edit: &Edit) -> Reparsed {
        reparse(self, edit)
    }
}

/// The parts that could be read again after an edit, from the inside to the outside.
pub(crate) type Sites = fn(&SyntaxNode, &Edit, &Shapes) -> Box<dyn Iterator<Item = Site>>;

/// See [`Sites`]: lists of statements.
pub(crate) fn statement_sites(
    root: &SyntaxNode,
    edit: &Edit,
    _: &Shapes,
) -> Box<dyn Iterator<Item = Site>> {
    Box::new(sites(root, edit))
}

/// See [`Sites`]: lists of operations.
pub(crate) fn item_sites(
    root: &SyntaxNode,
    edit: &Edit,
    shapes: &Shapes,
) -> Box<dyn Iterator<Item = Site>> {
    Box::new(items::sites(root, edit, shapes).into_iter())
}

/// The result of reading a part again.
enum Read {
    /// Its steps and its text.
    Part(Vec<Step>, String),
    /// It does not read by itself.
    Differs,
    /// Something is open that no reasonable stretch closes: no larger part would do better.
    Unbounded,
}

fn read(root: &SyntaxNode, edit: &Edit, site: &Site, shapes: &Shapes, lexed: &mut u64) -> Read {
    if let SiteKind::Items { list, stop } = site.kind {
        return items::read(root, edit, site, (list, stop), shapes, lexed);
    }
    let mut ahead = AHEAD;
    loop {
        let window = Window::new(root, edit, site, ahead);
        *lexed += window.text.len() as u64;
        let stretch = Stretch { text: &window.text, more: window.more };
        let range = window.range.clone();
        let steps = match site.kind {
            SiteKind::Block { header_col } => {
                tvmscript::reparse_block_in(stretch, range, header_col, site.depth)
            }
            SiteKind::Statements { indent } => {
                tvmscript::reparse_statements_in(stretch, range, indent, site.depth)
            }
            SiteKind::Items { .. } => return Read::Differs,
        };
        match steps {
            Ok(steps) => {
                let mut text = window.text;
                text.truncate(window.range.end);
                text.drain(..window.range.start);
                return Read::Part(steps.steps().collect(), text);
            }
            Err(Refused::Differs) => return Read::Differs,
            Err(Refused::NeedsMore) if ahead >= MAX_AHEAD => return Read::Unbounded,
            Err(Refused::NeedsMore) => ahead *= 16,
        }
    }
}
