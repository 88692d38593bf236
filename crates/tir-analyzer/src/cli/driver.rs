//! The steps of [`pipeline`] over the units of a text, one unit at a time, until nothing is left to do. They are shared
//! by `fix`, `opt`, `preview`, `report`, `bisect` and `run`.

pub(crate) mod ops;
pub(crate) mod overlap;
pub(crate) mod unit;
