//! Storage scopes: in which memory a buffer lies.
//!
//! In: the text of a scope, where a program is read. Out: a [`MemoryScope`], of which code asks what it needs to
//! know. The table below is the only place that compares these texts; [`crate::Body::memory_scope`] reads one,
//! [`crate::Body::scope_name`] writes it as it was. O(length of the text).

use crate::NameId;

/// The storage scope of a buffer or of what a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MemoryScope {
    /// None is written: as [`MemoryScope::Global`].
    Unwritten,
    /// `global`: memory of the device, or of the host. An allocation inside of a kernel is each thread's own.
    Global,
    /// `shared`: memory of a block of threads, of constant size.
    Shared,
    /// `shared.dyn`: memory of a block of threads, whose size the launch says.
    SharedDyn,
    /// `local`: memory of a thread.
    Local,
    /// `warp`: memory of a warp, spread over the registers of its threads.
    Warp,
    /// `wmma.matrix_a`: fragments of the left factor of a product.
    MatrixA,
    /// `wmma.matrix_b`: fragments of the right factor.
    MatrixB,
    /// `wmma.accumulator`: fragments of the result.
    Accumulator,
    /// A scope that is known only where the program runs: a captured Python value.
    Unknown,
    /// Another scope, by its family and its text.
    Other(ScopeFamily, NameId),
}

/// Which threads share the memory of a scope that has no variant of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScopeFamily {
    /// `global.texture` and its kin: everybody.
    Global,
    /// `shared.barrier` and its kin: a block of threads.
    Shared,
    /// Fragments of matrices and registers: a thread.
    Thread,
    /// Not known.
    Unknown,
}

/// The text of an unknown scope, which no program can write.
const UNKNOWN: &str = "?";

/// Each scope with its text.
const NAMES: [(&str, MemoryScope); 10] = [
    ("", MemoryScope::Unwritten),
    ("global", MemoryScope::Global),
    ("shared", MemoryScope::Shared),
    ("shared.dyn", MemoryScope::SharedDyn),
    ("local", MemoryScope::Local),
    ("warp", MemoryScope::Warp),
    ("wmma.matrix_a", MemoryScope::MatrixA),
    ("wmma.matrix_b", MemoryScope::MatrixB),
    ("wmma.accumulator", MemoryScope::Accumulator),
    (UNKNOWN, MemoryScope::Unknown),
];

/// Returns true for the scopes of TileLang whose memory its layouts spread over the registers of threads.
pub(crate) fn is_tile(text: &str) -> bool {
    matches!(text, "local.fragment" | "local.var")
}

/// Returns true for the scope of TileLang's scalars: a variable of each thread.
pub(crate) fn is_variable(text: &str) -> bool {
    text == "local.var"
}

impl MemoryScope {
    /// The scope of a text; the name is that of the text.
    pub(crate) fn of_text(text: &str, name: NameId) -> MemoryScope {
        match NAMES.iter().find(|(it, _)| *it == text) {
            Some(&(_, scope)) => scope,
            None => MemoryScope::Other(ScopeFamily::of_text(text), name),
        }
    }

    /// The text, or the name of it.
    pub(crate) fn text(self) -> Result<&'static str, NameId> {
        match self {
            MemoryScope::Other(_, name) => Err(name),
            known => {
                Ok(NAMES.iter().find(|(_, it)| *it == known).map_or(UNKNOWN, |(text, _)| text))
            }
        }
    }

    /// Memory of the device or of the host, written or not.
    pub fn is_global(self) -> bool {
        matches!(self, MemoryScope::Unwritten | MemoryScope::Global)
    }

    /// Memory that the threads of a block share, of any kind.
    pub fn is_shared(self) -> bool {
        self.is_plain_shared() || matches!(self, MemoryScope::Other(ScopeFamily::Shared, _))
    }

    /// Memory that the threads of a block share and access by loads and stores: `shared` and `shared.dyn`.
    pub fn is_plain_shared(self) -> bool {
        matches!(self, MemoryScope::Shared | MemoryScope::SharedDyn)
    }

    /// Memory of a thread that it accesses by loads and stores.
    pub fn is_local(self) -> bool {
        self == MemoryScope::Local
    }

    /// Fragments of matrices of `wmma`.
    pub fn is_fragment(self) -> bool {
        matches!(self, MemoryScope::MatrixA | MemoryScope::MatrixB | MemoryScope::Accumulator)
    }

    /// Which threads share the memory.
    pub fn family(self) -> ScopeFamily {
        match self {
            MemoryScope::Unwritten | MemoryScope::Global => ScopeFamily::Global,
            MemoryScope::Shared | MemoryScope::SharedDyn => ScopeFamily::Shared,
            MemoryScope::Local
            | MemoryScope::MatrixA
            | MemoryScope::MatrixB
            | MemoryScope::Accumulator => ScopeFamily::Thread,
            MemoryScope::Warp | MemoryScope::Unknown => ScopeFamily::Unknown,
            MemoryScope::Other(family, _) => family,
        }
    }
}

impl ScopeFamily {
    fn of_text(scope: &str) -> ScopeFamily {
        let first = scope.split('.').next().unwrap_or_default();
        match first {
            "" | "global" => ScopeFamily::Global,
            "local" | "wmma" | "m16n8k8" => ScopeFamily::Thread,
            "shared" => ScopeFamily::Shared,
            _ if first.starts_with("shared::") => ScopeFamily::Shared,
            _ if scope == "metal.simdgroup" || scope == "metal.cooperative_tensor" => {
                ScopeFamily::Thread
            }
            _ => ScopeFamily::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Dialect};

    #[test]
    fn scopes_are_read_and_written_as_they_were() {
        let mut body = Body::new("f", Dialect::Tirx);
        let texts = NAMES.map(|it| it.0);
        for text in texts.into_iter().chain(["shared.barrier", "tmem", "global.texture"]) {
            let scope = body.memory_scope(text);
            assert_eq!(body.scope_name(scope), text);
        }
    }

    #[test]
    fn a_scope_that_is_not_written_is_global() {
        let mut body = Body::new("f", Dialect::Tirx);
        assert!(body.memory_scope("").is_global() && body.memory_scope("global").is_global());
        assert!(!body.memory_scope("local").is_global());
    }

    #[test]
    fn other_scopes_have_a_family() {
        let mut body = Body::new("f", Dialect::Tirx);
        let mut family = |text| body.memory_scope(text).family();
        assert_eq!(family("shared.barrier"), ScopeFamily::Shared);
        assert_eq!(family("m16n8k8.matrixC"), ScopeFamily::Thread);
        assert_eq!(family("metal.simdgroup"), ScopeFamily::Thread);
        assert_eq!(family("global.texture"), ScopeFamily::Global);
        assert_eq!(family("warp"), ScopeFamily::Unknown);
        assert!(body.memory_scope("shared.barrier").is_shared());
        assert!(!body.memory_scope("shared.barrier").is_plain_shared());
    }
}
