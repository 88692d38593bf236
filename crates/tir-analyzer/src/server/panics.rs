//! The texts of panics.

use std::any::Any;

/// The text of a panic.
pub(crate) fn message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "unknown panic".to_owned(),
    }
}
