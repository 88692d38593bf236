//! Claims as SMT-LIB text.
//!
//! Input: a [`Claim`], a [`Machine`], an [`Encoding`]. Output: a script that can be satisfied exactly if the claim is
//! wrong there: the left side is evaluated without an error, the conditions hold, and the right side is an error or
//! another value. Every node becomes two definitions: its value, and whether evaluating it is no error. A variable
//! stands for any expression, hence has a second symbol too where some operand may be left unevaluated. Size of the
//! script: O(nodes), and O(quotients² · nodes) with hints.

mod bits;
mod floats;
mod integers;

use std::fmt::Write as _;

use crate::prove_rules::claim::{Claim, Condition, Sort};
use crate::prove_rules::term::{self, Machine, Op, Term};

/// The encoding of a claim for the solver. All are equivalent; which one it copes with depends on the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Encoding {
    /// Bit-vectors.
    Bits,
    /// Integers, and its own division.
    Division,
    /// A number for each quotient, with its defining constraints.
    Quotients,
    /// The same, with facts on products of divisors and differences of quotients.
    Hints,
    /// The same, with more of them.
    MoreHints,
}

/// A node as the solver knows it: two names.
#[derive(Clone, Debug)]
struct Known {
    /// Its value.
    value: String,
    /// The condition that its evaluation is no error.
    defined: String,
    /// The condition that it has a value among all integers: no divisor is 0.
    exists: String,
}

impl Known {
    /// A value that is always there.
    fn total(value: String) -> Known {
        Known { value, defined: "true".to_owned(), exists: "true".to_owned() }
    }

    /// A value that is there where all operands are, and these conditions hold.
    fn of(value: String, operands: &[Known], defined: Vec<String>, exists: Vec<String>) -> Known {
        let all = |part: fn(&Known) -> &String, own: Vec<String>| {
            let parts: Vec<String> =
                operands.iter().map(|it| part(it).clone()).chain(own).collect();
            and(&parts)
        };
        Known {
            value,
            defined: all(|it| &it.defined, defined),
            exists: all(|it| &it.exists, exists),
        }
    }
}

/// A quotient with a name of its own.
#[derive(Clone, Debug)]
struct Quotient {
    /// Kind, dividend and divisor: a quotient and the remainder beside it are encoded once.
    key: String,
    name: String,
    divisor: String,
    /// True if nothing remains: the dividend is given as the product.
    is_exact: bool,
}

/// The script being written.
struct Script<'a> {
    claim: &'a Claim,
    machine: Machine,
    is_strict: bool,
    encoding: Encoding,
    is_bits: bool,
    /// True if evaluating a variable is assumed to be no error.
    knows_values: bool,
    text: String,
    names: usize,
    quotients: Vec<Quotient>,
    /// Numbers that hints speak about.
    atoms: Vec<String>,
    /// The earlier definitions: a division that both sides have is one quotient.
    seen: Vec<(Term, Machine, [bool; 2], Known)>,
}

/// A question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) claim: &'a Claim,
    pub(crate) machine: Machine,
    pub(crate) is_strict: bool,
    pub(crate) encoding: Encoding,
    /// True if the claim is known to hold of all integers.
    pub(crate) holds_of_integers: bool,
    /// The numbers that are not negative, by bits: a part of the question. None for the whole.
    pub(crate) signs: Option<u32>,
}

/// The question as text.
pub(crate) fn script(question: Question<'_>) -> String {
    let Question { claim, machine, is_strict, encoding, .. } = question;
    let mut script = Script {
        claim,
        machine,
        is_strict,
        encoding,
        is_bits: encoding == Encoding::Bits,
        knows_values: false,
        text: String::new(),
        names: 0,
        quotients: Vec::new(),
        atoms: Vec::new(),
        seen: Vec::new(),
    };
    if script.is_float() {
        // The solver has all of it.
    } else if script.is_bits {
        script.text.push_str(&bits::prelude(machine));
    } else {
        script.text.push_str(include_str!("prelude.smt2"));
    }
    script.declare_variables();
    script.signs(question.signs);
    let premises = script.conditions();
    let left = script.term(&claim.left);
    script.assert(&left.defined);
    let right = script.term(&claim.right);
    script.hints();
    let same = format!("(= {} {})", left.value, right.value);
    if question.holds_of_integers {
        let premise = and(&[premises, left.exists]);
        let conclusion = and(&[right.exists, same.clone()]);
        script.assert(&format!("(=> {premise} {conclusion})"));
    }
    script.assert(&format!("(not {})", and(&[right.defined, same])));
    script.text
}

