//! Memory: `T.alloc_*`, tensors, views, variables, barriers.

use ir::{AllocKind, Attr, Buffer, BufferField, BufferId, BufferOrigin, DataType, OpKind, Type};

use super::super::{
    Lowerer, R,
    arguments::Args,
    buffers::{BufferForm, BufferSpec},
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind},
    environment::Constant,
    source_map::DefinitionKind,
};

/// The scope of the memory that a form allocates, and of a tensor that it describes.
pub(super) fn scope_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "alloc_shared" => "shared.dyn",
        "alloc_local" => "local",
        "alloc_fragment" => "local.fragment",
        "alloc_global" => "global",
        "alloc_tmem" => "shared.tmem",
        "alloc_reducer" => "local.reducer",
        _ => return None,
    })
}

/// The scope of a tensor that a form describes.
pub(super) fn tensor_scope(name: &str) -> Option<&'static str> {
    Some(match name {
        "Tensor" | "StridedTensor" => "",
        "FragmentBuffer" => "local.fragment",
        "SharedBuffer" => "shared.dyn",
        "LocalBuffer" => "local",
        _ => return None,
    })
}

impl<'a> Lowerer<'_, '_, 'a> {
    /// The memory that a form makes; none if it makes no memory.
    pub(in super::super) fn tile_memory(
        &mut self,
        ex: Ex,
        name: &str,
        args: &Args<'a>,
    ) -> R<Option<(BufferForm, BufferSpec)>> {
        if let Some(scope) = scope_of(name) {
            let form = BufferForm::Alloc(AllocKind::SBlock, scope);
            let mut spec = self.buffer_spec(ex, form, args)?;
            if name == "alloc_shared" && spec.buffer.dtype == DataType::BOOL {
                // TileLang cannot merge it with other dynamic memory.
                spec.buffer.scope = self.s.body.memory_scope("shared");
            }
            return Ok(Some((form, spec)));
        }
        if let Some(scope) = tensor_scope(name) {
            let mut spec = self.buffer_spec(ex, BufferForm::Decl, args)?;
            if !scope.is_empty() {
                spec.buffer.scope = self.s.body.memory_scope(scope);
            }
            return Ok(Some((BufferForm::Decl, spec)));
        }
        Ok(match name {
            "alloc_barrier" => Some(self.barriers(args, "shared.barrier")?),
            "alloc_cluster_barrier" => Some(self.barriers(args, "shared.cluster_barrier")?),
            "view" | "reshape" => self.tile_view(ex, args)?,
            "make_tensor" | "make_tensor_from_addr" => Some(self.tensor_of_pointer(ex, args)?),
            _ => self.descriptor(name, args)?,
        })
    }

    /// Memory of one dimension.
    fn plain(&mut self, extent: Tx, dtype: DataType, scope: &str) -> (BufferForm, BufferSpec) {
        let buffer = Buffer {
            name: self.s.body.intern(""),
            dtype,
            shape: vec![extent.id],
            strides: None,
            elem_offset: None,
            scope: self.s.body.memory_scope(scope),
            origin: BufferOrigin::Alloc,
            attrs: ir::Body::no_attrs(),
        };
        let form = BufferForm::Alloc(AllocKind::SBlock, "");
        (form, BufferSpec { buffer, operands: vec![extent] })
    }

    /// `T.alloc_barrier(128)`, `T.alloc_barrier([128] * n)`: one for each count of arrivals.
    fn barriers(&mut self, args: &Args<'a>, scope: &str) -> R<(BufferForm, BufferSpec)> {
        let counts = args.positional.first().copied().or_else(|| args.keyword("arrive_count"));
        let Some(counts) = counts else { return Err(super::super::Reported) };
        let at = At { range: self.range(counts), is_real: false };
        if let Some(extent) = self.repeated(counts)? {
            return self.counted(extent, counts, scope);
        }
        let ev = self.eval(counts)?;
        let n = match (self.n_items(&ev.val), &ev.val) {
            (Some(n), _) => Some(n),
            (None, Val::Const(_)) => Some(1),
            _ => None,
        };
        let extent = match n {
            Some(n) => self.int(n as i128, DataType::INT32, at),
            None => {
                let text = self.text(self.ast.range(counts));
                let value = self.captured_text(&format!("len({text})"));
                let id = self.s.body.value_expr(value);
                self.tx(id, at)
            }
        };
        self.counted(extent, counts, scope)
    }

