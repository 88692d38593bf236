//! Plans about whole operations: what is equal, what is dead, what could stand somewhere else.
//!
//! MLIR and PIR have no expressions: every value is the result of an operation, so a plan is about operations. A plan is plain data
//! about one body ([`OpPlan`]): actions in program order, each with the reason why it is right and, where a peer's pass does not do
//! it, why that does not; and what was refused, with the operation that stood in the way.
//!
//! All actions of a plan are right together. An operation that goes is the `op` of one action; what takes its place never goes.

mod copies;
mod handed;

use thin_vec::ThinVec;

use super::Preset;
use crate::{OpId, ValueId};

pub use self::{
    copies::{OutputCopy, copies},
    handed::{Handed, handed, operand_at},
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

names! {
    /// Why an action is right.
    OpActionKind {
        /// Equal operation, equal operands; but Paddle does not dare to: a side effect before it, or a result that is no dense tensor.
        AfterSideEffect = "common-after-side-effect";
        /// Equal operation, equal operands, and the first dominates.
        Common = "common-operation";
        /// Equal text; but its constants are printed with six digits, so that they may differ.
        RoundedConstant = "common-rounded-constant";
        /// The same operands in another order; the operation is commutative.
        Commuted = "commuted-operation";
        /// Nothing uses it, and it does nothing else.
        Dead = "dead-operation";
        /// Nothing live uses it: its users are dead themselves.
        DeadChain = "dead-operation-chain";
        /// Two block arguments have the same value on every way in.
        EqualArguments = "equal-block-arguments";
        /// Two values that a loop or a choice hands on are the same on every way, each time.
        EqualCarried = "equal-carried-values";
        /// Every path from a common dominator computes it.
        EqualInBranches = "equal-in-branches";
        /// The same load from memory that nothing wrote in between, in another block.
        LoadAcrossBlocks = "load-across-blocks";
        /// The same sum or product with its terms in another order.
        Reassociated = "reassociated-operation";
        /// Nothing needs what the branches to a block hand over.
        UnneededArgument = "unneeded-block-argument";
        /// Nothing needs what a loop carries, but perhaps itself.
        UnneededCarried = "unneeded-carried-value";
        /// An operation with regions that read memory, which nothing wrote in between.
        RegionThatReads = "region-that-reads";
        /// The first promises less (overflow, fast math) and is right for both.
        WeakerFlags = "weaker-flags";
    }
}

impl OpActionKind {
    /// Why the peer's pass does not do it; none if it does.
    pub fn why_not_by_peer(self) -> Option<&'static str> {
        match self {
            OpActionKind::Common | OpActionKind::Dead | OpActionKind::RoundedConstant => None,
            OpActionKind::AfterSideEffect => Some(
                "it replaces nothing that depends on a side effect or on what is written in place, and nothing but dense tensors",
            ),
            OpActionKind::Commuted => {
                Some("it compares the operands of this operation in their order only")
            }
            OpActionKind::DeadChain => Some(
                "it deletes what nothing uses when it gets there, and its users were still there",
            ),
            OpActionKind::EqualInBranches => {
                Some("neither operation dominates the other, and it moves nothing")
            }
            OpActionKind::EqualArguments | OpActionKind::UnneededArgument => {
                Some("it does not look at block arguments")
            }
            OpActionKind::EqualCarried | OpActionKind::UnneededCarried => {
                Some("it does not look at what iterations and branches hand on")
            }
            OpActionKind::LoadAcrossBlocks => Some("it merges loads within one block only"),
            OpActionKind::Reassociated => Some("it compares operations with equal operands only"),
            OpActionKind::RegionThatReads => {
                Some("it merges operations with regions only if nothing in them reads memory")
            }
            OpActionKind::WeakerFlags => Some("it merges operations with equal attributes only"),
        }
    }
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

names! {
    /// Why something is not done.
    OpRefusalKind {
        /// It depends on which threads arrive together, and the two are in different blocks.
        Convergent = "convergent";
        /// The promises (overflow, fast math) of neither hold for both.
        Flags = "different-flags";
        /// A result ends a block or goes into a loop, where the peer's executor frees it.
        ControlFlow = "feeds-control-flow";
        /// Its block would be left without operations, and a region without a block.
        LastInBlock = "last-in-block";
        /// Control may leave more than its regions from inside of it.
        Leaves = "leaves-region";
        /// Its place is its meaning.
        Marker = "marker";
        /// It would be evaluated where it was not, and may trap there.
        MayTrap = "may-trap";
        /// What it reads may be written in between.
        Memory = "memory";
        /// Two executions may give two results.
        NotDeterministic = "not-deterministic";
        /// Constants are printed with six digits: equal texts may be different numbers. Likely equal.
        RoundedConstant = "rounded-constant";
        /// Both results may be one piece of memory afterwards, and somebody may write one of them.
        Alias = "shared-storage";
        /// Nobody knows what the operation does.
        UnknownOperation = "unknown-operation";
        /// It is inside of an operation that nobody knows.
        UnknownRegion = "unknown-region";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::docs;

    #[test]
    fn every_reason_is_documented() {
        let actions = OpActionKind::ALL.iter().map(|it| it.name());
        let refusals = OpRefusalKind::ALL.iter().map(|it| it.name());
        for name in actions.chain(refusals) {
            assert!(docs::find(name).is_some(), "{name}");
        }
    }
}
