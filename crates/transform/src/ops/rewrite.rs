//! Applies a plan of operations to a body.
//!
//! In: a body and a plan about it. Out: a new body in which operations have new numbers, in program order. Nothing is
//! decided here. O(size of the body), no recursion.

use ir::{
    Attr, AttrDictId, BlockId, Body, ExprId, ExprKind, NameId, OpId, OpKind, RegionId, Successor,
    Type, Value, ValueId,
    arena::Table,
    known_ops,
    plan::ops::{OpChange, OpPlan, OutputCopy, carried_values, copies},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{op_traits::value_of, summary::for_each_operand};

/// The body after a plan.
pub fn rewrite(body: &Body, plan: &OpPlan) -> Body {
    let changes = Changes::of(body, plan);
    let mut copy = Copy {
        old: body,
        changes: &changes,
        new: Body::new(&body.name, body.dialect),
        names: FxHashMap::default(),
        dictionaries: FxHashMap::default(),
        values: Table::filled(body.values.len(), None),
        blocks: Table::filled(body.blocks.len(), None),
        ops: Vec::new(),
        copies: Vec::new(),
        copied: FxHashMap::default(),
    };
    copy.new.decorator = body.decorator.clone();
    copy.new.attrs = body.attrs.clone();
    copy.new.reserve(body.ops.len(), body.values.len());
    copy.structure();
    copy.operands();
    copy.new
}

/// A plan by the subject of its actions: dense where every operation asks.
struct Changes {
    gone: Table<OpId, bool>,
    /// Values and their replacements, which stay.
    replaced: Table<ValueId, Option<ValueId>>,
    single: FxHashMap<(OpId, u32), ValueId>,
    /// The operations to move right before each operation, in the order of the plan.
    before: FxHashMap<OpId, Vec<OpId>>,
    moved: Table<OpId, bool>,
    /// Copies behind operations, in the order in which they are made.
    copies: FxHashMap<OpId, Vec<OutputCopy>>,
    /// Removed arguments and results, and the operands that gave them.
    dropped: FxHashSet<ValueId>,
    dropped_operands: FxHashSet<(OpId, u32)>,
}

impl Changes {
    fn of(body: &Body, plan: &OpPlan) -> Changes {
        let mut changes = Changes {
            gone: Table::filled(body.ops.len(), false),
            replaced: Table::filled(body.values.len(), None),
            single: FxHashMap::default(),
            before: FxHashMap::default(),
            moved: Table::filled(body.ops.len(), false),
            copies: FxHashMap::default(),
            dropped: FxHashSet::default(),
            dropped_operands: FxHashSet::default(),
        };
        for copy in copies(body, &plan.actions) {
            changes.copies.entry(copy.into).or_default().push(copy);
        }
        for action in &plan.actions {
            let op = action.op;
            match &action.change {
                OpChange::Delete => changes.gone[op] = true,
                OpChange::Merge { into } | OpChange::MergeWithCopies { into, .. } => {
                    changes.gone[op] = true;
                    for (&from, &to) in body.ops[op].results.iter().zip(&body.ops[*into].results) {
                        changes.replaced[from] = Some(to);
                    }
                }
                OpChange::MergeUses { into, uses } => changes.uses(body, op, *into, uses),
                OpChange::Hoist { before } => {
                    changes.before.entry(*before).or_default().push(op);
                    changes.moved[op] = true;
                }
                OpChange::Argument { argument, value } => {
                    changes.replaced[*argument] = Some(*value);
                }
                OpChange::RemoveArgument { argument } => {
                    changes.dropped.insert(*argument);
                }
            }
        }
        if !changes.dropped.is_empty() {
            // What has moved may be needed by nobody then.
            let gone = &changes.gone;
            changes.before.values_mut().for_each(|all| all.retain(|it| !gone[*it]));
            for it in carried_values(body) {
                if changes.dropped.contains(&it.argument) {
                    changes.dropped.extend(it.result.map(|it| it.1));
                    changes.dropped_operands.extend(it.ways);
                }
            }
        }
        changes
    }

    fn uses(&mut self, body: &Body, op: OpId, into: OpId, uses: &[(OpId, u32)]) {
        for &(user, at) in uses {
            for_each_operand(body, user, |it, operand| {
                let value = value_of(body, operand).filter(|_| it == at);
                let results = &body.ops[op].results;
                if let Some(index) = value.and_then(|it| results.iter().position(|x| *x == it)) {
                    self.single.insert((user, at), body.ops[into].results[index]);
                }
            });
        }
    }

    /// Returns the replacement of a value. Chains end, as a replacement itself stays.
    fn value(&self, mut value: ValueId) -> ValueId {
        while let Some(by) = self.replaced[value] {
            value = by;
        }
        value
    }
}

struct Copy<'a> {
    old: &'a Body,
    changes: &'a Changes,
    new: Body,
    names: FxHashMap<NameId, NameId>,
    dictionaries: FxHashMap<AttrDictId, AttrDictId>,
    values: Table<ValueId, Option<ValueId>>,
    blocks: Table<BlockId, Option<BlockId>>,
    /// Old and new operations.
    ops: Vec<(OpId, OpId)>,
    /// Copies: the new operation and its original.
    copies: Vec<(OpId, ValueId)>,
    /// Operands that use a copy.
    copied: FxHashMap<(OpId, u32), ValueId>,
}

