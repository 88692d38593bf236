//! The facts of programs given as text, annotated with the expected facts at their lines.

mod conditions;
mod definite_init;
mod dominance;
mod growth;
mod laws;
mod liveness;
mod overwritten;
mod reaching;
mod support;
mod variance;
