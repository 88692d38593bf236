//! Tests of the grammar of MLIR.
