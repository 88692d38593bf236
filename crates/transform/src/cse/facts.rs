//! The facts that a planner needs about a body before it starts.
//!
//! In: the analyses of the body, source view. Out: [`Facts`]: for every expression node its cost, what may trap in it,
//! from where on its variables are visible; for every occurrence whether it counts and whether it is lazily evaluated.
//! Everything is computed once, bottom-up over the nodes (a child has a smaller id than its parent) and in one pass
//! over the occurrences; all questions are then O(1). Time and memory O(nodes + occurrences + operations).
//!
//! Rests on `SEMANTICS: S2` (right sides), `S4` (arms of Select, because C is lazy there), `S5`, `S6` (vectors are
//! strict), `B4` (binders), `P6` (launch bounds), `B6` (shapes of matched buffers are definitions), `X8` (unresolved
//! branches).

use dataflow::{
    analyses::Analyses,
    certain::Certainty,
    flow::{self, Evaluated},
    scopes::{ScopeId, ScopeKind, ScopeTree},
};
use ir::{
    Body, BufferOrigin, ExprId, ExprKind, ForKind, OccurrenceId, Occurrences, OpId, OpKind,
    TypeCode, ValueId,
    arena::Id,
    effects::{self, EffectTable, Trap},
    plan::SourceView,
    visibility::{Reach, reach},
    walk::WalkEvent,
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Work,
    paths::Paths,
    shadows::Shadows,
    sharing::{self, Sharing},
};

/// "None" in a table of occurrence, node or operation numbers.
pub(super) const NONE: u32 = u32::MAX;

bitflags::bitflags! {
    /// Properties of an occurrence.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub(super) struct Seen: u8 {
        /// TVM's planner visits it.
        const SCANNED = 1;
        /// It may become a variable: occurrences that are evaluated with their operation, and all but those of a
        /// declaration. Not the body of a reducer; the body of a let is, once for each time that the let is.
        const REPLACEABLE = 2;
        /// It is in the body of a let.
        const UNDER_LET = 4;
        /// It is a launch bound, evaluated on the host wherever it stands.
        const LAUNCH_BOUND = 8;
        /// It has its own text, or there is no text.
        const REAL = 16;
        /// Something else than its value is meant: a load for its place, the end of a part of a buffer for how long it
        /// is.
        const PLACE = 32;
        /// It reads memory that may change while it is evaluated, or whenever it is evaluated again.
        const UNSTABLE = 64;
        /// It has to be seen as it is written (`ir::role`), and is not replaceable.
        const STAYS = 128;
    }
}

/// The tables.
pub(super) struct Facts<'a> {
    pub(super) body: &'a Body,
    pub(super) occurrences: &'a Occurrences,
    pub(super) source: Option<SourceView<'a>>,
    pub(super) effects: &'a EffectTable,
    pub(super) analyses: &'a Analyses<'a>,
    pub(super) scopes: &'a ScopeTree,
    pub(super) certainty: &'a Certainty,
    pub(super) shadows: Shadows,
    pub(super) paths: Paths,
    /// By node: the cost of one evaluation, operands included.
    cost: Vec<u32>,
    /// By node: the operator in it that may trap, or [`NONE`].
    culprit: Vec<u32>,
    /// By node: the order of the first operation that sees all its variables.
    visible_from: Vec<u32>,
    /// By occurrence, where threads have names: the order of the first operation of the launches that run those in it.
    launched_from: Vec<u32>,
    /// By node: the properties that decide about sharing.
    sharing: Vec<Sharing>,
    /// By occurrence.
    flags: Vec<Seen>,
    /// By occurrence: the innermost occurrence at or around it that is a lazily evaluated operand, or [`NONE`].
    lazy_at: Vec<u32>,
    /// By operation: occurrences in different parts are never shared (`X8`).
    part: Vec<u32>,
    /// By operation: the number of operations with regions before it in its block.
    branches_before: Vec<u32>,
    /// By operation: the nearest place before it where the text can take a statement, or [`NONE`].
    site: Vec<u32>,
}

