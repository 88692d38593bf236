//! Proving a claim: small numbers first, then the solver, then more small numbers.
//!
//! Input: a [`Claim`], time. Output: a [`Proof`], by machine. A few thousand cases are tried before the solver is
//! asked: they find nearly every wrong rule with numbers that a person can read, and hold the solver's reading of the
//! operators against one that shares nothing with it. Claims that the solver cannot decide in time are tried on
//! millions. Verdicts are kept on disk under a hash of solver, script and time.
//!
//! Most of the time of all rules goes by with questions that the solver does not decide. They are listed
//! (`undecided.txt`, which the command writes), and where time counts they are not asked: what is next is tried at
//! once.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use crate::prove_rules::claim::{Claim, Sort};
use crate::prove_rules::exhaustive::{Counterexample, Search, search};
use crate::prove_rules::smt::{self, Encoding, Question};
use crate::prove_rules::term::{Machine, Op};
use crate::prove_rules::z3::{Solver, Verdict};

/// Cases before the solver is asked, for each width.
const FEW_CASES: u64 = 5_000;
/// Cases where the solver cannot decide, for each width.
const MANY_CASES: u64 = 2_000_000;

/// The questions that the solver does not decide: the digest of each and its rule.
const UNDECIDED: &str = include_str!("undecided.txt");

/// Hexadecimal digits of a digest in the list.
const DIGITS: usize = 16;

/// Most numbers of a claim whose signs are looked at one by one.
const MAX_SIGNS: usize = 5;

/// The evidence that a claim holds on a machine, or that it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The solver proved it.
    Proved,
    /// The solver did not decide; so many cases agree.
    BruteForced(u64),
    /// A case refutes it.
    Refuted(Counterexample),
    /// The solver refutes it, with values that do not show it here; or the rule computes a forbidden value.
    Unproved(String),
}

/// The state of the prover.
pub(crate) struct Prover {
    /// Time for one claim on one machine.
    pub(crate) limit: Duration,
    /// The solver's version, as part of the key of stored verdicts.
    pub(crate) version: String,
    /// The place where verdicts are kept.
    pub(crate) cache: PathBuf,
    idle: Mutex<Vec<Solver>>,
    /// Questions that are not asked, by digest.
    not_asked: BTreeSet<&'static str>,
    /// The rules and digests of questions that were not decided.
    undecided: Mutex<BTreeSet<(String, String)>>,
}

impl Prover {
    pub(crate) fn new(limit: Duration, version: String, cache: PathBuf) -> Prover {
        let (idle, undecided) = (Mutex::default(), Mutex::default());
        Prover { limit, version, cache, idle, not_asked: BTreeSet::new(), undecided }
    }

    /// Does not ask the questions that are listed as undecided.
    pub(crate) fn without_undecided(self) -> Prover {
        let digests = UNDECIDED.lines().filter_map(|it| it.split_whitespace().next());
        Prover { not_asked: digests.collect(), ..self }
    }

    /// The list of the questions that were not decided, in the order of the names of their rules.
    pub(crate) fn undecided(self) -> String {
        let undecided = self.undecided.into_inner().unwrap_or_default();
        undecided.into_iter().map(|(rule, digest)| format!("{digest} {rule}\n")).collect()
    }

    /// Proves a claim on all its machines, or stops at the first where it fails.
    pub(crate) fn prove(&self, claim: &Claim) -> anyhow::Result<Vec<(Machine, Proof)>> {
        if let Some(breach) = claim.breach() {
            return Ok(vec![(Machine::Integers, Proof::Unproved(breach.to_owned()))]);
        }
        let machines = claim.machines();
        for machine in alike(&machines) {
            if let Some(found) = search(claim, machine, FEW_CASES).found {
                return Ok(vec![(machine, Proof::Refuted(found))]);
            }
        }
        let mut proofs = Vec::new();
        let mut holds_of_integers = false;
        for machine in machines {
            let proof = self.prove_on(claim, machine, holds_of_integers)?;
            holds_of_integers |= machine == Machine::Integers && proof == Proof::Proved;
            let is_bad = matches!(proof, Proof::Refuted(_) | Proof::Unproved(_));
            proofs.push((machine, proof));
            if is_bad {
                break;
            }
        }
        Ok(proofs)
    }

    fn prove_on(
        &self,
        claim: &Claim,
        machine: Machine,
        holds_of_integers: bool,
    ) -> anyhow::Result<Proof> {
        for &is_strict in claim.modes() {
            match self.ask(claim, machine, is_strict, holds_of_integers)? {
                Verdict::Unsatisfiable => {}
                Verdict::Satisfiable(model) => {
                    return Ok(refuted(claim, machine, is_strict, &model));
                }
                Verdict::Unknown => return Ok(brute_force(claim, machine)),
            }
        }
        Ok(Proof::Proved)
    }

    /// The solver's verdict by the first encoding that gives one.
    fn ask(
        &self,
        claim: &Claim,
        machine: Machine,
        is_strict: bool,
        holds_of_integers: bool,
    ) -> anyhow::Result<Verdict> {
        let encodings = smt::encodings(claim, machine);
        let share = self.limit / encodings.len() as u32;
        let sums_are_exact = !matches!(machine, Machine::Fixed { wraps: true, .. });
        for &encoding in encodings {
            let question = Question {
                claim,
                machine,
                is_strict,
                encoding,
                holds_of_integers: holds_of_integers
                    && sums_are_exact
                    && encoding != Encoding::Bits,
                signs: None,
            };
            match self.verdict(question, share)? {
                Verdict::Unknown => {}
                // What is said of a common divisor is not all.
                Verdict::Satisfiable(_) if claim.has(|op| op == Op::Gcd) => {}
                verdict => return Ok(verdict),
            }
        }
        if encodings.len() > 1 && sums_are_exact {
            self.by_signs(claim, machine, is_strict)
        } else {
            Ok(Verdict::Unknown)
        }
    }

