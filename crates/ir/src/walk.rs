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
}

impl Iterator for Walk<'_> {
    type Item = WalkEvent;

    fn next(&mut self) -> Option<WalkEvent> {
        let event = self.stack.pop()?;
        match event {
            WalkEvent::Enter(op) => {
                self.stack.push(WalkEvent::Leave(op));
                for &region in self.body.ops[op].regions.iter().rev() {
                    self.stack.push(WalkEvent::EnterRegion(region));
                }
            }
            WalkEvent::EnterRegion(region) => {
                self.stack.push(WalkEvent::LeaveRegion(region));
                for &block in self.body.regions[region].blocks.iter().rev() {
                    self.stack.extend(
                        self.body.blocks[block].ops.iter().rev().map(|&op| WalkEvent::Enter(op)),
                    );
                }
            }
            WalkEvent::LeaveRegion(_) | WalkEvent::Leave(_) => {}
        }
        Some(event)
    }
}

impl Body {
    /// Walks a region and all in it. O(operations).
    pub fn walk(&self, region: RegionId) -> Walk<'_> {
        Walk { body: self, stack: vec![WalkEvent::EnterRegion(region)] }
    }

    /// The operations of the whole function, each before those in its regions.
    pub fn ops_preorder(&self) -> impl Iterator<Item = OpId> + '_ {
        self.walk(self.root).filter_map(|event| match event {
            WalkEvent::Enter(op) => Some(op),
            _ => None,
        })
    }
}
