//! One pass over the body of a function of statements, with the plan that it did.

use dataflow::analyses::Analyses;
use ir::{
    Body, Occurrences,
    effects::EffectTable,
    plan::{CsePlan, simplify::SimplifyPlan},
};
use transform::{
    broken::{Broken, kept},
    cse::{self, CseOptions},
    passes::Pass,
    simplify::{self, SimplifyOptions},
};

/// The plan that a pass did.
pub enum Done {
    /// Shared values.
    Sharing(CsePlan),
    /// Simpler expressions and statements, and the occurrences that they are about.
    Simplifications(Box<(Occurrences, SimplifyPlan)>),
    /// Fixes of findings.
    Fixes,
}

/// Returns the body after a pass, and the plan that it did. `sharing` are the options of [`Pass::Cse`].
///
/// # Errors
/// The rule of the IR that the body would break.
pub fn run(
    pass: Pass,
    body: &Body,
    effects: &EffectTable,
    sharing: &CseOptions,
) -> Result<(Body, Done), Broken> {
    let occurrences = Occurrences::collect(body);
    match pass {
        Pass::Cse => {
            let plan = cse::plan(&Analyses::of(body, &occurrences, effects), None, sharing);
            let after = cse::rewrite(body, &occurrences, &plan);
            Ok((kept(pass.name(), body, after)?, Done::Sharing(plan)))
        }
        Pass::Simplify => {
            let options = SimplifyOptions::default();
            let plan = simplify::plan(&Analyses::of(body, &occurrences, effects), None, &options);
            let after = simplify::rewrite(body, &occurrences, &plan);
            let after = kept(pass.name(), body, after)?;
            Ok((after, Done::Simplifications(Box::new((occurrences, plan)))))
        }
        Pass::Fix(_) => Ok((pass.checked(body, effects)?, Done::Fixes)),
    }
}
