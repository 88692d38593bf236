#![doc = include_str!("../README.md")]

#[cfg(target_arch = "wasm32")]
mod abi;
mod answer;
mod offsets;
mod request;
mod session;
#[cfg(test)]
mod tests;

pub use crate::session::Session;
