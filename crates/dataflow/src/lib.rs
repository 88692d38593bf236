#![doc = include_str!("../README.md")]

pub mod certain;
pub mod scopes;
