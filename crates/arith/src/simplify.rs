//! The simplifier: an expression in a context as a simpler one of the same value.
//!
//! In: an expression, a context, a reading of overflow. Out: an expression that has the same value on every run that
//! reaches the place, that neither traps nor overflows where the first did not, and that costs no more.
//!
//! | stage | what it does | module |
//! |---|---|---|
//! | folding | constants, neutral and absorbing operands, conversions | `fold` |
//! | decisions | what the analyzer decides becomes a constant | here |
//! | vectors | operations on vectors of known lanes become vectors of operations | `vectors` |
//! | sums | sums of products in one normal form | `sums`, `build`, `fits` |
//! | divisions | multiples and small rests leave dividends | `division` |
//! | comparisons | by the difference of both sides | `compare` |
//! | extrema, logic | chains of `min`, `max`, `and`, `or` | `extrema`, `logic` |
//! | rules | the tables | `matching` |
//!
//! **Cost** of an expression: the cost of its operations by `SEMANTICS: Cost`, a shared one counted at each use, and
//! their number. A step is taken only if neither grows; at equal cost only towards the normal form: operands in the
//! order of [`order`], variables as they were declared. So equal sums of products become one node.
//! [`Simplifier::saves`] decides whether a result is worth showing.
//!
//! **Work**. Each node is simplified once for each informative context; each step leads to a node that is simplified in
//! turn, at most [`MOST_STEPS`] deep. The work of a stage is bounded by named limits, so a node costs O(1) beyond the
//! facts of the nodes that it makes. Nodes that hold a call with effects stay as they are but for their operands.

mod build;
mod compare;
mod cost;
mod division;
mod explain;
mod extrema;
mod fits;
mod fold;
mod logic;
mod matching;
mod memo;
mod order;
mod recombine;
mod stages;
mod sums;
mod vectors;

use ir::{
    BinaryOp, Body, DataType, ExprId, ExprKind, Intrinsic, Type, arena::Id, effects::EffectTable,
    role,
};

use self::memo::Memo;
use crate::{Analyzer, ContextId, Overflow};

pub use cost::Cost;
pub use explain::{Missing, MissingFact, Step};
pub use stages::STAGES;

/// Steps that follow one another at one node. Beyond, the node stays as it is then.
const MOST_STEPS: u32 = 64;

/// Counts of the work, for tests of growth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SimplifyWork {
    /// Nodes in a context that were simplified.
    pub nodes: u64,
    /// Steps taken.
    pub steps: u64,
    /// Rules whose left side was compared with a node.
    pub matches: u64,
    /// Conditions that the analyzer was asked about.
    pub questions: u64,
}

/// The place of an expression, and the assumptions there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct At {
    pub(crate) ctx: ContextId,
    pub(crate) reading: Overflow,
}

/// One local rewrite: the new node, and the name of the rule.
type Rewrite = (ExprId, &'static str);

/// A stage of rewriting at the root of a node with simple operands.
#[derive(Clone, Copy)]
enum Stage {
    Fold,
    Vector,
    Sum,
    Decide,
    Divide,
    Compare,
    Extremum,
    Chain,
    Rules,
}

/// Simplifies expressions of one body, to which it adds the new ones.
pub struct Simplifier<'a> {
    analyzer: Analyzer<'a>,
    memo: Memo,
    costs: Vec<Cost>,
    /// By node: whether a `Select` is in it.
    selects: Vec<bool>,
    /// By node: whether it is arithmetic on variables.
    arithmetic: Vec<bool>,
    sums: sums::Sums,
    depth: u32,
    /// The last chain of conditions of which every one counts, and where.
    last_chain: Option<(ExprId, At)>,
    trace: Option<explain::Trace>,
    names: explain::Names,
    /// The earlier results, while steps are recorded: a node in simplest form already has no steps.
    settled: Memo,
    work: SimplifyWork,
}

