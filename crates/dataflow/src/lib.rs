#![doc = include_str!("../README.md")]

pub mod alias;
pub mod certain;
pub mod memory;
pub mod scopes;
pub mod values;
