//! Both functions side by side.
//!
//! Each executes its plain statements until it stands at one where they have to meet: a loop, an effect, a jump, or a
//! condition around one of these. There the states are shown equal. Of a loop then the bodies are shown equal from an
//! arbitrary state that both share, for an arbitrary iteration: by induction all iterations are, and behind the loop
//! both have one unknown state. Where the statements differ, one side gives in: a condition that is decided is opened,
//! one that is not is followed both ways, a loop of few known iterations is written out, one that does nothing is
//! skipped.

use ir::{BufferId, ExprId, OpId, OpKind, RegionId, arena::Id as _};
use std::collections::BTreeSet;

use crate::{
    engine::{Engine, Stop},
    execute::{Item, Rest},
    memory::ClassId,
    side::{Side, Value},
    term::{Op, Sort, Term},
};

type Result<T> = std::result::Result<T, Stop>;

/// The most iterations of a loop that are written out.
const MOST_ITERATIONS: i64 = 16;

/// The two functions.
#[derive(Clone, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) before: Side<'a>,
    pub(crate) after: Side<'a>,
}

/// The statements that both have left.
#[derive(Clone, Debug)]
struct Rests {
    before: Rest,
    after: Rest,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// They go on behind it.
    Goes,
    /// Both have left the list, or all ways have been followed to its end.
    Ends,
}

/// Where a list of statements ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Of the function: what it allocated is gone.
    Function,
    /// Of a body or an arm.
    Inner,
}

/// The memory and scalars that statements may change.
#[derive(Default, Debug)]
struct Changes {
    classes: BTreeSet<ClassId>,
    cells: BTreeSet<BufferId>,
}

impl<'a> Engine<'_> {
    /// Shows that two regions do the same, from the states of the pair.
    pub(crate) fn regions(
        &mut self,
        pair: &mut Pair<'a>,
        before: Option<RegionId>,
        after: Option<RegionId>,
        end: End,
    ) -> Result<()> {
        let mut rests = Rests { before: Vec::new(), after: Vec::new() };
        if let Some(region) = before {
            self.enter(&pair.before, region, &mut rests.before)?;
        }
        if let Some(region) = after {
            self.enter(&pair.after, region, &mut rests.after)?;
        }
        ir::stack::with_room(|| self.lists(pair, rests, end))
    }

    fn lists(&mut self, pair: &mut Pair<'a>, mut rests: Rests, end: End) -> Result<()> {
        loop {
            self.advance(&mut pair.before, &mut rests.before)?;
            self.advance(&mut pair.after, &mut rests.after)?;
            let step = match (op_of(&rests.before), op_of(&rests.after)) {
                (None, None) => return self.meet(pair, end, "at the end"),
                (Some(a), Some(b)) => self.pair_of(pair, a, b, &mut rests, end)?,
                _ => {
                    let why = Stop::unproved("one side has a statement more");
                    self.apart(pair, &mut rests, end, why)?
                }
            };
            if step == Step::Ends {
                return Ok(());
            }
        }
    }

    /// Both at a statement: together if they are alike, else one gives in.
    fn pair_of(
        &mut self,
        pair: &mut Pair<'a>,
        a: OpId,
        b: OpId,
        rests: &mut Rests,
        end: End,
    ) -> Result<Step> {
        let kinds = [pair.before.body.ops[a].kind, pair.after.body.ops[b].kind];
        let is_alike = kinds[0] == kinds[1]
            || std::mem::discriminant(&kinds[0]) == std::mem::discriminant(&kinds[1])
                && !matches!(kinds[0], OpKind::For(_) | OpKind::LaunchThread { .. });
        if !is_alike {
            let what = format!("{} is {}", word(kinds[0]), word(kinds[1]));
            return self.apart(pair, rests, end, Stop::unproved(what));
        }
        let (mark, saved, kept) = (self.mark(), pair.clone(), rests.clone());
        let goals = self.goals.clone();
        match ir::stack::with_room(|| self.together(pair, a, b, rests, end)) {
            Err(stop) if stop.is_about_goal() => {
                self.back_to(mark);
                self.goals = goals;
                *pair = saved;
                *rests = kept;
                self.apart(pair, rests, end, stop)
            }
            other => other,
        }
    }

