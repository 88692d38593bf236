//! Applies a plan to a body.
//!
//! In: a body, its occurrences and a plan made from them. Out: a new body with the plan's bindings as operations and
//! its occurrences replaced by their variables; everything else is as it was, ids included. The rewriter decides
//! nothing.
//!
//! A bound value is written with the variables of the bindings it uses; values with the same uses share the rebuilt
//! nodes. Operands are rebuilt from the leaves up, only those that hold a replaced occurrence. Linear in the operands
//! touched and in the values' own parts. No recursion.

mod cells;
mod lets;

use ir::{
    Body, DataType, ExprId, ExprKind, OccurrenceId, Occurrences, OpId, OpKind, Operation, Value,
    ValueKind,
    arena::Id,
    plan::{BindingIdx, CsePlan, Decision, ExistingName, Part, Within},
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::{cells::CellOps, lets::Lets};
use super::{Work, binders};
use crate::replace::{children_of, update_buffer};

/// The body after the plan. Debug builds check that it is valid if the body given is.
pub fn rewrite(body: &Body, occurrences: &Occurrences, plan: &CsePlan) -> Body {
    rewrite_counted(body, occurrences, plan).0
}

/// Like [`rewrite`], with its cost.
pub fn rewrite_counted(body: &Body, occurrences: &Occurrences, plan: &CsePlan) -> (Body, Work) {
    let mut rewriter = Rewriter {
        body: body.clone(),
        occurrences,
        variables: Vec::new(),
        lets: Lets::of(plan),
        cells: CellOps::default(),
        depths: None,
        work: Work::default(),
    };
    rewriter.bind(plan);
    rewriter.make_cells(plan);
    rewriter.replace(plan);
    rewriter.insert(plan);
    rewriter.end_arms();
    #[cfg(debug_assertions)]
    {
        let before = ir::verify::verify(body).len();
        let after = ir::verify::verify(&rewriter.body);
        debug_assert!(before > 0 || after.is_empty(), "the plan breaks the body: {after:?}");
    }
    (rewriter.body, rewriter.work)
}

struct Rewriter<'a> {
    body: Body,
    occurrences: &'a Occurrences,
    /// By binding: its operation, or its value if it is a let inside an expression; and the use of its variable.
    variables: Vec<(Home, ExprId)>,
    lets: Lets,
    cells: CellOps,
    /// By occurrence: the binders around it; found when asked for.
    depths: Option<Vec<u32>>,
    work: Work,
}

/// The place where a binding is.
#[derive(Clone, Copy)]
enum Home {
    Op(OpId),
    Let(ExprId),
}

