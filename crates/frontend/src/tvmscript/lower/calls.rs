//! Calls in expressions: constructors of nodes, casts, operators of TVM by name, functions of the module.

use ir::{DataType, ExprKind, Type};

use super::{
    Lowerer, R,
    arguments::{Args, HANDLE, NUMBER},
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, Run},
    environment::Constant,
};

/// The written form of a type.
pub(super) enum Written {
    /// A type.
    Type(Type),
    /// A value of Python that is not known here and stays an operand: equal to itself only, printed as it was written.
    Symbolic(Tx),
}

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn call(&mut self, ex: Ex, callee: Ex, function: Ev, args: Run) -> R<Ev> {
        match function.val {
            Val::Intrinsic(name) => {
                let name = self.s.body.name(name).to_owned();
                let args = self.form_args(&name, args);
                self.intrinsic(ex, &name, &args)
            }
            Val::Type(ty) => self.type_call(ex, ty, args),
            Val::Method(buffer, name) => {
                let name = self.s.body.name(name).to_owned();
                self.buffer_method(ex, buffer, &name, args)
            }
            Val::ExprMethod(id, name) => {
                let name = self.s.body.name(name).to_owned();
                let value = Tx { id, src: self.s.sources.part(function.src, 0, 1) };
                self.expr_method(ex, value, &name, args)
            }
            Val::Function(signature) => {
                let args = self.args(args);
                self.function_call(ex, callee, &signature, &args)
            }
            Val::Path(path) => self.path_call(ex, callee, path, args),
            Val::Static(_) => self.layout(ex),
            of @ Val::Unknown(_) => self.captured_call(ex, callee, &of, args),
            Val::Python => Ok(self.opaque_ex(ex)),
            Val::Expr(id) if self.s.body.ty(id) == Type::Unknown => Ok(self.opaque_ex(ex)),
            Val::Macro(..) | Val::LocalMacro(..) if self.is_tile_source() => {
                self.called_macro(ex, callee, args)
            }
            Val::Macro(..) | Val::LocalMacro(..) => {
                Err(self.unsupported(ex, "a macro's value in an expression"))
            }
            // A function of Python that a macro was given.
            Val::Lambda if self.is_tile_source() => Ok(self.opaque_ex(ex)),
            _ => Err(self.malformed(callee, "this cannot be called")),
        }
    }

    // ---- types as functions ----

    /// `T.float32(1.0)`, `T.int64(x)`, `T.handle("float32", "global")`, `T.int32()`
    fn type_call(&mut self, ex: Ex, ty: Type, args: Run) -> R<Ev> {
        let is_handle = ty == Type::Prim(DataType::HANDLE);
        let args = self.args_of(if is_handle { HANDLE } else { NUMBER }, args)?;
        let src = self.leaf(ex);
        if is_handle {
            let ty = self.handle_type(&args)?;
            return Ok(Ev { val: Val::Type(ty), src });
        }
        let written = ["expr", "value", "dtype"].into_iter().find_map(|it| args.get(it));
        let Some(first) = written.filter(|&it| !self.is_none(it)) else {
            let is_size = args.get("is_size_var").map(|it| self.eval(it)).transpose()?;
            let val = match is_size.map(|it| it.val) {
                None | Some(Val::Const(Constant::Bool(false))) => Val::Type(ty),
                Some(Val::Const(Constant::Bool(true))) => Val::SizeType(ty),
                Some(_) => return Err(self.unsupported(ex, "a variable of unknown kind")),
            };
            return Ok(Ev { val, src });
        };
        let Type::Prim(dtype) = ty else {
            return Err(self.malformed(ex, "this type takes no value"));
        };
        let value = self.eval(first)?;
        let at = self.at(ex);
        let tx = self.constructed(ex, &value, dtype, at)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    fn constructed(&mut self, ex: Ex, value: &Ev, dtype: DataType, at: At) -> R<Tx> {
        let src = self.s.sources.leaf(at);
        match &value.val {
            Val::Const(Constant::Int(it)) if dtype.is_scalar() => self.const_as(*it, dtype, src),
            Val::Const(Constant::Bool(it)) if dtype.is_scalar() => {
                self.const_as(i128::from(*it), dtype, src)
            }
            Val::Const(Constant::Float(bits)) if dtype.is_scalar() => {
                self.const_float_as(f64::from_bits(*bits), dtype, src)
            }
            Val::Const(Constant::Str(text)) => match text.parse::<f64>() {
                Ok(it) if dtype.is_float() => self.const_float_as(it, dtype, src),
                _ => Err(self.malformed(ex, "the text is no number of this type")),
            },
            _ => {
                let value = self.lift(value)?;
                self.written_cast(value, dtype, at)
            }
        }
    }

    /// A cast that the text asks for: folded as all casts are, else a node with this text.
    pub(super) fn written_cast(&mut self, value: Tx, dtype: DataType, at: At) -> R<Tx> {
        let cast = self.cast_to(value, dtype)?;
        if cast.id == value.id {
            return Ok(value);
        }
        Ok(match self.kind(cast) {
            ExprKind::Cast(inner) if inner == value.id => {
                Tx { id: cast.id, src: self.s.sources.node(at, &[value.src]) }
            }
            ExprKind::Int(_) | ExprKind::Float(_) => self.tx(cast.id, at),
            _ => cast,
        })
    }

    pub(super) fn handle_type(&mut self, args: &Args<'_>) -> R<Type> {
        let text = |this: &mut Self, ex: Option<Ex>| -> R<Option<(String, Ev)>> {
            let Some(ex) = ex.filter(|&it| !this.is_none(it)) else { return Ok(None) };
            let ev = this.eval(ex)?;
            match (this.const_str(&ev.val), &ev.val) {
                (Some(text), _) => Ok(Some((text, ev))),
                (None, Val::Type(Type::Prim(dtype))) => Ok(Some((dtype.to_string(), ev))),
                (None, _) if this.is_captured(&ev.val) => Ok(Some((String::new(), ev))),
                _ => Err(this.unsupported(ex, "a pointer of a type that is not known here")),
            }
        };
        let element = text(self, args.get("dtype"))?;
        let scope = text(self, args.get("storage_scope"))?;
        let Some((element, written)) = element else { return Ok(DataType::HANDLE.into()) };
        // A scope that is not known has no place in a type.
        if scope.as_ref().is_some_and(|(_, ev)| self.is_captured(&ev.val)) {
            return Ok(Type::Unknown);
        }
        let scope = scope.map(|it| it.0);
        let element = self.captured_dtype(&written).or_else(|| DataType::parse(&element));
        let Some(element) = element else {
            let name = self.const_str(&written.val).unwrap_or_default();
            let name = self.s.body.intern(&name);
            return Ok(Type::Named(name));
        };
        let scope = self.s.body.memory_scope(scope.as_deref().unwrap_or("global"));
        Ok(Type::Pointer { element, scope })
    }

    /// A type named by an expression: `"float32"`, `T.float32`, `T.handle("float32")`, a captured name.
    pub(super) fn written_type(&mut self, ex: Ex) -> R<Written> {
        let ev = self.eval(ex)?;
        if let Val::Type(ty) = ev.val {
            return Ok(Written::Type(ty));
        }
        // A type of elements that has no name here is one that is not known.
        if let Val::Intrinsic(_) = ev.val
            && self.is_tile_source()
        {
            let value = self.captured_text(&self.text(self.ast.range(ex)));
            let dtype = self.s.body.dtype_symbol(value);
            return Ok(Written::Type(dtype.map_or(Type::Unknown, Type::Prim)));
        }
        let text = self.const_str(&ev.val);
        match text.as_deref().map(DataType::parse) {
            Some(Some(dtype)) => Ok(Written::Type(dtype.into())),
            Some(None)
                if (self.is_legacy() || self.is_tile_source())
                    && text.as_deref().is_some_and(is_older_type) =>
            {
                let value = self.captured_text(&self.text(self.ast.range(ex)));
                let dtype = self.s.body.dtype_symbol(value);
                Ok(Written::Type(dtype.map_or(Type::Unknown, Type::Prim)))
            }
            None if matches!(ev.val, Val::Const(Constant::None)) => {
                Ok(Written::Type(Type::Unknown))
            }
            None if matches!(ev.val, Val::Unknown(_) | Val::Path(_))
                && let Some(dtype) = self.captured_dtype(&ev) =>
            {
                Ok(Written::Type(dtype.into()))
            }
            None if matches!(
                ev.val,
                Val::Unknown(_) | Val::Expr(_) | Val::Python | Val::Path(_)
            ) =>
            {
                let tx = self.lift(&ev)?;
                match self.ty(tx) {
                    Type::Unknown => Ok(Written::Symbolic(tx)),
                    _ => Err(self.malformed(ex, "a data type is needed here")),
                }
            }
            _ => Err(self.malformed(ex, "a data type is needed here")),
        }
    }

    /// The element type that a captured value is.
    fn captured_dtype(&mut self, ev: &Ev) -> Option<DataType> {
        let value = match ev.val {
            Val::Unknown(value) if self.s.body.is_captured(value) => value,
            Val::Path(_) => self.captured_path(ev)?,
            _ => return None,
        };
        self.s.body.dtype_symbol(value)
    }

    /// A type where only one that has a place in the IR does.
    pub(super) fn type_of(&mut self, ex: Ex) -> R<Type> {
        match self.written_type(ex)? {
            Written::Type(ty) => Ok(ty),
            Written::Symbolic(_) => Err(self.unsupported(ex, "a type that is not known here")),
        }
    }
}

/// Returns true for the name of an element type that TVM has no more: types of a user, and 8-bit floats before 0.20,
/// also those of AMD that compilers made of it have.
fn is_older_type(text: &str) -> bool {
    ["custom[", "e4m3_float8", "e5m2_float8", "e4m3fnuz_float8"]
        .iter()
        .any(|it| text.starts_with(it))
}
