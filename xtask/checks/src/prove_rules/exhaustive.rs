//! Claims against all values of narrow types.
//!
//! Input: a [`Claim`], a [`Machine`], how many cases there may be. Output: the number of cases, and the first that
//! refutes the claim. A claim about 32 bits is tried on all values of a few bits, a claim about all integers on those
//! near 0: no proof, but independent of the solver, and a wrong rule is nearly always wrong for small numbers already.
//! Cost: O(cases · size of the rule).

use crate::prove_rules::claim::{Claim, Sort, Variable};
use crate::prove_rules::term::Machine;

/// The widths that are tried, narrowest first.
const WIDTHS: std::ops::RangeInclusive<u32> = 2..=8;
/// The largest distance from 0 that is tried on all integers.
const FARTHEST: i128 = 64;

/// A case that refutes a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counterexample {
    pub(crate) machine: Machine,
    /// True if `and`, `or` and `Select` evaluate all their operands there.
    pub(crate) is_strict: bool,
    /// By variable; none where evaluating it is an error.
    pub(crate) values: Vec<Option<i128>>,
    pub(crate) left: i128,
    /// None for an error.
    pub(crate) right: Option<i128>,
}

/// The cases tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// Assignments of values to variables.
    pub(crate) cases: u64,
    pub(crate) found: Option<Counterexample>,
}

/// Tries at most `limit` assignments for each width and way of evaluating, until one refutes the claim.
pub(crate) fn search(claim: &Claim, machine: Machine, limit: u64) -> Search {
    let mut search = Search::default();
    for narrow in narrow(claim, machine, limit) {
        for &is_strict in claim.modes() {
            search_one(claim, narrow, is_strict, limit, &mut search);
            if search.found.is_some() {
                return search;
            }
        }
    }
    search
}

/// The machines that stand for one in a search: the narrowest, and the widest that the limit allows.
fn narrow(claim: &Claim, machine: Machine, limit: u64) -> Vec<Machine> {
    let Machine::Fixed { is_signed, wraps, .. } = machine else {
        return if machine == Machine::Integers { vec![machine] } else { Vec::new() };
    };
    let all: Vec<Machine> = WIDTHS
        .map(|bits| Machine::Fixed { bits, is_signed, wraps })
        .filter(|it| claim.is_for(*it))
        .collect();
    let mut affordable = all.iter().filter(|it| cases(&choices(claim, **it, limit)) <= limit);
    let mut chosen: Vec<Machine> = all.first().copied().into_iter().collect();
    chosen.extend(affordable.next_back().copied());
    chosen.dedup();
    chosen
}

/// The values that each variable takes.
fn choices(claim: &Claim, machine: Machine, limit: u64) -> Vec<Vec<Option<i128>>> {
    let numbers: Vec<i128> = match machine.range() {
        Some((least, largest)) => (least..=largest).collect(),
        None => {
            let variables = claim.variables.iter().filter(|it| it.sort == Sort::Int).count().max(1);
            let each = (limit as f64).powf(1.0 / variables as f64) as i128;
            let far = ((each - 1) / 2).clamp(2, FARTHEST);
            (-far..=far).collect()
        }
    };
    let of_variable = |variable: &Variable| {
        let mut values: Vec<Option<i128>> = match variable.sort {
            Sort::Bool => vec![Some(0), Some(1)],
            Sort::Int => numbers.iter().copied().map(Some).collect(),
            Sort::Float => Vec::new(),
        };
        if claim.is_lazy() && !variable.is_constant {
            values.push(None);
        }
        values
    };
    claim.variables.iter().map(of_variable).collect()
}

fn cases(choices: &[Vec<Option<i128>>]) -> u64 {
    choices.iter().fold(1u64, |product, it| product.saturating_mul(it.len() as u64))
}

fn search_one(claim: &Claim, machine: Machine, is_strict: bool, limit: u64, search: &mut Search) {
    let choices = choices(claim, machine, limit);
    if choices.iter().any(Vec::is_empty) {
        return;
    }
    let mut at = vec![0; choices.len()];
    let mut values: Vec<Option<i128>> = choices.iter().map(|it| it[0]).collect();
    for _ in 0..cases(&choices).min(limit.max(1)) {
        search.cases += 1;
        if let Some((left, right)) = claim.is_refuted(machine, is_strict, &values) {
            search.found = Some(Counterexample { machine, is_strict, values, left, right });
            return;
        }
        for (index, choice) in choices.iter().enumerate() {
            at[index] = (at[index] + 1) % choice.len();
            values[index] = choice[at[index]];
            if at[index] != 0 {
                break;
            }
        }
    }
}
