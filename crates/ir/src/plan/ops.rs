//! Plans about whole operations: what is equal, what is dead, what could stand somewhere else.
//!
//! MLIR and PIR have no expressions: every value is the result of an operation, so a plan is about operations. A plan is plain data
//! about one body ([`OpPlan`]): actions in program order, each with the reason why it is right and, where a peer's pass does not do
//! it, why that does not; and what was refused, with the operation that stood in the way.
//!
//! All actions of a plan are right together. An operation that goes is the `op` of one action; what takes its place never goes.

mod copies;
mod handed;
mod kinds;

use thin_vec::ThinVec;

use super::Preset;
use crate::{OpId, ValueId};

pub use self::{
    copies::{OutputCopy, copies},
    handed::{Handed, handed, operand_at},
    kinds::{OpActionKind, OpRefusalKind, UNKNOWN_OPERATION},
};

/// What is done about the operations of one body, and what is not.
#[derive(Clone, PartialEq, Debug)]
pub struct OpPlan {
    /// The rules.
    pub preset: Preset,
    /// What is done, in program order of [`OpAction::op`].
    pub actions: Vec<OpAction>,
    /// What was found and is not done, in program order.
    pub refusals: Vec<OpRefusal>,
}

impl OpPlan {
    /// A plan that does nothing.
    pub fn empty(preset: Preset) -> OpPlan {
        OpPlan { preset, actions: Vec::new(), refusals: Vec::new() }
    }

    /// Whether nothing is done.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }
}

/// One thing that is done.
#[derive(Clone, PartialEq, Debug)]
pub struct OpAction {
    /// The operation it is about. For [`OpChange::Argument`] that of the result, or the last one of the argument's block.
    pub op: OpId,
    /// What is done.
    pub change: OpChange,
    /// Why it is right.
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
    /// As [`OpChange::Merge`]; but each value that is an output of the program gets a copy of its own behind `into`, as one value may be
    /// one output only.
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
    /// A value is handed on no more ([`Handed`]): the argument goes, with what every way gives for it and the result of the loop. All other
    /// actions of the plan are done with it: among them are those that take the last uses away.
    Drop {
        /// The argument.
        argument: ValueId,
    },
}

/// Something that was found and is not done.
#[derive(Clone, PartialEq, Debug)]
pub struct OpRefusal {
    /// The operation.
    pub op: OpId,
    /// What it would be merged into.
    pub into: Option<OpId>,
    /// Why not.
    pub kind: OpRefusalKind,
    /// What stands in the way, where it is one operation: the write between, or the operation inside a region.
    pub obstacle: Option<OpId>,
}
