//! A body in which a run of operations of one block was replaced.
//!
//! In: a body, the place of a run of operations without regions and successors, and its replacement: a small body whose
//! first values stand for values of the first one (*outer*), and those after its results for values that are defined
//! *behind* the run; what else it has is defined nowhere. Out: the body that building everything anew would give, up
//! to the numbering of interned names, expressions and dictionaries: existing ones keep their numbers, new ones follow,
//! and unused ones stay in their table. Operations and values have the numbers of program order.
//! [`Body::is_equal_but_for_interned`] is that equality.
//!
//! Tables are copied and, if the numbers of operations or values change, gone through once: O(size), a few machine
//! words each.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Body;
use crate::{
    AttrDictId, BlockId, ExprId, ExprKind, NameId, OpId, OpKind, Operation, Type, Value, ValueId,
    ValueKind, arena::Id,
};

/// The place where a run of operations is: their numbers, those of their results, and their block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpRun {
    /// The block.
    pub block: BlockId,
    /// The operations. Empty at the place where one would be inserted.
    pub ops: Range<usize>,
    /// Their results.
    pub values: Range<usize>,
}

impl Body {
    /// This body with the operations of the entry block of `part` in the place of a run. The first values of `part`
    /// stand for `outer`, those after its results for `behind`, and the others are added as they are. A result that
    /// something outside of the run uses must have a namesake of its type among the new ones. None where that is not
    /// so, `part` has more than operations without regions and successors whose operands are values, or both bodies
    /// have values that nothing defines.
    pub fn with_run(
        &self,
        run: &OpRun,
        part: &Body,
        outer: &[ValueId],
        behind: &[ValueId],
    ) -> Option<Body> {
        let splice = Splice::plan(self, run, part, outer, behind)?;
        Some(splice.apply())
    }
}

/// A splice that is possible.
struct Splice<'a> {
    body: &'a Body,
    run: &'a OpRun,
    part: &'a Body,
    outer: &'a [ValueId],
    behind: &'a [ValueId],
    /// The number of results in the new run.
    n_results: usize,
    /// The place where the results of the run are in the new body: those that have namesakes.
    kept: Vec<Option<usize>>,
    /// True if a value that stays is renumbered.
    moves_values: bool,
}

