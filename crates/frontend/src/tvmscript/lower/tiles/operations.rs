//! Operations on tiles: calls of TileLang's operators, with the operands in the order in which it prints them.

use ir::{Callee, DataType, ExprKind, Intrinsic, Type};

use super::{
    super::{
        Lowerer, R,
        arguments::Args,
        source_tree::{At, Src},
        tile_parameters::reduction,
        value::{Ev, Tx, Val},
    },
    regions::Tile,
};
use crate::tvmscript::{ast::Ex, environment::Constant};

impl<'a> Lowerer<'_, '_, 'a> {
    /// `T.copy(A[i], B[j])` of two elements is a store.
    pub(super) fn copied_element(&mut self, ex: Ex, args: &Args<'a>) -> R<bool> {
        let (Some(from), Some(to)) = (args.get("src"), args.get("dst")) else { return Ok(false) };
        let mark = (self.mark(), self.s.body.ops.len());
        let (source, target) = (self.tile(from)?, self.tile(to)?);
        let (Some(_), Some((buffer, indices))) = (source.element(), target.element()) else {
            // It is read again as an operation on tiles.
            if self.s.body.ops.len() == mark.1 {
                self.undo(mark.0);
            }
            return Ok(false);
        };
        let value = source.value().clone();
        let indices = indices.to_vec();
        self.store(ex, buffer, &indices, &value, None)?;
        Ok(true)
    }

    /// The call of an operator; none if it is read as any other call.
    pub(super) fn tile_operation(&mut self, ex: Ex, name: &str, args: &Args<'a>) -> R<Option<Tx>> {
        let operands = match name {
            "copy" | "async_copy" | "tma_copy" | "copy_cluster" | "transpose" => {
                let [Some(from), Some(to)] = ["src", "dst"].map(|it| args.get(it)) else {
                    return Ok(None);
                };
                let (from, to) = (self.tile(from)?, self.tile(to)?);
                let (from, to) = self.tile_pair(from, to)?;
                vec![from, to]
            }
            "clear" | "fill" => {
                let Some(tile) = args.get("buffer") else { return Ok(None) };
                let value = args.get("value");
                let tile = self.tile(tile)?;
                let tile = self.tile_alone(tile)?;
                let value = match value {
                    Some(value) => self.expr(value)?,
                    None => self.made_int(ex, 0),
                };
                vec![tile, value]
            }
            "gemm" | "wgmma_gemm" | "tcgen05_gemm" => match self.gemm_operands(ex, args)? {
                Some(operands) => operands,
                None => return Ok(None),
            },
            "reduce" => {
                let Some(kind) = args.get("reduce_type") else { return Ok(None) };
                let kind = self.expr(kind)?;
                match self.reduction_operands(ex, args, kind)? {
                    Some(operands) => operands,
                    None => return Ok(None),
                }
            }
            "cumsum" | "cummax" => match self.scan_operands(ex, args)? {
                Some(operands) => operands,
                None => return Ok(None),
            },
            "atomic_add" | "atomic_max" | "atomic_min" => return self.atomic(ex, name, args),
            "reinterpret" => return self.reinterpreted(args, ex),
            "cast" => return self.converted(args, ex),
            "clamp" => return self.clamped(args, ex),
            "sync_threads" => return self.barrier_of_threads(ex, args).map(Some),
            _ => match reduction(name) {
                Some(kind) => {
                    let at = At { range: self.range(ex), is_real: false };
                    let kind = self.s.body.string(kind);
                    let kind = self.tx(kind, at);
                    match self.reduction_operands(ex, args, kind)? {
                        Some(operands) => operands,
                        None => return Ok(None),
                    }
                }
                None => return self.of_barrier(ex, name, args),
            },
        };
        let name = match name {
            "clear" => "fill",
            "copy_cluster" => "copy",
            name if reduction(name).is_some() => "reduce",
            name => name,
        };
        let mut marks = ir::AttrDict::new();
        if matches!(name, "gemm" | "wgmma_gemm" | "tcgen05_gemm")
            && operands.get(CLEARS).is_some_and(|&it| self.const_int(it) == Some(1))
        {
            // What is cleared first is only written.
            marks.push((ir::access_key(2).into(), ir::Attr::Int(2, None)));
        }
        if name == "wgmma_gemm" {
            marks.push(("wg_wait".into(), ir::Attr::Int(-1, None)));
        }
        if name == "tcgen05_gemm" {
            marks.push(("is_tcgen05".into(), ir::Attr::Int(1, None)));
        }
        Ok(Some(self.marked_operator(ex, &format!("tl.{name}"), operands, args, marks)))
    }

