//! The interpreter as the oracle: before and after a rewrite, and before and after the reference compiler's lowering.
//!
//! In: the samples under `tests/corpus`, or with `TIR_ORACLE_ALL=1` every file under `TIR_ORACLE_CORPUS` with a larger
//! budget. Each function runs on several arguments that are chosen by a seed; functions that cannot be run are counted
//! by reason and printed (`--nocapture`), and a test asserts the number of runs, so that nothing passes in silence.

mod compiled;
mod constructs;
mod device_instructions;
mod fixpoint;
mod functions;
mod generated;
mod inputs;
mod instructions;
mod lowering;
mod mlir_kernels;
mod mlir_run;
mod pipelines;
mod plans;
mod rewrites;
mod schedules;
mod simplify;
mod stages;
mod tally;
mod tilelang;
mod unsound;
mod unsupported;
mod work;
