//! Plans: the candidates of a transformation, its decisions, and the reasons.
//!
//! A plan is plain data about one body. The same plan makes the inlay hint, the code action, the diagnostic, the
//! explanation and the lowered code (the rewriter in `transform` applies it to a body, the edits in `frontend` to the
//! text), so these can never disagree. *Found*, *shown* and *applied* are three things: a plan lists all groups with
//! their decisions; thresholds select the shown ones; its bindings are applied.

use crate::{Body, BufferId, Dialect, ExprId, NameId, OccurrenceId, OpId, ValueId};

pub mod allow;
mod cell;
pub mod finding;
pub mod json;
pub mod ops;
mod refusal;
pub mod simplify;

pub use cell::{CellIdx, CellPlace, CellStore, CseCell, PartialObstacle};
pub use refusal::{COMMON_SUBEXPRESSION, REFUSALS};

/// Version of the JSON form of plans. Raised when a field changes its meaning or goes.
pub const PLAN_VERSION: u32 = 2;

/// Whose rules a plan follows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Preset {
    /// All that is sound and saves something, in every dialect.
    Default,
    /// TVMScript: today's pass of TVM (`CommonSubexprElim` of 0.27), names and order included.
    Tvm,
    /// TVMScript: TVM's pass of 2022 (`CommonSubexprElimTIR` of 0.21 to 0.23), names and order included: largest first,
    /// also bools, inside lets and with lets inside expressions.
    Tvm2022,
    /// MLIR: `mlir-opt -cse` of LLVM 19, with its dead-code rule.
    Mlir19,
    /// MLIR: the same pass in LLVM 24.
    Mlir24,
    /// PIR: Paddle's `common_subexpression_elimination_pass`.
    Pir,
}

impl Preset {
    /// The name in settings, messages and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Default => "default",
            Preset::Tvm => "tvm",
            Preset::Tvm2022 => "tvm-2022",
            Preset::Mlir19 => "mlir",
            Preset::Mlir24 => "mlir-24",
            Preset::Pir => "pir",
        }
    }

    /// Returns true if the preset applies to functions of a dialect.
    pub fn is_for(self, dialect: Dialect) -> bool {
        match self {
            Preset::Default => true,
            Preset::Tvm | Preset::Tvm2022 => {
                matches!(dialect, Dialect::Tirx | Dialect::Tir | Dialect::TileLang)
            }
            Preset::Mlir19 | Preset::Mlir24 => dialect == Dialect::Mlir,
            Preset::Pir => dialect == Dialect::Pir,
        }
    }

    /// The rules that a plan of a dialect follows where this is chosen for files of all dialects.
    #[must_use]
    pub fn of(self, dialect: Dialect) -> Preset {
        if self.is_for(dialect) { self } else { Preset::Default }
    }
}

/// The level of equivalence of the occurrences of a group. Each level contains the ones before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Equivalence {
    /// The same tree.
    Syntactic,
    /// The same after ordering the operands of commutative operators.
    Commutative,
    /// The same after re-association, where no overflow can be introduced.
    Associative,
    /// Equal canonical forms.
    Arithmetic,
}

/// The compiler stage that comes after the rewritten function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Downstream {
    /// Something that keeps to the semantics.
    Sound,
    /// TVM, whose passes evaluate some values where the source does not ([`TvmPass`]).
    Tvm,
}

/// A pass of TVM that may evaluate the code left around a name where the source does not evaluate it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TvmPass {
    /// Binds values that are computed twice above their uses, guarded ones too.
    CommonSubexprElim,
    /// Leaves a `T.Select` without loads in its arms as it is, so that both are evaluated.
    RewriteUnsafeSelect,
}

impl TvmPass {
    /// Its name in TVM.
    pub fn name(self) -> &'static str {
        match self {
            TvmPass::CommonSubexprElim => "CommonSubexprElim",
            TvmPass::RewriteUnsafeSelect => "RewriteUnsafeSelect",
        }
    }
}

