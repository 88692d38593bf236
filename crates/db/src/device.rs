//! The kernels of a unit, and their device code.

use std::sync::Arc;

use codegen::{Options, Target};
use ir::Body;
use lower::from_ops::KernelOf;
use pipeline::kernels::{KernelCode, code, of_document};
use syntax::Form;

use crate::{
    Db,
    input::Configuration,
    lowering::body,
    unit::{Unit, frame_of, units},
};

/// Code, unless an edit makes it out of date in the meantime.
fn generated(
    db: &dyn Db,
    configuration: Configuration,
    body: &Body,
    target: Target,
    options: &Options,
) -> KernelCode {
    let checkpoint = || db.unwind_if_revision_cancelled();
    let effects = &configuration.dialects(db).effects;
    code(body, target, options, effects, &checkpoint)
}

/// Returns true if a unit is a kernel, or contains some.
#[salsa::tracked(returns(copy))]
pub fn has_kernels<'db>(db: &'db dyn Db, unit: Unit<'db>) -> bool {
    !unit.is_frame(db) && pipeline::kernels::has_kernels(unit.green(db).language(), body(db, unit))
}

/// The kernels of a unit of operations, as functions of statements. Reads all of its document: the launch of a kernel
/// gives its sizes. None are made of other functions; a function of statements is its own.
#[salsa::tracked(returns(ref), no_eq)]
pub fn kernels<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<KernelOf> {
    if unit.form(db) == Form::Expressions || !has_kernels(db, unit) {
        return Vec::new();
    }
    let document = unit.document(db);
    let functions = units(db, unit.file(db)).functions.iter().copied();
    let functions: Vec<Unit<'_>> = functions.filter(|it| it.document(db) == document).collect();
    let of = |it: Unit<'db>| -> Option<&'db Body> {
        let body = body(db, it);
        body.is_something().then_some(&**body)
    };
    let bodies: Vec<&Body> = functions.iter().filter_map(|it| of(*it)).collect();
    let frame = frame_of(db, unit).and_then(|it| of(it.unit));
    let number = functions.iter().position(|it| *it == unit);
    let of_unit = |number| of_document(&bodies, frame, Some(number));
    number.map(of_unit).unwrap_or_default()
}

/// The code of a function of statements, which is one; of a unit of operations, that of each of its [`kernels`]: a
/// kernel that is none has an empty list, its refusal tells why.
#[salsa::tracked(returns(ref), no_eq)]
pub fn device_code<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    target: Target,
    options: Options,
) -> Vec<KernelCode> {
    let configuration = unit.configuration(db);
    if unit.form(db) == Form::Expressions {
        return vec![generated(db, configuration, body(db, unit), target, &options)];
    }
    let code = |it: &KernelOf| match &it.kernel {
        Ok(kernel) => generated(db, configuration, &kernel.body, target, &options),
        Err(_) => Err(Arc::from([])),
    };
    kernels(db, unit).iter().map(code).collect()
}
