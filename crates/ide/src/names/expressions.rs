//! The name at a place of a function of statements. A name from the Python around a function is left to the Python
//! tools.

use db::{PlacedUnit, RootDatabase, SourceFile};
use frontend::tvmscript::{DefinitionId, DefinitionKind, SourceMap};
use syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize};

use super::{Mention as Place, Named};
use crate::units::{function_at, shown_function_at};

/// A name of a function, at an offset.
pub(crate) struct Mention<'db> {
    pub(crate) at: PlacedUnit<'db>,
    pub(crate) map: &'db SourceMap,
    pub(crate) range: TextRange,
    pub(crate) definition: DefinitionId,
}

/// The name at an offset.
pub(crate) fn mention_at(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<Mention<'_>> {
    let (at, offset) = function_at(db, file, offset)?;
    mention_in(db, at, offset)
}

/// The name at an offset, in what is shown there.
pub(crate) fn shown_mention_at(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<Mention<'_>> {
    let (at, offset) = shown_function_at(db, file, offset)?;
    mention_in(db, at, offset)
}

/// The name at an offset of a function.
fn mention_in<'db>(
    db: &'db RootDatabase,
    at: PlacedUnit<'db>,
    offset: TextSize,
) -> Option<Mention<'db>> {
    let map = db::source_map(db, at.unit);
    let (range, definition) = map.mention_at(offset)?;
    Some(Mention { at, map, range, definition })
}

/// The name at an offset with all its mentions; none of a name that the function captures.
pub(super) fn named_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<Named> {
    let Mention { at, map, range, definition: id } = mention_at(db, file, offset)?;
    let definition = map.definition(id);
    if definition.kind == DefinitionKind::Captured {
        return None;
    }
    let root = at.unit.green(db).syntax();
    let place = |it: TextRange| {
        ir::interrupt::check();
        let is_definition = it == definition.range;
        let is_write = is_definition || is_target(&root, it);
        Place { range: at.to_file(it), is_definition, is_write }
    };
    let mentions = map.mentions_of(id).map(place).collect();
    Some(Named {
        range: at.to_file(range),
        definition: Some(at.to_file(definition.range)),
        mentions,
    })
}

/// Returns true if a statement assigns to a name, or to an element of it.
fn is_target(root: &SyntaxNode, name: TextRange) -> bool {
    let Some(mut at) = root.covering_element(name).parent() else { return false };
    loop {
        let Some(parent) = at.parent() else { return false };
        let is_first = parent.first_child().as_ref() == Some(&at);
        match parent.kind() {
            SyntaxKind::ASSIGN_STMT | SyntaxKind::AUG_ASSIGN_STMT | SyntaxKind::ANN_ASSIGN_STMT => {
                return is_first;
            }
            // `A[i] = e` writes `A` and reads `i`.
            SyntaxKind::NAME_EXPR | SyntaxKind::SUBSCRIPT_EXPR if is_first => at = parent,
            SyntaxKind::NAME_REF | SyntaxKind::NAME => at = parent,
            _ => return false,
        }
    }
}
