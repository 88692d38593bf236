//! Attributes of scopes (`T.attr(node, "key", value)`) whose keys say something to analyses.
//!
//! In: a key. Out: its [`ScopeAttr`]; none for a key that says nothing to them. O(length of the key).

use crate::{Body, OpId, OpKind};

/// The meaning of the attribute of a scope for the code in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScopeAttr {
    /// `async_scope`: stores in it are asynchronous copies.
    AsyncScope,
    /// `async_wait…`: waits for asynchronous copies.
    AsyncWait,
    /// `reduce_scope`: threads reduce values together.
    ReduceScope,
    /// `volatile…`: the memory of its node may change at any moment.
    Volatile,
    /// `kWarpSpecializationScope`, which TileLang writes in half-lowered kernels: a group of threads that the launch
    /// around does not count yet is added for the producer, so the index of a thread may be at or above the extent of
    /// its launch.
    WarpSpecialization,
}

impl ScopeAttr {
    /// The meaning of a key.
    pub fn of_key(key: &str) -> Option<ScopeAttr> {
        Some(match key {
            "async_scope" => ScopeAttr::AsyncScope,
            "reduce_scope" => ScopeAttr::ReduceScope,
            "kWarpSpecializationScope" => ScopeAttr::WarpSpecialization,
            _ if key.starts_with("async_wait") => ScopeAttr::AsyncWait,
            _ if key.contains("volatile") => ScopeAttr::Volatile,
            _ => return None,
        })
    }
}

impl Body {
    /// Returns what an operation says about the scope that it opens, if it is an attribute of one.
    pub fn scope_attr(&self, op: OpId) -> Option<ScopeAttr> {
        match self.ops[op].kind {
            OpKind::Attr(key) => ScopeAttr::of_key(self.name(key)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ScopeAttr;

    #[test]
    fn keys_with_a_meaning_are_told_from_others() {
        for (key, meaning) in [
            ("async_scope", Some(ScopeAttr::AsyncScope)),
            ("async_wait_queue_scope", Some(ScopeAttr::AsyncWait)),
            ("volatile_scope", Some(ScopeAttr::Volatile)),
            ("kWarpSpecializationScope", Some(ScopeAttr::WarpSpecialization)),
            ("pragma_unroll_explicit", None),
        ] {
            assert_eq!(ScopeAttr::of_key(key), meaning, "{key}");
        }
    }
}
