//! Calls that are instructions of a warp or of the copy engine: matrix products on registers and fragments, `ldmatrix`,
//! asynchronous copies.
//!
//! In: a call, in any of the spellings that TVM has or had. Out: an [`Instruction`], its operands by their meaning;
//! none for other calls and for forms that are not understood. The meaning of an instruction is in
//! `SEMANTICS: P8, Y3, Y4, Y7`; the interpreter reads the same forms (`interp::matrix`, `fragments`, `async_copy`).
//! Linear in the operands.

use ir::{Body, Callee, DataType, ExprId, ExprKind, MemoryScope, effects::has_keyword_operands};

/// A pointer, and an offset from it in elements of its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The pointer.
    pub pointer: ExprId,
    /// Added to it.
    pub offset: Option<ExprId>,
}

/// A fragment of a buffer of a `wmma` scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// The buffer's memory.
    pub pointer: ExprId,
    /// Number of the fragment in it.
    pub index: ExprId,
}

/// A fragment and the part of memory that it is loaded from or stored to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FragmentCopy<'a> {
    /// The fragment.
    pub fragment: Fragment,
    /// Extents m, n, k of the product that it takes part in.
    pub shape: [ExprId; 3],
    /// The first element in memory.
    pub memory: ExprId,
    /// Elements from one row (or column) to the next.
    pub stride: ExprId,
    /// `row_major` or `col_major`.
    pub layout: &'a str,
}

/// A product of matrices in registers: `c += a · b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mma<'a> {
    /// `m16n8k16`
    pub shape: &'a str,
    /// `row` or `col`, of A and B.
    pub layouts: [&'a str; 2],
    /// Element types of A, B and C, as PTX or TVM call them.
    pub types: [&'a str; 3],
    /// Registers of A, B and C.
    pub registers: [At; 3],
    /// The saturation flag for integers; `None` means no.
    pub saturates: Option<ExprId>,
    /// `xor` or `and` of one-bit matrices.
    pub bits: Option<&'a str>,
}

/// An asynchronous copy from global to shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy {
    /// Target.
    pub to: At,
    /// Source.
    pub from: At,
    /// Bytes.
    pub bytes: ExprId,
    /// Zeros are stored where it is false.
    pub predicate: Option<ExprId>,
    /// Bytes that are read; the rest becomes zero.
    pub source_bytes: Option<ExprId>,
    /// True for `.cg` and false for `.ca`, if the call names one of them.
    pub is_global_only: Option<bool>,
}