impl<'a> Facts<'a> {
    pub(super) fn collect(
        analyses: &'a Analyses<'a>,
        source: Option<SourceView<'a>>,
        work: &mut Work,
    ) -> Facts<'a> {
        let Analyses { body, occurrences, effects, .. } = *analyses;
        let scopes = analyses.scopes();
        let mut facts = Facts {
            body,
            occurrences,
            source,
            effects,
            analyses,
            scopes,
            certainty: analyses.certainty(),
            paths: Paths::new(body, scopes),
            shadows: Shadows::collect(body, occurrences, source.as_ref(), work),
            cost: Vec::with_capacity(body.n_exprs()),
            culprit: Vec::with_capacity(body.n_exprs()),
            visible_from: Vec::with_capacity(body.n_exprs()),
            launched_from: launched_from(body, occurrences, scopes),
            sharing: Vec::with_capacity(body.n_exprs()),
            flags: vec![Seen::empty(); occurrences.len()],
            lazy_at: vec![NONE; occurrences.len()],
            part: parts(body, scopes),
            branches_before: branches_before(body),
            site: sites(body, source.as_ref()),
        };
        facts.summarize_nodes(effects);
        facts.look_through_bindings();
        facts.find_culprits(effects);
        facts.classify_occurrences();
        work.visited += (body.n_exprs() + occurrences.len() + 4 * body.ops.len()) as u64;
        facts
    }

    fn summarize_nodes(&mut self, effects: &EffectTable) {
        let body = self.body;
        let declared_from = declared_from(body, self.scopes);
        for index in 0..body.n_exprs() {
            let id = ExprId::new(index);
            let kind = body.expr(id).kind;
            let mut cost = effects.own_cost(body, id);
            let mut visible_from = match kind {
                ExprKind::Value(value) => self.scopes.visible_from(body, value),
                ExprKind::Load { buffer, .. }
                | ExprKind::Region(buffer, _)
                | ExprKind::Buffer(buffer)
                | ExprKind::BufferField(buffer, _) => declared_from[buffer.index()],
                _ => 0,
            };
            let mut below = Sharing::default();
            body.each_child(kind, &mut |child| {
                let child = child.index();
                cost = cost.saturating_add(self.cost[child]);
                visible_from = visible_from.max(self.visible_from[child]);
                below = below.union(self.sharing[child]);
            });
            self.cost.push(cost);
            self.visible_from.push(visible_from);
            self.sharing.push(sharing::of_node(body, effects, id, below));
        }
    }

    /// Gives each variable the inexactness of its definition and marks it as coming from the same sums: on the other
    /// side of a launch it would have other bits.
    fn look_through_bindings(&mut self) {
        let body = self.body;
        let mut bound = Bound { body, handed: FxHashMap::default() };
        for op in body.ops_preorder().filter(|&it| body.ops[it].kind == OpKind::Bind) {
            let mut all = Sharing::default();
            for id in self.occurrences.of_op(op) {
                let here = self.occurrences[id];
                all = all.union(bound.sharing(here.expr).union(self.sharing(here.expr)));
            }
            all = all.inherited();
            if body.ops[op].operands.iter().any(|&it| bound.is_product(it)) {
                all = all.union(Sharing::PRODUCT);
            }
            if !all.is_empty() {
                bound.handed.extend(body.ops[op].results.iter().map(|&it| (it, all)));
            }
        }
        if bound.handed.is_empty() {
            return;
        }
        for index in 0..body.n_exprs() {
            let id = ExprId::new(index);
            let kind = body.expr(id).kind;
            let mut all = bound.sharing(id);
            if !matches!(kind, ExprKind::Load { .. }) {
                body.each_child(kind, &mut |it| {
                    all = all.union(self.sharing[it.index()].inherited());
                });
            }
            self.sharing[index] = self.sharing[index].union(all);
        }
    }

    /// For each node the operator in it that may trap, or uses a sum that may have left its type where the source does
    /// not use it.
    fn find_culprits(&mut self, effects: &EffectTable) {
        let body = self.body;
        for index in 0..body.n_exprs() {
            let id = ExprId::new(index);
            let kind = body.expr(id).kind;
            let is_sum = |it: ExprId| self.sharing(it).intersects(Sharing::SUM);
            let is_own = effects.own_trap(body, id) != Trap::No || sharing::uses_sum(kind, is_sum);
            let mut culprit = if is_own { index as u32 } else { NONE };
            body.each_child(kind, &mut |child| {
                if culprit == NONE {
                    culprit = self.culprit[child.index()];
                }
            });
            self.culprit.push(culprit);
        }
    }

    fn classify_occurrences(&mut self) {
        let (body, occurrences) = (self.body, self.occurrences);
        let domains = domains(body);
        for op in body.ops_preorder() {
            let kind = body.ops[op].kind;
            let mut at: Option<OccurrenceId> = None;
            let unstable = self.unstable(op);
            for id in occurrences.of_op(op) {
                let is_operand = at.is_none_or(|it| it == id);
                if is_operand
                    && matches!(kind, OpKind::For(_))
                    && domains.contains(&occurrences[id].expr)
                {
                    at = Some(occurrences[id].end);
                } else if is_operand {
                    let operand = occurrences[id].operand;
                    self.flags[id.index()] =
                        operand_flags(body, kind, operand, body.ops[op].operands.len()) | unstable;
                    at = Some(occurrences[id].end);
                }
                if let Some(source) = &self.source {
                    if (source.is_real)(id) {
                        self.flags[id.index()] |= Seen::REAL;
                    }
                } else {
                    self.flags[id.index()] |= Seen::REAL;
                }
                self.classify_children(id);
            }
        }
    }

    /// Excludes operands that must be seen as they are written: for planners that decide by `ir::role`, not as a
    /// reference compiler does.
    pub(super) fn leave_roles(&mut self, work: &mut Work) {
        let roles = self.analyses.roles();
        for (id, _) in self.occurrences.iter().filter(|it| !roles.role(it.0).takes_name()) {
            self.flags[id.index()] &= !Seen::REPLACEABLE;
            self.flags[id.index()] |= Seen::STAYS;
        }
        work.visited += self.occurrences.len() as u64;
    }

    /// Hands the flags of an occurrence down to its operands.
    fn classify_children(&mut self, parent: OccurrenceId) {
        let here = self.occurrences[parent];
        let kind = self.body.expr(here.expr).kind;
        let inherited = self.flags[parent.index()] & !(Seen::REAL | Seen::PLACE);
        let lazy = self.lazy_at[parent.index()];
        let mut child = OccurrenceId::new(parent.index() + 1);
        let mut index = 0;
        while child < here.end {
            let expr = self.occurrences[child].expr;
            // The items of a list are what the list is.
            let is_place = match (kind, self.body.expr(expr).kind) {
                (list, _) if effects::is_list(list) => {
                    self.flags[parent.index()].contains(Seen::PLACE)
                }
                (_, it) if matches!(it, ExprKind::Load { .. }) || effects::is_list(it) => {
                    sharing::takes_place(self.body, self.effects, here.expr, index)
                }
                _ => false,
            };
            let place = if is_place { Seen::PLACE } else { Seen::empty() };
            self.flags[child.index()] = child_flags(self.body, kind, index, inherited) | place;
            let is_lazy =
                flow::evaluated(self.body, self.effects, kind, index) != Evaluated::Always;
            if is_lazy {
                let around = (lazy != NONE).then(|| OccurrenceId::new(lazy as usize));
                self.paths.add_lazy(child, around);
            }
            self.lazy_at[child.index()] = if is_lazy { child.index() as u32 } else { lazy };
            child = self.occurrences[child].end;
            index += 1;
        }
    }

    /// Returns the flag of an operation whose operands do not read a fixed memory state. A `while` polls the loads of
    /// its condition (`SEMANTICS: L5`), and the writes of a call inside an operand are unordered with the other
    /// operands (`E1`).
    fn unstable(&self, op: OpId) -> Seen {
        let body = self.body;
        let data = &body.ops[op];
        let has_effect = |expr: ExprId| body.expr(expr).flags.has_impure;
        let inside = |expr: ExprId| {
            let mut any = false;
            body.each_child(body.expr(expr).kind, &mut |child| any |= has_effect(child));
            any
        };
        let unstable = match data.kind {
            OpKind::While => true,
            OpKind::Evaluate | OpKind::Bind => data.operands.iter().any(|&it| inside(it)),
            _ => data.operands.iter().any(|&it| has_effect(it)),
        };
        if unstable { Seen::UNSTABLE } else { Seen::empty() }
    }

    // ---- nodes ----

    /// Returns true if TVM would record the node: an operator, not a bool, without calls and loads in it.
    pub(super) fn is_candidate(&self, expr: ExprId) -> bool {
        let node = self.body.expr(expr);
        is_operator(&node.kind)
            && !node.flags.has_call
            && !node.flags.has_load
            && self.body.dtype(expr).is_none_or(|it| it.code != TypeCode::Bool)
    }
    /// Returns true if a value of this form can be computed once and get a name.
    pub(super) fn is_shareable(&self, expr: ExprId) -> bool {
        !self.sharing(expr).intersects(Sharing::IMPURE) && sharing::is_value(self.body, expr)
    }
    pub(super) fn cost(&self, expr: ExprId) -> u32 {
        self.cost[expr.index()]
    }
    /// The operator in it that may trap.
    pub(super) fn culprit(&self, expr: ExprId) -> Option<ExprId> {
        let culprit = self.culprit[expr.index()];
        (culprit != NONE).then(|| ExprId::new(culprit as usize))
    }
    /// The order of the first operation that sees all its variables. Named thread indices need more:
    /// [`Facts::visible_from_at`].
    pub(super) fn visible_from(&self, expr: ExprId) -> u32 {
        self.visible_from[expr.index()]
    }
    /// The order of the first operation that sees all variables of an occurrence, in the launches that it is in.
    pub(super) fn visible_from_at(&self, occurrence: OccurrenceId) -> u32 {
        let launched = self.launched_from.get(occurrence.index()).copied().unwrap_or_default();
        self.visible_from(self.occurrences[occurrence].expr).max(launched)
    }
    /// Returns the properties of an expression that decide about sharing.
    pub(super) fn sharing(&self, expr: ExprId) -> Sharing {
        self.sharing[expr.index()]
    }

    // ---- occurrences and operations ----

    pub(super) fn has(&self, occurrence: OccurrenceId, flags: Seen) -> bool {
        self.flags[occurrence.index()].contains(flags)
    }
    /// Returns true if an occurrence is lazily evaluated when `around` (itself, or an occurrence that contains it) is
    /// evaluated; `None` asks about the operation.
    pub(super) fn is_lazy(&self, occurrence: OccurrenceId, around: Option<OccurrenceId>) -> bool {
        let at = self.lazy_at[occurrence.index()];
        at != NONE && around.is_none_or(|it| at > it.index() as u32)
    }
    /// In how many lazily evaluated operands an occurrence is, of those inside of `around`; `None` asks about the
    /// operation.
    pub(super) fn lazy_depth(&self, occurrence: OccurrenceId, around: Option<OccurrenceId>) -> u32 {
        let depth = |it: OccurrenceId| match self.lazy_at[it.index()] {
            NONE => 0,
            at => self.paths.lazy_depth(OccurrenceId::new(at as usize)),
        };
        depth(occurrence) - around.map_or(0, depth)
    }
    /// Returns true if exactly one of two occurrences is evaluated when the innermost expression or operation around
    /// both is evaluated.
    pub(super) fn are_exclusive(&self, a: OccurrenceId, b: OccurrenceId) -> bool {
        let lazy = [a, b].map(|it| {
            let at = self.lazy_at[it.index()];
            (at != NONE).then(|| OccurrenceId::new(at as usize))
        });
        self.paths.are_exclusive(self.body, self.occurrences, [a, b], lazy)
    }
    /// The operation with which an occurrence is evaluated: its own. Bounds of a launch inside another one are
    /// evaluated on the host, before the outer one (`SEMANTICS: P6`).
    pub(super) fn evaluated_at(&self, occurrence: OccurrenceId) -> OpId {
        let op = self.occurrences[occurrence].op;
        if !self.has(occurrence, Seen::LAUNCH_BOUND) {
            return op;
        }
        let kernel = self.kernel(self.scopes.of_op(op));
        kernel.and_then(|it| self.scopes.creator(it)).unwrap_or(op)
    }
    /// Occurrences of operations in different parts are never shared.
    pub(super) fn part(&self, op: OpId) -> u32 {
        self.part[op.index()]
    }
    /// The stretch of its block that an operation is in: nothing with regions and nothing that may leave stands between
    /// two operations of one stretch, the first included.
    pub(super) fn stretch(&self, op: OpId) -> (ScopeId, u32, u32) {
        (self.scopes.of_op(op), self.branches_before[op.index()], self.certainty.segment(op))
    }
    /// The order of the first operation in the block of this one from which on it is certain to be executed.
    pub(super) fn segment_start(&self, op: OpId) -> u32 {
        let ops = &self.body.blocks[self.body.ops[op].parent].ops;
        let segment = self.certainty.segment(op);
        let start = ops.partition_point(|&it| self.certainty.segment(it) < segment);
        self.scopes.order(ops.get(start).copied().unwrap_or(op))
    }
    /// Returns true if the memory that an occurrence reads is unchanged during its evaluation.
    pub(super) fn is_stable(&self, occurrence: OccurrenceId) -> bool {
        !self.has(occurrence, Seen::UNSTABLE)
            || !self.body.expr(self.occurrences[occurrence].expr).flags.has_load
    }
    /// The nearest operation at or before this one, or around it, before which the text can take a statement.
    pub(super) fn site(&self, op: OpId) -> Option<OpId> {
        let site = self.site[op.index()];
        (site != NONE).then(|| OpId::new(site as usize))
    }
    /// The kernel that a scope is part of; none on the host.
    pub(super) fn kernel(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scopes.kernel(scope)
    }
}

