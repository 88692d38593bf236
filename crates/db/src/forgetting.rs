//! Eviction: the limits on the memory for computed results.
//!
//! A server keeps what is told of each function, as it is told: it is asked again. How a function of statements was
//! read and planned it keeps of 128 functions, those that were asked about last (`lru = 128`): that takes many times
//! the text. Results beyond go with the next change, or earlier where the owner has time
//! ([`RootDatabase::let_go`]).
//!
//! A caller that queries a whole file once would hold what is told of thousands of functions, each used once. Between
//! two of them it releases the results so far: the queries that say `lru = 0` keep everything until
//! [`RootDatabase::keep_few`]. A dropped result is computed anew on demand, so answers do not depend on it.

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

    /// Drops results beyond the limits. Waits for snapshots: for who has none.
    pub fn let_go(&mut self) {
        self.trigger_lru_eviction();
    }

    /// Drops results beyond the limits, and the earlier versions of a file.
    pub fn forget(&mut self, file: SourceFile) {
        self.history.forget(file);
        self.trigger_lru_eviction();
    }
}
