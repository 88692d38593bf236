//! Paddle PIR: the rules of its `common_subexpression_elimination_pass`, and the default plan.
//!
//! Paddle decides first and replaces later. An operation is deleted if one before it, in its block or around it, has
//! the same name, declared attributes, result types and operands, operands compared down to the inputs of the program,
//! and if both may be replaced at all (`safe`). It compares trees, again and again; here both questions are numbers
//! (`Numbers`), so that planning is linear.
//!
//! Terms. The *text number* of an operation covers the parts that Paddle compares. The *sound number* covers certain
//! equality: two draws of a generator, reads of memory that is written between, results that share written storage,
//! and, for the default plan, constants whose digits the printer cut off have numbers of their own, and so have all
//! operations that depend on them. Where the text numbers are equal and the sound ones are not, the merge is refused
//! with the name of the first reason. The default plan asks for no more than equal sound numbers, so it also merges
//! behind operations of which Paddle fears a side effect.
//!
//! Nothing is ever dead: any value of a program may be asked for by name when it runs. The default plan does nothing
//! inside an unknown operation, which may count on each operation of its block, and leaves a block without a terminator
//! its last operation; it never merges operations whose types could not be read.

mod attributes;
mod safe;
mod storage;
#[cfg(test)]
mod tests;

use ir::{
    Body, Dialect, ExprId, ExprKind, NameId, OpId, OpKind, Type, ValueId, ValueKind,
    arena::Id,
    effects::{
        EffectTable, Flags, MatchKind, MemoryEffect, Merge, Namespace, OpEffects, paddle_op,
    },
    known_ops,
    plan::{
        Preset,
        ops::{OpAction, OpActionKind, OpChange, OpPlan, OpRefusal, OpRefusalKind},
    },
    walk::WalkEvent,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::{attributes::Attributes, safe::Safety, storage::Storage};
use super::{OpOptions, OpWork};

/// Operations of which Paddle sorts the first two operands before it compares.
const COMMUTATIVE: [NameId; 12] = [
    known_ops::PD_OP_ADD,
    known_ops::PD_OP_BITWISE_AND,
    known_ops::PD_OP_BITWISE_OR,
    known_ops::PD_OP_BITWISE_XOR,
    known_ops::PD_OP_EQUAL,
    known_ops::PD_OP_LOGICAL_AND,
    known_ops::PD_OP_LOGICAL_OR,
    known_ops::PD_OP_LOGICAL_XOR,
    known_ops::PD_OP_MAXIMUM,
    known_ops::PD_OP_MINIMUM,
    known_ops::PD_OP_MULTIPLY,
    known_ops::PD_OP_NOT_EQUAL,
];

/// Plans a program.
pub(super) fn plan(body: &Body, effects: &EffectTable, options: &OpOptions) -> (OpPlan, OpWork) {
    debug_assert_eq!(body.dialect, Dialect::Pir);
    let mut planner = Planner::new(body, effects, options);
    for event in body.walk(body.root) {
        match event {
            WalkEvent::Enter(op) => planner.enter(op),
            WalkEvent::EnterRegion(_) => planner.marks.push(planner.undo.len()),
            WalkEvent::LeaveRegion(_) => planner.leave_region(),
            WalkEvent::Leave(op) => planner.leave(op),
        }
    }
    (planner.plan, planner.work)
}

/// A value as operands are compared: the number of its operation and its index there, or the value itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Operand {
    Nothing,
    Itself(ValueId),
    Result(u32, u32),
}

/// The key by which operations are compared.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: OpKind,
    attrs: u32,
    types: SmallVec<[Type; 1]>,
    operands: SmallVec<[Operand; 3]>,
    /// Versions of the storage that it reads, if written anywhere; the block, if its threads must arrive together. Text
    /// numbers have none.
    state: SmallVec<[u32; 2]>,
}

/// The choice of two numberings, and of two tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Text,
    Sound,
}

