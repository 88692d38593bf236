//! Expressions that have a simpler form, and what that decides of statements.
//!
//! In: the operations of a round, outer before inner. Out: an item for each largest occurrence whose simplified form costs less, or as much
//! and is smaller; and [`Expressions`]: the operands as they become, which conditions and loops are decided.
//!
//! Signed overflow is excluded where the operand is evaluated and used as it stands (`SEMANTICS: I1`): a condition, an index, what is stored,
//! returned, asserted or given to a call for its effect, a bound of a loop. What is bound to a name may never be used: it
//! wraps. Bounds of launches and thread loops, shapes, and bindings of block variables stay as they are written: they are the
//! configuration, the layout, and what schedules look at.
//!
//! Where the simplified form differs, both trees are walked down side by side as long as they have the same node, so that only the
//! text that changes is touched. O(occurrences), each node of a difference once.

use arith::{ContextId, Overflow};
use ir::{
    Body, ExprId, ExprKind, OccurrenceId, OpId, OpKind, RegionId, UnaryOp, ValueId,
    plan::{
        finding::{FindingKind, Place, Related, Role},
        simplify::{SimplificationKind, SimplifyRefusal, Step},
    },
    walk::WalkEvent,
};
use rustc_hash::FxHashMap;

use super::{
    loops::Trips,
    rewrite::Substitution,
    round::{Item, OpMap, Planner, is_thread_loop},
};
use crate::{findings::conditions::Known, replace::children_of};

/// What the expressions of a round become.
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
    /// Variables of loops of one iteration.
    substitution: Option<Substitution>,
    /// Conditions that are known, in program order, with what decides each.
    known: Vec<(Known, Option<Place>)>,
}

/// Why a condition has one value.
#[derive(Clone)]
pub(super) struct Decided {
    pub(super) value: bool,
    pub(super) kind: SimplificationKind,
    pub(super) decider: Option<Place>,
    pub(super) rules: Vec<&'static str>,
}

impl Expressions {
    /// An operand, as it becomes.
    pub(super) fn operand(&self, body: &Body, op: OpId, operand: usize) -> ExprId {
        let key = (op, operand as u32);
        self.operands.get(&key).copied().unwrap_or_else(|| body.ops[op].operands[operand])
    }
}

