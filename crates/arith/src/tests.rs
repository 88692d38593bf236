//! Tests of the analyzer: by evaluation, by hand, and of growth.

mod against_values;
mod by_hand;
mod campaign;
mod dynamic;
mod growing;
mod growth;
pub(crate) mod random;
mod samples;
mod shapes;
mod sources;
pub(crate) mod support;
