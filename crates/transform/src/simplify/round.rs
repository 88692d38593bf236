//! One round of planning.
//!
//! In: a body with its occurrences. Out: items and refusals in the plan, and the body after the items. The facts of the
//! body are computed here, once a round, and shared by the planners of expressions, loops, statements and guards.

use std::cell::OnceCell;

use arith::{Analyzer, ContextId, Overflow, simplify::Simplifier};
use dataflow::{alias::has_volatile, analyses::Analyses, flow::Flow, scopes::ScopeTree};
use ir::{
    BlockId, Body, Callee, ExprId, ExprKind, ForKind, OccurrenceId, Occurrences, OpId, OpKind,
    RegionId, Value, ValueKind,
    arena::Id as _,
    plan::{
        SourceView,
        finding::{Place, Related},
        simplify::{
            Refused, Simplification, SimplificationKind, SimplifyPlan, SimplifyRefusal, Step,
        },
    },
    walk::WalkEvent,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{
    Work,
    expressions::Expressions,
    loops::{LoopFacts, SharedUse},
    places::{Places, Seen},
    rewrite::Rewriter,
};
use crate::findings::{Deletable, Openable, idle_stores};

/// The inputs of a round.
pub(super) struct Round<'a> {
    /// Of its body; without occurrences after the first round: what people are told of is in the body as they have it.
    pub(super) analyses: &'a Analyses<'a>,
    pub(super) source: Option<SourceView<'a>>,
    pub(super) round: u32,
    /// The operands that the round before found to be in simplest form.
    pub(super) seen: &'a Seen,
}

/// The state that a round leaves to the next: the questions that need not be asked again.
pub(super) struct RoundOutcome {
    /// True if the results of the simplifier still hold; otherwise only its body can be used.
    pub(super) goes_on: bool,
    pub(super) seen: Seen,
    /// True if another round would find nothing.
    pub(super) is_settled: bool,
}

impl Round<'_> {
    /// Plans and applies one round; `None` if there is nothing to do. `simplifier` is one of this body, and has the
    /// body as it becomes.
    pub(super) fn run(
        &self,
        simplifier: &mut Simplifier<'_>,
        plan: &mut SimplifyPlan,
        work: &mut Work,
    ) -> Option<RoundOutcome> {
        let Analyses { body, occurrences, .. } = *self.analyses;
        let n_before = plan.items.len();
        let flow = self.analyses.flow();
        let n_facts = simplifier.analyzer().work().nodes;
        let places = Places::new(&flow, simplifier.analyzer().entry());
        let events = events(body);
        let facts = Facts {
            round: self,
            flow,
            scopes: flow.scopes,
            deletable: OnceCell::new(),
            openable: OnceCell::new(),
            loops: OnceCell::new(),
            shared: OnceCell::new(),
            idle_stores: self.idle_stores(&events),
            events,
        };
        let mut planner = Planner {
            facts: &facts,
            simplifier,
            places,
            seen: Seen::of(body),
            plan,
            work,
            movable: Vec::new(),
            dead: FxHashSet::default(),
            expressions: Expressions::default(),
            is_loop_left: false,
        };
        planner.expressions();
        let mut statements = planner.statements();
        planner.merge_guards(&mut statements);
        let Planner { simplifier, plan, work, seen, is_loop_left, .. } = planner;
        work.facts += simplifier.analyzer().work().nodes - n_facts;
        if plan.items.len() == n_before {
            return None;
        }
        let steps = || plan.items[n_before..].iter().flat_map(|it| &it.steps);
        let goes_on = simplifier.analyzer().rewrite(body, |body| {
            let mut rewriter = Rewriter::new(body);
            steps().for_each(|it| rewriter.step(occurrences, it));
            rewriter.finish_round(occurrences);
        });
        if !goes_on {
            return Some(RoundOutcome { goes_on, seen: Seen::default(), is_settled: false });
        }
        // Where statements are as they were, the next round would ask of expressions only, and of none that was not
        // asked.
        let is_expression = |it: &Step| matches!(it, Step::Replace { .. } | Step::Operand { .. });
        let is_settled = !is_loop_left
            && steps().all(is_expression)
            && seen.has_all(simplifier.body())
            && !simplifier
                .body()
                .ops_preorder()
                .any(|it| stores_what_it_loads(simplifier.body(), it));
        Some(RoundOutcome { goes_on, seen, is_settled })
    }
}