impl<'a> Splice<'a> {
    fn plan(
        body: &'a Body,
        run: &'a OpRun,
        part: &'a Body,
        outer: &'a [ValueId],
        behind: &'a [ValueId],
    ) -> Option<Splice<'a>> {
        let is_value = |it: &ExprId| matches!(part.expr(*it).kind, ExprKind::Value(_));
        let is_plain = |op: &Operation| {
            op.regions.is_empty()
                && op.successors.is_empty()
                && op.operands.iter().all(is_value)
                && matches!(op.kind, OpKind::Named(_) | OpKind::Opaque(_))
        };
        let is_result = |it: &Value| matches!(it.kind, ValueKind::Result(..));
        let mut inner = part.values.iter().map(|(_, it)| it).skip(outer.len());
        let n_results = inner.by_ref().take_while(|it| is_result(it)).count();
        let are_results_first = !inner.any(is_result);
        let n_known = outer.len() + n_results + behind.len();
        let is_undefined_once = part.values.len() == n_known || body.unresolved.is_empty();
        let are_operations_plain = part.ops.iter().all(|(_, it)| is_plain(it));
        if !are_operations_plain || !are_results_first || !is_undefined_once {
            return None;
        }
        let mut results: FxHashMap<&str, (usize, Type)> = FxHashMap::default();
        for (at, id) in part.values.ids().skip(outer.len()).take(n_results).enumerate() {
            let Value { name, ty, .. } = part.values[id];
            results.insert(part.name(name), (run.values.start + at, ty));
        }
        results.remove("");
        let namesake = |old: usize| {
            let Value { name, ty, .. } = body.values[ValueId::new(old)];
            let &(at, new) = results.get(body.name(name))?;
            same_type(body, ty, part, new).then_some(at)
        };
        let kept: Vec<Option<usize>> = run.values.clone().map(namesake).collect();
        let stay = run.values.clone().zip(&kept).all(|(old, new)| *new == Some(old));
        let moves = |(old, new): (usize, &Option<usize>)| new.is_some_and(|new| new != old);
        let moves_values =
            n_results != run.values.len() || run.values.clone().zip(&kept).any(moves);
        let splice = Splice { body, run, part, outer, behind, n_results, kept, moves_values };
        (stay || splice.keeps_what_is_used()).then_some(splice)
    }

    /// Returns true if every result of the run that has other uses has a namesake in the new run.
    fn keeps_what_is_used(&self) -> bool {
        let body = self.body;
        let is_kept = |expr: &ExprId| match body.expr(*expr).kind {
            ExprKind::Value(value) if self.run.values.contains(&value.index()) => {
                self.kept[value.index() - self.run.values.start].is_some()
            }
            _ => true,
        };
        body.ops.iter().all(|(id, op)| {
            let lists = op.successors.iter().flat_map(|it| body.items(it.args));
            self.run.ops.contains(&id.index()) || op.operands.iter().chain(lists).all(is_kept)
        })
    }

    fn apply(self) -> Body {
        let mut new = self.body.clone();
        let block = self.run.block;
        self.put_values(&mut new);
        if self.moves_values {
            self.renumber_values(&mut new);
        }
        let undefined = self.add_undefined(&mut new);
        let ops = self.new_ops(&mut new, undefined);
        let n_ops = ops.len();
        new.ops.splice(self.run.ops.clone(), ops);
        let old_ops = &self.run.ops;
        let first = new.blocks[block].ops.partition_point(|it| it.index() < old_ops.start);
        let last = new.blocks[block].ops.partition_point(|it| it.index() < old_ops.end);
        let ids = (old_ops.start..old_ops.start + n_ops).map(OpId::new);
        new.blocks[block].ops.splice(first..last, ids);
        if n_ops != old_ops.len() {
            self.renumber_ops(&mut new, n_ops, first + n_ops);
        }
        new
    }

    fn put_values(&self, new: &mut Body) {
        let part = self.part;
        let mut values = Vec::with_capacity(self.n_results);
        for id in part.values.ids().skip(self.outer.len()).take(self.n_results) {
            let Value { name, ty, kind, is_size } = part.values[id];
            let name = new.intern(part.name(name));
            let ty = match ty {
                Type::Named(name) => Type::Named(new.intern(part.name(name))),
                other => other,
            };
            let kind = match kind {
                ValueKind::Result(op, at) => {
                    ValueKind::Result(OpId::new(op.index() + self.run.ops.start), at)
                }
                other => other,
            };
            values.push(Value { name, ty, kind, is_size });
        }
        new.values.splice(self.run.values.clone(), values);
    }

    /// The number that a value of the old body has now.
    fn moved(&self, value: ValueId) -> ValueId {
        let (at, run) = (value.index(), &self.run.values);
        if at < run.start {
            value
        } else if at < run.end {
            ValueId::new(self.kept[at - run.start].unwrap_or(at))
        } else {
            ValueId::new(at - run.len() + self.n_results)
        }
    }

    fn renumber_values(&self, new: &mut Body) {
        for id in new.ops.ids().filter(|it| !self.run.ops.contains(&it.index())) {
            for at in 0..new.ops[id].operands.len() {
                let operand = new.ops[id].operands[at];
                new.ops[id].operands[at] = self.moved_operand(new, operand);
            }
            for at in 0..new.ops[id].successors.len() {
                let mut items = new.items(new.ops[id].successors[at].args).to_vec();
                for item in &mut items {
                    *item = self.moved_operand(new, *item);
                }
                new.ops[id].successors[at].args = new.list(&items);
            }
            for result in &mut new.ops[id].results {
                *result = self.moved(*result);
            }
        }
        for param in &mut new.params {
            param.value = self.moved(param.value);
        }
        for id in new.blocks.ids() {
            for arg in &mut new.blocks[id].args {
                *arg = self.moved(*arg);
            }
        }
    }

    /// An operand of the old body, where values have their new numbers.
    fn moved_operand(&self, new: &mut Body, operand: ExprId) -> ExprId {
        match self.body.expr(operand).kind {
            ExprKind::Value(value) if value.index() >= self.run.values.start => {
                new.value_expr(self.moved(value))
            }
            _ => operand,
        }
    }

    /// Adds the values of the part that nothing defines. Gives the number of the first.
    fn add_undefined(&self, new: &mut Body) -> usize {
        let part = self.part;
        let first = new.values.len();
        let n_known = self.outer.len() + self.n_results + self.behind.len();
        for id in part.values.ids().skip(n_known) {
            let Value { name, ty, kind, .. } = part.values[id];
            new.new_value(part.name(name), ty, kind);
        }
        let unresolved = part.unresolved.iter().map(|it| new.intern(part.name(*it)));
        let unresolved: Vec<NameId> = unresolved.collect();
        new.unresolved.extend(unresolved);
        first
    }

    /// The operations of the part, in the terms of the new body, which has their values already, and those that nothing
    /// defines from a number on.
    fn new_ops(&self, new: &mut Body, undefined: usize) -> Vec<Operation> {
        let part = self.part;
        let n_outer = self.outer.len();
        let n_own = n_outer + self.n_results;
        let n_known = n_own + self.behind.len();
        let mut names: FxHashMap<NameId, NameId> = FxHashMap::default();
        let mut dicts: FxHashMap<AttrDictId, AttrDictId> = FxHashMap::default();
        let inner = |value: ValueId| ValueId::new(value.index() - n_outer + self.run.values.start);
        let value_of = |value: ValueId| match value.index() {
            at if at < n_outer => self.outer[at],
            at if at < n_own => inner(value),
            at if at < n_known => self.moved(self.behind[at - n_own]),
            at => ValueId::new(at - n_known + undefined),
        };
        let mut ops = Vec::with_capacity(part.ops.len());
        for (_, op) in part.ops.iter() {
            let mut name =
                |id: NameId| *names.entry(id).or_insert_with(|| new.intern(part.name(id)));
            let kind = match op.kind {
                OpKind::Named(it) => OpKind::Named(name(it)),
                OpKind::Opaque(it) => OpKind::Opaque(name(it)),
                other => other,
            };
            let mut operand = |expr: &ExprId| match part.expr(*expr).kind {
                ExprKind::Value(value) => new.value_expr(value_of(value)),
                // The plan excludes it.
                _ => *expr,
            };
            let mut operands = op.operands.clone();
            for it in &mut operands {
                *it = operand(it);
            }
            let attrs = *dicts
                .entry(op.attrs)
                .or_insert_with(|| new.attr_dict(part.dict(op.attrs).clone()));
            ops.push(Operation {
                kind,
                operands,
                results: op.results.iter().map(|it| inner(*it)).collect(),
                regions: Default::default(),
                successors: Default::default(),
                attrs,
                parent: self.run.block,
            });
        }
        ops
    }

    /// Moves the numbers of the operations behind the run, which in its block stand from `behind` on.
    fn renumber_ops(&self, new: &mut Body, n_ops: usize, behind: usize) {
        let old = &self.run.ops;
        let moved = |op: OpId| match op.index() < old.end {
            true => op,
            false => OpId::new(op.index() - old.len() + n_ops),
        };
        for id in new.blocks.ids() {
            let from = match id == self.run.block {
                true => behind,
                false => new.blocks[id].ops.partition_point(|it| it.index() < old.end),
            };
            for op in &mut new.blocks[id].ops[from..] {
                *op = moved(*op);
            }
        }
        for id in new.regions.ids() {
            let parent = &mut new.regions[id].parent;
            *parent = parent.map(moved);
        }
        let new_values = self.run.values.start..self.run.values.start + self.n_results;
        for id in new.values.ids().filter(|it| !new_values.contains(&it.index())) {
            if let ValueKind::Result(op, _) = &mut new.values[id].kind {
                *op = moved(*op);
            }
        }
    }
}

