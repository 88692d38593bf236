//! The view of one statement: the operands that no barrier hides from it.
//!
//! A *group* is the contents of the body of a function, of a loop or of a branch, without the parts behind barriers in
//! it. Its *slots* are the operands in the order of visits, and the outside view of each barrier. Its *events* are the
//! visits in order. A binding `v = e` is a let around the rest of its block, which is a range of slots. Built in one
//! pass over the operations, O(terms).

use ir::{BlockId, OccurrenceId, OpId, OpKind, RegionId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{
    barriers::{Barriers, is_barrier, visited_operands},
    pool::{Pool, Tag, Var, X},
    run::Run,
};

/// Slots, by number.
pub(super) type Slots = std::ops::Range<u32>;

/// An operand, or the outside view of a barrier.
#[derive(Debug)]
pub(super) struct Slot {
    /// The operand; none for a barrier.
    pub(super) occurrence: Option<OccurrenceId>,
    /// Its term; of no meaning for a barrier.
    pub(super) x: X,
    /// The largest computations.
    pub(super) keys: SmallVec<[(X, u32); 2]>,
    /// A user's variable was put in since the statement was swept.
    pub(super) is_stale: bool,
}

/// A visited item.
#[derive(Debug)]
pub(super) enum Event {
    /// A statement inside a statement: swept again if slots of it are stale.
    Statement(Slots, OpId),
    /// Its end.
    EndStatement,
    /// An operand.
    Operand(u32),
    /// A binding; `slots` are those of its body, which begins at `before`.
    Let { var: Var, value: u32, slots: Slots, before: Option<OpId> },
    /// The end of the body of the innermost open binding.
    EndLet,
    /// A barrier.
    Barrier(OpId),
}

#[derive(Default, Debug)]
pub(super) struct Group {
    pub(super) slots: Vec<Slot>,
    pub(super) events: Vec<Event>,
    /// By variable: slots that have it, in order, except later additions. Only in groups with bindings.
    uses: FxHashMap<Var, Vec<u32>>,
    has_lets: bool,
}

impl Group {
    /// The slots in a range that have a variable, in order.
    pub(super) fn uses(&self, var: Var, range: &Slots) -> Vec<u32> {
        let all = self.uses.get(&var).map_or(&[][..], Vec::as_slice);
        let mut slots: Vec<u32> = all.iter().copied().filter(|it| range.contains(it)).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// The slots in a range that may have a term: those that have the rarest of its variables.
    pub(super) fn may_have(&self, pool: &Pool<'_>, x: X, range: &Slots) -> Vec<u32> {
        let rarest = variables(pool, [x])
            .into_iter()
            .min_by_key(|it| (self.uses.get(it).map_or(0, Vec::len), *it));
        rarest.map_or_else(|| range.clone().collect(), |it| self.uses(it, range))
    }

    /// Says that a slot has variables now.
    pub(super) fn add_uses(&mut self, vars: &[Var], slot: u32) {
        for &var in vars {
            self.uses.entry(var).or_default().push(slot);
        }
    }
}

/// The variables of terms, in no order.
pub(super) fn variables(pool: &Pool<'_>, terms: impl IntoIterator<Item = X>) -> Vec<Var> {
    let mut stack: Vec<X> = terms.into_iter().collect();
    let mut seen: FxHashSet<X> = FxHashSet::default();
    let mut vars = Vec::new();
    while let Some(at) = stack.pop() {
        if !seen.insert(at) {
            continue;
        }
        let term = pool.term(at);
        match term.tag {
            Tag::Var(var) => vars.push(var),
            _ => stack.extend(&term.operands),
        }
    }
    vars
}

/// Reads a region as a group.
pub(super) fn read(run: &mut Run<'_>, barriers: &Barriers, region: RegionId) -> Group {
    let mut group = Group::default();
    let mut reader = Reader { run, barriers, group: &mut group };
    reader.region(region);
    if group.has_lets {
        for at in 0..group.slots.len() {
            let terms = group.slots[at].keys.iter().map(|it| it.0);
            let vars = variables(&run.pool, terms);
            run.work.visited += vars.len() as u64;
            group.add_uses(&vars, at as u32);
        }
    }
    group
}

struct Reader<'r, 'a> {
    run: &'r mut Run<'a>,
    barriers: &'r Barriers,
    group: &'r mut Group,
}

impl Reader<'_, '_> {
    fn n_slots(&self) -> u32 {
        self.group.slots.len() as u32
    }

    fn region(&mut self, region: RegionId) {
        ir::stack::with_room(|| {
            let body = self.run.facts.body;
            for &block in &body.regions[region].blocks {
                self.block(block);
            }
        });
    }

    fn block(&mut self, block: BlockId) {
        let body = self.run.facts.body;
        let ops = &body.blocks[block].ops;
        let mut open = Vec::new();
        for (index, &op) in ops.iter().enumerate() {
            let kind = body.ops[op].kind;
            if is_barrier(kind) {
                self.barrier(op);
                continue;
            }
            let statement = self.group.events.len();
            let start = self.n_slots();
            self.group.events.push(Event::Statement(start..start, op));
            let first = self.operands(op);
            match (kind, body.ops[op].results.first(), first) {
                (OpKind::Bind, Some(&value), Some(slot)) => {
                    let var = ir::arena::Id::index(value) as Var;
                    self.group.has_lets = true;
                    let at = self.group.events.len();
                    let region = body.ops[op].regions.first().copied();
                    let before = match region {
                        Some(region) => first_op(body, region),
                        None => ops.get(index + 1).copied(),
                    };
                    let slots = slot + 1..slot + 1;
                    self.group.events.push(Event::Let { var, value: slot, slots, before });
                    match region {
                        Some(region) => {
                            self.region(region);
                            self.close(statement, at);
                        }
                        None => open.push((statement, at)),
                    }
                    continue;
                }
                _ => self.regions(op),
            }
            self.end_statement(statement);
        }
        for (statement, at) in open.into_iter().rev() {
            self.close(statement, at);
        }
    }

    fn end_statement(&mut self, at: usize) {
        let end = self.n_slots();
        if let Event::Statement(slots, _) = &mut self.group.events[at] {
            slots.end = end;
        }
        self.group.events.push(Event::EndStatement);
    }

    /// Ends the body of a binding here.
    fn close(&mut self, statement: usize, at: usize) {
        let end = self.n_slots();
        if let Event::Let { slots, .. } = &mut self.group.events[at] {
            slots.end = end;
        }
        self.group.events.push(Event::EndLet);
        self.end_statement(statement);
    }

    fn regions(&mut self, op: OpId) {
        let body = self.run.facts.body;
        let regions = &body.ops[op].regions;
        // The initialisation of a block comes before its body.
        let is_block = matches!(body.ops[op].kind, OpKind::SBlock(_));
        let mut order: SmallVec<[RegionId; 2]> = regions.iter().copied().collect();
        if is_block {
            order.reverse();
        }
        for region in order {
            let Some(first) = first_op(body, region) else { continue };
            let statement = self.group.events.len();
            let start = self.n_slots();
            self.group.events.push(Event::Statement(start..start, first));
            self.region(region);
            self.end_statement(statement);
        }
    }

    /// Makes slots of the operands; gives the first.
    fn operands(&mut self, op: OpId) -> Option<u32> {
        let facts = self.run.facts;
        let kind = facts.body.ops[op].kind;
        let operands = facts.body.ops[op].operands.len();
        let mut first = None;
        for operand in visited_operands(kind, operands) {
            let Some(occurrence) = facts.occurrences.of_operand(op, operand) else { continue };
            let x = self.run.import(facts.occurrences[occurrence].expr);
            let slot = self.n_slots();
            first.get_or_insert(slot);
            let keys = keys(&self.run.pool, x);
            let occurrence = Some(occurrence);
            self.group.slots.push(Slot { occurrence, x, keys, is_stale: false });
            self.group.events.push(Event::Operand(slot));
        }
        first
    }

    fn barrier(&mut self, op: OpId) {
        let mut seen = SmallVec::new();
        for &(expr, n) in self.barriers.keys(op) {
            let x = self.run.import(expr);
            if self.run.pool.term(x).is_eligible {
                seen.push((x, n));
            }
        }
        if !seen.is_empty() {
            let slot = Slot { occurrence: None, x: 0, keys: seen, is_stale: false };
            self.group.slots.push(slot);
        }
        self.group.events.push(Event::Barrier(op));
    }
}

/// The largest computations of an operand.
pub(super) fn keys(pool: &Pool<'_>, x: X) -> SmallVec<[(X, u32); 2]> {
    let mut found = Vec::new();
    pool.maximal(x, &mut found);
    found.into_iter().map(|it| (it, 1)).collect()
}

pub(super) fn first_op(body: &ir::Body, region: RegionId) -> Option<OpId> {
    body.regions[region].blocks.iter().find_map(|&it| body.blocks[it].ops.first().copied())
}
