//! Refusals: the reasons why a function cannot become device code, shared by the analysis of barriers and by the
//! lowering before it.

use ir::OpId;
use rules::Reason;

/// The reason why a function is not lowered: the result could be wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LowerRefusal {
    /// The reason.
    pub reason: Reason,
    /// The detail, as a sentence.
    pub detail: String,
    /// The operation it is about, if it is about one.
    pub op: Option<OpId>,
}

impl LowerRefusal {
    /// A refusal about the function as a whole.
    pub fn new(reason: Reason, detail: impl Into<String>) -> LowerRefusal {
        LowerRefusal { reason, detail: detail.into(), op: None }
    }

    /// The same refusal about `op`, unless it names an operation already.
    pub fn at(self, op: OpId) -> LowerRefusal {
        LowerRefusal { op: self.op.or(Some(op)), ..self }
    }
}