impl Planner<'_, '_, '_> {
    /// Plans the expressions of the body.
    pub(super) fn expressions(&mut self) {
        if self.is_first_round() {
            let points = self.facts.points;
            let known = points.known(self.simplifier.analyzer());
            for it in known {
                let decider = points.decider(self.simplifier.analyzer(), &it);
                self.expressions.known.push((it, decider));
            }
        }
        self.walk(|planner, event| match event {
            WalkEvent::Enter(op) => planner.operands(op),
            WalkEvent::EnterRegion(region) => planner.region(region),
            _ => {}
        });
    }

    /// A region that no run enters is left alone: everything holds in it.
    fn region(&mut self, region: RegionId) {
        let body = self.facts.round.body;
        let [block] = body.regions[region].blocks[..] else { return };
        let scope = self.facts.scopes.of_block(block);
        let context = self.facts.points.conditions.at_scope(scope);
        if self.analyzer().is_contradiction(Overflow::Excluded, context) {
            self.dead.insert(region);
        }
    }

    fn operands(&mut self, op: OpId) {
        self.work.operations += 1;
        let body = self.facts.round.body;
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
            OpKind::While | OpKind::Return | OpKind::Store { .. } | OpKind::Evaluate => {
                all.for_each(|it| self.operand(op, it, Overflow::Excluded));
            }
            OpKind::Bind => all.for_each(|it| self.operand(op, it, Overflow::Wraps)),
            OpKind::SBlock(block) if body.sblocks[block].has_predicate => {
                self.operand(op, n_operands - 1, Overflow::Excluded);
            }
            _ => {}
        }
    }

    fn refuse_thread_loop(&mut self, op: OpId) {
        let extent = self.body().ops[op].operands[1];
        if self.trips(op, extent) == Trips::One {
            let kind = SimplificationKind::SingleIterationLoop;
            self.refuse(kind, Place::Op(op), SimplifyRefusal::ThreadLoop, None);
        }
    }

    fn count_trips(&mut self, op: OpId) {
        let body = self.facts.round.body;
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
                self.expressions.unwrapped.insert(op, (value, first));
                match &mut self.expressions.substitution {
                    Some(it) => it.add(value, first),
                    none => *none = Some(Substitution::of(value, first)),
                }
            }
            Trips::Many => {}
        }
    }

    /// Whether the condition of an `if` or `assert` has one value.
    fn decide(&mut self, op: OpId) {
        let body = self.facts.round.body;
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
        let top = self.facts.round.occurrences.of_operand(op, 0);
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
        let body = self.facts.round.body;
        if body.ops[op].regions.len() != 2 || self.expressions.decided.contains_key(&op) {
            return;
        }
        let is_empty = self.block(op, 0).is_some_and(|block| {
            body.blocks[block].ops.iter().all(|&it| self.does_nothing(it))
        });
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

    /// Whether a statement does nothing at all.
    pub(super) fn does_nothing(&self, op: OpId) -> bool {
        self.body().ops[op].kind == OpKind::Evaluate && self.may_go(op)
    }

    // ---- one operand ----

    fn operand(&mut self, op: OpId, operand: usize, reading: Overflow) {
        let body = self.facts.round.body;
        let old = body.ops[op].operands[operand];
        let context = self.before(op);
        let start = match self.expressions.substitution.take() {
            Some(mut it) => {
                let new = self.simplifier.analyzer().grow(|body| it.apply(body, old));
                self.expressions.substitution = Some(it);
                new
            }
            None => old,
        };
        let new = self.simplifier.simplify(context, start, reading);
        if new == start {
            if start != old {
                self.expressions.operands.insert((op, operand as u32), start);
            }
            return;
        }
        let Some(top) = self.facts.round.occurrences.of_operand(op, operand) else { return };
        let mut found = Vec::new();
        let difference = Difference { reading, found: &mut found };
        let rebuilt = self.differ(difference, top, start, new).unwrap_or(start);
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
                self.replaced(it, reading);
            }
        } else {
            let step = Step::Operand { op, operand: operand as u32, with: rebuilt };
            let mut item = Item::of(SimplificationKind::Simplifiable, Place::Op(op), step);
            item.rules = self.rules(context, start, reading);
            item.saves = self.cost(start).saturating_sub(self.cost(rebuilt));
            self.add(item);
        }
    }

    /// Walks down two trees from an occurrence: `from` (what it is) and `to` (what it could be). What of `to` is worth it; none if nothing.
    fn differ(
        &mut self,
        difference: Difference<'_>,
        at: OccurrenceId,
        from: ExprId,
        to: ExprId,
    ) -> Option<ExprId> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.differ_at(difference, at, from, to))
    }

    fn differ_at(
        &mut self,
        difference: Difference<'_>,
        at: OccurrenceId,
        from: ExprId,
        to: ExprId,
    ) -> Option<ExprId> {
        let Difference { reading, found } = difference;
        self.work.nodes += 1;
        if from == to {
            return Some(from);
        }
        let [a, b] = [from, to].map(|it| children(self.simplifier.body(), it));
        if is_same_node(self.simplifier.body(), from, to) && have_types(self.simplifier.body(), &a, &b) {
            let below: Vec<OccurrenceId> =
                children_of(self.facts.round.occurrences, at).collect();
            let n_before = found.len();
            let mut new = a.clone();
            for (index, &child) in below.iter().enumerate() {
                let inner = Difference { reading, found: &mut *found };
                if let Some(it) = self.differ(inner, child, a[index], b[index]) {
                    new[index] = it;
                }
            }
            if new != a {
                return Some(self.simplifier.analyzer().grow(|body| with_children(body, from, &new)));
            }
            found.truncate(n_before);
        }
        let occurrences = self.facts.round.occurrences;
        let is_real = self.facts.round.source.is_none_or(|it| (it.is_real)(at));
        let may_go = self.facts.deletable.may_go(occurrences[at].expr);
        if !is_real || !may_go || self.simplifier.saves(from, to).is_none() {
            return None;
        }
        found.push(Replaced { at, from, to });
        Some(to)
    }

    /// The item of a replaced occurrence.
    fn replaced(&mut self, it: Replaced, reading: Overflow) {
        let Replaced { at, from, to } = it;
        let step = Step::Replace { occurrence: at, with: to };
        let mut item = Item::of(SimplificationKind::Simplifiable, Place::Occurrence(at), step);
        match self.known_in(at) {
            Some((kind, decider)) => {
                item.kind = kind;
                item.because = because(decider);
            }
            None => {
                let context = self.context_at(at);
                item.rules = self.rules(context, from, reading);
            }
        }
        item.saves = self.cost(from).saturating_sub(self.cost(to));
        self.add(item);
    }

    fn context_at(&self, at: OccurrenceId) -> ContextId {
        self.facts.points.conditions.at(self.facts.points.flow, at)
    }

    /// The first known condition in an occurrence, as a kind, and what decides it.
    fn known_in(&self, at: OccurrenceId) -> Option<(SimplificationKind, Option<Place>)> {
        let known = &self.expressions.known;
        let end = self.facts.round.occurrences[at].end;
        let first = known.partition_point(|(it, _)| it.occurrence < at);
        let (known, decider) = known.get(first).filter(|(it, _)| it.occurrence < end)?;
        let kind = match known.kind {
            FindingKind::ConstantCondition => SimplificationKind::ConstantCondition,
            _ => SimplificationKind::RedundantCondition,
        };
        Some((kind, *decider))
    }
}

