//! The device code of a function of statements: its kernels are its own.

use codegen::Target;
use db::{KernelCode, PlacedUnit, RootDatabase, Unit};
use ir::arena::Id as _;

use super::DeviceCodeView;

/// The code of a function as it is shown.
pub(super) fn view(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    target: Target,
    code: &[KernelCode],
) -> DeviceCodeView {
    let mut view = DeviceCodeView::new(at.unit.name(db), target);
    let source_map = db::source_map(db, at.unit);
    let place = |op: ir::OpId| {
        // What lowering made has no text.
        let is_known = op.index() < source_map.n_ops();
        is_known.then(|| source_map.op_range(op).start() + at.start())
    };
    for code in code {
        match code {
            Ok(sources) => view.add(sources, db::body(db, at.unit), &place),
            Err(reasons) => view.add_reasons(reasons, &place),
        }
    }
    view.finish()
}

/// How many values are computed once in a function, and its structure if that was asked for.
pub(super) fn lens(
    db: &RootDatabase,
    unit: Unit<'_>,
    with_structure: bool,
) -> (usize, Option<String>) {
    let structure = || codegen::build::structure(db::body(db, unit));
    let structure = with_structure.then(structure).flatten();
    (db::cse_plan(db, unit).bindings.len(), structure)
}
