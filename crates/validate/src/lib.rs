#![doc = include_str!("../README.md")]

mod access;
mod calls;
mod claims;
mod division;
mod engine;
mod eval;
mod execute;
mod inputs;
mod lockstep;
mod memory;
mod names;
mod run;
mod side;
mod smt;
mod term;
#[cfg(test)]
mod tests;

use ir::{Body, ValueId, effects::EffectTable};

pub use claims::{Claim, Claims, Given, Shown};
pub use run::{Difference, Run, run};

use engine::{Engine, StopKind};
use lockstep::{End, Pair};
use side::Which;

/// The answer of a solver to whether assertions can hold together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// They cannot.
    Unsatisfiable,
    /// They can, with these values of the variables that were asked for, in their order; none where it gives no number.
    Satisfiable(Vec<Option<i128>>),
    /// It does not know, or not in its time.
    Unknown,
}

/// A solver that reads SMT-LIB 2: quantifier-free bit-vectors, arrays and uninterpreted functions, with z3's predicates
/// of overflow.
pub trait Solver {
    /// Asks whether the assertions of a script, which has no `check-sat`, can hold together, and for the values of
    /// variables if so.
    ///
    /// # Errors
    /// The solver failed as a program, or does not read the script.
    fn check(&mut self, script: &str, wanted: &[String]) -> Result<Answer, String>;
}

/// Bounds of a proof.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Questions to the solver for one function.
    pub max_questions: usize,
    /// Ways through a function that are followed apart.
    pub max_splits: usize,
    /// Expression nodes that are evaluated.
    pub max_nodes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_questions: 400, max_splits: 64, max_nodes: 2_000_000 }
    }
}

/// The result of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// On every input on which the function before runs without an error, the function after has no error and the same
    /// results.
    Proved {
        /// Questions that the solver answered; with none the two are equal as terms.
        questions: usize,
    },
    /// It is not shown.
    Open {
        /// Why not.
        reason: String,
        /// True if the solver failed as a program.
        is_failure: bool,
        /// Values of parameters and symbols in the state where they differ, if the solver named one. It need not be one
        /// that a run reaches.
        witness: Vec<(ValueId, i64)>,
    },
}

/// Tries to show that `after`, which a rewrite made of `before`, does the same. Values, buffers and operations of
/// `before` that `after` still has must have their ids, as all rewriters of `transform` keep them.
pub fn prove(
    before: &Body,
    after: &Body,
    effects: &EffectTable,
    solver: &mut dyn Solver,
    options: &Options,
) -> Proof {
    if before == after {
        return Proof::Proved { questions: 0 };
    }
    let open = |reason: &str| Proof::Open {
        reason: reason.to_owned(),
        is_failure: false,
        witness: Vec::new(),
    };
    if before.dialect.is_of_operations() {
        return open("a language of operations");
    }
    if before.params != after.params || before.dialect != after.dialect {
        return open("the signatures differ");
    }
    let mut questions = 0;
    // `S3`: where a right side of `and` or `or` may err, machines that evaluate it always are another mode.
    for is_strict in [false, true] {
        let mut engine = Engine::new(before, after, effects, &mut *solver, options, is_strict);
        let mut pair = Pair {
            before: engine.side(before, Which::Before),
            after: engine.side(after, Which::After),
        };
        let shown = engine.entry(&mut pair.before).and_then(|()| {
            engine.regions(&mut pair, Some(before.root), Some(after.root), End::Function)
        });
        questions += engine.n_questions;
        if let Err(stop) = shown {
            return Proof::Open {
                reason: stop.message,
                is_failure: stop.kind == StopKind::Failed,
                witness: stop.witness,
            };
        }
        if !engine.has_lazy_errors {
            break;
        }
    }
    Proof::Proved { questions }
}