/// The encodings that a question has, in the order they are tried.
pub(crate) fn encodings(claim: &Claim, machine: Machine) -> &'static [Encoding] {
    use Encoding::{Bits, Division, Hints, MoreHints, Quotients};
    let wraps = matches!(machine, Machine::Fixed { wraps: true, .. });
    match machine {
        _ if claim.has(Op::is_bitwise) => &[Bits],
        Machine::Float { .. } => &[Division],
        _ if !claim.has(|op| op.is_division() || matches!(op, Op::Mul | Op::Gcd)) => {
            if wraps {
                &[Bits]
            } else {
                &[Division]
            }
        }
        _ if wraps => &[Quotients, Bits],
        _ => &[Division, Hints, MoreHints, Quotients],
    }
}

/// The names whose values are the counterexample: of the variables, and of whether evaluating them is no error.
pub(crate) fn wanted(claim: &Claim) -> Vec<String> {
    let mut names: Vec<String> = (0..claim.variables.len()).map(variable).collect();
    if claim.is_lazy() {
        let may_fail = |index: &usize| !claim.variables[*index].is_constant;
        names.extend((0..claim.variables.len()).filter(may_fail).map(|it| format!("v{it}_ok")));
    }
    names
}

/// The values of the variables, none for those whose evaluation is an error, from the values of [`wanted`] names.
pub(crate) fn values(
    claim: &Claim,
    machine: Machine,
    model: &[Option<i128>],
) -> Option<Vec<Option<i128>>> {
    let (numbers, flags) = model.split_at_checked(claim.variables.len())?;
    let mut flags = flags.iter();
    let mut values = Vec::new();
    for (variable, number) in claim.variables.iter().zip(numbers) {
        let mut number = (*number)?;
        if let (Sort::Int, Machine::Fixed { bits, is_signed, .. }) = (variable.sort, machine) {
            number = term::cut(number, bits, is_signed);
        }
        let may_fail = claim.is_lazy() && !variable.is_constant;
        let is_there = !may_fail || flags.next().copied().flatten()? != 0;
        values.push(is_there.then_some(number));
    }
    Some(values)
}

fn variable(index: usize) -> String {
    format!("v{index}")
}