fn same_type(a: &Body, of_a: Type, b: &Body, of_b: Type) -> bool {
    match (of_a, of_b) {
        (Type::Named(x), Type::Named(y)) => a.name(x) == b.name(y),
        (x, y) => x == y,
    }
}

impl Body {
    /// Returns true if two bodies of operations are equal up to the numbering of names, expressions, lists and
    /// dictionaries, ignoring unused ones. Linear; for tests of [`Body::with_run`].
    pub fn is_equal_but_for_interned(&self, other: &Body) -> bool {
        let (a, b) = (self, other);
        let same_expr = |x: &ExprId, y: &ExprId| {
            a.expr(*x).kind == b.expr(*y).kind && same_type(a, a.ty(*x), b, b.ty(*y))
        };
        let same_exprs = |x: &[ExprId], y: &[ExprId]| {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_expr(x, y))
        };
        let same_kind = |x: OpKind, y: OpKind| match (x, y) {
            (OpKind::Named(x), OpKind::Named(y)) | (OpKind::Opaque(x), OpKind::Opaque(y)) => {
                a.name(x) == b.name(y)
            }
            (x, y) => x == y,
        };
        let same_op = |x: &Operation, y: &Operation| {
            same_kind(x.kind, y.kind)
                && same_exprs(&x.operands, &y.operands)
                && (&x.results, &x.regions, x.parent) == (&y.results, &y.regions, y.parent)
                && a.dict(x.attrs) == b.dict(y.attrs)
                && x.successors.len() == y.successors.len()
                && x.successors.iter().zip(&y.successors).all(|(x, y)| {
                    x.block == y.block && same_exprs(a.items(x.args), b.items(y.args))
                })
        };
        let same_value = |x: &Value, y: &Value| {
            a.name(x.name) == b.name(y.name)
                && same_type(a, x.ty, b, y.ty)
                && (x.kind, x.is_size) == (y.kind, y.is_size)
        };
        let unresolved = |body: &Body| -> Vec<String> {
            body.unresolved.iter().map(|it| body.name(*it).to_owned()).collect()
        };
        a.name == b.name
            && a.dialect == b.dialect
            && a.attrs == b.attrs
            && a.params == b.params
            && a.root == b.root
            && unresolved(a) == unresolved(b)
            && a.blocks == b.blocks
            && a.regions == b.regions
            && a.ops.len() == b.ops.len()
            && a.ops.iter().zip(b.ops.iter()).all(|((_, x), (_, y))| same_op(x, y))
            && a.values.len() == b.values.len()
            && a.values.iter().zip(b.values.iter()).all(|((_, x), (_, y))| same_value(x, y))
    }
}
