//! Terms: the expression that has the value of an operation's result.
//!
//! In: a value and the lanes of its element. Out: an expression, or none for what is no integer. Operations that are
//! not listed give a leaf: a variable that stands for the element. Signed and unsigned operations are told apart as TIR
//! does: unsigned ones work on the operands cast to unsigned types.

use ir::{
    BinaryOp, Body, DataType, ExprId, ExprKind, OpId, UnaryOp, ValueId, ValueKind,
    fold::{self, Folded},
    known_ops,
    stack::with_room,
    text::{
        affine::{Affine, Map, Op},
        types,
    },
};

use super::{Lanes, Leaf, LeafKind, OperationFacts, id_of, op_name, text, values::value_of};

/// Variants of lanes that a value has terms for; a further one is a leaf.
const MOST_VARIANTS: u32 = 8;
/// Nodes of a term that an arm of a choice yields; the choice is a leaf otherwise.
const MOST_NODES: u32 = 64;
/// Dimensions of a tensor.
const MOST_DIMENSIONS: usize = 8;
/// Different lanes of a body; tensors of further shapes have no terms.
pub(super) const MOST_LANES: usize = 64;

/// Indices and sizes of launches.
const OF_LAUNCHES: [&str; 4] = ["gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim"];

const I64: DataType = DataType::INT64;

