//! Loops and schedulable blocks over the active lanes (SEMANTICS: L1–L5, L9, P3).

use super::{
    RunError, RunErrorKind,
    exec::{Binding, LaneState, Machine, Slot},
    ops::Val,
};
use ir::{
    BlockId, Body, BufferOrigin, ForKind, IterKind, OpId, OpKind, RegionId, SBlockId, ValueId,
    arena::Id,
};

type Result<T> = std::result::Result<T, Box<RunError>>;

impl Machine<'_> {
    pub(super) fn for_loop(&mut self, op: OpId, kind: ForKind, active: &[u32]) -> Result<()> {
        let data = &self.body.ops[op];
        let (min, extent, step) =
            (data.operands[0], data.operands[1], data.operands.get(2).copied());
        let region = data.regions[0];
        let var = self.body.blocks[self.body.entry(region)].args[0];
        let mut ranges = Vec::with_capacity(active.len());
        // What is the same in all lanes is evaluated once.
        let bounds = [Some(min), Some(extent), step];
        let is_uniform = bounds.iter().flatten().all(|&it| self.uniformity.is_uniform(it));
        let before = self.counts;
        for &lane in if is_uniform { &active[..1] } else { active } {
            let min = self.int(min, lane as usize)?;
            let extent = self.int(extent, lane as usize)?;
            let step = step.map_or(Ok(1), |it| self.int(it, lane as usize))?;
            if step <= 0 {
                return self.fail(RunErrorKind::Program, format!("loop step {step}"));
            }
            ranges.push((min, extent, step));
        }
        if is_uniform {
            let once = self.counts.since(before);
            self.counts.add(once, active.len() as u64 - 1);
        }
        if kind == ForKind::Vectorized {
            if is_uniform {
                ranges = vec![ranges[0]; active.len()];
            }
            return self.vector_loop(region, var, &ranges, active);
        }
        let is_uniform = ranges.windows(2).all(|pair| pair[0] == pair[1]);
        let n_trips = |&(_, extent, step): &(i64, i64, i64)| {
            if extent <= 0 { 0 } else { (extent - 1) / step + 1 }
        };
        let most = ranges.iter().map(n_trips).max().unwrap_or(0);
        if kind == ForKind::Parallel {
            let lanes = self.parallel_lanes(region, active);
            return self.parallel_loop(op, var, &ranges, most, lanes);
        }
        let mut lanes: Vec<u32> = active.to_vec();
        for trip in self.trips(most) {
            self.step()?;
            self.set_loop_variable(var, &ranges, trip, active);
            let states = &self.frame.states;
            let running: Vec<u32> = if is_uniform {
                if self.frame.has_jumped {
                    lanes.retain(|&lane| states[lane as usize] == LaneState::Running);
                }
                std::mem::take(&mut lanes)
            } else {
                let with_trips =
                    active.iter().zip(&ranges).filter(|(_, range)| trip < n_trips(range));
                with_trips
                    .map(|(&lane, _)| lane)
                    .filter(|&it| states[it as usize] == LaneState::Running)
                    .collect()
            };
            if running.is_empty() {
                break;
            }
            self.region(region, &running)?;
            self.land(LaneState::Continued, active);
            self.at = Some(op);
            if is_uniform {
                lanes = running;
            }
        }
        self.land(LaneState::Broke, active);
        Ok(())
    }

    /// The value of a loop variable in an iteration; one range for all lanes, or one a lane.
    fn set_loop_variable(
        &mut self,
        var: ValueId,
        ranges: &[(i64, i64, i64)],
        trip: i64,
        active: &[u32],
    ) {
        let at = |&(min, _, step): &(i64, i64, i64)| Val::Int(min + trip * step, false);
        if ranges.windows(2).all(|pair| pair[0] == pair[1]) {
            return self.set(var, at(&ranges[0]));
        }
        let mut values = vec![Val::Unit; self.frame.threads.len()];
        for (&lane, range) in active.iter().zip(ranges) {
            values[lane as usize] = at(range);
        }
        self.frame.slots[var.index()] = Slot::Lanes(values.into());
        self.uniformity.forget();
    }

    /// Iterations in the order of the schedule, each an agent of its own that may race with the others (SEMANTICS: P1,
    /// P2).
    fn parallel_loop(
        &mut self,
        op: OpId,
        var: ValueId,
        ranges: &[(i64, i64, i64)],
        most: i64,
        active: &[u32],
    ) -> Result<()> {
        let region = self.body.ops[op].regions[0];
        let mut order = Vec::new();
        for trip in self.trips(most) {
            self.step()?;
            order.push(trip);
        }
        self.arrange(&mut order);
        let outer = self.agent;
        if outer.is_none() {
            self.new_launch();
        }
        for trip in order {
            self.set_loop_variable(var, ranges, trip, active);
            let mut running = Vec::with_capacity(active.len());
            for (position, &lane) in active.iter().enumerate() {
                let (_, extent, step) = *ranges.get(position).unwrap_or(&ranges[0]);
                if trip * step < extent {
                    running.push(lane);
                }
            }
            self.retain_running(&mut running);
            if running.is_empty() {
                continue;
            }
            if outer.is_none() {
                self.be_agent(trip as usize);
            }
            self.region(region, &running)?;
            self.land(LaneState::Continued, active);
            self.at = Some(op);
        }
        self.agent = outer;
        self.land(LaneState::Broke, active);
        Ok(())
    }

    /// The iterations `0..most` that run: all, or a sample with the last one.
    pub(super) fn trips(&self, most: i64) -> impl Iterator<Item = i64> + Clone + use<> {
        let first = match self.options.max_trips {
            Some(limit) if most > i64::from(limit) => i64::from(limit).max(1) - 1,
            _ => most,
        };
        (0..first).chain((first < most).then_some(most - 1))
    }

    /// Lanes in `state` go on running.
    fn land(&mut self, state: LaneState, active: &[u32]) {
        if !self.frame.has_jumped {
            return;
        }
        for &lane in active {
            if self.frame.states[lane as usize] == state {
                self.frame.states[lane as usize] = LaneState::Running;
            }
        }
        self.frame.has_jumped = self.frame.states.iter().any(|it| *it != LaneState::Running);
    }

    /// All iterations at once: each active lane becomes as many lanes as it has iterations (SEMANTICS: P3).
    fn vector_loop(
        &mut self,
        region: RegionId,
        var: ValueId,
        ranges: &[(i64, i64, i64)],
        active: &[u32],
    ) -> Result<()> {
        let mut origin = Vec::new();
        let mut values = Vec::new();
        for (&lane, &(min, extent, step)) in active.iter().zip(ranges) {
            for trip in 0..extent.max(0) {
                if trip * step >= extent {
                    break;
                }
                self.step()?;
                origin.push(lane as usize);
                values.push(Val::Int(min + trip * step, false));
            }
        }
        if origin.is_empty() {
            return Ok(());
        }
        let outer = self.frame.clone();
        for slot in &mut self.frame.slots {
            if let Slot::Lanes(old) = slot {
                *slot = Slot::Lanes(origin.iter().map(|&lane| old[lane].clone()).collect());
            }
        }
        for binding in &mut self.frame.buffers {
            if let Binding::Lanes(old) = binding {
                *binding = Binding::Lanes(origin.iter().map(|&lane| old[lane].clone()).collect());
            }
        }
        self.vector_depth += 1;
        self.frame.slots[var.index()] = Slot::Lanes(values.into());
        self.uniformity.forget();
        self.frame.threads = origin.iter().map(|&lane| outer.threads[lane]).collect();
        self.frame.states = vec![LaneState::Running; origin.len()];
        self.frame.has_jumped = false;
        let lanes: Vec<u32> = (0..origin.len() as u32).collect();
        let result = self.region(region, &lanes);
        self.vector_depth -= 1;
        self.frame = outer;
        self.uniformity.forget();
        result
    }

    pub(super) fn while_loop(&mut self, op: OpId, active: &[u32]) -> Result<()> {
        let data = &self.body.ops[op];
        let (condition, region) = (data.operands[0], data.regions[0]);
        let mut lanes = active.to_vec();
        loop {
            self.at = Some(op);
            self.uniformity.forget();
            let states = &self.frame.states;
            lanes.retain(|&lane| states[lane as usize] == LaneState::Running);
            if lanes.is_empty() {
                break;
            }
            lanes = match self.fast_partition(op, condition, &lanes)? {
                Some((holds, _)) => holds,
                None => self.partition(condition, &lanes)?.0,
            };
            if lanes.is_empty() {
                break;
            }
            self.region(region, &lanes)?;
            self.land(LaneState::Continued, active);
        }
        self.land(LaneState::Broke, active);
        Ok(())
    }

    pub(super) fn sblock(&mut self, op: OpId, id: SBlockId, active: &[u32]) -> Result<()> {
        if let Some(threads) = self.tile_kernel(op) {
            return self.run_tile_kernel(threads, &mut |it, lanes| it.sblock(op, id, lanes));
        }
        let body = self.body;
        let block = &body.sblocks[id];
        let data = &body.ops[op];
        for (iter, &binding) in block.iter_vars.iter().zip(&data.operands) {
            self.define(iter.value, binding, active)?;
        }
        let mut lanes = active.to_vec();
        if block.has_predicate
            && let Some(&predicate) = data.operands.last()
        {
            lanes = self.partition(predicate, &lanes)?.0;
        }
        if lanes.is_empty() {
            return Ok(());
        }
        if let Some(&init) = data.regions.get(1) {
            let first = self.at_reduction_start(id, &lanes)?;
            // What the body allocates is visible in the initialisation.
            let declarations = body.blocks[body.entry(data.regions[0])].ops.clone();
            for &declaration in declarations.iter().take_while(|it| is_declaration(body, **it)) {
                self.statement(declaration, &lanes)?;
            }
            if !first.is_empty() {
                self.region(init, &first)?;
            }
            return self.after_declarations(body.entry(data.regions[0]), &lanes);
        }
        self.region(data.regions[0], &lanes)
    }

    /// Runs a block without its leading declarations, which have been executed.
    fn after_declarations(&mut self, block: BlockId, lanes: &[u32]) -> Result<()> {
        let ops = self.body.blocks[block].ops.clone();
        let body = self.body;
        let mut lanes = lanes.to_vec();
        for op in ops.into_iter().skip_while(|it| is_declaration(body, *it)) {
            self.at = Some(op);
            self.statement(op, &lanes)?;
            let states = &self.frame.states;
            lanes.retain(|&lane| states[lane as usize] == LaneState::Running);
            if lanes.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The lanes in which every reduction variable has the first value of its domain (SEMANTICS: L9).
    fn at_reduction_start(&mut self, id: SBlockId, lanes: &[u32]) -> Result<Vec<u32>> {
        let body = self.body;
        let mut first = Vec::new();
        for &lane in lanes {
            let mut is_first = true;
            for iter in body.sblocks[id].iter_vars.iter().filter(|it| it.kind == IterKind::Reduce) {
                let start = self.int(iter.dom_min, lane as usize)?;
                let value = match &self.frame.slots[iter.value.index()] {
                    Slot::Uniform(value) => value.clone(),
                    Slot::Lanes(values) => values[lane as usize].clone(),
                    Slot::Empty => Val::Unit,
                };
                is_first &= self.used(&value)? == start;
            }
            if is_first {
                first.push(lane);
            }
        }
        Ok(first)
    }
}

fn is_declaration(body: &Body, op: OpId) -> bool {
    match body.ops[op].kind {
        OpKind::Alloc { kind, .. } => kind == ir::AllocKind::SBlock,
        OpKind::DeclBuffer { buffer } => {
            matches!(body.buffers[buffer].origin, BufferOrigin::MatchRegion(_))
        }
        _ => false,
    }
}
