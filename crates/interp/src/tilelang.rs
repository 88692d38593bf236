//! Tile operations of TileLang (SEMANTICS: Y11): a block of threads copies, fills, multiplies and reduces parts of
//! buffers together.
//!
//! In: a call that is a statement, and the threads that are there. Out: the elements of what it writes. All operands
//! are read before anything is written. Parts are matched by their extents that are not one. What a copy reads out of
//! bounds is zero, and what it would write out of bounds is not written. Copies that end at a barrier are done at once.
//! Sums, and products of matrices, are computed in order and rounded once. On memory of a thread's own each thread does
//! the whole. O(elements; for products times the inner extent).

use ir::{BinaryOp, Callee, DataType, ExprId, ExprKind, Intrinsic, effects::has_keyword_operands};

use super::{
    RunError,
    exec::Machine,
    memory::Copies,
    ops::{self, Val},
    tiles::{Index, Operand, Tile, float, in_matrix, indices, matrix},
};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The operands of a product behind its matrices.
struct Product {
    is_turned: [bool; 2],
    is_cleared: bool,
}

impl Machine<'_> {
    /// Executes a tile operation of TileLang.
    pub(super) fn tilelang_operation(&mut self, call: ExprId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let ExprKind::Call { callee: Callee::Intrinsic(_, it), args, attrs, .. } =
            body.expr(call).kind
        else {
            return Ok(());
        };
        let mut args = body.items(args);
        if has_keyword_operands(body, attrs) {
            let keywords = body.dict(attrs).iter();
            let n = keywords.filter(|it| matches!(it.1, ir::Attr::Operand(_))).count();
            args = &args[..args.len().saturating_sub(n)];
        }
        self.counts.calls += active.len() as u64;
        let (together, first) = (self.is_of_block(args, active[0]), &active[..1]);
        for &lane in if together { first } else { active } {
            self.tilelang_once(it, args, lane)?;
        }
        Ok(())
    }

    /// Returns true if no operand is memory that each thread has a copy of.
    fn is_of_block(&self, args: &[ExprId], lane: u32) -> bool {
        !args.iter().any(|&arg| {
            let buffer = match self.body.expr(arg).kind {
                ExprKind::Buffer(buffer)
                | ExprKind::Region(buffer, _)
                | ExprKind::Load { buffer, .. } => buffer,
                _ => return false,
            };
            let storage = self.bound(buffer, lane as usize).map(|it| it.storage);
            storage.is_some_and(|it| self.storages[it].copies == Copies::PerThread)
        })
    }

    fn tilelang_once(&mut self, it: Intrinsic, args: &[ExprId], lane: u32) -> Result<()> {
        match it {
            Intrinsic::TlCopy | Intrinsic::TlAsyncCopy | Intrinsic::TlTmaCopy => {
                self.copy_tile(args, lane)
            }
            Intrinsic::TlIm2Col => self.columns_tile(args, lane),
            Intrinsic::TlTranspose => self.transpose_tile(args, lane),
            Intrinsic::TlFill => self.fill_tile(args, lane),
            Intrinsic::TlGemm | Intrinsic::TlWgmmaGemm | Intrinsic::TlTcgen05Gemm => {
                self.multiply_tiles(args, lane)
            }
            Intrinsic::TlReduce => self.reduce_tile(args, lane),
            Intrinsic::TlCumSum | Intrinsic::TlCumMax => self.scan_tile(it, args, lane),
            Intrinsic::TlAtomicAdd => self.update_tile(BinaryOp::Add, args, lane),
            Intrinsic::TlAtomicMax => self.update_tile(BinaryOp::Max, args, lane),
            Intrinsic::TlAtomicMin => self.update_tile(BinaryOp::Min, args, lane),
            _ => self.no_tile("of this kind"),
        }
    }

    // ---- copies ----

    /// `copy(src, dst)`: the loops go over the part in the nearer memory, as in TileLang's lowering.
    fn copy_tile(&mut self, args: &[ExprId], lane: u32) -> Result<()> {
        let (source, target) = (self.tile(args, 0, lane)?, self.tile(args, 1, lane)?);
        let shape = match self.nearness(&source) >= self.nearness(&target) {
            true => source.shape(),
            false => target.shape(),
        };
        if source.shape().len() != shape.len() || target.shape().len() != shape.len() {
            return self.no_tile("on parts that do not fit");
        }
        let dtype = self.dtype_of(&target);
        let mut values = Vec::new();
        for index in indices(&shape) {
            let (from, to) = (source.at(&index), target.at(&index));
            if self.is_inside(&target, &to, lane) {
                values.push((to, self.read_or_zero(&source, &from, dtype, lane)?));
            }
        }
        self.write_all(&target, &values, lane)
    }

    /// The order of memories from far to near: global, shared, of threads.
    fn nearness(&self, tile: &Tile) -> u8 {
        match self.body.buffers[tile.buffer].scope.family() {
            ir::ScopeFamily::Thread => 2,
            ir::ScopeFamily::Shared => 1,
            ir::ScopeFamily::Global | ir::ScopeFamily::Unknown => 0,
        }
    }

    /// Returns true if an element is in its buffer. Dimensions in which the part is one element are not guarded.
    fn is_inside(&self, tile: &Tile, at: &[i64], lane: u32) -> bool {
        let Some(bound) = self.bound(tile.buffer, lane as usize) else { return true };
        let each = at.iter().zip(&bound.shape).zip(&tile.extents);
        each.filter(|it| *it.1 != 1).all(|((at, extent), _)| (0..*extent).contains(at))
    }

    fn read_or_zero(&mut self, tile: &Tile, at: &[i64], to: DataType, lane: u32) -> Result<Val> {
        match self.is_inside(tile, at, lane) {
            true => self.read_tile(tile, at, to, lane),
            false => Ok(ops::zero(to)),
        }
    }

    /// `transpose(src, dst)`: the last two dimensions change places.
    fn transpose_tile(&mut self, args: &[ExprId], lane: u32) -> Result<()> {
        let (source, target) = (self.tile(args, 0, lane)?, self.tile(args, 1, lane)?);
        let rank = source.extents.len();
        if rank < 2 || target.extents.len() != rank {
            return self.no_tile("on parts that do not fit");
        }
        let dtype = self.dtype_of(&target);
        let mut values = Vec::new();
        for mut index in indices(&source.extents) {
            let from = source.at_full(&index);
            index.swap(rank - 2, rank - 1);
            let to = target.at_full(&index);
            if self.is_inside(&target, &to, lane) {
                values.push((to, self.read_or_zero(&source, &from, dtype, lane)?));
            }
        }
        self.write_all(&target, &values, lane)
    }

    /// `im2col(src, dst, nhw_step, c_step, kernel, stride, dilation, padding)`: the columns of a convolution over an
    /// image of shape `(n, h, w, c)`.
    fn columns_tile(&mut self, args: &[ExprId], lane: u32) -> Result<()> {
        let (source, target) = (self.tile(args, 0, lane)?, self.tile(args, 1, lane)?);
        let mut numbers = [0i64; 6];
        for (number, &arg) in numbers.iter_mut().zip(args.iter().skip(2)) {
            *number = self.int(arg, lane as usize)?;
        }
        let [row_step, column_step, kernel, stride, dilation, padding] = numbers;
        let image = self.bound(source.buffer, lane as usize).map(|it| it.shape.clone());
        let (Some(&[_, height, width, channels]), Some([rows, columns]), true) =
            (image.as_deref(), matrix(&target), args.len() >= 8 && stride > 0)
        else {
            return self.no_tile("on parts that do not fit");
        };
        let extent = |of: i64| (of + 2 * padding - (kernel - 1) * dilation - 1) / stride + 1;
        let (out_height, out_width) = (extent(height), extent(width));
        if out_height <= 0 || out_width <= 0 || kernel <= 0 || channels <= 0 {
            return self.no_tile("of a convolution without columns");
        }
        let dtype = self.dtype_of(&target);
        let mut values = Vec::new();
        for index in indices(&[rows, columns]) {
            let m = row_step * rows + index[0];
            let k = column_step * columns + index[1];
            let place = m % (out_height * out_width);
            let y = place / out_width * stride + k / (kernel * channels) * dilation - padding;
            let x = m % out_width * stride + k / channels % kernel * dilation - padding;
            let value = match (0..height).contains(&y) && (0..width).contains(&x) {
                true => {
                    let at = [m / (out_height * out_width), y, x, k % channels];
                    self.read_tile(&source, &at, dtype, lane)?
                }
                false => ops::zero(dtype),
            };
            values.push((in_matrix(&target, [index[0], index[1]]), value));
        }
        self.write_all(&target, &values, lane)
    }

    /// `fill(dst, value)`
    fn fill_tile(&mut self, args: &[ExprId], lane: u32) -> Result<()> {
        let target = self.tile(args, 0, lane)?;
        let dtype = self.dtype_of(&target);
        let Some(&value) = args.get(1) else { return self.no_tile("with too few operands") };
        let from = self.body.dtype(value).unwrap_or(dtype);
        let value = self.eval(value, lane as usize)?;
        let value = self.converted(value, from, dtype)?;
        let mut values = Vec::new();
        for index in indices(&target.shape()) {
            self.step()?;
            let at = target.at(&index);
            if self.is_inside(&target, &at, lane) {
                values.push((at, value.clone()));
            }
        }
        self.write_all(&target, &values, lane)
    }

    /// `atomicadd(src, dst)` and its kin: a part, or a number for all elements.
    fn update_tile(&mut self, op: BinaryOp, args: &[ExprId], lane: u32) -> Result<()> {
        let [source, ..] = *args else { return self.no_tile("with too few operands") };
        let source = self.operand(source, lane)?;
        let target = self.tile(args, 1, lane)?;
        let (shape, dtype) = (target.shape(), self.dtype_of(&target));
        if matches!(&source, Operand::Tile(it) if it.shape() != shape && it.count() != 1) {
            return self.no_tile("on parts that do not fit");
        }
        let mut values = Vec::new();
        for index in indices(&shape) {
            let at = target.at(&index);
            if !self.is_inside(&target, &at, lane) {
                continue;
            }
            let next = match &source {
                Operand::Number(value, from) => self.converted(value.clone(), *from, dtype)?,
                Operand::Tile(tile) if tile.count() == 1 => {
                    self.read_or_zero(tile, &tile.starts.clone(), dtype, lane)?
                }
                Operand::Tile(tile) => self.read_or_zero(tile, &tile.at(&index), dtype, lane)?,
            };
            let before = self.read_tile(&target, &at, dtype, lane)?;
            let value = self.operator(|events| ops::binary(op, dtype, &before, &next, events))?;
            values.push((at, value));
        }
        self.write_all(&target, &values, lane)
    }

    // ---- products ----

    /// `gemm(A, B, C, transpose_A, transpose_B, M, N, K, policy, clear, …)`
    fn multiply_tiles(&mut self, args: &[ExprId], lane: u32) -> Result<()> {
        let [a, b, c] = [0, 1, 2].map(|at| self.tile(args, at, lane));
        let (a, b, c) = (a?, b?, c?);
        let product = self.product(args, lane)?;
        let [Some(of_a), Some(of_b), Some([m, n])] = [&a, &b, &c].map(matrix) else {
            return self.no_tile("on what is no matrix");
        };
        let turned = |[x, y]: [i64; 2], is: bool| if is { [y, x] } else { [x, y] };
        let ([of_m, k], [of_k, of_n]) =
            (turned(of_a, product.is_turned[0]), turned(of_b, product.is_turned[1]));
        if [of_m, of_k, of_n] != [m, k, n] {
            return self.no_tile("on matrices that do not fit");
        }
        let left = self.numbers(&a, [m, k], product.is_turned[0], lane)?;
        let right = self.numbers(&b, [k, n], product.is_turned[1], lane)?;
        let before = match product.is_cleared {
            true => Vec::new(),
            false => self.numbers(&c, [m, n], false, lane)?,
        };
        self.steps += (m * n * k).max(0) as u64 / 16;
        self.check_steps()?;
        let dtype = self.dtype_of(&c);
        let (rows, columns, inner) = (m as usize, n as usize, k as usize);
        let mut values = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let at = row * columns + column;
                let mut sum = before.get(at).copied().unwrap_or(0.0);
                for step in 0..inner {
                    sum += left[row * inner + step] * right[step * columns + column];
                }
                let value = match dtype.is_float() {
                    true => Val::Float(dtype.round_float(sum)),
                    false => self.whole(sum, dtype)?,
                };
                values.push((in_matrix(&c, [row as i64, column as i64]), value));
            }
        }
        self.write_all(&c, &values, lane)
    }

    fn product(&mut self, args: &[ExprId], lane: u32) -> Result<Product> {
        let flag = |this: &mut Self, at: usize| match args.get(at) {
            Some(&it) => this.int(it, lane as usize).map(|it| it != 0),
            None => Ok(false),
        };
        let is_turned = [flag(self, 3)?, flag(self, 4)?];
        Ok(Product { is_turned, is_cleared: flag(self, 9)? })
    }

    /// The elements of a matrix as doubles, row by row; those of a turned one by its columns. Exact for what a product
    /// takes.
    fn numbers(
        &mut self,
        tile: &Tile,
        [rows, columns]: [i64; 2],
        is_turned: bool,
        lane: u32,
    ) -> Result<Vec<f64>> {
        let wide = match self.dtype_of(tile).is_float() {
            true => DataType::float(64),
            false => DataType::INT64,
        };
        let mut numbers = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let at = if is_turned { [column, row] } else { [row, column] };
                numbers.push(float(&self.read_tile(tile, &in_matrix(tile, at), wide, lane)?));
            }
        }
        Ok(numbers)
    }

    /// A sum of products of integers, wrapped to its type. Sums are exact below 2^53.
    fn whole(&mut self, sum: f64, dtype: DataType) -> Result<Val> {
        if sum.abs() >= 9_007_199_254_740_992.0 {
            return self.no_tile("of integers that are too large");
        }
        self.converted(Val::Int(sum as i64, false), DataType::INT64, dtype)
    }

    // ---- reductions ----

    /// `reduce(src, dst, kind, dimension, clear)`
    fn reduce_tile(&mut self, args: &[ExprId], lane: u32) -> Result<()> {
        let (source, target) = (self.tile(args, 0, lane)?, self.tile(args, 1, lane)?);
        let [_, _, kind, dimension, rest @ ..] = args else {
            return self.no_tile("with too few operands");
        };
        let ExprKind::Str(kind) = self.body.expr(*kind).kind else {
            return self.no_tile("by an operator that is not known");
        };
        let rank = source.extents.len() as i64;
        let dimension = self.int(*dimension, lane as usize)?.rem_euclid(rank.max(1)) as usize;
        let is_cleared = match rest.first() {
            Some(&it) => self.int(it, lane as usize)? != 0,
            None => true,
        };
        let Some(reduction) = Reduction::named(self.body.name(kind)) else {
            return self.no_tile("by an operator that is not known");
        };
        let mut kept = source.extents.clone();
        kept[dimension] = 1;
        let shape: Index = kept.iter().copied().filter(|it| *it != 1).collect();
        if shape != target.shape() {
            return self.no_tile("on parts that do not fit");
        }
        let dtype = self.dtype_of(&target);
        let mut values = Vec::new();
        for outer in indices(&kept) {
            let index: Index =
                outer.iter().zip(&kept).filter(|it| *it.1 != 1).map(|it| *it.0).collect();
            let at = target.at(&index);
            let mut items = Vec::new();
            for step in 0..source.extents[dimension] {
                let mut full = outer.clone();
                full[dimension] = step;
                items.push(self.read_tile(&source, &source.at_full(&full), dtype, lane)?);
            }
            let before = match is_cleared {
                true => None,
                false => Some(self.read_tile(&target, &at, dtype, lane)?),
            };
            values.push((at, self.reduced(reduction, before, items, dtype)?));
        }
        self.write_all(&target, &values, lane)
    }

    /// All values together: sums of floats exactly, rounded once; others one after the other.
    fn reduced(
        &mut self,
        by: Reduction,
        before: Option<Val>,
        mut items: Vec<Val>,
        dtype: DataType,
    ) -> Result<Val> {
        if by.is_absolute {
            items.iter_mut().for_each(|it| {
                *it = match *it {
                    Val::Float(x) => Val::Float(x.abs()),
                    Val::Int(x, is_wrapped) => Val::Int(x.wrapping_abs(), is_wrapped),
                    ref other => other.clone(),
                }
            });
        }
        if by.op == BinaryOp::Add && dtype.is_float() {
            let sum: f64 = before.iter().chain(&items).map(float).sum();
            return Ok(Val::Float(dtype.round_float(sum)));
        }
        let mut so_far = before;
        for next in items {
            so_far = Some(match so_far {
                Some(before) => {
                    self.operator(|events| ops::binary(by.op, dtype, &before, &next, events))?
                }
                None => next,
            });
        }
        Ok(so_far.unwrap_or_else(|| ops::zero(dtype)))
    }

    /// `cumsum(src, dst, dimension, reverse)`, `cummax(…)`
    fn scan_tile(&mut self, it: Intrinsic, args: &[ExprId], lane: u32) -> Result<()> {
        let (source, target) = (self.tile(args, 0, lane)?, self.tile(args, 1, lane)?);
        let (&[_, _, dimension, reverse, ..], true) = (args, source.shape() == target.shape())
        else {
            return self.no_tile("on parts that do not fit");
        };
        let rank = source.extents.len() as i64;
        let dimension = self.int(dimension, lane as usize)?.rem_euclid(rank.max(1)) as usize;
        let is_reverse = self.int(reverse, lane as usize)? != 0;
        let op = if it == Intrinsic::TlCumSum { BinaryOp::Add } else { BinaryOp::Max };
        let dtype = self.dtype_of(&target);
        let mut rows = source.extents.clone();
        let length = std::mem::replace(&mut rows[dimension], 1);
        let mut values = Vec::new();
        for row in indices(&rows) {
            let mut so_far: Option<Val> = None;
            for step in 0..length {
                let mut full = row.clone();
                full[dimension] = if is_reverse { length - 1 - step } else { step };
                let next = self.read_tile(&source, &source.at_full(&full), dtype, lane)?;
                let value = match &so_far {
                    Some(before) => {
                        self.operator(|events| ops::binary(op, dtype, before, &next, events))?
                    }
                    None => next,
                };
                let index: Index = full
                    .iter()
                    .zip(&source.extents)
                    .filter(|it| *it.1 != 1)
                    .map(|it| *it.0)
                    .collect();
                values.push((target.at(&index), value.clone()));
                so_far = Some(value);
            }
        }
        self.write_all(&target, &values, lane)
    }
}

/// The operator of a reduction.
#[derive(Clone, Copy)]
struct Reduction {
    op: BinaryOp,
    is_absolute: bool,
}

impl Reduction {
    fn named(name: &str) -> Option<Reduction> {
        let (op, is_absolute) = match name {
            "sum" => (BinaryOp::Add, false),
            "abssum" => (BinaryOp::Add, true),
            "max" => (BinaryOp::Max, false),
            "absmax" => (BinaryOp::Max, true),
            "min" => (BinaryOp::Min, false),
            "bitand" => (BinaryOp::BitAnd, false),
            "bitor" => (BinaryOp::BitOr, false),
            "bitxor" => (BinaryOp::BitXor, false),
            _ => return None,
        };
        Some(Reduction { op, is_absolute })
    }
}
