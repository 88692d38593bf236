#![doc = include_str!("../README.md")]

pub mod alias;
pub mod anticipated;
pub mod available;
pub mod certain;
pub mod conditions;
pub mod evaluations;
pub mod flow;
pub mod lattice;
pub mod laws;
pub mod memory;
pub mod point;
pub mod scopes;
pub mod solver;
pub mod sparse;
pub mod values;
