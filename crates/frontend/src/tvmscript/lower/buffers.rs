//! Buffers: allocations, declarations, views, matched parameters.
//!
//! A form makes one buffer and one operation whose operands are [`ir::Buffer::operands`]: shape, strides, element
//! offset, pointer. An argument without a field of its own (`align=`, `offset_factor=`, …) is kept as written in the
//! buffer's attributes.

use ir::{
    AllocKind, AttrDict, Buffer, BufferId, BufferOrigin, DataType, MemoryScope, OpId, OpKind, Type,
    ValueKind,
};

use super::{
    Lowerer, R,
    arguments::Args,
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind},
    environment::Constant,
    source_map::DefinitionKind,
};

/// A form that makes a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BufferForm {
    Alloc(AllocKind, &'static str),
    Decl,
    /// `T.Buffer` in a body: a name for memory, which no statement declares.
    Name,
    /// `T.sblock_alloc_buffer(…, data=A.data)`: another form of the memory of a buffer that is there.
    Alias,
    Match,
}

impl BufferForm {
    /// Returns true if the form has a `data` parameter for its memory.
    fn takes_data(self) -> bool {
        matches!(self, BufferForm::Decl | BufferForm::Name | BufferForm::Alias)
    }
}

/// The form of `T.name`; `T.alloc_buffer` of the legacy dialect belongs to its block.
pub(super) fn buffer_form(name: &str, is_legacy: bool) -> Option<BufferForm> {
    Some(match name {
        "alloc_buffer" if is_legacy => BufferForm::Alloc(AllocKind::SBlock, ""),
        "alloc_buffer" => BufferForm::Alloc(AllocKind::Flat, ""),
        "alloc_local" => BufferForm::Alloc(AllocKind::Flat, "local"),
        "alloc_shared" | "smem" => BufferForm::Alloc(AllocKind::Flat, "shared"),
        "tmem" => BufferForm::Alloc(AllocKind::Flat, "tmem"),
        "sblock_alloc_buffer" => BufferForm::Alloc(AllocKind::SBlock, ""),
        "allocate" => BufferForm::Alloc(AllocKind::Allocate, ""),
        "allocate_const" => BufferForm::Alloc(AllocKind::Const, ""),
        "Buffer" | "buffer" if !is_legacy => BufferForm::Name,
        "decl_buffer" | "buffer_decl" | "Buffer" | "buffer" => BufferForm::Decl,
        "match_buffer" => BufferForm::Match,
        _ => return None,
    })
}

/// The evaluated arguments of a buffer form.
pub(super) struct BufferSpec {
    pub(super) buffer: Buffer,
    pub(super) operands: Vec<Tx>,
}

