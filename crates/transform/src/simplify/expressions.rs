//! Expressions that have a simpler form, and the statements that this decides.
//!
//! In: the operations of a round, outer before inner. Out: an item for each largest occurrence that a step makes
//! simpler as a whole; and [`Expressions`]: the operands as they become, which conditions and loops are decided.
//!
//! Signed overflow is excluded where the operand is evaluated and used as it stands (`SEMANTICS: I1`): a condition, an
//! index, a value that is stored, returned, asserted or given to a call for its effect, a bound of a loop. A bound
//! value may never be used: it wraps. Bounds of launches and thread loops, and shapes stay as they are written: they
//! are the configuration and the layout.
//!
//! Where the simplified form differs only because an operand does, the walk goes down to the operand, so that only the
//! text that changes is touched. Each item is right by itself: an occurrence becomes the result of the simplifier for
//! it alone. O(occurrences), each node of a difference once.

use std::rc::Rc;

use arith::{ContextId, Overflow};
use dataflow::{analyses::Analyses, conditions::Conditions};
use ir::{
    Body, Callee, Children, DataType, ExprId, ExprKind, Intrinsic, OccurrenceId, OpId, OpKind,
    RegionId, Type, UnaryOp, ValueId,
    arena::Id as _,
    plan::{
        finding::{Place, Related, Role},
        simplify::{SimplificationKind, SimplifyRefusal, Step},
    },
    role,
    substitution::Substitution,
    walk::WalkEvent,
};
use rustc_hash::FxHashMap;

use super::{
    loops::Trips,
    places::Operands,
    round::{Item, OpMap, Planner, is_thread_loop},
};
use crate::{
    findings::{
        FindingKind,
        conditions::{Deciders, Known, Points, tops},
    },
    replace::children_of,
};

/// The limit on rebuilding of an operand.
const MOST_REBUILT: usize = 4;

/// The rewritten expressions of a round.
#[derive(Default)]
pub(super) struct Expressions {
    /// Operands that change.
    operands: FxHashMap<(OpId, u32), ExprId>,
    /// Conditions of `if` and `assert` that have one value.
    pub(super) decided: OpMap<Decided>,
    /// Loops of one iteration: the variable, and its value.
    pub(super) unwrapped: OpMap<(ValueId, ExprId)>,
    /// Loops without iterations.
    pub(super) never: OpMap<()>,
    /// Conditions of `if`s with nothing in the first arm, as they are for the second.
    pub(super) negated: OpMap<ExprId>,
    /// Items that changed the condition of an `if`.
    condition_items: OpMap<Vec<usize>>,
    /// Items that rewrote expressions that read the variable of a loop of one iteration.
    variable_items: FxHashMap<ValueId, Vec<usize>>,
    /// Variables of loops of one iteration.
    substitution: Substitution,
    /// The contexts of the body as it is; made when a change might be that of a known condition.
    conditions: Option<Conditions>,
    /// By operation that was asked about: its conditions.
    tops: OpMap<Rc<[(OccurrenceId, Overflow)]>>,
    /// By queried condition: its known parts, in program order.
    known: FxHashMap<OccurrenceId, Vec<Known>>,
    /// Where what decided a condition was found before.
    deciders: Deciders,
}

/// The reason why a condition has one value.
#[derive(Clone)]
pub(super) struct Decided {
    pub(super) value: bool,
    pub(super) kind: SimplificationKind,
    pub(super) decider: Option<Place>,
    pub(super) rules: Vec<&'static str>,
}

impl Expressions {
    /// The items without which something would still read the variable of a loop of one iteration where it folds.
    pub(super) fn variable_items(&self, value: ValueId) -> &[usize] {
        self.variable_items.get(&value).map_or(&[], Vec::as_slice)
    }

    /// The items that the new condition of an `if` depends on.
    pub(super) fn condition_items(&self, op: OpId) -> &[usize] {
        self.condition_items.get(&op).map_or(&[], Vec::as_slice)
    }

