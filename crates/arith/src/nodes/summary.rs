//! The dependencies of a node: its variables, and whether it is a value of them.
//!
//! Facts about a node can only change where one of its variables is constrained, so the memo of the analyzer asks for
//! the variables. A set holds up to [`MOST_VARIABLES`]; a node with more, and one that holds a comparison (which the
//! constraints on *other* variables may decide), depends on everything. Variables that are bound to a value of others
//! (`Bind`, block iteration variables) count with the variables of their value.
//!
//! Canonical terms are sums modulo the width of a type: `(x + -2147483648) * 2` is the term of `x * 2` though only one
//! of them fits. So the summary bounds the factors of the sum as integers: where none leaves the type, terms are equal
//! as integers.
//!
//! Computed once a node, on demand, without native recursion: O(nodes met).

use ir::{
    BinaryOp, Body, Callee, DataType, Expr, ExprId, ExprKind, OpKind, ValueId, ValueKind,
    arena::Id, effects::EffectTable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Interval, integers::constant_value};

/// More variables than this are "all".
const MOST_VARIABLES: usize = 8;

/// The variables of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VariableSet(u32);

impl VariableSet {
    /// Its number among the sets of an analyzer; of [`VariableSet::ALL`] more than there can be.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
    const NONE: VariableSet = VariableSet(0);
    /// More than a set can hold.
    pub(crate) const ALL: VariableSet = VariableSet(u32::MAX);
}

/// The facts about a node that hold in any context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// The variables that its value depends on.
    pub(crate) variables: VariableSet,
    /// A value of its variables and nothing else, each time it is evaluated: no load, no call that may differ, nothing
    /// unknown, no variable of a binder outside it.
    pub(crate) is_stable: bool,
    /// At least the absolute value of each factor of the sum that the node is as an integer; [`Summary::REDUCED`] where
    /// a factor in it may not fit its type.
    largest_factor: u64,
}

impl Summary {
    const REDUCED: u64 = u64::MAX;

    /// Returns true if equal canonical terms are equal integers, not only equal modulo the width.
    pub(crate) fn is_term_exact(self) -> bool {
        self.largest_factor != Summary::REDUCED
    }
}

/// The summaries of a body.
#[derive(Clone)]
pub(crate) struct Summaries<'a> {
    effects: &'a EffectTable,
    of: Vec<Option<Summary>>,
    /// All nodes before this one have a summary.
    n_done: usize,
    sets: Vec<SmallVec<[ValueId; 4]>>,
    /// The definitions of block iteration variables; a `Bind` is found by its operation.
    iteration: FxHashMap<ValueId, ExprId>,
}

