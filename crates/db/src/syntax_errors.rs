//! The syntax errors of a unit. Of a large one, what it shares with a version that had none is not looked at again.

use salsa::plumbing::AsId as _;
use syntax::{SyntaxError, syntax_errors_after};

use crate::{Db, previous_lowering::MIN_LEN, unit::Unit};

/// The syntax errors of a unit, relative to it. They follow from its tree alone, whichever version is known.
pub fn syntax_errors<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<SyntaxError> {
    let green = unit.green(db);
    if green.text_len() < MIN_LEN.into() {
        return syntax::syntax_errors(&green.syntax());
    }
    let (file, id) = (unit.file(db), unit.as_id());
    let clean = db.history().clean_tree(file, id);
    let errors = match &clean {
        Some(clean) if clean.ptr_eq(green) => return Vec::new(),
        Some(clean) => syntax_errors_after(&green.syntax(), clean),
        None => syntax::syntax_errors(&green.syntax()),
    };
    if errors.is_empty() {
        db.history().set_clean_tree(file, id, green.clone());
    }
    errors
}
