//! Kernels of MLIR and the functions of statements that they become: two interpreters, one result, bit for bit.
//!
//! In: `mlir_kernels/gpu.mlir` and the samples under `tests/corpus/mlir`, or with `TIR_ORACLE_ALL=1` every `.mlir` file
//! under `TIR_ORACLE_CORPUS`. A `gpu.func` runs by itself with the sizes of its launch; a `gpu.launch` runs with the
//! function around it, if that does nothing else. Indices among the arguments are small, so that accesses stay inside;
//! inputs on which the operations go wrong are skipped. Refusals are counted by reason.

use std::{collections::BTreeMap, path::Path};

use interp::{
    Argument, Options, RunErrorKind,
    mlir::{self, Final, Launch, Need, Program},
};
use ir::Body;
use lower::{
    LowerOptions,
    from_ops::{FromOps, kernels},
};
use test_utils::Rng;

use crate::{
    functions::Corpus,
    inputs::Flavour,
    mlir_run::{
        self,
        program::{Document, arguments, documents},
    },
    tally::Tally,
};

/// Blocks or threads where the caller gives the number.
const FREE: i64 = 2;

/// Inputs for each kernel.
const ROUNDS: u64 = 12;

/// Numbers that take part in indices are among these.
const SMALL: [i64; 4] = [1, 0, 2, 3];

fn needs_small(need: &Need) -> bool {
    matches!(need, Need::Scalar(dtype) if dtype.is_integer() && dtype.bits == 64)
}

/// Arguments of a function of operations, with small indices.
fn inputs(body: &Body, round: u64) -> Result<Vec<Argument>, String> {
    let flavour = [Flavour::TamePositiveInts, Flavour::Wild, Flavour::Tame][round as usize % 3];
    let mut arguments = arguments(body, 16, flavour, round)?;
    let mut rng = Rng::new(round);
    let needs = mlir::needs(body)?;
    let needs = needs.iter().filter(|it| !matches!(it, Need::Attribution));
    for (argument, need) in arguments.iter_mut().zip(needs) {
        if needs_small(need) {
            // The first round makes all steps ones.
            let size = if round == 0 { SMALL[0] } else { *rng.pick(&SMALL) };
            *argument = Argument::Int(size);
        }
    }
    Ok(arguments)
}

/// Where a result is defined, it must be this.
fn agrees(before: &[Final], after: &[Argument]) -> Result<(), String> {
    for (at, (before, after)) in before.iter().zip(after).enumerate() {
        let n = before.defined.len();
        let after = Final { value: after.clone(), defined: vec![true; n] };
        if !before.refines_to(&after) {
            return Err(format!("argument {at} differs"));
        }
    }
    Ok(())
}

/// The kernel's arguments among those of the function around it, by their names; then the sizes that are left open.
fn picked(
    function: &Body,
    given: &[Argument],
    kernel: &FromOps,
    is_function: bool,
) -> Option<(Vec<usize>, Vec<Argument>)> {
    let name = |it| function.name(function.values[it].name).trim_start_matches('%').to_owned();
    let params = &function.blocks[function.entry(function.root)].args;
    let places: BTreeMap<String, usize> =
        params.iter().enumerate().map(|(at, &it)| (name(it), at)).collect();
    let n_free = kernel.sizes.iter().filter(|it| it.is_none()).count();
    let own = &kernel.body.params[..kernel.body.params.len() - n_free];
    let of = |at: usize| {
        if is_function {
            return Some(at);
        }
        let name = kernel.body.name(kernel.body.values[own[at].value].name);
        places.get(name).copied()
    };
    let places: Vec<usize> = (0..own.len()).map(of).collect::<Option<_>>()?;
    let mut arguments = Vec::new();
    for &at in &places {
        arguments.push(given.get(at)?.clone());
    }
    arguments.extend((0..n_free).map(|_| Argument::Int(FREE)));
    Some((places, arguments))
}