/// The reason why two equal texts may differ, and the operation that makes it so.
type Reason = (OpRefusalKind, Option<OpId>);

struct Planner<'a> {
    body: &'a Body,
    effects: &'a EffectTable,
    options: &'a OpOptions,
    attributes: Attributes,
    safety: Safety,
    storage: Storage,
    keys: [FxHashMap<Key, u32>; 2],
    /// Numbers by operation; every operation has one.
    numbers: [Vec<u32>; 2],
    n_numbers: u32,
    /// The first operation of a number that is visible here.
    first: [FxHashMap<u32, OpId>; 2],
    /// Entries of `first` in open regions, and where the regions begin.
    undo: Vec<(By, u32)>,
    marks: Vec<usize>,
    /// The reason why an operation is equal to no other, by operation.
    reasons: Vec<Option<Reason>>,
    /// The number of unknown operations around.
    n_unknown_around: usize,
    plan: OpPlan,
    work: OpWork,
}

impl<'a> Planner<'a> {
    fn new(body: &'a Body, effects: &'a EffectTable, options: &'a OpOptions) -> Planner<'a> {
        Planner {
            body,
            effects,
            options,
            attributes: Attributes::new(body),
            safety: Safety::new(body),
            storage: Storage::new(body, effects),
            keys: [FxHashMap::default(), FxHashMap::default()],
            numbers: [vec![0; body.ops.len()], vec![0; body.ops.len()]],
            n_numbers: 0,
            first: [FxHashMap::default(), FxHashMap::default()],
            undo: Vec::new(),
            marks: Vec::new(),
            reasons: vec![None; body.ops.len()],
            n_unknown_around: 0,
            plan: OpPlan::empty(options.preset),
            work: OpWork::default(),
        }
    }

    fn is_default(&self) -> bool {
        self.options.preset != Preset::Pir
    }

    fn enter(&mut self, op: OpId) {
        if !self.body.ops[op].regions.is_empty() {
            self.storage.enter_regions(op);
            self.n_unknown_around += usize::from(self.is_unknown(op));
        }
    }

    fn leave_region(&mut self) {
        let mark = self.marks.pop().unwrap_or_default();
        for (by, number) in self.undo.drain(mark..) {
            self.first[by as usize].remove(&number);
        }
    }

    /// After the regions of an operation, as Paddle does.
    fn leave(&mut self, op: OpId) {
        self.work.visited += 1;
        let data = &self.body.ops[op];
        if !data.regions.is_empty() {
            self.n_unknown_around -= usize::from(self.is_unknown(op));
        }
        let is_candidate = data.regions.is_empty() && !safe::is_terminal(self.body, op);
        self.safety.decide(self.body, op);
        if is_candidate && !self.stays(op) && matches!(data.kind, OpKind::Named(_)) {
            self.number(op);
            self.look_up(op);
        } else {
            self.number_alone(op, By::Text);
            self.number_alone(op, By::Sound);
        }
        self.storage.leave(self.body, op);
    }

    /// Returns true if the default plan keeps the operation because of its place: inside an unknown operation, or at
    /// the end of a block without a terminator, which would lose its last operation.
    fn stays(&self, op: OpId) -> bool {
        let block = &self.body.blocks[self.body.ops[op].parent];
        let ends_open_block = self.body.ops[op].parent != self.body.entry(self.body.root)
            && block.ops.last() == Some(&op)
            && !self.effects_of(op).flags.contains(Flags::TERMINATOR);
        self.is_default() && (self.n_unknown_around > 0 || ends_open_block)
    }

    /// Returns true if neither the effects table nor Paddle's registry knows the operation.
    fn is_unknown(&self, op: OpId) -> bool {
        let OpKind::Named(name) = self.body.ops[op].kind else { return true };
        let name = self.body.name(name);
        let is_row = self.effects.explain(Namespace::Pir, name).kind != MatchKind::Default;
        !is_row && paddle_op(name).is_none()
    }

    // ---- numbers ----

    fn number_alone(&mut self, op: OpId, by: By) {
        self.n_numbers += 1;
        self.numbers[by as usize][op.index()] = self.n_numbers;
    }

    fn number(&mut self, op: OpId) {
        let effects = self.effects_of(op);
        self.number_key(op, By::Text, SmallVec::new());
        self.reasons[op.index()] = self.own_reason(op, effects);
        if self.reasons[op.index()].is_some() {
            self.number_alone(op, By::Sound);
        } else {
            let mut state = self.storage.versions(self.body, op);
            if effects.merge() == Merge::SameBlock {
                state.push(self.body.ops[op].parent.index() as u32);
            }
            self.number_key(op, By::Sound, state);
        }
    }

    fn number_key(&mut self, op: OpId, by: By, state: SmallVec<[u32; 2]>) {
        let data = &self.body.ops[op];
        let mut operands: SmallVec<[Operand; 3]> =
            data.operands.iter().map(|&it| self.operand(it, by)).collect();
        if self.is_commutative(op) && operands.len() >= 2 {
            operands[..2].sort_unstable();
        }
        self.work.compared += operands.len() as u64;
        let types = data.results.iter().map(|&it| self.body.values[it].ty).collect();
        let attrs = self.attributes.declared(op);
        let key = Key { kind: data.kind, attrs, types, operands, state };
        let next = self.n_numbers + 1;
        let number = *self.keys[by as usize].entry(key).or_insert(next);
        self.n_numbers = self.n_numbers.max(number);
        self.numbers[by as usize][op.index()] = number;
    }

    fn operand(&self, expr: ExprId, by: By) -> Operand {
        let ExprKind::Value(value) = self.body.expr(expr).kind else { return Operand::Nothing };
        match self.body.values[value].kind {
            ValueKind::Result(op, index) if !safe::is_terminal(self.body, op) => {
                Operand::Result(self.numbers[by as usize][op.index()], index)
            }
            _ => Operand::Itself(value),
        }
    }

    fn is_commutative(&self, op: OpId) -> bool {
        let OpKind::Named(name) = self.body.ops[op].kind else { return false };
        COMMUTATIVE.contains(&name)
    }

    fn effects_of(&self, op: OpId) -> &'a OpEffects {
        match self.body.ops[op].kind {
            OpKind::Named(name) => self.effects.pir(self.body.name(name)),
            _ => OpEffects::unknown(),
        }
    }

