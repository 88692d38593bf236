//! Entries of other programs: names and bytes, in the same store and the same layer beyond it.
//!
//! In: names. Out: bytes. A name says all that the bytes depend on: who uses one for other bytes gets the first.

use std::{io, sync::Arc, time::Duration};

use super::layers::Layers;
use crate::artifact::{
    action::Action,
    store::{
        Kind, Read, Store,
        layer::{Layer, LayerReport},
    },
};

/// Entries of other programs.
pub struct Others(Layers);

impl Others {
    /// Those in a store, and in the layer beyond it.
    pub fn new(store: Store, layer: Option<Arc<dyn Layer>>) -> Others {
        Others(Layers::new(store, layer))
    }

    /// Returns the bytes under a name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn get(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(match self.0.read(Kind::Other, &Action::of_other(name))? {
            Read::Found(bytes) => Some(bytes),
            Read::Absent | Read::Corrupt => None,
        })
    }

    /// Keeps bytes under a name.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.write(Kind::Other, &Action::of_other(name), bytes, Duration::ZERO)
    }

    /// Ends the work, with the store below a limit; what the layer did.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn finish(self, limit: u64) -> io::Result<Option<LayerReport>> {
        let report = self.0.finish();
        self.0.store.keep_below(limit, self.0.stored_bytes())?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_under_their_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let others = || Others::new(Store::new(folder.path()), None);
        let first = others();
        assert_eq!(first.get("triton/a/k.cubin").expect("readable"), None);
        first.put("triton/a/k.cubin", b"\0\xffcode").expect("writable");
        first.finish(1 << 20).expect("a count");
        let second = others();
        assert_eq!(second.get("triton/a/k.cubin").expect("readable"), Some(b"\0\xffcode".to_vec()));
        assert_eq!(second.get("triton/b/k.cubin").expect("readable"), None);
        let usage = Store::new(folder.path()).usage().expect("a count");
        assert_eq!((usage.others.entries, usage.all()), (1, usage.others.bytes));
    }
}
