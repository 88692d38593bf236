//! The units of a file of MLIR or PIR: the parts that are read, lowered and cached separately.
//!
//! ```text
//!  file ── chunk ──┬── frame: the chunk without the regions of its functions
//!                  └── functions, outermost, wherever in the chunk's modules they stand
//!  file (PIR) ─────┬── frame: what stands around the programs
//!                  └── programs
//! ```
//!
//! In: the tree. Out: [`Units`], a record a function and a record a chunk. The tree of a function is the one in the
//! file; that of a frame is made by leaving the regions of functions out ([`UnitSource::cuts`]), so it stands still
//! while bodies are edited, and positions in it are mapped back by [`Units::frame_to_file`].
//!
//! Empty chunks are one frame with their neighbours, and an empty program stays with the text around programs.
//!
//! Linear in the text outside of functions. After an edit inside of one body ([`units_after`]) only addresses on the
//! way to it are looked at, and the records are copied; else chunks and functions that the tree shares with the one
//! before are taken over.

mod mapping;
mod scan;
#[cfg(test)]
mod tests;

use std::{ops::Range, sync::Arc};

use parser::SyntaxKind::{self, *};
use rowan::{NodeOrToken, TextRange, TextSize};

pub(crate) use self::scan::Scan;
pub use self::scan::symbol_of_node as symbol_of;
use crate::{Change, Green, Parse, changed_nodes, parse::Table, syntax_node::kind_from_raw};

/// The kind of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnitKind {
    /// A function of MLIR: `func.func`, `gpu.func` …
    Function,
    /// All of a document of MLIR outside of functions; in PIR, the text around the programs.
    Frame,
    /// A program of PIR.
    Program,
}

/// A unit, independent of where in the file it stands.
#[derive(Clone, Debug)]
pub struct UnitSource {
    /// Returns the kind.
    pub kind: UnitKind,
    /// The names of the symbols around it, outermost first, joined by `.`, without `@` and quotes.
    pub path: Box<str>,
    /// Its name, without `@` and quotes; empty for frames, programs, and functions without one.
    pub name: Box<str>,
    /// The place where the name is written; empty at the start if nowhere.
    pub name_range: TextRange,
    /// Its tree.
    pub green: Green,
    /// Of a function, the parts of its text that its frame does not have.
    pub cuts: Box<[TextRange]>,
    /// Of a function, the part that its frame has of it.
    header: Option<Green>,
}

impl UnitSource {
    /// A unit without text.
    pub fn empty() -> UnitSource {
        UnitSource {
            kind: UnitKind::Frame,
            path: "".into(),
            name: "".into(),
            name_range: TextRange::empty(0.into()),
            green: crate::parse("").green().clone(),
            cuts: Box::default(),
            header: None,
        }
    }
}

/// A function or program and its place in the file.
#[derive(Clone, Debug)]
pub struct UnitItem {
    /// The unit. Shared with the versions of the file in which it is the same.
    pub source: Arc<UnitSource>,
    /// All of it, in the file.
    pub range: TextRange,
    /// The number of the frame around it.
    pub frame: u32,
    /// The place where it starts in the text of that frame.
    pub frame_start: TextSize,
}

/// A frame and its place in the file.
#[derive(Clone, Debug)]
pub struct FrameItem {
    /// The unit.
    pub source: Arc<UnitSource>,
    /// The chunk, in the file.
    pub range: TextRange,
    /// The numbers of the functions in it.
    pub functions: Range<u32>,
    /// The tree of the chunk, by whose address it is found again.
    chunk: Green,
}

/// The units of a file.
#[derive(Clone, Debug)]
pub struct Units {
    /// Functions or programs, in text order; they do not overlap.
    pub functions: Vec<UnitItem>,
    /// Frames, in text order.
    pub frames: Vec<FrameItem>,
    root: Green,
    table: Table,
}

/// The units of a file; none of a file of TVMScript.
pub fn units(parse: &Parse) -> Units {
    units_in(parse, None)
}

/// Like [`units`], after an edit of a file: untouched parts are reused.
pub fn units_after(parse: &Parse, previous: &Units) -> Units {
    previous.with_edited_body(parse).unwrap_or_else(|| units_in(parse, Some(previous)))
}

