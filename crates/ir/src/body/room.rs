//! Room in the tables of a body for what will be made: a table that doubles is copied, and its old place was touched
//! for nothing. Memory that is not written to is not there.

use super::Body;

impl Body {
    /// Makes room for as many operations and values more, and a use of each value.
    pub fn reserve(&mut self, n_ops: usize, n_values: usize) {
        self.ops.reserve(n_ops);
        self.values.reserve(n_values);
        self.exprs.reserve(n_values);
    }
}