impl Rewriter<'_> {
    /// Makes the operations of the bindings. A value uses only bindings before its own.
    fn bind(&mut self, plan: &CsePlan) {
        let mut memos: FxHashMap<(&[Part], &[Part]), FxHashMap<ExprId, ExprId>> =
            FxHashMap::default();
        for (index, binding) in plan.bindings.iter().enumerate() {
            let memo = memos
                .entry((&binding.uses[..], &binding.reuses[..]))
                .or_insert_with(|| self.substitution(plan, &binding.uses, &binding.reuses));
            let mut value = self.rebuild(binding.expr, memo);
            value = self.at_home(plan, index, value);
            if let Some(inner) = self.lets.in_value.remove(&index) {
                value = self.wrap(plan, &inner, value);
            }
            if binding.within.is_some() {
                let use_of_it = lets::placeholder(&mut self.body, index, binding.expr);
                self.variables.push((Home::Let(value), use_of_it));
                continue;
            }
            let parent = self.body.ops[binding.before].parent;
            let op = self.body.ops.push(Operation {
                kind: OpKind::Bind,
                operands: [value].into_iter().collect(),
                results: Default::default(),
                regions: Default::default(),
                successors: Default::default(),
                attrs: Body::no_attrs(),
                parent,
            });
            let name = self.body.intern(&binding.name);
            let ty = self.body.ty(binding.expr);
            let kind = ValueKind::Result(op, 0);
            let variable = self.body.values.push(Value { name, ty, kind, is_size: false });
            self.body.ops[op].results.push(variable);
            let use_of_it = self.body.make(ExprKind::Value(variable), ty);
            self.variables.push((Home::Op(op), use_of_it));
        }
    }

    /// A value as it is where its let stands: it may be written inside of more lets, or fewer.
    fn at_home(&mut self, plan: &CsePlan, index: BindingIdx, value: ExprId) -> ExprId {
        let binding = &plan.bindings[index];
        let is_open = self.body.expr(binding.expr).flags.open_binders > 0;
        let Some(within) = binding.within.filter(|_| is_open) else { return value };
        let to = self.depth_of(plan, within);
        if to == binding.depth {
            return value;
        }
        lets::moved(&mut self.body, value, binding.depth, to, &mut self.work)
    }

    /// The lets around the expression that a let of the plan encloses.
    fn depth_of(&mut self, plan: &CsePlan, mut within: Within) -> u32 {
        loop {
            match within {
                Within::Occurrence(it) => {
                    let of_all = || binders::depths(&self.body, self.occurrences);
                    return self.depths.get_or_insert_with(of_all)[it.index()];
                }
                Within::Value(of) => match plan.bindings[of].within {
                    Some(next) => within = next,
                    None => return 0,
                },
            }
        }
    }

    /// The lets of some bindings around an expression, the first outermost.
    fn wrap(&mut self, plan: &CsePlan, bindings: &[BindingIdx], mut inner: ExprId) -> ExprId {
        for &index in bindings.iter().rev() {
            if let (Home::Let(value), variable) = self.variables[index] {
                let name = self.body.intern(&plan.bindings[index].name);
                inner = lets::bind(&mut self.body, variable, value, inner, name, &mut self.work);
            }
        }
        inner
    }

    /// Returns the expressions that a value is written with.
    fn substitution(
        &mut self,
        plan: &CsePlan,
        uses: &[Part],
        reuses: &[Part],
    ) -> FxHashMap<ExprId, ExprId> {
        let mut map = FxHashMap::default();
        for part in uses {
            map.insert(part.expr, self.variables[part.of].1);
        }
        for part in reuses {
            if let Decision::Reuse(reuse) = &plan.groups[part.of].decision {
                let variable = self.use_of(reuse.held);
                map.insert(part.expr, variable);
            }
        }
        map
    }

    fn use_of(&mut self, held: ExistingName) -> ExprId {
        match held {
            ExistingName::Value(value) => self.body.value_expr(value),
            ExistingName::Cell(buffer) => {
                let zero = self.body.int(0, DataType::INT32);
                self.body.load(buffer, &[zero], None)
            }
        }
    }

    /// `expr` with its strict parts replaced by `memo`, which also keeps the rebuilt nodes.
    fn rebuild(&mut self, expr: ExprId, memo: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        if memo.is_empty() {
            return expr;
        }
        // A node is visited twice: to go down, and when its operands are done.
        let mut stack = vec![(expr, false)];
        while let Some((at, done)) = stack.pop() {
            self.work.visited += 1;
            if done {
                let rebuilt = self.map_operands(at, |child, _| memo[&child]);
                memo.insert(at, rebuilt);
                continue;
            }
            if memo.contains_key(&at) {
                continue;
            }
            stack.push((at, true));
            self.body.each_child(self.body.expr(at).kind, &mut |child| stack.push((child, false)));
        }
        memo[&expr]
    }

    /// The node with its operands, given with their index, mapped; itself if none changes.
    fn map_operands(&mut self, expr: ExprId, map: impl Fn(ExprId, usize) -> ExprId) -> ExprId {
        let mut index = 0;
        let mut changes = false;
        self.body.each_child(self.body.expr(expr).kind, &mut |child| {
            changes |= map(child, index) != child;
            index += 1;
        });
        if !changes {
            return expr;
        }
        self.work.hashed += std::mem::size_of::<ExprKind>() as u64;
        let mut index = 0;
        self.body.map_children(expr, &mut |_, child| {
            index += 1;
            map(child, index - 1)
        })
    }

    // ---- occurrences ----

    fn replace(&mut self, plan: &CsePlan) {
        let mut replaced: Vec<(OccurrenceId, ExprId)> = Vec::new();
        for (index, binding) in plan.bindings.iter().enumerate() {
            let variable = self.variables[index].1;
            replaced.extend(binding.replaces.iter().map(|&it| (it, variable)));
        }
        for group in &plan.groups {
            if let Decision::Reuse(reuse) = &group.decision {
                let variable = self.use_of(reuse.held);
                replaced.extend(reuse.replaces.iter().map(|&it| (it, variable)));
            }
        }
        for (number, cell) in plan.inserted() {
            if let Some(&load) = self.cells.loads.get(&number) {
                replaced.extend(cell.replaces.iter().map(|&it| (it, load)));
            }
        }
        self.work.compared += (replaced.len() * size_of::<OccurrenceId>()) as u64;
        replaced.sort_unstable_by_key(|it| it.0);
        let around = std::mem::take(&mut self.lets.around);
        let mut at = 0;
        while at < replaced.len() {
            let op = self.occurrences[replaced[at].0].op;
            let mut end = at + 1;
            while end < replaced.len() && self.occurrences[replaced[end].0].op == op {
                end += 1;
            }
            self.replace_in(plan, op, &replaced[at..end], &around);
            at = end;
        }
    }

    /// Rebuilds the operands of one operation.
    fn replace_in(
        &mut self,
        plan: &CsePlan,
        op: OpId,
        replaced: &[(OccurrenceId, ExprId)],
        around: &FxHashMap<OccurrenceId, Vec<BindingIdx>>,
    ) {
        let ids: Vec<OccurrenceId> = self.occurrences.of_op(op).collect();
        let Some(&first) = ids.first() else { return };
        self.work.visited += ids.len() as u64;
        let mut new: Vec<ExprId> = ids.iter().map(|&it| self.occurrences[it].expr).collect();
        let mut pending = replaced.iter().rev().peekable();
        let occurrences = self.occurrences;
        for (at, &id) in ids.iter().enumerate().rev() {
            if let Some(&&(_, variable)) = pending.peek().filter(|it| it.0 == id) {
                pending.next();
                new[at] = variable;
                continue;
            }
            let children = children_of(occurrences, id);
            let slots: smallvec::SmallVec<[ExprId; 4]> =
                children.map(|it| new[it.index() - first.index()]).collect();
            new[at] = self.map_operands(new[at], |_, index| slots[index]);
            if let Some(lets) = around.get(&id) {
                new[at] = self.wrap(plan, lets, new[at]);
            }
        }
        let mut old = Vec::new();
        for (at, &id) in ids.iter().enumerate() {
            let here = self.occurrences[id];
            if here.parent.is_none() {
                let operand = &mut self.body.ops[op].operands[here.operand as usize];
                old.push((*operand, new[at]));
                *operand = new[at];
            }
        }
        update_buffer(&mut self.body, op, &old);
    }

    // ---- operations ----

    fn insert(&mut self, plan: &CsePlan) {
        let mut before: FxHashMap<OpId, Vec<OpId>> = FxHashMap::default();
        let mut blocks = Vec::new();
        for (binding, &(home, _)) in plan.bindings.iter().zip(&self.variables) {
            let Home::Op(op) = home else { continue };
            before.entry(binding.before).or_default().push(op);
            blocks.push(self.body.ops[op].parent);
        }
        for (op, new) in std::mem::take(&mut self.cells.before) {
            blocks.push(self.body.ops[op].parent);
            before.entry(op).or_default().push(new);
        }
        let dropped: FxHashSet<OpId> = plan.dropped.iter().copied().collect();
        blocks.extend(plan.dropped.iter().map(|&it| self.body.ops[it].parent));
        blocks.sort_unstable();
        blocks.dedup();
        for block in blocks {
            let old = std::mem::take(&mut self.body.blocks[block].ops);
            self.work.visited += old.len() as u64;
            let mut new = Vec::with_capacity(old.len() + plan.bindings.len().min(old.len()));
            for op in old {
                new.extend(before.get(&op).into_iter().flatten());
                if !dropped.contains(&op) {
                    new.push(op);
                }
            }
            self.body.blocks[block].ops = new;
        }
    }
}
