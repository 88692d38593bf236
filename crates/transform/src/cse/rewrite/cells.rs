//! Scalars that hold partially redundant values, as operations.
//!
//! In: the plan's applied scalars, and the names that their values are written with. Out: for each an allocation, a
//! store at each of its places, and a load for the occurrences that become it. An arm that is not there is made. Linear
//! in the stores and their values.

use ir::{
    AllocKind, Body, Buffer, BufferId, BufferOrigin, DataType, ExprId, MemoryScope, OpId, OpKind,
    Operation, Type,
    plan::{CellPlace, CseCell, CsePlan},
};
use rustc_hash::FxHashMap;

use super::Rewriter;

/// Operations to insert for scalars.
#[derive(Default)]
pub(super) struct CellOps {
    /// The load of each, by its number in the plan.
    pub(super) loads: FxHashMap<usize, ExprId>,
    /// Operations, each with the operations right before it, after the bindings there.
    pub(super) before: Vec<(OpId, OpId)>,
    /// The operations at the end of an arm, in order.
    pub(super) at_end: Vec<(OpId, u32, OpId)>,
}

impl Rewriter<'_> {
    /// Makes the operations of all scalars; the bindings are made.
    pub(super) fn make_cells(&mut self, plan: &CsePlan) {
        let mut made = CellOps::default();
        for (number, cell) in plan.inserted() {
            let Type::Prim(dtype) = self.body.ty(cell.expr) else { continue };
            self.make_cell(plan, cell, number, dtype, &mut made);
        }
        self.cells = made;
    }

    fn make_cell(
        &mut self,
        plan: &CsePlan,
        cell: &CseCell,
        number: usize,
        dtype: DataType,
        made: &mut CellOps,
    ) {
        let (zero, one) = (self.body.int(0, DataType::INT32), self.body.int(1, DataType::INT32));
        let buffer = self.buffer(cell, dtype, one);
        made.loads.insert(number, self.body.load(buffer, &[zero], None));
        let alloc = OpKind::Alloc { buffer, kind: AllocKind::Flat };
        let alloc = self.detached(alloc, &[one], cell.before);
        made.before.push((cell.before, alloc));
        for store in &cell.stores {
            let mut memo = self.substitution(plan, &store.uses, &store.reuses);
            let value = self.rebuild(cell.expr, &mut memo);
            let kind = OpKind::Store { buffer, predicated: false };
            match store.at {
                CellPlace::Before(op) => {
                    let store = self.detached(kind, &[value, zero], op);
                    made.before.push((op, store));
                }
                CellPlace::EndOfArm { branch, arm } => {
                    let store = self.detached(kind, &[value, zero], branch);
                    made.at_end.push((branch, arm, store));
                }
            }
        }
    }

    fn buffer(&mut self, cell: &CseCell, dtype: DataType, one: ExprId) -> BufferId {
        let body = &mut self.body;
        let buffer = Buffer {
            name: body.intern(&cell.name),
            dtype,
            shape: vec![one],
            strides: None,
            elem_offset: None,
            scope: MemoryScope::Local,
            origin: BufferOrigin::Cell,
            attrs: Body::no_attrs(),
        };
        body.buffers.push(buffer)
    }

    /// An operation that no list has yet, for the list of another one.
    fn detached(&mut self, kind: OpKind, operands: &[ExprId], beside: OpId) -> OpId {
        let parent = self.body.ops[beside].parent;
        self.body.ops.push(Operation {
            kind,
            operands: operands.into(),
            results: Default::default(),
            regions: Default::default(),
            successors: Default::default(),
            attrs: Body::no_attrs(),
            parent,
        })
    }

    /// Inserts the operations at the ends of arms.
    pub(super) fn end_arms(&mut self) {
        for (branch, arm, op) in std::mem::take(&mut self.cells.at_end) {
            let region = match self.body.ops[branch].regions.get(arm as usize) {
                Some(&region) => region,
                None => self.body.push_region(branch),
            };
            let block = self.body.entry(region);
            self.body.ops[op].parent = block;
            self.body.blocks[block].ops.push(op);
        }
    }
}
