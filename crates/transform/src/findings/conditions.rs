//! Conditions that are known where they stand.
//!
//! A *condition* is that of an `if`, a `while`, an `if_then_else` or a `Select`, and each side of an `and` or `or` in
//! one. In: the known conditions at each point (`dataflow::conditions`). Out: a finding for each condition that is
//! always true or never, the largest only: `constant-condition` if constants, ranges of loops and threads, and shapes
//! decide it, `redundant-condition` if a condition on the way does; with the place that decides.
//!
//! The condition is evaluated and used where it stands, so signed overflow is excluded (`SEMANTICS: I1`): an overflow
//! in it is an error of the program already. Not so for `Select`, whose value may never be used. A right side that is
//! not evaluated does not matter to the value (`S2`). Constants written as conditions (`while True`) are meant.
//! O(occurrences + work of the analyzer), and a walk outwards for each finding.

use arith::{Analyzer, Constraint, ContextId, Overflow};
use dataflow::{conditions::Conditions, flow::Flow};
use ir::{
    BinaryOp, Body, Callee, ExprKind, Intrinsic, OccurrenceId, Occurrences, OpId, OpKind, UnaryOp,
    arena::Id as _,
    plan::{
        finding::{FindingFix, FixEdit, Place, Related, Replacement, Role},
        simplify,
    },
};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Finding, FindingFacts, FindingKind, FindingRule, edit_title, sentence};

/// A condition that is always true or never.
pub(super) const CONSTANT: FindingRule = FindingRule {
    rule: simplify::CONSTANT_CONDITION,
    plan: |facts, found| plan(facts, FindingKind::ConstantCondition, found),
    title: edit_title,
    is_unnecessary: false,
};

/// A condition that an enclosing one already decides.
pub(super) const REDUNDANT: FindingRule = FindingRule {
    rule: simplify::REDUNDANT_CONDITION,
    plan: |facts, found| plan(facts, FindingKind::RedundantCondition, found),
    title: edit_title,
    is_unnecessary: false,
};

/// Expressions, statements and scopes that are looked at for the place that decides.
const MOST_STEPS: usize = 1000;

fn plan(facts: &FindingFacts<'_>, kind: FindingKind, found: &mut Vec<Finding>) {
    let points = Points::of(facts);
    let mut deciders = Deciders::default();
    for known in known(facts) {
        if known.kind != kind || facts.source.is_some_and(|it| !(it.is_real)(known.occurrence)) {
            continue;
        }
        let decider = points.decider(&mut facts.analyzer(), &mut deciders, &known);
        let rests_on = decider.and_then(|it| op_of(facts, it));
        let place = Place::Occurrence(known.occurrence);
        let value = if known.value { "true" } else { "false" };
        let here = if kind == FindingKind::RedundantCondition { " here" } else { "" };
        found.push(Finding {
            kind,
            is_shown: false,
            place,
            message: sentence![place, " is always ", value, here],
            related: decider
                .map(|place| Related { place, role: Role::DECIDES })
                .into_iter()
                .collect(),
            fix: fix(facts, &known).map(|it| it.resting_on(rests_on)),
        });
    }
}

/// Where contexts that decided something were added in an expression: the node around, and the place. Thousands of
/// conditions in one are decided by one.
pub(crate) type Deciders = FxHashMap<ContextId, (OccurrenceId, Place)>;

/// A condition that has one value wherever it is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) occurrence: OccurrenceId,
    pub(crate) value: bool,
    pub(crate) kind: FindingKind,
    context: ContextId,
    reading: Overflow,
}

/// All conditions that are known, in program order.
pub(super) fn known(facts: &FindingFacts<'_>) -> Vec<Known> {
    let here = Points::of(facts);
    let mut analyzer = facts.analyzer();
    here.known(&mut analyzer)
}

/// The places of a body and the facts there; queries go to the analyzer in which the conditions were made.
#[derive(Clone, Copy)]
pub(crate) struct Points<'p, 'a> {
    pub(crate) flow: Flow<'a>,
    pub(crate) conditions: &'p Conditions,
}

impl<'p, 'a> Points<'p, 'a> {
    fn of(facts: &'p FindingFacts<'a>) -> Points<'p, 'a> {
        Points { conditions: facts.conditions(), flow: facts.flow() }
    }

    /// All conditions that are known, in program order.
    fn known(self, analyzer: &mut Analyzer<'_>) -> Vec<Known> {
        let ops = self.flow.body.ops_preorder();
        ops.flat_map(|op| self.known_in(analyzer, op)).collect()
    }

