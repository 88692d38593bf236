//! How long a question about all functions of a file goes on: who asks says after each whether there is time for the
//! next. What is left out is counted.

use std::cell::Cell;

/// The time for another function, if there is any. The default has time for all.
#[derive(Default)]
pub struct Pace<'a> {
    goes_on: Option<&'a dyn Fn() -> bool>,
    n_left_out: Cell<usize>,
}

impl<'a> Pace<'a> {
    /// Goes on for as long as this says so. It is asked before each function.
    pub fn new(goes_on: &'a dyn Fn() -> bool) -> Pace<'a> {
        Pace { goes_on: Some(goes_on), n_left_out: Cell::new(0) }
    }

    /// The number of functions that were left out.
    pub fn n_left_out(&self) -> usize {
        self.n_left_out.get()
    }

    /// Returns true if the next function is to be looked at. Once one was left out, the rest are.
    pub(crate) fn takes_next(&self) -> bool {
        let Some(goes_on) = self.goes_on else { return true };
        let takes = self.n_left_out.get() == 0 && goes_on();
        if !takes {
            self.n_left_out.set(self.n_left_out.get() + 1);
        }
        takes
    }
}
