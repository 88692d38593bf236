//! The spelling of the writer's constructs in CUDA.

use std::fmt::Write as _;

use ir::{BinaryOp, DataType, TypeCode};

use super::{Cuda, keywords::RESERVED};
use crate::{
    backend::c_family::dialect::{Dialect, HalfFunction, Needs, SharedArray, StoreForm},
    kernel::{Axis, Space},
};

fn is_f16(dtype: DataType) -> bool {
    dtype.code == TypeCode::Float && dtype.bits == 16
}
fn is_bf16(dtype: DataType) -> bool {
    dtype.code == TypeCode::BFloat
}

/// Names that CUDA's headers declare and that a variable must not hide from the code we emit.
fn is_function(word: &str) -> bool {
    let is_stem = |it: &str| STEMS.binary_search(&it).is_ok();
    is_stem(word.strip_suffix('f').unwrap_or(word))
        || is_stem(word)
        || matches!(word, "isnan" | "isinf" | "isfinite")
}

/// Of functions of numbers, sorted; those for `float` end in `f`.
const STEMS: &[&str] = &[
    "abs",
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
    "exp10",
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
    "rsqrt",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
];

impl Dialect for Cuda {
    fn reserved_words(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn is_reserved_family(&self, word: &str) -> bool {
        is_function(word)
    }

    fn reserved_prefixes(&self) -> &'static [&'static str] {
        &["tir_"]
    }

