//! The operands of a function, simplified by both sides, in pairs.
//!
//! Input: a body, and the same body as TVM simplified its operands. Output: an [`Operand`] for each pair of integers or
//! conditions that is not the same as before on both sides; none if the statements differ. O(operands) beside the work
//! of the simplifier.

use arith::simplify::Simplifier;
use arith::{ContextId, Overflow};
use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use ir::print::expr_text;
use ir::{Body, DataType, ExprId, ForKind, Occurrences, OpId, OpKind};

use crate::conformance::simplify::evaluate;

/// The comparison of our result with TVM's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Simpler,
    Equal,
    NotAs,
    /// TVM's costs less and has another value, for these values of the variables.
    Unsound(String),
    /// A float whose integers do not pair up.
    Apart,
}

/// One pair.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) compared: Compared,
    pub(super) before: String,
    pub(super) ours: String,
    pub(super) theirs: String,
}

/// All pairs.
pub(super) fn compare(body: &Body, theirs: &Body) -> Option<Vec<Operand>> {
    let ops: Vec<OpId> = body.ops_preorder().collect();
    let their_ops: Vec<OpId> = theirs.ops_preorder().collect();
    let is_same = |(a, b): (&OpId, &OpId)| {
        let (a, b) = (&body.ops[*a], &theirs.ops[*b]);
        std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind)
            && a.operands.len() == b.operands.len()
    };
    if ops.len() != their_ops.len() || !ops.iter().zip(&their_ops).all(is_same) {
        return None;
    }
    let effects = EffectTable::builtin();
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, effects);
    let mut simplifier = Simplifier::with_effects(body, effects);
    let conditions = analyses.conditions(simplifier.analyzer());
    let mut pairs = Pairs { simplifier, costs: Simplifier::new(theirs), theirs, found: Vec::new() };
    for (&op, &their_op) in ops.iter().zip(&their_ops) {
        let context = conditions.before(op);
        for (index, reading) in readings(body, op) {
            let operand = body.ops[op].operands[index];
            pairs.pair(context, operand, theirs.ops[their_op].operands[index], reading);
        }
    }
    Some(pairs.found)
}

/// The operands that a simplifier of statements simplifies, and the assumptions about each.
fn readings(body: &Body, op: OpId) -> Vec<(usize, Overflow)> {
    let n_operands = body.ops[op].operands.len();
    let all = |reading| (0..n_operands).map(|it| (it, reading)).collect();
    match body.ops[op].kind {
        OpKind::For(ForKind::ThreadBinding(_)) => Vec::new(),
        OpKind::For(_)
        | OpKind::If
        | OpKind::Assert
        | OpKind::While
        | OpKind::Return
        | OpKind::Store { .. }
        | OpKind::Evaluate
        | OpKind::SBlock(_) => all(Overflow::Excluded),
        OpKind::Bind => all(Overflow::Wraps),
        _ => Vec::new(),
    }
}

struct Pairs<'a> {
    simplifier: Simplifier<'a>,
    costs: Simplifier<'static>,
    theirs: &'a Body,
    found: Vec<Operand>,
}

impl Pairs<'_> {
    fn pair(&mut self, at: ContextId, before: ExprId, theirs: ExprId, reading: Overflow) {
        let ours = self.simplifier.simplify(at, before, reading);
        if self.is_number(before) {
            return self.compare(at, before, ours, theirs);
        }
        let parts = |body: &Body, expr| parts(body, expr);
        let (mine, others, old) = (
            parts(self.simplifier.body(), ours),
            parts(self.theirs, theirs),
            parts(self.simplifier.body(), before),
        );
        if mine.len() != others.len() || mine.len() != old.len() {
            let shown = |body: &Body, expr| expr_text(body, expr);
            let operand = Operand {
                compared: Compared::Apart,
                before: shown(self.simplifier.body(), before),
                ours: shown(self.simplifier.body(), ours),
                theirs: shown(self.theirs, theirs),
            };
            return self.found.push(operand);
        }
        for ((before, ours), theirs) in old.into_iter().zip(mine).zip(others) {
            self.compare(at, before, ours, theirs);
        }
    }

    fn is_number(&self, expr: ExprId) -> bool {
        self.simplifier.body().dtype(expr).is_none_or(|it| !it.is_float())
    }

    /// Nothing is counted where there was nothing to do and neither side did anything.
    fn compare(&mut self, at: ContextId, before: ExprId, ours: ExprId, theirs: ExprId) {
        let is_leaf = self.simplifier.body().expr(before).is_leaf();
        if is_leaf && ours == before && self.theirs.expr(theirs).is_leaf() {
            return;
        }
        let (mine, other) = (self.simplifier.cost(ours), self.costs.cost(theirs));
        let (mine, other) = ((mine.cost, mine.operations), (other.cost, other.operations));
        let compared = match mine.cmp(&other) {
            std::cmp::Ordering::Less => Compared::Simpler,
            std::cmp::Ordering::Equal => Compared::Equal,
            std::cmp::Ordering::Greater => {
                match evaluate::difference(&mut self.simplifier, at, before, self.theirs, theirs) {
                    Some(values) => Compared::Unsound(values),
                    None => Compared::NotAs,
                }
            }
        };
        let text = |body: &Body, expr: ExprId| match compared {
            Compared::NotAs | Compared::Unsound(_) => expr_text(body, expr),
            _ => String::new(),
        };
        let operand = Operand {
            before: text(self.simplifier.body(), before),
            ours: text(self.simplifier.body(), ours),
            theirs: text(self.theirs, theirs),
            compared,
        };
        self.found.push(operand);
    }
}

/// The largest integers and conditions in a float, in order.
fn parts(body: &Body, expr: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        let is_number = body.dtype(at).is_some_and(|it: DataType| !it.is_float());
        if is_number {
            found.push(at);
            continue;
        }
        let first = stack.len();
        body.each_child(body.expr(at).kind, &mut |it| stack.push(it));
        stack[first..].reverse();
    }
    found
}
