#![doc = include_str!("../README.md")]

mod dialects;
pub mod expressions;
pub mod kernels;
pub mod operations;
pub mod passes;

pub use dialects::Dialects;
