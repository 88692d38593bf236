#![doc = include_str!("../README.md")]

pub mod language;
pub mod mlir;
pub mod ops;
pub mod pir;
mod said;
pub mod tvmscript;

pub use self::said::{MAX_DIAGNOSTICS, MORE_DIAGNOSTICS};
