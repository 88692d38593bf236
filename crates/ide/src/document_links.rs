//! Links: the places in other files that a text names. In MLIR these are the locations, `loc("kernel.py":3:4)`.

use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use syntax::{Form, SourcePlace, TextRange};

use crate::units::of_units;

/// A text that names a place in another file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocumentLink {
    /// The text: the name of the file with line and column.
    pub range: TextRange,
    /// The place, with the path as the text has it.
    pub place: SourcePlace,
}

/// Returns the links of a file, in text order. Linear in the text.
pub(crate) fn document_links(db: &RootDatabase, file: SourceFile) -> Vec<DocumentLink> {
    let of_unit = |at: PlacedUnit<'_>| -> Vec<DocumentLink> {
        let links: &[DocumentLink] = match at.unit.form(db) {
            Form::Expressions => &[],
            Form::Operations => links(db, at.unit),
        };
        let links = links
            .iter()
            .map(|it| DocumentLink { range: at.to_file(it.range), place: it.place.clone() });
        links.filter(|it| !at.is_of_function(it.range.start())).collect()
    };
    of_units(db, file, None, of_unit).flatten().collect()
}

/// The links of a unit of operations, relative to it.
#[salsa::tracked(returns(ref), no_eq)]
fn links<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<DocumentLink> {
    let places = frontend::mlir::named_places(unit.green(db)).into_iter();
    places.map(|(range, place)| DocumentLink { range, place }).collect()
}
