//! Attacks on the real tool: input that nobody should have, and that somebody has. Each class of attack is a
//! module; `tests/README.md` tells how to run the long form, and what it gave.

mod memory;
mod mlir;
mod outputs;
mod python;
mod server;
