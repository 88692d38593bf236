//! Tile primitives: operations on parts of buffers that a team of threads executes together (`Tx.cta.copy`;
//! SEMANTICS: Y8).
//!
//! In: a call that is a statement, and the threads that execute it. Out: the elements of its first operand. All
//! operands are read before anything is written. Extents of one count for nothing where parts are matched, and an
//! operand of one element is meant for all. Sums, and products of matrices, are computed in order and rounded once. A
//! team of several threads accesses memory that it shares; the registers of its threads, which a layout distributes,
//! are not executed, nor are the asynchronous primitives. O(elements a team; for products times the inner extent).

use smallvec::SmallVec;

use super::{
    RunError, RunErrorKind,
    access::{Offsets, Place},
    exec::Machine,
    intrinsics,
    memory::Copies,
    ops::{self, Val},
    races::WARP,
};
use ir::{
    BinaryOp, BufferId, DataType, ExprId, ExprKind, Intrinsic, Team, effects::has_keyword_operands,
};

type Result<T> = std::result::Result<T, Box<RunError>>;
pub(super) type Index = SmallVec<[i64; 4]>;

/// A part of a buffer: its first element, and its extents.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) buffer: BufferId,
    pub(super) starts: Index,
    pub(super) extents: Index,
}

impl Tile {
    /// The extents that are not one.
    pub(super) fn shape(&self) -> Index {
        self.extents.iter().copied().filter(|it| *it != 1).collect()
    }

    pub(super) fn count(&self) -> i64 {
        self.extents.iter().product()
    }

    /// The place in the buffer of an element, given in the dimensions that are not one.
    pub(super) fn at(&self, index: &[i64]) -> Index {
        let mut index = index.iter();
        let each = self.starts.iter().zip(&self.extents);
        each.map(|(start, &extent)| match extent {
            1 => *start,
            _ => start + index.next().copied().unwrap_or(0),
        })
        .collect()
    }

    /// The place of an element given in all dimensions.
    pub(super) fn at_full(&self, index: &[i64]) -> Index {
        self.starts.iter().zip(index).map(|(a, b)| a + b).collect()
    }
}

/// An operand of a primitive.
pub(super) enum Operand {
    Tile(Tile),
    Number(Val, DataType),
}

/// The function that a primitive computes of the elements of its sources.
#[derive(Clone, Copy)]
enum Compute {
    Copy,
    Binary(BinaryOp),
    MulAdd,
    Function(&'static str),
    Reciprocal,
    Silu,
}

impl Machine<'_> {
    /// Executes a tile primitive.
    pub(super) fn tile_primitive(&mut self, call: ExprId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let ExprKind::Call { callee: ir::Callee::Intrinsic(name, it), args, attrs, .. } =
            body.expr(call).kind
        else {
            return Ok(());
        };
        if has_keyword_operands(body, attrs) {
            return self.no_tile("with operands by name");
        }
        let args = body.items(args);
        self.counts.calls += active.len() as u64;
        for team in self.teams(Team::of_name(body.name(name)), active) {
            self.is_shared(args, &team)?;
            let lane = team[0];
            match it {
                Intrinsic::TileSum => self.tile_reduce(BinaryOp::Add, args, lane)?,
                Intrinsic::TileMax => self.tile_reduce(BinaryOp::Max, args, lane)?,
                Intrinsic::TileMin => self.tile_reduce(BinaryOp::Min, args, lane)?,
                Intrinsic::TileGemm => self.tile_gemm(args, lane)?,
                it => match compute(it) {
                    Some(compute) => self.elementwise(it, compute, args, lane)?,
                    None => return self.no_tile("of this kind"),
                },
            }
        }
        Ok(())
    }

    pub(super) fn no_tile<T>(&self, what: &str) -> Result<T> {
        self.fail(RunErrorKind::Unsupported, format!("a tile primitive {what}"))
    }

