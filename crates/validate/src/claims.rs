//! Claims about values at a place: whether what an analysis says of an expression follows from what holds there.
//!
//! In: a body, what holds at a place ([`Given`]), and claims ([`Claim`]). Out: for each claim whether it follows, by
//! bit vectors of the types. The way in which the analysis found it is not asked: a claim is judged by the expression
//! alone. Memory is one arbitrary value, and conditions on what is loaded are not given: between two loads it may
//! change.

use ir::{
    Body, BufferId, ExprId, ExprKind, OpKind, Type, ValueId, ValueKind, effects::EffectTable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Options, Solver,
    engine::{Engine, Stop, StopKind},
    names::{is_given, variable_name},
    side::{Side, Value, Which},
    term::{Flat, Op, Sort, Term},
};

/// Something that holds at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// A condition was evaluated and held, or did not.
    Condition {
        /// The condition.
        cond: ExprId,
        /// True if it held.
        holds: bool,
    },
    /// `min <= var < min + extent`, with `var - min` a multiple of the step; both ends are values of the type.
    Range {
        /// The variable.
        var: ValueId,
        /// The least value; none for 0.
        min: Option<ExprId>,
        /// The number of values.
        extent: ExprId,
        /// Their distance; none for 1.
        step: Option<ExprId>,
    },
    /// A variable has the value of an expression.
    Definition {
        /// The variable.
        var: ValueId,
        /// Its value.
        value: ExprId,
    },
    /// An integer is at least this.
    AtLeast {
        /// The integer.
        expr: ExprId,
        /// Its least value.
        least: i64,
    },
    /// The extents of a buffer are not negative.
    Extents(BufferId),
}

/// A statement about an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Each of its values is one of these; none if `most < least`.
    Within {
        /// The expression.
        expr: ExprId,
        /// The least value.
        least: i128,
        /// The greatest value.
        most: i128,
    },
    /// It has this remainder, which is not negative, by a positive modulus.
    Congruent {
        /// The expression.
        expr: ExprId,
        /// The modulus.
        modulus: i128,
        /// The remainder.
        remainder: i128,
    },
    /// A condition holds always, or never.
    Decided {
        /// The condition.
        cond: ExprId,
        /// Its value.
        holds: bool,
    },
    /// No sum or product of 32 bits or more that it evaluates leaves its type; its variables have their values already.
    NoOverflow(ExprId),
    /// It can be evaluated without an error.
    NoError(ExprId),
    /// Wherever the first has a value without an error, the second has the same one.
    Equal(ExprId, ExprId),
}

/// The judgement on a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// It does.
    Follows {
        /// True if the solver was asked; else it is so as terms.
        asked: bool,
    },
    /// There are values for which all that is given holds, and the claim does not.
    Refuted,
    /// It is not known, for this reason.
    Open(String),
}

/// Judges claims about the expressions of one body, place by place.
pub struct Claims<'a> {
    engine: Engine<'a>,
    side: Side<'a>,
    body: &'a Body,
    is_exact: bool,
    /// The bindings of the iteration variables of blocks.
    iteration: FxHashMap<ValueId, ExprId>,
}