/// The properties that variables inherit from their definitions.
struct Bound<'a> {
    body: &'a Body,
    handed: FxHashMap<ValueId, Sharing>,
}

impl Bound<'_> {
    /// Returns the properties that a node inherits from its variable operands, or from the variable that it is.
    fn sharing(&self, expr: ExprId) -> Sharing {
        let kind = self.body.expr(expr).kind;
        if let ExprKind::Value(value) = kind {
            return self.handed.get(&value).copied().unwrap_or_default();
        }
        if sharing::is_fused(kind, |it| self.is_product(it)) {
            Sharing::INEXACT
        } else {
            Sharing::default()
        }
    }

    fn is_product(&self, expr: ExprId) -> bool {
        let is_bound = match self.body.expr(expr).kind {
            ExprKind::Value(value) => {
                self.handed.get(&value).is_some_and(|it| it.intersects(Sharing::PRODUCT))
            }
            _ => false,
        };
        sharing::is_product(self.body, expr, is_bound)
    }
}

/// The operators whose values can be shared: those that TVM records.
fn is_operator(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(_) | ExprKind::Select(..)
    )
}

fn child_flags(body: &Body, kind: ExprKind, index: usize, inherited: Seen) -> Seen {
    match kind {
        ExprKind::Let { .. } if index == 1 => (inherited | Seen::UNDER_LET) & !Seen::SCANNED,
        ExprKind::Lambda { .. } => Seen::empty(),
        // A number of lanes is no value at run time.
        ExprKind::Ramp { .. } if index == 2 => Seen::empty(),
        ExprKind::Broadcast { .. } if index == 1 => Seen::empty(),
        ExprKind::Load { indices, .. } if index >= body.items(indices).len() => Seen::empty(),
        // A part of a buffer is its start and its extent: `k * 32 : k * 32 + 32` has one `k * 32`, and ends wherever
        // that makes it end.
        ExprKind::Slice { lower: Some(lower), .. }
            if index == 1 && !body.expr(lower).is_constant() =>
        {
            (inherited & !Seen::SCANNED) | Seen::PLACE
        }
        _ => inherited,
    }
}

