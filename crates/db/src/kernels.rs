//! The device code of a function.

use std::sync::Arc;

use codegen::{Options, Source, Target, Unsupported};

use crate::{Db, body, file::Function};

/// The code of the kernels of a function, or why there is none.
#[salsa::tracked(returns(ref), no_eq)]
pub fn device_code<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
    target: Target,
    options: Options,
) -> Result<Arc<[Source]>, Arc<[Unsupported]>> {
    codegen::device_code(body(db, function), target, &options).map(Arc::from).map_err(Arc::from)
}