impl OperationFacts<'_> {
    /// The element of a value at some lanes.
    pub(super) fn element(&mut self, value: ValueId, lanes: &[ExprId]) -> Option<ExprId> {
        let key = (value, Lanes::from_slice(lanes));
        if let Some(&known) = self.terms.get(&key) {
            return known;
        }
        // What a value is made of comes before it, but for arguments of blocks, which are leaves.
        let dtype = self.element_type(value);
        let made = dtype.and_then(|dtype| with_room(|| self.make(value, lanes, dtype)));
        self.terms.insert(key, made);
        made
    }

    /// True for integers and tensors of them.
    pub(super) fn is_integer(&self, value: ValueId) -> bool {
        self.element_type(value).is_some()
    }

    fn element_type(&self, value: ValueId) -> Option<DataType> {
        let ty = text::type_text(self.body, value);
        text::integer(element_text(ty)?)
    }

    /// The lanes of the type of a value.
    pub(super) fn lanes_of(&mut self, value: ValueId) -> Option<Lanes> {
        let shape = self.shape(value)?;
        self.lanes_of_shape(&shape)
    }

    pub(super) fn lanes_of_shape(&mut self, shape: &[i64]) -> Option<Lanes> {
        let lanes = shape.iter().enumerate().map(|(at, &extent)| match extent {
            1 => Some(self.int(0, I64)),
            _ => self.lanes.get(&(at, extent)).copied(),
        });
        lanes.collect()
    }

    /// The extents of a tensor or vector, 0 for those that are not known; none for other types than it and scalars.
    pub fn shape(&self, value: ValueId) -> Option<Vec<i64>> {
        shape_of(text::type_text(self.body, value))
    }

    /// Makes the lane of a dimension, if it is new; gives its variable.
    pub(super) fn new_lane(&mut self, dimension: usize, extent: i64) -> Option<ExprId> {
        if self.lanes.contains_key(&(dimension, extent)) || self.lanes.len() >= MOST_LANES {
            return None;
        }
        let kind = if extent > 0 { LeafKind::Every } else { LeafKind::Unknown };
        let leaf = Leaf { kind, value: None };
        let lane = self.new_leaf(&format!("lane{dimension}"), I64, leaf, true);
        self.lanes.insert((dimension, extent), lane);
        Some(lane)
    }

    fn leaf(&mut self, value: ValueId, dtype: DataType) -> ExprId {
        let is_scalar = self.shape(value).is_some_and(|it| it.is_empty());
        let kind = match self.body.values[value].kind {
            ValueKind::Param(_) if is_scalar => LeafKind::Argument,
            ValueKind::BlockArg(block, _)
                if is_scalar && self.body.blocks[block].parent == self.body.root =>
            {
                LeafKind::Argument
            }
            _ => LeafKind::Unknown,
        };
        let name = self.name(value).to_owned();
        self.new_leaf(&name, dtype, Leaf { kind, value: Some(value) }, false)
    }

    /// The term of `tt.get_program_id`.
    pub(super) fn program_id(&mut self, axis: u32) -> ExprId {
        self.shared_leaf("program", axis, DataType::INT32, LeafKind::Program, None)
    }

    /// The leaf of all operations that give the same: it is not negative.
    fn shared_leaf(
        &mut self,
        what: &str,
        number: u32,
        dtype: DataType,
        kind: LeafKind,
        value: Option<ValueId>,
    ) -> ExprId {
        let key = (format!("{what}:{}", dtype.bits), number);
        if let Some(&known) = self.shared.get(&key) {
            return known;
        }
        let axis = ["x", "y", "z"].get(number as usize).copied().unwrap_or("");
        let leaf = self.new_leaf(&format!("{what}_{axis}"), dtype, Leaf { kind, value }, true);
        self.shared.insert(key, leaf);
        leaf
    }

    fn make(&mut self, value: ValueId, lanes: &[ExprId], dtype: DataType) -> Option<ExprId> {
        let n_variants = self.n_variants.entry(value).or_default();
        *n_variants += 1;
        let is_known = *n_variants <= MOST_VARIANTS;
        let op = match self.body.values[value].kind {
            ValueKind::Result(op, at) if is_known && is_choice(self.body, op) => {
                let choice = self.choice(op, at as usize, lanes, dtype);
                return Some(choice.unwrap_or_else(|| self.leaf(value, dtype)));
            }
            ValueKind::Result(op, _) if self.body.ops[op].results.len() == 1 && is_known => op,
            _ => return Some(self.leaf(value, dtype)),
        };
        match self.of_op(op, value, lanes, dtype) {
            Some(term) => Some(term),
            None => Some(self.leaf(value, dtype)),
        }
    }

    /// The result of an `scf.if` or `affine.if` whose arms yield what is known outside of them.
    fn choice(&mut self, op: OpId, at: usize, lanes: &[ExprId], dtype: DataType) -> Option<ExprId> {
        let body = self.body;
        let [then, other] = body.ops[op].regions[..] else { return None };
        let condition = match id_of(body, op) {
            Some(known_ops::AFFINE_IF) => self.affine_condition(op)?,
            _ => {
                let value = self.operand(op, 0)?;
                self.element(value, &[])?
            }
        };
        let mut arm = |region: ir::RegionId| {
            let &[block] = body.regions[region].blocks.as_slice() else { return None };
            let &last = body.blocks[block].ops.last()?;
            if !matches!(id_of(body, last), Some(known_ops::SCF_YIELD | known_ops::AFFINE_YIELD)) {
                return None;
            }
            let value = value_of(body, *body.ops[last].operands.get(at)?)?;
            let term = self.element(value, lanes)?;
            let it = self.analyzer.body();
            let is_small = it.dtype(term) == Some(dtype) && it.expr(term).size <= MOST_NODES;
            (is_small && self.is_outside(term, op)).then_some(term)
        };
        let (then, other) = (arm(then)?, arm(other)?);
        Some(Terms { analyzer: &mut self.analyzer, dtype }.select(condition, then, other))
    }

    /// The term of the result of an operation; none if it is not understood.
    fn of_op(
        &mut self,
        op: OpId,
        value: ValueId,
        lanes: &[ExprId],
        dtype: DataType,
    ) -> Option<ExprId> {
        let body = self.body;
        let name = op_name(body, op);
        let (dialect, plain) = name.split_once('.')?;
        match (dialect, plain) {
            ("arith", "constant") | ("index", "constant" | "bool.constant") => {
                let value = text::constant(text::attr(body, op, "value")?)?;
                Some(self.int(value, dtype))
            }
            ("arith" | "index", _) => self.arithmetic(op, plain, lanes, dtype),
            ("affine", "apply" | "min" | "max") => self.affine(op, plain),
            ("memref" | "tensor", "dim") => self.extent(op, value),
            ("vector", "step") => lanes.first().copied(),
            ("tt", "get_program_id") => Some(self.program_id(axis(text::attr(body, op, "axis")?)?)),
            ("tt", "get_num_programs") => {
                let axis = axis(text::attr(body, op, "axis")?)?;
                Some(self.shared_leaf("programs", axis, dtype, LeafKind::Unknown, Some(value)))
            }
            _ if OF_LAUNCHES.contains(&name) => {
                let axis = axis(text::attr(body, op, "dimension")?)?;
                Some(self.shared_leaf(plain, axis, dtype, LeafKind::Unknown, Some(value)))
            }
            ("tt", "make_range") => {
                let start = text::int_attr(body, op, "start")?;
                let (start, lane) = (self.int(start.into(), dtype), *lanes.first()?);
                Some(self.analyzer.grow(|body| {
                    let lane = body.cast(lane, dtype);
                    binary(body, BinaryOp::Add, start, lane)
                }))
            }
            _ => {
                let (source, lanes) = self.moved(op, lanes)?;
                self.element(source, &lanes)
            }
        }
    }

    /// An operation that only moves elements: its source, and which of its elements is the one at some lanes.
    pub(super) fn moved(&mut self, op: OpId, lanes: &[ExprId]) -> Option<(ValueId, Lanes)> {
        let body = self.body;
        let source = value_of(body, *body.ops[op].operands.first()?)?;
        let shape = self.shape_of_any(source)?;
        let name = op_name(body, op);
        let moved: Lanes = match name {
            "tt.splat" | "tensor.splat" | "vector.splat" => Lanes::new(),
            "ttg.convert_layout" | "gpu.subgroup_broadcast" => lanes.into(),
            "tt.expand_dims" => {
                let axis = usize::try_from(text::int_attr(body, op, "axis")?).ok()?;
                let mut lanes = Lanes::from_slice(lanes);
                if axis >= lanes.len() {
                    return None;
                }
                lanes.remove(axis);
                lanes
            }
            "tt.broadcast" | "vector.broadcast" => {
                let behind = lanes.len().checked_sub(shape.len())?;
                let zero = self.int(0, I64);
                let lanes = lanes[behind..].iter().zip(&shape);
                lanes.map(|(&lane, &extent)| if extent == 1 { zero } else { lane }).collect()
            }
            "tt.trans" => {
                let order = text::integers(text::attr(body, op, "order")?)?;
                let mut moved = Lanes::from_elem(*lanes.first()?, lanes.len());
                for (at, &from) in order.iter().enumerate() {
                    *moved.get_mut(usize::try_from(from).ok()?)? = *lanes.get(at)?;
                }
                moved
            }
            _ => return None,
        };
        (moved.len() == shape.len()).then_some((source, moved))
    }

    /// The extents of a scalar (none), tensor or vector of anything.
    pub(super) fn shape_of_any(&self, value: ValueId) -> Option<Vec<i64>> {
        let ty = text::type_text(self.body, value);
        match ty.starts_with("tensor<") || ty.starts_with("vector<") {
            true => shape_of(ty),
            false => (!ty.is_empty()).then(Vec::new),
        }
    }

    /// The terms of all operands, at the same lanes; a scalar among tensors has none.
    fn operands(&mut self, op: OpId, lanes: &[ExprId]) -> Option<Lanes> {
        let body = self.body;
        let operands = body.ops[op].operands.iter();
        operands
            .map(|&it| {
                let value = value_of(body, it)?;
                let lanes = if self.shape(value)?.is_empty() { &[] } else { lanes };
                self.element(value, lanes)
            })
            .collect()
    }

    fn arithmetic(
        &mut self,
        op: OpId,
        name: &str,
        lanes: &[ExprId],
        dtype: DataType,
    ) -> Option<ExprId> {
        let operands = self.operands(op, lanes)?;
        let predicate = match name {
            "cmpi" => Some(text::int_attr(self.body, op, "predicate")?),
            _ => None,
        };
        let is_narrow = !dtype.is_bool() && dtype.bits < 32;
        let terms = &mut Terms { analyzer: &mut self.analyzer, dtype };
        match (name, &operands[..]) {
            ("cmpi", &[a, b]) => terms.compare(predicate?, a, b),
            ("select", &[c, a, b]) => Some(terms.select(c, a, b)),
            (_, &[a, b]) if is_narrow => terms.narrow(name, a, b),
            (_, &[a, b]) => terms.binary_by_name(name, a, b),
            (_, &[a]) => terms.conversion(name, a),
            _ => None,
        }
    }

    /// The extent of a memref or tensor.
    fn extent(&mut self, op: OpId, value: ValueId) -> Option<ExprId> {
        let body = self.body;
        let (source, at) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let at = self.term(at)?;
        let ExprKind::Int(at) = self.analyzer.body().expr(at).kind else { return None };
        let at = usize::try_from(at).ok()?;
        let shape = types::shape_of(text::type_text(body, source));
        if let Ok(extent) = shape.get(at)?.parse::<i64>() {
            return Some(self.int(extent.into(), I64));
        }
        let what = format!("extent of {}", ir::arena::Id::index(source));
        Some(self.shared_leaf(&what, at as u32, I64, LeafKind::Unknown, Some(value)))
    }

    // ---- affine ----

    fn affine(&mut self, op: OpId, name: &str) -> Option<ExprId> {
        let map = map_attr(self.body, op, "map")?;
        let operands = self.operands(op, &[])?;
        let mut results = self.mapped(&map, &operands)?.into_iter();
        let first = results.next()?;
        let choice = if name == "min" { BinaryOp::Min } else { BinaryOp::Max };
        Some(results.fold(first, |a, b| self.analyzer.grow(|body| binary(body, choice, a, b))))
    }

    /// The results of a map.
    pub(super) fn mapped(&mut self, map: &Map, operands: &[ExprId]) -> Option<Vec<ExprId>> {
        if operands.len() != map.dims + map.symbols {
            return None;
        }
        let (dims, symbols) = operands.split_at(map.dims);
        map.results.iter().map(|it| self.affine_term(it, dims, symbols)).collect()
    }

    fn affine_term(&mut self, it: &Affine, dims: &[ExprId], symbols: &[ExprId]) -> Option<ExprId> {
        match it {
            Affine::Dim(at) => dims.get(*at).copied(),
            Affine::Symbol(at) => symbols.get(*at).copied(),
            Affine::Constant(value) => Some(self.int((*value).into(), I64)),
            Affine::Binary(op, a, b) => {
                let a = with_room(|| self.affine_term(a, dims, symbols))?;
                let b = with_room(|| self.affine_term(b, dims, symbols))?;
                let terms = &mut Terms { analyzer: &mut self.analyzer, dtype: I64 };
                match op {
                    Op::Add => Some(terms.binary(BinaryOp::Add, a, b)),
                    Op::Mul => Some(terms.binary(BinaryOp::Mul, a, b)),
                    Op::Mod => terms.divide(BinaryOp::FloorMod, a, b),
                    Op::FloorDiv => terms.divide(BinaryOp::FloorDiv, a, b),
                    Op::CeilDiv => terms.ceil_div(a, b),
                }
            }
        }
    }
}