/// The view of the source text: which changes it allows, and where. Made by the frontend; absent for a body without
/// text, where all is allowed.
#[derive(Clone, Copy)]
pub struct SourceView<'a> {
    /// For each occurrence: whether it has its own text (a virtual one was made by desugaring, promotion or macro
    /// expansion).
    pub is_real: &'a dyn Fn(OccurrenceId) -> bool,
    /// Returns true if an operation is a statement of this text. The statements that a macro call stands for have a
    /// text of their own, and no finding is reported for them at the call.
    pub is_written: &'a dyn Fn(OpId) -> bool,
    /// True if a statement may be inserted right before this operation.
    pub is_site: &'a dyn Fn(OpId) -> bool,
    /// True if a statement may be added at the end of an arm of this `if` (0 or 1), as its `else` if it has none.
    pub is_end_site: &'a dyn Fn(OpId, u32) -> bool,
    /// The text an occurrence has or was made from, as offsets of its start and end in the function. A virtual
    /// occurrence with the very text of a real one changes with it (both `x * y` of `0 < x * y < n`).
    pub range: &'a dyn Fn(OccurrenceId) -> (u32, u32),
    /// Returns true if the user allows the value to be computed again where it is
    /// (`# tir: allow(common-subexpression)`): the occurrence stays as it is and does not count.
    pub is_allowed: &'a dyn Fn(OccurrenceId) -> bool,
    /// Calls its argument with every name that the function's text mentions: defined, captured, of macros and of
    /// compile-time values. New names differ from all of them.
    pub names: &'a dyn Fn(&mut dyn FnMut(&str)),
    /// Returns true if the text mentions a name in a part that is not lowered (in an arm of a compile-time `if` that is
    /// not taken, in a nested macro, in an f-string), or asks only for the type, the extents or the like of what has
    /// the name (`x.dtype`). Such a name is used, though no operation uses it.
    pub is_hidden: &'a dyn Fn(&str) -> bool,
}

/// An index into [`CsePlan::bindings`].
pub type BindingIdx = usize;

/// All about the common subexpressions of one body.
#[derive(Clone, PartialEq, Debug)]
pub struct CsePlan {
    /// Rules followed.
    pub preset: Preset,
    /// The groups found, in order of the first occurrence (outer before inner).
    pub groups: Vec<CseGroup>,
    /// The bindings to apply, each after the bindings that its value uses. Several before one operation stand in this
    /// order.
    pub bindings: Vec<CseBinding>,
    /// Scalars for values that only some paths have computed: those of [`Decision::Insert`] are applied, the others are
    /// proposals.
    pub cells: Vec<CseCell>,
    /// Statements without effect (`T.evaluate(0)`) that the rules leave out; none where there is a text.
    pub dropped: Vec<OpId>,
    /// True in functions with blocks still to be scheduled: the fix is a separately labelled action there.
    pub informational: bool,
}

/// A value that is computed at several occurrences.
#[derive(Clone, PartialEq, Debug)]
pub struct CseGroup {
    /// The expression of the first occurrence.
    pub expr: ExprId,
    /// The place, in program order; all counted ones, also those inside larger bound expressions.
    pub occurrences: Vec<OccurrenceId>,
    /// Virtual occurrences that have the text of a counted one and change with it; empty without a source.
    pub shadows: Vec<OccurrenceId>,
    /// The level of equivalence.
    pub equivalence: Equivalence,
    /// Operations that one evaluation costs (`SEMANTICS.md` has the table), not counting loads as free.
    pub cost: u32,
    /// Evaluations that the decision saves (static count).
    pub saved: u32,
    /// True if the host would compute a value for kernels whose last bits may differ there: `T.exp`, a product fused
    /// with its sum.
    pub host_rounding: bool,
    /// The pass of TVM that may evaluate the code left around the name where the source does not.
    pub exposed_to: Option<TvmPass>,
    /// The decision.
    pub decision: Decision,
}

/// The decision about a group.
#[derive(Clone, PartialEq, Debug)]
pub enum Decision {
    /// A new binding.
    Bind(BindingIdx),
    /// The user's own binding of the value serves the occurrences after it.
    Reuse(ReuseOf),
    /// A scalar that every path to the uses stores: computations are inserted where a path has none yet.
    Insert(CellIdx),
    /// All its occurrences but one are inside larger expressions that are bound.
    Covered {
        /// Those bindings.
        by: Vec<BindingIdx>,
    },
    /// Nothing, and why.
    Refuse(Refusal),
}

/// A name that already holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExistingName {
    /// An immutable binding.
    Value(ValueId),
    /// A scalar of the `tirx` dialect that is stored once.
    Cell(BufferId),
}

impl ReuseOf {
    /// The name of the user's variable.
    pub fn name<'b>(&self, body: &'b Body) -> &'b str {
        match self.held {
            ExistingName::Value(it) => body.name(body.values[it].name),
            ExistingName::Cell(it) => body.name(body.buffers[it].name),
        }
    }
}

/// An existing binding that is reused.
#[derive(Clone, PartialEq, Debug)]
pub struct ReuseOf {
    /// The user's variable.
    pub held: ExistingName,
    /// The operation that binds it, or stores it.
    pub bound_by: OpId,
    /// The occurrence that is its value, and stays.
    pub definition: OccurrenceId,
    /// The occurrences that become the variable.
    pub replaces: Vec<OccurrenceId>,
}

