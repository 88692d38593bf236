//! Copies of operations with other variables and buffers: for unrolling, and for loops of single statements.
//!
//! In: operations in program order, and expressions for variables from around them. Out: the same operations behind
//! others of a block. Their definitions (variables, buffers) are new in each copy; a call that is no function of its
//! operands is another call in each. O(size of the copy), no recursion.

use ir::{
    Attr, BlockId, Body, BufferId, BufferOrigin, BufferRegion, ExprId, ExprKind, OpId, OpKind,
    RegionDim, ValueId,
};
use rustc_hash::FxHashMap;

use super::{Origins, edit::map_expr, lists::ops_in};

/// Returns true if [`Copier`] can copy the regions of an operation: nothing in them is still to be scheduled, or of
/// another language.
pub(super) fn can_copy(body: &Body, op: OpId) -> bool {
    ops_in(body, op).all(|it| {
        let data = &body.ops[it];
        !matches!(data.kind, OpKind::SBlock(_) | OpKind::Named(_) | OpKind::Opaque(_))
            && data.successors.is_empty()
            && data.regions.iter().all(|&it| body.regions[it].blocks.len() == 1)
    })
}

/// Makes copies of operations: variables and buffers that they define are new ones, others are replaced by the given
/// maps.
#[derive(Default)]
pub(super) struct Copier {
    memo: FxHashMap<ExprId, ExprId>,
    values: FxHashMap<ValueId, ExprId>,
    names: FxHashMap<ValueId, ValueId>,
    buffers: FxHashMap<BufferId, BufferId>,
}

impl Copier {
    /// Copies in which an expression stands for a variable.
    pub(super) fn with(value: ValueId, expr: ExprId) -> Copier {
        let mut copier = Copier::default();
        copier.values.insert(value, expr);
        copier
    }

    /// The same where an expression stands for one more variable.
    pub(super) fn and(mut self, value: ValueId, expr: ExprId) -> Copier {
        self.values.insert(value, expr);
        self
    }

    /// The expression as the copy has it. A call that is no value of its operands is another call in each copy.
    pub(super) fn expr(&mut self, body: &mut Body, expr: ExprId) -> ExprId {
        let (values, buffers) = (&self.values, &self.buffers);
        map_expr(body, expr, &mut self.memo, &mut |body, at| {
            let node = body.expr(at);
            let buffer = |it: BufferId| buffers.get(&it).copied().unwrap_or(it);
            let kind = match node.kind {
                ExprKind::Value(value) => return values.get(&value).copied().unwrap_or(at),
                ExprKind::Load { buffer: it, indices, predicate } => {
                    ExprKind::Load { buffer: buffer(it), indices, predicate }
                }
                ExprKind::Region(it, list) => ExprKind::Region(buffer(it), list),
                ExprKind::Buffer(it) => ExprKind::Buffer(buffer(it)),
                ExprKind::BufferField(it, field) => ExprKind::BufferField(buffer(it), field),
                ExprKind::Call { callee, args, attrs, instance } if instance != 0 => {
                    let args = body.items(args).to_vec();
                    return body.call(callee, &args, attrs, node.ty, true);
                }
                _ => return at,
            };
            body.make(kind, node.ty)
        })
    }

    /// Appends copies of operations to a block. Definitions must come before uses, as they do in program order.
    pub(super) fn append(
        &mut self,
        body: &mut Body,
        ops: &[OpId],
        to: BlockId,
        origins: &mut Origins,
    ) {
        let mut stack: Vec<(OpId, BlockId)> = ops.iter().rev().map(|&it| (it, to)).collect();
        while let Some((op, to)) = stack.pop() {
            let copy = self.op(body, op, to);
            origins.push((copy, op));
            let regions = body.ops[op].regions.to_vec();
            for region in regions.into_iter().rev() {
                let blocks = body.regions[region].blocks.to_vec();
                for block in blocks.into_iter().rev() {
                    let to = self.block(body, copy, block);
                    stack.extend(body.blocks[block].ops.iter().rev().map(|&it| (it, to)));
                }
            }
            // Regions were made last first, so that the first is copied first.
            body.ops[copy].regions.reverse();
            self.thread(body, copy);
        }
    }

