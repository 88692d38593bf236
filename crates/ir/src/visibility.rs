//! Visibility of names: the one rule for the verifier, scopes, planners and the interpreter.
//!
//! A value is visible in the rest of the block that defines it and below, an argument of a block in all of the block.
//! Two things are otherwise:
//!
//! - the index that `T.env_thread` names is no value until a launch runs it: it is visible in the regions of the
//!   launches that do, of which there may be several beside each other;
//! - the predicate of a schedulable block stands before its body, and sees the body's arguments.

use crate::{BlockId, Body, OpId, OpKind, ValueId, ValueKind};

/// The place where a value is visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// In the whole function.
    Function,
    /// In a block and what is below it.
    Block(BlockId),
    /// In the block of an operation and what is below it, after the operation.
    After(OpId),
    /// In the regions of the launches whose thread index it is ([`OpKind::LaunchThread`]).
    Launches,
}

/// The place where a value is visible.
pub fn reach(body: &Body, value: ValueId) -> Reach {
    match body.values[value].kind {
        ValueKind::Param(_) | ValueKind::Symbol | ValueKind::Captured => Reach::Function,
        ValueKind::BlockArg(block, _) => Reach::Block(block),
        ValueKind::Result(op, _) if matches!(body.ops[op].kind, OpKind::EnvThread(_)) => {
            Reach::Launches
        }
        ValueKind::Result(op, _) => Reach::After(op),
    }
}

/// The thread index that is visible in the region of an operation and was named before it.
pub fn launched(body: &Body, op: OpId) -> Option<ValueId> {
    match body.ops[op].kind {
        OpKind::LaunchThread { var, .. } if reach(body, var) == Reach::Launches => Some(var),
        _ => None,
    }
}

/// The block below an operation whose arguments one of its operands sees.
pub fn seen_ahead(body: &Body, op: OpId, operand: usize) -> Option<BlockId> {
    let data = &body.ops[op];
    let OpKind::SBlock(block) = data.kind else { return None };
    let block = &body.sblocks[block];
    let is_predicate = block.has_predicate && operand == block.iter_vars.len();
    let region = data.regions.first().filter(|_| is_predicate)?;
    Some(body.entry(*region))
}