impl Round<'_> {
    /// The place of an operand, in the first round.
    pub(super) fn occurrence(&self, op: OpId, operand: usize) -> Option<OccurrenceId> {
        (self.round == 0).then(|| self.analyses.occurrences.of_operand(op, operand)).flatten()
    }

    /// Stores of the value that the same element holds already: those among the dead stores. Versions of memory are
    /// only worked out for a body that looks as if it had one.
    fn idle_stores(&self, events: &[WalkEvent]) -> FxHashSet<OpId> {
        let Analyses { body, effects, .. } = *self.analyses;
        let is_candidate =
            |it: &WalkEvent| matches!(*it, WalkEvent::Enter(op) if stores_what_it_loads(body, op));
        if !events.iter().any(is_candidate) {
            return FxHashSet::default();
        }
        let idle = match self.round {
            0 => idle_stores(self.analyses),
            // The rounds after the first have no occurrences.
            _ => {
                let occurrences = Occurrences::collect(body);
                idle_stores(&Analyses::of(body, &occurrences, effects))
            }
        };
        idle.into_iter().filter(|&op| stores_what_it_loads(body, op)).collect()
    }
}

/// A walk over a body.
fn events(body: &Body) -> Vec<WalkEvent> {
    let mut events = Vec::with_capacity(2 * (body.ops.len() + body.regions.len()));
    events.extend(body.walk(body.root));
    events
}

/// Returns true if an operation stores the value that it loads from the same place.
fn stores_what_it_loads(body: &Body, op: OpId) -> bool {
    let data = &body.ops[op];
    let OpKind::Store { buffer, predicated: false } = data.kind else { return false };
    matches!(body.expr(data.operands[0]).kind,
        ExprKind::Load { buffer: source, indices, predicate: None }
            if source == buffer && *body.items(indices) == data.operands[1..])
}

/// The facts about the body of a round.
pub(super) struct Facts<'f, 'a> {
    pub(super) round: &'f Round<'a>,
    pub(super) flow: Flow<'a>,
    pub(super) scopes: &'a ScopeTree,
    deletable: OnceCell<Deletable>,
    openable: OnceCell<Openable>,
    /// A walk over the body.
    events: Vec<WalkEvent>,
    loops: OnceCell<LoopFacts>,
    shared: OnceCell<SharedUse>,
    /// Stores of a value that was loaded from the same place, which nothing else can have written since.
    pub(super) idle_stores: FxHashSet<OpId>,
}

impl Facts<'_, '_> {
    /// Returns true if evaluating an expression may be omitted.
    pub(super) fn may_go(&self, expr: ExprId) -> bool {
        let Analyses { body, effects, .. } = *self.round.analyses;
        let flags = body.expr(expr).flags;
        if !(flags.has_call || flags.has_load || flags.has_unknown) {
            return true;
        }
        let deletable = self.deletable.get_or_init(|| {
            let aliases = has_volatile(body).then(|| self.round.analyses.aliases());
            Deletable::of(body, effects, aliases)
        });
        deletable.may_go(expr)
    }

    /// The operations that their contents can replace.
    pub(super) fn openable(&self) -> &Openable {
        self.openable.get_or_init(|| Openable::of(self.round.analyses.body))
    }

    /// Returns the facts about loops; most bodies have none that could be removed.
    pub(super) fn loops(&self) -> &LoopFacts {
        let Analyses { body, effects, .. } = *self.round.analyses;
        self.loops.get_or_init(|| LoopFacts::of(body, effects, &self.flow))
    }

    /// Returns the uses of the memory that threads share.
    pub(super) fn shared(&self) -> &SharedUse {
        self.shared.get_or_init(|| SharedUse::of(self.round.analyses.body))
    }
}