/// True for an operation that yields what one of its two regions does.
fn is_choice(body: &Body, op: OpId) -> bool {
    matches!(id_of(body, op), Some(known_ops::SCF_IF | known_ops::AFFINE_IF))
}

/// The map or set of an attribute.
pub(super) fn map_attr(body: &Body, op: OpId, key: &str) -> Option<Map> {
    let attr = text::attr(body, op, key)?;
    let (word, inner) = attr.split_once('<')?;
    Map::parse(inner.strip_suffix('>')?, word == "affine_set")
}

fn element_text(ty: &str) -> Option<&str> {
    match ty.starts_with("tensor<") || ty.starts_with("vector<") {
        true => types::element_of(ty),
        false => Some(ty),
    }
}

/// The extents of a tensor or vector, 0 for those that are not known; empty for a type without elements.
pub(super) fn shape_of(ty: &str) -> Option<Vec<i64>> {
    if !ty.starts_with("tensor<") && !ty.starts_with("vector<") {
        return Some(Vec::new());
    }
    let extents = types::shape_of(ty);
    if extents.len() > MOST_DIMENSIONS {
        return None;
    }
    let extent = |it: &str| if it == "?" { Some(0) } else { it.parse().ok().filter(|it| *it > 0) };
    extents.into_iter().map(extent).collect()
}