/// Domains of block variables. They repeat the bounds of loops (`T.axis.remap` takes them from there) and are matched
/// with them by structure, so bounds that are such a domain stay as they are.
fn domains(body: &Body) -> FxHashSet<ExprId> {
    body.sblocks
        .iter()
        .flat_map(|(_, block)| &block.iter_vars)
        .flat_map(|it| [it.dom_min, it.dom_extent])
        .filter(|&it| !body.expr(it).is_leaf())
        .collect()
}

/// Returns the flags of an operand of an operation, valid for everything in it.
fn operand_flags(body: &Body, kind: OpKind, operand: u32, len: usize) -> Seen {
    let both = Seen::SCANNED | Seen::REPLACEABLE;
    match kind {
        OpKind::For(ForKind::ThreadBinding(_)) if operand < 2 => both | Seen::LAUNCH_BOUND,
        OpKind::LaunchThread { .. } => both | Seen::LAUNCH_BOUND,
        // TVM's planner does not look at the step, its rewriter does.
        OpKind::For(_) if operand == 2 => Seen::REPLACEABLE,
        OpKind::Attr(_) if operand == 0 => Seen::empty(),
        OpKind::Store { predicated: true, .. } if operand as usize + 1 == len => Seen::empty(),
        OpKind::DeclBuffer { buffer } | OpKind::Alloc { buffer, .. } => {
            let data = &body.buffers[buffer];
            let pointer = match data.origin {
                // These shapes define their variables, or belong to a block.
                BufferOrigin::Match { .. } | BufferOrigin::MatchRegion(_) => return Seen::empty(),
                BufferOrigin::Decl { data: Some(_) } => Some(len - 1),
                _ => None,
            };
            let in_block = matches!(kind, OpKind::Alloc { kind: ir::AllocKind::SBlock, .. });
            match pointer {
                _ if in_block => Seen::empty(),
                Some(pointer) if pointer == operand as usize => Seen::REPLACEABLE,
                _ => both,
            }
        }
        OpKind::Opaque(_) => Seen::empty(),
        _ => both,
    }
}

