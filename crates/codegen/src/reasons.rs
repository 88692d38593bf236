//! Every reason for which a function has no device code: what it means, and what to do.

/// A reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reason {
    /// Kebab-case name.
    pub name: &'static str,
    /// What it means.
    pub text: &'static str,
    /// What a person can do about it.
    pub help: &'static str,
}

const fn reason(name: &'static str, text: &'static str, help: &'static str) -> Reason {
    Reason { name, text, help }
}

/// The reason for which a mistake of ours leaves a function without code.
pub const INTERNAL: &str = "internal";

/// The reason of a name.
pub fn find(name: &str) -> Option<&'static Reason> {
    ALL.binary_search_by_key(&name, |it| it.name).ok().map(|at| &ALL[at])
}

/// All reasons, sorted by name: `tir-analyzer explain NAME` prints them.
pub const ALL: &[Reason] = &[
    reason(
        "aliased-memory",
        "Memory is accessed as elements of different widths, which this language cannot say.",
        "Give each element type memory of its own, or build for `cuda`, `hip` or `c`.",
    ),
    reason(
        "allreduce",
        "A reduction over threads has a form that is not lowered: its reducer, its axes or its place.",
        "Write the reduction as `rfactor` and a block over `threadIdx` do it: a sum, a product, a minimum, a maximum or logic, over all threads of an axis.",
    ),
    reason(
        "arch",
        "An instruction needs a later architecture than the target's `arch`.",
        "Name that one (`--target cuda:arch=sm_90`), or schedule without the instruction.",
    ),
    reason(
        "argument-type",
        "A value that the host computes has a type that a kernel of this language cannot take.",
        "Pass the value as one of `int32`, `int64`, `float32`, or through a buffer of one element.",
    ),
    reason(
        "assert-in-kernel",
        "An assertion inside a kernel: it could not stop the call.",
        "Move the assertion in front of the launch, where the host checks it.",
    ),
    reason(
        "attribute",
        "A `T.attr` whose key may change what is computed, and is not known here.",
        "Remove the attribute if nothing needs it; if its meaning is harmless, report its key.",
    ),
    reason(
        "barrier-scope",
        "A barrier of a scope other than `shared`.",
        "Write `T.tvm_storage_sync(\"shared\")`.",
    ),
    reason(
        "block-extent",
        "The number of threads of a block is no constant, which this language asks for.",
        "Make the extents of `threadIdx` constants, for example by a `split` with constant factors.",
    ),
    reason(
        "block-size",
        "A block has more threads than the architecture takes, or than the target's `max-threads` allows.",
        "Split the loop that is bound to `threadIdx` into smaller blocks, or raise `max-threads` if it is set.",
    ),
    reason(
        "branches",
        "Blocks with branches between them (`cf.br`, `cf.cond_br`).",
        "Write them as `scf.if`, `scf.for` and `scf.while`; `mlir-opt --lift-cf-to-scf` does it.",
    ),
    reason(
        "buffer-field",
        "A stride or extent of a buffer that its declaration does not write.",
        "Declare the buffer with that stride or extent, as a constant or a variable.",
    ),
    reason(
        "buffer-offset",
        "A buffer whose offset the caller chooses is accessed as if it had none.",
        "Declare the buffer with `elem_offset=0`, or without an offset.",
    ),
    reason(
        "buffer-pointer",
        "A buffer's memory is given by a computed pointer, or its pointer is used as a number.",
        "Access the memory through a declared buffer.",
    ),
    reason(
        "buffer-rank",
        "An access has another number of indices than its buffer has dimensions.",
        "Write one index for each dimension of the buffer.",
    ),
    reason(
        "buffer-view",
        "A view of a buffer other than `.view(…)` or a declaration with `data=`.",
        "Declare the view with `T.decl_buffer(…, data=…)`.",
    ),
    reason(
        "call",
        "A function that is no intrinsic is called inside a kernel.",
        "Inline the function, as a macro for example.",
    ),
    reason(
        "cast",
        "A conversion that the language cannot do with one rounding.",
        "Convert in two steps, through `float32` or `int32`.",
    ),
    reason("clusters", "A launch in clusters of blocks.", "Launch without clusters."),
    reason(
        "code-outside-threads",
        "A store stands between two launches: every thread of the inner one would execute it.",
        "Move the store into the inner launch, under a condition that one thread fulfils.",
    ),
    reason(
        "control-flow",
        "A region of several blocks.",
        "Write the branches as `if`, `for` and `while`, in MLIR as `scf`.",
    ),
    reason(
        "cross-thread-reduction",
        "A block reduces over threads in a way that is not shown to give the same: its combiner, its start, its loops.",
        "Reduce with `+`, `*`, `min` or `max` from its neutral element, or bind the loop after `rfactor`.",
    ),
    reason(
        "device-dependent-launch",
        "A launch extent or argument depends on a thread index.",
        "Make the extent a shape, a parameter or a constant.",
    ),
    reason(
        "division-by-zero",
        "A division by the constant 0.",
        "Correct the divisor, or remove the code if it is never reached.",
    ),
    reason(
        "dtype",
        "An element type that has no exact counterpart in the language.",
        "Use a type that the language has, or another target: `cuda` and `c` have most.",
    ),
    reason(
        "exchange-in-one-statement",
        "A statement reads from shared memory what other threads write in it: all have to read before one writes, and no barrier can stand in between.",
        "Compute the value first, under the same condition, and store it in a statement of its own.",
    ),
    reason(
        "exit-in-parallel-loop",
        "An assertion or a `return` inside a parallel loop.",
        "Make the loop serial, or move the assertion in front of it.",
    ),
    reason(
        "expression",
        "Something that is no value is used as one.",
        "Use a value there: a number, a variable, a load.",
    ),
    reason(
        "expression-too-large",
        "An expression grows too large when its inner bindings are written out.",
        "Bind inner parts to names as statements.",
    ),
    reason("float-floor-division", "`//` or `%` on floats.", "Write `T.floor(a / b)`."),
    reason(
        "float8",
        "A use of floats of 8 bits that is not written with integers: a parameter that is one number, strides that the caller chooses, a call.",
        "Convert to `float16` or `float32` in front of it.",
    ),
    reason(
        "free-variable",
        "A variable that neither a parameter nor a shape gives a value.",
        "Declare the variable as a parameter, or in the shape of one.",
    ),
    reason(
        "global-alloc-in-kernel",
        "Global memory is allocated inside a kernel.",
        "Allocate it in front of the launch, or in scope `shared` or `local`.",
    ),
    reason(
        "global-exchange",
        "Threads of one kernel write and read global memory at different places: nothing orders them.",
        "Split the kernel where the values are exchanged, or exchange them through shared memory.",
    ),
    reason(
        "grid-size",
        "A launch has more blocks along one dimension than this language allows (65535).",
        "Use a loop inside the kernel, or spread the blocks over x, y and z.",
    ),
    reason(
        "has-errors",
        "The text of the function has an error; `check` shows all of them.",
        "Correct what `tir-analyzer check` shows for the file.",
    ),
    reason(
        "host-call",
        "A launch extent or argument needs a call on the host.",
        "Compute the value before the call and pass it as a parameter.",
    ),
    reason(
        "host-code",
        "The function does more on the host than launching kernels: a store, a call, a loop that is not serial.",
        "Move that into a function of its own that launches nothing.",
    ),
    reason(
        "host-expression",
        "A launch extent or argument has a form that the manifest cannot say.",
        "Compute the value before the call and pass it as a parameter.",
    ),
    reason(
        "host-expression-too-large",
        "A launch extent or argument needs too many operations on the host.",
        "Compute the value before the call and pass it as a parameter.",
    ),
    reason(
        "host-load",
        "A launch extent or argument is read from memory on the host.",
        "Pass the value as a parameter: the host cannot read device memory.",
    ),
    reason(
        "host-loop-step",
        "A loop around launches has a step.",
        "Let the loop count by one, and multiply inside.",
    ),
    reason(
        "host-pointer",
        "A pointer is used as a number on the host.",
        "Access the memory through a declared buffer.",
    ),
    reason(
        "index-width",
        "An index is not shown to fit 32 bits, which the target's `index-bits=32` asks for.",
        "Show it with `T.assume` or a smaller type of a shape variable, or build with `index-bits=64`.",
    ),
    reason(
        "inner-vector-index",
        "An access has a vector as an index that is not its last one.",
        "Make the vector the last index, or write a loop over its lanes.",
    ),
    reason(
        "instruction-form",
        "An instruction of tensor cores or of the copy engine in a form that the hardware does not have, or that is not understood: its shape, types, layout, or an operand that must be a constant.",
        "Use a shape, types and layouts that the PTX ISA lists, with constants where it asks for them.",
    ),
    reason(
        "int64",
        "A 64-bit integer that is not shown to fit 32 bits, in a language without integers of 64 bits (WGSL).",
        "Use `int32` for indices and values, or another target.",
    ),
    reason(
        INTERNAL,
        "A pass broke a rule of the IR, or a step panicked: a mistake of tir-analyzer, and nothing of what it made is used.",
        "Report the message with the function; if it names a pass, `--passes` without that builds the function meanwhile.",
    ),
    reason(
        "intrinsic",
        "An intrinsic that this version does not lower, by its name.",
        "Write it with operations that are lowered, or report its name.",
    ),
    reason(
        "jump-over-allocation",
        "A jump out of a block that allocates memory of the heap, which nothing would give back.",
        "Leave the loop by its condition, or allocate in front of it.",
    ),
    reason(
        "kernel-memory",
        "Memory that is attributed to a kernel has a size that is not known.",
        "Write its extents as constants.",
    ),
    reason(
        "kernel-memory-outside",
        "Memory of blocks or threads is used by two kernels, or by the host.",
        "Use global memory for what two kernels share.",
    ),
    reason(
        "loop-step",
        "The step of a loop is no positive constant.",
        "Count by a positive constant, and turn the index around inside.",
    ),
    reason(
        "match-buffer",
        "A matched part of a buffer is used by more than loads and stores.",
        "Use the matched buffer by loads and stores only, or lower the function with TVM first.",
    ),
    reason(
        "memory-scope",
        "A memory scope other than global, shared, shared.dyn and local.",
        "Use one of these scopes.",
    ),
    reason(
        "nesting-too-deep",
        "Statements nest too deep for the placement of barriers, around launches, or for naga.",
        "Split the function, or nest less deeply.",
    ),
    reason("no-body", "A kernel that is only declared.", "Define it in this file."),
    reason(
        "nvidia-only",
        "An instruction of NVIDIA's tensor cores or copy engine, for another target.",
        "Build it for `cuda`, or schedule without the instruction.",
    ),
    reason(
        "opaque-expression",
        "An expression that is kept by its text only.",
        "Write it with operations of `T`; `tir-analyzer check` says what was not understood.",
    ),
    reason(
        "opaque-statement",
        "A statement that is kept by its text only.",
        "Write it with statements of TVMScript; `tir-analyzer check` says what was not understood.",
    ),
    reason(
        "operation",
        "An operation of another language.",
        "Write it with `arith`, `math`, `memref`, `scf` and `gpu` operations.",
    ),
    reason(
        "pointer-binding",
        "A pointer is bound to a name inside a kernel.",
        "Use `T.decl_buffer(…, data=…)` in place of the name.",
    ),
    reason(
        "predicated-access",
        "A load or store with a lane predicate.",
        "Write the access under an `if`.",
    ),
    reason(
        "reinterpret",
        "A reinterpretation between types of different widths or lanes.",
        "Reinterpret between types of as many bits.",
    ),
    reason(
        "return-in-kernel",
        "A `return` inside a kernel.",
        "Put the rest of the kernel under the opposite condition.",
    ),
    reason(
        "return-value",
        "The function returns a value: the result of a C function is a code.",
        "Store the value to a parameter.",
    ),
    reason(
        "shared-hazard-in-divergent-flow",
        "Threads exchange shared memory where only some of them pass: no barrier can stand there.",
        "Move the exchange out of the condition, or make the condition the same for all threads of a block.",
    ),
    reason(
        "shared-memory-size",
        "A kernel has more shared memory than the architecture has, or than the target's `shared-memory` allows.",
        "Use smaller tiles, or raise `shared-memory` if it is set; a later `arch` may have more.",
    ),
    reason(
        "shift-amount",
        "A shift by the width of the type or more, or by a negative number.",
        "Shift by less than the width of the type.",
    ),
    reason(
        "shuffle",
        "A `T.Shuffle` whose index is no constant of its vectors.",
        "Use constant indices.",
    ),
    reason(
        "store-type",
        "A value is stored as another type than its own.",
        "Convert the value with a cast.",
    ),
    reason(
        "thread-binding-loop",
        "A loop that is still to be bound to threads: the function is not lowered yet.",
        "Lower the function, or bind the loop with `sch.bind`.",
    ),
    reason(
        "thread-extent-mismatch",
        "One thread axis is launched with two extents in one kernel.",
        "Launch the axis with one extent, and guard what needs fewer threads.",
    ),
    reason(
        "thread-memory-size",
        "The size of local or shared memory is no constant.",
        "Make the extents constants, for example by tiles of a fixed size.",
    ),
    reason(
        "thread-rebound",
        "A loop over threads depends on one of the same tag around it.",
        "Bind one of the loops to another tag.",
    ),
    reason(
        "thread-tag",
        "A thread axis that launches do not have, with an extent other than 1 (`vthread` …).",
        "Use `blockIdx` and `threadIdx` with `.x`, `.y` or `.z`.",
    ),
    reason(
        "threads-exchange",
        "The language's functions run on the host, one thread after the other, and the kernel cannot be taken apart at its barriers.",
        "Build it for a device target, or keep pointers and jumps out of what stands between barriers.",
    ),
    reason(
        "type",
        "A value of a type that kernels do not compute with here.",
        "Use integers, `index`, floats and memrefs of these.",
    ),
    reason(
        "unknown-launch",
        "Nothing in the file launches the kernel, and it does not say its sizes itself.",
        "Give it `known_block_size = array<i32: 256, 1, 1>`, or launch it in this file.",
    ),
    reason(
        "unknown-type",
        "An expression whose type is not known.",
        "Write the type: `T.int32(…)`, or a declaration of the variable.",
    ),
    reason(
        "unlowered-block",
        "A block that is still to be scheduled: the function is not lowered yet.",
        "Lower the function, or schedule the block.",
    ),
    reason(
        "unresolved-name",
        "A name that the file does not define.",
        "Define the name in the file, or pass it as a parameter: Python is not executed.",
    ),
    reason(
        "validator",
        "naga refuses the kernel: a limit of naga, or a mistake of ours.",
        "Please report it with the function; other targets may take it.",
    ),
    reason(
        "vector-control",
        "A vector loop is left by `break` or `continue`.",
        "Make the loop serial, or use a condition in it.",
    ),
    reason(
        "vector-index",
        "A vector store reads its index from the memory it writes.",
        "Load the index into a name first.",
    ),
    reason(
        "vector-lanes-depend",
        "A statement of a vector loop has no form for vectors, and its lanes cannot be shown not to touch what others write.",
        "Make the loop serial (`T.serial`) or unrolled.",
    ),
    reason(
        "vector-statement",
        "A statement of a vector loop can run neither on vectors nor lane by lane: it allocates, or calls with an effect.",
        "Make the loop serial (`T.serial`) or unrolled.",
    ),
    reason(
        "vectorized-loop",
        "A loop that is still to be vectorised: the function is not lowered yet.",
        "Lower the function, or use a constant extent.",
    ),
    reason(
        "vthread-around-threads",
        "Threads are launched inside of virtual threads.",
        "Put the virtual threads inside the launch.",
    ),
    reason(
        "vthread-effect",
        "A virtual thread has a barrier or another call with an effect, for which the others would have to wait.",
        "Move the call out of the virtual thread.",
    ),
    reason(
        "warp-memory",
        "Memory of scope `warp` is used by more than the registers of matrix instructions, or where a thread's part is not shown to be its own.",
        "Use scope `local` or `shared`.",
    ),
];

#[cfg(test)]
mod tests {
    #[test]
    fn reasons_are_sorted_by_name_and_are_sentences() {
        assert!(super::ALL.is_sorted_by_key(|it| it.name));
        for it in super::ALL {
            assert!(it.text.ends_with('.') && it.help.ends_with('.'), "{}", it.name);
            assert_eq!(super::find(it.name), Some(it));
        }
    }
}
