//! Units of operations, lowered: a function reads the aliases that it mentions one by one, and of a large one only what
//! an edit reached.

use std::sync::Arc;

use frontend::{
    language::{self, Operations, UnitInput},
    mlir,
    ops::{Lowered, codes::UNKNOWN_OPERATION},
};
use ir::{
    effects::MatchKind,
    guard::{Stage, guarded},
};
use salsa::plumbing::AsId as _;
use syntax::{UnitKind, UnitSource};

use crate::{
    Db,
    document_aliases::{AliasName, alias, mentioned_aliases},
    input::{Configuration, Dialects},
    previous_lowering::{self, MIN_LEN, PreviousLowering, UnitText},
    unit::Unit,
};

/// The text of a unit. Few are kept: it is made from the tree again on demand.
#[salsa::tracked(returns(ref), no_eq, lru = 32)]
pub fn text<'db>(db: &'db dyn Db, unit: Unit<'db>) -> UnitText {
    UnitText::new(unit.green(db), previous_lowering_of(db, unit).as_deref())
}

/// The last version of a unit that is worth remembering.
fn previous_lowering_of<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Option<Arc<PreviousLowering>> {
    let source = unit.source(db).operations()?;
    let is_large = source.kind == UnitKind::Function && source.green.text_len() >= MIN_LEN.into();
    is_large.then(|| db.history().previous_lowering(unit.file(db), unit.as_id()))?
}

/// The lowered unit; `None` for the text around programs of PIR.
pub(super) fn lowered<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    source: &UnitSource,
) -> Option<Arc<Lowered>> {
    let operations = language::operations(source.green.language())?;
    let text = text(db, unit);
    let read = || read(db, unit, (source, operations), text);
    guarded(Stage::Reading, &source.name, read).unwrap_or_else(|panicked| {
        let dialect = language::of(source.green.language()).dialect;
        let mut lowered = Lowered::not_read(&panicked, dialect);
        lowered.diagnostics.iter_mut().for_each(|it| it.range = source.name_range);
        Some(Arc::new(lowered))
    })
}

/// The unit, read.
fn read<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    (source, operations): (&UnitSource, &Operations),
    text: &UnitText,
) -> Option<Arc<Lowered>> {
    if operations.is_incremental && source.kind == UnitKind::Function {
        return Some(function(db, unit, text));
    }
    let (kind, green) = (source.kind, &source.green);
    let shapes = &Configuration::get(db).dialects(db).shapes;
    let aliases = &mentioned_aliases(db, unit, green, text).aliases;
    let mut lowered = (operations.lower)(&UnitInput { kind, green, text, aliases, shapes })?;
    db.counters().lowered(green.text_len().into());
    retain_unknown(db, &mut lowered, unit, text);
    Some(Arc::new(lowered))
}

/// A function, lowered: by what changed since the last time, if that is known.
fn function<'db>(db: &'db dyn Db, unit: Unit<'db>, text: &UnitText) -> Arc<Lowered> {
    let green = unit.green(db);
    let Dialects { shapes, .. } = Configuration::get(db).dialects(db);
    let (file, document) = (unit.file(db), unit.document(db));
    let find = |name: &str| alias(db, AliasName::new(db, file, document, name)).clone();
    let last = previous_lowering_of(db, unit);
    let after = last.and_then(|it| previous_lowering::relower(text, &it, shapes, find));
    let (mut lowered, traits, mentioned) = match after {
        Some(it) => it,
        None => {
            db.counters().lowered(green.text_len().into());
            let mentioned = mentioned_aliases(db, unit, green, text);
            let (lowered, traits) =
                mlir::lower_function_with_traits(green, text, &mentioned.aliases, shapes);
            (lowered, traits, mentioned)
        }
    };
    retain_unknown(db, &mut lowered, unit, text);
    let lowered = Arc::new(lowered);
    if green.text_len() >= MIN_LEN.into() {
        let reading = PreviousLowering {
            green: green.clone(),
            text: text.text.clone(),
            lowered: lowered.clone(),
            traits,
            shapes: shapes.clone(),
            mentioned,
        };
        db.history().set_previous_lowering(file, unit.as_id(), reading);
    }
    lowered
}

/// Drops the diagnostics of operations that the user has declared; for operations without a known form, keeps a
/// diagnostic about the form.
fn retain_unknown(db: &dyn Db, lowered: &mut Lowered, unit: Unit<'_>, text: &str) {
    let Dialects { shapes, effects } = Configuration::get(db).dialects(db);
    let namespace = language::of(unit.green(db).language()).namespace;
    lowered.diagnostics.retain_mut(|it| {
        let written = &text[std::ops::Range::<usize>::from(it.range)];
        let name = shapes.full_name(written.trim_matches('"'));
        let is_told = it.code == UNKNOWN_OPERATION
            && effects.explain(namespace, name).kind != MatchKind::Default;
        let is_pretty = !written.starts_with('"');
        if is_told && is_pretty && shapes.shape_of(name).is_none() {
            *it = mlir::unread_operation(name, it.range);
            return true;
        }
        !is_told
    });
}

/// Sets how many results the query here keeps; see [`crate::forgetting`].
pub(super) fn keep(db: &mut dyn Db, n: usize) {
    text::set_lru_capacity(db, n);
}
