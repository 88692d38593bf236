//! Nodes over the solver's integers, without end or with checked ranges.

use crate::prove_rules::smt::{Encoding, Known, Quotient, Script};
use crate::prove_rules::term::{Machine, Op, Term};

/// Most products that hints are given for.
const MAX_HINTS: usize = 160;

pub(super) fn literal(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

impl Script<'_> {
    /// Returns the condition that the machine has the number.
    pub(super) fn in_range(&self, value: &str) -> String {
        match self.machine.range() {
            None => "true".to_owned(),
            Some((least, largest)) => {
                format!("(<= {} {value} {})", literal(least), literal(largest))
            }
        }
    }

    pub(super) fn integer_node(&mut self, op: Op, operands: &[Known]) -> Known {
        let values: Vec<&str> = operands.iter().map(|it| it.value.as_str()).collect();
        let call = |function: &str| format!("({function} {})", values.join(" "));
        let (mut defined, mut exists) = (Vec::new(), Vec::new());
        let value = match op {
            Op::Eq => call("="),
            Op::Ne => call("distinct"),
            Op::Lt => call("<"),
            Op::Le => call("<="),
            Op::Gt => call(">"),
            Op::Ge => call(">="),
            Op::Min => call("min"),
            Op::Max => call("max"),
            Op::Add => self.sum(&call("+"), &mut defined),
            Op::Sub => self.sum(&call("-"), &mut defined),
            Op::Mul => self.sum(&call("*"), &mut defined),
            Op::Gcd => self.gcd(values[0], values[1]),
            op if op.is_division() => {
                exists.push(format!("(not (= {} 0))", values[1]));
                defined
                    .extend(exists.iter().cloned().chain(self.no_overflow(values[0], values[1])));
                self.division(op, values[0], values[1])
            }
            // Bits are looked at only over bit-vectors; lazy operators and `not` are not for this.
            _ => {
                defined.push("false".to_owned());
                "0".to_owned()
            }
        };
        Known::of(value, operands, defined, exists)
    }

    /// A sum, difference or product: in range, or cut by a multiple of two to the power of the width.
    fn sum(&mut self, exact: &str, defined: &mut Vec<String>) -> String {
        let value = self.name("Int", exact);
        let Machine::Fixed { bits, wraps: true, .. } = self.machine else {
            defined.push(self.in_range(&value));
            return value;
        };
        let times = self.fresh();
        let cut = self.name("Int", &format!("(- {value} (* {} {times}))", literal(1 << bits)));
        let fits = self.in_range(&cut);
        self.assert(&fits);
        cut
    }

    /// The quotient of the least number by -1 is too large, and its remainder is an error too.
    fn no_overflow(&self, a: &str, b: &str) -> Option<String> {
        let (least, _) = self.machine.range().filter(|it| it.0 < 0)?;
        Some(format!("(not (and (= {a} {}) (= {b} (- 1))))", literal(least)))
    }

    /// `a % b == 0` as `a == b * k`: then `a` is no number of its own, which helps more than the constraints that make
    /// `k` a quotient.
    pub(super) fn multiple(&mut self, term: &Term) -> Option<String> {
        let Term::Node(Op::Eq, sides) = term else { return None };
        let [Term::Node(Op::FloorMod, operands), Term::Constant(0)] = &sides[..] else {
            return None;
        };
        if self.encoding < Encoding::Hints {
            return None;
        }
        let (a, b) = (self.exact(&operands[0]).value, self.exact(&operands[1]).value);
        let name = self.fresh();
        let key = format!("is-floor-quotient {a} {b}");
        self.quotients.push(Quotient {
            key,
            name: name.clone(),
            divisor: b.clone(),
            is_exact: true,
        });
        Some(format!("(and (not (= {b} 0)) (= {a} (* {b} {name})))"))
    }

    fn division(&mut self, op: Op, a: &str, b: &str) -> String {
        let is_floor = matches!(op, Op::FloorDiv | Op::FloorMod);
        let is_quotient = matches!(op, Op::FloorDiv | Op::TruncDiv);
        if self.encoding == Encoding::Division {
            let function = match op {
                Op::FloorDiv => "floordiv",
                Op::FloorMod => "floormod",
                Op::TruncDiv => "truncdiv",
                _ => "truncmod",
            };
            return self.name("Int", &format!("({function} {a} {b})"));
        }
        let kind = if is_floor { "is-floor-quotient" } else { "is-trunc-quotient" };
        let key = format!("{kind} {a} {b}");
        let known = self.quotients.iter().find(|it| it.key == key).map(|it| it.name.clone());
        let quotient = known.unwrap_or_else(|| {
            let name = self.fresh();
            self.assert(&format!("(=> (not (= {b} 0)) ({key} {name}))"));
            self.quotients.push(Quotient {
                key,
                name: name.clone(),
                divisor: b.to_owned(),
                is_exact: false,
            });
            name
        });
        if is_quotient {
            quotient
        } else {
            self.name("Int", &format!("(- {a} (* {b} {quotient}))"))
        }
    }

    /// A number that divides both and is 0 only if they are: weaker than the greatest one, so that every consequence of
    /// this holds for that.
    fn gcd(&mut self, a: &str, b: &str) -> String {
        let names: Vec<String> = (0..3).map(|_| self.fresh()).collect();
        self.assert(&format!("(is-common-divisor {a} {b} {})", names.join(" ")));
        self.atoms.extend(names.iter().cloned());
        names[0].clone()
    }

    /// Facts that hold of all integers `b`, `k`, said of divisors `b` and differences `k` of quotients, variables and
    /// their products: `b * k` is at least as far from 0 as `b`, unless `k` is 0. Two quotients by one divisor are
    /// equal because the product of it and their difference is too small; the solver does not think of the product.
    pub(super) fn hints(&mut self) {
        if self.is_bits || self.encoding < Encoding::Hints {
            return;
        }
        let quotients = std::mem::take(&mut self.quotients);
        let single: Vec<String> =
            quotients.iter().map(|it| it.name.clone()).chain(self.atoms.iter().cloned()).collect();
        let exact = || quotients.iter().filter(|it| it.is_exact);
        let mut thirds = Vec::new();
        if self.encoding == Encoding::Hints {
            thirds.push("1".to_owned());
            thirds.extend(single.iter().cloned());
        } else if exact().next().is_some() {
            // Multiples of multiples.
            for one in exact().map(|it| &it.name) {
                thirds.extend(single.iter().map(|other| format!("(* {one} {other})")));
            }
        } else {
            for (at, one) in single.iter().enumerate() {
                thirds.extend(single[at..].iter().map(|other| format!("(* {one} {other})")));
            }
        }
        let mut products: Vec<(&str, String)> = Vec::new();
        for (at, one) in quotients.iter().enumerate().filter(|it| !it.1.is_exact) {
            let name = &one.name;
            let same = quotients[at + 1..].iter();
            for other in same.filter(|it| it.divisor == one.divisor && !it.is_exact) {
                let other = &other.name;
                let third = thirds.iter().filter(|it| *it != name && *it != other);
                products.extend(third.flat_map(|it| {
                    let orders = [(name, other), (other, name)];
                    orders.map(|(a, b)| (&*one.divisor, format!("(- {a} {b} {it})")))
                }));
            }
            if self.encoding == Encoding::Hints {
                let others = single.iter().filter(|it| *it != name);
                products.push((&one.divisor, name.clone()));
                products.extend(others.map(|it| (&*one.divisor, format!("(- {name} {it})"))));
            }
        }
        for (divisor, difference) in products.into_iter().take(MAX_HINTS) {
            self.hint(divisor, &difference);
        }
    }

    fn hint(&mut self, divisor: &str, difference: &str) {
        let k = self.name("Int", difference);
        let product = self.name("Int", &format!("(* {divisor} {k})"));
        for (divisor_is, k_is, product_is) in [
            (">", format!("(>= {k} 1)"), format!("(>= {product} {divisor})")),
            (">", format!("(<= {k} (- 1))"), format!("(<= {product} (- {divisor}))")),
            ("<", format!("(>= {k} 1)"), format!("(<= {product} {divisor})")),
            ("<", format!("(<= {k} (- 1))"), format!("(>= {product} (- {divisor}))")),
        ] {
            self.assert(&format!("(=> (and ({divisor_is} {divisor} 0) {k_is}) {product_is})"));
        }
    }
}
