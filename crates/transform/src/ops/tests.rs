//! Tests of plans about operations, on bodies made by hand.

mod build;
mod growth;
mod scoped;
