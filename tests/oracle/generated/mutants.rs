//! Mistakes planted on purpose: a binding above its guard, a load shared across a store, two different values merged, a
//! needed store removed; one unknown name for another, a call that is given a pointer omitted, a number of lanes with a
//! name, a lost predicate of a block. Each kind must be caught, or the comparison proves nothing.

use dataflow::analyses::Analyses;
use dataflow::scopes::ScopeTree;
use ir::effects::EffectTable;
use ir::{
    BinaryOp, Body, ExprKind, OccurrenceId, Occurrences, OpKind,
    plan::{
        CseBinding, CseGroup, CsePlan, Decision, Equivalence, Preset,
        finding::{FindingFix, FixEdit, Place},
    },
    verify::verify,
};
use test_utils::{Features, Program};
use transform::{
    cse::{self, CseOptions},
    findings::{self, Finding, FindingKind, FindingKinds, FindingOptions, Sentence},
};

use super::{
    check::{differs, differs_as_text, lowered},
    operators,
    quiet::caught,
};

/// Functions that are made worse until so many mistakes of a kind are caught.
const CAUGHT: usize = 5;
const FUNCTIONS: u64 = 600;

/// Makes bodies with one mistake each.
type Plant = fn(&Body, &Occurrences, &ScopeTree) -> Vec<Body>;

/// Checks the number of functions that it took to catch [`CAUGHT`] mistakes.
#[track_caller]
fn check_caught(plant: Plant) {
    check_caught_in(Program::random, plant);
}

#[track_caller]
fn check_caught_in(made: fn(u64) -> Program, plant: Plant) {
    let (mut planted, mut caught) = (0, 0);
    for seed in 1..=FUNCTIONS {
        let program = made(seed);
        let Some(function) = lowered(&program) else { continue };
        let body = &function.lowered.body;
        let occurrences = Occurrences::collect(body);
        for worse in plant(body, &occurrences, &ScopeTree::build(body)) {
            planted += 1;
            caught += usize::from(differs(&program, body, &worse, seed));
        }
        if caught >= CAUGHT {
            return;
        }
    }
    panic!("{caught} of {planted} mistakes were caught");
}

/// Makes texts with one mistake each out of the text of a function.
type PlantText = fn(&str) -> Vec<String>;

#[track_caller]
fn check_text_caught(features: Features<'_>, plant: PlantText) {
    let (mut planted, mut caught) = (0, 0);
    for seed in 1..=FUNCTIONS {
        let program = Program::with(features, seed);
        let Some(function) = lowered(&program) else { continue };
        for worse in plant(function.text()) {
            planted += 1;
            caught += usize::from(differs_as_text(&program, &function, &worse, seed));
        }
        if caught >= CAUGHT {
            return;
        }
    }
    panic!("{caught} of {planted} mistakes were caught");
}

/// The names that begin with a letter and go on with a number, each once.
fn names(text: &str, letter: char) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_it = |it: &&str| {
        it.strip_prefix(letter).is_some_and(|it| it.chars().all(|c| c.is_ascii_digit()))
    };
    let mut found: Vec<&str> = words.filter(|it| it.len() > 1).filter(is_it).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Each text in which one captured name of a kind stands for another.
fn taken_for_one(text: &str, letter: char) -> Vec<String> {
    let names = names(text, letter);
    names.windows(2).map(|it| replaced(text, it[1], it[0])).collect()
}

/// A text with another name.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let mut new = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let is_name = !is_part(before.chars().last()) && !is_part(after.chars().next());
        new.push_str(before);
        new.push_str(if is_name { by } else { name });
        rest = after;
    }
    new + rest
}

/// The number of lanes of the first broadcast as a name, as a binding would make it.
fn named_lanes(text: &str) -> Vec<String> {
    const LANES: &str = ", T.vscale() * 4)";
    let Some(at) = text.find(LANES) else { return Vec::new() };
    let line = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let indent: String = text[line..].chars().take_while(|c| *c == ' ').collect();
    let (before, after) = (&text[line..at], &text[at + LANES.len()..]);
    let binding = format!("{indent}cse_v1: T.let[T.int32] = T.vscale() * 4\n");
    vec![format!("{}{binding}{before}, cse_v1){after}", &text[..line])]
}

