//! Terms of claims, and their values on a machine.
//!
//! Input: a term over numbered variables, their values, a [`Machine`]. Output: the value, or none where evaluating the
//! term is an error there: a division by zero, a sum that leaves its range where that is an event, a shift by too
//! much (`SEMANTICS: I1, I5, I6, I8`). This is the reading that the solver's is held against, so nothing here is
//! shared with the text that the solver gets. Bools are 0 and 1. Cost: O(nodes).

/// The computation of a node: the operators of the IR, and functions that only conditions and computed constants use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    /// Quotient rounded to zero.
    TruncDiv,
    /// Its remainder, with the sign of the dividend.
    TruncMod,
    /// Quotient rounded down.
    FloorDiv,
    /// Its remainder, with the sign of the divisor.
    FloorMod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Not,
    /// Both arms are evaluated, or only one: it depends on the back end (`SEMANTICS: S4`).
    Select,
    /// Exactly one arm is evaluated.
    IfThenElse,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    Shl,
    Shr,
    /// Greatest common divisor, never negative.
    Gcd,
}

impl Op {
    /// Returns true if the machine has to know its width to compute it.
    pub(crate) fn is_bitwise(self) -> bool {
        use Op::{BitAnd, BitNot, BitOr, BitXor, Shl, Shr};
        matches!(self, BitAnd | BitOr | BitXor | BitNot | Shl | Shr)
    }

    /// Returns true if some operand may be left unevaluated.
    pub(crate) fn is_lazy(self) -> bool {
        matches!(self, Op::And | Op::Or | Op::Select | Op::IfThenElse)
    }

    /// Returns true if it is one of the four divisions.
    pub(crate) fn is_division(self) -> bool {
        matches!(self, Op::TruncDiv | Op::TruncMod | Op::FloorDiv | Op::FloorMod)
    }
}

/// A term.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// A variable, by its number.
    Variable(usize),
    /// An integer.
    Constant(i128),
    /// A truth value.
    Truth(bool),
    /// A float.
    Float(f64),
    /// An operator on operands.
    Node(Op, Vec<Term>),
    /// A constant that the rule computes: exact whatever the machine, and then it must fit.
    Computed(Box<Term>),
}

impl Term {
    /// An operator on operands.
    pub(crate) fn node(op: Op, operands: impl IntoIterator<Item = Term>) -> Term {
        Term::Node(op, operands.into_iter().collect())
    }

    /// Calls `visit` with this term and all below it.
    pub(crate) fn each<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        visit(self);
        match self {
            Term::Node(_, operands) => operands.iter().for_each(|it| it.each(visit)),
            Term::Computed(inner) => inner.each(visit),
            Term::Variable(_) | Term::Constant(_) | Term::Truth(_) | Term::Float(_) => {}
        }
    }

    /// Returns true if a node of the term satisfies `is_wanted`.
    pub(crate) fn has(&self, is_wanted: impl Fn(Op) -> bool) -> bool {
        let mut found = false;
        self.each(&mut |term| found |= matches!(term, Term::Node(op, _) if is_wanted(*op)));
        found
    }
}

/// The set of numbers, and the treatment of results outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Machine {
    /// All integers.
    Integers,
    /// Integers of a width.
    Fixed {
        /// The width.
        bits: u32,
        /// Two's complement or none negative.
        is_signed: bool,
        /// True if `+ - *` wrap at the width; otherwise leaving it is an error.
        wraps: bool,
    },
    /// IEEE 754 numbers; only the solver computes with them.
    Float {
        /// Bits of the exponent.
        exponent: u32,
        /// Bits of the significand, the hidden one included.
        digits: u32,
    },
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Machine::Integers => f.write_str("integers"),
            Machine::Fixed { bits, is_signed, wraps } => {
                let sign = if is_signed { "int" } else { "uint" };
                let wraps = if wraps { ", wrapping" } else { "" };
                write!(f, "{sign}{bits}{wraps}")
            }
            Machine::Float { exponent, digits } => write!(f, "float{}", exponent + digits),
        }
    }
}

impl Machine {
    /// Least and largest number; none if there is no end.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        match self {
            Machine::Integers | Machine::Float { .. } => None,
            Machine::Fixed { bits, is_signed: true, .. } => {
                Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
            }
            Machine::Fixed { bits, is_signed: false, .. } => Some((0, (1 << bits) - 1)),
        }
    }

    /// Returns true if the number is one of the machine's.
    pub(crate) fn has(self, value: i128) -> bool {
        self.range().is_none_or(|(least, largest)| (least..=largest).contains(&value))
    }

    /// The result of `+ - *`: cut, kept, or an error.
    fn sum(self, exact: i128) -> Option<i128> {
        match self {
            _ if self.has(exact) => Some(exact),
            Machine::Fixed { bits, is_signed, wraps: true } => Some(cut(exact, bits, is_signed)),
            _ => None,
        }
    }
}

