//! The error bounds of Vulkan's functions, and their effect on the results of a program.
//!
//! Source of every row: the Vulkan specification, appendix "Vulkan Environment for SPIR-V", section "Precision of
//! Individual Operations", tables "Precision of core SPIR-V Instructions" and "Precision of GLSL.std.450 Instructions",
//! single precision:
//!
//! | instruction | may be off by |
//! |---|---|
//! | `exp`, `exp2` | (3 + 2·abs(x)) ULP |
//! | `log`, `log2` | 3 ULP outside of [0.5, 2], less than 2^-21 inside |
//! | `pow(x, y)` | inherited from `exp2(y * log2(x))` |
//! | `sin`, `cos` | 2^-11 inside of [-π, π]; nothing is said of other x |
//! | `tan` | inherited from `sin(x) / cos(x)` |
//! | `asin(x)`, `acos(x)` | inherited from `atan2(x, sqrt(1 - x * x))`, `atan2(sqrt(1 - x * x), x)` |
//! | `atan`, `atan2` | 4096 ULP |
//! | `sinh`, `cosh`, `tanh` | inherited from `(exp(x) ∓ exp(-x)) * 0.5` and their quotient |
//! | `asinh`, `acosh`, `atanh` | inherited from `log` of sums, products and roots |
//! | `sqrt`, `inversesqrt`, division | at most 2 ULP and 2.5 ULP: less than the room of [`Class`](super::agreement::Class) |
//!
//! Inherited errors are written out to first order. In: a program in 64 bits ([`super::wide`]) and a direction. Out:
//! the same with each such call moved that way by its maximal error, so that running it shows the allowed results.

use std::f64::consts::LN_2;

use ir::{BinaryOp, Body, Callee, DataType, ExprId, ExprKind};

/// The type of every float of the program.
const WIDE: DataType = DataType::float(64);

/// A unit in the last place of a `float32` is at most this share of it.
const ULP: f64 = 1.0 / 8_388_608.0;
/// The error of a logarithm near 1.
const NEAR_ONE: f64 = 1.0 / 2_097_152.0;
/// The error of a sine.
const SINE: f64 = 1.0 / 2048.0;
/// Units for an angle.
const ANGLE: f64 = 4096.0;
/// Units for a quotient.
const QUOTIENT: f64 = 2.5;
/// Units for a root: a quotient of 1 and an inverse root.
const ROOT: f64 = QUOTIENT + 2.0;

/// A direction: up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

/// The call `value` moved by all that the table allows; none for a call that the table does not have.
pub(crate) fn moved(body: &mut Body, value: ExprId, direction: Direction) -> Option<ExprId> {
    let ExprKind::Call { callee: Callee::Intrinsic(name, _), args, .. } = body.expr(value).kind
    else {
        return None;
    };
    if body.dtype(value) != Some(WIDE) {
        return None;
    }
    let (name, args) = (body.name(name).to_owned(), body.items(args).to_vec());
    let error = Error { body, value }.of(&name, &args)?;
    let op = if direction == Direction::Up { BinaryOp::Add } else { BinaryOp::Sub };
    Some(body.binary(op, value, error))
}

/// The error of one call, as an expression.
struct Error<'a> {
    body: &'a mut Body,
    value: ExprId,
}