/// The body after a plan, if that is a body.
fn rewritten(body: &Body, occurrences: &Occurrences, plan: &CsePlan) -> Option<Body> {
    // The rewriter asserts in debug builds that its result is valid; such a mistake needs no oracle.
    let after = caught(|| cse::rewrite(body, occurrences, plan)).ok()?;
    verify(&after).is_empty().then_some(after)
}

/// One binding of the first of some occurrences, before its statement, for all of them.
fn shared(
    body: &Body,
    occurrences: &Occurrences,
    scopes: &ScopeTree,
    mut of: Vec<OccurrenceId>,
) -> Option<Body> {
    of.sort_unstable_by_key(|&it| (scopes.order(occurrences[it].op), it));
    let first = occurrences[*of.first()?];
    let sees = |it: &OccurrenceId| {
        let op = occurrences[*it].op;
        op == first.op || scopes.dominates(first.op, op)
    };
    if !of.iter().all(sees) {
        return None;
    }
    let expr = first.expr;
    let group = CseGroup {
        expr,
        occurrences: of.clone(),
        shadows: Vec::new(),
        equivalence: Equivalence::Syntactic,
        host_rounding: false,
        exposed_to: None,
        cost: 1,
        saved: 1,
        decision: Decision::Bind(0),
    };
    let binding = CseBinding {
        name: "planted".into(),
        group: 0,
        expr,
        before: first.op,
        replaces: of,
        uses: Vec::new(),
        reuses: Vec::new(),
        within: None,
        depth: 0,
    };
    let plan = CsePlan {
        cells: Vec::new(),
        preset: Preset::Default,
        groups: vec![group],
        bindings: vec![binding],
        informational: false,
        dropped: Vec::new(),
    };
    rewritten(body, occurrences, &plan)
}

/// The occurrences of each closed expression, in order of the first.
fn by_expression(body: &Body, occurrences: &Occurrences) -> Vec<Vec<OccurrenceId>> {
    let mut lists: Vec<Vec<OccurrenceId>> = Vec::new();
    for (id, here) in occurrences.iter() {
        if body.expr(here.expr).flags.open_binders > 0 {
            continue;
        }
        match lists.iter_mut().find(|it| occurrences[it[0]].expr == here.expr) {
            Some(list) => list.push(id),
            None => lists.push(vec![id]),
        }
    }
    lists
}

/// Each binding of the plan above the guard or loop it stands in.
fn above_the_guard(body: &Body, occurrences: &Occurrences, scopes: &ScopeTree) -> Vec<Body> {
    let plan = cse::plan(
        &Analyses::of(body, occurrences, EffectTable::builtin()),
        None,
        &CseOptions::default(),
    );
    let raised = |index: usize| {
        let guard = scopes.creator(scopes.of_op(plan.bindings[index].before))?;
        let mut plan = plan.clone();
        plan.bindings[index].before = guard;
        rewritten(body, occurrences, &plan)
    };
    (0..plan.bindings.len()).filter_map(raised).collect()
}

/// Each load that is written more than once, as if nothing wrote memory.
fn across_stores(body: &Body, occurrences: &Occurrences, scopes: &ScopeTree) -> Vec<Body> {
    let lists = by_expression(body, occurrences).into_iter().filter(|it| {
        it.len() > 1 && matches!(body.expr(occurrences[it[0]].expr).kind, ExprKind::Load { .. })
    });
    lists.filter_map(|it| shared(body, occurrences, scopes, it)).collect()
}

/// Each store of which a later one stores to the same element, where the planner does not say that it is dead.
fn needed_stores(body: &Body, occurrences: &Occurrences, _: &ScopeTree) -> Vec<Body> {
    let kinds = FindingKinds::from_iter([FindingKind::DeadStore]);
    let options = FindingOptions { kinds, ..FindingOptions::default() };
    let dead = findings::findings(
        &Analyses::of(body, occurrences, EffectTable::builtin()),
        None,
        &options,
    );
    let stores: Vec<_> = body
        .ops_preorder()
        .filter(|it| matches!(body.ops[*it].kind, OpKind::Store { predicated: false, .. }))
        .collect();
    let element = |it: &ir::OpId| (body.ops[*it].kind, body.ops[*it].operands[1..].to_vec());
    let is_followed = |at: usize| {
        stores[at + 1..].iter().any(|it| element(it) == element(&stores[at]))
            && !dead.iter().any(|it| it.place == Place::Op(stores[at]))
    };
    let without = |at: usize| {
        let finding = Finding {
            kind: FindingKind::DeadStore,
            is_shown: false,
            place: Place::Op(stores[at]),
            message: Sentence::default(),
            related: Vec::new(),
            fix: Some(FindingFix::of(FixEdit::RemoveOp(stores[at]))),
        };
        findings::apply(body, occurrences, [&finding])
    };
    (0..stores.len()).filter(|it| is_followed(*it)).map(without).collect()
}