    /// The conditions in the operands of an operation that are known, in program order.
    fn known_in(self, analyzer: &mut Analyzer<'_>, op: OpId) -> Vec<Known> {
        let tops = tops(self.flow.body, self.flow.occurrences, op).into_iter();
        tops.flat_map(|(top, reading)| self.known_at(analyzer, top, reading)).collect()
    }

    /// Returns the known values of a condition or of its parts, in program order.
    pub(crate) fn known_at(
        self,
        analyzer: &mut Analyzer<'_>,
        top: OccurrenceId,
        reading: Overflow,
    ) -> Vec<Known> {
        let mut all = Vec::new();
        let context = self.conditions.at(&self.flow, top);
        if !analyzer.is_contradiction(Overflow::Excluded, context) {
            self.examine(analyzer, top, context, reading, &mut all);
        }
        all
    }

    /// Decides a condition, or else its sides.
    fn examine(
        self,
        analyzer: &mut Analyzer<'_>,
        top: OccurrenceId,
        context: ContextId,
        reading: Overflow,
        all: &mut Vec<Known>,
    ) {
        let (body, occurrences) = (self.flow.body, self.flow.occurrences);
        let mut stack = vec![top];
        while let Some(occurrence) = stack.pop() {
            let expr = occurrences[occurrence].expr;
            if body.expr(expr).is_constant() {
                continue;
            }
            if let Some(value) = analyzer.decide_with(reading, context, expr) {
                let bare = analyzer.unconditional(context);
                let kind = if analyzer.decide_with(reading, bare, expr) == Some(value) {
                    FindingKind::ConstantCondition
                } else {
                    FindingKind::RedundantCondition
                };
                all.push(Known { occurrence, value, kind, context, reading });
                continue;
            }
            let first = OccurrenceId::new(occurrence.index() + 1);
            match body.expr(expr).kind {
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                    stack.push(occurrences[first].end);
                    stack.push(first);
                }
                ExprKind::Unary(UnaryOp::Not, _) => stack.push(first),
                ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::Likely), .. } => {
                    stack.push(first);
                }
                _ => {}
            }
        }
    }

    /// The place of the deciding fact of a condition.
    pub(crate) fn decider(
        self,
        analyzer: &mut Analyzer<'_>,
        deciders: &mut Deciders,
        known: &Known,
    ) -> Option<Place> {
        let expr = self.flow.occurrences[known.occurrence].expr;
        let why = analyzer.why(known.reading, known.context, expr)?;
        if known.kind == FindingKind::RedundantCondition {
            return self.place_of(analyzer, deciders, known.occurrence, why);
        }
        // Ranges that decide are those of the loops around.
        match analyzer.constraint(why) {
            Constraint::Range { .. } => self.place_of(analyzer, deciders, known.occurrence, why),
            _ => None,
        }
    }

    /// Returns the place where the constraint of a context around an occurrence stands.
    fn place_of(
        self,
        analyzer: &Analyzer<'_>,
        deciders: &mut Deciders,
        id: OccurrenceId,
        context: ContextId,
    ) -> Option<Place> {
        let Points { flow, conditions } = self;
        let (body, occurrences, scopes) = (flow.body, flow.occurrences, flow.scopes);
        let part = |condition: OccurrenceId| Some(self.part(analyzer, condition, context));
        if let Some(&(around, place)) = deciders.get(&context)
            && (around..occurrences[around].end).contains(&id)
        {
            return Some(place);
        }
        let mut steps = 0;
        let mut at = id;
        while let Some(parent) = occurrences[at].parent {
            ir::interrupt::check();
            steps += 1;
            if steps > MOST_STEPS {
                return None;
            }
            let [inner, outer] = [at, parent].map(|it| conditions.at(&flow, it));
            if adds(analyzer, inner, outer, context) {
                let place = part(OccurrenceId::new(parent.index() + 1))?;
                deciders.insert(context, (parent, place));
                return Some(place);
            }
            at = parent;
        }
        let mut op = occurrences[id].op;
        loop {
            let scope = scopes.of_op(op);
            let ops = &body.blocks[scopes.block(scope)].ops;
            for &before in ops.iter().take_while(|it| **it != op) {
                if adds(analyzer, conditions.after(before), conditions.before(before), context) {
                    return match occurrences.of_operand(before, 0) {
                        Some(condition) => part(condition),
                        None => Some(Place::Op(before)),
                    };
                }
                steps += 1;
            }
            let creator = scopes.creator(scope)?;
            let around = conditions.before(creator);
            if adds(analyzer, conditions.at_scope(scope), around, context) {
                let data = &body.ops[creator];
                let operand = match data.kind {
                    OpKind::If | OpKind::While => 0,
                    OpKind::SBlock(_) => data.operands.len().saturating_sub(1),
                    _ => return Some(Place::Op(creator)),
                };
                return occurrences.of_operand(creator, operand).and_then(part);
            }
            steps += 1;
            if steps > MOST_STEPS {
                return None;
            }
            op = creator;
        }
    }

    /// The part of a condition that a context is about: one side of an `and`.
    fn part(self, analyzer: &Analyzer<'_>, condition: OccurrenceId, context: ContextId) -> Place {
        let occurrences = self.flow.occurrences;
        let Constraint::Assume { cond, .. } = analyzer.constraint(context) else {
            return Place::Op(occurrences[condition].op);
        };
        let all = condition.index()..occurrences[condition].end.index();
        let found = all.map(OccurrenceId::new).find(|it| occurrences[*it].expr == cond);
        Place::Occurrence(found.unwrap_or(condition))
    }
}