    /// The verdict on each combination of signs in turn.
    fn by_signs(
        &self,
        claim: &Claim,
        machine: Machine,
        is_strict: bool,
    ) -> anyhow::Result<Verdict> {
        let numbers = claim.variables.iter().filter(|it| it.sort == Sort::Int).count();
        if numbers > MAX_SIGNS {
            return Ok(Verdict::Unknown);
        }
        let share = self.limit / (1 << numbers);
        for signs in 0..1 << numbers {
            let question = Question {
                claim,
                machine,
                is_strict,
                encoding: Encoding::Division,
                holds_of_integers: false,
                signs: Some(signs),
            };
            match self.verdict(question, share)? {
                Verdict::Unsatisfiable => {}
                _ => return Ok(Verdict::Unknown),
            }
        }
        Ok(Verdict::Unsatisfiable)
    }

    /// The solver's verdict on a question, or the one that is kept.
    fn verdict(&self, question: Question<'_>, limit: Duration) -> anyhow::Result<Verdict> {
        let script = smt::script(question);
        let digest = blake3::hash(script.as_bytes()).to_hex();
        let digest = &digest[..DIGITS];
        let verdict = match self.not_asked.contains(digest) {
            true => Verdict::Unknown,
            false => self.kept_verdict(question.claim, &script, limit)?,
        };
        if verdict == Verdict::Unknown
            && let Ok(mut undecided) = self.undecided.lock()
        {
            undecided.insert((question.claim.name.clone(), digest.to_owned()));
        }
        Ok(verdict)
    }

    fn kept_verdict(
        &self,
        claim: &Claim,
        script: &str,
        limit: Duration,
    ) -> anyhow::Result<Verdict> {
        let place = self.place(script, limit);
        match std::fs::read_to_string(&place).as_deref() {
            Ok("unsat") => return Ok(Verdict::Unsatisfiable),
            Ok("unknown") => return Ok(Verdict::Unknown),
            _ => {}
        }
        let verdict = self.ask_now(claim, script, limit)?;
        match verdict {
            Verdict::Unsatisfiable => keep(&place, "unsat"),
            Verdict::Unknown => keep(&place, "unknown"),
            Verdict::Satisfiable(_) => {}
        }
        Ok(verdict)
    }

    fn ask_now(&self, claim: &Claim, script: &str, limit: Duration) -> anyhow::Result<Verdict> {
        let mut solver = self.idle.lock().ok().and_then(|mut it| it.pop()).unwrap_or_default();
        let verdict = solver.check(script, &smt::wanted(claim), limit);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(solver);
        }
        verdict
    }

    fn place(&self, script: &str, limit: Duration) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.version.as_bytes()).update(&limit.as_millis().to_le_bytes());
        self.cache.join(hasher.update(script.as_bytes()).finalize().to_hex().as_str())
    }
}

/// One machine of those that have the same narrow ones.
fn alike(machines: &[Machine]) -> Vec<Machine> {
    let is_wide = |it: &&Machine| matches!(it, Machine::Fixed { bits: 64, .. });
    let has_narrow = |it: &&Machine| !is_wide(it);
    let mut chosen: Vec<Machine> = machines.iter().filter(has_narrow).copied().collect();
    if chosen.is_empty() {
        chosen.extend(machines);
    }
    chosen
}

/// Keeping is a convenience: a full disk costs time, not the result.
fn keep(place: &std::path::Path, verdict: &str) {
    if let Some(dir) = place.parent() {
        let _ = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(place, verdict));
    }
}

/// Returns the refutation that the solver's values show.
fn refuted(claim: &Claim, machine: Machine, is_strict: bool, model: &[Option<i128>]) -> Proof {
    let case = smt::values(claim, machine, model);
    let shown = case.and_then(|values| {
        let (left, right) = claim.is_refuted(machine, is_strict, &values)?;
        Some(Counterexample { machine, is_strict, values, left, right })
    });
    match shown {
        Some(found) => Proof::Refuted(found),
        None => Proof::Unproved(format!("z3 refutes it with {}", shown_model(claim, model))),
    }
}

fn shown_model(claim: &Claim, model: &[Option<i128>]) -> String {
    let value = |it: &Option<i128>| it.map_or_else(|| "?".to_owned(), |it| it.to_string());
    let names = claim.variables.iter().map(|it| it.name.as_str());
    let shown: Vec<String> =
        names.zip(model).map(|(name, it)| format!("{name} = {}", value(it))).collect();
    shown.join(", ")
}

/// As many cases as are affordable; floats have none.
fn brute_force(claim: &Claim, machine: Machine) -> Proof {
    match search(claim, machine, MANY_CASES) {
        Search { found: Some(found), .. } => Proof::Refuted(found),
        Search { cases: 0, .. } => Proof::Unproved(
            "the solver does not decide it in time, and there are no narrow cases".to_owned(),
        ),
        Search { cases, .. } => Proof::BruteForced(cases),
    }
}
