//! Questions about storage scopes that their texts answer.

use super::Body;
use crate::{MemoryScope, memory_scope};

impl Body {
    /// Returns true for memory of which each thread has its part in registers: TileLang's fragments and variables.
    pub fn is_spread_over_registers(&self, scope: MemoryScope) -> bool {
        matches!(scope, MemoryScope::Other(..)) && memory_scope::is_tile(self.scope_name(scope))
    }

    /// Returns true for a scalar of `T.alloc_var`: each thread has one of its own.
    pub fn is_variable_of_thread(&self, scope: MemoryScope) -> bool {
        matches!(scope, MemoryScope::Other(..)) && memory_scope::is_variable(self.scope_name(scope))
    }
}
