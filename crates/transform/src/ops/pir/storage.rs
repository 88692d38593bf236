//! Values that may share storage, and the writes to each storage.
//!
//! Values are put into classes: the results of views, lists and in-place operations with the operands that they may
//! share storage with, the inputs and outputs of sub-blocks, and all values that an unknown operation touches. Each
//! class has a version: the number of writes so far in program order. An operation that is unknown, also to Paddle's
//! registry, writes everything, and so does entering sub-blocks in which anything is written, since a loop comes back.
//! Linear, but for the inverse Ackermann function of the classes.

use ir::{
    Body, ExprId, ExprKind, OpId, OpKind, ValueId,
    arena::Id,
    effects::{EffectTable, Flags, MatchKind, MemorySet, Namespace, paddle_op},
    known_ops,
    walk::WalkEvent,
};
use smallvec::SmallVec;

/// The effect of an operation on the storage of its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// Results are fresh.
    Nothing,
    /// Results may share storage with operands.
    Shares,
    /// Results may share storage with the first operand.
    Views,
    /// Overwrites these operands, whose storage the results share.
    Overwrites(&'static [u32]),
    /// Overwrites all operands.
    OverwritesAll,
    /// May write anything.
    Anything,
}

/// The classes, and their versions at the operation that is looked at.
pub(super) struct Storage {
    touches: Vec<Touch>,
    classes: Classes,
    /// The first writer of a class.
    first_writer: Vec<Option<OpId>>,
    last_writer: Vec<Option<OpId>>,
    versions: Vec<u32>,
    /// Writes to everything so far, and the last.
    epoch: u32,
    last_of_all: Option<OpId>,
    /// Operations with sub-blocks in which something is written.
    writes_inside: Vec<bool>,
}

impl Storage {
    /// Gathers the classes of a body.
    pub(super) fn new(body: &Body, effects: &EffectTable) -> Storage {
        let touches: Vec<Touch> = body.ops.ids().map(|op| touch(body, effects, op)).collect();
        let mut classes = Classes::new(body.values.len());
        for op in body.ops.ids() {
            classes.join(body, op, touches[op.index()]);
        }
        classes.flatten();
        let n_values = body.values.len();
        let mut res = Storage {
            touches,
            classes,
            first_writer: vec![None; n_values],
            last_writer: vec![None; n_values],
            versions: vec![0; n_values],
            epoch: 0,
            last_of_all: None,
            writes_inside: vec![false; body.ops.len()],
        };
        res.gather_writers(body);
        res
    }

    fn gather_writers(&mut self, body: &Body) {
        let mut open: Vec<bool> = Vec::new();
        for event in body.walk(body.root) {
            match event {
                WalkEvent::Enter(op) => {
                    open.push(false);
                    for value in self.written(body, op) {
                        let class = self.classes.find(value);
                        self.first_writer[class].get_or_insert(op);
                    }
                }
                WalkEvent::Leave(op) => {
                    let inside = open.pop().unwrap_or_default();
                    self.writes_inside[op.index()] = inside;
                    if let Some(outer) = open.last_mut() {
                        *outer |= inside || self.writes(op);
                    }
                }
                _ => {}
            }
        }
    }

    fn writes(&self, op: OpId) -> bool {
        !matches!(self.touches[op.index()], Touch::Nothing | Touch::Shares | Touch::Views)
    }

    /// The operands that an operation overwrites.
    fn written(&self, body: &Body, op: OpId) -> SmallVec<[ValueId; 4]> {
        let operands = &body.ops[op].operands;
        match self.touches[op.index()] {
            Touch::Nothing | Touch::Shares | Touch::Views => SmallVec::new(),
            Touch::Overwrites(indices) => {
                let operand = |index: &u32| operands.get(*index as usize);
                indices.iter().filter_map(operand).filter_map(|&it| value(body, it)).collect()
            }
            Touch::OverwritesAll | Touch::Anything => {
                operands.iter().filter_map(|&it| value(body, it)).collect()
            }
        }
    }

