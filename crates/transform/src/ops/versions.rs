//! Versions of memory for the preset `default`: two loads of one address are equal if their memory has one version.
//!
//! Memory is divided into *classes*. What an `alloc` of the body makes and what never leaves the loads, stores and views of the body is a class of its own;
//! everything else, which may overlap, is class 0. A write starts a new version of the classes that it may reach. Versions are numbers that never come again,
//! and what a region did is undone by a log where control did not come that way.
//!
//! O(operations + operands): sets of written classes are kept up to eight, then they are all classes.

use ir::{
    Body, OpId, OpKind, ValueId, ValueKind,
    arena::Id,
    effects::{EffectTable, MemorySet},
};
use smallvec::SmallVec;

use super::{
    labels::{Bits, Labels, MemoryTypes, value_of},
    summary::for_each_operand,
};

/// What every class is.
const ALL: u32 = u32::MAX;
/// In the log: the version of all memory together.
const ANY: u32 = u32::MAX - 1;

/// Classes that an operation writes, with all that is inside of it. [`ALL`] alone stands for all.
pub(super) type ClassSet = SmallVec<[u32; 2]>;

const MAX_CLASSES: usize = 8;

/// Operations whose result is the memory of their first operand.
const VIEWS: &[&str] = &[
    "memref.subview",
    "memref.cast",
    "memref.reinterpret_cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.view",
    "memref.transpose",
    "memref.memory_space_cast",
];

/// Which memory values and operations are about.
pub(super) struct Classes {
    /// By value: its class; 0 if unknown.
    of_value: Vec<u32>,
    pub(super) n_classes: usize,
    /// By operation: what it writes, regions included.
    written: Vec<ClassSet>,
    /// What the whole body writes.
    pub(super) all_written: ClassSet,
}

impl Classes {
    pub(super) fn collect(body: &Body, labels: &Labels, effects: &EffectTable) -> Classes {
        let order: Vec<OpId> = body.ops_preorder().collect();
        let mut types = MemoryTypes::default();
        let (of_value, n_classes) = classes_of_values(body, effects, &order, &mut types);
        let mut res = Classes {
            of_value,
            n_classes,
            written: vec![ClassSet::new(); body.ops.len()],
            all_written: ClassSet::new(),
        };
        for &op in order.iter().rev() {
            if labels.of(op).has(Bits::CHANGES) {
                let own = res.touched(body, effects, op, &mut types);
                unite(&mut res.written[op.index()], &own);
            }
            if res.written[op.index()].is_empty() {
                continue;
            }
            let inner = res.written[op.index()].clone();
            match body.parent_op(op) {
                Some(parent) => unite(&mut res.written[parent.index()], &inner),
                None => unite(&mut res.all_written, &inner),
            }
        }
        res
    }

    /// What an operation writes.
    pub(super) fn written(&self, op: OpId) -> &ClassSet {
        &self.written[op.index()]
    }

    /// The classes that an operation itself reads or writes.
    pub(super) fn touched(
        &self,
        body: &Body,
        effects: &EffectTable,
        op: OpId,
        types: &mut MemoryTypes,
    ) -> ClassSet {
        let mut set = ClassSet::new();
        if effects.mlir(name(body, op)).is_barrier() {
            // Others may have written whatever they see.
            return SmallVec::from_slice(&[ALL]);
        }
        if !is_about_operands(body, effects, op) {
            set.push(0);
        }
        for_each_operand(body, op, |_, operand| {
            if let Some(value) = value_of(body, operand)
                && types.is_memory(body, body.values[value].ty)
            {
                unite(&mut set, &[self.of_value[value.index()]]);
            }
        });
        if set.is_empty() {
            set.push(0);
        }
        set
    }
}

fn unite(set: &mut ClassSet, other: &[u32]) {
    for &class in other {
        if set[..] == [ALL] {
            return;
        }
        if class == ALL || (set.len() == MAX_CLASSES && !set.contains(&class)) {
            *set = SmallVec::from_slice(&[ALL]);
        } else if !set.contains(&class) {
            set.push(class);
            set.sort_unstable();
        }
    }
}

fn name(body: &Body, op: OpId) -> &str {
    match body.ops[op].kind {
        OpKind::Named(name) => body.name(name),
        _ => "",
    }
}

