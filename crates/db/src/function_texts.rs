//! The text of a function of statements, with its lines; that of a large function comes from the version before.

use std::sync::Arc;

use salsa::plumbing::AsId as _;

use crate::{
    Db,
    last_text::{FunctionText, LastText},
    previous_lowering::MIN_LEN,
    unit::Unit,
};

/// The text of a function of statements.
#[salsa::tracked(returns(ref), no_eq, lru = 128)]
pub fn function_text<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Arc<FunctionText> {
    let green = unit.green(db);
    if green.text_len() < MIN_LEN.into() {
        return Arc::new(FunctionText::new(green));
    }
    let (file, id) = (unit.file(db), unit.as_id());
    let last = db.history().text(file, id);
    if let Some(last) = last.as_ref().filter(|it| it.green.ptr_eq(green)) {
        return last.text.clone();
    }
    let after = last.and_then(|it| FunctionText::after(&it, green));
    let text = Arc::new(after.unwrap_or_else(|| {
        db.counters().written(green.text_len().into());
        FunctionText::new(green)
    }));
    let kept = LastText { green: green.clone(), text: text.clone() };
    db.history().set_text(file, id, kept);
    text
}

/// Sets how many results the query here keeps; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    function_text::set_lru_capacity(db, n);
}
