//! Any bytes as a file of Paddle PIR.
#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::Language;

fuzz_target!(|bytes: &[u8]| fuzz::read(Language::Pir, bytes));
