//! Names in the logic, and which values have one without a statement that defines them.

use ir::{Body, OpKind, ValueId, ValueKind, arena::Id as _};

use crate::memory::ClassId;

/// How the name of a function begins that is the same for exchanged operands.
pub(crate) const COMMUTES: &str = "~";

/// The name that memory has before anything is written to it.
pub(crate) fn initial_memory(class: ClassId) -> String {
    format!("memory {}", class.index())
}

/// The name that a parameter or symbol has in the logic.
pub(crate) fn variable_name(body: &Body, id: ValueId) -> String {
    format!("{} {}", body.name(body.values[id].name), id.index())
}

/// Returns true if a value is defined outside of the statements: it needs no statement to have one.
pub(crate) fn is_given(kind: ValueKind, body: &Body) -> bool {
    match kind {
        ValueKind::Param(_) | ValueKind::Symbol | ValueKind::Captured => true,
        ValueKind::BlockArg(..) => false,
        ValueKind::Result(op, _) => {
            matches!(body.ops[op].kind, OpKind::EnvThread(_) | OpKind::Opaque(_))
        }
    }
}
