//! Calls: the table of the C form of each intrinsic. Other calls are refused by name.

use ir::{
    BinaryOp, DataType, ExprId, ExprListId, Intrinsic,
    effects::names::{NameBuffer, normal_tir},
};

use super::{
    constants,
    dialect::Dialect,
    expr::{Place, infix, prec},
    helpers::Helper,
    types::{compute, is_half, lanes},
    writer::Writer,
};
use crate::kernel::{Refusal, Result};
use crate::reasons;

/// Functions of floats that have the same name in every C, with their names there.
const MATH: &[(&str, &str, usize)] = &[
    ("exp", "exp", 1),
    ("exp2", "exp2", 1),
    ("exp10", "exp10", 1),
    ("log", "log", 1),
    ("log2", "log2", 1),
    ("log10", "log10", 1),
    ("log1p", "log1p", 1),
    ("sqrt", "sqrt", 1),
    ("rsqrt", "rsqrt", 1),
    ("sin", "sin", 1),
    ("cos", "cos", 1),
    ("tan", "tan", 1),
    ("sinh", "sinh", 1),
    ("cosh", "cosh", 1),
    ("tanh", "tanh", 1),
    ("asin", "asin", 1),
    ("acos", "acos", 1),
    ("atan", "atan", 1),
    ("asinh", "asinh", 1),
    ("acosh", "acosh", 1),
    ("atanh", "atanh", 1),
    ("erf", "erf", 1),
    ("floor", "floor", 1),
    ("ceil", "ceil", 1),
    ("trunc", "trunc", 1),
    ("fabs", "fabs", 1),
    // Ties go to even (`SEMANTICS: F13`), which is C's `rint`, not its `round`.
    ("round", "rint", 1),
    ("nearbyint", "rint", 1),
    ("pow", "pow", 2),
    ("power", "pow", 2),
    ("atan2", "atan2", 2),
    ("fmod", "fmod", 2),
    ("hypot", "hypot", 2),
    ("copysign", "copysign", 2),
    ("nextafter", "nextafter", 2),
];

/// Functions whose result is a truth value.
const TESTS: &[&str] = &["isnan", "isinf", "isfinite"];