/// What walking down two trees collects.
struct Difference<'d> {
    reading: Overflow,
    found: &'d mut Vec<Replaced>,
}

/// An occurrence, what it is, and what it becomes.
struct Replaced {
    at: OccurrenceId,
    from: ExprId,
    to: ExprId,
}

/// The related place of a condition that decides.
pub(super) fn because(decider: Option<Place>) -> Vec<Related> {
    decider.map(|place| Related { place, role: Role::Decides }).into_iter().collect()
}

fn children(body: &Body, expr: ExprId) -> Vec<ExprId> {
    let mut children = Vec::new();
    body.each_child(body.expr(expr).kind, &mut |it| children.push(it));
    children
}

fn with_children(body: &mut Body, expr: ExprId, children: &[ExprId]) -> ExprId {
    let mut at = 0;
    body.map_children(expr, &mut |_, _| {
        at += 1;
        children[at - 1]
    })
}

/// Whether operands are as many and of the same types.
fn have_types(body: &Body, a: &[ExprId], b: &[ExprId]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| body.ty(a) == body.ty(b))
}

/// Whether two nodes are the same but for their operands.
fn is_same_node(body: &Body, a: ExprId, b: ExprId) -> bool {
    use ExprKind::{Binary, Broadcast, Call, Cast, Load, Ramp, Select, Unary};
    let [x, y] = [a, b].map(|it| body.expr(it));
    x.ty == y.ty
        && match (x.kind, y.kind) {
            (Binary(a, ..), Binary(b, ..)) => a == b,
            (Unary(a, _), Unary(b, _)) => a == b,
            (Cast(_), Cast(_)) | (Select(..), Select(..)) => true,
            (Ramp { .. }, Ramp { .. }) | (Broadcast { .. }, Broadcast { .. }) => true,
            (Load { buffer: a, predicate: p, .. }, Load { buffer: b, predicate: q, .. }) => {
                a == b && p.is_some() == q.is_some()
            }
            (
                Call { callee: a, attrs: x, instance: i, .. },
                Call { callee: b, attrs: y, instance: j, .. },
            ) => a == b && x == y && i == j,
            _ => false,
        }
}
