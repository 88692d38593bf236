#![doc = include_str!("../README.md")]

mod added_overflow;
mod analyzer;
mod attained;
pub mod canonical;
mod cells;
mod contexts;
mod deduction;
mod facts;
mod forms;
mod int_set;
mod integers;
mod interval;
mod memo;
mod modular;
mod nodes;
pub mod operations;
mod procedure;
pub mod rules;
mod samples;
pub mod simplify;
mod sources;
mod states;
mod traps;

pub use analyzer::Analyzer;
pub use attained::Attained;
pub use contexts::{Constraint, ContextId};
pub use deduction::Work;
pub use facts::{Facts, Overflow};
pub use int_set::IntSet;
pub use interval::Interval;
pub use modular::Modular;
pub use simplify::Simplifier;
pub use sources::{Lacking, Origin, Source};

#[cfg(test)]
mod tests;
