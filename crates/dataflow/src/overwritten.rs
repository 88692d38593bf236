//! Overwritten stores: the elements that are written again, on every path, before anything may read them.
//!
//! In: the control flow and the alias classes. Out: [`Overwritten`]: for every store whether all that it writes is
//! written again whatever path is taken, with no read of its memory between. An *element* is a buffer and the
//! expressions of its indices; a store of the same element writes the same place if every variable in them still has
//! its value, so an element is forgotten where one of its variables gets one: at its definition, at the start of its
//! loop's body. Indices that hold loads or calls are left out. A loop that writes a whole buffer, element by element,
//! overwrites all of its elements (`L2`: also if it runs no iteration, as the buffer is empty then).
//!
//! [`crate::touch`] decides which accesses count as reads, along each path; the end of the function, a failed assertion
//! and a loop that may not end are reads of everything (`SEMANTICS: X3`, `L10`). Of memory that other threads reach
//! (`Y1`, `P2`) so are also: barriers and calls that threads execute together, calls that write such memory and stores
//! to volatile memory (a signal to others), a `while` (it may wait for an answer), the end of a branch inside a kernel
//! (threads that took the other arm may have read). The end of a launch, or of a loop over threads, forgets everything:
//! an element of one thread is not that of another.
//!
//! A backward must analysis over sparse sets, only if some element may be stored to after another store to it:
//! O(n log n) in operations and occurrences.

use std::ops::Range;

use ir::{
    Body, BufferId, BufferOrigin, ExprId, ExprKind, ForKind, OccurrenceId, OpId, OpKind, ScopeAttr,
    ValueId, arena::Id,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    alias::{AliasClass, AliasClasses, Reach},
    definite_init::covered_by,
    flow::Flow,
    scopes::ScopeKind,
    solver::{Analysis, Direction, Solution, Work, solve},
    sparse::{IdSet, Must},
    touch::{Cell, Part, Steps, Touch},
    variance::in_threads,
};

/// A place in memory, by the expressions that name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct ElementId(u32);