    /// Returns the reason why an execution of this operation may differ from another one with equal operands; none if
    /// it cannot.
    fn own_reason(&self, op: OpId, effects: &OpEffects) -> Option<Reason> {
        let name = match self.body.ops[op].kind {
            OpKind::Named(name) => self.body.name(name),
            _ => return Some((OpRefusalKind::UnknownOperation, None)),
        };
        if self.effects.explain(Namespace::Pir, name).kind == MatchKind::Default {
            return Some((OpRefusalKind::UnknownOperation, None));
        }
        let results = &self.body.ops[op].results;
        if results.iter().any(|it| self.body.values[*it].ty == Type::Unknown) {
            return Some((OpRefusalKind::UnknownOperation, None));
        }
        if effects.merge() == Merge::Never {
            return Some((refusal(effects), None));
        }
        if let Some(writer) = self.storage.writer_of_results(self.body, op) {
            return Some((OpRefusalKind::Alias, Some(writer)));
        }
        let rounded = self.is_default() && self.attributes.is_rounded(op);
        rounded.then_some((OpRefusalKind::RoundedConstant, None))
    }

    // ---- tables ----

    /// Returns true if the operation may be merged with equal ones, in either direction.
    fn may_merge(&self, op: OpId) -> bool {
        match self.is_default() {
            true => !self.safety.feeds_control_flow(op),
            false => self.safety.is_safe(op),
        }
    }

