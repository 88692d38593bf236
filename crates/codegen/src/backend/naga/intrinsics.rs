//! Calls: the table of the naga form of each intrinsic. Other calls are refused by name.
//!
//! The languages have fewer functions than C, and give them fewer correct digits (listed in the README; `F11` allows
//! it). A function that they lack is made of others only where that is good to a few units of the last place.

use ::naga::{BinaryOperator as Op, MathFunction as Math, Scalar, ScalarKind, UnaryOperator};
use ir::{DataType, ExprId, ExprListId, Intrinsic};

use super::{
    expr::Place,
    function::Node,
    types,
    writer::{Writer, lanes},
};
use crate::kernel::{Refusal, Result};
use crate::reasons;

/// Functions of one float that every language has, with naga's names.
const UNARY: &[(&str, Math)] = &[
    ("exp", Math::Exp),
    ("exp2", Math::Exp2),
    ("log", Math::Log),
    ("log2", Math::Log2),
    ("sqrt", Math::Sqrt),
    ("rsqrt", Math::InverseSqrt),
    ("sin", Math::Sin),
    ("cos", Math::Cos),
    ("tan", Math::Tan),
    ("sinh", Math::Sinh),
    ("cosh", Math::Cosh),
    ("tanh", Math::Tanh),
    ("asin", Math::Asin),
    ("acos", Math::Acos),
    ("atan", Math::Atan),
    ("asinh", Math::Asinh),
    ("acosh", Math::Acosh),
    ("atanh", Math::Atanh),
    ("floor", Math::Floor),
    ("ceil", Math::Ceil),
    ("trunc", Math::Trunc),
    ("fabs", Math::Abs),
    // Ties go to even in all three (`SEMANTICS: F13`).
    ("round", Math::Round),
    ("nearbyint", Math::Round),
];

/// The functions of `float64` that SPIR-V has.
const DOUBLE: &[&str] = &["sqrt", "rsqrt", "floor", "ceil", "trunc", "fabs", "round", "nearbyint"];