/// The occurrences of an operation that are conditions as a whole, and the assumptions about them.
pub(crate) fn tops(
    body: &Body,
    occurrences: &Occurrences,
    op: OpId,
) -> SmallVec<[(OccurrenceId, Overflow); 2]> {
    let mut tops = SmallVec::new();
    let is_condition = matches!(body.ops[op].kind, OpKind::If | OpKind::While);
    for (index, id) in occurrences.of_op(op).enumerate() {
        if is_condition && index == 0 {
            tops.push((id, Overflow::Excluded));
        }
        let first = OccurrenceId::new(id.index() + 1);
        match body.expr(occurrences[id].expr).kind {
            ExprKind::Select(..) => tops.push((first, Overflow::Wraps)),
            ExprKind::IfThenElse(..) => tops.push((first, Overflow::Excluded)),
            _ => {}
        }
    }
    tops
}

/// Returns true if `context` is one of those that were added to `outer` to make `inner`.
fn adds(analyzer: &Analyzer<'_>, inner: ContextId, outer: ContextId, context: ContextId) -> bool {
    // A context made later has the larger number.
    let mut at = inner;
    while at > outer && at >= context {
        if at == context {
            return true;
        }
        match analyzer.parent(at) {
            Some(parent) => at = parent,
            None => return false,
        }
    }
    false
}

fn op_of(facts: &FindingFacts<'_>, place: Place) -> Option<OpId> {
    match place {
        Place::Op(op) => Some(op),
        Place::Occurrence(it) => Some(facts.occurrences[it].op),
        _ => None,
    }
}

/// Returns the fix for a known condition.
pub(super) fn fix(facts: &FindingFacts<'_>, known: &Known) -> Option<FindingFix> {
    let body = facts.body;
    let here = facts.occurrences[known.occurrence];
    if !facts.deletable().may_go(here.expr) {
        return None;
    }
    let Some(parent) = here.parent else { return fix_statement(facts, here.op, known.value) };
    let first = OccurrenceId::new(parent.index() + 1);
    let second = facts.occurrences[first].end;
    let kept = match body.expr(facts.occurrences[parent].expr).kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
            if known.occurrence == first {
                second
            } else {
                first
            }
        }
        ExprKind::Select(..) | ExprKind::IfThenElse(..) if known.occurrence == first => {
            let third = facts.occurrences[second].end;
            let (kept, gone) = if known.value { (second, third) } else { (third, second) };
            if !facts.deletable().may_go(facts.occurrences[gone].expr) {
                return None;
            }
            kept
        }
        _ => return None,
    };
    let new = facts.occurrences[kept].expr;
    if !facts.roles().may_become(body, facts.occurrences, facts.effects, parent, new) {
        return None;
    }
    let with = Replacement::Copy(kept);
    Some(FindingFix::of(FixEdit::Replace { occurrence: parent, with }))
}

/// Keeps the arm that is executed.
fn fix_statement(facts: &FindingFacts<'_>, op: OpId, value: bool) -> Option<FindingFix> {
    let data = &facts.body.ops[op];
    let region = u32::from(!value);
    let edit = match data.kind {
        OpKind::While if !value => FixEdit::RemoveOp(op),
        OpKind::If if data.regions.len() <= region as usize => FixEdit::RemoveOp(op),
        OpKind::If if facts.openable().may_open(facts.body, op, region) => {
            FixEdit::KeepRegion { op, region }
        }
        _ => return None,
    };
    Some(FindingFix::of(edit))
}
