#![doc = include_str!("../README.md")]

pub mod cse;
pub mod findings;
mod replace;
