//! The device code of a function of operations: of the kernels that it is or launches.

use barriers::refusal::LowerRefusal;
use codegen::Target;
use db::{KernelCode, PlacedUnit, RootDatabase, Unit};
use ir::OpId;
use lower::from_ops::{FromOps, KernelOf};
use rustc_hash::FxHashMap;
use syntax::TextSize;

use super::DeviceCodeView;

/// The kernels at an offset as they are shown: the `gpu.launch` around it, otherwise all of its function.
pub(super) fn view(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    offset: TextSize,
    target: Target,
    codes: &[KernelCode],
) -> Option<DeviceCodeView> {
    let source_map = db::op_source_map(db, at.unit)?;
    let kernels = db::kernels(db, at.unit);
    let is_around = |kernel: &KernelOf| {
        let range = kernel.op.map(|op| at.to_file(source_map.op(op)));
        range.is_some_and(|it| it.contains(offset))
    };
    // The innermost stands behind those around it.
    let around = kernels.iter().rposition(is_around);
    let name = around.map_or(at.unit.name(db), |it| &kernels[it].name);
    let mut view = DeviceCodeView::new(name, target);
    let shown = kernels.iter().zip(codes).enumerate();
    for (_, (kernel, code)) in shown.filter(|it| around.is_none_or(|only| only == it.0)) {
        let source = |op| Some(at.to_file(source_map.op(op)).start());
        match &kernel.kernel {
            Ok(FromOps { body, origins, .. }) => {
                let origins: FxHashMap<OpId, OpId> = origins.iter().copied().collect();
                let place = |op| source(*origins.get(&op)?);
                match code {
                    Ok(sources) => view.add(sources, body, &place),
                    Err(reasons) => view.add_reasons(reasons, &place),
                }
            }
            Err(LowerRefusal { reason, detail, op }) => {
                view.add_note(format!("{reason}: {detail}"), op.and_then(source));
                view.add_help(*reason);
            }
        }
    }
    Some(view.finish())
}

/// The structure of the first kernel of a unit if that was asked for. What `cse` binds in it is known once its code is
/// there.
pub(super) fn lens(
    db: &RootDatabase,
    unit: Unit<'_>,
    with_structure: bool,
) -> (usize, Option<String>) {
    let first = || db::kernels(db, unit).iter().find_map(|it| it.kernel.as_ref().ok());
    let kernel = with_structure.then(first).flatten();
    (0, kernel.and_then(|it| codegen::build::structure(&it.body)))
}
