//! `T.init()` of a block becomes a condition in front of its body.
//!
//! In: blocks with two regions. Out: the same blocks with one body, where the initialisation stands in
//! `if all reduction variables are at the start of their domains` after the declarations that it sees
//! (`SEMANTICS: L9`); without reduction variables there is no condition, as none could be false. Linear in the
//! operations.

use ir::{
    AllocKind, BinaryOp, Body, BufferOrigin, ExprId, IterKind, OpId, OpKind, RegionId, SBlockId,
};

use super::{LowerOptions, LowerRefusal, Origins};

pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for op in ops {
        if let OpKind::SBlock(block) = body.ops[op].kind
            && let &[main, init] = &body.ops[op].regions[..]
        {
            join(body, op, block, main, init);
        }
    }
    Ok(())
}

fn join(body: &mut Body, op: OpId, block: SBlockId, main: RegionId, init: RegionId) {
    let (into, from) = (body.entry(main), body.entry(init));
    let at = body.blocks[into].ops.iter().take_while(|it| is_declaration(body, **it)).count();
    let rest = body.blocks[into].ops.split_off(at);
    match is_first(body, block) {
        Some(condition) => {
            let branch = body.push_op(into, OpKind::If, &[condition]);
            body.ops[branch].regions.push(init);
            body.regions[init].parent = Some(branch);
        }
        None => {
            let moved = std::mem::take(&mut body.blocks[from].ops);
            for &it in &moved {
                body.ops[it].parent = into;
            }
            body.blocks[into].ops.extend(moved);
        }
    }
    body.blocks[into].ops.extend(rest);
    body.ops[op].regions.pop();
}

/// Returns the condition that every reduction variable has the first value of its domain.
fn is_first(body: &mut Body, block: SBlockId) -> Option<ExprId> {
    let iters = body.sblocks[block].iter_vars.clone();
    let reduced = iters.iter().filter(|it| it.kind == IterKind::Reduce);
    let mut all = None;
    for iter in reduced {
        let value = body.value_expr(iter.value);
        let here = body.binary(BinaryOp::Eq, value, iter.dom_min);
        all = Some(match all {
            Some(before) => body.binary(BinaryOp::And, before, here),
            None => here,
        });
    }
    all
}

/// Returns true if an operation is a declaration at the start of a block, which the initialisation of the block sees.
fn is_declaration(body: &Body, op: OpId) -> bool {
    match body.ops[op].kind {
        OpKind::Alloc { kind, .. } => kind == AllocKind::SBlock,
        OpKind::DeclBuffer { buffer } => {
            matches!(body.buffers[buffer].origin, BufferOrigin::MatchRegion(_))
        }
        _ => false,
    }
}