/// For each occurrence the order of the first operation in the launches of the named thread indices in it; empty if
/// there are none.
fn launched_from(body: &Body, occurrences: &Occurrences, scopes: &ScopeTree) -> Vec<u32> {
    let is_named = |op: OpId| matches!(body.ops[op].kind, OpKind::EnvThread(_));
    if !body.ops_preorder().any(is_named) {
        return Vec::new();
    }
    let mut from = vec![0u32; occurrences.len()];
    // Operands come after what uses them.
    for (id, it) in occurrences.iter().rev() {
        if let ExprKind::Value(value) = body.expr(it.expr).kind
            && reach(body, value) == Reach::Launches
        {
            let launch = scopes.launch(body, value, scopes.of_op(it.op));
            from[id.index()] = launch.map_or(u32::MAX, |it| scopes.start(it));
        }
        if let Some(parent) = it.parent {
            from[parent.index()] = from[parent.index()].max(from[id.index()]);
        }
    }
    from
}

/// For each buffer the order of the first operation that sees it.
fn declared_from(body: &Body, scopes: &ScopeTree) -> Vec<u32> {
    let mut from = vec![0; body.buffers.len()];
    for op in body.ops_preorder() {
        if let OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } = body.ops[op].kind {
            from[buffer.index()] = scopes.order(op).saturating_add(1);
        }
    }
    from
}

