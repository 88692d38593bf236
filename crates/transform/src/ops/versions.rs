//! Versions of memory for the preset `default`: two loads of one address are equal if their memory has one version.
//!
//! Memory is divided into *classes*. An `alloc` of the body whose memory never leaves the loads, stores and views of
//! the body is a class of its own; everything else, which may overlap, is class 0. A class is *private* if only the
//! thread that allocates it can reach it: it is in memory of one thread, and all that uses it is executed by that
//! thread in its turn ([`OpTraits::team`]). All other classes, those of workgroup memory and of memory that the regions
//! of `async.execute` or `gpu.launch` see, are written by operations that order threads, and by unknown ones.
//!
//! A write starts a new version of the classes that it may reach. Versions are numbers that are never reused, and a log
//! undoes the effects of a region on paths that do not pass it.
//!
//! O(operations + operands): sets of written classes are kept up to eight, then they are all classes.

use ir::{
    Body, NameId, OpId, OpKind, Type, ValueId, ValueKind, arena::Id, known_ops, text::cursor::items,
};
use smallvec::SmallVec;

use super::{
    op_traits::{Bits, MemoryTypes, OpTraits, Reach, value_of},
    summary::for_each_operand,
};

/// All classes.
const ALL: u32 = u32::MAX;
/// All classes that are not private.
const SHARED: u32 = u32::MAX - 1;
/// In the log: the version of all memory together.
const ANY: u32 = u32::MAX - 2;

/// Classes that an operation writes, with all that is inside of it. [`ALL`] alone stands for all, [`SHARED`] for all
/// that are not private.
pub(super) type ClassSet = SmallVec<[u32; 2]>;

const MAX_CLASSES: usize = 8;

/// Operations whose result is the memory of their first operand.
const VIEWS: [NameId; 8] = [
    known_ops::MEMREF_SUBVIEW,
    known_ops::MEMREF_CAST,
    known_ops::MEMREF_REINTERPRET_CAST,
    known_ops::MEMREF_COLLAPSE_SHAPE,
    known_ops::MEMREF_EXPAND_SHAPE,
    known_ops::MEMREF_VIEW,
    known_ops::MEMREF_TRANSPOSE,
    known_ops::MEMREF_MEMORY_SPACE_CAST,
];

/// The memory that values and operations are about.
pub(super) struct Classes {
    /// By value: its class; 0 if unknown, and behind the end.
    of_value: Vec<u32>,
    n_classes: usize,
    /// Classes from here on are private.
    first_private: u32,
    /// By operation: the memory that it writes, regions included. Empty if nothing writes.
    written: Vec<ClassSet>,
    /// The memory that the whole body writes.
    pub(super) all_written: ClassSet,
}

