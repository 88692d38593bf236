//! Eviction: the limits on the memory for computed results.
//!
//! A server keeps all that it computed of a function: it is asked again. A caller that queries a whole file once would
//! hold the intermediate results of thousands of functions that are each used once. Between two of them it releases the
//! results so far. A dropped result is computed anew on demand, so answers do not depend on it.
//!
//! The queries that take part say `lru = 0`: they keep everything until [`RootDatabase::keep_few`].

use salsa::Database as _;

use crate::{
    RootDatabase, SourceFile, edits, finding, function_texts, lowering, planning, source_facts,
};

/// The number of kept results of each query.
pub const FEW: usize = 32;

impl RootDatabase {
    /// From now on, [`RootDatabase::forget`] leaves no more than [`FEW`] results of each query about units.
    pub fn keep_few(&mut self) {
        let all = [
            edits::keep,
            finding::keep,
            function_texts::keep,
            lowering::keep,
            planning::keep,
            source_facts::keep,
        ];
        for keep in all {
            keep(self, FEW);
        }
    }

    /// Drops results beyond the limits, and the earlier versions of a file.
    pub fn forget(&mut self, file: SourceFile) {
        self.history.forget(file);
        self.trigger_lru_eviction();
    }
}