    /// Before the sub-blocks of an operation.
    pub(super) fn enter_regions(&mut self, op: OpId) {
        if self.writes_inside[op.index()] {
            self.epoch += 1;
            self.last_of_all = Some(op);
        }
    }

    /// After an operation.
    pub(super) fn leave(&mut self, body: &Body, op: OpId) {
        for value in self.written(body, op) {
            let class = self.classes.find(value);
            self.versions[class] += 1;
            self.last_writer[class] = Some(op);
        }
        if self.touches[op.index()] == Touch::Anything {
            self.epoch += 1;
            self.last_of_all = Some(op);
        }
    }

    /// The state of the memory that an operation reads: nothing if it is never written.
    pub(super) fn versions(&self, body: &Body, op: OpId) -> SmallVec<[u32; 2]> {
        let mut res = SmallVec::new();
        let mut reads = false;
        for value in operands(body, op) {
            reads = true;
            let class = self.classes.find(value);
            if self.first_writer[class].is_some() {
                res.push(self.versions[class]);
            }
        }
        if reads && self.epoch > 0 {
            res.push(self.epoch);
        }
        res
    }

    /// The writer of the storage of the results, if there is one.
    pub(super) fn writer_of_results(&self, body: &Body, op: OpId) -> Option<OpId> {
        let results = body.ops[op].results.iter();
        results.filter_map(|&it| self.first_writer[self.classes.find(it)]).next()
    }

    /// The last operation so far that may have written the memory that an operation reads.
    pub(super) fn last_writer(&self, body: &Body, op: OpId) -> Option<OpId> {
        let of_operand =
            operands(body, op).filter_map(|it| self.last_writer[self.classes.find(it)]);
        of_operand.chain(self.last_of_all).max()
    }
}

fn value(body: &Body, expr: ExprId) -> Option<ValueId> {
    match body.expr(expr).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}

fn operands(body: &Body, op: OpId) -> impl Iterator<Item = ValueId> + '_ {
    body.ops[op].operands.iter().filter_map(|&it| value(body, it))
}

/// Returns the effect by the effects table; for unknown operations by Paddle's registry, whose order its executor
/// follows.
fn touch(body: &Body, effects: &EffectTable, op: OpId) -> Touch {
    let OpKind::Named(name) = body.ops[op].kind else { return Touch::Anything };
    let registered = paddle_op(body.name(name));
    if let Some(registered) = registered
        && !registered.overwrites.is_empty()
    {
        return Touch::Overwrites(&registered.overwrites);
    }
    let found = effects.explain(Namespace::Pir, body.name(name));
    let row = found.effects;
    match name {
        known_ops::PD_OP_IF
        | known_ops::PD_OP_WHILE
        | known_ops::BUILTIN_COMBINE
        | known_ops::BUILTIN_SLICE
        | known_ops::BUILTIN_SPLIT => Touch::Shares,
        known_ops::BUILTIN_SET_PARAMETER | known_ops::BUILTIN_SET_PERSISTABLE_VALUE => {
            Touch::Anything
        }
        known_ops::CF_YIELD => Touch::Nothing,
        _ if found.kind == MatchKind::Default => match registered {
            Some(it) if !it.has_side_effect && body.ops[op].regions.is_empty() => Touch::Shares,
            _ => Touch::Anything,
        },
        _ if row.flags.contains(Flags::INPLACE) => Touch::OverwritesAll,
        _ if row.may_write() && row.memory.contains(MemorySet::ARGUMENT) => Touch::OverwritesAll,
        _ if body.name(name).starts_with("cf.") => Touch::Shares,
        _ if row.flags.contains(Flags::ALIAS) && body.name(name).ends_with("_grad") => {
            Touch::Shares
        }
        _ if row.flags.contains(Flags::ALIAS) => Touch::Views,
        _ => Touch::Nothing,
    }
}

