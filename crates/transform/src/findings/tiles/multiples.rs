//! Sizes that a kernel might assume to be multiples of numbers.
//!
//! In: facts, with the operations that want them. Out: a finding for each fact, with the fix that assumes it. A few
//! facts a launch: O(operations).

use ir::{
    Body, OpId, ValueId,
    plan::finding::{FindingFix, FixEdit, Place, Related, Role},
};

use super::{
    super::{Finding, FindingKind, Sentence, Word},
    told,
};

/// Places that are named.
const MOST_NAMED: usize = 8;

/// That a size is a multiple of a number, which a kernel might assume.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Multiple {
    pub(super) launch: OpId,
    pub(super) size: ValueId,
    pub(super) divisor: i64,
}

/// The operations that want one fact each, in program order.
#[derive(Default)]
pub(super) struct Wanted(Vec<(Multiple, Vec<OpId>)>);

impl Wanted {
    /// Notes that an operation wants a fact; operations come in program order.
    pub(super) fn add(&mut self, fact: Multiple, op: OpId) {
        match self.0.iter_mut().find(|it| it.0 == fact) {
            Some((_, ops)) if ops.last() == Some(&op) => {}
            Some((_, ops)) => ops.push(op),
            None => self.0.push((fact, vec![op])),
        }
    }

    /// A finding for each fact, at the first operation; `why` is told the size and the number.
    pub(super) fn findings(
        &self,
        body: &Body,
        kind: FindingKind,
        also: Role,
        why: impl Fn(&str, i64) -> String,
    ) -> Vec<Finding> {
        let of = |(fact, ops): &(Multiple, Vec<OpId>)| {
            let (&first, rest) = ops.split_first()?;
            let place = Place::Op(first);
            let name = body.name(body.values[fact.size].name);
            let message = Sentence::of([place.into(), Word::Text(why(name, fact.divisor).into())]);
            let mut finding = told(kind, place, message);
            let rest = rest.iter().take(MOST_NAMED);
            finding.related.extend(rest.map(|&it| Related { place: Place::Op(it), role: also }));
            finding.fix = Some(assumption(body, *fact, first));
            Some(finding)
        };
        self.0.iter().filter_map(of).collect()
    }
}

/// The fix that assumes a fact, before the statement of the kernel around an operation.
fn assumption(body: &Body, fact: Multiple, op: OpId) -> FindingFix {
    let Multiple { launch, size: value, divisor } = fact;
    let mut before = op;
    while let Some(parent) = body.parent_op(before).filter(|&it| it != launch) {
        before = parent;
    }
    FindingFix::of(FixEdit::Assume { value, divisor, before })
}
