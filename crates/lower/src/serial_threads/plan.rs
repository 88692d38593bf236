//! The plan for a kernel: its parts, and the values that outlive a part.
//!
//! In: a body and a launch. Out: a [`Plan`] that names operations and buffers of the body, which stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    Body, BufferId, BufferOrigin, Callee, DataType, ExprId, ExprKind, Intrinsic, OpId, OpKind,
    ThreadTag, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    LowerRefusal,
    edit::{each_node, mentions},
    lists::{constant, ops_in},
    named_memory::root,
    reasons,
    storage_reuse::{elements, kept as kept_pointers},
};

use super::{
    parts::{Part, Parts, Place, hoist},
    uses::{Definition, Uses},
};

/// An axis of the launch.
pub(super) struct Axis {
    tag: ThreadTag,
    pub(super) extent: ExprId,
    pub(super) dtype: DataType,
    /// Its indices, one for each of its launches.
    pub(super) vars: Vec<ValueId>,
}

impl Axis {
    pub(super) fn is_thread(&self) -> bool {
        self.tag.is_thread()
    }
}

#[derive(Default)]
pub(super) struct Plan {
    pub(super) axes: Vec<Axis>,
    /// Indices of launches of one thread that are no axis.
    pub(super) alone: Vec<ValueId>,
    pub(super) parts: Vec<Part>,
    /// Statements whose region goes into the list around them.
    pub(super) opened: FxHashSet<OpId>,
    pub(super) definitions: FxHashMap<ValueId, Definition>,
    /// Variables of other stretches that a place needs, in the order of their definitions.
    pub(super) foreign: FxHashMap<Place, Vec<ValueId>>,
    /// Variables that are kept in memory for other stretches.
    pub(super) kept: BTreeSet<ValueId>,
    /// Memory that has a place for each thread, and the elements of one place.
    pub(super) expanded: BTreeMap<BufferId, i64>,
    /// The operations that allocate memory or name it.
    pub(super) declarations: Vec<(OpId, BufferId)>,
}

pub(super) fn refuse(detail: &str) -> LowerRefusal {
    LowerRefusal::new(reasons::THREADS_EXCHANGE, detail)
}

impl Plan {
    pub(super) fn of(body: &Body, kernel: OpId) -> Result<Plan, LowerRefusal> {
        let mut plan = Plan::default();
        plan.axes(body, kernel)?;
        let mut parts = Parts::of(body, kernel)?;
        plan.opened = std::mem::take(&mut parts.opened);
        let mut uses = Uses::default();
        uses.parts(body, &parts.list, false)?;
        plan.memory(body, &uses)?;
        plan.declarations = declarations(body);
        let hoisted = plan.hoisted(body, &uses);
        plan.parts = hoist(parts.list, &hoisted);
        // What a declaration needs is needed where it stands now.
        let mut uses = Uses::default();
        uses.parts(body, &plan.parts, false)?;
        plan.variables(body, uses)?;
        Ok(plan)
    }

    /// The launches of the kernel, by axis.
    fn axes(&mut self, body: &Body, kernel: OpId) -> Result<(), LowerRefusal> {
        let mut inside = FxHashSet::default();
        let mut found: BTreeMap<usize, Axis> = BTreeMap::new();
        for op in std::iter::once(kernel).chain(ops_in(body, kernel)) {
            let data = &body.ops[op];
            inside.extend(data.results.iter().copied());
            inside.extend(
                data.regions.iter().flat_map(|&it| &body.blocks[body.entry(it)].args).copied(),
            );
            let OpKind::LaunchThread { tag, var } = data.kind else { continue };
            let extent = data.operands[0];
            let Some(at) = tag.launch_index() else {
                self.alone.push(var);
                continue;
            };
            let dtype = body.values[var].ty.prim().unwrap_or(DataType::INT32);
            let axis =
                found.entry(at).or_insert_with(|| Axis { tag, extent, dtype, vars: Vec::new() });
            let is_same = axis.extent == extent
                || constant(body, extent).is_some_and(|it| constant(body, axis.extent) == Some(it));
            if !is_same {
                return Err(refuse("an axis of threads is launched with two extents").at(op));
            }
            axis.dtype = if dtype.bits > axis.dtype.bits { dtype } else { axis.dtype };
            axis.vars.push(var);
        }
        self.axes = found.into_values().collect();
        let computed = |axis: &Axis| mentions(body, axis.extent, &|value| inside.contains(&value));
        match self.axes.iter().any(computed) {
            true => Err(refuse("a kernel computes its own extents").at(kernel)),
            false => Ok(()),
        }
    }