impl Id for ElementId {
    fn new(index: usize) -> Self {
        ElementId(u32::try_from(index).expect("fewer elements than 2^32 stores"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An element, in the order of the element numbers: all elements that one read may forget have consecutive numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Element {
    reach: Reach,
    class: AliasClass,
    buffer: BufferId,
    part: ElementPart,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum ElementPart {
    /// The whole buffer.
    Whole,
    /// The whole buffer, seen from inside of the loop that writes it.
    Pending,
    /// Indices.
    At(SmallVec<[ExprId; 2]>),
}

/// Nodes of indices that are looked through.
const MAX_SIZE: u32 = 256;

/// The stores of a body, by the elements that they write.
#[derive(Default)]
struct Elements {
    of_store: FxHashMap<OpId, ElementId>,
    /// Stores whose element they make new without reading its memory.
    writers: FxHashMap<ElementId, Vec<OpId>>,
    writes: FxHashSet<OpId>,
    whole: FxHashMap<BufferId, ElementId>,
    /// Loops that write a whole buffer: how it is seen inside and before, and the store.
    loops: FxHashMap<OpId, Vec<(ElementId, ElementId, OpId)>>,
    of_buffer: FxHashMap<BufferId, Range<u32>>,
    of_class: FxHashMap<AliasClass, Range<u32>>,
    of_reach: [Range<u32>; 3],
    of_value: FxHashMap<ValueId, Vec<ElementId>>,
    n: u32,
}

/// The problem for the solver.
struct Overwriting<'a> {
    flow: &'a Flow<'a>,
    steps: Steps<'a>,
    elements: Elements,
    /// By scope: whether several threads execute it.
    in_threads: Vec<bool>,
}

impl Overwriting<'_> {
    fn forget(&self, state: &mut Must<ElementId>, range: Option<&Range<u32>>) {
        if let Some(range) = range {
            state.0.remove_range(range.clone());
        }
    }

    fn forget_visible(&self, state: &mut Must<ElementId>) {
        self.forget(state, Some(&self.elements.of_reach[Reach::Visible as usize]));
    }

    fn forget_reads(&self, state: &mut Must<ElementId>, touch: &Touch) {
        for part in touch.reads.iter().filter_map(|it| it.part()) {
            self.forget(
                state,
                match part {
                    Part::Class(class) => self.elements.of_class.get(&class),
                    Part::All(reach) => Some(&self.elements.of_reach[reach as usize]),
                },
            );
        }
    }

    fn forget_value(&self, state: &mut Must<ElementId>, value: ValueId) {
        for &element in self.elements.of_value.get(&value).into_iter().flatten() {
            state.0.remove(element);
        }
    }

    /// Returns true if a write may signal other threads to continue.
    fn signals(&self, writes: &[Cell]) -> bool {
        writes.iter().filter_map(|it| it.part()).any(|it| match it {
            Part::Class(class) => self.steps.aliases.reach(class) == Reach::Visible,
            Part::All(reach) => reach == Reach::Visible,
        })
    }
}

impl Analysis for Overwriting<'_> {
    type State = Must<ElementId>;
    const DIRECTION: Direction = Direction::Backward;

    fn boundary(&self) -> Must<ElementId> {
        Must(IdSet::default())
    }

    fn forever(&self) -> Option<Must<ElementId>> {
        Some(self.boundary())
    }

    fn occurrence(&self, id: OccurrenceId, state: &mut Must<ElementId>) {
        if state.0.is_empty() {
            return;
        }
        let body = self.flow.body;
        let kind = body.expr(self.flow.occurrences[id].expr).kind;
        if !matches!(
            kind,
            ExprKind::Load { .. }
                | ExprKind::Region(..)
                | ExprKind::Opaque { .. }
                | ExprKind::Call { .. }
        ) {
            return;
        }
        let touch = self.steps.occurrence(id);
        self.forget_reads(state, &touch);
        if let ExprKind::Call { .. } = kind
            && (self.flow.effects.call(body, kind).convergent || self.signals(&touch.writes))
        {
            self.forget_visible(state);
        }
    }

    fn operation(&self, op: OpId, state: &mut Must<ElementId>) {
        let data = &self.flow.body.ops[op];
        for &result in &data.results {
            self.forget_value(state, result);
        }
        self.forget_reads(state, &self.steps.operation(op));
        match data.kind {
            OpKind::Store { buffer, .. } => {
                if self.steps.aliases.is_volatile(self.steps.aliases.class(buffer)) {
                    self.forget_visible(state);
                }
                if self.elements.writes.contains(&op) {
                    state.0.insert(self.elements.of_store[&op]);
                }
            }
            OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => {
                self.forget(state, self.elements.of_buffer.get(&buffer));
            }
            OpKind::LaunchThread { var, .. } => self.forget_value(state, var),
            OpKind::While => self.forget_visible(state),
            _ => {}
        }
        for &(pending, whole, _) in self.elements.loops.get(&op).into_iter().flatten() {
            if state.0.remove(pending) {
                state.0.insert(whole);
            }
        }
    }

    fn leave(&self, op: OpId, state: &mut Must<ElementId>) {
        let body = self.flow.body;
        match body.ops[op].kind {
            OpKind::LaunchThread { .. } | OpKind::For(ForKind::ThreadBinding(_)) => {
                *state = self.boundary();
            }
            OpKind::If | OpKind::SBlock(_)
                if self.in_threads[self.flow.scopes.of_op(op).index()] =>
            {
                self.forget_visible(state);
            }
            _ => {}
        }
        for &(pending, ..) in self.elements.loops.get(&op).into_iter().flatten() {
            state.0.insert(pending);
        }
    }

    fn block_start(&self, block: ir::BlockId, state: &mut Must<ElementId>) {
        for &arg in self.flow.arguments(block) {
            self.forget_value(state, arg);
        }
    }
}

/// The stores of a body that are overwritten on every path.
pub struct Overwritten {
    /// In program order: each with the first store after it that overwrites it.
    stores: Vec<(OpId, OpId)>,
    work: Work,
}

impl Overwritten {
    /// Finds them.
    pub fn build(flow: &Flow<'_>, aliases: &AliasClasses) -> Overwritten {
        let (body, occurrences, effects) = (flow.body, flow.occurrences, flow.effects);
        let steps = Steps { body, occurrences, effects, aliases };
        let elements = Elements::collect(flow, steps);
        if elements.n == 0 {
            return Overwritten { stores: Vec::new(), work: Work::default() };
        }
        let in_threads = in_threads(flow);
        let solution = solve(flow, Overwriting { flow, steps, elements, in_threads });
        Overwritten { stores: found(&solution), work: solution.work() }
    }

    /// Returns the work of building it: none if no element is stored to twice.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The stores, in program order: each with a store that overwrites it, the first one after it or else the first
    /// one.
    pub fn stores(&self) -> &[(OpId, OpId)] {
        &self.stores
    }
}

fn found<'a>(solution: &Solution<'a, Overwriting<'a>>) -> Vec<(OpId, OpId)> {
    let (flow, elements) = (solution.flow(), &solution.analysis().elements);
    let mut cursor = solution.cursor();
    let mut stores = Vec::new();
    for op in flow.body.ops_preorder() {
        let OpKind::Store { buffer, .. } = flow.body.ops[op].kind else { continue };
        let own = elements.of_store.get(&op).copied();
        let whole = elements.whole.get(&buffer).copied();
        if own.is_none() && whole.is_none() {
            continue;
        }
        let Some(state) = cursor.after(op) else { continue };
        let by = [own, whole].into_iter().flatten().find(|it| state.0.contains(*it));
        let writers = by.and_then(|it| elements.writers.get(&it));
        let order = |it: OpId| flow.scopes.order(it);
        let writer = writers
            .and_then(|all| all.iter().find(|it| order(**it) > order(op)).or(all.first()).copied());
        stores.extend(writer.map(|it| (op, it)));
    }
    stores
}

impl Elements {
    fn collect(flow: &Flow<'_>, steps: Steps<'_>) -> Elements {
        let mut groups: FxHashMap<Element, Vec<OpId>> = FxHashMap::default();
        let mut in_order: Vec<Element> = Vec::new();
        let mut covering: Vec<(OpId, OpId, Element)> = Vec::new();
        let moving = moving_symbols(flow.body);
        let mut n_stores: FxHashMap<BufferId, u32> = FxHashMap::default();
        for op in flow.body.ops_preorder() {
            let OpKind::Store { buffer, .. } = flow.body.ops[op].kind else { continue };
            *n_stores.entry(buffer).or_default() += 1;
            let class = steps.aliases.class(buffer);
            let element = |part| Element { reach: steps.aliases.reach(class), class, buffer, part };
            if let Some(owner) = covered_by(flow, op, buffer)
                && !matches!(flow.body.ops[owner].kind, OpKind::For(ForKind::ThreadBinding(_)))
                && is_writer(steps, op, class)
            {
                covering.push((owner, op, element(ElementPart::Whole)));
            }
            if let Some(indices) = stable_indices(flow.body, op, &moving) {
                let element = element(ElementPart::At(indices));
                let stores = groups.entry(element.clone()).or_default();
                if stores.is_empty() {
                    in_order.push(element);
                }
                stores.push(op);
            }
        }
        // What only one store names can only be overwritten by a loop over all of its buffer.
        covering.retain(|it| n_stores[&it.2.buffer] > 1);
        in_order.retain(|it| {
            ir::interrupt::check();
            let stores = &groups[it];
            let writes = |op: &&OpId| is_writer(steps, **op, it.class);
            let Some(&last) = stores.iter().rev().find(writes) else { return false };
            last != stores[0] || stores.len() > 1 && comes_again(flow, last, &stores[1..])
        });
        let mut all: Vec<Element> = in_order;
        for (_, _, whole) in &covering {
            all.push(whole.clone());
            all.push(Element { part: ElementPart::Pending, ..whole.clone() });
        }
        all.sort_unstable();
        all.dedup();
        let mut this = Elements::default();
        for (index, element) in all.iter().enumerate() {
            ir::interrupt::check();
            this.add(flow.body, ElementId::new(index), element);
            for &store in groups.get(element).into_iter().flatten() {
                this.of_store.insert(store, ElementId::new(index));
                if is_writer(steps, store, element.class) {
                    this.writes.insert(store);
                    this.writers.entry(ElementId::new(index)).or_default().push(store);
                }
            }
        }
        for (owner, store, whole) in covering {
            let Ok(at) = all.binary_search(&whole) else { continue };
            // Numbers of one buffer: the whole, then the pending one.
            let (whole, pending) = (ElementId::new(at), ElementId::new(at + 1));
            this.loops.entry(owner).or_default().push((pending, whole, store));
            this.writers.entry(whole).or_default().push(store);
        }
        this
    }

