//! One function: lowered, planned in every way, rewritten, run before and after, edited and read again.

mod instances;
mod simplified;

use dataflow::analyses::Analyses;
use frontend::tvmscript::{Selection, Severity, unchecked::cse_edits};
use interp::{
    Argument, EventKind, Options, Outcome, Overlap, RunError, RunErrorKind, Schedule, UnknownCalls,
};
use ir::effects::EffectTable;
use ir::{Body, Occurrences, fingerprint, plan::CsePlan, verify::verify};
use test_utils::{Program, Rng};
use transform::{
    cse::{self, CseOptions},
    findings::{self, Finding, FindingKind, FindingKinds, FindingOptions},
    passes::Pass,
};

use super::{
    as_read::{as_read, folds_constants},
    quiet,
    selected::Family,
    values::{self, ROUNDS},
};
use crate::{
    fixpoint::finds_more,
    functions::{Function, functions_of},
    plans::options,
    rewrites::agrees,
};

/// Nodes that a run of a generated function may evaluate: loops over wild extents end here.
const MAX_STEPS: u64 = 20_000;

/// A way in which a function failed.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The check and the plan: they stay the same while the function is shrunk.
    pub(super) kind: String,
    /// The observed fault.
    pub(super) what: String,
}

/// The result for a function that did not fail.
#[derive(Default, Debug)]
pub(super) struct Checked {
    is_ill_typed: bool,
    instances: u64,
    ill_typed_instances: u64,
    bindings: u64,
    plans: u64,
    fixes: u64,
    runs: u64,
    runs_with_events: u64,
    overlapping: u64,
    races: u64,
    own_races: u64,
    not_run: u64,
    edited: u64,
    again: u64,
    simplifications: u64,
    differing: u64,
}

impl Checked {
    /// The counts, by name.
    pub(super) fn counts(&self) -> [(&'static str, u64); 17] {
        [
            ("functions compared", u64::from(self.runs > 0 && self.plans > 0)),
            ("not well-typed", u64::from(self.is_ill_typed)),
            ("instances of functions with unknown names", self.instances),
            ("instances that are not well-typed", self.ill_typed_instances),
            ("bindings of the default plan", self.bindings),
            ("plans that change something", self.plans),
            ("fixes of findings that change something", self.fixes),
            ("runs of originals compared", self.runs),
            ("runs of originals with an event", self.runs_with_events),
            ("runs of originals on overlapping arguments", self.overlapping),
            ("runs of originals that race because of that", self.races),
            ("runs of originals that race", self.own_races),
            ("runs of originals that end early", self.not_run),
            ("texts edited and read again", self.edited),
            ("functions in which a second plan finds more", self.again),
            ("simplifications", self.simplifications),
            ("simplifications whose text would read back differently", self.differing),
        ]
    }
}

fn failure<T>(kind: impl Into<String>, what: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { kind: kind.into(), what: what.into() })
}

/// A body made by a plan.
struct Variant {
    name: &'static str,
    body: Body,
    /// True if it assumes that no sum overflows (`SEMANTICS: I1`): runs with that event are not compared.
    excludes_overflow: bool,
}

impl Variant {
    fn new(name: &'static str, body: Body) -> Variant {
        Variant { name, body, excludes_overflow: false }
    }
}

/// Checks one function. A panic is a failure as any other.
pub(super) fn check(program: &Program, seed: u64) -> Result<Checked, Failure> {
    guarded("", || check_unguarded(program, seed))
}

/// The result of `work`; a panic is a failure named after the work.
fn guarded<T>(doing: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    quiet::caught(work).unwrap_or_else(|message| {
        let first = message.lines().next().unwrap_or_default();
        let kind: String =
            first.chars().take(60).map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
        failure(format!("{doing} panics: {}", kind.replace("##", "#")), message)
    })
}

/// The function as our frontend reads it; none if it has errors.
pub(super) fn lowered(program: &Program) -> Option<Function> {
    let mut functions = functions_of("generated", &program.text());
    let function = functions.pop()?;
    (functions.is_empty() && is_understood(&function)).then_some(function)
}