    /// The threads that execute a primitive together.
    fn teams(&self, team: Team, active: &[u32]) -> Vec<SmallVec<[u32; 4]>> {
        let size = match team {
            Team::Thread => 1,
            Team::Warp => WARP,
            Team::Warpgroup => 4 * WARP,
            Team::Block | Team::Cluster => u32::MAX,
        };
        let mut teams: Vec<(u32, SmallVec<[u32; 4]>)> = Vec::new();
        for &lane in active {
            let number = self.frame.threads[lane as usize] / size;
            match teams.iter_mut().find(|it| it.0 == number) {
                Some((_, lanes)) => lanes.push(lane),
                None => teams.push((number, SmallVec::from_slice(&[lane]))),
            }
        }
        teams.into_iter().map(|it| it.1).collect()
    }

    /// Refuses memory that each thread of a team has its own copy of.
    fn is_shared(&mut self, args: &[ExprId], team: &[u32]) -> Result<()> {
        if team.len() == 1 {
            return Ok(());
        }
        for &arg in args {
            let buffer = match self.body.expr(arg).kind {
                ExprKind::Buffer(buffer)
                | ExprKind::Region(buffer, _)
                | ExprKind::Load { buffer, .. } => buffer,
                _ => continue,
            };
            let storage = self.bound(buffer, team[0] as usize).map(|it| it.storage);
            let is_own = storage.is_some_and(|it| self.storages[it].copies == Copies::PerThread);
            if is_own {
                return self.no_tile("on the registers of a team");
            }
        }
        Ok(())
    }

    // ---- operands ----

    pub(super) fn operand(&mut self, expr: ExprId, lane: u32) -> Result<Operand> {
        let body = self.body;
        let (buffer, dims) = match body.expr(expr).kind {
            ExprKind::Buffer(buffer) => (buffer, None),
            ExprKind::Region(buffer, dims) => (buffer, Some(dims)),
            ExprKind::Load { buffer, indices, predicate: None } => (buffer, Some(indices)),
            _ => {
                let value = self.eval(expr, lane as usize)?;
                let dtype = body.dtype(expr).unwrap_or_else(|| ops::type_of(&value));
                return Ok(Operand::Number(value, dtype));
            }
        };
        if !body.buffers[buffer].dtype.is_scalar() {
            return self.no_tile("on vectors");
        }
        let Some(bound) = self.bound(buffer, lane as usize).cloned() else {
            return self.no_tile("on a buffer without memory");
        };
        let (mut starts, mut extents) = (Index::new(), Index::new());
        let dims = dims.map(|it| body.items(it));
        for (dim, &whole) in bound.shape.iter().enumerate() {
            let (start, extent) =
                match dims.and_then(|it| it.get(dim)).map(|&it| (it, body.expr(it).kind)) {
                    None => (0, whole),
                    Some((_, ExprKind::Slice { step: Some(_), .. })) => {
                        return self.no_tile("on a part with steps");
                    }
                    Some((_, ExprKind::Slice { lower, upper, .. })) => {
                        let lower = lower.map_or(Ok(0), |it| self.int(it, lane as usize))?;
                        let upper = upper.map_or(Ok(whole), |it| self.int(it, lane as usize))?;
                        (lower, upper - lower)
                    }
                    Some((point, _)) => (self.int(point, lane as usize)?, 1),
                };
            starts.push(start);
            extents.push(extent.max(0));
        }
        Ok(Operand::Tile(Tile { buffer, starts, extents }))
    }

    pub(super) fn tile(&mut self, args: &[ExprId], at: usize, lane: u32) -> Result<Tile> {
        let operand = match args.get(at) {
            Some(&arg) => self.operand(arg, lane)?,
            None => return self.no_tile("with too few operands"),
        };
        match operand {
            Operand::Tile(tile) => Ok(tile),
            Operand::Number(..) => self.no_tile("on a number"),
        }
    }

    pub(super) fn dtype_of(&self, tile: &Tile) -> DataType {
        self.body.buffers[tile.buffer].dtype
    }

    pub(super) fn read_tile(
        &mut self,
        tile: &Tile,
        at: &[i64],
        to: DataType,
        lane: u32,
    ) -> Result<Val> {
        self.step()?;
        let place = self.element_place(tile.buffer, at, lane as usize)?;
        let from = self.dtype_of(tile);
        let value = match place.offsets {
            Offsets::One(Offsets::OFF) => None,
            Offsets::One(offset) => {
                self.read_through((place.storage, offset), from, lane as usize)?
            }
            Offsets::Lanes(_) => None,
        };
        self.converted(value.unwrap_or_else(|| ops::zero(from)), from, to)
    }

