//! `T.decl_buffer` without `data=` is an allocation.
//!
//! In: a body. Out: the same with these declarations as allocations, which all that follows knows. Linear in the
//! operations.

use ir::Body;

use super::{LowerOptions, LowerRefusal, Origins};

pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    if let Some(allocating) = body.with_declared_memory() {
        *body = allocating;
    }
    Ok(())
}