/// Returns true if nothing in it is wrong. Unknown values are no mistakes.
pub(super) fn is_understood(function: &Function) -> bool {
    function.lowered.diagnostics.iter().all(|it| it.severity == Severity::Hint)
}

/// Returns true if another text of the function is seen to compute something else, for some values of its unknown
/// names.
pub(super) fn differs_as_text(
    program: &Program,
    function: &Function,
    text: &str,
    seed: u64,
) -> bool {
    let other = instances::Text::new("other", text.to_owned());
    instances::compare(program, function, &[other], seed, &mut Checked::default()).is_err()
}

/// Returns true if another body is seen to compute something else.
pub(super) fn differs(program: &Program, body: &Body, other: &Body, seed: u64) -> bool {
    let variants = [Variant::new("other", other.clone())];
    compare(program, body, &variants, (seed, ALL_ROUNDS), &mut Checked::default()).is_err()
}

fn check_unguarded(program: &Program, seed: u64) -> Result<Checked, Failure> {
    let mut checked = Checked::default();
    let Some(function) = lowered(program) else {
        checked.is_ill_typed = true;
        return Ok(checked);
    };
    let mut variants = rewritten(&function.lowered.body, &mut checked)?;
    variants.extend(edited(&function, &mut checked)?);
    if !program.instances().is_empty() {
        // Values are known in the text only.
        instances::keep_lanes(&function.lowered.body, &variants)?;
        instances::check(program, &function, seed, &mut checked)?;
        return Ok(checked);
    }
    if Family::Simplify.is_selected() {
        variants.extend(simplified::simplified(&function, &mut checked)?);
    }
    compare(program, &function.lowered.body, &variants, (seed, ALL_ROUNDS), &mut checked)?;
    Ok(checked)
}

/// The bodies after each plan that differs from the ones before.
fn rewritten(body: &Body, checked: &mut Checked) -> Result<Vec<Variant>, Failure> {
    let occurrences = Occurrences::collect(body);
    let mut plans: Vec<CsePlan> = Vec::new();
    let mut variants = Vec::new();
    for (name, options) in selected_options() {
        let plan = guarded(name, || {
            Ok(cse::plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), None, &options))
        })?;
        if plan.is_empty() || plans.contains(&plan) {
            continue;
        }
        let after = guarded(name, || Ok(cse::rewrite(body, &occurrences, &plan)))?;
        let errors = verify(&after);
        if !errors.is_empty() {
            return failure(format!("{name}: invalid"), format!("{errors:?}"));
        }
        if name == "default" {
            checked.bindings = plan.bindings.len() as u64;
            checked.again = u64::from(finds_more(body) == Some(true));
        }
        plans.push(plan);
        variants.push(Variant::new(name, after));
    }
    checked.plans = variants.len() as u64;
    if Family::Findings.is_selected() {
        let fixed = fixed(body, &occurrences);
        checked.fixes = fixed.len() as u64;
        variants.extend(fixed);
    }
    if Family::Simplify.is_selected() {
        let simple = Pass::Simplify.run(body, EffectTable::builtin());
        variants.push(Variant { excludes_overflow: true, ..Variant::new("simplify", simple) });
    }
    Ok(variants)
}

/// The plans of the families that are checked.
fn selected_options() -> impl Iterator<Item = (&'static str, CseOptions)> {
    options().into_iter().filter(|it| Family::of_plan(it.0).is_selected())
}

