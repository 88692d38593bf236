//! Text of conversions that C has no types for: the narrow floats as 16 bits, and bits as numbers.
//!
//! Ties go to even, NaN stays a NaN, numbers beyond the format are infinity, subnormal numbers are kept
//! (`SEMANTICS: C7`).

/// Bits of floats and back.
pub(super) const BITS: &str = "\
TIR_FUNCTION uint32_t tir_f32_bits(float x) { uint32_t u; memcpy(&u, &x, sizeof u); return u; }
TIR_FUNCTION float tir_f32_value(uint32_t u) { float x; memcpy(&x, &u, sizeof x); return x; }
TIR_FUNCTION uint64_t tir_f64_bits(double x) { uint64_t u; memcpy(&u, &x, sizeof u); return u; }
TIR_FUNCTION double tir_f64_value(uint64_t u) { double x; memcpy(&x, &u, sizeof x); return x; }
";

/// A wide number as `float` that a second rounding treats as the number itself: where digits are lost, the last bit
/// that is kept is 1 (rounding to odd; Boldo, Melquiond 2008). Integers are first cut to the 53 digits of a double so.
pub(super) const ODD: &str = "\
TIR_FUNCTION float tir_odd(double x) {
  const float f = (float)x;
  uint32_t u = tir_f32_bits(f);
  if ((double)f == x || x != x) return f;
  if (fabs((double)f) > fabs(x)) u -= 1u;
  return tir_f32_value(u | 1u);
}
TIR_FUNCTION float tir_odd_i64(int64_t x) {
  const int64_t low = x & 2047;
  return tir_odd((double)(low == 0 ? x : x - low + 1024));
}
TIR_FUNCTION float tir_odd_u64(uint64_t x) {
  const uint64_t low = x & 4095u;
  return tir_odd((double)(low == 0u ? x : x - low + 2048u));
}
";

/// `bfloat16`: the upper half of a `float`.
pub(super) const BF16: &str = "\
TIR_FUNCTION float tir_bf16_value(uint16_t b) { return tir_f32_value((uint32_t)b << 16); }
TIR_FUNCTION uint16_t tir_bf16_bits(float x) {
  const uint32_t u = tir_f32_bits(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((u >> 16) | 0x40u);
  return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
";

/// `float16`. A subnormal result is rounded by an addition: the numbers of [0.5, 1) are as far apart as it has to be.
pub(super) const F16: &str = "\
TIR_FUNCTION float tir_f16_value(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) return tir_f32_value(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x400u) return tir_f32_value(sign | ((magnitude << 13) + 0x38000000u));
  return tir_f32_value(sign | tir_f32_bits((float)magnitude * 0x1p-24f));
}
TIR_FUNCTION uint16_t tir_f16_bits(float x) {
  const uint32_t u = tir_f32_bits(x), sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (magnitude < 0x38800000u)
    return (uint16_t)(sign | (tir_f32_bits(tir_f32_value(magnitude) + 0.5f) - 0x3f000000u));
  return (uint16_t)(sign | ((magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13));
}
";

/// Memory of the heap: no memory is a null pointer, also where a size is negative or beyond all memory.
pub(super) const HEAP: &str = "\
TIR_FUNCTION int64_t tir_count(int64_t a, int64_t b) {
  return a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b) ? -1 : a * b;
}
TIR_FUNCTION void* tir_allocate(int64_t count, size_t size) {
  if (count < 0 || (uint64_t)count > (uint64_t)(PTRDIFF_MAX / 2) / size) return 0;
  return malloc(count > 0 ? (size_t)count * size : 1u);
}
";
