//! Instructions of NVIDIA's GPUs that C++ has no word for, as functions with inline PTX: one table of products, and the
//! text of each function.
//!
//! In: the shape and types of an instruction. Out: the function's name and text, and the architecture that it asks for.
//! Shapes, register counts and architectures are those of the PTX ISA 8.x, "Warp-level matrix instructions" and
//! "cp.async"; operands stand in the order of its syntax, `d, a, b, c`. A register has 32 bits and holds as many
//! elements as fit, or it is one element of 64.

use std::fmt::Write as _;

/// An element type, as PTX calls it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Element {
    B1,
    S4,
    U4,
    S8,
    U8,
    E4m3,
    E5m2,
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S32,
}

impl Element {
    /// From the words of PTX, of TVM, and of data types.
    pub(crate) fn parse(name: &str) -> Option<Element> {
        Some(match name {
            "b1" | "int1" | "uint1" | "bit" => Element::B1,
            "s4" | "int4" => Element::S4,
            "u4" | "uint4" => Element::U4,
            "s8" | "int8" => Element::S8,
            "u8" | "uint8" => Element::U8,
            "e4m3" | "float8_e4m3fn" => Element::E4m3,
            "e5m2" | "float8_e5m2" => Element::E5m2,
            "f16" | "fp16" | "float16" => Element::F16,
            "bf16" | "bfloat16" => Element::Bf16,
            "tf32" => Element::Tf32,
            "f32" | "fp32" | "float32" => Element::F32,
            "f64" | "fp64" | "float64" => Element::F64,
            "s32" | "int32" => Element::S32,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Element::B1 => "b1",
            Element::S4 => "s4",
            Element::U4 => "u4",
            Element::S8 => "s8",
            Element::U8 => "u8",
            Element::E4m3 => "e4m3",
            Element::E5m2 => "e5m2",
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
            Element::Tf32 => "tf32",
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::S32 => "s32",
        }
    }

    fn bits(self) -> u32 {
        match self {
            Element::B1 => 1,
            Element::S4 | Element::U4 => 4,
            Element::S8 | Element::U8 | Element::E4m3 | Element::E5m2 => 8,
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, Element::S4 | Element::U4 | Element::S8 | Element::U8)
    }

    /// Type of a register of C++, and the letter of its constraint.
    fn register(self) -> (&'static str, char) {
        match self {
            Element::F32 => ("float", 'f'),
            Element::F64 => ("double", 'd'),
            Element::S32 => ("int", 'r'),
            _ => ("unsigned int", 'r'),
        }
    }
}

/// Rows of the table of `mma`: shape, types of A (and B), of C (and D), the architecture. Unless the shape is m8n8k4 of
/// halves, A is in rows and B in columns.
type Row = ([u32; 3], &'static [Element], &'static [Element], u32);

const MMA: &[Row] = {
    use Element::{B1, Bf16, E4m3, E5m2, F16, F32, F64, S4, S8, S32, Tf32, U4, U8};
    &[
        ([8, 8, 4], &[F16], &[F16, F32], 70),
        ([16, 8, 8], &[F16], &[F16, F32], 75),
        ([16, 8, 16], &[F16], &[F16, F32], 80),
        ([16, 8, 8], &[Bf16], &[F32], 80),
        ([16, 8, 16], &[Bf16], &[F32], 80),
        ([16, 8, 4], &[Tf32], &[F32], 80),
        ([16, 8, 8], &[Tf32], &[F32], 80),
        ([8, 8, 4], &[F64], &[F64], 80),
        ([16, 8, 4], &[F64], &[F64], 90),
        ([16, 8, 8], &[F64], &[F64], 90),
        ([16, 8, 16], &[F64], &[F64], 90),
        ([8, 8, 16], &[S8, U8], &[S32], 75),
        ([16, 8, 16], &[S8, U8], &[S32], 80),
        ([16, 8, 32], &[S8, U8], &[S32], 80),
        ([8, 8, 32], &[S4, U4], &[S32], 75),
        ([16, 8, 32], &[S4, U4], &[S32], 80),
        ([16, 8, 64], &[S4, U4], &[S32], 80),
        ([8, 8, 128], &[B1], &[S32], 75),
        ([16, 8, 128], &[B1], &[S32], 80),
        ([16, 8, 256], &[B1], &[S32], 80),
        ([16, 8, 32], &[E4m3, E5m2], &[F32], 89),
    ]
};

/// A product of matrices in registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Mma {
    shape: [u32; 3],
    /// True if A and B are in column-major order, for each.
    in_columns: [bool; 2],
    types: [Element; 3],
    saturates: bool,
    /// True if bits are combined by `and`, false for `xor`; `None` where elements are no bits.
    by_and: Option<bool>,
    arch: u32,
}

