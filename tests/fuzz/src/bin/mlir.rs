//! Any bytes as a file of MLIR.
#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::Language;

fuzz_target!(|bytes: &[u8]| fuzz::read(Language::Mlir, bytes));