    /// An operand, as it becomes.
    pub(super) fn operand(&self, body: &Body, op: OpId, operand: usize) -> ExprId {
        let key = (op, operand as u32);
        self.operands.get(&key).copied().unwrap_or_else(|| body.ops[op].operands[operand])
    }
}

impl Planner<'_, '_, '_, '_> {
    /// Plans the expressions of the body.
    pub(super) fn expressions(&mut self) {
        self.walk(|planner, event| match event {
            WalkEvent::Enter(op) => planner.operation(op),
            WalkEvent::EnterRegion(region) => planner.region(region),
            _ => {}
        });
    }

    fn operation(&mut self, op: OpId) {
        self.places.enter(self.body(), op);
        self.operands(op);
        let operands = self.new_operands(op);
        let analyzer = self.simplifier.analyzer();
        self.places.pass(&self.facts.flow, analyzer, op, &operands);
        self.seen.note(op, self.places.before(op), &operands);
    }

    /// The operands of an operation, as they become.
    fn new_operands(&self, op: OpId) -> Operands {
        let mut operands = Operands::from_slice(&self.body().ops[op].operands);
        if !self.expressions.operands.is_empty() {
            for (index, operand) in operands.iter_mut().enumerate() {
                let new = self.expressions.operands.get(&(op, index as u32));
                *operand = new.copied().unwrap_or(*operand);
            }
        }
        operands
    }

    /// A region that no run enters is left alone: everything holds in it.
    fn region(&mut self, region: RegionId) {
        let body = self.body();
        if let Some(op) = body.regions[region].parent {
            let operands = self.new_operands(op);
            let is_open = self.expressions.unwrapped.contains_key(&op);
            let analyzer = self.simplifier.analyzer();
            self.places.enter_region(&self.facts.flow, analyzer, region, &operands, is_open);
        }
        let [block] = body.regions[region].blocks[..] else { return };
        let context = self.places.at(block);
        if self.analyzer().is_contradiction(Overflow::Excluded, context) {
            self.dead.insert(region);
        }
    }

    fn operands(&mut self, op: OpId) {
        self.work.operations += 1;
        let body = self.body();
        let data = &body.ops[op];
        let n_operands = data.operands.len();
        let all = 0..n_operands;
        match data.kind {
            kind if is_thread_loop(kind) => self.refuse_thread_loop(op),
            OpKind::For(_) => {
                all.for_each(|it| self.operand(op, it, Overflow::Excluded));
                self.count_trips(op);
            }
            OpKind::If => {
                self.operand(op, 0, Overflow::Excluded);
                self.decide(op);
                self.negate(op);
            }
            OpKind::Assert => {
                self.operand(op, 0, Overflow::Excluded);
                self.decide(op);
            }
            // What is assumed is there for others to read.
            OpKind::Evaluate if self.is_assumption(op) => {}
            OpKind::While
            | OpKind::Return
            | OpKind::Store { predicated: false, .. }
            | OpKind::Evaluate => {
                all.for_each(|it| self.operand(op, it, Overflow::Excluded));
            }
            // Lanes that are switched off use nothing (`SEMANTICS: S8`).
            OpKind::Bind | OpKind::Store { .. } => {
                all.for_each(|it| self.operand(op, it, Overflow::Wraps))
            }
            // Bindings, and the predicate: schedules ask for values of bindings, not for their form.
            OpKind::SBlock(_) => all.for_each(|it| self.operand(op, it, Overflow::Excluded)),
            _ => {}
        }
    }

