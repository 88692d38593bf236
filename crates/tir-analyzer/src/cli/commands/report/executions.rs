//! The number of executions of operations in one call of their function, as estimated from the text.
//!
//! In: a body. Out: for each operation the product of the extents of the loops and launches around it. Branches count
//! as taken. O(operations).

use ir::{Body, ExprId, ExprKind, OpId, OpKind, arena::Id as _, walk::WalkEvent};

/// An extent that is no constant counts as this, and so does a `while`.
pub(super) const SYMBOLIC: f64 = 64.0;

/// Executions of operations.
pub(super) struct Executions {
    of_op: Vec<(f64, bool)>,
}

impl Executions {
    pub(super) fn of(body: &Body) -> Executions {
        let mut of_op = vec![(1.0, false); body.ops.len()];
        let mut around = vec![(1.0f64, false)];
        for event in body.walk(body.root) {
            match event {
                WalkEvent::Enter(op) => {
                    of_op[op.index()] = around.last().copied().unwrap_or((1.0, false))
                }
                WalkEvent::EnterRegion(region) => {
                    let outer = around.last().copied().unwrap_or((1.0, false));
                    let times = body.regions[region].parent.map(|it| trips(body, it));
                    around.push(match times {
                        None | Some(Trips::Once) => outer,
                        Some(Trips::Known(n)) => (outer.0 * n, outer.1),
                        Some(Trips::Unknown) => (outer.0 * SYMBOLIC, true),
                    });
                }
                WalkEvent::LeaveRegion(_) => {
                    around.pop();
                }
                WalkEvent::Leave(_) => {}
            }
        }
        Executions { of_op }
    }

    /// Returns the number of executions of an operation, and whether that is a guess.
    pub(super) fn of_op(&self, op: OpId) -> (f64, bool) {
        self.of_op[op.index()]
    }
}

enum Trips {
    Once,
    Known(f64),
    Unknown,
}

/// Returns the number of runs of the regions of an operation for each execution.
fn trips(body: &Body, op: OpId) -> Trips {
    let operands = &body.ops[op].operands;
    let constant = |it: Option<&ExprId>| match body.expr(*it?).kind {
        ExprKind::Int(value) => Some(value as f64),
        _ => None,
    };
    let known = |it: Option<f64>| it.map_or(Trips::Unknown, |it| Trips::Known(it.max(0.0)));
    match body.ops[op].kind {
        OpKind::For(_) => {
            let step = operands.get(2).map_or(Some(1.0), |it| constant(Some(it)));
            known(constant(operands.get(1)).zip(step).map(|(n, step)| (n / step.max(1.0)).ceil()))
        }
        OpKind::LaunchThread { .. } => known(constant(operands.first())),
        OpKind::While => Trips::Unknown,
        _ => Trips::Once,
    }
}
