//! The blocks that reduce over threads, and the conditions for doing it in the threads.
//!
//! In: the body. Out: a [`Reduction`] for each such block, with expressions added to the body; or the first reason why
//! one has none. Reads operations, changes none. Linear in the operations; for each reduction the analyzer is asked
//! about as many conditions as it has loops.

use arith::{Analyzer, ContextId, Overflow, simplify::Simplifier};
use dataflow::analyses::Analyses;
use ir::{
    BinaryOp, Body, BufferId, DataType, ExprId, ExprKind, Intrinsic, IterKind, Occurrences, OpId,
    OpKind, SBlockId, ValueId, ValueKind, effects::EffectTable, substitution::Substitution,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    enumerate::{Range, holds_first_and_once},
    reducer::{Component, components},
    refusal,
};
use crate::{
    LowerRefusal,
    edit::{loop_block, loop_var, mentions, thread_tag},
    lists::ops_in,
    named_memory::{root, touches},
};

/// A block that reduces over threads, and its loops from the outermost one that reduces.
pub(super) struct Reduction {
    pub(super) block: OpId,
    /// The loop in whose place the new ones go.
    pub(super) outermost: OpId,
    /// Loops over threads, and loops of one iteration: all that stays around. Not empty.
    pub(super) shell: Vec<OpId>,
    /// Loops that reduce within a thread.
    pub(super) serial: Vec<OpId>,
    /// True if these are all inside of the shell: then each loop stays where it is, with all that is in it.
    pub(super) is_in_place: bool,
    /// The loops over threads that reduce.
    pub(super) threads: Vec<OpId>,
    pub(super) components: Vec<Component>,
    /// The place where the results lie, in terms of the loops in the shell and around.
    pub(super) places: FxHashMap<BufferId, Vec<ExprId>>,
    /// The condition that there is anything to reduce; `None` if there always is.
    pub(super) runs: Option<ExprId>,
}

