//! Loop invariants: values that a loop computes again in every iteration.
//!
//! In: the scopes, the versions of memory, the known conditions at each point. Out: a finding for each value inside a
//! loop that could as well stand right before it: everything it names is visible there, everything it reads is the same
//! there as in each iteration, and evaluating it there either is certain to happen anyway or can neither trap
//! (`SEMANTICS: speculatable`) nor read memory. It goes in front of the outermost loop for which that holds, but never
//! out of a kernel (`P6`, `H1`). Equal values of one loop are one finding, the largest invariant value counts, and only
//! values that cost at least `FindingOptions::loop_invariant_cost`: back ends hoist cheap integer arithmetic by
//! themselves.
//!
//! A loop repeats a value if it has more than one iteration and these are no lanes of a vector: a value that is the
//! same in all lanes is computed once. Only loops that repeat count.
//!
//! Not reported: conditions (they read better where they are), integers narrower than 32 bits (`I3`: a name truncates
//! them in C), pointers (an address is a part of the access), values under a binder, bindings of the axes of blocks
//! that are still to be scheduled (schedules read them), and values for which the text has no place.
//! O(occurrences · loops around them) for those that are dear enough.

use dataflow::{flow::Evaluated, scopes::ScopeKind};
use ir::{
    Callee, ExprId, ExprKind, ForKind, OccurrenceId, OpId, OpKind, Type, TypeCode,
    arena::Id as _,
    plan::finding::{FindingFix, FixEdit, Place, Related, Role},
};
use rules::{Fix, Rule, Severity};
use rustc_hash::FxHashMap;

use super::{Finding, FindingFacts, FindingKind, FindingRule, edit_title, sentence};

/// A value in a loop that is the same in every iteration.
pub(super) const LOOP_INVARIANT: FindingRule = FindingRule {
    rule: Rule::reported(
        "loop-invariant",
        Severity::Hint,
        "a loop computes the same value in every iteration",
        "\
Nothing that the value is computed from changes while the loop runs, and it can be computed before the loop without \
a new
error.

```python
for i in range(128):
    A[i] = B[i] * T.exp(s)               # T.exp(s) is the same 128 times

value_v1: T.let[T.float32] = T.exp(s)    # after
for i in range(128):
    A[i] = B[i] * value_v1
```

Compilers hoist cheap integer arithmetic by themselves; only values that cost at least `loop-invariant-cost` (of the \
section
`findings` of `tir-analyzer.toml`) are reported. The fix binds the value before the loop.
",
    )
    .with_fix(Fix::OnRequest),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// Loops around a value that are looked at.
const MAX_LOOPS: usize = 32;
/// Larger values are left to their parts.
const MAX_NODES: usize = 256;
/// Operators around a value that are looked at.
const MAX_DEPTH: usize = 64;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let costs = Costs::new(facts);
    let mut groups: Vec<Group> = Vec::new();
    let mut of_value: FxHashMap<(ExprId, OpId), usize> = FxHashMap::default();
    let mut at = 0;
    while at < facts.occurrences.len() {
        ir::interrupt::check();
        let id = OccurrenceId::new(at);
        at += 1;
        let here = facts.occurrences[id];
        if costs.of_expr(here.expr) < facts.options.loop_invariant_cost {
            // Nothing in it costs more.
            at = here.end.index();
            continue;
        }
        let Some(before) = invariant_of(facts, id) else { continue };
        at = here.end.index();
        let group = *of_value.entry((here.expr, before)).or_insert_with(|| {
            groups.push(Group { expr: here.expr, before, occurrences: Vec::new() });
            groups.len() - 1
        });
        groups[group].occurrences.push(id);
    }
    found.extend(groups.into_iter().map(|it| finding(facts, &costs, it)));
}

/// Equal values that can stand before one loop.
struct Group {
    expr: ExprId,
    before: OpId,
    occurrences: Vec<OccurrenceId>,
}