impl Script<'_> {
    fn assert(&mut self, formula: &str) {
        if formula != "true" {
            let _ = writeln!(self.text, "(assert {formula})");
        }
    }

    /// Gives a formula a name.
    fn name(&mut self, sort: &str, formula: &str) -> String {
        let name = format!("t{}", self.names);
        self.names += 1;
        let _ = writeln!(self.text, "(define-fun {name} () {sort} {formula})");
        name
    }

    /// Declares a new number.
    fn fresh(&mut self) -> String {
        let name = format!("u{}", self.names);
        self.names += 1;
        let sort = self.number_sort();
        let _ = writeln!(self.text, "(declare-const {name} {sort})");
        name
    }

    fn number_sort(&self) -> String {
        match self.machine {
            Machine::Fixed { bits, .. } if self.is_bits => format!("(_ BitVec {bits})"),
            machine => floats::sort(machine).unwrap_or_else(|| "Int".to_owned()),
        }
    }

    fn is_float(&self) -> bool {
        matches!(self.machine, Machine::Float { .. })
    }

    fn declare_variables(&mut self) {
        let is_lazy = self.claim.is_lazy();
        for (index, it) in self.claim.variables.iter().enumerate() {
            let name = variable(index);
            let sort = match it.sort {
                Sort::Bool => "Bool".to_owned(),
                Sort::Int | Sort::Float => self.number_sort(),
            };
            let _ = writeln!(self.text, "(declare-const {name} {sort})");
            if is_lazy && !it.is_constant {
                let _ = writeln!(self.text, "(declare-const {name}_ok Bool)");
            }
            if it.sort == Sort::Int && !self.is_bits && !self.is_float() {
                let formula = self.in_range(&name);
                self.assert(&formula);
                self.atoms.push(name);
            }
        }
    }

    /// One part of all values: each number is not negative, or negative, by its bit.
    fn signs(&mut self, signs: Option<u32>) {
        let Some(signs) = signs else { return };
        for (index, name) in self.atoms.clone().iter().enumerate() {
            let sign = if signs >> index & 1 == 0 { ">=" } else { "<" };
            self.assert(&format!("({sign} {name} 0)"));
        }
    }

    /// Adds the facts known where the rule applies; returns those that matter for all integers.
    fn conditions(&mut self) -> String {
        let mut premises = Vec::new();
        for condition in &self.claim.conditions {
            let (formula, premise) = match condition {
                Condition::Exact(term) if self.is_bits => {
                    (self.exact_bits(term), "true".to_owned())
                }
                Condition::Exact(term) => {
                    let formula = self.multiple(term).unwrap_or_else(|| {
                        let known = self.exact(term);
                        and(&[known.exists, known.value])
                    });
                    (formula.clone(), formula)
                }
                Condition::Shown(term) => {
                    let known = self.shown(term);
                    let implied = |by: &str| format!("(=> {by} {})", known.value);
                    (implied(&known.defined), implied(&known.exists))
                }
                Condition::Defined(term) => {
                    let known = self.term(term);
                    (known.defined, known.exists)
                }
            };
            self.assert(&formula);
            premises.push(premise);
        }
        and(&premises)
    }

    /// The node under the facts known about values, in every mode of evaluation.
    fn shown(&mut self, term: &Term) -> Known {
        let knows_values = std::mem::replace(&mut self.knows_values, true);
        let known = self.term(term);
        self.knows_values = knows_values;
        known
    }

    /// The node in integers without end.
    fn exact(&mut self, term: &Term) -> Known {
        let machine = std::mem::replace(&mut self.machine, Machine::Integers);
        let is_strict = std::mem::replace(&mut self.is_strict, true);
        let known = self.term(term);
        self.machine = machine;
        self.is_strict = is_strict;
        known
    }

    fn term(&mut self, term: &Term) -> Known {
        let modes = [self.is_strict, self.knows_values];
        let key = |it: &&(Term, Machine, [bool; 2], Known)| {
            it.0 == *term && it.1 == self.machine && it.2 == modes
        };
        if let Some(seen) = self.seen.iter().find(key) {
            return seen.3.clone();
        }
        let known = self.new_term(term);
        self.seen.push((term.clone(), self.machine, modes, known.clone()));
        known
    }

    fn new_term(&mut self, term: &Term) -> Known {
        match term {
            Term::Variable(index) => self.variable(*index),
            Term::Truth(value) => Known::total(value.to_string()),
            Term::Float(value) => Known::total(floats::literal(*value, self.machine)),
            Term::Constant(value) if self.is_bits => {
                Known::total(bits::literal(*value, self.machine))
            }
            Term::Constant(value) => Known::total(integers::literal(*value)),
            Term::Computed(inner) if self.is_bits => Known::total(self.computed_bits(inner)),
            Term::Computed(inner) => {
                let known = self.exact(inner);
                let fits = self.in_range(&known.value);
                self.assert(&and(&[known.exists, fits]));
                Known::total(known.value)
            }
            Term::Node(op, operands) => {
                let operands: Vec<Known> = operands.iter().map(|it| self.term(it)).collect();
                match op {
                    Op::And | Op::Or | Op::Select | Op::IfThenElse => self.lazy(*op, &operands),
                    Op::Not => {
                        let value = format!("(not {})", operands[0].value);
                        Known::of(value, &operands, Vec::new(), Vec::new())
                    }
                    _ if self.is_float() => self.float_node(*op, &operands),
                    _ if self.is_bits => self.bits_node(*op, &operands),
                    _ => self.integer_node(*op, &operands),
                }
            }
        }
    }

    fn variable(&self, index: usize) -> Known {
        let may_fail =
            self.claim.is_lazy() && !self.knows_values && !self.claim.variables[index].is_constant;
        let there = if may_fail { format!("v{index}_ok") } else { "true".to_owned() };
        Known { value: variable(index), defined: there.clone(), exists: there }
    }

    fn lazy(&mut self, op: Op, operands: &[Known]) -> Known {
        let first = &operands[0].value;
        let of = |part: fn(&Known) -> &String| -> String {
            let second = part(&operands[1]);
            let guarded = match op {
                Op::And => format!("(=> {first} {second})"),
                Op::Or => format!("(or {first} {second})"),
                _ => format!("(ite {first} {second} {})", part(&operands[2])),
            };
            if self.is_strict && op != Op::IfThenElse {
                and(&operands.iter().map(|it| part(it).clone()).collect::<Vec<_>>())
            } else {
                and(&[part(&operands[0]).clone(), guarded])
            }
        };
        let value = match op {
            Op::And => format!("(and {first} {})", operands[1].value),
            Op::Or => format!("(or {first} {})", operands[1].value),
            _ => format!("(ite {first} {} {})", operands[1].value, operands[2].value),
        };
        Known { value, defined: of(|it| &it.defined), exists: of(|it| &it.exists) }
    }
}

/// A conjunction without trivially true parts.
fn and(formulas: &[String]) -> String {
    let parts: Vec<&str> = formulas.iter().map(String::as_str).filter(|it| *it != "true").collect();
    match parts[..] {
        [] => "true".to_owned(),
        [one] => one.to_owned(),
        _ => format!("(and {})", parts.join(" ")),
    }
}
