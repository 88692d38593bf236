//! Dialects as data: for each one file with its operations, their parts by name, traits, effects and assembly format.
//!
//! In: a file in the notation of this crate. Out: a [`Dialect`], from which `parser` takes the forms and `ir` the rows
//! of the effects table. The dialects of the product are the files of two folders:
//!
//! * `dialects/NAME.toml`: **definitions**, made from those of their projects by `tir-analyzer dialect import`;
//! * `overlays/NAME.toml`: rows of ours over them, for forms that are read by code, and for effects that a definition
//!   does not state or gets wrong. An overlay row replaces the definition's effects, or its form, and gives its
//!   `reason`.
//!
//! The build script makes one compact table of them ([`shipped`]).

mod derive;
pub mod file;
pub mod names;
mod row;
pub mod shipped;
#[cfg(test)]
mod tests;
mod write;

pub use self::{
    derive::effect_fields,
    row::{Dialect, Mark, Parts, Row},
    write::write,
};
