//! The texts of MLIR's attributes and types, read: tokens, the parts of a type, affine maps.
//!
//! A body keeps attributes and types of MLIR by their canonical text, which the front end writes. All readers of these
//! texts (the front end, the interpreter) use this module, so that they agree.

pub mod affine;
pub mod cursor;
pub mod types;
