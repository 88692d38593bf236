//! Bodies of operations (MLIR) as terms: what their integers are, and what is known where.
//!
//! In: a body of operations and the facts that a user states. Out: for each value of integers a *term* of the analyzer
//! that has its value, and for each operation the [`ContextId`] before it. All questions then go to the one
//! [`Analyzer`]: bounds, congruences, decisions, reasons.
//!
//! - **Terms** (`terms`). An operation of `arith`, `index`, `affine` and their like is the expression of the same
//!   value; what is not understood is a variable of its own, a *leaf*. A tensor is the function of its indices: its
//!   term is that of one element at *lanes*, variables that stand for any index. `tt.make_range` is its lane,
//!   `tt.splat` drops lanes, `tt.expand_dims` and `tt.broadcast` move them; so what holds of the term holds of every
//!   element.
//! - **Places** (`places`). Conditions of `scf.if` and branches, ranges of loops, assumptions and assertions are
//!   constraints of a context. A place also tells whether the operation is reached whenever its constraints hold.
//! - **Carried values** (`carried`): loop-carried ones, results of choices and arguments of blocks are leaves with
//!   *claims*: bounds, congruences and equations that were shown by induction. They are constraints that every run
//!   satisfies.
//! - **Overflow**: signed numbers of MLIR wrap, so all questions are asked in the reading [`Overflow::Wraps`]. Flags
//!   (`overflow<nsw>`) count where a value is used (`poison`).
//! - **Witnesses** (`witness`): values of the leaves under which something happens, found among the ends of their
//!   bounds and checked by evaluation. Only leaves that take each of their values count (`LeafKind`): a finding that
//!   rests on a witness is proven, not possible.
//!
//! - **Words** (`describe`, `lacking`, `notation`): all that is known of one value, and the fact that is
//!   missing, with the operations that would state it.
//!
//! Terms are made on demand, once for a value and its lanes; places in one walk. O(operations · variants of lanes).

mod carried;
mod describe;
mod facts;
mod lacking;
mod notation;
mod places;
mod poison;
mod terms;
mod text;
mod values;
mod witness;

use std::sync::LazyLock;

use ir::{
    Body, DataType, Dialect, ExprId, NameId, OpId, OpKind, Type, ValueId, ValueKind, arena::Table,
    effects::EffectTable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

pub use self::{
    describe::{Assumption, Known, Lack, Outcome, TermStep, ValueFacts},
    facts::{StatedFact, StatedFacts},
    text::{attr, memref_extents, name_of, type_text},
    witness::Witness,
};
use crate::{Analyzer, ContextId, Overflow};

/// The terms of the indices of an element, one for each dimension.
pub type Lanes = SmallVec<[ExprId; 4]>;

/// The values that a leaf takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafKind {
    /// Every value that the constraints leave: the index of a lane, the variable of a loop by a known step.
    Every,
    /// An argument of the function: whatever the caller gives.
    Argument,
    /// The number of a program or block of a launch: 0, and others if the grid is larger.
    Program,
    /// Some values; nobody knows which.
    Unknown,
}

/// A variable of the terms.
#[derive(Clone, Debug)]
struct Leaf {
    kind: LeafKind,
    /// The value of the body that it is an element of; none for a lane.
    value: Option<ValueId>,
}

/// The facts before an operation.
#[derive(Clone, Copy, Debug)]
pub struct PlaceFacts {
    /// The constraints.
    pub context: ContextId,
    /// True if the operation is executed in every run of the function in which the constraints hold.
    pub is_reached: bool,
}

/// The thing that decides a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decider {
    /// The operation whose condition or range it is.
    Op(OpId),
    /// A fact that the user states, by its number.
    Stated(usize),
    /// An attribute of an argument: `tt.divisibility`.
    Attribute,
}