impl Writer<'_> {
    /// One lane of a call.
    pub(super) fn call(
        &mut self,
        (name, it): (&str, Intrinsic),
        args: ExprListId,
        dtype: DataType,
        place: &Place,
    ) -> Result<Node> {
        let args = self.body.items(args);
        match (it, args) {
            (Intrinsic::Likely | Intrinsic::ThreadInvariant, &[a]) => self.expr(a, place),
            (Intrinsic::Abs, &[a]) if !self.dtype(a)?.is_float() => self.absolute(a, place),
            (Intrinsic::Abs, &[a]) => self.math(Math::Abs, "fabs", a, place),
            (Intrinsic::PopCount, &[a]) => {
                self.count_bits((name, Math::CountOneBits), a, dtype, place)
            }
            (Intrinsic::LeadingZeros, &[a]) => {
                self.count_bits((name, Math::CountLeadingZeros), a, dtype, place)
            }
            // The type is the result's, whether the call names it or not.
            (Intrinsic::Reinterpret, &[a] | &[_, a]) => self.reinterpret(a, dtype, place),
            (Intrinsic::IsNan | Intrinsic::IsInf | Intrinsic::IsFinite, &[a]) => {
                self.classify(it, a, place)
            }
            _ => self.function(name, args, place),
        }
    }

    /// One lane of a call of a function.
    fn function(&mut self, name: &str, args: &[ExprId], place: &Place) -> Result<Node> {
        match (name, args) {
            ("sigmoid", &[a]) => self.sigmoid(a, place),
            ("pow" | "power", &[a, b]) => self.power(a, b, place),
            ("exp10", &[a]) => self.scaled(Math::Exp2, a, std::f32::consts::LOG2_10, true, place),
            ("log10", &[a]) => self.scaled(Math::Log2, a, std::f32::consts::LOG10_2, false, place),
            (name, &[a]) => match UNARY.iter().find(|(it, _)| *it == name) {
                Some(&(name, math)) => self.math(math, name, a, place),
                None => Err(unsupported(name)),
            },
            _ => Err(unsupported(name)),
        }
    }

    fn math(&mut self, math: Math, name: &str, a: ExprId, place: &Place) -> Result<Node> {
        let kind = self.dtype(a)?.element();
        if !kind.is_float() || (kind.bits == 64 && !DOUBLE.contains(&name)) {
            return Err(Refusal::new(reasons::INTRINSIC, format!("`T.{name}` of `{kind}`")));
        }
        let value = self.expr(a, place)?;
        let value = self.out.math(math, value, None)?;
        self.rounded(value, kind)
    }

    /// The type of an operand that must be `float32` or narrower.
    fn single(&self, name: &str, a: ExprId) -> Result<DataType> {
        let kind = self.dtype(a)?.element();
        match types::register(kind, self.language)? == Scalar::F32 {
            true => Ok(kind),
            false => Err(Refusal::new(reasons::INTRINSIC, format!("`T.{name}` of `{kind}`"))),
        }
    }

    /// A function of two times the operand, or that times two, for a factor that is no two.
    fn scaled(
        &mut self,
        math: Math,
        a: ExprId,
        factor: f32,
        before: bool,
        place: &Place,
    ) -> Result<Node> {
        let kind = self.single("exp10", a)?;
        let mut value = self.expr(a, place)?;
        let factor = self.out.f32(factor)?;
        if before {
            value = self.out.binary(Op::Multiply, value, factor)?;
        }
        value = self.out.math(math, value, None)?;
        if !before {
            value = self.out.binary(Op::Multiply, value, factor)?;
        }
        self.rounded(value, kind)
    }

    /// `1 / (1 + exp(-x))`, as every back end of TVM has it.
    fn sigmoid(&mut self, a: ExprId, place: &Place) -> Result<Node> {
        let kind = self.single("sigmoid", a)?;
        let value = self.expr(a, place)?;
        let value = self.unary(UnaryOperator::Negate, value)?;
        let value = self.out.math(Math::Exp, value, None)?;
        let one = self.out.f32(1.0)?;
        let sum = self.out.binary(Op::Add, one, value)?;
        let value = self.out.binary(Op::Divide, one, sum)?;
        self.rounded(value, kind)
    }

    fn absolute(&mut self, a: ExprId, place: &Place) -> Result<Node> {
        let kind = self.dtype(a)?.element();
        let value = self.expr(a, place)?;
        if kind.is_uint() || kind.is_bool() {
            return Ok(value);
        }
        self.exact(a)?;
        let value = self.out.math(Math::Abs, value, None)?;
        self.wrapped(value, kind)
    }

    /// `x^y` by way of the magnitude of `x`: the languages leave a negative `x` undefined, C does not where `y` is
    /// whole.
    fn power(&mut self, a: ExprId, b: ExprId, place: &Place) -> Result<Node> {
        let kind = self.single("pow", a)?;
        let (x, y) = (self.expr(a, place)?, self.expr(b, place)?);
        let magnitude = self.out.math(Math::Abs, x, None)?;
        let value = self.out.math(Math::Pow, magnitude, Some(y))?;
        let (zero, half) = (self.out.f32(0.0)?, self.out.f32(0.5)?);
        let halved = self.out.binary(Op::Multiply, y, half)?;
        let down = self.out.math(Math::Floor, halved, None)?;
        let odd = self.out.binary(Op::NotEqual, halved, down)?;
        let whole = self.out.math(Math::Floor, y, None)?;
        let is_whole = self.out.binary(Op::Equal, y, whole)?;
        let negated = self.unary(UnaryOperator::Negate, value)?;
        let signed = self.out.select(odd, negated, value)?;
        let nan = self.float(f64::NAN, DataType::FLOAT32)?;
        let below = self.out.select(is_whole, signed, nan)?;
        let is_negative = self.out.binary(Op::Less, x, zero)?;
        let value = self.out.select(is_negative, below, value)?;
        // `x^0` is 1 for every `x`.
        let (one, no_power) = (self.out.f32(1.0)?, self.out.binary(Op::Equal, y, zero)?);
        let value = self.out.select(no_power, one, value)?;
        self.rounded(value, kind)
    }

    fn classify(&mut self, it: Intrinsic, a: ExprId, place: &Place) -> Result<Node> {
        self.single(it.name().unwrap_or_default(), a)?;
        let value = self.expr(a, place)?;
        // By bits: compilers of shaders may assume that there is neither NaN nor infinity.
        let bits = self.out.bits(value, ScalarKind::Uint)?;
        if it == Intrinsic::IsNan {
            return self.is_nan(bits);
        }
        let magnitude = self.magnitude(bits)?;
        let infinity = self.out.u32(0x7f80_0000)?;
        let op = if it == Intrinsic::IsInf { Op::Equal } else { Op::Less };
        self.out.binary(op, magnitude, infinity)
    }

    fn count_bits(
        &mut self,
        (name, math): (&str, Math),
        a: ExprId,
        dtype: DataType,
        place: &Place,
    ) -> Result<Node> {
        let kind = self.dtype(a)?.element();
        if !kind.is_integer() || kind.bits != 32 {
            return Err(Refusal::new(reasons::INTRINSIC, format!("`T.{name}` of `{kind}`")));
        }
        let value = self.expr(a, place)?;
        let count = self.out.math(math, value, None)?;
        let target = types::register(dtype, self.language)?;
        let count = self.out.convert(count, target)?;
        self.wrapped(count, dtype.element())
    }

    fn reinterpret(&mut self, a: ExprId, dtype: DataType, place: &Place) -> Result<Node> {
        let (source, target) = (self.dtype(a)?, dtype);
        let (from, to) = (source.element(), target.element());
        let refused = || Refusal::new(reasons::REINTERPRET, format!("`{source}` as `{target}`"));
        if lanes(source)? != lanes(target)? || from.bits != to.bits {
            return Err(refused());
        }
        if from == to {
            return self.expr(a, place);
        }
        // Where a register is wider than its type, or half of it, its bits are not those of the type.
        let whole = from.bits == 32 || (from.bits == 64 && self.language.has_int64());
        if !whole || !(from.is_integer() || from.is_float()) || !(to.is_integer() || to.is_float())
        {
            return Err(refused());
        }
        let value = self.expr(a, place)?;
        let kind = types::register(to, self.language)?.kind;
        self.out.bits(value, kind)
    }
}

