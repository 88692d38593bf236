//! Kernels without threads: launches become loops, split where the threads of a block wait for each other.
//!
//! In: a lowered body and the outermost launch of a kernel, its barriers in place. Out: a loop over each axis of the
//! grid; in them, for each *stretch* of statements between two barriers, loops over the threads of a block, one thread
//! after the other. A statement with a barrier in it (a loop, a condition) stands between the parts and is executed
//! once for the block. Threads compute the same (`SEMANTICS: P6`) in runs without races: between two barriers no thread
//! needs the writes of another one.
//!
//! - Memory of a thread that several stretches use, or that outlives a stretch in a loop, has a place for each thread
//!   of the block.
//! - A variable that a later stretch uses is computed there again if it is made of numbers alone, else kept for each
//!   thread.
//! - Conditions and bounds around barriers are those of thread 0: they must be the same for all (`SEMANTICS: Y2`), and
//!   one that names a thread index is refused unless the program declares it invariant (`tvm_thread_invariant`).
//!
//! Refused (`threads-exchange`): jumps out of a stretch, pointers to memory that would get more places, loops of
//! another kind than serial around a barrier. Linear in the nodes of each operation times the stretches that need a
//! variable.

mod exprs;
mod parts;
mod plan;
mod uses;

use ir::{
    AllocKind, BinaryOp, BlockId, Body, Buffer, BufferId, BufferOrigin, DataType, ExprId,
    MemoryScope, OpId, OpKind, ValueId,
};
use rustc_hash::FxHashMap;

use self::{
    exprs::{as_type, open_loop, times, zero_of},
    parts::{Part, Place},
    plan::{Axis, Plan},
};
use super::{
    LowerRefusal,
    edit::append,
    lists::{constant, new_list, ops_in, take_list},
};

/// Replaces the threads of a kernel by loops.
///
/// # Errors
///
/// The refusals of the module; the body is then unchanged.
pub fn run(body: &mut Body, kernel: OpId) -> Result<(), LowerRefusal> {
    let plan = Plan::of(body, kernel)?;
    let mut rewriter = Rewriter::new(body, &plan);
    let place = body.ops[kernel].parent;
    let ops = rewriter.kernel(body);
    let at = body.blocks[place].ops.iter().position(|it| *it == kernel);
    if let Some(at) = at {
        body.blocks[place].ops.splice(at..=at, ops.iter().copied());
    }
    ops.iter().for_each(|&op| body.ops[op].parent = place);
    Ok(())
}

struct Rewriter<'a> {
    plan: &'a Plan,
    /// The replacements of the grid's indices, and of those of axes of one thread.
    outer: FxHashMap<ValueId, ExprId>,
    /// Elements of a buffer for each thread, of those that have a place for each.
    places: FxHashMap<BufferId, i64>,
    /// The place where variables are kept for other stretches.
    arrays: FxHashMap<ValueId, BufferId>,
    /// The type that numbers of threads are computed in.
    dtype: DataType,
}

/// The replacements of names in one part.
struct Env {
    values: FxHashMap<ValueId, ExprId>,
    /// The number of the thread in its block.
    thread: ExprId,
    memo: FxHashMap<ExprId, ExprId>,
}

