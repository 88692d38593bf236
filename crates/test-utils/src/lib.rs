//! Common support of the tests of several crates: fixtures, annotations, samples, random numbers.
//!
//! - [`Fixture`]: files in one text, with `//- /path` headers, a `$0` cursor or a `$0…$0` range;
//! - [`annotations`]: `# ^^^ label` rows with the expectations about the text above them;
//! - [`Rng`]: random numbers that are the same in every run;
//! - [`Program`]: random programs, which can be made smaller;
//! - [`sample_files`] and [`ir_samples`]: the printed programs below `tests/corpus`, TVMScript and others;
//!   [`python_files`] and [`mlir_files`]: those below any folder;
//! - `stand_in`: a program that stands for a Python with TileLang.
//!
//! A dependency of tests and of `xtask` only. Everything here panics on malformed input: that is a broken test.

mod annotations;
mod fixture;
pub mod operations;
mod programs;
mod rng;
mod samples;
#[cfg(unix)]
pub mod stand_in;

pub use annotations::{Annotation, annotations, render_annotations};
pub use fixture::{
    CURSOR, Fixture, FixtureFile, Marked, extract_cursor, extract_range, trim_indent,
};
pub use programs::{Features, Instance, Operator, Program, Type};
pub use rng::Rng;
pub use samples::{
    Sample, ir_samples, mlir_files, mlir_samples_below, python_files, sample_files, samples_below,
};