    /// Gives a copy a region with the arguments of a block.
    fn block(&mut self, body: &mut Body, copy: OpId, block: BlockId) -> BlockId {
        let region = body.push_region(copy);
        let to = body.entry(region);
        let args = body.blocks[block].args.to_vec();
        for arg in args {
            let data = body.values[arg];
            let name = body.name(data.name).to_owned();
            let new = body.new_block_arg(to, &name, data.ty);
            self.define(body, arg, new);
        }
        to
    }

    fn define(&mut self, body: &mut Body, old: ValueId, new: ValueId) {
        body.values[new].is_size = body.values[old].is_size;
        let expr = body.value_expr(new);
        self.values.insert(old, expr);
        self.names.insert(old, new);
    }

    /// A thread index is named at its launch.
    fn thread(&mut self, body: &mut Body, copy: OpId) {
        if let OpKind::LaunchThread { tag, var } = body.ops[copy].kind
            && let Some(&var) = self.names.get(&var)
        {
            body.ops[copy].kind = OpKind::LaunchThread { tag, var };
        }
    }

    fn op(&mut self, body: &mut Body, op: OpId, to: BlockId) -> OpId {
        let data = body.ops[op].clone();
        let operands: Vec<ExprId> = data.operands.iter().map(|&it| self.expr(body, it)).collect();
        let kind = match data.kind {
            OpKind::Store { buffer, predicated } => {
                OpKind::Store { buffer: self.buffer(buffer), predicated }
            }
            OpKind::Alloc { buffer, kind } => {
                OpKind::Alloc { buffer: self.new_buffer(body, buffer), kind }
            }
            OpKind::DeclBuffer { buffer } => {
                OpKind::DeclBuffer { buffer: self.new_buffer(body, buffer) }
            }
            kind => kind,
        };
        let copy = body.push_op(to, kind, &operands);
        for &result in &data.results {
            let value = body.values[result];
            let name = body.name(value.name).to_owned();
            let new = body.push_result(copy, &name, value.ty);
            self.define(body, result, new);
        }
        let mut dict = body.dict(data.attrs).clone();
        dict.iter_mut().for_each(|it| self.attr(body, &mut it.1));
        body.ops[copy].attrs = body.attr_dict(dict);
        copy
    }

    fn buffer(&self, buffer: BufferId) -> BufferId {
        self.buffers.get(&buffer).copied().unwrap_or(buffer)
    }

    fn new_buffer(&mut self, body: &mut Body, buffer: BufferId) -> BufferId {
        let mut data = body.buffers[buffer].clone();
        data.shape.iter_mut().for_each(|it| *it = self.expr(body, *it));
        data.strides.iter_mut().flatten().for_each(|it| *it = self.expr(body, *it));
        data.elem_offset.iter_mut().for_each(|it| *it = self.expr(body, *it));
        match &mut data.origin {
            BufferOrigin::Match { handle } => *handle = self.expr(body, *handle),
            BufferOrigin::Decl { data } => {
                data.iter_mut().for_each(|it| *it = self.expr(body, *it));
            }
            BufferOrigin::View { source, .. } => *source = self.buffer(*source),
            BufferOrigin::MatchRegion(region) => self.region(body, region),
            BufferOrigin::Param | BufferOrigin::Alloc | BufferOrigin::Cell => {}
        }
        let mut dict = body.dict(data.attrs).clone();
        dict.iter_mut().for_each(|it| self.attr(body, &mut it.1));
        data.attrs = body.attr_dict(dict);
        let new = body.buffers.push(data);
        self.buffers.insert(buffer, new);
        new
    }

    fn region(&mut self, body: &mut Body, region: &mut BufferRegion) {
        region.buffer = self.buffer(region.buffer);
        for dim in &mut region.dims {
            match dim {
                RegionDim::Point(at) => *at = self.expr(body, *at),
                RegionDim::Slice { lower, upper, step } => {
                    let parts = lower.iter_mut().chain(upper).chain(step);
                    parts.for_each(|it| *it = self.expr(body, *it));
                }
            }
        }
    }

    fn attr(&mut self, body: &mut Body, attr: &mut Attr) {
        attr.expressions_mut().for_each(|it| *it = self.expr(body, *it));
    }
}
