//! Buffers that have all the cells of their shape.
//!
//! A parameter, a matched handle and an allocation do: they are memory of this shape. A view (`A.view(n)`,
//! `T.decl_buffer(…, data=A.data)`) does if it starts where its source does and is no larger (`SEMANTICS: M7`): the
//! product of its extents is that of the source's extents, constants aside, and constant times element size is no
//! greater. Extents of the source are not negative; so the product in the view, should it wrap, is at most the true
//! one. O(extents and the products in them) a buffer, once.

use ir::{BinaryOp, Buffer, BufferField, BufferId, BufferOrigin, ExprId, ExprKind};

use rustc_hash::FxHashMap;

use crate::{
    contexts::Contexts,
    deduction::Deduction,
    facts::Overflow,
    integers::{constant_value, is_integral},
};

/// Views of views that are followed.
const MOST_VIEWS: u32 = 8;

/// A number of bytes: a constant times values that are not negative.
#[derive(Clone)]
struct Size {
    constant: i128,
    factors: Vec<ExprId>,
}

/// The results about buffers.
#[derive(Clone, Default)]
pub(crate) struct Cells {
    memo: FxHashMap<BufferId, bool>,
}

impl Cells {
    /// Returns true if every access within the shape of `buffer` is an access of its memory.
    pub(crate) fn has_cells(&mut self, of: &mut Deduction<'_>, buffer: BufferId) -> bool {
        if let Some(&known) = self.memo.get(&buffer) {
            return known;
        }
        let mut at = buffer;
        let mut has_cells = false;
        for _ in 0..MOST_VIEWS {
            match source_of(of, at) {
                Source::Itself => {
                    has_cells = true;
                    break;
                }
                Source::Start(source) if is_no_larger(of, at, source) => at = source,
                Source::Start(_) | Source::Unknown => break,
            }
        }
        self.memo.insert(buffer, has_cells);
        has_cells
    }
}

enum Source {
    /// It is memory.
    Itself,
    /// It shows memory from the first cell of this one on.
    Start(BufferId),
    Unknown,
}

fn source_of(of: &Deduction<'_>, buffer: BufferId) -> Source {
    let body = of.nodes().share();
    let data = &body.buffers[buffer];
    let source = match data.origin {
        BufferOrigin::Param
        | BufferOrigin::Alloc
        | BufferOrigin::Match { .. }
        | BufferOrigin::Cell => return Source::Itself,
        BufferOrigin::View { source, method } if body.name(method) == "view" => source,
        BufferOrigin::Decl { data: Some(pointer) } => match body.expr(pointer).kind {
            ExprKind::BufferField(source, BufferField::Data) => source,
            _ => return Source::Unknown,
        },
        _ => return Source::Unknown,
    };
    let is_zero = |it: ExprId| matches!(body.expr(it).kind, ExprKind::Int(0));
    let starts_there = data.elem_offset.is_none_or(is_zero) && data.strides.is_none();
    let is_compact = |it: &Buffer| it.strides.is_none() && it.elem_offset.is_none_or(is_zero);
    if starts_there && is_compact(&body.buffers[source]) {
        Source::Start(source)
    } else {
        Source::Unknown
    }
}

fn is_no_larger(of: &mut Deduction<'_>, view: BufferId, source: BufferId) -> bool {
    let body = of.nodes().share();
    let bytes = |it: BufferId| body.buffers[it].dtype.bytes() as i128;
    let mut whole = Size { constant: bytes(source), factors: Vec::new() };
    for &extent in &body.buffers[source].shape {
        if !multiply_source(of, &mut whole, extent) {
            return false;
        }
    }
    let mut left = whole.factors;
    let mut part = Some(bytes(view));
    let mut stack: Vec<ExprId> = body.buffers[view].shape.clone();
    while let Some(extent) = stack.pop() {
        let extent = widened(of, extent);
        let itself = of.nodes_mut().representative(extent);
        match body.expr(extent).kind {
            ExprKind::Int(value) => {
                part = part.and_then(|it| it.checked_mul(i128::from(value)));
            }
            _ if left.contains(&itself) => {
                let at = left.iter().position(|it| *it == itself);
                at.map(|at| left.swap_remove(at));
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) => stack.extend([a, b]),
            _ => return false,
        }
    }
    left.is_empty() && part.is_some_and(|it| (0..=whole.constant).contains(&it))
}

/// Multiplies by an extent of a source. A product in it counts as one factor unless it is shown not to wrap.
fn multiply_source(of: &mut Deduction<'_>, size: &mut Size, extent: ExprId) -> bool {
    let root = Contexts::ROOT;
    let mut stack = vec![extent];
    while let Some(extent) = stack.pop() {
        let extent = widened(of, extent);
        let kind = of.body().expr(extent).kind;
        match kind {
            ExprKind::Int(value) => {
                let Some(dtype) = of.body().dtype(extent) else { return false };
                match size.constant.checked_mul(constant_value(dtype, value)) {
                    Some(product) if product >= 0 => size.constant = product,
                    _ => return false,
                }
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) if of.is_exact(Overflow::Wraps, root, extent) => {
                stack.extend([a, b]);
            }
            _ => {
                let is_known = of.nodes_mut().summary(extent).is_stable
                    && of.bound(root, extent).is_non_negative();
                if !is_known {
                    return false;
                }
                size.factors.push(of.nodes_mut().representative(extent));
            }
        }
    }
    true
}

/// The operand of conversions of an integer to a wider type, which keep its value.
fn widened(of: &Deduction<'_>, mut expr: ExprId) -> ExprId {
    while let ExprKind::Cast(operand) = of.body().expr(expr).kind {
        let (Some(to), Some(from)) = (of.body().dtype(expr), of.body().dtype(operand)) else {
            break;
        };
        let keeps = is_integral(from) && to.is_int() && from.is_int() && to.bits >= from.bits;
        if !keeps {
            break;
        }
        expr = operand;
    }
    expr
}