    /// Two statements of one kind.
    fn together(
        &mut self,
        pair: &mut Pair<'a>,
        a: OpId,
        b: OpId,
        rests: &mut Rests,
        end: End,
    ) -> Result<Step> {
        match pair.before.body.ops[a].kind {
            OpKind::For(_) => self.loops(pair, a, b)?,
            OpKind::While => self.whiles(pair, a, b)?,
            OpKind::If | OpKind::SBlock(_) => return self.conditions(pair, a, b, rests, end),
            OpKind::LaunchThread { .. } => {
                self.launches(pair, a, b, rests)?;
                return Ok(Step::Goes);
            }
            OpKind::Assert => {
                let condition = self.same_condition(pair, a, b)?;
                self.meet(pair, End::Inner, "an assertion")?;
                self.assume(condition);
            }
            OpKind::Return | OpKind::Break | OpKind::Continue => {
                self.same_operands(pair, a, b)?;
                let at = if matches!(pair.before.body.ops[a].kind, OpKind::Return) {
                    End::Function
                } else {
                    End::Inner
                };
                self.meet(pair, at, "at a jump")?;
                return Ok(Step::Ends);
            }
            OpKind::Evaluate | OpKind::Bind | OpKind::Store { .. } => {
                if self.may_jump(&pair.before, a) {
                    if pair.before.body.ops[a].operands != pair.after.body.ops[b].operands {
                        return Err(Stop::unproved("two different jumps"));
                    }
                    self.meet(pair, End::Inner, "at a jump")?;
                    return Ok(Step::Ends);
                }
                self.effects(pair, a, b)?;
            }
            OpKind::Opaque(_) => self.unknown(pair, a, b)?,
            _ => return Err(Stop::unsupported("a statement of this kind")),
        }
        rests.before.pop();
        rests.after.pop();
        Ok(Step::Goes)
    }

    /// Shows that both states are equal, and makes them one.
    fn meet(&mut self, pair: &mut Pair<'a>, end: End, what: &str) -> Result<()> {
        let truth = self.pool.truth(true);
        let (mut alike, mut equal) = (truth, truth);
        let classes: Vec<ClassId> = self.memory.all().collect();
        for class in classes {
            if end == End::Function && self.memory.describes(class).is_allocated {
                continue;
            }
            if !pair.before.memory.contains_key(&class) && !pair.after.memory.contains_key(&class) {
                continue;
            }
            let a = self.memory_of(&mut pair.before, class);
            let b = self.memory_of(&mut pair.after, class);
            let parts = self.pool.alike(a, b);
            alike = self.pool.and(alike, parts);
            let whole = self.pool.eq(a, b);
            equal = self.pool.and(equal, whole);
        }
        let cells: Vec<BufferId> = match end {
            End::Function => Vec::new(),
            End::Inner => pair.before.cells.keys().copied().collect(),
        };
        for buffer in cells {
            let a = self.cell(&mut pair.before, buffer);
            let b = self.cell(&mut pair.after, buffer);
            let same = self.pool.eq(a.term, b.term);
            let wraps = self.pool.implies(b.wrapped, a.wrapped);
            let wraps_unsigned = self.pool.implies(b.wrapped_unsigned, a.wrapped_unsigned);
            for it in [same, wraps, wraps_unsigned] {
                alike = self.pool.and(alike, it);
                equal = self.pool.and(equal, it);
            }
        }
        self.unsigned(pair);
        self.settle(&pair.before, alike, equal, what)?;
        for (class, term) in &pair.before.memory {
            if end == End::Inner {
                pair.after.memory.insert(*class, *term);
            }
        }
        for (buffer, value) in &pair.before.cells {
            if end == End::Inner {
                pair.after.cells.insert(*buffer, *value);
            }
        }
        Ok(())
    }

    /// `I2`: of unsigned overflow nothing is assumed, but the function after must not be the first that has it.
    fn unsigned(&mut self, pair: &mut Pair<'a>) {
        let no = self.pool.truth(false);
        let before = std::mem::take(&mut pair.before.unsigned_uses);
        let before = before.into_iter().fold(no, |a, b| self.pool.or(a, b));
        for used in std::mem::take(&mut pair.after.unsigned_uses) {
            let goal = self.pool.implies(used, before);
            self.goals.push(goal);
        }
    }

