//! Tests of the passes on text: read by the frontend, printed or edited back.

mod allowed;
mod blocks;
mod cells;
mod corpus;
mod downstream;
mod edits;
mod findings;
mod gradual;
mod json;
mod launch;
mod lets;
mod levels;
mod loads;
mod ops;
mod partial;
mod read_back;
mod roles;
mod simplify;
mod sound;
mod support;
mod traps;
mod tvm;
mod tvm_2022;
mod tvm_2022_reference;
mod tvm_upstream;