    pub(super) fn converted(&mut self, value: Val, from: DataType, to: DataType) -> Result<Val> {
        if from == to {
            return Ok(value);
        }
        self.operator(|events| ops::cast(&value, from, to, events))
    }

    pub(super) fn write_all(
        &mut self,
        tile: &Tile,
        values: &[(Index, Val)],
        lane: u32,
    ) -> Result<()> {
        for (at, value) in values {
            let place: Place = self.element_place(tile.buffer, at, lane as usize)?;
            self.write_to(tile.buffer, &place, lane, value)?;
        }
        Ok(())
    }

    // ---- elementwise ----

    fn elementwise(
        &mut self,
        it: Intrinsic,
        compute: Compute,
        args: &[ExprId],
        lane: u32,
    ) -> Result<()> {
        let target = self.tile(args, 0, lane)?;
        let dtype = self.dtype_of(&target);
        let mut sources = Vec::new();
        if it == Intrinsic::TileZero {
            sources.push(Operand::Number(ops::zero(dtype), dtype));
        } else {
            for &arg in args.iter().skip(1) {
                sources.push(self.operand(arg, lane)?);
            }
        }
        let n_sources = match compute {
            Compute::Binary(_) => 2,
            Compute::MulAdd => 3,
            _ => 1,
        };
        if sources.len() != n_sources {
            return self.no_tile("with these operands");
        }
        let shape = target.shape();
        let mut values = Vec::new();
        for index in indices(&shape) {
            let mut operands: SmallVec<[Val; 3]> = SmallVec::new();
            for source in &sources {
                operands.push(match source {
                    Operand::Number(value, from) => self.converted(value.clone(), *from, dtype)?,
                    Operand::Tile(tile) => {
                        let Some(at) = matched(&target, &shape, tile, &index) else {
                            return self.no_tile("on parts that do not fit");
                        };
                        self.read_tile(tile, &at, dtype, lane)?
                    }
                });
            }
            let value = self.computed(compute, &operands, dtype)?;
            values.push((target.at(&index), value));
        }
        self.write_all(&target, &values, lane)
    }

    fn computed(&mut self, compute: Compute, operands: &[Val], dtype: DataType) -> Result<Val> {
        let one = if dtype.is_float() { Val::Float(1.0) } else { Val::Int(1, false) };
        match (compute, operands) {
            (Compute::Binary(op), [a, b]) => {
                self.operator(|events| ops::binary(op, dtype, a, b, events))
            }
            (Compute::MulAdd, [a, b, c]) if dtype.is_float() => {
                self.function("fma", dtype, &[a.clone(), b.clone(), c.clone()])
            }
            (Compute::MulAdd, [a, b, c]) => {
                let product =
                    self.operator(|events| ops::binary(BinaryOp::Mul, dtype, a, b, events))?;
                self.operator(|events| ops::binary(BinaryOp::Add, dtype, &product, c, events))
            }
            (Compute::Function(name), [x]) => self.function(name, dtype, std::slice::from_ref(x)),
            (Compute::Reciprocal, [x]) => {
                self.operator(|events| ops::binary(BinaryOp::Div, dtype, &one, x, events))
            }
            (Compute::Silu, [x]) => {
                let sigmoid = self.function("sigmoid", dtype, std::slice::from_ref(x))?;
                self.operator(|events| ops::binary(BinaryOp::Mul, dtype, x, &sigmoid, events))
            }
            (_, [x]) => Ok(x.clone()),
            _ => self.no_tile("with these operands"),
        }
    }

    fn function(&mut self, name: &str, dtype: DataType, operands: &[Val]) -> Result<Val> {
        let types = vec![Some(dtype); operands.len()];
        let mut is_known = true;
        let value = self.operator(|events| {
            intrinsics::call(name, dtype, operands, &types, events).unwrap_or_else(|| {
                is_known = false;
                Ok(Val::Unit)
            })
        });
        if is_known { value } else { self.no_tile("of this type") }
    }

    // ---- reductions ----

