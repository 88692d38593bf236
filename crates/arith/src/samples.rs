//! Sample runs: a condition that is false on one of them is not always true, so no proof is tried.
//!
//! Most questions that a simplifier asks have the answer "not shown", and a proof that fails costs more than one that
//! succeeds. So there are [`LANES`] runs with made-up values of all variables, in every analyzer the same. In: a node,
//! a form, a context. Out: the values of the node in all of them, and which of them reach the place of the context
//! under all facts known there. If a condition is false in one of these, no sound proof shows that it is true.
//!
//! A sample is a *valid* run: size variables are not negative, loop variables are in their range, nothing overflows,
//! nothing traps. Where that is not so, or a value is not known here, the *lane* does not count. A load may have any
//! value of its type. So samples can only say that something is not shown; a mistake here makes answers weaker, never
//! wrong.
//!
//! A node is evaluated once, in all lanes; a context is a set of lanes. O(1) a node and a constraint. A proof by a
//! system costs as much as hundreds of these, so before one is tried, [`MORE_SETS`] further sets of samples are
//! evaluated; unqueried nodes cost nothing there.

mod values;

use ir::{BinaryOp, ExprId, ExprKind, ValueId, arena::Id};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    contexts::{Constraint, ContextId, Contexts},
    forms::{Atom, AtomKind, Atoms, Linear, Made},
    nodes::Nodes,
};

/// Sample runs.
pub(crate) const LANES: usize = 32;

/// Sets of as many samples, besides the first one.
const MORE_SETS: usize = 4;

/// A set of lanes.
pub(crate) type Lanes = u32;

/// Integers by lane; only those of `known` mean anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) known: Lanes,
    pub(crate) of: [i64; LANES],
}

/// Truth values by lane; `holds` is a part of `known`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truths {
    pub(crate) known: Lanes,
    pub(crate) holds: Lanes,
}

impl Numbers {
    /// One value in all lanes.
    pub(crate) fn constant(value: i64) -> Numbers {
        Numbers { known: Lanes::MAX, of: [value; LANES] }
    }

    /// Returns true if two of these lanes have different values.
    pub(crate) fn varies(&self, lanes: Lanes) -> bool {
        let mut left = lanes & self.known;
        let first = self.of[left.trailing_zeros() as usize % LANES];
        // Most often one of the next differs.
        while left != 0 {
            if self.of[left.trailing_zeros() as usize] != first {
                return true;
            }
            left &= left - 1;
        }
        false
    }
}

impl Truths {
    const UNKNOWN: Truths = Truths { known: 0, holds: 0 };

    /// The lanes in which it is false.
    pub(crate) fn fails(self) -> Lanes {
        self.known & !self.holds
    }
}

/// The sample values of one node.
#[derive(Clone, Copy, Debug)]
enum Sample {
    /// Not asked for.
    None,
    Unknown,
    Truths(Truths),
    /// By place.
    Numbers(u32),
}

/// A variable of a loop or launch: `min <= var < min + extent`.
#[derive(Clone, Copy, Debug)]
struct Range {
    min: Option<ExprId>,
    extent: ExprId,
    step: Option<ExprId>,
}

/// The samples of an analyzer.
#[derive(Clone, Default)]
pub(crate) struct Samples {
    of: Vec<Sample>,
    numbers: Vec<Numbers>,
    made: FxHashMap<u32, Option<u32>>,
    /// By context: the lanes that get there.
    lanes: Vec<Option<Lanes>>,
    ranges: FxHashMap<ValueId, Range>,
    /// The number of the first sample of this set.
    first: usize,
    /// Further sets, evaluated on demand.
    more: Vec<Samples>,
}

impl Samples {
    /// Makes room for the samples of as many nodes. Most of them have numbers, and so have those that are made of them.
    pub(crate) fn reserve(&mut self, n_exprs: usize) {
        self.of.reserve(n_exprs);
        self.numbers.reserve(n_exprs);
    }

    /// Notes the first range of a variable.
    pub(crate) fn note_range(
        &mut self,
        var: ValueId,
        min: Option<ExprId>,
        extent: ExprId,
        step: Option<ExprId>,
    ) {
        self.ranges.entry(var).or_insert(Range { min, extent, step });
    }

    /// The samples, to ask about these nodes, contexts and atoms.
    #[inline]
    pub(crate) fn about<'s, 'a>(
        &'s mut self,
        nodes: &'s mut Nodes<'a>,
        contexts: &'s Contexts,
        atoms: &'s Atoms,
    ) -> Sampling<'s, 'a> {
        Sampling { samples: self, nodes, contexts, atoms }
    }
}

