//! Definitions and references of names.

use db::{RootDatabase, SourceFile};
use syntax::{TextRange, TextSize};

use crate::names::named_at;

pub(crate) fn goto_definition(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<TextRange> {
    named_at(db, file, offset)?.definition
}

pub(crate) fn references(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    with_definition: bool,
) -> Option<Vec<TextRange>> {
    let mentions = named_at(db, file, offset)?.mentions.into_iter();
    let wanted = mentions.filter(|it| with_definition || !it.is_definition);
    Some(wanted.map(|it| it.range).collect())
}