    /// `sum(target, source, axes, accumulate)`
    fn tile_reduce(&mut self, op: BinaryOp, args: &[ExprId], lane: u32) -> Result<()> {
        let target = self.tile(args, 0, lane)?;
        let source = self.tile(args, 1, lane)?;
        let rank = source.extents.len() as i64;
        let axes = match args.get(2) {
            Some(&axes) => self.axes(axes, lane)?,
            None => vec![-1],
        };
        let axes: Vec<i64> = axes.into_iter().map(|it| it.rem_euclid(rank.max(1))).collect();
        let accumulates = match args.get(3) {
            Some(&it) => self.int(it, lane as usize)? != 0,
            None => false,
        };
        let is_kept = |dim: usize| !axes.contains(&(dim as i64));
        let kept: Index = (source.extents.iter().enumerate())
            .filter(|it| is_kept(it.0) && *it.1 != 1)
            .map(|it| *it.1)
            .collect();
        if kept != target.shape() {
            return self.no_tile("on parts that do not fit");
        }
        let dtype = self.dtype_of(&target);
        let mut values: Vec<(Index, Val)> = Vec::new();
        for index in indices(&kept) {
            let at = target.at(&index);
            let mut outer = index.iter();
            let base: Index = (source.extents.iter().enumerate())
                .map(|(dim, &extent)| match is_kept(dim) && extent != 1 {
                    true => outer.next().copied().unwrap_or(0),
                    false => 0,
                })
                .collect();
            let reduced: Index = (source.extents.iter().enumerate())
                .map(|(dim, &extent)| if is_kept(dim) { 1 } else { extent })
                .collect();
            let mut so_far = match accumulates {
                true => Some(self.read_tile(&target, &at, dtype, lane)?),
                false => None,
            };
            for inner in indices(&reduced) {
                let full: Index = base.iter().zip(&inner).map(|(a, b)| a + b).collect();
                let next = self.read_tile(&source, &source.at_full(&full), dtype, lane)?;
                so_far = Some(match so_far {
                    Some(before) => {
                        self.operator(|events| ops::binary(op, dtype, &before, &next, events))?
                    }
                    None => next,
                });
            }
            values.push((at, so_far.unwrap_or_else(|| ops::zero(dtype))));
        }
        self.write_all(&target, &values, lane)
    }

    fn axes(&mut self, axes: ExprId, lane: u32) -> Result<Vec<i64>> {
        match self.body.expr(axes).kind {
            ExprKind::Tuple(items) => {
                self.body.items(items).iter().map(|&it| self.int(it, lane as usize)).collect()
            }
            _ => Ok(vec![self.int(axes, lane as usize)?]),
        }
    }

    // ---- products ----

    /// `gemm(D, A, B, C, transpose_A, transpose_B, alpha, beta)`: `D = alpha · A · B + beta · C`.
    fn tile_gemm(&mut self, args: &[ExprId], lane: u32) -> Result<()> {
        let [d, a, b, c] = [0, 1, 2, 3].map(|at| self.tile(args, at, lane));
        let (d, a, b, c) = (d?, a?, b?, c?);
        let mut is_turned = [false; 2];
        for (at, is_turned) in is_turned.iter_mut().enumerate() {
            if let Some(&it) = args.get(4 + at) {
                *is_turned = self.int(it, lane as usize)? != 0;
            }
        }
        let mut factors = [1.0, 0.0];
        for (at, factor) in factors.iter_mut().enumerate() {
            if let Some(&it) = args.get(6 + at) {
                *factor = float(&self.eval(it, lane as usize)?);
            }
        }
        let [Some([m, n]), Some(of_a), Some(of_b), Some(of_c)] = [&d, &a, &b, &c].map(matrix)
        else {
            return self.no_tile("on what is no matrix");
        };
        let turned = |[x, y]: [i64; 2], is: bool| if is { [y, x] } else { [x, y] };
        let ([of_m, k], [of_k, of_n]) = (turned(of_a, is_turned[0]), turned(of_b, is_turned[1]));
        let dtype = self.dtype_of(&d);
        if [of_m, of_k, of_n] != [m, k, n] || of_c != [m, n] || !dtype.is_float() {
            return self.no_tile("on matrices that do not fit");
        }
        let wide = DataType::float(64);
        let mut values = Vec::new();
        for row in 0..m {
            for column in 0..n {
                let mut sum = 0.0;
                for inner in 0..k {
                    let at_a = in_matrix(&a, turned([row, inner], is_turned[0]));
                    let at_b = in_matrix(&b, turned([inner, column], is_turned[1]));
                    let x = float(&self.read_tile(&a, &at_a, wide, lane)?);
                    sum += x * float(&self.read_tile(&b, &at_b, wide, lane)?);
                }
                let mut value = factors[0] * sum;
                if factors[1] != 0.0 {
                    let at = in_matrix(&c, [row, column]);
                    value += factors[1] * float(&self.read_tile(&c, &at, wide, lane)?);
                }
                let value = Val::Float(dtype.round_float(value));
                values.push((in_matrix(&d, [row, column]), value));
            }
        }
        self.write_all(&d, &values, lane)
    }
}