    fn is_assumption(&self, op: OpId) -> bool {
        let body = self.body();
        matches!(
            body.expr(body.ops[op].operands[0]).kind,
            ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::Assume), .. }
        )
    }

    fn refuse_thread_loop(&mut self, op: OpId) {
        let extent = self.body().ops[op].operands[1];
        if self.trips(op, extent) == Trips::One {
            let kind = SimplificationKind::SingleIterationLoop;
            self.refuse(kind, Place::Op(op), SimplifyRefusal::ThreadLoop, None);
        }
    }

    fn count_trips(&mut self, op: OpId) {
        let body = self.body();
        let [first, extent] = [0, 1].map(|it| self.expressions.operand(body, op, it));
        match self.trips(op, extent) {
            Trips::Zero if self.may_go(op) => {
                self.expressions.never.insert(op, ());
                self.dead.extend(body.ops[op].regions.iter().copied());
            }
            Trips::Zero => {
                let kind = SimplificationKind::EmptyLoop;
                self.refuse(kind, Place::Op(op), SimplifyRefusal::HasEffect, None);
            }
            Trips::One => {
                let Some(value) = self.unwrapped(op, first) else { return };
                let first = self.of_type(first, body.values[value].ty);
                self.expressions.unwrapped.insert(op, (value, first));
                self.expressions.substitution.add(value, first);
            }
            Trips::Many => {}
        }
    }

    /// The first value of a loop as one of the type of its variable.
    fn of_type(&mut self, first: ExprId, ty: Type) -> ExprId {
        let Some(dtype) = ty.prim().filter(|_| self.simplifier.body().ty(first) != ty) else {
            return first;
        };
        self.simplifier.analyzer().grow(|body| match body.expr(first).kind {
            ExprKind::Int(value) => body.int(value.into(), dtype),
            _ => body.cast(first, dtype),
        })
    }

    /// Decides the condition of an `if` or `assert` if it has one value.
    fn decide(&mut self, op: OpId) {
        let body = self.body();
        let condition = self.expressions.operand(body, op, 0);
        let ExprKind::Int(value) = self.simplifier.body().expr(condition).kind else { return };
        if !body.ty(body.ops[op].operands[0]).is_bool() {
            return;
        }
        let value = value != 0;
        let old = body.ops[op].operands[0];
        let context = self.before(op);
        let mut decided = Decided {
            value,
            kind: SimplificationKind::RedundantGuard,
            decider: None,
            rules: Vec::new(),
        };
        let top = self.facts.round.occurrence(op, 0);
        match top.and_then(|it| self.known_in(it)) {
            Some((kind, decider)) => (decided.kind, decided.decider) = (kind, decider),
            None => decided.rules = self.rules(context, old, Overflow::Excluded),
        }
        if body.ops[op].kind == OpKind::If
            && let Some(&region) = body.ops[op].regions.get(usize::from(value))
        {
            self.dead.insert(region);
        }
        self.expressions.decided.insert(op, decided);
    }

    /// The other condition of an `if` with nothing in its first arm, should that be needed.
    fn negate(&mut self, op: OpId) {
        let body = self.body();
        if body.ops[op].regions.len() != 2 || self.expressions.decided.contains_key(&op) {
            return;
        }
        // Python's truth is of more than bools.
        if body.ty(body.ops[op].operands[0]) == ir::Type::Unknown {
            return;
        }
        let is_empty = self
            .block(op, 0)
            .is_some_and(|block| body.blocks[block].ops.iter().all(|&it| self.does_nothing(it)));
        if is_empty {
            let condition = self.expressions.operand(body, op, 0);
            let not = self.simplifier.analyzer().grow(|it| match it.expr(condition).kind {
                ExprKind::Unary(UnaryOp::Not, inner) => inner,
                _ => it.unary(UnaryOp::Not, condition),
            });
            let context = self.before(op);
            let simple = self.simplifier.simplify(context, not, Overflow::Excluded);
            self.expressions.negated.insert(op, simple);
        }
    }

    /// Returns true if a statement has no effect.
    pub(super) fn does_nothing(&self, op: OpId) -> bool {
        self.body().ops[op].kind == OpKind::Evaluate && self.may_go(op)
    }

    // ---- one operand ----

    fn operand(&mut self, op: OpId, operand: usize, reading: Overflow) {
        let body = self.body();
        let old = body.ops[op].operands[operand];
        if body.expr(old).is_constant() || !role::of_operand(body, op, operand).takes_equal() {
            return;
        }
        let context = self.before(op);
        let values = &mut self.expressions.substitution;
        let analyzer = self.simplifier.analyzer();
        let start = match values.is_empty() {
            true => old,
            false => analyzer.grow(|body| values.apply(body, old)),
        };
        if start == old && self.facts.round.seen.has(op, context, operand, old) {
            return;
        }
        let mut new = self.simplifier.simplify(context, start, reading);
        if new == start {
            if start != old {
                self.expressions.operands.insert((op, operand as u32), start);
            }
            return;
        }
        let at = self.facts.round.occurrence(op, operand);
        let mut found = Vec::new();
        let mut rebuilt = start;
        for _ in 0..MOST_REBUILT {
            found.clear();
            let place = &mut Differing { at, was: old, context, reading, found: &mut found };
            rebuilt = self.differ(place, start, new);
            // What is not worth telling stays, so this is not the simplest form, and may be a condition that is known
            // here as it stands.
            let again = self.simplifier.simplify(context, rebuilt, reading);
            if again == new || again == start || rebuilt == start {
                break;
            }
            new = again;
        }
        if rebuilt != old {
            self.expressions.operands.insert((op, operand as u32), rebuilt);
        }
        // A condition that goes as a whole is told with its statement.
        let is_constant = self.simplifier.body().expr(rebuilt).is_constant();
        let is_told = matches!(body.ops[op].kind, OpKind::If | OpKind::Assert);
        if rebuilt == start || (is_constant && is_told) {
            return;
        }
        if self.is_first_round() {
            for it in found {
                let item = self.replaced(it, reading);
                self.note_condition(op, item);
            }
        } else {
            let step = Step::Operand { op, operand: operand as u32, with: rebuilt };
            let mut item = Item::of(SimplificationKind::Simplifiable, Place::Op(op), step);
            item.rules = self.rules(context, start, reading);
            item.saves = self.cost(start).saturating_sub(self.cost(rebuilt));
            let item = self.add(item);
            self.note_condition(op, item);
        }
    }

    /// Finds the differing parts of an occurrence: as it is (`from`), and as it could be (`to`). Its replacement with
    /// the known facts.
    fn differ(&mut self, place: &mut Differing<'_>, from: ExprId, to: ExprId) -> ExprId {
        ir::stack::with_room(|| self.differ_at(place, from, to))
    }

    fn differ_at(&mut self, place: &mut Differing<'_>, from: ExprId, to: ExprId) -> ExprId {
        let Differing { at, was, context, reading, .. } = *place;
        self.work.nodes += 1;
        if from == to {
            return from;
        }
        let Some((old, new)) = self.simple_operands(context, reading, from) else {
            return self.whole(place, from, to).unwrap_or(from);
        };
        let bare = match new == old {
            true => from,
            false if is_with_children(self.simplifier.body(), from, &new, to) => to,
            false => self.with_children(from, &new),
        };
        // What a step makes of the node as a whole counts if it saves something; else only operands are simpler.
        if bare != to
            && self.simplifier.saves(bare, to).is_some()
            && let Some(whole) = self.whole(place, from, to)
        {
            return whole;
        }
        if new == old {
            return from;
        }
        let mut kept = old.clone();
        let mut below = at.map(|at| children_of(self.facts.round.analyses.occurrences, at));
        for (index, was) in self.body().children(was).into_iter().enumerate() {
            let at = below.as_mut().and_then(Iterator::next);
            if old[index] == new[index] {
                continue;
            }
            let inner = &mut Differing {
                at,
                was,
                context: self.context_of(context, from, index, new[0]),
                reading: reading_of(self.simplifier.body(), from, index, reading),
                found: &mut *place.found,
            };
            kept[index] = self.differ(inner, old[index], new[index]);
        }
        match kept {
            kept if kept == old => from,
            kept if kept == new => bare,
            kept => self.with_children(from, &kept),
        }
    }

    /// The operands of a node, and each by itself as simple as it can be; none if they have no context of their own.
    fn simple_operands(
        &mut self,
        context: ContextId,
        reading: Overflow,
        from: ExprId,
    ) -> Option<(Children, Children)> {
        let node = self.simplifier.body().expr(from);
        let is_binder = matches!(node.kind, ExprKind::Let { .. } | ExprKind::Lambda { .. });
        if is_binder || node.flags.open_binders > 0 {
            return None;
        }
        let old = self.simplifier.body().children(from);
        let mut new = Children::new();
        for (index, &operand) in old.iter().enumerate() {
            if !role::of_child(self.simplifier.body(), from, index, operand).takes_equal() {
                new.push(operand);
                continue;
            }
            let reading = reading_of(self.simplifier.body(), from, index, reading);
            let first = new.first().copied().unwrap_or(operand);
            let context = self.context_of(context, from, index, first);
            let simple = self.simplifier.simplify(context, operand, reading);
            let may_stand = simple == operand || self.simplifier.may_become(from, index, simple);
            new.push(if may_stand { simple } else { operand });
        }
        Some((old, new))
    }

    /// The context of an operand of a node, whose first operand becomes `first`: an arm of `if_then_else` is evaluated
    /// where the condition chooses it.
    fn context_of(
        &mut self,
        around: ContextId,
        expr: ExprId,
        index: usize,
        first: ExprId,
    ) -> ContextId {
        match self.simplifier.body().expr(expr).kind {
            ExprKind::IfThenElse(..) if index > 0 => {
                self.simplifier.context_of_arm(around, expr, first, index == 1)
            }
            _ => around,
        }
    }

    /// An occurrence that changes as a whole, if that is worth it and possible.
    fn whole(&mut self, place: &mut Differing<'_>, from: ExprId, to: ExprId) -> Option<ExprId> {
        let Differing { at, was, context, .. } = *place;
        let is_real = |at| self.facts.round.source.is_none_or(|it| (it.is_real)(at));
        if !at.is_none_or(is_real)
            || !self.facts.may_go(was)
            || self.simplifier.saves(from, to).is_none()
        {
            return None;
        }
        place.found.extend(at.map(|at| Replaced { at, context, from, to }));
        Some(to)
    }

    fn with_children(&mut self, expr: ExprId, children: &[ExprId]) -> ExprId {
        self.simplifier.analyzer().grow(|body| {
            let mut children = children.iter();
            body.map_children(expr, &mut |_, old| *children.next().unwrap_or(&old))
        })
    }

    fn note_condition(&mut self, op: OpId, item: usize) {
        if self.body().ops[op].kind == OpKind::If {
            self.expressions.condition_items.entry(op).or_default().push(item);
        }
    }

    /// Notes which variables of loops of one iteration a replaced occurrence reads.
    fn note_variables(&mut self, at: OccurrenceId, item: usize) {
        if self.expressions.substitution.is_empty() {
            return;
        }
        let occurrences = self.facts.round.analyses.occurrences;
        for index in at.index()..occurrences[at].end.index() {
            let expr = occurrences[OccurrenceId::new(index)].expr;
            let ExprKind::Value(value) = self.body().expr(expr).kind else { continue };
            if !self.expressions.substitution.has(value) {
                continue;
            }
            let items = self.expressions.variable_items.entry(value).or_default();
            if items.last() != Some(&item) {
                items.push(item);
            }
        }
    }

    /// The item of a replaced occurrence.
    fn replaced(&mut self, it: Replaced, reading: Overflow) -> usize {
        let Replaced { at, context, from, to } = it;
        let step = Step::Replace { occurrence: at, with: to };
        let mut item = Item::of(SimplificationKind::Simplifiable, Place::Occurrence(at), step);
        match self.known_in(at) {
            Some((kind, decider)) => {
                item.kind = kind;
                item.because = because(decider);
            }
            None => {
                item.rules = self.rules(context, from, reading);
            }
        }
        item.saves = self.cost(from).saturating_sub(self.cost(to));
        let item = self.add(item);
        self.note_variables(at, item);
        item
    }

    /// The first known condition in an occurrence, as a kind, and the deciding fact.
    fn known_in(&mut self, at: OccurrenceId) -> Option<(SimplificationKind, Option<Place>)> {
        let Analyses { body, occurrences, .. } = *self.facts.round.analyses;
        let range = at..occurrences[at].end;
        let meets = |top: OccurrenceId| top < range.end && range.start < occurrences[top].end;
        let op = occurrences[at].op;
        let of_op = || tops(body, occurrences, op).as_slice().into();
        let conditions = self.expressions.tops.entry(op).or_insert_with(of_op).clone();
        let known = conditions.iter().find_map(|&(top, reading)| {
            let known = meets(top).then(|| self.known_at(top, reading))?;
            known.iter().find(|it| range.contains(&it.occurrence)).copied()
        })?;
        let kind = match known.kind {
            FindingKind::ConstantCondition => SimplificationKind::ConstantCondition,
            _ => SimplificationKind::RedundantCondition,
        };
        let Expressions { conditions, deciders, .. } = &mut self.expressions;
        let points = Points { flow: self.facts.flow, conditions: conditions.as_ref()? };
        Some((kind, points.decider(self.simplifier.analyzer(), deciders, &known)))
    }

    /// Returns the known values of a condition or its parts, in the contexts of the body as it is.
    fn known_at(&mut self, top: OccurrenceId, reading: Overflow) -> &[Known] {
        let (flow, analyzer) = (self.facts.flow, self.simplifier.analyzer());
        let Expressions { conditions, known, .. } = &mut self.expressions;
        known.entry(top).or_insert_with(|| {
            let conditions = &*conditions.get_or_insert_with(|| Conditions::build(&flow, analyzer));
            Points { flow, conditions }.known_at(analyzer, top, reading)
        })
    }
}