impl Mma {
    /// The product that a call asks for; none if there is no such instruction.
    pub(crate) fn find(
        shape: &str,
        layouts: [&str; 2],
        types: [&str; 3],
        saturates: bool,
        bits: Option<&str>,
    ) -> Option<Mma> {
        let (m, rest) = shape.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let shape = [m.parse().ok()?, n.parse().ok()?, k.parse().ok()?];
        let [a, b, c] = types.map(Element::parse);
        let types = [a?, b?, c?];
        let [a, b, c] = types;
        // The two types of a product are of one family.
        let row = MMA.iter().find(|(it, operands, results, _)| {
            *it == shape && operands.contains(&a) && operands.contains(&b) && results.contains(&c)
        })?;
        let mut in_columns = [false; 2];
        for (layout, is_column) in layouts.iter().zip(&mut in_columns) {
            *is_column = match *layout {
                "row" => false,
                "col" => true,
                _ => return None,
            };
        }
        let is_free = shape == [8, 8, 4] && a == Element::F16;
        if !is_free && in_columns != [false, true] {
            return None;
        }
        let by_and = match (a, bits) {
            (Element::B1, None | Some("xor")) => Some(false),
            (Element::B1, Some("and")) => Some(true),
            (_, None) => None,
            _ => return None,
        };
        if saturates && !a.is_integer() {
            return None;
        }
        let arch = if by_and == Some(true) { 80 } else { row.3 };
        Some(Mma { shape, in_columns, types, saturates, by_and, arch })
    }

    /// Returns the text after `mma.sync.aligned`, without the operands.
    fn mnemonic(&self) -> String {
        let [m, n, k] = self.shape;
        let [a, b, c] = self.types.map(Element::name);
        let layout = |is_column| if is_column { "col" } else { "row" };
        let [of_a, of_b] = self.in_columns.map(layout);
        let saturates = if self.saturates { ".satfinite" } else { "" };
        let bits = match self.by_and {
            Some(true) => ".and.popc",
            Some(false) => ".xor.popc",
            None => "",
        };
        format!("m{m}n{n}k{k}.{of_a}.{of_b}{saturates}.{c}.{a}.{b}.{c}{bits}")
    }

    /// Registers of A, B and C in each thread.
    fn registers(&self) -> [u32; 3] {
        let [m, n, k] = self.shape;
        // The four products of m8n8k4 of halves are made by eight threads each.
        let copies = if self.shape == [8, 8, 4] && self.types[0] == Element::F16 { 4 } else { 1 };
        let registers = |elements: u32, of: Element| {
            (elements * copies * of.bits() / 32).div_ceil(of.bits().max(32))
        };
        let [a, b, c] = self.types;
        [registers(m * k, a), registers(k * n, b), registers(m * n, c)]
    }
}

/// A function with inline PTX.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Ptx {
    /// `c += a · b` of registers.
    Mma(Mma),
    /// This number of matrices of 8 × 8 elements of 16 bits.
    LoadMatrix { number: u8, is_transposed: bool },
    /// TVM's loop for an access without an instruction: a transposed tile of bytes.
    LoadBytes,
    /// Begins a copy of this many bytes; the rest of the requested size, if one is given, becomes zero.
    Copy { bytes: u8, is_global_only: bool, has_size: bool },
    /// Closes a group.
    Commit,
    /// Waits for all but so many groups.
    Wait(u8),
    /// Waits for all copies.
    WaitAll,
}

impl Ptx {
    /// The number of the architecture that it asks for: 80 for `sm_80`.
    pub(crate) fn arch(&self) -> u32 {
        match self {
            Ptx::Mma(it) => it.arch,
            Ptx::LoadMatrix { .. } => 75,
            Ptx::LoadBytes => 70,
            Ptx::Copy { .. } | Ptx::Commit | Ptx::Wait(_) | Ptx::WaitAll => 80,
        }
    }

