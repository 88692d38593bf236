//! Tests of the analyzer: by evaluation, by hand, and of growth.

mod against_values;
mod by_hand;
mod growing;
mod growth;
pub(crate) mod random;
pub(crate) mod support;