/// The instruction of a warp or of the copy engine that a call stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instruction<'a> {
    /// `mma`
    Mma(Mma<'a>),
    /// `ldmatrix`
    LoadMatrix {
        /// The flag that each matrix is transposed.
        transposed: ExprId,
        /// The number.
        number: ExprId,
        /// Registers.
        to: At,
        /// The row of each thread.
        from: At,
    },
    /// Zeros in registers.
    Fill {
        /// The number.
        size: ExprId,
        /// Registers.
        to: At,
    },
    /// Two accumulators side by side go to memory.
    Store {
        /// Rows and columns.
        shape: [ExprId; 2],
        /// The first element in memory.
        to: ExprId,
        /// Registers.
        from: At,
        /// Elements from row to row.
        stride: ExprId,
    },
    /// A copy begins.
    Copy(Copy),
    /// Closes the group of copies.
    Commit,
    /// Waits for all but the newest groups.
    Wait(ExprId),
    /// Waits for all copies.
    WaitAll,
    /// Memory to fragment.
    LoadFragment(FragmentCopy<'a>),
    /// Fragment to memory.
    StoreFragment(FragmentCopy<'a>),
    /// One value in all elements.
    FillFragment {
        /// The fragment.
        fragment: Fragment,
        /// Extents m, n, k of the product that it takes part in.
        shape: [ExprId; 3],
        /// The value.
        value: ExprId,
    },
    /// `d = a · b + c`
    MultiplyFragments {
        /// D, A, B and C.
        fragments: [Fragment; 4],
        /// True if elements are bits.
        is_bits: bool,
    },
}

impl Instruction<'_> {
    /// The pointers that it is given, and whether it writes there.
    pub fn pointers(&self) -> Vec<(ExprId, bool)> {
        match self {
            Instruction::Mma(mma) => {
                let [a, b, c] = mma.registers.map(|it| it.pointer);
                vec![(a, false), (b, false), (c, true)]
            }
            Instruction::LoadMatrix { to, from, .. } => {
                vec![(to.pointer, true), (from.pointer, false)]
            }
            Instruction::Fill { to, .. } => vec![(to.pointer, true)],
            Instruction::Store { to, from, .. } => vec![(*to, true), (from.pointer, false)],
            Instruction::Copy(copy) => vec![(copy.to.pointer, true), (copy.from.pointer, false)],
            Instruction::Commit | Instruction::Wait(_) | Instruction::WaitAll => Vec::new(),
            Instruction::LoadFragment(copy) => {
                vec![(copy.fragment.pointer, true), (copy.memory, false)]
            }
            Instruction::StoreFragment(copy) => {
                vec![(copy.fragment.pointer, false), (copy.memory, true)]
            }
            Instruction::FillFragment { fragment, .. } => vec![(fragment.pointer, true)],
            Instruction::MultiplyFragments { fragments, .. } => {
                fragments.iter().enumerate().map(|(at, it)| (it.pointer, at == 0)).collect()
            }
        }
    }
}

/// A name with runs of dots and underscores as one dot, none at the ends: `ptx.cp.async_.wait_group` is
/// `ptx.cp.async.wait.group`.
fn normal(name: &str) -> String {
    let parts = name.split(['.', '_']).filter(|it| !it.is_empty());
    parts.collect::<Vec<_>>().join(".")
}

/// Reads a call; none if it is another one, or of a form that is not understood.
pub fn instruction(body: &Body, call: ExprId) -> Option<Instruction<'_>> {
    let ExprKind::Call { callee: Callee::Intrinsic(name, _), args, attrs, .. } =
        body.expr(call).kind
    else {
        return None;
    };
    let name = body.name(name);
    // Most calls are none of these: they are told by their first letters before they are spelled out.
    let prefixes = ["ptx", "s_tir", "cuda.mma", "mma_", "tvm_"];
    if !prefixes.iter().any(|it| name.starts_with(it)) {
        return None;
    }
    if has_keyword_operands(body, attrs) {
        return None;
    }
    let text = |it: ExprId| match body.expr(it).kind {
        ExprKind::Str(text) => Some(body.name(text)),
        _ => None,
    };
    let args = body.items(args);
    let texts: Vec<&str> = args.iter().filter_map(|it| text(*it)).collect();
    let values: Vec<ExprId> = args.iter().copied().filter(|it| text(*it).is_none()).collect();
    // A data type in front is no operand.
    let texts = match texts.as_slice() {
        [dtype, rest @ ..] if DataType::parse(dtype).is_some() => rest.to_vec(),
        all => all.to_vec(),
    };
    let at = |pointer, offset| At { pointer, offset: Some(offset) };
    Some(match (name, &texts[..], &values[..]) {
        (
            "ptx_mma" | "ptx_legacy.mma",
            &[shape, a_layout, b_layout, a_type, b_type, c_type, ref bits @ ..],
            &[a, a_at, b, b_at, c, c_at, ref saturates @ ..],
        ) if bits.len() < 2 && saturates.len() < 2 => Instruction::Mma(Mma {
            shape,
            layouts: [a_layout, b_layout],
            types: [a_type, b_type, c_type],
            registers: [at(a, a_at), at(b, b_at), at(c, c_at)],
            saturates: saturates.first().copied(),
            bits: bits.first().copied(),
        }),
        (
            "ptx_ldmatrix" | "ptx_legacy.ldmatrix",
            &[".b16"],
            &[transposed, number, to, to_at, from, from_at],
        ) => Instruction::LoadMatrix {
            transposed,
            number,
            to: at(to, to_at),
            from: at(from, from_at),
        },
        ("mma_fill" | "cuda.mma_fill" | "cuda.mma_fill_legacy", [], &[size, to, offset]) => {
            Instruction::Fill { size, to: at(to, offset) }
        }
        (
            "mma_store" | "cuda.mma_store" | "cuda.mma_store_legacy",
            [],
            &[m, n, to, from, offset, stride],
        ) => Instruction::Store { shape: [m, n], to, from: at(from, offset), stride },
        (
            "tvm_load_matrix_sync" | "tvm_store_matrix_sync",
            &[layout],
            &[pointer, m, n, k, index, memory, stride],
        ) => {
            let fragment = Fragment { pointer, index };
            let copy = FragmentCopy { fragment, shape: [m, n, k], memory, stride, layout };
            match name {
                "tvm_load_matrix_sync" => Instruction::LoadFragment(copy),
                _ => Instruction::StoreFragment(copy),
            }
        }
        ("tvm_fill_fragment", [], &[pointer, m, n, k, index, value]) => Instruction::FillFragment {
            fragment: Fragment { pointer, index },
            shape: [m, n, k],
            value,
        },
        (
            "tvm_mma_sync" | "tvm_bmma_sync",
            [],
            &[d, d_index, a, a_index, b, b_index, c, c_index],
        ) => {
            let fragment = |(pointer, index)| Fragment { pointer, index };
            let fragments = [(d, d_index), (a, a_index), (b, b_index), (c, c_index)].map(fragment);
            Instruction::MultiplyFragments { fragments, is_bits: name == "tvm_bmma_sync" }
        }
        (_, [], _) if !name.starts_with("tvm") => asynchronous(body, &normal(name), &values)?,
        _ => return None,
    })
}

