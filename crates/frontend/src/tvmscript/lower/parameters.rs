//! Lists of parameters, as the tables of forms have them.

/// Parameters of a form in order. `name=value` has no place in the IR and is taken only with that value, TVM's own if
/// nothing is written; those behind [`NAMED`] are given by name only; [`REST`] takes any number of positions.
pub(super) type Parameters = &'static [&'static str];

pub(super) const NAMED: &str = "*";
pub(super) const REST: &str = "*rest";

/// Declares a table of forms: a function from a name to its parameters, and the list of the names.
macro_rules! forms {
    ($(#[$doc:meta])* $visible:vis fn $find:ident, $NAMES:ident {
        $($($name:literal)|+ => $parameters:expr,)*
    }) => {
        $(#[$doc])*
        $visible fn $find(form: &str) -> Option<Parameters> {
            Some(match form {
                $($($name)|+ => $parameters,)*
                _ => return None,
            })
        }

        /// The names in the table, in its order.
        pub(super) const $NAMES: &[&str] = &[$($($name),+),*];
    };
}
pub(super) use forms;
