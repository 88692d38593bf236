//! Calls in expressions: constructors of nodes, casts, operators of TVM by name, functions of the module.

use ir::{DataType, ExprKind, Type};
use smallvec::SmallVec;

use super::{
    Lowerer, R,
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, Run},
    environment::Constant,
};

/// The parameters of the forms that are statements, loops and scopes; buffers and calls keep what they have no field for.
fn statement_parameters(form: &str) -> Option<&'static [&'static str]> {
    Some(match form {
        "func_attr" | "block_attr" | "sblock_attr" => &["attrs"],
        "reads" | "writes" | "init" | "grid" | "break_loop" | "continue_loop" => &[],
        "where" => &["predicate"],
        "evaluate" => &["value"],
        "ret" => &["value", "val"],
        "bind" | "Bind" | "LetStmt" | "let" => &["value", "var"],
        "buffer_store" => &["buffer", "value", "indices"],
        "Assert" => &["condition", "message"],
        "launch_thread" => &["thread", "extent"],
        "env_thread" => &["thread_tag", "dtype"],
        "attr" => &["node", "attr_key", "value"],
        "sblock" | "block" => &["name"],
        "axis.spatial" | "axis.S" | "axis.reduce" | "axis.R" | "axis.scan" | "axis.opaque" => {
            &["dom", "binding"]
        }
        "axis.remap" => &["kinds", "bindings"],
        "local_scalar" | "shared_scalar" => &["dtype"],
        "alloc_scalar" => &["dtype", "scope"],
        "range" => &["start", "stop", "step"],
        "serial" | "parallel" | "vectorized" | "unroll" => {
            &["start", "stop", "step", "annotations", "unroll"]
        }
        "thread_binding" => &["start", "stop", "step", "annotations", "unroll", "thread"],
        _ => return None,
    })
}

/// What stands in the place of a type.
pub(super) enum Written {
    /// A type.
    Type(Type),
    /// A value of Python that is not known here and stays an operand: equal to itself only, printed as it was written.
    Symbolic(Tx),
}

/// The arguments of a call as written.
pub(super) struct Args<'a> {
    pub(super) positional: SmallVec<[Ex; 4]>,
    pub(super) keywords: SmallVec<[(&'a str, Ex); 4]>,
}

impl<'a> Args<'a> {
    /// The argument at `index`, or by its name.
    pub(super) fn get(&self, index: usize, name: &str) -> Option<Ex> {
        self.positional.get(index).copied().or_else(|| self.keyword(name))
    }
    pub(super) fn keyword(&self, name: &str) -> Option<Ex> {
        self.keywords.iter().find(|(key, _)| *key == name).map(|(_, ex)| *ex)
    }
}

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn args(&mut self, run: Run) -> Args<'a> {
        let mut args = Args { positional: SmallVec::new(), keywords: SmallVec::new() };
        for arg in self.ast.args(run) {
            match arg.keyword {
                Some((name, _)) => args.keywords.push((name, arg.value)),
                None if arg.is_splat => args.keywords.push(("**", arg.value)),
                None => args.positional.push(arg.value),
            }
        }
        args
    }

    pub(super) fn call(&mut self, ex: Ex, callee: Ex, function: Ev, args: Run) -> R<Ev> {
        match function.val {
            Val::Intrinsic(name) => {
                let name = self.s.body.name(name).to_owned();
                let args = self.args(args);
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
            Val::Function(signature) => self.function_call(ex, callee, &signature, args),
            Val::Path(path) => self.path_call(ex, path, args),
            Val::Unknown(_) => self.unknown_call(ex, callee, args),
            Val::Python => Ok(self.opaque_ex(ex)),
            Val::Expr(id) if self.s.body.ty(id) == Type::Unknown => Ok(self.opaque_ex(ex)),
            Val::Macro(..) | Val::LocalMacro(..) => {
                Err(self.unsupported(ex, "a macro's value in an expression"))
            }
            _ => Err(self.malformed(callee, "this cannot be called")),
        }
    }

    // ---- types as functions ----

    /// `T.float32(1.0)`, `T.int64(x)`, `T.handle("float32", "global")`, `T.int32()`
    fn type_call(&mut self, ex: Ex, ty: Type, args: Run) -> R<Ev> {
        let args = self.args(args);
        let names = ["dtype", "storage_scope", "is_size_var", "expr", "value"];
        self.only_keywords(&args, &names)?;
        let src = self.leaf(ex);
        let Some(&first) = args.positional.first().or(args.keywords.first().map(|(_, it)| it))
        else {
            return Ok(Ev { val: Val::Type(ty), src });
        };
        if ty == Type::Prim(DataType::HANDLE) {
            let ty = self.handle_type(&args)?;
            return Ok(Ev { val: Val::Type(ty), src });
        }
        if let Some(is_size) = args.keyword("is_size_var") {
            let val = match self.eval(is_size)?.val {
                Val::Const(Constant::Bool(true)) => Val::SizeType(ty),
                _ => Val::Type(ty),
            };
            return Ok(Ev { val, src });
        }
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

    fn handle_type(&mut self, args: &Args<'_>) -> R<Type> {
        let text = |this: &mut Self, ex: Option<Ex>| -> R<Option<String>> {
            let Some(ex) = ex else { return Ok(None) };
            let ev = this.eval(ex)?;
            Ok(this.const_str(&ev.val))
        };
        let element = text(self, args.get(0, "dtype"))?;
        let scope = text(self, args.get(1, "storage_scope"))?;
        let Some(element) = element else { return Ok(DataType::HANDLE.into()) };
        let Some(element) = DataType::parse(&element) else {
            let name = self.s.body.intern(&element);
            return Ok(Type::Named(name));
        };
        let scope = self.s.body.intern(scope.as_deref().unwrap_or("global"));
        Ok(Type::Pointer { element, scope })
    }

    /// A type named by an expression: `"float32"`, `T.float32`, `T.handle("float32")`, a captured name.
    pub(super) fn written_type(&mut self, ex: Ex) -> R<Written> {
        let ev = self.eval(ex)?;
        if let Val::Type(ty) = ev.val {
            return Ok(Written::Type(ty));
        }
        match self.const_str(&ev.val).as_deref().map(DataType::parse) {
            Some(Some(dtype)) => Ok(Written::Type(dtype.into())),
            None if matches!(ev.val, Val::Const(Constant::None)) => {
                Ok(Written::Type(Type::Unknown))
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

    /// A type where only a known one has a place in the IR.
    pub(super) fn type_of(&mut self, ex: Ex) -> R<Type> {
        match self.written_type(ex)? {
            Written::Type(ty) => Ok(ty),
            Written::Symbolic(_) => Err(self.unsupported(ex, "a type that is not known here")),
        }
    }

    /// Refuses arguments that a statement's form would lose.
    pub(super) fn check_form(&mut self, form: &str, args: &Args<'_>) -> R<()> {
        match statement_parameters(form) {
            Some(names) => self.only_keywords(args, names),
            None => Ok(()),
        }
    }

    /// A form's keyword arguments must be among these: what it has no place for would be lost.
    pub(super) fn only_keywords(&mut self, args: &Args<'_>, names: &[&str]) -> R<()> {
        for &(name, ex) in &args.keywords {
            if !(names.contains(&name) || name == "span" && self.is_none(ex)) {
                return Err(self.unsupported(ex, &format!("the argument `{name}`")));
            }
        }
        Ok(())
    }
}
