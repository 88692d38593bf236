//! Every reason for which a function has no device code, with what it means and what to do.

/// Reasons and their documentation, sorted by name: `tir-analyzer explain NAME` prints it.
pub const ALL: &[(&str, &str)] = &[
    (
        "allreduce",
        "A reduction over threads has a form that is not lowered: its reducer, its axes or its place.",
    ),
    (
        "argument-type",
        "A value that the host computes has a type that a kernel of this language cannot take.",
    ),
    ("assert-in-kernel", "An assertion inside a kernel: it could not stop the call."),
    ("attribute", "A `T.attr` whose key may change what is computed, and is not known here."),
    ("barrier-scope", "A barrier of a scope other than `shared`."),
    ("block-size", "A block has more than 1024 threads, or more than 64 along z."),
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
    ("device-dependent-launch", "A launch extent or argument depends on a thread index."),
    ("dtype", "An element type that has no exact counterpart in the language."),
    ("expression", "Something that is no value is used as one."),
    (
        "expression-too-large",
        "An expression grows too large when its inner bindings are written out.",
    ),
    ("float-floor-division", "`//` or `%` on floats."),
    ("free-variable", "A variable that neither a parameter nor a shape gives a value."),
    ("global-alloc-in-kernel", "Global memory is allocated inside a kernel."),
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
    ("intrinsic", "An intrinsic that this version does not lower, by its name."),
    ("loop-step", "The step of a loop is no positive constant."),
    ("memory-scope", "A memory scope other than global, shared, shared.dyn and local."),
    ("nesting-too-deep", "Loops nest too deep for the placement of barriers, or around launches."),
    ("opaque-expression", "An expression that is kept by its text only."),
    ("opaque-statement", "A statement that is kept by its text only."),
    ("operation", "An operation of another language."),
    ("pointer-binding", "A pointer is bound to a name inside a kernel."),
    ("predicated-access", "A load or store with a lane predicate."),
    ("reinterpret", "A reinterpretation between types of different widths or lanes."),
    ("return-in-kernel", "A `return` inside a kernel."),
    (
        "shared-hazard-in-divergent-flow",
        "Threads exchange shared memory where only some of them pass: no barrier can stand there.",
    ),
    ("shared-memory-size", "More shared memory than any device has."),
    ("shuffle", "A `T.Shuffle` whose index is no constant of its vectors."),
    ("store-type", "A value is stored as another type than its own."),
    (
        "thread-binding-loop",
        "A loop that is still to be bound to threads: the function is not lowered yet.",
    ),
    ("thread-extent-mismatch", "One thread axis is launched with two extents in one kernel."),
    ("thread-memory-size", "The size of local or shared memory is no constant."),
    (
        "thread-tag",
        "A thread axis that launches do not have, with an extent other than 1 (`vthread` …).",
    ),
    ("unknown-type", "An expression whose type is not known."),
    ("unlowered-block", "A block that is still to be scheduled: the function is not lowered yet."),
    ("unresolved-name", "A name that the file does not define."),
    ("vector-index", "A vector store reads its index from the memory it writes."),
    ("vectorized-loop", "A loop that is still to be vectorised: the function is not lowered yet."),
];

#[cfg(test)]
mod tests {
    #[test]
    fn reasons_are_sorted_by_name() {
        assert!(super::ALL.is_sorted_by_key(|it| it.0));
    }
}
