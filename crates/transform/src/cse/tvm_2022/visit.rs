//! The order of visits: sweeps at every statement, then its contents.
//!
//! A sweep at a statement inside another one finds something only if the context grew (in the body of a binding or of a
//! loop), if a barrier opened, or if a user's variable was put in since. Nothing else is swept:
//!
//! * a new variable in the context affects only computations that contain it, so only slots that have it are visited;
//! * each variable that is made is a binding too, around the rest; those that stand further in wait in a stack.

use ir::{OpId, OpKind, RegionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    barriers::Barriers,
    group::{self, Event, Group, Slots, first_op, keys, variables},
    pool::{Var, X},
    run::{Home, Run},
    sweep::{Replacing, Table},
};

/// The context of the visitor besides the run.
pub(super) struct Visitor {
    pub(super) barriers: Barriers,
    /// By order of an operation: something is computed twice that has a variable first seen there.
    pub(super) is_repeated: Vec<bool>,
    /// By node: how often it occurs, up to two.
    pub(super) n_occurrences: Vec<u8>,
}

/// The entries that end with a binding's body or a group.
struct Scope {
    mark: usize,
    entered: Vec<(Var, Option<X>)>,
}

/// The slots and waiting bindings that contain each new variable.
#[derive(Default)]
struct Users {
    slots: Vec<u32>,
    waiting: Vec<usize>,
}

impl Visitor {
    /// Visits a region: the body of the function, of a loop, a branch.
    pub(super) fn region(&self, run: &mut Run<'_>, region: RegionId) {
        let Some(before) = first_op(run.facts.body, region) else { return };
        ir::stack::with_room(|| {
            let mut group = group::read(run, &self.barriers, region);
            let mut scopes = vec![Scope { mark: run.mark(), entered: Vec::new() }];
            let all: Vec<u32> = (0..group.slots.len() as u32).collect();
            self.root(run, &mut group, all, before, &mut scopes);
            let events = std::mem::take(&mut group.events);
            for event in &events {
                self.event(run, &mut group, event, &mut scopes);
            }
            for slot in &group.slots {
                run.results.extend(slot.occurrence.map(|it| (it, slot.x)));
            }
            while let Some(scope) = scopes.pop() {
                close(run, scope);
            }
        });
    }

    fn event(&self, run: &mut Run<'_>, group: &mut Group, event: &Event, scopes: &mut Vec<Scope>) {
        run.work.visited += 1;
        match event {
            Event::Statement(slots, before) => {
                scopes.push(Scope { mark: run.mark(), entered: Vec::new() });
                let is_stale = |group: &Group| {
                    run.has_merged() && slots.clone().any(|it| group.slots[it as usize].is_stale)
                };
                if is_stale(group) {
                    self.root(run, group, slots.clone().collect(), *before, scopes);
                }
            }
            Event::EndStatement => {
                if let Some(scope) = scopes.pop() {
                    close(run, scope);
                }
            }
            Event::Operand(slot) => {
                let at = &mut group.slots[*slot as usize];
                let is_stale = std::mem::take(&mut at.is_stale);
                if let Some(occurrence) = at.occurrence
                    && (is_stale || run.pool.term(at.x).has_let)
                {
                    at.x = run.expression(at.x, Some(occurrence), None, !is_stale);
                }
            }
            Event::Let { var, value, slots, before } => {
                let value = group.slots[*value as usize].x;
                scopes.push(Scope { mark: run.mark(), entered: vec![(*var, Some(value))] });
                run.enter(*var, Some(value));
                if let Some(before) = before {
                    let slots = self.of_binding(run, group, *var, value, slots);
                    self.root(run, group, slots, *before, scopes);
                }
            }
            Event::EndLet => {
                if let Some(scope) = scopes.pop() {
                    close(run, scope);
                }
            }
            Event::Barrier(op) => self.barrier(run, *op),
        }
    }

    /// The slots that a new binding makes interesting.
    fn of_binding(
        &self,
        run: &Run<'_>,
        group: &Group,
        var: Var,
        value: X,
        range: &Slots,
    ) -> Vec<u32> {
        if run.has_merged() && range.clone().any(|it| group.slots[it as usize].is_stale) {
            return range.clone().collect();
        }
        let mut slots = match run.pool.value_of(var) {
            Some(it) if !self.has_repeated(run, it) => Vec::new(),
            _ => group.uses(var, range),
        };
        let term = run.pool.term(value);
        let is_repeated = self.n_occurrences[ir::arena::Id::index(term.origin)] > 1;
        if term.is_eligible && (is_repeated || run.has_merged()) {
            slots.extend(group.may_have(&run.pool, value, range));
            slots.sort_unstable();
            slots.dedup();
        }
        slots
    }

    fn has_repeated(&self, run: &Run<'_>, value: ir::ValueId) -> bool {
        let order = run.facts.scopes.visible_from(run.facts.body, value);
        run.has_merged() || self.is_repeated.get(order as usize).copied().unwrap_or_default()
    }

