//! Common subexpressions: values that are computed more than once, and the places where one binding suffices.
//!
//! In: the analyses of a body, the source's view of it if there is text. Out: a [`CsePlan`], which names every group
//! that was found with its decision; and, by [`rewrite`], the body after it. Rules of the presets: README of this
//! crate.

mod allowed;
mod binders;
mod cells;
mod downstream;
mod facts;
mod finish;
mod folding;
mod greedy;
mod index;
mod names;
mod paths;
mod place;
mod proofs;
mod rewrite;
mod shadows;
mod sharing;
mod traps;
mod tvm;
mod tvm_2022;
mod values;

use facts::Facts;
pub use rewrite::{rewrite, rewrite_counted};

use dataflow::analyses::Analyses;
use ir::plan::{CsePlan, Downstream, Equivalence, Preset, SourceView};

/// The options of planning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CseOptions {
    /// Whose rules.
    pub preset: Preset,
    /// Also applies bindings that may add a trap, as TVM does. To measure how exact the preset is; never for users'
    /// code.
    pub allow_unsound: bool,
    /// Applies the first so many bindings only.
    pub max_bindings: Option<usize>,
    /// The level of equivalence that occurrences must have. Presets that follow a peer compare as the peer does.
    pub equivalence: Equivalence,
    /// Values that are computed at fewer places are left alone. Never less than two.
    pub min_occurrences: u32,
    /// Hands the results of functions that devices compute to other last bits than hosts (`T.exp`, `T.log2`) from the
    /// host to kernels, where the host computes them anyway.
    pub share_intrinsics_across_launch: bool,
    /// Also does partial redundancies: keeps a value that some paths have computed in a scalar, and inserts the
    /// computation where a path has not computed it. Preset `default` only.
    pub partial_redundancies: bool,
    /// The compiler stage that comes after the function: before TVM, values stay unbound if a name for them would make
    /// TVM's passes evaluate something that the source does not evaluate there. Preset `default` only.
    pub downstream: Downstream,
}

impl Default for CseOptions {
    fn default() -> Self {
        CseOptions {
            preset: Preset::Default,
            allow_unsound: false,
            max_bindings: None,
            equivalence: Equivalence::Commutative,
            min_occurrences: 2,
            share_intrinsics_across_launch: false,
            partial_redundancies: false,
            downstream: Downstream::Sound,
        }
    }
}

/// The cost of planning and rewriting, for tests of linearity.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Nodes, occurrences, operations and scopes visited, each time.
    pub visited: u64,
    /// Bytes hashed. Expressions are compared by their ids, so that is all there is to hash: keys of ranges, and nodes
    /// that a rewrite makes.
    pub hashed: u64,
    /// Bytes compared, where it is not by id: keys and ids that are sorted.
    pub compared: u64,
}

/// Plans the common subexpressions of a body.
pub fn plan(
    analyses: &Analyses<'_>,
    source: Option<SourceView<'_>>,
    options: &CseOptions,
) -> CsePlan {
    plan_counted(analyses, source, options).0
}

/// Like [`plan`], with its cost.
pub fn plan_counted(
    analyses: &Analyses<'_>,
    source: Option<SourceView<'_>>,
    options: &CseOptions,
) -> (CsePlan, Work) {
    let mut work = Work::default();
    // What the user allows is as if it had no text: it neither counts nor changes.
    let is_real = |it| source.is_none_or(|view| (view.is_real)(it) && !(view.is_allowed)(it));
    let view = source.map(|view| SourceView { is_real: &is_real, ..view });
    let mut facts = Facts::collect(analyses, view, &mut work);
    let preset = options.preset.of(analyses.body.dialect);
    if preset == Preset::Default {
        facts.leave_roles(&mut work);
    }
    let mut plan = match preset {
        Preset::Tvm => tvm::plan(&facts, options, &mut work),
        Preset::Tvm2022 => tvm_2022::plan(&facts, options, &mut work),
        _ => greedy::plan(&facts, options, &mut work),
    };
    allowed::name(&mut plan, analyses.body, source.as_ref());
    (plan, work)
}

#[cfg(test)]
mod tests;
