//! The values of the threads of a block: the addresses that each one accesses, and the values that are the same in all
//! of them.
//!
//! An index is taken apart into terms; those that depend on thread indices and constants alone are evaluated for every
//! thread of the block, the others must be one and the same part in both accesses. O(terms × threads) an access.
//!
//! *Uniform* refers to one kernel: memory that this kernel does not write counts as constant (`SEMANTICS: M6`),
//! whatever the function's `noalias` and the writes of other kernels, and so does a thread index of extent 1.
//! `dataflow::variance` speaks of the whole function, for rewrites of its source: it would refuse kernels whose loops
//! are bounded by loaded lengths, as those of paged attention.

use std::rc::Rc;

use ir::{
    BinaryOp, BufferId, Callee, ExprId, ExprKind, Intrinsic, OpKind, ValueId, ValueKind,
    arena::Id as _,
};
use rustc_hash::FxHashSet;

use super::{
    Addresses, Planner,
    common::{Common, greatest_divisor},
};

impl Planner<'_> {
    /// The threads among `active` for which a condition is `wanted`, if threads alone decide it.
    pub(super) fn guarded(
        &self,
        condition: ExprId,
        wanted: bool,
        active: &Option<Rc<[bool]>>,
    ) -> Option<Rc<[bool]>> {
        let values = self.kernel.block.and_then(|it| self.evaluate(condition, &threads(it)));
        let Some(values) = values else { return active.clone() };
        let keep = |thread: usize| active.as_ref().is_none_or(|it| it[thread]);
        let mask =
            values.iter().enumerate().map(|(thread, &it)| keep(thread) && (it != 0) == wanted);
        Some(mask.collect())
    }

    pub(super) fn addresses(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        active: &Option<Rc<[bool]>>,
    ) -> Option<Addresses> {
        let body = self.body;
        let data = &body.buffers[buffer];
        let &[index] = indices else { return None };
        let zero = |expr: ExprId| matches!(body.expr(expr).kind, ExprKind::Int(0));
        if data.elem_offset.is_some_and(|it| !zero(it)) || data.strides.is_some() {
            return None;
        }
        let (index, stride, lanes) = match body.expr(index).kind {
            ExprKind::Ramp { base, stride, lanes } => {
                (base, self.constant(stride)?, self.constant(lanes)?)
            }
            _ if body.dtype(index)?.is_scalar() => (index, 0, 1),
            _ => return None,
        };
        if !(1..=64).contains(&lanes) {
            return None;
        }
        let offsets = (0..lanes).map(|it| it.checked_mul(stride)).collect::<Option<Rc<[i64]>>>();
        self.sum_addresses(&[index], offsets?, data.dtype.bytes(), active)
    }

    /// Returns the addresses that each thread accesses from the sum of `indices` on, in elements of `unit` bytes.
    pub(super) fn sum_addresses(
        &mut self,
        indices: &[ExprId],
        offsets: Rc<[i64]>,
        unit: usize,
        active: &Option<Rc<[bool]>>,
    ) -> Option<Addresses> {
        let mut terms = Terms::default();
        for &index in indices {
            self.split_terms(index, 1, &mut terms, &mut 0)?;
        }
        terms.base.sort_unstable();
        let of_thread = self.of_thread(&mut terms)?;
        let (base, constant) = (terms.base, terms.constant);
        let ends = |of: &[i64]| Some([*of.iter().min()?, *of.iter().max()?]);
        let ([first, last], [low, high]) = (ends(&of_thread)?, ends(&offsets)?);
        let at = |of_thread: i64, offset: i64| of_thread.checked_add(constant)?.checked_add(offset);
        let span = [at(first, low)?, at(last, high)?];
        Some(Addresses { base, unit, of_thread, constant, span, offsets, active: active.clone() })
    }

    /// Splits a sum, `factor` times, into thread terms, constants and the rest; `None` if a term mixes threads with the
    /// rest.
    fn split_terms(
        &mut self,
        expr: ExprId,
        factor: i64,
        terms: &mut Terms,
        depth: &mut usize,
    ) -> Option<()> {
        let body = self.body;
        *depth += 1;
        if *depth > 256 {
            return None;
        }
        match body.expr(expr).kind {
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                self.split_terms(a, factor, terms, depth)?;
                self.split_terms(b, factor, terms, depth)
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => {
                self.split_terms(a, factor, terms, depth)?;
                self.split_terms(b, factor.checked_neg()?, terms, depth)
            }
            ExprKind::Int(value) => {
                terms.constant = terms.constant.checked_add(value.checked_mul(factor)?)?;
                Some(())
            }
            ExprKind::Value(value) if self.definitions.contains_key(&value) => {
                self.split_terms(self.definitions[&value], factor, terms, depth)
            }
            _ if self.evaluate(expr, &[[0; 3]]).is_some() => {
                terms.thread.push((expr, factor));
                Some(())
            }
            ExprKind::Binary(BinaryOp::Mul, a, b)
                if let Some((sum, by)) = self.times_constant(a, b) =>
            {
                self.split_terms(sum, factor.checked_mul(by)?, terms, depth)
            }
            _ if self.is_thread_free(expr) => {
                terms.base.push(Common::Expr { expr, factor });
                Some(())
            }
            ExprKind::Binary(op @ (BinaryOp::FloorDiv | BinaryOp::FloorMod), sum, by) => {
                let by = self.constant(by).filter(|it| *it > 0)?;
                let mut of = Terms::default();
                self.split_terms(sum, 1, &mut of, depth)?;
                self.divided(op, of, by, factor, terms)
            }
            _ => None,
        }
    }

    /// The factor that is a constant, and the other one.
    fn times_constant(&self, a: ExprId, b: ExprId) -> Option<(ExprId, i64)> {
        let with = |sum: ExprId, by: ExprId| Some((sum, self.constant(by)?));
        with(a, b).or_else(|| with(b, a))
    }

    /// Adds `of // by` or `of % by`, `factor` times, where what threads add can be told from the rest:
    /// `(16 * v + threadIdx.x) // 8` is `2 * v + threadIdx.x // 8`, `(16 * v + threadIdx.x) % 32` is
    /// `16 * v % 32 + threadIdx.x` of 16 threads, `(2 * threadIdx.x + v) % 2` is `v % 2`.
    fn divided(
        &mut self,
        op: BinaryOp,
        mut of: Terms,
        by: i64,
        factor: i64,
        terms: &mut Terms,
    ) -> Option<()> {
        of.base.sort_unstable();
        let (of_thread, constant) = (self.of_thread(&mut of)?, of.constant);
        let added: Option<Vec<i64>> = of_thread.iter().map(|it| it.checked_add(constant)).collect();
        let added = added?;
        let step = of.base.iter().map(Common::step).fold(0, greatest_divisor);
        let is_div = op == BinaryOp::FloorDiv;
        if of.base.iter().all(|it| it.factor() % by == 0) {
            if is_div {
                for it in of.base {
                    let factor = factor.checked_mul(it.factor() / by)?;
                    terms.base.push(it.with_factor(factor));
                }
            }
            return terms.add_values(&added, factor, |it| match is_div {
                true => it.div_euclid(by),
                false => it.rem_euclid(by),
            });
        }
        let remainder = |constant: i64| Common::Remainder {
            of: of.base.clone(),
            constant,
            modulus: by,
            factor,
        };
        if is_div {
            return None;
        }
        if step > 0 && by % step == 0 && added.iter().all(|it| (0..step).contains(it)) {
            terms.base.push(remainder(0));
            return terms.add_values(&added, factor, |it| it);
        }
        let first = added.first()?.rem_euclid(by);
        let is_common = added.iter().all(|it| it.rem_euclid(by) == first);
        is_common.then(|| terms.base.push(remainder(first)))
    }

    /// The sum of the terms of threads, by thread.
    fn of_thread(&mut self, terms: &mut Terms) -> Option<Rc<[i64]>> {
        terms.thread.sort_unstable();
        let values = self.thread_part(std::mem::take(&mut terms.thread))?;
        if terms.values.is_empty() {
            return Some(values);
        }
        let both = values.iter().zip(&terms.values);
        both.map(|(a, b)| a.checked_add(*b)).collect()
    }

    /// No thread index and no memory: one value for the whole block, as long as no loop turns.
    pub(super) fn is_thread_free(&self, root: ExprId) -> bool {
        let body = self.body;
        let mut stack = vec![root];
        let mut seen = FxHashSet::default();
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let node = body.expr(expr);
            if node.flags.has_load || node.flags.has_impure || node.flags.has_unknown {
                return false;
            }
            if let ExprKind::Value(value) = node.kind {
                if self.thread_dim(value).is_some() {
                    return false;
                }
                stack.extend(self.definitions.get(&value));
                // A loop of few threads may be at another iteration than the same loop of others.
                if let ValueKind::BlockArg(block, _) = body.values[value].kind
                    && let Some(op) = body.regions[body.blocks[block].parent].parent
                    && matches!(body.ops[op].kind, OpKind::For(_))
                {
                    stack.extend(body.ops[op].operands.iter());
                }
            }
            body.each_child(node.kind, &mut |child| stack.push(child));
        }
        true
    }

    fn thread_part(&mut self, terms: Vec<(ExprId, i64)>) -> Option<Rc<[i64]>> {
        if let Some(known) = self.thread_parts.get(&terms) {
            return known.clone();
        }
        let threads = threads(self.kernel.block?);
        let add = |mut sums: Vec<i64>, &(term, factor): &(ExprId, i64)| {
            let values = self.evaluate(term, &threads)?;
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = sum.checked_add(value.checked_mul(factor)?)?;
            }
            Some(sums)
        };
        let values = terms.iter().try_fold(vec![0; threads.len()], add).map(Rc::from);
        self.thread_parts.insert(terms, values.clone());
        values
    }

    pub(super) fn constant(&self, expr: ExprId) -> Option<i64> {
        match self.body.expr(expr).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The dimension of a thread index; blocks and other variables have none.
    fn thread_dim(&self, value: ValueId) -> Option<usize> {
        self.kernel.thread_vars.get(&value).copied()
    }

    /// The values of an expression of thread indices and constants, in each of some threads. All threads at once: a
    /// node is looked up once for all.
    pub(super) fn evaluate(&self, expr: ExprId, threads: &[[i64; 3]]) -> Option<Vec<i64>> {
        ir::stack::with_room(|| {
            let body = self.body;
            match body.expr(expr).kind {
                ExprKind::Int(value) => Some(vec![value; threads.len()]),
                ExprKind::Value(value) => match self.thread_dim(value) {
                    Some(dim) => Some(threads.iter().map(|it| it[dim]).collect()),
                    None => self.evaluate(*self.definitions.get(&value)?, threads),
                },
                ExprKind::Binary(op, a, b) => {
                    let mut values = self.evaluate(a, threads)?;
                    for (value, other) in values.iter_mut().zip(self.evaluate(b, threads)?) {
                        *value = binary(op, *value, other)?;
                    }
                    Some(values)
                }
                ExprKind::Unary(ir::UnaryOp::Not, a) => {
                    let values = self.evaluate(a, threads)?;
                    Some(values.into_iter().map(|it| i64::from(it == 0)).collect())
                }
                ExprKind::Cast(a)
                    if body.dtype(expr)?.is_integer() && body.dtype(a)?.is_integer() =>
                {
                    let dtype = body.dtype(expr)?;
                    let values = self.evaluate(a, threads)?;
                    Some(values.into_iter().map(|it| dtype.wrap_int(it.into())).collect())
                }
                _ => None,
            }
        })
    }

    // ---- uniformity ----

    /// Returns true if all threads of a block have one value of this expression when they evaluate it together.
    pub(super) fn is_uniform(&mut self, expr: ExprId) -> bool {
        if let Some(&known) = self.uniform.get(&expr) {
            return known;
        }
        // A value defined by itself is an error of the program.
        self.uniform.insert(expr, false);
        let uniform = ir::stack::with_room(|| self.compute_uniform(expr));
        self.uniform.insert(expr, uniform);
        uniform
    }

    fn compute_uniform(&mut self, expr: ExprId) -> bool {
        let body = self.body;
        let node = body.expr(expr);
        match node.kind {
            ExprKind::Value(value) => self.is_uniform_value(value),
            ExprKind::Opaque { .. } => false,
            ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::ThreadInvariant), .. } => true,
            ExprKind::Call { instance, .. } if instance != 0 => false,
            kind => {
                if let ExprKind::Load { buffer, .. } = kind
                    && !self.is_constant_memory(buffer)
                {
                    return false;
                }
                body.children(expr).into_iter().all(|child| self.is_uniform(child))
            }
        }
    }

    pub(super) fn is_uniform_value(&mut self, value: ValueId) -> bool {
        let body = self.body;
        if let Some(dim) = self.thread_dim(value) {
            return self.kernel.block.is_some_and(|it| it[dim] == 1);
        }
        if let Some(&definition) = self.definitions.get(&value) {
            return self.is_uniform(definition);
        }
        match body.values[value].kind {
            ValueKind::BlockArg(block, _) => match body.regions[body.blocks[block].parent].parent {
                Some(op) => match body.ops[op].kind {
                    OpKind::For(_) => {
                        body.ops[op].operands.clone().iter().all(|&it| self.is_uniform(it))
                    }
                    OpKind::LaunchThread { .. } => true,
                    _ => false,
                },
                None => true,
            },
            _ => true,
        }
    }

    /// Global memory that the kernel does not write.
    fn is_constant_memory(&self, buffer: BufferId) -> bool {
        self.kernel.is_constant[buffer.index()]
    }
}