    /// Returns the name in the PTX ISA.
    pub(crate) fn what(&self) -> String {
        match self {
            Ptx::Mma(it) => format!("mma.sync.{}", it.mnemonic()),
            Ptx::LoadMatrix { .. } => "ldmatrix".to_owned(),
            Ptx::LoadBytes => "ldmatrix of bytes".to_owned(),
            _ => "cp.async".to_owned(),
        }
    }

    /// The name of its function.
    pub(crate) fn name(&self) -> String {
        match self {
            Ptx::Mma(it) => format!("tir_mma_{}", it.mnemonic().replace('.', "_")),
            Ptx::LoadMatrix { number, is_transposed } => {
                format!("tir_ldmatrix_x{number}{}", if *is_transposed { "_trans" } else { "" })
            }
            Ptx::LoadBytes => "tir_ldmatrix_bytes_trans".to_owned(),
            Ptx::Copy { bytes, is_global_only, has_size } => {
                let cache = if *is_global_only { "cg" } else { "ca" };
                format!("tir_cp_async_{cache}_{bytes}{}", if *has_size { "_fill" } else { "" })
            }
            Ptx::Commit => "tir_cp_async_commit_group".to_owned(),
            Ptx::Wait(newest) => format!("tir_cp_async_wait_group_{newest}"),
            Ptx::WaitAll => "tir_cp_async_wait_all".to_owned(),
        }
    }

    /// Its definition.
    pub(crate) fn text(&self, qualifier: &str) -> String {
        let name = self.name();
        let simple = |ptx: &str| {
            format!(
                "{qualifier} void {name}() {{\n  asm volatile(\"{ptx};\\n\" ::: \"memory\");\n}}\n"
            )
        };
        match self {
            Ptx::Mma(it) => it.text(qualifier, &name),
            Ptx::LoadMatrix { number, is_transposed } => {
                let registers = list(0, (*number).into());
                let outputs = operands("=r", "d", (*number).into());
                let transposed = if *is_transposed { ".trans" } else { "" };
                format!(
                    "{qualifier} void {name}(void* to, const void* from) {{\n  \
                     unsigned int* d = (unsigned int*)to;\n  \
                     unsigned int at = (unsigned int)__cvta_generic_to_shared(from);\n  \
                     asm volatile(\"ldmatrix.sync.aligned.m8n8.x{number}{transposed}.shared.b16 {registers}, [%{number}];\\n\"\n    \
                     : {outputs}\n    : \"r\"(at)\n    : \"memory\");\n}}\n"
                )
            }
            Ptx::LoadBytes => format!(
                "{qualifier} void {name}(void* to, const void* from, int stride) {{\n  \
                 signed char* d = (signed char*)to;\n  const signed char* s = (const signed char*)from;\n  \
                 int lane = {LANE};\n  #pragma unroll\n  for (int i = 0; i < 16; ++i) {{\n    \
                 d[i] = s[(i % 8 / 4 * 16 + lane % 4 * 4 + i % 4) * stride + lane / 4 + i / 8 * 8];\n  }}\n}}\n"
            ),
            Ptx::Copy { bytes, is_global_only, has_size } => {
                let cache = if *is_global_only { "cg" } else { "ca" };
                let (param, operand, size) = match has_size {
                    true => (", int size", ", %2", ", \"r\"(size)"),
                    false => ("", "", ""),
                };
                format!(
                    "{qualifier} void {name}(void* to, const void* from{param}) {{\n  \
                     unsigned int at = (unsigned int)__cvta_generic_to_shared(to);\n  \
                     asm volatile(\"cp.async.{cache}.shared.global [%0], [%1], {bytes}{operand};\\n\"\n    \
                     :: \"r\"(at), \"l\"(__cvta_generic_to_global(from)){size}\n    : \"memory\");\n}}\n"
                )
            }
            Ptx::Commit => simple("cp.async.commit_group"),
            Ptx::Wait(newest) => simple(&format!("cp.async.wait_group {newest}")),
            Ptx::WaitAll => simple("cp.async.wait_all"),
        }
    }
}

/// The number of a thread in its warp.
pub(crate) const LANE: &str =
    "(int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32)";