/// Each call for its effect left out.
fn without_calls(body: &Body, occurrences: &Occurrences, _: &ScopeTree) -> Vec<Body> {
    let is_call = |op: &ir::OpId| {
        let operation = &body.ops[*op];
        operation.kind == OpKind::Evaluate
            && matches!(body.expr(operation.operands[0]).kind, ExprKind::Call { .. })
    };
    let without = |op: ir::OpId| {
        let finding = Finding {
            kind: FindingKind::DeadStore,
            is_shown: false,
            place: Place::Op(op),
            message: Sentence::default(),
            related: Vec::new(),
            fix: Some(FindingFix::of(FixEdit::RemoveOp(op))),
        };
        findings::apply(body, occurrences, [&finding])
    };
    body.ops_preorder().filter(is_call).map(without).collect()
}

/// `a - b` for `b - a`, and others like them.
fn swapped_operands(body: &Body, occurrences: &Occurrences, scopes: &ScopeTree) -> Vec<Body> {
    let lists = by_expression(body, occurrences);
    let kind_of = |it: &[OccurrenceId]| body.expr(occurrences[it[0]].expr).kind;
    let mut found = Vec::new();
    for (at, list) in lists.iter().enumerate() {
        let ExprKind::Binary(op, a, b) = kind_of(list) else { continue };
        if a == b || !matches!(op, BinaryOp::Sub | BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Div) {
            continue;
        }
        let is_swapped = |it: &&Vec<OccurrenceId>| kind_of(it) == ExprKind::Binary(op, b, a);
        if let Some(other) = lists[at + 1..].iter().find(is_swapped) {
            let both = list.iter().chain(other).copied().collect();
            found.extend(shared(body, occurrences, scopes, both));
        }
    }
    found
}

#[test]
fn a_binding_above_its_guard_is_caught() {
    check_caught(above_the_guard);
}

#[test]
fn a_load_shared_across_a_store_is_caught() {
    check_caught(across_stores);
}

#[test]
fn different_values_taken_for_one_are_caught() {
    check_caught(swapped_operands);
}

#[test]
fn stores_removed_across_reads_are_caught() {
    check_caught_in(|seed| Program::random(seed).with_overwrites(seed), needed_stores);
}

#[test]
fn data_types_taken_for_one_are_caught() {
    check_text_caught(Features::Unknowns, |text| taken_for_one(text, 'd'));
    check_text_caught(Features::Unknowns, |text| taken_for_one(text, 'w'));
}

#[test]
fn integers_taken_for_one_are_caught() {
    check_text_caught(Features::Unknowns, |text| taken_for_one(text, 'k'));
}

#[test]
fn texts_and_functions_taken_for_one_are_caught() {
    check_text_caught(Features::Unknowns, |text| taken_for_one(text, 's'));
    check_text_caught(Features::Unknowns, |text| taken_for_one(text, 'g'));
}

#[test]
fn lanes_taken_for_one_are_caught() {
    check_text_caught(Features::Unknowns, |text| taken_for_one(text, 'n'));
}

#[test]
fn numbers_of_lanes_with_a_name_are_caught() {
    check_text_caught(Features::Scalable, named_lanes);
}

#[test]
fn calls_left_out_that_are_given_pointers_are_caught() {
    check_caught_in(|seed| Program::with(Features::Calls(operators::all()), seed), without_calls);
}

#[test]
fn mistakes_in_blocks_are_caught() {
    check_caught_in(|seed| Program::with(Features::Blocks, seed), above_the_guard);
    check_caught_in(|seed| Program::with(Features::Blocks, seed), across_stores);
}
