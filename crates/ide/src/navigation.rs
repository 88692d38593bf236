//! Definitions and references of names.

use db::{ModuleText, RootDatabase, SourceFile};
use frontend::tvmscript::discover::places::NamePlace;
use syntax::{LineIndex, TextRange, TextSize};

use crate::{
    FileId,
    call_hierarchy::{CallFile, CallPlace, World},
    names::named_at,
    outline::Spot,
};

/// A place that defines a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DefinitionPlace {
    /// Its file.
    pub file: CallFile,
    /// The name there; empty at the start of a file that is what the name means.
    pub place: CallPlace,
}

/// The places that define the name at an offset: of a name from the Python around a function all that bind it, in the
/// file or in those that it imports.
pub(crate) fn definitions(world: World<'_>, id: FileId, offset: TextSize) -> Vec<DefinitionPlace> {
    let World { db, files, .. } = world;
    let Some(&file) = files.get(&id) else { return Vec::new() };
    let own = |it| DefinitionPlace { file: CallFile::Open(id), place: CallPlace::Range(it) };
    if let Some(it) = named_at(db, file, offset).and_then(|it| it.definition) {
        return vec![own(it)];
    }
    let places = db::name_places(db, file, offset).into_iter();
    let place = |it: NamePlace| match it.file.is_empty() {
        true => Some(own(it.range)),
        false => elsewhere(world, it),
    };
    places.filter_map(place).collect()
}

/// A place in another file.
fn elsewhere(world: World<'_>, NamePlace { file, range }: NamePlace) -> Option<DefinitionPlace> {
    match db::module_text(world.db, &file)? {
        ModuleText::Open(open) => Some(DefinitionPlace {
            file: CallFile::Open(world.id(open)?),
            place: CallPlace::Range(range),
        }),
        ModuleText::Closed(text) => Some(DefinitionPlace {
            file: CallFile::Path(file),
            place: CallPlace::Spot(Spot::new(&LineIndex::new(&text), range)),
        }),
    }
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
