//! The copies that a plan makes for outputs of a program.
//!
//! In: a body and actions with [`OpChange::MergeWithCopies`]. Out: for each result that is an output somewhere, one
//! copy: a `pd_op.assign` behind the operation that stays. The text edits and the rewriter both make them of this list.
//! Linear.

use super::{OpAction, OpChange};
use crate::{Attr, Body, ExprKind, OpId, ValueId};

/// A copy of a result.
#[derive(Clone, PartialEq, Debug)]
pub struct OutputCopy {
    /// The operation that stays.
    pub into: OpId,
    /// The result of it that is copied.
    pub value: ValueId,
    /// The name of the copy: the next free number.
    pub name: String,
    /// The text of the `stop_gradient` attribute, which the operation gives for the value.
    pub stop_gradient: Option<String>,
    /// The uses that become uses of the copy: user and operand.
    pub outputs: Vec<(OpId, u32)>,
}

/// The copies of some actions, in the order in which they are made. Each is put right behind its operation: of one
/// operation, the last stands first.
pub fn copies<'a>(body: &Body, actions: impl IntoIterator<Item = &'a OpAction>) -> Vec<OutputCopy> {
    let mut res = Vec::new();
    let number = |it: &crate::Value| body.name(it.name).strip_prefix('%')?.parse::<u64>().ok();
    let mut last = None;
    for action in actions {
        let OpChange::MergeWithCopies { into, outputs } = &action.change else { continue };
        let pairs = body.ops[action.op].results.iter().zip(&body.ops[*into].results);
        for (index, (&from, &value)) in pairs.enumerate() {
            let is_of_value = |it: &&(OpId, u32)| used(body, **it) == Some(from);
            let outputs: Vec<_> = outputs.iter().filter(is_of_value).copied().collect();
            if outputs.is_empty() {
                continue;
            }
            let before = last.unwrap_or_else(|| {
                body.values.iter().filter_map(|(_, it)| number(it)).max().unwrap_or_default()
            });
            let next = before.saturating_add(1);
            last = Some(next);
            let stop_gradient = stop_gradient(body, *into, index);
            let name = format!("%{next}");
            res.push(OutputCopy { into: *into, value, name, stop_gradient, outputs });
        }
    }
    res
}

fn used(body: &Body, (user, operand): (OpId, u32)) -> Option<ValueId> {
    match body.expr(*body.ops[user].operands.get(operand as usize)?).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}

fn stop_gradient(body: &Body, op: OpId, result: usize) -> Option<String> {
    let dict = body.dict(body.ops[op].attrs);
    let (_, value) = dict.iter().find(|(key, _)| &**key == "stop_gradient")?;
    let Attr::Text(list) = value else { return None };
    let item = list.strip_prefix('[')?.strip_suffix(']')?.split(',').nth(result)?;
    Some(item.to_owned())
}
