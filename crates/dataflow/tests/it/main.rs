//! The facts of programs given as text, annotated with what is expected at their lines.

mod conditions;
mod definite_init;
mod dominance;
mod growth;
mod laws;
mod liveness;
mod reaching;
mod support;
mod variance;