enum Step {
    Region(RegionId, RegionId),
    Ops(BlockId, BlockId, usize),
    Op(OpId, BlockId),
}

impl Copy<'_> {
    /// Makes everything but operands, in program order.
    fn structure(&mut self) {
        let mut stack = vec![Step::Region(self.old.root, self.new.root)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Region(old, new) => self.region(old, new, &mut stack),
                Step::Ops(old, new, at) => {
                    let Some(&op) = self.old.blocks[old].ops.get(at) else { continue };
                    stack.push(Step::Ops(old, new, at + 1));
                    if !self.changes.gone[op] && !self.changes.moved[op] {
                        stack.push(Step::Op(op, new));
                    }
                    // An anchor that goes itself still says where.
                    self.push_moved(op, new, &mut stack);
                }
                Step::Op(op, block) => self.op(op, block, &mut stack),
            }
        }
    }

    fn push_moved(&self, anchor: OpId, block: BlockId, stack: &mut Vec<Step>) {
        let moved = self.changes.before.get(&anchor).map_or(&[][..], Vec::as_slice);
        stack.extend(moved.iter().rev().map(|&it| Step::Op(it, block)));
    }

    fn region(&mut self, old: RegionId, new: RegionId, stack: &mut Vec<Step>) {
        let data = &self.old.regions[old];
        self.new.regions[new].kind = data.kind;
        let first = stack.len();
        for (at, &block) in data.blocks.iter().enumerate() {
            let copy = if at == 0 { self.new.entry(new) } else { self.new.new_block(new) };
            self.blocks[block] = Some(copy);
            let args = &self.old.blocks[block].args;
            for &argument in args.iter().filter(|it| !self.changes.dropped.contains(it)) {
                let Value { name, ty, .. } = self.old.values[argument];
                let (name, ty) = (self.old.name(name), self.ty(ty));
                self.values[argument] = Some(self.new.new_block_arg(copy, name, ty));
            }
            stack.push(Step::Ops(block, copy, 0));
        }
        if data.blocks.is_empty() {
            self.new.regions[new].blocks.clear();
        }
        stack[first..].reverse();
    }

    fn op(&mut self, op: OpId, block: BlockId, stack: &mut Vec<Step>) {
        let data = &self.old.ops[op];
        let kind = match data.kind {
            OpKind::Named(name) => OpKind::Named(self.name(name)),
            OpKind::Opaque(name) => OpKind::Opaque(self.name(name)),
            other => other,
        };
        let copy = self.new.push_op(block, kind, &[]);
        self.ops.push((op, copy));
        self.new.ops[copy].attrs = self.dictionary(data.attrs);
        for &result in data.results.iter().filter(|it| !self.changes.dropped.contains(it)) {
            let Value { name, ty, .. } = self.old.values[result];
            let (name, ty) = (self.old.name(name), self.ty(ty));
            self.values[result] = Some(self.new.push_result(copy, name, ty));
        }
        let first = stack.len();
        for &region in &data.regions {
            let new = self.new.push_region(copy);
            stack.push(Step::Region(region, new));
        }
        stack[first..].reverse();
        self.copies_of(op, block);
    }

    /// The copies right behind an operation.
    fn copies_of(&mut self, op: OpId, block: BlockId) {
        let changes = self.changes;
        for copy in changes.copies.get(&op).map_or(&[][..], Vec::as_slice).iter().rev() {
            let kind = OpKind::Named(known_ops::PD_OP_ASSIGN);
            let assign = self.new.push_op(block, kind, &[]);
            if let Some(stops) = &copy.stop_gradient {
                let text = Attr::Text(format!("[{stops}]").into());
                self.new.ops[assign].attrs =
                    self.new.attr_dict(vec![("stop_gradient".into(), text)]);
            }
            let ty = self.ty(self.old.values[copy.value].ty);
            let result = self.new.push_result(assign, &copy.name, ty);
            self.copies.push((assign, copy.value));
            self.copied.extend(copy.outputs.iter().map(|&it| (it, result)));
        }
    }

    fn operands(&mut self) {
        for (assign, source) in std::mem::take(&mut self.copies) {
            if let Some(value) = self.values[source] {
                let operand = self.new.value_expr(value);
                self.new.ops[assign].operands.push(operand);
            }
        }
        let mut operands: Vec<(u32, ExprId)> = Vec::new();
        let mut rewritten: Vec<ExprId> = Vec::new();
        for (old, new) in std::mem::take(&mut self.ops) {
            ir::interrupt::check();
            operands.clear();
            rewritten.clear();
            let body = self.old;
            for_each_operand(body, old, |at, operand| operands.push((at, operand)));
            let changes = self.changes;
            let stays = |at: u32| !changes.dropped_operands.contains(&(old, at));
            let kept = operands.iter().filter(|(at, _)| stays(*at));
            rewritten.extend(kept.map(|&(at, it)| self.operand(old, at, it)));
            let mut first = body.ops[old].operands.len() as u32;
            let n = (0..first).filter(|it| stays(*it)).count();
            self.new.ops[new].operands = rewritten[..n].into();
            let mut rest = &rewritten[n..];
            for successor in &body.ops[old].successors {
                let end = first + body.items(successor.args).len() as u32;
                let n = (first..end).filter(|it| stays(*it)).count();
                first = end;
                let args = self.new.list(&rest[..n]);
                rest = &rest[n..];
                let block = self.blocks[successor.block].expect("all blocks are copied");
                self.new.ops[new].successors.push(Successor { block, args });
            }
        }
    }

    fn operand(&mut self, op: OpId, at: u32, operand: ExprId) -> ExprId {
        let Some(value) = value_of(self.old, operand) else {
            return match (self.old.expr(operand).kind, self.old.ty(operand)) {
                // An operand of PIR that is not there.
                (ExprKind::Tuple(_), ty) => {
                    let (nothing, ty) = (self.new.list(&[]), self.ty(ty));
                    self.new.make(ExprKind::Tuple(nothing), ty)
                }
                _ => self.new.opaque(""),
            };
        };
        if let Some(&value) = self.copied.get(&(op, at)) {
            return self.new.value_expr(value);
        }
        let single = self.changes.single.get(&(op, at)).copied();
        let value = self.changes.value(single.unwrap_or(value));
        match self.values[value] {
            Some(value) => self.new.value_expr(value),
            // Not defined in the text either.
            None => {
                let Value { name, ty, kind, .. } = self.old.values[value];
                let (name, ty) = (self.old.name(name), self.ty(ty));
                let new = self.new.new_value(name, ty, kind);
                self.values[value] = Some(new);
                self.new.value_expr(new)
            }
        }
    }

    fn name(&mut self, name: NameId) -> NameId {
        let (old, new) = (self.old, &mut self.new);
        *self.names.entry(name).or_insert_with(|| new.intern(old.name(name)))
    }

    fn dictionary(&mut self, attrs: AttrDictId) -> AttrDictId {
        let (old, new) = (self.old, &mut self.new);
        *self.dictionaries.entry(attrs).or_insert_with(|| new.attr_dict(old.dict(attrs).clone()))
    }

    fn ty(&mut self, ty: Type) -> Type {
        match ty {
            Type::Named(name) => Type::Named(self.name(name)),
            other => other,
        }
    }
}
