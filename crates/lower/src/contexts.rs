//! The facts at an operation while a pass changes the body.
//!
//! In: an operation. Out: a context of [`arith`] made of the enclosing operations: ranges of loops and launches,
//! conditions of `if`s. Operations before it (assertions, jumps) are ignored here; `dataflow::conditions` uses them
//! too, for a body that does not change. O(depth).

use arith::{Analyzer, ContextId};
use ir::{Body, OpId, OpKind, RegionId};

/// The context before an operation.
pub(super) fn around(analyzer: &mut Analyzer<'_>, body: &Body, op: OpId) -> ContextId {
    let mut chain: Vec<(OpId, RegionId)> = Vec::new();
    let mut at = op;
    loop {
        let region = body.blocks[body.ops[at].parent].parent;
        let Some(parent) = body.regions[region].parent else { break };
        chain.push((parent, region));
        at = parent;
    }
    let mut context = analyzer.root();
    for (op, region) in chain.into_iter().rev() {
        context = inside(analyzer, body, context, op, region);
    }
    context
}

/// The context in a region of an operation, which is reached in `context`.
pub(super) fn inside(
    analyzer: &mut Analyzer<'_>,
    body: &Body,
    context: ContextId,
    op: OpId,
    region: RegionId,
) -> ContextId {
    let data = &body.ops[op];
    match data.kind {
        OpKind::For(_) => {
            let Some(&var) = body.blocks[body.entry(region)].args.first() else { return context };
            let (min, extent) = (data.operands[0], data.operands[1]);
            match data.operands.get(2) {
                Some(&step) => analyzer.stepped(context, var, min, extent, step),
                None => analyzer.range(context, var, min, extent),
            }
        }
        OpKind::LaunchThread { var, .. } => analyzer.thread(context, var, data.operands[0]),
        OpKind::If => {
            let holds = data.regions.first() == Some(&region);
            analyzer.assume(context, data.operands[0], holds)
        }
        _ => context,
    }
}
