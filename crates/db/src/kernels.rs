//! The device code of a function, and of the kernels of a function of MLIR.

use std::sync::Arc;

use codegen::{Options, Source, Target, Unsupported};
use ir::Body;
use lower::from_ops::{self, KernelOf};
use syntax::Language;

use crate::{
    Db, body,
    file::{Function, language},
    input::Configuration,
    op_lowering::op_body,
    units::{OpUnit, frame_of, op_units},
};

/// The code of the kernels of a function, or why there is none.
#[salsa::tracked(returns(ref), no_eq)]
pub fn device_code<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
    target: Target,
    options: Options,
) -> Result<Arc<[Source]>, Arc<[Unsupported]>> {
    generated(db, body(db, function), target, &options)
}

/// Code, unless an edit makes it out of date in the meantime.
fn generated(db: &dyn Db, body: &Body, target: Target, options: &Options) -> KernelCode {
    let checkpoint = || db.unwind_if_revision_cancelled();
    let effects = Configuration::get(db).dialects(db).effects.clone();
    let options = &Options { effects, ..options.clone() };
    codegen::device_code_until(body, target, options, &checkpoint).map(Arc::from).map_err(Arc::from)
}

/// The code of a kernel of MLIR, or why there is none.
pub type KernelCode = Result<Arc<[Source]>, Arc<[Unsupported]>>;

/// Whether a unit of MLIR is a kernel, or has some.
#[salsa::tracked(returns(copy))]
pub fn has_kernels<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> bool {
    let is_function = !unit.is_frame(db) && language(db, unit.file(db)) == Language::Mlir;
    is_function && op_body(db, unit).as_ref().is_some_and(|it| from_ops::has_kernels(it))
}

/// The kernels of a unit of MLIR, as functions of statements. Reads all of its document: who launches a kernel says its sizes. None are made of
/// the other functions.
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_kernels<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Vec<KernelOf> {
    if !has_kernels(db, unit) {
        return Vec::new();
    }
    let document = unit.document(db);
    let functions = op_units(db, unit.file(db)).functions.iter().copied();
    let functions: Vec<OpUnit<'_>> = functions.filter(|it| it.document(db) == document).collect();
    let body = |it: OpUnit<'db>| op_body(db, it).as_deref();
    let bodies: Vec<&Body> = functions.iter().filter_map(|it| body(*it)).collect();
    let frame = frame_of(db, unit).and_then(|it| body(it.unit));
    let number = functions.iter().position(|it| *it == unit);
    let kernels = |number| from_ops::kernels_of(&bodies, frame, number);
    number.map(kernels).unwrap_or_default()
}

/// The code of each of [`op_kernels`]; a kernel that is none has an empty list, its refusal tells why.
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_device_code<'db>(
    db: &'db dyn Db,
    unit: OpUnit<'db>,
    target: Target,
    options: Options,
) -> Vec<KernelCode> {
    let code = |it: &KernelOf| match &it.kernel {
        Ok(kernel) => generated(db, &kernel.body, target, &options),
        Err(_) => Err(Arc::from([])),
    };
    op_kernels(db, unit).iter().map(code).collect()
}
