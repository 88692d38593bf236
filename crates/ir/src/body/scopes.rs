//! Questions about storage scopes that their texts answer.

use super::Body;
use crate::{MemoryScope, memory_scope};

impl Body {
    /// Returns true for memory of which each thread has its part in registers: TileLang's fragments and variables.
    pub fn is_spread_over_registers(&self, scope: MemoryScope) -> bool {
        matches!(scope, MemoryScope::Other(..)) && memory_scope::is_tile(self.scope_name(scope))
    }
}
