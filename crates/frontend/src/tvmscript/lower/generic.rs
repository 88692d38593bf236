//! Calls without a meaning of their own here: operators of TVM by their tables, functions of the module, Python.

use ir::{
    Callee, DataType, ExprKind, Intrinsic, Type,
    effects::{
        Operand,
        names::{NameBuffer, normal_tir},
    },
};
use smallvec::SmallVec;

use super::{
    Lowerer, R,
    arguments::{self, Args},
    calls::Written,
    intrinsics::{self, ResultType},
    source_tree::Src,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, Run},
    environment::{Capture, Constant, Signature},
};

impl Lowerer<'_, '_, '_> {
    /// A call by name: arguments as written, type by rule, effects by the table.
    pub(super) fn generic_call(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Ev> {
        let tx = self.generic_tx(ex, name, args)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    pub(super) fn generic_tx(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        self.note_unknown_call(ex, name);
        let uses = self.s.uses.len();
        let Positional { mut operands, mut attrs, spellings, lambdas } =
            self.positional(name, args)?;
        if let ([place], true) = (&operands[..], Intrinsic::of_name(name).is_tile_in_place()) {
            // Of one operand a tile primitive is in place, as TVM writes it out.
            let again = Tx { id: place.id, src: self.s.sources.again(place.src) };
            operands.push(again);
        }
        // From the last: the places of those before stay what they are.
        for (index, arg) in lambdas.into_iter().rev() {
            let tx = self.reducer(name, arg, &operands)?;
            operands.insert(index, tx);
        }
        let n_written = operands.len();
        let (ty, as_operand) = self.call_type(name, args, &mut operands)?;
        let shift = match intrinsics::result_type(name) {
            ResultType::First => operands.len() - n_written,
            _ => 0,
        };
        attrs.extend(spellings.into_iter().map(|(at, it)| (ir::spelling_key(at + shift), it)));
        let keywords: Vec<_> =
            args.keywords.iter().filter(|(key, _)| Some(*key) != as_operand).copied().collect();
        let is_text = |key: &str| ir::effects::is_text(name, Operand::Named(key));
        let n_positional = operands.len();
        attrs.extend(self.keyword_operands(&keywords, &is_text, &mut operands));
        if operands.len() > n_positional && operands.len() > 1 && is_value(name) {
            // What a value is made of is told by its places; the text is kept, and the names in it are hidden again.
            self.s.uses.truncate(uses);
            return Ok(self.opaque_operand(ex));
        }
        if let Some(control) = self.called_control(name, &operands) {
            let choice = match control {
                Control::Choice => self.called_choice(ex, &operands, ty),
                Control::Jump => None,
            };
            return Ok(choice.unwrap_or_else(|| {
                self.s.uses.truncate(uses);
                self.opaque_operand(ex)
            }));
        }
        if let ("call_intrin", [_, callee, rest @ ..]) = (name, &operands[..])
            && attrs.is_empty()
            && matches!(self.kind(*callee), ExprKind::Str(it) if self.s.body.name(it) == ACCESS_PTR)
        {
            // As it is printed where its type is not that of the elements.
            let at = self.at(ex);
            return Ok(self.call_node("tvm_access_ptr", rest, ty, at));
        }
        Ok(self.finish_call(ex, name, &operands, attrs, ty))
    }

    /// Returns true for a name of the script that some table has.
    pub(super) fn is_of_script(&self, name: ir::NameId) -> bool {
        let name = self.s.body.name(name);
        self.is_listed(name) || super::tile_parameters::parameters(name).is_some()
    }

    fn is_listed(&self, name: &str) -> bool {
        is_data_form(name)
            || is_form_of_tvm(name)
            || intrinsics::is_known(name, self.s.env.effects())
    }

    /// Remembers a name that no table has, once, by its first call.
    fn note_unknown_call(&mut self, ex: Ex, name: &str) {
        if self.is_listed(name) {
            return;
        }
        // As it is written: the functions of TileLang are `T.` functions as well.
        let written: Box<str> = name.strip_prefix("tl.").unwrap_or(name).into();
        if self.s.unknown_calls.iter().all(|it| it.0 != written) {
            let range = self.range(ex);
            self.s.unknown_calls.push((written, range));
        }
    }

    /// The positional arguments of a call.
    fn positional(&mut self, name: &str, args: &Args<'_>) -> R<Positional> {
        let tilelang = name.contains('.').then(|| ir::effects::tilelang_op(name)).flatten();
        // A part of a buffer is its elements there.
        let takes_values = !self.has_cells()
            && tilelang.is_none()
            && matches!(intrinsics::result_type(name), ResultType::Arg(_));
        // The operators behind a dot look at what they are given: `0` may become of any type, `T.int32(0)` not.
        let looks_at_spelling = name.contains('.') && tilelang.is_none();
        let mut found = Positional::default();
        for (index, &arg) in args.positional.iter().enumerate() {
            if ir::effects::is_text(name, Operand::At(index)) {
                found.operands.push(self.opaque_operand(arg));
                continue;
            }
            if let Some(op) = tilelang
                && let Some((part, access)) = self.region_operand(arg)?
            {
                if let Some(access) = access
                    && op.regions.get(index).map(|it| i64::from(*it)) != Some(access)
                {
                    let key = ir::access_key(found.operands.len()).into();
                    found.attrs.push((key, ir::Attr::Int(access, None)));
                }
                found.operands.push(part);
                continue;
            }
            match *self.ast.kind(arg) {
                ExKind::Star(inner) => {
                    for ev in self.spread(inner)? {
                        found.operands.push(self.lift(&ev)?);
                    }
                }
                ExKind::Lambda { .. } => found.lambdas.push((found.operands.len(), arg)),
                ExKind::Dict(_) if index + 1 == args.positional.len() => {
                    match self.data_or_opaque(arg) {
                        Ok(data) => found.attrs.push(("".into(), data)),
                        Err(operand) => found.operands.push(operand),
                    }
                }
                // Behind it stands another: printed in this order, it is an operand.
                ExKind::Dict(_) => found.operands.push(self.opaque_operand(arg)),
                ExKind::None => {
                    let none = self.s.body.opaque("None");
                    let at = self.at(arg);
                    found.operands.push(self.tx(none, at));
                }
                // A name whose value is `None` stands for an argument that is left out.
                ExKind::Name(it) if name.starts_with("tl.") && self.is_named_none(it) => {}
                _ if takes_values => found.operands.push(self.expr(arg)?),
                _ => {
                    let (tx, spelling) = self.argument(arg)?;
                    if let Some(spelling) = spelling.filter(|_| looks_at_spelling) {
                        found.spellings.push((found.operands.len(), spelling));
                    }
                    found.operands.push(tx);
                }
            }
        }
        Ok(found)
    }

    /// Returns true if the value of a name is `None`.
    fn is_named_none(&mut self, name: &str) -> bool {
        match self.peek(name) {
            Some(it) => matches!(it, Val::Const(Constant::None)),
            None => matches!(self.s.env.resolve(name), Capture::Constant(Constant::None)),
        }
    }

    /// Returns the effect on control of a call of an operator by its name, if the operator has one.
    fn called_control(&self, name: &str, operands: &[Tx]) -> Option<Control> {
        let callee = operands.get(1).map(|it| self.kind(*it));
        let ("call_intrin" | "Call", Some(ExprKind::Str(callee))) = (name, callee) else {
            return None;
        };
        let callee = self.s.body.name(callee);
        let mut buffer = NameBuffer::new();
        if normal_tir(callee, &mut buffer) == IF_THEN_ELSE {
            return Some(Control::Choice);
        }
        Intrinsic::of_name(callee).is_jump().then_some(Control::Jump)
    }

    /// `T.call_intrin(type, "tirx.if_then_else", condition, a, b)`, if `T.if_then_else` of these operands is the same.
    fn called_choice(&mut self, ex: Ex, operands: &[Tx], ty: Type) -> Option<Tx> {
        let &[_, _, condition, then, otherwise] = operands else { return None };
        let is_of_type = |it: Tx| ty != Type::Unknown && self.ty(it) == ty;
        let is_same = self.dtype(condition) == Some(DataType::BOOL)
            && self.const_int(condition).is_none()
            && is_of_type(then)
            && is_of_type(otherwise);
        let at = self.at(ex);
        is_same.then(|| self.choice_node(condition, then, otherwise, at))
    }

    pub(super) fn finish_call(
        &mut self,
        ex: Ex,
        name: &str,
        operands: &[Tx],
        attrs: ir::AttrDict,
        ty: Type,
    ) -> Tx {
        let it = Intrinsic::of_name(name);
        match *operands {
            [x] if it.is_rounding() => {
                if let Some(folded) = self.rounded(it, x, ex) {
                    return folded;
                }
            }
            [x] if it == Intrinsic::Likely && self.s.body.expr(x.id).is_constant() => return x,
            // A text is no pointer yet.
            [_, x]
                if it == Intrinsic::Reinterpret
                    && ty != Type::Unknown
                    && self.ty(x) == ty
                    && !matches!(self.kind(x), ExprKind::Str(_)) =>
            {
                return x;
            }
            _ => {}
        }
        let callee = Callee::Intrinsic(self.s.body.intern(name), it);
        let ids: SmallVec<[ir::ExprId; 8]> = operands.iter().map(|it| it.id).collect();
        let attrs =
            if attrs.is_empty() { ir::Body::no_attrs() } else { self.s.body.attr_dict(attrs) };
        let id = self.made_call(callee, &ids, attrs, ty);
        let children: SmallVec<[Src; 8]> = operands.iter().map(|it| it.src).collect();
        Tx { id, src: self.node(ex, &children) }
    }

    /// Rounding of integers and constants is done by the parser.
    pub(super) fn rounded(&mut self, of: Intrinsic, x: Tx, ex: Ex) -> Option<Tx> {
        let dtype = self.dtype(x)?;
        if dtype.is_integer() || dtype.is_bool() {
            return Some(x);
        }
        let ExprKind::Float(_) = self.kind(x) else { return None };
        let value = self.s.body.float_spelling(x.id)?;
        let value = match of {
            Intrinsic::Floor => value.floor(),
            Intrinsic::Ceil => value.ceil(),
            Intrinsic::Trunc => value.trunc(),
            _ => value.round_ties_even(),
        };
        let id = self.s.body.float(value, dtype);
        let at = self.at(ex);
        Some(self.tx(id, at))
    }

    /// An argument of a call: strings, types, buffers, regions and lists are values here. And how a number is spelled.
    pub(super) fn argument(&mut self, arg: Ex) -> R<(Tx, Option<ir::Attr>)> {
        let ev = self.eval(arg)?;
        if let Val::Region(buffer, dims) = &ev.val {
            return Ok((self.region(*buffer, dims, ev.src), None));
        }
        let tx = self.lift(&ev)?;
        Ok((tx, self.spelling(&ev, tx)))
    }

    /// The combiner of `T.comm_reducer`, the map of `T.index_map`.
    pub(super) fn reducer(&mut self, name: &str, arg: Ex, operands: &[Tx]) -> R<Tx> {
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

    /// The type of a call, and the keyword that is another spelling of the first or last argument, which it becomes.
    pub(super) fn call_type<'n>(
        &mut self,
        name: &str,
        args: &Args<'n>,
        operands: &mut Vec<Tx>,
    ) -> R<(Type, Option<&'n str>)> {
        let rule = intrinsics::result_type(name);
        let is_type = |it: &&(&str, Ex)| matches!(it.0, "dtype" | "ret_ty");
        let Some(&(key, ex)) = args.keywords.iter().find(is_type) else {
            return Ok((self.type_by_rule(rule, operands), None));
        };
        let written = self.written_type(ex)?;
        let ty = match written {
            Written::Type(ty) => ty,
            Written::Symbolic(_) => Type::Unknown,
        };
        let index = match rule {
            ResultType::First => 0,
            ResultType::Last => operands.len(),
            // These have the type of an operand, and TVM drops what is written.
            ResultType::Arg(_) if ty == self.type_by_rule(rule, operands) => {
                return Ok((ty, Some(key)));
            }
            // TVM works these out.
            ResultType::Address | ResultType::AccessPtr => {
                return Ok((self.type_by_rule(rule, operands), None));
            }
            _ => return Ok((ty, None)),
        };
        let tx = match written {
            Written::Symbolic(tx) => tx,
            Written::Type(ty) => {
                let src = self.leaf(ex);
                self.type_literal(ty, src)?
            }
        };
        operands.insert(index, tx);
        Ok((ty, Some(key)))
    }

    pub(super) fn type_by_rule(&mut self, rule: ResultType, operands: &[Tx]) -> Type {
        let named = |this: &mut Self, tx: Option<&Tx>| match tx.map(|it| this.kind(*it)) {
            Some(ExprKind::Str(name)) => {
                DataType::parse(this.s.body.name(name)).map_or(Type::Unknown, Type::Prim)
            }
            Some(ExprKind::Value(value)) if this.s.body.is_captured(value) => {
                this.s.body.dtype_symbol(value).map_or(Type::Unknown, Type::Prim)
            }
            Some(ExprKind::Call {
                callee: Callee::Intrinsic(_, Intrinsic::PointerType), ..
            }) => tx.map_or(Type::Unknown, |&it| this.ty(it)),
            _ => Type::Unknown,
        };
        match rule {
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
        }
    }

    pub(super) fn address_type(&mut self, of: Option<&Tx>) -> Type {
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

    pub(super) fn access_ptr_type(&mut self, operands: &[Tx]) -> Type {
        let element = operands.first().and_then(|&it| self.dtype(it));
        let scope = match operands.get(1).map(|&it| self.ty(it)) {
            Some(Type::Pointer { scope, .. }) => scope,
            _ => ir::MemoryScope::Unwritten,
        };
        element.map_or(DataType::HANDLE.into(), |element| Type::Pointer { element, scope })
    }

    pub(super) fn function_call(
        &mut self,
        ex: Ex,
        callee: Ex,
        signature: &Signature,
        args: &Args<'_>,
    ) -> R<Ev> {
        let ty = match signature.returns.as_deref().map(DataType::parse) {
            Some(Some(dtype)) => dtype.into(),
            _ => DataType::VOID.into(),
        };
        // As it is written, with the module that it is in.
        let name = match self.ast.dotted(callee) {
            Some((head, rest)) if !rest.is_empty() => format!("{head}.{}", rest.join(".")),
            _ => signature.name.to_string(),
        };
        let name = self.s.body.intern(&name);
        self.other_call(ex, Callee::Function(name), args, ty)
    }

    /// `call_tir(M.f, x)` is `M.f(x)`.
    fn call_tir(&mut self, ex: Ex, mut args: Args<'_>) -> R<Ev> {
        if args.positional.is_empty() {
            return Ok(self.opaque_ex(ex));
        }
        let callee = args.positional.remove(0);
        match self.eval(callee)?.val {
            Val::Function(signature) => self.function_call(ex, callee, &signature, &args),
            _ => Ok(self.opaque_ex(ex)),
        }
    }

    pub(super) fn unknown_call(&mut self, ex: Ex, callee: Ex, args: Run) -> R<Ev> {
        let range = std::ops::Range::<usize>::from(self.ast.range(callee));
        let text = self.ast.text.get(range).unwrap_or_default();
        let name = self.s.body.intern(text);
        self.s.writes_captured_memory();
        let args = self.args(args);
        self.other_call(ex, Callee::Unknown(name), &args, Type::Unknown)
    }

    fn other_call(&mut self, ex: Ex, callee: Callee, args: &Args<'_>, ty: Type) -> R<Ev> {
        let mut operands = Vec::new();
        for ev in self.eval_items(&args.positional)? {
            operands.push(match (&ev.val, callee) {
                // What the function makes of it may be used where the threads run.
                (Val::Thread(value, _), Callee::Unknown(_)) => {
                    Tx { id: self.s.body.value_expr(*value), src: ev.src }
                }
                _ => self.lift(&ev)?,
            });
        }
        let attrs = self.keyword_operands(&args.keywords, &|_| false, &mut operands);
        let attrs = self.s.body.attr_dict(attrs);
        let ids: Vec<_> = operands.iter().map(|it| it.id).collect();
        let id = self.s.body.call(callee, &ids, attrs, ty, true);
        let children: Vec<Src> = operands.iter().map(|it| it.src).collect();
        let src = self.node(ex, &children);
        Ok(Ev { val: Val::Expr(id), src })
    }

    /// A function of Python: TVM's own by their last name, a few builtins on constants; the rest is opaque.
    pub(super) fn path_call(&mut self, ex: Ex, callee: Ex, path: ir::NameId, args: Run) -> R<Ev> {
        let path = self.s.body.name(path).to_owned();
        if let Some(made) = self.static_call(ex, &path, args)? {
            return Ok(made);
        }
        let tvm = ["tvm.tirx.op.", "tvm.tir.op.", "tvm.tirx.", "tvm.tir."];
        let name = tvm.iter().find_map(|it| path.strip_prefix(it));
        if let Some(name) = name.filter(|it| !it.contains('.')) {
            let args = self.form_args(name, args);
            return match name {
                "const" => self.python_const(ex, &args),
                "call_tir" => self.call_tir(ex, args),
                // The rest of that module has no name in the script.
                _ if !intrinsics::is_known(name, self.s.env.effects())
                    && super::forms::form_parameters(name).is_none() =>
                {
                    Ok(self.opaque_ex(ex))
                }
                _ => self.intrinsic(ex, name, &args),
            };
        }
        if !super::python::is_python(&path) {
            return self.foreign_call(ex, callee, args);
        }
        let args = self.args(args);
        match self.python_function(ex, &path, &args)? {
            Some(ev) => Ok(ev),
            None => Ok(self.opaque_ex(ex)),
        }
    }

    /// `tvm.tirx.const(value, dtype)`: a constant, if both are known; `const(value)` of a value that is not known is
    /// the value.
    fn python_const(&mut self, ex: Ex, args: &Args<'_>) -> R<Ev> {
        let (value, dtype) = match args.positional[..] {
            // By itself, a number has the type that Python says.
            [value] if args.keywords.is_empty() => {
                let ev = self.eval(value)?;
                return match ev.val {
                    Val::Const(Constant::Int(_) | Constant::Float(_) | Constant::Bool(_)) => {
                        let tx = self.lift(&ev)?;
                        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
                    }
                    Val::Unknown(_) => Ok(ev),
                    _ => Ok(self.opaque_ex(ex)),
                };
            }
            [value, dtype] => (value, dtype),
            _ => return Ok(self.opaque_ex(ex)),
        };
        if !args.keywords.is_empty() {
            return Ok(self.opaque_ex(ex));
        }
        let value = self.eval(value)?;
        let dtype = self.written_type(dtype)?;
        let (Val::Const(_), Written::Type(Type::Prim(dtype))) = (&value.val, dtype) else {
            return Ok(self.opaque_ex(ex));
        };
        let value = self.lift(&value)?;
        let at = self.at(ex);
        let tx = self.written_cast(value, dtype, at)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    pub(super) fn builtin(&self, name: &str, items: &[Ev]) -> Option<Val> {
        let constant = |index: usize| match items.get(index).map(|it| &it.val) {
            Some(Val::Const(it)) => Some(it.clone()),
            _ => None,
        };
        let first = items.first().map(|it| &it.val);
        Some(match (name, items.len()) {
            ("len", 1) => Val::Const(Constant::Int(self.n_items(first?)? as i128)),
            ("int", 1) => match constant(0)? {
                Constant::Int(it) => Val::Const(Constant::Int(it)),
                Constant::Bool(it) => Val::Const(Constant::Int(i128::from(it))),
                Constant::Float(bits) if f64::from_bits(bits).abs() < 1e18 => {
                    Val::Const(Constant::Int(f64::from_bits(bits) as i128))
                }
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
            ("slice", 1..=3) => {
                let is_bound = |it: &&Ev| {
                    matches!(it.val, Val::Const(_) | Val::Expr(_) | Val::Cell(_) | Val::Unknown(_))
                };
                let given: Vec<Val> =
                    items.iter().take_while(is_bound).map(|it| it.val.clone()).collect();
                let none = || Val::Const(Constant::None);
                match &given[..] {
                    _ if given.len() != items.len() => return None,
                    [stop] => Val::Slice([none(), stop.clone(), none()].into()),
                    [start, stop] => Val::Slice([start.clone(), stop.clone(), none()].into()),
                    [start, stop, step] => {
                        Val::Slice([start.clone(), stop.clone(), step.clone()].into())
                    }
                    _ => return None,
                }
            }
            ("tuple" | "list", 1) => {
                let (sequence, n) = (first?, self.n_items(first?)?);
                Val::Seq((0..n).filter_map(|index| self.nth_item(sequence, index)).collect())
            }
            _ => return None,
        })
    }
}

/// The positional arguments of a call, as they are written.
#[derive(Default)]
struct Positional {
    operands: Vec<Tx>,
    attrs: ir::AttrDict,
    /// How operands are spelt, by their places.
    spellings: Vec<(usize, ir::Attr)>,
    /// Lambdas and the places where they go. Their parameters have the types of the identities that follow.
    lambdas: Vec<(usize, Ex)>,
}

/// The effect of an operator on control, whatever its name.
#[derive(Clone, Copy)]
enum Control {
    /// Of two operands one is evaluated (`SEMANTICS: S5`).
    Choice,
    /// Control leaves the list of statements.
    Jump,
}

/// The normal form of the name of the operator whose arms are lazy.
const IF_THEN_ELSE: &str = "if.then.else";

/// TVM's name of the operator behind `A.access_ptr(…)`.
const ACCESS_PTR: &str = "tirx.tvm_access_ptr";

/// Returns true if calls of an operator are values of their operands, by its row.
fn is_value(name: &str) -> bool {
    ir::effects::tir(name).memory_effect == ir::effects::MemoryEffect::None
}

/// Returns true for forms that TVM has and that no table of operators can have: Python that makes statements, and those
/// that are read at other places. What they do is not known; that their names are is no news to who wrote them.
fn is_form_of_tvm(name: &str) -> bool {
    arguments::is_form(name) || matches!(name, "call_kernel" | "decl_scalar" | "Return" | "realize")
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