    fn add(&mut self, body: &Body, id: ElementId, element: &Element) {
        let at = id.index() as u32;
        let grow = |range: &mut Range<u32>| {
            *range = if range.start == range.end { at..at + 1 } else { range.start..at + 1 };
        };
        grow(self.of_buffer.entry(element.buffer).or_insert(0..0));
        grow(self.of_class.entry(element.class).or_insert(0..0));
        grow(&mut self.of_reach[element.reach as usize]);
        self.n = at + 1;
        match &element.part {
            ElementPart::Whole => {
                self.whole.insert(element.buffer, id);
            }
            ElementPart::Pending => {}
            ElementPart::At(indices) => {
                for value in values_in(body, indices).unwrap_or_default() {
                    self.of_value.entry(value).or_default().push(id);
                }
            }
        }
    }
}

/// Returns true if a store may be executed after later ones: a loop encloses it and one of them.
fn comes_again(flow: &Flow<'_>, store: OpId, later: &[OpId]) -> bool {
    let scopes = flow.scopes;
    let mut around = None;
    let mut scope = Some(scopes.of_op(store));
    for _ in 0..MAX_NESTING {
        let Some(at) = scope else {
            return around.is_some_and(|it| {
                later.iter().any(|op| scopes.is_ancestor(it, scopes.of_op(*op)))
            });
        };
        // What is unknown may repeat too.
        let is_once = matches!(
            scopes.kind(at),
            ScopeKind::Function
                | ScopeKind::Attr
                | ScopeKind::Binding
                | ScopeKind::SBlock(_)
                | ScopeKind::Arm(_)
                | ScopeKind::Launch
        );
        if !is_once {
            around = Some(at);
        }
        scope = scopes.parent(at);
    }
    true
}

/// Returns true if a store overwrites its element without reading its memory.
fn is_writer(steps: Steps<'_>, store: OpId, class: AliasClass) -> bool {
    let is_plain = matches!(steps.body.ops[store].kind, OpKind::Store { predicated: false, .. });
    let touches = |cell: &Cell| match cell.part() {
        Some(Part::Class(it)) => it == class,
        Some(Part::All(reach)) => steps.aliases.reach(class) == reach,
        None => false,
    };
    is_plain
        && !in_async_scope(steps.body, store)
        && !steps.occurrences.of_op(store).any(|it| steps.occurrence(it).reads.iter().any(touches))
}

/// Returns true if a store may be an asynchronous copy, which completes later.
fn in_async_scope(body: &Body, store: OpId) -> bool {
    let mut above = body.parent_op(store);
    // Bounded, so that a deep nest costs no more than its depth times this.
    for _ in 0..MAX_NESTING {
        let Some(op) = above else { return false };
        if body.scope_attr(op) == Some(ScopeAttr::AsyncScope) {
            return true;
        }
        above = body.parent_op(op);
    }
    true
}

/// Further out an asynchronous scope is not looked for: a store so deep overwrites nothing.
const MAX_NESTING: usize = 64;

/// Indices that have the same value wherever their variables have.
fn stable_indices(
    body: &Body,
    store: OpId,
    moving: &FxHashSet<ValueId>,
) -> Option<SmallVec<[ExprId; 2]>> {
    let data = &body.ops[store];
    let OpKind::Store { predicated, .. } = data.kind else { return None };
    let end = data.operands.len() - usize::from(predicated);
    let indices: SmallVec<[ExprId; 2]> = data.operands[1..end].into();
    let values = values_in(body, &indices)?;
    (!values.iter().any(|it| moving.contains(it))).then_some(indices)
}

/// The variables in expressions of operators on variables and constants; none if there is anything else, or too much.
fn values_in(body: &Body, exprs: &[ExprId]) -> Option<Vec<ValueId>> {
    let mut values = Vec::new();
    let mut stack = exprs.to_vec();
    let mut seen = FxHashSet::default();
    while let Some(expr) = stack.pop() {
        let node = body.expr(expr);
        let flags = node.flags;
        if node.size > MAX_SIZE || flags.has_load || flags.has_call || flags.has_impure {
            return None;
        }
        if flags.has_unknown || flags.open_binders > 0 {
            return None;
        }
        match node.kind {
            ExprKind::Value(value) => values.push(value),
            ExprKind::BufferField(..) | ExprKind::Buffer(_) => return None,
            kind => body.each_child(kind, &mut |child| {
                if seen.insert(child) {
                    stack.push(child);
                }
            }),
        }
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}

/// Symbols that a part of a buffer gives values to, each time it is made (`SEMANTICS: B6`, `M7`).
fn moving_symbols(body: &Body) -> FxHashSet<ValueId> {
    let mut moving = FxHashSet::default();
    for (_, buffer) in body.buffers.iter() {
        if matches!(buffer.origin, BufferOrigin::MatchRegion(_)) {
            for expr in buffer.operands() {
                moving.extend(values_in(body, &[expr]).unwrap_or_default());
            }
        }
    }
    moving
}