/// The low bits of a number, read as signed or unsigned.
pub(crate) fn cut(value: i128, bits: u32, is_signed: bool) -> i128 {
    let low = value & ((1 << bits) - 1);
    if is_signed && low >> (bits - 1) != 0 { low - (1 << bits) } else { low }
}

/// The values of the variables; none for one whose evaluation is an error.
pub(crate) type Values<'a> = &'a [Option<i128>];

/// How a term is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation {
    /// The place.
    pub(crate) machine: Machine,
    /// True if `and`, `or` and `Select` evaluate all their operands, as some back ends do (`SEMANTICS: S3, S4`).
    pub(crate) is_strict: bool,
}

impl Evaluation {
    /// The value, or none for an error.
    pub(crate) fn value(self, term: &Term, values: Values<'_>) -> Option<i128> {
        match term {
            Term::Variable(index) => values[*index],
            Term::Constant(value) => Some(*value).filter(|it| self.machine.has(*it)),
            Term::Truth(value) => Some(i128::from(*value)),
            Term::Float(_) => None,
            Term::Computed(inner) => {
                let exact = Evaluation { machine: Machine::Integers, is_strict: true };
                exact.value(inner, values).filter(|it| self.machine.has(*it))
            }
            Term::Node(op, operands) if op.is_lazy() => self.lazy(*op, operands, values),
            Term::Node(op, operands) => {
                let first = self.value(operands.first()?, values)?;
                match operands.get(1) {
                    Some(second) => self.binary(*op, first, self.value(second, values)?),
                    None => self.unary(*op, first),
                }
            }
        }
    }

    fn lazy(self, op: Op, operands: &[Term], values: Values<'_>) -> Option<i128> {
        if self.is_strict && op != Op::IfThenElse {
            for operand in operands {
                self.value(operand, values)?;
            }
        }
        let first = self.value(operands.first()?, values)? != 0;
        match (op, first) {
            (Op::And, false) => Some(0),
            (Op::Or, true) => Some(1),
            (Op::And | Op::Or, _) | (Op::Select | Op::IfThenElse, true) => {
                self.value(operands.get(1)?, values)
            }
            _ => self.value(operands.get(2)?, values),
        }
    }

    fn unary(self, op: Op, a: i128) -> Option<i128> {
        match (op, self.machine) {
            (Op::Not, _) => Some(i128::from(a == 0)),
            (Op::BitNot, Machine::Fixed { bits, is_signed, .. }) => Some(cut(!a, bits, is_signed)),
            _ => None,
        }
    }

    fn binary(self, op: Op, a: i128, b: i128) -> Option<i128> {
        match op {
            Op::Add => self.machine.sum(a.checked_add(b)?),
            Op::Sub => self.machine.sum(a.checked_sub(b)?),
            Op::Mul => self.machine.sum(a.checked_mul(b)?),
            op if op.is_division() => self.division(op, a, b),
            Op::Min => Some(a.min(b)),
            Op::Max => Some(a.max(b)),
            Op::Eq => Some(i128::from(a == b)),
            Op::Ne => Some(i128::from(a != b)),
            Op::Lt => Some(i128::from(a < b)),
            Op::Le => Some(i128::from(a <= b)),
            Op::Gt => Some(i128::from(a > b)),
            Op::Ge => Some(i128::from(a >= b)),
            Op::BitAnd => Some(a & b),
            Op::BitOr => Some(a | b),
            Op::BitXor => Some(a ^ b),
            Op::Shl | Op::Shr => self.shift(op, a, b),
            Op::Gcd => Some(gcd(a, b)),
            _ => None,
        }
    }

    fn division(self, op: Op, a: i128, b: i128) -> Option<i128> {
        let overflows = b == -1 && self.machine.range().is_some_and(|(least, _)| a == least);
        if b == 0 || overflows {
            return None;
        }
        let (quotient, remainder) = (a.checked_div(b)?, a.checked_rem(b)?);
        let is_floor = matches!(op, Op::FloorDiv | Op::FloorMod);
        let down = i128::from(is_floor && remainder != 0 && (remainder < 0) != (b < 0));
        match op {
            Op::TruncDiv | Op::FloorDiv => Some(quotient - down),
            _ => Some(remainder + down * b),
        }
    }

    fn shift(self, op: Op, a: i128, amount: i128) -> Option<i128> {
        let Machine::Fixed { bits, is_signed, .. } = self.machine else { return None };
        if !(0..i128::from(bits)).contains(&amount) {
            return None;
        }
        match op {
            Op::Shl => Some(cut(cut(a, bits, false) << amount, bits, is_signed)),
            _ => Some(a >> amount),
        }
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
