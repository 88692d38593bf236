//! The claim of a rule, in terms that can be proved.
//!
//! Input: a [`Rule`] of `arith`. Output: a [`Claim`] and the [`Machine`]s on which it is made. A rule for signed
//! integers of 32 bits and more is also used on others where its left side does not overflow, so it is claimed of
//! unsigned ones too. A wrapping rule is claimed both where numbers wrap (the values are the same) and where that is an
//! error (the right side overflows only where the left side does). O(rule).

use arith::rules::{self, Domain, Rule};
use ir::{BinaryOp, UnaryOp};

use crate::prove_rules::term::{Evaluation, Machine, Op, Term, Values};

/// The place where the tables are, for messages.
const FOLDER: &str = "crates/arith/src/rules";

/// The sort of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Int,
    Bool,
    Float,
}

/// A variable of a claim.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) sort: Sort,
    /// A constant: there is nothing to evaluate.
    pub(crate) is_constant: bool,
}

/// The facts known where a rule applies.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// Worked out on constants, exactly.
    Exact(Term),
    /// Shown of values as the machine computes them; nothing is known if computing them is an error.
    Shown(Term),
    /// Evaluating the term is no error.
    Defined(Term),
}

/// Left and right side have the same value, under conditions.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) name: String,
    /// File and line of the rule.
    pub(crate) place: String,
    /// The rule as written.
    pub(crate) text: String,
    pub(crate) domain: Domain,
    pub(crate) variables: Vec<Variable>,
    pub(crate) left: Term,
    pub(crate) right: Term,
    pub(crate) conditions: Vec<Condition>,
}

impl Claim {
    /// Returns the claim of a rule.
    pub(crate) fn of(rule: &Rule) -> Claim {
        let variables = rule.variables.iter().map(|it| Variable {
            name: it.name.clone(),
            sort: match (it.sort, rule.domain) {
                (rules::Sort::Bool, _) => Sort::Bool,
                (rules::Sort::Value, Domain::Float) => Sort::Float,
                _ => Sort::Int,
            },
            is_constant: it.sort == rules::Sort::Constant,
        });
        let matched = |term| convert(rule, term, false);
        let conditions = rule.conditions.iter().map(|it| match it {
            rules::Condition::Holds(term) if is_about_constants(rule, term) => {
                Condition::Exact(matched(term))
            }
            rules::Condition::Holds(term) => Condition::Shown(convert(rule, term, true)),
            rules::Condition::NoOverflow(term) | rules::Condition::NoEvent(term) => {
                Condition::Defined(convert(rule, term, true))
            }
        });
        Claim {
            name: rule.name.to_owned(),
            place: format!("{FOLDER}/{}:{}", rule.file, rule.line),
            text: rule.text.clone(),
            domain: rule.domain,
            variables: variables.collect(),
            left: matched(&rule.lhs),
            right: convert(rule, &rule.rhs, true),
            conditions: conditions.collect(),
        }
    }

