//! The reasons for which a function is not lowered, so that it has no device code.

use rules::reasons;

reasons! {
    BRANCHES = "branches",
        "Blocks with branches between them (`cf.br`, `cf.cond_br`)",
        "Write them as `scf.if`, `scf.for` and `scf.while`; `mlir-opt --lift-cf-to-scf` does it.";
    CLUSTERS = "clusters",
        "A launch in clusters of blocks",
        "Launch without clusters.";
    CODE_OUTSIDE_THREADS = "code-outside-threads",
        "A store stands between two launches: every thread of the inner one would execute it",
        "Move the store into the inner launch, under a condition that one thread fulfils.";
    CROSS_THREAD_REDUCTION = "cross-thread-reduction",
        "A block reduces over threads in a way that is not shown to give the same: its combiner, its start, its loops",
        "Reduce with `+`, `*`, `min` or `max` from its neutral element, or bind the loop after `rfactor`.";
    DEVICE_DEPENDENT_LAUNCH = "device-dependent-launch",
        "A launch extent or argument depends on a thread index",
        "Make the extent a shape, a parameter or a constant.";
    FLOAT8 = "float8",
        "A use of floats of 8 bits that is not written with integers: a parameter that is one number, strides that \
         the caller chooses, a call",
        "Convert to `float16` or `float32` in front of it.";
    GLOBAL_EXCHANGE = "global-exchange",
        "Threads of one kernel write and read global memory at different places: nothing orders them",
        "Split the kernel where the values are exchanged, or exchange them through shared memory.";
    INNER_VECTOR_INDEX = "inner-vector-index",
        "An access has a vector as an index that is not its last one",
        "Make the vector the last index, or write a loop over its lanes.";
    INTERNAL = "internal",
        "A pass broke a rule of the IR, or a step panicked: a mistake of tir-analyzer, and nothing of what it made \
         is used",
        "Report the message with the function; if it names a pass, `--passes` without that builds the function \
         meanwhile.";
    KERNEL_MEMORY = "kernel-memory",
        "Memory that is attributed to a kernel has a size that is not known",
        "Write its extents as constants.";
    KERNEL_MEMORY_OUTSIDE = "kernel-memory-outside",
        "Memory of blocks or threads is used by two kernels, or by the host",
        "Use global memory for data that two kernels share.";
    LOOP_STEP = "loop-step",
        "The step of a loop is no positive constant",
        "Count by a positive constant, and turn the index around inside.";
    MATCH_BUFFER = "match-buffer",
        "A matched part of a buffer is used by more than loads and stores",
        "Use the matched buffer by loads and stores only, or lower the function with TVM first.";
    MEMORY_SCOPE = "memory-scope",
        "A memory scope other than global, shared, shared.dyn and local",
        "Use one of these scopes.";
    NO_BODY = "no-body",
        "A kernel that is only declared",
        "Define it in this file.";
    OPERATION = "operation",
        "An operation of another language",
        "Write it with `arith`, `math`, `memref`, `scf` and `gpu` operations.";
    SOFTWARE_PIPELINE = "software-pipeline",
        "The stages and orders of a software pipeline do not fit the statements of its loop, or what they need of \
         each other",
        "Give each statement of the loop a stage and an order of its own, a statement that reads no earlier stage \
         than the one that writes.";
    THREAD_BINDING_LOOP = "thread-binding-loop",
        "A loop that is still to be bound to threads: the function is not lowered yet",
        "Lower the function, or bind the loop with `sch.bind`.";
    THREAD_INDEX = "thread-index",
        "The index of a block or thread is no signed integer",
        "Make the variable of the loop or launch an `int32` or `int64`, and convert it where it is used.";
    THREAD_REBOUND = "thread-rebound",
        "A loop over threads depends on one of the same tag around it",
        "Bind one of the loops to another tag.";
    THREAD_TAG = "thread-tag",
        "A thread axis that launches do not have, with an extent other than 1 (`vthread` …)",
        "Use `blockIdx` and `threadIdx` with `.x`, `.y` or `.z`.";
    THREADS_EXCHANGE = "threads-exchange",
        "The language's functions run on the host, one thread after the other, and the kernel cannot be taken apart \
         at its barriers",
        "Build it for a device target, or keep pointers and jumps out of the code between barriers.";
    TYPE = "type",
        "A value of a type that kernels do not compute with here",
        "Use integers, `index`, floats and memrefs of these.";
    UNKNOWN_LAUNCH = "unknown-launch",
        "Nothing in the file launches the kernel, and it does not say its sizes itself",
        "Give it `known_block_size = array<i32: 256, 1, 1>`, or launch it in this file.";
    UNLOWERED_BLOCK = "unlowered-block",
        "A block that is still to be scheduled: the function is not lowered yet",
        "Lower the function, or schedule the block.";
    VECTOR_CONTROL = "vector-control",
        "A vector loop is left by `break` or `continue`",
        "Make the loop serial, or use a condition in it.";
    VECTOR_LANES_DEPEND = "vector-lanes-depend",
        "A statement of a vector loop has no form for vectors, and its lanes cannot be shown not to touch what \
         others write",
        "Make the loop serial (`T.serial`) or unrolled.";
    VECTOR_STATEMENT = "vector-statement",
        "A statement of a vector loop can run neither on vectors nor lane by lane: it allocates, or calls with an \
         effect",
        "Make the loop serial (`T.serial`) or unrolled.";
    VTHREAD_AROUND_THREADS = "vthread-around-threads",
        "Threads are launched inside of virtual threads",
        "Put the virtual threads inside the launch.";
    VTHREAD_EFFECT = "vthread-effect",
        "A virtual thread has a barrier or another call with an effect, for which the others would have to wait",
        "Move the call out of the virtual thread.";
    WARP_MEMORY = "warp-memory",
        "Memory of scope `warp` is used by more than the registers of matrix instructions, or where a thread's part \
         is not shown to be its own",
        "Use scope `local` or `shared`.";
}