fn finding(facts: &FindingFacts<'_>, costs: &Costs, group: Group) -> Finding {
    let first = group.occurrences[0];
    let others = group.occurrences[1..]
        .iter()
        .map(|&it| Related { place: Place::Occurrence(it), role: Role::SAME_VALUE });
    let the_loop = Related { place: Place::Op(group.before), role: Role::LOOP };
    let edit = FixEdit::Bind {
        name: facts.fresh_name(),
        value: first,
        before: group.before,
        replaces: group.occurrences.clone(),
    };
    let place = Place::Occurrence(first);
    let cost = costs.of_expr(group.expr);
    let operations = if cost == 1 { " operation" } else { " operations" };
    Finding {
        kind: FindingKind::LoopInvariant,
        is_shown: false,
        place,
        message: sentence![
            place,
            " is the same in every iteration of the loop, and costs ",
            cost,
            operations,
            " in each",
        ],
        related: std::iter::once(the_loop).chain(others).collect(),
        fix: Some(FindingFix::of(edit)),
    }
}

/// The outermost loop before which an occurrence could stand.
fn invariant_of(facts: &FindingFacts<'_>, id: OccurrenceId) -> Option<OpId> {
    let here = facts.occurrences[id];
    if !may_be_bound(facts, id) {
        return None;
    }
    let scopes = facts.scopes();
    let op_scope = scopes.of_op(here.op);
    let mut best = None;
    let mut scope = Some(op_scope);
    let mut n_loops = 0;
    // The condition of a `while` is in the scope around it, and evaluated in each iteration.
    if facts.body.ops[here.op].kind == OpKind::While && fits(facts, id, here.op) {
        best = Some(here.op);
    }
    while let Some(at) = scope {
        let (Some(creator), Some(parent)) = (scopes.creator(at), scopes.parent(at)) else { break };
        match scopes.kind(at) {
            ScopeKind::Launch | ScopeKind::Loop(ForKind::ThreadBinding(_)) => break,
            ScopeKind::Loop(_) | ScopeKind::While => {
                n_loops += 1;
                if n_loops > MAX_LOOPS || !fits(facts, id, creator) {
                    break;
                }
                if repeats(facts, creator) {
                    best = Some(creator);
                }
            }
            _ => {}
        }
        scope = Some(parent);
    }
    best.filter(|&it| facts.source.is_none_or(|view| (view.is_site)(it)))
}

/// Returns true if a loop computes again what is in it: it is not known to have one iteration, and is no vector.
fn repeats(facts: &FindingFacts<'_>, the_loop: OpId) -> bool {
    let data = &facts.body.ops[the_loop];
    let extent = data.operands.get(1).map(|&it| facts.body.expr(it).kind);
    let is_once = matches!(extent, Some(ExprKind::Int(..=1)));
    data.kind != OpKind::For(ForKind::Vectorized) && !is_once
}

/// Returns true if an occurrence is in the binding of an axis that a schedule may read.
fn is_axis_to_schedule(facts: &FindingFacts<'_>, id: OccurrenceId) -> bool {
    let op = facts.occurrences[id].op;
    matches!(facts.body.ops[op].kind, OpKind::SBlock(_)) && facts.body.has_schedulable_blocks()
}

/// Returns true if a value may get a name.
fn may_be_bound(facts: &FindingFacts<'_>, id: OccurrenceId) -> bool {
    let here = facts.occurrences[id];
    let node = facts.body.expr(here.expr);
    let is_narrow = match node.ty {
        Type::Prim(dtype) => {
            (dtype.is_integer() && dtype.bits < 32) || dtype.is_bool() || dtype.is_symbolic()
        }
        Type::Unknown => !ir::role::is_open_number(facts.body, here.expr),
        _ => return false,
    };
    let is_real = facts.source.is_none_or(|view| (view.is_real)(id) && !(view.is_allowed)(id));
    let flags = node.flags;
    let n_nodes = here.end.index() - id.index();
    // The base and the stride of a vector of indices are worth a name, the vector is not (P4).
    let is_vector_form = matches!(node.kind, ExprKind::Ramp { .. } | ExprKind::Broadcast { .. });
    n_nodes <= MAX_NODES
        && facts.roles().may_become_name(facts.body, facts.occurrences, facts.effects, id)
        && !is_vector_form
        && is_real
        && !is_narrow
        && !ir::role::is_staged(facts.body, here.expr)
        && node.ty.prim().is_none_or(|it| it.code != TypeCode::Handle)
        && !is_axis_to_schedule(facts, id)
        && is_movable(facts, id)
        && !flags.has_impure
        && !flags.has_unknown
        && flags.open_binders == 0
}

