//! Types of operands: constants of Python become IR, operands of different types are brought together, values are cast.
//!
//! The rules are TVM's (`BinaryOpMatchTypes`, `cast`): a scalar is broadcast to a vector, the wider float wins, a float
//! wins over an integer, the wider integer wins, unsigned wins at equal width. Casts and broadcasts that are made here
//! have no text: they are virtual.

use ir::{DataType, ExprId, ExprKind, Lanes, RegionDim, Type, TypeCode};
use syntax::TextRange;

use super::{
    Lowerer, R, Reported,
    source_tree::{At, Src},
    value::{Ev, Tx, Val, is_left_out},
};
use crate::tvmscript::{Severity, diagnostics, environment::Constant};

impl Lowerer<'_, '_, '_> {
    /// A value as an expression: Python's constants get the types that TVM gives them.
    pub(super) fn lift(&mut self, ev: &Ev) -> R<Tx> {
        let src = ev.src;
        let id = match &ev.val {
            Val::Expr(id) => *id,
            Val::Const(it) => {
                if matches!(it, Constant::Tuple(_) | Constant::List(_)) {
                    self.make_items(it.size(), self.s.sources.range(src))?;
                }
                return self.constant(it, src);
            }
            Val::Cell(buffer) => {
                let zero = self.s.body.int(0, DataType::INT32);
                self.s.body.load(*buffer, &[zero], None)
            }
            Val::Buffer(buffer) => {
                self.s.body.make(ExprKind::Buffer(*buffer), DataType::HANDLE.into())
            }
            // Dialects without cells take a part of a buffer for the vector of its elements.
            Val::Region(buffer, dims) if !self.has_cells() && !dims.iter().any(is_left_out) => {
                let dims = self.sourced(dims, src);
                let indices = self.store_indices(&dims)?;
                let range = self.s.sources.range(src);
                let at = At { range, is_real: self.expansion.is_none() };
                return Ok(self.load(*buffer, &indices, None, at));
            }
            Val::Region(buffer, dims) => return Err(self.not_a_value(*buffer, dims, src)),
            Val::Thread(value, _) => {
                self.check_launched(*value, src)?;
                self.s.body.value_expr(*value)
            }
            Val::Unknown(value) => {
                self.needs_value(*value, self.s.sources.range(src));
                return Ok(self.lift_captured(*value, ev));
            }
            Val::Bound(level, ty) => {
                let Some(index) = self.s.binder_depth.checked_sub(level + 1) else {
                    let range = self.s.sources.range(src);
                    let message = "the variable is not bound here";
                    return Err(self.error(diagnostics::MALFORMED_FORM, range, message));
                };
                self.s.body.make(ExprKind::Bound(index), *ty)
            }
            Val::Seq(items) => {
                self.make_items(items.size(), self.s.sources.range(src))?;
                return self.lift_items(ev);
            }
            Val::Type(ty) => return self.type_literal(*ty, src),
            Val::Static(text) => self.s.body.opaque(text),
            Val::ExprMethod(id, name) if self.s.body.ty(*id) == Type::Unknown => {
                let object = Tx { id: *id, src: self.s.sources.part(src, 0, 1) };
                let name = self.s.body.name(*name).to_owned();
                return Ok(self.member_value(object, &name, src));
            }
            // What is imported may be a number as well as a module.
            Val::Path(_) => match self.captured_path(ev) {
                Some(value) => self.s.body.value_expr(value),
                None => return Ok(self.python(src)),
            },
            Val::Python => return Ok(self.python(src)),
            // What a pool counts while it allocates: a number of Python, another one after each allocation.
            Val::Method(buffer, _) if self.is_pool(*buffer) => {
                self.s.doubt = super::Doubt::Unknown;
                return Ok(self.python(src));
            }
            // What a compiler made of TileLang offers besides functions (`T.CmpType.GE`): a value of Python.
            Val::Intrinsic(name) if self.is_tile_source() && !self.is_of_script(*name) => {
                let name = self.s.body.name(*name);
                let text = format!("T.{}", name.strip_prefix("tl.").unwrap_or(name));
                let value = self.captured_text(&text);
                self.s.body.value_expr(value)
            }
            other => {
                let what = describe(other);
                let range = self.s.sources.range(src);
                let message = format!("{what} is not a value");
                return Err(self.error(diagnostics::MALFORMED_FORM, range, message));
            }
        };
        Ok(Tx { id, src })
    }

    /// A tuple or list whose size has been counted.
    fn lift_items(&mut self, ev: &Ev) -> R<Tx> {
        let items = self.items(ev).unwrap_or_default();
        let mut lift = |it: &Ev| match it.val {
            Val::Seq(_) => ir::stack::with_room(|| self.lift_items(it)),
            _ => self.lift(it),
        };
        let items: Vec<Tx> = items.iter().map(&mut lift).collect::<R<_>>()?;
        Ok(self.tuple(&items, ev.src))
    }

    /// Counts items of tuples and lists where they are used: each mention of a name for a tuple has all of them, so
    /// without a bound a text makes exponentially many.
    pub(super) fn make_items(&mut self, count: usize, range: TextRange) -> R<()> {
        let limit = self.expansion_limit();
        self.s.items_made = self.s.items_made.saturating_add(count);
        if self.s.items_made <= limit {
            return Ok(());
        }
        let message = format!("tuples and lists expand to more than {limit} items here");
        let code = diagnostics::UNSUPPORTED_CONSTRUCT;
        self.diagnostic(code, Severity::Warning, range, message, None);
        Err(Reported)
    }

    /// A part of a buffer where one element is needed.
    fn not_a_value(&mut self, buffer: ir::BufferId, dims: &[RegionDim], src: Src) -> Reported {
        let range = self.s.sources.range(src);
        let written = dims.iter().filter(|it| !is_left_out(it)).count();
        let is_point = |it: &RegionDim| matches!(it, RegionDim::Point(_));
        if written < dims.len() && dims.iter().all(|it| is_left_out(it) || is_point(it)) {
            return self.wrong_rank(range, buffer, written);
        }
        let message = "a part of a buffer is not a value";
        self.error(diagnostics::MALFORMED_FORM, range, message)
    }

    /// A type where an argument is wanted: its name as a string.
    pub(super) fn type_literal(&mut self, ty: Type, src: Src) -> R<Tx> {
        let dtype = match ty {
            Type::Prim(dtype) => dtype,
            Type::Pointer { element, scope } => return Ok(self.pointer_type(element, scope, src)),
            Type::Named(_) | Type::Unknown => {
                let range = self.s.sources.range(src);
                let message = "the type is not known here";
                return Err(self.error(diagnostics::MALFORMED_FORM, range, message));
            }
        };
        let at = At { range: self.s.sources.range(src), is_real: false };
        let id = self.dtype_operand(dtype, at).id;
        Ok(Tx { id, src })
    }

    /// `T.handle("int64", "global").ty` as an operand.
    fn pointer_type(&mut self, element: DataType, scope: ir::MemoryScope, src: Src) -> Tx {
        let at = At { range: self.s.sources.range(src), is_real: false };
        let mut names = vec![self.dtype_operand(element, at)];
        if scope != ir::MemoryScope::Unwritten {
            let scope = self.s.body.scope_name(scope).to_owned();
            let id = self.s.body.string(&scope);
            names.push(self.tx(id, at));
        }
        self.call_node("handle", &names, Type::Pointer { element, scope }, at)
    }

    pub(super) fn tuple(&mut self, items: &[Tx], src: Src) -> Tx {
        let ids: Vec<_> = items.iter().map(|it| it.id).collect();
        let list = self.s.body.list(&ids);
        let children: Vec<Src> = items.iter().map(|it| it.src).collect();
        let at = At { range: self.s.sources.range(src), is_real: self.expansion.is_none() };
        self.make(ExprKind::Tuple(list), DataType::HANDLE.into(), at, &children)
    }

    fn constant(&mut self, it: &Constant, src: Src) -> R<Tx> {
        let range = self.s.sources.range(src);
        let id = match it {
            Constant::Bool(it) => self.s.body.int(i128::from(*it), DataType::BOOL),
            Constant::Int(it) => {
                let dtype = int_dtype(*it);
                match dtype {
                    Some(dtype) => self.s.body.int(*it, dtype),
                    None => {
                        let message = "the integer does not fit in 64 bits";
                        return Err(self.error(diagnostics::INVALID_CONSTANT, range, message));
                    }
                }
            }
            Constant::Float(bits) => {
                return self.const_float_as(f64::from_bits(*bits), DataType::FLOAT32, src);
            }
            Constant::Str(it) => self.s.body.string(it),
            Constant::None => {
                let message = "None is not a value";
                return Err(self.error(diagnostics::MALFORMED_FORM, range, message));
            }
            Constant::Tuple(items) | Constant::List(items) => {
                let at = At { range, is_real: false };
                let mut all = Vec::with_capacity(items.len());
                for item in items.iter() {
                    let src = self.s.sources.leaf(at);
                    all.push(self.constant(item, src)?);
                }
                return Ok(self.tuple(&all, src));
            }
            _ => return Ok(self.python(src)),
        };
        Ok(Tx { id, src })
    }

    /// Converts to a type by folding cast: constants are converted now, other values get a virtual cast.
    pub(super) fn cast_to(&mut self, value: Tx, dtype: DataType) -> R<Tx> {
        let Some(from) = self.dtype(value) else {
            return Ok(self.cast_node(value, dtype));
        };
        if from == dtype {
            return Ok(value);
        }
        if from.is_symbolic() || dtype.is_symbolic() || dtype.element().is_tensor_float() {
            return Ok(self.cast_node(value, dtype));
        }
        if dtype.is_scalar() {
            self.check_lanes(value, from, dtype)?;
            match self.s.body.expr(value.id).kind {
                ExprKind::Int(it) => {
                    let it = if from.is_uint() { i128::from(it as u64) } else { i128::from(it) };
                    return self.const_as(it, dtype, value.src);
                }
                ExprKind::Float(_) => {
                    let it = self.s.body.float_spelling(value.id).unwrap_or_default();
                    return self.const_float_as(it, dtype, value.src);
                }
                _ => return Ok(self.cast_node(value, dtype)),
            }
        }
        if from.is_scalar() {
            let element = self.cast_to(value, dtype.element())?;
            return Ok(self.broadcast(element, dtype.lanes));
        }
        self.check_lanes(value, from, dtype)?;
        self.cast_vector(value, dtype)
    }

    /// TVM casts the parts of a vector, where that is one element, or a step between integers.
    fn cast_vector(&mut self, value: Tx, dtype: DataType) -> R<Tx> {
        let part = |this: &mut Self, id: ExprId, index: usize, n: usize| Tx {
            id,
            src: this.s.sources.part(value.src, index, n),
        };
        let at = At { range: self.tx_range(value), is_real: false };
        let element = dtype.element();
        match self.kind(value) {
            ExprKind::Broadcast { value: of, lanes } => {
                let (of, lanes) = (part(self, of, 0, 2), part(self, lanes, 1, 2));
                let of = self.cast_to(of, element)?;
                let kind = ExprKind::Broadcast { value: of.id, lanes: lanes.id };
                Ok(self.make(kind, dtype.into(), at, &[of.src, lanes.src]))
            }
            ExprKind::Ramp { base, stride, lanes } if dtype.is_integer() => {
                let (base, stride) = (part(self, base, 0, 3), part(self, stride, 1, 3));
                let lanes = part(self, lanes, 2, 3);
                let (base, stride) = (self.cast_to(base, element)?, self.cast_to(stride, element)?);
                let kind = ExprKind::Ramp { base: base.id, stride: stride.id, lanes: lanes.id };
                Ok(self.make(kind, dtype.into(), at, &[base.src, stride.src, lanes.src]))
            }
            _ => Ok(self.cast_node(value, dtype)),
        }
    }

    /// A cast keeps the number of lanes.
    pub(super) fn check_lanes(&mut self, value: Tx, from: DataType, to: DataType) -> R<()> {
        if from.lanes == to.lanes || from.is_symbolic() || to.is_symbolic() {
            return Ok(());
        }
        let range = self.tx_range(value);
        let message = format!("{from} cannot be converted to {to}: the number of lanes differs");
        Err(self.error(diagnostics::DTYPE_MISMATCH, range, message))
    }

    /// An integer as a constant of a type.
    pub(super) fn const_as(&mut self, value: i128, dtype: DataType, src: Src) -> R<Tx> {
        if dtype.is_tensor_float() {
            let number = self.const_float_as(value as f64, DataType::FLOAT32, src)?;
            return Ok(self.cast_node(number, dtype));
        }
        let range = self.s.sources.range(src);
        let id = if dtype.is_float() {
            return self.const_float_as(value as f64, dtype, src);
        } else {
            if dtype.is_uint() && value < 0 {
                let message = format!("{value} is negative, {dtype} is unsigned");
                return Err(self.error(diagnostics::DTYPE_MISMATCH, range, message));
            }
            if !fits(value, dtype) {
                let message = format!("{value} does not fit in {dtype}");
                return Err(self.error(diagnostics::INVALID_CONSTANT, range, message));
            }
            self.s.body.int(value, dtype)
        };
        Ok(Tx { id, src })
    }

    pub(super) fn const_float_as(&mut self, value: f64, dtype: DataType, src: Src) -> R<Tx> {
        if dtype.is_tensor_float() {
            let number = self.const_float_as(value, DataType::FLOAT32, src)?;
            return Ok(self.cast_node(number, dtype));
        }
        if dtype.is_float() {
            if value.is_finite() && value.abs() > largest(dtype) {
                let range = self.s.sources.range(src);
                let message = format!("{value:?} does not fit in {dtype}");
                return Err(self.error(diagnostics::INVALID_CONSTANT, range, message));
            }
            let id = self.s.body.float(value, dtype);
            return Ok(Tx { id, src });
        }
        if dtype.is_bool() {
            return self.const_as(i128::from(value != 0.0), dtype, src);
        }
        // Toward zero, as a C++ conversion.
        self.const_as(value as i64 as i128, dtype, src)
    }

    /// A cast without text of its own.
    pub(super) fn cast_node(&mut self, value: Tx, dtype: DataType) -> Tx {
        let id = self.s.body.make(ExprKind::Cast(value.id), dtype.into());
        Tx { id, src: self.s.sources.wrap(value.src) }
    }

    /// A broadcast without text of its own.
    pub(super) fn broadcast(&mut self, value: Tx, lanes: Lanes) -> Tx {
        let range = self.tx_range(value);
        let at = At { range, is_real: false };
        let (lanes_tx, ty) = self.lanes_expr(value, lanes, at);
        self.make(
            ExprKind::Broadcast { value: value.id, lanes: lanes_tx.id },
            ty,
            at,
            &[value.src, lanes_tx.src],
        )
    }

    fn lanes_expr(&mut self, value: Tx, lanes: Lanes, at: At) -> (Tx, Type) {
        let ty = match self.ty(value) {
            Type::Prim(dtype) => Type::Prim(dtype.with_lanes(lanes)),
            other => other,
        };
        let tx = match lanes {
            Lanes::Fixed(n) => self.int(i128::from(n), DataType::INT32, at),
            Lanes::Scalable(n) => {
                let n = self.int(i128::from(n), DataType::INT32, at);
                let vscale = self.s.body.intrinsic(ir::Intrinsic::VScale);
                let call = self.s.body.call(
                    vscale,
                    &[],
                    ir::Body::no_attrs(),
                    DataType::INT32.into(),
                    false,
                );
                let id = self.s.body.binary(ir::BinaryOp::Mul, n.id, call);
                self.tx(id, at)
            }
        };
        (tx, ty)
    }

    /// Brings two operands to one type as arithmetic does.
    pub(super) fn promote(&mut self, a: Tx, b: Tx) -> R<(Tx, Tx)> {
        let (Some(mut left), Some(mut right)) = (self.dtype(a), self.dtype(b)) else {
            return self.promote_other(a, b);
        };
        if left == right {
            return Ok((a, b));
        }
        if left.is_symbolic() || right.is_symbolic() {
            return Ok((self.opened(a), self.opened(b)));
        }
        let (mut a, mut b) = (a, b);
        if left.lanes != right.lanes {
            if left.is_scalar() {
                // The element is converted first: the cast is under the broadcast.
                let element = common(left, right.element());
                if let Some(element) = element {
                    a = self.cast_to(a, element)?;
                }
                a = self.broadcast(a, right.lanes);
            } else if right.is_scalar() {
                let element = common(left.element(), right);
                if let Some(element) = element {
                    b = self.cast_to(b, element)?;
                }
                b = self.broadcast(b, left.lanes);
            } else {
                return Err(self.mismatch(a, b));
            }
            (left, right) = match (self.dtype(a), self.dtype(b)) {
                (Some(left), Some(right)) => (left, right),
                _ => return Ok((a, b)),
            };
        }
        let Some(dtype) = common(left, right) else { return Err(self.mismatch(a, b)) };
        Ok((self.cast_to(a, dtype)?, self.cast_to(b, dtype)?))
    }

    /// Unknown types stay as they are; pointers have no arithmetic.
    fn promote_other(&mut self, a: Tx, b: Tx) -> R<(Tx, Tx)> {
        let is_unknown = |ty: Type| matches!(ty, Type::Unknown | Type::Named(_));
        let is_open = |it: Tx| {
            let node = self.s.body.expr(it.id);
            node.ty == Type::Unknown && !node.flags.has_unknown
        };
        if is_open(a) || is_open(b) {
            return Ok((self.opened(a), self.opened(b)));
        }
        if is_unknown(self.ty(a)) || is_unknown(self.ty(b)) || self.ty(a) == self.ty(b) {
            return Ok((a, b));
        }
        Err(self.mismatch(a, b))
    }

    pub(super) fn mismatch(&mut self, a: Tx, b: Tx) -> Reported {
        let range = self.tx_range(a).cover(self.tx_range(b));
        let message =
            format!("{} and {} do not fit together", self.type_name(a), self.type_name(b));
        self.error(diagnostics::DTYPE_MISMATCH, range, message)
    }

    pub(super) fn type_name(&self, tx: Tx) -> String {
        match self.ty(tx) {
            Type::Prim(dtype) => self.s.body.dtype_name(dtype),
            Type::Pointer { element, .. } => {
                format!("a pointer to {}", self.s.body.dtype_name(element))
            }
            Type::Named(name) => self.s.body.name(name).to_owned(),
            Type::Unknown => "an unknown type".to_owned(),
        }
    }
}