    fn helper_qualifier(&self) -> &'static str {
        "static __device__ __forceinline__"
    }

    fn register_type(&self, dtype: DataType) -> Option<&'static str> {
        Some(match (dtype.code, dtype.bits) {
            (TypeCode::Bool, _) => "bool",
            (TypeCode::Int, 8) => "signed char",
            (TypeCode::Int, 16) => "short",
            (TypeCode::Int, 32) => "int",
            (TypeCode::Int, 64) => "long long",
            (TypeCode::UInt, 8) => "unsigned char",
            (TypeCode::UInt, 16) => "unsigned short",
            (TypeCode::UInt, 32) => "unsigned int",
            (TypeCode::UInt, 64) => "unsigned long long",
            (TypeCode::Float, 16 | 32) | (TypeCode::BFloat, 16) => "float",
            (TypeCode::Float, 64) => "double",
            _ => return None,
        })
    }

    fn memory_type(&self, dtype: DataType) -> Option<&'static str> {
        match dtype {
            it if is_f16(it) => Some("__half"),
            it if is_bf16(it) => Some("__nv_bfloat16"),
            it => self.register_type(it),
        }
    }

    fn alias_base(&self, dtype: DataType) -> Option<&'static str> {
        match dtype {
            it if is_f16(it) || is_bf16(it) => Some("unsigned short"),
            it => self.register_type(it),
        }
    }

    fn space(&self, _: Space) -> &'static str {
        ""
    }

    fn scalar_param(&self, dtype: DataType) -> Option<&'static str> {
        // A launcher passes the bits of the type; a register would take a float for float16.
        if is_f16(dtype) || is_bf16(dtype) { None } else { self.register_type(dtype) }
    }

    fn prologue(&self, needs: &Needs) -> String {
        let mut out = String::new();
        out.push_str(if needs.f16 { "#include <cuda_fp16.h>\n" } else { "" });
        out.push_str(if needs.bf16 { "#include <cuda_bf16.h>\n" } else { "" });
        out.push_str(if needs.wmma { "#include <mma.h>\n" } else { "" });
        out.push_str(if needs.f16 || needs.bf16 || needs.wmma { "\n" } else { "" });
        out
    }

    fn signature(&self, block: Option<[i64; 3]>) -> String {
        let mut out = "extern \"C\" __global__ void ".to_owned();
        if let Some([x, y, z]) = block {
            let _ = write!(out, "__launch_bounds__({}) ", x * y * z);
        }
        out.push_str("$E$(");
        out
    }

    fn restrict(&self) -> &'static str {
        "__restrict__"
    }

    fn thread_index(&self, axis: Axis) -> String {
        axis.tag().to_owned()
    }

    fn barrier(&self) -> &'static str {
        "__syncthreads();"
    }

    fn static_shared_limit(&self) -> Option<u64> {
        Some(48 * 1024)
    }

    fn shared_array(&self, array: &SharedArray<'_>) -> String {
        let SharedArray { name, element, len, dynamic_offset } = array;
        match dynamic_offset {
            None => format!("__shared__ __align__(16) {element} {name}[{len}];"),
            Some(offset) => {
                format!("{element}* const {name} = ({element}*)(tir_shared + {offset});")
            }
        }
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
            (true, _, false) => "__int_as_float(0x7fc00000)",
            (true, _, true) => "__longlong_as_double(0x7ff8000000000000LL)",
            (false, true, false) => "__int_as_float(0x7f800000)",
            (false, true, true) => "__longlong_as_double(0x7ff0000000000000LL)",
            (false, false, false) => "(-__int_as_float(0x7f800000))",
            (false, false, true) => "(-__longlong_as_double(0x7ff0000000000000LL))",
        }
    }

    fn load(&self, dtype: DataType, aliased: bool, pointer: &str) -> (String, String) {
        let wrap = match (is_f16(dtype), is_bf16(dtype), aliased) {
            (true, _, false) => ("__half2float(", ")"),
            (true, _, true) => ("__half2float(__ushort_as_half(", "))"),
            (_, true, false) => ("__bfloat162float(", ")"),
            (_, true, true) => ("__bfloat162float(__ushort_as_bfloat16(", "))"),
            _ => ("", ""),
        };
        ([wrap.0, pointer, "["].concat(), ["]", wrap.1].concat())
    }

    fn store(&self, dtype: DataType, aliased: bool, pointer: &str) -> StoreForm {
        match (is_f16(dtype), is_bf16(dtype), aliased) {
            (true, _, false) => StoreForm::assign(pointer, "__float2half_rn"),
            (_, true, false) => StoreForm::assign(pointer, "__float2bfloat16_rn"),
            (true, _, true) => {
                let mut form = StoreForm::assign(pointer, "__half_as_ushort(__float2half_rn");
                form.close = "));".to_owned();
                form
            }
            (_, true, true) => {
                let mut form =
                    StoreForm::assign(pointer, "__bfloat16_as_ushort(__float2bfloat16_rn");
                form.close = "));".to_owned();
                form
            }
            _ => StoreForm::assign(pointer, ""),
        }
    }

    fn rounding(&self, dtype: DataType) -> (&'static str, String) {
        let (name, inner) = if is_bf16(dtype) {
            ("tir_round_bf16", "__bfloat162float(__float2bfloat16_rn(x))")
        } else {
            ("tir_round_f16", "__half2float(__float2half_rn(x))")
        };
        let qualifier = self.helper_qualifier();
        (name, format!("{qualifier} float {name}(float x) {{ return {inner}; }}\n"))
    }

    fn narrow(&self, from: DataType, to: DataType) -> Option<(&'static str, &'static str)> {
        Some(match (from.code, from.bits, is_bf16(to)) {
            (TypeCode::Float, 64, false) => ("__half2float(__double2half(", "))"),
            (TypeCode::Float, 64, true) => ("__bfloat162float(__double2bfloat16(", "))"),
            (TypeCode::Int, 32, true) => ("__bfloat162float(__int2bfloat16_rn(", "))"),
            (TypeCode::UInt, 32, true) => ("__bfloat162float(__uint2bfloat16_rn(", "))"),
            (TypeCode::Int, 64, true) => ("__bfloat162float(__ll2bfloat16_rn(", "))"),
            (TypeCode::UInt, 64, true) => ("__bfloat162float(__ull2bfloat16_rn(", "))"),
            _ => return None,
        })
    }

    fn math(&self, name: &str, double: bool) -> String {
        if double { name.to_owned() } else { format!("{name}f") }
    }

    fn reinterpret(&self, from: DataType, to: DataType) -> Option<(String, String)> {
        let bits_of = |dtype: DataType| match (dtype.code, dtype.bits) {
            (TypeCode::Float, 32) => Some(("__float_as_int(", ")")),
            (TypeCode::Float, 64) => Some(("__double_as_longlong(", ")")),
            (TypeCode::Float, 16) => Some(("__half_as_ushort(__float2half_rn(", "))")),
            (TypeCode::BFloat, _) => Some(("__bfloat16_as_ushort(__float2bfloat16_rn(", "))")),
            (TypeCode::Int | TypeCode::UInt, _) => Some(("(", ")")),
            _ => None,
        };
        let from_bits = |dtype: DataType| match (dtype.code, dtype.bits) {
            (TypeCode::Float, 32) => Some(("__int_as_float((int)", ")".to_owned())),
            (TypeCode::Float, 64) => Some(("__longlong_as_double((long long)", ")".to_owned())),
            (TypeCode::Float, 16) => {
                Some(("__half2float(__ushort_as_half((unsigned short)", "))".to_owned()))
            }
            (TypeCode::BFloat, _) => {
                Some(("__bfloat162float(__ushort_as_bfloat16((unsigned short)", "))".to_owned()))
            }
            _ => None,
        };
        let (open, close) = bits_of(from)?;
        match from_bits(to) {
            Some((before, after)) => Some((format!("{before}{open}"), format!("{close}{after}"))),
            None if to.is_integer() => {
                Some((format!("(({}){open}", self.register_type(to)?), format!("{close})")))
            }
            None => None,
        }
    }

    fn has_ptx(&self) -> bool {
        true
    }

    fn half_function(&self, op: BinaryOp, dtype: DataType) -> Option<HalfFunction> {
        // Division is no single instruction: its float form is as fast, and known to be exact.
        let name = match op {
            BinaryOp::Add => "__hadd_rn",
            BinaryOp::Sub => "__hsub_rn",
            BinaryOp::Mul => "__hmul_rn",
            _ => return None,
        };
        let function = HalfFunction { name, widen: "__half2float", narrow: "__float2half_rn" };
        is_f16(dtype).then_some(function)
    }

    fn wide_type(&self, element: DataType, count: u64) -> Option<&'static str> {
        // Elements narrower than 32 bits are moved as words, as those of the headers are.
        Some(match (element.code, element.bits, count) {
            (TypeCode::Float, 32, 2) => "float2",
            (TypeCode::Float, 32, 4) => "float4",
            (TypeCode::Float, 64, 2) => "double2",
            (TypeCode::Int, 32, 2) => "int2",
            (TypeCode::Int, 32, 4) => "int4",
            (TypeCode::UInt, 32, 2) => "uint2",
            (TypeCode::UInt, 32, 4) => "uint4",
            (TypeCode::Int, 64, 2) => "longlong2",
            (TypeCode::UInt, 64, 2) => "ulonglong2",
            (_, bits @ (8 | 16), _) => match u64::from(bits) / 8 * count {
                2 => "unsigned short",
                4 => "unsigned int",
                8 => "uint2",
                16 => "uint4",
                _ => return None,
            },
            _ => return None,
        })
    }

    fn warp_function(&self, name: &str) -> Option<&'static str> {
        Some(match name {
            "tvm_warp_shuffle" => "__shfl_sync",
            "tvm_warp_shuffle_up" => "__shfl_up_sync",
            "tvm_warp_shuffle_down" => "__shfl_down_sync",
            "tvm_warp_shuffle_xor" => "__shfl_xor_sync",
            "tvm_warp_activemask" => "__activemask",
            _ => return None,
        })
    }

    fn int_function(&self, name: &str, dtype: DataType) -> Option<&'static str> {
        match (name, dtype.bits) {
            ("popcount", 32) => Some("__popc"),
            ("popcount", 64) => Some("__popcll"),
            ("clz", 32) => Some("__clz"),
            ("clz", 64) => Some("__clzll"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_for_the_search() {
        assert!(RESERVED.is_sorted() && STEMS.is_sorted());
    }
}