fn compute(it: Intrinsic) -> Option<Compute> {
    Some(match it {
        Intrinsic::TileCopy
        | Intrinsic::TileCast
        | Intrinsic::TilePermuteLayout
        | Intrinsic::TileFill
        | Intrinsic::TileZero => Compute::Copy,
        Intrinsic::TileAdd => Compute::Binary(BinaryOp::Add),
        Intrinsic::TileSub => Compute::Binary(BinaryOp::Sub),
        Intrinsic::TileMul => Compute::Binary(BinaryOp::Mul),
        Intrinsic::TileDiv => Compute::Binary(BinaryOp::Div),
        Intrinsic::TileMaximum => Compute::Binary(BinaryOp::Max),
        Intrinsic::TileMinimum => Compute::Binary(BinaryOp::Min),
        Intrinsic::TileFma => Compute::MulAdd,
        Intrinsic::TileSqrt => Compute::Function("sqrt"),
        Intrinsic::TileExp => Compute::Function("exp"),
        Intrinsic::TileExp2 => Compute::Function("exp2"),
        Intrinsic::TileLog2 => Compute::Function("log2"),
        Intrinsic::TileReciprocal => Compute::Reciprocal,
        Intrinsic::TileSilu => Compute::Silu,
        _ => return None,
    })
}

/// The place of the element of a source that belongs to one of the target; none if the parts do not fit.
fn matched(target: &Tile, shape: &[i64], source: &Tile, index: &[i64]) -> Option<Index> {
    if source.count() == 1 {
        return Some(source.starts.clone());
    }
    if source.shape()[..] == *shape {
        return Some(source.at(index));
    }
    // An extent of one is meant for all elements of its dimension.
    if source.extents.len() != target.extents.len() {
        return None;
    }
    let mut index = index.iter();
    let mut at = Index::new();
    for (dim, &extent) in target.extents.iter().enumerate() {
        let here = if extent == 1 { 0 } else { *index.next()? };
        match source.extents[dim] {
            1 => at.push(source.starts[dim]),
            it if it == extent => at.push(source.starts[dim] + here),
            _ => return None,
        }
    }
    Some(at)
}

/// The extents of a matrix: those of the last two dimensions, if the others are one.
pub(super) fn matrix(tile: &Tile) -> Option<[i64; 2]> {
    let (outer, inner) = tile.extents.split_at_checked(tile.extents.len().checked_sub(2)?)?;
    outer.iter().all(|it| *it == 1).then(|| [inner[0], inner[1]])
}

pub(super) fn in_matrix(tile: &Tile, [row, column]: [i64; 2]) -> Index {
    let mut at = tile.starts.clone();
    if let [.., last_but_one, last] = &mut at[..] {
        *last_but_one += row;
        *last += column;
    }
    at
}

pub(super) fn float(value: &Val) -> f64 {
    match value {
        Val::Float(it) => *it,
        Val::Int(it, _) => *it as f64,
        _ => f64::NAN,
    }
}

/// All indices of a shape, the last dimension fastest.
pub(super) fn indices(shape: &[i64]) -> impl Iterator<Item = Index> + use<> {
    let shape = Index::from_slice(shape);
    let count = shape.iter().product::<i64>();
    (0..count).map(move |number| {
        let mut rest = number;
        let mut index: Index = shape
            .iter()
            .rev()
            .map(|&extent| {
                let at = rest % extent;
                rest /= extent;
                at
            })
            .collect();
        index.reverse();
        index
    })
}
