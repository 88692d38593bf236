//! Places: what is known before each operation.
//!
//! One walk over the regions, with a worklist. A region is entered with what is known before its operation and with
//! what entering it means: the condition of an `scf.if`, the range of a loop. A block that one branch alone leads to is
//! entered with what is known there and the condition of the branch; other blocks with what is known at the entry of
//! their region. Where values are one of several, claims about them are added, and the walk is repeated with them
//! (`carried`). Values of a region may be other ones each time, but a constraint on them holds for the values of the
//! time being, as no path leads to the place that does not pass it.

use ir::{
    BinaryOp, BlockId, Body, DataType, ExprId, ExprKind, OpId, RegionId, ValueId, arena::Table,
    known_ops,
};
use rustc_hash::FxHashMap;

use super::{
    Decider, LeafKind, OperationFacts, PlaceFacts,
    carried::MOST_WALKS,
    id_of, op_name, terms,
    text::{self, attr, int_attr},
};
use crate::{ContextId, Interval, Overflow};

/// Operations whose regions are executed exactly once, where they stand.
const ONCE: [&str; 4] =
    ["scf.execute_region", "memref.alloca_scope", "builtin.module", "gpu.module"];

impl OperationFacts<'_> {
    pub(super) fn walk(&mut self) {
        let stated = self.with_lanes(self.stated);
        let choices = self.integer_choices();
        for number in 1..=MOST_WALKS {
            self.stated = stated;
            self.before = Table::filled(self.body.ops.len(), None);
            self.walk_once();
            if choices.is_empty() || number == MOST_WALKS {
                break;
            }
            let claims = self.claims_of(&choices);
            if claims == self.claims {
                break;
            }
            self.claims = claims;
        }
    }

    fn walk_once(&mut self) {
        let entry = PlaceFacts { context: self.stated, is_reached: true };
        let mut regions = vec![(self.body.root, entry)];
        while let Some((region, entry)) = regions.pop() {
            ir::interrupt::check();
            self.region(region, entry, &mut regions);
        }
    }

    /// The ranges of the lanes of all types.
    fn with_lanes(&mut self, mut context: ContextId) -> ContextId {
        let body = self.body;
        let mut seen = rustc_hash::FxHashSet::default();
        for value in body.values.ids() {
            let ty = text::type_text(body, value);
            if !seen.insert(ty) {
                continue;
            }
            for (at, extent) in terms::shape_of(ty).into_iter().flatten().enumerate() {
                let Some(lane) = (extent != 1).then(|| self.new_lane(at, extent)).flatten() else {
                    continue;
                };
                if extent > 0 {
                    let extent = self.int(extent.into(), DataType::INT64);
                    context = self.below(context, lane, extent, None);
                }
            }
        }
        context
    }

    fn region(
        &mut self,
        region: RegionId,
        entry: PlaceFacts,
        regions: &mut Vec<(RegionId, PlaceFacts)>,
    ) {
        let blocks = self.body.regions[region].blocks.to_vec();
        let edges = single_edges(self.body, &blocks);
        let mut at_end: FxHashMap<BlockId, PlaceFacts> = FxHashMap::default();
        for (number, &block) in blocks.iter().enumerate() {
            let by_edge = edges.get(&block).and_then(|&(op, successor)| {
                let before = *at_end.get(&self.body.ops[op].parent)?;
                Some(self.along_edge(before, op, successor))
            });
            let mut place = match (number, by_edge) {
                (0, _) => entry,
                (_, Some(place)) => place,
                (_, None) => PlaceFacts { is_reached: false, ..entry },
            };
            if let Some(claims) = self.claims.blocks.get(&block).cloned() {
                place.context = self.claimed(place.context, &claims);
            }
            let is_entry = number == 0 && region == self.body.root;
            let body = self.body;
            for &op in &body.blocks[block].ops {
                self.before[op] = Some(place);
                self.enter_regions(op, place, regions);
                place = self.behind(op, place);
                if is_entry && self.stated_by(op) {
                    self.stated = place.context;
                }
            }
            at_end.insert(block, place);
        }
    }

    /// True for an operation that states something about the function's arguments.
    fn stated_by(&self, op: OpId) -> bool {
        is_assumption(op_name(self.body, op))
    }

    /// The facts after an operation.
    fn behind(&mut self, op: OpId, place: PlaceFacts) -> PlaceFacts {
        let name = op_name(self.body, op);
        let mut context = place.context;
        if is_assumption(name) {
            let value = self.operand(op, 0);
            if let (Some(value), Some(condition)) = (value, value.and_then(|it| self.term(it))) {
                context = self.not_poison(context, value);
                context = self.assume(context, condition, true, Some(Decider::Op(op)));
            }
        } else if let Some(bound) = self.upper_bound(op, name)
            && let Some(&result) = self.body.ops[op].results.first()
            && let Some(term) = self.term(result)
        {
            let dtype = self.analyzer.body().dtype(term).unwrap_or(DataType::INT64);
            let bound = self.int(bound.into(), dtype);
            context = self.below(context, term, bound, Some(Decider::Op(op)));
        }
        if let Some(claims) = self.claims.behind.get(&op).cloned() {
            context = self.claimed(context, &claims);
        }
        // A loop whose end is not known may never end; nothing behind it is certain.
        let is_reached = place.is_reached && id_of(self.body, op) != Some(known_ops::SCF_WHILE);
        PlaceFacts { context, is_reached }
    }

    /// A number that the index of a thread or block is less than.
    fn upper_bound(&self, op: OpId, name: &str) -> Option<i64> {
        let known = match name {
            "gpu.thread_id" => "known_block_size",
            "gpu.block_id" => "known_grid_size",
            _ => return None,
        };
        if let Some(bound) = int_attr(self.body, op, "upper_bound") {
            return Some(bound);
        }
        let sizes = [known.to_owned(), format!("gpu.{known}")];
        let sizes = sizes.iter().find_map(|it| match self.body.func_attr(it) {
            Some(ir::Attr::Text(text)) => text::integers(text),
            _ => None,
        })?;
        let axis = ["x", "y", "z"];
        let dimension = attr(self.body, op, "dimension")?;
        let at = axis.iter().position(|it| dimension.contains(&format!(" {it}>")))?;
        sizes.get(at).copied()
    }

    /// `term < bound`
    fn below(
        &mut self,
        context: ContextId,
        term: ExprId,
        bound: ExprId,
        by: Option<Decider>,
    ) -> ContextId {
        let condition = self.analyzer.grow(|body| body.binary(BinaryOp::Lt, term, bound));
        self.assume(context, condition, true, by)
    }

    // ---- regions ----

    fn enter_regions(
        &mut self,
        op: OpId,
        place: PlaceFacts,
        regions: &mut Vec<(RegionId, PlaceFacts)>,
    ) {
        let data = &self.body.ops[op];
        let inner: Vec<RegionId> = data.regions.to_vec();
        let unknown = PlaceFacts { is_reached: false, ..place };
        let name = op_name(self.body, op);
        for (at, region) in inner.into_iter().enumerate() {
            let entry = match id_of(self.body, op) {
                Some(known_ops::SCF_IF) => self.arm(op, at, place),
                Some(known_ops::AFFINE_IF) => self.affine_arm(op, at, place),
                Some(known_ops::SCF_WHILE) => self.while_loop(op, at, place),
                Some(known_ops::GPU_LAUNCH) => self.launch(op, region, place),
                _ if is_loop(self.body, op) => match self.loop_of(op, place) {
                    Some(entry) => entry,
                    None => continue,
                },
                _ if ONCE.contains(&name) => place,
                _ => unknown,
            };
            // What no run enters has no facts: there is nothing to tell about it.
            if !self.analyzer.is_contradiction(Overflow::Wraps, entry.context) {
                regions.push((region, entry));
            }
        }
    }

    fn arm(&mut self, op: OpId, at: usize, place: PlaceFacts) -> PlaceFacts {
        let value = self.operand(op, 0);
        match value.and_then(|it| Some((it, self.term(it)?))) {
            Some((value, condition)) => {
                let by = Some(Decider::Op(op));
                let context = self.not_poison(place.context, value);
                PlaceFacts { context: self.assume(context, condition, at == 0, by), ..place }
            }
            None => PlaceFacts { is_reached: false, ..place },
        }
    }

    fn affine_arm(&mut self, op: OpId, at: usize, place: PlaceFacts) -> PlaceFacts {
        let unknown = PlaceFacts { is_reached: false, ..place };
        let Some(condition) = self.affine_condition(op) else { return unknown };
        let context = self.assume(place.context, condition, at == 0, Some(Decider::Op(op)));
        PlaceFacts { context, ..place }
    }

    /// The condition of an `affine.if`.
    pub(super) fn affine_condition(&mut self, op: OpId) -> Option<ExprId> {
        let set = terms::map_attr(self.body, op, "condition")?;
        let operands = self.operand_terms(op, 0, set.dims + set.symbols)?;
        let sides = self.mapped(&set, &operands)?;
        let zero = self.int(0, DataType::INT64);
        let equations = set.equations?;
        let parts = sides.into_iter().zip(equations).map(|(side, is_equation)| {
            let op = if is_equation { BinaryOp::Eq } else { BinaryOp::Ge };
            self.analyzer.grow(|body| body.binary(op, side, zero))
        });
        let parts: Vec<ExprId> = parts.collect();
        parts.into_iter().reduce(|a, b| self.analyzer.grow(|body| body.binary(BinaryOp::And, a, b)))
    }

    pub(super) fn operand_terms(
        &mut self,
        op: OpId,
        first: usize,
        n: usize,
    ) -> Option<Vec<ExprId>> {
        (first..first + n)
            .map(|at| {
                let value = self.operand(op, at)?;
                self.term(value)
            })
            .collect()
    }

    /// Inside of a loop; none for one that never runs.
    fn loop_of(&mut self, op: OpId, place: PlaceFacts) -> Option<PlaceFacts> {
        let unknown = PlaceFacts { is_reached: false, ..place };
        let variables = self.first_arguments(op);
        match id_of(self.body, op) {
            Some(known_ops::AFFINE_FOR) => {
                let bounds = self.affine_bounds(op);
                let (Some((lower, upper, step)), Some(&variable)) = (bounds, variables.first())
                else {
                    return Some(unknown);
                };
                self.in_range(op, place, variable, (&lower, &upper), step)
            }
            _ => {
                let is_single = id_of(self.body, op) == Some(known_ops::SCF_FOR);
                let n = if is_single { 1 } else { variables.len() };
                let is_unsigned = attr(self.body, op, "unsignedCmp").is_some();
                let bounds = self.operand_terms(op, 0, 3 * n).filter(|_| n > 0 && !is_unsigned);
                let (Some(bounds), Some(variables)) = (bounds, variables.get(..n)) else {
                    return Some(unknown);
                };
                variables.iter().enumerate().try_fold(place, |place, (at, &variable)| {
                    let limits = (&bounds[at..=at], &bounds[n + at..=n + at]);
                    self.in_range(op, place, variable, limits, bounds[2 * n + at])
                })
            }
        }
    }

    fn affine_bounds(&mut self, op: OpId) -> Option<(Vec<ExprId>, Vec<ExprId>, ExprId)> {
        let lower = terms::map_attr(self.body, op, "lowerBoundMap")?;
        let upper = terms::map_attr(self.body, op, "upperBoundMap")?;
        let step = int_attr(self.body, op, "step").unwrap_or(1);
        let n_lower = lower.dims + lower.symbols;
        let of_lower = self.operand_terms(op, 0, n_lower)?;
        let of_upper = self.operand_terms(op, n_lower, upper.dims + upper.symbols)?;
        let step = self.int(step.into(), DataType::INT64);
        Some((self.mapped(&lower, &of_lower)?, self.mapped(&upper, &of_upper)?, step))
    }

    /// The arguments of the first block of an operation's first region.
    fn first_arguments(&self, op: OpId) -> Vec<ValueId> {
        let region = self.body.ops[op].regions.first();
        let block = region.and_then(|&it| self.body.regions[it].blocks.first());
        block.map(|&it| self.body.blocks[it].args.to_vec()).unwrap_or_default()
    }

    /// Inside a loop whose variable is at least each of the lower bounds, and less than each of the upper ones; none if
    /// that is impossible.
    fn in_range(
        &mut self,
        op: OpId,
        place: PlaceFacts,
        variable: ValueId,
        (lower, upper): (&[ExprId], &[ExprId]),
        step: ExprId,
    ) -> Option<PlaceFacts> {
        let unknown = PlaceFacts { is_reached: false, ..place };
        let Some(term) = self.term(variable) else { return Some(unknown) };
        let by = Some(Decider::Op(op));
        let mut context = place.context;
        // A step that is not positive is an error, whose loop is left alone.
        let is_positive =
            self.analyzer.bound(context, step).min > 0 || self.axis_of("programs", step).is_some();
        if !is_positive && self.constant(step).is_some() {
            return Some(unknown);
        }
        let ends = match (lower, upper) {
            (&[first], &[end]) => self.constant(first).zip(self.constant(end)),
            _ => None,
        };
        if ends.is_some_and(|(first, end)| first >= end) {
            return None;
        }
        if let (ExprKind::Value(leaf), &[first], &[end]) =
            (self.analyzer.body().expr(term).kind, lower, upper)
        {
            self.loops.insert(leaf, [first, end, step]);
        }
        if self.takes_every(lower, upper, step)
            && let ExprKind::Value(leaf) = self.analyzer.body().expr(term).kind
            && let Some(leaf) = self.leaves.get_mut(&leaf)
        {
            leaf.kind = LeafKind::Every;
        }
        for &bound in lower.iter().filter(|_| is_positive) {
            let condition = self.analyzer.grow(|body| body.binary(BinaryOp::Ge, term, bound));
            context = self.assume(context, condition, true, by);
        }
        for &bound in upper {
            context = self.below(context, term, bound, by);
        }
        if let (Some(step @ 2..), &[first]) = (self.constant(step), lower)
            && let Some(first) = self.constant(first)
        {
            let condition = self.analyzer.grow(|body| {
                let dtype = body.dtype(term).unwrap_or(DataType::INT64);
                let (divisor, rest) =
                    (body.int(step.into(), dtype), body.int(first.rem_euclid(step).into(), dtype));
                let remainder = body.binary(BinaryOp::FloorMod, term, divisor);
                body.binary(BinaryOp::Eq, remainder, rest)
            });
            context = self.assume(context, condition, true, by);
        }
        Some(PlaceFacts { context, ..place })
    }

    /// True if the variable of a loop has each value between its bounds that the step leaves, in some program. A loop
    /// from the number of a program by the number of programs has each in one of them.
    fn takes_every(&self, lower: &[ExprId], upper: &[ExprId], step: ExprId) -> bool {
        let (&[first], &[_]) = (lower, upper) else { return false };
        match (self.constant(first), self.constant(step)) {
            (Some(_), Some(_)) | (None, Some(1)) => true,
            _ => {
                let axis = self.axis_of("program", first);
                axis.is_some() && axis == self.axis_of("programs", step)
            }
        }
    }

    /// The axis of the leaf that all operations share that give the number of a program, or of programs.
    fn axis_of(&self, what: &str, term: ExprId) -> Option<u32> {
        let of = |axis: &u32| self.shared.get(&(format!("{what}:32"), *axis)) == Some(&term);
        (0..3).find(of)
    }

    fn constant(&self, term: ExprId) -> Option<i64> {
        match self.analyzer.body().expr(term).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    fn while_loop(&mut self, op: OpId, at: usize, place: PlaceFacts) -> PlaceFacts {
        let unknown = PlaceFacts { is_reached: false, ..place };
        if at == 0 {
            return unknown;
        }
        let before = self.body.ops[op].regions[0];
        let &[block] = self.body.regions[before].blocks.as_slice() else { return unknown };
        let last = self.body.blocks[block].ops.last().copied();
        let condition = last
            .filter(|&it| id_of(self.body, it) == Some(known_ops::SCF_CONDITION))
            .and_then(|it| self.operand(it, 0))
            .and_then(|it| self.term(it));
        match (condition, last) {
            (Some(condition), Some(last)) => {
                let by = Some(Decider::Op(last));
                PlaceFacts { context: self.assume(place.context, condition, true, by), ..unknown }
            }
            _ => unknown,
        }
    }

    /// `gpu.launch`: its block has the ids of block and thread, then the sizes of grid and block, then those again.
    fn launch(&mut self, op: OpId, region: RegionId, place: PlaceFacts) -> PlaceFacts {
        let mut context = place.context;
        let args = self.first_arguments(op);
        if args.len() < 12 || self.body.regions[region].blocks.is_empty() {
            return PlaceFacts { is_reached: false, ..place };
        }
        let by = Some(Decider::Op(op));
        let zero = self.int(0, DataType::INT64);
        for at in 0..6 {
            let (Some(id), Some(size)) = (self.term(args[at]), self.term(args[6 + at])) else {
                continue;
            };
            let condition = self.analyzer.grow(|body| body.binary(BinaryOp::Ge, id, zero));
            context = self.assume(context, condition, true, by);
            context = self.below(context, id, size, by);
            let operand = self.operand_of_launch(op, at).and_then(|it| self.term(it));
            if let Some(operand) = operand {
                let same = self.analyzer.grow(|body| body.binary(BinaryOp::Eq, size, operand));
                context = self.assume(context, same, true, by);
            }
        }
        PlaceFacts { context, is_reached: false }
    }

    /// The operand that is a size of a launch: those stand last but for the size of the memory.
    fn operand_of_launch(&self, op: OpId, at: usize) -> Option<ValueId> {
        let sizes = text::integers(attr(self.body, op, "operandSegmentSizes")?)?;
        let first = usize::try_from(*sizes.first()?).ok()?;
        let are_single = sizes.get(1..7)?.iter().all(|it| *it == 1);
        are_single.then(|| self.operand(op, first + at)).flatten()
    }

    // ---- branches ----

    pub(super) fn along_edge(
        &mut self,
        before: PlaceFacts,
        op: OpId,
        successor: usize,
    ) -> PlaceFacts {
        match id_of(self.body, op) {
            Some(known_ops::CF_BR) => before,
            Some(known_ops::CF_COND_BR) => self.arm(op, successor, before),
            _ => PlaceFacts { is_reached: false, ..before },
        }
    }

    /// The values that a term has before an operation.
    pub fn bound_at(&mut self, op: OpId, term: ExprId) -> Option<Interval> {
        let context = self.before(op)?.context;
        Some(self.analyzer.bound(context, term))
    }
}

/// True for loops over ranges of a variable.
fn is_loop(body: &Body, op: OpId) -> bool {
    matches!(id_of(body, op), Some(known_ops::SCF_FOR | known_ops::AFFINE_FOR))
        || op_name(body, op) == "scf.parallel"
}

/// True for operations behind which their condition holds.
fn is_assumption(name: &str) -> bool {
    matches!(name, "llvm.intr.assume" | "cf.assert" | "tt.assert" | "llvm.assume")
}

/// The blocks that one branch alone leads to: the branch, and the number of its successor.
fn single_edges(body: &Body, blocks: &[BlockId]) -> FxHashMap<BlockId, (OpId, usize)> {
    let mut edges: FxHashMap<BlockId, Option<(OpId, usize)>> = FxHashMap::default();
    for &block in blocks {
        let Some(&last) = body.blocks[block].ops.last() else { continue };
        for (at, successor) in body.ops[last].successors.iter().enumerate() {
            let edge = edges.entry(successor.block).or_insert(Some((last, at)));
            if *edge != Some((last, at)) {
                *edge = None;
            }
        }
    }
    edges.into_iter().filter_map(|(block, it)| Some((block, it?))).collect()
}
