//! Findings: results of data-flow analyses other than common subexpressions.
//!
//! In: the analyses of a body, the source's view of it if there is text, and which kinds are wanted. Out: [`Finding`]s
//! in program order, each with its reason and, where there is one, a fix; and, by [`apply`], the body after fixes. Each
//! kind has a planner of its own, a file beside this one; all ask one [`FindingFacts`], which computes a fact when it
//! is first asked for.
//!
//! A fix is right by itself. Several may not be: [`compatible`] picks those that are right together.
//!
//! To add one: a file with its [`FindingRule`], and its row below. The README shows how.

mod apply;
mod barriers;
mod compatible;
pub(crate) mod conditions;
mod copy_propagation;
mod dead_binding;
pub(crate) mod dead_store;
mod deletable;
mod finding;
mod first_value;
mod loop_invariant;
mod missing_noalias;
mod names;
mod openable;
mod read_before_write;
pub(crate) mod redundant_load;
mod stored;
mod tiles;
mod unreachable;

use std::{
    cell::{OnceCell, RefCell, RefMut},
    sync::Arc,
};

use arith::Analyzer;
use dataflow::{
    alias::AliasClasses, analyses::Analyses, certain::Certainty, conditions::Conditions,
    flow::Flow, memory::MemoryVersions, scopes::ScopeTree,
};
use ir::{
    Body, BufferId, ExprKind, OccurrenceId, Occurrences, OpId, OpKind, ValueId, ValueKind,
    arena::Id as _,
    effects::EffectTable,
    plan::{
        CsePlan, SourceView,
        finding::{FixEdit, Place},
    },
    role::Roles,
};

pub use apply::{apply, apply_fixes};
pub use compatible::{Compatible, compatible};
pub use deletable::Deletable;
pub use finding::{Finding, FindingKinds, Sentence, Word};
pub use openable::Openable;

use crate::cse::{self, CseOptions};
use finding::{FindingRule, edit_title, sentence};
use names::Names;

/// The options of the search for findings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FindingOptions {
    /// The wanted kinds; facts that only others need are not computed.
    pub kinds: FindingKinds,
    /// A value in a loop is worth telling that costs at least so much (the table is in `SEMANTICS.md`).
    pub loop_invariant_cost: u32,
}

impl Default for FindingOptions {
    fn default() -> FindingOptions {
        FindingOptions { kinds: FindingKinds::PROVEN, loop_invariant_cost: 16 }
    }
}

/// The facts that planners use about a body. Each is computed once, on first use.
pub struct FindingFacts<'a> {
    /// The function.
    pub body: &'a Body,
    /// Its occurrences.
    pub occurrences: &'a Occurrences,
    /// The effects of calls.
    pub effects: &'a EffectTable,
    /// The view of the source text, if there is one.
    pub source: Option<SourceView<'a>>,
    /// The options.
    pub options: &'a FindingOptions,
    analyses: &'a Analyses<'a>,
    shared: &'a SharedPlan<'a>,
    conditions: OnceCell<Conditions>,
    analyzer: RefCell<Analyzer<'a>>,
    openable: OnceCell<Openable>,
    deletable: OnceCell<Deletable>,
    makers: OnceCell<Vec<Option<OpId>>>,
    names: RefCell<Option<Names>>,
}