fn units_in(parse: &Parse, previous: Option<&Units>) -> Units {
    let mut scan = Scan::new(parse, previous);
    (parse.language().support().scan)(&mut scan);
    let (root, table) = (parse.green().clone(), parse.table().clone());
    Units { functions: scan.functions, frames: scan.frames, root, table }
}

impl Units {
    /// Returns true if both have the same units in the same order, and at most one function has another body.
    pub fn differs_in_a_body_only(&self, other: &Units) -> bool {
        self.frames.len() == other.frames.len()
            && self.functions.len() == other.functions.len()
            && self.frames.iter().zip(&other.frames).all(|(a, b)| Arc::ptr_eq(&a.source, &b.source))
    }

    /// The units of a version of the file that differs from this one in the body of one function only.
    fn with_edited_body(&self, parse: &Parse) -> Option<Units> {
        if self.table != *parse.table() {
            return None;
        }
        let is_unit =
            |kind| matches!(kind, MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP | PIR_BLOCK);
        let changes = changed_nodes(&self.root, parse.green(), is_unit);
        let (change, index) = changes.into_iter().find_map(|change| {
            let at = self.functions.binary_search_by_key(&change.offset, |it| it.range.start());
            let index = at.ok()?;
            self.functions[index].source.green.ptr_eq(&change.old).then_some((change, index))
        })?;
        // A program may come to have nothing in it.
        if !same_header(&change) || !scan::is_unit(&change.new) {
            return None;
        }
        let (old_len, new_len) = (change.old.text_len(), change.new.text_len());
        let old = &self.functions[index].source;
        let source = UnitSource {
            cuts: scan::cuts(old.kind, &change.new),
            green: change.new.clone(),
            ..UnitSource::clone(old)
        };
        let mut functions = self.functions.clone();
        for item in &mut functions[index + 1..] {
            let start = item.range.start() - old_len + new_len;
            item.range = TextRange::at(start, item.range.len());
        }
        let item = &mut functions[index];
        item.range = TextRange::at(change.offset, new_len);
        item.source = Arc::new(source);
        let frame = item.frame as usize;
        let mut frames = self.frames.clone();
        for item in &mut frames[frame + 1..] {
            let start = item.range.start() - old_len + new_len;
            item.range = TextRange::at(start, item.range.len());
        }
        let edited = &mut frames[frame];
        edited.range = TextRange::at(edited.range.start(), edited.range.len() - old_len + new_len);
        edited.chunk = scan::chunk_at(parse, edited.range)?;
        Some(Units { functions, frames, root: parse.green().clone(), table: self.table.clone() })
    }

    /// The number of the function or program that contains an offset (its end counts as in it).
    pub fn function_at(&self, offset: TextSize) -> Option<usize> {
        let after = self.functions.partition_point(|it| it.range.start() <= offset);
        let index = after.checked_sub(1)?;
        (offset <= self.functions[index].range.end()).then_some(index)
    }

    /// The number of the frame whose chunk contains an offset.
    pub fn frame_at(&self, offset: TextSize) -> Option<usize> {
        let after = self.frames.partition_point(|it| it.range.start() <= offset);
        let index = after.checked_sub(1)?;
        (offset <= self.frames[index].range.end()).then_some(index)
    }
}

/// Returns true if a changed function differs in its regions only.
fn same_header(change: &Change) -> bool {
    if change.new.kind() == PIR_BLOCK {
        return true;
    }
    let is_body = |kind| matches!(kind, MLIR_REGION | MLIR_REGION_LIST);
    change.old.shares_all_but(&change.new, is_body)
        && lists(&change.old).zip(lists(&change.new)).all(|(old, new)| {
            let depth = |green: &Green| green.depth_bound();
            let (old, new) =
                (Green::new(old, depth(&change.old)), Green::new(new, depth(&change.new)));
            old.shares_all_but(&new, |kind| kind == MLIR_REGION)
        })
}

fn lists(green: &Green) -> impl Iterator<Item = rowan::GreenNode> + '_ {
    let nodes = green.node().children().filter_map(NodeOrToken::into_node);
    nodes.filter(|it| kind_from_raw(it.kind()) == MLIR_REGION_LIST).map(|it| it.to_owned())
}

/// Returns true if nodes of a kind are operations of MLIR.
fn is_operation(kind: SyntaxKind) -> bool {
    matches!(kind, MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP)
}