/// Values in classes: a forest with the smaller id as the root, flat once all is joined.
struct Classes {
    parents: Vec<u32>,
}

impl Classes {
    fn new(n_values: usize) -> Classes {
        Classes { parents: (0..n_values as u32).collect() }
    }

    /// The class of a value, once all is joined and flat.
    fn find(&self, value: ValueId) -> usize {
        self.parents[value.index()] as usize
    }

    fn find_and_shorten(&mut self, value: ValueId) -> usize {
        let mut at = value.index();
        while self.parents[at] as usize != at {
            self.parents[at] = self.parents[self.parents[at] as usize];
            at = self.parents[at] as usize;
        }
        at
    }

    fn union(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.find_and_shorten(a), self.find_and_shorten(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }

    fn union_all(&mut self, values: impl IntoIterator<Item = ValueId>) {
        let mut first = None;
        for value in values {
            self.union(*first.get_or_insert(value), value);
        }
    }

    /// Joins the values that may share storage through an operation.
    fn join(&mut self, body: &Body, op: OpId, touch: Touch) {
        let data = &body.ops[op];
        let results = data.results.iter().copied();
        match touch {
            Touch::Nothing => {}
            _ if !data.regions.is_empty() => self.join_regions(body, op),
            Touch::Overwrites(indices) => {
                let operand = |index: &u32| data.operands.get(*index as usize);
                let written = indices.iter().filter_map(operand).filter_map(|&it| value(body, it));
                let written: SmallVec<[ValueId; 4]> = written.collect();
                self.union_all(written.into_iter().chain(results));
            }
            Touch::Views => {
                let first = data.operands.first().and_then(|&it| value(body, it));
                self.union_all(first.into_iter().chain(results));
            }
            _ => self.union_all(operands(body, op).chain(results)),
        }
    }

    /// Joins results with the yields of the sub-blocks, and loop-carried values with their operands.
    fn join_regions(&mut self, body: &Body, op: OpId) {
        let data = &body.ops[op];
        // How many operands and yielded values stand before those that are results.
        let skipped = match data.kind {
            OpKind::Named(known_ops::PD_OP_IF) => Some(0),
            OpKind::Named(known_ops::PD_OP_WHILE) => Some(1),
            _ => None,
        };
        let Some(skipped) = skipped else { return self.join_everything(body, op) };
        let loop_operands = if skipped == 0 { &[] } else { data.operands.get(1..).unwrap_or(&[]) };
        self.union_pairs(body, &data.results, loop_operands);
        for &region in &data.regions {
            let block = &body.blocks[body.entry(region)];
            self.union_pairs(body, &block.args, loop_operands);
            let yielded = block.ops.last().map_or(&[][..], |&last| &body.ops[last].operands);
            self.union_pairs(body, &data.results, yielded.get(skipped..).unwrap_or(&[]));
        }
    }

    fn union_pairs(&mut self, body: &Body, values: &[ValueId], others: &[ExprId]) {
        for (&one, &other) in values.iter().zip(others) {
            if let Some(other) = value(body, other) {
                self.union(one, other);
            }
        }
    }

    /// Makes every value point to its root. Roots come first, so one pass does.
    fn flatten(&mut self) {
        for at in 0..self.parents.len() {
            self.parents[at] = self.parents[self.parents[at] as usize];
        }
    }

    /// Operands, results, arguments of blocks and the operands of their last operations.
    fn join_everything(&mut self, body: &Body, op: OpId) {
        let data = &body.ops[op];
        let mut values: Vec<ValueId> =
            operands(body, op).chain(data.results.iter().copied()).collect();
        for &region in &data.regions {
            let block = &body.blocks[body.entry(region)];
            values.extend(&block.args);
            if let Some(&last) = block.ops.last() {
                values.extend(operands(body, last));
            }
        }
        self.union_all(values);
    }
}
