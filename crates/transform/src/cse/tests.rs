//! Tests of planning and rewriting.

mod build;
mod growth;
