//! The partial evaluator of the Python around the kernels.
//!
//! In: the scopes of a file, a scope, a name. Out: what the name means there: a value, or an unknown with its kind and
//! the reason. Nothing is executed and nothing fails: text is interpreted, and what is not understood, not known or too
//! much work ([`limits`]) is an unknown value.
//!
//! - [`value`]: values; [`function`]: functions and classes as values.
//! - [`session`]: the answer to one question: trees, frames, budget.
//! - `questions`: what is asked of the scopes of a file; each is a session of its own.
//! - `names`: from a name to its definition, through frames, scopes and imports.
//! - `eval`, `exec`: expressions, and the statements of helpers; `lead_up`: those before a kernel in its factory.
//! - `call`, `classes`, `methods`, `builtins`: calls of functions of the text and of Python; `tvm`, `tilelang`: of
//!   theirs on values of Python.
//! - [`operators`], [`format`]: Python's operators and texts on known values.
//!
//! A value is believed only where exactly one statement binds the name ([`super::discover`]); inside a helper that is
//! evaluated, and before a kernel in its factory, statements are interpreted in order. An object that Python can change
//! is believed only while one name has it: a change through another name ends the session ([`session`]).

mod builtins;
mod call;
mod classes;
mod eval;
mod exec;
pub(crate) mod format;
pub mod function;
mod lead_up;
pub mod limits;
mod methods;
mod names;
pub(crate) mod operators;
mod questions;
pub(crate) mod session;
#[cfg(test)]
pub(crate) mod tests;
mod tilelang;
mod tvm;
pub mod value;

pub use function::{Class, Function, Home};
pub use value::{Fields, Items, Kind, Unknown, Value};

pub(crate) use builtins::only_reads;
pub(crate) use eval::places;
pub(crate) use questions::pure;
