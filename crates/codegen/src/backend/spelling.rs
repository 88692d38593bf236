//! The names of functions of the script in the code of a target, for people who ask.
//!
//! In: the name of an operator and a target. Out: the spelling of the function that the writers use for it. It comes
//! from their tables. O(entries of the tables).

use super::{Backend, c_family, naga};
use crate::{Options, Target};

impl Target {
    /// How this target spells an operator (`exp`) of 32-bit numbers, of a warp or of a block of threads: `expf`. Those
    /// of the languages of naga are in the words of WGSL. None if it lacks it, or if the operator is no function.
    pub fn spelling(self, name: &str) -> Option<String> {
        match self.backend(&Options::default()) {
            Backend::C(dialect) => c_family::spelling(name, &*dialect),
            Backend::Naga(_) => naga::spelling(name),
        }
    }
}
