//! Exchanges in one statement: `shared[i] = shared[i] + shared[i - 1]` reads an element that another thread writes in
//! the same statement.
//!
//! The rule is that of a program's own reading, statement after statement: all threads read before any of them writes.
//! Hardware that runs the threads of a warp in step does so by itself; everywhere else a barrier has to stand between.
//! So the value is bound to a name in front, under the conditions of the statement if they are not the same for all
//! threads, and the planner finds the barrier that goes in between:
//!
//! ```text
//! if tx >= 1:                          v = T.if_then_else(tx >= 1, shared[i] + shared[i - 1], 0)
//!     shared[i] = shared[i] + ...      if tx >= 1:
//!                                          shared[i] = v
//! ```
//!
//! In: a body, stores that [`Plan::exchanges`](super::Plan::exchanges) names. Out: the body with each of them in two. A
//! store whose conditions do more than hold it stays as it is. O(expressions moved).

use ir::{Body, DataType, ExprId, ExprKind, Lanes, OpId, OpKind, substitution::Substitution};

use super::{FoundAccess, Planner};

impl Planner<'_> {
    /// Returns true if a store reads elements that other threads write in the same statement.
    pub(super) fn is_exchange(&self, op: OpId, accesses: &[u32]) -> bool {
        if !matches!(self.body.ops[op].kind, OpKind::Store { .. }) || accesses.len() < 2 {
            return false;
        }
        let mut found = Vec::new();
        self.each_access(op, &mut |it| found.push(it));
        let element = |it: &FoundAccess| match it {
            FoundAccess::Element { buffer, indices, .. } => Some((*buffer, indices.clone())),
            FoundAccess::Pointer { .. } => None,
        };
        let all = accesses.iter().zip(&found);
        let mut writes = all.clone().filter(|it| self.accesses[*it.0 as usize].write);
        writes.any(|(&write, written)| {
            all.clone().any(|(&read, from)| {
                let [one, other] = [write, read].map(|it| &self.accesses[it as usize]);
                // What a thread reads where it writes is its own.
                !other.write
                    && one.root == other.root
                    && element(from) != element(written)
                    && self.conflict(write, read, false)
            })
        })
    }
}

/// Divides stores into a name for the value and the store of that.
pub fn divide(body: &mut Body, stores: &[OpId]) {
    for &store in stores {
        divide_one(body, store);
    }
}

fn divide_one(body: &mut Body, store: OpId) {
    let OpKind::Store { predicated: false, .. } = body.ops[store].kind else { return };
    let value = body.ops[store].operands[0];
    let Some(dtype) = body.dtype(value) else { return };
    let (outermost, conditions) = guards(body, store);
    let mut names = Substitution::default();
    let mut guarded = value;
    if !conditions.is_empty() {
        // Outer names first: inner ones may be of them.
        for &(branch, _) in conditions.iter().rev() {
            let inside = body.regions[body.ops[branch].regions[0]].blocks[0];
            for op in body.blocks[inside].ops.clone() {
                if let (OpKind::Bind, Some(&result)) =
                    (body.ops[op].kind, body.ops[op].results.first())
                {
                    let of = body.ops[op].operands[0];
                    let of = names.apply(body, of);
                    names.add(result, of);
                }
            }
        }
        guarded = names.apply(body, value);
        let Some(otherwise) = zero(body, dtype) else { return };
        for &(_, condition) in &conditions {
            let condition = names.apply(body, condition);
            guarded = body.if_then_else(condition, guarded, otherwise);
        }
    }
    let block = body.ops[outermost].parent;
    let ty = body.ty(guarded);
    let bind = body.push_op(block, OpKind::Bind, &[guarded]);
    let name = body.push_result(bind, "exchanged", ty);
    let ops = &mut body.blocks[block].ops;
    // It was appended.
    ops.pop();
    let at = ops.iter().position(|&it| it == outermost).unwrap_or(ops.len());
    ops.insert(at, bind);
    body.ops[store].operands[0] = body.value_expr(name);
}

/// The outermost condition that holds nothing but the statement and names, and those inside it with their branches, the
/// innermost first.
fn guards(body: &Body, statement: OpId) -> (OpId, Vec<(OpId, ExprId)>) {
    let (mut at, mut conditions) = (statement, Vec::new());
    while let Some(around) = body.parent_op(at) {
        let data = &body.ops[around];
        let alone = body.blocks[body.ops[at].parent].ops.iter();
        let is_alone = alone.clone().all(|&it| it == at || body.ops[it].kind == OpKind::Bind);
        if data.kind != OpKind::If || data.regions.len() != 1 || !is_alone {
            break;
        }
        conditions.push((around, data.operands[0]));
        at = around;
    }
    (at, conditions)
}

/// 0, in all lanes; none of a type that has no such value.
fn zero(body: &mut Body, dtype: DataType) -> Option<ExprId> {
    let one = dtype.element();
    let zero = match one {
        it if it.is_integer() || it.is_bool() => body.int(0, one),
        it if it.is_float() => body.float(0.0, one),
        _ => return None,
    };
    match dtype.lanes {
        Lanes::Fixed(1) => Some(zero),
        Lanes::Fixed(lanes) => {
            let lanes = body.int(lanes.into(), DataType::INT32);
            Some(body.make(ExprKind::Broadcast { value: zero, lanes }, dtype.into()))
        }
        Lanes::Scalable(_) => None,
    }
}