impl Writer<'_> {
    /// Writes one lane of a call.
    pub(super) fn call(
        &mut self,
        (name, it): (&str, Intrinsic),
        args: ExprListId,
        dtype: DataType,
        place: &Place,
    ) -> Result<()> {
        let body = self.body;
        let args = body.items(args);
        match (it, args) {
            (Intrinsic::Likely | Intrinsic::ThreadInvariant, &[a]) => self.expr(a, place),
            (Intrinsic::Abs, &[a]) => self.absolute(a, place),
            (Intrinsic::PopCount | Intrinsic::LeadingZeros, &[a]) => {
                let kind = self.dtype(a)?.element();
                let function =
                    self.dialect.int_function(name, kind).ok_or_else(|| unsupported(name))?;
                self.out.push_str(&format!(
                    "({})",
                    self.dialect.register_type(dtype.element()).unwrap_or("int")
                ));
                self.wrapped_call(None, function, &[a], place)
            }
            // The type is the result's, whether the call names it or not.
            (Intrinsic::Reinterpret, &[a] | &[_, a]) => self.reinterpret(a, dtype, place),
            _ => self.function(name, args, dtype, place),
        }
    }

    /// Writes one lane of a call of a function.
    fn function(
        &mut self,
        name: &str,
        args: &[ExprId],
        dtype: DataType,
        place: &Place,
    ) -> Result<()> {
        match (name, args) {
            ("sigmoid", &[a]) => self.sigmoid(a, place),
            ("q_multiply_shift", &[x, y, q, s]) if self.dtype(x)?.element() == DataType::INT32 => {
                let helper = self.helper(Helper::QMultiplyShift);
                self.wrapped_call(None, &helper, &[x, y, q, s], place)
            }
            (test, &[a]) if TESTS.contains(&test) && self.dtype(a)?.is_float() => {
                self.register_type(self.body.dtype(a).unwrap_or(dtype))?;
                let (open, close) = self.dialect.test(test);
                let parens = close.len() > 1 && prec::EQUALITY < place.prec;
                self.out.push_str(if parens { "(" } else { "" });
                self.out.push_str(&open);
                self.expr(a, &Place { prec: prec::ANY, ..place.clone() })?;
                self.out.push_str(close);
                self.out.push_str(if parens { ")" } else { "" });
                Ok(())
            }
            _ if name.starts_with("tvm_warp_") => self.warp_call(name, args, place),
            _ => self.math(name, args, place),
        }
    }

    /// The participants, the value, the other thread and the width; that a warp has 32 threads is understood.
    fn warp_call(&mut self, name: &str, args: &[ExprId], place: &Place) -> Result<()> {
        let function = self.dialect.warp_function(name).ok_or_else(|| unsupported(name))?;
        match *args {
            [] => self.wrapped_call(None, function, &[], place),
            [mask, value, from, width, size] if self.constant(size) == Some(32) => {
                let all = [mask, value, from, width];
                let args = if self.dialect.warp_has_mask() { &all[..] } else { &all[1..] };
                self.wrapped_call(None, function, args, place)
            }
            _ => Err(Refusal::new(
                reasons::INTRINSIC,
                format!("`T.{name}` of a warp of another size"),
            )),
        }
    }

    fn math(&mut self, name: &str, args: &[ExprId], place: &Place) -> Result<()> {
        let Some(&(_, function, _)) =
            MATH.iter().find(|(it, _, n_args)| *it == name && *n_args == args.len())
        else {
            return Err(unsupported(name));
        };
        let kind = self.dtype(args[0])?.element();
        if !kind.is_float() {
            return Err(Refusal::new(reasons::INTRINSIC, format!("`T.{name}` of `{kind}`")));
        }
        self.register_type(kind)?;
        let round = is_half(kind).then(|| self.rounding(kind));
        let double = compute(kind).bits == 64;
        let function = match self.dialect.math_text(function, double) {
            Some(_) => self.helper(Helper::Math(function, double)),
            None => self.dialect.math(function, double),
        };
        self.wrapped_call(round, &function, args, place)
    }

    /// `1 / (1 + exp(-x))`, as every back end of TVM has it.
    fn sigmoid(&mut self, a: ExprId, place: &Place) -> Result<()> {
        let kind = self.dtype(a)?.element();
        let ty = compute(kind);
        if !ty.is_float() {
            return Err(unsupported("sigmoid"));
        }
        self.register_type(kind)?;
        let (zero, one) =
            (constants::float(0.0, ty, self.dialect), constants::float(1.0, ty, self.dialect));
        let exp = self.dialect.math("exp", ty.bits == 64);
        let round = if is_half(kind) { self.rounding(kind) } else { String::new() };
        self.out.push_str(&format!("{round}({one} / ({one} + {exp}({zero} - "));
        self.expr(a, &Place { prec: prec::PRODUCT, ..place.clone() })?;
        self.out.push_str(")))");
        Ok(())
    }

    fn absolute(&mut self, a: ExprId, place: &Place) -> Result<()> {
        let kind = self.dtype(a)?.element();
        if kind.is_float() {
            return self.math("fabs", &[a], place);
        }
        if kind.is_uint() || kind.is_bool() {
            return self.expr(a, place);
        }
        let ty = self.register_type(kind)?;
        let function = self.dialect.int_function("abs", kind).unwrap_or("abs");
        self.out.push_str(&format!("({ty}){function}("));
        self.expr(a, &Place { prec: prec::ANY, ..place.clone() })?;
        self.out.push(')');
        Ok(())
    }

    fn reinterpret(&mut self, a: ExprId, dtype: DataType, place: &Place) -> Result<()> {
        let (source, target) = (self.dtype(a)?, dtype);
        let (from, to) = (source.element(), target.element());
        if lanes(source) != lanes(target) || from.bits != to.bits {
            return Err(Refusal::new(reasons::REINTERPRET, format!("`{source}` as `{target}`")));
        }
        self.register_type(from)?;
        self.register_type(to)?;
        if from == to {
            return self.expr(a, place);
        }
        self.needs.bits = true;
        let (open, close) = self.dialect.reinterpret(from, to).ok_or_else(|| {
            Refusal::new(reasons::REINTERPRET, format!("`{source}` as `{target}`"))
        })?;
        self.out.push_str(&open);
        self.expr(a, &Place { prec: prec::ANY, ..place.clone() })?;
        self.out.push_str(&close);
        Ok(())
    }
}

