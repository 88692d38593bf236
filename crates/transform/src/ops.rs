//! Equal and dead operations of MLIR and PIR: the operation that can replace another one, and dead code elimination.
//!
//! In: a body of operations, the effects table, options. Out: an [`OpPlan`]; and, by [`rewrite`], the body after it.
//! The presets `mlir` do what `mlir-opt -cse` does, pass by pass and quirk by quirk (`mlir_cse`), without what it does
//! and should not: that is refused by name unless asked for.
//!
//! | module | is |
//! |---|---|
//! | `op_traits` | what an operation is: the reference compiler's word, and the table's |
//! | `scoped_walk` | the walk in the order of dominance, whose visitors are the next two |
//! | `summary` | uses, and what operations do with all that is inside of them |
//! | `mlir_cse` | the presets `mlir` |
//! | `gvn`, `keys`, `versions`, `hoist`, `dead` | preset `default`: global value numbering |
//! | `arguments`, `congruence` | arguments, loop-carried and yielded values, and which of them are equal |
//! | `unneeded` | arguments and loop-carried values that nothing needs |
//! | `table`, `equal`, `digest` | known operations; equality; digests of regions |
//! | `kept` | what keeps an operation from being merged into one like it, on request |
//! | `needs` | parts of a plan that are right without the rest |
//! | `pir` | programs of Paddle: its preset, and the default plan |
//! | `rewrite` | applies a plan to a body |

mod arguments;
mod congruence;
mod dead;
mod digest;
mod equal;
pub mod findings;
mod gvn;
mod hoist;
pub mod kept;
mod keys;
mod mlir_cse;
mod needs;
mod op_traits;
mod pir;
mod rewrite;
mod scoped_walk;
mod summary;
mod table;
mod unneeded;
mod versions;

use ir::{
    Body, Dialect,
    effects::EffectTable,
    plan::{Preset, ops::OpPlan},
};

pub use needs::{Needs, part, with_needs};
pub use rewrite::rewrite;

/// The options of planning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OpOptions {
    /// Whose rules.
    pub preset: Preset,
    /// Also does what the reference compiler does unsoundly. To measure how exact the preset is; never for users' code.
    pub allow_unsound: bool,
}

impl Default for OpOptions {
    fn default() -> Self {
        OpOptions { preset: Preset::Default, allow_unsound: false }
    }
}

/// The cost of planning, for tests of linearity.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct OpWork {
    /// Operations visited, each time, and hashed, each time.
    pub visited: u64,
    /// Pairs of operations compared.
    pub compared: u64,
}

/// Plans the equal and dead operations of `body`.
pub fn plan(body: &Body, effects: &EffectTable, options: &OpOptions) -> OpPlan {
    plan_counted(body, effects, options).0
}

/// Like [`plan`], with its cost.
pub fn plan_counted(body: &Body, effects: &EffectTable, options: &OpOptions) -> (OpPlan, OpWork) {
    let options = &OpOptions { preset: options.preset.of(body.dialect), ..*options };
    match (body.dialect, options.preset) {
        (Dialect::Pir, _) => pir::plan(body, effects, options),
        (_, Preset::Default) => gvn::plan(body, effects),
        _ => mlir_cse::plan(body, effects, options),
    }
}
