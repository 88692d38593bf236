//! Proofs: what is connected with a goal, as a system of inequalities.
//!
//! In: a linear form, a context. Out: whether the form is shown not to be negative. The system has the inequalities
//! recorded for the goal's atoms, the definitions of these atoms (a quotient, a remainder, a minimum, a product), the
//! same for the atoms met there, and the bounds and congruences of all; [`crate::procedure`] decides. Conditions on
//! other atoms cost nothing. Limits have names; beyond them less is shown.
//!
//! A goal with quotients by symbols, or whose terms share a positive factor, is shown in a plainer form that is as
//! strong. Where a minimum counts up, or a maximum down, the goal is shown for either operand.

use ir::{BinaryOp, ExprId, ExprKind};
use smallvec::SmallVec;

use super::Deduction;
use crate::{
    Interval,
    contexts::ContextId,
    facts::Overflow,
    forms::{Atom, AtomKind, Linear, Made},
    procedure::System,
    states::RelationKind,
};

/// Atoms whose inequalities are collected for one goal.
const MOST_ATOMS: usize = 16;
/// Inequalities collected for one goal.
const MOST_COLLECTED: usize = 40;
/// Inequalities of a factor that are multiplied by the rest of a product.
const MOST_MULTIPLIED: usize = 4;
/// Minima and maxima that are taken apart one after another.
const MOST_CASES: u32 = 2;
/// Sums in sums that are taken apart though they may wrap.
const MOST_NESTED: u32 = 5;
/// Values that differ from others, of which a bound may be made stricter.
const MOST_UNEQUAL: usize = 4;
/// Bounds this far out come from the type; goals that are not as far out have no use for them.
const FAR: i128 = (1 << 31) - 1;

/// Goals about the same atoms, asked one after another in one context.
pub(crate) struct Question {
    overflow: Overflow,
    ctx: ContextId,
    system: Option<System>,
}

impl Question {
    pub(crate) fn new(overflow: Overflow, ctx: ContextId) -> Question {
        Question { overflow, ctx, system: None }
    }
}

