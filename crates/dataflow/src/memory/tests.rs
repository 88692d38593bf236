//! Tests of [`super`]: programs in a small language, and random ones against all their paths.

pub(crate) mod fixture;
mod growth;
mod obstacles;
mod paths;
mod versions;