/// The body after all fixes of findings that can be done together; each kind that changes something alone too. Fixes
/// that rest on conditions take for granted that no sum overflows; `noalias` is a promise, and is not compared.
fn fixed(body: &Body, occurrences: &Occurrences) -> Vec<Variant> {
    use FindingKind::{
        ConstantCondition, CopyPropagation, DeadBinding, DeadStore, LoopInvariant,
        RedundantCondition, RedundantLoad, Unreachable,
    };
    let kinds = [CopyPropagation, DeadBinding, DeadStore, LoopInvariant, RedundantLoad];
    let options = FindingOptions { kinds: FindingKinds::from_iter(kinds), loop_invariant_cost: 1 };
    let found = findings::findings(
        &Analyses::of(body, occurrences, EffectTable::builtin()),
        None,
        &options,
    );
    let apply = |name, found: &[Finding], kind: Option<FindingKind>| {
        let wanted = found.iter().filter(|it| kind.is_none_or(|kind| it.kind == kind));
        let chosen = findings::compatible(body, occurrences, wanted);
        let changes = !chosen.is_empty();
        changes.then(|| Variant::new(name, findings::apply(body, occurrences, chosen)))
    };
    let all = apply("findings", &found, None);
    let each = kinds.into_iter().filter_map(|it| apply(it.name(), &found, Some(it)));
    let mut variants: Vec<Variant> = all.into_iter().chain(each).collect();
    let kinds = [ConstantCondition, RedundantCondition, Unreachable];
    let options = FindingOptions { kinds: FindingKinds::from_iter(kinds), loop_invariant_cost: 1 };
    let found = findings::findings(
        &Analyses::of(body, occurrences, EffectTable::builtin()),
        None,
        &options,
    );
    for it in kinds {
        let fixed = apply(it.name(), &found, Some(it));
        variants.extend(fixed.map(|fixed| Variant { excludes_overflow: true, ..fixed }));
    }
    variants
}

/// The bodies of the texts that each plan edits.
fn edited(function: &Function, checked: &mut Checked) -> Result<Vec<Variant>, Failure> {
    let lowered = &function.lowered;
    let occurrences = Occurrences::collect(&lowered.body);
    let mut plans: Vec<CsePlan> = Vec::new();
    let mut variants = Vec::new();
    for (name, options) in selected_options() {
        let plan = lowered.source_map.with_view(|view| {
            cse::plan(
                &Analyses::of(&lowered.body, &occurrences, EffectTable::builtin()),
                Some(view),
                &options,
            )
        });
        if !plan.is_empty() && !plans.contains(&plan) {
            let doing = format!("edited text, {name}");
            variants.extend(guarded(&doing, || edited_by(name, function, &plan, checked))?);
            plans.push(plan);
        }
    }
    Ok(variants)
}

/// The body of the edited text, which must be the rewritten body.
fn edited_by(
    plan_name: &'static str,
    function: &Function,
    plan: &CsePlan,
    checked: &mut Checked,
) -> Result<Option<Variant>, Failure> {
    let lowered = &function.lowered;
    let name = format!("edited text, {plan_name}");
    let body = &lowered.body;
    let occurrences = Occurrences::collect(body);
    let edit = cse_edits(function.written(&occurrences), plan, Selection::All);
    if edit.is_empty() {
        return Ok(None);
    }
    let text = edit.apply(function.text());
    let Some(again) = function.reread(&text) else {
        return failure(format!("{name}: lost"), text);
    };
    if !is_understood(&again) {
        return failure(
            format!("{name}: diagnostics"),
            format!("{:?}\n{text}", again.lowered.diagnostics),
        );
    }
    let after = cse::rewrite(body, &occurrences, plan);
    let read = &again.lowered.body;
    let are_same = |a: &Body, b: &Body| fingerprint::of_function(a) == fingerprint::of_function(b);
    let is_same = are_same(&after, read) || are_same(&as_read(&after), &as_read(read));
    if !(is_same || folds_constants(&after)) {
        return failure(
            format!("{name}: another function than the rewritten one"),
            format!("{text}\nrewritten:\n{}", ir::print::tvmscript(&after, 0)),
        );
    }
    checked.edited += 1;
    Ok(Some(Variant::new(plan_name, again.lowered.body)))
}

/// Numbers of sets of arguments.
type Rounds = std::ops::Range<usize>;

const ALL_ROUNDS: Rounds = 0..ROUNDS.len();