    /// The operands of two statements, which have to be equal. They are used.
    fn same_operands(&mut self, pair: &mut Pair<'a>, a: OpId, b: OpId) -> Result<Vec<Value>> {
        let (x, y) =
            (pair.before.body.ops[a].operands.to_vec(), pair.after.body.ops[b].operands.to_vec());
        if x.len() != y.len() {
            return Err(Stop::unproved("two statements with different operands"));
        }
        let mut values = Vec::new();
        for (&x, &y) in x.iter().zip(&y) {
            let value = self.eval(&mut pair.before, x)?;
            self.used(&mut pair.before, value);
            let other = self.eval(&mut pair.after, y)?;
            self.used(&mut pair.after, other);
            let same = self.pool.eq(value.term, other.term);
            self.goals.push(same);
            values.push(value);
        }
        Ok(values)
    }

    fn same_condition(&mut self, pair: &mut Pair<'a>, a: OpId, b: OpId) -> Result<Term> {
        let (x, y) = (self.guard_of(pair.before.body, a)?, self.guard_of(pair.after.body, b)?);
        let condition = self.condition(&mut pair.before, x)?;
        let other = self.condition(&mut pair.after, y)?;
        let same = self.pool.eq(condition, other);
        self.goals.push(same);
        Ok(condition)
    }

    /// The condition of an `if`, an assertion, a loop, or a block with a predicate.
    fn guard_of(&self, body: &ir::Body, op: OpId) -> Result<ExprId> {
        let operands = &body.ops[op].operands;
        let found = match body.ops[op].kind {
            OpKind::SBlock(_) => operands.last(),
            _ => operands.first(),
        };
        found.copied().ok_or_else(|| Stop::unsupported("a statement without a condition"))
    }

    fn loops(&mut self, pair: &mut Pair<'a>, a: OpId, b: OpId) -> Result<()> {
        let bounds = self.same_operands(pair, a, b)?;
        self.meet(pair, End::Inner, "the bounds of a loop, and what is before it")?;
        let changes = self.changes(pair, a, b);
        let mark = self.mark();
        self.forget(pair, &changes);
        let ty = |side: &Side<'a>, op: OpId| side.body.ty(side.body.ops[op].operands[0]);
        let is_signed = ty(&pair.before, a).prim().is_none_or(ir::DataType::is_int);
        let sort = self.pool.sort(bounds[0].term);
        let index = self.pool.fresh("i", sort);
        if bounds.len() == 2 {
            self.in_range(index, bounds[0].term, bounds[1].term, is_signed);
        }
        let value = self.plain(index);
        let regions = [(&mut pair.before, a), (&mut pair.after, b)].map(|(side, op)| {
            let region = side.body.ops[op].regions[0];
            let block = side.body.entry(region);
            if let Some(&variable) = side.body.blocks[block].args.first() {
                side.values.insert(variable, value);
            }
            region
        });
        let inner = self.regions(pair, Some(regions[0]), Some(regions[1]), End::Inner);
        self.back_to(mark);
        inner?;
        self.forget(pair, &changes);
        Ok(())
    }

    /// `min <= index < min + extent`, in which the sum does not overflow (`L3`).
    fn in_range(&mut self, index: Term, min: Term, extent: Term, is_signed: bool) {
        let Some(bits) = self.pool.sort(index).width() else { return };
        if self.pool.sort(extent).width() != Some(bits) {
            return;
        }
        let overflows = self.pool.relation(Op::AddOverflows(is_signed), min, extent);
        let fits = self.pool.not(overflows);
        let end = self.pool.arithmetic(Op::Add, min, extent);
        let above = self.pool.relation(Op::LessEq(is_signed), min, index);
        let below = self.pool.relation(Op::Less(is_signed), index, end);
        for it in [fits, above, below] {
            if self.pool.known_truth(it) != Some(true) {
                self.assume(it);
            }
        }
    }

    fn whiles(&mut self, pair: &mut Pair<'a>, a: OpId, b: OpId) -> Result<()> {
        self.meet(pair, End::Inner, "what is before a loop")?;
        let changes = self.changes(pair, a, b);
        let mark = self.mark();
        self.forget(pair, &changes);
        let condition = self.same_condition(pair, a, b)?;
        self.meet(pair, End::Inner, "the condition of a loop")?;
        self.assume(condition);
        let regions =
            [(&pair.before, a), (&pair.after, b)].map(|(side, op)| side.body.ops[op].regions[0]);
        let inner = self.regions(pair, Some(regions[0]), Some(regions[1]), End::Inner);
        self.back_to(mark);
        inner?;
        self.forget(pair, &changes);
        Ok(())
    }

