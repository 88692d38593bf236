//! The prologue, the loop and the epilogue of a pipeline.
//!
//! In: a loop and its [`Plan`]. Out: the operations that take its place: its memory with all versions, then the three
//! parts; each part is a scope of its own where the loop is part of a pipeline around it, whose author counts them. A
//! time of the prologue or epilogue is written out, with what does not run left out; the loop counts from the old
//! start, so that the last stage runs the iteration that its variable names. Guards that hold are left out. Linear in
//! the output, and the facts at the loop for each guard.

use arith::Analyzer;
use ir::{
    BinaryOp, BlockId, Body, DataType, ExprId, OpId, OpKind, ValueId, ValueKind,
    substitution::Substitution,
};
use rustc_hash::FxHashMap;

use super::{
    COPY,
    asynchronous::Place,
    plan::{Plan, is_plain},
    statements::scope,
    versions,
};
use crate::{
    LowerOptions, Origins, async_copies,
    contexts::around,
    copy::Copier,
    edit::{append, folded, loop_block, loop_var, map_op},
    lists::{constant, new_list, ops_in, take_list},
};

/// See the module.
pub(super) fn emit(
    body: &mut Body,
    op: OpId,
    plan: &Plan,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Vec<OpId> {
    substitute_names(body, op, plan);
    let var = loop_var(body, op);
    let dtype = body.values[var].ty.prim().unwrap_or(DataType::INT32);
    let (min, extent) = (body.ops[op].operands[0], body.ops[op].operands[1]);
    let (min, extent) = (body.cast(min, dtype), body.cast(extent, dtype));
    let before = new_list(body);
    let extent = match is_plain(body, extent) {
        true => extent,
        // Evaluated once, as that of the loop was.
        false => {
            let bind = body.push_op(before, OpKind::Bind, &[extent]);
            let name = body.push_result(bind, "extent", dtype.into());
            body.value_expr(name)
        }
    };
    let guards = guards(body, op, extent, plan.last, options);
    let versions = give_versions(body, plan, dtype);
    let memory: Vec<OpId> = plan.memory.iter().map(|it| it.op).collect();
    append(body, before, &memory);
    let mut emitter = Emitter { plan, op, var, dtype, min, extent, versions, guards, origins };
    let parts = match constant(body, extent) {
        Some(n) => emitter.of_constant(body, n),
        None => emitter.of_variable(body),
    };
    for part in parts {
        match plan.is_inner {
            true => drop(scope(body, before, &part)),
            false => append(body, before, &part),
        }
    }
    take_list(body, before)
}

/// Puts the values of names between statements in their places.
fn substitute_names(body: &mut Body, op: OpId, plan: &Plan) {
    let mut values = Substitution::default();
    for it in body.blocks[loop_block(body, op)].ops.clone() {
        if body.ops[it].kind == OpKind::Bind {
            let value = values.apply(body, body.ops[it].operands[0]);
            values.add(body.ops[it].results[0], value);
        }
    }
    if !values.is_empty() {
        for inner in statements(body, plan) {
            map_op(body, inner, &mut |body, expr| values.apply(body, expr));
        }
    }
}

/// All operations of the statements.
fn statements(body: &Body, plan: &Plan) -> Vec<OpId> {
    plan.steps.iter().flat_map(|it| ops_in(body, it.op)).collect()
}

/// Gives memory its versions; of each number of versions the variable that stands for the one of an iteration.
fn give_versions(body: &mut Body, plan: &Plan, dtype: DataType) -> Vec<(i64, ValueId)> {
    let mut variables: Vec<(i64, ValueId)> = Vec::new();
    let mut of_buffer = FxHashMap::default();
    for it in plan.memory.iter().filter(|it| it.versions > 1) {
        let known = variables.iter().find(|known| known.0 == it.versions);
        let variable = known.map_or_else(
            || body.new_value("version", dtype.into(), ValueKind::Captured),
            |known| known.1,
        );
        if variables.iter().all(|known| known.0 != it.versions) {
            variables.push((it.versions, variable));
        }
        of_buffer.insert(it.buffer, body.value_expr(variable));
    }
    if of_buffer.is_empty() {
        return variables;
    }
    let ops = statements(body, plan);
    versions::give(body, &ops, &of_buffer);
    for it in plan.memory.iter().filter(|it| it.versions > 1) {
        let shape = &body.buffers[it.buffer].shape;
        let index = shape.first().and_then(|&it| body.dtype(it)).unwrap_or(DataType::INT32);
        let number = body.int(it.versions.into(), index);
        body.buffers[it.buffer].shape.insert(0, number);
        body.ops[it.op].operands = body.buffers[it.buffer].operands().collect();
    }
    variables
}

/// The answers to `number < extent`, for the numbers from -1 on that are less than `last`.
fn guards(
    body: &mut Body,
    op: OpId,
    extent: ExprId,
    last: i64,
    options: &LowerOptions,
) -> Vec<(ExprId, Option<bool>)> {
    let dtype = body.dtype(extent).unwrap_or(DataType::INT32);
    let mut conditions = Vec::new();
    for number in -1..last {
        let number = body.int(number.into(), dtype);
        conditions.push(body.binary(BinaryOp::Lt, number, extent));
    }
    let mut analyzer = Analyzer::with_effects(body, &options.effects);
    let context = around(&mut analyzer, body, op);
    let decided = |it: ExprId| (it, analyzer.decide(context, it));
    conditions.into_iter().map(decided).collect()
}

/// The iteration that a statement of stage 0 runs.
#[derive(Clone, Copy)]
enum Time {
    /// In this iteration, counted from the start.
    At(i64),
    /// So many after the one that the variable of the loop names, which is that of the last stage.
    Loop(ExprId),
    /// So many after the last one.
    Behind(i64),
}

/// Statements as they are written.
struct List {
    block: BlockId,
    /// The last condition, if the last statement is under one.
    guard: Option<(ExprId, OpId)>,
    /// Groups of copies that are under way at most, if that is known here.
    under_way: Option<i64>,
}

struct Emitter<'a> {
    plan: &'a Plan,
    op: OpId,
    var: ValueId,
    dtype: DataType,
    min: ExprId,
    extent: ExprId,
    versions: Vec<(i64, ValueId)>,
    guards: Vec<(ExprId, Option<bool>)>,
    origins: &'a mut Origins,
}