    fn barrier(&self, run: &mut Run<'_>, op: OpId) {
        let body = run.facts.body;
        let kind = body.ops[op].kind;
        let n_operands = if matches!(kind, OpKind::For(_)) { 2 } else { 1 };
        for operand in 0..n_operands {
            let Some(occurrence) = run.facts.occurrences.of_operand(op, operand) else { continue };
            let x = run.import(run.facts.occurrences[occurrence].expr);
            let x = run.expression(x, Some(occurrence), None, false);
            run.results.push((occurrence, x));
        }
        for &region in &body.ops[op].regions {
            let args = match kind {
                OpKind::For(_) => body.blocks[body.entry(region)].args.clone(),
                _ => Default::default(),
            };
            let vars: Vec<Var> = args.iter().map(|&it| ir::arena::Id::index(it) as Var).collect();
            vars.iter().for_each(|&it| run.enter(it, None));
            self.region(run, region);
            vars.iter().for_each(|&it| run.leave(it, None));
        }
    }

    /// Sweeps at one statement until nothing is made, then at the body of each binding that was made, from the
    /// outermost on.
    fn root(
        &self,
        run: &mut Run<'_>,
        group: &mut Group,
        mut slots: Vec<u32>,
        before: OpId,
        scopes: &mut [Scope],
    ) {
        let all = slots.clone();
        let mut waiting: Vec<usize> = Vec::new();
        let mut near: Vec<usize> = Vec::new();
        let mut users: FxHashMap<Var, Users> = FxHashMap::default();
        loop {
            let mut is_stale = false;
            while !(slots.is_empty() && near.is_empty()) {
                let made = sweep_once(run, group, &slots, &mut near, before, &mut users);
                waiting.extend(made.iter().flatten());
                is_stale = made.as_ref().is_some_and(Vec::is_empty);
                if made.is_none_or(|it| it.is_empty()) {
                    break;
                }
            }
            let Some(next) = waiting.pop() else { break };
            let (var, value) = (run.made[next].var, run.made[next].value);
            run.standing.push(next);
            run.enter(var, Some(value));
            if let Some(scope) = scopes.last_mut() {
                scope.entered.push((var, Some(value)));
            }
            let of_var = users.remove(&var).unwrap_or_default();
            slots = of_var.slots;
            slots.sort_unstable();
            slots.dedup();
            near = of_var.waiting;
            near.sort_unstable();
            near.dedup();
            if is_stale {
                // A user's variable was put in: what is new is not only what has this variable.
                (slots, near) = (all.clone(), waiting.clone());
            }
        }
    }
}

/// One sweep over the given slots and the values of waiting bindings. Returns the new bindings; `None` if nothing
/// changed.
fn sweep_once(
    run: &mut Run<'_>,
    group: &mut Group,
    slots: &[u32],
    near: &mut Vec<usize>,
    before: OpId,
    users: &mut FxHashMap<Var, Users>,
) -> Option<Vec<usize>> {
    let mut table = Table::default();
    // What was made last stands first.
    for &at in near.iter().rev() {
        for (x, n) in keys(&run.pool, run.made[at].value) {
            run.count(&mut table, x, n);
        }
    }
    for &slot in slots {
        for &(x, n) in &group.slots[slot as usize].keys {
            run.count(&mut table, x, n);
        }
    }
    let given = run.sweep(table, Home::Before(before));
    if given.is_empty() {
        return None;
    }
    let mut replacing = Replacing::new(run, &given);
    let mut made = Vec::new();
    for it in given.iter().filter(|it| it.is_made) {
        let value = replacing.apply_inside(run, it.x);
        let number = run.number_of[&it.var];
        run.made[number].value = value;
        made.push(number);
    }
    let vars: FxHashSet<Var> = given.iter().map(|it| it.var).collect();
    let given_in = |run: &Run<'_>, terms: &mut dyn Iterator<Item = X>| -> Vec<Var> {
        let all = variables(&run.pool, terms);
        all.into_iter().filter(|it| vars.contains(it)).collect()
    };
    for &at in near.iter() {
        let value = replacing.apply(run, run.made[at].value);
        run.made[at].value = value;
    }
    near.extend(&made);
    for &at in near.iter() {
        for var in given_in(run, &mut std::iter::once(run.made[at].value)) {
            users.entry(var).or_default().waiting.push(at);
        }
    }
    for &slot in slots {
        if !replace_in(run, group, slot, &mut replacing) {
            continue;
        }
        let here = &mut group.slots[slot as usize];
        here.is_stale = made.is_empty();
        let found = given_in(run, &mut here.keys.iter().map(|it| it.0).chain([here.x]));
        for &var in &found {
            users.entry(var).or_default().slots.push(slot);
        }
        group.add_uses(&found, slot);
    }
    for it in &given {
        run.name(it.x, it.var);
    }
    Some(made)
}

/// Makes the replacements in a slot. Says whether it changed.
fn replace_in(run: &mut Run<'_>, group: &mut Group, slot: u32, replacing: &mut Replacing) -> bool {
    let here = &mut group.slots[slot as usize];
    if here.occurrence.is_some() {
        let x = replacing.apply(run, here.x);
        if x == here.x {
            return false;
        }
        here.x = x;
        here.keys = keys(&run.pool, x);
        return true;
    }
    let mut is_changed = false;
    for key in &mut here.keys {
        let x = replacing.apply(run, key.0);
        is_changed |= x != key.0;
        key.0 = x;
    }
    here.keys.retain(|it| run.pool.term(it.0).is_eligible);
    is_changed
}

fn close(run: &mut Run<'_>, scope: Scope) {
    for (var, value) in scope.entered.into_iter().rev() {
        run.leave(var, value);
    }
    run.forget(scope.mark);
}