/// How a dialect spells a function of 32-bit numbers, of a warp or of a block; none for other calls, and for functions
/// that it lacks.
pub(crate) fn spelling(name: &str, dialect: &dyn Dialect) -> Option<String> {
    if let Some((_, function, _)) = MATH.iter().find(|(it, ..)| *it == name) {
        return Some(dialect.math(function, false));
    }
    match Intrinsic::of_name(name) {
        // Of integers it is a choice by the sign by then.
        Intrinsic::Abs => Some(dialect.math("fabs", false)),
        Intrinsic::IsInf | Intrinsic::IsFinite => {
            Some(format!("a comparison of {}(x) with infinity", dialect.math("fabs", false)))
        }
        _ if name == "sigmoid" => Some(format!("1 / (1 + {}(-x))", dialect.math("exp", false))),
        Intrinsic::StorageSync if dialect.is_host() => None,
        Intrinsic::StorageSync => Some(dialect.barrier().trim_end_matches(';').to_owned()),
        _ if TESTS.contains(&name) => {
            Some(dialect.test(name).0.trim_start_matches('(').trim_end_matches('(').to_owned())
        }
        Intrinsic::Cast => dialect.register_type(DataType::FLOAT32).map(|it| format!("({it})x")),
        _ if name.starts_with("tvm_warp_") => dialect.warp_function(name).map(str::to_owned),
        _ if dialect.has_ptx() && copy_instruction(name).is_some() => {
            copy_instruction(name).map(|it| format!("{it} (inline PTX)"))
        }
        _ => {
            let function = dialect.int_function(name, DataType::INT32).map(str::to_owned);
            function.or_else(|| operator_spelling(name, dialect))
        }
    }
}

/// The instruction of an asynchronous copy or of a wait for it.
fn copy_instruction(name: &str) -> Option<&'static str> {
    let mut buffer = NameBuffer::new();
    Some(match normal_tir(name, &mut buffer) {
        "ptx.cp.async" => "cp.async",
        "ptx.cp.async.commit.group" | "ptx.commit.group" => "cp.async.commit_group",
        "ptx.cp.async.wait.group" | "ptx.wait.group" => "cp.async.wait_group",
        "ptx.cp.async.wait.all" => "cp.async.wait_all",
        _ => return None,
    })
}

/// How C writes what is an operator there, of operands of 32 bits.
fn operator_spelling(name: &str, dialect: &dyn Dialect) -> Option<String> {
    let of = |dtype| dialect.register_type(dtype);
    Some(match name {
        "if_then_else" | "Select" => "c ? t : f".to_owned(),
        // In a function of its own.
        "max" => "a > b ? a : b".to_owned(),
        "min" => "a < b ? a : b".to_owned(),
        // Of unsigned numbers: a sign that is shifted out is no error (`SEMANTICS: I8`).
        "shift_left" => {
            format!("({})(({})a << b)", of(DataType::INT32)?, of(DataType::uint(32))?)
        }
        _ => format!("a {} b", infix(binary_of(name)?)),
    })
}

/// The operator of two integers that a form of the script is, if C writes it by its mark.
fn binary_of(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "truncdiv" => BinaryOp::Div,
        "truncmod" => BinaryOp::Mod,
        "shift_right" => BinaryOp::Shr,
        "bitwise_and" => BinaryOp::BitAnd,
        "bitwise_or" => BinaryOp::BitOr,
        "bitwise_xor" => BinaryOp::BitXor,
        _ => return None,
    })
}

pub(super) fn unsupported(name: &str) -> Refusal {
    Refusal::new(reasons::INTRINSIC, format!("`T.{name}` is not lowered"))
}