/// 0 for `x`, in whatever spelling.
fn axis(text: &str) -> Option<u32> {
    let word = text.trim_end_matches('>').rsplit([' ', '<']).find(|it| !it.is_empty())?;
    match (word, text.split(' ').next()) {
        ("x", _) | (_, Some("0")) => Some(0),
        ("y", _) | (_, Some("1")) => Some(1),
        ("z", _) | (_, Some("2")) => Some(2),
        _ => None,
    }
}

/// The operator with constants folded.
pub(super) fn binary(body: &mut Body, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    if let Some(dtype) = body.dtype(a) {
        match fold::fold(body, op, a, b, dtype) {
            Folded::Left => return a,
            Folded::Right => return b,
            Folded::Int(value, dtype) => return body.int(value, dtype),
            _ => {}
        }
    }
    body.binary(op, a, b)
}

/// Makes terms for one operation.
pub(super) struct Terms<'t> {
    pub(super) analyzer: &'t mut crate::Analyzer<'static>,
    /// The type of the result.
    pub(super) dtype: DataType,
}

impl Terms<'_> {
    fn dtype_of(&self, a: ExprId) -> DataType {
        self.analyzer.body().dtype(a).unwrap_or(self.dtype)
    }

    fn constant(&self, a: ExprId) -> Option<i64> {
        match self.analyzer.body().expr(a).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn int(&mut self, value: i128, dtype: DataType) -> ExprId {
        self.analyzer.grow(|body| body.int(value, dtype))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.analyzer.grow(|body| binary(body, op, a, b))
    }

    pub(super) fn cast(&mut self, a: ExprId, dtype: DataType) -> ExprId {
        match self.constant(a) {
            Some(value) if !self.dtype_of(a).is_uint() => self.int(value.into(), dtype),
            _ => self.analyzer.grow(|body| body.cast(a, dtype)),
        }
    }

    fn select(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        match self.constant(c) {
            Some(0) => b,
            Some(_) => a,
            None => self.analyzer.grow(|body| body.select(c, a, b)),
        }
    }

    /// A division whose divisor is not literally zero.
    fn divide(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        if matches!(self.constant(b), Some(0 | -1)) {
            return None;
        }
        Some(self.binary(op, a, b))
    }

    pub(super) fn ceil_div(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let low = self.divide(BinaryOp::FloorDiv, a, b)?;
        let rest = self.divide(BinaryOp::FloorMod, a, b)?;
        let dtype = self.dtype_of(a);
        let zero = self.int(0, dtype);
        let is_up = self.binary(BinaryOp::Ne, rest, zero);
        let up = self.cast(is_up, dtype);
        Some(self.binary(BinaryOp::Add, low, up))
    }

    /// A signed number read as an unsigned one.
    pub(super) fn bits(&mut self, a: ExprId) -> ExprId {
        let dtype = self.dtype_of(a);
        if dtype.is_int() {
            self.analyzer.grow(|body| body.cast(a, DataType::uint(dtype.bits)))
        } else {
            a
        }
    }

    /// The operator on the bits of its operands read as unsigned numbers.
    fn unsigned(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let dtype = self.dtype_of(a);
        if op.is_division() && self.constant(b) == Some(0) {
            return None;
        }
        let (a, b) = (self.bits(a), self.bits(b));
        let res = self.analyzer.grow(|body| body.binary(op, a, b));
        Some(if op.is_comparison() { res } else { self.cast(res, dtype) })
    }

    fn binary_by_name(&mut self, name: &str, a: ExprId, b: ExprId) -> Option<ExprId> {
        use BinaryOp::{Add, And, Div, FloorDiv, FloorMod, Max, Min, Mod, Mul, Ne, Or, Sub};
        if self.dtype.is_bool() {
            let op = match name {
                "andi" | "muli" | "and" => And,
                "ori" | "or" => Or,
                "xori" | "xor" if self.constant(b) == Some(1) => {
                    return Some(self.analyzer.grow(|body| body.unary(UnaryOp::Not, a)));
                }
                "xori" | "xor" => Ne,
                _ => return None,
            };
            return Some(self.binary(op, a, b));
        }
        let dtype = self.dtype;
        // A power of two that is less than the sign.
        let power = |it: Option<i64>| {
            let shift = u32::try_from(it?).ok().filter(|it| *it + 1 < u32::from(dtype.bits))?;
            Some(1i64 << shift)
        };
        let shifted = power(self.constant(b));
        let mask =
            self.constant(b).filter(|it| *it > 0 && (*it & (*it + 1)) == 0 && *it < i64::MAX);
        match name {
            "addi" | "add" => Some(self.binary(Add, a, b)),
            "subi" | "sub" => Some(self.binary(Sub, a, b)),
            "muli" | "mul" => Some(self.binary(Mul, a, b)),
            "divsi" | "divs" => self.divide(Div, a, b),
            "remsi" | "rems" => self.divide(Mod, a, b),
            "floordivsi" | "floordivs" => self.divide(FloorDiv, a, b),
            "ceildivsi" | "ceildivs" => self.ceil_div(a, b),
            "divui" | "divu" => self.unsigned(Div, a, b),
            "remui" | "remu" => self.unsigned(Mod, a, b),
            "minsi" | "mins" => Some(self.binary(Min, a, b)),
            "maxsi" | "maxs" => Some(self.binary(Max, a, b)),
            "minui" | "minu" => self.unsigned(Min, a, b),
            "maxui" | "maxu" => self.unsigned(Max, a, b),
            "shli" | "shl" => {
                let factor = self.int(shifted?.into(), dtype);
                Some(self.binary(Mul, a, factor))
            }
            "shrsi" | "shrs" => {
                let divisor = self.int(shifted?.into(), dtype);
                Some(self.binary(FloorDiv, a, divisor))
            }
            "shrui" | "shru" => {
                let divisor = self.int(shifted?.into(), dtype);
                self.unsigned(Div, a, divisor)
            }
            "andi" | "and" => {
                let divisor = self.int(i128::from(mask?) + 1, dtype);
                Some(self.binary(FloorMod, a, divisor))
            }
            _ => None,
        }
    }

    /// Of fewer than 32 bits, sums of terms need not wrap as those of operations do: signed ones are made of wider
    /// numbers and cut.
    fn narrow(&mut self, name: &str, a: ExprId, b: ExprId) -> Option<ExprId> {
        let is_unsigned = matches!(name, "divui" | "remui" | "minui" | "maxui" | "shrui");
        if is_unsigned {
            return self.binary_by_name(name, a, b);
        }
        let wide = DataType::INT32;
        let (a, b) = (self.cast(a, wide), self.cast(b, wide));
        let terms = &mut Terms { analyzer: &mut *self.analyzer, dtype: wide };
        let res = terms.binary_by_name(name, a, b)?;
        Some(self.cast(res, self.dtype))
    }

    fn compare(&mut self, predicate: i64, a: ExprId, b: ExprId) -> Option<ExprId> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let op = *[Eq, Ne, Lt, Le, Gt, Ge, Lt, Le, Gt, Ge].get(usize::try_from(predicate).ok()?)?;
        if self.dtype_of(a).is_bool() && predicate >= 2 {
            return None;
        }
        if predicate >= 6 { self.unsigned(op, a, b) } else { Some(self.binary(op, a, b)) }
    }

    fn conversion(&mut self, name: &str, a: ExprId) -> Option<ExprId> {
        let (from, to) = (self.dtype_of(a), self.dtype);
        match name {
            "extsi" | "index_cast" | "casts" if from.is_bool() => {
                let (one, zero) = (self.int(-1, to), self.int(0, to));
                Some(self.select(a, one, zero))
            }
            "extui" | "index_castui" | "castu" if from.is_bool() => Some(self.cast(a, to)),
            _ if to.is_bool() || from.is_bool() => None,
            "extsi" | "trunci" | "index_cast" | "casts" => Some(self.cast(a, to)),
            "extui" | "index_castui" | "castu" => {
                let bits = self.bits(a);
                Some(self.analyzer.grow(|body| body.cast(bits, to)))
            }
            _ => None,
        }
    }
}