/// How WGSL spells a function of 32-bit numbers, or of a block; none for other calls, and for what naga lacks.
pub(crate) fn spelling(name: &str) -> Option<String> {
    if let Some((_, math)) = UNARY.iter().find(|(it, _)| *it == name) {
        // WGSL's names are naga's, with a small first letter.
        let name = format!("{math:?}");
        return Some(format!("{}{}", name[..1].to_ascii_lowercase(), &name[1..]));
    }
    let known = match Intrinsic::of_name(name) {
        Intrinsic::Abs => "abs",
        Intrinsic::PopCount => "countOneBits",
        Intrinsic::LeadingZeros => "countLeadingZeros",
        Intrinsic::IsNan => "bitcast, and a comparison of the bits",
        Intrinsic::IsInf | Intrinsic::IsFinite => "a comparison of abs(x) with infinity",
        Intrinsic::StorageSync => "workgroupBarrier",
        Intrinsic::Cast => "f32(x)",
        _ => match name {
            "sigmoid" => "1 / (1 + exp(-x))",
            "pow" | "power" => "pow(abs(x), y) with the sign of x",
            "exp10" => "exp2(3.32… * x)",
            "log10" => "0.301… * log2(x)",
            "max" => "select(b, a, a > b)",
            "min" => "select(b, a, a < b)",
            // Of values that are read from memory an `if`.
            "if_then_else" | "Select" => "select(f, t, c), or if",
            "truncdiv" => "a / b",
            "truncmod" => "a % b",
            "shift_left" => "a << u32(b)",
            "shift_right" => "a >> u32(b)",
            "bitwise_and" => "a & b",
            "bitwise_or" => "a | b",
            "bitwise_xor" => "a ^ b",
            _ => return None,
        },
    };
    Some(known.to_owned())
}

pub(super) fn unsupported(name: &str) -> Refusal {
    Refusal::new(reasons::INTRINSIC, format!("`T.{name}` is not lowered"))
}