    /// A call of an operator, with the keyword arguments that no operand is made of.
    fn operator(&mut self, ex: Ex, name: &str, operands: Vec<Tx>, args: &Args<'a>) -> Tx {
        self.marked_operator(ex, name, operands, args, ir::AttrDict::new())
    }

    /// As `operator`, with attributes that no argument gives.
    fn marked_operator(
        &mut self,
        ex: Ex,
        name: &str,
        mut operands: Vec<Tx>,
        args: &Args<'a>,
        marks: ir::AttrDict,
    ) -> Tx {
        let (barriers, rest): (Vec<(&str, Ex)>, Vec<_>) =
            args.keywords.iter().filter(|it| !HANDLED.contains(&it.0)).copied().partition(|it| {
                matches!(it.0, "barrier" | "remote_barrier") && !self.is_none(it.1)
            });
        let mut attrs = marks;
        for (key, barrier) in barriers {
            let Ok(barrier) = self.barrier_element(barrier) else { continue };
            operands.push(barrier);
            attrs.push((key.into(), ir::Attr::Operand(operands.len() as u32 - 1)));
        }
        attrs.extend(self.keyword_operands(&rest, &|_| false, &mut operands));
        let attrs = match attrs.is_empty() {
            true => ir::Body::no_attrs(),
            false => self.s.body.attr_dict(attrs),
        };
        let callee = Callee::Intrinsic(self.s.body.intern(name), Intrinsic::of_name(name));
        let ids: Vec<_> = operands.iter().map(|it| it.id).collect();
        let id = self.made_call(callee, &ids, attrs, DataType::HANDLE.into());
        let children: Vec<Src> = operands.iter().map(|it| it.src).collect();
        Tx { id, src: self.node(ex, &children) }
    }

    fn made_int(&mut self, ex: Ex, value: i128) -> Tx {
        let at = At { range: self.range(ex), is_real: false };
        self.int(value, DataType::INT32, at)
    }

    fn made_bool(&mut self, ex: Ex, value: bool) -> Tx {
        let at = At { range: self.range(ex), is_real: false };
        self.int(i128::from(value), DataType::BOOL, at)
    }

    /// A flag, by its argument or TileLang's default.
    fn flag(&mut self, ex: Ex, given: Option<Ex>, default: bool) -> R<Tx> {
        let Some(given) = given else { return Ok(self.made_bool(ex, default)) };
        let ev = self.eval(given)?;
        match ev.val {
            Val::Const(Constant::Bool(it)) => {
                let at = self.at(given);
                Ok(self.int(i128::from(it), DataType::BOOL, at))
            }
            Val::Const(Constant::Int(it)) => {
                let at = self.at(given);
                Ok(self.int(i128::from(it != 0), DataType::BOOL, at))
            }
            _ => self.lift(&ev),
        }
    }

    // ---- products ----