/// Returns the type of a Python constant in IR: `int32` if it fits.
pub(super) fn int_dtype(value: i128) -> Option<DataType> {
    if i32::try_from(value).is_ok() {
        Some(DataType::INT32)
    } else if i64::try_from(value).is_ok() {
        Some(DataType::INT64)
    } else if u64::try_from(value).is_ok() {
        Some(DataType::uint(64))
    } else {
        None
    }
}

/// Returns true if TVM makes a constant of this type from an integer.
fn fits(value: i128, dtype: DataType) -> bool {
    let bits = u32::from(dtype.bits.clamp(1, 64));
    if dtype.is_bool() {
        return (0..=1).contains(&value);
    }
    if dtype.is_uint() {
        return (0..1i128 << bits).contains(&value);
    }
    let half = 1i128 << (bits - 1);
    (-half..half).contains(&value)
}

/// The largest finite value of a float type, where TVM checks it.
pub(super) fn largest(dtype: DataType) -> f64 {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 32) => f64::from(f32::MAX),
        (TypeCode::Float, 16) => 65504.0,
        (TypeCode::BFloat, _) => f64::from(f32::from_bits(0x7f7f_0000)),
        _ => f64::MAX,
    }
}

/// The type that two operands of equally many lanes are brought to; none if TVM has none.
fn common(a: DataType, b: DataType) -> Option<DataType> {
    if a == b {
        return Some(a);
    }
    let is_number = |it: DataType| it.is_float() || it.is_integer() || it.is_bool();
    // A registered type gives way to floats, and no other number does.
    match (a.is_tensor_float(), b.is_tensor_float()) {
        (true, false) if is_number(b) => {
            return Some(if b.code == TypeCode::Float { b } else { a });
        }
        (false, true) if is_number(a) => {
            return Some(if a.code == TypeCode::Float { a } else { b });
        }
        _ => {}
    }
    if !is_number(a) || !is_number(b) {
        return None;
    }
    Some(match (a.is_float(), b.is_float()) {
        (true, true) => return common_float(a, b),
        (true, false) => a,
        (false, true) => b,
        (false, false) if a.is_bool() => b,
        (false, false) if b.is_bool() => a,
        (false, false) if a.bits != b.bits => {
            if a.bits > b.bits {
                a
            } else {
                b
            }
        }
        (false, false) if a.is_uint() => a,
        (false, false) => b,
    })
}

/// An IEEE float wins over the other formats; else the wider one, else the left.
fn common_float(a: DataType, b: DataType) -> Option<DataType> {
    let is_ieee = |it: DataType| it.code == TypeCode::Float;
    Some(match (is_ieee(a), is_ieee(b)) {
        (true, true) if a.bits < b.bits => b,
        (true, true) => a,
        (true, false) => a,
        (false, true) => b,
        _ if a.bits == b.bits => return None,
        _ if a.bits < b.bits => b,
        _ => a,
    })
}

fn describe(val: &Val) -> &'static str {
    match val {
        Val::Namespace(_) | Val::Path(_) | Val::Module => "a module",
        Val::Intrinsic(_) | Val::Method(..) | Val::ExprMethod(..) | Val::Function(_) => {
            "a function"
        }
        Val::Macro(..) | Val::LocalMacro(..) => "a macro",
        Val::Dict | Val::Entries(_) => "a dictionary",
        Val::Slice(_) => "a slice",
        Val::Lambda => "a lambda",
        Val::Shape(_) | Val::Strides(_) => "a list",
        _ => "this",
    }
}
