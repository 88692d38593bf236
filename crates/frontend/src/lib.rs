#![doc = include_str!("../README.md")]

pub mod mlir;
pub mod ops;
pub mod pir;
pub mod tvmscript;
