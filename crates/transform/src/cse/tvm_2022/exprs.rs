//! Sweeps inside an expression: lets around it.
//!
//! TVM runs the whole procedure once more at every expression and every part of one. A statement's own sweeps leave
//! nothing to find in it; so only conditions, bounds of loops and bodies of lets are swept, and further only where
//! something was found. There is no second sweep of one expression; but the rest inside a let that was made is an
//! expression of its own.

use ir::{OccurrenceId, arena::Id};

use super::{
    pool::{Operands, Tag, X},
    run::{Home, Run},
    sweep::{Replacing, Table},
};

impl Run<'_> {
    /// Visits an expression: that of an occurrence, if it is in the text; otherwise one in the value of a new variable.
    /// Clean: nothing is found by a sweep at it.
    pub(super) fn expression(
        &mut self,
        x: X,
        occurrence: Option<OccurrenceId>,
        in_value: Option<usize>,
        is_clean: bool,
    ) -> X {
        if self.pool.term(x).operands.is_empty() {
            return x;
        }
        ir::stack::with_room(|| {
            let swept = if is_clean { x } else { self.sweep_expression(x, occurrence, in_value) };
            if swept == x && !self.pool.term(x).has_let {
                return x;
            }
            let is_clean = swept == x;
            match self.pool.term(swept).tag {
                Tag::Let(var) => self.visit_let(swept, var, occurrence, in_value, is_clean),
                _ => self.visit_operands(swept, occurrence, in_value, is_clean),
            }
        })
    }

    fn sweep_expression(
        &mut self,
        x: X,
        occurrence: Option<OccurrenceId>,
        in_value: Option<usize>,
    ) -> X {
        let mut table = Table::default();
        let mut found = Vec::new();
        self.pool.maximal(x, &mut found);
        for &it in &found {
            self.count(&mut table, it, 1);
        }
        let home = match (occurrence, in_value) {
            (Some(it), _) => Home::Around(it),
            (None, Some(it)) => Home::InValue(it),
            (None, None) => return x,
        };
        let given = self.sweep(table, home);
        if given.is_empty() {
            return x;
        }
        let mut replacing = Replacing::new(self, &given);
        let mut result = replacing.apply(self, x);
        for it in given.iter().filter(|it| it.is_made) {
            let value = replacing.apply_inside(self, it.x);
            let number = self.number_of[&it.var];
            self.made[number].value = value;
            let (ty, origin) = (self.pool.term(result).ty, self.pool.term(result).first());
            let operands = [value, result].into_iter().collect();
            result = self.pool.make(Tag::Let(it.var), ty, operands, origin);
        }
        result
    }

    fn visit_let(
        &mut self,
        x: X,
        var: u32,
        occurrence: Option<OccurrenceId>,
        in_value: Option<usize>,
        is_clean: bool,
    ) -> X {
        let operands = self.pool.term(x).operands.clone();
        let (old, body) = (operands[0], operands[1]);
        let number = self.number_of.get(&var).copied();
        let (of_value, of_body) = match number {
            Some(_) => (None, occurrence),
            None => self.children(occurrence),
        };
        let value = self.expression(old, of_value, number.or(in_value), is_clean);
        if let Some(number) = number {
            self.made[number].value = value;
            self.standing.push(number);
        }
        // A let of the user has no name that could be put in elsewhere.
        let known = number.map(|_| old);
        self.enter(var, known);
        let body = self.expression(body, of_body, in_value, false);
        self.leave(var, known);
        self.pool.with_operands(x, [value, body].into_iter().collect())
    }

    fn visit_operands(
        &mut self,
        x: X,
        occurrence: Option<OccurrenceId>,
        in_value: Option<usize>,
        is_clean: bool,
    ) -> X {
        let operands = self.pool.term(x).operands.clone();
        let mut at = occurrence.map(|it| OccurrenceId::new(it.index() + 1));
        let mut new = Operands::new();
        for operand in operands {
            new.push(self.expression(operand, at, in_value, is_clean));
            at = at.map(|it| self.facts.occurrences[it].end);
        }
        self.pool.with_operands(x, new)
    }

    fn children(
        &self,
        of_let: Option<OccurrenceId>,
    ) -> (Option<OccurrenceId>, Option<OccurrenceId>) {
        let value = of_let.map(|it| OccurrenceId::new(it.index() + 1));
        (value, value.map(|it| self.facts.occurrences[it].end))
    }
}
