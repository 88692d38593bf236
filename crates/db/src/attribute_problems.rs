//! The errors in the attributes and types of a unit of MLIR. Of a large one, what it shares with a version that had
//! none is not looked at again.

use salsa::plumbing::AsId as _;
use syntax::Diagnostic;

use crate::{
    Db,
    document_aliases::{AliasName, alias},
    file::CleanAttributes,
    previous_lowering::MIN_LEN,
    unit::Unit,
};

/// The errors in the attributes and types of a unit, relative to it. They follow from its tree and the aliases of its
/// document alone, whichever version is known.
pub fn attribute_problems<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<Diagnostic> {
    let green = unit.green(db);
    let (file, document, id) = (unit.file(db), unit.document(db), unit.as_id());
    let is_defined = |name: &str| alias(db, AliasName::new(db, file, document, name)).is_some();
    if green.text_len() < MIN_LEN.into() {
        return frontend::mlir::attribute_problems(green, None, is_defined);
    }
    let clean = db.history().clean_attributes(file, id);
    let clean = clean.filter(|it| it.aliases.iter().all(|it| is_defined(it)));
    let mut aliases = clean.as_ref().map(|it| it.aliases.clone()).unwrap_or_default();
    let mut is_defined = |name: &str| {
        let is_defined = is_defined(name);
        if is_defined && !aliases.contains(name) {
            aliases.insert(name.into());
        }
        is_defined
    };
    let tree = clean.as_ref().map(|it| &it.tree);
    let problems = frontend::mlir::attribute_problems(green, tree, &mut is_defined);
    if problems.is_empty() {
        let tree = green.clone();
        db.history().set_clean_attributes(file, id, CleanAttributes { tree, aliases });
    }
    problems
}
