#![doc = include_str!("../README.md")]

pub mod broken;
pub mod cse;
pub mod findings;
pub mod inline;
pub mod ops;
pub mod passes;
pub mod replace;
pub mod simplify;
pub mod tile_memory;
