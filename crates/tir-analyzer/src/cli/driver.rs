//! From a text to plans and edits, a unit at a time: what `fix`, `opt`, `preview`, `report`, `bisect` and `run` share.

pub(crate) mod ops;
pub(crate) mod overlap;
pub(crate) mod unit;
