//! The outside view of loops and branches.
//!
//! A barrier (`if`, `for`, `while`) has up to three parts: condition or first value; extent or branch; the other branch
//! or the body. From outside only those of their largest computations are seen that at least two parts have, with the
//! counts of all. In: the body. Out: for each barrier these computations, as nodes of the body. Each is counted where
//! it is met and once more for each barrier at which two meet, so all is linear in the occurrences.

use ir::{
    Body, ExprId, ExprKind, OccurrenceId, Occurrences, OpId, OpKind, arena::Id, walk::WalkEvent,
};
use rustc_hash::FxHashMap;

use crate::cse::Work;

/// Computations with counts, in the order they are met.
pub(super) type Keys = Vec<(ExprId, u32)>;

/// By operation: its outside view.
pub(super) struct Barriers {
    of_op: FxHashMap<OpId, Keys>,
}

/// Returns true if an operation hides its contents.
pub(super) fn is_barrier(kind: OpKind) -> bool {
    matches!(kind, OpKind::For(_) | OpKind::If | OpKind::While)
}

/// The operands of an operation that the pass visits, in order.
pub(super) fn visited_operands(kind: OpKind, len: usize) -> std::ops::Range<usize> {
    match kind {
        OpKind::Store { predicated, .. } => 0..len - usize::from(predicated && len > 0),
        OpKind::For(_) => 0..len.min(2),
        OpKind::Attr(_) => 1.min(len)..len.min(2),
        OpKind::DeclBuffer { .. } | OpKind::Opaque(_) | OpKind::Named(_) => 0..0,
        _ => 0..len,
    }
}

impl Barriers {
    /// Nothing if the operation is no barrier, or nothing is seen of it.
    pub(super) fn keys(&self, op: OpId) -> &[(ExprId, u32)] {
        self.of_op.get(&op).map_or(&[], Vec::as_slice)
    }

    pub(super) fn collect(body: &Body, occurrences: &Occurrences, work: &mut Work) -> Barriers {
        let is_eligible = eligible(body);
        let mut barriers = Barriers { of_op: FxHashMap::default() };
        let mut frames: Vec<Frame> = Vec::new();
        for event in body.walk(body.root) {
            work.visited += 1;
            match event {
                WalkEvent::Enter(op) => {
                    let kind = body.ops[op].kind;
                    if is_barrier(kind) {
                        frames.push(Frame::default());
                    }
                    let Some(frame) = frames.last_mut() else { continue };
                    for operand in visited_operands(kind, body.ops[op].operands.len()) {
                        if is_barrier(kind) {
                            frame.part = operand;
                        }
                        if let Some(at) = occurrences.of_operand(op, operand) {
                            frame.add_operand(occurrences, at, &is_eligible, work);
                        }
                    }
                }
                WalkEvent::EnterRegion(region) => {
                    let Some(op) = body.regions[region].parent else { continue };
                    if let Some(frame) = frames.last_mut().filter(|_| is_barrier(body.ops[op].kind))
                    {
                        let index = body.ops[op].regions.iter().position(|&it| it == region);
                        let first = if matches!(body.ops[op].kind, OpKind::For(_)) { 2 } else { 1 };
                        frame.part = (first + index.unwrap_or_default()).min(2);
                    }
                }
                WalkEvent::Leave(op) if is_barrier(body.ops[op].kind) => {
                    let Some(frame) = frames.pop() else { continue };
                    let keys = frame.seen(work);
                    if keys.is_empty() {
                        continue;
                    }
                    if let Some(outer) = frames.last_mut() {
                        keys.iter().for_each(|&(expr, n)| outer.add(expr, n));
                    }
                    barriers.of_op.insert(op, keys);
                }
                _ => {}
            }
        }
        barriers
    }
}

/// The parts of a barrier that is being read.
#[derive(Default)]
struct Frame {
    parts: [Keys; 3],
    of_expr: [FxHashMap<ExprId, usize>; 3],
    part: usize,
}

impl Frame {
    fn add(&mut self, expr: ExprId, n: u32) {
        let part = self.part;
        match self.of_expr[part].get(&expr) {
            Some(&at) => self.parts[part][at].1 += n,
            None => {
                self.of_expr[part].insert(expr, self.parts[part].len());
                self.parts[part].push((expr, n));
            }
        }
    }

    fn add_operand(
        &mut self,
        occurrences: &Occurrences,
        operand: OccurrenceId,
        is_eligible: &[bool],
        work: &mut Work,
    ) {
        let mut at = operand;
        while at < occurrences[operand].end {
            work.visited += 1;
            let here = occurrences[at];
            if is_eligible[here.expr.index()] {
                self.add(here.expr, 1);
                at = here.end;
            } else {
                at = OccurrenceId::new(at.index() + 1);
            }
        }
    }

    /// Returns the computations that two parts have in common: of the second and the third, of the first and the
    /// second, of the first and the third.
    fn seen(&self, work: &mut Work) -> Keys {
        let mut seen = Keys::new();
        let mut is_seen = FxHashMap::default();
        for (one, other) in [(1, 2), (0, 1), (0, 2)] {
            for &(expr, _) in &self.parts[one] {
                work.visited += 1;
                if self.of_expr[other].contains_key(&expr) && is_seen.insert(expr, ()).is_none() {
                    let count = |part: usize| {
                        self.of_expr[part].get(&expr).map_or(0, |&at| self.parts[part][at].1)
                    };
                    seen.push((expr, count(0) + count(1) + count(2)));
                }
            }
        }
        seen
    }
}

/// By node: whether it may be taken out. A computation with lets in it is equal to nothing else, and meets nothing.
fn eligible(body: &Body) -> Vec<bool> {
    let mut is_forbidden: Vec<bool> = Vec::with_capacity(body.n_exprs());
    let mut is_eligible = Vec::with_capacity(body.n_exprs());
    for index in 0..body.n_exprs() {
        let node = body.expr(ExprId::new(index));
        let mut forbidden = matches!(
            node.kind,
            ExprKind::Call { .. }
                | ExprKind::IfThenElse(..)
                | ExprKind::Load { .. }
                | ExprKind::Region(..)
                | ExprKind::Slice { .. }
                | ExprKind::Tuple(_)
                | ExprKind::Opaque { .. }
                | ExprKind::Lambda { .. }
        );
        body.each_child(node.kind, &mut |child| forbidden |= is_forbidden[child.index()]);
        is_forbidden.push(forbidden);
        let is_operator = !node.is_leaf()
            && !matches!(node.kind, ExprKind::Ramp { .. } | ExprKind::Broadcast { .. });
        let has_binder = node.flags.has_binder || node.flags.open_binders > 0;
        is_eligible.push(!forbidden && is_operator && !has_binder);
    }
    is_eligible
}
