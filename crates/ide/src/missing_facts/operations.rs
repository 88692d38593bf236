//! Missing facts of MLIR: code actions that state them in the program.
//!
//! In: the value at a place, whose condition, mask or index nothing decides. Out: actions that write the fact that
//! would: `llvm.intr.assume`, which is believed, `cf.assert`, which is checked when the program runs, and
//! `tt.divisibility` of an argument of Triton. The operations stand before the one that computes the value, outside of
//! loops that the fact is not about; they are never moved out of a choice, as the fact need not hold there. The edited
//! text is read again: an action is offered only if nothing about it is wrong and the fact is not missing any more.
//! O(unit) for each, on request, for a bounded number of them.

use arith::operations::{Assumption, Lack, OperationFacts, Outcome, StatedFacts};
use db::{PlacedUnit, RootDatabase};
use ir::{
    Body, Dialect, OpId, ValueId, ValueKind,
    guard::{Stage, guarded},
};
use syntax::{Edit, Severity, TextEdit, TextRange, TextSize};

use crate::{
    code_action::{ActionKind, CodeAction},
    plan_text::operations::PlanWords,
};

/// Facts that are tried at one place: for each the unit is read again, twice.
const MOST_TRIED: usize = 3;
/// Units of more operations are not read again for these: editors ask whenever the cursor moves.
const MOST_OPERATIONS: usize = 4_000;
/// Loops: what stands in them and is not about them may stand before them.
const LOOPS: [&str; 4] = ["affine.for", "scf.for", "scf.forall", "scf.parallel"];

/// The actions that state what is missing about the value at the start of a range.
pub(crate) fn fact_actions(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    range: TextRange,
) -> Vec<CodeAction> {
    let Some(words) = PlanWords::new(db, at.unit) else { return Vec::new() };
    if words.body.dialect != Dialect::Mlir || words.body.ops.len() > MOST_OPERATIONS {
        return Vec::new();
    }
    let work = || of_place(db, at, &words, range);
    let found = guarded(Stage::Planning, at.unit.name(db), work);
    found.ok().flatten().unwrap_or_default()
}

fn of_place(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    words: &PlanWords<'_>,
    range: TextRange,
) -> Option<Vec<CodeAction>> {
    let offset = at.from_file(range.start())?;
    let (value, _) = words.map.value_at(words.body, offset)?;
    let facts = db::operation_facts(db, at.unit)?;
    let lacks = lacks_at(facts, words, offset)?;
    let stated = &at.unit.configuration(db).dialects(db).facts;
    let mut res = Vec::new();
    for lack in lacks.iter().filter(|it| it.assumption.is_some()).take(MOST_TRIED) {
        let Some(assumption) = &lack.assumption else { continue };
        let so_that = outcome(words, value, lack);
        for (verb, edit) in ways(words, value, assumption, lack) {
            if is_known_after(db, at, stated, (words, offset), &edit, lack) {
                let title = format!("{verb} `{}`, so that {so_that}", lack.fact);
                let edits = vec![Edit { range: at.to_file(edit.range), ..edit }];
                let action = CodeAction::without_edits(title, ActionKind::QuickFix);
                res.push(CodeAction { edits, ..action });
            }
        }
    }
    Some(res)
}

/// The facts that are missing about the value at an offset of a unit.
fn lacks_at(
    facts: OperationFacts<'_>,
    words: &PlanWords<'_>,
    offset: TextSize,
) -> Option<Vec<Lack>> {
    let (value, _) = words.map.value_at(words.body, offset)?;
    let is_use = words.map.use_at(words.body, offset).is_some();
    let user = words.map.op_at(words.body, offset).filter(|_| is_use);
    let before = match user {
        Some(user) => facts.before(user).map(|_| user),
        None => facts.defined_before(value),
    }?;
    Some(facts.describe(value, before, &|it| words.value(it))?.missing)
}

fn outcome(words: &PlanWords<'_>, value: ValueId, lack: &Lack) -> String {
    let name = words.value(value);
    match &lack.outcome {
        Outcome::Decided(holds) => format!("`{name}` is always {holds}"),
        Outcome::Part => format!("one comparison of `{name}` always holds"),
        Outcome::SameIn(n) => format!("`{name}` is the same in all {n} elements"),
        Outcome::Rule { part, .. } => format!("`{part}` is simpler"),
    }
}

