//! Stores to memrefs that nothing reads before the next one, and loads of what was just stored.
//!
//! One walk over each block, in order. An element is the memref, its indices as values and the attributes of the
//! access; two accesses of equal ones are of one element. What lies between two of them decides:
//!
//! - an operation without an effect, regions or a way out: nothing;
//! - a load: it may read what may be its memory;
//! - a store: it may change what may be its memory;
//! - anything else: it reads and writes everything.
//!
//! Two memrefs are certainly apart if both are allocated in this function by different operations, or one is and the
//! other is an argument of the function, which was there before. O(operations), as a list has at most [`MOST`] elements.

use ir::{AttrDictId, Body, ExprId, OpId, RegionId, ValueId, ValueKind};
use smallvec::SmallVec;

use super::{OpFinding, OpFindingKind, OpWord, Search, text};
use crate::ops::op_traits::{Bits, value_of};

/// The limit on elements that are remembered; the oldest is forgotten.
const MOST: usize = 16;

/// An element of a memref.
#[derive(Clone, PartialEq, Eq)]
struct Element {
    memref: ValueId,
    indices: SmallVec<[ExprId; 4]>,
    attributes: AttrDictId,
}

/// A store whose element has not been written since.
struct Stored {
    element: Element,
    op: OpId,
    value: Option<ValueId>,
    /// True while nothing may have read it.
    is_unread: bool,
}

/// An access of one element.
enum Access {
    Load(Element),
    Store(Element, Option<ValueId>),
}

impl Search<'_> {
    /// The findings about the blocks of a region.
    pub(super) fn stores(&mut self, region: RegionId) {
        let body = self.body();
        for &block in &body.regions[region].blocks {
            let mut stored: Vec<Stored> = Vec::new();
            for &op in &body.blocks[block].ops {
                self.step(op, &mut stored);
            }
        }
    }

    fn step(&mut self, op: OpId, stored: &mut Vec<Stored>) {
        let body = self.body();
        match access(body, op, arith::operations::name_of(body, op)) {
            Some(Access::Load(element)) => {
                self.load(op, &element, stored);
                let may_read = |it: &Stored| !are_apart(body, it.element.memref, element.memref);
                stored.iter_mut().filter(|it| may_read(it)).for_each(|it| it.is_unread = false);
            }
            Some(Access::Store(element, value)) => {
                self.store(op, &element, stored);
                stored.retain(|it| are_apart(body, it.element.memref, element.memref));
                if stored.len() == MOST {
                    stored.remove(0);
                }
                stored.push(Stored { element, op, value, is_unread: true });
            }
            None if self.does_nothing_to_memory(op) => {}
            None => stored.clear(),
        }
    }

    fn does_nothing_to_memory(&self, op: OpId) -> bool {
        let own = self.traits.of(op);
        // New memory is no memory that was stored to.
        let effect = own.and(Bits::EFFECT).without(Bits::ALLOC);
        let others = [Bits::LOOKS, Bits::CHANGES, Bits::UNKNOWN, Bits::LEAVES, Bits::CONVERGENT];
        let is_quiet = effect == Bits::default() && !others.iter().any(|it| own.has(*it));
        is_quiet && self.body().ops[op].regions.is_empty()
    }

    fn load(&mut self, op: OpId, element: &Element, stored: &[Stored]) {
        let Some(found) = stored.iter().find(|it| it.element == *element) else { return };
        let Some(value) = found.value else { return };
        let message =
            vec![text("this load gives "), OpWord::Value(value), text(", which was stored there")];
        self.found.push(OpFinding {
            kind: OpFindingKind::RedundantLoad,
            op,
            message,
            related: vec![(found.op, "it is stored here, and nothing between may write it")],
            help: None,
        });
    }

    fn store(&mut self, op: OpId, element: &Element, stored: &[Stored]) {
        let is_dead = |it: &&Stored| it.is_unread && it.element == *element;
        let Some(dead) = stored.iter().find(is_dead) else { return };
        self.found.push(OpFinding {
            kind: OpFindingKind::DeadStore,
            op: dead.op,
            message: vec![text("nothing reads what is stored here before it is written again")],
            related: vec![(op, "it is written again here")],
            help: None,
        });
    }
}

/// The access that an operation is; none for others, and for atomic or volatile ones.
fn access(body: &Body, op: OpId, name: &str) -> Option<Access> {
    let is_store = match name {
        "memref.load" | "affine.load" => false,
        "memref.store" | "affine.store" => true,
        _ => return None,
    };
    let data = &body.ops[op];
    let at = usize::from(is_store);
    let memref = value_of(body, *data.operands.get(at)?)?;
    let indices = data.operands[at + 1..].iter().copied().collect();
    let element = Element { memref, indices, attributes: data.attrs };
    match is_store {
        true => Some(Access::Store(element, value_of(body, data.operands[0]))),
        false => Some(Access::Load(element)),
    }
}

/// Returns true if two memrefs certainly have no element in common.
fn are_apart(body: &Body, a: ValueId, b: ValueId) -> bool {
    let (is_own_a, is_own_b) = (is_own(body, a), is_own(body, b));
    a != b && (is_own_a && (is_own_b || is_argument(body, b)) || is_own_b && is_argument(body, a))
}

/// Returns true if a memref is the result of an allocation.
fn is_own(body: &Body, value: ValueId) -> bool {
    match body.values[value].kind {
        ValueKind::Result(op, _) => {
            let name = arith::operations::name_of(body, op);
            matches!(name, "memref.alloc" | "memref.alloca")
        }
        _ => false,
    }
}

/// Returns true if a value is an argument of the function.
fn is_argument(body: &Body, value: ValueId) -> bool {
    match body.values[value].kind {
        ValueKind::BlockArg(block, _) => {
            let region = body.blocks[block].parent;
            region == body.root && body.regions[region].blocks.first() == Some(&block)
        }
        _ => false,
    }
}
