//! Nodes over the solver's IEEE 754 numbers: one NaN, two zeros, results rounded to nearest even (`SEMANTICS: F1`).

use crate::prove_rules::smt::{Known, Script};
use crate::prove_rules::term::{Machine, Op};

/// The sort of the machine's floats.
pub(super) fn sort(machine: Machine) -> Option<String> {
    match machine {
        Machine::Float { exponent, digits } => {
            Some(format!("(_ FloatingPoint {exponent} {digits})"))
        }
        _ => None,
    }
}

/// A constant, through the bits of the double that equals it.
pub(super) fn literal(value: f64, machine: Machine) -> String {
    let Machine::Float { exponent, digits } = machine else { return "0".to_owned() };
    let bits = value.to_bits();
    format!("((_ to_fp {exponent} {digits}) RNE ((_ to_fp 11 53) (_ bv{bits} 64)))")
}

impl Script<'_> {
    pub(super) fn float_node(&mut self, op: Op, operands: &[Known]) -> Known {
        let values: Vec<&str> = operands.iter().map(|it| it.value.as_str()).collect();
        let call = |function: &str| format!("({function} {})", values.join(" "));
        let mut defined = Vec::new();
        // `max(a, b)` is `a > b ? a : b`, `min(a, b)` is `a < b ? a : b` (`SEMANTICS: F6`).
        let choose =
            |function: &str| format!("(ite ({function} {0} {1}) {0} {1})", values[0], values[1]);
        let value = match op {
            Op::Add => call("fp.add RNE"),
            Op::Sub => call("fp.sub RNE"),
            Op::Mul => call("fp.mul RNE"),
            Op::TruncDiv => call("fp.div RNE"),
            Op::Min => choose("fp.lt"),
            Op::Max => choose("fp.gt"),
            Op::Eq => call("fp.eq"),
            Op::Ne => format!("(not {})", call("fp.eq")),
            Op::Lt => call("fp.lt"),
            Op::Le => call("fp.leq"),
            Op::Gt => call("fp.gt"),
            Op::Ge => call("fp.geq"),
            _ => {
                defined.push("false".to_owned());
                "false".to_owned()
            }
        };
        Known::of(value, operands, defined, Vec::new())
    }
}