impl<'a> Simplifier<'a> {
    /// A simplifier of a copy of `body`, with the built-in effects. O(function).
    pub fn new(body: &Body) -> Simplifier<'static> {
        Simplifier::with_effects(body, EffectTable::builtin())
    }
    /// A simplifier of a copy of `body`, with a user's effects.
    pub fn with_effects(body: &Body, effects: &'a EffectTable) -> Simplifier<'a> {
        Simplifier::of(Analyzer::growing(body, effects))
    }
    /// A simplifier with what an analyzer knows already; its contexts stay what they are.
    pub fn of(analyzer: Analyzer<'a>) -> Simplifier<'a> {
        let n_exprs = analyzer.body().n_exprs();
        Simplifier {
            analyzer,
            memo: Memo::with_room(n_exprs),
            costs: Vec::new(),
            selects: Vec::new(),
            arithmetic: Vec::new(),
            sums: sums::Sums::with_room(n_exprs),
            depth: 0,
            last_chain: None,
            trace: None,
            names: explain::Names::default(),
            settled: Memo::default(),
            work: SimplifyWork::default(),
        }
    }
    /// The analyzer, to make contexts with.
    pub fn analyzer(&mut self) -> &mut Analyzer<'a> {
        &mut self.analyzer
    }
    /// The body with all nodes made so far. Nodes of the original keep their ids.
    pub fn body(&self) -> &Body {
        self.analyzer.body()
    }
    /// The body with all nodes made.
    pub fn into_body(self) -> Body {
        self.analyzer.into_body()
    }
    /// Returns the work done so far.
    pub fn work(&self) -> SimplifyWork {
        self.work
    }

    /// The simplest form found of `expr` at a place. [`Overflow::Excluded`] where the source evaluates and uses it
    /// there (conditions, indices, stored values); [`Overflow::Wraps`] for expressions to be computed elsewhere.
    /// Simplifying the result again gives the result.
    pub fn simplify(&mut self, ctx: ContextId, expr: ExprId, reading: Overflow) -> ExprId {
        let result = self.simplified(At { ctx, reading }, expr);
        self.names.forget();
        result
    }

    /// The context of an arm of an `if_then_else` in `ctx` whose condition becomes `cond`, that where it is `holds`;
    /// `ctx` for the operands of anything else.
    pub fn context_of_arm(
        &mut self,
        ctx: ContextId,
        expr: ExprId,
        cond: ExprId,
        holds: bool,
    ) -> ContextId {
        match self.body().expr(expr).kind {
            ExprKind::IfThenElse(..) => self.analyzer.assume(ctx, cond, holds),
            _ => ctx,
        }
    }

    /// Returns the cost that `after` saves against `before`; `None` if it costs as much and only looks different.
    pub fn saves(&mut self, before: ExprId, after: ExprId) -> Option<Cost> {
        let (before, after) = (self.cost(before), self.cost(after));
        let saved = Cost {
            cost: before.cost.saturating_sub(after.cost),
            operations: before.operations.saturating_sub(after.operations),
        };
        (saved != Cost::default()).then_some(saved)
    }

    fn simplified(&mut self, at: At, expr: ExprId) -> ExprId {
        let node = self.body().expr(expr);
        if node.is_constant() || matches!(node.ty, Type::Unknown) && node.is_leaf() {
            return expr;
        }
        if let Some(known) = self.memo.asked_again(at, expr) {
            if known.result != expr {
                self.names.repeat(expr, known.at);
            }
            return known.result;
        }
        let asked = at.ctx;
        let at = At { ctx: self.nearest(at, expr), ..at };
        if node.is_leaf() && self.analyzer.sampled().is_seen_to_vary(at.ctx, expr) {
            return expr;
        }
        if let Some(known) = self.memo.get(at, expr) {
            if known != expr {
                self.names.repeat(expr, at);
            }
            return known;
        }
        if self.settled.get(at, expr) == Some(expr) {
            return expr;
        }
        self.work.nodes += 1;
        // A step that leads back here ends here.
        let place = self.memo.begin(asked, at, expr);
        let n_names = self.names.len();
        ir::interrupt::check();
        let result = ir::stack::with_room(|| {
            let bare = self.with_simple_operands(at, expr);
            self.with_steps(at, bare)
        });
        if result == expr {
            self.names.truncate(n_names);
        } else {
            self.names.keep(expr, at, n_names);
            self.memo.finish(asked, at, (place, expr), result);
        }
        result
    }

    /// The context at or above a place with the same facts about a node: a context may add nothing to its parent, and
    /// only constraints on variables affect arithmetic on variables. So an index is simplified once in all the scopes
    /// that do not concern it.
    fn nearest(&mut self, at: At, expr: ExprId) -> ContextId {
        if self.body().expr(expr).flags.open_binders > 0 {
            return at.ctx;
        }
        if !self.body().expr(expr).is_leaf() && self.is_arithmetic(expr) {
            return self.analyzer.relevant(at.reading, at.ctx, expr);
        }
        self.analyzer.informative(at.ctx)
    }

    /// Returns true if a node is made of integer variables by sums, differences, products, and divisions by constants.
    /// O(1) a node, once.
    fn is_arithmetic(&mut self, expr: ExprId) -> bool {
        let body = self.analyzer.body();
        for at in self.arithmetic.len()..=index(expr) {
            let node = body.expr(ExprId::new(at));
            let is_integer = node.ty.prim().is_some_and(|it| it.is_integer() && it.is_scalar());
            let of = |it: ExprId| self.arithmetic[index(it)];
            let is_arithmetic = is_integer
                && match node.kind {
                    ExprKind::Int(_) | ExprKind::Value(_) => true,
                    ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                        of(a) && of(b)
                    }
                    ExprKind::Binary(op, a, b) => {
                        op.is_division() && of(a) && body.expr(b).is_constant()
                    }
                    _ => false,
                };
            self.arithmetic.push(is_arithmetic);
        }
        self.arithmetic[index(expr)]
    }

    /// The node, as simple as steps at its root make it.
    fn with_steps(&mut self, at: At, expr: ExprId) -> ExprId {
        if self.depth >= MOST_STEPS {
            return expr;
        }
        let flags = self.body().expr(expr).flags;
        if flags.has_impure && !self.is_decided_hint(expr) {
            return expr;
        }
        let Some((next, rule)) = self.step(at, expr) else { return expr };
        self.work.steps += 1;
        debug_assert!(stages::is_name(rule), "{rule} is not documented");
        self.note_step(at, rule, expr, next);
        self.depth += 1;
        let result = self.simplified(at, next);
        self.depth -= 1;
        result
    }

    /// The first rewrite at the root of a node with simple operands.
    fn step(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        for stage in self.stages(expr) {
            let rewrite = match stage {
                Stage::Fold => self.fold(at, expr),
                Stage::Vector => self.vector(at, expr),
                Stage::Sum => self.sum(at, expr),
                Stage::Decide => self.decide(at, expr),
                Stage::Divide => self.divide(at, expr),
                Stage::Compare => self.compare(at, expr),
                Stage::Extremum => self.extremum(at, expr),
                Stage::Chain => self.chain(at, expr),
                Stage::Rules => self.rewrite_by_rules(at, expr),
            };
            if let Some((next, rule)) = rewrite
                && next != expr
                && !self.is_worse(next, expr)
            {
                return Some((next, rule));
            }
        }
        None
    }

    /// The stages that may have something to say about a node, by its operator and type.
    fn stages(&self, expr: ExprId) -> &'static [Stage] {
        use Stage::{Chain, Compare, Decide, Divide, Extremum, Fold, Rules, Sum, Vector};
        let node = self.body().expr(expr);
        let Some(dtype) = node.ty.prim() else { return &[] };
        if !dtype.is_scalar() {
            return &[Vector];
        }
        match node.kind {
            ExprKind::Binary(op, ..) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => &[Fold, Sum, Decide, Rules],
                BinaryOp::Min | BinaryOp::Max => &[Fold, Decide, Extremum, Rules],
                _ if op.is_division() => &[Fold, Decide, Divide, Rules],
                _ if op.is_comparison() => &[Fold, Decide, Compare, Rules],
                _ => &[Fold, Decide, Chain, Rules],
            },
            ExprKind::Unary(..) => &[Fold, Decide, Chain, Rules],
            ExprKind::Cast(_) | ExprKind::Select(..) => &[Fold, Decide, Rules],
            ExprKind::Call { .. } => &[Fold, Decide, Rules],
            ExprKind::IfThenElse(..) => &[Decide, Rules],
            _ => &[Decide],
        }
    }

    /// Replaces a node whose value the analyzer knows by that value.
    fn decide(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        let node = self.body().expr(expr);
        let dtype = node.ty.prim().filter(|it| it.is_scalar())?;
        if !crate::integers::is_integral(dtype) || self.is_hint(expr) {
            return None;
        }
        if self.analyzer.sampled().is_seen_to_vary(at.ctx, expr) {
            return None;
        }
        self.work.questions += 1;
        let value = self.analyzer.facts_with(at.reading, at.ctx, expr).interval.as_constant()?;
        let rule = if dtype.is_bool() { "decided" } else { "known-value" };
        Some((self.int(value, dtype), rule))
    }

    /// The node with its operands simplified where they stand.
    fn with_simple_operands(&mut self, at: At, expr: ExprId) -> ExprId {
        let node = self.body().expr(expr);
        match node.kind {
            _ if node.is_leaf() => expr,
            ExprKind::Lambda { .. } | ExprKind::Opaque { .. } => expr,
            ExprKind::Let { value, body } => self.with_simple_let(at, expr, value, body),
            ExprKind::IfThenElse(cond, a, b) => self.with_simple_arms(at, expr, cond, a, b),
            // An overflow in it is no event: the condition of a `Select` and a conversion to float use nothing (crate
            // README).
            ExprKind::Select(cond, a, b) => {
                let wraps = At { reading: Overflow::Wraps, ..at };
                let simple = self.simplified(wraps, cond);
                let arms = [
                    simple,
                    self.simple_arm(at, simple, true, a),
                    self.simple_arm(at, simple, false, b),
                ];
                if arms == [cond, a, b] { expr } else { self.with_operands(expr, &arms) }
            }
            ExprKind::Cast(operand) if node.ty.prim().is_some_and(DataType::is_float) => {
                let simple = self.simplified(At { reading: Overflow::Wraps, ..at }, operand);
                if simple == operand { expr } else { self.with_operands(expr, &[simple]) }
            }
            // Lanes that are switched off use nothing (`SEMANTICS: S8`).
            ExprKind::Load { predicate: Some(_), .. } => {
                self.map_operands(At { reading: Overflow::Wraps, ..at }, expr)
            }
            // A chain is taken as a whole.
            ExprKind::Binary(op, ..) if self.is_lazy(op, node.ty) => expr,
            _ => self.map_operands(at, expr),
        }
    }

    /// Simplifies the operands. Operands that must be seen as they are written stay.
    fn map_operands(&mut self, at: At, expr: ExprId) -> ExprId {
        let mut operands = self.body().children(expr);
        let mut is_same = true;
        for (index, operand) in operands.iter_mut().enumerate() {
            if !role::of_child(self.body(), expr, index, *operand).takes_equal() {
                continue;
            }
            let simple = self.simplified(at, *operand);
            if simple == *operand || !self.may_become(expr, index, simple) {
                continue;
            }
            is_same = false;
            *operand = simple;
        }
        if is_same { expr } else { self.with_operands(expr, &operands) }
    }

    /// Returns true if the `index`-th operand of a node may be replaced by this ([`role::may_become`]).
    pub fn may_become(&self, parent: ExprId, index: usize, new: ExprId) -> bool {
        role::may_become(self.body(), self.analyzer.effects(), parent, index, new)
    }

    /// The node with these operands, in the order of [`Body::children`].
    fn with_operands(&mut self, expr: ExprId, operands: &[ExprId]) -> ExprId {
        self.grow(|body| {
            let mut operands = operands.iter().copied();
            body.map_children(expr, &mut |_, old| operands.next().unwrap_or(old))
        })
    }

    fn with_simple_let(&mut self, at: At, expr: ExprId, value: ExprId, body: ExprId) -> ExprId {
        let simple = self.simplified(at, value);
        let inner = At { ctx: self.analyzer.binder(at.ctx, Some(simple)), ..at };
        let inside = self.simplified(inner, body);
        if (simple, inside) == (value, body) {
            return expr;
        }
        self.with_operands(expr, &[simple, inside])
    }

    /// One arm is evaluated, where the condition holds or does not (`SEMANTICS: S5`).
    fn with_simple_arms(
        &mut self,
        at: At,
        expr: ExprId,
        cond: ExprId,
        a: ExprId,
        b: ExprId,
    ) -> ExprId {
        let simple = self.simplified(at, cond);
        if let Some(holds) = self.as_bool(simple) {
            return self.simplified(at, if holds { a } else { b });
        }
        let then = At { ctx: self.analyzer.assume(at.ctx, simple, true), ..at };
        let otherwise = At { ctx: self.analyzer.assume(at.ctx, simple, false), ..at };
        let arms = [simple, self.simplified(then, a), self.simplified(otherwise, b)];
        if arms == [cond, a, b] { expr } else { self.with_operands(expr, &arms) }
    }

    /// The arm of a `Select`. Its value counts only where it is chosen, but it is evaluated always (`SEMANTICS: S4`):
    /// the condition may make it simpler only if the simpler form has no event wherever it is evaluated.
    fn simple_arm(&mut self, at: At, cond: ExprId, holds: bool, arm: ExprId) -> ExprId {
        let simple = self.simplified(at, arm);
        // Each arm is looked at twice: arms in arms in arms would be looked at without end.
        if self.body().expr(simple).is_leaf()
            || self.has_select(simple)
            || !self.analyzer.no_overflow(at.ctx, cond)
        {
            return simple;
        }
        let inside = At { ctx: self.analyzer.assume(at.ctx, cond, holds), ..at };
        let chosen = self.simplified(inside, simple);
        if !self.is_worse(chosen, simple)
            && self.cost(chosen) != self.cost(simple)
            && self.has_no_event(at, chosen)
        {
            return chosen;
        }
        simple
    }

    /// Returns true if an expression contains a `Select`. O(1) a node, once.
    fn has_select(&mut self, expr: ExprId) -> bool {
        let body = self.analyzer.body();
        // Operands are made before what they are operands of.
        for at in self.selects.len()..=index(expr) {
            let kind = body.expr(ExprId::new(at)).kind;
            let mut has_select = matches!(kind, ExprKind::Select(..));
            body.each_child(kind, &mut |it| has_select |= self.selects[index(it)]);
            self.selects.push(has_select);
        }
        self.selects[index(expr)]
    }

    // ---- shared ----

    fn grow<R>(&mut self, add: impl FnOnce(&mut Body) -> R) -> R {
        self.analyzer.grow(add)
    }
    fn int(&mut self, value: i128, dtype: DataType) -> ExprId {
        self.grow(|body| body.int(value, dtype))
    }
    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.grow(|body| body.binary(op, a, b))
    }
    /// The value of an integer constant.
    fn as_int(&self, expr: ExprId) -> Option<i128> {
        match self.body().expr(expr).kind {
            ExprKind::Int(value) => {
                Some(crate::integers::constant_value(self.body().dtype(expr)?, value))
            }
            _ => None,
        }
    }
    fn as_bool(&self, expr: ExprId) -> Option<bool> {
        self.as_int(expr).filter(|_| self.body().ty(expr).is_bool()).map(|it| it != 0)
    }
    /// `likely` is a hint to a compiler; the wrapper stays (`SEMANTICS: S9`).
    fn is_hint(&self, expr: ExprId) -> bool {
        matches!(self.body().expr(expr).kind, ExprKind::Call { .. })
            && self
                .body()
                .operands_of(expr, Intrinsic::Likely)
                .is_none_or(|it| it.first().is_none_or(|&operand| self.as_bool(operand).is_none()))
    }
    /// Returns true if the hint says nothing any more.
    fn is_decided_hint(&self, expr: ExprId) -> bool {
        self.body()
            .operands_of(expr, Intrinsic::Likely)
            .is_some_and(|it| matches!(it, &[operand] if self.as_bool(operand).is_some()))
    }
    /// Returns true if the right operand is not always evaluated (`SEMANTICS: S2`, `S6`).
    fn is_lazy(&self, op: BinaryOp, ty: Type) -> bool {
        op.is_logical() && ty.prim().is_some_and(DataType::is_scalar)
    }
    /// Returns true if sums of this type are sums of integers: signed scalars of 32 bits and more.
    fn is_wide(&self, expr: ExprId) -> bool {
        self.body().dtype(expr).is_some_and(|it| it.is_int() && it.bits >= 32 && it.is_scalar())
    }
    /// Returns true if the value of a node equals that of the same operations on integers.
    fn is_exact(&mut self, at: At, expr: ExprId) -> bool {
        at.reading == Overflow::Excluded && self.is_wide(expr)
            || self.analyzer.no_overflow(at.ctx, expr)
    }
    /// Returns true if evaluating a node at a new place adds no event.
    fn has_no_event(&mut self, at: At, expr: ExprId) -> bool {
        let flags = self.body().expr(expr).flags;
        !flags.has_impure
            && !flags.has_load
            && !flags.has_call
            && self.analyzer.cannot_trap(at.ctx, expr)
            && self.analyzer.no_overflow(at.ctx, expr)
            // A variable may be bound to what overflowed, and nobody may have used it yet.
            && self.analyzer.is_untainted(at.ctx, expr)
    }
    /// The truth of a comparison that is made to ask, of operands whose sums are shown to fit.
    fn holds(&mut self, at: At, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
        self.work.questions += 1;
        if let (Some(a), Some(b)) = (self.as_int(a), self.as_int(b)) {
            return fold::compare(op, a, b);
        }
        if self.analyzer.sampled().is_refuted(at.ctx, op, a, b) {
            return false;
        }
        let cond = self.binary(op, a, b);
        self.analyzer.decide_with(at.reading, at.ctx, cond) == Some(true)
    }
}

/// Positions of nodes as numbers.
fn index(expr: ExprId) -> usize {
    expr.index()
}

#[cfg(test)]
mod tests;