/// The reason why a group is not bound. The kebab-case name of each is [`Refusal::name`]; `tir-analyzer explain NAME`
/// documents it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// It may trap (division by zero, shift out of range, conversion out of range), and at the place that dominates
    /// all occurrences it is not certain to be computed.
    MayTrap {
        /// The operator that may trap.
        culprit: ExprId,
        /// An occurrence that is guarded.
        guarded: OccurrenceId,
    },
    /// The text has no place for the binding (between two axes of one `T.grid`, in a `while` condition, …).
    NoBindingSite {
        /// The operation before which it would have to stand.
        before: OpId,
    },
    /// Fewer than two occurrences have a text of their own.
    VirtualOnly,
    /// It contains an unknown value or call.
    Unknown,
    /// It contains a call that is not a pure value.
    ImpureCall {
        /// Name of the call.
        callee: NameId,
    },
    /// It reads memory that may be written between its occurrences.
    Memory {
        /// The first write that may come between the first two.
        write: OpId,
        /// The kind.
        what: Between,
        /// The loop in whose next iteration the written memory is read, if that is the way.
        around: Option<OpId>,
    },
    /// Predicates read better inline; found, not applied.
    Predicate,
    /// No path through the function computes it twice, and one would compute it that does not now.
    NoPathTwice,
    /// Some paths to the uses have computed it and others have not: code would have to be inserted in a branch.
    PartialRedundancy {
        /// The place where it is computed, and where it would be inserted.
        cell: CellIdx,
        /// The reason why that is not done.
        obstacle: PartialObstacle,
    },
    /// The sums are equal only when their terms are ordered otherwise, and the order of one of them may overflow where
    /// that of the other does not.
    Overflow {
        /// The form whose sums are not shown to stay in their type.
        value: OccurrenceId,
    },
    /// It is always equal to a constant or a variable: there is nothing to compute.
    Simplifies {
        /// The expression that it is equal to.
        to: ExprId,
    },
    /// It depends on which threads arrive together, and the uses are not in one block with nothing divergent between.
    Convergent,
    /// It is used under a binder (`T.Let`, a reducer).
    UnderBinder,
    /// The binding would be above a kernel launch and become host code.
    LaunchBound,
    /// It computes in an integer type narrower than 32 bits, which C and CUDA cut to its width only where it gets a
    /// name: a binding would change their results.
    NarrowInteger,
    /// If it had a name, a pass of TVM would evaluate the code left around it where the source does not, and TVM comes
    /// next.
    Downstream {
        /// The pass.
        pass: TvmPass,
    },
    /// For some values of captured names TVM folds it as it reads it, and drops an operand beside it that may fail.
    /// With a name that operand would be evaluated.
    Folds {
        /// The operand.
        beside: ExprId,
    },
    /// Fewer occurrences than the settings ask for.
    FewOccurrences,
    /// The user allows it (`# tir: allow(common-subexpression)`).
    Allowed,
    /// More bindings were planned than were asked for.
    Limit,
}

/// The event that separates two loads of one address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Between {
    /// A store.
    Store,
    /// A call that writes.
    Call,
    /// A barrier, or a wait for asynchronous work.
    Barrier,
    /// An asynchronous copy.
    AsyncCopy,
    /// The memory is new: nothing has written it yet.
    Allocation,
    /// A loop that may wait for another thread.
    Polled,
    /// A statement that is not understood.
    Opaque,
    /// Nothing: each load is new. The memory is volatile, or is written by the very statement.
    Unordered,
}

impl Between {
    /// Kebab-case name.
    pub fn name(self) -> &'static str {
        match self {
            Between::Store => "store",
            Between::Call => "call",
            Between::Barrier => "barrier",
            Between::AsyncCopy => "asynchronous-copy",
            Between::Allocation => "allocation",
            Between::Polled => "polled",
            Between::Opaque => "opaque",
            Between::Unordered => "unordered",
        }
    }
}

/// A new variable that holds a shared value.
#[derive(Clone, PartialEq, Debug)]
pub struct CseBinding {
    /// Name, colliding with nothing.
    pub name: Box<str>,
    /// The group's index in [`CsePlan::groups`].
    pub group: usize,
    /// The value, as in the original body; parts of it that are bound themselves are in `uses`.
    pub expr: ExprId,
    /// The lets around `expr` in its operand, where it is written: from there its free bound variables count (see
    /// [`ExprKind::Bound`]).
    pub depth: u32,
    /// The binding stands right before this operation. Several bindings before one operation stand in the order of
    /// [`CsePlan::bindings`].
    pub before: OpId,
    /// None for a statement; else it is a `T.Let`, inside `before` for an occurrence.
    pub within: Option<Within>,
    /// The occurrences that become the variable; none lies inside another of the same plan.
    pub replaces: Vec<OccurrenceId>,
    /// Parts of the value that are other bindings' variables. They are replaced wherever a walk from the top meets them
    /// strictly inside `expr`; the walk does not enter replaced parts. Only those that such a walk meets, in the order
    /// it meets them.
    pub uses: Vec<Part>,
    /// Likewise the parts to be replaced by the user's own variables: of groups with [`Decision::Reuse`].
    pub reuses: Vec<Part>,
}