/// The integers of a body of operations.
#[derive(Clone)]
pub struct OperationFacts<'b> {
    body: &'b Body,
    analyzer: Analyzer<'static>,
    /// Elements by their value and lanes.
    terms: FxHashMap<(ValueId, Lanes), Option<ExprId>>,
    /// How many variants of lanes a value has.
    n_variants: FxHashMap<ValueId, u32>,
    /// By the number of the variable in the analyzer's body.
    leaves: FxHashMap<ValueId, Leaf>,
    /// Lanes by dimension and extent; 0 for one that is not known.
    lanes: FxHashMap<(usize, i64), ExprId>,
    /// Leaves that several operations give: program ids, sizes of launches, extents.
    shared: FxHashMap<(String, u32), ExprId>,
    /// The first value, the end and the step of loops, by the leaf of their variable.
    loops: FxHashMap<ValueId, [ExprId; 3]>,
    before: Table<OpId, Option<PlaceFacts>>,
    /// The context of what is stated about the arguments: facts, attributes, assumptions on entry.
    stated: ContextId,
    deciders: std::collections::BTreeMap<ContextId, Option<Decider>>,
    /// Claims about values that are one of several.
    claims: carried::Claims,
    /// Contexts whose constraint every run satisfies that gets there.
    derived: FxHashSet<ContextId>,
}

/// The facts that were worked out about a body, without the body.
pub struct KeptFacts(OperationFacts<'static>);

impl KeptFacts {
    /// A copy of the facts of the body that they were worked out for. O(what was worked out).
    pub fn of<'b>(&self, body: &'b Body) -> OperationFacts<'b> {
        self.0.clone().about(body)
    }
}

impl<'b> OperationFacts<'b> {
    /// The facts, to be kept beside the body.
    pub fn kept(self) -> KeptFacts {
        static NO_BODY: LazyLock<Body> = LazyLock::new(|| Body::new("", Dialect::Mlir));
        KeptFacts(self.about(&NO_BODY))
    }