/// Returns true if an occurrence could be evaluated right before an operation around it, to the same value and without
/// an error.
fn fits(facts: &FindingFacts<'_>, id: OccurrenceId, before: OpId) -> bool {
    let user = facts.occurrences[id].op;
    is_visible(facts, id, before)
        && facts.scopes().is_in_block_of(facts.body, before, user)
        && facts.memory().reads_same(id, before).is_ok()
        && (is_certain(facts, id, before) || cannot_fail(facts, id, before))
}

/// Returns true if an occurrence is evaluated whenever an operation around it is executed.
fn is_certain(facts: &FindingFacts<'_>, id: OccurrenceId, before: OpId) -> bool {
    let op = facts.occurrences[id].op;
    let (certainty, scopes) = (facts.certainty(), facts.scopes());
    !is_lazy(facts, id)
        && (op == before || certainty.executed_by(scopes, op, scopes.of_op(before)) == Some(before))
}

/// Returns true if an operand around an occurrence decides whether it is evaluated.
fn is_lazy(facts: &FindingFacts<'_>, id: OccurrenceId) -> bool {
    let (occurrences, flow) = (facts.occurrences, facts.flow());
    let mut at = id;
    for _ in 0..MAX_DEPTH {
        let Some(parent) = occurrences[at].parent else { return false };
        let mut child = OccurrenceId::new(parent.index() + 1);
        let mut index = 0;
        while child < at {
            child = occurrences[child].end;
            index += 1;
        }
        if flow.evaluated(parent, index) != Evaluated::Always {
            return true;
        }
        at = parent;
    }
    true
}

fn is_visible(facts: &FindingFacts<'_>, id: OccurrenceId, before: OpId) -> bool {
    let (body, scopes) = (facts.body, facts.scopes());
    (id.index()..facts.occurrences[id].end.index()).all(|it| {
        let expr = facts.occurrences[OccurrenceId::new(it)].expr;
        match body.expr(expr).kind {
            ExprKind::Value(value) => scopes.sees(body, before, value),
            // The buffer is made in what is around it.
            ExprKind::Load { buffer, .. }
            | ExprKind::Buffer(buffer)
            | ExprKind::BufferField(buffer, _)
            | ExprKind::Region(buffer, _) => is_made_before(facts, buffer, before),
            _ => true,
        }
    })
}

fn is_made_before(facts: &FindingFacts<'_>, buffer: ir::BufferId, before: OpId) -> bool {
    let scopes = facts.scopes();
    facts.maker(buffer).is_none_or(|op| op != before && scopes.dominates(op, before))
}

/// Returns true if every node of a value is a function of its operands and of memory, wherever it stands.
fn is_movable(facts: &FindingFacts<'_>, id: OccurrenceId) -> bool {
    (id.index()..facts.occurrences[id].end.index()).all(|it| {
        let expr = facts.occurrences[OccurrenceId::new(it)].expr;
        match facts.body.expr(expr).kind {
            call @ ExprKind::Call { callee: Callee::Intrinsic(..), .. } => {
                facts.effects.call(facts.body, call).is_pure_value()
            }
            ExprKind::Call { .. } | ExprKind::Opaque { .. } | ExprKind::Region(..) => false,
            ExprKind::Lambda { .. } | ExprKind::Let { .. } => false,
            _ => true,
        }
    })
}

/// Returns true if an evaluation that the program does not have adds no trap and reads no memory without a value.
fn cannot_fail(facts: &FindingFacts<'_>, id: OccurrenceId, before: OpId) -> bool {
    let expr = facts.occurrences[id].expr;
    if facts.body.expr(expr).flags.has_load {
        return false;
    }
    let context = facts.conditions().before(before);
    facts.analyzer().cannot_trap(context, expr)
}

/// The cost of one evaluation of each node, with its operands.
struct Costs(Vec<u32>);

impl Costs {
    fn new(facts: &FindingFacts<'_>) -> Costs {
        let mut costs = vec![0u32; facts.body.n_exprs()];
        for index in 0..costs.len() {
            ir::interrupt::check();
            let expr = ExprId::new(index);
            let mut cost = facts.effects.own_cost(facts.body, expr);
            // Children are made before their parents and have smaller ids.
            facts.body.each_child(facts.body.expr(expr).kind, &mut |child| {
                cost = cost.saturating_add(costs[child.index()]);
            });
            costs[index] = cost;
        }
        Costs(costs)
    }

    fn of_expr(&self, expr: ExprId) -> u32 {
        self.0[expr.index()]
    }
}
