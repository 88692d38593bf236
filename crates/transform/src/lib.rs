#![doc = include_str!("../README.md")]

pub mod barriers;
pub mod broken;
pub mod cse;
pub mod findings;
pub mod from_ops;
pub mod inline;
pub mod instructions;
pub mod lower;
pub mod ops;
pub mod passes;
mod replace;
pub mod simplify;