    fn launches(&mut self, pair: &mut Pair<'a>, a: OpId, b: OpId, rests: &mut Rests) -> Result<()> {
        let extents = self.same_operands(pair, a, b)?;
        self.meet(pair, End::Inner, "the extent of a launch, and what is before it")?;
        rests.before.pop();
        rests.after.pop();
        for (side, op, rest) in
            [(&mut pair.before, a, &mut rests.before), (&mut pair.after, b, &mut rests.after)]
        {
            let OpKind::LaunchThread { var, .. } = side.body.ops[op].kind else { continue };
            let sort = Sort::Flat(self.sort_of(side.body.values[var].ty));
            let name = format!("thread {}", var.index());
            let index = self.pool.var(&name, sort);
            let value = self.plain(index);
            side.values.insert(var, value);
            if let (Some(extent), Some(bits)) = (extents.first(), sort.width()) {
                let zero = self.pool.bits(0, bits);
                let extent = self.pool.resize(extent.term, bits, true);
                self.in_range(index, zero, extent, true);
            }
            self.enter(side, side.body.ops[op].regions[0], rest)?;
        }
        Ok(())
    }

    fn conditions(
        &mut self,
        pair: &mut Pair<'a>,
        a: OpId,
        b: OpId,
        rests: &mut Rests,
        end: End,
    ) -> Result<Step> {
        let jumps = self.may_jump(&pair.before, a) || self.may_jump(&pair.after, b);
        let condition = self.same_condition(pair, a, b)?;
        self.meet(pair, End::Inner, "a condition, and what is before it")?;
        let changes = self.changes(pair, a, b);
        let not = self.pool.not(condition);
        if jumps {
            for (holds, arm) in [(condition, 0), (not, 1)] {
                let (mark, mut copy, mut rests) = (self.mark(), pair.clone(), rests.clone());
                self.assume(holds);
                rests.before.pop();
                rests.after.pop();
                self.arm(&mut copy.before, a, arm, &mut rests.before)?;
                self.arm(&mut copy.after, b, arm, &mut rests.after)?;
                self.split()?;
                let way = ir::stack::with_room(|| self.lists(&mut copy, rests, end));
                self.back_to(mark);
                way?;
            }
            return Ok(Step::Ends);
        }
        let kept = pair.clone();
        for (holds, arm) in [(condition, 0), (not, 1)] {
            let (mark, mut copy) = (self.mark(), kept.clone());
            self.assume(holds);
            let mut inner = Rests { before: Vec::new(), after: Vec::new() };
            self.arm(&mut copy.before, a, arm, &mut inner.before)?;
            self.arm(&mut copy.after, b, arm, &mut inner.after)?;
            let way = ir::stack::with_room(|| self.lists(&mut copy, inner, End::Inner));
            self.back_to(mark);
            way?;
        }
        self.forget(pair, &changes);
        rests.before.pop();
        rests.after.pop();
        Ok(Step::Goes)
    }

    fn split(&mut self) -> Result<()> {
        self.n_splits += 1;
        if self.n_splits > self.options.max_splits {
            return Err(Stop::limit("too many ways through the function"));
        }
        Ok(())
    }

    /// Puts an arm of an `if`, or the body of a guarded block, before what is left.
    fn arm(&mut self, side: &mut Side<'a>, op: OpId, arm: usize, rest: &mut Rest) -> Result<()> {
        let data = &side.body.ops[op];
        if let OpKind::SBlock(id) = data.kind {
            if arm == 1 {
                return Ok(());
            }
            self.bind_block(side, op, id)?;
            if let Some(&init) = data.regions.get(1) {
                self.initialise(side, id, init)?;
            }
        }
        match data.regions.get(arm) {
            Some(&region) => self.enter(side, region, rest),
            None => Ok(()),
        }
    }

