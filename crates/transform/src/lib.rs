#![doc = include_str!("../README.md")]

pub mod cse;
pub mod findings;
pub mod inline;
mod replace;
