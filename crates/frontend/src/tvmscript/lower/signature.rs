//! The function itself: decorator, parameters, return type, body.

use ir::{Attr, Buffer, BufferOrigin, DataType, OpKind, Param, Type, ValueKind};
use syntax::SyntaxKind;

use super::{
    Lowerer, R,
    arguments::Args,
    buffers::{BufferForm, BufferSpec},
    calls::Written,
    value::Val,
};
use crate::tvmscript::{
    ast::{DefNode, Ex, ExKind, ParamNode},
    diagnostics,
    source_map::DefinitionKind,
};

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn function(&mut self, def: &DefNode<'_>, is_eager: bool) {
        self.decorator(def);
        self.s.scopes.push_frame();
        for &(name, range) in &def.type_params {
            let value = self.s.body.new_value(name, DataType::INT64.into(), ValueKind::Captured);
            self.s.body.values[value].is_size = true;
            let val = Val::Expr(self.s.body.value_expr(value));
            self.define(name, range, DefinitionKind::Symbol, val);
        }
        for param in &def.params {
            if let Some(annotation) = param.annotation.filter(|_| !is_eager)
                && let Some(dtype) = self.scalar_annotation(annotation)
            {
                self.s.later_params.insert(param.name.into(), dtype);
            }
        }
        for param in &def.params {
            if param.annotation.is_some_and(|it| self.is_constexpr(it)) {
                let value = self.s.body.new_value(param.name, Type::Unknown, ValueKind::Symbol);
                let val = Val::Expr(self.s.body.value_expr(value));
                self.define(param.name, param.name_range, DefinitionKind::Param, val);
            }
        }
        for param in &def.params {
            let param = &self.with_annotation(param);
            let is_open = is_eager && !self.is_tensor(param)
                || self.is_tile_source() && param.annotation.is_none();
            match is_open {
                true => self.eager_param(param),
                false => self.param(param),
            }
        }
        // The annotation of a function that Python executes is Python's: what the kernel returns is in its body. That
        // of a tensor is TileLang's, for who calls.
        if let Some(returns) = def.returns
            && !is_eager
            && !self.is_none(returns)
            && self.tensor_annotation(returns).is_none()
        {
            let ty = self.written_type(returns).ok().map(|it| self.annotated(it, returns));
            self.s.body.return_type = ty;
        }
        self.block_body(def.body);
        self.s.scopes.pop_frame();
    }

    /// Without a definition nothing is known: one opaque operation.
    pub(super) fn opaque_function(&mut self) {
        let text = self.s.text;
        let name = self.s.body.intern(text);
        self.s.stmt_range = syntax::TextRange::up_to(syntax::TextSize::of(text));
        self.emit(OpKind::Opaque(name), &[]);
    }

    /// Keyword arguments of the decorator, as written.
    fn decorator(&mut self, def: &DefNode<'_>) {
        for &decorator in &def.decorators {
            let callee = match *self.ast.kind(decorator) {
                ExKind::Call { callee, .. } => callee,
                _ => decorator,
            };
            // Mentions its names, for references.
            let _ = self.eval(callee);
            if let ExKind::Call { args, .. } = *self.ast.kind(decorator) {
                let args = self.args(args);
                let attrs = self.keyword_attrs(&args.keywords);
                self.s.is_checked &= !attrs
                    .iter()
                    .any(|(key, it)| &**key == "check_well_formed" && *it == Attr::Bool(false));
                self.s.body.decorator.extend(attrs);
            }
        }
    }

    /// `T.int32` as an annotation of a scalar parameter.
    fn scalar_annotation(&self, ex: Ex) -> Option<DataType> {
        let ast = self.ast;
        let callee = match *ast.kind(ex) {
            ExKind::Call { callee, .. } => callee,
            _ => ex,
        };
        match *ast.kind(callee) {
            ExKind::Attr { name, .. } => DataType::parse(name).filter(|&it| it != DataType::HANDLE),
            _ => None,
        }
    }

    /// `T.constexpr` as an annotation: a value of Python that a call of `specialize` gives, so that parameters before
    /// it may name it.
    fn is_constexpr(&self, ex: Ex) -> bool {
        matches!(*self.ast.kind(ex), ExKind::Attr { name: "constexpr", .. })
    }

    fn param(&mut self, param: &ParamNode<'_>) {
        let Some(annotation) = param.annotation else {
            if !param.name.is_empty() {
                let message = "a parameter needs a type";
                self.error(diagnostics::MALFORMED_FORM, param.name_range, message);
                self.scalar_param(param, Type::Unknown);
            }
            return;
        };
        let buffer_args = self.buffer_annotation(annotation);
        match buffer_args {
            Some(args) => {
                let spec = self.check_form("Buffer", &args);
                match spec.and_then(|()| self.buffer_spec(annotation, BufferForm::Decl, &args)) {
                    Ok(spec) => self.buffer_param(param, spec),
                    Err(_) => self.scalar_param(param, Type::Unknown),
                }
            }
            None if let Some((form, args)) = self.tensor_annotation(annotation) => {
                let form = form.strip_prefix("tl.").unwrap_or(&form).to_owned();
                match self.tile_memory(annotation, &form, &args) {
                    Ok(Some((_, spec))) => self.buffer_param(param, spec),
                    _ => self.scalar_param(param, Type::Unknown),
                }
            }
            None => {
                let n_diagnostics = self.s.diagnostics.len();
                let ty = self.param_type(annotation).unwrap_or(Type::Unknown);
                if ty == Type::Unknown {
                    // Its text is kept.
                    let mut at = 0;
                    self.s.diagnostics.retain(|it| {
                        at += 1;
                        at <= n_diagnostics || it.code != diagnostics::UNSUPPORTED_CONSTRUCT
                    });
                }
                self.scalar_param(param, ty);
                self.keep_annotation(annotation, ty);
            }
        }
    }

    /// A parameter whose type TileLang takes from its default value: `A=T.Tensor((n,), dtype)`.
    fn with_annotation<'p>(&mut self, param: &ParamNode<'p>) -> ParamNode<'p> {
        let default = param
            .default
            .filter(|&it| param.annotation.is_none() && self.tensor_annotation(it).is_some());
        ParamNode { annotation: param.annotation.or(default), ..*param }
    }

    /// Returns true if the header says that a parameter is a tensor.
    fn is_tensor(&mut self, param: &ParamNode<'_>) -> bool {
        param.annotation.is_some_and(|it| self.tensor_annotation(it).is_some())
    }

    /// Returns the arguments of an annotation that makes a buffer: `T.Buffer((16,), "float32")`, in older texts
    /// `T.Buffer[(16,), "float32"]`.
    fn buffer_annotation(&mut self, annotation: Ex) -> Option<Args<'a>> {
        let ast = self.ast;
        let (ExKind::Call { callee: form, .. } | ExKind::Subscript { base: form, .. }) =
            *ast.kind(annotation)
        else {
            return None;
        };
        let name = self.form_of(form)?;
        if !matches!(&*name, "Buffer" | "buffer" | "match_buffer") {
            return None;
        }
        match *ast.kind(annotation) {
            ExKind::Call { args, .. } => Some(self.form_args("Buffer", args)),
            ExKind::Subscript { index, .. } => match *ast.kind(index) {
                ExKind::Tuple(items) => Some(self.subscript_args("Buffer", ast.exs(items))),
                _ => None,
            },
            _ => None,
        }
    }

    fn param_type(&mut self, annotation: Ex) -> R<Type> {
        // `T.handle | None`: Python makes something of it that is no type of TVM.
        if let ExKind::Binary { op: SyntaxKind::PIPE, .. } = self.ast.kind(annotation) {
            return Ok(Type::Unknown);
        }
        // `T.Optional(T.handle)`: a parameter that a specialisation may leave out.
        if let ExKind::Call { callee, .. } = *self.ast.kind(annotation)
            && matches!(*self.ast.kind(callee), ExKind::Attr { name: "Optional", .. })
        {
            return Ok(Type::Unknown);
        }
        let ev = self.eval(annotation)?;
        match ev.val {
            Val::Type(ty) => Ok(ty),
            Val::Const(_) => self.type_of(annotation),
            // A captured type, a buffer type under a captured name, `T.Buffer` without arguments.
            _ => Ok(Type::Unknown),
        }
    }

    /// Keeps the text of a parameter's type that is not known here.
    fn keep_annotation(&mut self, annotation: Ex, ty: Type) {
        if let (Type::Unknown | Type::Named(_), Some(param)) = (ty, self.s.body.params.last()) {
            let value = param.value;
            let text = self.text(self.ast.range(annotation));
            let text = self.s.body.intern(&text);
            self.s.body.annotations.push((value, text));
        }
    }

    fn annotated(&mut self, written: Written, annotation: Ex) -> Type {
        match written {
            Written::Type(ty) if ty != Type::Unknown => ty,
            _ => {
                let text = self.text(self.ast.range(annotation));
                Type::Named(self.s.body.intern(&text))
            }
        }
    }

    pub(super) fn scalar_param(&mut self, param: &ParamNode<'_>, ty: Type) {
        let index = self.s.body.params.len() as u32;
        let id = self.s.body.intern(param.name);
        // A quoted shape may have made it already.
        let made = self.s.scopes.lookup(id).and_then(|it| match it.val {
            Val::Expr(expr) => match self.s.body.expr(expr).kind {
                ir::ExprKind::Value(value)
                    if self.s.body.values[value].kind == ValueKind::Symbol
                        && self.s.body.values[value].ty == ty =>
                {
                    Some((value, it.definition))
                }
                _ => None,
            },
            _ => None,
        });
        let value = match made {
            Some((value, definition)) => {
                self.s.body.values[value].kind = ValueKind::Param(index);
                if self.s.definitions[definition.0 as usize].range != param.name_range {
                    self.mention(param.name_range, definition);
                }
                let definition = &mut self.s.definitions[definition.0 as usize];
                definition.kind = DefinitionKind::Param;
                definition.range = param.name_range;
                value
            }
            None => {
                let value = self.s.body.new_value(param.name, ty, ValueKind::Param(index));
                let val = Val::Expr(self.s.body.value_expr(value));
                self.define(param.name, param.name_range, DefinitionKind::Param, val);
                value
            }
        };
        self.s.body.params.push(Param { value, buffer: None });
    }

    fn buffer_param(&mut self, param: &ParamNode<'_>, spec: BufferSpec) {
        let index = self.s.body.params.len() as u32;
        let handle = format!("{}_handle", param.name);
        let scope = spec.buffer.scope;
        let ty = Type::Pointer { element: spec.buffer.dtype, scope };
        let value = self.s.body.new_value(&handle, ty, ValueKind::Param(index));
        let name = self.s.body.intern(param.name);
        let buffer = Buffer { name, origin: BufferOrigin::Param, ..spec.buffer };
        let buffer = self.s.body.buffers.push(buffer);
        self.define(param.name, param.name_range, DefinitionKind::Param, Val::Buffer(buffer));
        self.s.body.params.push(Param { value, buffer: Some(buffer) });
    }

    /// `T.func_attr({...})`
    pub(super) fn func_attr(&mut self, dict: Ex) {
        for (key, value) in self.attr_dict(dict) {
            match self.s.body.attrs.iter_mut().find(|(it, _)| *it == key) {
                Some((_, old)) => *old = value,
                None => self.s.body.attrs.push((key, value)),
            }
        }
    }

    /// A message as data.
    pub(super) fn message_attr(&mut self, ex: Ex) -> Attr {
        self.attr(ex)
    }
}