    /// Statements with a call with effects: the calls are the same, in order, of the same operands.
    fn effects(&mut self, pair: &mut Pair<'a>, a: OpId, b: OpId) -> Result<()> {
        self.n_effects += 1;
        let mut made = Vec::new();
        for (side, op) in [(&mut pair.before, a), (&mut pair.after, b)] {
            side.effects = Some(Vec::new());
            let done = self.own_part(side, op);
            let effects = side.effects.take().unwrap_or_default();
            done?;
            made.push(effects);
        }
        let same = made[0].len() == made[1].len()
            && made[0]
                .iter()
                .zip(&made[1])
                .all(|(a, b)| a.signature == b.signature && a.args.len() == b.args.len());
        if !same {
            return Err(Stop::unproved("two different calls"));
        }
        for (a, b) in made[0].iter().zip(&made[1]) {
            for (&x, &y) in a.args.iter().zip(&b.args) {
                let same = self.pool.eq(x, y);
                self.goals.push(same);
            }
        }
        self.meet(pair, End::Inner, "a call with effects, and what is before it")?;
        if made[0].iter().any(|it| it.writes) {
            self.forget_shared(pair);
        }
        Ok(())
    }

    /// A statement that is kept by its text: the same one, which may do anything.
    fn unknown(&mut self, pair: &mut Pair<'a>, a: OpId, b: OpId) -> Result<()> {
        if a != b || !pair.before.body.ops[a].regions.is_empty() {
            return Err(Stop::unsupported("a statement kept by its text"));
        }
        self.same_operands(pair, a, b)?;
        self.meet(pair, End::Inner, "a statement kept by its text, and what is before it")?;
        let cells = pair.before.cells.keys().copied().collect();
        let classes = self.memory.all().collect();
        self.forget(pair, &Changes { classes, cells });
        Ok(())
    }

    /// Memory that others reach is one unknown memory now.
    fn forget_shared(&mut self, pair: &mut Pair<'a>) {
        let classes = self.memory.all().filter(|&it| !self.memory.describes(it).is_private);
        let changes = Changes { classes: classes.collect(), cells: BTreeSet::new() };
        self.forget(pair, &changes);
    }

    fn forget(&mut self, pair: &mut Pair<'a>, changes: &Changes) {
        for &class in &changes.classes {
            let body = if class.index() < pair.before.body.buffers.len() {
                &pair.before
            } else {
                &pair.after
            };
            let sort = self.memory_sort(body, class);
            let term = self.pool.fresh("memory", sort);
            pair.before.memory.insert(class, term);
            pair.after.memory.insert(class, term);
        }
        for &buffer in &changes.cells {
            let is_old = buffer.index() < pair.before.body.buffers.len();
            let body = if is_old { pair.before.body } else { pair.after.body };
            let dtype = body.buffers[buffer].dtype;
            let sort = Sort::Flat(self.sort_of(ir::Type::Prim(dtype)));
            let value = Value {
                term: self.pool.fresh("cell", sort),
                wrapped: self.pool.fresh("wrapped", Sort::BOOL),
                wrapped_unsigned: self.pool.fresh("wrapped", Sort::BOOL),
            };
            if is_old {
                pair.before.cells.insert(buffer, value);
            }
            pair.after.cells.insert(buffer, value);
        }
    }

    /// The changes that two statements may make, with all that is in them.
    fn changes(&self, pair: &Pair<'a>, a: OpId, b: OpId) -> Changes {
        let mut changes = Changes::default();
        self.add_changes(&pair.before, a, &mut changes);
        self.add_changes(&pair.after, b, &mut changes);
        changes
    }

    fn add_changes(&self, side: &Side<'a>, op: OpId, changes: &mut Changes) {
        let body = side.body;
        let mut stack = vec![op];
        while let Some(op) = stack.pop() {
            let data = &body.ops[op];
            match data.kind {
                OpKind::Store { buffer, .. } | OpKind::Alloc { buffer, .. } => {
                    match self.memory.class(buffer) {
                        Some(class) => {
                            changes.classes.insert(class);
                        }
                        None => {
                            changes.cells.insert(buffer);
                        }
                    }
                }
                OpKind::Opaque(_) => {
                    changes.classes.extend(self.memory.all());
                    changes.cells.extend(side.cells.keys());
                }
                _ => {}
            }
            if data.operands.iter().any(|&it| self.has_effect(side, it)) {
                let shared = self.memory.all().filter(|&it| !self.memory.describes(it).is_private);
                changes.classes.extend(shared);
            }
            for &region in &data.regions {
                for &block in body.regions[region].blocks.iter() {
                    stack.extend(body.blocks[block].ops.iter().copied());
                }
            }
        }
    }

