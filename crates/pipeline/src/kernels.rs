//! The kernels of units, and their device code.

use std::sync::Arc;

use codegen::{Checkpoint, Options, Source, Target, Unsupported};
use ir::{Body, effects::EffectTable};
use lower::from_ops::{self, KernelOf};
use syntax::{Form, Language};

/// The code of a kernel, or why there is none.
pub type KernelCode = Result<Arc<[Source]>, Arc<[Unsupported]>>;

/// Returns true if the body of a function or program is a kernel, or launches some.
pub fn has_kernels(language: Language, body: &Body) -> bool {
    let row = language.support();
    match row.form {
        Form::Expressions => codegen::launches(body),
        Form::Operations => row.has_device_code && from_ops::has_kernels(body),
    }
}

/// Returns the kernels of a document of operations, as functions of statements: of all its functions, or of the one of
/// a number. The launch of a kernel, wherever it stands in the document, gives its sizes.
pub fn of_document(
    functions: &[&Body],
    frame: Option<&Body>,
    number: Option<usize>,
) -> Vec<KernelOf> {
    match number {
        Some(number) => from_ops::kernels_of(functions, frame, number),
        None => from_ops::kernels(functions, frame),
    }
}

/// Returns the code of a function of statements, with its own names. `checkpoint` is called between its steps.
pub fn code(
    body: &Body,
    target: Target,
    options: &Options,
    effects: &Arc<EffectTable>,
    checkpoint: Checkpoint<'_>,
) -> KernelCode {
    let options = &Options { effects: effects.clone(), ..options.clone() };
    codegen::device_code_until(body, target, options, checkpoint).map(Arc::from).map_err(Arc::from)
}
