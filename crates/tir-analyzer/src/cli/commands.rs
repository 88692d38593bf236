//! The commands, a file each: arguments in, output and an exit code out.

pub(crate) mod bisect;
pub(crate) mod book;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod dialect;
pub(crate) mod explain;
mod facts;
pub(crate) mod fix;
pub(crate) mod format;
pub(crate) mod opt;
pub(crate) mod parse;
pub(crate) mod preview;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod simplify;
pub(crate) mod values;