    /// `A, B, C, transpose_A, transpose_B, M, N, K, policy, clear`.
    fn gemm_operands(&mut self, ex: Ex, args: &Args<'a>) -> R<Option<Vec<Tx>>> {
        let [Some(a), Some(b), Some(c)] = ["A", "B", "C"].map(|it| args.get(it)) else {
            return Ok(None);
        };
        let (a, b, c) = (self.tile(a)?, self.tile(b)?, self.tile(c)?);
        let transpose_a = self.flag(ex, args.get("transpose_A"), false)?;
        let transpose_b = self.flag(ex, args.get("transpose_B"), false)?;
        let at = At { range: self.range(ex), is_real: false };
        let sizes = self.gemm_sizes(&a, &c, transpose_a);
        let place: Vec<Tx> = match c.starts() {
            Some([.., m, n]) => {
                [*m, *n].map(|it| Tx { id: it.id, src: self.s.sources.again(it.src) }).into()
            }
            _ => Vec::new(),
        };
        let mut operands = Vec::with_capacity(10);
        for tile in [a, b, c] {
            operands.push(self.tile_alone(tile)?);
        }
        operands.extend([transpose_a, transpose_b]);
        match sizes {
            Some(sizes) => operands.extend(sizes.map(|it| self.tx(it, at))),
            // Of tiles of an unknown form nothing is known; what stands behind the sizes keeps its place.
            None => operands.extend([(); 3].map(|()| self.opaque_operand(ex))),
        }
        let policy = match args.get("policy") {
            Some(policy) => self.policy(policy)?,
            None => self.made_int(ex, 0),
        };
        operands.push(policy);
        operands.push(self.flag(ex, args.get("clear_accum"), false)?);
        // What is signalled at the end, and where the product is in its buffer.
        let signal = args.keyword("mbar").filter(|&it| !self.is_none(it));
        operands.push(match signal {
            Some(signal) => self.barrier_element(signal)?,
            None => self.made_int(ex, 0),
        });
        operands.extend(place);
        Ok(Some(operands))
    }

    /// M, N and K, by the last two extents of the tiles.
    fn gemm_sizes(&mut self, a: &Tile, c: &Tile, transpose_a: Tx) -> Option<[ir::ExprId; 3]> {
        let [.., m, n] = *c.extents()? else { return None };
        let [.., first, last] = *a.extents()? else { return None };
        let k = match self.const_int(transpose_a) {
            Some(0) => last,
            Some(_) => first,
            None if first == last => last,
            None => self.s.body.select(transpose_a.id, first, last),
        };
        Some([m, n, k])
    }

    /// `T.GemmWarpPolicy.FullRow`: the number that it is.
    fn policy(&mut self, ex: Ex) -> R<Tx> {
        let ev = self.eval(ex)?;
        let number = match &ev.val {
            Val::Intrinsic(name) => match self.s.body.name(*name) {
                "tl.GemmWarpPolicy.Square" => 0,
                "tl.GemmWarpPolicy.FullRow" => 1,
                "tl.GemmWarpPolicy.FullCol" => 2,
                _ => return Ok(self.opaque_operand(ex)),
            },
            _ => return self.lift(&ev),
        };
        let at = self.at(ex);
        Ok(self.int(number, DataType::INT32, at))
    }

    // ---- reductions ----

    /// `src, dst, kind, dimension, clear`.
    fn reduction_operands(&mut self, ex: Ex, args: &Args<'a>, kind: Tx) -> R<Option<Vec<Tx>>> {
        let [Some(from), Some(to)] = ["buffer", "out"].map(|it| args.get(it)) else {
            return Ok(None);
        };
        let (from, to) = (self.tile(from)?, self.tile(to)?);
        let dim = self.dimension(ex, args.get("dim"), &from, -1)?;
        let (from, to) = (self.tile_alone(from)?, self.tile_alone(to)?);
        let clear = self.flag(ex, args.get("clear"), true)?;
        Ok(Some(vec![from, to, kind, dim, clear]))
    }

