//! Walks over the operations of a body, in program order, without native recursion.

use crate::{Body, OpId, RegionId};

/// A step of [`Body::walk`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WalkEvent {
    /// Before an operation and all in it.
    Enter(OpId),
    /// Before one of its regions.
    EnterRegion(RegionId),
    /// After one of its regions.
    LeaveRegion(RegionId),
    /// After an operation and all in it.
    Leave(OpId),
}

/// Iterator of [`Body::walk`].
pub struct Walk<'a> {
    body: &'a Body,
    stack: Vec<WalkEvent>,
    /// The operation that was entered last, if there is nothing in it.
    entered: Option<OpId>,
}

impl Iterator for Walk<'_> {
    type Item = WalkEvent;

    #[inline]
    fn next(&mut self) -> Option<WalkEvent> {
        if let Some(op) = self.entered.take() {
            return Some(WalkEvent::Leave(op));
        }
        crate::interrupt::check();
        let event = self.stack.pop()?;
        match event {
            WalkEvent::Enter(op) => match &self.body.ops[op].regions[..] {
                [] => self.entered = Some(op),
                regions => {
                    self.stack.push(WalkEvent::Leave(op));
                    self.stack.extend(regions.iter().rev().map(|&it| WalkEvent::EnterRegion(it)));
                }
            },
            WalkEvent::EnterRegion(region) => {
                self.stack.push(WalkEvent::LeaveRegion(region));
                push_ops(self.body, region, &mut self.stack, WalkEvent::Enter);
            }
            WalkEvent::LeaveRegion(_) | WalkEvent::Leave(_) => {}
        }
        Some(event)
    }
}

/// Puts the operations of a region on a stack, the first on top.
fn push_ops<T>(body: &Body, region: RegionId, stack: &mut Vec<T>, of_op: impl Fn(OpId) -> T) {
    for &block in body.regions[region].blocks.iter().rev() {
        stack.extend(body.blocks[block].ops.iter().rev().map(|&op| of_op(op)));
    }
}

impl Body {
    /// Walks a region and all in it. O(operations).
    pub fn walk(&self, region: RegionId) -> Walk<'_> {
        Walk { body: self, stack: vec![WalkEvent::EnterRegion(region)], entered: None }
    }

    /// The operations of the whole function, each before those in its regions.
    pub fn ops_preorder(&self) -> impl Iterator<Item = OpId> + '_ {
        let mut stack = Vec::with_capacity(self.ops.len().min(64));
        push_ops(self, self.root, &mut stack, |op| op);
        std::iter::from_fn(move || {
            crate::interrupt::check();
            let op = stack.pop()?;
            for &region in self.ops[op].regions.iter().rev() {
                push_ops(self, region, &mut stack, |op| op);
            }
            Some(op)
        })
    }
}
