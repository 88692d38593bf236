//! Units of operations, lowered: a function reads the aliases that it mentions one by one, and of a large one only what
//! an edit reached.

use std::sync::Arc;

use frontend::{language, mlir, ops::Lowered};
use pipeline::operations;
use salsa::plumbing::AsId as _;
use syntax::{UnitKind, UnitSource};

use super::SharedBody;
use crate::{
    Db,
    document_aliases::{AliasName, alias, mentioned_aliases},
    previous_lowering::{self, MIN_LEN, PreviousLowering, UnitText},
    unit::Unit,
};

/// The number of operations that are read again with each edit while the function is not complete.
const NEAR: usize = 256;

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

/// The unit, lowered.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub(super) fn lowered<'db>(db: &'db dyn Db, unit: Unit<'db>) -> super::Lowered {
    let source = unit.source(db).operations();
    match source.and_then(|source| whole(db, unit, source)) {
        Some(it) => super::Lowered::Operations(it),
        None => super::Lowered::Nothing,
    }
}

/// Its body.
#[salsa::tracked(returns(ref), lru = 0)]
pub(super) fn body<'db>(db: &'db dyn Db, unit: Unit<'db>) -> SharedBody {
    SharedBody(lowered(db, unit).clone())
}

/// The lowered unit; `None` for the text around programs of PIR.
fn whole<'db>(db: &'db dyn Db, unit: Unit<'db>, source: &UnitSource) -> Option<Arc<Lowered>> {
    let row = language::operations(source.green.language())?;
    let text = text(db, unit);
    operations::guarded_lowering(source, || {
        if row.is_incremental && source.kind == UnitKind::Function {
            return Some(function(db, unit, text));
        }
        let dialects = unit.configuration(db).dialects(db);
        let aliases = &mentioned_aliases(db, unit, &source.green, text).aliases;
        let lowered = operations::lower(source, text, aliases, dialects)?;
        db.counters().lowered(source.green.text_len().into());
        Some(Arc::new(lowered))
    })
}

/// A function, lowered: by what changed since the last time, if that is known.
fn function<'db>(db: &'db dyn Db, unit: Unit<'db>, text: &UnitText) -> Arc<Lowered> {
    let green = unit.green(db);
    let dialects = unit.configuration(db).dialects(db);
    let shapes = &dialects.shapes;
    let (file, document) = (unit.file(db), unit.document(db));
    let find = |name: &str| alias(db, AliasName::new(db, file, document, name)).clone();
    let last = previous_lowering_of(db, unit);
    let after = last.as_ref().and_then(|it| previous_lowering::relower(text, it, shapes, find));
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
    operations::retain_undeclared(&mut lowered, green.language(), text, dialects);
    let lowered = Arc::new(lowered);
    let is_near = text.change.as_ref().is_some_and(|(_, it)| it.old_nodes.len() < NEAR);
    let is_base = last.is_none_or(|it| traits.is_base_after(it.traits, is_near));
    if is_base && green.text_len() >= MIN_LEN.into() {
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

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(super) fn keep(db: &mut dyn Db, n: usize) {
    lowered::set_lru_capacity(db, n);
    body::set_lru_capacity(db, n);
    text::set_lru_capacity(db, n);
}
