//! Bodies for tests, made by hand.

use ir::{
    AllocKind, BinaryOp, BlockId, Body, Buffer, BufferId, BufferOrigin, DataType, Dialect, ExprId,
    ExprKind, ForKind, OpId, OpKind, Param, Type, ValueId, ValueKind,
};

/// Builds one function.
pub(crate) struct Builder {
    pub(crate) body: Body,
    pub(crate) block: BlockId,
}

impl Builder {
    pub(crate) fn new(name: &str) -> Builder {
        let mut body = Body::new(name, Dialect::Tirx);
        body.attrs.push(("tirx.noalias".into(), ir::Attr::Bool(true)));
        let block = body.entry(body.root);
        Builder { body, block }
    }
    pub(crate) fn int(&mut self, value: i64) -> ExprId {
        self.body.int(value.into(), DataType::INT32)
    }
    pub(crate) fn f32(&mut self, value: f64) -> ExprId {
        self.body.float(value, DataType::FLOAT32)
    }
    pub(crate) fn symbol(&mut self, name: &str) -> ExprId {
        let value = self.body.new_value(name, DataType::INT64.into(), ValueKind::Symbol);
        self.body.values[value].is_size = true;
        self.body.value_expr(value)
    }
    fn buffer(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[ExprId],
        scope: &str,
        origin: BufferOrigin,
    ) -> BufferId {
        let (name, scope) = (self.body.intern(name), self.body.memory_scope(scope));
        self.body.buffers.push(Buffer {
            name,
            dtype: DataType::parse(dtype).expect("a dtype"),
            shape: shape.to_vec(),
            strides: None,
            elem_offset: None,
            scope,
            origin,
            attrs: Body::no_attrs(),
        })
    }
    pub(crate) fn param(&mut self, name: &str, dtype: &str, shape: &[ExprId]) -> BufferId {
        let index = self.body.params.len() as u32;
        let value = self.body.new_value(name, DataType::HANDLE.into(), ValueKind::Param(index));
        let buffer = self.buffer(name, dtype, shape, "global", BufferOrigin::Param);
        self.body.params.push(Param { value, buffer: Some(buffer) });
        buffer
    }
    pub(crate) fn alloc(&mut self, name: &str, dtype: &str, len: i64, scope: &str) -> BufferId {
        let extent = self.int(len);
        let buffer = self.buffer(name, dtype, &[extent], scope, BufferOrigin::Alloc);
        let kind = OpKind::Alloc { buffer, kind: AllocKind::Flat };
        self.body.push_op(self.block, kind, &[extent]);
        buffer
    }
    /// Everything after it is inside the launch.
    pub(crate) fn launch(&mut self, tag: &str, name: &str, extent: ExprId) -> ExprId {
        let tag = self.body.thread_tag(tag);
        let ty = self.body.ty(extent);
        let placeholder = ir::arena::Id::new(0);
        let op = self.body.push_op(
            self.block,
            OpKind::LaunchThread { tag, var: placeholder },
            &[extent],
        );
        let region = self.body.push_region(op);
        self.block = self.body.entry(region);
        let var: ValueId = self.body.new_block_arg(self.block, name, ty);
        self.body.ops[op].kind = OpKind::LaunchThread { tag, var };
        self.body.value_expr(var)
    }
    pub(crate) fn load(&mut self, buffer: BufferId, index: ExprId) -> ExprId {
        self.body.load(buffer, &[index], None)
    }
    pub(crate) fn store(&mut self, buffer: BufferId, index: ExprId, value: ExprId) -> OpId {
        self.body.push_op(self.block, OpKind::Store { buffer, predicated: false }, &[value, index])
    }
    pub(crate) fn bin(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.body.binary(op, a, b)
    }
    pub(crate) fn call(&mut self, name: &str, args: &[ExprId], ty: DataType) -> ExprId {
        let callee = self.body.operator(name);
        self.body.call(callee, args, Body::no_attrs(), ty.into(), false)
    }
    /// `if condition:` around the result of `inside`.
    pub(crate) fn when(&mut self, condition: ExprId, inside: impl FnOnce(&mut Builder)) {
        let op = self.body.push_op(self.block, OpKind::If, &[condition]);
        self.nested(op, inside);
    }
    /// `for name in range(extent):` around the result of `inside`.
    pub(crate) fn repeat(
        &mut self,
        name: &str,
        extent: ExprId,
        inside: impl FnOnce(&mut Builder, ExprId),
    ) {
        let ty = self.body.ty(extent);
        let zero = self.body.int(0, ty.prim().expect("an integer"));
        let op = self.body.push_op(self.block, OpKind::For(ForKind::Serial), &[zero, extent]);
        let region = self.body.push_region(op);
        let outer = std::mem::replace(&mut self.block, self.body.entry(region));
        let var = self.body.new_block_arg(self.block, name, ty);
        let var = self.body.value_expr(var);
        inside(self, var);
        self.block = outer;
    }
    fn nested(&mut self, op: OpId, inside: impl FnOnce(&mut Builder)) {
        let region = self.body.push_region(op);
        let outer = std::mem::replace(&mut self.block, self.body.entry(region));
        inside(self);
        self.block = outer;
    }
    /// `with T.attr(T.comm_reducer(…)): T.tvm_thread_allreduce(…)` of a sum of one component.
    pub(crate) fn allreduce_sum(&mut self, value: ExprId, result: ExprId, axis: ExprId) {
        let (x, y) = (self.bound(1), self.bound(0));
        let sum = self.body.make(ExprKind::Binary(BinaryOp::Add, x, y), DataType::FLOAT32.into());
        let handle = Type::Prim(DataType::HANDLE);
        let lambda = self.body.make(ExprKind::Lambda { params: 2, body: sum }, handle);
        let zero = self.f32(0.0);
        let identity = self.body.list(&[zero]);
        let identity = self.body.make(ExprKind::Tuple(identity), handle);
        let reducer = self.call("comm_reducer", &[lambda, identity], DataType::HANDLE);
        let key = self.body.intern("reduce_scope");
        let nothing = self.int(0);
        let attr = self.body.push_op(self.block, OpKind::Attr(key), &[reducer, nothing]);
        self.nested(attr, |it| {
            let one = it.body.int(1, DataType::uint(32));
            let yes = it.body.int(1, DataType::BOOL);
            let call =
                it.call("tvm_thread_allreduce", &[one, value, yes, result, axis], DataType::HANDLE);
            it.body.push_op(it.block, OpKind::Evaluate, &[call]);
        });
    }
    fn bound(&mut self, index: u32) -> ExprId {
        self.body.make(ExprKind::Bound(index), DataType::FLOAT32.into())
    }
}

