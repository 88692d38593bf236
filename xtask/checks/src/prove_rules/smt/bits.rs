//! Nodes over bit-vectors: where numbers wrap, and where their bits are looked at.

use crate::prove_rules::smt::{Known, Script, and};
use crate::prove_rules::term::{Machine, Op, Term};

/// Width, sign, and whether sums wrap.
fn shape(machine: Machine) -> (u32, bool, bool) {
    match machine {
        Machine::Fixed { bits, is_signed, wraps } => (bits, is_signed, wraps),
        Machine::Integers | Machine::Float { .. } => (64, true, false),
    }
}

pub(super) fn literal(value: i128, machine: Machine) -> String {
    let (bits, ..) = shape(machine);
    literal_of_width(value, bits)
}

fn literal_of_width(value: i128, bits: u32) -> String {
    let low = if bits >= 128 { value as u128 } else { (value as u128) & ((1 << bits) - 1) };
    format!("(_ bv{low} {bits})")
}

/// The operators that SMT-LIB does not have.
pub(super) fn prelude(machine: Machine) -> String {
    let (bits, is_signed, _) = shape(machine);
    functions(bits, is_signed)
}

/// Divisions and comparisons of a width. Floor division of numbers that are never negative is the division.
fn functions(bits: u32, is_signed: bool) -> String {
    let sort = format!("(_ BitVec {bits})");
    let (div, rem, less) =
        if is_signed { ("bvsdiv", "bvsrem", "bvslt") } else { ("bvudiv", "bvurem", "bvult") };
    let zero = literal_of_width(0, bits);
    let one = literal_of_width(1, bits);
    let down = if is_signed {
        format!("(and (not (= r {zero})) (not (= (bvslt r {zero}) (bvslt b {zero}))))")
    } else {
        "false".to_owned()
    };
    let two = |name: &str, body: &str| {
        format!("(define-fun {name}{bits} ((a {sort}) (b {sort})) {sort} {body})\n")
    };
    let rounded = |down_by: &str, kept: &str| {
        format!("(let ((q ({div} a b)) (r ({rem} a b))) (ite {down} {down_by} {kept}))")
    };
    [
        two("truncdiv", &format!("({div} a b)")),
        two("truncmod", &format!("({rem} a b)")),
        two("floordiv", &rounded(&format!("(bvsub q {one})"), "q")),
        two("floormod", &rounded("(bvadd r b)", "r")),
        two("min", &format!("(ite ({less} a b) a b)")),
        two("max", &format!("(ite ({less} a b) b a)")),
    ]
    .concat()
}

