//! HIP C++ (for hipcc or HIPRTC): CUDA C++ with AMD's headers and names of narrow types.
//!
//! Kernels are written for blocks of any number of wavefronts. Threads exchange values by shared memory and barriers of
//! the whole block, and by shuffles within groups of 32 threads, which a wavefront of 64 is two of: so they mean the
//! same on machines with wavefronts of 64 threads (CDNA, GCN) and of 32 (RDNA).
//!
//! `float16` is `__half` with the conversions that CUDA has too. `bfloat16` is its 16 bits, converted by functions
//! that are brought along: the names of AMD's conversions have changed between releases.

use ir::{DataType, TypeCode};

use crate::{
    backend::{
        c_family::dialect::{Dialect, Needs, SharedArray, StoreForm},
        cuda::Cuda,
    },
    kernel::{Axis, Space},
};

/// The dialect.
pub(crate) struct Hip {
    /// True if the compiler may fuse a product and a sum.
    pub(crate) contract: bool,
}

fn is_bf16(dtype: DataType) -> bool {
    dtype.code == TypeCode::BFloat
}

/// Conversions between `float` and the bits of `bfloat16`; ties to even, NaN stays NaN.
const BF16: &str = "\
static __device__ __forceinline__ float tir_bf16_value(unsigned short b) {
  return __uint_as_float((unsigned int)b << 16);
}
static __device__ __forceinline__ unsigned short tir_bf16_bits(float x) {
  const unsigned int u = __float_as_uint(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (unsigned short)((u >> 16) | 0x40u);
  return (unsigned short)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
";

/// CUDA's word for an alignment, which not every release of HIP has.
const ALIGN: &str = "\
#if !defined(__align__)
#define __align__(n) __attribute__((aligned(n)))
#endif

";

impl Dialect for Hip {
    fn reserved_words(&self) -> &'static [&'static str] {
        Cuda.reserved_words()
    }

    fn is_reserved_family(&self, word: &str) -> bool {
        Cuda.is_reserved_family(word)
    }

    fn reserved_prefixes(&self) -> &'static [&'static str] {
        &["tir_", "hip"]
    }

    fn helper_qualifier(&self) -> &'static str {
        Cuda.helper_qualifier()
    }

    fn register_type(&self, dtype: DataType) -> Option<&'static str> {
        Cuda.register_type(dtype)
    }

    fn memory_type(&self, dtype: DataType) -> Option<&'static str> {
        if is_bf16(dtype) { Some("unsigned short") } else { Cuda.memory_type(dtype) }
    }

    fn alias_base(&self, dtype: DataType) -> Option<&'static str> {
        Cuda.alias_base(dtype)
    }

    fn space(&self, space: Space) -> &'static str {
        Cuda.space(space)
    }

    fn scalar_param(&self, dtype: DataType) -> Option<&'static str> {
        Cuda.scalar_param(dtype)
    }

    fn prologue(&self, needs: &Needs) -> String {
        let mut out = "#include <hip/hip_runtime.h>\n".to_owned();
        out.push_str(if needs.f16 { "#include <hip/hip_fp16.h>\n" } else { "" });
        let contract = if self.contract { "fast" } else { "off" };
        out.push_str(&format!("#pragma clang fp contract({contract})\n"));
        out.push_str(ALIGN);
        out.push_str(if needs.bf16 { BF16 } else { "" });
        out
    }

    fn signature(&self, block: Option<[i64; 3]>) -> String {
        Cuda.signature(block)
    }

    fn restrict(&self) -> &'static str {
        Cuda.restrict()
    }

    fn thread_index(&self, axis: Axis) -> String {
        Cuda.thread_index(axis)
    }

    fn barrier(&self) -> &'static str {
        Cuda.barrier()
    }

    /// 64 KiB are there on all devices, and no larger limit can be asked for.
    fn static_shared_limit(&self) -> Option<u64> {
        Some(64 * 1024)
    }

    fn shared_array(&self, array: &SharedArray<'_>) -> String {
        Cuda.shared_array(array)
    }

    fn int_suffix(&self, dtype: DataType) -> &'static str {
        Cuda.int_suffix(dtype)
    }

    fn special_float(&self, value: f64, double: bool) -> &'static str {
        Cuda.special_float(value, double)
    }

    fn load(&self, dtype: DataType, aliased: bool, pointer: &str) -> (String, String) {
        match is_bf16(dtype) {
            true => (format!("tir_bf16_value({pointer}["), "])".to_owned()),
            false => Cuda.load(dtype, aliased, pointer),
        }
    }

    fn store(&self, dtype: DataType, aliased: bool, pointer: &str) -> StoreForm {
        match is_bf16(dtype) {
            true => StoreForm::assign(pointer, "tir_bf16_bits"),
            false => Cuda.store(dtype, aliased, pointer),
        }
    }

    fn rounding(&self, dtype: DataType) -> (&'static str, String) {
        if !is_bf16(dtype) {
            return Cuda.rounding(dtype);
        }
        let qualifier = self.helper_qualifier();
        let text = "float tir_round_bf16(float x) { return tir_bf16_value(tir_bf16_bits(x)); }";
        ("tir_round_bf16", format!("{qualifier} {text}\n"))
    }

    /// In two roundings only: refused.
    fn narrow(&self, _: DataType, _: DataType) -> Option<(&'static str, &'static str)> {
        None
    }

    fn math(&self, name: &str, double: bool) -> String {
        Cuda.math(name, double)
    }

    fn reinterpret(&self, from: DataType, to: DataType) -> Option<(String, String)> {
        let bits = |it: DataType| if is_bf16(it) { DataType::uint(16) } else { it };
        if !is_bf16(from) && !is_bf16(to) {
            return Cuda.reinterpret(from, to);
        }
        let (open, close) = match bits(from) == bits(to) {
            true => ("(".to_owned(), ")".to_owned()),
            false => Cuda.reinterpret(bits(from), bits(to))?,
        };
        let (open, close) = match is_bf16(from) {
            true => (format!("{open}tir_bf16_bits("), format!("){close}")),
            false => (open, close),
        };
        Some(match is_bf16(to) {
            true => (format!("tir_bf16_value({open}"), format!("{close})")),
            false => (open, close),
        })
    }

    /// Without a mask, and within groups of 32 threads whether a wavefront has 32 or 64.
    fn warp_function(&self, name: &str) -> Option<&'static str> {
        Some(match name {
            "tvm_warp_shuffle" => "__shfl",
            "tvm_warp_shuffle_up" => "__shfl_up",
            "tvm_warp_shuffle_down" => "__shfl_down",
            "tvm_warp_shuffle_xor" => "__shfl_xor",
            _ => return None,
        })
    }

    fn warp_has_mask(&self) -> bool {
        false
    }

    fn int_function(&self, name: &str, dtype: DataType) -> Option<&'static str> {
        Cuda.int_function(name, dtype)
    }
}
