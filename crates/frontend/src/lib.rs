#![doc = include_str!("../README.md")]

mod diagnostic_list;
pub mod language;
pub mod mlir;
pub mod ops;
pub mod pir;
pub mod tvmscript;

pub use self::diagnostic_list::{MAX_DIAGNOSTICS, MORE_DIAGNOSTICS};
