//! The variables that stand for occurrences.
//!
//! In: the values that are bound, each with the place from where on it is known. Out: for a class of values and an
//! operation the binding that serves it there ([`Index::lookup`]), the occurrences that each one replaces
//! ([`Index::sweep`]), and the bindings that a bound value itself uses ([`Index::inside`]). Building is O(n log n); a
//! lookup is O(log n) in the number of bindings of one class, nearly always one.

use dataflow::scopes::ScopeId;
use ir::{ExprId, OccurrenceId, OpId, arena::Id};

use super::{
    Work,
    facts::{Facts, NONE, Seen},
    values::{Class, Form, Forms, Values},
};

/// A value that has a name from some place on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub(super) class: Class,
    /// The scope in which the name is visible.
    pub(super) scope: ScopeId,
    /// The order of the first operation that sees it.
    pub(super) from: u32,
    /// True if it may also be used on the other side of a launch.
    pub(super) crosses: bool,
    /// The form that it stands for; none for all.
    pub(super) form: Option<Form>,
    /// The part of the function it serves (`X8`).
    pub(super) part: u32,
}

/// A place in the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) scope: ScopeId,
    /// The program order from which on, or before which, the value is known there.
    pub(super) order: u32,
    pub(super) part: u32,
}

impl Point {
    /// Right before an operation.
    pub(super) fn before(facts: &Facts<'_>, op: OpId) -> Point {
        Point { scope: facts.scopes.of_op(op), order: facts.scopes.order(op), part: facts.part(op) }
    }
}

/// The known values of a body, by class.
pub(super) struct Index<'a> {
    facts: &'a Facts<'a>,
    values: &'a Values<'a>,
    /// The place where values have several forms.
    forms: Option<Forms<'a>>,
    known: Vec<Known>,
    /// Numbers of known values by class, then by where they start.
    sorted: Vec<u32>,
    /// By number in `sorted`: the one whose range holds this one's, or [`NONE`].
    around: Vec<u32>,
    /// By class: where its known values start and end in `sorted`.
    of_class: Vec<(u32, u32)>,
    /// By expression: when it was last met.
    seen: Vec<u32>,
    stamp: u32,
}