    /// Calls `visit` with every term of both sides and of the conditions.
    fn each<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        self.left.each(visit);
        self.right.each(visit);
        for condition in &self.conditions {
            match condition {
                Condition::Exact(term) | Condition::Shown(term) | Condition::Defined(term) => {
                    term.each(visit);
                }
            }
        }
    }

    /// Returns true if some node of either side, or of a condition, satisfies `is_wanted`.
    pub(crate) fn has(&self, is_wanted: impl Fn(Op) -> bool) -> bool {
        let mut found = false;
        self.each(&mut |term| found |= matches!(term, Term::Node(op, _) if is_wanted(*op)));
        found
    }

    /// The modes of evaluation: `and`, `or` and `Select` with all operands, or without the unneeded ones.
    pub(crate) fn modes(&self) -> &'static [bool] {
        if self.is_lazy() { &[false, true] } else { &[true] }
    }

    /// Values for which the left side is no error, the conditions hold, and the right side is not the same; then the
    /// value of both sides.
    pub(crate) fn is_refuted(
        &self,
        machine: Machine,
        is_strict: bool,
        values: Values<'_>,
    ) -> Option<(i128, Option<i128>)> {
        let here = Evaluation { machine, is_strict };
        let exact = Evaluation { machine: Machine::Integers, is_strict: true };
        let left = here.value(&self.left, values)?;
        for condition in &self.conditions {
            let holds = match condition {
                Condition::Exact(term) => exact.value(term, values) == Some(1),
                Condition::Shown(term) => here.value(term, values).is_none_or(|it| it != 0),
                Condition::Defined(term) => here.value(term, values).is_some(),
            };
            if !holds {
                return None;
            }
        }
        if !self.constants_fit(machine, values) {
            return None;
        }
        let right = here.value(&self.right, values);
        (right != Some(left)).then_some((left, right))
    }

    /// Returns true if every constant that the rule computes exists and is one of the machine's: otherwise the rule
    /// does not apply.
    fn constants_fit(&self, machine: Machine, values: Values<'_>) -> bool {
        let here = Evaluation { machine, is_strict: true };
        let mut fits = true;
        self.each(&mut |term| {
            fits &= !matches!(term, Term::Computed(_)) || here.value(term, values).is_some();
        });
        fits
    }

    /// Returns true if an operand may stay unevaluated: then it matters which ones a back end evaluates.
    pub(crate) fn is_lazy(&self) -> bool {
        self.left.has(Op::is_lazy) || self.right.has(Op::is_lazy)
    }

    /// Returns true if it contains numbers.
    fn has_integers(&self) -> bool {
        let mut found = self.variables.iter().any(|it| it.sort == Sort::Int);
        for side in [&self.left, &self.right] {
            side.each(&mut |term| found |= matches!(term, Term::Constant(_)));
        }
        found
    }

    /// Returns the place where the claim is made: types that have all the constants written in the rule.
    pub(crate) fn machines(&self) -> Vec<Machine> {
        let fixed = |wraps| {
            let of_width = move |bits| {
                [true, false].map(|is_signed| Machine::Fixed { bits, is_signed, wraps })
            };
            [32, 64].into_iter().flat_map(of_width)
        };
        let floats =
            [(5, 11), (8, 24)].map(|(exponent, digits)| Machine::Float { exponent, digits });
        let machines: Vec<Machine> = match self.domain {
            Domain::Float => floats.to_vec(),
            Domain::Any => vec![Machine::Integers],
            _ if !self.has_integers() => vec![Machine::Integers],
            Domain::Int if self.has(Op::is_bitwise) => fixed(false).collect(),
            Domain::Int => [Machine::Integers].into_iter().chain(fixed(false)).collect(),
            Domain::Wrapping if self.has(Op::is_bitwise) => {
                fixed(false).chain(fixed(true)).collect()
            }
            Domain::Wrapping => {
                [Machine::Integers].into_iter().chain(fixed(false)).chain(fixed(true)).collect()
            }
        };
        machines.into_iter().filter(|it| self.is_for(*it)).collect()
    }

    /// Returns true if the machine has every constant that is written in the rule.
    pub(crate) fn is_for(&self, machine: Machine) -> bool {
        let mut fits = true;
        self.each(&mut |term| {
            fits &= !matches!(term, Term::Constant(value) if !machine.has(*value));
        });
        fits
    }

    /// Returns the violation of the rule's flag, if there is one.
    pub(crate) fn breach(&self) -> Option<&'static str> {
        let looks_into = |op: Op| !op.is_lazy() && op != Op::Not;
        match self.domain {
            Domain::Any if self.has(looks_into) => Some("it looks into values of any type"),
            _ if self.machines().is_empty() => Some("no type has all its constants"),
            _ => None,
        }
    }
}

/// Returns true if a condition is evaluated, not shown.
fn is_about_constants(rule: &Rule, term: &rules::Term) -> bool {
    match term {
        rules::Term::Binary(_, a, b) => {
            a.is_constant(&rule.variables) && b.is_constant(&rule.variables)
        }
        _ => false,
    }
}

/// A term of a rule; `is_built` where constant parts are worked out instead of matched.
fn convert(rule: &Rule, term: &rules::Term, is_built: bool) -> Term {
    use rules::Term as From;
    let is_leaf = matches!(term, From::Var(_) | From::Int(_));
    if is_built && !is_leaf && term.is_constant(&rule.variables) {
        return Term::Computed(Box::new(convert(rule, term, false)));
    }
    let part = |term| convert(rule, term, is_built);
    match term {
        From::Var(index) => Term::Variable(*index),
        From::Int(value) => Term::Constant(*value),
        From::Bool(value) => Term::Truth(*value),
        From::Float(value) => Term::Float(*value),
        From::Binary(op, a, b) => Term::node(binary(*op), [part(a), part(b)]),
        From::Unary(UnaryOp::Not, a) => Term::node(Op::Not, [part(a)]),
        From::Unary(UnaryOp::BitNot, a) => Term::node(Op::BitNot, [part(a)]),
        From::Select(parts) => Term::node(Op::Select, parts.iter().map(part)),
        From::IfThenElse(parts) => Term::node(Op::IfThenElse, parts.iter().map(part)),
        From::Gcd(a, b) => Term::node(Op::Gcd, [part(a), part(b)]),
    }
}

fn binary(op: BinaryOp) -> Op {
    match op {
        BinaryOp::Add => Op::Add,
        BinaryOp::Sub => Op::Sub,
        BinaryOp::Mul => Op::Mul,
        BinaryOp::Div => Op::TruncDiv,
        BinaryOp::Mod => Op::TruncMod,
        BinaryOp::FloorDiv => Op::FloorDiv,
        BinaryOp::FloorMod => Op::FloorMod,
        BinaryOp::Min => Op::Min,
        BinaryOp::Max => Op::Max,
        BinaryOp::Eq => Op::Eq,
        BinaryOp::Ne => Op::Ne,
        BinaryOp::Lt => Op::Lt,
        BinaryOp::Le => Op::Le,
        BinaryOp::Gt => Op::Gt,
        BinaryOp::Ge => Op::Ge,
        BinaryOp::And => Op::And,
        BinaryOp::Or => Op::Or,
        BinaryOp::BitAnd => Op::BitAnd,
        BinaryOp::BitOr => Op::BitOr,
        BinaryOp::BitXor => Op::BitXor,
        BinaryOp::Shl => Op::Shl,
        BinaryOp::Shr => Op::Shr,
    }
}