fn branches_before(body: &Body) -> Vec<u32> {
    let mut before = vec![0; body.ops.len()];
    for (_, block) in body.blocks.iter() {
        let mut count = 0;
        for &op in &block.ops {
            before[op.index()] = count;
            count += u32::from(!body.ops[op].regions.is_empty());
        }
    }
    before
}

/// Numbers the parts that unresolved branches cut the function into. The code before, in, and after such an operation
/// is separate, and so is a loop that contains one.
fn parts(body: &Body, scopes: &ScopeTree) -> Vec<u32> {
    let mut part_of = vec![0; body.ops.len()];
    let unknown = |scope| matches!(scopes.kind(scope), ScopeKind::UnknownArm(_));
    if !scopes.ids().any(unknown) {
        return part_of;
    }
    let mut holds = vec![false; body.ops.len()];
    for scope in scopes.ids().filter(|&it| unknown(it)) {
        let mut at = Some(scope);
        while let Some(scope) = at {
            let Some(op) = scopes.creator(scope) else { break };
            if std::mem::replace(&mut holds[op.index()], true) {
                break;
            }
            at = Some(scopes.of_op(op));
        }
    }
    let mut next = 0;
    let mut part = 0;
    for event in body.walk(body.root) {
        let cuts = match event {
            WalkEvent::Enter(op) => {
                part_of[op.index()] = part;
                false
            }
            WalkEvent::EnterRegion(region) | WalkEvent::LeaveRegion(region) => {
                body.regions[region].parent.is_some_and(|op| holds[op.index()])
            }
            WalkEvent::Leave(_) => false,
        };
        if cuts {
            next += 1;
            part = next;
        }
    }
    part_of
}

/// For each operation the nearest place for a statement: itself, or the one before it in its block, or the one around.
fn sites(body: &Body, source: Option<&SourceView<'_>>) -> Vec<u32> {
    let Some(source) = source else { return (0..body.ops.len() as u32).collect() };
    let mut site = vec![NONE; body.ops.len()];
    let mut around: Vec<u32> = Vec::new();
    let mut last = NONE;
    for event in body.walk(body.root) {
        match event {
            WalkEvent::Enter(op) => {
                if (source.is_site)(op) {
                    last = op.index() as u32;
                }
                site[op.index()] = last;
            }
            WalkEvent::EnterRegion(region) => {
                around.push(last);
                last = body.regions[region].parent.map_or(NONE, |op| site[op.index()]);
            }
            // What is inside the regions is no place for what comes after them.
            WalkEvent::LeaveRegion(_) => last = around.pop().unwrap_or(NONE),
            WalkEvent::Leave(_) => {}
        }
    }
    site
}
