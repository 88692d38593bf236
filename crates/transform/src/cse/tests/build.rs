//! Bodies made by hand, for shapes that text cannot have or that are long.

use ir::{
    BinaryOp, BlockId, Body, Buffer, BufferId, BufferOrigin, DataType, Dialect, ExprId, ExprKind,
    ForKind, OpKind, Param, Type, ValueKind,
};

/// A function `f(A: T.Buffer((1024,), "int32"), x: T.int32, y: T.int32)`.
pub(crate) struct Build {
    pub(crate) body: Body,
    pub(crate) buffer: BufferId,
    pub(crate) x: ExprId,
    pub(crate) y: ExprId,
    pub(crate) block: BlockId,
}

impl Build {
    pub(crate) fn new() -> Build {
        let mut body = Body::new("f", Dialect::Tirx);
        let scope = body.memory_scope("global");
        let name = body.intern("A");
        let extent = body.make(ExprKind::Int(1024), DataType::INT32.into());
        let buffer = body.buffers.push(Buffer {
            name,
            dtype: DataType::INT32,
            shape: vec![extent],
            strides: None,
            elem_offset: None,
            scope,
            origin: BufferOrigin::Param,
            attrs: Body::no_attrs(),
        });
        let handle = body.new_value("A", DataType::HANDLE.into(), ValueKind::Param(0));
        body.params.push(Param { value: handle, buffer: Some(buffer) });
        let ty: Type = DataType::INT32.into();
        let mut scalar = |name: &str, index: u32| {
            let value = body.new_value(name, ty, ValueKind::Param(index));
            body.params.push(Param { value, buffer: None });
            body.make(ExprKind::Value(value), ty)
        };
        let (x, y) = (scalar("x", 1), scalar("y", 2));
        let block = body.entry(body.root);
        Build { body, buffer, x, y, block }
    }

    pub(crate) fn int(&mut self, value: i64) -> ExprId {
        self.body.make(ExprKind::Int(value), DataType::INT32.into())
    }
    pub(crate) fn op(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.body.binary(op, lhs, rhs)
    }
    pub(crate) fn add(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.op(BinaryOp::Add, lhs, rhs)
    }
    pub(crate) fn mul(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.op(BinaryOp::Mul, lhs, rhs)
    }
    pub(crate) fn load(&mut self, index: ExprId) -> ExprId {
        self.body.load(self.buffer, &[index], None)
    }
    /// `T.Let(inner, where={v: value})`; [`Build::bound`] is `v` in `inner`.
    pub(crate) fn bind_in(&mut self, value: ExprId, inner: ExprId) -> ExprId {
        let ty = self.body.ty(inner);
        self.body.make(ExprKind::Let { value, body: inner }, ty)
    }
    pub(crate) fn bound(&mut self) -> ExprId {
        self.body.make(ExprKind::Bound(0), DataType::INT32.into())
    }
    /// `A[index] = value`
    pub(crate) fn store(&mut self, index: ExprId, value: ExprId) {
        let kind = OpKind::Store { buffer: self.buffer, predicated: false };
        self.body.push_op(self.block, kind, &[value, index]);
    }
    /// Enters the arm of a new `if`; statements go there from now on.
    pub(crate) fn enter_if(&mut self, condition: ExprId) -> BlockId {
        let outside = self.block;
        let op = self.body.push_op(self.block, OpKind::If, &[condition]);
        let region = self.body.push_region(op);
        self.block = self.body.entry(region);
        outside
    }
    /// Enters the body of a new serial loop; statements go there from now on.
    pub(crate) fn enter_for(&mut self, extent: ExprId) -> BlockId {
        let outside = self.block;
        let zero = self.int(0);
        let op = self.body.push_op(self.block, OpKind::For(ForKind::Serial), &[zero, extent]);
        let region = self.body.push_region(op);
        self.block = self.body.entry(region);
        self.body.new_block_arg(self.block, "i", DataType::INT32.into());
        outside
    }
}