impl<'a> Index<'a> {
    pub(super) fn build(
        facts: &'a Facts<'a>,
        values: &'a Values<'a>,
        forms: Option<Forms<'a>>,
        known: Vec<Known>,
    ) -> Index<'a> {
        let mut sorted: Vec<u32> = (0..known.len() as u32).collect();
        sorted.sort_by_key(|&it| {
            let known = &known[it as usize];
            (known.class, known.from, facts.scopes.depth(known.scope), it)
        });
        let mut of_class = vec![(0, 0); values.len()];
        let mut around = vec![NONE; sorted.len()];
        for at in 0..sorted.len() {
            let here = known[sorted[at] as usize];
            let range: &mut (u32, u32) = &mut of_class[here.class as usize];
            if range.0 == range.1 {
                *range = (at as u32, at as u32);
            } else {
                let mut outer = at as u32 - 1;
                while outer != NONE
                    && !facts
                        .scopes
                        .is_ancestor(known[sorted[outer as usize] as usize].scope, here.scope)
                {
                    outer = around[outer as usize];
                }
                around[at] = outer;
            }
            range.1 = at as u32 + 1;
        }
        let seen = vec![NONE; facts.body.n_exprs()];
        Index { facts, values, forms, known, sorted, around, of_class, seen, stamp: 0 }
    }

    /// The innermost known value for an occurrence that code right before `op` sees.
    pub(super) fn lookup(&self, occurrence: OccurrenceId, op: OpId) -> Option<usize> {
        self.lookup_at(occurrence, Point::before(self.facts, op))
    }

    fn lookup_at(&self, occurrence: OccurrenceId, point: Point) -> Option<usize> {
        let class = self.values.class(occurrence);
        let (start, end) = self.of_class[class as usize];
        if start == end {
            return None;
        }
        let facts = self.facts;
        let Point { order, scope, part } = point;
        let list = &self.sorted[start as usize..end as usize];
        let after = list.partition_point(|&it| self.known[it as usize].from <= order);
        let mut at = if after == 0 { NONE } else { start + after as u32 - 1 };
        while at != NONE {
            let number = self.sorted[at as usize] as usize;
            let known = self.known[number];
            let same_side = known.crosses || facts.kernel(known.scope) == facts.kernel(scope);
            if facts.scopes.is_ancestor(known.scope, scope)
                && same_side
                && self.has_form(known.form, occurrence)
                && known.part == part
            {
                return Some(number);
            }
            at = self.around[at as usize];
        }
        None
    }

    /// Returns true if a name can be substituted for an occurrence: the value is computed there, from operands that do
    /// not change meanwhile.
    fn is_value(&self, at: OccurrenceId) -> bool {
        let facts = self.facts;
        !facts.body.expr(facts.occurrences[at].expr).is_leaf()
            && !facts.has(at, Seen::PLACE)
            && !facts.has(at, Seen::STAYS)
            && facts.is_stable(at)
    }

    fn has_form(&self, form: Option<Form>, occurrence: OccurrenceId) -> bool {
        match (form, self.forms) {
            (Some(form), Some(form_of)) => form_of(occurrence) == form,
            _ => true,
        }
    }

    /// Calls `replace(number, occurrence)` for all occurrences that become a variable, in order; the inside of one is
    /// not visited. Values of the user's own bindings stay: their name is known only after them. `bounds_in_place`
    /// takes launch bounds as evaluated where they stand.
    pub(super) fn sweep(
        &self,
        bounds_in_place: bool,
        work: &mut Work,
        mut replace: impl FnMut(usize, OccurrenceId),
    ) {
        let facts = self.facts;
        let mut at = OccurrenceId::new(0);
        let end = OccurrenceId::new(facts.occurrences.len());
        while at < end {
            work.visited += 1;
            let here = facts.occurrences[at];
            let class = self.values.class(at);
            let (start, past) = self.of_class[class as usize];
            let free = start != past
                && self.is_value(at)
                && facts.has(at, Seen::REPLACEABLE)
                && (facts.has(at, Seen::REAL) || facts.shadows.contains(at));
            if free
                && let Some(number) =
                    self.lookup(at, if bounds_in_place { here.op } else { facts.evaluated_at(at) })
            {
                replace(number, at);
                at = here.end;
            } else {
                at = OccurrenceId::new(at.index() + 1);
            }
        }
    }

    /// The known values that stand for parts strictly inside the value of an occurrence, evaluated right before `op`:
    /// each part's expression and its known value, in the order a walk from the top meets them. `usable` may rule some
    /// out; their own parts are looked at then.
    pub(super) fn inside(
        &mut self,
        value: OccurrenceId,
        op: OpId,
        work: &mut Work,
        usable: impl FnMut(usize) -> bool,
    ) -> Vec<(ExprId, usize)> {
        self.inside_at(value, Point::before(self.facts, op), work, usable)
    }

    /// As [`Index::inside`], evaluated at a place.
    pub(super) fn inside_at(
        &mut self,
        value: OccurrenceId,
        point: Point,
        work: &mut Work,
        mut usable: impl FnMut(usize) -> bool,
    ) -> Vec<(ExprId, usize)> {
        self.stamp += 1;
        let facts = self.facts;
        let occurrences = facts.occurrences;
        let mut found = Vec::new();
        let mut at = OccurrenceId::new(value.index() + 1);
        while at < occurrences[value].end {
            work.visited += 1;
            let here = occurrences[at];
            // Equal parts of one value have equal values: they are read at one place.
            if std::mem::replace(&mut self.seen[here.expr.index()], self.stamp) == self.stamp {
                at = here.end;
                continue;
            }
            let known = self.is_value(at).then(|| self.lookup_at(at, point)).flatten();
            match known.filter(|&it| usable(it)) {
                Some(number) => {
                    found.push((here.expr, number));
                    at = here.end;
                }
                None => at = OccurrenceId::new(at.index() + 1),
            }
        }
        found
    }
}
