//! The typed tree of MLIR: views of nodes, made by `cargo xtask codegen` from `mlir.ungram`.
//!
//! What holds for all three forms of an operation (generic, pretty, opaque) is asked of [`Operation`]; functions are found by
//! [`File::functions`].

mod ext;
mod generated;

pub use self::{
    ext::{Function, OpName},
    generated::*,
};

use super::{AstChildren, AstNode, support};
