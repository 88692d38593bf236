//! The limits of the interpreter: a run of every sample, and the reasons of those that it cannot execute.

use interp::{OnError, Options};
use test_utils::Rng;

use crate::{
    functions::{Corpus, functions_of_file},
    inputs::{self, Flavour},
    rewrites::skip_reason,
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

#[test]
fn every_sample_is_executed_or_says_why_not() {
    let corpus = Corpus::chosen(200_000);
    let mut tally = Tally::default();
    let mut n_functions = 0;
    for folder in FOLDERS {
        for path in corpus.files(folder) {
            for function in functions_of_file(folder, &path) {
                n_functions += 1;
                let body = &function.lowered.body;
                let symbols = inputs::symbols(body, 0);
                let mut rng = Rng::new(7);
                let arguments = inputs::arguments(body, &symbols, Flavour::Tame, &mut rng);
                let options = Options {
                    max_steps: corpus.max_steps,
                    max_trips: Some(2),
                    on_error: OnError::Event,
                    ..Options::default()
                };
                match arguments.map(|it| tally.run(body, it, &options)) {
                    Ok(Ok(outcome)) => {
                        tally.add("runs", &function.name);
                        for event in outcome.events {
                            tally.add(format!("event {}", event.kind.name()), &function.name);
                        }
                    }
                    Ok(Err(error)) => tally.add(skip_reason(&error), &function.name),
                    Err(why) => tally.add(format!("no arguments: {why}"), &function.name),
                }
            }
        }
    }
    tally.print("functions executed");
    let (runs, all) = (tally.count("runs"), n_functions);
    assert!(runs * 10 >= all * 9, "{runs} of {all} functions are executed");
}
