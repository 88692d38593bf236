//! The effects of a call: its row, refined by its operands.
//!
//! In: a call of a body. Out: the [`OpEffects`] that hold for it, and for each operand the use that the call makes of
//! it. This is the one place that decides whether a call may write through a pointer; every analysis and every planner
//! asks here.
//!
//! The rule: an operand that is a pointer or a place (an address, a buffer, a region, a list of these, a value of
//! unknown type) may be read and written through by the call, unless the row names the operand in `addresses` or
//! `reads`. A row with `none`, `read` or `alloc` therefore holds only if it describes every such operand; any other
//! call is unknown. It may also say for how many operands it holds. An element `A[i]` is its value where a row of these
//! effects takes it, and a place in all other calls, unless the row names it in `numbers`, `addresses` or `reads`.
//! O(operands).

#[cfg(test)]
mod tests;

use super::{
    EffectTable, MemoryEffect, OpEffects,
    operands::{Operand, OperandUse},
};
use crate::{
    Attr, AttrDictId, Body, BufferField, Callee, ExprId, ExprKind, Intrinsic, Type, TypeCode,
    attr::AttrDict,
};

/// A call of more operands than this is not looked at: nothing is known of it.
const MOST_OPERANDS: usize = 1024;

/// How an element that is given to a call is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Its value is taken.
    Value,
    /// It is the place to read or write.
    Target,
    /// Its address is taken; it is not evaluated.
    Name,
}

/// The visible form of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Given {
    /// A number, a string, the value of an element.
    Number,
    /// Perhaps a pointer.
    Unknown,
    /// A pointer, a buffer, a region, or a list with one.
    Pointer,
}

impl EffectTable {
    /// The effects of a call, its operands considered. A node that is no call is unknown. Other functions and unknown
    /// callees may do anything (X2).
    pub fn call(&self, body: &Body, kind: ExprKind) -> &OpEffects {
        match kind {
            ExprKind::Call { callee, args, attrs, .. } => {
                self.given(body, callee, body.items(args), attrs)
            }
            _ => OpEffects::unknown(),
        }
    }

    /// The effects that a call of these operands would have.
    pub fn given(
        &self,
        body: &Body,
        callee: Callee,
        args: &[ExprId],
        attrs: AttrDictId,
    ) -> &OpEffects {
        let row = self.row_of(body, callee);
        let is_mild = matches!(
            row.memory_effect,
            MemoryEffect::None | MemoryEffect::Read | MemoryEffect::Alloc
        );
        let attrs = body.dict(attrs);
        let holds = if is_mild {
            speaks_of_all(row, body, args, attrs)
        } else {
            !gives_pointer_for_number(row, body, args, attrs)
        };
        if holds { row } else { OpEffects::unknown() }
    }

    /// How an element that is the `index`-th operand of a call is meant. Keywords are counted behind the other
    /// operands.
    pub fn element(&self, body: &Body, call: ExprKind, index: usize) -> Element {
        let ExprKind::Call { attrs, .. } = call else { return Element::Value };
        let effects = self.call(body, call);
        match effects.operands.of(operand(body.dict(attrs), index)) {
            Some(OperandUse::Place) => Element::Name,
            Some(used) if used.may_write() => Element::Target,
            Some(_) => Element::Value,
            None => match effects.memory_effect {
                MemoryEffect::None | MemoryEffect::Read => Element::Value,
                _ => Element::Target,
            },
        }
    }

    /// Returns true if the `index`-th operand of a call is evaluated only under a condition.
    pub fn is_lazy(&self, body: &Body, call: ExprKind, index: usize) -> bool {
        let ExprKind::Call { callee, attrs, .. } = call else { return false };
        let row = self.row_of(body, callee);
        match operand(body.dict(attrs), index) {
            Operand::At(at) => row.is_lazy(at),
            Operand::Named(_) => row.lazy_operands != 0,
        }
    }

    fn row_of(&self, body: &Body, callee: Callee) -> &OpEffects {
        match callee {
            Callee::Intrinsic(name, _) => self.tir(body.name(name)),
            Callee::Function(_) | Callee::Unknown(_) => OpEffects::unknown(),
        }
    }
}

/// Returns whether an `access_ptr` reads and whether it writes the memory behind it, by its mask. A call that is a
/// statement of its own does nothing else.
pub fn access_mask(body: &Body, expr: ExprId) -> Option<(bool, bool)> {
    let mask = body.operands_of(expr, Intrinsic::AccessPtr)?.get(4).map(|&it| body.expr(it).kind);
    Some(match mask {
        Some(ExprKind::Int(mask)) => (mask & 1 != 0, mask & 2 != 0),
        _ => (true, true),
    })
}