impl<'a> Rewriter<'a> {
    fn new(body: &Body, plan: &'a Plan) -> Rewriter<'a> {
        let is_wide = plan.axes.iter().any(|it| it.dtype.bits > 32);
        Rewriter {
            plan,
            outer: FxHashMap::default(),
            places: plan.places(body),
            arrays: FxHashMap::default(),
            dtype: if is_wide { DataType::INT64 } else { DataType::INT32 },
        }
    }

    fn threads(&self) -> impl Iterator<Item = &'a Axis> + use<'a> {
        self.plan.axes.iter().filter(|it| it.is_thread())
    }

    /// All of the kernel.
    fn kernel(&mut self, body: &mut Body) -> Vec<OpId> {
        for &value in &self.plan.alone {
            let zero = zero_of(body, value);
            self.outer.insert(value, zero);
        }
        let plan = self.plan;
        let grid: Vec<&Axis> = plan.axes.iter().filter(|it| !it.is_thread()).collect();
        let top = new_list(body);
        let mut into = top;
        for axis in grid.into_iter().rev() {
            let mut values = FxHashMap::default();
            into = open_loop(body, axis, into, &mut values);
            self.outer.extend(values);
        }
        let count = self.n_threads(body);
        self.allocate(body, into, count);
        let mut ops = Vec::new();
        for part in &plan.parts {
            self.part(body, part, &mut ops);
        }
        append(body, into, &ops);
        self.guard(body, count, top)
    }

    /// Nothing is done where a block has no threads.
    fn guard(&self, body: &mut Body, count: ExprId, top: BlockId) -> Vec<OpId> {
        let ops = take_list(body, top);
        if constant(body, count).is_some_and(|it| it > 0) {
            return ops;
        }
        let zero = body.int(0, self.dtype);
        let some = body.binary(BinaryOp::Lt, zero, count);
        let list = new_list(body);
        let guard = body.push_op(list, OpKind::If, &[some]);
        let region = body.push_region(guard);
        let inner = body.entry(region);
        append(body, inner, &ops);
        take_list(body, list)
    }

    /// The number of threads of a block.
    fn n_threads(&self, body: &mut Body) -> ExprId {
        let mut count = body.int(1, self.dtype);
        for axis in self.threads() {
            let extent = as_type(body, axis.extent, self.dtype);
            count = times(body, count, extent);
        }
        count
    }

    /// Gives memory a place for each thread, and variables that are kept memory of their own.
    fn allocate(&mut self, body: &mut Body, into: BlockId, count: ExprId) {
        for &(op, buffer) in &self.plan.declarations {
            let Some(&elements) = self.places.get(&buffer) else { continue };
            let elements = body.int(elements.into(), self.dtype);
            body.buffers[buffer].shape = vec![times(body, elements, count)];
            body.ops[op].operands = body.buffers[buffer].operands().collect();
        }
        for &value in &self.plan.kept {
            let data = body.values[value];
            let buffer = body.buffers.push(Buffer {
                name: data.name,
                dtype: data.ty.prim().unwrap_or(DataType::INT32),
                shape: vec![count],
                strides: None,
                elem_offset: None,
                scope: MemoryScope::Local,
                origin: BufferOrigin::Alloc,
                attrs: Body::no_attrs(),
            });
            body.push_op(into, OpKind::Alloc { buffer, kind: AllocKind::Flat }, &[count]);
            self.arrays.insert(value, buffer);
        }
    }

    // ---- parts ----

    fn part(&mut self, body: &mut Body, part: &Part, out: &mut Vec<OpId>) {
        match part {
            Part::Once(op) => {
                let mut env = self.once(body, *op, out);
                self.op(body, *op, &mut env);
                out.push(*op);
            }
            Part::Around(op, lists) => {
                let mut env = self.once(body, *op, out);
                self.op(body, *op, &mut env);
                let regions = body.ops[*op].regions.to_vec();
                for (region, parts) in regions.into_iter().zip(lists) {
                    let mut inner = Vec::new();
                    for part in parts {
                        self.part(body, part, &mut inner);
                    }
                    let block = body.entry(region);
                    body.blocks[block].ops.clear();
                    append(body, block, &inner);
                }
                out.push(*op);
            }
            Part::Threads(number, ops) => self.stretch(body, *number, ops, out),
        }
    }

    /// The names in code that a block executes once: those of its first thread.
    fn once(&mut self, body: &mut Body, op: OpId, out: &mut Vec<OpId>) -> Env {
        let mut values = self.outer.clone();
        for axis in self.threads() {
            for &var in &axis.vars {
                values.insert(var, zero_of(body, var));
            }
        }
        let thread = body.int(0, self.dtype);
        let mut env = Env { values, thread, memo: FxHashMap::default() };
        let list = new_list(body);
        self.bring(body, Place::Once(op), &mut env, list);
        out.extend(take_list(body, list));
        env
    }

    /// Loops over the threads around a stretch.
    fn stretch(&mut self, body: &mut Body, number: usize, ops: &[OpId], out: &mut Vec<OpId>) {
        let mut values = self.outer.clone();
        let list = new_list(body);
        let mut into = list;
        let mut thread: Option<ExprId> = None;
        let axes: Vec<&Axis> = self.threads().collect();
        for axis in axes.into_iter().rev() {
            into = open_loop(body, axis, into, &mut values);
            let var = body.blocks[into].args[0];
            let index = body.value_expr(var);
            let index = body.cast(index, self.dtype);
            thread = Some(match thread {
                None => index,
                Some(outer) => {
                    let extent = as_type(body, axis.extent, self.dtype);
                    let outer = times(body, outer, extent);
                    body.binary(BinaryOp::Add, outer, index)
                }
            });
        }
        let thread = thread.unwrap_or_else(|| body.int(0, self.dtype));
        let mut env = Env { values, thread, memo: FxHashMap::default() };
        self.bring(body, Place::Stretch(number), &mut env, into);
        for &op in ops {
            let inside: Vec<OpId> = std::iter::once(op).chain(ops_in(body, op)).collect();
            inside.into_iter().for_each(|op| self.op(body, op, &mut env));
            append(body, into, &[op]);
            self.keep(body, op, &env, into);
        }
        out.extend(take_list(body, list));
    }

    /// Puts a variable that was just bound where other stretches find it.
    fn keep(&self, body: &mut Body, op: OpId, env: &Env, into: BlockId) {
        let Some(&value) = body.ops[op].results.first() else { return };
        let Some(&buffer) = self.arrays.get(&value) else { return };
        let value = body.value_expr(value);
        let kind = OpKind::Store { buffer, predicated: false };
        body.push_op(into, kind, &[value, env.thread]);
    }

    /// Gives a part the variables of other stretches that it uses.
    fn bring(&self, body: &mut Body, place: Place, env: &mut Env, into: BlockId) {
        for &value in self.plan.foreign.get(&place).into_iter().flatten() {
            let new = match self.arrays.get(&value) {
                Some(&buffer) => body.load(buffer, &[env.thread], None),
                None => {
                    let again = self.expr(body, self.plan.definitions[&value].expr, env);
                    let data = body.values[value];
                    let name = body.name(data.name).to_owned();
                    let bind = body.push_op(into, OpKind::Bind, &[again]);
                    let new = body.push_result(bind, &name, data.ty);
                    body.values[new].is_size = data.is_size;
                    body.value_expr(new)
                }
            };
            env.values.insert(value, new);
        }
    }
}
