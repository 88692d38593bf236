//! The spelling of the writer's constructs in OpenCL C.
//!
//! Nothing beyond OpenCL 1.2 with `cl_khr_fp64` is needed: `float16` is only loaded and stored (`vload_half`,
//! `vstore_half_rte`), `bfloat16` is two bytes and shifts.

use ir::{DataType, TypeCode};

use super::{OpenCl, keywords};
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

/// Conversions between `float` and the bits of `bfloat16`; ties to even, NaN stays NaN.
const BF16: &str = "\
static float tir_bf16_value(ushort b) { return as_float((uint)b << 16); }
static ushort tir_bf16_bits(float x) {
  uint u = as_uint(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (ushort)((u >> 16) | 0x40u);
  return (ushort)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
";

/// Conversions between `float` and the bits of `float16`.
const F16: &str = "\
static float tir_f16_value(ushort b) { return vload_half(0, (const __private half*)&b); }
static ushort tir_f16_bits(float x) {
  ushort b;
  vstore_half_rte(x, 0, (__private half*)&b);
  return b;
}
";

impl Dialect for OpenCl {
    fn reserved_words(&self) -> &'static [&'static str] {
        keywords::RESERVED
    }

    fn is_reserved_family(&self, word: &str) -> bool {
        keywords::is_vector_type(word)
    }

    fn reserved_prefixes(&self) -> &'static [&'static str] {
        &["tir_", "convert_", "cl_"]
    }

    fn helper_qualifier(&self) -> &'static str {
        "static"
    }

    fn register_type(&self, dtype: DataType) -> Option<&'static str> {
        Some(match (dtype.code, dtype.bits) {
            (TypeCode::Bool, _) => "bool",
            (TypeCode::Int, 8) => "char",
            (TypeCode::Int, 16) => "short",
            (TypeCode::Int, 32) => "int",
            (TypeCode::Int, 64) => "long",
            (TypeCode::UInt, 8) => "uchar",
            (TypeCode::UInt, 16) => "ushort",
            (TypeCode::UInt, 32) => "uint",
            (TypeCode::UInt, 64) => "ulong",
            (TypeCode::Float, 16 | 32) | (TypeCode::BFloat, 16) => "float",
            (TypeCode::Float, 64) => "double",
            _ => return None,
        })
    }

    fn memory_type(&self, dtype: DataType) -> Option<&'static str> {
        match dtype {
            it if is_f16(it) => Some("half"),
            it if is_bf16(it) => Some("ushort"),
            it if it.is_bool() => Some("uchar"),
            it => self.register_type(it),
        }
    }

    fn array_type(&self, dtype: DataType) -> Option<&'static str> {
        // Without `cl_khr_fp16` there are pointers to half, but no halves.
        if is_f16(dtype) { Some("ushort") } else { self.memory_type(dtype) }
    }

    fn alias_base(&self, dtype: DataType) -> Option<&'static str> {
        if is_f16(dtype) { Some("ushort") } else { self.memory_type(dtype) }
    }

    fn space(&self, space: Space) -> &'static str {
        match space {
            Space::Global => "__global ",
            Space::Shared | Space::SharedDyn => "__local ",
            Space::Local => "__private ",
        }
    }

    fn scalar_param(&self, dtype: DataType) -> Option<&'static str> {
        match dtype {
            it if is_f16(it) || is_bf16(it) => None,
            it if it.is_bool() => Some("uchar"),
            it => self.register_type(it),
        }
    }

    fn prologue(&self, needs: &Needs) -> String {
        let contract = if self.contract { "ON" } else { "OFF" };
        let mut out = format!("#pragma OPENCL FP_CONTRACT {contract}\n");
        if needs.f64 {
            out.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
        }
        out.push('\n');
        out.push_str(if needs.f16 { F16 } else { "" });
        out.push_str(if needs.bf16 { BF16 } else { "" });
        out
    }

    fn signature(&self, block: Option<[i64; 3]>) -> String {
        match block {
            Some([x, y, z]) => {
                format!("__kernel __attribute__((reqd_work_group_size({x}, {y}, {z}))) void $E$(")
            }
            None => "__kernel void $E$(".to_owned(),
        }
    }

    fn restrict(&self) -> &'static str {
        "restrict"
    }

    fn thread_index(&self, axis: Axis) -> String {
        let function = if axis.is_thread() { "get_local_id" } else { "get_group_id" };
        format!("{function}({})", axis.dim())
    }

    fn barrier(&self) -> &'static str {
        "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
    }

    fn static_shared_limit(&self) -> Option<u64> {
        None
    }

    fn shared_array(&self, array: &SharedArray<'_>) -> String {
        let SharedArray { name, element, len, .. } = array;
        format!("__local {element} {name}[{len}] __attribute__((aligned(16)));")
    }

    fn int_suffix(&self, dtype: DataType) -> &'static str {
        match (dtype.code, dtype.bits) {
            (TypeCode::Int, 64) => "L",
            (TypeCode::UInt, 64) => "UL",
            (TypeCode::UInt, 32) => "u",
            _ => "",
        }
    }

    fn special_float(&self, value: f64, double: bool) -> &'static str {
        match (value.is_nan(), value > 0.0, double) {
            (true, _, false) => "NAN",
            (true, _, true) => "(double)NAN",
            (false, true, false) => "INFINITY",
            (false, true, true) => "(double)INFINITY",
            (false, false, false) => "(-INFINITY)",
            (false, false, true) => "(-(double)INFINITY)",
        }
    }

    fn load(&self, dtype: DataType, aliased: bool, pointer: &str) -> (String, String) {
        match dtype {
            it if is_f16(it) && aliased => (format!("tir_f16_value({pointer}["), "])".to_owned()),
            it if is_f16(it) => ("vload_half(".to_owned(), format!(", {pointer})")),
            it if is_bf16(it) => (format!("tir_bf16_value({pointer}["), "])".to_owned()),
            it if it.is_bool() => (format!("({pointer}["), "] != 0)".to_owned()),
            _ => (format!("{pointer}["), "]".to_owned()),
        }
    }

    fn store(&self, dtype: DataType, aliased: bool, pointer: &str) -> StoreForm {
        match dtype {
            it if is_f16(it) && aliased => StoreForm::assign(pointer, "tir_f16_bits"),
            it if is_f16(it) => StoreForm {
                value_first: true,
                open: "vstore_half_rte(".to_owned(),
                middle: ", ".to_owned(),
                close: format!(", {pointer});"),
            },
            it if is_bf16(it) => StoreForm::assign(pointer, "tir_bf16_bits"),
            _ => StoreForm::assign(pointer, ""),
        }
    }

    fn rounding(&self, dtype: DataType) -> (&'static str, String) {
        if is_bf16(dtype) {
            let text = "static float tir_round_bf16(float x) { return tir_bf16_value(tir_bf16_bits(x)); }\n";
            ("tir_round_bf16", text.to_owned())
        } else {
            let text =
                "static float tir_round_f16(float x) { return tir_f16_value(tir_f16_bits(x)); }\n";
            ("tir_round_f16", text.to_owned())
        }
    }

    fn narrow(&self, _: DataType, _: DataType) -> Option<(&'static str, &'static str)> {
        None
    }

    fn math(&self, name: &str, _: bool) -> String {
        name.to_owned()
    }

    fn reinterpret(&self, from: DataType, to: DataType) -> Option<(String, String)> {
        let bits_of = |dtype: DataType| match dtype {
            it if is_f16(it) => Some("tir_f16_bits("),
            it if is_bf16(it) => Some("tir_bf16_bits("),
            it if it.is_bool() => None,
            _ => Some("("),
        };
        let open = bits_of(from)?;
        match to {
            it if is_f16(it) => Some((format!("tir_f16_value((ushort){open}"), "))".to_owned())),
            it if is_bf16(it) => Some((format!("tir_bf16_value((ushort){open}"), "))".to_owned())),
            it if it.is_bool() => None,
            it => Some((format!("as_{}({open}", self.register_type(it)?), "))".to_owned())),
        }
    }

    fn int_function(&self, name: &str, dtype: DataType) -> Option<&'static str> {
        match name {
            "popcount" if dtype.bits >= 32 => Some("popcount"),
            "clz" if dtype.bits >= 32 => Some("clz"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_for_the_search() {
        assert!(keywords::RESERVED.is_sorted());
    }
}
