//! Tests of the passes on text: read by the frontend, lowered, printed.

mod blocks_and_threads;
mod loops_and_memory;
mod software_pipeline;
mod support;
