//! Tests of the crate as a whole: samples, deep trees, errors, typed nodes.

mod deep;
mod errors;
mod format;
mod incremental;
mod items;
mod items_incremental;
mod items_pairs;
mod samples;
mod typed;