    /// The statements are not alike: one side gives in, or `why` it is.
    fn apart(
        &mut self,
        pair: &mut Pair<'a>,
        rests: &mut Rests,
        end: End,
        why: Stop,
    ) -> Result<Step> {
        for is_before in [true, false] {
            if self.decided(pair, rests, is_before)? {
                return Ok(Step::Goes);
            }
        }
        for is_before in [true, false] {
            if let Some(step) = self.both_ways(pair, rests, is_before, end)? {
                return Ok(step);
            }
        }
        for is_before in [true, false] {
            if self.does_nothing(pair, rests, is_before)? {
                return Ok(Step::Goes);
            }
        }
        Err(why)
    }

    /// Opens a condition that is decided, or a loop of few iterations.
    fn decided(&mut self, pair: &mut Pair<'a>, rests: &mut Rests, is_before: bool) -> Result<bool> {
        let (side, rest) = half(pair, rests, is_before);
        let Some(op) = op_of(rest) else { return Ok(false) };
        let body = side.body;
        match body.ops[op].kind {
            OpKind::If | OpKind::SBlock(_) => {
                let condition = self.guard_value(side, op)?;
                let not = self.pool.not(condition);
                for (holds, arm) in [(condition, 0), (not, 1)] {
                    if self.holds(body, holds)? {
                        rest.pop();
                        self.arm(side, op, arm, rest)?;
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            OpKind::For(_) => self.write_out(side, rest, op),
            _ => Ok(false),
        }
    }

    /// The condition of a statement that has not been executed yet.
    fn guard_value(&mut self, side: &mut Side<'a>, op: OpId) -> Result<Term> {
        if let OpKind::SBlock(id) = side.body.ops[op].kind
            && !side.body.sblocks[id].has_predicate
        {
            return Ok(self.pool.truth(true));
        }
        let expr = self.guard_of(side.body, op)?;
        self.condition(side, expr)
    }

    fn write_out(&mut self, side: &mut Side<'a>, rest: &mut Rest, op: OpId) -> Result<bool> {
        let body = side.body;
        let operands = body.ops[op].operands.to_vec();
        let [min, extent] = operands[..] else { return Ok(false) };
        let (min, extent) = (self.eval(side, min)?, self.eval(side, extent)?);
        let Some(bits) = self.pool.sort(extent.term).width() else { return Ok(false) };
        let is_signed = body.ty(operands[1]).prim().is_none_or(ir::DataType::is_int);
        let known = match self.pool.known_int(extent.term) {
            Some(n) => Some(n.max(0)),
            None => {
                let (zero, one) = (self.pool.bits(0, bits), self.pool.bits(1, bits));
                let is_one = self.pool.eq(extent.term, one);
                let is_none = self.pool.relation(Op::LessEq(is_signed), extent.term, zero);
                if self.holds(body, is_one)? {
                    Some(1)
                } else if self.holds(body, is_none)? {
                    Some(0)
                } else {
                    None
                }
            }
        };
        let Some(n) = known.filter(|&it| it <= MOST_ITERATIONS) else { return Ok(false) };
        self.used(side, min);
        self.used(side, extent);
        rest.pop();
        let region = body.ops[op].regions[0];
        let block = self.only_block(side, region)?;
        if n > 1 && self.may_jump(side, op) {
            return Err(Stop::unsupported("a jump out of a loop that is written out"));
        }
        for k in (0..n).rev() {
            self.enter(side, region, rest)?;
            if let Some(&variable) = body.blocks[block].args.first() {
                let k = self.pool.bits(k, bits);
                let value = self.pool.arithmetic(Op::Add, min.term, k);
                let value = self.plain(value);
                rest.push(Item::Let(variable, value));
            }
        }
        Ok(true)
    }

    /// Follows a condition of one side both ways, to the end of the list.
    fn both_ways(
        &mut self,
        pair: &mut Pair<'a>,
        rests: &mut Rests,
        is_before: bool,
        end: End,
    ) -> Result<Option<Step>> {
        let (side, rest) = half(pair, rests, is_before);
        let Some(op) = op_of(rest) else { return Ok(None) };
        if !matches!(side.body.ops[op].kind, OpKind::If | OpKind::SBlock(_)) {
            return Ok(None);
        }
        self.split()?;
        let condition = self.guard_value(side, op)?;
        let not = self.pool.not(condition);
        for (holds, arm) in [(condition, 0), (not, 1)] {
            let (mark, mut copy, mut rests) = (self.mark(), pair.clone(), rests.clone());
            self.assume(holds);
            let (side, rest) = half(&mut copy, &mut rests, is_before);
            rest.pop();
            self.arm(side, op, arm, rest)?;
            // Goals that wait are shown on each way.
            let goals = self.goals.clone();
            let way = ir::stack::with_room(|| self.lists(&mut copy, rests, end));
            self.back_to(mark);
            self.goals = goals;
            way?;
        }
        self.goals.clear();
        Ok(Some(Step::Ends))
    }

    /// Skips a loop that leaves any state as it is.
    fn does_nothing(
        &mut self,
        pair: &mut Pair<'a>,
        rests: &mut Rests,
        is_before: bool,
    ) -> Result<bool> {
        let (_, rest) = half(pair, rests, is_before);
        let Some(op) = op_of(rest) else { return Ok(false) };
        let body = if is_before { pair.before.body } else { pair.after.body };
        if !matches!(body.ops[op].kind, OpKind::For(_)) {
            return Ok(false);
        }
        self.meet(pair, End::Inner, "what is before a loop")?;
        let (mark, mut copy) = (self.mark(), pair.clone());
        let (side, _) = half(&mut copy, rests, is_before);
        let mut bounds = Vec::new();
        for &it in body.ops[op].operands.iter() {
            let value = self.eval(side, it)?;
            self.used(side, value);
            bounds.push(value);
        }
        // That its bounds err nowhere is shown before it is assumed that it has iterations.
        self.meet(&mut copy, End::Inner, "the bounds of a loop")?;
        let (side, _) = half(&mut copy, rests, is_before);
        let region = body.ops[op].regions[0];
        let sort = self.pool.sort(bounds[0].term);
        let index = self.pool.fresh("i", sort);
        if let [min, extent] = bounds[..] {
            let ty = body.ty(body.ops[op].operands[0]);
            let is_signed = ty.prim().is_none_or(ir::DataType::is_int);
            self.in_range(index, min.term, extent.term, is_signed);
        }
        let value = self.plain(index);
        if let Some(&variable) = body.blocks[body.entry(region)].args.first() {
            side.values.insert(variable, value);
        }
        let mut changes = Changes::default();
        self.add_changes(if is_before { &pair.before } else { &pair.after }, op, &mut changes);
        self.forget(&mut copy, &changes);
        let [before, after] = if is_before { [Some(region), None] } else { [None, Some(region)] };
        let shown = self.regions(&mut copy, before, after, End::Inner);
        self.back_to(mark);
        match shown {
            Ok(()) => {
                let (_, rest) = half(pair, rests, is_before);
                rest.pop();
                Ok(true)
            }
            Err(stop) if stop.is_about_goal() => Ok(false),
            Err(stop) => Err(stop),
        }
    }
}

/// One side and what it has left.
fn half<'a, 'b>(
    pair: &'b mut Pair<'a>,
    rests: &'b mut Rests,
    is_before: bool,
) -> (&'b mut Side<'a>, &'b mut Rest) {
    if is_before {
        (&mut pair.before, &mut rests.before)
    } else {
        (&mut pair.after, &mut rests.after)
    }
}

fn op_of(rest: &Rest) -> Option<OpId> {
    match rest.last() {
        Some(Item::Op(op)) => Some(*op),
        _ => None,
    }
}

/// A kind of statement for people.
fn word(kind: OpKind) -> &'static str {
    match kind {
        OpKind::For(_) => "a loop",
        OpKind::While => "a `while`",
        OpKind::If => "an `if`",
        OpKind::SBlock(_) => "a block",
        OpKind::LaunchThread { .. } => "a launch",
        OpKind::Assert => "an assertion",
        OpKind::Evaluate => "a call",
        OpKind::Return => "a `return`",
        OpKind::Break | OpKind::Continue => "a jump",
        _ => "a statement",
    }
}
