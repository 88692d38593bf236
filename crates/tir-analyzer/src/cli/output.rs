//! The output of commands: texts, reports, diffs, files.

pub(crate) mod apply;
pub(crate) mod diff;
pub(crate) mod findings;
pub(crate) mod markdown;
pub(crate) mod progress;
pub(crate) mod visible;
pub(crate) mod write;

use ir::plan::TvmPass;

/// A number of things: `1 file`, `2 files`, `3 fixes`.
pub(crate) fn count(n: usize, word: &str) -> String {
    match (n, word.ends_with('x')) {
        (1, _) => format!("{n} {word}"),
        (_, true) => format!("{n} {word}es"),
        (_, false) => format!("{n} {word}s"),
    }
}

/// The note for a fix after which a pass of TVM may compile the text wrongly.
pub(crate) fn exposure(pass: TvmPass) -> String {
    format!(
        "note: if TVM compiles this, its `{}` may evaluate code around a new name where the text does not; \
         `--downstream tvm` keeps such values unbound (`tir-analyzer explain downstream`)",
        pass.name()
    )
}
