//! Reading one unit under a guard: a panic costs the unit, and the rest of the file is read.

use ir::{
    Dialect,
    guard::{Panicked, Stage, catch, guarded},
};
use parser::mlir::Piece;

use super::{aliases::Aliases, reader::Reader};
use crate::ops::Lowered;

/// A reader of a unit, until a mistake of ours ends the reading.
pub(super) struct GuardedReader<'t> {
    reader: Reader<'t>,
    failed: Option<Failed>,
}

/// The panic that ended the reading.
struct Failed {
    what: String,
    /// The place where the rest of the text begins, which the reader does not know.
    pos: u32,
}

impl<'t> GuardedReader<'t> {
    pub(super) fn new(reader: Reader<'t>) -> GuardedReader<'t> {
        GuardedReader { reader, failed: None }
    }

    /// The same reader, for a body without names of values.
    pub(super) fn without_names(self) -> GuardedReader<'t> {
        GuardedReader { reader: self.reader.without_names(), ..self }
    }

    /// Reads the next pieces.
    pub(super) fn pieces(&mut self, pieces: &[Piece], aliases: &Aliases) {
        if let Some(failed) = &mut self.failed {
            failed.pos += len_of(pieces);
            return;
        }
        let (before, reader) = (self.reader.pos(), &mut self.reader);
        reader.make_room();
        let read = || pieces.iter().for_each(|it| reader.piece(*it, aliases));
        if let Err(what) = catch(read) {
            self.failed = Some(Failed { what, pos: before + len_of(pieces) });
        }
    }

    /// Returns the place where the next step begins.
    pub(super) fn pos(&self) -> u32 {
        self.failed.as_ref().map_or_else(|| self.reader.pos(), |it| it.pos)
    }

    /// Ends the unit.
    pub(super) fn finish(self) -> Lowered {
        let function = self.reader.body.name.clone();
        let finished = match self.failed {
            Some(Failed { what, .. }) => Err(Panicked { function, stage: Stage::Reading, what }),
            None => guarded(Stage::Reading, &function, || self.reader.finish()),
        };
        finished.unwrap_or_else(|panicked| Lowered::not_read(&panicked, Dialect::Mlir))
    }
}

/// The bytes of pieces.
fn len_of(pieces: &[Piece]) -> u32 {
    pieces.iter().map(|it| it.n_bytes()).sum()
}