/// Whether an operation touches only what its operands reach.
fn is_about_operands(body: &Body, effects: &EffectTable, op: OpId) -> bool {
    effects.mlir(name(body, op)).memory == MemorySet::ARGUMENT
}

/// The classes of values: those of allocations that do not escape, and of views of them.
fn classes_of_values(
    body: &Body,
    effects: &EffectTable,
    order: &[OpId],
    types: &mut MemoryTypes,
) -> (Vec<u32>, usize) {
    // The allocation that a value is a view of, in program order, which is after what it views.
    let mut root: Vec<Option<ValueId>> = vec![None; body.values.len()];
    let mut escapes = vec![false; body.values.len()];
    for &op in order {
        let text = name(body, op);
        let data = &body.ops[op];
        let first = data.operands.first().and_then(|&it| value_of(body, it));
        let is_view = VIEWS.contains(&text);
        if let (&[result], true) =
            (&data.results[..], matches!(text, "memref.alloc" | "memref.alloca"))
        {
            root[result.index()] = Some(result);
        } else if let (&[result], true, Some(first)) = (&data.results[..], is_view, first) {
            root[result.index()] = root[first.index()];
        }
    }
    for &op in order {
        let text = name(body, op);
        let data = &body.ops[op];
        // A tensor may be the memory that it was made from.
        let may_be_memory = |it: &ValueId| {
            let ty = body.values[*it].ty;
            let is_tensor =
                matches!(ty, ir::Type::Named(it) if body.name(it).starts_with("tensor"));
            is_tensor || types.is_memory(body, ty)
        };
        let is_access =
            is_about_operands(body, effects, op) && !data.results.iter().any(may_be_memory);
        let is_harmless = VIEWS.contains(&text) || is_access || text == "memref.dim";
        let mut at = 0;
        for_each_operand(body, op, |_, operand| {
            // A store's first operand is what it stores.
            let is_stored = at == 0 && text == "memref.store";
            at += 1;
            let value = value_of(body, operand).and_then(|it| root[it.index()]);
            if let Some(value) = value.filter(|_| !is_harmless || is_stored) {
                escapes[value.index()] = true;
            }
        });
    }
    let mut numbers = vec![0u32; body.values.len()];
    let mut n = 1;
    for value in body.values.ids() {
        let is_result = matches!(body.values[value].kind, ValueKind::Result(..));
        if is_result && root[value.index()] == Some(value) && !escapes[value.index()] {
            numbers[value.index()] = n;
            n += 1;
        }
    }
    let of_value = root.iter().map(|it| it.map_or(0, |it| numbers[it.index()])).collect();
    (of_value, n as usize)
}

/// The versions at the place of a walk.
pub(super) struct Versions {
    of_class: Vec<u32>,
    all: u32,
    /// Of all memory together.
    any: u32,
    n: u32,
    log: Vec<(u32, u32)>,
}

impl Versions {
    pub(super) fn new(n_classes: usize) -> Versions {
        Versions { of_class: vec![0; n_classes], all: 0, any: 0, n: 0, log: Vec::new() }
    }

    /// The version of some classes, as one number.
    pub(super) fn of(&self, classes: &[u32]) -> u64 {
        if classes.contains(&ALL) {
            return self.of_any();
        }
        let latest = classes.iter().map(|it| self.of_class[*it as usize]).max().unwrap_or(0);
        u64::from(latest.max(self.all))
    }

    /// The version of all memory together.
    pub(super) fn of_any(&self) -> u64 {
        u64::from(self.any) | 1 << 40
    }

    pub(super) fn write(&mut self, classes: &[u32]) {
        if classes.is_empty() {
            return;
        }
        self.n += 1;
        self.log.push((ANY, self.any));
        self.any = self.n;
        for &class in classes {
            let place = match class {
                ALL => &mut self.all,
                _ => &mut self.of_class[class as usize],
            };
            self.log.push((class, *place));
            *place = self.n;
        }
    }

    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Goes back to how it was at a mark. Numbers do not come again.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.log.len() > mark
            && let Some((class, old)) = self.log.pop()
        {
            match class {
                ALL => self.all = old,
                ANY => self.any = old,
                _ => self.of_class[class as usize] = old,
            }
        }
    }
}
