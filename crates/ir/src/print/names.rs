//! Names in a printed function: one visible definition a name.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Body, BufferId, ValueId};

/// Words that Python or the script frame has taken.
const RESERVED: [&str; 41] = [
    "T", "I", "R", "Tx", "cls", "range", "False", "None", "True", "and", "as", "assert", "async",
    "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally",
    "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
    "raise", "return", "try", "while", "with", "yield",
];

/// The names given so far, and which of them are visible.
#[derive(Default)]
pub(super) struct Names {
    values: FxHashMap<ValueId, String>,
    buffers: FxHashMap<BufferId, String>,
    taken: FxHashSet<String>,
    /// Names given in each open scope; they become free when it closes.
    scopes: Vec<Vec<String>>,
}

impl Names {
    pub(super) fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub(super) fn close_scope(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            self.taken.remove(&name);
        }
    }

    /// Makes a name unavailable in the whole function.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// A free name like `wanted`, taken until its scope closes.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        // A part of a tuple may be called `a[0]`.
        let wanted = wanted.strip_suffix(']').unwrap_or(wanted);
        let mut base: String =
            wanted.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            base.insert(0, 'v');
        }
        let is_free = |name: &str, taken: &FxHashSet<String>| {
            !taken.contains(name) && !RESERVED.contains(&name)
        };
        let mut name = base.clone();
        let mut number = 0u32;
        while !is_free(&name, &self.taken) {
            number += 1;
            name = format!("{base}_{number}");
        }
        self.taken.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.clone());
        }
        name
    }

    pub(super) fn define_value(&mut self, value: ValueId, wanted: &str) -> String {
        let name = if self.values.contains_key(&value)
            || (self.taken.contains(wanted) && self.scopes.is_empty())
        {
            // A captured name is reserved under the very name it has.
            wanted.to_owned()
        } else {
            self.fresh(wanted)
        };
        self.values.insert(value, name.clone());
        name
    }

    /// Returns true if a value has a name.
    pub(super) fn has_value(&self, value: ValueId) -> bool {
        self.values.contains_key(&value)
    }

    /// Another name for a value, like `wanted`, in the whole function.
    pub(super) fn rename(&mut self, value: ValueId, wanted: &str) -> String {
        self.reserve(wanted);
        let name = self.fresh(wanted);
        self.values.insert(value, name.clone());
        name
    }

    pub(super) fn define_buffer(&mut self, buffer: BufferId, wanted: &str) -> String {
        let name = self.fresh(wanted);
        self.buffers.insert(buffer, name.clone());
        name
    }

    /// The name of a value; one that was never defined here (a partial print) keeps its own.
    pub(super) fn value(&self, body: &Body, value: ValueId) -> String {
        self.values
            .get(&value)
            .cloned()
            .unwrap_or_else(|| body.name(body.values[value].name).to_owned())
    }

    pub(super) fn buffer(&self, body: &Body, buffer: BufferId) -> String {
        self.buffers
            .get(&buffer)
            .cloned()
            .unwrap_or_else(|| body.name(body.buffers[buffer].name).to_owned())
    }
}