/// The edits that state a fact, each with what it does.
fn ways(
    words: &PlanWords<'_>,
    value: ValueId,
    assumption: &Assumption,
    lack: &Lack,
) -> Vec<(&'static str, Edit)> {
    let mut res = Vec::new();
    let is_triton = words.text.trim_start().starts_with("tt.func");
    if is_triton && let (Some(argument), Some(divisor)) = (lack.argument, lack.divisor) {
        res.extend(divisibility(words, argument, divisor).map(|it| ("State", it)));
    }
    let Some((offset, indent)) = site(words, value, assumption) else { return res };
    let condition = &assumption.condition;
    // In its generic form, as LLVM 19 has no other one.
    let assumed = format!("\"llvm.intr.assume\"({condition}) : (i1) -> ()");
    let asserted = format!("cf.assert {condition}, \"{}\"", lack.fact);
    for (verb, last) in [("Assume", assumed), ("Assert", asserted)] {
        // Triton compiles no `cf.assert`.
        if is_triton && verb == "Assert" {
            continue;
        }
        let lines = assumption.ops.iter().chain([&last]);
        let text: String = lines.map(|it| format!("{it}\n{indent}")).collect();
        res.push((verb, Edit { range: TextRange::empty(offset), text }));
    }
    res
}

/// `{tt.divisibility = 16 : i32}` behind the type of an argument.
fn divisibility(words: &PlanWords<'_>, argument: ValueId, divisor: i64) -> Option<Edit> {
    let start = usize::from(words.map.definition(argument).end());
    let rest = words.text.get(start..)?;
    let behind = rest.trim_start().strip_prefix(':')?.trim_start();
    let behind = behind.trim_start_matches(|it: char| it.is_ascii_alphanumeric());
    let said = format!("tt.divisibility = {divisor} : i32");
    let (at, text) = match behind.trim_start().strip_prefix('{') {
        Some(inner) => {
            let end = inner.find('}')?;
            if inner[..end].contains("tt.divisibility") {
                return None;
            }
            let comma = if inner[..end].trim().is_empty() { "" } else { ", " };
            (rest.len() - inner.len(), format!("{said}{comma}"))
        }
        None if behind.trim_start().starts_with([',', ')']) => {
            (rest.len() - behind.len(), format!(" {{{said}}}"))
        }
        None => return None,
    };
    let at = TextSize::try_from(start + at).ok()?;
    Some(Edit { range: TextRange::empty(at), text })
}

/// The place of the operations, and the blanks before those that stand there.
fn site<'t>(
    words: &PlanWords<'t>,
    value: ValueId,
    assumption: &Assumption,
) -> Option<(TextSize, &'t str)> {
    let body = words.body;
    let mut op = match body.values[value].kind {
        ValueKind::Result(op, _) => op,
        _ => return None,
    };
    while let Some(around) = body.parent_op(op) {
        let is_loop = LOOPS.contains(&words.op(around));
        let is_about = assumption.values.iter().any(|it| is_inside(body, *it, around));
        if !is_loop || is_about {
            break;
        }
        op = around;
    }
    if !words.map.is_written(op) {
        return None;
    }
    let start = words.map.op(op).start();
    let before = &words.text[..usize::from(start)];
    let indent = &before[before.rfind('\n')? + 1..];
    indent.trim().is_empty().then_some((start, indent))
}

/// True for a value that is defined in a region of an operation.
fn is_inside(body: &Body, value: ValueId, around: OpId) -> bool {
    let block = match body.values[value].kind {
        ValueKind::Result(op, _) => body.ops[op].parent,
        ValueKind::BlockArg(block, _) => block,
        _ => return false,
    };
    let mut at = body.regions[body.blocks[block].parent].parent;
    while let Some(op) = at {
        if op == around {
            return true;
        }
        at = body.parent_op(op);
    }
    false
}

/// True if the text after an edit has no error, and the fact is not missing there.
fn is_known_after(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    stated: &StatedFacts,
    (words, offset): (&PlanWords<'_>, TextSize),
    edit: &Edit,
    lack: &Lack,
) -> bool {
    let shift = match edit.range.start() <= offset {
        true => TextSize::of(edit.text.as_str()),
        false => TextSize::new(0),
    };
    let Ok(edits) = TextEdit::from_edits(vec![edit.clone()]) else { return false };
    let text = edits.apply(words.text);
    let Some(lowered) = db::reread(db, at.unit, &text) else { return false };
    if lowered.diagnostics.iter().any(|it| it.severity == Severity::Error) {
        return false;
    }
    let (body, map) = (&lowered.body, &lowered.source_map);
    let edited = PlanWords { body, map, plan: words.plan, text: &text };
    let facts = OperationFacts::new(body, stated);
    let left = lacks_at(facts, &edited, offset + shift);
    left.is_some_and(|left| left.iter().all(|it| it.fact != lack.fact))
}
