//! The differences between the languages of the C family.

use ir::{BinaryOp, DataType};

use crate::kernel::{Axis, Space};

/// How a store is spelled: `open index middle value close`, or with value and index the other way round.
pub(crate) struct StoreForm {
    /// True if the value comes before the index.
    pub(crate) value_first: bool,
    /// Before the first of the two.
    pub(crate) open: String,
    /// Between them.
    pub(crate) middle: String,
    /// After the second.
    pub(crate) close: String,
}

impl StoreForm {
    /// `pointer[index] = wrap(value)`
    pub(crate) fn assign(pointer: &str, wrap: &str) -> StoreForm {
        StoreForm {
            value_first: false,
            open: format!("{pointer}["),
            middle: if wrap.is_empty() { "] = ".to_owned() } else { format!("] = {wrap}(") },
            close: if wrap.is_empty() { ";".to_owned() } else { ");".to_owned() },
        }
    }
}

/// Arithmetic in `float16`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfFunction {
    /// Computes.
    pub(crate) name: &'static str,
    /// To `float`.
    pub(crate) widen: &'static str,
    /// From `float`.
    pub(crate) narrow: &'static str,
}

/// The declarations that a kernel's text needs at its top.
#[derive(Default, Debug)]
pub(crate) struct Needs {
    /// `float16` occurs.
    pub(crate) f16: bool,
    /// `bfloat16` occurs.
    pub(crate) bf16: bool,
    /// `float64` occurs.
    pub(crate) f64: bool,
    /// Bits are read as numbers.
    pub(crate) bits: bool,
    /// A loop may run in parallel.
    pub(crate) parallel: bool,
    /// Memory comes from the heap.
    pub(crate) heap: bool,
    /// Matrices are held in fragments.
    pub(crate) wmma: bool,
}

/// How shared memory is declared.
pub(crate) struct SharedArray<'a> {
    /// Identifier.
    pub(crate) name: &'a str,
    /// Element type in memory.
    pub(crate) element: &'a str,
    /// Number of elements.
    pub(crate) len: u64,
    /// Offset in the memory that the launch gives, if it is there.
    pub(crate) dynamic_offset: Option<u64>,
}