/// The position in the comparison of two trees, and the differences.
struct Differing<'d> {
    /// In the first round.
    at: Option<OccurrenceId>,
    /// The expression before variables were replaced.
    was: ExprId,
    context: ContextId,
    reading: Overflow,
    found: &'d mut Vec<Replaced>,
}

/// The reading of an operand: an overflow in the condition of a `Select`, in a value that becomes a float, or in a lane
/// that is switched off is no event.
fn reading_of(body: &Body, expr: ExprId, index: usize, reading: Overflow) -> Overflow {
    match body.expr(expr).kind {
        ExprKind::Select(..) if index == 0 => Overflow::Wraps,
        ExprKind::Load { predicate: Some(_), .. } => Overflow::Wraps,
        ExprKind::Cast(_) if body.dtype(expr).is_some_and(DataType::is_float) => Overflow::Wraps,
        _ => reading,
    }
}

/// Returns true if `to` is known to be a node with other operands, without making it.
fn is_with_children(body: &Body, expr: ExprId, children: &[ExprId], to: ExprId) -> bool {
    if body.ty(expr) != body.ty(to) {
        return false;
    }
    match (body.expr(expr).kind, body.expr(to).kind) {
        (ExprKind::Binary(op, ..), ExprKind::Binary(other, a, b)) => {
            op == other && *children == [a, b]
        }
        (ExprKind::Unary(op, _), ExprKind::Unary(other, a)) => op == other && *children == [a],
        (ExprKind::Cast(_), ExprKind::Cast(a)) => *children == [a],
        (
            ExprKind::Load { buffer, predicate: None, .. },
            ExprKind::Load { buffer: other, indices, predicate: None },
        ) => buffer == other && *children == *body.items(indices),
        _ => false,
    }
}

/// An occurrence, its expression, and its replacement.
struct Replaced {
    at: OccurrenceId,
    context: ContextId,
    from: ExprId,
    to: ExprId,
}

/// The related place of a condition that decides.
pub(super) fn because(decider: Option<Place>) -> Vec<Related> {
    decider.map(|place| Related { place, role: Role::DECIDES }).into_iter().collect()
}
