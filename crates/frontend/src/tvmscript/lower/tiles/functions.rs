//! Functions of TileLang that are calls of an operator with its operands in another order, or with more of them than
//! are written: `T.shfl_xor(x, 1)` is `T.shfl_xor_sync(T.uint32(0xFFFFFFFF), x, 1, 32)`.

use ir::{AttrDict, BinaryOp, DataType, ExprKind, Type};

use super::super::{
    Lowerer, R,
    arguments::Args,
    intrinsics,
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{ast::Ex, environment::Constant};

/// An operand of an operator.
#[derive(Clone, Copy)]
enum Operand {
    /// The argument of a parameter.
    Given(&'static str),
    /// The same, or a number where nothing is given.
    Number(&'static str, i128),
    /// The same, or a truth value.
    Flag(&'static str, bool),
    /// The same, or a text.
    Text(&'static str, &'static str),
    /// The lanes of a warp that take part: all, if `mask` is not given.
    Lanes,
    /// A number that the function stands for.
    Is(i128),
    /// A barrier, which is an element of a buffer.
    Barrier(&'static str),
    /// The address of an element, or of the first one of a part.
    Place(&'static str),
    /// The number of a memory order, or that of the order that holds where none is given.
    Order(&'static str),
}

/// Memory orders of C++ in TileLang's order; an operator gets the number.
const ORDERS: [&str; 6] = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"];

/// The operator and its operands that a function stands for.
fn operator_of(name: &str) -> Option<(&'static str, &'static [Operand])> {
    use Operand::{Barrier, Flag, Given, Is, Lanes, Number, Order, Place, Text};
    const ROUNDING: Operand = Text("rounding_mode", "rn");
    const SHUFFLE: &[Operand] = &[Lanes, Given("value"), Given("delta"), Number("width", 32)];
    const VOTE: &[Operand] = &[Lanes, Given("predicate")];
    const MATCH: &[Operand] = &[Lanes, Given("value")];
    const BINARY: &[Operand] = &[Given("x"), Given("y"), ROUNDING];
    const UNARY: &[Operand] = &[Given("x"), ROUNDING];
    const PLACES: &[Operand] = &[Place("dst"), Place("value")];
    Some(match name {
        "shfl_xor" => ("tl.shfl_xor_sync", SHUFFLE),
        "shfl_down" => ("tl.shfl_down_sync", SHUFFLE),
        "shfl_up" => ("tl.shfl_up_sync", SHUFFLE),
        "shfl_sync" => {
            ("tl.shfl_sync", &[Lanes, Given("value"), Given("srcLane"), Number("width", 32)])
        }
        "any_sync" => ("tl.any_sync", VOTE),
        "all_sync" => ("tl.all_sync", VOTE),
        "ballot_sync" => ("tl.ballot_sync", VOTE),
        "match_any_sync" => ("tl.match_any_sync", MATCH),
        "match_all_sync" => ("tl.match_all_sync", MATCH),
        "shuffle_elect" => ("tl.tl_shuffle_elect", &[Given("thread_extent")]),
        "inc_max_nreg" => ("tl.set_max_nreg", &[Given("reg_count"), Is(1)]),
        "dec_max_nreg" => ("tl.set_max_nreg", &[Given("reg_count"), Is(0)]),
        "disable_warp_group_reg_alloc" => ("tl.no_set_max_nreg", &[]),
        "annotate_producer_reg_dealloc" => {
            ("tl.annotate_producer_reg_dealloc", &[Number("reg_count", 24)])
        }
        "annotate_consumer_reg_alloc" => {
            ("tl.annotate_consumer_reg_alloc", &[Number("reg_count", 240)])
        }
        "cp_async_barrier_noinc" => ("tl.ptx_cp_async_barrier_noinc", &[Barrier("barrier")]),
        "tma_store_wait" => ("tl.tma_store_wait", &[Number("count", 0), Flag("read", true)]),
        "atomic_addx2" => ("tl.atomic_addx2_elem_op", PLACES),
        "atomic_addx4" => ("tl.atomic_addx4_elem_op", PLACES),
        "atomic_load" => ("tl.atomic_load_elem_op", &[Place("src"), Order("seq_cst")]),
        "atomic_store" => {
            ("tl.atomic_store_elem_op", &[Place("dst"), Given("src"), Order("seq_cst")])
        }
        "atomic_or" => ("tl.atomic_or_elem_op", &[Place("dst"), Given("value"), Order("relaxed")]),
        "ieee_add" => ("tl.ieee_add", BINARY),
        "ieee_sub" => ("tl.ieee_sub", BINARY),
        "ieee_mul" => ("tl.ieee_mul", BINARY),
        "ieee_fdiv" => ("tl.ieee_fdiv", BINARY),
        "ieee_frcp" => ("tl.ieee_frcp", UNARY),
        "ieee_fsqrt" => ("tl.ieee_fsqrt", UNARY),
        "ieee_fmaf" => ("tl.ieee_fmaf", &[Given("x"), Given("y"), Given("z"), ROUNDING]),
        _ => return None,
    })
}

impl<'a> Lowerer<'_, '_, 'a> {
    /// The call of an operator that a function stands for; none if it is no such function, or is given other arguments.
    pub(super) fn of_function(&mut self, ex: Ex, name: &str, args: &Args<'a>) -> R<Option<Tx>> {
        match name {
            "align_up" => return self.aligned(ex, args),
            "access_ptr" => return self.access_of_tile(ex, args),
            "__ldg" => return self.read_only_element(ex, args),
            _ => {}
        }
        let Some((operator, operands)) = operator_of(name) else { return Ok(None) };
        let lanes = match (name, args.get("return_prev")) {
            ("atomic_addx2" | "atomic_addx4", Some(returns)) => match self.eval(returns)?.val {
                Val::Const(Constant::Bool(true)) if name.ends_with('2') => 2,
                Val::Const(Constant::Bool(true)) => 4,
                Val::Const(Constant::Bool(false)) => 0,
                _ => return Ok(None),
            },
            _ => 0,
        };
        let operator = match lanes {
            2 => "tl.atomic_addx2_ret_elem_op",
            4 => "tl.atomic_addx4_ret_elem_op",
            _ => operator,
        };
        if !args.named().all(|it| self.is_taken(operands, it)) {
            return Ok(None);
        }
        let mark = self.mark();
        let mut made = Vec::with_capacity(operands.len());
        let mut element = None;
        for &operand in operands {
            let Some(tx) = self.operand_of_function(ex, args, operand)? else {
                self.undo(mark);
                return Ok(None);
            };
            if let (Operand::Place(_), Type::Pointer { element: of, .. }) = (operand, self.ty(tx)) {
                element = element.or(Some(of));
            }
            made.push(tx);
        }
        let ty = match element {
            Some(element) if name == "atomic_load" => element.into(),
            Some(element) if lanes > 0 => element.with_lanes(ir::Lanes::Fixed(lanes)).into(),
            _ => self.type_by_rule(intrinsics::result_type(operator), &made),
        };
        Ok(Some(self.finish_call(ex, operator, &made, AttrDict::new(), ty)))
    }

    /// Returns true if an argument becomes an operand, or says what holds anyway.
    fn is_taken(&self, operands: &[Operand], (name, value): (&str, Ex)) -> bool {
        operands.iter().any(|it| match *it {
            Operand::Given(of)
            | Operand::Number(of, _)
            | Operand::Flag(of, _)
            | Operand::Text(of, _)
            | Operand::Barrier(of)
            | Operand::Place(of) => of == name,
            Operand::Lanes => name == "mask",
            Operand::Order(_) => name == "memory_order",
            Operand::Is(_) => false,
        }) || name == "return_prev"
            || self.is_none(value)
    }

    /// An operand; none if its argument is missing, or is none of those that are known here.
    fn operand_of_function(&mut self, ex: Ex, args: &Args<'a>, operand: Operand) -> R<Option<Tx>> {
        let given = |this: &Self, name: &str| args.get(name).filter(|&it| !this.is_none(it));
        let at = At { range: self.range(ex), is_real: false };
        Ok(Some(match operand {
            Operand::Given(name) => match given(self, name) {
                Some(it) => self.expr(it)?,
                None => return Ok(None),
            },
            Operand::Number(name, default) => match given(self, name) {
                Some(it) => self.expr(it)?,
                None => self.int(default, DataType::INT32, at),
            },
            Operand::Flag(name, default) => match given(self, name) {
                Some(it) => self.expr(it)?,
                None => self.int(i128::from(default), DataType::BOOL, at),
            },
            Operand::Text(name, default) => match given(self, name) {
                Some(it) => self.expr(it)?,
                None => {
                    let id = self.s.body.string(default);
                    self.tx(id, at)
                }
            },
            Operand::Is(value) => self.int(value, DataType::INT32, at),
            Operand::Lanes => match args.get("mask") {
                None => self.int(i128::from(u32::MAX), DataType::uint(32), at),
                Some(mask) => {
                    let ev = self.eval(mask)?;
                    match ev.val {
                        Val::Const(Constant::Int(it)) => {
                            let at = self.at(mask);
                            self.int(i128::from(it as u32), DataType::uint(32), at)
                        }
                        _ => self.lift(&ev)?,
                    }
                }
            },
            Operand::Barrier(name) => match given(self, name) {
                Some(it) => self.barrier_element(it)?,
                None => return Ok(None),
            },
            Operand::Place(name) => match given(self, name) {
                Some(it) => return self.place(it),
                None => return Ok(None),
            },
            Operand::Order(default) => match given(self, "memory_order") {
                Some(it) => self.memory_order(it)?,
                None => {
                    let number = ORDERS.iter().position(|it| *it == default).unwrap_or_default();
                    self.int(number as i128, DataType::INT32, at)
                }
            },
        }))
    }

    /// The number of a memory order.
    pub(super) fn memory_order(&mut self, ex: Ex) -> R<Tx> {
        let ev = self.eval(ex)?;
        let named = self.const_str(&ev.val);
        match named.and_then(|it| ORDERS.iter().position(|order| **order == *it)) {
            Some(number) => {
                let at = self.at(ex);
                Ok(self.int(number as i128, DataType::INT32, at))
            }
            None => self.lift(&ev),
        }
    }

    /// The address of an element, or of the first element of a part; none of anything else.
    fn place(&mut self, ex: Ex) -> R<Option<Tx>> {
        let tile = self.tile(ex)?;
        if tile.element().is_some() {
            let element = tile.value().clone();
            return self.address(&element).map(Some);
        }
        let (Some(buffer), Some(starts)) = (tile.buffer(), tile.starts()) else { return Ok(None) };
        let starts: Vec<Tx> = starts.to_vec();
        let at = At { range: self.range(ex), is_real: false };
        let load = self.load(buffer, &starts, None, at);
        self.address(&Ev { val: Val::Expr(load.id), src: load.src }).map(Some)
    }

    /// `T.access_ptr(A[i], "w", 8)`: the address of the first element, how many there are, and what is done to them.
    fn access_of_tile(&mut self, ex: Ex, args: &Args<'a>) -> R<Option<Tx>> {
        let is_known = |it: &(&str, Ex)| matches!(it.0, "base" | "access_type" | "extent");
        let Some(base) = args.get("base").filter(|_| args.keywords.iter().all(is_known)) else {
            return Ok(None);
        };
        let access = match args.get("access_type") {
            Some(access) => self.eval(access)?.val,
            None => Val::Const(Constant::Str("r".into())),
        };
        let mask = match (self.const_str(&access).as_deref(), access) {
            (Some("r"), _) => 1,
            (Some("w"), _) => 2,
            (Some("rw"), _) => 3,
            (None, Val::Const(Constant::Int(mask @ 1..=3))) => mask,
            _ => return Ok(None),
        };
        let at = At { range: self.range(ex), is_real: false };
        let tile = self.tile(base)?;
        let (Some(buffer), Some(starts)) = (tile.buffer(), tile.starts()) else { return Ok(None) };
        let is_element = tile.element().is_some();
        let (starts, extents) = (starts.to_vec(), tile.extents().map(<[_]>::to_vec));
        let load = match is_element {
            true => self.lift(tile.value())?,
            false => self.load(buffer, &starts, None, at),
        };
        let given = args.positional.iter().skip(2).copied();
        let extent = match args.keyword("extent").filter(|&it| !self.is_none(it)) {
            Some(extent) => self.expr(extent)?,
            None => {
                let mut sizes = Vec::new();
                for ev in self.eval_items(&given.collect::<Vec<_>>())? {
                    match self.items(&ev) {
                        Some(items) => sizes.extend(items),
                        None => sizes.push(ev),
                    }
                }
                let mut all = Vec::with_capacity(sizes.len());
                for size in &sizes {
                    all.push(self.lift(size)?);
                }
                if all.is_empty() && !is_element {
                    all.extend(extents.into_iter().flatten().map(|it| self.tx(it, at)));
                }
                let mut extent = self.int(1, DataType::INT32, at);
                for size in all {
                    extent = self.arithmetic(BinaryOp::Mul, extent, size, at)?;
                }
                extent
            }
        };
        let mask = self.int(mask, DataType::INT32, at);
        let operands = [load, extent, mask];
        let ty = self.type_by_rule(intrinsics::result_type("tl.access_ptr"), &operands);
        Ok(Some(self.finish_call(ex, "tl.access_ptr", &operands, AttrDict::new(), ty)))
    }

    /// `T.align_up(x, y)`: the next multiple.
    fn aligned(&mut self, ex: Ex, args: &Args<'a>) -> R<Option<Tx>> {
        let [Some(x), Some(y)] = ["x", "y"].map(|it| args.get(it)) else { return Ok(None) };
        let (x, y) = (self.expr(x)?, self.expr(y)?);
        let again = Tx { id: y.id, src: self.s.sources.again(y.src) };
        let inside = At { range: self.range(ex), is_real: false };
        let quotient = self.ceildiv_of(x, y, inside)?;
        let at = self.at(ex);
        self.arithmetic(BinaryOp::Mul, quotient, again, at).map(Some)
    }

    /// `T.__ldg(A, i)`: the element of a buffer.
    fn read_only_element(&mut self, ex: Ex, args: &Args<'a>) -> R<Option<Tx>> {
        let [Some(of), Some(index)] = ["load_or_buf", "index"].map(|it| args.get(it)) else {
            return Ok(None);
        };
        let Val::Buffer(buffer) = self.eval(of)?.val else { return Ok(None) };
        if self.s.body.buffers[buffer].shape.len() != 1 {
            return Ok(None);
        }
        let index = self.expr(index)?;
        let at = At { range: self.range(ex), is_real: false };
        let load = self.load(buffer, &[index], None, at);
        let ty = self.ty(load);
        Ok(Some(self.finish_call(ex, "tl.__ldg", &[load], AttrDict::new(), ty)))
    }
}

impl Lowerer<'_, '_, '_> {
    /// `T.get_thread_extent(0)` and its kin: the sizes of the launch; none that is not known.
    pub(super) fn launch_extent(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Option<Ev>> {
        let Some(launch) = &self.s.launch else { return Ok(None) };
        let all: Option<Vec<Val>> = match name {
            "get_thread_extent" | "get_thread_extents" => {
                let known = launch.extents().iter();
                known.map(|it| it.map(|it| Val::Const(Constant::Int(it)))).collect()
            }
            "get_block_extent" | "get_block_extents" => {
                let domains = launch.blocks().iter().map(|it| self.s.loop_domains.get(it));
                domains.map(|it| it.map(|&(_, extent)| self.python_number(extent))).collect()
            }
            _ => return Ok(None),
        };
        let Some(all) = all else { return Ok(None) };
        let src = self.leaf(ex);
        if name.ends_with('s') {
            return Ok(Some(Ev { val: Val::Seq(all.into_iter().collect()), src }));
        }
        let Some(at) = self.asked_dimension(args)? else { return Ok(None) };
        Ok(all.into_iter().nth(at).map(|val| Ev { val, src }))
    }

    /// A number of the IR as Python's.
    fn python_number(&self, id: ir::ExprId) -> Val {
        match self.s.body.expr(id).kind {
            ExprKind::Int(it) => Val::Const(Constant::Int(i128::from(it))),
            _ => Val::Expr(id),
        }
    }
}
