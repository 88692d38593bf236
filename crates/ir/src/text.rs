//! The texts of MLIR's attributes and types, read: tokens, the parts of a type, affine maps.
//!
//! A body keeps attributes and types of MLIR by their canonical text, which the front end writes. Whoever needs what a text says
//! (the front end, the interpreter) asks here, so that it is read in one way.

pub mod affine;
pub mod cursor;
pub mod types;