/// `C[i] = A[i] + scale`, guarded, over a dynamic extent.
pub(crate) fn add_dynamic(function: &str, input: &str, scale: f64) -> Body {
    let mut b = Builder::new(function);
    let n = b.symbol("n");
    let (a, c) = (b.param(input, "float32", &[n]), b.param("C", "float32", &[n]));
    let (k1023, k1024) = (b.body.int(1023, DataType::INT64), b.body.int(1024, DataType::INT64));
    let sum = b.bin(BinaryOp::Add, n, k1023);
    let blocks = b.bin(BinaryOp::FloorDiv, sum, k1024);
    let bx = b.launch("blockIdx.x", "blockIdx_x", blocks);
    let tx = b.launch("threadIdx.x", "threadIdx_x", k1024);
    let product = b.bin(BinaryOp::Mul, bx, k1024);
    let index = b.bin(BinaryOp::Add, product, tx);
    let guard = b.bin(BinaryOp::Lt, index, n);
    b.when(guard, |b| {
        let (load, scale) = (b.load(a, index), b.f32(scale));
        let value = b.bin(BinaryOp::Add, load, scale);
        b.store(c, index, value);
    });
    b.body
}

/// The sum of each row of 100 numbers by 100 threads, divided into each of them.
pub(crate) fn normalize_rows() -> Body {
    let mut b = Builder::new("normalize");
    let len = b.int(6500);
    let (a, c) = (b.param("A", "float32", &[len]), b.param("C", "float32", &[len]));
    let (rows, columns) = (b.int(65), b.int(100));
    let bx = b.launch("blockIdx.x", "bx", rows);
    let local = b.alloc("in_thread", "float32", 1, "local");
    let cross = b.alloc("cross_thread", "float32", 1, "local");
    let shared = b.alloc("sum_shared", "float32", 1, "shared");
    let tx = b.launch("threadIdx.x", "tx", columns);
    let zero = b.int(0);
    let row = b.bin(BinaryOp::Mul, bx, columns);
    let index = b.bin(BinaryOp::Add, row, tx);
    let value = b.load(a, index);
    b.store(local, zero, value);
    let (value, result) = (b.load(local, zero), b.load(cross, zero));
    b.allreduce_sum(value, result, tx);
    let first = b.bin(BinaryOp::Eq, tx, zero);
    b.when(first, |b| {
        let sum = b.load(cross, zero);
        b.store(shared, zero, sum);
    });
    let (value, sum) = (b.load(a, index), b.load(shared, zero));
    let quotient = b.bin(BinaryOp::Div, value, sum);
    b.store(c, index, quotient);
    b.body
}