impl<'a> FindingFacts<'a> {
    fn new(
        analyses: &'a Analyses<'a>,
        source: Option<SourceView<'a>>,
        options: &'a FindingOptions,
        shared: &'a SharedPlan<'a>,
    ) -> FindingFacts<'a> {
        let Analyses { body, occurrences, effects, .. } = *analyses;
        FindingFacts {
            body,
            occurrences,
            effects,
            source,
            options,
            analyses,
            shared,
            conditions: OnceCell::new(),
            analyzer: RefCell::new(analyses.analyzer()),
            openable: OnceCell::new(),
            deletable: OnceCell::new(),
            makers: OnceCell::new(),
            names: RefCell::new(None),
        }
    }

    /// The tree of scopes.
    pub fn scopes(&self) -> &'a ScopeTree {
        self.analyses.scopes()
    }

    /// Returns the sets of buffers that may overlap.
    pub fn aliases(&self) -> &'a AliasClasses {
        self.analyses.aliases()
    }

    /// The versions of memory.
    pub fn memory(&self) -> MemoryVersions<'a> {
        self.analyses.memory()
    }

    /// Returns the control flow.
    pub fn flow(&self) -> Flow<'a> {
        self.analyses.flow()
    }

    /// Returns the operations that are certain to be executed.
    pub fn certainty(&self) -> &'a Certainty {
        self.analyses.certainty()
    }

    /// Returns the roles of operands.
    pub fn roles(&self) -> &'a Roles {
        self.analyses.roles()
    }

    /// Returns the conditions known to hold at each point, for queries to [`FindingFacts::analyzer`].
    pub fn conditions(&self) -> &Conditions {
        let build = || self.analyses.conditions(&mut self.analyzer.borrow_mut());
        self.conditions.get_or_init(build)
    }

    /// Answers questions about integers. Not to be held while [`FindingFacts::conditions`] is first asked for.
    pub fn analyzer(&self) -> RefMut<'_, Analyzer<'a>> {
        self.analyzer.borrow_mut()
    }

    /// The operations that can be replaced by the contents of one of their regions.
    pub fn openable(&self) -> &Openable {
        self.openable.get_or_init(|| Openable::of(self.body))
    }

    /// Returns the expressions that may be omitted when nothing uses them.
    pub fn deletable(&self) -> &Deletable {
        let build = || Deletable::of(self.body, self.effects, Some(self.aliases()));
        self.deletable.get_or_init(build)
    }

    /// The operation that makes a buffer; none for parameters.
    pub fn maker(&self, buffer: BufferId) -> Option<OpId> {
        self.makers.get_or_init(|| makers(self.body))[buffer.index()]
    }

    /// A name that nothing in the body and in its text has, another one each time.
    pub fn fresh_name(&self) -> Box<str> {
        let mut names = self.names.borrow_mut();
        let names = names.get_or_insert_with(|| Names::collect(self.source.as_ref()));
        names.next(self.body)
    }
}

/// The common subexpressions of the body, as [`CseOptions::default`] plans them.
pub type SharedPlan<'a> = dyn Fn() -> Arc<CsePlan> + 'a;

