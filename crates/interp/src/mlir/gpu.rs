//! gpu: launches. The blocks of a grid run one after the other, the threads of a block each up to the next barrier in
//! turn.
//!
//! A thread has an activation of its own, a copy of that in which the launch stands; memory is shared. `all_reduce` and
//! `shuffle` wait, like a barrier, until all threads of the block have come to them. Races are not looked for.

use std::rc::Rc;

use super::super::{EventKind, ops::Val};
use super::{
    Launch,
    attrs::{DYNAMIC, Decoded, OpView},
    decode::{Code, compute, many},
    engine::n_attributions,
    frames::{Frame, Stop, Thread},
    machine::{Machine, Run},
    memref::access,
    types::{Ty, count},
    value::{Value, bit, indices, int},
    vector::{reduction_name, sum},
};
use ir::{Body, OpId, OpKind, ValueId};

/// The place where a thread is in a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) block: [i64; 3],
    thread: [i64; 3],
    pub(super) launch: Launch,
}

/// The extents and body of a launch.
pub(super) enum Shape {
    /// Its region; how many operands stand before the sizes.
    Region(usize),
    /// A kernel by its name with that of its module, and the same; the arguments are behind so many operands.
    Kernel(String, usize, usize),
}

/// Threads of a warp.
const WARP: i64 = 32;
/// Threads of a block, at most.
const MAX_THREADS: i64 = 4096;

/// Reads an operation of gpu.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    let dim = || {
        let word = view.words("dimension");
        word.first()
            .and_then(|it| ["x", "y", "z"].iter().position(|dim| dim == it))
            .ok_or("its dimension")
    };
    Ok(Some(match view.name {
        "thread_id" => id(dim()?, |place, dim| place.thread[dim]),
        "block_id" => id(dim()?, |place, dim| place.block[dim]),
        "block_dim" => id(dim()?, |place, dim| place.launch.block[dim]),
        "grid_dim" => id(dim()?, |place, dim| place.launch.grid[dim]),
        "global_id" => id(dim()?, |it, dim| it.block[dim] * it.launch.block[dim] + it.thread[dim]),
        "lane_id" => id(0, |place, _| place.linear() % WARP),
        "subgroup_id" => id(0, |place, _| place.linear() / WARP),
        "subgroup_size" => id(0, |_, _| WARP),
        "num_subgroups" => id(0, |place, _| (place.n_threads() + WARP - 1) / WARP),
        "barrier" => Code::Barrier,
        "all_reduce" | "subgroup_reduce" | "shuffle" => {
            view.need(1)?;
            Code::Collective
        }
        "terminator" | "yield" => Code::End,
        "return" => Code::Return,
        "launch" => {
            let before = view.segments().map_or(0, |it| it.first().copied().unwrap_or(0));
            view.need(before + 6)?;
            Code::Launch(Shape::Region(before))
        }
        "launch_func" => launch_func(view)?,
        "alloc" => allocation(view)?,
        "dealloc" => memory(view, 1, |machine, views| machine.free(&views[0]))?,
        "memcpy" => memory(view, 2, |machine, views| machine.copy(&views[1], &views[0]))?,
        "memset" => fill(view)?,
        "wait" | "printf" | "host_register" | "host_unregister" => {
            let n = view.body.ops[view.op].results.len();
            many(move |_, _| Ok(vec![Value::Token; n]))
        }
        _ => return Ok(None),
    }))
}

impl Place {
    fn linear(&self) -> i64 {
        let [x, y, z] = self.thread;
        let [sx, sy, _] = self.launch.block;
        (z * sy + y) * sx + x
    }

    fn n_threads(&self) -> i64 {
        self.launch.block.iter().product()
    }
}

fn id(dim: usize, of: fn(&Place, usize) -> i64) -> Code {
    compute(move |machine, _| match machine.place {
        Some(place) => Ok(int(of(&place, dim))),
        None => machine.unsupported("the place of a thread outside of a launch"),
    })
}

// ---- memory ----

