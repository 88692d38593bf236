#![doc = include_str!("../README.md")]

mod analyzer;
mod atoms;
mod bounds;
pub mod canonical;
mod cells;
mod computed;
mod conditions;
mod context;
mod decide;
mod division;
mod held;
mod identity;
mod int_set;
mod interval;
mod linear;
mod memo;
mod modular;
mod persistent;
mod procedure;
mod refine;
pub mod rules;
mod samples;
pub mod simplify;
mod sources;
mod state;
mod summary;
mod system;
mod traps;

pub use analyzer::{Analyzer, Facts, Overflow, Work};
pub use context::{Constraint, ContextId};
pub use int_set::IntSet;
pub use interval::Interval;
pub use modular::Modular;
pub use simplify::Simplifier;
pub use sources::{Lacking, Origin, Source};

#[cfg(test)]
mod tests;