/// One row for each kind of finding: its value and the declaration in the file of its planner.
macro_rules! finding_kinds {
    ($($(#[$of:meta])* $Kind:ident = $rule:path;)*) => {
        rules::kinds! {
            /// The kind of a finding. Names are kebab-case and stable; `tir-analyzer explain NAME` has a page for each.
            pub enum FindingKind { $($(#[$of])* $Kind = $rule.rule;)* }
        }

        impl FindingKind {
            /// The declaration beside its planner.
            fn declared(self) -> &'static FindingRule {
                match self {
                    $(FindingKind::$Kind => const { &$rule },)*
                }
            }
        }
    };
}

// Sorted by name.
finding_kinds! {
    /// A wait for a phase of a barrier that nothing ends.
    BarrierPhase = tiles::BARRIER_PHASE;
    /// A wait for a barrier at which nothing arrives.
    BarrierWithoutArrival = tiles::BARRIER_WITHOUT_ARRIVAL;
    /// A condition that is always true or never.
    ConstantCondition = conditions::CONSTANT;
    /// A tile is used before an asynchronous copy of it is done.
    CopyInFlight = tiles::COPY_IN_FLIGHT;
    /// A load of a copied value whose source still holds it.
    CopyPropagation = copy_propagation::COPY_PROPAGATION;
    /// A binding or a mutable scalar whose value nothing uses.
    DeadBinding = dead_binding::DEAD_BINDING;
    /// A store that nothing can read.
    DeadStore = dead_store::DEAD_STORE;
    /// A barrier that only some threads of a warp reach.
    DivergentBarrier = tiles::DIVERGENT_BARRIER;
    /// A launch that no device accepts.
    LaunchLimit = tiles::LAUNCH_LIMIT;
    /// A value in a loop that is the same in every iteration.
    LoopInvariant = loop_invariant::LOOP_INVARIANT;
    /// Threads exchange shared memory with no barrier between.
    MissingBarrier = barriers::MISSING;
    /// Without `noalias`, writes of one parameter may change another.
    MissingNoalias = missing_noalias::MISSING_NOALIAS;
    /// An integer that int32 cannot hold.
    OffsetOverflow = tiles::OFFSET_OVERFLOW;
    /// An access outside of a tile.
    OutOfBounds = tiles::OUT_OF_BOUNDS;
    /// Two iterations of a parallel loop write one element.
    ParallelRace = tiles::PARALLEL_RACE;
    /// An element that nothing shows to be inside of its tile.
    PossibleOutOfBounds = tiles::POSSIBLE_OUT_OF_BOUNDS;
    /// A product that nothing shows to be held by int32.
    PossibleOverflow = tiles::POSSIBLE_OVERFLOW;
    /// An element that nothing shows to be written by one iteration only.
    PossibleRace = tiles::POSSIBLE_RACE;
    /// A load of memory that some path to it may not have written.
    PossibleReadBeforeWrite = read_before_write::POSSIBLE_READ_BEFORE_WRITE;
    /// A load of memory that nothing has written.
    ReadBeforeWrite = read_before_write::READ_BEFORE_WRITE;
    /// A condition that an enclosing one already decides.
    RedundantCondition = conditions::REDUNDANT;
    /// A load of a value that a name or an earlier store still holds.
    RedundantLoad = redundant_load::REDUNDANT_LOAD;
    /// A loop or a copy that accesses single elements.
    ScalarAccess = tiles::SCALAR_ACCESS;
    /// A barrier across which threads exchange nothing.
    SuperfluousBarrier = barriers::SUPERFLUOUS;
    /// A tail that stays guarded.
    TailGuard = tiles::TAIL_GUARD;
    /// A loop that TileLang refuses.
    TileLoop = tiles::TILE_LOOP;
    /// Operands of a tile operation that do not fit each other.
    TileOperands = tiles::TILE_OPERANDS;
    /// Tiles that the matrix instructions of a device do not take.
    TileShape = tiles::TILE_SHAPE;
    /// Statements that cannot be executed.
    Unreachable = unreachable::UNREACHABLE;
}

/// All findings of the wanted kinds, in program order.
pub fn findings(
    analyses: &Analyses<'_>,
    source: Option<SourceView<'_>>,
    options: &FindingOptions,
) -> Vec<Finding> {
    let plan = || Arc::new(cse::plan(analyses, source, &CseOptions::default()));
    findings_beside(analyses, source, options, &plan)
}

/// As [`findings`], for who can tell the common subexpressions of the body without planning them again.
pub fn findings_beside(
    analyses: &Analyses<'_>,
    source: Option<SourceView<'_>>,
    options: &FindingOptions,
    shared: &SharedPlan<'_>,
) -> Vec<Finding> {
    let Analyses { body, occurrences, .. } = *analyses;
    let facts = FindingFacts::new(analyses, source, options, shared);
    let mut found = Vec::new();
    for kind in options.kinds.iter() {
        (kind.declared().plan)(&facts, &mut found);
    }
    if let Some(view) = &source {
        written_here(&facts, view, &mut found);
    }
    if found.len() > 1 {
        let order = Order::of(body);
        found.sort_by_cached_key(|it| (order.of_place(body, occurrences, it.place), it.kind));
    }
    found
}

/// Stores of what their element holds already, if they may go with their operands.
pub(crate) fn idle_stores(analyses: &Analyses<'_>) -> Vec<OpId> {
    let options = FindingOptions::default();
    let shared = || Arc::new(cse::plan(analyses, None, &CseOptions::default()));
    dead_store::idle(&FindingFacts::new(analyses, None, &options, &shared))
}

/// Keeps the findings about this text. Statements of a macro have the macro's text, where a finding may be right for
/// one call and wrong for another; and a fix never changes a call for a statement of the macro.
fn written_here(facts: &FindingFacts<'_>, view: &SourceView<'_>, found: &mut Vec<Finding>) {
    let FindingFacts { body, occurrences, .. } = *facts;
    let is_written = |place: Place| {
        let op = match place {
            Place::Op(op) => Some(op),
            Place::Occurrence(it) => Some(occurrences[it].op),
            Place::Value(value) => definer(body, value),
            Place::Buffer(buffer) => facts.maker(buffer),
            Place::Function => None,
        };
        op.is_none_or(|it| (view.is_written)(it))
    };
    let changes = |edit: &FixEdit| match *edit {
        FixEdit::RemoveOp(op) | FixEdit::KeepRegion { op, .. } => is_written(Place::Op(op)),
        FixEdit::Replace { occurrence, .. } => is_written(Place::Occurrence(occurrence)),
        FixEdit::Bind { before, ref replaces, .. } => {
            is_written(Place::Op(before))
                && replaces.iter().all(|&it| is_written(Place::Occurrence(it)))
        }
        FixEdit::Fill { before, .. } | FixEdit::Assume { before, .. } => {
            is_written(Place::Op(before))
        }
        FixEdit::AddNoalias => true,
    };
    found.retain_mut(|it| {
        if !it.fix.as_ref().is_none_or(|fix| fix.edits.iter().all(changes)) {
            it.fix = None;
        }
        is_written(it.place)
    });
}

/// The place where operations stand in program order; those that were removed stand at the end.
struct Order {
    of_op: Vec<u32>,
    /// The operation that makes a buffer; none for parameters.
    maker: Vec<Option<OpId>>,
}

impl Order {
    fn of(body: &Body) -> Order {
        let mut of_op = vec![u32::MAX; body.ops.len()];
        for (at, op) in body.ops_preorder().enumerate() {
            of_op[op.index()] = at as u32;
        }
        Order { of_op, maker: makers(body) }
    }

    fn of_op(&self, op: OpId) -> u32 {
        self.of_op[op.index()]
    }

    /// The function before everything, an operation before its occurrences.
    fn of_place(&self, body: &Body, occurrences: &Occurrences, place: Place) -> (u32, u32) {
        let after = |op: OpId| self.of_op(op).saturating_add(1);
        match place {
            Place::Function => (0, 0),
            Place::Op(op) => (after(op), 0),
            Place::Occurrence(it) => (after(occurrences[it].op), it.index() as u32 + 1),
            Place::Value(value) => (definer(body, value).map_or(0, after), 0),
            Place::Buffer(buffer) => (self.maker[buffer.index()].map_or(0, after), 0),
        }
    }
}

/// By buffer: the operation that makes it.
fn makers(body: &Body) -> Vec<Option<OpId>> {
    let mut makers = vec![None; body.buffers.len()];
    for op in body.ops_preorder() {
        if let OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } = body.ops[op].kind {
            makers[buffer.index()] = Some(op);
        }
    }
    makers
}

/// The operation that defines a value; none for parameters and captured names.
fn definer(body: &Body, value: ValueId) -> Option<OpId> {
    match body.values[value].kind {
        ValueKind::Result(op, _) => Some(op),
        ValueKind::BlockArg(block, _) => body.regions[body.blocks[block].parent].parent,
        ValueKind::Param(_) | ValueKind::Symbol | ValueKind::Captured => None,
    }
}

/// The operations that define the names in an occurrence: they stay where a copy of it is made.
fn definers_of(body: &Body, occurrences: &Occurrences, top: OccurrenceId) -> Vec<OpId> {
    let mut ops = Vec::new();
    for at in top.index()..occurrences[top].end.index() {
        ir::interrupt::check();
        let expr = occurrences[OccurrenceId::new(at)].expr;
        if let ExprKind::Value(value) = body.expr(expr).kind {
            ops.extend(definer(body, value));
        }
    }
    ops.sort_unstable();
    ops.dedup();
    ops
}