/// Runs the function and its variants on several arguments, made of a seed.
fn compare(
    program: &Program,
    body: &Body,
    variants: &[Variant],
    (seed, rounds): (u64, Rounds),
    checked: &mut Checked,
) -> Result<(), Failure> {
    if variants.is_empty() {
        return Ok(());
    }
    for at in rounds {
        let round = ROUNDS[at];
        let mut rng = Rng::new(seed ^ (at as u64) << 32);
        let arguments = values::arguments(program, body, round, &mut rng);
        let overlaps = match at % 2 {
            1 if !program.is_noalias() => values::overlaps(&arguments, &mut rng),
            _ => Vec::new(),
        };
        for mode in modes(program, at, seed) {
            let may_race = program.has_threads() || !overlaps.is_empty();
            let run = Run { arguments: &arguments, overlaps: &overlaps, mode, may_race };
            if let Err((name, why)) = run.compare(body, variants, checked) {
                let print = |it: &Variant| ir::print::tvmscript(&it.body, 0);
                let after = variants.iter().find(|it| it.name == name).map(print);
                let what = format!(
                    "{why} ({round:?}, {overlaps:?}, {mode:?})\n{}",
                    after.unwrap_or_default()
                );
                return failure(format!("{name}: another result"), what);
            }
        }
    }
    Ok(())
}

/// How runs differ, arguments aside.
#[derive(Clone, Copy, Debug)]
struct Mode {
    strict_logic: bool,
    schedule: Schedule,
}

/// The modes of a round: both readings of `and` and `or`, and another order of threads.
fn modes(program: &Program, round: usize, seed: u64) -> Vec<Mode> {
    let mode = |strict_logic, schedule| Mode { strict_logic, schedule };
    let mut modes = vec![mode(round % 3 == 2, Schedule::Lockstep)];
    if program.has_threads() && round.is_multiple_of(2) {
        modes.push(mode(false, Schedule::Random(seed)));
    }
    modes
}

/// Runs on one set of arguments in one mode.
struct Run<'a> {
    arguments: &'a [Argument],
    overlaps: &'a [Overlap],
    mode: Mode,
    may_race: bool,
}

impl Run<'_> {
    fn run(&self, body: &Body, max_steps: u64, find_races: bool) -> Result<Outcome, RunError> {
        let Mode { strict_logic, schedule } = self.mode;
        let unknown_calls = UnknownCalls::Model;
        let default = Options::default();
        let options =
            Options { max_steps, strict_logic, schedule, unknown_calls, find_races, ..default };
        interp::run_overlapping(body, self.arguments.to_vec(), self.overlaps, &options)
    }

    /// Runs the function and its variants; gives the name of the one that differs, and why.
    fn compare<'v>(
        &self,
        body: &Body,
        variants: &'v [Variant],
        checked: &mut Checked,
    ) -> Result<(), (&'v str, String)> {
        // Overlapping arguments may race where the parameters do not: such a program has no meaning.
        let before = self.run(body, MAX_STEPS, self.may_race);
        match &before {
            Ok(outcome) if outcome.events.iter().any(|it| it.kind == EventKind::Race) => {
                checked.races += u64::from(!self.overlaps.is_empty());
                checked.own_races += u64::from(self.overlaps.is_empty());
                return Ok(());
            }
            Ok(outcome) => {
                checked.runs += 1;
                checked.overlapping += u64::from(!self.overlaps.is_empty());
                checked.runs_with_events += u64::from(!outcome.events.is_empty());
            }
            Err(error) if error.kind == RunErrorKind::Unsupported => {
                return Err(("the interpreter", error.message.clone()));
            }
            Err(_) => {
                checked.not_run += 1;
                return Ok(());
            }
        }
        let overflows = before.as_ref().is_ok_and(Outcome::overflows);
        for variant in variants.iter().filter(|it| !(overflows && it.excludes_overflow)) {
            // How steps are counted depends on what is compiled: only an endless run is to be cut off.
            let after = self.run(&variant.body, MAX_STEPS * 20, false);
            agrees(&before, &after).map_err(|why| (variant.name, why))?;
        }
        Ok(())
    }
}