fn allocation(view: &OpView<'_>) -> Decoded<Code> {
    let Ty::Memref(ty) = view.result_ty(0) else { return Err("its type".to_owned()) };
    let sizes: Vec<i64> = ty.shape.iter().map(|it| it.unwrap_or(DYNAMIC)).collect();
    let n = view.body.ops[view.op].results.len();
    Ok(many(move |machine, operands| {
        let operands: Vec<Value> =
            operands.iter().filter(|it| !matches!(it, Value::Token)).cloned().collect();
        let mut rest = &operands[..];
        let shape = machine.sizes(&sizes, &mut rest)?;
        let symbols = machine.ints(rest)?;
        let mut res = vec![Value::View(Rc::new(machine.allocate(&ty, shape, &symbols)?))];
        res.resize(n, Value::Token);
        Ok(res)
    }))
}

/// Decodes an operation that only accesses memory; tokens pass through.
fn memory(
    view: &OpView<'_>,
    n_views: usize,
    run: fn(&mut Machine<'_>, &[Rc<super::value::View>]) -> Run<()>,
) -> Decoded<Code> {
    let n = view.body.ops[view.op].results.len();
    Ok(many(move |machine, operands| {
        let views: Vec<_> = operands
            .iter()
            .filter_map(|it| if let Value::View(view) = it { Some(view.clone()) } else { None })
            .collect();
        if views.len() != n_views {
            return machine.unsupported("its operands");
        }
        run(machine, &views)?;
        Ok(vec![Value::Token; n])
    }))
}

fn fill(view: &OpView<'_>) -> Decoded<Code> {
    view.need(2)?;
    let n = view.body.ops[view.op].results.len();
    Ok(many(move |machine, operands| {
        let [memory, value] = &operands[operands.len() - 2..] else { return Ok(Vec::new()) };
        let (memory, _) = access(machine, std::slice::from_ref(memory))?;
        for index in indices(&memory.shape) {
            machine.step(1)?;
            machine.store(&memory, &index, value)?;
        }
        Ok(vec![Value::Token; n])
    }))
}

// ---- launches ----

fn launch_func(view: &OpView<'_>) -> Decoded<Code> {
    let segments = view.segments().ok_or("its segments")?;
    let before = segments.first().copied().unwrap_or(0);
    // Behind the sizes: three of a cluster, the dynamic memory, then the arguments.
    let behind: usize = segments.iter().take(11).sum();
    view.need(behind.max(before + 6))?;
    let kernel = view.attr("kernel").unwrap_or_default();
    let path: Vec<&str> =
        kernel.split("::").map(|it| it.trim_start_matches('@').trim_matches('"')).collect();
    Ok(Code::Launch(Shape::Kernel(path.join("::"), before, behind)))
}

/// Operations of a thread of a launch.
const OF_THREADS: [&str; 10] = [
    "gpu.thread_id",
    "gpu.block_id",
    "gpu.global_id",
    "gpu.block_dim",
    "gpu.grid_dim",
    "gpu.lane_id",
    "gpu.subgroup_id",
    "gpu.all_reduce",
    "gpu.shuffle",
    "gpu.return",
];

/// Returns true if a function asks for its place in a launch that it does not make itself.
fn is_kernel(body: &Body) -> bool {
    let is = |op: OpId, names: &[&str]| match body.ops[op].kind {
        OpKind::Named(name) => names.contains(&body.name(name)),
        _ => false,
    };
    let in_launch = |op: OpId| {
        let mut around = std::iter::successors(body.parent_op(op), |&it| body.parent_op(it));
        around.any(|it| is(it, &["gpu.launch"]))
    };
    n_attributions(body) > 0 || body.ops.ids().any(|it| is(it, &OF_THREADS) && !in_launch(it))
}

/// Runs a function by itself: as a kernel if it asks for its place.
pub(super) fn run_kernel(
    machine: &mut Machine<'_>,
    function: usize,
    values: Vec<Value>,
    launch: Launch,
) -> Run<Vec<Value>> {
    if is_kernel(machine.program.bodies[function]) {
        machine.grid(launch, &mut |machine| machine.enter_kernel(function, &values))?;
        return Ok(Vec::new());
    }
    let mut thread = machine.enter_function(function, values);
    match machine.resume(&mut thread)? {
        Stop::Done(values) => Ok(values),
        _ => machine.unsupported("threads that meet outside of a launch"),
    }
}

/// How the threads of a block begin: called once a block, gives the thread to copy.
type Begin<'b> = &'b mut dyn FnMut(&mut Machine<'_>) -> Run<BlockStart>;

/// The start of the threads of a block.
pub(super) struct BlockStart {
    thread: Thread,
    /// Memory of each thread: the argument, and its type.
    private: Vec<(ValueId, Ty)>,
    /// Arguments of a region that say where the thread is.
    ids: Vec<ValueId>,
}

impl Machine<'_> {
    /// Executes a launch in the thread that comes to it.
    pub(super) fn launch(
        &mut self,
        thread: &mut Thread,
        op: OpId,
        shape: &Shape,
        operands: &[Value],
    ) -> Run<()> {
        if self.place.is_some() {
            return self.unsupported("a launch in a launch");
        }
        let before = match shape {
            Shape::Region(before) | Shape::Kernel(_, before, _) => *before,
        };
        let sizes = self.ints(&operands[before..before + 6])?;
        let launch =
            Launch { grid: [sizes[0], sizes[1], sizes[2]], block: [sizes[3], sizes[4], sizes[5]] };
        match shape {
            Shape::Kernel(name, _, behind) => {
                let Some(kernel) = self.program.function(name) else {
                    return self.unsupported(format!(
                        "gpu.launch_func of @{name}, which has no body here"
                    ));
                };
                let args: Vec<Value> = operands[*behind..]
                    .iter()
                    .filter(|it| !matches!(it, Value::Token))
                    .cloned()
                    .collect();
                self.grid(launch, &mut |machine| machine.enter_kernel(kernel, &args))?;
            }
            Shape::Region(_) => {
                let Some(activation) = thread.activations.last().cloned() else { return Ok(()) };
                self.grid(launch, &mut |machine| machine.enter_region(&activation, op))?;
            }
        }
        let Some(activation) = thread.activations.last_mut() else { return Ok(()) };
        for &result in &self.program.bodies[activation.body].ops[op].results {
            activation.set(result, Value::Token);
        }
        Ok(())
    }

    fn enter_kernel(&mut self, kernel: usize, args: &[Value]) -> Run<BlockStart> {
        let body = self.program.bodies[kernel];
        let params = body.blocks[body.entry(body.root)].args.to_vec();
        let n = params.len() - n_attributions(body);
        let shared = match body.func_attr("workgroup_attributions") {
            Some(ir::Attr::Text(text)) => super::attrs::integers(text),
            _ => None,
        };
        let shared = shared.and_then(|it| usize::try_from(*it.first()?).ok()).unwrap_or(0);
        if args.len() != n {
            return self.unsupported(format!("{} arguments for {n} parameters", args.len()));
        }
        let thread = self.enter_function(kernel, args.to_vec());
        self.attributions(thread, &params[n..], shared, Vec::new())
    }

    fn enter_region(
        &mut self,
        activation: &super::frames::Activation,
        op: OpId,
    ) -> Run<BlockStart> {
        let body = self.program.bodies[activation.body];
        let region = body.ops[op].regions.first();
        let Some(&block) = region.and_then(|&it| body.regions[it].blocks.first()) else {
            return self.unsupported("a launch without a block");
        };
        let params = body.blocks[block].args.to_vec();
        let (ids, rest) = params.split_at(params.len().min(12));
        let view = OpView { body, op, name: "launch" };
        let shared = view.int("workgroup_attributions").map_or(0, |it| it.max(0) as usize);
        let mut activation = activation.clone();
        activation.call = None;
        let thread = Thread {
            activations: vec![activation],
            frames: vec![Frame { block, next: 0, owner: None }],
            waiting: None,
        };
        self.attributions(thread, rest, shared, ids.to_vec())
    }

    /// Memory of the block; that of each thread is made with the thread.
    fn attributions(
        &mut self,
        mut thread: Thread,
        params: &[ValueId],
        shared: usize,
        ids: Vec<ValueId>,
    ) -> Run<BlockStart> {
        let mut private = Vec::new();
        for (at, &param) in params.iter().enumerate() {
            let Some(activation) = thread.activations.last_mut() else { break };
            let body = self.program.bodies[activation.body];
            let ty = Ty::of(body, body.values[param].ty);
            if at >= shared {
                private.push((param, ty));
                continue;
            }
            let view = self.attribution(&ty)?;
            if let Some(activation) = thread.activations.last_mut() {
                activation.set(param, view);
            }
        }
        Ok(BlockStart { thread, private, ids })
    }

    fn attribution(&mut self, ty: &Ty) -> Run<Value> {
        let Ty::Memref(ty) = ty else { return self.unsupported("memory of this type") };
        match ty.shape.iter().copied().collect::<Option<Vec<i64>>>() {
            Some(shape) => Ok(Value::View(Rc::new(self.allocate(ty, shape, &[])?))),
            None => self.unsupported("memory of a size that is not known"),
        }
    }

    /// Runs all blocks.
    fn grid(&mut self, launch: Launch, begin: Begin<'_>) -> Run<()> {
        let n = launch.block.iter().try_fold(1i64, |n, &it| n.checked_mul(it.max(0)));
        if n.is_none_or(|it| it > MAX_THREADS) || count(&launch.grid).is_none() {
            return self.unsupported(format!(
                "a launch of {:?} blocks of {:?}",
                launch.grid, launch.block
            ));
        }
        let at = self.at;
        let [gx, gy, gz] = launch.grid;
        let [sx, sy, sz] = launch.block;
        for block in indices(&[gz, gy, gx]) {
            self.step(1)?;
            let start = begin(self)?;
            let mut threads = Vec::new();
            for thread in indices(&[sz, sy, sx]) {
                let place = Place {
                    block: [block[2], block[1], block[0]],
                    thread: [thread[2], thread[1], thread[0]],
                    launch,
                };
                threads.push((self.copy_thread(&start, &place)?, place, false));
            }
            let res = self.run_block(&mut threads);
            self.place = None;
            res?;
        }
        self.at = at;
        Ok(())
    }

    fn copy_thread(&mut self, start: &BlockStart, place: &Place) -> Run<Thread> {
        let frame = start.thread.frames.first().map(|it| it.block);
        let mut activations = start.thread.activations.clone();
        if let Some(activation) = activations.last_mut() {
            for (param, ty) in &start.private {
                let view = self.attribution(ty)?;
                activation.set(*param, view);
            }
            let launch = place.launch;
            let all = [place.block, place.thread, launch.grid, launch.block].concat();
            for (&param, value) in start.ids.iter().zip(all) {
                activation.set(param, int(value));
            }
        }
        let frames = frame.map(|block| Frame { block, next: 0, owner: None }).into_iter().collect();
        Ok(Thread { activations, frames, waiting: None })
    }

    /// Runs the threads of a block, each up to the next barrier, until all have ended.
    fn run_block(&mut self, threads: &mut [(Thread, Place, bool)]) -> Run<()> {
        loop {
            let mut n_barriers = 0;
            let mut waiting: Vec<(usize, OpId, Vec<Value>)> = Vec::new();
            for (number, (thread, place, ended)) in threads.iter_mut().enumerate() {
                if *ended {
                    continue;
                }
                self.place = Some(*place);
                match self.resume(thread)? {
                    Stop::Done(_) => *ended = true,
                    Stop::Barrier => n_barriers += 1,
                    Stop::Collective(op, operands) => waiting.push((number, op, operands)),
                }
            }
            if n_barriers == 0 && waiting.is_empty() {
                return Ok(());
            }
            if n_barriers > 0 && n_barriers < threads.len() {
                let kind = EventKind::DivergentBarrier;
                self.event(kind, || kind.message().to_owned());
            }
            if !waiting.is_empty() {
                self.meet(threads, &waiting)?;
            }
        }
    }

    /// Gives each thread at an operation that combines threads its results.
    fn meet(
        &mut self,
        threads: &mut [(Thread, Place, bool)],
        waiting: &[(usize, OpId, Vec<Value>)],
    ) -> Run<()> {
        let Some(&(first, op, _)) = waiting.first() else { return Ok(()) };
        if waiting.iter().any(|it| it.1 != op) {
            return self.unsupported("threads that combine values at different places");
        }
        let Some(body) = threads[first].0.activations.last().map(|it| it.body) else {
            return Ok(());
        };
        let body = self.program.bodies[body];
        let full = match body.ops[op].kind {
            OpKind::Named(name) => body.name(name),
            _ => "",
        };
        let view = OpView { body, op, name: full.strip_prefix("gpu.").unwrap_or(full) };
        let scalar = |it: &(usize, OpId, Vec<Value>)| match it.2.first() {
            Some(Value::Scalar(value)) => value.clone(),
            _ => Val::Unit,
        };
        let lanes: Vec<Val> = waiting.iter().map(scalar).collect();
        for (at, (number, _, operands)) in waiting.iter().enumerate() {
            let results = if view.name == "shuffle" {
                let place = threads[*number].1;
                let numbers: Vec<i64> = waiting.iter().map(|it| threads[it.0].1.linear()).collect();
                self.shuffle(&view, &place, operands, &numbers, &lanes)?
            } else {
                let part: Vec<Val> = if view.name == "all_reduce" {
                    lanes.clone()
                } else {
                    let warp = |it: usize| threads[waiting[it].0].1.linear() / WARP;
                    (0..lanes.len())
                        .filter(|&it| warp(it) == warp(at))
                        .map(|it| lanes[it].clone())
                        .collect()
                };
                vec![Value::Scalar(self.reduce(&view, &part)?)]
            };
            self.deliver(&mut threads[*number].0, results)?;
        }
        Ok(())
    }

    fn reduce(&mut self, view: &OpView<'_>, lanes: &[Val]) -> Run<Val> {
        let word = view.words("op");
        let (Some(word), Ok(dtype)) = (word.first(), view.operand_dtype(0)) else {
            return self.unsupported(format!("gpu.{} by a region", view.name));
        };
        match reduction_name(word, dtype) {
            Some(name) => sum(self, name, dtype, None, lanes),
            None => self.unsupported(format!("gpu.{} by {word}", view.name)),
        }
    }

    /// The value of another thread of the warp, and whether there is one.
    fn shuffle(
        &mut self,
        view: &OpView<'_>,
        place: &Place,
        operands: &[Value],
        numbers: &[i64],
        lanes: &[Val],
    ) -> Run<Vec<Value>> {
        let [value, offset, width] = operands else { return self.unsupported("its operands") };
        let (offset, width) = (self.int(offset)?, self.int(width)?);
        if width <= 0 || width > WARP {
            return self.unsupported("a shuffle of this width");
        }
        let lane = place.linear() % WARP;
        let first = lane - lane % width;
        let from = match view.words("mode").first() {
            Some(&"xor") => lane ^ offset,
            Some(&"up") => lane - offset,
            Some(&"down") => lane + offset,
            Some(&"idx") => first + offset,
            _ => return self.unsupported("a shuffle of this mode"),
        };
        let inside = from >= first && from < first + width;
        let number = place.linear() - lane + from;
        let found = numbers.iter().position(|it| *it == number).filter(|_| inside);
        Ok(match found.and_then(|at| lanes.get(at)) {
            Some(other) => vec![Value::Scalar(other.clone()), Value::Scalar(bit(true))],
            None => vec![value.clone(), Value::Scalar(bit(false))],
        })
    }
}
