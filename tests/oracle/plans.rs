//! The plans that are checked: `default` at every level of equivalence and with every option, and the presets that
//! follow a reference compiler.

use ir::plan::{Equivalence, Preset};
use transform::cse::CseOptions;

/// The options that make other plans, with their names; the first is the default of users.
pub(crate) fn options() -> [(&'static str, CseOptions); 8] {
    let default = |equivalence| CseOptions { equivalence, ..CseOptions::default() };
    let preset = |preset| CseOptions { preset, ..CseOptions::default() };
    let shared = CseOptions { share_intrinsics_across_launch: true, ..CseOptions::default() };
    let partial = CseOptions { partial_redundancies: true, ..CseOptions::default() };
    [
        ("default", CseOptions::default()),
        ("default, syntactic", default(Equivalence::Syntactic)),
        ("default, associative", default(Equivalence::Associative)),
        ("default, arithmetic", default(Equivalence::Arithmetic)),
        ("default, intrinsics shared across launches", shared),
        ("default, partial redundancies", partial),
        ("tvm", preset(Preset::Tvm)),
        ("tvm-2022", preset(Preset::Tvm2022)),
    ]
}