    /// The number of items of `[count] * n`.
    fn repeated(&mut self, counts: Ex) -> R<Option<Tx>> {
        let ast = self.ast;
        let ExKind::Binary { op: syntax::SyntaxKind::STAR, lhs, rhs } = *ast.kind(counts) else {
            return Ok(None);
        };
        let (list, times) = match (ast.kind(lhs), ast.kind(rhs)) {
            (ExKind::List(list), _) => (list, rhs),
            (_, ExKind::List(list)) => (list, lhs),
            _ => return Ok(None),
        };
        if list.len() != 1 {
            return Ok(None);
        }
        self.eval_items(ast.exs(*list))?;
        self.expr(times).map(Some)
    }

    /// Barriers with their counts of arrivals.
    fn counted(&mut self, extent: Tx, counts: Ex, scope: &str) -> R<(BufferForm, BufferSpec)> {
        let (form, mut spec) = self.plain(extent, DataType::uint(64), scope);
        let counts = vec![("barrier_init".into(), self.attr(counts))];
        spec.buffer.attrs = self.s.body.attr_dict(counts);
        Ok((form, spec))
    }

    /// `T.alloc_wgmma_desc()` and its kin.
    fn descriptor(&mut self, name: &str, args: &Args<'a>) -> R<Option<(BufferForm, BufferSpec)>> {
        let (kind, bits) = match name {
            "alloc_descriptor" => ("wgmma", 64),
            "alloc_wgmma_desc" => ("wgmma", 64),
            "alloc_tcgen05_smem_desc" => ("tcgen05_smem", 64),
            "alloc_tcgen05_instr_desc" | "alloc_tcgen05_instruction_desc" => ("tcgen05_instr", 32),
            _ => return Ok(None),
        };
        let kind = match args.positional.first().copied().or_else(|| args.keyword("kind")) {
            Some(kind) => {
                let ev = self.eval(kind)?;
                self.const_str(&ev.val).unwrap_or_else(|| "unknown".to_owned())
            }
            None => kind.to_owned(),
        };
        let at = At { range: self.s.stmt_range, is_real: false };
        let one = self.int(1, DataType::INT32, at);
        let scope = format!("local.descriptor.{kind}");
        Ok(Some(self.plain(one, DataType::uint(bits), &scope)))
    }

    /// `T.view(A, shape, dtype)`, `T.reshape(A, shape)`: other names for the elements of a buffer.
    fn tile_view(&mut self, ex: Ex, args: &Args<'a>) -> R<Option<(BufferForm, BufferSpec)>> {
        let Some(source) = args.get("src") else { return Ok(None) };
        let source_ev = self.eval(source)?;
        let Val::Buffer(source) = source_ev.val else { return Ok(None) };
        let data = self.s.body.buffers[source].clone();
        let at = At { range: self.range(ex), is_real: false };
        let shape = match args.get("shape").filter(|&it| !self.is_none(it)) {
            Some(shape) => self.shape(shape)?,
            None => data.shape.iter().map(|&it| self.tx(it, at)).collect(),
        };
        let dtype = match args.get("dtype").filter(|&it| !self.is_none(it)) {
            Some(dtype) => match self.type_of(dtype)? {
                Type::Prim(dtype) => dtype,
                _ => return Err(self.unsupported(dtype, "a buffer of unknown type")),
            },
            None => data.dtype,
        };
        let pointer = self.data_of(source, at);
        let buffer = Buffer {
            name: self.s.body.intern(""),
            dtype,
            shape: shape.iter().map(|it| it.id).collect(),
            strides: None,
            elem_offset: None,
            scope: data.scope,
            origin: BufferOrigin::Decl { data: Some(pointer.id) },
            attrs: ir::Body::no_attrs(),
        };
        let operands = shape.into_iter().chain([pointer]).collect();
        Ok(Some((BufferForm::Decl, BufferSpec { buffer, operands })))
    }

    fn data_of(&mut self, buffer: BufferId, at: At) -> Tx {
        let data = &self.s.body.buffers[buffer];
        let ty = Type::Pointer { element: data.dtype, scope: data.scope };
        let id = self.s.body.buffer_field(buffer, BufferField::Data, ty);
        self.tx(id, at)
    }

    /// `T.make_tensor(pointer, shape, dtype)`
    fn tensor_of_pointer(&mut self, ex: Ex, args: &Args<'a>) -> R<(BufferForm, BufferSpec)> {
        let Some(pointer) = args.get("ptr") else {
            return Err(self.malformed(ex, "a tensor is made of a pointer and a shape"));
        };
        let pointer = self.expr(pointer)?;
        let mut spec = self.buffer_spec(ex, BufferForm::Decl, args)?;
        spec.buffer.origin = BufferOrigin::Match { handle: pointer.id };
        spec.operands.push(pointer);
        Ok((BufferForm::Match, spec))
    }

    // ---- names for memory ----

