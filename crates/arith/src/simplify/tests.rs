//! Tables of inputs with their results, and random expressions against evaluation.

mod against_values;
mod arithmetic;
mod conditions;
mod explanations;
mod growth;
mod launches;
mod refused;
mod support;
mod vectors;
