//! Edits of a file in any of the languages.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fuzz::reparse(bytes));
