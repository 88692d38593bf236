//! Methods of buffers and expressions in expressions: `A.vload(...)`, `A.access_ptr("r")`, `x.astype("float32")`.

use ir::{BinaryOp, Buffer, BufferField, BufferId, DataType, Lanes, MemoryScope, Type};

use super::{
    Lowerer, R,
    arguments::{Args, method_parameters},
    calls::Written,
    source_tree::At,
    value::{Ev, Tx, Val},
    views,
};
use crate::tvmscript::{
    ast::{Ex, Run},
    environment::Constant,
};

impl Lowerer<'_, '_, '_> {
    pub(super) fn buffer_method(
        &mut self,
        ex: Ex,
        buffer: BufferId,
        name: &str,
        run: Run,
    ) -> R<Ev> {
        // The other methods keep what they are given, or their whole text.
        let args = match name {
            "vload" | "ptr_to" | "access_ptr" | "scope" | "elem_offset_of" | "byte_offset_of" => {
                self.args_of(method_parameters(name), run)?
            }
            _ => self.args(run),
        };
        match name {
            "vload" => {
                let Some(begin) = args.get("begin") else {
                    return Err(self.malformed(ex, "vload takes indices"));
                };
                let mut indices = self.shape(begin)?;
                let written = match args.get("dtype").filter(|&it| !self.is_none(it)) {
                    Some(dtype) => match self.written_type(dtype)? {
                        Written::Type(ty) => ty.prim(),
                        Written::Symbolic(_) => return Ok(self.opaque_ex(ex)),
                    },
                    None => None,
                };
                let element = self.s.body.buffers[buffer].dtype;
                if written.is_some_and(|it| it.is_symbolic() || element.is_symbolic()) {
                    // How many elements that is is not known.
                    self.s.doubt = super::Doubt::Unknown;
                    return Ok(self.opaque_ex(ex));
                }
                let predicate = self.predicate(&args)?;
                self.check_indices(ex, buffer, &indices)?;
                let at = self.at(ex);
                if let Some(dtype) = written {
                    self.widen(buffer, &mut indices, dtype, at)?;
                }
                let tx = self.load(buffer, &indices, predicate, at);
                Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
            }
            "scope" => {
                let scope = self.s.body.buffers[buffer].scope;
                let text = match scope {
                    MemoryScope::Unknown => return Ok(self.opaque_ex(ex)),
                    MemoryScope::Unwritten => self.s.body.scope_name(MemoryScope::Global),
                    scope => self.s.body.scope_name(scope),
                };
                let val = Val::Const(Constant::Str(text.into()));
                let src = self.leaf(ex);
                Ok(Ev { val, src })
            }
            "ptr_to" => {
                let Some(indices) = args.get("indices") else {
                    return Err(self.malformed(ex, "ptr_to takes indices"));
                };
                let indices = self.shape(indices)?;
                self.check_indices(ex, buffer, &indices)?;
                let at = self.at(ex);
                let inside = At { is_real: false, ..at };
                let load = self.load(buffer, &indices, None, inside);
                let data = &self.s.body.buffers[buffer];
                let ty = Type::Pointer { element: data.dtype, scope: data.scope };
                let tx = self.call_node("address_of", &[load], ty, at);
                Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
            }
            "access_ptr" => self.access_ptr(ex, buffer, &args),
            name if views::is_view(name) => {
                let spec = self.view(ex, buffer, name, &args)?;
                Ok(self.nameless(ex, spec))
            }
            "elem_offset_of" | "byte_offset_of" => self.offset_of(ex, buffer, name, &args),
            name if self.is_pool(buffer) && name.starts_with("alloc") => {
                let spec = self.allocated(ex, buffer, name, &args)?;
                Ok(self.nameless(ex, spec))
            }
            name if self.is_pool(buffer) => {
                let src = self.leaf(ex);
                let pool = self.lift(&Ev { val: Val::Buffer(buffer), src })?;
                self.member_call(ex, pool, name, run)
            }
            _ => Ok(self.opaque_ex(ex)),
        }
    }

    /// `A.elem_offset_of([i, j])`: where the layout of a buffer puts an element.
    fn offset_of(&mut self, ex: Ex, buffer: BufferId, name: &str, args: &Args<'_>) -> R<Ev> {
        let Some(indices) = args.get("indices") else {
            return Err(self.malformed(ex, format!("{name} takes indices")));
        };
        let indices = self.shape(indices)?;
        self.check_rank(ex, buffer, indices.len())?;
        let at = self.at(ex);
        let inside = At { is_real: false, ..at };
        let load = self.load(buffer, &indices, None, inside);
        let offset = self.call_node("buffer_offset", &[load], DataType::INT32.into(), inside);
        let bits = self.s.body.buffers[buffer].dtype.bits;
        let tx = match name {
            "byte_offset_of" => {
                let bits = self.int(i128::from(bits), DataType::INT32, inside);
                let byte = self.int(8, DataType::INT32, inside);
                let offset = self.arithmetic(BinaryOp::Mul, offset, bits, inside)?;
                self.arithmetic(BinaryOp::FloorDiv, offset, byte, at)?
            }
            _ => Tx { id: offset.id, src: self.s.sources.node(at, &[load.src]) },
        };
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// Makes the last index of an access in units of a vector type one of all its lanes, as `vload` and `vstore` do.
    pub(super) fn widen(
        &mut self,
        buffer: BufferId,
        indices: &mut [Tx],
        accessed: DataType,
        at: At,
    ) -> R<()> {
        let (Lanes::Fixed(wanted), Lanes::Fixed(found)) =
            (accessed.lanes, self.s.body.buffers[buffer].dtype.lanes)
        else {
            return Ok(());
        };
        let Some(last) = indices.last_mut() else { return Ok(()) };
        let is_scalar = self.dtype(*last).is_some_and(|it| it.is_scalar());
        if !is_scalar || wanted <= found || wanted % found != 0 {
            return Ok(());
        }
        let one = self.virtual_int(1, DataType::INT32, at.range);
        let inside = At { is_real: false, ..at };
        *last = self.ramp(*last, one, i128::from(wanted / found), inside)?;
        Ok(())
    }

    /// `predicate=` of an access.
    pub(super) fn predicate(&mut self, args: &Args<'_>) -> R<Option<Tx>> {
        let predicate = args.get("predicate").filter(|&it| !self.is_none(it));
        predicate.map(|it| self.expr(it)).transpose()
    }

    /// `A.access_ptr("rw", offset=o, extent=n, content_lanes=4)`
    fn access_ptr(&mut self, ex: Ex, buffer: BufferId, args: &Args<'_>) -> R<Ev> {
        let at = self.at(ex);
        let inside = At { is_real: false, ..at };
        let mask = match args.get("access_mask") {
            Some(mask) => self.eval(mask)?.val,
            None => Val::Const(Constant::Int(3)),
        };
        let mask = match (self.const_str(&mask), &mask) {
            (Some(text), _) => i128::from(text.contains('r')) + 2 * i128::from(text.contains('w')),
            (None, Val::Const(Constant::Int(it))) => *it,
            (None, Val::Path(path)) => match self.s.body.name(*path).rsplit_once('.') {
                Some((of, "READ")) if of.ends_with(".BufferAccessKind") => 1,
                Some((of, "WRITE")) if of.ends_with(".BufferAccessKind") => 2,
                _ => return Ok(self.opaque_ex(ex)),
            },
            _ => return Ok(self.opaque_ex(ex)),
        };
        let data = self.s.body.buffers[buffer].clone();
        let lanes = match args.get("content_lanes").map(|it| self.eval(it)).transpose()? {
            None => 1,
            Some(Ev { val: Val::Const(Constant::Int(it)), .. }) => match u16::try_from(it) {
                Ok(it) if it > 0 => it,
                _ => return Err(self.malformed(ex, "content_lanes is a number of lanes")),
            },
            Some(_) => return Ok(self.opaque_ex(ex)),
        };
        let offset = match args.get("offset") {
            Some(offset) => self.expr(offset)?,
            None => self.int(0, DataType::INT32, inside),
        };
        let base = match data.elem_offset {
            Some(base) => self.tx(base, inside),
            None if self.s.body.has_free_offset(&data) => {
                let ty = DataType::INT32.into();
                let base = self.s.body.buffer_field(buffer, BufferField::ElemOffset, ty);
                self.tx(base, inside)
            }
            None => {
                let index =
                    data.shape.first().map_or(Some(DataType::INT64), |&it| self.s.body.dtype(it));
                self.int(0, index.unwrap_or(DataType::INT32), inside)
            }
        };
        let extent = match args.get("extent") {
            Some(extent) => self.expr(extent)?,
            None => {
                let all = self.extent_behind(&data, offset, inside)?;
                self.in_lanes(all, lanes, inside)?
            }
        };
        // As TVM has it: with lanes, an offset only shortens the extent.
        let offset = match lanes {
            1 => self.arithmetic(BinaryOp::Add, base, offset, inside)?,
            _ => self.in_lanes(base, lanes, inside)?,
        };
        let element = match lanes {
            1 => data.dtype,
            _ => data.dtype.with_lanes(Lanes::Fixed(lanes)),
        };
        let dtype_name = self.dtype_operand(element, inside);
        let element = self.call_node("type_annotation", &[dtype_name], element.into(), inside);
        let written = self.access_ptr_written(args, data.scope)?;
        let ty = Type::Pointer { element: data.dtype, scope: data.scope };
        let pointer = self.s.body.buffer_field(buffer, BufferField::Data, ty);
        let pointer = self.tx(pointer, inside);
        let mask = self.int(mask, DataType::INT32, inside);
        let tx = self.call_node(
            "tvm_access_ptr",
            &[element, pointer, offset, extent, mask],
            written,
            at,
        );
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// The type of `A.access_ptr(…, ptr_type)`: in the scope of the buffer, but not of its elements if nothing else is
    /// written.
    fn access_ptr_written(&mut self, args: &Args<'_>, scope: MemoryScope) -> R<Type> {
        let written = match args.get("ptr_type") {
            Some(ex) => self.type_of(ex)?,
            None => DataType::HANDLE.into(),
        };
        Ok(match written {
            Type::Prim(DataType::HANDLE) if scope.is_global() => written,
            Type::Prim(DataType::HANDLE) => Type::Pointer { element: DataType::VOID, scope },
            Type::Prim(element) => Type::Pointer { element, scope },
            written => written,
        })
    }

    /// The elements of a buffer from an offset on: of the first dimension, if there are strides (`Buffer::access_ptr`
    /// of TVM).
    fn extent_behind(&mut self, buffer: &Buffer, offset: Tx, at: At) -> R<Tx> {
        let Some(&first) = buffer.shape.first() else {
            return Ok(self.int(1, DataType::INT64, at));
        };
        let factors = match &buffer.strides {
            Some(strides) if strides.len() == buffer.shape.len() => {
                strides.iter().take(1).copied().chain([first]).collect()
            }
            _ => buffer.shape.clone(),
        };
        let (&outer, inner) = factors.split_first().unwrap_or((&first, &[]));
        let mut whole = self.tx(outer, at);
        for &factor in inner {
            let factor = self.tx(factor, at);
            whole = self.arithmetic(BinaryOp::Mul, whole, factor, at)?;
        }
        let offset = Tx { id: offset.id, src: self.s.sources.again(offset.src) };
        self.arithmetic(BinaryOp::Sub, whole, offset, at)
    }

    /// A number of elements as one of vectors.
    fn in_lanes(&mut self, number: Tx, lanes: u16, at: At) -> R<Tx> {
        if lanes == 1 {
            return Ok(number);
        }
        let index = self.dtype(number).unwrap_or(DataType::INT32);
        let lanes = self.int(lanes.into(), index, at);
        self.arithmetic(BinaryOp::Div, number, lanes, at)
    }

    pub(super) fn expr_method(&mut self, ex: Ex, value: Tx, name: &str, args: Run) -> R<Ev> {
        if name != "astype" {
            if self.is_object(value) {
                return self.member_call(ex, value, name, args);
            }
            return Ok(self.opaque_ex(ex));
        }
        let args = self.args_of(method_parameters(name), args)?;
        let Some(dtype) = args.get("dtype") else {
            return Err(self.malformed(ex, "astype takes a data type"));
        };
        let at = self.at(ex);
        let tx = match self.written_type(dtype)? {
            Written::Type(Type::Prim(it)) if it.is_symbolic() => {
                self.cast_to_symbol("cast", it, value, dtype, at)
            }
            Written::Type(Type::Prim(dtype)) => self.written_cast(value, dtype, at)?,
            Written::Type(_) => return Err(self.malformed(dtype, "a data type is needed here")),
            Written::Symbolic(dtype) => self.symbolic_cast("cast", dtype, value, Type::Unknown, at),
        };
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }
}
