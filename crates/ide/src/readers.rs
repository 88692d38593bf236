//! Readers: the snapshots of one generation of the database, and their cancellation.
//!
//! A write to a salsa database blocks until every snapshot is dropped, and a computation that looks at nothing holds
//! its snapshot for as long as it likes. So the host knows its readers: it stops them before it writes, and where one
//! is left it writes to another database ([`crate::AnalysisHost`]).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ir::interrupt::Interrupt;

/// Cancels the requests on one snapshot. Clones stop the same.
#[derive(Clone, Debug)]
pub struct CancellationToken {
    of_queries: db::CancellationToken,
    of_passes: Interrupt,
}

impl CancellationToken {
    pub(crate) fn new(of_queries: db::CancellationToken) -> CancellationToken {
        CancellationToken { of_queries, of_passes: Interrupt::default() }
    }

    /// Cancels running and future requests.
    pub fn cancel(&self) {
        // In this order: whoever waits for a query that the flag ends must see that it was stopped here, not that it
        // panicked.
        self.of_queries.cancel();
        self.of_passes.raise();
    }

    /// Returns true if the request was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.of_passes.is_raised()
    }

    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.of_passes
    }
}

/// The snapshots of a generation.
#[derive(Clone, Default)]
pub(crate) struct Readers(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    by_number: BTreeMap<u64, CancellationToken>,
    n_given: u64,
}

/// A snapshot is there as long as this is.
pub(crate) struct Lease {
    readers: Readers,
    number: u64,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.readers.lock().by_number.remove(&self.number);
    }
}

impl Readers {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a snapshot.
    pub(crate) fn lease(&self, token: CancellationToken) -> Lease {
        let mut table = self.lock();
        table.n_given += 1;
        let number = table.n_given;
        table.by_number.insert(number, token);
        Lease { readers: self.clone(), number }
    }

    /// Stops all.
    pub(crate) fn cancel(&self) {
        self.lock().by_number.values().for_each(CancellationToken::cancel);
    }

    /// Returns true if there are no readers.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().by_number.is_empty()
    }
}
