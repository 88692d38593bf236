//! The typed tree of MLIR: views of nodes, made by `cargo xtask codegen` from `mlir.ungram`.
//!
//! [`Operation`] has the properties that all three forms of an operation (generic, pretty, opaque) share;
//! [`File::functions`] finds functions.

mod ext;
mod generated;

pub use self::{
    ext::{Function, OpName},
    generated::*,
};

use super::{AstChildren, AstNode, support};
