//! Attacks on the real tool: unreasonable input that occurs in practice. Each class of attack is a module;
//! `tests/README.md` describes the long form, and its results.

mod memory;
mod mlir;
mod outputs;
mod python;
mod server;
