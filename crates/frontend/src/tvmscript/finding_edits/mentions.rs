//! The mentions in the text of the names that a function defines.
//!
//! In: a source map. Out: the mentions of each value and buffer, and how often each name is defined; found once for all
//! fixes.

use ir::{BufferId, ValueId};
use rustc_hash::FxHashMap;
use syntax::TextRange;

use crate::tvmscript::{DefinitionId, SourceMap};

#[derive(Default)]
pub(in crate::tvmscript) struct Mentions<'a> {
    n_definitions: FxHashMap<&'a str, u32>,
    of_value: FxHashMap<ValueId, Vec<TextRange>>,
    of_buffer: FxHashMap<BufferId, Vec<TextRange>>,
}

impl<'a> Mentions<'a> {
    pub(super) fn new(map: &'a SourceMap) -> Mentions<'a> {
        let mut mentions = Mentions::default();
        let definitions = map.definitions().iter().enumerate();
        let own = definitions.map(|(index, it)| (it.range, DefinitionId(index as u32)));
        for (range, id) in own.chain(map.mentions().iter().copied()) {
            let definition = map.definition(id);
            if let Some(value) = definition.value {
                mentions.of_value.entry(value).or_default().push(range);
            }
            if let Some(buffer) = definition.buffer {
                mentions.of_buffer.entry(buffer).or_default().push(range);
            }
        }
        for definition in map.definitions() {
            *mentions.n_definitions.entry(&definition.name).or_default() += 1;
        }
        mentions
    }

    /// Returns true if a name is defined once, so that it means the same wherever it is visible.
    pub(in crate::tvmscript) fn is_unique(&self, name: &str) -> bool {
        self.n_definitions.get(name) == Some(&1)
    }

    pub(in crate::tvmscript) fn of_value(&self, value: ValueId) -> &[TextRange] {
        self.of_value.get(&value).map_or(&[], Vec::as_slice)
    }

    pub(super) fn of_buffer(&self, buffer: BufferId) -> &[TextRange] {
        self.of_buffer.get(&buffer).map_or(&[], Vec::as_slice)
    }
}
