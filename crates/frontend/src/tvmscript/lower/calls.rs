//! Calls in expressions: constructors of nodes, casts, operators of TVM by name, functions of the module.

use ir::{BinaryOp, Callee, DataType, ExprKind, Lanes, Type, UnaryOp};
use smallvec::SmallVec;

use super::{
    Lowerer, R,
    intrinsics::{self, ResultType},
    source_tree::{At, Src},
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    Severity,
    ast::{Ex, ExKind, Run},
    diagnostics,
    environment::{Constant, Signature},
    source_map::DefinitionKind,
};

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

    pub(super) fn call(&mut self, ex: Ex, callee: Ex, args: Run) -> R<Ev> {
        if let Some(name) = self.tir_member(callee)
            && ir::DataType::parse(name).is_none()
        {
            let args = self.args(args);
            return self.intrinsic(ex, name, &args);
        }
        let function = self.eval(callee)?;
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
                let value = Tx { id, src: function.src };
                self.expr_method(ex, callee, value, &name, args)
            }
            Val::Function(signature) => self.function_call(ex, &signature, args),
            Val::Path(path) => self.path_call(ex, path, args),
            Val::Unknown(_) => self.unknown_call(ex, callee, args),
            Val::Macro(_) | Val::LocalMacro(..) => {
                Err(self.unsupported(ex, "a macro's value in an expression"))
            }
            _ => Err(self.malformed(callee, "this cannot be called")),
        }
    }

    // ---- types as functions ----

    /// `T.float32(1.0)`, `T.int64(x)`, `T.handle("float32", "global")`, `T.int32()`
    fn type_call(&mut self, ex: Ex, ty: Type, args: Run) -> R<Ev> {
        let args = self.args(args);
        let src = self.leaf(ex);
        let Some(&first) = args.positional.first().or(args.keywords.first().map(|(_, it)| it))
        else {
            return Ok(Ev { val: Val::Type(ty), src });
        };
        if ty == Type::Prim(DataType::HANDLE) {
            let ty = self.handle_type(&args)?;
            return Ok(Ev { val: Val::Type(ty), src });
        }
        if args.keyword("is_size_var").is_some() {
            return Ok(Ev { val: Val::Type(ty), src });
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

    /// A type named by an expression: `"float32"`, `T.float32`, `T.handle("float32")`.
    pub(super) fn type_of(&mut self, ex: Ex) -> R<Type> {
        let ev = self.eval(ex)?;
        if let Val::Type(ty) = ev.val {
            return Ok(ty);
        }
        match self.const_str(&ev.val).as_deref().map(DataType::parse) {
            Some(Some(dtype)) => Ok(dtype.into()),
            None if matches!(ev.val, Val::Unknown(_) | Val::Const(Constant::None)) => {
                Ok(Type::Unknown)
            }
            _ => Err(self.malformed(ex, "a data type is needed here")),
        }
    }

    fn dtype_of(&mut self, ex: Ex) -> R<Option<DataType>> {
        match self.type_of(ex)? {
            Type::Prim(dtype) => Ok(Some(dtype)),
            Type::Unknown => Ok(None),
            _ => Err(self.malformed(ex, "a data type is needed here")),
        }
    }

    // ---- operators by name ----

    pub(super) fn intrinsic(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Ev> {
        let tx = match name {
            "Cast" | "cast" => self.cast_form(ex, name, args)?,
            "Select" => self.select_form(ex, args)?,
            "if_then_else" => {
                let [c, a, b] = self.operands(ex, args, ["cond", "t", "f"])?;
                let at = self.at(ex);
                self.if_then_else(c, a, b, at)?
            }
            "Ramp" | "ramp" => self.ramp_form(ex, args)?,
            "Broadcast" | "broadcast" => self.broadcast_form(ex, args)?,
            "Shuffle" => self.shuffle_form(ex, args)?,
            "Let" => self.let_form(ex, args)?,
            "Not" => {
                let [a] = self.operands(ex, args, ["a"])?;
                let at = self.at(ex);
                self.not_node(UnaryOp::Not, a, at)?
            }
            "bitwise_not" | "BitwiseNot" => {
                let [a] = self.operands(ex, args, ["x"])?;
                let at = self.at(ex);
                self.not_node(UnaryOp::BitNot, a, at)?
            }
            "max" | "min" | "floordiv" | "floormod" | "truncdiv" | "truncmod" | "indexdiv"
            | "indexmod" | "div" | "shift_left" | "shift_right" | "bitwise_and" | "bitwise_or"
            | "bitwise_xor" => self.operator_form(ex, name, args)?,
            "ceildiv" => self.ceildiv(ex, args)?,
            "pow" | "power" => self.pow(ex, args)?,
            "abs" => self.abs(ex, args)?,
            "isinf" | "isfinite" | "isnan" => self.float_class(ex, name, args)?,
            "all" | "any" => self.all_any(ex, name, args)?,
            "min_value" | "max_value" | "infinity" => self.limit(ex, name, args)?,
            "meta_var" => {
                let Some(ex) = args.get(0, "value") else {
                    return Err(self.malformed(ex, "T.meta_var takes one value"));
                };
                return self.eval(ex);
            }
            "let" => {
                return Err(self.malformed(ex, "T.let stands only before a value or in a `with`"));
            }
            _ => match node_op(name) {
                Some(op) => self.node_form(ex, op, args)?,
                None => return self.generic_call(ex, name, args),
            },
        };
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// Exactly these arguments, by position or name, as values.
    pub(super) fn operands<const N: usize>(
        &mut self,
        ex: Ex,
        args: &Args<'_>,
        names: [&str; N],
    ) -> R<[Tx; N]> {
        let values = self.values(ex, args, names)?;
        let mut all: SmallVec<[Tx; 4]> = SmallVec::new();
        for value in &values {
            all.push(self.lift(value)?);
        }
        Ok(std::array::from_fn(|index| all[index]))
    }

    fn values<const N: usize>(&mut self, ex: Ex, args: &Args<'_>, names: [&str; N]) -> R<Vec<Ev>> {
        if args.positional.len() > N {
            return Err(self.malformed(
                ex,
                format!("this takes {N} arguments, not {}", args.positional.len()),
            ));
        }
        let mut all = Vec::with_capacity(N);
        for (index, name) in names.iter().enumerate() {
            let Some(arg) = args.get(index, name) else {
                return Err(self.malformed(ex, format!("the argument `{name}` is missing")));
            };
            all.push(self.eval(arg)?);
        }
        Ok(all)
    }

    /// `T.Add(a, b)` and its kin: neither promoted nor folded.
    fn node_form(&mut self, ex: Ex, op: BinaryOp, args: &Args<'_>) -> R<Tx> {
        let [a, b] = self.operands(ex, args, ["a", "b"])?;
        let at = self.at(ex);
        if op.is_logical() {
            self.check_bool(a, "and")?;
            self.check_bool(b, "and")?;
            return Ok(self.make(
                ExprKind::Binary(op, a.id, b.id),
                DataType::BOOL.into(),
                at,
                &[a.src, b.src],
            ));
        }
        match (self.dtype(a), self.dtype(b)) {
            (Some(x), Some(y)) if x != y => Err(self.mismatch(a, b)),
            _ => Ok(self.node2(op, a, b, at)),
        }
    }

    fn operator_form(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let names = if matches!(
            name,
            "shift_left" | "shift_right" | "bitwise_and" | "bitwise_or" | "bitwise_xor"
        ) {
            ["x", "y"]
        } else {
            ["a", "b"]
        };
        let [a, b] = self.operands(ex, args, names)?;
        let at = self.at(ex);
        let op = match name {
            "max" => BinaryOp::Max,
            "min" => BinaryOp::Min,
            "floordiv" | "indexdiv" => BinaryOp::FloorDiv,
            "floormod" | "indexmod" => BinaryOp::FloorMod,
            "truncdiv" | "div" => BinaryOp::Div,
            "truncmod" => BinaryOp::Mod,
            "shift_left" => BinaryOp::Shl,
            "shift_right" => BinaryOp::Shr,
            "bitwise_and" => BinaryOp::BitAnd,
            "bitwise_or" => BinaryOp::BitOr,
            _ => BinaryOp::BitXor,
        };
        self.named_arithmetic(op, a, b, at, name == "div")
    }

    fn named_arithmetic(&mut self, op: BinaryOp, a: Tx, b: Tx, at: At, is_python: bool) -> R<Tx> {
        if op != BinaryOp::Div || is_python {
            return self.arithmetic(op, a, b, at);
        }
        let (a, b) = self.promote(a, b)?;
        match self.dtype(a) {
            Some(dtype) => self.folded(op, a, b, dtype, at),
            None => self.arithmetic(op, a, b, at),
        }
    }

    fn cast_form(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let (ty, value) = if name == "Cast" {
            (args.get(0, "dtype"), args.get(1, "value"))
        } else {
            (args.get(1, "dtype"), args.get(0, "value"))
        };
        let (Some(ty), Some(value)) = (ty, value) else {
            return Err(self.malformed(ex, "a cast takes a value and a data type"));
        };
        let value = self.expr(value)?;
        let at = self.at(ex);
        let Some(dtype) = self.dtype_of(ty)? else {
            return Ok(self.make(ExprKind::Cast(value.id), Type::Unknown, at, &[value.src]));
        };
        if name == "cast" {
            return self.written_cast(value, dtype, at);
        }
        Ok(self.make(ExprKind::Cast(value.id), dtype.into(), at, &[value.src]))
    }

    fn select_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [c, a, b] = self.operands(ex, args, ["condition", "true_value", "false_value"])?;
        self.check_bool(c, "Select")?;
        if let (Some(x), Some(y)) = (self.dtype(a), self.dtype(b))
            && x != y
        {
            return Err(self.mismatch(a, b));
        }
        let at = self.at(ex);
        let id = self.s.body.select(c.id, a.id, b.id);
        Ok(Tx { id, src: self.s.sources.node(at, &[c.src, a.src, b.src]) })
    }

    /// The number of lanes: a constant, or a multiple of `vscale`.
    fn lanes(&mut self, ex: Ex, lanes: Tx) -> R<Lanes> {
        let vscale_factor = |this: &Self, id: ir::ExprId| match this.s.body.expr(id).kind {
            ExprKind::Call { callee: Callee::Intrinsic(name), .. } => {
                this.s.body.name(name) == "vscale"
            }
            _ => false,
        };
        let fixed = |this: &Self, id: ir::ExprId| match this.s.body.expr(id).kind {
            ExprKind::Int(it) => u16::try_from(it).ok().filter(|&it| it > 0),
            _ => None,
        };
        let found = match self.kind(lanes) {
            ExprKind::Int(_) => fixed(self, lanes.id).map(Lanes::Fixed),
            ExprKind::Binary(BinaryOp::Mul, a, b) if vscale_factor(self, a) => {
                fixed(self, b).map(Lanes::Scalable)
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) if vscale_factor(self, b) => {
                fixed(self, a).map(Lanes::Scalable)
            }
            _ if vscale_factor(self, lanes.id) => Some(Lanes::Scalable(1)),
            _ => None,
        };
        found.ok_or_else(|| {
            self.malformed(ex, "the number of lanes must be a constant from 1 to 65535")
        })
    }

    fn ramp_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [base, stride, lanes] = self.operands(ex, args, ["base", "stride", "lanes"])?;
        let n = self.lanes(ex, lanes)?;
        let at = self.at(ex);
        let Some(dtype) = self.dtype(base) else {
            let kind = ExprKind::Ramp { base: base.id, stride: stride.id, lanes: lanes.id };
            return Ok(self.make(kind, Type::Unknown, at, &[base.src, stride.src, lanes.src]));
        };
        let stride = match self.dtype(stride) {
            Some(it) if it != dtype => self.cast_to(stride, dtype)?,
            _ => stride,
        };
        let ty = dtype.with_lanes(n).into();
        let kind = ExprKind::Ramp { base: base.id, stride: stride.id, lanes: lanes.id };
        Ok(self.make(kind, ty, at, &[base.src, stride.src, lanes.src]))
    }

    fn broadcast_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [value, lanes] = self.operands(ex, args, ["value", "lanes"])?;
        let n = self.lanes(ex, lanes)?;
        let at = self.at(ex);
        let ty = match self.ty(value) {
            Type::Prim(dtype) => dtype.with_lanes(n).into(),
            ty => ty,
        };
        let kind = ExprKind::Broadcast { value: value.id, lanes: lanes.id };
        Ok(self.make(kind, ty, at, &[value.src, lanes.src]))
    }

    fn shuffle_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let (Some(vectors), Some(indices)) = (args.get(0, "vectors"), args.get(1, "indices"))
        else {
            return Err(self.malformed(ex, "T.Shuffle takes vectors and indices"));
        };
        let (vectors, indices) = (self.shape(vectors)?, self.shape(indices)?);
        let ty = match vectors.first().map(|&it| self.ty(it)) {
            Some(Type::Prim(dtype)) => {
                dtype.with_lanes(Lanes::Fixed(indices.len().clamp(1, 65535) as u16)).into()
            }
            _ => Type::Unknown,
        };
        let list = |this: &mut Self, items: &[Tx]| {
            let ids: Vec<_> = items.iter().map(|it| it.id).collect();
            this.s.body.list(&ids)
        };
        let kind =
            ExprKind::Shuffle { vectors: list(self, &vectors), indices: list(self, &indices) };
        let children: Vec<Src> = vectors.iter().chain(&indices).map(|it| it.src).collect();
        let at = self.at(ex);
        Ok(self.make(kind, ty, at, &children))
    }

    /// `T.Let(body, where={x: value})`
    fn let_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let (Some(body), Some(bindings)) = (args.get(0, "expr"), args.get(1, "where")) else {
            return Err(self.malformed(ex, "T.Let takes an expression and `where={x: value}`"));
        };
        let ast = self.ast;
        let ExKind::Dict(run) = ast.kind(bindings) else {
            return Err(self.malformed(bindings, "`where` needs a dictionary `{x: value}`"));
        };
        let at = self.at(ex);
        let pairs = ast.exs(*run);
        self.let_nest(pairs, body, at)
    }

    fn let_nest(&mut self, pairs: &[Ex], body: Ex, at: At) -> R<Tx> {
        let ast = self.ast;
        let [key, value, rest @ ..] = pairs else { return self.expr(body) };
        let &ExKind::Name(name) = ast.kind(*key) else {
            return Err(self.malformed(*key, "a variable is needed here"));
        };
        let value = self.expr(*value)?;
        let ty = self.ty(value);
        let level = self.s.binder_depth;
        self.s.binder_depth += 1;
        self.s.scopes.push_frame();
        self.define_at(name, *key, DefinitionKind::Binding, Val::Bound(level, ty));
        let inner = self.let_nest(rest, body, at);
        self.s.scopes.pop_frame();
        self.s.binder_depth -= 1;
        let inner = inner?;
        let ty = self.ty(inner);
        let kind = ExprKind::Let { value: value.id, body: inner.id };
        let tx = self.make(kind, ty, at, &[value.src, inner.src]);
        let name = self.s.body.intern(name);
        self.s.body.set_binder_names(tx.id, vec![name]);
        Ok(tx)
    }

    /// `lambda x, y: x + y` with parameters of these types.
    pub(super) fn lambda(&mut self, ex: Ex, types: &dyn Fn(usize) -> Type) -> R<Tx> {
        let ast = self.ast;
        let &ExKind::Lambda { params, body } = ast.kind(ex) else {
            return Err(self.malformed(ex, "a lambda is needed here"));
        };
        let params = ast.params(params);
        self.s.scopes.push_frame();
        let mut names = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            let level = self.s.binder_depth + index as u32;
            let val = Val::Bound(level, types(index));
            self.define(param.name, param.name_range, DefinitionKind::Binding, val);
            names.push(self.s.body.intern(param.name));
        }
        self.s.binder_depth += params.len() as u32;
        let inner = self.expr(body);
        self.s.binder_depth -= params.len() as u32;
        self.s.scopes.pop_frame();
        let inner = inner?;
        let at = self.at(ex);
        let kind = ExprKind::Lambda { params: params.len() as u32, body: inner.id };
        let ty = self.ty(inner);
        let tx = self.make(kind, ty, at, &[inner.src]);
        self.s.body.set_binder_names(tx.id, names);
        Ok(tx)
    }

    // ---- operators that TVM writes out ----

    fn ceildiv(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [a, b] = self.operands(ex, args, ["lhs", "rhs"])?;
        let at = self.at(ex);
        let (a, b) = self.promote(a, b)?;
        if let (Some(x), Some(y), Some(dtype)) =
            (self.const_int(a), self.const_int(b), self.dtype(a))
            && y != 0
        {
            let (x, y) = (i128::from(x), i128::from(y));
            let quotient = -(-x).div_euclid(y);
            let exact = if y > 0 { quotient } else { (x + y + 1).div_euclid(y) };
            return Ok(self.int(exact, dtype, at));
        }
        let inside = At { is_real: false, ..at };
        let one = self.virtual_int(1, DataType::INT32, at.range);
        let again = Tx { id: b.id, src: self.s.sources.again(b.src) };
        let sum = self.arithmetic(BinaryOp::Add, a, b, inside)?;
        let sum = self.arithmetic(BinaryOp::Sub, sum, one, inside)?;
        self.arithmetic(BinaryOp::FloorDiv, sum, again, at)
    }

    fn pow(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [x, y] = self.operands(ex, args, ["x", "y"])?;
        let (x, y) = self.promote(x, y)?;
        let ty = self.ty(x);
        if let Type::Prim(dtype) = ty
            && !dtype.is_float()
        {
            let range = self.ast.range(ex);
            let message = format!("the power of {dtype}: TVM has it for floats only");
            return Err(self.error(diagnostics::DTYPE_MISMATCH, range, message));
        }
        let at = self.at(ex);
        Ok(self.call_node("pow", &[x, y], ty, at))
    }

    fn abs(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [x] = self.operands(ex, args, ["x"])?;
        let at = self.at(ex);
        let Some(dtype) = self.dtype(x) else {
            let ty = self.ty(x);
            return Ok(self.call_node("abs", &[x], ty, at));
        };
        if dtype.is_uint() {
            return Ok(x);
        }
        if dtype.is_float() {
            if let ExprKind::Float(_) = self.kind(x) {
                let value = self.s.body.float_spelling(x.id).unwrap_or_default().abs();
                let id = self.s.body.float(value, dtype);
                return Ok(self.tx(id, at));
            }
            return Ok(self.call_node("fabs", &[x], dtype.into(), at));
        }
        if dtype.is_bool() {
            let range = self.ast.range(ex);
            return Err(self.error(
                diagnostics::DTYPE_MISMATCH,
                range,
                "there is no absolute value of bool",
            ));
        }
        if let Some(value) = self.const_int(x) {
            return Ok(self.int(i128::from(value).abs(), dtype, at));
        }
        let inside = At { is_real: false, ..at };
        let zero = self.virtual_int(0, DataType::INT32, at.range);
        let zero = self.cast_to(zero, dtype)?;
        let again = |this: &mut Self, tx: Tx| Tx { id: tx.id, src: this.s.sources.again(tx.src) };
        let (x1, x2) = (again(self, x), again(self, x));
        let (z1, z2) = (zero, again(self, zero));
        let condition = self.node2(BinaryOp::Ge, x1, z1, inside);
        let negated = self.arithmetic(BinaryOp::Sub, z2, x2, inside)?;
        let id = self.s.body.select(condition.id, x.id, negated.id);
        Ok(Tx { id, src: self.s.sources.node(at, &[condition.src, x.src, negated.src]) })
    }

    fn float_class(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let [x] = self.operands(ex, args, ["x"])?;
        let at = self.at(ex);
        let Some(dtype) = self.dtype(x) else {
            return Ok(self.call_node(name, &[x], Type::Unknown, at));
        };
        let bool_type = DataType::BOOL.with_lanes(dtype.lanes);
        if dtype.is_integer() || dtype.is_bool() {
            return Ok(self.int(i128::from(name == "isfinite"), DataType::BOOL, at));
        }
        if let ExprKind::Float(_) = self.kind(x) {
            let value = self.s.body.float_spelling(x.id).unwrap_or_default();
            let holds = match name {
                "isnan" => value.is_nan(),
                "isinf" => value.is_infinite(),
                _ => value.is_finite(),
            };
            return Ok(self.int(i128::from(holds), DataType::BOOL, at));
        }
        if name == "isnan" {
            return Ok(self.call_node("isnan", &[x], bool_type.into(), at));
        }
        let inside = At { is_real: false, ..at };
        let again = Tx { id: x.id, src: self.s.sources.again(x.src) };
        let infinity = self.s.body.float(f64::INFINITY, dtype.element());
        let infinity = self.tx(infinity, inside);
        let magnitude = self.call_node("fabs", &[x], dtype.into(), inside);
        let is_nan = self.call_node("isnan", &[again], bool_type.into(), inside);
        let not_nan = self.not_node(UnaryOp::Not, is_nan, inside)?;
        if name == "isinf" {
            let equal = self.node2(BinaryOp::Eq, magnitude, infinity, inside);
            return self.logic_node(BinaryOp::And, equal, not_nan, at);
        }
        let unequal = self.node2(BinaryOp::Ne, magnitude, infinity, inside);
        self.logic_node(BinaryOp::And, unequal, not_nan, at)
    }

    fn all_any(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let items = self.eval_items(&args.positional)?;
        let op = if name == "all" { BinaryOp::And } else { BinaryOp::Or };
        let at = self.at(ex);
        let inside = At { is_real: false, ..at };
        let mut result: Option<Tx> = None;
        for (index, item) in items.iter().enumerate() {
            let next = self.lift(item)?;
            let at = if index + 1 == items.len() { at } else { inside };
            result = Some(match result {
                None => next,
                Some(before) => self.logic_node(op, before, next, at)?,
            });
        }
        result.ok_or_else(|| self.malformed(ex, "at least one condition is needed"))
    }

    fn limit(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let Some(arg) = args.get(0, "dtype") else {
            return Err(self.malformed(ex, "a data type is needed"));
        };
        let Some(dtype) = self.dtype_of(arg)? else {
            return Err(self.unsupported(ex, "an unknown type"));
        };
        let at = self.at(ex);
        let src = self.s.sources.leaf(at);
        if dtype.is_float() {
            let largest = match (dtype.code, dtype.bits) {
                (ir::TypeCode::Float, 64) => f64::MAX,
                (ir::TypeCode::Float, 32) => f64::from(f32::MAX),
                (ir::TypeCode::Float, 16) => 65504.0,
                (ir::TypeCode::BFloat, _) => 3.389_531_389_251_535_5e38,
                _ => return self.limit_call(ex, name, args),
            };
            let value = match name {
                "infinity" => f64::INFINITY,
                "max_value" => largest,
                _ => -largest,
            };
            return self.const_float_as(value, dtype, src);
        }
        let bits = u32::from(dtype.bits.clamp(1, 64));
        let value = match (name, dtype.is_int()) {
            ("min_value", true) => -(1i128 << (bits - 1)),
            ("min_value", false) => 0,
            (_, true) => (1i128 << (bits - 1)) - 1,
            (_, false) => (1i128 << bits) - 1,
        };
        self.const_as(value, dtype, src)
    }

    fn limit_call(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let ev = self.generic_call(ex, name, args)?;
        self.lift(&ev)
    }

    // ---- everything else ----

    /// A call by name: arguments as written, type by rule, effects by the table.
    fn generic_call(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Ev> {
        let tx = self.generic_tx(ex, name, args)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    fn generic_tx(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        if !intrinsics::is_known(name) && !is_data_form(name) {
            let range = self.ast.range(ex);
            let message = format!("`T.{name}` is in no table: it may do anything");
            self.diagnostic(diagnostics::UNKNOWN_INTRINSIC, Severity::Hint, range, message, None);
        }
        let mut operands = Vec::with_capacity(args.positional.len());
        let mut lambda = None;
        for (index, &arg) in args.positional.iter().enumerate() {
            match *self.ast.kind(arg) {
                ExKind::Star(inner) => {
                    for ev in self.spread(inner)? {
                        operands.push(self.lift(&ev)?);
                    }
                }
                ExKind::Lambda { .. } => {
                    // Its parameters have the types of the identities that follow; it stands first among the operands.
                    lambda = Some((index, arg));
                }
                ExKind::Dict(_) => {}
                ExKind::None => {
                    let none = self.s.body.string("None");
                    let at = self.at(arg);
                    operands.push(self.tx(none, at));
                }
                _ => operands.push(self.argument(arg)?),
            }
        }
        if let Some((index, arg)) = lambda {
            let tx = self.reducer(name, arg, &operands)?;
            operands.insert(index, tx);
        }
        let keywords: Vec<_> =
            args.keywords.iter().filter(|(key, _)| *key != "dtype").copied().collect();
        let mut attrs = self.keyword_attrs(&keywords);
        for &arg in &args.positional {
            if let ExKind::Dict(_) = self.ast.kind(arg) {
                attrs.push(("".into(), self.attr(arg)));
            }
        }
        let mut operands_and_type = operands;
        let ty = self.call_type(name, args, &mut operands_and_type)?;
        Ok(self.finish_call(ex, name, &operands_and_type, attrs, ty))
    }

    fn finish_call(
        &mut self,
        ex: Ex,
        name: &str,
        operands: &[Tx],
        attrs: ir::AttrDict,
        ty: Type,
    ) -> Tx {
        if let [x] = *operands
            && intrinsics::is_rounding(name)
            && let Some(folded) = self.rounded(name, x, ex)
        {
            return folded;
        }
        let is_value = ir::effects::tir(name).merge() != ir::effects::Merge::Never;
        let callee = Callee::Intrinsic(self.s.body.intern(name));
        let ids: Vec<_> = operands.iter().map(|it| it.id).collect();
        let attrs =
            if attrs.is_empty() { ir::Body::no_attrs() } else { self.s.body.attr_dict(attrs) };
        let id = self.s.body.call(callee, &ids, attrs, ty, !is_value);
        let children: Vec<Src> = operands.iter().map(|it| it.src).collect();
        Tx { id, src: self.node(ex, &children) }
    }

    /// Rounding of integers and constants is done by the parser.
    fn rounded(&mut self, name: &str, x: Tx, ex: Ex) -> Option<Tx> {
        let dtype = self.dtype(x)?;
        if dtype.is_integer() || dtype.is_bool() {
            return Some(x);
        }
        let ExprKind::Float(_) = self.kind(x) else { return None };
        let value = self.s.body.float_spelling(x.id)?;
        let value = match name {
            "floor" => value.floor(),
            "ceil" => value.ceil(),
            "trunc" => value.trunc(),
            _ => value.round_ties_even(),
        };
        let id = self.s.body.float(value, dtype);
        let at = self.at(ex);
        Some(self.tx(id, at))
    }

    /// An argument of a call: strings, types, buffers, regions and lists are values here.
    fn argument(&mut self, arg: Ex) -> R<Tx> {
        let ev = self.eval(arg)?;
        self.lift(&ev)
    }

    /// The combiner of `T.comm_reducer`, the map of `T.index_map`.
    fn reducer(&mut self, name: &str, arg: Ex, operands: &[Tx]) -> R<Tx> {
        let identities: Vec<Type> = match operands.first().map(|it| self.kind(*it)) {
            Some(ExprKind::Tuple(list)) => {
                self.s.body.items(list).iter().map(|&it| self.s.body.ty(it)).collect()
            }
            _ => Vec::new(),
        };
        let is_reducer = name == "comm_reducer";
        self.lambda(arg, &|index| {
            let ty = index.checked_rem(identities.len()).and_then(|at| identities.get(at).copied());
            match ty {
                Some(ty) if is_reducer => ty,
                _ => DataType::INT32.into(),
            }
        })
    }

    fn call_type(&mut self, name: &str, args: &Args<'_>, operands: &mut Vec<Tx>) -> R<Type> {
        let keyword = args.keyword("dtype").or_else(|| args.keyword("ret_ty"));
        let written = match keyword {
            Some(ex) => Some(self.type_of(ex)?),
            None => None,
        };
        let rule = intrinsics::result_type(name);
        if let Some(ty) = written {
            // `dtype=` is another spelling of the first or last argument, and redundant elsewhere.
            if let (ResultType::First | ResultType::Last, Some(ex)) = (rule, keyword) {
                let text = match ty {
                    Type::Prim(dtype) => dtype.to_string(),
                    _ => "handle".to_owned(),
                };
                let id = self.s.body.string(&text);
                let at = self.at(ex);
                let tx = self.tx(id, at);
                let index = if rule == ResultType::First { 0 } else { operands.len() };
                operands.insert(index, tx);
            }
            return Ok(ty);
        }
        let named = |this: &Self, tx: Option<&Tx>| match tx.map(|it| this.kind(*it)) {
            Some(ExprKind::Str(name)) => {
                DataType::parse(this.s.body.name(name)).map_or(Type::Unknown, Type::Prim)
            }
            _ => Type::Unknown,
        };
        Ok(match rule {
            ResultType::Arg(index) => operands.get(index).map_or(Type::Unknown, |&it| self.ty(it)),
            ResultType::Fixed(dtype) => match operands.first().and_then(|&it| self.dtype(it)) {
                Some(first) if dtype.is_bool() => dtype.with_lanes(first.lanes).into(),
                _ => dtype.into(),
            },
            ResultType::Handle => DataType::HANDLE.into(),
            ResultType::First => named(self, operands.first()),
            ResultType::Last => named(self, operands.last()),
            ResultType::Address => self.address_type(operands.first()),
            ResultType::AccessPtr => self.access_ptr_type(operands),
            ResultType::Void => DataType::VOID.into(),
            ResultType::Unknown => Type::Unknown,
        })
    }

    fn address_type(&mut self, of: Option<&Tx>) -> Type {
        match of.map(|it| self.kind(*it)) {
            Some(
                ExprKind::Load { buffer, .. }
                | ExprKind::Buffer(buffer)
                | ExprKind::Region(buffer, _),
            ) => {
                let data = &self.s.body.buffers[buffer];
                Type::Pointer { element: data.dtype, scope: data.scope }
            }
            _ => DataType::HANDLE.into(),
        }
    }

    fn access_ptr_type(&mut self, operands: &[Tx]) -> Type {
        let element = operands.first().and_then(|&it| self.dtype(it));
        let scope = match operands.get(1).map(|&it| self.ty(it)) {
            Some(Type::Pointer { scope, .. }) => scope,
            _ => self.s.body.intern(""),
        };
        element.map_or(DataType::HANDLE.into(), |element| Type::Pointer { element, scope })
    }

    fn function_call(&mut self, ex: Ex, signature: &Signature, args: Run) -> R<Ev> {
        let ty = match signature.returns.as_deref().map(DataType::parse) {
            Some(Some(dtype)) => dtype.into(),
            _ => DataType::VOID.into(),
        };
        let name = self.s.body.intern(&signature.name);
        self.other_call(ex, Callee::Function(name), args, ty)
    }

    fn unknown_call(&mut self, ex: Ex, callee: Ex, args: Run) -> R<Ev> {
        let text = self.text(self.ast.range(callee));
        let name = self.s.body.intern(&text);
        self.other_call(ex, Callee::Unknown(name), args, Type::Unknown)
    }

    fn other_call(&mut self, ex: Ex, callee: Callee, args: Run, ty: Type) -> R<Ev> {
        let args = self.args(args);
        let mut operands = Vec::new();
        for ev in self.eval_items(&args.positional)? {
            operands.push(self.lift(&ev)?);
        }
        let attrs = self.keyword_attrs(&args.keywords);
        let attrs = self.s.body.attr_dict(attrs);
        let ids: Vec<_> = operands.iter().map(|it| it.id).collect();
        let id = self.s.body.call(callee, &ids, attrs, ty, true);
        let children: Vec<Src> = operands.iter().map(|it| it.src).collect();
        let src = self.node(ex, &children);
        Ok(Ev { val: Val::Expr(id), src })
    }

    /// A function of Python: TVM's own by their last name, a few builtins on constants; the rest is opaque.
    fn path_call(&mut self, ex: Ex, path: ir::NameId, args: Run) -> R<Ev> {
        let path = self.s.body.name(path).to_owned();
        let tvm = ["tvm.tirx.", "tvm.tir.", "tvm.tirx.op.", "tvm.tir.op."];
        if let Some(name) = tvm.iter().find_map(|it| path.strip_prefix(it)) {
            let args = self.args(args);
            return self.intrinsic(ex, name, &args);
        }
        let args = self.args(args);
        if let Some(name) = path.strip_prefix("builtins.") {
            let items = self.eval_items(&args.positional)?;
            if let Some(val) = self.builtin(name, &items) {
                let src = self.leaf(ex);
                return Ok(Ev { val, src });
            }
        }
        Ok(self.opaque_ex(ex))
    }

    fn builtin(&mut self, name: &str, items: &[Ev]) -> Option<Val> {
        let constant = |index: usize| match items.get(index).map(|it| &it.val) {
            Some(Val::Const(it)) => Some(it.clone()),
            _ => None,
        };
        Some(match (name, items.len()) {
            ("len", 1) => Val::Const(Constant::Int(self.items(&items[0])?.len() as i128)),
            ("int", 1) => match constant(0)? {
                Constant::Int(it) => Val::Const(Constant::Int(it)),
                Constant::Bool(it) => Val::Const(Constant::Int(i128::from(it))),
                Constant::Float(bits) => Val::Const(Constant::Int(f64::from_bits(bits) as i128)),
                _ => return None,
            },
            ("float", 1) => match constant(0)? {
                Constant::Int(it) => Val::Const(Constant::Float((it as f64).to_bits())),
                Constant::Float(bits) => Val::Const(Constant::Float(bits)),
                Constant::Str(it) => Val::Const(Constant::Float(it.parse::<f64>().ok()?.to_bits())),
                _ => return None,
            },
            ("min" | "max", 2) => match (constant(0)?, constant(1)?) {
                (Constant::Int(a), Constant::Int(b)) => {
                    Val::Const(Constant::Int(if name == "min" { a.min(b) } else { a.max(b) }))
                }
                _ => return None,
            },
            ("tuple" | "list", 1) => Val::Seq(self.items(&items[0])?.into()),
            _ => return None,
        })
    }
}

/// Forms whose calls are data and have no effect.
fn is_data_form(name: &str) -> bool {
    matches!(
        name,
        "comm_reducer"
            | "index_map"
            | "iter_var"
            | "Range"
            | "target"
            | "Call"
            | "Tuple"
            | "CommReducer"
    )
}

/// The constructor of a node.
fn node_op(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "Add" => BinaryOp::Add,
        "Sub" => BinaryOp::Sub,
        "Mul" => BinaryOp::Mul,
        "Div" => BinaryOp::Div,
        "Mod" => BinaryOp::Mod,
        "FloorDiv" => BinaryOp::FloorDiv,
        "FloorMod" => BinaryOp::FloorMod,
        "Min" => BinaryOp::Min,
        "Max" => BinaryOp::Max,
        "EQ" => BinaryOp::Eq,
        "NE" => BinaryOp::Ne,
        "LT" => BinaryOp::Lt,
        "LE" => BinaryOp::Le,
        "GT" => BinaryOp::Gt,
        "GE" => BinaryOp::Ge,
        "And" => BinaryOp::And,
        "Or" => BinaryOp::Or,
        "BitwiseAnd" => BinaryOp::BitAnd,
        "BitwiseOr" => BinaryOp::BitOr,
        "BitwiseXor" => BinaryOp::BitXor,
        "LShift" => BinaryOp::Shl,
        "RShift" => BinaryOp::Shr,
        _ => return None,
    })
}
