//! Operations that can be replaced by the contents of one of their regions.
//!
//! The names that a region defines become visible in what follows the operation. In: a body. Out: whether a region
//! defines no name that is defined anywhere else, so that nothing is hidden, redefined or reset by that. O(definitions)
//! once, then O(operations of the region's block).

use ir::{BlockId, Body, NameId, OpId, OpKind, arena::Id as _};

/// The number of definitions of each name.
#[derive(Clone, Debug)]
pub struct Openable {
    n_definitions: Vec<u32>,
}

impl Openable {
    /// Counts the names of a body.
    pub fn of(body: &Body) -> Openable {
        let values = body.values.iter().map(|(_, it)| it.name);
        let buffers = body.buffers.iter().map(|(_, it)| it.name);
        let mut n_definitions: Vec<u32> = Vec::new();
        for name in values.chain(buffers) {
            if n_definitions.len() <= name.index() {
                n_definitions.resize(name.index() + 1, 0);
            }
            n_definitions[name.index()] += 1;
        }
        Openable { n_definitions }
    }

    /// Returns true if an operation can be replaced by the contents of one of its regions, as far as names are
    /// concerned.
    pub fn may_open(&self, body: &Body, op: OpId, region: u32) -> bool {
        let Some(&region) = body.ops[op].regions.get(region as usize) else { return false };
        let [block] = body.regions[region].blocks[..] else { return false };
        body.blocks[block].args.is_empty() && self.is_unique_in(body, block)
    }

    /// Returns true if the definitions in a block (without its arguments) have names that nothing else has.
    pub fn is_unique_in(&self, body: &Body, block: BlockId) -> bool {
        body.blocks[block].ops.iter().all(|&it| self.defines_unique(body, it))
    }

    /// Returns true if only one definition has a name.
    pub fn is_unique(&self, name: NameId) -> bool {
        self.n_definitions.get(name.index()) == Some(&1)
    }

    fn defines_unique(&self, body: &Body, op: OpId) -> bool {
        let data = &body.ops[op];
        let buffer = match data.kind {
            OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => Some(buffer),
            _ => None,
        };
        data.results.iter().all(|&it| self.is_unique(body.values[it].name))
            && buffer.is_none_or(|it| self.is_unique(body.buffers[it].name))
    }
}