impl Script<'_> {
    pub(super) fn bits_node(&mut self, op: Op, operands: &[Known]) -> Known {
        let (bits, is_signed, wraps) = shape(self.machine);
        let values: Vec<&str> = operands.iter().map(|it| it.value.as_str()).collect();
        let call = |function: &str| format!("({function} {})", values.join(" "));
        let by_sign =
            |signed: &str, unsigned: &str| call(if is_signed { signed } else { unsigned });
        let mut defined = Vec::new();
        let sort = format!("(_ BitVec {bits})");
        let value = match op {
            Op::Eq => call("="),
            Op::Ne => call("distinct"),
            Op::Lt => by_sign("bvslt", "bvult"),
            Op::Le => by_sign("bvsle", "bvule"),
            Op::Gt => by_sign("bvsgt", "bvugt"),
            Op::Ge => by_sign("bvsge", "bvuge"),
            Op::Min => call(&format!("min{bits}")),
            Op::Max => call(&format!("max{bits}")),
            Op::BitAnd => call("bvand"),
            Op::BitOr => call("bvor"),
            Op::BitXor => call("bvxor"),
            Op::BitNot => call("bvnot"),
            Op::Add | Op::Sub | Op::Mul => {
                let function = match op {
                    Op::Add => "bvadd",
                    Op::Sub => "bvsub",
                    _ => "bvmul",
                };
                let value = self.name(&sort, &call(function));
                if !wraps {
                    defined.push(fits(function, values[0], values[1], &value, bits, is_signed));
                }
                value
            }
            Op::Shl | Op::Shr => {
                defined.push(format!(
                    "(bvult {} {})",
                    values[1],
                    literal_of_width(bits.into(), bits)
                ));
                if op == Op::Shl { call("bvshl") } else { by_sign("bvashr", "bvlshr") }
            }
            op if op.is_division() => {
                defined.push(division_is_defined(values[0], values[1], bits, is_signed));
                let name = match op {
                    Op::FloorDiv => "floordiv",
                    Op::FloorMod => "floormod",
                    Op::TruncDiv => "truncdiv",
                    _ => "truncmod",
                };
                self.name(&sort, &call(&format!("{name}{bits}")))
            }
            // Functions of conditions only.
            _ => {
                defined.push("false".to_owned());
                literal_of_width(0, bits)
            }
        };
        Known::of(value, operands, defined, Vec::new())
    }

    /// A condition about mathematical integers: at a width at which none of its results is cut.
    pub(super) fn exact_bits(&mut self, term: &Term) -> String {
        let known = self.wide(term);
        and(&[known.defined, known.value])
    }

    /// A computed constant, which must fit.
    pub(super) fn computed_bits(&mut self, term: &Term) -> String {
        let (bits, is_signed, _) = shape(self.machine);
        let known = self.wide(term);
        let width = wide_width(term, bits);
        let low = self.name(
            &format!("(_ BitVec {bits})"),
            &format!("((_ extract {} 0) {})", bits - 1, known.value),
        );
        let back = extend(&low, width - bits, is_signed);
        self.assert(&and(&[known.defined, format!("(= {} {back})", known.value)]));
        low
    }

    /// The term at a wider signed width, with overflow there excluded by the width.
    fn wide(&mut self, term: &Term) -> Known {
        let (bits, is_signed, _) = shape(self.machine);
        let width = wide_width(term, bits);
        self.text.push_str(&wide_prelude(&self.text, width));
        self.wide_term(term, bits, width, is_signed)
    }

    fn wide_term(&mut self, term: &Term, bits: u32, width: u32, is_signed: bool) -> Known {
        match term {
            Term::Constant(value) => Known::total(literal_of_width(*value, width)),
            Term::Variable(_) if self.is_number(term) => {
                let name = self.term(term).value;
                Known::total(extend(&name, width - bits, is_signed))
            }
            Term::Node(op, operands) if !op.is_lazy() && *op != Op::Not => {
                let known: Vec<Known> =
                    operands.iter().map(|it| self.wide_term(it, bits, width, is_signed)).collect();
                let wide = Machine::Fixed { bits: width, is_signed: true, wraps: false };
                let machine = std::mem::replace(&mut self.machine, wide);
                let known = self.bits_node(*op, &known);
                self.machine = machine;
                known
            }
            Term::Node(op, operands) => {
                let known: Vec<Known> =
                    operands.iter().map(|it| self.wide_term(it, bits, width, is_signed)).collect();
                if *op == Op::Not {
                    let value = format!("(not {})", known[0].value);
                    return Known::of(value, &known, Vec::new(), Vec::new());
                }
                let is_strict = std::mem::replace(&mut self.is_strict, true);
                let known = self.lazy(*op, &known);
                self.is_strict = is_strict;
                known
            }
            Term::Computed(inner) => self.wide_term(inner, bits, width, is_signed),
            Term::Variable(_) | Term::Truth(_) | Term::Float(_) => self.term(term),
        }
    }

    fn is_number(&self, term: &Term) -> bool {
        use crate::prove_rules::claim::Sort;
        matches!(term, Term::Variable(index) if self.claim.variables[*index].sort == Sort::Int)
    }
}

/// Bits that hold every result of the term: a product needs those of both operands, a sum one more.
fn wide_width(term: &Term, bits: u32) -> u32 {
    match term {
        Term::Node(op, operands) => {
            let widths = operands.iter().map(|it| wide_width(it, bits));
            match op {
                Op::Mul => widths.sum::<u32>() + 1,
                _ => widths.max().unwrap_or(bits) + 1,
            }
        }
        Term::Computed(inner) => wide_width(inner, bits),
        _ => bits + 1,
    }
}

/// The functions of a width that the script does not have yet.
fn wide_prelude(text: &str, width: u32) -> String {
    if text.contains(&format!("(define-fun floordiv{width} ")) {
        String::new()
    } else {
        functions(width, true)
    }
}

fn extend(name: &str, by: u32, is_signed: bool) -> String {
    let how = if is_signed { "sign_extend" } else { "zero_extend" };
    format!("((_ {how} {by}) {name})")
}

/// Returns the condition that the exact result equals the wrapped one.
fn fits(function: &str, a: &str, b: &str, value: &str, bits: u32, is_signed: bool) -> String {
    let by = if function == "bvmul" { bits } else { 1 };
    let wide = |name: &str| extend(name, by, is_signed);
    format!("(= ({function} {} {}) {})", wide(a), wide(b), wide(value))
}

fn division_is_defined(a: &str, b: &str, bits: u32, is_signed: bool) -> String {
    let not_zero = format!("(not (= {b} {}))", literal_of_width(0, bits));
    if !is_signed {
        return not_zero;
    }
    let least = literal_of_width(1 << (bits - 1), bits);
    let minus_one = literal_of_width(-1, bits);
    format!("(and {not_zero} (not (and (= {a} {least}) (= {b} {minus_one}))))")
}