    /// `src, dst, dimension, reverse`.
    fn scan_operands(&mut self, ex: Ex, args: &Args<'a>) -> R<Option<Vec<Tx>>> {
        let Some(source) = args.get("src") else { return Ok(None) };
        let target = args.get("dst").filter(|&it| !self.is_none(it)).unwrap_or(source);
        let (from, to) = (self.tile(source)?, self.tile(target)?);
        let dim = self.dimension(ex, args.get("dim"), &from, 0)?;
        let (from, to) = (self.tile_alone(from)?, self.tile_alone(to)?);
        let to = match target == source {
            true => Tx { id: to.id, src: self.s.sources.again(from.src) },
            false => to,
        };
        let reverse = self.flag(ex, args.get("reverse"), false)?;
        Ok(Some(vec![from, to, dim, reverse]))
    }

    /// A dimension, counted from the front.
    fn dimension(&mut self, ex: Ex, given: Option<Ex>, of: &Tile, default: i128) -> R<Tx> {
        let rank = of.buffer().map(|it| self.s.body.buffers[it].shape.len() as i128);
        let (at, val) = match given {
            Some(given) => (self.at(given), self.eval(given)?),
            None => {
                let at = At { range: self.range(ex), is_real: false };
                let src = self.s.sources.leaf(at);
                (at, Ev { val: Val::Const(Constant::Int(default)), src })
            }
        };
        match (&val.val, rank) {
            (Val::Const(Constant::Int(it)), Some(rank)) if *it < 0 => {
                Ok(self.int(*it + rank, DataType::INT32, at))
            }
            _ => self.lift(&val),
        }
    }

    // ---- atomics ----

    /// Of an element: the address, the value, the order. Of tiles: the value, the tile.
    fn atomic(&mut self, ex: Ex, name: &str, args: &Args<'a>) -> R<Option<Tx>> {
        let [Some(to), Some(value)] = ["dst", "value"].map(|it| args.get(it)) else {
            return Ok(None);
        };
        let target = self.tile(to)?;
        let given = self.tile(value)?;
        let is_scalar = given.element().is_some() || given.buffer().is_none();
        if target.element().is_some() && is_scalar {
            let place = target.value().clone();
            let value = given.value().clone();
            let place = self.address(&place)?;
            let value = self.lift(&value)?;
            let value = match self.element_type(&target) {
                Some(dtype) if self.dtype(value).is_some() => self.cast_to(value, dtype)?,
                _ => value,
            };
            let mut operands = vec![place, value];
            match args.get("memory_order").filter(|&it| !self.is_none(it)) {
                Some(order) => operands.push(self.memory_order(order)?),
                // Sums have no order where none is given.
                None if name != "atomic_add" => operands.push(self.made_int(ex, 0)),
                None => {}
            }
            let returns = args.get("return_prev").map(|it| self.eval(it)).transpose()?;
            let returns =
                matches!(returns.map(|it| it.val), Some(Val::Const(Constant::Bool(true))));
            let ret = if returns { "ret_" } else { "" };
            let operator = format!("tl.{name}_{ret}elem_op");
            let call = self.operator(ex, &operator, operands, args);
            if let (true, Some(dtype)) = (returns, self.element_type(&target)) {
                return Ok(Some(self.of_type(call, dtype)));
            }
            return Ok(Some(call));
        }
        let (given, target) = self.tile_pair(given, target)?;
        let operator = format!("tl.{}", name.replace('_', ""));
        // TileLang says that the tile is written, though each element is combined with what it was.
        let marks = vec![(ir::access_key(1).into(), ir::Attr::Int(2, None))];
        Ok(Some(self.marked_operator(ex, &operator, vec![given, target], args, marks)))
    }

    fn element_type(&self, tile: &Tile) -> Option<DataType> {
        tile.buffer().map(|it| self.s.body.buffers[it].dtype).filter(|it| !it.is_symbolic())
    }

    /// A call as a value of a type.
    fn of_type(&mut self, call: Tx, dtype: DataType) -> Tx {
        match self.kind(call) {
            ExprKind::Call { callee, args, attrs, .. } => {
                let args = self.s.body.items(args).to_vec();
                let id = self.made_call(callee, &args, attrs, dtype.into());
                Tx { id, src: call.src }
            }
            _ => call,
        }
    }