impl<'a> Claims<'a> {
    /// For claims about the expressions of `body`.
    pub fn new(
        body: &'a Body,
        effects: &'a EffectTable,
        solver: &'a mut dyn Solver,
        options: &'a Options,
    ) -> Claims<'a> {
        let mut engine = Engine::new(body, body, effects, solver, options, false);
        let side = engine.side(body, Which::Before);
        Claims { engine, side, body, is_exact: false, iteration: bindings(body) }
    }

    /// Goes to another place. With `is_exact` sums and products of signed integers of 32 bits or more stay in their
    /// type, in what is given and in what is claimed; without it they wrap.
    ///
    /// # Errors
    /// Something that is given has no meaning in the logic; the message says what.
    pub fn enter(&mut self, givens: &[Given], is_exact: bool) -> Result<(), String> {
        self.engine.start_anew();
        self.side = self.engine.side(self.body, Which::Before);
        self.is_exact = is_exact;
        for &given in givens {
            self.give(given).map_err(|stop| stop.message)?;
        }
        Ok(())
    }

    /// Judges a claim at the place.
    pub fn judge(&mut self, claim: Claim) -> Shown {
        let mark = self.engine.mark();
        let side = self.side.clone();
        let questions = self.engine.n_questions;
        let goal = self.goal(claim);
        let shown = goal.and_then(|goal| self.engine.show(self.body, goal, ""));
        let asked = self.engine.n_questions > questions;
        self.engine.back_to(mark);
        self.side = side;
        match shown {
            Ok(()) => Shown::Follows { asked },
            // What the values rest on need not be what the function does.
            Err(stop) if stop.kind == StopKind::Unproved && self.engine.is_about_functions => {
                Shown::Open("the solver does not know what a function does".to_owned())
            }
            Err(stop) if stop.kind == StopKind::Unproved => Shown::Refuted,
            Err(stop) => Shown::Open(stop.message),
        }
    }

    fn give(&mut self, given: Given) -> Result<(), Stop> {
        let holds = match given {
            Given::Condition { cond, .. } if self.body.expr(cond).flags.has_load => return Ok(()),
            Given::Condition { cond, holds } => {
                let value = self.value(cond)?;
                let value = self.engine.truth_of(value.term)?;
                if holds { value } else { self.engine.pool.not(value) }
            }
            Given::Range { var, min, extent, step } => self.range(var, min, extent, step)?,
            Given::Definition { var, value } => {
                let value = self.value(value)?;
                self.side.values.insert(var, value);
                return Ok(());
            }
            Given::AtLeast { expr, .. } if self.body.expr(expr).flags.has_load => return Ok(()),
            Given::AtLeast { expr, least } => self.within(expr, i128::from(least), i128::MAX)?,
            Given::Extents(buffer) => {
                for at in 0..self.body.buffers[buffer].shape.len() {
                    let extent = self.body.buffers[buffer].shape[at];
                    self.give(Given::AtLeast { expr: extent, least: 0 })?;
                }
                return Ok(());
            }
        };
        self.engine.assume(holds);
        Ok(())
    }

    fn range(
        &mut self,
        var: ValueId,
        min: Option<ExprId>,
        extent: ExprId,
        step: Option<ExprId>,
    ) -> Result<Term, Stop> {
        let ty = self.body.values[var].ty;
        let signed = is_signed(ty);
        let Flat::Bits(bits) = self.engine.sort_of(ty) else {
            return Err(Stop::unsupported("a range of what is no integer"));
        };
        let variable = self.engine.pool.var(&variable_name(self.body, var), Sort::bits(bits));
        let plain = self.engine.plain(variable);
        self.side.values.insert(var, plain);
        let mut part = |it: Option<ExprId>, otherwise: i64| match it {
            Some(it) => self.sized(it, bits),
            None => Ok(self.engine.pool.bits(otherwise, bits)),
        };
        let (min, extent, step) = (part(min, 0)?, part(Some(extent), 1)?, part(step, 1)?);
        let pool = &mut self.engine.pool;
        let (zero, one) = (pool.bits(0, bits), pool.bits(1, bits));
        let before_end = pool.arithmetic(Op::Sub, extent, one);
        let last = pool.arithmetic(Op::Add, min, before_end);
        let distance = pool.arithmetic(Op::Sub, variable, min);
        let left = pool.arithmetic(Op::Rem(false), distance, step);
        let leaves = pool.relation(Op::AddOverflows(signed), min, before_end);
        let conditions = [
            pool.relation(Op::Less(signed), zero, extent),
            pool.relation(Op::Less(signed), zero, step),
            pool.not(leaves),
            pool.relation(Op::LessEq(signed), min, variable),
            pool.relation(Op::LessEq(signed), variable, last),
            pool.eq(left, zero),
        ];
        Ok(pool.all(conditions))
    }

    /// An integer as one of that width.
    fn sized(&mut self, expr: ExprId, bits: u8) -> Result<Term, Stop> {
        let value = self.value(expr)?;
        match self.engine.pool.sort(value.term).width() {
            Some(it) if it == bits => Ok(value.term),
            _ => Err(Stop::unsupported("a range of integers of two widths")),
        }
    }

    /// The value of an expression, whose errors are assumed away.
    fn value(&mut self, expr: ExprId) -> Result<Value, Stop> {
        self.define(expr)?;
        let value = self.engine.eval(&mut self.side, expr)?;
        if self.is_exact {
            let is_exact = self.engine.pool.not(value.wrapped);
            self.engine.assume(is_exact);
        }
        Ok(value)
    }

    /// Gives the variables of an expression their values: that of a binding is its definition's, also of an iteration
    /// variable of a block (`SEMANTICS: L9`).
    fn define(&mut self, expr: ExprId) -> Result<(), Stop> {
        let mut stack = vec![expr];
        let mut seen = FxHashSet::default();
        let mut bound = Vec::new();
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            stack.extend(self.body.children(expr));
            let ExprKind::Value(id) = self.body.expr(expr).kind else { continue };
            let kind = self.body.values[id].kind;
            if self.side.values.contains_key(&id) || is_given(kind, self.body) {
                continue;
            }
            let definition = match kind {
                ValueKind::Result(op, _) if self.body.ops[op].kind == OpKind::Bind => {
                    Some(self.body.ops[op].operands[0])
                }
                _ => self.iteration.get(&id).copied(),
            };
            match definition {
                Some(value) => {
                    bound.push((id, value));
                    stack.push(value);
                }
                None => {
                    let sort = Sort::Flat(self.engine.sort_of(self.body.values[id].ty));
                    let term = self.engine.pool.var(&variable_name(self.body, id), sort);
                    let value = self.engine.plain(term);
                    self.side.values.insert(id, value);
                }
            }
        }
        // A definition is found before those that it names.
        for (id, value) in bound.into_iter().rev() {
            if !self.side.values.contains_key(&id) {
                self.define(value)?;
                let value = self.engine.eval(&mut self.side, value)?;
                self.side.values.insert(id, value);
            }
        }
        Ok(())
    }

    fn goal(&mut self, claim: Claim) -> Result<Term, Stop> {
        match claim {
            Claim::Within { expr, least, most } => self.within(expr, least, most),
            Claim::Congruent { expr, modulus, remainder } => {
                self.congruent(expr, modulus, remainder)
            }
            Claim::Decided { cond, holds } => {
                let value = self.value(cond)?;
                let value = self.engine.truth_of(value.term)?;
                Ok(if holds { value } else { self.engine.pool.not(value) })
            }
            Claim::NoOverflow(expr) => {
                self.define(expr)?;
                // What a variable was made of is not evaluated here again.
                let exact = self.engine.pool.truth(false);
                self.side.values.values_mut().for_each(|value| {
                    (value.wrapped, value.wrapped_unsigned) = (exact, exact);
                });
                let value = self.engine.eval(&mut self.side, expr)?;
                let wrapped = self.engine.pool.or(value.wrapped, value.wrapped_unsigned);
                Ok(self.engine.pool.not(wrapped))
            }
            Claim::NoError(expr) => {
                self.define(expr)?;
                self.without_error(expr)?;
                let goals = std::mem::take(&mut self.engine.goals);
                Ok(self.engine.pool.all(goals))
            }
            Claim::Equal(before, after) => {
                let before = self.value(before)?;
                self.define(after)?;
                let after = self.without_error(after)?;
                let goals = std::mem::take(&mut self.engine.goals);
                let same = self.engine.pool.eq(before.term, after.term);
                let goals = self.engine.pool.all(goals);
                Ok(self.engine.pool.and(goals, same))
            }
        }
    }

    /// The value of an expression whose errors become goals.
    fn without_error(&mut self, expr: ExprId) -> Result<Value, Stop> {
        self.side.which = Which::After;
        let value = self.engine.eval(&mut self.side, expr);
        self.side.which = Which::Before;
        value
    }

    fn within(&mut self, expr: ExprId, least: i128, most: i128) -> Result<Term, Stop> {
        let term = self.value(expr)?.term;
        if most < least {
            return Ok(self.engine.pool.truth(false));
        }
        let ty = self.body.ty(expr);
        let (term, bits, signed) = self.number(term, ty)?;
        let (first, last) = if signed {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        let pool = &mut self.engine.pool;
        if last < least || most < first {
            return Ok(pool.truth(false));
        }
        let mut all = pool.truth(true);
        // What no value of the type exceeds says nothing.
        if first < least {
            let least = pool.bits(least as i64, bits);
            let holds = pool.relation(Op::LessEq(signed), least, term);
            all = pool.and(all, holds);
        }
        if most < last {
            let most = pool.bits(most as i64, bits);
            let holds = pool.relation(Op::LessEq(signed), term, most);
            all = pool.and(all, holds);
        }
        Ok(all)
    }

    fn congruent(&mut self, expr: ExprId, modulus: i128, remainder: i128) -> Result<Term, Stop> {
        let term = self.value(expr)?.term;
        let ty = self.body.ty(expr);
        let (term, bits, signed) = self.number(term, ty)?;
        let Ok(modulus) = i64::try_from(modulus) else {
            return Err(Stop::unsupported("a modulus of more than 63 bits"));
        };
        let wide = if bits < 64 && modulus >> (bits - 1) != 0 { 64 } else { bits };
        let pool = &mut self.engine.pool;
        let term = pool.resize(term, wide, signed);
        let modulus = pool.bits(modulus, wide);
        let remainder = pool.bits(remainder as i64, wide);
        let op = if signed { Op::FloorRem } else { Op::Rem(false) };
        let left = pool.arithmetic(op, term, modulus);
        Ok(pool.eq(left, remainder))
    }

    /// A truth value or an integer as an integer: its term, width and signedness.
    fn number(&mut self, term: Term, ty: Type) -> Result<(Term, u8, bool), Stop> {
        match self.engine.pool.sort(term) {
            Sort::BOOL => {
                let (one, zero) = (self.engine.pool.bits(1, 8), self.engine.pool.bits(0, 8));
                Ok((self.engine.pool.ite(term, one, zero), 8, false))
            }
            Sort::Flat(Flat::Bits(bits)) => Ok((term, bits, is_signed(ty))),
            _ => Err(Stop::unsupported("a claim about what is no integer")),
        }
    }
}

/// The expressions that the iteration variables of the blocks of a body are bound to.
fn bindings(body: &Body) -> FxHashMap<ValueId, ExprId> {
    let mut found = FxHashMap::default();
    for (_, op) in body.ops.iter() {
        let OpKind::SBlock(block) = op.kind else { continue };
        let variables = body.sblocks[block].iter_vars.iter().map(|it| it.value);
        found.extend(variables.zip(op.operands.iter().copied()));
    }
    found
}

fn is_signed(ty: Type) -> bool {
    ty.prim().is_some_and(ir::DataType::is_int)
}
