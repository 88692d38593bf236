//! Marks: attributes by which nodes are printed as they were written, where their parts do not show it.

use super::Body;
use crate::{Attr, BinaryOp, BufferId, ExprId, ExprKind, OpId, OpKind, Type};

/// The attribute of a buffer whose shape is a value of Python that is not known, as written: its rank is not known.
pub const UNKNOWN_SHAPE: &str = "shape";

/// The attribute of a launch that was written as `T.attr(index, "thread_extent", n)`: to TVM its node is the variable,
/// not the axis of the threads.
pub const LAUNCH_ATTR: &str = "#attr";

/// The attribute of a `T.attr` whose node is spelled in a way that its value does not show: a constant, not a number of
/// Python.
pub const NODE: &str = "node";

/// The attribute of a buffer that an object of Python manages (`pool = T.SMEMPool()`): the call that makes it.
pub const OBJECT: &str = "#object";

/// The beginning of the name of a call that is a method of its first operand: `method.wait`.
pub const METHOD_OF: &str = "method.";

/// The beginning of the name of a call that is an attribute of its operand: `attribute.phase`.
pub const ATTRIBUTE_OF: &str = "attribute.";

/// The attribute of a buffer that is part of another by `A.sub[…]`.
pub const PART_OF: &str = "#sub";

/// The attribute of a view that is made by brackets (`A.tile(…)[…]`, `A.sub[…]` with steps): what stands in them.
pub const BRACKETS: &str = "#brackets";

/// The attribute of a scope that a call opens and describes (`with T.hint(…):`): the call.
pub const SCOPE_CALL: &str = "#scope";

/// The attribute of a call of a scope's index ([`Intrinsic::is_scope_index`]) that stands for one of several extents:
/// which one, and of how many (`x, y = T.cta_id([2, 4])`).
pub const SCOPE_AXIS: &str = "#axis";

/// The attribute of an `if` or `while` by a number, which holds where it is not zero: the condition is `number != 0`.
pub const TRUTH: &str = "truth";

/// The attribute of a binding that was written as `name = value` with a value of unknown type, and of a buffer that no
/// statement declares (`B = T.Buffer(…)`).
pub const PLAIN_NAME: &str = "plain name";

/// The attribute of a declaration that was written as an allocation of memory that another buffer has
/// (`B = T.sblock_alloc_buffer(…, data=A.data)`, as TileLang prints it).
pub const ALLOCATED_ALIAS: &str = "allocated alias";

/// The attribute of a call of a TileLang operator for an operand that is accessed in another way than the operator
/// says.
pub fn access_key(operand: usize) -> String {
    format!("#access{operand}")
}

impl Body {
    /// Returns true if an operation is a binding `name = value` of a value of unknown type. Python decides whether the
    /// name stands for the value or for memory that holds it, so nothing else is written in its place.
    pub fn is_plain_name(&self, op: OpId) -> bool {
        let data = &self.ops[op];
        matches!(data.kind, OpKind::Bind | OpKind::DeclBuffer { .. })
            && self.dict(data.attrs).iter().any(|(key, _)| &**key == PLAIN_NAME)
    }
    /// Returns true if the number of dimensions of a buffer is not known: it is accessed at any (`SEMANTICS: G4`).
    pub fn has_unknown_rank(&self, buffer: BufferId) -> bool {
        self.dict(self.buffers[buffer].attrs).iter().any(|(key, _)| &**key == UNKNOWN_SHAPE)
    }
    /// Returns which of how many indices a call of [`Intrinsic::is_scope_index`] is, where it has several extents.
    pub fn scope_axis(&self, expr: ExprId) -> Option<(usize, usize)> {
        let ExprKind::Call { attrs, .. } = self.expr(expr).kind else { return None };
        let (_, axis) = self.dict(attrs).iter().find(|(key, _)| &**key == SCOPE_AXIS)?;
        match axis {
            Attr::List(items) => match items[..] {
                [Attr::Int(axis, _), Attr::Int(count, _)] => Some((axis as usize, count as usize)),
                _ => None,
            },
            _ => None,
        }
    }
    /// Returns the condition of an `if` or `while` as it is written: the number itself where one decides.
    pub fn written_condition(&self, op: OpId) -> ExprId {
        let data = &self.ops[op];
        let condition = data.operands[0];
        let is_number = self.dict(data.attrs).iter().any(|(key, _)| &**key == TRUTH);
        match self.expr(condition).kind {
            ExprKind::Binary(BinaryOp::Ne, number, _) if is_number => number,
            _ => condition,
        }
    }

    /// Returns true if an operation is an `if` by which Python decides before there is any IR: one arm of it is the
    /// kernel (`SEMANTICS: G5`).
    pub fn is_static_choice(&self, op: OpId) -> bool {
        let data = &self.ops[op];
        data.kind == OpKind::If && data.operands.first().is_some_and(|&it| self.is_of_python(it))
    }

    /// Like [`Body::is_static_choice`], of an expression: `a if c else b`.
    pub fn is_static_selection(&self, expr: ExprId) -> bool {
        matches!(self.expr(expr).kind, ExprKind::IfThenElse(it, ..) if self.is_of_python(it))
    }

    /// Returns true if a condition is a captured value.
    fn is_of_python(&self, condition: ExprId) -> bool {
        let node = self.expr(condition);
        node.ty == Type::Unknown && !node.flags.has_unknown
    }
}