    /// The address of an element, which is no read of it.
    pub(super) fn address(&mut self, element: &Ev) -> R<Tx> {
        let load = self.lift(element)?;
        let ty = self.address_type(Some(&load));
        let at = At { range: self.tx_range(load), is_real: false };
        Ok(self.call_node("address_of", &[load], ty, at))
    }

    // ---- values ----

    /// `T.reinterpret(value, dtype)`: TVM has the type first.
    fn reinterpreted(&mut self, args: &Args<'a>, ex: Ex) -> R<Option<Tx>> {
        let [Some(value), Some(dtype)] = ["value", "dtype"].map(|it| args.get(it)) else {
            return Ok(None);
        };
        let (value, dtype) = match self.type_in_place(value)? {
            true => (dtype, value),
            false => (value, dtype),
        };
        let ty = self.type_of(dtype)?;
        let src = self.leaf(dtype);
        let written = self.type_literal(ty, src)?;
        let value = self.expr(value)?;
        Ok(Some(self.finish_call(ex, "reinterpret", &[written, value], ir::AttrDict::new(), ty)))
    }

    /// `T.cast(value, dtype)`; with other arguments (`round=`) an operator.
    fn converted(&mut self, args: &Args<'a>, ex: Ex) -> R<Option<Tx>> {
        let [Some(value), Some(dtype)] = ["value", "dtype"].map(|it| args.get(it)) else {
            return Ok(None);
        };
        if args.keywords.iter().all(|it| matches!(it.0, "value" | "dtype")) {
            return self.cast_form(ex, "cast", args).map(Some);
        }
        let ty = self.type_of(dtype)?;
        let value = self.expr(value)?;
        let call = self.operator(ex, "tl.cast", vec![value], args);
        Ok(Some(match ty {
            Type::Prim(dtype) => self.of_type(call, dtype),
            _ => call,
        }))
    }

    /// Returns true if an argument is a type.
    fn type_in_place(&mut self, ex: Ex) -> R<bool> {
        let mark = self.mark();
        let ev = self.eval(ex)?;
        let is_type = match &ev.val {
            Val::Type(_) => true,
            Val::Const(Constant::Str(it)) => DataType::parse(it).is_some(),
            _ => false,
        };
        self.undo(mark);
        Ok(is_type)
    }

    /// `T.clamp(x, low, high)`
    fn clamped(&mut self, args: &Args<'a>, ex: Ex) -> R<Option<Tx>> {
        let [Some(value), Some(low), Some(high)] =
            ["dst", "min_val", "max_val"].map(|it| args.get(it))
        else {
            return Ok(None);
        };
        let (value, low, high) = (self.expr(value)?, self.expr(low)?, self.expr(high)?);
        if [value, low, high].iter().any(|&it| self.ty(it) == Type::Unknown) {
            return Ok(None);
        }
        let at = self.at(ex);
        let inside = At { is_real: false, ..at };
        let is_float = |it: &Tx| matches!(self.ty(*it), Type::Prim(it) if it.is_float());
        if [value, low, high].iter().any(is_float) {
            // An operator of its own, as a value that is not a number stays one.
            let (value, low) = self.promote(value, low)?;
            let (value, high) = self.promote(value, high)?;
            let (low, high) = self.promote(low, high)?;
            let ty = self.ty(value);
            return Ok(Some(self.call_node("tl.clamp", &[value, low, high], ty, at)));
        }
        let least = self.arithmetic(ir::BinaryOp::Max, value, low, inside)?;
        self.arithmetic(ir::BinaryOp::Min, least, high, at).map(Some)
    }

