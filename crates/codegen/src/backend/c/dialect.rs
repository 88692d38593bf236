//! The spelling of the writer's constructs in C11.

use ir::{DataType, TypeCode};

use super::{C, conversions, keywords};
use crate::{
    backend::c_family::dialect::{Dialect, Needs, SharedArray, StoreForm},
    kernel::{Axis, Space},
};

fn is_f16(dtype: DataType) -> bool {
    dtype.code == TypeCode::Float && dtype.bits == 16
}
fn is_bf16(dtype: DataType) -> bool {
    dtype.code == TypeCode::BFloat
}

/// Functions of `math.h` that our text calls, as they are called for doubles.
const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "exp",
    "exp2",
    "fabs",
    "floor",
    "fmod",
    "hypot",
    "log",
    "log10",
    "log1p",
    "log2",
    "nextafter",
    "pow",
    "rint",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
];

/// Pragmas against warnings about code that programs may have: a name that is bound and unused, a comparison that is
/// always true, an element that is not surely written.
const PRAGMAS: &str = "\
#if defined(__GNUC__)
#pragma GCC diagnostic ignored \"-Wunused-variable\"
#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"
#pragma GCC diagnostic ignored \"-Wtype-limits\"
#if !defined(__clang__)
#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"
#endif
#define TIR_FUNCTION static inline __attribute__((unused))
#else
#define TIR_FUNCTION static inline
#endif
";

/// Loops whose iterations may run at once: a pragma where the compiler is asked for OpenMP, else nothing.
const PARALLEL: &str = "\
#if defined(_OPENMP)
#define TIR_PARALLEL _Pragma(\"omp parallel for\")
#define TIR_ATOMIC _Pragma(\"omp atomic write\")
#else
#define TIR_PARALLEL
#define TIR_ATOMIC
#endif
";