/// The scope that a `T.Let` encloses. Of several around one expression, the first of the plan is outermost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Within {
    /// The rest of an occurrence.
    Occurrence(OccurrenceId),
    /// The value of another binding, which comes later in the plan.
    Value(BindingIdx),
}

/// A part of a bound value that has a name of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// The part, as it is written in the value: not always as in the binding that stands for it (`y * x` for `x * y`).
    pub expr: ExprId,
    /// An index into [`CsePlan::bindings`], or [`CsePlan::groups`] for a user's variable.
    pub of: usize,
}

/// Returns true if plans that name values are only informational for a function. Its blocks are still to be scheduled,
/// and a new name in them can make `compute_inline` or `fuse` fail. Such a plan is a code action of its own with a
/// label, and no bulk fix applies it.
pub fn only_informs(body: &Body) -> bool {
    body.has_schedulable_blocks()
}

impl Decision {
    /// Returns true if the decision changes the function.
    pub fn is_applied(&self) -> bool {
        matches!(self, Decision::Bind(_) | Decision::Reuse(_) | Decision::Insert(_))
    }
}

impl CsePlan {
    /// The plan that does nothing.
    pub fn none(preset: Preset) -> CsePlan {
        CsePlan {
            preset,
            groups: Vec::new(),
            bindings: Vec::new(),
            cells: Vec::new(),
            dropped: Vec::new(),
            informational: false,
        }
    }

    /// The plan that applies one group and nothing else; none if the group is not applied. The new binding is as it is
    /// in the whole plan, but shares no part with others and serves all occurrences of the group. A partial redundancy
    /// that waits for a request is applied too: this is the request.
    pub fn only(&self, group: usize) -> Option<CsePlan> {
        let mut chosen = self.groups.get(group)?.clone();
        let replaces = || {
            let mut all: Vec<OccurrenceId> =
                chosen.occurrences.iter().chain(&chosen.shadows).copied().collect();
            all.sort_unstable();
            all
        };
        let mut bindings = Vec::new();
        let mut cells = Vec::new();
        match &chosen.decision {
            &Decision::Insert(cell)
            | &Decision::Refuse(Refusal::PartialRedundancy {
                cell,
                obstacle: PartialObstacle::OnRequest,
            }) => {
                let mut cell = CseCell { group: 0, ..self.cells.get(cell)?.clone() };
                for store in &mut cell.stores {
                    store.uses.clear();
                    store.reuses.clear();
                }
                cells.push(cell);
                chosen.decision = Decision::Insert(0);
            }
            Decision::Bind(binding) => {
                let binding = self.bindings.get(*binding)?;
                bindings.push(CseBinding {
                    group: 0,
                    replaces: replaces(),
                    uses: Vec::new(),
                    reuses: Vec::new(),
                    ..binding.clone()
                });
                chosen.decision = Decision::Bind(0);
            }
            Decision::Reuse(reuse) => {
                let mut all = replaces();
                all.retain(|it| *it != reuse.definition);
                chosen.decision = Decision::Reuse(ReuseOf { replaces: all, ..reuse.clone() });
            }
            Decision::Covered { .. } | Decision::Refuse(_) => return None,
        }
        Some(CsePlan {
            preset: self.preset,
            groups: vec![chosen],
            bindings,
            cells,
            dropped: Vec::new(),
            informational: self.informational,
        })
    }

    /// The passes of TVM that the decisions expose something to, sorted, without repetition.
    pub fn exposed_to(&self) -> Vec<TvmPass> {
        let done = self.groups.iter().filter(|it| it.decision.is_applied());
        let mut passes: Vec<TvmPass> = done.filter_map(|it| it.exposed_to).collect();
        passes.sort_unstable();
        passes.dedup();
        passes
    }

    /// Returns true if applying the plan changes the function.
    pub fn is_empty(&self) -> bool {
        self.bindings.is_empty()
            && !self
                .groups
                .iter()
                .any(|it| matches!(it.decision, Decision::Reuse(_) | Decision::Insert(_)))
    }

    /// The number of fixes: bindings, groups that use a binding of the user, and inserted scalars.
    pub fn n_fixes(&self) -> usize {
        let is_reuse = |it: &&CseGroup| matches!(it.decision, Decision::Reuse(_));
        self.bindings.len() + self.groups.iter().filter(is_reuse).count() + self.inserted().count()
    }

    /// The scalars that are applied, in the order of [`CsePlan::cells`].
    pub fn inserted(&self) -> impl Iterator<Item = (CellIdx, &CseCell)> {
        let is_applied =
            |&(at, it): &(usize, &CseCell)| self.groups[it.group].decision == Decision::Insert(at);
        self.cells.iter().enumerate().filter(is_applied)
    }
}