impl Classes {
    pub(super) fn collect(body: &Body, traits: &OpTraits) -> Classes {
        let mut types = MemoryTypes::default();
        let mut res = Classes::of_allocations(body, traits, &mut types);
        if !body.ops.ids().any(|it| traits.of(it).has(Bits::CHANGES)) {
            return res;
        }
        res.written = vec![ClassSet::new(); body.ops.len()];
        let order: Vec<OpId> = body.ops_preorder().collect();
        for &op in order.iter().rev() {
            if traits.of(op).has(Bits::CHANGES) {
                let own = res.touched(body, traits, op, &mut types);
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

    /// The classes of values; all are class 0 if nothing is allocated.
    fn of_allocations(body: &Body, traits: &OpTraits, types: &mut MemoryTypes) -> Classes {
        let (of_value, first_private, n_classes) =
            match body.ops.ids().any(|it| allocates(body, it)) {
                true => Roots::collect(body, traits, types).classes(body),
                false => (Vec::new(), 1, 1),
            };
        Classes {
            of_value,
            n_classes: n_classes as usize,
            first_private,
            written: Vec::new(),
            all_written: ClassSet::new(),
        }
    }

    /// Returns the memory that an operation writes.
    pub(super) fn written(&self, op: OpId) -> &[u32] {
        self.written.get(op.index()).map_or(&[], |it| it)
    }

    /// The classes that an operation itself reads or writes.
    pub(super) fn touched(
        &self,
        body: &Body,
        traits: &OpTraits,
        op: OpId,
        types: &mut MemoryTypes,
    ) -> ClassSet {
        let mut set = match traits.reach(op) {
            Reach::Operands => ClassSet::new(),
            Reach::Outside => SmallVec::from_slice(&[0]),
            Reach::Everything => SmallVec::from_slice(&[SHARED]),
        };
        for_each_operand(body, op, |_, operand| {
            if let Some(value) = value_of(body, operand)
                && types.is_memory(body, body.values[value].ty)
            {
                unite(&mut set, &[self.of_value.get(value.index()).copied().unwrap_or(0)]);
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

/// The name of an operation that was read; an unread one is none that is looked for here.
fn name(body: &Body, op: OpId) -> Option<NameId> {
    match body.ops[op].kind {
        OpKind::Named(name) => Some(name),
        _ => None,
    }
}

/// Returns true if the result of an operation is memory that nothing else is.
fn allocates(body: &Body, op: OpId) -> bool {
    matches!(name(body, op), Some(known_ops::MEMREF_ALLOC | known_ops::MEMREF_ALLOCA))
}

/// Returns true if the result of an operation is the memory of its first operand.
fn is_view(body: &Body, op: OpId) -> bool {
    name(body, op).is_some_and(|it| VIEWS.contains(&it))
}

/// Allocations, and their uses.
struct Roots {
    /// By value: the allocation that it is, or is a view of.
    root: Vec<Option<ValueId>>,
    /// By allocation: whether it is known elsewhere.
    escapes: Vec<bool>,
    /// By allocation: whether another thread may reach it.
    is_shared: Vec<bool>,
}

impl Roots {
    fn collect(body: &Body, traits: &OpTraits, types: &mut MemoryTypes) -> Roots {
        let order: Vec<OpId> = body.ops_preorder().collect();
        let n = body.values.len();
        let mut res =
            Roots { root: vec![None; n], escapes: vec![false; n], is_shared: vec![false; n] };
        // Where a view comes before its allocation in program order, which blocks may, the allocation counts as known
        // elsewhere.
        for &op in &order {
            let data = &body.ops[op];
            let first = data.operands.first().and_then(|&it| value_of(body, it));
            let &[result] = &data.results[..] else { continue };
            if allocates(body, op) {
                res.root[result.index()] = Some(result);
                res.is_shared[result.index()] = !is_of_one_thread(body, body.values[result].ty);
            } else if let (true, Some(first)) = (is_view(body, op), first) {
                res.root[result.index()] = res.root[first.index()];
            }
        }
        for &op in &order {
            res.uses(body, traits, op, types);
        }
        res
    }

    /// Returns the uses that an operation makes of the allocations that it is given.
    fn uses(&mut self, body: &Body, traits: &OpTraits, op: OpId, types: &mut MemoryTypes) {
        let name = name(body, op);
        let first = body.ops[op].operands.first().and_then(|&it| value_of(body, it));
        let root = |it: ValueId| self.root[it.index()];
        let is_view = is_view(body, op)
            && body.ops[op].results.iter().all(|it| root(*it) == first.and_then(root));
        let is_harmless = is_view
            || name == Some(known_ops::MEMREF_DIM)
            || !traits.keeps(op) && !self.hands_on(body, op, types);
        let mut at = 0;
        for_each_operand(body, op, |_, operand| {
            // A store's first operand is what it stores.
            let is_stored = at == 0 && name == Some(known_ops::MEMREF_STORE);
            at += 1;
            let value = value_of(body, operand).and_then(|it| self.root[it.index()]);
            let Some(value) = value else { return };
            let ValueKind::Result(by, _) = body.values[value].kind else { return };
            self.escapes[value.index()] |= !is_harmless || is_stored;
            self.is_shared[value.index()] |= traits.team(by) != traits.team(op);
        });
    }

    /// Returns true if the results or the written values of an operation may be the memory that it is given.
    fn hands_on(&self, body: &Body, op: OpId, types: &mut MemoryTypes) -> bool {
        let data = &body.ops[op];
        // A tensor may be the memory that it was made from.
        let may_be_memory = |it: &ValueId| {
            let ty = body.values[*it].ty;
            let is_tensor = matches!(ty, Type::Named(it) if body.name(it).starts_with("tensor"));
            is_tensor || types.is_memory(body, ty)
        };
        // Memory of memory: one operand may be written into the other.
        let holds_memory = |ty: Type| matches!(ty, Type::Named(it) if body.name(it).matches("memref<").count() > 1);
        data.results.iter().any(may_be_memory)
            || data.operands.iter().any(|it| holds_memory(body.expr(*it).ty))
    }

    /// Classes of values, the first that is private, and how many there are: allocations that escape, and all that is
    /// none, are class 0.
    fn classes(&self, body: &Body) -> (Vec<u32>, u32, u32) {
        let mut numbers = vec![0u32; body.values.len()];
        let mut n = 1;
        let mut first_private = 1;
        for is_shared in [true, false] {
            for value in body.values.ids() {
                let is_root = self.root[value.index()] == Some(value);
                if is_root
                    && !self.escapes[value.index()]
                    && self.is_shared[value.index()] == is_shared
                {
                    numbers[value.index()] = n;
                    n += 1;
                }
            }
            first_private = if is_shared { n } else { first_private };
        }
        let of_value = self.root.iter().map(|it| it.map_or(0, |it| numbers[it.index()])).collect();
        (of_value, first_private, n)
    }
}

/// Returns true if a type of memory denotes memory of one thread: the default space, or the private one. A layout does
/// not matter.
fn is_of_one_thread(body: &Body, ty: Type) -> bool {
    let Type::Named(name) = ty else { return false };
    let Some(parameters) = body.name(name).strip_prefix("memref") else { return false };
    items(parameters).iter().skip(1).all(|it| {
        it.starts_with("affine_map<")
            || it.starts_with("strided<")
            || *it == "#gpu.address_space<private>"
    })
}

/// The versions at the place of a walk.
pub(super) struct Versions {
    of_class: Vec<u32>,
    first_private: u32,
    /// Of all that is not private.
    shared: u32,
    all: u32,
    /// Of all memory together.
    any: u32,
    n: u32,
    log: Vec<(u32, u32)>,
}

impl Versions {
    pub(super) fn new(classes: &Classes) -> Versions {
        let of_class = vec![0; classes.n_classes];
        let first_private = classes.first_private;
        Versions { of_class, first_private, shared: 0, all: 0, any: 0, n: 0, log: Vec::new() }
    }

    /// The version of some classes, as one number.
    pub(super) fn of(&self, classes: &[u32]) -> u64 {
        if classes.iter().any(|it| matches!(*it, ALL | SHARED)) {
            return self.of_any();
        }
        let of = |class: u32| match self.of_class[class as usize] {
            it if class < self.first_private => it.max(self.shared),
            it => it,
        };
        let latest = classes.iter().map(|it| of(*it)).max().unwrap_or(0);
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
            let n = self.n;
            let place = self.place(class);
            let old = std::mem::replace(place, n);
            self.log.push((class, old));
        }
    }

    fn place(&mut self, class: u32) -> &mut u32 {
        match class {
            ALL => &mut self.all,
            SHARED => &mut self.shared,
            ANY => &mut self.any,
            _ => &mut self.of_class[class as usize],
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
            *self.place(class) = old;
        }
    }
}
