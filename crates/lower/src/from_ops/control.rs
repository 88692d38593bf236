//! Structured control flow: loops and conditions of `scf` as statements.
//!
//! A loop-carried value, or the result of a condition, is an element of local memory: written where it is yielded, read
//! where it becomes a value. If the step of a loop is not one, it counts from zero by ones, so that it needs no
//! constant step; `scf` promises that nothing in it overflows.

use ir::{
    AllocKind, BinaryOp, BlockId, Buffer, BufferId, BufferOrigin, DataType, ExprId, ExprKind,
    ForKind, MemoryScope, OpId, OpKind, RegionId, ValueId,
};

use super::{
    convert::{Converted, Converter, Known, branches},
    text,
};
use crate::edit::folded;

impl Converter<'_> {
    pub(super) fn control(&mut self, op: OpId, name: &str) -> Converted<()> {
        match name {
            "for" => self.for_loop(op),
            "if" => self.condition(op),
            "while" => self.while_loop(op),
            "parallel" => self.parallel(op),
            // What they hand over is taken by the operation around them.
            "yield" | "condition" => Ok(()),
            "reduce" if self.from.ops[op].operands.is_empty() => Ok(()),
            _ => Err(self.unknown(op)),
        }
    }

    fn region(&self, op: OpId, at: usize) -> Option<RegionId> {
        let region = *self.from.ops[op].regions.get(at)?;
        (!self.from.regions[region].blocks.is_empty()).then_some(region)
    }

    fn block(&self, op: OpId, at: usize) -> Converted<(RegionId, BlockId)> {
        let region = self.region(op, at).ok_or_else(|| self.unknown(op))?;
        match self.from.regions[region].blocks.as_slice() {
            &[block] => Ok((region, block)),
            _ => Err(branches(self.from, region)),
        }
    }

    /// One element of local memory for each value.
    fn cells(&mut self, values: &[ValueId]) -> Converted<Vec<BufferId>> {
        let mut cells = Vec::new();
        for &value in values {
            let dtype = self.scalar(value)?;
            let name = self.body.intern(&format!("{}_cell", self.name(value)));
            let one = self.body.int(1, DataType::INT32);
            let buffer = self.body.buffers.push(Buffer {
                name,
                dtype,
                shape: vec![one],
                strides: None,
                elem_offset: None,
                scope: MemoryScope::Local,
                origin: BufferOrigin::Alloc,
                attrs: ir::Body::no_attrs(),
            });
            self.push(OpKind::Alloc { buffer, kind: AllocKind::Flat }, &[one]);
            cells.push(buffer);
        }
        Ok(cells)
    }

    fn store_cells(&mut self, cells: &[BufferId], values: &[ExprId]) {
        let zero = self.body.int(0, DataType::INT32);
        for (&buffer, &value) in cells.iter().zip(values) {
            self.push(OpKind::Store { buffer, predicated: false }, &[value, zero]);
        }
    }

    /// The values that cells hold now.
    fn read_cells(&mut self, cells: &[BufferId], values: &[ValueId]) {
        let zero = self.body.int(0, DataType::INT32);
        for (&buffer, &value) in cells.iter().zip(values) {
            if self.is_used(value) {
                let load = self.body.load(buffer, &[zero], None);
                self.bind(value, load);
            }
        }
    }

    /// Stores the yielded values of the terminator of a block.
    fn yielded(&mut self, block: BlockId, first: usize, cells: &[BufferId]) -> Converted<()> {
        let Some(&op) = self.from.blocks[block].ops.last() else { return Ok(()) };
        let values = self.exprs(op, first)?;
        if values.len() != cells.len() {
            return Err(self.unknown(op));
        }
        self.store_cells(cells, &values);
        Ok(())
    }

    /// Does something where the statements of a block go.
    fn at_block<T>(
        &mut self,
        block: BlockId,
        run: impl FnOnce(&mut Self) -> Converted<T>,
    ) -> Converted<T> {
        let before = std::mem::replace(&mut self.at, block);
        let res = run(self);
        self.at = before;
        res
    }

    fn for_loop(&mut self, op: OpId) -> Converted<()> {
        let (lower, upper, step) = (self.expr(op, 0)?, self.expr(op, 1)?, self.expr(op, 2)?);
        if text::attr(self.from, op, "unsignedCmp").is_some() {
            return Err(self.unknown(op));
        }
        let inits = self.exprs(op, 3)?;
        let results = self.from.ops[op].results.to_vec();
        let (region, block) = self.block(op, 0)?;
        let args = self.from.blocks[block].args.to_vec();
        let Some((&variable, carried)) = args.split_first() else { return Err(self.unknown(op)) };
        let cells = self.cells(carried)?;
        self.store_cells(&cells, &inits);
        let inner = self.loop_from(variable, lower, upper, step)?;
        self.at_block(inner, |it| {
            it.read_cells(&cells, carried);
            it.inside(inner, region)?;
            it.yielded(block, 0, &cells)
        })?;
        self.read_cells(&cells, &results);
        Ok(())
    }

    /// A loop; the block that it repeats.
    fn loop_from(
        &mut self,
        variable: ValueId,
        lower: ExprId,
        upper: ExprId,
        step: ExprId,
    ) -> Converted<BlockId> {
        let dtype = self.scalar(variable)?;
        let length = folded(&mut self.body, BinaryOp::Sub, upper, lower);
        let is_plain = self.body.expr(step).kind == ExprKind::Int(1);
        let (first, extent) = if is_plain {
            (lower, length)
        } else {
            // Rounded up: a length below zero gives no iteration.
            let one = self.body.int(1, dtype);
            let rest = folded(&mut self.body, BinaryOp::Sub, step, one);
            let sum = folded(&mut self.body, BinaryOp::Add, length, rest);
            (self.body.int(0, dtype), folded(&mut self.body, BinaryOp::FloorDiv, sum, step))
        };
        let op = self.push(OpKind::For(ForKind::Serial), &[first, extent]);
        let region = self.body.push_region(op);
        let block = self.body.entry(region);
        let name = self.name(variable);
        let counter = self.body.new_block_arg(block, &name, dtype.into());
        let counter = self.body.value_expr(counter);
        if is_plain {
            self.set(variable, Known::Expr(counter));
        } else {
            self.at_block(block, |it| {
                let distance = folded(&mut it.body, BinaryOp::Mul, counter, step);
                let at = folded(&mut it.body, BinaryOp::Add, lower, distance);
                it.bind(variable, at);
                Ok(())
            })?;
        }
        Ok(block)
    }

    /// Iterations may run in any order, so they run in theirs.
    fn parallel(&mut self, op: OpId) -> Converted<()> {
        let (region, block) = self.block(op, 0)?;
        let variables = self.from.blocks[block].args.to_vec();
        let n = variables.len();
        if self.from.ops[op].operands.len() != 3 * n || !self.from.ops[op].results.is_empty() {
            return Err(self.unknown(op));
        }
        let before = self.at;
        for (at, &variable) in variables.iter().enumerate() {
            let (lower, upper) = (self.expr(op, at)?, self.expr(op, n + at)?);
            let step = self.expr(op, 2 * n + at)?;
            self.at = self.loop_from(variable, lower, upper, step)?;
        }
        let res = self.inside(self.at, region);
        self.at = before;
        res
    }

    fn condition(&mut self, op: OpId) -> Converted<()> {
        let condition = self.expr(op, 0)?;
        let results = self.from.ops[op].results.to_vec();
        let cells = self.cells(&results)?;
        let branch = self.push(OpKind::If, &[condition]);
        for at in 0..2 {
            let Some(region) = self.region(op, at) else { continue };
            let (_, block) = self.block(op, at)?;
            let inner = self.body.push_region(branch);
            let inner = self.body.entry(inner);
            self.inside(inner, region)?;
            self.at_block(inner, |it| it.yielded(block, 0, &cells))?;
        }
        self.read_cells(&cells, &results);
        Ok(())
    }

    /// The region with the condition runs once more than the other: it is in the loop, which tests its result.
    fn while_loop(&mut self, op: OpId) -> Converted<()> {
        let inits = self.exprs(op, 0)?;
        let results = self.from.ops[op].results.to_vec();
        let (before, before_block) = self.block(op, 0)?;
        let (after, after_block) = self.block(op, 1)?;
        let carried = self.from.blocks[before_block].args.to_vec();
        let handed = self.from.blocks[after_block].args.to_vec();
        let Some(&decision) = self.from.blocks[before_block].ops.last() else {
            return Err(self.unknown(op));
        };
        let (cells, out) = (self.cells(&carried)?, self.cells(&results)?);
        let goes_on = self.cells(&[self.operand(decision, 0)?])?;
        let zero = self.body.int(0, DataType::INT32);
        let truth = self.body.int(1, DataType::BOOL);
        self.store_cells(&cells, &inits);
        self.store_cells(&goes_on, &[truth]);
        let asked = self.body.load(goes_on[0], &[zero], None);
        let repeated = self.push(OpKind::While, &[asked]);
        let inner = self.body.push_region(repeated);
        let inner = self.body.entry(inner);
        self.at_block(inner, |it| {
            it.read_cells(&cells, &carried);
            it.inside(inner, before)?;
            let condition = it.expr(decision, 0)?;
            it.store_cells(&goes_on, &[condition]);
            it.yielded(before_block, 1, &out)?;
            let asked = it.body.load(goes_on[0], &[zero], None);
            let branch = it.push(OpKind::If, &[asked]);
            let then = it.body.push_region(branch);
            let then = it.body.entry(then);
            it.at_block(then, |it| {
                it.read_cells(&out, &handed);
                it.inside(then, after)?;
                it.yielded(after_block, 0, &cells)
            })
        })?;
        self.read_cells(&out, &results);
        Ok(())
    }
}
