//! Unknown operations, and the rows of the settings that would declare them.
//!
//! In: a range of a file. Out: a row for each operation in it that is in no table, in text order. Linear in the units
//! of the range.

use db::{PlacedUnit, RootDatabase, SourceFile};
use frontend::ops::codes::{UNKNOWN_OPERATION, settings_row};
use rustc_hash::FxHashSet;
use syntax::TextRange;

use crate::{plan_text::operations::op_name, units::of_units};

/// A row to add to the settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsRow {
    /// The operation that it declares.
    pub operation: String,
    /// The lines.
    pub text: String,
}

/// The rows for the operations in a range.
pub(crate) fn settings_rows(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
) -> Vec<SettingsRow> {
    let section = db::language(db, file).support().id;
    let mut said = FxHashSet::default();
    let mut res = Vec::new();
    let of_unit = |at: PlacedUnit<'_>| {
        let Some(lowered) = db::lowered(db, at.unit).operations() else { return };
        let (body, map) = (&lowered.body, &lowered.source_map);
        // A name is reported where it stands first in its unit, and offered wherever it stands.
        let reported = lowered.diagnostics.iter().filter(|it| it.code == UNKNOWN_OPERATION);
        let unknown: FxHashSet<&str> = reported
            .filter_map(|it| Some(op_name(body, map.op_at(body, it.range.start())?)))
            .collect();
        if unknown.is_empty() {
            return;
        }
        let is_here =
            |place: TextRange| !place.is_empty() && at.to_file(place).intersect(range).is_some();
        for op in body.ops.ids().filter(|it| is_here(map.op_name(*it))) {
            let name = op_name(body, op);
            if unknown.contains(name) && said.insert(name.to_owned()) {
                let text = settings_row(section, name);
                res.push(SettingsRow { operation: name.to_owned(), text });
            }
        }
    };
    of_units(db, file, Some(range), of_unit).for_each(drop);
    res
}