    /// `name = T.form(…)` of TileLang, where the form gives the name more than a value.
    pub(in super::super) fn tile_assign(
        &mut self,
        name: &str,
        target: Ex,
        (form, value): (&str, Ex),
        args: &Args<'a>,
    ) -> R<bool> {
        let Some(form) = form.strip_prefix("tl.") else { return Ok(false) };
        match form {
            "alloc_var" => self.variable(name, target, value, args)?,
            "empty" => self.output(name, target, value, args)?,
            _ => match self.tile_memory(value, form, args)? {
                Some((form, spec)) => {
                    self.make_buffer(name, target, form, spec);
                }
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// `x = T.alloc_var("int32", 1)`: a scalar that assignments store to.
    fn variable(&mut self, name: &str, target: Ex, value: Ex, args: &Args<'a>) -> R<()> {
        let ast = self.ast;
        let is_text = |it: &Ex| matches!(ast.kind(*it), ExKind::Str(_));
        let (dtype, rest) = match args.positional.split_first() {
            Some((&dtype, rest)) => (Some(dtype), rest),
            None => (args.keyword("dtype"), &[][..]),
        };
        let init = rest.iter().copied().find(|it| !is_text(it));
        let init = init.or_else(|| args.keyword("init")).filter(|&it| !self.is_none(it));
        let scope = rest.iter().copied().find(is_text).or_else(|| args.keyword("scope"));
        let Some(dtype) = dtype else {
            return Err(self.malformed(value, "a variable has a type"));
        };
        let dtype = match self.type_of(dtype)? {
            Type::Prim(dtype) => dtype,
            _ => return Err(self.unsupported(dtype, "a variable of unknown type")),
        };
        let scope = match scope {
            Some(scope) => {
                let ev = self.eval(scope)?;
                self.const_str(&ev.val).unwrap_or_else(|| VARIABLE.to_owned())
            }
            None => VARIABLE.to_owned(),
        };
        let init = match init.map(|it| self.eval(it)).transpose()? {
            // A number of Python is of the variable's type.
            Some(Ev { val: Val::Const(Constant::Float(bits)), src }) if dtype.is_float() => {
                let it = self.const_float_as(f64::from_bits(bits), dtype, src)?;
                Some(Ev { val: Val::Expr(it.id), src: it.src })
            }
            init => init,
        };
        let at = At { is_real: false, ..self.at(target) };
        let one = self.int(1, DataType::INT32, at);
        let (form, mut spec) = self.plain(one, dtype, &scope);
        let is_variable = scope == VARIABLE;
        if is_variable {
            spec.buffer.origin = BufferOrigin::Cell;
        }
        let (buffer, _) = self.new_buffer(name, form, spec);
        let val = if is_variable { Val::Cell(buffer) } else { Val::Buffer(buffer) };
        self.define_at(name, target, DefinitionKind::Cell, val);
        if let Some(init) = init {
            let zero = self.int(0, DataType::INT32, at);
            self.store(value, buffer, &[zero], &init, None)?;
        }
        Ok(())
    }

    /// `C = T.empty((M, N), dtype)`: a tensor that the kernel returns, which is a parameter of what is compiled.
    fn output(&mut self, name: &str, target: Ex, value: Ex, args: &Args<'a>) -> R<()> {
        let ast = self.ast;
        let is_list = |it: &Ex| matches!(ast.kind(*it), ExKind::Tuple(_) | ExKind::List(_));
        let dtype = args.keyword("dtype");
        let (shape, dtype) = match args.positional[..] {
            [shape] => (vec![shape], dtype),
            [shape, of] if is_list(&shape) || self.is_shape(shape) => (vec![shape], Some(of)),
            _ => (args.positional.to_vec(), dtype),
        };
        let mut extents = Vec::new();
        for it in shape {
            extents.extend(self.shape(it)?);
        }
        let dtype = match dtype {
            Some(dtype) => match self.type_of(dtype)? {
                Type::Prim(dtype) => dtype,
                _ => return Err(self.unsupported(dtype, "a buffer of unknown type")),
            },
            None => DataType::FLOAT32,
        };
        let mut attrs = ir::AttrDict::new();
        if let [extent] = extents[..]
            && self.ty(extent) == Type::Unknown
        {
            attrs.push((ir::UNKNOWN_SHAPE.into(), Attr::Text(self.text(ast.range(value)).into())));
        }
        let buffer = Buffer {
            name: self.s.body.intern(name),
            dtype,
            shape: extents.iter().map(|it| it.id).collect(),
            strides: None,
            elem_offset: None,
            scope: ir::MemoryScope::Unwritten,
            origin: BufferOrigin::Param,
            attrs: self.s.body.attr_dict(attrs),
        };
        self.tensor_parameter(name, target, buffer);
        Ok(())
    }

    /// Returns true if an argument may be a tuple or list of extents.
    fn is_shape(&mut self, ex: Ex) -> bool {
        let mark = self.mark();
        let ev = self.eval(ex);
        self.undo(mark);
        ev.is_ok_and(|it| self.n_items(&it.val).is_some() || self.is_captured(&it.val))
    }

    /// `A: T.Tensor[[M, K], dtype]` in the body of an eager kernel: the type of a parameter, or of the memory that a
    /// pointer points to. False if the annotation is no tensor.
    pub(in super::super) fn tensor_statement(
        &mut self,
        name: &str,
        target: Ex,
        annotation: Ex,
    ) -> R<bool> {
        let Some((form, args)) = self.tensor_annotation(annotation) else { return Ok(false) };
        let form = form.strip_prefix("tl.").unwrap_or(&form).to_owned();
        let Some((_, mut spec)) = self.tile_memory(annotation, &form, &args)? else {
            return Ok(false);
        };
        match self.peek(name) {
            None => {
                spec.buffer.origin = BufferOrigin::Param;
                self.tensor_parameter(name, target, spec.buffer);
            }
            Some(_) => {
                let pointer: Ev = self.name(name, target)?;
                let pointer = self.lift(&pointer)?;
                spec.buffer.origin = BufferOrigin::Match { handle: pointer.id };
                spec.operands.push(pointer);
                self.make_buffer(name, target, BufferForm::Match, spec);
            }
        }
        Ok(true)
    }

    /// Gives a tensor parameter its buffer.
    fn tensor_parameter(&mut self, name: &str, target: Ex, buffer: Buffer) {
        let id = self.s.body.intern(name);
        let ty = Type::Pointer { element: buffer.dtype, scope: buffer.scope };
        let buffer = self.s.body.buffers.push(Buffer { name: id, ..buffer });
        self.define_at(name, target, DefinitionKind::Param, Val::Buffer(buffer));
        let at = self.s.tensor_params.iter().find(|it| *it.0 == *name).map(|it| it.1);
        match at.and_then(|at| self.s.body.params.get_mut(at)) {
            Some(param) => {
                param.buffer = Some(buffer);
                let value = param.value;
                self.s.body.values[value].ty = ty;
            }
            None => {
                let index = self.s.body.params.len() as u32;
                let handle = format!("{name}_handle");
                let kind = ir::ValueKind::Param(index);
                let value = self.s.body.new_value(&handle, ty, kind);
                self.s.body.params.push(ir::Param { value, buffer: Some(buffer) });
            }
        }
    }

    // ---- sizes ----

    /// `T.const("M, N")`, `T.dynamic("m")`: sizes that calls give.
    pub(super) fn size(&mut self, ex: Ex, name: &str, args: &Args<'a>) -> R<Option<Ev>> {
        if !matches!(name, "const" | "dynamic") {
            return Ok(None);
        }
        let Some(names) = args.positional.first().copied().or_else(|| args.keyword("name")) else {
            return Ok(None);
        };
        let ev = self.eval(names)?;
        let Some(text) = self.const_str(&ev.val) else { return Ok(None) };
        let dtype = args.positional.get(1).copied().or_else(|| args.keyword("dtype"));
        let ty = match dtype {
            Some(dtype) => self.type_of(dtype)?,
            None => DataType::INT32.into(),
        };
        let src = self.leaf(ex);
        let names = text.split([',', ' ']).filter(|it| !it.is_empty());
        let mut all: Vec<Val> = Vec::new();
        for size in names {
            all.push(match self.s.env.resolve(size) {
                crate::tvmscript::Capture::Constant(it @ Constant::Int(_)) if name == "const" => {
                    Val::Const(it)
                }
                _ => {
                    // A constant is a number by the time that there is a kernel; the other never is.
                    let kind = match name {
                        "const" => ir::ValueKind::Symbol,
                        _ => ir::ValueKind::Captured,
                    };
                    let value = self.s.body.new_value(size, ty, kind);
                    self.s.body.values[value].is_size = true;
                    Val::Expr(self.s.body.value_expr(value))
                }
            });
        }
        let val = match all.len() {
            1 => all.remove(0),
            _ => Val::Seq(all.into_iter().collect()),
        };
        Ok(Some(Ev { val, src }))
    }

    /// An operation that only names what an allocation made.
    pub(in super::super) fn returned(&mut self, value: Option<Ex>) -> R<()> {
        if let Some(value) = value {
            // Mentions its names.
            let ev = self.eval(value)?;
            if self.s.macro_depth > 0 {
                self.s.macro_value = Some(ev.val);
            }
        } else if self.s.macro_depth == 0 && self.s.launch.is_some() {
            self.emit(OpKind::Return, &[]);
        }
        Ok(())
    }
}

/// The scope of variables.
const VARIABLE: &str = "local.var";