/// Copies, commits and waits.
fn asynchronous<'a>(body: &Body, name: &str, values: &[ExprId]) -> Option<Instruction<'a>> {
    let at = |pointer, offset| At { pointer, offset: Some(offset) };
    Some(match (name, values) {
        (
            "s.tir.cp.async.raw" | "ptx.cp.async",
            &[to, to_at, from, from_at, bytes, ref rest @ ..],
        ) if rest.len() < 2 => Instruction::Copy(Copy {
            to: at(to, to_at),
            from: at(from, from_at),
            bytes,
            predicate: rest.first().copied(),
            source_bytes: None,
            is_global_only: None,
        }),
        ("ptx.cp.async.commit.group" | "ptx.commit.group", []) => Instruction::Commit,
        ("ptx.cp.async.wait.group" | "ptx.wait.group", &[newest]) => Instruction::Wait(newest),
        ("ptx.cp.async.wait.all", []) => Instruction::WaitAll,
        (copy, &[to, from, bytes, ref rest @ ..]) if rest.len() < 2 => {
            let (cache, form) = copy.strip_prefix("ptx.cp.async.c")?.split_once('.')?;
            let is_global_only = match cache {
                "a" => false,
                "g" => true,
                _ => return None,
            };
            // What is behind the two spaces is a hint for the cache.
            if !form.starts_with("shared.") || !form.contains("global") {
                return None;
            }
            let is_size = |it: &ExprId| body.dtype(*it).is_some_and(|it| it.is_integer());
            if !rest.iter().all(is_size) {
                return None;
            }
            Instruction::Copy(Copy {
                to: At { pointer: to, offset: None },
                from: At { pointer: from, offset: None },
                bytes,
                predicate: None,
                source_bytes: rest.first().copied(),
                is_global_only: Some(is_global_only),
            })
        }
        _ => return None,
    })
}

/// Rows and columns in memory of the fragment of a product, by its scope: a matrix in columns is stored as its
/// transpose.
pub fn fragment_extents(scope: MemoryScope, [m, n, k]: [i64; 3], layout: &str) -> Option<[i64; 2]> {
    let (rows, columns) = match scope {
        MemoryScope::MatrixA => (m, k),
        MemoryScope::MatrixB => (k, n),
        MemoryScope::Accumulator => (m, n),
        _ => return None,
    };
    match layout {
        "row_major" => Some([rows, columns]),
        "col_major" => Some([columns, rows]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_without_dots_and_underscores() {
        assert_eq!(normal("ptx.cp.async_.wait_group"), "ptx.cp.async.wait.group");
        assert_eq!(normal("s_tir.cp_async_raw"), "s.tir.cp.async.raw");
    }
}
