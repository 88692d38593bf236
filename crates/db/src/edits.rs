//! From plans to edits that were read back. Only requests for an edit call this: reading back costs as much as reading.

mod expressions;
mod operations;
mod rounds;

pub(crate) use self::operations::keep;
pub use self::{
    expressions::{
        cse_edits, finding_edits, fix_edits, plan_after, simplification_edits,
        simplifications_after,
    },
    operations::{op_edits, op_fixes, reread},
    rounds::{AllFixes, Fixes, all_fixes},
};
