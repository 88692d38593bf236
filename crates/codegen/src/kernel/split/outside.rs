//! Code of a kernel that stands outside of some of its thread axes.

use ir::walk::WalkEvent;

use super::*;
use crate::reasons;

/// Refuses stores to memory that several threads share where the innermost thread axes are not launched yet: the
/// statement would be executed once by each of their threads.
pub(super) fn check_code_outside_threads(
    body: &Body,
    kernel: OpId,
    launch: &[LaunchDim],
    thread_vars: &FxHashMap<ValueId, Option<Axis>>,
) -> Result<()> {
    let needed: Vec<Axis> =
        launch.iter().filter(|it| it.fixed() != Some(1)).map(|it| it.axis).collect();
    let mut around: Vec<Axis> = Vec::new();
    let axis_of = |op: OpId| match body.ops[op].kind {
        OpKind::LaunchThread { var, .. } => thread_vars.get(&var).copied().flatten(),
        _ => None,
    };
    around.extend(axis_of(kernel));
    for event in body.ops[kernel].regions.iter().flat_map(|&it| body.walk(it)) {
        let op = match event {
            WalkEvent::Enter(op) => op,
            WalkEvent::Leave(op) => {
                if axis_of(op).is_some() {
                    around.pop();
                }
                continue;
            }
            _ => continue,
        };
        around.extend(axis_of(op));
        let OpKind::Store { buffer, .. } = body.ops[op].kind else { continue };
        if let Root::Alloc(owner) = root_of(body, buffer)?
            && space(body, owner)? == Space::Local
        {
            continue;
        }
        if let Some(axis) = needed.iter().find(|it| !around.contains(it)) {
            let tag = axis.tag();
            let refusal = Refusal::new(
                reasons::CODE_OUTSIDE_THREADS,
                format!("a store stands outside the launch of `{tag}` that its kernel has"),
            );
            return Err(refusal.at(op));
        }
    }
    Ok(())
}