    fn insert(&mut self, op: OpId) {
        for by in [By::Text, By::Sound] {
            let number = self.numbers[by as usize][op.index()];
            if self.first[by as usize].contains_key(&number) {
                continue;
            }
            self.first[by as usize].insert(number, op);
            self.undo.push((by, number));
        }
    }

    fn found(&self, op: OpId, by: By) -> Option<OpId> {
        self.first[by as usize].get(&self.numbers[by as usize][op.index()]).copied()
    }

    fn look_up(&mut self, op: OpId) {
        let text = self.found(op, By::Text);
        let sound = if self.options.allow_unsound { text } else { self.found(op, By::Sound) };
        let may_merge = self.may_merge(op);
        match (sound, text) {
            (Some(into), _) if may_merge => {
                let kind = self.kind(op, into);
                self.plan.actions.push(OpAction { op, change: self.change(op, into), kind });
                return;
            }
            (Some(into), _) if self.is_default() => {
                self.refuse(op, into, (OpRefusalKind::ControlFlow, None));
            }
            (None, Some(into)) if may_merge || self.is_default() => {
                let reason = self.reason(op, into);
                self.reasons[op.index()].get_or_insert(reason);
                if reason.0 != OpRefusalKind::Marker {
                    self.refuse(op, into, reason);
                }
            }
            _ => {}
        }
        if may_merge {
            self.insert(op);
        }
    }

    fn refuse(&mut self, op: OpId, into: OpId, (kind, obstacle): Reason) {
        self.plan.refusals.push(OpRefusal { op, into: Some(into), kind, obstacle });
    }

    /// Returns the reason why the texts of two operations are equal and their values may not be.
    fn reason(&self, op: OpId, into: OpId) -> Reason {
        if let Some(own) = self.reasons[op.index()].or(self.reasons[into.index()]) {
            return own;
        }
        let operands = |op: OpId| self.body.ops[op].operands.iter().copied();
        for (ours, theirs) in operands(op).zip(operands(into)) {
            if self.operand(ours, By::Sound) == self.operand(theirs, By::Sound) {
                continue;
            }
            if let Some(root) = self.definition(ours)
                && let Some((kind, obstacle)) = self.reasons[root.index()]
            {
                return (kind, obstacle.or(Some(root)));
            }
        }
        (OpRefusalKind::Memory, self.storage.last_writer(self.body, op))
    }

    fn definition(&self, expr: ExprId) -> Option<OpId> {
        let ExprKind::Value(value) = self.body.expr(expr).kind else { return None };
        match self.body.values[value].kind {
            ValueKind::Result(op, _) => Some(op),
            _ => None,
        }
    }

    fn kind(&self, op: OpId, into: OpId) -> OpActionKind {
        if !self.safety.is_safe(op) || !self.safety.is_safe(into) {
            OpActionKind::AfterSideEffect
        } else if self.attributes.is_rounded(op) {
            OpActionKind::RoundedConstant
        } else {
            OpActionKind::Common
        }
    }

    fn change(&self, op: OpId, into: OpId) -> OpChange {
        let outputs: Vec<(OpId, u32)> = self.safety.outputs(op).collect();
        match outputs.is_empty() {
            true => OpChange::Merge { into },
            false => OpChange::MergeWithCopies { into, outputs: outputs.into() },
        }
    }
}

/// Returns the reason why executions of an operation are never merged.
fn refusal(effects: &OpEffects) -> OpRefusalKind {
    let fixed = Flags::TERMINATOR.union(Flags::SYMBOL).union(Flags::MARKER);
    let is_value = matches!(effects.memory_effect, MemoryEffect::None | MemoryEffect::Read);
    if effects.flags.intersects(fixed) {
        OpRefusalKind::Marker
    } else if effects.flags.contains(Flags::RANDOM) || (is_value && !effects.deterministic) {
        OpRefusalKind::NotDeterministic
    } else {
        OpRefusalKind::Memory
    }
}
