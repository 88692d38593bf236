//! Every reason for which a function has no device code, with what it means and what to do.

/// Reasons and their documentation, sorted by name: `tir-analyzer explain NAME` prints it.
pub const ALL: &[(&str, &str)] = &[
    (
        "aliased-memory",
        "Memory is accessed as elements of different widths, which this language cannot say.",
    ),
    (
        "allreduce",
        "A reduction over threads has a form that is not lowered: its reducer, its axes or its place.",
    ),
    (
        "arch",
        "An instruction needs a later architecture than the target's `arch`: name that one, or schedule without the instruction.",
    ),
    (
        "argument-type",
        "A value that the host computes has a type that a kernel of this language cannot take.",
    ),
    ("assert-in-kernel", "An assertion inside a kernel: it could not stop the call."),
    ("attribute", "A `T.attr` whose key may change what is computed, and is not known here."),
    ("barrier-scope", "A barrier of a scope other than `shared`."),
    (
        "block-extent",
        "The number of threads of a block is no constant, which this language asks for.",
    ),
    (
        "block-size",
        "A block has more threads than the architecture takes, or than the target's `max-threads` allows.",
    ),
    ("buffer-field", "A stride or extent of a buffer that its declaration does not write."),
    ("buffer-offset", "A buffer whose offset the caller chooses is accessed as if it had none."),
    (
        "buffer-pointer",
        "A buffer's memory is given by a computed pointer, or its pointer is used as a number.",
    ),
    ("buffer-rank", "An access has another number of indices than its buffer has dimensions."),
    ("buffer-view", "A view of a buffer other than `.view(…)` or a declaration with `data=`."),
    ("call", "A function that is no intrinsic is called inside a kernel."),
    ("cast", "A conversion that the language cannot do with one rounding."),
    (
        "code-outside-threads",
        "A store stands between two launches: every thread of the inner one would execute it.",
    ),
    ("control-flow", "A region of several blocks."),
    (
        "cross-thread-reduction",
        "A block reduces over threads in a way that is not shown to give the same: its combiner, its start, its loops.",
    ),
    ("device-dependent-launch", "A launch extent or argument depends on a thread index."),
    ("division-by-zero", "A division by the constant 0."),
    ("dtype", "An element type that has no exact counterpart in the language."),
    ("exit-in-parallel-loop", "An assertion or a `return` inside a parallel loop."),
    ("expression", "Something that is no value is used as one."),
    (
        "expression-too-large",
        "An expression grows too large when its inner bindings are written out.",
    ),
    ("float-floor-division", "`//` or `%` on floats."),
    (
        "float8",
        "A use of floats of 8 bits that is not written with integers: a parameter that is one number, strides that the caller chooses, a call.",
    ),
    ("free-variable", "A variable that neither a parameter nor a shape gives a value."),
    ("global-alloc-in-kernel", "Global memory is allocated inside a kernel."),
    (
        "global-exchange",
        "Threads of one kernel write and read global memory at different places: nothing orders them.",
    ),
    (
        "grid-size",
        "A launch has more blocks along one dimension than this language allows (65535).",
    ),
    ("has-errors", "The text of the function has an error; `check` shows all of them."),
    ("host-call", "A launch extent or argument needs a call on the host."),
    (
        "host-code",
        "The function does more on the host than launching kernels: a store, a call, a loop that is not serial.",
    ),
    ("host-expression", "A launch extent or argument has a form that the manifest cannot say."),
    (
        "host-expression-too-large",
        "A launch extent or argument needs too many operations on the host.",
    ),
    ("host-load", "A launch extent or argument is read from memory on the host."),
    ("host-loop-step", "A loop around launches has a step."),
    ("host-pointer", "A pointer is used as a number on the host."),
    (
        "index-width",
        "An index is not shown to fit 32 bits, which the target's `index-bits=32` asks for. `T.assume` or a smaller type of a shape variable may show it.",
    ),
    (
        "instruction-form",
        "An instruction of tensor cores or of the copy engine in a form that the hardware does not have, or that is not understood: its shape, types, layout, or an operand that must be a constant.",
    ),
    (
        "int64",
        "A 64-bit integer that is not shown to fit 32 bits, in a language without integers of 64 bits (WGSL).",
    ),
    ("intrinsic", "An intrinsic that this version does not lower, by its name."),
    (
        "jump-over-allocation",
        "A jump out of a block that allocates memory of the heap, which nothing would give back.",
    ),
    (
        "kernel-memory-outside",
        "Memory of blocks or threads is used by two kernels, or by the host.",
    ),
    ("loop-step", "The step of a loop is no positive constant."),
    ("match-buffer", "A matched part of a buffer is used by more than loads and stores."),
    ("memory-scope", "A memory scope other than global, shared, shared.dyn and local."),
    (
        "nesting-too-deep",
        "Statements nest too deep for the placement of barriers, around launches, or for naga.",
    ),
    (
        "nvidia-only",
        "An instruction of NVIDIA's tensor cores or copy engine, for another target: build it for `cuda`, or schedule without it.",
    ),
    ("opaque-expression", "An expression that is kept by its text only."),
    ("opaque-statement", "A statement that is kept by its text only."),
    ("operation", "An operation of another language."),
    ("pointer-binding", "A pointer is bound to a name inside a kernel."),
    ("predicated-access", "A load or store with a lane predicate."),
    ("reinterpret", "A reinterpretation between types of different widths or lanes."),
    ("return-in-kernel", "A `return` inside a kernel."),
    ("return-value", "The function returns a value: the result of a C function is a code."),
    (
        "shared-hazard-in-divergent-flow",
        "Threads exchange shared memory where only some of them pass: no barrier can stand there.",
    ),
    (
        "shared-memory-size",
        "A kernel has more shared memory than the architecture has, or than the target's `shared-memory` allows.",
    ),
    ("shift-amount", "A shift by the width of the type or more, or by a negative number."),
    ("shuffle", "A `T.Shuffle` whose index is no constant of its vectors."),
    ("store-type", "A value is stored as another type than its own."),
    (
        "thread-binding-loop",
        "A loop that is still to be bound to threads: the function is not lowered yet.",
    ),
    ("thread-extent-mismatch", "One thread axis is launched with two extents in one kernel."),
    ("thread-memory-size", "The size of local or shared memory is no constant."),
    ("thread-rebound", "A loop over threads depends on one of the same tag around it."),
    (
        "thread-tag",
        "A thread axis that launches do not have, with an extent other than 1 (`vthread` …).",
    ),
    (
        "threads-exchange",
        "The language's functions run on the host, one thread after the other, and the kernel cannot be taken apart at its barriers.",
    ),
    ("unknown-type", "An expression whose type is not known."),
    ("unlowered-block", "A block that is still to be scheduled: the function is not lowered yet."),
    ("unresolved-name", "A name that the file does not define."),
    ("validator", "naga refuses the kernel: a limit of naga, or a mistake of ours."),
    ("vector-control", "A vector loop is left by `break` or `continue`."),
    ("vector-index", "A vector store reads its index from the memory it writes."),
    (
        "vector-lanes-depend",
        "A statement of a vector loop has no form for vectors, and its lanes cannot be shown not to touch what others write.",
    ),
    (
        "vector-statement",
        "A statement of a vector loop can run neither on vectors nor lane by lane: it allocates, or calls with an effect.",
    ),
    ("vectorized-loop", "A loop that is still to be vectorised: the function is not lowered yet."),
    ("vthread-around-threads", "Threads are launched inside of virtual threads."),
    (
        "vthread-effect",
        "A virtual thread has a barrier or another call with an effect, for which the others would have to wait.",
    ),
    (
        "warp-memory",
        "Memory of scope `warp` is used by more than the registers of matrix instructions, or where a thread's part is not shown to be its own.",
    ),
];

#[cfg(test)]
mod tests {
    #[test]
    fn reasons_are_sorted_by_name() {
        assert!(super::ALL.is_sorted_by_key(|it| it.0));
    }
}
