//! Plans about whole operations: equal ones, dead ones, and ones that should move.
//!
//! MLIR and PIR have no expressions: every value is the result of an operation, so a plan is about operations. A plan
//! is plain data about one body ([`OpPlan`]): actions in program order, each with its justification and, where a
//! reference compiler's pass does not do it, the reason; and the refusals, with the operation in the way.
//!
//! All actions of a plan are right together. A deleted operation is the `op` of one action; its replacement is never
//! deleted.

mod carried;
mod copies;
mod kinds;

use thin_vec::ThinVec;

use super::Preset;
use crate::{OpId, ValueId};

pub use self::{
    carried::{CarriedValue, carried_values, operand_at},
    copies::{OutputCopy, copies},
    kinds::{OpActionKind, OpRefusalKind, UNKNOWN_OPERATION},
};

/// The planned actions and the refusals for the operations of one body.
#[derive(Clone, PartialEq, Debug)]
pub struct OpPlan {
    /// The rules.
    pub preset: Preset,
    /// The actions, in program order of [`OpAction::op`].
    pub actions: Vec<OpAction>,
    /// The refusals, in program order.
    pub refusals: Vec<OpRefusal>,
}

impl OpPlan {
    /// A plan that does nothing.
    pub fn empty(preset: Preset) -> OpPlan {
        OpPlan { preset, actions: Vec::new(), refusals: Vec::new() }
    }

    /// Returns true if the plan has no actions.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }
}

/// One thing that is done.
#[derive(Clone, PartialEq, Debug)]
pub struct OpAction {
    /// The operation it is about. For [`OpChange::Argument`] that of the result, or the last one of the argument's
    /// block.
    pub op: OpId,
    /// The decision.
    pub change: OpChange,
    /// The reason why it is right.
    pub kind: OpActionKind,
}

/// How the text and the body change.
#[derive(Clone, PartialEq, Debug)]
pub enum OpChange {
    /// All uses of the results become uses of those of `into`; the operation goes, with its regions.
    Merge {
        /// The equal operation, which stays.
        into: OpId,
    },
    /// As [`OpChange::Merge`]; but each value that is an output of the program gets a copy of its own behind `into`, as
    /// one value may be one output only.
    MergeWithCopies {
        /// The equal operation, which stays.
        into: OpId,
        /// The uses that become uses of a copy: user and operand, in program order.
        outputs: ThinVec<(OpId, u32)>,
    },
    /// Only the named operands change, and the operation stays: in a graph region some uses were visited before it.
    MergeUses {
        /// The equal operation.
        into: OpId,
        /// Users and the index of the operand, in program order.
        uses: ThinVec<(OpId, u32)>,
    },
    /// The operation goes, with its regions. Nothing uses it.
    Delete,
    /// The operation moves right before another one.
    Hoist {
        /// An operation of a block that dominates; nothing that it uses is defined later.
        before: OpId,
    },
    /// All uses of a block argument, or of a result of a loop or choice, become uses of another value; it itself stays.
    Argument {
        /// The argument or result.
        argument: ValueId,
        /// The value that it always equals.
        value: ValueId,
    },
    /// A loop-carried or passed value is removed ([`CarriedValue`]): the argument, its incoming value on every edge,
    /// and the result of the loop. All other actions of the plan are done with it: among them are those that take the
    /// last uses away.
    RemoveArgument {
        /// The argument.
        argument: ValueId,
    },
}

/// Something that was found and is not done.
#[derive(Clone, PartialEq, Debug)]
pub struct OpRefusal {
    /// The operation.
    pub op: OpId,
    /// The operation that it would be merged into.
    pub into: Option<OpId>,
    /// The reason why not.
    pub kind: OpRefusalKind,
    /// The obstacle, if it is one operation: the write between the two, or the operation inside a region.
    pub obstacle: Option<OpId>,
}
