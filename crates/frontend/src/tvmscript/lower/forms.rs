//! Constructors of nodes and operators by name: `T.Add`, `T.max`, `T.Cast`, `T.Ramp`, `T.Let`, lambdas.

use ir::{BinaryOp, DataType, ExprKind, Intrinsic, Lanes, Type, UnaryOp};
use smallvec::SmallVec;

use super::{
    Lowerer, R,
    arguments::{Args, HANDLE},
    calls::Written,
    parameters::{Parameters, REST, forms},
    source_tree::{At, Src},
    statics, tilelang,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind},
    diagnostics,
    source_map::DefinitionKind,
};

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn intrinsic(&mut self, ex: Ex, name: &str, args: &Args<'a>) -> R<Ev> {
        if name.starts_with("tl.") {
            return self.tile_call(ex, name, args);
        }
        if ir::effects::names::begins_with_team(name) {
            return self.generic_call(ex, &format!("tile.{name}"), args);
        }
        // The type of the descriptor of a tensor map: that of `T.handle("tensormap")`.
        if name == "TensorMap" {
            let val = Val::Type(Type::Named(self.s.body.intern("tensormap")));
            return Ok(Ev { val, src: self.leaf(ex) });
        }
        // Older names of `T.handle("float32", "global")`; the second also takes `T.float32`.
        if let "ptr" | "Ptr" = name {
            let val = Val::Type(self.handle_type(args)?);
            return Ok(Ev { val, src: self.leaf(ex) });
        }
        if let ("Let" | "let", &[var, value, body], []) =
            (name, &args.positional[..], &args.keywords[..])
        {
            return self.older_let(ex, [var, value, body]);
        }
        if form_parameters(name).is_some() {
            // Older texts have the primitives of tiles beside the operators of elements: `Tx.cast(B[0:4], A[0:4])`.
            if args.positional.iter().any(|&it| self.names_a_part(it)) && self.has_cells() {
                let primitive = format!("tile.{name}");
                if ir::effects::tvm_op(&primitive).is_some() {
                    return self.generic_call(ex, &primitive, args);
                }
            }
            // TVM takes a `dtype=` of an operator and drops it: what it gives follows from its operands. Constructors
            // of nodes refuse it.
            let is_operator = name.starts_with(|it: char| it.is_ascii_lowercase());
            self.check_args(args, is_operator.then_some("dtype"))?;
        }
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
                self.check_bool(a, "not")?;
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
                let Some(ex) = args.get("value") else {
                    return Err(self.malformed(ex, "T.meta_var takes one value"));
                };
                return self.eval(ex);
            }
            // A variable by its type: `x = T.Var("x", "int32")`, `T.let[T.Var("p", ty=…)]`; in older texts without a
            // name, `T.var("int32")`.
            "Var" | "SizeVar" | "var" => {
                let ty = args.positional.get(usize::from(name != "var")).copied();
                let ty = ty.or_else(|| args.keyword("ty")).or_else(|| args.keyword("dtype"));
                let ty = match ty {
                    Some(ty) => self.type_of(ty)?,
                    None => DataType::INT32.into(),
                };
                let src = self.leaf(ex);
                return Ok(Ev { val: Val::Type(ty), src });
            }
            "let" => {
                return Err(self.malformed(ex, "T.let stands only before a value or in a `with`"));
            }
            _ if statics::is_layout(name) => return self.layout(ex),
            _ => match node_op(name) {
                Some(op) => self.node_form(ex, op, args)?,
                None => return self.operator_call(ex, name, args),
            },
        };
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// Returns true if an expression is written as a part of a buffer: `A[0:4]`.
    fn names_a_part(&self, ex: Ex) -> bool {
        let ast = self.ast;
        let is_slice = |it: &Ex| matches!(ast.kind(*it), ExKind::Slice { .. });
        let ExKind::Subscript { index, .. } = *ast.kind(ex) else { return false };
        match ast.kind(index) {
            ExKind::Tuple(items) => ast.exs(*items).iter().any(is_slice),
            _ => is_slice(&index),
        }
    }

    /// A call of an operator without a form of its own, of TVM or of TileLang.
    fn operator_call(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Ev> {
        match tilelang::operator(name) {
            Some(op) => self.generic_call(ex, &op.name, args),
            None => self.generic_call(ex, name, args),
        }
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
        <[Tx; N]>::try_from(&*all).map_err(|_| super::Reported)
    }

    pub(super) fn values<const N: usize>(
        &mut self,
        ex: Ex,
        args: &Args<'_>,
        names: [&str; N],
    ) -> R<[Ev; N]> {
        let mut all = Vec::with_capacity(N);
        for name in names {
            let Some(arg) = args.get(name) else {
                return Err(self.malformed(ex, format!("the argument `{name}` is missing")));
            };
            all.push(self.eval(arg)?);
        }
        all.try_into().map_err(|_| super::Reported)
    }

    /// `T.Add(a, b)` and its kin: neither promoted nor folded.
    pub(super) fn node_form(&mut self, ex: Ex, op: BinaryOp, args: &Args<'_>) -> R<Tx> {
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
        for side in [a, b] {
            match self.ty(side) {
                Type::Prim(dtype) => self.check_operands(op, dtype, at.range)?,
                Type::Pointer { .. } => return Err(self.mismatch(a, b)),
                _ => {}
            }
        }
        let is_open = self.ty(a).is_open() || self.ty(b).is_open();
        if is_open && self.ty(a) != self.ty(b) {
            return self.unknown_binary(op, a, b, at);
        }
        match (self.dtype(a), self.dtype(b)) {
            (Some(x), Some(y)) if x != y => Err(self.mismatch(a, b)),
            _ => Ok(self.node2(op, a, b, at)),
        }
    }

    pub(super) fn operator_form(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let names = if matches!(
            name,
            "shift_left" | "shift_right" | "bitwise_and" | "bitwise_or" | "bitwise_xor"
        ) {
            ["x", "y"]
        } else {
            ["a", "b"]
        };
        let [left, right] = self.values(ex, args, names)?;
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
        let a = self.operand_of(&left, &right, op)?;
        let b = self.operand_of(&right, &left, op)?;
        self.named_arithmetic(op, a, b, at, name == "div")
    }

    pub(super) fn named_arithmetic(
        &mut self,
        op: BinaryOp,
        a: Tx,
        b: Tx,
        at: At,
        is_python: bool,
    ) -> R<Tx> {
        if is_python {
            self.check_true_division((a, false), (b, false), at.range)?;
        }
        if op != BinaryOp::Div || is_python {
            return self.arithmetic(op, a, b, at);
        }
        let is_open = |it: Tx| {
            let node = self.s.body.expr(it.id);
            node.ty.is_open() && !node.flags.has_unknown
        };
        if is_open(a) || is_open(b) {
            // As it is written: `/` of such operands is another operator.
            return Ok(self.call_node("truncdiv", &[a, b], Type::Unknown, at));
        }
        let refuses = |it: Option<DataType>| it.is_some_and(|it| !it.is_integer());
        if refuses(self.dtype(a)) || refuses(self.dtype(b)) {
            let message = "T.truncdiv is defined on integers only";
            return Err(self.error(diagnostics::DTYPE_MISMATCH, at.range, message));
        }
        let (a, b) = self.promote(a, b)?;
        match self.dtype(a) {
            Some(dtype) => self.folded(op, a, b, dtype, at),
            None => self.arithmetic(op, a, b, at),
        }
    }

    pub(super) fn cast_form(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let (Some(ty), Some(value)) = (args.get("dtype"), args.get("value")) else {
            return Err(self.malformed(ex, "a cast takes a value and a data type"));
        };
        let value = self.expr(value)?;
        let at = self.at(ex);
        let dtype = match self.written_type(ty)? {
            Written::Type(Type::Prim(dtype)) if dtype.is_symbolic() => {
                return Ok(self.cast_to_symbol(name, dtype, value, ty, at));
            }
            Written::Type(Type::Prim(dtype)) => dtype,
            Written::Type(_) => return Err(self.malformed(ty, "a data type is needed here")),
            Written::Symbolic(dtype) => {
                return Ok(self.symbolic_cast(name, dtype, value, Type::Unknown, at));
            }
        };
        if name == "cast" {
            return self.written_cast(value, dtype, at);
        }
        // What a store does with such a value is another conversion, which is not written.
        if self.is_untyped_capture(value) {
            return Ok(self.cast_to_symbol(name, dtype, value, ty, at));
        }
        if let Some(from) = self.dtype(value) {
            self.check_lanes(value, from, dtype)?;
        }
        Ok(self.make(ExprKind::Cast(value.id), dtype.into(), at, &[value.src]))
    }

    /// Returns true if a value is a captured name of which no type is known.
    fn is_untyped_capture(&self, value: Tx) -> bool {
        let is_captured =
            matches!(self.kind(value), ExprKind::Value(it) if self.s.body.is_captured(it));
        is_captured && self.ty(value) == Type::Unknown
    }

    /// A cast to a captured element type, which is written at `ex`.
    pub(super) fn cast_to_symbol(
        &mut self,
        name: &str,
        dtype: DataType,
        value: Tx,
        ex: Ex,
        at: At,
    ) -> Tx {
        let inside = self.at(ex);
        let operand = self.dtype_operand(dtype, inside);
        self.symbolic_cast(name, operand, value, dtype.into(), at)
    }

    /// A cast to a type that is not known here: a call of the form, of which the type is an operand. So it is printed
    /// as it is written: `T.cast` makes nothing of a cast to the same type, and a constant of a constant, `T.Cast` a
    /// node.
    pub(super) fn symbolic_cast(
        &mut self,
        name: &str,
        dtype: Tx,
        value: Tx,
        ty: Type,
        at: At,
    ) -> Tx {
        let operands = if name == "Cast" { [dtype, value] } else { [value, dtype] };
        self.call_node(name, &operands, ty, at)
    }

    pub(super) fn select_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [c, a, b] = self.operands(ex, args, ["condition", "true_value", "false_value"])?;
        self.check_bool(c, "Select")?;
        let is_open = |it: Tx| self.ty(it).is_open();
        if let (Some(x), Some(y)) = (self.dtype(a), self.dtype(b))
            && x != y
        {
            if !(is_open(a) || is_open(b)) {
                return Err(self.mismatch(a, b));
            }
            let at = self.at(ex);
            let kind = ExprKind::Select(c.id, a.id, b.id);
            return Ok(self.make(kind, Type::Unknown, at, &[c.src, a.src, b.src]));
        }
        let at = self.at(ex);
        let id = self.s.body.select(c.id, a.id, b.id);
        Ok(Tx { id, src: self.s.sources.node(at, &[c.src, a.src, b.src]) })
    }

    /// The number of lanes: a constant, or a multiple of `vscale`. None where it is a value of Python that is not known
    /// here.
    pub(super) fn lanes(&mut self, ex: Ex, lanes: Tx) -> R<Option<Lanes>> {
        if self.ty(lanes) == Type::Unknown {
            return Ok(None);
        }
        self.written_lanes(lanes).map(Some).ok_or_else(|| {
            self.malformed(ex, "the number of lanes must be a constant from 1 to 65535")
        })
    }

    /// The number of lanes that an expression is: a constant, or a multiple of `vscale`.
    pub(super) fn written_lanes(&self, lanes: Tx) -> Option<Lanes> {
        let vscale_factor =
            |this: &Self, id| this.s.body.operands_of(id, Intrinsic::VScale).is_some();
        let fixed = |this: &Self, id: ir::ExprId| match this.s.body.expr(id).kind {
            ExprKind::Int(it) => u16::try_from(it).ok().filter(|&it| it > 0),
            _ => None,
        };
        match self.kind(lanes) {
            ExprKind::Int(_) => fixed(self, lanes.id).map(Lanes::Fixed),
            ExprKind::Binary(BinaryOp::Mul, a, b) if vscale_factor(self, a) => {
                fixed(self, b).map(Lanes::Scalable)
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) if vscale_factor(self, b) => {
                fixed(self, a).map(Lanes::Scalable)
            }
            _ if vscale_factor(self, lanes.id) => Some(Lanes::Scalable(1)),
            _ => None,
        }
    }

    pub(super) fn ramp_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [base, stride, lanes] = self.operands(ex, args, ["base", "stride", "lanes"])?;
        let n = self.lanes(ex, lanes)?;
        let at = self.at(ex);
        self.check_scalar(base)?;
        let base_type = self.dtype(base).filter(|it| !it.is_symbolic());
        let (Some(dtype), Some(n)) = (base_type, n) else {
            let kind = ExprKind::Ramp { base: base.id, stride: stride.id, lanes: lanes.id };
            return Ok(self.make(kind, Type::Unknown, at, &[base.src, stride.src, lanes.src]));
        };
        let stride = match self.dtype(stride) {
            Some(it) if it != dtype && !it.is_symbolic() && !dtype.is_symbolic() => {
                self.cast_to(stride, dtype)?
            }
            _ => stride,
        };
        let ty = dtype.with_lanes(n).into();
        let kind = ExprKind::Ramp { base: base.id, stride: stride.id, lanes: lanes.id };
        Ok(self.make(kind, ty, at, &[base.src, stride.src, lanes.src]))
    }

    /// Vectors are made of scalars.
    pub(super) fn check_scalar(&mut self, value: Tx) -> R<()> {
        match self.dtype(value) {
            Some(dtype) if !dtype.is_scalar() && !dtype.is_symbolic() => {
                let range = self.tx_range(value);
                let message = format!("a scalar is needed, this is {dtype}");
                Err(self.error(diagnostics::DTYPE_MISMATCH, range, message))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn broadcast_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [value, lanes] = self.operands(ex, args, ["value", "lanes"])?;
        let n = self.lanes(ex, lanes)?;
        let at = self.at(ex);
        self.check_scalar(value)?;
        let ty = match (self.ty(value), n) {
            (Type::Prim(dtype), Some(n)) if !dtype.is_symbolic() => dtype.with_lanes(n).into(),
            _ => Type::Unknown,
        };
        let kind = ExprKind::Broadcast { value: value.id, lanes: lanes.id };
        Ok(self.make(kind, ty, at, &[value.src, lanes.src]))
    }

    pub(super) fn shuffle_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let (Some(vectors), Some(indices)) = (args.get("vectors"), args.get("indices")) else {
            return Err(self.malformed(ex, "T.Shuffle takes vectors and indices"));
        };
        let (vectors, indices) = (self.shape(vectors)?, self.shape(indices)?);
        let ty = match vectors.first().map(|&it| self.ty(it)) {
            Some(Type::Prim(dtype)) if !dtype.is_symbolic() => {
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
    pub(super) fn let_form(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let (Some(body), Some(bindings)) = (args.get("expr"), args.get("where")) else {
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

    /// `T.let(x, value, body)`, as texts before `T.Let(body, where={x: value})` have it. A pointer that a buffer was
    /// described with gives it its memory only here: kept by its text.
    fn older_let(&mut self, ex: Ex, [var, value, body]: [Ex; 3]) -> R<Ev> {
        let declared = match *self.ast.kind(var) {
            ExKind::Name(name) => self.peek(name),
            _ => None,
        };
        let is_number = |ty: Type| matches!(ty, Type::Prim(it) if it != DataType::HANDLE);
        if !matches!(declared, Some(Val::Declared(ty, _)) if is_number(ty)) {
            self.note_kept(self.range(ex));
            return Err(super::Reported);
        }
        let at = self.at(ex);
        let tx = self.let_nest(&[var, value], body, at)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    pub(super) fn let_nest(&mut self, pairs: &[Ex], body: Ex, at: At) -> R<Tx> {
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
}

/// Returns true if a name is read by hand: an operator or a constructor of a node.
pub(super) fn is_operator(name: &str) -> bool {
    form_parameters(name).is_some() || node_op(name).is_some()
}

/// The parameters of the forms that are read into nodes of their own.
pub(super) fn form_parameters(name: &str) -> Option<Parameters> {
    own_parameters(name).or_else(|| node_op(name).map(|_| &["a", "b"][..]))
}

forms! {
    /// As [`form_parameters`], but for the constructors of nodes with two operands.
    fn own_parameters, OPERATORS {
        "ptr" | "Ptr" => HANDLE,
        "Cast" => &["dtype", "value"],
        "cast" => &["value", "dtype"],
        "Select" => &["condition", "true_value", "false_value"],
        "if_then_else" => &["cond", "t", "f"],
        "Ramp" | "ramp" => &["base", "stride", "lanes"],
        "Broadcast" | "broadcast" => &["value", "lanes"],
        "Shuffle" => &["vectors", "indices"],
        "Let" => &["expr", "where"],
        "Not" => &["a"],
        "bitwise_not" | "BitwiseNot" | "abs" | "isinf" | "isfinite" | "isnan" => &["x"],
        "max" | "min" | "floordiv" | "floormod" | "truncdiv" | "truncmod" | "indexdiv"
        | "indexmod" | "div" => &["a", "b"],
        "shift_left" | "shift_right" | "bitwise_and" | "bitwise_or" | "bitwise_xor" | "pow"
        | "power" => &["x", "y"],
        "ceildiv" => &["lhs", "rhs"],
        "all" | "any" => &[REST],
        "min_value" | "max_value" | "infinity" => &["dtype"],
        "meta_var" => &["value"],
    }
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