impl Error<'_> {
    fn of(&mut self, name: &str, args: &[ExprId]) -> Option<ExprId> {
        Some(match (name, args) {
            ("exp" | "exp2" | "exp10" | "sigmoid", &[x]) => {
                let units = self.exponential_units(x);
                self.units(units)
            }
            ("log" | "log2" | "log10", &[x]) => self.logarithm(x),
            ("pow" | "power", &[x, y]) => self.power(x, y),
            ("sin" | "cos", &[_]) => self.float(SINE),
            ("tan", &[x]) => self.tangent(x),
            ("atan" | "atan2", _) => self.constant_units(ANGLE),
            ("asin" | "acos", &[x]) => self.inverse_sine(x),
            ("sinh" | "cosh" | "tanh", &[x]) => self.hyperbolic(name, x),
            ("asinh" | "acosh" | "atanh", &[_]) => {
                let (off, units) = (self.float(NEAR_ONE + 8.0 * ULP), self.constant_units(3.0));
                self.binary(BinaryOp::Add, off, units)
            }
            _ => return None,
        })
    }

    fn float(&mut self, value: f64) -> ExprId {
        self.body.float(value, WIDE)
    }
    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.body.binary(op, a, b)
    }
    fn scaled(&mut self, a: ExprId, factor: f64) -> ExprId {
        let factor = self.float(factor);
        self.binary(BinaryOp::Mul, a, factor)
    }
    fn call(&mut self, name: &str, x: ExprId) -> ExprId {
        let callee = self.body.operator(name);
        self.body.call(callee, &[x], Body::no_attrs(), WIDE.into(), false)
    }

    /// This number of units in the last place of the result.
    fn units(&mut self, units: ExprId) -> ExprId {
        let magnitude = self.call("fabs", self.value);
        let magnitude = self.scaled(magnitude, ULP);
        self.binary(BinaryOp::Mul, magnitude, units)
    }
    fn constant_units(&mut self, units: f64) -> ExprId {
        let units = self.float(units);
        self.units(units)
    }

    /// `3 + 2 * abs(x)`; with the rounding of `exp2(x * log2(e))`, that is for every base.
    fn exponential_units(&mut self, x: ExprId) -> ExprId {
        let magnitude = self.call("fabs", x);
        let (twice, three) = (self.scaled(magnitude, 2.0), self.float(3.0));
        self.binary(BinaryOp::Add, twice, three)
    }

    fn logarithm(&mut self, x: ExprId) -> ExprId {
        let (low, high) = (self.float(0.5), self.float(2.0));
        let (above, below) =
            (self.binary(BinaryOp::Ge, x, low), self.binary(BinaryOp::Le, x, high));
        let is_near = self.binary(BinaryOp::And, above, below);
        let (near, far) = (self.float(NEAR_ONE), self.constant_units(3.0));
        self.body.select(is_near, near, far)
    }

    /// Of `exp2(t)` with `t = y * log2(x)`: its own units, and the error of `t`.
    fn power(&mut self, x: ExprId, y: ExprId) -> ExprId {
        let magnitude = self.call("fabs", x);
        let log = self.call("log2", magnitude);
        let t = self.binary(BinaryOp::Mul, y, log);
        let own = self.exponential_units(t);
        let (t, y) = (self.call("fabs", t), self.call("fabs", y));
        let (of_log, near) = (self.scaled(t, 4.0 * LN_2), self.scaled(y, NEAR_ONE / ULP * LN_2));
        let sum = self.binary(BinaryOp::Add, own, of_log);
        let sum = self.binary(BinaryOp::Add, sum, near);
        self.units(sum)
    }

    /// `(s + e) / (c - e)` is off by `(e + abs(t) * e) / (abs(c) - e)`.
    fn tangent(&mut self, x: ExprId) -> ExprId {
        let (cosine, tangent) = (self.call("cos", x), self.call("fabs", self.value));
        let cosine = self.call("fabs", cosine);
        let (sine, own) = (self.float(SINE), self.constant_units(QUOTIENT));
        let above = self.scaled(tangent, SINE);
        let above = self.binary(BinaryOp::Add, above, sine);
        let below = self.binary(BinaryOp::Sub, cosine, sine);
        let below = self.binary(BinaryOp::Max, below, sine);
        let inherited = self.binary(BinaryOp::Div, above, below);
        self.binary(BinaryOp::Add, inherited, own)
    }

    /// An angle of `x` and `s = sqrt(1 - x * x)` moves by `abs(x)` times the error of `s`: its root, and a unit of 1
    /// under the root.
    fn inverse_sine(&mut self, x: ExprId) -> ExprId {
        let square = self.binary(BinaryOp::Mul, x, x);
        let one = self.float(1.0);
        let rest = self.binary(BinaryOp::Sub, one, square);
        let least = self.float(ULP);
        let rest = self.binary(BinaryOp::Max, rest, least);
        let s = self.call("sqrt", rest);
        let (root, half) = (self.scaled(s, ROOT * ULP), self.float(ULP / 2.0));
        let inside = self.binary(BinaryOp::Div, half, s);
        let off = self.binary(BinaryOp::Add, root, inside);
        let magnitude = self.call("fabs", x);
        let inherited = self.binary(BinaryOp::Mul, magnitude, off);
        let own = self.constant_units(ANGLE);
        self.binary(BinaryOp::Add, inherited, own)
    }

    /// Half of two exponentials is off by their units of `cosh(x)`; a quotient of both by twice the units of 1.
    fn hyperbolic(&mut self, name: &str, x: ExprId) -> ExprId {
        let units = self.exponential_units(x);
        let units = self.scaled(units, 2.0 * ULP);
        if name == "tanh" {
            return units;
        }
        let size = self.call("cosh", x);
        self.binary(BinaryOp::Mul, units, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::ours;

    /// Returns the error that the table allows `name` at `x`.
    fn allowed(name: &str, x: f64) -> f64 {
        let text = format!(
            "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
             def f(A: T.Buffer((1,), \"float64\"), B: T.Buffer((1,), \"float64\")):\n    B[0] = T.{name}(A[0])\n"
        );
        let mut body = ours::read(&text).functions.remove(0).lowered.body;
        let store = body.ops_preorder().find(|&op| {
            body.ops[op]
                .operands
                .iter()
                .any(|&it| matches!(body.expr(it).kind, ExprKind::Call { .. }))
        });
        let store = store.expect("a store of a call");
        let at = body.ops[store]
            .operands
            .iter()
            .position(|&it| matches!(body.expr(it).kind, ExprKind::Call { .. }))
            .expect("a call");
        let run = |body: &Body| {
            let array = |value: f64| {
                let mut array = interp::Array::zeros(WIDE, &[1]);
                array.set_f64(0, value);
                interp::Argument::Array(array)
            };
            let arguments = vec![array(x), array(0.0)];
            let outcome = interp::run(body, arguments, &interp::Options::default()).unwrap();
            match &outcome.arguments[1] {
                interp::Argument::Array(array) => array.get_f64(0).unwrap(),
                _ => f64::NAN,
            }
        };
        let exact = run(&body);
        let value = body.ops[store].operands[at];
        body.ops[store].operands[at] = moved(&mut body, value, Direction::Up).expect("a row");
        run(&body) - exact
    }

    #[test]
    fn allowed_errors_follow_the_tables() {
        let near = |name, x, expected: f64| {
            let found = allowed(name, x);
            assert!((found - expected).abs() <= 0.02 * expected, "{name}({x}): {found}");
        };
        near("atan", 1.0, 4096.0 * ULP * 1f64.atan());
        near("sin", 3.0, SINE);
        near("log", 1.5, NEAR_ONE);
        near("log", 8.0, 3.0 * ULP * 8f64.ln());
        near("exp", -2.0, 7.0 * ULP * (-2f64).exp());
        // Where the tangent is steep, more is inherited.
        near("tan", 1.5, (SINE + SINE * 1.5f64.tan()) / (1.5f64.cos() - SINE));
        // The angle's own units outweigh what it inherits, but not at the end of its range.
        near("acos", 0.5, 4096.0 * ULP * 0.5f64.acos());
        assert!(allowed("acos", 1.0) > 0.0);
    }
}
