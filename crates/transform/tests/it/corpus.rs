//! Real programs: plans are TVM's, bodies stay valid, text and body after a plan are the same.

use dataflow::analyses::Analyses;
use frontend::tvmscript::Selection;
use ir::Occurrences;
use ir::effects::EffectTable;
use test_utils::{Rng, sample_files};
use transform::cse::{CseOptions, plan, rewrite};

use crate::support::{applied, edited, lowered, plan_of_text, tvm};

#[test]
fn the_preset_tvm_does_what_tvm_did() {
    let samples = sample_files();
    let mut pairs = 0;
    let mut differences = Vec::new();
    for sample in &samples {
        let Some((stage, name)) = sample.name.split_once('/') else { continue };
        let answer = format!("{stage}_cse/{name}");
        let Some(after) = samples.iter().find(|it| it.name == answer) else { continue };
        for ((item, _, before), (_, _, after)) in
            lowered(&sample.text).iter().zip(lowered(&after.text))
        {
            pairs += 1;
            let occurrences = Occurrences::collect(&before.body);
            let plan = plan(
                &Analyses::of(&before.body, &occurrences, EffectTable::builtin()),
                None,
                &tvm(true),
            );
            let body = rewrite(&before.body, &occurrences, &plan);
            if ir::print::tvmscript(&body, 0) != ir::print::tvmscript(&after.body, 0) {
                differences.push(format!("{}: {}", sample.name, item.source.name));
            }
        }
    }
    assert!(pairs > 50, "only {pairs} pairs were found");
    assert!(differences.is_empty(), "{differences:#?} of {pairs}");
}

#[test]
fn text_and_body_agree_after_a_plan() {
    let mut failures = Vec::new();
    let mut done = (0, 0);
    for sample in sample_files() {
        for (item, text, before) in lowered(&sample.text) {
            for options in [CseOptions::default(), tvm(false)] {
                let plan = plan_of_text(&before, &options);
                let groups = applied(&plan);
                // Large functions have hundreds of groups: all at once, and some alone.
                let step = groups.len().div_ceil(6).max(1);
                let selections = std::iter::once(Selection::All)
                    .chain(groups.iter().step_by(step).map(|&it| Selection::Group(it)));
                for selection in selections {
                    let (new, body) = edited(&sample.text, &item, &text, &before, &plan, selection);
                    let again = lowered(&new).into_iter().find(|it| {
                        it.0.source.name == item.source.name
                            && it.0.range.start() == item.range.start()
                    });
                    let Some((_, _, after)) = again else {
                        failures.push(format!(
                            "{:?} {} {selection:?}: gone",
                            sample.name, item.source.name
                        ));
                        continue;
                    };
                    done.0 += 1;
                    done.1 += groups.len();
                    let (got, want) =
                        (ir::print::tvmscript(&after.body, 0), ir::print::tvmscript(&body, 0));
                    if got != want {
                        let line = got.lines().zip(want.lines()).find(|(a, b)| a != b);
                        failures.push(format!(
                            "{:?} {} {selection:?} {:?}: {line:#?}",
                            sample.name, item.source.name, options.preset
                        ));
                    }
                }
            }
        }
    }
    assert!(done.0 > 500 && done.1 > 500, "{done:?}");
    assert!(
        failures.is_empty(),
        "{} of {done:?}: {:#?}",
        failures.len(),
        &failures[..failures.len().min(8)]
    );
}

#[test]
fn plans_are_the_same_every_time_and_reach_an_end() {
    let mut more = Vec::new();
    for sample in sample_files() {
        for (item, _, before) in lowered(&sample.text) {
            let options = CseOptions::default();
            let mut body = before.body;
            let mut rounds = 0;
            loop {
                let occurrences = Occurrences::collect(&body);
                let first = plan(
                    &Analyses::of(&body, &occurrences, EffectTable::builtin()),
                    None,
                    &options,
                );
                assert_eq!(
                    first,
                    plan(
                        &Analyses::of(&body, &occurrences, EffectTable::builtin()),
                        None,
                        &options
                    )
                );
                if first.is_empty() {
                    break;
                }
                rounds += 1;
                assert!(rounds <= 2, "{} {} has no end", sample.name, item.source.name);
                body = rewrite(&body, &occurrences, &first);
            }
            if rounds > 1 {
                more.push(format!("{}: {}", sample.name, item.source.name));
            }
        }
    }
    // Bounds show more of what a load gives once it has a name: a condition on a load says nothing of the next load.
    assert!(more.len() <= 2, "{more:#?}");
}

#[test]
fn no_text_makes_planning_or_editing_fail() {
    let mut rng = Rng::new(7);
    for sample in sample_files() {
        if sample.text.len() > 20_000 {
            continue;
        }
        for _ in 0..3 {
            let mut text = sample.text.clone();
            for _ in 0..rng.below(4) + 1 {
                mutate(&mut text, &mut rng);
            }
            for (item, function, before) in lowered(&text) {
                for options in [CseOptions::default(), tvm(true)] {
                    let plan = plan_of_text(&before, &options);
                    let (new, _) = edited(&text, &item, &function, &before, &plan, Selection::All);
                    lowered(&new);
                }
            }
        }
    }
}

/// Removes or doubles a piece, or puts a character somewhere.
fn mutate(text: &mut String, rng: &mut Rng) {
    let at = boundary(text, rng.below(text.len() + 1));
    let end = boundary(text, (at + rng.below(40)).min(text.len()));
    match rng.below(4) {
        0 => text.replace_range(at..end, ""),
        1 => {
            let piece = text[at..end].to_owned();
            text.insert_str(end, &piece);
        }
        2 => text.truncate(at),
        _ => {
            let piece = ["(", ")", "[", ":", "\n", "    ", "if x:", "\"", "# ", "x * y", ";"];
            text.insert_str(at, piece[rng.below(piece.len())]);
        }
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
