//! `for i, j in T.grid(n, m)`: several loops with one header.
//!
//! In: steps on one of the loops. Out: the new header. An axis of one iteration is removed; a guard that moves around
//! all axes changes places with the header; one that moves around the inner axes only stands between two headers, and
//! its contents move right.

use ir::{OpId, OpKind, ValueId};
use syntax::{
    AstNode as _, SyntaxKind, SyntaxNode, TextRange,
    ast::{Expr, ForStmt},
};

use super::{Sketch, headers::Header};

/// The loops of one header, outer before inner.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) axes: Vec<Axis>,
    /// The expression that is called.
    callee: TextRange,
    /// A guard that stands outside of an axis, and inside of those before.
    pub(super) guard: Option<(OpId, usize)>,
}

/// One loop.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    op: OpId,
    target: TextRange,
    /// Its extent, or its start and extent in parentheses.
    bounds: TextRange,
    has_start: bool,
    is_gone: bool,
}

impl Grid {
    /// The axes that are left before one, with it, or from it on.
    fn left(&self, range: std::ops::Range<usize>) -> Vec<&Axis> {
        self.axes[range].iter().filter(|it| !it.is_gone).collect()
    }
}

impl Sketch<'_> {
    /// The outermost loop of the header that a loop is made from.
    pub(super) fn first_axis(&self, op: OpId) -> OpId {
        let (body, map) = (&self.writer.lowered.body, &self.writer.lowered.source_map);
        let is_loop = |it: OpId| matches!(body.ops[it].kind, OpKind::For(_));
        let is_same = |it: &OpId| is_loop(*it) && map.op_range(*it) == map.op_range(op);
        let mut first = op;
        while is_loop(op)
            && let Some(outer) = body.parent_op(first).filter(is_same)
        {
            first = outer;
        }
        first
    }

    /// The first axis and the number of a loop that shares its header with others.
    pub(super) fn axis_of(&mut self, op: OpId) -> Option<(OpId, usize)> {
        let first = self.first_axis(op);
        if !self.grids.contains_key(&first) {
            let found = self.read_grid(first);
            self.grids.insert(first, found);
        }
        let grid = self.grids.get(&first)?.as_ref()?;
        let index = grid.axes.iter().position(|it| it.op == op)?;
        Some((first, index))
    }

    fn read_grid(&self, first: OpId) -> Option<Grid> {
        let (body, map) = (&self.writer.lowered.body, &self.writer.lowered.source_map);
        let range = map.op_range(first);
        let mut ops = vec![first];
        let inner = |op: OpId| {
            let block = body.entry(*body.ops[op].regions.first()?);
            let next = *body.blocks[block].ops.first()?;
            (map.op_range(next) == range).then_some(next)
        };
        while let Some(next) = inner(*ops.last()?) {
            ops.push(next);
        }
        if ops.len() < 2 {
            return None;
        }
        let node = self.writer.node_at(range.start(), |it| it == SyntaxKind::FOR_STMT)?;
        let it = ForStmt::cast(node)?;
        let targets = expressions(it.target()?.syntax());
        let Expr::CallExpr(call) = it.iterable()? else { return None };
        let callee = call.callee()?.syntax().text_range();
        let bounds: Option<Vec<SyntaxNode>> =
            call.arg_list()?.args().map(|it| Some(it.value()?.syntax().clone())).collect();
        let bounds = bounds?;
        if targets.len() != ops.len() || bounds.len() != ops.len() {
            return None;
        }
        let axes = ops.into_iter().zip(targets).zip(bounds).map(|((op, target), bounds)| Axis {
            op,
            target: target.text_range(),
            has_start: matches!(bounds.kind(), SyntaxKind::TUPLE_EXPR | SyntaxKind::LIST_EXPR),
            bounds: bounds.text_range(),
            is_gone: false,
        });
        Some(Grid { axes: axes.collect(), callee, guard: None })
    }

    /// A loop of one iteration leaves the header that it shares. None if it is the last one in it.
    pub(super) fn unwrap_axis(
        &mut self,
        header: &Header,
        (first, index): (OpId, usize),
        value: ValueId,
        with: ir::ExprId,
    ) -> Option<()> {
        if !self.comments_in(&header.node, header.line).is_empty() {
            return None;
        }
        self.substitute(header.line, value, with)?;
        let grid = self.grids.get_mut(&first)?.as_mut()?;
        grid.axes[index].is_gone = true;
        Some(())
    }

    /// Returns the number of remaining axes in the header of a loop.
    pub(super) fn n_axes(&mut self, op: OpId) -> usize {
        let Some((first, _)) = self.axis_of(op) else { return 1 };
        let grid = self.grids.get(&first).and_then(Option::as_ref);
        grid.map_or(1, |it| it.left(0..it.axes.len()).len())
    }

    /// A guard, alone in the innermost loop of a header, goes around one more loop of it. Whether it is around all of
    /// them now.
    pub(super) fn hoist_over_axis(
        &mut self,
        (first, index): (OpId, usize),
        guard: OpId,
    ) -> Option<bool> {
        let header = self.header(first)?;
        let inner = self.header(guard)?;
        let tabs = self.writer.text_of(TextRange::new(header.line_start(), header.line.start()));
        let has_comments = !self.comments_in(&header.node, header.line).is_empty();
        let is_known = !has_comments
            && !tabs.contains('\t')
            && !inner.line.is_empty()
            && !self.writer.text_of(header.line).contains('\\');
        let grid = self.grids.get_mut(&first)?.as_mut()?;
        let around = grid.guard.map_or(grid.axes.len(), |it| it.1);
        let is_next = grid.left(index..around).len() == 1 && !grid.axes[index].is_gone;
        let is_same = grid.guard.is_none_or(|it| it.0 == guard);
        if !is_next || !is_same || !is_known {
            return None;
        }
        let is_all = grid.left(0..index).is_empty();
        grid.guard = (!is_all).then_some((guard, index));
        match is_all {
            true => self.between.remove(&guard),
            false => self.between.insert(guard, first),
        };
        Some(is_all)
    }

    /// The header of a loop, with the remaining axes outside of the guard between them.
    pub(super) fn rendered_loop(&mut self, op: OpId) -> Option<String> {
        let line = self.header(op)?.line;
        let Some((first, _)) = self.axis_of(op) else { return Some(self.with_edits(line)) };
        let grid = self.grids.get(&first)?.as_ref()?;
        let end = grid.guard.map_or(grid.axes.len(), |it| it.1);
        let axes = grid.left(0..end);
        if axes.len() == grid.axes.len() {
            return Some(self.with_edits(line));
        }
        self.loops(grid, &axes)
    }

    /// The header of some of its loops.
    fn loops(&self, grid: &Grid, axes: &[&Axis]) -> Option<String> {
        let of = |range: TextRange| self.with_edits(range);
        // A start beside an extent is said by a grid only.
        if let [axis] = axes
            && !axis.has_start
        {
            return Some(format!("for {} in range({})", of(axis.target), of(axis.bounds)));
        }
        let targets: Vec<String> = axes.iter().map(|it| of(it.target)).collect();
        let bounds: Vec<String> = axes.iter().map(|it| of(it.bounds)).collect();
        let callee = self.writer.text_of(grid.callee);
        Some(format!("for {} in {callee}({})", targets.join(", "), bounds.join(", ")))
    }

    /// Returns the text after the header of a guard that stands between two loops of one header: the inner loops, on a
    /// line of their own; with the range of the guard's suite, and its shift to the right.
    pub(super) fn below_guard(&mut self, guard: OpId) -> Option<(String, TextRange, u32)> {
        let first = *self.between.get(&guard)?;
        let (outer, header) = (self.header(first)?, self.header(guard)?);
        let by = header.indent - outer.indent;
        let grid = self.grids.get(&first)?.as_ref()?;
        let (_, index) = grid.guard?;
        let text = self.loops(grid, &grid.left(index..grid.axes.len()))?;
        let newline = self.newline();
        let blanks = " ".repeat(header.indent + by);
        Some((format!("{newline}{blanks}{text}:"), header.suite.lines, by as u32))
    }
}

/// The parts of a tuple, with or without parentheses, or the only expression.
fn expressions(node: &SyntaxNode) -> Vec<SyntaxNode> {
    match node.kind() {
        SyntaxKind::TUPLE_EXPR | SyntaxKind::LIST_EXPR => {
            node.children().filter(|it| Expr::can_cast(it.kind())).collect()
        }
        _ => vec![node.clone()],
    }
}