    /// `T.index_to_coordinates(index, shape)`: the quotients and remainders that TileLang makes of it.
    pub(super) fn coordinates(&mut self, ex: Ex, args: &Args<'a>) -> R<Option<Ev>> {
        let [Some(index), Some(shape)] = ["index", "shape"].map(|it| args.get(it)) else {
            return Ok(None);
        };
        let mut index = self.expr(index)?;
        let shape = self.eval(shape)?;
        let Some(extents) = self.items(&shape) else { return Ok(None) };
        let at = At { range: self.range(ex), is_real: false };
        let mut all = Vec::with_capacity(extents.len());
        for extent in extents.iter().rev() {
            let extent = self.lift(extent)?;
            if self.ty(extent) == Type::Unknown || self.ty(index) == Type::Unknown {
                return Ok(None);
            }
            let again = Tx { id: index.id, src: self.s.sources.again(index.src) };
            let extent_again = Tx { id: extent.id, src: self.s.sources.again(extent.src) };
            let place = self.arithmetic(ir::BinaryOp::FloorMod, again, extent_again, at)?;
            all.insert(0, Val::Expr(place.id));
            index = self.arithmetic(ir::BinaryOp::FloorDiv, index, extent, at)?;
        }
        let src = self.s.sources.leaf(at);
        Ok(Some(Ev { val: Val::Seq(all.into_iter().collect()), src }))
    }

    // ---- barriers ----

    /// `T.sync_threads()`
    fn barrier_of_threads(&mut self, ex: Ex, args: &Args<'a>) -> R<Tx> {
        let at = At { range: self.range(ex), is_real: false };
        let scope = self.s.body.string("shared");
        let mut operands = vec![self.tx(scope, at)];
        for &arg in &args.positional {
            if !self.is_none(arg) {
                operands.push(self.expr(arg)?);
            }
        }
        let void = DataType::VOID.into();
        let at = self.at(ex);
        Ok(self.call_node("tvm_storage_sync", &operands, void, at))
    }

    /// A barrier: an element of a buffer, the first where only that is named.
    pub(super) fn barrier_element(&mut self, barrier: Ex) -> R<Tx> {
        let ev = self.eval(barrier)?;
        match ev.val {
            Val::Buffer(buffer) => {
                let at = At { range: self.range(barrier), is_real: false };
                let zero = self.int(0, DataType::INT32, at);
                let at = self.at(barrier);
                Ok(self.load(buffer, &[zero], None, at))
            }
            _ => self.lift(&ev),
        }
    }

    /// Operations on barriers, each of which is an element of a buffer.
    fn of_barrier(&mut self, ex: Ex, name: &str, args: &Args<'a>) -> R<Option<Tx>> {
        let (operator, second) = match name {
            "barrier_wait" | "mbarrier_wait_parity" => ("tl.mbarrier_wait_parity", "parity"),
            "barrier_arrive" | "mbarrier_arrive" => ("ptx_arrive_barrier", "cta_id"),
            "mbarrier_expect_tx" => ("tl.mbarrier_expect_tx", "tx"),
            "mbarrier_arrive_expect_tx" => ("ptx_arrive_barrier_expect_tx", "tx"),
            _ => return Ok(None),
        };
        let Some(barrier) = args.get("mbarrier") else { return Ok(None) };
        let barrier = self.barrier_element(barrier)?;
        let mut operands = vec![barrier];
        let second = args.get(second).filter(|&it| !self.is_none(it));
        let operator = match (operator, second) {
            ("ptx_arrive_barrier", Some(_)) => "tl.ptx_arrive_cluster_barrier",
            (operator, _) => operator,
        };
        if let Some(second) = second {
            operands.push(self.expr(second)?);
        }
        Ok(Some(self.operator(ex, operator, operands, args)))
    }
}

/// The operand of a product that says whether its accumulator is cleared first.
const CLEARS: usize = 9;

/// Keyword arguments that become operands.
const HANDLED: &[&str] = &[
    "src",
    "dst",
    "buffer",
    "value",
    "A",
    "B",
    "C",
    "transpose_A",
    "transpose_B",
    "policy",
    "clear_accum",
    "mbar",
    "out",
    "reduce_type",
    "dim",
    "clear",
    "reverse",
    "memory_order",
    "return_prev",
    "mbarrier",
    "parity",
    "cta_id",
    "tx",
    "dtype",
];
