//! Pretty operations: attributes, results and regions by the table of forms.

use ir::{BlockId, RegionId, Type};
use parser::SyntaxKind::*;

use super::{
    aliases::Aliases,
    operation::Made,
    reader::{Definition, Frame, Reader},
};

impl Reader<'_> {
    /// A pretty operation from its parts.
    pub(super) fn custom(&mut self, frame: &Frame, _aliases: &Aliases) -> Made {
        let first = self.targets.get(frame.targets).map(|it| it.operands.0 as usize);
        let n_operands = first.unwrap_or(self.operands.len() - frame.operands);
        let mut made = Made { n_operands, ..Made::default() };
        for target in &self.targets[frame.targets..] {
            made.arguments.push((target.operands.0 as usize, target.operands.1 as usize));
        }
        made
    }

    /// The definitions of an operation that become arguments of the region that opens, in the order of the generic form.
    pub(super) fn argument_order(&self, frame: &Frame) -> Vec<usize> {
        (frame.bound..self.definitions.len())
            .filter(|&at| self.definitions[at].context != MLIR_RESULT_LIST)
            .collect()
    }

    /// The type of such an argument: written with it, that of the results, of an operand, or `index`.
    pub(super) fn argument_type(
        &mut self,
        _frame: &Frame,
        definition: &Definition,
        _assigned: usize,
        aliases: &Aliases,
    ) -> Type {
        self.type_at(definition.ty, aliases)
    }

    /// Adds the operation that ends a region where the text leaves it out.
    pub(super) fn implied_terminator(
        &mut self,
        _region: RegionId,
        _block: BlockId,
        _aliases: &Aliases,
    ) {
    }
}
