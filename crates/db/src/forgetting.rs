//! How much of what is computed is kept.
//!
//! A server keeps all that it computed of a function: it is asked again. Who asks once, and for a whole file, would
//! hold the intermediate results of thousands of functions that are each looked at once. Between two of them it lets go
//! of what it has seen. What is forgotten is computed anew when somebody asks, so answers do not depend on it.
//!
//! The queries that take part say `lru = 0`: they keep everything until [`RootDatabase::keep_few`].

use salsa::Database as _;

use crate::{RootDatabase, SourceFile, edits, finding, lowering, planning, source_facts};

/// So many results of each query are kept.
pub const FEW: usize = 32;

impl RootDatabase {
    /// From now on, [`RootDatabase::forget`] leaves no more than [`FEW`] results of each query about units.
    pub fn keep_few(&mut self) {
        let all = [edits::keep, finding::keep, lowering::keep, planning::keep, source_facts::keep];
        for keep in all {
            keep(self, FEW);
        }
    }

    /// Forgets what is kept beyond that, and what earlier versions of a file looked like.
    pub fn forget(&mut self, file: SourceFile) {
        self.history.forget(file);
        self.trigger_lru_eviction();
    }
}