#[derive(Default)]
struct Terms {
    base: Vec<Common>,
    thread: Vec<(ExprId, i64)>,
    /// Numbers that each thread adds beside these; empty for none.
    values: Vec<i64>,
    constant: i64,
}

impl Terms {
    /// Adds what is made of `values`, `factor` times.
    fn add_values(&mut self, values: &[i64], factor: i64, of: impl Fn(i64) -> i64) -> Option<()> {
        self.values.resize(values.len(), 0);
        for (sum, &value) in self.values.iter_mut().zip(values) {
            *sum = sum.checked_add(of(value).checked_mul(factor)?)?;
        }
        Some(())
    }
}

/// The threads of a block, x fastest.
fn threads([x, y, z]: [i64; 3]) -> Vec<[i64; 3]> {
    let all = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
    all.collect()
}

fn binary(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => a.checked_mul(b)?,
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Mod => a.checked_rem(b)?,
        // The divisor is positive in what is enumerated; other signs are left out.
        BinaryOp::FloorDiv if b > 0 => a.div_euclid(b),
        BinaryOp::FloorMod if b > 0 => a.rem_euclid(b),
        BinaryOp::Min => a.min(b),
        BinaryOp::Max => a.max(b),
        BinaryOp::Eq => (a == b).into(),
        BinaryOp::Ne => (a != b).into(),
        BinaryOp::Lt => (a < b).into(),
        BinaryOp::Le => (a <= b).into(),
        BinaryOp::Gt => (a > b).into(),
        BinaryOp::Ge => (a >= b).into(),
        BinaryOp::And => (a != 0 && b != 0).into(),
        BinaryOp::Or => (a != 0 || b != 0).into(),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Shl if (0..32).contains(&b) => a.checked_mul(1 << b)?,
        BinaryOp::Shr if (0..63).contains(&b) => a >> b,
        _ => return None,
    })
}