/// `{%4, %5}`
fn list(first: u32, number: u32) -> String {
    let names: Vec<String> = (first..first + number).map(|it| format!("%{it}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// `"r"(a[0]), "r"(a[1])`
fn operands(constraint: &str, array: &str, number: u32) -> String {
    let each: Vec<String> =
        (0..number).map(|it| format!("\"{constraint}\"({array}[{it}])")).collect();
    each.join(", ")
}

impl Mma {
    fn text(&self, qualifier: &str, name: &str) -> String {
        let [n_a, n_b, n_c] = self.registers();
        let [(a, of_a), (b, of_b), (c, of_c)] = self.types.map(Element::register);
        let mut out = String::new();
        let written = writeln!(
            out,
            "{qualifier} void {name}(void* to, const void* left, const void* right) {{\n  \
             {c}* d = ({c}*)to;\n  const {a}* a = (const {a}*)left;\n  const {b}* b = (const {b}*)right;\n  \
             asm volatile(\"mma.sync.aligned.{} {}, {}, {}, {};\\n\"\n    : {}\n    : {}, {}, {});\n}}",
            self.mnemonic(),
            list(0, n_c),
            list(n_c, n_a),
            list(n_c + n_a, n_b),
            list(n_c + n_a + n_b, n_c),
            operands(&format!("={of_c}"), "d", n_c),
            operands(&of_a.to_string(), "a", n_a),
            operands(&of_b.to_string(), "b", n_b),
            operands(&of_c.to_string(), "d", n_c),
        );
        debug_assert!(written.is_ok(), "writing to a string does not fail");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(shape: &str, types: [&str; 3]) -> Option<Mma> {
        Mma::find(shape, ["row", "col"], types, false, None)
    }

    /// The counts that the PTX ISA gives for each shape.
    #[test]
    fn registers_are_those_of_the_isa() {
        let cases = [
            ("m8n8k4", ["fp16", "fp16", "fp32"], [2, 2, 8]),
            ("m8n8k4", ["fp16", "fp16", "fp16"], [2, 2, 4]),
            ("m8n8k4", ["fp64", "fp64", "fp64"], [1, 1, 2]),
            ("m16n8k8", ["fp16", "fp16", "fp16"], [2, 1, 2]),
            ("m16n8k8", ["fp16", "fp16", "fp32"], [2, 1, 4]),
            ("m16n8k16", ["fp16", "fp16", "fp32"], [4, 2, 4]),
            ("m16n8k16", ["bf16", "bf16", "fp32"], [4, 2, 4]),
            ("m16n8k4", ["tf32", "tf32", "fp32"], [2, 1, 4]),
            ("m16n8k8", ["tf32", "tf32", "fp32"], [4, 2, 4]),
            ("m16n8k16", ["fp64", "fp64", "fp64"], [8, 4, 4]),
            ("m8n8k16", ["int8", "int8", "int32"], [1, 1, 2]),
            ("m16n8k16", ["int8", "uint8", "int32"], [2, 1, 4]),
            ("m16n8k32", ["int8", "int8", "int32"], [4, 2, 4]),
            ("m8n8k32", ["int4", "uint4", "int32"], [1, 1, 2]),
            ("m16n8k64", ["int4", "int4", "int32"], [4, 2, 4]),
            ("m8n8k128", ["int1", "int1", "int32"], [1, 1, 2]),
            ("m16n8k256", ["int1", "int1", "int32"], [4, 2, 4]),
            ("m16n8k32", ["e4m3", "e5m2", "fp32"], [4, 2, 4]),
        ];
        for (shape, types, expected) in cases {
            assert_eq!(
                find(shape, types).map(|it| it.registers()),
                Some(expected),
                "{shape} {types:?}"
            );
        }
    }

    #[test]
    fn unknown_instruction_is_none() {
        assert_eq!(find("m16n8k64", ["fp16", "fp16", "fp32"]), None);
        assert_eq!(find("m16n8k16", ["fp16", "bf16", "fp32"]), None);
        assert_eq!(find("m16n8k16", ["bf16", "bf16", "fp16"]), None);
        let types = ["fp16", "fp16", "fp32"];
        assert_eq!(Mma::find("m16n8k16", ["col", "col"], types, false, None), None);
        assert_eq!(Mma::find("m16n8k16", ["row", "col"], types, true, None), None);
        assert_eq!(Mma::find("m16n8k16", ["row", "col"], types, false, Some("xor")), None);
    }
}