    fn about<'c>(self, body: &'c Body) -> OperationFacts<'c> {
        OperationFacts {
            body,
            analyzer: self.analyzer,
            terms: self.terms,
            n_variants: self.n_variants,
            leaves: self.leaves,
            lanes: self.lanes,
            shared: self.shared,
            loops: self.loops,
            before: self.before,
            stated: self.stated,
            deciders: self.deciders,
            claims: self.claims,
            derived: self.derived,
        }
    }

    /// Reads a body. O(operations).
    pub fn new(body: &'b Body, facts: &StatedFacts) -> OperationFacts<'b> {
        let empty = Body::new(&body.name, Dialect::Tirx);
        let analyzer = Analyzer::growing(&empty, EffectTable::builtin());
        let stated = analyzer.root();
        let mut res = OperationFacts {
            body,
            analyzer,
            terms: FxHashMap::default(),
            n_variants: FxHashMap::default(),
            leaves: FxHashMap::default(),
            lanes: FxHashMap::default(),
            shared: FxHashMap::default(),
            loops: FxHashMap::default(),
            before: Table::filled(body.ops.len(), None),
            stated,
            deciders: Default::default(),
            claims: Default::default(),
            derived: Default::default(),
        };
        res.state(facts);
        res.walk();
        res
    }

    /// The body that was read.
    pub fn body(&self) -> &'b Body {
        self.body
    }

    /// The analyzer, whose body has the terms.
    pub fn analyzer(&mut self) -> &mut Analyzer<'static> {
        &mut self.analyzer
    }

    /// The facts before an operation; none for one that no path reaches, or in a region that was not understood.
    pub fn before(&self, op: OpId) -> Option<PlaceFacts> {
        self.before[op]
    }

    /// The facts before an operation for questions about a value that it uses: if it is no poison.
    pub fn used(&mut self, at: OpId, value: ValueId) -> Option<ContextId> {
        let context = self.before(at)?.context;
        Some(self.not_poison(context, value))
    }

    /// The term of a scalar, or of the element of a tensor at the lanes of its type; none if it is no integer.
    pub fn term(&mut self, value: ValueId) -> Option<ExprId> {
        let lanes = self.lanes_of(value)?;
        self.element(value, &lanes)
    }

    /// The terms of the indices of an access of `memref` or `affine`, whose operands from `first` on they are.
    pub fn indices(&mut self, op: OpId, first: usize) -> Option<Vec<ExprId>> {
        let n = self.body.ops[op].operands.len().checked_sub(first)?;
        let operands = self.operand_terms(op, first, n)?;
        match terms::map_attr(self.body, op, "map") {
            Some(map) => self.mapped(&map, &operands),
            None if op_name(self.body, op).starts_with("affine.") => None,
            None => Some(operands),
        }
    }

    /// The lanes of a tensor or scalar of anything, pointers included.
    pub fn any_lanes(&mut self, value: ValueId) -> Option<Lanes> {
        let shape = self.shape_of_any(value)?;
        self.lanes_of_shape(&shape)
    }

    /// The term of the element of a value at some lanes; a scalar has none.
    pub fn term_at(&mut self, value: ValueId, lanes: &[ExprId]) -> Option<ExprId> {
        match self.shape(value)?.len() {
            0 => self.element(value, &[]),
            n if n == lanes.len() => self.element(value, lanes),
            _ => None,
        }
    }

    /// The element that an operation only moves to some lanes: of `tt.splat`, `tt.broadcast` and the like.
    pub fn source_of(&mut self, op: OpId, lanes: &[ExprId]) -> Option<(ValueId, Lanes)> {
        self.moved(op, lanes)
    }

    /// The value of a condition, if it has one wherever an operation is executed; for a tensor, in all its elements.
    pub fn decide(&mut self, at: OpId, condition: ValueId) -> Option<bool> {
        let context = self.used(at, condition)?;
        let term = self.term(condition)?;
        if self.analyzer.is_contradiction(Overflow::Wraps, context) {
            return None;
        }
        self.analyzer.decide(context, term)
    }

    /// The thing that decides a condition at an operation; none if it is decided by itself.
    pub fn decider(&mut self, at: OpId, condition: ValueId) -> Option<Decider> {
        let context = self.used(at, condition)?;
        let term = self.term(condition)?;
        let found = self.analyzer.why(Overflow::Wraps, context, term)?;
        // A conjunction is several contexts, the last of which is remembered.
        self.deciders.range(found..).next().and_then(|(_, it)| *it)
    }

    /// The value that an operand is.
    pub fn operand(&self, op: OpId, at: usize) -> Option<ValueId> {
        let expr = *self.body.ops[op].operands.get(at)?;
        values::value_of(self.body, expr)
    }

    /// Adds a constraint, remembering what it comes from.
    fn assume(
        &mut self,
        context: ContextId,
        condition: ExprId,
        holds: bool,
        by: Option<Decider>,
    ) -> ContextId {
        let res = self.analyzer.assume(context, condition, holds);
        if res != context {
            self.deciders.entry(res).or_insert(by);
        }
        res
    }

    // ---- leaves ----

    fn new_leaf(&mut self, name: &str, dtype: DataType, leaf: Leaf, is_size: bool) -> ExprId {
        let (variable, expr) = self.analyzer.grow(|body| {
            let value = body.new_value(name, Type::Prim(dtype), ValueKind::Symbol);
            body.values[value].is_size = is_size;
            (value, body.value_expr(value))
        });
        self.leaves.insert(variable, leaf);
        expr
    }

    /// The name of a value in the text, without its sigil.
    fn name(&self, value: ValueId) -> &'b str {
        self.body.name(self.body.values[value].name).trim_start_matches('%')
    }

    fn int(&mut self, value: i128, dtype: DataType) -> ExprId {
        self.analyzer.grow(|body| body.int(value, dtype))
    }
}

/// The name of an operation that was read, as a constant.
fn id_of(body: &Body, op: OpId) -> Option<NameId> {
    match body.ops[op].kind {
        OpKind::Named(name) => Some(name),
        _ => None,
    }
}

/// The name of an operation that was read; empty for others.
fn op_name(body: &Body, op: OpId) -> &str {
    match body.ops[op].kind {
        OpKind::Named(name) => body.name(name),
        _ => "",
    }
}
