//! Definitions and references of names inside functions. A name from the Python around a function is left to the
//! Python tools.

use db::{RootDatabase, SourceFile};
use frontend::tvmscript::{DefinitionKind, SourceMap};
use syntax::{Language, TextRange, TextSize};

use crate::{
    function_at::{FunctionAt, function_at},
    ops,
};

/// A name of a function, at an offset.
pub(crate) struct Mention<'db> {
    pub(crate) at: FunctionAt<'db>,
    pub(crate) map: &'db SourceMap,
    pub(crate) range: TextRange,
    pub(crate) definition: frontend::tvmscript::DefinitionId,
}

/// The name at an offset.
pub(crate) fn mention_at(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<Mention<'_>> {
    let (at, offset) = function_at(db, file, offset)?;
    let map = db::source_map(db, at.function);
    let (range, definition) = map.mention_at(offset)?;
    Some(Mention { at, map, range, definition })
}

pub(crate) fn goto_definition(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<TextRange> {
    if db::language(db, file) != Language::TvmScript {
        return ops::names::named_at(db, file, offset)?.definition();
    }
    let mention = mention_at(db, file, offset)?;
    let definition = mention.map.definition(mention.definition);
    (definition.kind != DefinitionKind::Captured).then(|| mention.at.to_file(definition.range))
}

pub(crate) fn references(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    with_definition: bool,
) -> Option<Vec<TextRange>> {
    if db::language(db, file) != Language::TvmScript {
        let named = ops::names::named_at(db, file, offset)?;
        let wanted = named.mentions.iter().filter(|it| with_definition || !it.is_definition);
        return Some(wanted.map(|it| it.range).collect());
    }
    let Mention { at, map, definition, .. } = mention_at(db, file, offset)?;
    let defined_at = map.definition(definition);
    if defined_at.kind == DefinitionKind::Captured {
        return None;
    }
    let mentions = map.mentions_of(definition);
    let wanted = mentions.filter(|it| with_definition || *it != defined_at.range);
    Some(wanted.map(|it| at.to_file(it)).collect())
}
