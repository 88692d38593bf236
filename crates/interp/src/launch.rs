//! Kernels: blocks one after the other, the threads of a block in lockstep; reductions over threads.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{
    RunError, RunErrorKind,
    exec::{LaneState, Machine, Slot},
    ops::Val,
    races::Agent,
};
use ir::{
    Dim, ExprId, ExprKind, ExprListId, OpId, OpKind, ThreadTag, ValueId, arena::Id, walk::WalkEvent,
};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The launch configuration of a kernel, and the block that runs.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    /// Threads of a block.
    pub(super) threads: usize,
    /// Extents of `threadIdx.x`, `.y`, `.z`.
    pub(super) thread_dims: [i64; 3],
    /// Coordinates of the block.
    pub(super) block: [i64; 3],
}

impl Machine<'_> {
    pub(super) fn launch_thread(&mut self, op: OpId, active: &[u32]) -> Result<()> {
        if self.is_virtual(op) {
            return self.virtual_threads(op, active);
        }
        if self.kernel.is_some() {
            self.bind_index(op)?;
            let region = self.body.ops[op].regions[0];
            return self.block(self.body.entry(region), active);
        }
        let (block_dims, thread_dims) = self.launch_dims(op, active[0] as usize)?;
        self.run_blocks(block_dims, thread_dims, &mut |machine, lanes| {
            machine.bind_index(op)?;
            let region = machine.body.ops[op].regions[0];
            machine.block(machine.body.entry(region), lanes)
        })
    }

    /// Runs a kernel: each block of the grid after the other.
    pub(super) fn run_blocks(
        &mut self,
        block_dims: [i64; 3],
        thread_dims: [i64; 3],
        run: &mut dyn FnMut(&mut Self, &[u32]) -> Result<()>,
    ) -> Result<()> {
        let threads = thread_dims.iter().product::<i64>();
        if threads > 4096 {
            return self.fail(RunErrorKind::Program, format!("a block of {threads} threads"));
        }
        if threads <= 0 || block_dims.iter().any(|it| *it <= 0) {
            return Ok(());
        }
        let outer = self.frame.clone();
        let n_storages = self.storages.len();
        let lanes: Vec<u32> = (0..threads as u32).collect();
        let outer_agent = self.agent;
        self.new_launch();
        for (number, block) in self.blocks(block_dims)?.into_iter().enumerate() {
            self.frame.threads = Rc::from(&lanes[..]);
            self.frame.states = vec![LaneState::Running; lanes.len()];
            self.frame.has_jumped = false;
            self.kernel = Some(Kernel { threads: threads as usize, thread_dims, block });
            self.be_agent(number);
            run(self, &lanes)?;
            self.drop_flights();
            self.storages.truncate(n_storages);
            self.frame = outer.clone();
        }
        self.kernel = None;
        self.agent = outer_agent;
        self.participants.clear();
        Ok(())
    }

    /// The blocks that run, in the order of the schedule.
    fn blocks(&mut self, dims: [i64; 3]) -> Result<Vec<[i64; 3]>> {
        let [xs, ys, zs] = dims.map(|it| self.trips(it));
        let mut blocks = Vec::new();
        for z in zs {
            for y in ys.clone() {
                for x in xs.clone() {
                    self.step()?;
                    blocks.push([x, y, z]);
                }
            }
        }
        self.arrange(&mut blocks);
        Ok(blocks)
    }

    /// A kernel or a parallel loop begins.
    pub(super) fn new_launch(&mut self) {
        self.n_launches += 1;
    }

    /// Starts the work of another block, or of another parallel iteration.
    pub(super) fn be_agent(&mut self, agent: usize) {
        if self.options.find_races {
            let (launch, agent) = (self.n_launches, agent as u32);
            self.agent = Some(Agent { launch, agent, epoch: 0, thread: 0 });
        }
    }

    fn is_virtual(&self, op: OpId) -> bool {
        match self.body.ops[op].kind {
            OpKind::LaunchThread { tag, .. } => tag.is_virtual(),
            _ => false,
        }
    }

    /// Virtual threads share a thread: lowering interleaves them, which for race-free programs is any order.
    fn virtual_threads(&mut self, op: OpId, active: &[u32]) -> Result<()> {
        let data = &self.body.ops[op];
        let OpKind::LaunchThread { var, .. } = data.kind else { return Ok(()) };
        let extent = self.int(data.operands[0], active[0] as usize)?;
        for index in 0..extent {
            self.set(var, Val::Int(index, false));
            self.block(self.body.entry(data.regions[0]), active)?;
        }
        Ok(())
    }

    /// The extents of all launches in a kernel, evaluated on the host.
    fn launch_dims(&mut self, op: OpId, lane: usize) -> Result<([i64; 3], [i64; 3])> {
        let body = self.body;
        let mut launches = vec![op];
        launches.extend(body.walk(body.ops[op].regions[0]).filter_map(|event| match event {
            WalkEvent::Enter(op) if matches!(body.ops[op].kind, OpKind::LaunchThread { .. }) => {
                Some(op)
            }
            _ => None,
        }));
        let mut dims: [[Option<i64>; 3]; 2] = Default::default();
        for launch in launches {
            let OpKind::LaunchThread { tag, .. } = body.ops[launch].kind else { continue };
            if self.is_virtual(launch) {
                continue;
            }
            let (ThreadTag::BlockIdx(dim) | ThreadTag::ThreadIdx(dim)) = tag else {
                return self.fail(
                    RunErrorKind::Unsupported,
                    format!("the thread axis {}", body.tag_name(tag)),
                );
            };
            let extent = self.int(body.ops[launch].operands[0], lane)?;
            let known = &mut dims[usize::from(tag.is_thread())][dim as usize];
            if known.is_some_and(|it| it != extent) {
                let tag = body.tag_name(tag);
                return self.fail(
                    RunErrorKind::Unsupported,
                    format!("two extents of {tag} in one kernel"),
                );
            }
            *known = Some(extent);
        }
        Ok((dims[0].map(|it| it.unwrap_or(1)), dims[1].map(|it| it.unwrap_or(1))))
    }

    /// Gives the index variable of a launch its value in each lane.
    fn bind_index(&mut self, op: OpId) -> Result<()> {
        let OpKind::LaunchThread { tag, var } = self.body.ops[op].kind else { return Ok(()) };
        let Some(kernel) = &self.kernel else { return Ok(()) };
        let slot = match tag {
            ThreadTag::BlockIdx(dim) => Slot::Uniform(Val::Int(kernel.block[dim as usize], false)),
            ThreadTag::ThreadIdx(dim) => {
                let [x, y, _] = kernel.thread_dims;
                let coordinate = |thread: i64| match dim {
                    Dim::X => thread % x,
                    Dim::Y => thread / x % y,
                    Dim::Z => thread / (x * y),
                };
                let values =
                    self.frame.threads.iter().map(|&it| Val::Int(coordinate(i64::from(it)), false));
                Slot::Lanes(values.collect())
            }
            ThreadTag::ClusterCtaIdx(_) | ThreadTag::VThread(_) | ThreadTag::Other(_) => {
                return Ok(());
            }
        };
        self.frame.slots[var.index()] = slot;
        self.uniformity.forget();
        Ok(())
    }

    /// `tvm_thread_allreduce(n, values…, predicate, targets…, thread indices…)`: the values of the lanes that differ
    /// only in the given thread indices are combined in order of the threads; all of them get the result.
    pub(super) fn allreduce(&mut self, args: ExprListId, active: &[u32]) -> Result<()> {
        let body = self.body;
        let args = body.items(args);
        let n = match args.first().map(|&it| body.expr(it).kind) {
            Some(ExprKind::Int(n)) if n > 0 && args.len() >= 2 + 2 * n as usize => n as usize,
            _ => {
                return self
                    .fail(RunErrorKind::Unsupported, "a malformed thread reduction".to_owned());
            }
        };
        let (values, predicate) = (&args[1..=n], args[n + 1]);
        let (targets, axes) = (&args[n + 2..2 * n + 2], &args[2 * n + 2..]);
        let Some((lambda, identities)) = self.reducer(n) else {
            return self.fail(
                RunErrorKind::Unsupported,
                "a thread reduction without its reducer".to_owned(),
            );
        };
        let reduced: Vec<ValueId> =
            axes.iter().filter_map(|&it| variable(body.expr(it).kind)).collect();
        let mut groups: FxHashMap<i64, Vec<Val>> = FxHashMap::default();
        let mut keys = Vec::with_capacity(active.len());
        for &lane in active {
            let key = self.group_key(lane, &reduced)?;
            keys.push(key);
            let mut step = match groups.remove(&key) {
                Some(so_far) => so_far,
                None => self.eval_all(&identities, lane)?,
            };
            if self.int(predicate, lane as usize)? != 0 {
                step.extend(self.eval_all(values, lane)?);
                step = self.combine(lambda, step, n, lane as usize)?;
            }
            groups.insert(key, step);
        }
        for (&lane, key) in active.iter().zip(keys) {
            for (index, &target) in targets.iter().enumerate() {
                let value =
                    groups.get(&key).and_then(|it| it.get(index)).cloned().unwrap_or(Val::Unit);
                self.write_back(target, lane, &value)?;
            }
        }
        Ok(())
    }

    fn eval_all(&mut self, exprs: &[ExprId], lane: u32) -> Result<Vec<Val>> {
        exprs.iter().map(|&it| self.eval(it, lane as usize)).collect()
    }

    /// The lambda and identity elements of the innermost enclosing reducer.
    fn reducer(&self, n: usize) -> Option<(ExprId, Vec<ExprId>)> {
        let body = self.body;
        let ExprKind::Call { args, .. } = body.expr(*self.reducers.last()?).kind else {
            return None;
        };
        let [lambda, identities] = *body.items(args) else { return None };
        let ExprKind::Tuple(identities) = body.expr(identities).kind else { return None };
        let identities = body.items(identities).to_vec();
        (identities.len() == n).then_some((lambda, identities))
    }

    /// Applies `lambda x0.., y0..: result` to the accumulated and new values.
    fn combine(
        &mut self,
        lambda: ExprId,
        operands: Vec<Val>,
        n: usize,
        lane: usize,
    ) -> Result<Vec<Val>> {
        let ExprKind::Lambda { params, body } = self.body.expr(lambda).kind else {
            return self.fail(RunErrorKind::Unsupported, "a reducer that is no lambda".to_owned());
        };
        if params as usize != operands.len() {
            return self.fail(RunErrorKind::Unsupported, "a reducer of other arity".to_owned());
        }
        let depth = self.binders.len();
        self.binders.extend(operands);
        let result = self.eval(body, lane);
        self.binders.truncate(depth);
        match result? {
            Val::Tuple(parts) if parts.len() == n => Ok(parts.to_vec()),
            one if n == 1 => Ok(vec![one]),
            _ => self.fail(RunErrorKind::Unsupported, "a reducer of other arity".to_owned()),
        }
    }

    /// A number that is equal for the threads that are reduced together: the thread's coordinates without those.
    fn group_key(&mut self, lane: u32, reduced: &[ValueId]) -> Result<i64> {
        let thread = i64::from(self.frame.threads[lane as usize]);
        let Some(kernel) = self.kernel.clone() else { return Ok(0) };
        let [x, y, _] = kernel.thread_dims;
        let mut coordinates = [thread % x, thread / x % y, thread / (x * y)];
        for &value in reduced {
            let dim = self.thread_dim(value);
            match dim {
                Some(dim) => coordinates[dim] = 0,
                None => {
                    return self.fail(
                        RunErrorKind::Unsupported,
                        "a reduction over no thread axis".to_owned(),
                    );
                }
            }
        }
        Ok(coordinates[0] + x * (coordinates[1] + y * coordinates[2]))
    }

    /// Returns the `threadIdx` dimension of a variable.
    fn thread_dim(&self, value: ValueId) -> Option<usize> {
        self.body.ops.iter().find_map(|(_, op)| match op.kind {
            OpKind::LaunchThread { tag: ThreadTag::ThreadIdx(dim), var } if var == value => {
                Some(dim as usize)
            }
            _ => None,
        })
    }
}

/// The variable that an expression is, conversions and hints aside.
fn variable(kind: ExprKind) -> Option<ValueId> {
    match kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}