/// Collects the items of a round.
pub(super) struct Planner<'p, 'f, 'a, 'e> {
    pub(super) facts: &'p Facts<'f, 'a>,
    pub(super) simplifier: &'p mut Simplifier<'e>,
    pub(super) places: Places,
    pub(super) seen: Seen,
    pub(super) plan: &'p mut SimplifyPlan,
    pub(super) work: &'p mut Work,
    /// By node that was asked for: from which scope on it could be evaluated; none if it depends on more than values.
    movable: Vec<Option<Movable>>,
    /// Regions that are never entered.
    pub(super) dead: FxHashSet<RegionId>,
    pub(super) expressions: Expressions,
    /// True if a loop of one iteration stays for a reason that simpler expressions may remove.
    pub(super) is_loop_left: bool,
}

impl<'a, 'e> Planner<'_, '_, 'a, 'e> {
    pub(super) fn body(&self) -> &'a Body {
        self.facts.round.analyses.body
    }

    pub(super) fn is_first_round(&self) -> bool {
        self.facts.round.round == 0
    }

    pub(super) fn analyzer(&mut self) -> &mut Analyzer<'e> {
        self.simplifier.analyzer()
    }

    /// Walks the operations that may be executed; `visit` is called with each event.
    pub(super) fn walk(&mut self, mut visit: impl FnMut(&mut Self, WalkEvent)) {
        let facts = self.facts;
        let mut skipped: Option<RegionId> = None;
        for &event in &facts.events {
            match event {
                WalkEvent::EnterRegion(region)
                    if skipped.is_none() && self.dead.contains(&region) =>
                {
                    skipped = Some(region);
                }
                WalkEvent::LeaveRegion(region) if skipped == Some(region) => skipped = None,
                _ if skipped.is_none() => visit(self, event),
                _ => {}
            }
        }
    }

    /// Adds an item. Its index.
    pub(super) fn add(&mut self, item: Item) -> usize {
        let index = self.plan.items.len();
        let mut needs = item.needs;
        needs.sort_unstable();
        needs.dedup();
        self.plan.items.push(Simplification {
            kind: item.kind,
            place: item.place,
            steps: item.steps,
            rules: item.rules,
            because: item.because,
            saves: item.saves,
            round: self.facts.round.round,
            needs,
        });
        index
    }

    /// Says why something stays; only of the body as the user has it.
    pub(super) fn refuse(
        &mut self,
        kind: SimplificationKind,
        place: Place,
        refusal: SimplifyRefusal,
        culprit: Option<Place>,
    ) {
        if self.is_first_round() {
            self.plan.refusals.push(Refused { kind, place, refusal, culprit });
        }
    }

    /// Returns the cost of an expression with all its operands.
    pub(super) fn cost(&mut self, expr: ExprId) -> u32 {
        u32::try_from(self.simplifier.cost(expr).cost).unwrap_or(u32::MAX)
    }

    /// The names of the rules that simplify an expression.
    pub(super) fn rules(
        &mut self,
        context: ContextId,
        expr: ExprId,
        reading: Overflow,
    ) -> Vec<&'static str> {
        self.simplifier.rules(context, expr, reading)
    }

    /// The number of the innermost scope that an expression needs, if it depends on values only: no memory, no call
    /// whose value may be another or that depends on other threads, nothing unknown. Each node once.
    pub(super) fn movable(&mut self, expr: ExprId) -> Movable {
        let body = self.simplifier.body();
        self.movable.resize(body.n_exprs(), None);
        let mut stack = vec![expr];
        while let Some(&at) = stack.last() {
            let mark = stack.len();
            let mut all = self.movable_alone(at);
            if all.is_some() {
                body.each_child(body.expr(at).kind, &mut |it| match self.movable[it.index()] {
                    Some(known) => all = all.zip(known).map(|(a, b)| a.max(b)),
                    None => stack.push(it),
                });
            }
            if stack.len() == mark {
                self.movable[at.index()] = Some(all);
                stack.pop();
            }
        }
        self.movable[expr.index()].flatten()
    }

    /// Like [`Planner::movable`], for the part that a node adds to its operands.
    fn movable_alone(&self, expr: ExprId) -> Movable {
        let body = self.simplifier.body();
        let node = body.expr(expr);
        match node.kind {
            ExprKind::Load { .. }
            | ExprKind::Region(..)
            | ExprKind::Buffer(_)
            | ExprKind::BufferField(..)
            | ExprKind::Opaque { .. }
            | ExprKind::Bound(_)
            | ExprKind::Let { .. }
            | ExprKind::Lambda { .. } => None,
            call @ ExprKind::Call { callee: Callee::Intrinsic(..), .. } => {
                let row = self.facts.round.analyses.effects.call(body, call);
                (row.is_pure_value() && row.is_deletable()).then_some(0)
            }
            ExprKind::Call { .. } => None,
            ExprKind::Value(value) => self.scope_of(&body.values[value]),
            _ if node.flags.has_unknown => None,
            _ => Some(0),
        }
    }

    /// The number of the scope that a variable is in.
    fn scope_of(&self, value: &Value) -> Movable {
        let scopes = self.facts.scopes;
        match value.kind {
            ValueKind::Param(_) | ValueKind::Symbol => Some(0),
            // One value, from outside the function.
            ValueKind::Captured => Some(0),
            ValueKind::BlockArg(block, _) => Some(scopes.of_block(block).index() as u32),
            ValueKind::Result(op, _) => Some(scopes.of_op(op).index() as u32),
        }
    }

    /// The context before an operation.
    pub(super) fn before(&self, op: OpId) -> ContextId {
        self.places.before(op)
    }

    /// Returns true if a condition must not be evaluated anywhere else: it has a trap, an overflow, or a variable that
    /// came from an overflow and may be unused so far.
    pub(super) fn is_bound_to_its_place(&mut self, context: ContextId, condition: ExprId) -> bool {
        let analyzer = self.analyzer();
        !analyzer.cannot_trap(context, condition)
            || !analyzer.no_overflow(context, condition)
            || !analyzer.is_untainted(context, condition)
    }

    /// Returns true if a loop runs at least one iteration.
    pub(super) fn is_entered(&mut self, op: OpId) -> bool {
        let (context, extent) = (self.before(op), self.body().ops[op].operands[1]);
        let facts = self.analyzer().facts_with(Overflow::Excluded, context, extent);
        facts.interval.min >= 1
    }

    /// The only block of a region.
    pub(super) fn block(&self, op: OpId, region: usize) -> Option<BlockId> {
        let region = *self.body().ops[op].regions.get(region)?;
        match self.body().regions[region].blocks[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns true if the operands of an operation may stay unevaluated.
    pub(super) fn may_go(&self, op: OpId) -> bool {
        let says_access = |it| ir::effects::access_mask(self.body(), it).is_some();
        self.body().ops[op].operands.iter().all(|&it| self.facts.may_go(it) && !says_access(it))
    }
}

/// An item to be added.
pub(super) struct Item {
    pub(super) kind: SimplificationKind,
    pub(super) place: Place,
    pub(super) steps: SmallVec<[Step; 1]>,
    pub(super) rules: Vec<&'static str>,
    pub(super) because: Vec<Related>,
    pub(super) saves: u32,
    pub(super) needs: Vec<usize>,
}

impl Item {
    /// An item of one step that saves one statement.
    pub(super) fn of(kind: SimplificationKind, place: Place, step: Step) -> Item {
        Item {
            kind,
            place,
            steps: SmallVec::from_iter([step]),
            rules: Vec::new(),
            because: Vec::new(),
            saves: 1,
            needs: Vec::new(),
        }
    }

    pub(super) fn because(mut self, related: Related) -> Item {
        self.because.push(related);
        self
    }

    pub(super) fn needing(mut self, needs: &[usize]) -> Item {
        self.needs.extend_from_slice(needs);
        self
    }
}

/// Returns true if threads run the iterations of a loop.
pub(super) fn is_thread_loop(kind: OpKind) -> bool {
    matches!(kind, OpKind::For(ForKind::ThreadBinding(_)))
}

/// The number of the innermost scope that an expression needs; none if it depends on more than values.
type Movable = Option<u32>;

/// Tables by operation.
pub(super) type OpMap<T> = FxHashMap<OpId, T>;