impl OpEffects {
    /// Returns the use that a call of these effects makes of its `index`-th operand, or `None` if that is not stated.
    pub fn operand_use(&self, attrs: &AttrDict, index: usize) -> Option<OperandUse> {
        if self.operands.is_empty() { None } else { self.operands.of(operand(attrs, index)) }
    }

    /// Returns true if the row names the `index`-th operand of a call by itself, not as one of the others.
    pub fn names_operand(&self, attrs: &AttrDict, index: usize) -> bool {
        !self.operands.is_empty() && self.operands.names(operand(attrs, index))
    }
}

/// Returns true if some operand of a call is given by its keyword, so that positions do not identify operands.
pub fn has_keyword_operands(body: &Body, attrs: AttrDictId) -> bool {
    body.dict(attrs).iter().any(|(_, value)| matches!(value, Attr::Operand(_)))
}

/// Returns true if an operand of a call is a list whose items are operands of the call.
pub fn is_list(kind: ExprKind) -> bool {
    match kind {
        ExprKind::Tuple(_) => true,
        ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } => it == Intrinsic::Tuple,
        _ => false,
    }
}

/// How the operand at a place of the list of operands was given.
fn operand(attrs: &AttrDict, index: usize) -> Operand<'_> {
    let keyword = attrs.iter().find(|(_, value)| *value == Attr::Operand(index as u32));
    keyword.map_or(Operand::At(index), |(key, _)| Operand::Named(key))
}

/// Returns true if a row states for every operand that may be a pointer that nothing is written through it.
fn speaks_of_all(row: &OpEffects, body: &Body, args: &[ExprId], attrs: &AttrDict) -> bool {
    if args.len() > MOST_OPERANDS || row.arity.is_some_and(|it| usize::from(it) != args.len()) {
        return false;
    }
    let is_said = |operand: Operand<'_>, given: Given| match row.operands.of(operand) {
        None => given == Given::Number,
        Some(OperandUse::Number) => given != Given::Pointer,
        Some(OperandUse::Address | OperandUse::Place | OperandUse::Reads) => true,
        Some(OperandUse::Writes | OperandUse::Updates | OperandUse::Text) => false,
    };
    let n_keywords = attrs.iter().filter(|it| matches!(it.1, Attr::Operand(_))).count();
    let positional = &args[..args.len().saturating_sub(n_keywords)];
    positional.iter().enumerate().all(|(index, &arg)| is_said(Operand::At(index), given(body, arg)))
        && attrs.iter().all(|(key, value)| {
            let given = match value {
                Attr::Operand(index) => args.get(*index as usize).map(|&it| given(body, it)),
                data => data.holds_expression().then_some(Given::Unknown),
            };
            given.is_none_or(|it| is_said(Operand::Named(key), it))
        })
}

/// Returns true if an operand that the row declares as a number is a pointer: the row does not describe the memory
/// behind it.
fn gives_pointer_for_number(
    row: &OpEffects,
    body: &Body,
    args: &[ExprId],
    attrs: &AttrDict,
) -> bool {
    if row.operands.is_empty() || args.len() > MOST_OPERANDS {
        return false;
    }
    args.iter().enumerate().any(|(index, &arg)| {
        row.operand_use(attrs, index) == Some(OperandUse::Number)
            && given(body, arg) == Given::Pointer
    })
}

/// Returns the visible form of an operand. O(items of a list).
fn given(body: &Body, expr: ExprId) -> Given {
    let node = body.expr(expr);
    match node.kind {
        ExprKind::Buffer(_)
        | ExprKind::Region(..)
        | ExprKind::BufferField(_, BufferField::Data) => Given::Pointer,
        ExprKind::BufferField(..) | ExprKind::Str(_) | ExprKind::Slice { .. } => Given::Number,
        // Nothing is given.
        ExprKind::Opaque { text, .. } if body.name(text) == "None" => Given::Number,
        ExprKind::Opaque { .. } | ExprKind::Lambda { .. } => Given::Unknown,
        ExprKind::Tuple(_) => of_items(body, expr),
        ExprKind::Call { .. } if crate::role::is_type(body, expr) => Given::Number,
        _ => of_type(node.ty),
    }
}

/// The most that an item of a list shows, lists in lists too.
fn of_items(body: &Body, list: ExprId) -> Given {
    let mut found = Given::Number;
    let mut stack = vec![list];
    while let Some(at) = stack.pop() {
        match body.expr(at).kind {
            ExprKind::Tuple(items) => stack.extend(body.items(items)),
            _ => found = found.max(given(body, at)),
        }
    }
    found
}

fn of_type(ty: Type) -> Given {
    match ty {
        Type::Pointer { .. } => Given::Pointer,
        Type::Prim(dtype) if dtype.code == TypeCode::Handle => Given::Pointer,
        Type::Prim(_) => Given::Number,
        Type::Unknown | Type::Named(_) => Given::Unknown,
    }
}
