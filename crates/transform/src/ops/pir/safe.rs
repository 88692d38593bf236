//! The operations that Paddle's pass may replace.
//!
//! Not one with the trait of a side effect, with a result that is no dense tensor (or a list of such), with a result
//! that ends a block, goes into a loop or is overwritten in place by its user, nor one that uses a result of such an
//! operation. Facts of the users are gathered once; deciding looks at an operation's own operands and results.

use ir::{
    Body, ExprKind, NameId, OpId, OpKind, Type, ValueId, ValueKind, arena::Id, effects::paddle_op,
    known_ops,
};

/// Returns true if the operation is a parameter or an input of the program: never compared, never replaced.
pub(super) fn is_terminal(body: &Body, op: OpId) -> bool {
    matches!(
        name(body, op),
        Some(
            known_ops::PD_OP_DATA
                | known_ops::BUILTIN_PARAMETER
                | known_ops::BUILTIN_CONSTANT_TENSOR
        )
    )
}

fn name(body: &Body, op: OpId) -> Option<NameId> {
    match body.ops[op].kind {
        OpKind::Named(name) | OpKind::Opaque(name) => Some(name),
        _ => None,
    }
}

/// The facts about the operations of a body.
pub(super) struct Safety {
    safe: Vec<bool>,
    /// Results that end a block or go into a loop, by operation.
    to_control_flow: Vec<bool>,
    /// Results that a user overwrites, by operation.
    overwritten: Vec<bool>,
    /// Uses of results as outputs of the program: the operation, the user, the operand; sorted.
    outputs: Vec<(OpId, (OpId, u32))>,
}

impl Safety {
    /// Gathers the uses of results. Linear.
    pub(super) fn new(body: &Body) -> Safety {
        let n_ops = body.ops.len();
        let mut res = Safety {
            safe: vec![false; n_ops],
            to_control_flow: vec![false; n_ops],
            overwritten: vec![false; n_ops],
            outputs: Vec::new(),
        };
        for (user, data) in body.ops.iter() {
            let user_name = name(body, user);
            let is_control_flow =
                matches!(user_name, Some(known_ops::CF_YIELD | known_ops::PD_OP_WHILE));
            let is_output = user_name == Some(known_ops::BUILTIN_SHADOW_OUTPUT);
            let known = user_name.and_then(|it| paddle_op(body.name(it)));
            let overwrites = known.map_or(&[][..], |it| &it.overwrites);
            for (index, &operand) in (0u32..).zip(&data.operands) {
                let ExprKind::Value(value) = body.expr(operand).kind else { continue };
                let ValueKind::Result(op, _) = body.values[value].kind else { continue };
                res.to_control_flow[op.index()] |= is_control_flow;
                res.overwritten[op.index()] |= overwrites.contains(&index);
                if is_output {
                    res.outputs.push((op, (user, index)));
                }
            }
        }
        res.outputs.sort_unstable();
        res
    }

    /// Decides on an operation after all that it uses.
    pub(super) fn decide(&mut self, body: &Body, op: OpId) {
        let data = &body.ops[op];
        let is_named = matches!(data.kind, OpKind::Named(_));
        let registered = name(body, op).and_then(|it| paddle_op(body.name(it)));
        self.safe[op.index()] = is_named
            && !registered.is_some_and(|it| it.has_side_effect)
            && !self.to_control_flow[op.index()]
            && !self.overwritten[op.index()]
            && data.results.iter().enumerate().all(|(index, &it)| is_dense(body, op, index, it))
            && data.operands.iter().all(|&it| match body.expr(it).kind {
                ExprKind::Value(value) => self.is_safe_value(body, value),
                _ => true,
            });
    }

    fn is_safe_value(&self, body: &Body, value: ValueId) -> bool {
        match body.values[value].kind {
            ValueKind::Result(op, _) => is_terminal(body, op) || self.safe[op.index()],
            _ => true,
        }
    }

    /// Returns the answer of [`Safety::decide`].
    pub(super) fn is_safe(&self, op: OpId) -> bool {
        self.safe[op.index()]
    }

    /// Returns true if a result ends a block or goes into a loop.
    pub(super) fn feeds_control_flow(&self, op: OpId) -> bool {
        self.to_control_flow[op.index()]
    }

    /// The outputs of the program that are results of the operation, in program order: user and operand.
    pub(super) fn outputs(&self, op: OpId) -> impl Iterator<Item = (OpId, u32)> + '_ {
        let first = self.outputs.partition_point(|it| it.0 < op);
        self.outputs[first..].iter().take_while(move |it| it.0 == op).map(|it| it.1)
    }
}

/// Returns true if a result is a dense tensor, or a list of them.
fn is_dense(body: &Body, op: OpId, index: usize, value: ValueId) -> bool {
    let mut ty = body.values[value].ty;
    if ty == Type::Unknown && name(body, op) == Some(known_ops::PD_OP_WHILE) {
        // Types of loops are not printed; results are what goes round, behind the condition.
        let inner = body.ops[op].operands.get(index + 1).map(|&it| body.ty(it));
        ty = inner.unwrap_or(Type::Unknown);
    }
    let Type::Named(text) = ty else { return ty == Type::Unknown };
    let text = body.name(text);
    match text.strip_prefix("vec[").and_then(|it| it.strip_suffix(']')) {
        Some("") => true,
        Some(items) => items.split(',').all(|it| it.trim().starts_with("tensor<")),
        None => text.starts_with("tensor<"),
    }
}
