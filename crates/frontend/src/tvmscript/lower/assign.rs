//! Assignments: the value decides whether they store, bind, declare, or only name.

use std::rc::Rc;

use ir::{DataType, MemoryScope, OpKind, Type, ValueKind};
use smallvec::SmallVec;
use syntax::SyntaxKind;

use super::{
    Doubt, Lowerer, R,
    arguments::Args,
    buffers::{BufferForm, buffer_form},
    source_tree::At,
    value::{Ev, IsSize, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind},
    diagnostics,
    environment::Constant,
    source_map::DefinitionKind,
};

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn assign(&mut self, target: Ex, value: Ex) -> R<()> {
        let ast = self.ast;
        match *ast.kind(target) {
            ExKind::Subscript { base, index } => self.assign_element(target, base, index, value),
            ExKind::Name(name) => self.assign_name(name, target, value),
            ExKind::Tuple(run) | ExKind::List(run) => self.assign_many(target, run, value),
            _ => Err(self.unsupported(target, "an assignment to this")),
        }
    }

    fn assign_element(&mut self, target: Ex, base: Ex, index: Ex, value: Ex) -> R<()> {
        let value = self.assigned(value)?;
        let buffer = self.eval(base)?;
        if matches!(buffer.val, Val::Dict | Val::Entries(_)) && self.is_tile_source() {
            // A dictionary of Python: what is read of it from now on is not known.
            self.note_kept(self.range(target));
            return Err(super::Reported);
        }
        let (Val::Buffer(buffer) | Val::Cell(buffer)) = buffer.val else {
            return Err(self.malformed(base, "only elements of buffers can be assigned"));
        };
        let dims = self.dims(index)?;
        let indices = self.store_indices(&dims)?;
        self.store(target, buffer, &indices, &value, None)
    }

    fn assign_name(&mut self, name: &str, target: Ex, value: Ex) -> R<()> {
        if let Some((form, args)) = self.form_call(value) {
            self.check_form(&form, &args)?;
            if let Some(kind) = buffer_form(&form, self.is_legacy()) {
                let kind = self.memory_form(kind, &args);
                let spec = self.buffer_spec(value, kind, &args)?;
                self.make_buffer(name, target, kind, spec);
                return Ok(());
            }
            if self.tile_assign(name, target, (&form, value), &args)? {
                return Ok(());
            }
            match &*form {
                "axis.spatial" | "axis.S" | "axis.reduce" | "axis.R" | "axis.scan"
                | "axis.opaque" => {
                    return self.axis(name, target, value, &form, &args);
                }
                "axis.remap" => return self.remap(&[target], value, &args),
                "launch_thread" | "LetStmt" => {
                    return self.concise(value, &form, &args, Some((name, target)));
                }
                // A frame of TileLang's builder, which holds the rest of the list.
                "thread_binding" if self.is_tile_source() => {
                    return self.bound_thread(name, target, value, &args);
                }
                "env_thread" => return self.env_thread(name, target, value, &args),
                "bind" | "Bind" => {
                    let Some(inner) = args.get("value") else {
                        return Err(self.malformed(value, "T.bind takes a value"));
                    };
                    let inner = self.expr(inner)?;
                    return self.bind_as(name, target, inner, &args);
                }
                "meta_var" => {
                    let ev = self.eval(value)?;
                    return self.alias(name, target, ev);
                }
                "local_scalar" | "shared_scalar" | "alloc_scalar" => {
                    let dtype = match args.get("dtype") {
                        Some(ex) => match self.type_of(ex)?.prim() {
                            Some(dtype) => dtype,
                            None => return Err(self.unsupported(ex, "a scalar of this type")),
                        },
                        None => DataType::FLOAT32,
                    };
                    let scope = self.scalar_scope(&form, &args)?;
                    let buffer = self.new_cell(name, target, dtype);
                    self.s.body.buffers[buffer].scope = scope;
                    return Ok(());
                }
                "alloc_tcgen05_ldst_frag" | "alloc_cast_frag" => {
                    let (form, spec) = self.fragment(value, &form, &args)?;
                    self.make_buffer(name, target, form, spec);
                    return Ok(());
                }
                "comm_reducer" | "iter_var" | "index_map" => {
                    let ev = self.eval(value)?;
                    return self.alias(name, target, ev);
                }
                _ => {}
            }
        }
        if let Some((form, spec)) = self.pool(value)? {
            self.make_buffer(name, target, form, spec);
            return Ok(());
        }
        if let Some(spec) = self.view_spec(value)? {
            self.make_buffer(name, target, BufferForm::Decl, spec);
            return Ok(());
        }
        if matches!(self.ast.kind(value), ExKind::Call { .. }) {
            self.s.call_target = Some((self.s.body.intern(name), value));
        }
        self.s.returned_meta = false;
        // A part of a buffer is a part of it under another name (TileLang), or the vector of its elements.
        let ev = match self.is_tile_source() {
            true => self.eval(value).map(|ev| self.of_python(value, ev)),
            false => self.assigned(value),
        };
        self.s.call_target = None;
        let ev = ev?;
        if self.is_meta(value) {
            return self.alias(name, target, ev);
        }
        // `n = T.int64()` is a variable in TileLang too, where a type may have another name (`dtype = T.int64`).
        let is_made = matches!(*self.ast.kind(value), ExKind::Call { args, .. } if args.is_empty());
        match ev.val {
            Val::Type(ty) if is_made && self.is_tile_source() => {
                self.declare(name, target, ty, IsSize(false));
                Ok(())
            }
            _ => self.assign_value(name, target, ev),
        }
    }

    /// The memory of a scalar that is allocated by name.
    fn scalar_scope(&mut self, form: &str, args: &Args<'_>) -> R<MemoryScope> {
        let scope = match form {
            "local_scalar" => return Ok(MemoryScope::Local),
            "shared_scalar" => return Ok(MemoryScope::Shared),
            _ => args.get("scope"),
        };
        let Some(scope) = scope else { return Ok(MemoryScope::Global) };
        let ev = self.eval(scope)?;
        match self.const_str(&ev.val) {
            Some(text) => Ok(self.s.body.memory_scope(&text)),
            None => Err(self.unsupported(scope, "a storage scope that is not known here")),
        }
    }

    /// `name = value` with an evaluated value.
    fn assign_value(&mut self, name: &str, target: Ex, ev: Ev) -> R<()> {
        if self.is_tile_source() {
            return self.rebind(name, target, ev);
        }
        match self.peek(name) {
            Some(Val::Expr(id)) if self.is_plain_name(id) => {
                // Memory or a name for a value, and so a store or another name: that is for the value to say.
                if self.s.body.ty(id) == Type::Unknown {
                    self.s.doubt = Doubt::Unknown;
                }
                return Err(self.unsupported(target, "another value of unknown kind for this name"));
            }
            Some(Val::Cell(buffer)) => return self.store_cell(target, buffer, &ev),
            // A value of Python may be another buffer, and then the name stands for that.
            Some(Val::Buffer(buffer))
                if self.is_one_element(buffer) && self.is_unknown(&ev.val) =>
            {
                self.s.doubt = Doubt::Unknown;
                return Err(self.unsupported(target, "a value of unknown kind for this name"));
            }
            Some(Val::Buffer(buffer)) if self.is_one_element(buffer) && is_storable(&ev.val) => {
                let zero = self.zero(target);
                self.name(name, target)?;
                return self.store(target, buffer, &[zero], &ev, None);
            }
            _ => {}
        }
        match &ev.val {
            Val::Expr(_) | Val::Cell(_) | Val::Thread(..) | Val::Bound(..) | Val::Python => {}
            Val::Const(Constant::Bool(_) | Constant::Int(_) | Constant::Float(_)) => {}
            Val::Const(Constant::Str(_)) => {
                let value = self.lift(&ev)?;
                self.bind(name, target, value, None);
                return Ok(());
            }
            Val::Type(ty) => {
                self.declare(name, target, *ty, IsSize(false));
                return Ok(());
            }
            Val::SizeType(ty) => {
                self.declare(name, target, *ty, IsSize(true));
                return Ok(());
            }
            // A number makes memory, which another assignment writes, or a binding in the legacy dialect.
            Val::Unknown(_) if self.is_captured(&ev.val) && !self.ast.is_assigned_once(name) => {}
            _ => return self.alias(name, target, ev),
        }
        let value = self.lift(&ev)?;
        if self.has_cells() && ir::role::defines_threads(&self.s.body, value.id) {
            // Whatever its type: the name of an index, no memory.
            self.bind_plainly(name, target, value);
            return Ok(());
        }
        let dtype = self.dtype(value).filter(|it| *it != DataType::HANDLE && *it != DataType::VOID);
        match dtype {
            Some(dtype) if self.has_cells() => {
                let buffer = self.new_cell(name, target, dtype);
                let zero = self.zero(target);
                self.emit(OpKind::Store { buffer, predicated: false }, &[value, zero]);
            }
            _ if self.ty(value) == Type::Unknown && self.has_cells() => {
                self.bind_plainly(name, target, value);
            }
            _ => {
                self.bind(name, target, value, None);
            }
        }
        Ok(())
    }

    /// A name without an annotation of its kind, which stays so.
    fn bind_plainly(&mut self, name: &str, target: Ex, value: Tx) {
        let op = self.bind(name, target, value, None);
        let attrs = vec![(ir::PLAIN_NAME.into(), ir::Attr::Bool(true))];
        self.s.body.ops[op].attrs = self.s.body.attr_dict(attrs);
    }

    /// Returns true if a value was named by `name = value` without a type annotation or a TIR binding form.
    fn is_plain_name(&self, id: ir::ExprId) -> bool {
        let ir::ExprKind::Value(value) = self.s.body.expr(id).kind else { return false };
        match self.s.body.values[value].kind {
            ValueKind::Result(op, _) => self.s.body.is_plain_name(op),
            _ => false,
        }
    }

    fn zero(&mut self, target: Ex) -> Tx {
        let range = self.range(target);
        self.virtual_int(0, DataType::INT32, range)
    }

    fn is_one_element(&self, buffer: ir::BufferId) -> bool {
        let shape = &self.s.body.buffers[buffer].shape;
        match shape[..] {
            [extent] => matches!(self.s.body.expr(extent).kind, ir::ExprKind::Int(1)),
            _ => false,
        }
    }

    pub(super) fn store_cell(&mut self, target: Ex, buffer: ir::BufferId, value: &Ev) -> R<()> {
        if let ExKind::Name(name) = *self.ast.kind(target) {
            self.name(name, target)?;
        }
        let zero = self.zero(target);
        self.store(target, buffer, &[zero], value, None)
    }

    /// A name for something that is no IR: a tuple, a namespace, a buffer, a function.
    fn alias(&mut self, name: &str, target: Ex, ev: Ev) -> R<()> {
        if self.expansion.is_none() && may_hold_memory(&ev.val) {
            self.s.aliases.push(self.s.stmt_range);
        }
        self.define_at(name, target, DefinitionKind::Meta, ev.val);
        Ok(())
    }

    /// `n = T.int32()`: a symbol, made when it is first used; a quoted shape may have made it before.
    fn declare(&mut self, name: &str, target: Ex, ty: Type, is_size: IsSize) {
        let id = self.s.body.intern(name);
        if let Some(binding) = self.s.scopes.lookup(id)
            && let Val::Expr(expr) = binding.val
            && let ir::ExprKind::Value(value) = self.s.body.expr(expr).kind
            && self.s.body.values[value].kind == ValueKind::Symbol
            && self.s.body.values[value].ty == ty
        {
            let definition = binding.definition;
            self.mention(self.ast.range(target), definition);
            return;
        }
        self.define_at(name, target, DefinitionKind::Symbol, Val::Declared(ty, is_size));
    }

    /// An immutable binding.
    pub(super) fn bind(&mut self, name: &str, target: Ex, value: Tx, ty: Option<Type>) -> ir::OpId {
        let id = self.s.body.intern(name);
        // What is not known may be memory, and then this is a store.
        let is_binding = self.s.scopes.in_innermost(id).is_some_and(|it| {
            self.s.definitions[it.definition.0 as usize].kind == DefinitionKind::Binding
                && !matches!(it.val, Val::Unknown(_))
        });
        if is_binding && self.has_cells() {
            self.check_redefinition(name, target);
        }
        let ty = ty.unwrap_or_else(|| self.ty(value));
        let op = self.emit(OpKind::Bind, &[value]);
        let result = self.s.body.push_result(op, name, ty);
        self.define_value(name, target, DefinitionKind::Binding, result);
        op
    }

    /// A binding of the type given by `T.bind(e, type)`.
    fn bind_as(&mut self, name: &str, target: Ex, value: Tx, args: &Args<'_>) -> R<()> {
        // `T.bind(A.data, type_annotation=A.data)`: the type of that variable.
        let is_type = |it: &Ex| !matches!(self.ast.kind(*it), ExKind::Attr { name: "data", .. });
        let of = args.get("type_annotation").filter(|&it| !self.is_none(it));
        match of.filter(is_type) {
            Some(ty) => {
                let ty = self.type_of(ty)?;
                self.let_checked(name, target, value, ty)
            }
            None => {
                self.bind(name, target, value, None);
                Ok(())
            }
        }
    }

    /// `T.bind(e, var=v)` as a statement.
    pub(super) fn bind_form(&mut self, ex: Ex, value: Ex, args: &Args<'_>) -> R<()> {
        let value = self.expr(value)?;
        match args.keyword("var").map(|it| (it, self.ast.kind(it))) {
            Some((target, ExKind::Name(name))) => self.bind_as(name, target, value, args),
            Some((target, _)) => Err(self.malformed(target, "a variable is needed")),
            None => Err(self.malformed(ex, "the binding has no name")),
        }
    }

    fn assign_many(&mut self, target: Ex, targets: crate::tvmscript::ast::Run, value: Ex) -> R<()> {
        let ast = self.ast;
        let targets = ast.exs(targets);
        if let Some((form, args)) = self.form_call(value)
            && form == "axis.remap"
        {
            self.check_form(&form, &args)?;
            return self.remap(targets, value, &args);
        }
        if let Some((form, args)) = self.form_call(value)
            && ir::Intrinsic::of_name(&form).is_scope_index()
        {
            return self.scope_indices(target, targets, value, (&form, &args));
        }
        if let ExKind::Tuple(run) | ExKind::List(run) = *ast.kind(value)
            && run.len() == targets.len()
            && !targets.iter().any(|&it| matches!(ast.kind(it), ExKind::Star(_)))
        {
            // All values are evaluated before the first target is bound.
            let mut values = Vec::with_capacity(targets.len());
            for &value in ast.exs(run) {
                values.push(self.eval(value)?);
            }
            if self.is_tile_source() {
                values = self.before_stores(targets, values)?;
            }
            for (&target, ev) in targets.iter().zip(values) {
                self.assign_one(target, ev)?;
            }
            return Ok(());
        }
        // What `T.meta_var` gives is no variable, and neither are its parts.
        self.s.returned_meta = false;
        let ev = self.eval(value)?;
        let is_meta = self.is_meta(value);
        let is_plain = !targets.iter().any(|&it| matches!(ast.kind(it), ExKind::Star(_)));
        let open = match is_plain && self.is_captured(&ev.val) {
            true => self.captured_items(value, &ev, targets.len()),
            false => None,
        };
        let Some(items) = open.or_else(|| self.items(&ev)) else {
            return Err(self.unsupported(value, "unpacking this"));
        };
        if items.len() != targets.len() {
            let message = format!("{} values for {} names", items.len(), targets.len());
            return Err(self.malformed(target, message));
        }
        for (&target, ev) in targets.iter().zip(items) {
            match *self.ast.kind(target) {
                ExKind::Name(name) if is_meta => self.alias(name, target, ev)?,
                _ => self.assign_one(target, ev)?,
            }
        }
        Ok(())
    }

    /// Returns true if a value that has been read is what `T.meta_var` gives, here or where a helper returns.
    fn is_meta(&mut self, value: Ex) -> bool {
        match self.form_call(value) {
            Some((form, _)) => form == "meta_var",
            None => self.s.returned_meta && matches!(self.ast.kind(value), ExKind::Call { .. }),
        }
    }

    /// `x, y = T.cta_id([2, 4])`: one binding an axis.
    fn scope_indices(
        &mut self,
        target: Ex,
        targets: &[Ex],
        value: Ex,
        (form, args): (&str, &Args<'_>),
    ) -> R<()> {
        let call = self.generic_tx(value, form, args)?;
        let ir::ExprKind::Call { callee, args, attrs, .. } = self.kind(call) else {
            return Err(super::Reported);
        };
        let args = self.s.body.items(args).to_vec();
        if let Some(&extents) = args.first()
            && let ir::ExprKind::Tuple(extents) = self.s.body.expr(extents).kind
            && let found = self.s.body.items(extents).len()
            && found != targets.len()
        {
            let message = format!("{found} indices for {} names", targets.len());
            return Err(self.malformed(target, message));
        }
        let mut named = Vec::with_capacity(targets.len());
        for &target in targets {
            match *self.ast.kind(target) {
                ExKind::Name(name) => named.push((name, target)),
                _ => return Err(self.unsupported(target, "an assignment to this")),
            }
        }
        let (ty, count) = (self.ty(call), named.len());
        let attrs = self.s.body.dict(attrs).clone();
        let mut src = call.src;
        for (axis, (name, target)) in named.into_iter().enumerate() {
            let place = [axis, count].map(|it| ir::Attr::Int(it as i64, None));
            let mut attrs = attrs.clone();
            attrs.push((ir::SCOPE_AXIS.into(), ir::Attr::List(place.into())));
            let attrs = self.s.body.attr_dict(attrs);
            let id = self.made_call(callee, &args, attrs, ty);
            self.bind_plainly(name, target, Tx { id, src });
            src = self.s.sources.again(src);
        }
        Ok(())
    }

    fn assign_one(&mut self, target: Ex, ev: Ev) -> R<()> {
        if self.is_tile_source() {
            return self.assign_part(target, &ev);
        }
        match *self.ast.kind(target) {
            ExKind::Name(name) => self.assign_value(name, target, ev),
            _ => Err(self.unsupported(target, "an assignment to this")),
        }
    }

    // ---- x += e ----

    pub(super) fn aug_assign(&mut self, target: Ex, op: SyntaxKind, value: Ex) -> R<()> {
        let ast = self.ast;
        let current = self.eval(target)?;
        let range = self.range(target);
        // The target is written once and is both read and written: what is read has no text of its own.
        let current = Ev { src: self.s.sources.again(current.src), val: current.val };
        let value = self.eval(value)?;
        let at = At { range: range.cover(self.s.sources.range(value.src)), is_real: false };
        let op = binary_of(op);
        let result = self.binary_values(op, &current, &value, at, target)?;
        match *ast.kind(target) {
            ExKind::Subscript { base, index } => {
                let buffer = self.eval(base)?;
                let Val::Buffer(buffer) = buffer.val else {
                    return Err(self.malformed(base, "only elements of buffers can be assigned"));
                };
                let dims = self.dims(index)?;
                let indices: SmallVec<[Tx; 4]> = self.store_indices(&dims)?;
                self.store(target, buffer, &indices, &result, None)
            }
            ExKind::Name(name) => self.assign_value(name, target, result),
            _ => Err(self.unsupported(target, "an assignment to this")),
        }
    }

    // ---- x: type = e ----

    pub(super) fn ann_assign(&mut self, target: Ex, annotation: Ex, value: Option<Ex>) -> R<()> {
        let ExKind::Name(name) = *self.ast.kind(target) else {
            return Err(self.unsupported(target, "an annotation of this"));
        };
        if self.is_tile_source() {
            return match value {
                Some(value) => {
                    // What the annotation says is not looked at.
                    let _ = self.eval(annotation);
                    self.assign_name(name, target, value)
                }
                None if self.tensor_statement(name, target, annotation)? => Ok(()),
                None => Err(super::Reported),
            };
        }
        let value = value.map(|it| self.assigned(it)).transpose()?;
        let annotated = self.eval(annotation)?;
        match &annotated.val {
            Val::LetAnnotation(ty) => match value {
                Some(value) => self.let_statement(name, target, &value, *ty),
                None => Err(self.malformed(annotation, "T.let needs a value")),
            },
            Val::VectorAnnotation(dtype, shape) => {
                let (dtype, ids) = (*dtype, Rc::clone(shape));
                let mut shape = Vec::with_capacity(ids.len());
                for (index, &id) in ids.iter().enumerate() {
                    let src = self.s.sources.part(annotated.src, index, ids.len());
                    shape.push(Tx { id, src });
                }
                self.local_vector(name, target, dtype, &shape)
            }
            Val::Type(ty) => self.typed(name, target, *ty, value),
            _ => match value {
                Some(value) => {
                    let value = self.lift(&value)?;
                    self.bind(name, target, value, None);
                    Ok(())
                }
                None => Err(self.malformed(annotation, "a type is needed here")),
            },
        }
    }

    /// `x: T.let[T.int32] = e`
    fn let_statement(&mut self, name: &str, target: Ex, value: &Ev, ty: Option<Type>) -> R<()> {
        let value = self.lift(value)?;
        if let (Some(Type::Prim(wanted)), Some(found)) = (ty, self.dtype(value))
            && wanted != found
            && wanted != DataType::HANDLE
            && !wanted.is_symbolic()
            && !found.is_symbolic()
        {
            let range = self.tx_range(value);
            let message = format!("`{name}` is {wanted}, its value is {found}");
            let reported = self.error(diagnostics::DTYPE_MISMATCH, range, message);
            if let Some(last) = self.s.diagnostics.last_mut() {
                last.help = Some(format!("convert the value: `T.Cast(\"{wanted}\", …)`"));
            }
            return Err(reported);
        }
        self.bind(name, target, value, ty);
        Ok(())
    }

    /// `x: T.float32[4]`
    fn local_vector(&mut self, name: &str, target: Ex, dtype: DataType, shape: &[Tx]) -> R<()> {
        use super::buffers::BufferSpec;
        let buffer = ir::Buffer {
            name: self.s.body.intern(name),
            dtype,
            shape: shape.iter().map(|it| it.id).collect(),
            strides: None,
            elem_offset: None,
            scope: MemoryScope::Local,
            origin: ir::BufferOrigin::Alloc,
            attrs: ir::Body::no_attrs(),
        };
        let spec = BufferSpec { buffer, operands: shape.to_vec() };
        self.make_buffer(name, target, BufferForm::Alloc(ir::AllocKind::Flat, "local"), spec);
        Ok(())
    }

    /// `x: T.int32 = e`: a cell in tirx, a binding in the other dialects and for pointers.
    fn typed(&mut self, name: &str, target: Ex, ty: Type, value: Option<Ev>) -> R<()> {
        let cell = match ty {
            Type::Prim(dtype) if dtype != DataType::HANDLE && self.has_cells() => Some(dtype),
            _ => None,
        };
        if let Some(dtype) = cell {
            let value = match value {
                Some(value) => {
                    let value = self.lift(&value)?;
                    let node = self.s.body.expr(value.id);
                    Some(match self.dtype(value) {
                        Some(_) => self.cast_to(value, dtype)?,
                        None if node.ty == Type::Unknown && !node.flags.has_unknown => {
                            self.cast_node(value, dtype)
                        }
                        None => value,
                    })
                }
                None => None,
            };
            let buffer = self.new_cell(name, target, dtype);
            if let Some(value) = value {
                let zero = self.zero(target);
                self.emit(OpKind::Store { buffer, predicated: false }, &[value, zero]);
            }
            return Ok(());
        }
        match value {
            Some(value) => {
                let value = self.lift(&value)?;
                let value = match (ty, self.kind(value)) {
                    (Type::Prim(dtype), ir::ExprKind::Int(_) | ir::ExprKind::Float(_)) => {
                        self.cast_to(value, dtype)?
                    }
                    _ => value,
                };
                self.let_checked(name, target, value, ty)
            }
            None => {
                self.declare(name, target, ty, IsSize(false));
                Ok(())
            }
        }
    }

    fn let_checked(&mut self, name: &str, target: Ex, value: Tx, ty: Type) -> R<()> {
        let ev = Ev { val: Val::Expr(value.id), src: value.src };
        self.let_statement(name, target, &ev, Some(ty))
    }
}