impl Deduction<'_> {
    /// Returns true if a form is shown not to be negative.
    pub(crate) fn is_non_negative(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        goal: &Linear,
    ) -> bool {
        self.shows(&mut Question::new(overflow, ctx), goal)
    }

    /// Returns true if a form is shown not to be negative. Further goals must have the same atoms.
    pub(crate) fn shows(&mut self, question: &mut Question, goal: &Linear) -> bool {
        let (overflow, ctx) = (question.overflow, question.ctx);
        if self.sampled().is_seen_negative(ctx, goal) {
            return false;
        }
        let tight = goal.clone().tightened();
        if self.interval_of(overflow, ctx, &tight).is_non_negative() {
            return true;
        }
        if self.sampled().is_seen_negative_in_more(ctx, goal) {
            return false;
        }
        if self.follows_from_system(question, &tight) {
            return true;
        }
        if let Some(plain) = self.plain_form(overflow, ctx, goal)
            && self.is_shown_by_system(&mut Question::new(overflow, ctx), &plain)
        {
            return true;
        }
        self.is_shown_by_cases(overflow, ctx, goal, MOST_CASES)
    }

    fn is_shown_by_system(&mut self, question: &mut Question, goal: &Linear) -> bool {
        let (overflow, ctx) = (question.overflow, question.ctx);
        let goal = goal.clone().tightened();
        self.interval_of(overflow, ctx, &goal).is_non_negative()
            || self.follows_from_system(question, &goal)
    }

    fn follows_from_system(&mut self, question: &mut Question, goal: &Linear) -> bool {
        let (overflow, ctx) = (question.overflow, question.ctx);
        self.work.proof_steps += 1;
        if question.system.is_none() {
            question.system = Some(self.collect(overflow, ctx, goal));
        }
        match &question.system {
            Some(system) if !system.forms().is_empty() => {
                system.implies(goal, &mut self.work.proof_steps)
            }
            _ => false,
        }
    }

    /// A lower bound of both operands is one of their minimum.
    fn is_shown_by_cases(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        goal: &Linear,
        left: u32,
    ) -> bool {
        if left == 0 {
            return false;
        }
        let choice = goal.terms().iter().find_map(|&(atom, factor)| {
            match self.body().expr(atom.as_node()?).kind {
                ExprKind::Binary(BinaryOp::Min, a, b) if factor > 0 => Some((atom, factor, [a, b])),
                ExprKind::Binary(BinaryOp::Max, a, b) if factor < 0 => Some((atom, factor, [a, b])),
                _ => None,
            }
        });
        let Some((atom, factor, operands)) = choice else { return false };
        operands.into_iter().all(|operand| {
            let case = self.linear(overflow, ctx, operand).and_then(|it| {
                goal.combine(1, &Linear::atom(atom), -factor)?.combine(1, &it, factor)
            });
            case.is_some_and(|it| {
                self.is_shown_by_system(&mut Question::new(overflow, ctx), &it)
                    || self.is_shown_by_cases(overflow, ctx, &it, left - 1)
            })
        })
    }

    /// The inequalities that are connected with a goal.
    fn collect(&mut self, overflow: Overflow, ctx: ContextId, goal: &Linear) -> System {
        let mut atoms: Vec<Atom> = goal.atoms().collect();
        let mut forms: Vec<Linear> = Vec::new();
        let mut unequal: Vec<Linear> = Vec::new();
        let mut at = 0;
        while at < atoms.len().min(MOST_ATOMS) && forms.len() < MOST_COLLECTED {
            let atom = atoms[at];
            at += 1;
            let recorded = self.recorded_forms(overflow, ctx, atom, &mut unequal);
            let known = self.known_of_atom(overflow, ctx, atom);
            for form in recorded.into_iter().chain(known) {
                if forms.len() < MOST_COLLECTED && !forms.contains(&form) {
                    let others = form.atoms().filter(|it| !atoms.contains(it));
                    let others: SmallVec<[Atom; 4]> = others.collect();
                    atoms.extend(others);
                    forms.push(form);
                }
            }
        }
        let mut system = System::default();
        if forms.is_empty() && unequal.is_empty() {
            return system;
        }
        self.work.proof_steps += forms.len() as u64;
        let is_far = goal.offset().checked_abs().is_none_or(|it| it >= FAR / 2);
        forms.into_iter().for_each(|it| system.add(it));
        for &atom in &atoms {
            let facts = self.facts_of_atom(overflow, ctx, atom);
            add_bounds(&mut system, atom, facts.interval, is_far);
            system.scale(atom, facts.modular);
        }
        for form in unequal {
            let Some(opposite) = form.scale(-1) else { continue };
            for side in [form, opposite] {
                if system.implies(&side, &mut self.work.proof_steps) {
                    side.plus(-1).into_iter().for_each(|it| system.add(it));
                }
            }
        }
        system
    }

    /// Returns the forms that the context records for an atom together with others; forms that are not 0 go to
    /// `unequal`.
    fn recorded_forms(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
        unequal: &mut Vec<Linear>,
    ) -> Vec<Linear> {
        let facts = self.recorded(overflow, ctx, atom);
        let mut forms = Vec::new();
        for relation in self.states.relations(facts) {
            match relation.kind {
                RelationKind::NonNegative => forms.push(relation.form.clone()),
                RelationKind::NonZero if unequal.len() < MOST_UNEQUAL => {
                    if !unequal.contains(&relation.form) {
                        unequal.push(relation.form.clone());
                    }
                }
                RelationKind::NonZero => {}
            }
        }
        forms
    }

    /// Forms that are not negative by the definition of the atom.
    pub(crate) fn known_of_atom(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
    ) -> SmallVec<[Linear; 2]> {
        let expr = match (atom.kind(), self.atoms.made(atom)) {
            (AtomKind::Node(expr), _) => expr,
            (_, Some(Made::Product(_))) => return self.known_of_product(overflow, ctx, atom),
            _ => return self.known_of_quotient(overflow, ctx, atom),
        };
        let ExprKind::Binary(op, a, b) = self.body().expr(expr).kind else {
            return SmallVec::new();
        };
        match op {
            BinaryOp::Min | BinaryOp::Max => {
                let itself = Linear::atom(atom);
                let sign = if op == BinaryOp::Min { 1 } else { -1 };
                let operands = [a, b].into_iter().filter_map(|it| self.linear(overflow, ctx, it));
                operands.filter_map(|it| it.combine(sign, &itself, -sign)).collect()
            }
            BinaryOp::FloorMod | BinaryOp::Mod | BinaryOp::BitAnd => {
                self.known_of_remainder(overflow, ctx, expr)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                self.known_of_wrapped(overflow, ctx, expr)
            }
            _ => SmallVec::new(),
        }
    }

    /// A sum or product that may wrap is congruent to the exact one, modulo the width. So it is at most the exact one
    /// if that is at least the least value of the type, and at least that if that is at most the greatest.
    fn known_of_wrapped(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> SmallVec<[Linear; 2]> {
        let mut known = SmallVec::new();
        let dtype = self.body().dtype(expr).filter(|it| it.is_integer() && it.bits >= 32);
        let Some(range) = dtype.map(Interval::of_type) else { return known };
        let Some(exact) = self.ring_form(overflow, ctx, expr, MOST_NESTED) else { return known };
        let itself = Linear::atom(self.atom(expr));
        let values = self.interval_of(overflow, ctx, &exact);
        if values.min >= range.min {
            known.extend(exact.minus(&itself));
        }
        if values.max <= range.max {
            known.extend(itself.minus(&exact));
        }
        known
    }

    /// Returns the value of a node's sums and products without wrapping: the node is congruent to it modulo the width.
    fn ring_form(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        left: u32,
    ) -> Option<Linear> {
        match self.body().expr(expr).kind {
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b)
                if left > 0 =>
            {
                let x = self.ring_form(overflow, ctx, a, left - 1)?;
                let y = self.ring_form(overflow, ctx, b, left - 1)?;
                match op {
                    BinaryOp::Add => x.combine(1, &y, 1),
                    BinaryOp::Sub => x.minus(&y),
                    _ => self.product_form(&x, &y),
                }
            }
            _ => self.linear(overflow, ctx, expr),
        }
    }

    /// A factor's inequalities times the rest of the product, which is not negative: `i * m <= (n - 1) * m` of an `i`
    /// below `n`.
    fn known_of_product(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
    ) -> SmallVec<[Linear; 2]> {
        let mut known = SmallVec::new();
        // It is no more than a product of it and positive factors, of which something may be known.
        for (product, rest) in self.atoms.products_over(&mut self.nodes, atom) {
            let is_bounded = self.recorded(overflow, ctx, product).interval != Interval::EVERYTHING;
            if is_bounded
                && self.facts_of_atom(overflow, ctx, rest).interval.min >= 1
                && self.facts_of_atom(overflow, ctx, atom).interval.is_non_negative()
            {
                known.extend(Linear::atom(product).minus(&Linear::atom(atom)));
            }
        }
        for (factor, rest) in self.atoms.splits(&mut self.nodes, atom) {
            let cofactor = self.facts_of_atom(overflow, ctx, rest).interval;
            if !cofactor.is_non_negative() {
                continue;
            }
            let mut forms = self.recorded_forms(overflow, ctx, factor, &mut Vec::new());
            forms.truncate(MOST_MULTIPLIED);
            let own = self.known_of_quotient(overflow, ctx, factor);
            forms.extend(own.iter().cloned());
            // They may be about this very product.
            known.extend(own);
            let bounds = self.facts_of_atom(overflow, ctx, factor).interval;
            let by = Linear::atom(rest);
            for form in bound_forms(factor, bounds, false) {
                known.extend(self.product_form(&form, &by));
                // And of what the rest is above its least value.
                if cofactor.min > 0
                    && let Some(by) = by.plus(-cofactor.min)
                {
                    known.extend(self.product_form(&form, &by));
                }
            }
            for form in forms {
                known.extend(self.product_form(&form, &by));
            }
        }
        known
    }

    /// An inequality that is as strong, without quotients by symbols and without a positive factor that all terms
    /// share; none if it is the same.
    pub(crate) fn plain_form(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        form: &Linear,
    ) -> Option<Linear> {
        let plain = self.without_quotients(overflow, ctx, form);
        match self.without_common_factor(overflow, ctx, plain.as_ref().unwrap_or(form)) {
            Some(shorter) => Some(shorter),
            None => plain,
        }
    }

    /// `m * f + c >= 0` is `f >= 0` for `0 <= c < m`, and `f >= 1` for `0 < -c <= m`.
    fn without_common_factor(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        form: &Linear,
    ) -> Option<Linear> {
        let (&(first, _), others) = form.terms().split_first()?;
        for (factor, _) in self.atoms.splits(&mut self.nodes, first) {
            let has = |it: &Self, atom: Atom| it.atoms.factors(atom).contains(&factor);
            if !others.iter().all(|it| has(self, it.0)) {
                continue;
            }
            let least = self.facts_of_atom(overflow, ctx, factor).interval.min;
            let offset = match form.offset() {
                it if least > 0 && (0..least).contains(&it) => 0,
                it if least > 0 && (-least..0).contains(&it) => -1,
                _ => continue,
            };
            let terms = form.plus(form.offset().checked_neg()?)?;
            let shorter = self.atoms.divided_by(&mut self.nodes, &terms, factor)?.plus(offset);
            return shorter;
        }
        None
    }
}

/// `atom >= min` and `atom <= max`, unless they are no nearer than the bounds of a type.
fn bound_forms(atom: Atom, bounds: Interval, is_far: bool) -> impl Iterator<Item = Linear> {
    let is_near = move |it: i128| is_far || it.checked_abs().is_some_and(|it| it < FAR);
    let itself = Linear::atom(atom);
    let least = (bounds.min != Interval::NEG_INF && is_near(bounds.min))
        .then(|| bounds.min.checked_neg().and_then(|min| itself.plus(min)));
    let most = (bounds.max != Interval::POS_INF && is_near(bounds.max))
        .then(|| itself.scale(-1).and_then(|it| it.plus(bounds.max)));
    [least, most].into_iter().flatten().flatten()
}

fn add_bounds(system: &mut System, atom: Atom, bounds: Interval, is_far: bool) {
    bound_forms(atom, bounds, is_far).for_each(|it| system.add(it));
}
