//! Document highlight: the mentions of the name at a place, and the access of each.

use db::{RootDatabase, SourceFile};
use syntax::{TextRange, TextSize};

use crate::names::named_at;

/// The access of a mention to the thing that it names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads it.
    Read,
    /// Defines it, or gives it a new value.
    Write,
}

/// A mention of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Highlight {
    /// The place.
    pub range: TextRange,
    /// The access.
    pub access: Access,
}

pub(crate) fn highlights(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Vec<Highlight> {
    let mentions = named_at(db, file, offset).map(|it| it.mentions).unwrap_or_default();
    let access = |is_write| if is_write { Access::Write } else { Access::Read };
    mentions
        .into_iter()
        .map(|it| Highlight { range: it.range, access: access(it.is_write) })
        .collect()
}