impl<'a> Summaries<'a> {
    pub(crate) fn new(body: &Body, effects: &'a EffectTable) -> Summaries<'a> {
        let mut iteration = FxHashMap::default();
        if !body.sblocks.is_empty() {
            for op in body.ops_preorder() {
                let OpKind::SBlock(block) = body.ops[op].kind else { continue };
                let vars = body.sblocks[block].iter_vars.iter();
                iteration.extend(
                    vars.zip(&body.ops[op].operands).map(|(it, &binding)| (it.value, binding)),
                );
            }
        }
        Summaries { effects, of: Vec::new(), n_done: 0, sets: vec![SmallVec::new()], iteration }
    }

    /// Makes room for as many nodes.
    pub(crate) fn grow(&mut self, n_exprs: usize) {
        self.of.resize(n_exprs, None);
    }

    /// Returns the expression that a variable is bound to, once and for all (`SEMANTICS: E4`, `L9`).
    #[inline]
    pub(crate) fn definition(&self, body: &Body, value: ValueId) -> Option<ExprId> {
        match body.values[value].kind {
            ValueKind::Result(op, 0) if body.ops[op].kind == OpKind::Bind => {
                body.ops[op].operands.first().copied()
            }
            ValueKind::BlockArg(..) => self.iteration.get(&value).copied(),
            _ => None,
        }
    }

    /// The variables of a set, unless it is [`VariableSet::ALL`].
    pub(crate) fn variables(&self, set: VariableSet) -> Option<&[ValueId]> {
        self.sets.get(set.0 as usize).map(|it| &it[..])
    }

    #[inline]
    pub(crate) fn get(&mut self, body: &Body, expr: ExprId) -> Summary {
        match self.of[expr.index()] {
            Some(summary) => summary,
            None => self.work_out(body, expr),
        }
    }

    /// Operands come before their users, so all nodes up to this one are summarized in order.
    fn work_out(&mut self, body: &Body, expr: ExprId) -> Summary {
        while self.n_done <= expr.index() {
            let at = ExprId::new(self.n_done);
            if self.of[at.index()].is_none() {
                match self.summarize(body, at) {
                    Some(summary) => self.of[at.index()] = Some(summary),
                    None => self.work_out_definitions(body, at),
                }
            }
            self.n_done += 1;
        }
        self.of[expr.index()].unwrap_or(UNKNOWN)
    }

    /// A node that comes before its dependencies: a variable bound to a later one.
    fn work_out_definitions(&mut self, body: &Body, expr: ExprId) {
        let mut stack: SmallVec<[(ExprId, bool); 16]> = SmallVec::new();
        stack.push((expr, false));
        while let Some((at, is_entered)) = stack.pop() {
            if is_entered {
                self.of[at.index()] = self.summarize(body, at);
            } else if self.of[at.index()].is_none() {
                // Should a broken body bind variables in a circle, then the circle ends here.
                self.of[at.index()] = Some(UNKNOWN);
                stack.push((at, true));
                self.each_dependence(body, at, &mut |it| {
                    if self.of[it.index()].is_none() {
                        stack.push((it, false));
                    }
                });
            }
        }
    }

    fn each_dependence(&self, body: &Body, expr: ExprId, visit: &mut dyn FnMut(ExprId)) {
        match body.expr(expr).kind {
            ExprKind::Value(value) => self.definition(body, value).into_iter().for_each(visit),
            kind => body.each_child(kind, visit),
        }
    }

    /// The summary of a node; `None` if one of its dependencies has none yet.
    fn summarize(&mut self, body: &Body, expr: ExprId) -> Option<Summary> {
        let node = body.expr(expr);
        match node.kind {
            ExprKind::Int(value) => {
                let value = body.dtype(expr).map_or(0, |it| constant_value(it, value));
                let largest_factor = value.unsigned_abs().try_into().unwrap_or(Summary::REDUCED);
                Some(Summary { variables: VariableSet::NONE, is_stable: true, largest_factor })
            }
            ExprKind::Value(value) => {
                let own = self.singleton(value);
                let (variables, largest_factor) = match self.definition(body, value) {
                    Some(definition) => {
                        let of_definition = self.of[definition.index()]?;
                        let variables = self.union(of_definition.variables, own);
                        (variables, of_definition.largest_factor)
                    }
                    None => (own, 1),
                };
                // The value of a definition does not change, though evaluating it again might give another.
                Some(Summary { variables, is_stable: !node.flags.has_unknown, largest_factor })
            }
            ExprKind::Binary(op, a, b) => {
                let operand = a;
                let (a, b) = (self.of[a.index()]?, self.of[b.index()]?);
                let variables = match op.is_comparison() || op.is_logical() {
                    true => VariableSet::ALL,
                    false => self.union(a.variables, b.variables),
                };
                let is_stable = a.is_stable && b.is_stable && self.is_stable_alone(body, &node);
                let factors = (a.largest_factor, b.largest_factor);
                let largest_factor = largest_factor(op, body.dtype(operand), factors);
                Some(Summary { variables, is_stable, largest_factor })
            }
            kind => {
                let mut variables = Some(VariableSet::NONE);
                let mut is_stable = self.is_stable_alone(body, &node);
                let mut is_term_exact = true;
                body.each_child(kind, &mut |child| {
                    let child = self.of[child.index()];
                    is_stable &= child.is_some_and(|it| it.is_stable);
                    is_term_exact &= child.is_some_and(Summary::is_term_exact);
                    variables = variables.zip(child).map(|(a, b)| self.union(a, b.variables));
                });
                let largest_factor = if is_term_exact { 1 } else { Summary::REDUCED };
                Some(Summary { variables: variables?, is_stable, largest_factor })
            }
        }
    }

    fn is_stable_alone(&self, body: &Body, node: &Expr) -> bool {
        if node.flags.open_binders > 0 || node.flags.has_unknown || node.flags.has_impure {
            return false;
        }
        match node.kind {
            ExprKind::Load { .. } | ExprKind::Region(..) | ExprKind::Opaque { .. } => false,
            call @ ExprKind::Call { callee: Callee::Intrinsic(..), instance: 0, .. } => {
                self.effects.call(body, call).is_pure_value()
            }
            ExprKind::Call { .. } => false,
            _ => true,
        }
    }

    fn singleton(&mut self, value: ValueId) -> VariableSet {
        self.sets.push(SmallVec::from_slice(&[value]));
        VariableSet(self.sets.len() as u32 - 1)
    }

    /// The variables of both.
    pub(crate) fn union(&mut self, a: VariableSet, b: VariableSet) -> VariableSet {
        if a == b || b == VariableSet::NONE {
            return a;
        }
        let (Some(left), Some(right)) = (self.variables(a), self.variables(b)) else {
            return VariableSet::ALL;
        };
        if left.is_empty() || left.iter().all(|it| right.contains(it)) {
            return b;
        }
        if right.iter().all(|it| left.contains(it)) {
            return a;
        }
        let mut both: SmallVec<[ValueId; 4]> = SmallVec::from_slice(left);
        both.extend(right.iter().copied().filter(|it| !left.contains(it)));
        if both.len() > MOST_VARIABLES {
            return VariableSet::ALL;
        }
        self.sets.push(both);
        VariableSet(self.sets.len() as u32 - 1)
    }
}

/// As [`Summary::largest_factor`], of `a op b` with operands of a type.
fn largest_factor(op: BinaryOp, operand: Option<DataType>, (a, b): (u64, u64)) -> u64 {
    let is_exact = a != Summary::REDUCED && b != Summary::REDUCED;
    let sum = match op {
        BinaryOp::Mul => a.checked_mul(b),
        // A term of an equation is one of the difference.
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Eq | BinaryOp::Ne => a.checked_add(b),
        _ => Some(1),
    };
    let most = match operand.filter(|it| it.is_int()) {
        Some(dtype) => Interval::of_type(dtype).max.try_into().unwrap_or(u64::MAX),
        None => u64::MAX,
    };
    match sum.filter(|it| is_exact && *it <= most) {
        Some(_) if op.is_comparison() => 1,
        Some(sum) => sum,
        None => Summary::REDUCED,
    }
}

const UNKNOWN: Summary =
    Summary { variables: VariableSet::ALL, is_stable: false, largest_factor: Summary::REDUCED };