/// A language of the C family.
pub(crate) trait Dialect {
    /// Beginnings of words that no identifier of ours may have.
    fn reserved_prefixes(&self) -> &'static [&'static str];
    /// Keywords, and names of headers and of our text; sorted.
    fn reserved_words(&self) -> &'static [&'static str];
    /// Returns true if a word belongs to a family of header names that is too large for a list.
    fn is_reserved_family(&self, word: &str) -> bool;
    /// Returns true if a word, whatever it begins with, cannot be an identifier of ours.
    fn is_reserved(&self, word: &str) -> bool {
        self.reserved_words().binary_search(&word).is_ok() || self.is_reserved_family(word)
    }
    /// Before the return type of a helper function.
    fn helper_qualifier(&self) -> &'static str;
    /// Type of a scalar in a register; `None` if the language has none.
    fn register_type(&self, dtype: DataType) -> Option<&'static str>;
    /// Type of a scalar in memory.
    fn memory_type(&self, dtype: DataType) -> Option<&'static str>;
    /// Element type of an array of ours, where it is not the memory type.
    fn array_type(&self, dtype: DataType) -> Option<&'static str> {
        self.memory_type(dtype)
    }
    /// Type under which memory of several element types is accessed: it may alias all others.
    fn alias_base(&self, dtype: DataType) -> Option<&'static str>;
    /// Qualifier of a pointer into a space, with a space after it, or nothing.
    fn space(&self, space: Space) -> &'static str;
    /// Type of a scalar kernel parameter.
    fn scalar_param(&self, dtype: DataType) -> Option<&'static str> {
        self.register_type(dtype)
    }
    /// Everything before the first helper.
    fn prologue(&self, needs: &Needs) -> String;
    /// Everything from the attributes of the kernel to the parenthesis of its parameters. `block` is the size of a
    /// block, where it is fixed.
    fn signature(&self, block: Option<[i64; 3]>) -> String;
    /// `__restrict__`
    fn restrict(&self) -> &'static str;
    /// The index of a thread axis.
    fn thread_index(&self, axis: Axis) -> String;
    /// A barrier of the block that orders shared and global memory.
    fn barrier(&self) -> &'static str;
    /// Largest static shared memory; beyond it memory is given by the launch, if the language can.
    fn static_shared_limit(&self) -> Option<u64>;
    /// A declaration of shared memory.
    fn shared_array(&self, array: &SharedArray<'_>) -> String;
    /// Suffix of an integer constant.
    fn int_suffix(&self, dtype: DataType) -> &'static str;
    /// Infinity or NaN of `float32` or `float64`.
    fn special_float(&self, value: f64, double: bool) -> &'static str;
    /// Text before and after the index of a load.
    fn load(&self, dtype: DataType, aliased: bool, pointer: &str) -> (String, String);
    /// A store.
    fn store(&self, dtype: DataType, aliased: bool, pointer: &str) -> StoreForm;
    /// Name of the helper that rounds a register to `float16` or `bfloat16`, and its text.
    fn rounding(&self, dtype: DataType) -> (&'static str, String);
    /// How `float64`, or an integer too wide for `float`, becomes `float16` or `bfloat16` with one rounding: text
    /// before and after the operand.
    fn narrow(&self, from: DataType, to: DataType) -> Option<(&'static str, &'static str)>;
    /// Spelling of a math function of `float` (`double`: of `double`), by its C name for doubles.
    fn math(&self, name: &str, double: bool) -> String;
    /// Text before and after the operand that reinterprets bits.
    fn reinterpret(&self, from: DataType, to: DataType) -> Option<(String, String)>;
    /// Spelling of an integer function (`popcount`, `clz`) for a type.
    fn int_function(&self, name: &str, dtype: DataType) -> Option<&'static str>;
    /// The definition of a math function that the language lacks.
    fn math_text(&self, _name: &str, _double: bool) -> Option<String> {
        None
    }
    /// Text before and after the operand of `isnan` and the like, as a truth value.
    fn test(&self, name: &str) -> (String, &'static str) {
        (format!("{name}("), ")")
    }
    /// Spelling of a call by which threads of a warp hand values to each other (`T.tvm_warp_shuffle` and its like), or
    /// tell which of them are there.
    fn warp_function(&self, _name: &str) -> Option<&'static str> {
        None
    }
    /// Returns true if such a call has the mask of participating threads as its first argument.
    fn warp_has_mask(&self) -> bool {
        true
    }
    /// Returns true if instructions of NVIDIA's GPUs can be written ([`crate::backend::cuda::ptx`]).
    fn has_ptx(&self) -> bool {
        false
    }
    /// Returns the text that asks for unrolling, on the line before a loop.
    fn unroll(&self) -> Option<&'static str> {
        Some("#pragma unroll")
    }
    /// The function that computes `a op b` in `float16` with one rounding and is never fused with another, and the
    /// functions that turn such a number into `float` and back, where the language has them.
    fn half_function(&self, _op: BinaryOp, _dtype: DataType) -> Option<HalfFunction> {
        None
    }
    /// The type of one access to several elements side by side, where the language has one.
    fn wide_type(&self, _element: DataType, _count: u64) -> Option<&'static str> {
        None
    }
    /// Returns true if the text is a function that the host calls: it returns a number, may fail, and may run loops in
    /// parallel.
    fn is_host(&self) -> bool {
        false
    }
    /// Returns true if signed arithmetic is written unsigned where the IR has no overflow event (`SEMANTICS: I1`).
    fn wraps_signed(&self) -> bool {
        false
    }
}
