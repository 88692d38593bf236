//! Compiled statements against the general evaluator: the same results, events and counts.

use interp::{OnError, Options, Outcome, RunError, RunErrorKind};
use test_utils::Rng;

use crate::{
    functions::{Corpus, functions_of_file},
    inputs::{self, Flavour},
    tally::Tally,
};

/// All folders of a corpus that hold functions.
const FOLDERS: [&str; 8] = [
    "unscheduled",
    "legalized",
    "kernels",
    "scheduled_cpu",
    "scheduled_cuda",
    "lowered_cpu",
    "lowered_cuda",
    "final_cuda",
];

/// Compares two runs in everything except the interpreter's own work.
fn difference(
    compiled: &Result<Outcome, RunError>,
    general: &Result<Outcome, RunError>,
) -> Option<String> {
    match (compiled, general) {
        (Ok(one), Ok(other)) => {
            let bits = |it: &Outcome| format!("{:?} {:?}", it.arguments, it.returned);
            if one.events != other.events {
                Some(format!("events {:?} / {:?}", one.events, other.events))
            } else if one.counts != other.counts {
                Some(format!("counts {:?} / {:?}", one.counts, other.counts))
            } else if one.arguments != other.arguments && bits(one) != bits(other) {
                Some("other results".to_owned())
            } else {
                None
            }
        }
        (Err(one), Err(other)) if one == other => None,
        (Err(error), _) | (_, Err(error)) if error.kind == RunErrorKind::StepLimit => None,
        (one, other) => Some(format!("{:?} / {:?}", one.as_ref().err(), other.as_ref().err())),
    }
}

#[test]
fn compiled_statements_do_what_the_general_evaluator_does() {
    let corpus = Corpus::chosen(300_000);
    let (mut compiled, mut general) = (Tally::default(), Tally::default());
    let mut failures = Vec::new();
    for folder in FOLDERS {
        for path in corpus.files(folder) {
            for (at, function) in functions_of_file(folder, &path).iter().enumerate() {
                let body = &function.lowered.body;
                let symbols = inputs::symbols(body, 0);
                for (round, flavour) in [Flavour::Tame, Flavour::Wild].into_iter().enumerate() {
                    let mut rng = Rng::new(at as u64 * 2 + round as u64);
                    let Ok(arguments) = inputs::arguments(body, &symbols, flavour, &mut rng) else {
                        continue;
                    };
                    let options = Options {
                        max_steps: corpus.max_steps,
                        max_trips: Some(6),
                        on_error: OnError::Event,
                        strict_logic: round == 1,
                        ..Options::default()
                    };
                    let one = compiled.run(body, arguments.clone(), &options);
                    let options = Options { fast: false, ..options };
                    let other = general.run(body, arguments, &options);
                    if matches!((&one, &other), (Ok(_), Ok(_))) {
                        compiled.add("runs compared", &function.name);
                    }
                    if let Some(found) = difference(&one, &other) {
                        failures.push(format!("{} ({flavour:?}): {found}", function.name));
                    }
                }
            }
        }
    }
    compiled.print("compiled");
    general.print("general");
    assert!(failures.is_empty(), "{}\n{}", failures.len(), failures.join("\n"));
    if corpus.is_small {
        let n = compiled.count("runs compared");
        assert!(n >= 300, "only {n} runs were compared");
    }
}