impl Dialect for C {
    fn reserved_words(&self) -> &'static [&'static str] {
        keywords::RESERVED
    }

    fn is_reserved_family(&self, word: &str) -> bool {
        keywords::is_integer_name(word)
            || MATH.contains(&word)
            || MATH.contains(&word.strip_suffix('f').unwrap_or(word))
            || matches!(word, "isnan" | "isinf" | "isfinite")
    }

    fn reserved_prefixes(&self) -> &'static [&'static str] {
        keywords::PREFIXES
    }

    fn helper_qualifier(&self) -> &'static str {
        "TIR_FUNCTION"
    }

    fn register_type(&self, dtype: DataType) -> Option<&'static str> {
        Some(match (dtype.code, dtype.bits) {
            (TypeCode::Bool, _) => "bool",
            (TypeCode::Int, 8) => "int8_t",
            (TypeCode::Int, 16) => "int16_t",
            (TypeCode::Int, 32) => "int32_t",
            (TypeCode::Int, 64) => "int64_t",
            (TypeCode::UInt, 8) => "uint8_t",
            (TypeCode::UInt, 16) => "uint16_t",
            (TypeCode::UInt, 32) => "uint32_t",
            (TypeCode::UInt, 64) => "uint64_t",
            (TypeCode::Float, 16 | 32) | (TypeCode::BFloat, 16) => "float",
            (TypeCode::Float, 64) => "double",
            _ => return None,
        })
    }

    fn memory_type(&self, dtype: DataType) -> Option<&'static str> {
        match dtype {
            it if is_f16(it) || is_bf16(it) => Some("uint16_t"),
            it if it.is_bool() => Some("uint8_t"),
            it => self.register_type(it),
        }
    }

    fn alias_base(&self, dtype: DataType) -> Option<&'static str> {
        self.memory_type(dtype)
    }

    fn space(&self, _: Space) -> &'static str {
        ""
    }

    fn scalar_param(&self, dtype: DataType) -> Option<&'static str> {
        if is_f16(dtype) || is_bf16(dtype) { None } else { self.register_type(dtype) }
    }

    fn prologue(&self, needs: &Needs) -> String {
        let mut out = String::new();
        for header in ["math", "stdbool", "stdint", "stdlib", "string"] {
            out.push_str(&format!("#include <{header}.h>\n"));
        }
        out.push('\n');
        // Known to clang only; gcc is told by a flag.
        let contract = if self.contract { "ON" } else { "OFF" };
        out.push_str(&format!(
            "#if defined(__clang__)\n#pragma STDC FP_CONTRACT {contract}\n#endif\n"
        ));
        out.push_str(PRAGMAS);
        out.push_str(if needs.parallel { PARALLEL } else { "" });
        out.push('\n');
        let narrow = needs.f16 || needs.bf16;
        out.push_str(if narrow || needs.bits { conversions::BITS } else { "" });
        out.push_str(if narrow { conversions::ODD } else { "" });
        out.push_str(if needs.f16 { conversions::F16 } else { "" });
        out.push_str(if needs.bf16 { conversions::BF16 } else { "" });
        out.push_str(if needs.heap { conversions::HEAP } else { "" });
        out
    }

    fn signature(&self, _: Option<[i64; 3]>) -> String {
        "int32_t $E$(".to_owned()
    }

    fn restrict(&self) -> &'static str {
        "restrict"
    }

    fn thread_index(&self, axis: Axis) -> String {
        // A function without launches has no thread; one with them names its loops so.
        axis.tag().replace('.', "_")
    }

    fn barrier(&self) -> &'static str {
        ";"
    }

    fn static_shared_limit(&self) -> Option<u64> {
        None
    }

    fn shared_array(&self, array: &SharedArray<'_>) -> String {
        format!("{} {}[{}];", array.element, array.name, array.len)
    }

    fn int_suffix(&self, dtype: DataType) -> &'static str {
        match (dtype.code, dtype.bits) {
            (TypeCode::Int, 64) => "LL",
            (TypeCode::UInt, 64) => "ULL",
            (TypeCode::UInt, 32) => "u",
            _ => "",
        }
    }

    fn special_float(&self, value: f64, double: bool) -> &'static str {
        match (value.is_nan(), value > 0.0, double) {
            (true, _, false) => "NAN",
            (true, _, true) => "((double)NAN)",
            (false, true, false) => "INFINITY",
            (false, true, true) => "((double)INFINITY)",
            (false, false, false) => "(-INFINITY)",
            (false, false, true) => "(-(double)INFINITY)",
        }
    }

    fn load(&self, dtype: DataType, _: bool, pointer: &str) -> (String, String) {
        match dtype {
            it if is_f16(it) => (format!("tir_f16_value({pointer}["), "])".to_owned()),
            it if is_bf16(it) => (format!("tir_bf16_value({pointer}["), "])".to_owned()),
            it if it.is_bool() => (format!("({pointer}["), "] != 0)".to_owned()),
            _ => (format!("{pointer}["), "]".to_owned()),
        }
    }

    fn store(&self, dtype: DataType, _: bool, pointer: &str) -> StoreForm {
        match dtype {
            it if is_f16(it) => StoreForm::assign(pointer, "tir_f16_bits"),
            it if is_bf16(it) => StoreForm::assign(pointer, "tir_bf16_bits"),
            _ => StoreForm::assign(pointer, ""),
        }
    }

    fn rounding(&self, dtype: DataType) -> (&'static str, String) {
        let kind = if is_bf16(dtype) { "bf16" } else { "f16" };
        let name = if is_bf16(dtype) { "tir_round_bf16" } else { "tir_round_f16" };
        let inner = format!("tir_{kind}_value(tir_{kind}_bits(x))");
        (name, format!("TIR_FUNCTION float {name}(float x) {{ return {inner}; }}\n"))
    }

    fn narrow(&self, from: DataType, to: DataType) -> Option<(&'static str, &'static str)> {
        Some(match (from.code, from.bits, is_bf16(to)) {
            (TypeCode::Float, 64, false) => ("tir_f16_value(tir_f16_bits(tir_odd(", ")))"),
            (TypeCode::Float, 64, true) | (TypeCode::Int | TypeCode::UInt, 32, true) => {
                ("tir_bf16_value(tir_bf16_bits(tir_odd((double)(", "))))")
            }
            (TypeCode::Int, 64, true) => ("tir_bf16_value(tir_bf16_bits(tir_odd_i64(", ")))"),
            (TypeCode::UInt, 64, true) => ("tir_bf16_value(tir_bf16_bits(tir_odd_u64(", ")))"),
            _ => return None,
        })
    }

    fn math(&self, name: &str, double: bool) -> String {
        let own = if matches!(name, "rsqrt" | "exp10") { "tir_" } else { "" };
        format!("{own}{name}{}", if double { "" } else { "f" })
    }

    fn math_text(&self, name: &str, double: bool) -> Option<String> {
        let (ty, own) = (if double { "double" } else { "float" }, self.math(name, double));
        let value = match name {
            "rsqrt" => "1.0 / sqrt((double)x)",
            "exp10" => "pow(10.0, (double)x)",
            _ => return None,
        };
        Some(format!("TIR_FUNCTION {ty} {own}({ty} x) {{ return ({ty})({value}); }}\n"))
    }

    fn test(&self, name: &str) -> (String, &'static str) {
        // `isinf` may give -1.
        (format!("{name}("), ") != 0")
    }

    fn reinterpret(&self, from: DataType, to: DataType) -> Option<(String, String)> {
        let bits_of = |dtype: DataType| match (dtype.code, dtype.bits) {
            (TypeCode::Float, 32) => Some("tir_f32_bits("),
            (TypeCode::Float, 64) => Some("tir_f64_bits("),
            (TypeCode::Float, 16) => Some("tir_f16_bits("),
            (TypeCode::BFloat, _) => Some("tir_bf16_bits("),
            (TypeCode::Int | TypeCode::UInt, _) => Some("("),
            _ => None,
        };
        let from_bits = |dtype: DataType| match (dtype.code, dtype.bits) {
            (TypeCode::Float, 32) => Some("tir_f32_value((uint32_t)"),
            (TypeCode::Float, 64) => Some("tir_f64_value((uint64_t)"),
            (TypeCode::Float, 16) => Some("tir_f16_value((uint16_t)"),
            (TypeCode::BFloat, _) => Some("tir_bf16_value((uint16_t)"),
            _ => None,
        };
        let open = bits_of(from)?;
        match from_bits(to) {
            Some(before) => Some((format!("{before}{open}"), "))".to_owned())),
            None if to.is_integer() => {
                Some((format!("(({}){open}", self.register_type(to)?), "))".to_owned()))
            }
            None => None,
        }
    }

    fn int_function(&self, name: &str, dtype: DataType) -> Option<&'static str> {
        match (name, dtype.bits) {
            ("popcount", 32) => Some("__builtin_popcount"),
            ("popcount", 64) => Some("__builtin_popcountll"),
            ("clz", 32) => Some("__builtin_clz"),
            ("clz", 64) => Some("__builtin_clzll"),
            ("abs", 64) => Some("llabs"),
            _ => None,
        }
    }

    fn unroll(&self) -> Option<&'static str> {
        None
    }

    fn is_host(&self) -> bool {
        true
    }

    fn wraps_signed(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_for_the_search() {
        assert!(keywords::RESERVED.is_sorted());
    }

    #[test]
    fn names_of_headers_are_no_identifiers() {
        for word in ["int8_t", "UINT64_MAX", "uintptr_t", "expf", "NAN"] {
            assert!(C { contract: false }.is_reserved(word), "{word}");
        }
        for word in ["FP_ZERO", "tir_x"] {
            assert!(keywords::PREFIXES.iter().any(|it| word.starts_with(it)), "{word}");
        }
        for word in ["n", "exponent", "interval", "T_add", "internal_t2"] {
            assert!(!C { contract: false }.is_reserved(word), "{word}");
        }
    }
}