impl Emitter<'_> {
    fn of_constant(&mut self, body: &mut Body, n: i64) -> [Vec<OpId>; 3] {
        let last = self.plan.last;
        let n = n.max(0);
        let times = |from: i64, to: i64| (from..to).map(Time::At);
        let prologue = self.times(body, times(0, last), Some(n));
        let main = match n - last {
            1 => self.times(body, times(last, n), Some(n)),
            2.. => {
                let count = body.int((n - last).into(), self.dtype);
                self.main(body, count)
            }
            _ => Vec::new(),
        };
        // A time that both have, of a short loop, is in the prologue.
        let epilogue = self.times(body, times(n.max(last), n.saturating_add(last)), Some(n));
        match n {
            0 => Default::default(),
            _ => [prologue, main, epilogue],
        }
    }

    fn of_variable(&mut self, body: &mut Body) -> [Vec<OpId>; 3] {
        let last = self.plan.last;
        let prologue = self.times(body, (0..last).map(Time::At), None);
        let first = body.int(last.into(), self.dtype);
        // No overflow is added where nothing is known of the extent.
        let count = match self.guards[0].1 {
            Some(true) => self.extent,
            _ => folded(body, BinaryOp::Max, self.extent, first),
        };
        let count = folded(body, BinaryOp::Sub, count, first);
        let count = if last == 0 { self.extent } else { count };
        let main = self.main(body, count);
        let epilogue = self.times(body, (0..last).map(Time::Behind), None);
        [prologue, main, epilogue]
    }

    /// The loop.
    fn main(&mut self, body: &mut Body, count: ExprId) -> Vec<OpId> {
        let list = new_list(body);
        let new = body.push_op(list, body.ops[self.op].kind, &[self.min, count]);
        self.origins.push((new, self.op));
        body.ops[new].attrs = body.ops[self.op].attrs;
        let region = body.push_region(new);
        let block = body.entry(region);
        let name = body.name(body.values[self.var].name).to_owned();
        let var = body.new_block_arg(block, &name, self.dtype.into());
        let var = body.value_expr(var);
        let ops = self.times(body, [Time::Loop(var)].into_iter(), None);
        append(body, block, &ops);
        take_list(body, list)
    }

    /// The statements at some times; of a loop of `n` iterations, if that is known.
    fn times(
        &mut self,
        body: &mut Body,
        times: impl Iterator<Item = Time>,
        n: Option<i64>,
    ) -> Vec<OpId> {
        let mut list = List { block: new_list(body), guard: None, under_way: None };
        for time in times {
            let place = self.place(time, n);
            for at in 0..self.plan.steps.len() {
                let runs = self.runs(time, self.plan.steps[at].stage, n);
                if let Some(guard) = runs {
                    let into = self.into(body, &mut list, guard);
                    self.wait(body, &mut list, into, self.plan.queue.under_way(at, place));
                    let ops = self.copy(body, at, time);
                    append(body, into, &ops);
                }
                if self.plan.queue.closes(at, place) {
                    // Behind the loop only groups of which something runs are closed.
                    let guard = match time {
                        Time::Behind(_) => runs.flatten(),
                        _ => None,
                    };
                    let into = self.into(body, &mut list, guard);
                    let commit = async_copies::commit(body);
                    body.push_op(into, OpKind::Evaluate, &[commit]);
                    list.under_way = list.under_way.map(|it| it + 1);
                }
            }
        }
        take_list(body, list.block)
    }

    /// The block for what has a condition, or none.
    fn into(&mut self, body: &mut Body, list: &mut List, guard: Option<ExprId>) -> BlockId {
        if list.guard.map(|it| it.0) == guard {
            return list.guard.map_or(list.block, |(_, branch)| loop_block(body, branch));
        }
        // What waits under one condition does not under another.
        list.under_way = None;
        list.guard = guard.map(|guard| {
            let branch = body.push_op(list.block, OpKind::If, &[guard]);
            self.origins.push((branch, self.op));
            body.push_region(branch);
            (guard, branch)
        });
        list.guard.map_or(list.block, |(_, branch)| loop_block(body, branch))
    }

    /// Waits for copies, unless no more groups than that can be under way.
    fn wait(&mut self, body: &mut Body, list: &mut List, into: BlockId, newest: Option<i64>) {
        let Some(newest) = newest.filter(|it| list.under_way.is_none_or(|most| most > *it)) else {
            return;
        };
        let wait = async_copies::wait(body, newest);
        body.push_op(into, OpKind::Evaluate, &[wait]);
        list.under_way = Some(newest);
    }

    /// A time as groups of copies count it.
    fn place(&self, time: Time, n: Option<i64>) -> Place {
        let last = self.plan.last;
        match (time, n) {
            (Time::At(at), Some(n)) if at >= n.max(last) => {
                Place { behind: Some(at - n.max(last)), first: n.max(last) - n }
            }
            (Time::Behind(at), _) => Place { behind: Some(at), first: 0 },
            _ => Place { behind: None, first: 0 },
        }
    }

    /// The condition under which a statement runs; none if it does not.
    fn runs(&self, time: Time, stage: i64, n: Option<i64>) -> Option<Option<ExprId>> {
        let last = self.plan.last;
        // The number that the extent has to be greater than.
        let number = match (time, n) {
            (Time::At(at), Some(n)) => return (0..n).contains(&(at - stage)).then_some(None),
            (Time::Loop(_), _) => return Some(None),
            (Time::At(at), None) if at < stage => return None,
            (Time::At(at), None) => at - stage,
            // That the time is not one of the prologue; each iteration is one of the loop then.
            (Time::Behind(at), _) if at >= stage => return None,
            (Time::Behind(at), _) => last - at - 1,
        };
        let (guard, decided) = self.guards[usize::try_from(number + 1).unwrap_or_default()];
        match decided {
            Some(true) => Some(None),
            Some(false) => None,
            None => Some(Some(guard)),
        }
    }

    /// A copy of a statement.
    fn copy(&mut self, body: &mut Body, at: usize, time: Time) -> Vec<OpId> {
        let step = &self.plan.steps[at];
        let (base, from, offset) = match time {
            Time::At(at) => (self.min, None, at - step.stage),
            Time::Loop(var) => {
                let (from, behind) = match constant(body, self.min) {
                    Some(min) => (var, min),
                    None => (folded(body, BinaryOp::Sub, var, self.min), 0),
                };
                let later = self.plan.last - step.stage;
                return self.copy_of(body, at, (var, later), (Some(from), later - behind));
            }
            Time::Behind(at) => {
                let end = folded(body, BinaryOp::Add, self.min, self.extent);
                (end, Some(self.extent), at - step.stage)
            }
        };
        self.copy_of(body, at, (base, offset), (from, offset))
    }

    /// A copy for an iteration, with its number from the start, each as a sum.
    fn copy_of(
        &mut self,
        body: &mut Body,
        at: usize,
        (base, offset): (ExprId, i64),
        (from, behind): (Option<ExprId>, i64),
    ) -> Vec<OpId> {
        let distance = body.int(i128::from(offset).abs(), self.dtype);
        let way = if offset < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        let iteration = folded(body, way, base, distance);
        let mut copier = Copier::with(self.var, iteration);
        for &(versions, variable) in &self.versions {
            let offset = body.int(behind.rem_euclid(versions).into(), self.dtype);
            let version = match from {
                None => offset,
                Some(from) => {
                    let sum = folded(body, BinaryOp::Add, from, offset);
                    let versions = body.int(versions.into(), self.dtype);
                    folded(body, BinaryOp::FloorMod, sum, versions)
                }
            };
            copier = copier.and(variable, version);
        }
        let list = new_list(body);
        let ops = body.blocks[loop_block(body, self.plan.steps[at].op)].ops.clone();
        let into = match self.plan.steps[at].is_async {
            true => {
                let key = body.intern(COPY);
                let zero = body.int(0, DataType::INT32);
                let scope = body.push_op(list, OpKind::Attr(key), &[zero, zero]);
                let region = body.push_region(scope);
                body.entry(region)
            }
            false => list,
        };
        copier.append(body, &ops, into, self.origins);
        take_list(body, list)
    }
}
