//! Lists of parameters, as the tables of forms have them.

/// Parameters of a form in order. `name=value` has no place in the IR and is taken only with that value, TVM's own if
/// nothing is written; those behind [`NAMED`] are given by name only; [`REST`] takes any number of positions.
pub(super) type Parameters = &'static [&'static str];

pub(super) const NAMED: &str = "*";
pub(super) const REST: &str = "*rest";