/// Returns true if a text that is kept may use memory by a name for this.
fn may_hold_memory(val: &Val) -> bool {
    !matches!(
        val,
        Val::Expr(_)
            | Val::Const(_)
            | Val::Type(_)
            | Val::SizeType(_)
            | Val::Namespace(_)
            | Val::Intrinsic(_)
            | Val::Path(_)
            | Val::Static(_)
            | Val::Unknown(_)
    )
}

fn is_storable(val: &Val) -> bool {
    matches!(
        val,
        Val::Expr(_)
            | Val::Cell(_)
            | Val::Bound(..)
            | Val::Thread(..)
            | Val::Const(Constant::Bool(_) | Constant::Int(_) | Constant::Float(_))
    )
}

/// The operator of an augmented assignment.
pub(super) fn binary_of(op: SyntaxKind) -> SyntaxKind {
    match op {
        SyntaxKind::PLUS_EQ => SyntaxKind::PLUS,
        SyntaxKind::MINUS_EQ => SyntaxKind::MINUS,
        SyntaxKind::STAR_EQ => SyntaxKind::STAR,
        SyntaxKind::SLASH_EQ => SyntaxKind::SLASH,
        SyntaxKind::SLASH2_EQ => SyntaxKind::SLASH2,
        SyntaxKind::PERCENT_EQ => SyntaxKind::PERCENT,
        SyntaxKind::LT2_EQ => SyntaxKind::LT2,
        SyntaxKind::GT2_EQ => SyntaxKind::GT2,
        SyntaxKind::AMP_EQ => SyntaxKind::AMP,
        SyntaxKind::PIPE_EQ => SyntaxKind::PIPE,
        SyntaxKind::CARET_EQ => SyntaxKind::CARET,
        other => other,
    }
}
