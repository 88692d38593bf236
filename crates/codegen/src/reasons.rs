//! The reasons for which a function has no device code: those of this crate, and those of the crates before it.

use rules::{Reason, reasons};

pub use barriers::reasons::NESTING_TOO_DEEP;
pub use lower::reasons::{
    CODE_OUTSIDE_THREADS, DEVICE_DEPENDENT_LAUNCH, INTERNAL, LOOP_STEP, MEMORY_SCOPE, OPERATION,
    THREAD_BINDING_LOOP, THREAD_TAG, UNLOWERED_BLOCK,
};

reasons! {
    ALIASED_MEMORY = "aliased-memory",
        "Memory is accessed as elements of different widths, which this language cannot say",
        "Give each element type memory of its own, or build for `cuda`, `hip` or `c`.";
    ALLREDUCE = "allreduce",
        "A reduction over threads has a form that is not lowered: its reducer, its axes or its place",
        "Write the reduction as `rfactor` and a block over `threadIdx` do it: a sum, a product, a minimum, a maximum \
         or logic, over all threads of an axis.";
    ARCH = "arch",
        "An instruction needs a later architecture than the target's `arch`",
        "Name that one (`--target cuda:arch=sm_90`), or schedule without the instruction.";
    ARGUMENT_TYPE = "argument-type",
        "A value that the host computes has a type that a kernel of this language cannot take",
        "Pass the value as one of `int32`, `int64`, `float32`, or through a buffer of one element.";
    ASSERT_IN_KERNEL = "assert-in-kernel",
        "An assertion inside a kernel: it could not stop the call",
        "Move the assertion in front of the launch, where the host checks it.";
    ATTRIBUTE = "attribute",
        "A `T.attr` whose key may change what is computed, and is not known here",
        "Remove the attribute if nothing needs it; if its meaning is harmless, report its key.";
    BARRIER_SCOPE = "barrier-scope",
        "A barrier of a scope other than `shared`",
        "Write `T.tvm_storage_sync(\"shared\")`.";
    BLOCK_EXTENT = "block-extent",
        "The number of threads of a block is no constant, which this language asks for",
        "Make the extents of `threadIdx` constants, for example by a `split` with constant factors.";
    BLOCK_SIZE = "block-size",
        "A block has more threads than the architecture takes, or than the target's `max-threads` allows",
        "Split the loop that is bound to `threadIdx` into smaller blocks, or raise `max-threads` if it is set.";
    BUFFER_FIELD = "buffer-field",
        "A stride or extent of a buffer that its declaration does not write",
        "Declare the buffer with that stride or extent, as a constant or a variable.";
    BUFFER_OFFSET = "buffer-offset",
        "A buffer whose offset the caller chooses is accessed as if it had none",
        "Declare the buffer with `elem_offset=0`, or without an offset.";
    BUFFER_POINTER = "buffer-pointer",
        "A buffer's memory is given by a computed pointer, or its pointer is used as a number",
        "Access the memory through a declared buffer.";
    BUFFER_RANK = "buffer-rank",
        "An access has another number of indices than its buffer has dimensions",
        "Write one index for each dimension of the buffer.";
    BUFFER_VIEW = "buffer-view",
        "A view of a buffer other than `.view(…)` or a declaration with `data=`",
        "Declare the view with `T.decl_buffer(…, data=…)`.";
    CALL = "call",
        "A function that is no intrinsic is called inside a kernel",
        "Inline the function, as a macro for example.";
    CAST = "cast",
        "A conversion that the language cannot do with one rounding",
        "Convert in two steps, through `float32` or `int32`.";
    CONTROL_FLOW = "control-flow",
        "A region of several blocks",
        "Write the branches as `if`, `for` and `while`, in MLIR as `scf`.";
    DIVISION_BY_ZERO = "division-by-zero",
        "A division by the constant 0",
        "Correct the divisor, or remove the code if it is never reached.";
    DTYPE = "dtype",
        "An element type that has no exact counterpart in the language",
        "Use a type that the language has, or another target: `cuda` and `c` have most.";
    EXCHANGE_IN_ONE_STATEMENT = "exchange-in-one-statement",
        "A statement reads shared memory that other threads write in it: all have to read before one writes, \
         and no barrier can stand in between",
        "Compute the value first, under the same condition, and store it in a statement of its own.";
    EXIT_IN_PARALLEL_LOOP = "exit-in-parallel-loop",
        "An assertion or a `return` inside a parallel loop",
        "Make the loop serial, or move the assertion in front of it.";
    EXPRESSION = "expression",
        "Something that is no value is used as one",
        "Use a value there: a number, a variable, a load.";
    EXPRESSION_TOO_LARGE = "expression-too-large",
        "An expression grows too large when its inner bindings are written out",
        "Bind inner parts to names as statements.";
    FLOAT_FLOOR_DIVISION = "float-floor-division",
        "`//` or `%` on floats",
        "Write `T.floor(a / b)`.";
    FREE_VARIABLE = "free-variable",
        "A variable that neither a parameter nor a shape gives a value",
        "Declare the variable as a parameter, or in the shape of one.";
    GLOBAL_ALLOC_IN_KERNEL = "global-alloc-in-kernel",
        "Global memory is allocated inside a kernel",
        "Allocate it in front of the launch, or in scope `shared` or `local`.";
    GRID_SIZE = "grid-size",
        "A launch has more blocks along one dimension than this language allows (65535)",
        "Use a loop inside the kernel, or spread the blocks over x, y and z.";
    HAS_ERRORS = "has-errors",
        "The text of the function has an error; `check` shows all of them",
        "Correct the errors that `tir-analyzer check` reports for the file.";
    HOST_CALL = "host-call",
        "A launch extent or argument needs a call on the host",
        "Compute the value before the call and pass it as a parameter.";
    HOST_CODE = "host-code",
        "The function does more on the host than launching kernels: a store, a call, a loop that is not serial",
        "Move that into a function of its own that launches nothing.";
    HOST_EXPRESSION = "host-expression",
        "A launch extent or argument has a form that the manifest cannot say",
        "Compute the value before the call and pass it as a parameter.";
    HOST_EXPRESSION_TOO_LARGE = "host-expression-too-large",
        "A launch extent or argument needs too many operations on the host",
        "Compute the value before the call and pass it as a parameter.";
    HOST_LOAD = "host-load",
        "A launch extent or argument is read from memory on the host",
        "Pass the value as a parameter: the host cannot read device memory.";
    HOST_LOOP_STEP = "host-loop-step",
        "A loop around launches has a step",
        "Let the loop count by one, and multiply inside.";
    HOST_POINTER = "host-pointer",
        "A pointer is used as a number on the host",
        "Access the memory through a declared buffer.";
    INDEX_WIDTH = "index-width",
        "An index is not shown to fit 32 bits, which the target's `index-bits=32` asks for",
        "Show it with `T.assume` or a smaller type of a shape variable, or build with `index-bits=64`.";
    INSTRUCTION_FORM = "instruction-form",
        "An instruction of tensor cores or of the copy engine in a form that the hardware does not have, or that is \
         not understood: its shape, types, layout, or an operand that must be a constant",
        "Use a shape, types and layouts that the PTX ISA lists, with constants where it asks for them.";
    INT64 = "int64",
        "A 64-bit integer that is not shown to fit 32 bits, in a language without integers of 64 bits (WGSL)",
        "Use `int32` for indices and values, or another target.";
    INTRINSIC = "intrinsic",
        "An intrinsic that this version does not lower, by its name",
        "Write it with operations that are lowered, or report its name.";
    JUMP_OVER_ALLOCATION = "jump-over-allocation",
        "A jump out of a block that allocates memory of the heap, which nothing would give back",
        "Leave the loop by its condition, or allocate in front of it.";
    NVIDIA_ONLY = "nvidia-only",
        "An instruction of NVIDIA's tensor cores or copy engine, for another target",
        "Build it for `cuda`, or schedule without the instruction.";
    OPAQUE_EXPRESSION = "opaque-expression",
        "An expression that is kept by its text only",
        "Write it with operations of `T`; `tir-analyzer check` lists the parts that are not understood.";
    OPAQUE_STATEMENT = "opaque-statement",
        "A statement that is kept by its text only",
        "Write it with statements of TVMScript; `tir-analyzer check` lists the parts that are not understood.";
    POINTER_BINDING = "pointer-binding",
        "A pointer is bound to a name inside a kernel",
        "Use `T.decl_buffer(…, data=…)` in place of the name.";
    PREDICATED_ACCESS = "predicated-access",
        "A load or store with a lane predicate",
        "Write the access under an `if`.";
    REINTERPRET = "reinterpret",
        "A reinterpretation between types of different widths or lanes",
        "Reinterpret between types of as many bits.";
    RETURN_IN_KERNEL = "return-in-kernel",
        "A `return` inside a kernel",
        "Put the rest of the kernel under the opposite condition.";
    RETURN_VALUE = "return-value",
        "The function returns a value: the result of a C function is a code",
        "Store the value to a parameter.";
    SHARED_MEMORY_SIZE = "shared-memory-size",
        "A kernel has more shared memory than the architecture has, or than the target's `shared-memory` allows",
        "Use smaller tiles, or raise `shared-memory` if it is set; a later `arch` may have more.";
    SHIFT_AMOUNT = "shift-amount",
        "A shift by the width of the type or more, or by a negative number",
        "Shift by less than the width of the type.";
    SHUFFLE = "shuffle",
        "A `T.Shuffle` whose index is no constant of its vectors",
        "Use constant indices.";
    STORE_TYPE = "store-type",
        "A value is stored as another type than its own",
        "Convert the value with a cast.";
    THREAD_EXTENT_MISMATCH = "thread-extent-mismatch",
        "One thread axis is launched with two extents in one kernel",
        "Launch the axis with one extent, and guard the statements that need fewer threads.";
    THREAD_MEMORY_SIZE = "thread-memory-size",
        "The size of local or shared memory is no constant",
        "Make the extents constants, for example by tiles of a fixed size.";
    UNKNOWN_TYPE = "unknown-type",
        "An expression whose type is not known",
        "Write the type: `T.int32(…)`, or a declaration of the variable.";
    UNRESOLVED_NAME = "unresolved-name",
        "A name that the file does not define",
        "Define the name in the file, or pass it as a parameter: Python is not executed.";
    VALIDATOR = "validator",
        "naga refuses the kernel: a limit of naga, or a mistake of ours",
        "Please report it with the function; other targets may take it.";
    VECTOR_INDEX = "vector-index",
        "A vector store reads its index from the memory it writes",
        "Load the index into a name first.";
    VECTORIZED_LOOP = "vectorized-loop",
        "A loop that is still to be vectorised: the function is not lowered yet",
        "Lower the function, or use a constant extent.";
}

/// All reasons: those of the analysis of barriers, of the lowering and of this crate.
pub fn all() -> impl Iterator<Item = Reason> {
    [barriers::reasons::ALL, lower::reasons::ALL, ALL].into_iter().flatten().copied()
}

/// The reason of a name that was read.
pub fn find(name: &str) -> Option<Reason> {
    all().find(|it| it.name() == name)
}

/// Reasons as they are stored: by name. What names none of this version cannot be read.
pub(crate) mod by_name {
    use rules::Reason;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    /// Writes the name.
    pub(crate) fn serialize<S: Serializer>(reason: &Reason, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(reason.name())
    }

    /// Reads a name.
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Reason, D::Error> {
        let name = String::deserialize(from)?;
        super::find(&name).ok_or_else(|| D::Error::custom(format!("there is no reason `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    #[test]
    fn reasons_have_one_name_each_and_are_sentences() {
        let mut names = FxHashSet::default();
        for it in super::all() {
            assert!(names.insert(it.name()), "{it}");
            assert_eq!(super::find(it.name()), Some(it));
            assert!(!it.rule().summary.ends_with('.') && it.help().ends_with('.'), "{it}");
        }
    }
}