/// Questions to the samples of an analyzer, with what they are about.
pub(crate) struct Sampling<'s, 'a> {
    samples: &'s mut Samples,
    nodes: &'s mut Nodes<'a>,
    contexts: &'s Contexts,
    atoms: &'s Atoms,
}

impl<'s> Sampling<'s, '_> {
    /// The lanes that reach a context.
    #[inline]
    pub(crate) fn lanes(&mut self, ctx: ContextId) -> Lanes {
        match self.samples.lanes.get(ctx.index()) {
            Some(&Some(known)) => known,
            _ => self.work_out_lanes(ctx),
        }
    }

    fn work_out_lanes(&mut self, ctx: ContextId) -> Lanes {
        let known =
            |it: &Self, ctx: ContextId| it.samples.lanes.get(ctx.index()).copied().flatten();
        let mut missing: SmallVec<[ContextId; 8]> = SmallVec::new();
        missing.push(ctx);
        let mut lanes = Lanes::MAX;
        while let Some(parent) = missing.last().and_then(|it| self.contexts.parent(*it)) {
            if let Some(above) = known(self, parent) {
                lanes = above;
                break;
            }
            missing.push(parent);
        }
        while let Some(ctx) = missing.pop() {
            lanes &= self.lanes_of_constraint(ctx);
            let n_contexts = self.contexts.len();
            let all = &mut self.samples.lanes;
            if all.len() <= ctx.index() {
                all.resize(n_contexts, None);
            }
            all[ctx.index()] = Some(lanes);
        }
        lanes
    }

    /// The lanes in which a constraint holds.
    fn lanes_of_constraint(&mut self, ctx: ContextId) -> Lanes {
        match self.contexts.constraint(ctx) {
            Constraint::Signature => {
                let params = &self.nodes.body().params;
                let buffers: Vec<_> = params.iter().filter_map(|it| it.buffer).collect();
                buffers.into_iter().fold(Lanes::MAX, |lanes, it| lanes & self.lanes_of_shape(it))
            }
            Constraint::Shape { buffer } => self.lanes_of_shape(buffer),
            // Of what was loaded nothing is known any more.
            Constraint::Assume { cond, .. } if !self.nodes.summary(cond).is_stable => Lanes::MAX,
            Constraint::Assume { cond, holds } => {
                let truths = self.truths(cond);
                if holds { truths.holds } else { truths.fails() }
            }
            Constraint::Range { var, min, extent, step } => {
                self.lanes_of_range(var, Range { min, extent, step })
            }
            Constraint::Define { var, value } => match self.nodes.node_of(var) {
                Some(node) => self.compared(BinaryOp::Eq, node, value).holds,
                None => Lanes::MAX,
            },
            Constraint::AtLeast { expr, least } => self.lanes_where(expr, |value| value >= least),
            Constraint::Binder { .. } => Lanes::MAX,
        }
    }

    fn lanes_of_shape(&mut self, buffer: ir::BufferId) -> Lanes {
        let shape = self.nodes.body().buffers[buffer].shape.clone();
        let constant = |it: &Self, extent| it.nodes.body().expr(extent).is_constant();
        shape.into_iter().fold(Lanes::MAX, |lanes, extent| match constant(self, extent) {
            true => lanes,
            false => lanes & self.lanes_where(extent, |value| value >= 0),
        })
    }

    fn lanes_of_range(&mut self, var: ValueId, loop_over: Range) -> Lanes {
        let mut lanes = self.lanes_where(loop_over.extent, |value| value > 0);
        let Some(node) = self.nodes.node_of(var) else { return lanes };
        let values = self.numbers_at(node);
        let first = loop_over.min.map(|it| self.numbers_at(it));
        let extent = self.numbers_at(loop_over.extent);
        let step = loop_over.step.map(|it| self.numbers_at(it));
        let (Some(values), Some(extent)) = (values, extent) else { return 0 };
        if first == Some(None) || step == Some(None) {
            return 0;
        }
        let Some((min, max)) = self.nodes.body().dtype(node).map(values::range_of) else {
            return 0;
        };
        let at = |place: usize| &self.samples.numbers[place];
        let (values, extent) = (at(values), at(extent));
        let (first, step) = (first.flatten().map(at), step.flatten().map(at));
        lanes &= values.known & extent.known;
        lanes &= first.map_or(Lanes::MAX, |it| it.known) & step.map_or(Lanes::MAX, |it| it.known);
        let mut left = lanes;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let first = first.map_or(0, |it| it.of[lane]);
            // A range that leaves the type is an error (`SEMANTICS: L3`).
            let end = first.checked_add(extent.of[lane] - 1);
            let gap = values.of[lane].wrapping_sub(first);
            let is_step = step.is_none_or(|it| it.of[lane] > 0 && gap % it.of[lane] == 0);
            let is_in_type = end.is_some_and(|it| (min..=max).contains(&it));
            if !(0..extent.of[lane]).contains(&gap) || !is_step || !is_in_type {
                lanes &= !(1 << lane);
            }
        }
        lanes
    }

    /// The lanes in which the value of an integer is one of these.
    fn lanes_where(&mut self, expr: ExprId, is_one: impl Fn(i64) -> bool) -> Lanes {
        if let ExprKind::Int(value) = self.nodes.body().expr(expr).kind {
            return if is_one(value) { Lanes::MAX } else { 0 };
        }
        let Some(at) = self.numbers_at(expr) else { return 0 };
        let numbers = &self.samples.numbers[at];
        (0..LANES).filter(|it| is_one(numbers.of[*it])).fold(0, |lanes, it| lanes | 1 << it)
            & numbers.known
    }

    // ---- questions ----

    /// Answers by another set of samples, and goes back to the first.
    fn in_set<R>(&mut self, set: usize, ask: impl FnOnce(&mut Self) -> R) -> R {
        let mut more = std::mem::take(&mut self.samples.more);
        while more.len() <= set {
            more.push(Samples { first: LANES * (more.len() + 1), ..Samples::default() });
        }
        more[set].ranges = std::mem::take(&mut self.samples.ranges);
        std::mem::swap(self.samples, &mut more[set]);
        let answer = ask(self);
        std::mem::swap(self.samples, &mut more[set]);
        self.samples.ranges = std::mem::take(&mut more[set].ranges);
        self.samples.more = more;
        answer
    }

    /// As [`Sampling::is_seen_negative`], in the further sets.
    pub(crate) fn is_seen_negative_in_more(&mut self, ctx: ContextId, form: &Linear) -> bool {
        (0..MORE_SETS).any(|set| self.in_set(set, |it| it.is_seen_negative(ctx, form)))
    }

    /// Returns whether a sample reaches the context in which the condition is true, and one in which it is false.
    pub(crate) fn seen(&mut self, ctx: ContextId, cond: ExprId) -> (bool, bool) {
        let lanes = self.lanes(ctx);
        if lanes == 0 {
            return (false, false);
        }
        let truths = self.truths(cond);
        (truths.holds & lanes != 0, truths.fails() & lanes != 0)
    }

    /// Returns true if `a op b`, of integers, is false in a sample that reaches the context.
    pub(crate) fn is_refuted(
        &mut self,
        ctx: ContextId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> bool {
        let lanes = self.lanes(ctx);
        lanes != 0 && self.compared(op, a, b).fails() & lanes != 0
    }

    /// Returns true if the conditions differ, where the first is `value`, in some sample that reaches the context.
    pub(crate) fn is_implication_refuted(
        &mut self,
        ctx: ContextId,
        first: ExprId,
        second: ExprId,
        value: bool,
    ) -> bool {
        let lanes = self.lanes(ctx);
        let (first, second) = (self.truths(first), self.truths(second));
        let differ = match value {
            true => first.holds & second.fails(),
            false => first.fails() & second.holds,
        };
        lanes & differ != 0
    }

    /// Returns true if a node has two values in samples that reach the context.
    pub(crate) fn is_seen_to_vary(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        let lanes = self.lanes(ctx);
        match self.sample(expr) {
            Sample::Numbers(at) => self.samples.numbers[at as usize].varies(lanes),
            Sample::Truths(it) => it.holds & lanes != 0 && it.fails() & lanes != 0,
            Sample::None | Sample::Unknown => false,
        }
    }

    /// Returns true if a form is negative in a sample that reaches the context.
    pub(crate) fn is_seen_negative(&mut self, ctx: ContextId, form: &Linear) -> bool {
        let lanes = self.lanes(ctx);
        if lanes == 0 {
            return false;
        }
        let Ok(constant) = i64::try_from(form.offset()) else { return false };
        let mut total = Numbers { known: lanes, of: [constant; LANES] };
        for &(atom, factor) in form.terms() {
            let Ok(factor) = i64::try_from(factor) else { return false };
            let Some(at) = self.numbers_of_atom(atom) else { return false };
            let numbers = &self.samples.numbers[at];
            total.add_multiple(numbers, factor);
            if total.known == 0 {
                return false;
            }
        }
        (0..LANES).any(|it| total.known >> it & 1 != 0 && total.of[it] < 0)
    }

    fn numbers_of_atom(&mut self, atom: Atom) -> Option<usize> {
        let made = match atom.kind() {
            AtomKind::Node(expr) => return self.numbers_at(expr),
            AtomKind::Made(made) => made,
        };
        if let Some(&known) = self.samples.made.get(&made) {
            return known.map(|it| it as usize);
        }
        self.samples.made.insert(made, None);
        let numbers = match self.atoms.get(made).clone() {
            Made::Product(factors) => {
                let mut total = Numbers::constant(1);
                for factor in factors {
                    let at = self.numbers_of_atom(factor)?;
                    total.multiply(&self.samples.numbers[at]);
                }
                total
            }
            Made::Quotient(it) => {
                let mut dividend = self.numbers_of_form(&it.dividend)?;
                let divisor = self.numbers_of_form(&it.divisor)?;
                dividend.divide(&divisor);
                dividend
            }
        };
        let at = self.samples.numbers.len();
        self.samples.numbers.push(numbers);
        self.samples.made.insert(made, Some(at as u32));
        Some(at)
    }

    fn numbers_of_form(&mut self, form: &Linear) -> Option<Numbers> {
        let constant = i64::try_from(form.offset()).ok()?;
        let mut total = Numbers::constant(constant);
        for &(atom, factor) in form.terms() {
            let factor = i64::try_from(factor).ok()?;
            let at = self.numbers_of_atom(atom)?;
            total.add_multiple(&self.samples.numbers[at], factor);
        }
        Some(total)
    }

    /// The place of the values of a node.
    fn numbers_at(&mut self, expr: ExprId) -> Option<usize> {
        match self.sample(expr) {
            Sample::Numbers(at) => Some(at as usize),
            _ => None,
        }
    }

    /// The values of an integer.
    pub(crate) fn numbers(mut self, expr: ExprId) -> Option<&'s Numbers> {
        let at = self.numbers_at(expr)?;
        Some(&self.samples.numbers[at])
    }

    fn truths(&mut self, expr: ExprId) -> Truths {
        match self.sample(expr) {
            Sample::Truths(truths) => truths,
            _ => Truths::UNKNOWN,
        }
    }

    fn compared(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Truths {
        let (a, b) = (self.sample(a), self.sample(b));
        self.compared_samples(op, a, b)
    }

    fn compared_samples(&self, op: BinaryOp, a: Sample, b: Sample) -> Truths {
        match (a, b) {
            (Sample::Numbers(a), Sample::Numbers(b)) => {
                let numbers = &self.samples.numbers;
                values::compare(op, &numbers[a as usize], &numbers[b as usize])
            }
            (Sample::Truths(a), Sample::Truths(b)) => values::compare_truths(op, a, b),
            _ => Truths::UNKNOWN,
        }
    }

    /// The value of a node in a lane.
    #[cfg(test)]
    pub(crate) fn value_in(&mut self, lane: usize, expr: ExprId) -> Option<i128> {
        let is_in = |lanes: Lanes| lanes >> lane & 1 != 0;
        match self.sample(expr) {
            Sample::Numbers(at) => {
                let numbers = &self.samples.numbers[at as usize];
                is_in(numbers.known).then_some(numbers.of[lane].into())
            }
            Sample::Truths(it) => is_in(it.known).then_some(is_in(it.holds).into()),
            _ => None,
        }
    }

    #[inline]
    fn sample(&mut self, expr: ExprId) -> Sample {
        match self.samples.of.get(expr.index()) {
            Some(Sample::None) | None => self.work_out_sample(expr),
            Some(&known) => known,
        }
    }

    fn work_out_sample(&mut self, expr: ExprId) -> Sample {
        let n_exprs = self.nodes.body().n_exprs();
        self.samples.of.resize(n_exprs, Sample::None);
        // Should a broken body bind variables in a circle, then the circle ends here.
        self.samples.of[expr.index()] = Sample::Unknown;
        let sample = ir::stack::with_room(|| self.evaluated(expr));
        self.samples.of[expr.index()] = sample;
        sample
    }
}