/// The reductions over threads of a body.
pub(super) fn plan(body: &mut Body, effects: &EffectTable) -> Result<Vec<Reduction>, LowerRefusal> {
    let mut found = Vec::new();
    for op in body.ops_preorder() {
        if let OpKind::SBlock(block) = body.ops[op].kind
            && let Some(shape) = shape(body, op, block).map_err(|it| it.at(op))?
        {
            found.push((op, block, shape));
        }
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let mut reductions = Vec::new();
    for (op, block, shape) in found {
        reductions.push(complete(body, op, block, shape).map_err(|it| it.at(op))?);
    }
    let questions: Vec<Questions> =
        reductions.iter().map(|it| Questions::of(body, it)).collect::<Result<_, _>>()?;
    let before = body.clone();
    let occurrences = Occurrences::collect(&before);
    let analyses = Analyses::of(&before, &occurrences, effects);
    let scopes = analyses.scopes();
    let mut simplifier = Simplifier::with_effects(&before, effects);
    let conditions = analyses.conditions(simplifier.analyzer());
    for (reduction, questions) in reductions.iter_mut().zip(questions) {
        let inside = scopes.of_block(before.entry(before.ops[reduction.block].regions[0]));
        let contexts = Contexts {
            around: conditions.before(reduction.outermost),
            before: conditions.before(reduction.block),
            inside: conditions.at_scope(inside),
        };
        let answer = questions.ask(&mut simplifier, &contexts);
        reduction.runs = answer.map_err(|it| it.at(reduction.block))?;
    }
    *body = simplifier.into_body();
    Ok(reductions)
}

/// The loops of a reduction.
struct Shape {
    outermost: OpId,
    shell: Vec<OpId>,
    serial: Vec<OpId>,
    is_in_place: bool,
    threads: Vec<OpId>,
}

/// The loops right around a block, innermost first.
fn loops_around(body: &Body, op: OpId) -> Vec<OpId> {
    let mut loops = Vec::new();
    let mut at = body.parent_op(op);
    while let Some(op) = at
        && matches!(body.ops[op].kind, OpKind::For(_))
    {
        loops.push(op);
        at = body.parent_op(op);
    }
    loops
}

/// The loops of a block that reduces over threads; none if it does not.
fn shape(body: &Body, op: OpId, block: SBlockId) -> Result<Option<Shape>, LowerRefusal> {
    let iters = &body.sblocks[block].iter_vars;
    if iters.iter().all(|it| it.kind != IterKind::Reduce) {
        return Ok(None);
    }
    let bindings = |kind_is_reduce: bool| {
        iters
            .iter()
            .zip(&body.ops[op].operands)
            .filter(move |(it, _)| (it.kind == IterKind::Reduce) == kind_is_reduce)
            .map(|(_, &binding)| binding)
    };
    let loops = loops_around(body, op);
    let vars: FxHashSet<ValueId> = loops.iter().map(|&it| loop_var(body, it)).collect();
    let in_bindings = |var: ValueId, is_reduce: bool| {
        bindings(is_reduce).any(|it| mentions(body, it, &|value| value == var))
    };
    let reduces: Vec<bool> =
        loops.iter().map(|&it| in_bindings(loop_var(body, it), true)).collect();
    check_outer_threads(body, op, &vars, &bindings(true).collect::<Vec<_>>())?;
    let mut threads: Vec<OpId> = Vec::new();
    for (&it, _) in loops.iter().zip(&reduces).filter(|it| *it.1) {
        match thread_tag(body, it) {
            Some(tag) if tag.is_thread() => threads.push(it),
            Some(_) => return Err(refusal("goes over more than the threads of a block")),
            None => {}
        }
    }
    if threads.is_empty() {
        return Ok(None);
    }
    if body.ops[op].regions.len() != 2 {
        return match is_of_thread(body, op) {
            true => Ok(None),
            false => Err(refusal("has no initialisation of its own")),
        };
    }
    let n = reduces.iter().rposition(|&it| it).unwrap_or(0) + 1;
    let inner: FxHashSet<ValueId> = loops[..n].iter().map(|&it| loop_var(body, it)).collect();
    let (mut shell, mut serial) = (Vec::new(), Vec::new());
    let (mut is_in_place, mut is_shared) = (true, false);
    for (&it, &is_reduction) in loops[..n].iter().zip(&reduces).rev() {
        is_shared |= body.blocks[loop_block(body, it)].ops.len() != 1;
        let operands = &body.ops[it].operands;
        if operands.len() != 2
            || operands.iter().any(|&it| mentions(body, it, &|value| inner.contains(&value)))
        {
            return Err(refusal("has loops that depend on each other"));
        }
        let is_thread = thread_tag(body, it).is_some();
        let is_single = matches!(body.expr(operands[1]).kind, ExprKind::Int(1));
        match (is_reduction, is_thread) {
            (true, _) if in_bindings(loop_var(body, it), false) => {
                return Err(refusal("uses one loop for its result and for what is reduced"));
            }
            (true, true) if !matches!(body.expr(operands[0]).kind, ExprKind::Int(0)) => {
                return Err(refusal("has threads that do not begin at 0"));
            }
            (true, false) => serial.push(it),
            (false, false) if !is_single => {
                return Err(refusal("has a loop over results inside of it"));
            }
            _ => {
                is_in_place &= serial.is_empty();
                shell.push(it);
            }
        }
    }
    if is_shared && !is_in_place {
        return Err(refusal("shares its loops with other statements"));
    }
    Ok(Some(Shape { outermost: loops[n - 1], shell, serial, is_in_place, threads }))
}

/// Returns true if a block writes memory of its thread alone: what it adds up there is the thread's own.
fn is_of_thread(body: &Body, op: OpId) -> bool {
    ops_in(body, op).all(|it| match body.ops[it].kind {
        OpKind::Store { buffer, .. } => body.buffers[root(body, buffer)].scope.is_local(),
        // Threads combine what they have: that is done already.
        OpKind::Evaluate => {
            let mut calls = body.ops[it].operands.iter();
            calls.all(|&it| body.operands_of(it, Intrinsic::ThreadAllreduce).is_some())
        }
        _ => true,
    })
}

/// Refuses a reduction if another statement in its loops names a result: it would see another value.
fn check_neighbours(
    body: &Body,
    outermost: OpId,
    block: OpId,
    components: &[Component],
) -> Result<(), LowerRefusal> {
    let results: Vec<BufferId> = components.iter().map(|it| root(body, it.buffer)).collect();
    let own: FxHashSet<OpId> = ops_in(body, block).chain([block]).collect();
    for op in ops_in(body, outermost).filter(|it| !own.contains(it)) {
        let mut is_result = false;
        touches(body, op, &mut |buffer| is_result |= results.contains(&root(body, buffer)));
        if is_result {
            return Err(refusal("shares its loops with a statement that names its result"));
        }
    }
    Ok(())
}

/// Refuses reductions over threads whose launch is not right around them: around an outer block, or behind a name.
fn check_outer_threads(
    body: &Body,
    op: OpId,
    own: &FxHashSet<ValueId>,
    bindings: &[ExprId],
) -> Result<(), LowerRefusal> {
    let mut around = Vec::new();
    let mut at = body.parent_op(op);
    while let Some(op) = at {
        around.push(op);
        at = body.parent_op(op);
    }
    let mut threads: FxHashSet<ValueId> = FxHashSet::default();
    for &op in around.iter().rev() {
        if thread_tag(body, op).is_some() {
            threads.insert(loop_var(body, op));
        } else if let OpKind::SBlock(block) = body.ops[op].kind {
            for (iter, &binding) in body.sblocks[block].iter_vars.iter().zip(&body.ops[op].operands)
            {
                if mentions(body, binding, &|value| is_thread(body, &threads, value)) {
                    threads.insert(iter.value);
                }
            }
        }
    }
    let is_outer = |value: ValueId| is_thread(body, &threads, value) && !own.contains(&value);
    match bindings.iter().any(|&it| mentions(body, it, &is_outer)) {
        true => Err(refusal("goes over threads that are not right around it")),
        false => Ok(()),
    }
}

/// Returns true if a value is a thread index, or may be.
fn is_thread(body: &Body, threads: &FxHashSet<ValueId>, value: ValueId) -> bool {
    threads.contains(&value)
        || !threads.is_empty() && matches!(body.values[value].kind, ValueKind::Result(..))
}

fn complete(
    body: &mut Body,
    op: OpId,
    block: SBlockId,
    shape: Shape,
) -> Result<Reduction, LowerRefusal> {
    let &[main, init] = &body.ops[op].regions[..] else {
        return Err(refusal("has no initialisation of its own"));
    };
    let components = components(body, main, init)?;
    let Shape { outermost, shell, serial, is_in_place, threads } = shape;
    check_neighbours(body, outermost, op, &components)?;
    let serial_vars: FxHashSet<ValueId> = serial.iter().map(|&it| loop_var(body, it)).collect();
    let mut bound = Substitution::default();
    let iters = body.sblocks[block].iter_vars.clone();
    let reduced: FxHashSet<ValueId> =
        iters.iter().filter(|it| it.kind == IterKind::Reduce).map(|it| it.value).collect();
    for (iter, &binding) in iters.iter().zip(&body.ops[op].operands) {
        bound.add(iter.value, binding);
    }
    let mut places = FxHashMap::default();
    for component in &components {
        let mut indices = Vec::new();
        for &index in &component.indices {
            if mentions(body, index, &|value| reduced.contains(&value)) {
                return Err(refusal("writes where what is reduced says"));
            }
            if body.expr(index).flags.has_load {
                return Err(refusal("writes where memory says"));
            }
            let index = bound.apply(body, index);
            if mentions(body, index, &|value| serial_vars.contains(&value)) {
                return Err(refusal("uses one loop for its result and for what is reduced"));
            }
            indices.push(index);
        }
        places.insert(component.buffer, indices);
    }
    Ok(Reduction {
        block: op,
        outermost,
        shell,
        serial,
        is_in_place,
        threads,
        components,
        places,
        runs: None,
    })
}

/// The conditions that must hold.
struct Questions {
    /// Of each reduction variable: it has the first value of its domain.
    is_first: Vec<ExprId>,
    /// The same, in the first iteration of all loops.
    begins: Vec<ExprId>,
    /// Of each loop that reduces: it is in its first iteration.
    loops: Vec<ExprId>,
    /// These loops, if their bounds are constants.
    ranges: Option<Vec<Range>>,
    /// The predicate in the first iteration, and that there is one.
    runs: Vec<ExprId>,
    has_predicate: bool,
}

struct Contexts {
    around: ContextId,
    before: ContextId,
    inside: ContextId,
}

impl Questions {
    fn of(body: &mut Body, reduction: &Reduction) -> Result<Questions, LowerRefusal> {
        let op = reduction.block;
        let OpKind::SBlock(block) = body.ops[op].kind else { return Err(refusal("is no block")) };
        let data = body.sblocks[block].clone();
        let operands = body.ops[op].operands.to_vec();
        let mut first = Substitution::default();
        let (mut loops, mut ranges) = (Vec::new(), Some(Vec::new()));
        for &it in reduction.serial.iter().chain(&reduction.threads) {
            let (var, min) = (loop_var(body, it), body.ops[it].operands[0]);
            first.add(var, min);
            match (body.expr(min).kind, body.expr(body.ops[it].operands[1]).kind) {
                (ExprKind::Int(min), ExprKind::Int(extent)) if extent > 0 => {
                    ranges.iter_mut().for_each(|it| it.push((var, min.into(), extent.into())));
                }
                _ => ranges = None,
            }
            let var = body.value_expr(var);
            loops.push(body.binary(BinaryOp::Eq, var, min));
        }
        let (mut is_first, mut begins) = (Vec::new(), Vec::new());
        for (iter, &binding) in data.iter_vars.iter().zip(&operands) {
            if iter.kind == IterKind::Reduce {
                if body.dtype(binding) != body.dtype(iter.dom_min) {
                    return Err(refusal("has a domain of another type than its variable"));
                }
                let here = body.binary(BinaryOp::Eq, binding, iter.dom_min);
                is_first.push(here);
                begins.push(first.apply(body, here));
            }
        }
        let mut runs = Vec::new();
        for &it in &reduction.serial {
            let extent = body.ops[it].operands[1];
            let zero = body.int(0, body.dtype(extent).unwrap_or(DataType::INT32));
            runs.push(body.binary(BinaryOp::Lt, zero, extent));
        }
        if data.has_predicate
            && let Some(&predicate) = operands.last()
        {
            let mut bound = Substitution::default();
            for (iter, &binding) in data.iter_vars.iter().zip(&operands) {
                bound.add(iter.value, binding);
            }
            let predicate = bound.apply(body, predicate);
            if body.expr(predicate).flags.has_load || body.expr(predicate).flags.has_impure {
                return Err(refusal("has a predicate that reads memory"));
            }
            runs.push(first.apply(body, predicate));
        }
        let has_predicate = data.has_predicate;
        Ok(Questions { is_first, begins, loops, ranges, runs, has_predicate })
    }

    /// Returns the condition that there is anything to reduce, if that is not certain, or the fact that could not be
    /// shown.
    fn ask(
        &self,
        simplifier: &mut Simplifier<'_>,
        contexts: &Contexts,
    ) -> Result<Option<ExprId>, LowerRefusal> {
        let tried = self
            .ranges
            .as_ref()
            .and_then(|ranges| holds_first_and_once(simplifier.body(), &self.is_first, ranges));
        let analyzer = simplifier.analyzer();
        let holds = |analyzer: &mut Analyzer<'_>, ctx, condition| {
            analyzer.decide_with(Overflow::Excluded, ctx, condition) == Some(true)
        };
        let begins = tried == Some(true)
            || self.begins.iter().all(|&it| holds(analyzer, contexts.before, it));
        if !begins {
            return Err(refusal("is not known to begin where its domain begins"));
        }
        let start =
            self.is_first.iter().fold(contexts.before, |ctx, &it| analyzer.assume(ctx, it, true));
        if tried != Some(true) && !self.loops.iter().all(|&it| holds(analyzer, start, it)) {
            return Err(refusal("is not known to begin only once"));
        }
        if self.has_predicate
            && let Some(&predicate) = self.runs.last()
            && !holds(analyzer, contexts.inside, predicate)
        {
            return Err(refusal("has a predicate that may leave out its beginning"));
        }
        let mut all: Option<ExprId> = None;
        for &condition in &self.runs {
            let shorter = simplifier.simplify(contexts.around, condition, Overflow::Excluded);
            if matches!(simplifier.body().expr(shorter).kind, ExprKind::Int(1)) {
                continue;
            }
            all = Some(match all {
                Some(before) => {
                    simplifier.analyzer().grow(|body| body.binary(BinaryOp::And, before, shorter))
                }
                None => shorter,
            });
        }
        Ok(all)
    }
}
