//! Rules against nodes.
//!
//! A rule is compared with a node from the root down; of a commutative operator both orders are tried, the one as
//! written first. Variables that occur twice must be one node. Then the conditions are shown in turn, and the right
//! side is built; the first rule that gets there wins. A comparison of a rule with a node is O(its size) for each order
//! of its commutative operators.

use ir::{BinaryOp, DataType, ExprId, ExprKind};
use smallvec::SmallVec;

use super::{
    At, Rewrite, Simplifier,
    division::gcd,
    explain::MissingFact,
    fits::Source,
    fold::{compare, evaluate},
};
use crate::{
    Interval, Overflow,
    integers::is_integral,
    rules::{self, Condition, Domain, Head, Rule, Sort, Term},
};

/// Nodes by variable.
type Bindings = SmallVec<[Option<ExprId>; 6]>;

/// A rule that is being tried.
struct Attempt {
    at: At,
    rule: &'static Rule,
    root: ExprId,
    bindings: Bindings,
    /// The type of the rule's values.
    dtype: Option<DataType>,
}

/// The goals of a match: terms with nodes, as a list that the callers hold.
struct Goals<'g> {
    term: &'static Term,
    expr: ExprId,
    next: Option<&'g Goals<'g>>,
}

impl Simplifier<'_> {
    /// The node by the first rule that applies.
    pub(super) fn rewrite_by_rules(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        self.body().ty(expr).prim().filter(|it| it.is_scalar())?;
        let head = Head::of_node(self.body(), expr)?;
        let (mut kinds, mut is_float) = ([u64::MAX; 2], false);
        if let ExprKind::Binary(_, a, b) = self.body().expr(expr).kind {
            kinds = [a, b].map(|it| rules::kind_of_node(self.body(), it));
            let dtype = self.body().dtype(a)?;
            is_float = dtype.is_float();
            if !is_float && !is_integral(dtype) {
                return None;
            }
        }
        for rule in rules::candidates(head, is_float, kinds) {
            self.work.matches += 1;
            let bindings = SmallVec::from_elem(None, rule.variables.len());
            let mut attempt = Attempt { at, rule, root: expr, bindings, dtype: None };
            let whole = Goals { term: &rule.lhs, expr, next: None };
            if let Some(result) = self.matched(&mut attempt, Some(&whole))
                && result != expr
                && !self.is_worse(result, expr)
            {
                return Some((result, rule.name));
            }
        }
        None
    }

    /// Matches the remaining goals, then proves the conditions, then builds the result.
    fn matched(&mut self, it: &mut Attempt, goals: Option<&Goals<'_>>) -> Option<ExprId> {
        let Some(&Goals { term, expr, next }) = goals else { return self.applied_rule(it) };
        let node = self.body().expr(expr);
        match (term, node.kind) {
            (&Term::Var(variable), _) => self.bind(it, variable, expr, next),
            (&Term::Int(value), ExprKind::Int(found)) => {
                let dtype = node.ty.prim().filter(|it| it.is_integer())?;
                // Modulo the width -1 is all ones, as an integer it is no value of an unsigned type.
                let is_it = match it.rule.domain {
                    Domain::Wrapping => found == dtype.wrap_int(value),
                    _ => self.as_int(expr) == Some(value),
                };
                (is_it && self.agree(it, dtype)).then(|| self.matched(it, next))?
            }
            (&Term::Bool(value), _) => {
                (self.as_bool(expr) == Some(value)).then(|| self.matched(it, next))?
            }
            (&Term::Float(value), ExprKind::Float(bits)) => {
                let dtype = node.ty.prim()?;
                (f64::from_bits(bits).to_bits() == value.to_bits() && self.agree(it, dtype))
                    .then(|| self.matched(it, next))?
            }
            (Term::Unary(op, term), ExprKind::Unary(found, a)) if *op == found => {
                self.matched(it, Some(&Goals { term, expr: a, next }))
            }
            (Term::Select(terms), ExprKind::Select(cond, a, b)) => {
                self.matched_three(it, terms, [cond, a, b], next)
            }
            (Term::IfThenElse(terms), ExprKind::IfThenElse(cond, a, b)) => {
                self.matched_three(it, terms, [cond, a, b], next)
            }
            (Term::Binary(op, left, right), ExprKind::Binary(found, a, b)) if *op == found => {
                let dtype = it.dtype;
                if let Some(result) = self.matched_two(it, [left, right], [a, b], next) {
                    return Some(result);
                }
                let is_float = self.body().dtype(a).is_some_and(|it| !is_integral(it));
                if !is_commutative(*op, is_float) || a == b {
                    return None;
                }
                it.dtype = dtype;
                self.matched_two(it, [left, right], [b, a], next)
            }
            _ => None,
        }
    }

    fn matched_two(
        &mut self,
        it: &mut Attempt,
        [left, right]: [&'static Term; 2],
        [a, b]: [ExprId; 2],
        next: Option<&Goals<'_>>,
    ) -> Option<ExprId> {
        let second = Goals { term: right, expr: b, next };
        self.matched(it, Some(&Goals { term: left, expr: a, next: Some(&second) }))
    }

    fn matched_three(
        &mut self,
        it: &mut Attempt,
        [first, others @ ..]: &'static [Term; 3],
        [a, operands @ ..]: [ExprId; 3],
        next: Option<&Goals<'_>>,
    ) -> Option<ExprId> {
        let third = Goals { term: &others[1], expr: operands[1], next };
        let second = Goals { term: &others[0], expr: operands[0], next: Some(&third) };
        self.matched(it, Some(&Goals { term: first, expr: a, next: Some(&second) }))
    }

    /// Binds a variable and matches the remaining goals; if that fails, the binding is undone.
    fn bind(
        &mut self,
        it: &mut Attempt,
        variable: usize,
        expr: ExprId,
        next: Option<&Goals<'_>>,
    ) -> Option<ExprId> {
        match it.bindings[variable] {
            Some(bound) if bound != expr => return None,
            Some(_) => return self.matched(it, next),
            None => {}
        }
        let dtype = self.body().dtype(expr);
        let fits = match it.rule.variables[variable].sort {
            Sort::Bool => dtype?.is_bool(),
            Sort::Constant => self.as_int(expr).is_some() && self.agree(it, dtype?),
            Sort::Value => match it.rule.domain {
                Domain::Any => true,
                _ => self.agree(it, dtype?),
            },
        };
        if !fits {
            return None;
        }
        it.bindings[variable] = Some(expr);
        let result = self.matched(it, next);
        if result.is_none() {
            it.bindings[variable] = None;
        }
        result
    }

    /// Returns true if a value of this type may be one of the rule's values, which all have one type.
    fn agree(&self, it: &mut Attempt, dtype: DataType) -> bool {
        let is_in = match it.rule.domain {
            Domain::Int | Domain::Wrapping => dtype.is_integer(),
            Domain::Float => dtype.is_float(),
            Domain::Any => true,
        };
        is_in && dtype.is_scalar() && *it.dtype.get_or_insert(dtype) == dtype
    }

    /// The right side, if all conditions are shown.
    fn applied_rule(&mut self, it: &mut Attempt) -> Option<ExprId> {
        let has_integers = it.dtype.is_some_and(|it| it.is_integer());
        if it.rule.domain == Domain::Int && has_integers && !self.is_as_of_integers(it) {
            self.note_missing(it.at, it.rule.name, it.root, |_| {
                Some(MissingFact::NoOverflow(it.root))
            });
            return None;
        }
        let rule = it.rule;
        // What is seen to be false need not be shown after conditions that are hard to show.
        let is_seen_false = self.trace.is_none()
            && rule.conditions.len() > 1
            && rule.conditions.iter().any(|condition| self.is_seen_false(it, condition));
        if is_seen_false {
            return None;
        }
        let mut missing = None;
        for condition in &rule.conditions {
            if !self.is_shown(it, condition) {
                if missing.is_some() || self.trace.is_none() {
                    return None;
                }
                missing = Some(condition);
            }
        }
        if let Some(condition) = missing {
            self.note_missing(it.at, rule.name, it.root, |this| this.missing_fact(it, condition));
            return None;
        }
        self.template(it, &rule.rhs)
    }

    /// Returns true if the left side has the value of the same computation on mathematical integers.
    fn is_as_of_integers(&mut self, it: &Attempt) -> bool {
        let is_wide = it.dtype.is_some_and(|it| it.is_int() && it.bits >= 32);
        it.at.reading == Overflow::Excluded && is_wide
            || self.analyzer.no_overflow(it.at.ctx, it.root)
    }

    /// Returns true if a condition is cheaply known not to hold: it compares constants, or a sample refutes it.
    fn is_seen_false(&mut self, it: &Attempt, condition: &Condition) -> bool {
        let Condition::Holds(Term::Binary(op, left, right)) = condition else { return false };
        let [is_fixed, is_other_fixed] =
            [left, right].map(|term| term.is_constant(&it.rule.variables));
        let is_plain = |term: &Term| matches!(term, Term::Var(_));
        if !(is_fixed || is_plain(left)) || !(is_other_fixed || is_plain(right)) {
            return false;
        }
        if is_fixed && is_other_fixed {
            return !self.is_true_of_constants(it, *op, left, right);
        }
        let (Some(a), Some(b)) = (self.template(it, left), self.template(it, right)) else {
            return true;
        };
        self.analyzer.sampled().is_refuted(it.at.ctx, *op, a, b)
    }

    fn is_true_of_constants(&self, it: &Attempt, op: BinaryOp, left: &Term, right: &Term) -> bool {
        let (a, b) = (self.constant_of(it, left), self.constant_of(it, right));
        a.zip(b).is_some_and(|(a, b)| compare(op, a, b))
    }

    fn is_shown(&mut self, it: &mut Attempt, condition: &Condition) -> bool {
        match condition {
            Condition::Holds(term) => self.is_true(it, term),
            Condition::NoOverflow(term) => match self.template(it, term) {
                Some(node) => self.stays_in_range(it.at, node),
                None => false,
            },
            Condition::NoEvent(term) => match self.template(it, term) {
                Some(node) => self.has_no_event(it.at, node),
                None => false,
            },
        }
    }

    /// Returns true if a new sum of values of the source fits.
    fn stays_in_range(&mut self, at: At, expr: ExprId) -> bool {
        let Some(dtype) = self.body().dtype(expr) else { return false };
        if self.as_int(expr).is_some() {
            return true;
        }
        if self.is_wide(expr)
            && self.node_fits(at, expr, dtype, &mut Source::nothing())
            && self.parts_fit(at, expr)
        {
            return true;
        }
        self.adds_no_overflow(at, expr)
    }

    fn parts_fit(&mut self, at: At, expr: ExprId) -> bool {
        match self.addends(expr) {
            // One operation on two values of the source is all that rules ask about.
            Some((_, a, b)) => [a, b].into_iter().all(|it| match self.addends(it) {
                Some(_) => self.fits_alone(at, it),
                None => true,
            }),
            None => true,
        }
    }

    fn fits_alone(&mut self, at: At, expr: ExprId) -> bool {
        let Some(dtype) = self.body().dtype(expr) else { return false };
        at.reading == Overflow::Excluded || self.node_fits(at, expr, dtype, &mut Source::nothing())
    }

    fn is_true(&mut self, it: &mut Attempt, term: &Term) -> bool {
        let Term::Binary(op, left, right) = term else { return false };
        let variables = &it.rule.variables;
        if left.is_constant(variables) && right.is_constant(variables) {
            return self.is_true_of_constants(it, *op, left, right);
        }
        if let (BinaryOp::Eq, Term::Binary(BinaryOp::FloorMod, x, by)) = (op, &**left)
            && by.is_constant(variables)
            && **right == Term::Int(0)
        {
            let (Some(x), Some(by)) = (self.template(it, x), self.constant_of(it, by)) else {
                return false;
            };
            let facts = self.analyzer.facts_with(it.at.reading, it.at.ctx, x);
            return by > 0 && facts.modular.remainder(by) == Some(0);
        }
        let (Some(a), Some(b)) = (self.template(it, left), self.template(it, right)) else {
            return false;
        };
        // A sum that is made to ask is none of the source: that it fits has to be shown.
        let has_sum = |term: &Term| matches!(term, Term::Binary(..));
        if has_sum(left) && !self.stays_in_range(it.at, a)
            || has_sum(right) && !self.stays_in_range(it.at, b)
        {
            return false;
        }
        self.holds(it.at, *op, a, b)
    }

    /// The value of a constant term.
    fn constant_of(&self, it: &Attempt, term: &Term) -> Option<i128> {
        match term {
            Term::Int(value) => Some(*value),
            Term::Var(variable) => self.as_int(it.bindings[*variable]?),
            Term::Binary(op, a, b) => {
                evaluate(*op, self.constant_of(it, a)?, self.constant_of(it, b)?)
            }
            Term::Gcd(a, b) => Some(gcd(self.constant_of(it, a)?, self.constant_of(it, b)?)),
            _ => None,
        }
    }

    /// A term as a node.
    fn template(&mut self, it: &Attempt, term: &Term) -> Option<ExprId> {
        if let Term::Var(variable) = term {
            return it.bindings[*variable];
        }
        if term.is_constant(&it.rule.variables) {
            let dtype = it.dtype?;
            let value = self.constant_of(it, term)?;
            let is_wrapped = it.rule.domain == Domain::Wrapping && matches!(term, Term::Int(_));
            let fits = is_wrapped || Interval::of_type(dtype).contains(value);
            return fits.then(|| self.int(value, dtype));
        }
        match term {
            Term::Bool(value) => Some(self.int((*value).into(), DataType::BOOL)),
            Term::Binary(op, a, b) => {
                let (a, b) = (self.template(it, a)?, self.template(it, b)?);
                Some(self.binary(*op, a, b))
            }
            Term::Unary(op, a) => {
                let a = self.template(it, a)?;
                Some(self.grow(|body| body.unary(*op, a)))
            }
            Term::Select(terms) => {
                let [cond, a, b] = self.templates(it, terms)?;
                Some(self.grow(|body| body.select(cond, a, b)))
            }
            Term::IfThenElse(terms) => {
                let [cond, a, b] = self.templates(it, terms)?;
                Some(self.grow(|body| body.if_then_else(cond, a, b)))
            }
            _ => None,
        }
    }

    fn templates(&mut self, it: &Attempt, terms: &[Term; 3]) -> Option<[ExprId; 3]> {
        let [cond, a, b] = terms;
        Some([self.template(it, cond)?, self.template(it, a)?, self.template(it, b)?])
    }

    /// The condition that was not shown, as nodes.
    fn missing_fact(&mut self, it: &Attempt, condition: &Condition) -> Option<MissingFact> {
        Some(match condition {
            Condition::Holds(term) => {
                if term_is_of_constants(term, it.rule) {
                    return None;
                }
                MissingFact::Holds(self.template(it, term)?)
            }
            Condition::NoOverflow(term) => MissingFact::NoOverflow(self.template(it, term)?),
            Condition::NoEvent(term) => MissingFact::NoEvent(self.template(it, term)?),
        })
    }
}

/// Returns true if no fact could make a false condition true.
fn term_is_of_constants(term: &Term, rule: &Rule) -> bool {
    match term {
        Term::Binary(_, a, b) => a.is_constant(&rule.variables) && b.is_constant(&rule.variables),
        _ => false,
    }
}

/// Returns true if the matcher tries both orders. `and` and `or` are lazy (`SEMANTICS: S2`), float `min` and `max` have
/// an order (`F6`).
fn is_commutative(op: BinaryOp, is_float: bool) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Eq, Max, Min, Mul, Ne};
    match op {
        Add | Mul | Eq | Ne => true,
        Min | Max | BitAnd | BitOr | BitXor => !is_float,
        _ => false,
    }
}