impl Lowerer<'_, '_, '_> {
    /// Evaluates a form; the buffer is nameless so far.
    pub(super) fn buffer_spec(
        &mut self,
        ex: Ex,
        form: BufferForm,
        args: &Args<'_>,
    ) -> R<BufferSpec> {
        let source = match (form, args.get("param")) {
            (BufferForm::Match, Some(param)) => Some(self.eval(param)?),
            (BufferForm::Match, None) => {
                return Err(self.malformed(ex, "match_buffer takes a handle or a region"));
            }
            _ => None,
        };
        let get = |name: &str| args.get(name);
        let written_shape = get("shape").or_else(|| get("extents"));
        let shape = match written_shape {
            Some(shape) => self.extents(shape)?,
            None => match &source {
                Some(ev) => self.region_extents(ev)?,
                None => return Err(self.malformed(ex, "the shape is missing")),
            },
        };
        let dtype = match get("dtype") {
            // A part of a buffer that is matched as it is has its type, whatever is written.
            _ if written_shape.is_none()
                && let Some(dtype) = self.region_dtype(&source) =>
            {
                dtype
            }
            Some(dtype) => match self.type_of(dtype)? {
                // A table of pointers holds addresses.
                Type::Prim(DataType::HANDLE) if self.is_tile_source() => DataType::INT64,
                Type::Prim(dtype) => dtype,
                _ => return Err(self.unsupported(dtype, "a buffer of unknown type")),
            },
            None => DataType::FLOAT32,
        };
        let strides = match get("strides") {
            Some(strides) if !self.is_none(strides) => {
                let index_type =
                    shape.first().and_then(|&it| self.dtype(it)).unwrap_or(DataType::INT32);
                let strides = self.symbolic_list(strides, index_type)?;
                (!strides.is_empty()).then_some(strides)
            }
            _ => None,
        };
        let elem_offset = match get("elem_offset") {
            Some(offset) if !self.is_none(offset) => Some(self.symbolic(offset, DataType::INT32)?),
            _ => None,
        };
        let mut captured_scope = None;
        let scope = match get("scope") {
            Some(scope) => {
                let ev = self.eval(scope)?;
                match self.const_str(&ev.val) {
                    Some(scope) => self.s.body.memory_scope(&scope),
                    None => {
                        captured_scope = Some(("scope".into(), self.attr(scope)));
                        MemoryScope::Unknown
                    }
                }
            }
            None => match form {
                BufferForm::Alloc(_, scope) => self.s.body.memory_scope(scope),
                _ => MemoryScope::Unwritten,
            },
        };
        let pointer = match get("data") {
            Some(data) if !self.is_none(data) && form.takes_data() => Some(self.expr(data)?),
            _ => None,
        };
        let (origin, handle) = self.origin(ex, form, source, pointer)?;
        let mut attrs = self.buffer_attrs(form, args);
        attrs.extend(captured_scope);
        if let Some(ex) = written_shape
            && self.is_open_shape(ex, &shape)
        {
            attrs.push((ir::UNKNOWN_SHAPE.into(), self.shape_attr(ex)));
        }
        let attrs = self.s.body.attr_dict(attrs);
        let name = self.s.body.intern("");
        let mut operands = shape.clone();
        operands.extend(strides.iter().flatten());
        operands.extend(elem_offset);
        operands.extend(handle);
        let buffer = Buffer {
            name,
            dtype,
            shape: shape.iter().map(|it| it.id).collect(),
            strides: strides.map(|it| it.iter().map(|it| it.id).collect()),
            elem_offset: elem_offset.map(|it| it.id),
            scope,
            origin,
            attrs,
        };
        Ok(BufferSpec { buffer, operands })
    }

    /// Returns true if the number of dimensions of a written shape is not known: one captured value is an extent or all
    /// of them, one after a `*` is any number of them.
    fn is_open_shape(&self, ex: Ex, shape: &[Tx]) -> bool {
        let ast = self.ast;
        match ast.kind(ex) {
            ExKind::Tuple(run) | ExKind::List(run) => {
                let n_written = run.len();
                let has_star =
                    ast.exs(*run).iter().any(|&it| matches!(ast.kind(it), ExKind::Star(_)));
                has_star && shape.len() == n_written && shape.iter().any(|&it| self.is_open(it))
            }
            ExKind::Str(_) => false,
            _ => matches!(shape, &[one] if self.ty(one) == Type::Unknown),
        }
    }

    /// Returns true if a value is a captured one.
    fn is_open(&self, tx: Tx) -> bool {
        matches!(self.s.body.expr(tx.id).kind, ir::ExprKind::Value(it) if self.s.body.is_captured(it))
    }

    /// A shape whose rank is not known, as it is written.
    fn shape_attr(&mut self, ex: Ex) -> ir::Attr {
        match self.ast.kind(ex) {
            ExKind::Tuple(_) | ExKind::List(_) => {
                ir::Attr::Text(self.text(self.ast.range(ex)).into())
            }
            _ => self.attr(ex),
        }
    }

    pub(super) fn is_none(&self, ex: Ex) -> bool {
        matches!(self.ast.kind(ex), ExKind::None)
    }

    fn origin(
        &mut self,
        ex: Ex,
        form: BufferForm,
        source: Option<Ev>,
        pointer: Option<Tx>,
    ) -> R<(BufferOrigin, Option<Tx>)> {
        Ok(match form {
            BufferForm::Alloc(..) => (BufferOrigin::Alloc, None),
            BufferForm::Decl | BufferForm::Name | BufferForm::Alias => {
                (BufferOrigin::Decl { data: pointer.map(|it| it.id) }, pointer)
            }
            BufferForm::Match => {
                let Some(source) = source else { return Err(super::Reported) };
                let is_handle = match &source.val {
                    Val::Expr(id) => {
                        !matches!(self.s.body.expr(*id).kind, ir::ExprKind::Load { .. })
                    }
                    Val::Unknown(_) | Val::Python => true,
                    _ => false,
                };
                if is_handle {
                    let handle = self.lift(&source)?;
                    (BufferOrigin::Match { handle: handle.id }, Some(handle))
                } else {
                    match self.buffer_region(&source) {
                        Some(region) => (BufferOrigin::MatchRegion(region), None),
                        None => {
                            return Err(
                                self.malformed(ex, "match_buffer takes a handle or a region")
                            );
                        }
                    }
                }
            }
        })
    }

    fn region_dtype(&self, source: &Option<Ev>) -> Option<DataType> {
        match &source.as_ref()?.val {
            Val::Region(buffer, _) => Some(self.s.body.buffers[*buffer].dtype),
            _ => None,
        }
    }

    /// The extents of a region, where the shape is left out.
    fn region_extents(&mut self, ev: &Ev) -> R<Vec<Tx>> {
        let range = self.s.sources.range(ev.src);
        let at = At { range, is_real: false };
        let Val::Region(_, dims) = &ev.val else {
            return Err(self.error(
                crate::tvmscript::diagnostics::MALFORMED_FORM,
                range,
                "the shape is missing",
            ));
        };
        let dims = self.sourced(dims, ev.src);
        let mut extents = Vec::with_capacity(dims.len());
        for dim in dims.iter() {
            extents.push(match *dim {
                super::value::Dim::Point(_) => self.int(1, DataType::INT32, at),
                super::value::Dim::Slice { lower, upper: Some(upper), .. } => match lower {
                    Some(lower) => {
                        let lower = Tx { id: lower.id, src: self.s.sources.again(lower.src) };
                        let upper = Tx { id: upper.id, src: self.s.sources.again(upper.src) };
                        self.difference(upper, lower, at)?
                    }
                    None => Tx { id: upper.id, src: self.s.sources.again(upper.src) },
                },
                _ => {
                    return Err(self.error(
                        crate::tvmscript::diagnostics::MALFORMED_FORM,
                        range,
                        "the slice has no end",
                    ));
                }
            });
        }
        Ok(extents)
    }

    /// Arguments without a field of their own, as written.
    fn buffer_attrs(&mut self, form: BufferForm, args: &Args<'_>) -> AttrDict {
        let fields = ["shape", "dtype", "strides", "elem_offset", "scope", "param", "extents"];
        let keeps = |key: &str| !(fields.contains(&key) || key == "data" && form.takes_data());
        // What stands by its position is kept by its name, unless it says nothing.
        let n_positional = args.positional.len();
        let is_said = |this: &Self, index: usize, ex| index >= n_positional || !this.is_none(ex);
        let kept: Vec<_> = (args.named().enumerate())
            .filter(|&(index, (key, ex))| keeps(key) && is_said(self, index, ex))
            .map(|(_, it)| it)
            .collect();
        let attr = |this: &mut Self, (key, ex): (&str, Ex)| match key {
            "allocated_addr" => (key.into(), this.address_attr(ex)),
            _ => (key.into(), this.attr(ex)),
        };
        kept.into_iter().map(|it| attr(self, it)).collect()
    }

    /// An address that a buffer is given, or several. Names in it are found in no operand: they stay hidden.
    fn address_attr(&mut self, ex: Ex) -> ir::Attr {
        match *self.ast.kind(ex) {
            ExKind::Tuple(run) | ExKind::List(run) => {
                let ast = self.ast;
                ir::Attr::List(ast.exs(run).iter().map(|&it| self.address_attr(it)).collect())
            }
            ExKind::Subscript { .. } => {
                let uses = self.s.uses.len();
                let attr = self.attr_value(ex);
                self.s.uses.truncate(uses);
                attr
            }
            _ => self.attr(ex),
        }
    }

    /// A shape whose strings are symbols.
    fn extents(&mut self, ex: Ex) -> R<Vec<Tx>> {
        self.symbolic_list(ex, DataType::INT32)
    }

    fn symbolic_list(&mut self, ex: Ex, dtype: DataType) -> R<Vec<Tx>> {
        let ast = self.ast;
        match ast.kind(ex) {
            ExKind::Tuple(run) | ExKind::List(run) => {
                let mut all = Vec::new();
                for &item in ast.exs(*run) {
                    match *ast.kind(item) {
                        ExKind::Star(inner) => match self.open_spread(inner)? {
                            Some(tx) => all.push(tx),
                            None => {
                                for ev in self.spread(inner)? {
                                    all.push(self.lift(&ev)?);
                                }
                            }
                        },
                        _ => all.push(self.symbolic(item, dtype)?),
                    }
                }
                Ok(all)
            }
            ExKind::Str(_) => Ok(vec![self.symbolic(ex, dtype)?]),
            _ => self.shape(ex),
        }
    }

    /// The value after a `*` that is a captured one, which may be any number of values.
    fn open_spread(&mut self, inner: Ex) -> R<Option<Tx>> {
        let ev = self.eval(inner)?;
        match self.is_captured(&ev.val) {
            true => Ok(Some(self.lift(&ev)?)),
            false => Ok(None),
        }
    }

    /// An extent; a string is an expression over symbols, which it defines where they are new.
    pub(super) fn symbolic(&mut self, ex: Ex, dtype: DataType) -> R<Tx> {
        let ev = self.eval(ex)?;
        match &ev.val {
            Val::Const(Constant::Str(text)) => {
                let text = text.to_string();
                self.quoted(ex, &text, dtype)
            }
            _ => self.lift(&ev),
        }
    }

    /// A quoted extent: `"n"`, `"n * T.int64(2)"`.
    fn quoted(&mut self, ex: Ex, text: &str, dtype: DataType) -> R<Tx> {
        let text = text.trim();
        let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '_')
            && text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if is_name {
            let value = self.symbol(text, ex, dtype);
            let id = self.s.body.value_expr(value);
            let at = self.at(ex);
            return Ok(self.tx(id, at));
        }
        let parse = syntax::parse(text);
        let green = syntax::Green::of(&parse.syntax());
        let ast = crate::tvmscript::ast::read(&green);
        let expression = ast.root.first().and_then(|&it| match ast.stmt(it).kind {
            crate::tvmscript::ast::StKind::Expr(ex) => Some(ex),
            _ => None,
        });
        let Some(expression) = expression.filter(|_| ast.errors.is_empty()) else {
            return Err(self.malformed(ex, "the quoted extent cannot be read"));
        };
        let range = self.range(ex);
        let mut inner = Lowerer { s: &mut *self.s, ast: &ast, expansion: Some(range) };
        for node in &ast.exprs {
            if let ExKind::Name(name) = node.kind {
                inner.quoted_name(name, expression, dtype);
            }
        }
        let tx = inner.expr(expression)?;
        Ok(Tx { id: tx.id, src: self.s.sources.again(tx.src) })
    }

    /// Defines a name in a quoted extent unless something visible has it.
    fn quoted_name(&mut self, name: &str, ex: Ex, dtype: DataType) {
        let id = self.s.body.intern(name);
        if self.s.scopes.lookup(id).is_some() {
            return;
        }
        // A scalar parameter that comes later is nearer than a type variable of the module.
        let is_new = self.s.later_params.contains_key(name)
            || matches!(self.s.env.resolve(name), crate::tvmscript::Capture::Undefined);
        if is_new {
            self.symbol(name, ex, dtype);
        }
    }

    /// The value of a symbol of the signature: the one that is there, a type variable, or a new one.
    fn symbol(&mut self, name: &str, ex: Ex, dtype: DataType) -> ir::ValueId {
        let id = self.s.body.intern(name);
        if let Some(binding) = self.s.scopes.lookup(id)
            && let Val::Expr(expr) = binding.val
            && let ir::ExprKind::Value(value) = self.s.body.expr(expr).kind
        {
            let definition = binding.definition;
            self.mention(self.ast.range(ex), definition);
            return value;
        }
        if !self.s.later_params.contains_key(name)
            && matches!(self.s.env.resolve(name), crate::tvmscript::Capture::TypeVar(_))
            && let Ok(ev) = self.name(name, ex)
            && let Val::Expr(expr) = ev.val
            && let ir::ExprKind::Value(value) = self.s.body.expr(expr).kind
        {
            return value;
        }
        let dtype = self.s.later_params.get(name).copied().unwrap_or(dtype);
        let value = self.s.body.new_value(name, dtype.into(), ValueKind::Symbol);
        self.define_value(name, ex, DefinitionKind::Symbol, value);
        value
    }

    // ---- making the operation ----

    /// Emits the operation of a form and defines its name.
    pub(super) fn make_buffer(
        &mut self,
        name: &str,
        target: Ex,
        form: BufferForm,
        spec: BufferSpec,
    ) -> (BufferId, OpId) {
        self.check_redefinition_of_buffer(name, target);
        let (buffer, op) = self.new_buffer(name, form, spec);
        self.define_at(name, target, DefinitionKind::Buffer, Val::Buffer(buffer));
        (buffer, op)
    }

    /// Emits the operation of a form.
    pub(super) fn new_buffer(
        &mut self,
        name: &str,
        form: BufferForm,
        spec: BufferSpec,
    ) -> (BufferId, OpId) {
        let BufferSpec { mut buffer, operands } = spec;
        buffer.name = self.s.body.intern(name);
        let buffer = self.s.body.buffers.push(buffer);
        let kind = match form {
            BufferForm::Alloc(kind, _) => OpKind::Alloc { buffer, kind },
            _ => OpKind::DeclBuffer { buffer },
        };
        let op = self.emit(kind, &operands);
        let mark = match form {
            BufferForm::Name => Some(ir::PLAIN_NAME),
            BufferForm::Alias => Some(ir::ALLOCATED_ALIAS),
            _ => None,
        };
        if let Some(mark) = mark {
            let attrs = vec![(mark.into(), ir::Attr::Bool(true))];
            self.s.body.ops[op].attrs = self.s.body.attr_dict(attrs);
        }
        (buffer, op)
    }

    /// The form of an allocation whose memory is that of a buffer which has some.
    pub(super) fn memory_form(&mut self, form: BufferForm, args: &Args<'_>) -> BufferForm {
        let ast = self.ast;
        if form == BufferForm::Alloc(AllocKind::SBlock, "")
            && let Some(data) = args.get("data")
            && let ExKind::Attr { base, name: "data", .. } = *ast.kind(data)
            && let ExKind::Name(owner) = *ast.kind(base)
            && let Some(Val::Buffer(_)) = self.peek(owner)
        {
            return BufferForm::Alias;
        }
        form
    }

    fn check_redefinition_of_buffer(&mut self, name: &str, target: Ex) {
        let id = self.s.body.intern(name);
        let is_buffer =
            self.s.scopes.in_innermost(id).is_some_and(|it| matches!(it.val, Val::Buffer(_)));
        if is_buffer && self.has_cells() {
            self.check_redefinition(name, target);
        }
    }

    /// A new mutable scalar.
    pub(super) fn new_cell(&mut self, name: &str, target: Ex, dtype: DataType) -> BufferId {
        let at = At { is_real: false, ..self.at(target) };
        let one = self.int(1, DataType::INT32, at);
        let buffer = Buffer {
            name: self.s.body.intern(name),
            dtype,
            shape: vec![one.id],
            strides: None,
            elem_offset: None,
            scope: MemoryScope::Local,
            origin: BufferOrigin::Cell,
            attrs: ir::Body::no_attrs(),
        };
        let buffer = self.s.body.buffers.push(buffer);
        self.emit(OpKind::Alloc { buffer, kind: AllocKind::Flat }, &[one]);
        self.define_at(name, target, DefinitionKind::Cell, Val::Cell(buffer));
        buffer
    }
}
