//! Conversion between the protocol's types and the analysis's: the only place that knows both.

pub(crate) mod ext;
pub(crate) mod from_proto;
pub(crate) mod to_proto;
pub(crate) mod tokens;