fn check_kernel(
    document: &Document,
    unit: usize,
    kernel: &FromOps,
    max_steps: u64,
) -> Result<Result<u32, String>, String> {
    let bodies = document.units.iter().map(|it| &it.body);
    let program = Program::new(bodies);
    let function = &document.units[unit].body;
    let is_function = function.func_attr("gpu.kernel").is_some();
    if !is_function && kernel.sizes.contains(&None) {
        return Ok(Err("a launch of a size that the function computes".into()));
    }
    let size = kernel.sizes.map(|it| it.unwrap_or(FREE));
    let launch = Launch { grid: [size[0], size[1], size[2]], block: [size[3], size[4], size[5]] };
    let options = Options { max_steps, ..Options::default() };
    let lowered = lower::lower(&kernel.body, &LowerOptions::default())
        .map_err(|it| format!("not lowered: {}", it.detail))?;
    let (mut n, mut reason) = (0, String::from("no input"));
    for round in 0..ROUNDS {
        let given = match inputs(function, round) {
            Ok(given) => given,
            Err(why) => return Ok(Err(why)),
        };
        let Some((places, arguments)) = picked(function, &given, kernel, is_function) else {
            return Ok(Err("it takes what the function around it computes".into()));
        };
        let before = match mlir::run(&program, unit, given, launch, &options) {
            Ok(before) if before.events.is_empty() => before,
            Ok(_) => {
                reason = "undefined on every input".into();
                continue;
            }
            Err(error) if matches!(error.kind, RunErrorKind::Program | RunErrorKind::StepLimit) => {
                reason = format!("stops on every input: {}", error.message);
                continue;
            }
            Err(error) => return Ok(Err(format!("not executed: {}", error.message))),
        };
        let picked: Vec<Final> = places.iter().map(|&at| before.arguments[at].clone()).collect();
        for (name, body) in [("converted", &kernel.body), ("lowered", &lowered)] {
            let after = interp::run(body, arguments.clone(), &options)
                .map_err(|it| format!("{name}, round {round}: it stops: {it}"))?;
            agrees(&picked, &after.arguments)
                .map_err(|it| format!("{name}, round {round}: {it}"))?;
        }
        n += 1;
    }
    Ok(if n > 0 { Ok(n) } else { Err(reason) })
}

fn check_document(
    name: &str,
    document: &Document,
    max_steps: u64,
    tally: &mut Tally,
) -> Vec<String> {
    let mut failures = Vec::new();
    let numbers: Vec<usize> =
        (0..document.units.len()).filter(|&it| document.units[it].is_function).collect();
    let functions: Vec<&Body> = numbers.iter().map(|&it| &document.units[it].body).collect();
    let frame = document.units.iter().find(|it| !it.is_function).map(|it| &it.body);
    for it in kernels(&functions, frame) {
        let name = format!("{name}:{}", it.name);
        let kernel = match it.kernel {
            Ok(kernel) => kernel,
            Err(refusal) => {
                tally.add(format!("refused: {} ({})", refusal.reason, refusal.detail), &name);
                continue;
            }
        };
        let errors = ir::verify::verify(&kernel.body);
        if !errors.is_empty() {
            failures.push(format!("{name}: invalid: {errors:?}"));
            continue;
        }
        match check_kernel(document, numbers[it.function], &kernel, max_steps) {
            Ok(Ok(n)) => {
                tally.note("runs", n.into());
                tally.add("equal", &name);
            }
            Ok(Err(why)) => tally.add(why, &name),
            Err(why) => {
                tally.add("differs", &name);
                failures.push(format!("{name}: {why}"));
            }
        }
    }
    failures
}

#[test]
fn kernels_of_mlir_compute_what_their_operations_do() {
    let corpus = Corpus::chosen(3_000_000);
    let folder = if corpus.is_small { corpus.folder.join("mlir") } else { corpus.folder.clone() };
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    let own = test_utils::mlir_samples_below(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/mlir_kernels"),
    );
    let all = own.into_iter().chain(mlir_run::inputs(test_utils::mlir_samples_below(&folder)));
    for sample in all.filter(|it| it.text.contains("gpu.")) {
        for document in documents(&sample.text) {
            failures.extend(check_document(&sample.name, &document, corpus.max_steps, &mut tally));
        }
    }
    tally.print("kernels of MLIR");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(tally.count("equal") >= 8, "{} kernels were compared", tally.count("equal"));
}