    /// Finds memory of a thread that has to outlive a stretch.
    fn memory(&mut self, body: &Body, uses: &Uses) -> Result<(), LowerRefusal> {
        let pointers = kept_pointers(body);
        for (&buffer, places) in &uses.memory {
            let data = &body.buffers[buffer];
            let is_local = data.origin == BufferOrigin::Cell || data.scope.is_local();
            let home = uses.homes.get(&buffer).copied();
            let is_once = match places.iter().next() {
                Some(&Place::Stretch(only)) if places.len() == 1 => {
                    home == Some(only) || !uses.repeated.contains(&only)
                }
                _ => false,
            };
            if !is_local || is_once {
                continue;
            }
            if pointers.contains(&buffer) {
                return Err(refuse("memory of a thread that outlives a barrier has a pointer"));
            }
            let size = elements(body, buffer)
                .ok_or_else(|| refuse("memory of a thread has no constant size"))?;
            self.expanded.insert(buffer, size);
        }
        for (id, data) in body.buffers.iter() {
            let owner = root(body, id);
            if !self.expanded.contains_key(&owner) || !uses.buffers.contains_key(&id) {
                continue;
            }
            let bytes = self.expanded[&owner] * body.buffers[owner].dtype.bytes() as i64;
            let unit = (data.dtype.bytes() as i64).max(1);
            if data.shape.len() > 1 || data.strides.is_some() || bytes % unit != 0 {
                return Err(refuse("memory of a thread that outlives a barrier has a layout"));
            }
        }
        Ok(())
    }

    /// Elements for each thread of all buffers that show expanded memory.
    pub(super) fn places(&self, body: &Body) -> FxHashMap<BufferId, i64> {
        let mut places = FxHashMap::default();
        for (id, data) in body.buffers.iter() {
            let owner = root(body, id);
            if let Some(&elements) = self.expanded.get(&owner) {
                let bytes = elements * body.buffers[owner].dtype.bytes() as i64;
                places.insert(id, bytes / (data.dtype.bytes() as i64).max(1));
            }
        }
        places
    }

    /// Declarations that more than the threads of one stretch see.
    fn hoisted(&self, body: &Body, uses: &Uses) -> FxHashSet<OpId> {
        let mut hoisted = FxHashSet::default();
        for (&buffer, &(op, stretch)) in &uses.declared {
            let is_memory = matches!(body.ops[op].kind, OpKind::Alloc { .. });
            // Memory is also used by the views of it.
            let places = match is_memory {
                true => uses.memory.get(&buffer),
                false => uses.buffers.get(&buffer),
            };
            let mut places = places.into_iter().flatten();
            let elsewhere = places.any(|it| *it != Place::Stretch(stretch));
            let is_shared = is_memory && body.buffers[buffer].scope.is_shared();
            let is_expanded = self.expanded.contains_key(&buffer);
            if is_shared || is_expanded || elsewhere {
                hoisted.insert(op);
            }
        }
        hoisted
    }

    /// Finds the variables that parts need of others.
    fn variables(&mut self, body: &Body, uses: Uses) -> Result<(), LowerRefusal> {
        let threads: FxHashSet<ValueId> = self
            .axes
            .iter()
            .filter(|it| it.is_thread() && constant(body, it.extent) != Some(1))
            .flat_map(|it| it.vars.iter().copied())
            .collect();
        self.definitions = uses.definitions;
        for (&place, used) in &uses.values {
            let mut needed = BTreeSet::new();
            let mut stack: Vec<ValueId> = used.iter().copied().collect();
            while let Some(value) = stack.pop() {
                let Some(definition) = self.definitions.get(&value) else { continue };
                let is_own = place == Place::Stretch(definition.stretch);
                if is_own || !needed.insert((definition.order, value)) {
                    continue;
                }
                if !definition.is_kept(body) {
                    values_of(body, definition.expr, &mut stack);
                    continue;
                }
                let dtype = body.values[value].ty.prim();
                if dtype.is_none_or(|it| it == DataType::HANDLE) {
                    return Err(refuse("a pointer that is loaded outlives a barrier"));
                }
                self.kept.insert(value);
            }
            self.foreign.insert(place, needed.into_iter().map(|it| it.1).collect());
            if let Place::Once(op) = place {
                self.check_same(body, op, &threads)?;
            }
        }
        Ok(())
    }

    /// Refuses code that a block executes once if it names the index of a thread.
    fn check_same(
        &self,
        body: &Body,
        op: OpId,
        threads: &FxHashSet<ValueId>,
    ) -> Result<(), LowerRefusal> {
        let mut stack = body.ops[op].operands.to_vec();
        let mut seen = FxHashSet::default();
        while let Some(at) = stack.pop() {
            if !seen.insert(at) {
                continue;
            }
            match body.expr(at).kind {
                ExprKind::Value(value) if threads.contains(&value) => {
                    let name = body.name(body.values[value].name);
                    return Err(refuse(&format!("`{name}` decides over a barrier")).at(op));
                }
                ExprKind::Value(value) => match self.definitions.get(&value) {
                    Some(definition) if !definition.is_kept(body) => stack.push(definition.expr),
                    _ => {}
                },
                ExprKind::Call {
                    callee: Callee::Intrinsic(_, Intrinsic::ThreadInvariant), ..
                } => {}
                // What a thread reads is its own affair: a barrier behind it says that all read the same.
                ExprKind::Load { .. } => {}
                kind => body.each_child(kind, &mut |child| stack.push(child)),
            }
        }
        Ok(())
    }
}

/// All operations that make a buffer.
fn declarations(body: &Body) -> Vec<(OpId, BufferId)> {
    let made = |op| match body.ops[op].kind {
        OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => Some((op, buffer)),
        _ => None,
    };
    body.ops_preorder().filter_map(made).collect()
}

/// The variables in an expression.
fn values_of(body: &Body, expr: ExprId, into: &mut Vec<ValueId>) {
    each_node(body, expr, &mut |at| {
        if let ExprKind::Value(value) = body.expr(at).kind {
            into.push(value);
        }
    });
}
