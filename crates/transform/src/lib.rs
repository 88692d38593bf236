#![doc = include_str!("../README.md")]

pub mod cse;
pub mod findings;
pub mod inline;
pub mod passes;
pub mod ops;
mod replace;
pub mod simplify;
