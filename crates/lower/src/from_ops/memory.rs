//! Memory: memrefs as buffers, and their parts as indices into them.
//!
//! A memref from outside is a buffer parameter with its shape, strides and offset; an unknown part of the type is a
//! symbol that the call binds. One that is allocated in a kernel, or attributed to it, is shared or local memory. A
//! `subview` is no buffer: for each dimension of its buffer it holds the start, and the own index and step by which it
//! continues. Each operation costs its dimensions.

use ir::{
    AllocKind, BinaryOp, Body, Buffer, BufferId, BufferOrigin, DataType, ExprId, ExprKind,
    MemoryScope, OpId, OpKind, ValueId, ValueKind,
};

use super::{
    convert::{Converted, Converter, Known},
    text::{self, DYNAMIC, Memref},
};
use crate::{LowerRefusal, edit::folded, reasons};

/// A memref: part of a buffer.
#[derive(Clone)]
pub(super) struct View {
    buffer: BufferId,
    /// For each dimension of the buffer: where it begins, and the dimension and step by which it goes on.
    dims: Vec<(ExprId, Option<(usize, ExprId)>)>,
    shape: Vec<ExprId>,
}

impl Converter<'_> {
    fn memref_of(&self, value: ValueId) -> Converted<Memref> {
        let ty = text::type_of(self.from, value);
        text::memref(ty)
            .ok_or_else(|| LowerRefusal::new(reasons::TYPE, format!("memory of type `{ty}`")))
    }

    /// A number of a type, or a symbol where the type leaves it open.
    fn known_or_symbol(&mut self, number: i64, name: &str, is_size: bool) -> ExprId {
        if number != DYNAMIC {
            return self.body.int(number.into(), DataType::INT64);
        }
        let symbol = self.body.new_value(name, DataType::INT64.into(), ValueKind::Symbol);
        self.body.values[symbol].is_size = is_size;
        self.body.value_expr(symbol)
    }

    pub(super) fn memory_param(&mut self, value: ValueId) -> Converted<()> {
        let memref = self.memref_of(value)?;
        if memref.scope.is_some_and(|it| !it.is_global()) {
            let detail = "a parameter in the memory of a block or a thread";
            return Err(LowerRefusal::new(reasons::MEMORY_SCOPE, detail));
        }
        let name = self.name(value);
        let mut numbers = |list: &[i64], what: &str, is_size: bool| -> Vec<ExprId> {
            let numbered = list.iter().enumerate();
            numbered
                .map(|(at, &it)| self.known_or_symbol(it, &format!("{name}_{what}{at}"), is_size))
                .collect()
        };
        let shape = numbers(&memref.shape, "dim", true);
        let strides = memref.layout.as_ref().map(|it| numbers(&it.0, "stride", false));
        let offset = match memref.layout {
            Some((_, offset)) if offset != 0 => {
                Some(self.known_or_symbol(offset, &format!("{name}_offset"), false))
            }
            _ => None,
        };
        let param = self.new_param(&name, DataType::HANDLE);
        let buffer =
            self.buffer(&name, memref.dtype, shape, MemoryScope::Global, BufferOrigin::Param);
        self.body.buffers[buffer].strides = strides;
        self.body.buffers[buffer].elem_offset = offset;
        if let Some(last) = self.body.params.last_mut().filter(|it| it.value == param) {
            last.buffer = Some(buffer);
        }
        self.set_whole(value, buffer);
        Ok(())
    }

    fn buffer(
        &mut self,
        name: &str,
        dtype: DataType,
        shape: Vec<ExprId>,
        scope: MemoryScope,
        origin: BufferOrigin,
    ) -> BufferId {
        let name = self.body.intern(name);
        let (strides, elem_offset, attrs) = (None, None, Body::no_attrs());
        let buffer = Buffer { name, dtype, shape, strides, elem_offset, scope, origin, attrs };
        self.body.buffers.push(buffer)
    }

    fn set_whole(&mut self, value: ValueId, buffer: BufferId) {
        let shape = self.body.buffers[buffer].shape.clone();
        let zero = self.body.int(0, DataType::INT64);
        let one = self.body.int(1, DataType::INT64);
        let dims = (0..shape.len()).map(|at| (zero, Some((at, one)))).collect();
        self.set(value, Known::Memory(View { buffer, dims, shape }));
    }

    /// Memory of a block or of a thread, of a shape that is known.
    pub(super) fn attribution(&mut self, value: ValueId, scope: MemoryScope) -> Converted<()> {
        let memref = self.memref_of(value)?;
        if memref.shape.contains(&DYNAMIC) || memref.layout.is_some() {
            let detail = "memory of a kernel whose size is not known";
            return Err(LowerRefusal::new(reasons::KERNEL_MEMORY, detail));
        }
        let shape: Vec<ExprId> =
            memref.shape.iter().map(|&it| self.body.int(it.into(), DataType::INT64)).collect();
        let name = self.name(value);
        let buffer = self.buffer(&name, memref.dtype, shape.clone(), scope, BufferOrigin::Alloc);
        self.push(OpKind::Alloc { buffer, kind: AllocKind::Flat }, &shape);
        self.set_whole(value, buffer);
        Ok(())
    }

    pub(super) fn memref(&mut self, op: OpId, name: &str) -> Converted<()> {
        match name {
            "load" => {
                let result = self.result(op)?;
                let (buffer, indices) = self.place(op, 0)?;
                if self.is_used(result) {
                    let load = self.body.load(buffer, &indices, None);
                    self.bind(result, load);
                }
                Ok(())
            }
            "store" => {
                let value = self.expr(op, 0)?;
                let (buffer, indices) = self.place(op, 1)?;
                let operands = [&[value], &indices[..]].concat();
                self.push(OpKind::Store { buffer, predicated: false }, &operands);
                Ok(())
            }
            "alloc" | "alloca" if self.from.ops[op].operands.is_empty() => {
                let result = self.result(op)?;
                let scope = self.memref_of(result)?.scope.filter(|it| !it.is_global());
                self.attribution(result, scope.unwrap_or(MemoryScope::Local))
            }
            // Memory of a kernel goes with it.
            "dealloc" => self.memory(op, 0).map(|_| ()),
            "cast" => {
                let (result, view) = (self.result(op)?, self.memory(op, 0)?);
                self.memref_of(result)?;
                self.set(result, Known::Memory(view));
                Ok(())
            }
            "dim" => {
                let (view, at) = (self.memory(op, 0)?, self.expr(op, 1)?);
                let ExprKind::Int(at) = self.body.expr(at).kind else {
                    return Err(self.unknown(op));
                };
                let extent = usize::try_from(at).ok().and_then(|at| view.shape.get(at).copied());
                let extent = extent.ok_or_else(|| self.unknown(op))?;
                let result = self.result(op)?;
                self.set(result, Known::Expr(extent));
                Ok(())
            }
            "subview" => self.subview(op),
            _ => Err(self.unknown(op)),
        }
    }

    /// The buffer and the indices of an access; the memref is the operand `at`, its indices are behind it.
    fn place(&mut self, op: OpId, at: usize) -> Converted<(BufferId, Vec<ExprId>)> {
        let view = self.memory(op, at)?;
        let own = self.exprs(op, at + 1)?;
        if own.len() != view.shape.len() {
            return Err(self.unknown(op));
        }
        let mut indices = Vec::new();
        for (first, goes_on) in view.dims {
            indices.push(match goes_on.and_then(|(dim, step)| Some((*own.get(dim)?, step))) {
                Some((index, step)) => self.element(first, index, step),
                None => first,
            });
        }
        Ok((view.buffer, indices))
    }

    /// `first + index * step`
    fn element(&mut self, first: ExprId, index: ExprId, step: ExprId) -> ExprId {
        let distance = folded(&mut self.body, BinaryOp::Mul, index, step);
        folded(&mut self.body, BinaryOp::Add, first, distance)
    }

    fn subview(&mut self, op: OpId) -> Converted<()> {
        let (result, view) = (self.result(op)?, self.memory(op, 0)?);
        let ty = self.memref_of(result)?;
        let mut next = 1;
        let mut lists = Vec::new();
        for key in ["static_offsets", "static_sizes", "static_strides"] {
            let statics = text::int_list(self.from, op, key).ok_or_else(|| self.unknown(op))?;
            let mut list = Vec::new();
            for number in statics {
                list.push(match number {
                    DYNAMIC => {
                        next += 1;
                        self.expr(op, next - 1)?
                    }
                    _ => self.body.int(number.into(), DataType::INT64),
                });
            }
            lists.push(list);
        }
        let [offsets, sizes, strides] = &lists[..] else { return Err(self.unknown(op)) };
        let rank = view.shape.len();
        if lists.iter().any(|it| it.len() != rank) {
            return Err(self.unknown(op));
        }
        // A dimension that is left out has one element: which of several such it is makes no difference.
        let mut kept = vec![None; rank];
        let mut shape = Vec::new();
        for at in 0..rank {
            let is_one = self.body.expr(sizes[at]).kind == ExprKind::Int(1);
            let left = rank - at > ty.shape.len() - shape.len();
            let fits = match (ty.shape.get(shape.len()), self.body.expr(sizes[at]).kind) {
                (Some(&DYNAMIC), ExprKind::Int(_)) | (None, _) => false,
                (Some(&DYNAMIC), _) => true,
                (Some(&extent), ExprKind::Int(size)) => extent == size,
                _ => false,
            };
            if fits {
                kept[at] = Some(shape.len());
                shape.push(sizes[at]);
            } else if !(is_one && left) {
                return Err(self.unknown(op));
            }
        }
        if shape.len() != ty.shape.len() {
            return Err(self.unknown(op));
        }
        let one = self.body.int(1, DataType::INT64);
        let mut dims = Vec::new();
        for &(first, goes_on) in &view.dims {
            let Some((dim, step)) = goes_on else {
                dims.push((first, None));
                continue;
            };
            let first = self.element(first, offsets[dim], step);
            let step = match self.body.expr(step).kind {
                ExprKind::Int(1) => strides[dim],
                _ => folded(&mut self.body, BinaryOp::Mul, step, strides[dim]),
            };
            let step = if kept[dim].is_some() { step } else { one };
            dims.push((first, kept[dim].map(|at| (at, step))));
        }
        self.set(result, Known::Memory(View { buffer: view.buffer, dims, shape }));
        Ok(())
    }
}
