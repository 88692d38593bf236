//! Plans of operations on text of MLIR: read, planned, rewritten, edited, read again, compared.

mod carried;
mod default;
mod facts;
mod findings;
mod growth;
mod milder;
mod reference;
mod stated;
mod user_dialect;

use expect_test::Expect;
use frontend::{
    mlir::{self, Shapes, Unit},
    ops,
};
use ir::{
    effects::EffectTable,
    plan::{Preset, ops::OpPlan},
};
use syntax::{Edit, TextEdit, TextSize};
use transform::ops::{OpOptions, plan, rewrite};

fn units(text: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    mlir::lower_file(text, Shapes::builtin(), &mut |unit| units.push(unit));
    units
}

fn printed(text: &str) -> String {
    units(text).iter().map(|it| ir::print::generic(&it.lowered.body)).collect()
}

/// The text after the plans of all units, the plans in words.
#[track_caller]
fn optimize(text: &str, effects: &EffectTable, options: &OpOptions) -> (String, String) {
    let (mut edits, mut words, mut rewritten) = (Vec::new(), String::new(), String::new());
    for unit in units(text) {
        let (body, map) = (&unit.lowered.body, &unit.lowered.source_map);
        let plan = plan(body, effects, options);
        let unit_text = &text[unit.offset..];
        words += &in_words(unit_text, &unit, &plan);
        let after = rewrite(body, &plan);
        assert!(ir::verify::verify(&after).len() <= ir::verify::verify(body).len());
        rewritten += &ir::print::generic(&after);
        let start = TextSize::new(unit.offset as u32);
        let of_unit = ops::edits(unit_text, map, body, &plan).into_edits();
        edits.extend(of_unit.into_iter().map(|it| Edit::replace(it.range + start, it.text)));
    }
    let after = TextEdit::from_edits(edits).unwrap().apply(text);
    assert_eq!(printed(&after), rewritten, "edits and rewriter disagree:\n{after}");
    (after, words)
}

fn in_words(text: &str, unit: &Unit, plan: &OpPlan) -> String {
    let line = |op| text[unit.lowered.source_map.op(op)].lines().next().unwrap_or_default();
    let done = plan.actions.iter().map(|it| format!("{}: {}\n", it.kind.name(), line(it.op)));
    let not = plan.refusals.iter();
    let not = not.map(|it| format!("refused, {}: {}\n", it.kind.name(), line(it.op)));
    done.chain(not).collect()
}

#[track_caller]
fn check_with(options: OpOptions, input: &str, expect: &Expect) {
    check_with_effects(EffectTable::builtin(), options, input, expect);
}

#[track_caller]
fn check_with_effects(effects: &EffectTable, options: OpOptions, input: &str, expect: &Expect) {
    let (text, words) = optimize(input, effects, &options);
    expect.assert_eq(&format!("{text}----\n{words}"));
}

fn options(preset: Preset) -> OpOptions {
    OpOptions { preset, allow_unsound: false }
}
