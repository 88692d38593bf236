//! Text of MLIR and PIR that is deep, long, cut off or odd.

mod effects;
mod text;
