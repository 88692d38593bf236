//! The `tir-analyzer` binary: language server and command line.

fn main() {}
