//! `fix`: the edits that remove superfluous code and bind shared values, in the files or as a diff.
//!
//! In: files. Out: the files with the edits, written whole or not at all; or a unified diff; or, for standard input,
//! the new text. Comments, layout and line breaks stay. Functions whose blocks are still to be scheduled are left
//! alone, because a new binding can make `compute_inline` or `fuse` fail there; they are counted.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    sync::atomic::{AtomicUsize, Ordering},
};

use anyhow::{Context as _, bail};
use dataflow::analyses::Analyses;
use frontend::tvmscript::{CheckedEdits, FunctionKind, Mismatch, Modules, ReadBack, Selection};
use ir::{
    Body, Occurrences,
    effects::EffectTable,
    guard::Stage,
    plan::{
        TvmPass,
        ops::OpActionKind,
        simplify::{Simplification, SimplificationKind, SimplifyRefusal},
    },
};
use pipeline::{
    expressions::{self, Editor},
    operations,
};
use syntax::{Edit, Form, Language, LineIndex, TextEdit};
use transform::{
    broken::Broken,
    cse::CseOptions,
    findings::{Finding, FindingKind, FindingKinds, FindingOptions},
};

use crate::{
    cli::{
        Exit,
        args::FixArgs,
        driver::{
            ops::{self, OpKinds, Rules},
            unit::{Failed, Function, with_function},
        },
        input::{
            jobs::{self, Job},
            source::Source,
        },
        io::{self, Io, Styled, Tone},
        output::{
            apply::{Output, apply},
            count, exposure,
            progress::Progress,
        },
        parallel, rules,
    },
    config::Config,
    suggest::did_you_mean,
};

/// The fixes of one file.
pub(crate) struct FileFix {
    pub(crate) source: Source,
    pub(crate) edits: Vec<Edit>,
    pub(crate) n_fixes: usize,
    /// Those of them that others made possible: `check` does not know of them.
    n_later: usize,
    /// Fixes that were not done, and the functions they are in.
    n_left: usize,
    n_left_functions: usize,
    /// Fixes that were not done because the text would say something else.
    n_differing: usize,
    /// Passes of TVM to which the fixes expose something.
    exposed_to: BTreeSet<TvmPass>,
    /// Reports of edits that were dropped because their result breaks a rule.
    pub(crate) notes: Vec<String>,
}

impl FileFix {
    fn new(source: Source) -> FileFix {
        FileFix {
            source,
            edits: Vec::new(),
            n_fixes: 0,
            n_later: 0,
            n_left: 0,
            n_left_functions: 0,
            n_differing: 0,
            exposed_to: BTreeSet::new(),
            notes: Vec::new(),
        }
    }
}

/// The sums over all files.
#[derive(Default)]
struct Totals {
    fixes: usize,
    later: usize,
    files: usize,
    left: usize,
    left_functions: usize,
    differing: usize,
    broken: usize,
    failures: usize,
    exposed_to: BTreeSet<TvmPass>,
}

/// Runs the command.
pub(crate) fn fix(args: &FixArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let selected = select(&args.select)?;
    let languages = ops::languages(&args.cse);
    let jobs::Jobs { jobs, failures } = jobs::find_of(&languages, &args.inputs, io, styled)?;
    for failure in &failures {
        io::message(io.err, styled.err, Tone::Error, failure)?;
    }
    let mut totals = Totals { failures: failures.len(), ..Totals::default() };
    let budget = Budget::new(args.cse.max_fixes);
    // What earlier files leave of the budget is known only after them.
    let n_jobs = match args.cse.max_fixes {
        Some(_) => 1,
        None => parallel::n_jobs(args.inputs.jobs, jobs.len()),
    };
    let progress = Progress::new(jobs.len(), io.err_is_terminal);
    let work = |job: &Job| {
        let options = FixOptions::new(args.cse.options(&job.config), selected, job);
        job.run(|source| {
            let language = ops::language(&job.file.path, &source);
            match language.support().form {
                Form::Expressions => {
                    ops::refuse_for_statements(&args.cse, language)?;
                    plan(&options, source, &budget)
                }
                Form::Operations => {
                    plan_operations(args, &job.config, selected, (source, language), &budget)
                }
            }
        })
    };
    let mut jobs_in_order = jobs.iter();
    parallel::for_each_in_order(&jobs, n_jobs, work, |planned| -> anyhow::Result<()> {
        let job = jobs_in_order.next().expect("there is one result a job");
        let done = planned.and_then(|it| {
            let cannot = || format!("cannot fix {}", job.file.shown);
            apply(Output::of(args.diff), job, &it.source, &it.edits, io, &progress, styled)
                .with_context(cannot)?;
            for note in &it.notes {
                let note = format!("{}: {note}", job.file.shown);
                io::message(io.err, styled.err, Tone::Warning, &note)?;
            }
            totals.add(&it);
            Ok(())
        });
        if let Err(error) = done {
            totals.failures += 1;
            progress.tell(io.err, styled.err, error)?;
        }
        progress.advance();
        Ok(())
    })?;
    drop(progress);
    io.out.flush()?;
    io.err.write_all(summary(&totals, args.diff).as_bytes())?;
    Ok(match totals {
        Totals { failures: 1.., .. } => Exit::Failure,
        Totals { broken: 1.., .. } | Totals { differing: 1.., .. } => Exit::Findings,
        _ => Exit::Success,
    })
}

/// The enabled kinds of simplifications.
type Simplifications = [bool; SimplificationKind::ALL.len()];

/// The selected fixes.
#[derive(Clone, Copy)]
struct Selected {
    common_subexpressions: bool,
    kinds: FindingKinds,
    simplifications: Simplifications,
    operations: OpKinds,
    /// Nothing was named: rules that the settings switch off stay off.
    is_default: bool,
}

/// How one file is fixed.
pub(crate) struct FixOptions {
    cse: CseOptions,
    common_subexpressions: bool,
    findings: FindingOptions,
    simplifications: Simplifications,
    effects: Arc<EffectTable>,
    modules: Arc<dyn Modules + Send + Sync>,
    /// The limit on rounds: a fix may enable another one.
    max_rounds: usize,
}

impl FixOptions {
    fn new(cse: CseOptions, selected: Selected, job: &Job) -> FixOptions {
        let is_on = |it: &FindingKind| !selected.is_default || job.config.levels.get(*it).is_some();
        let kinds = selected.kinds.iter().filter(is_on).collect();
        FixOptions {
            cse,
            common_subexpressions: selected.common_subexpressions,
            findings: FindingOptions { kinds, ..job.config.findings() },
            simplifications: selected.simplifications,
            effects: job.config.dialects.tables().effects.clone(),
            modules: job.modules(),
            max_rounds: 16,
        }
    }

    /// Common subexpressions only, each as one plan has it.
    pub(crate) fn of_cse(cse: CseOptions, job: &Job) -> FixOptions {
        let findings = FindingOptions { kinds: FindingKinds::NONE, ..FindingOptions::default() };
        FixOptions {
            cse,
            common_subexpressions: true,
            findings,
            simplifications: Simplifications::default(),
            effects: job.config.dialects.tables().effects.clone(),
            modules: job.modules(),
            max_rounds: 1,
        }
    }
}

/// The rules to fix: those that are named, else those that are safe to fix unasked.
fn select(names: &[String]) -> anyhow::Result<Selected> {
    if names.is_empty() {
        let kinds = FindingKind::ALL.iter().copied().filter(|it| it.is_fixed_by_default());
        return Ok(Selected {
            common_subexpressions: true,
            kinds: kinds.collect(),
            simplifications: Simplifications::default(),
            operations: [true; OpActionKind::ALL.len()],
            is_default: true,
        });
    }
    let mut selected = Selected {
        common_subexpressions: false,
        kinds: FindingKinds::NONE,
        simplifications: Simplifications::default(),
        operations: OpKinds::default(),
        is_default: false,
    };
    for name in names {
        match rules::find(name) {
            Ok(rule) if rule.is_fixable() => {
                if let Some(kind) = FindingKind::from_name(name) {
                    selected.kinds.insert(kind);
                } else if let Some(kind) = SimplificationKind::from_name(name) {
                    selected.simplifications[kind as usize] = true;
                } else if let Some(kind) = OpActionKind::from_name(name) {
                    selected.operations[kind as usize] = true;
                } else {
                    selected.common_subexpressions = true;
                }
            }
            Ok(_) => {
                let fixable = rules::all().iter().filter(|it| it.is_fixable());
                let fixable: Vec<String> = fixable.map(|it| format!("`{}`", it.name)).collect();
                bail!("`{name}` has no fix; these have: {}", fixable.join(", "));
            }
            Err(near) => bail!("there is no rule `{name}`{}", did_you_mean(&near)),
        }
    }
    Ok(selected)
}

/// The number of fixes that may still be done.
pub(crate) struct Budget(Option<AtomicUsize>);

impl Budget {
    pub(crate) fn new(max: Option<usize>) -> Budget {
        Budget(max.map(AtomicUsize::new))
    }

    /// With a limit, files are worked on one after the other, so no two threads meet here.
    fn left(&self) -> Option<usize> {
        self.0.as_ref().map(|it| it.load(Ordering::Relaxed))
    }

    fn take(&self, n: usize) {
        if let Some(left) = &self.0 {
            left.store(left.load(Ordering::Relaxed).saturating_sub(n), Ordering::Relaxed);
        }
    }
}

/// Plans the fixes of one file: round after round, until nothing is left that could be fixed.
pub(crate) fn plan(
    options: &FixOptions,
    source: Source,
    budget: &Budget,
) -> anyhow::Result<FileFix> {
    let mut fix = FileFix::new(source);
    let mut text = fix.source.text.to_string();
    let mut all = TextEdit::new();
    // Of later rounds only the functions that were changed in the one before; their order stays.
    let mut changed: Option<Vec<usize>> = None;
    let mut notes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let (mut n_first, mut is_open) = (None, false);
    for _ in 0..options.max_rounds {
        let functions = expressions::functions(&syntax::parse(&text), &options.effects)
            .with_modules(options.modules.clone());
        let mut round = Vec::new();
        let mut next = Vec::new();
        for (index, item) in functions.functions.iter().enumerate() {
            let is_left_out = changed.as_ref().is_some_and(|it| it.binary_search(&index).is_err());
            if item.source.kind != FunctionKind::PrimFunc || is_left_out {
                continue;
            }
            let work = |read: Function<'_>| {
                let own = &text[std::ops::Range::<usize>::from(item.range)];
                plan_function(options, (read, own), budget, &mut fix)
            };
            let Round { edits, notes: of_function } =
                with_function(&functions, item, Stage::Planning, work)
                    .unwrap_or_else(Round::failed);
            // Of the last round of a function, which sees what is left.
            notes.insert(index, of_function);
            if !edits.is_empty() {
                next.push(index);
                let start = item.range.start();
                let to_file = |it: Edit| Edit::replace(it.range + start, it.text);
                round.extend(edits.into_edits().into_iter().map(to_file));
            }
        }
        n_first.get_or_insert(fix.n_fixes);
        is_open = !round.is_empty();
        if !is_open {
            break;
        }
        let round = TextEdit::from_edits(round).context("functions inside each other")?;
        all = all.then(&text, &round);
        text = round.apply(&text);
        changed = Some(next);
    }
    // A single round is asked for by those who want no more.
    if is_open && options.max_rounds > 1 {
        fix.notes.push(ops::still_more(options.max_rounds));
    }
    fix.n_later = fix.n_fixes - n_first.unwrap_or_default();
    fix.edits = all.into_edits();
    fix.notes.extend(notes.into_values().flatten());
    Ok(fix)
}

/// The fixes of a file of MLIR or PIR: they are all of the rule about common subexpressions.
fn plan_operations(
    args: &FixArgs,
    config: &Config,
    selected: Selected,
    (source, language): (Source, Language),
    budget: &Budget,
) -> anyhow::Result<FileFix> {
    let dialects = config.dialects.tables();
    let options = ops::options(&args.cse, config, language, false)?;
    if !operations::is_exact(options.preset) {
        bail!(
            "Paddle's rules take constants for equal that were printed with 6 digits; `fix` does not, `opt --preset pir` does"
        );
    }
    let mut fix = FileFix::new(source);
    let n_selected = selected.operations.iter().filter(|it| **it).count();
    if n_selected == 0 {
        return Ok(fix);
    }
    let kinds = (n_selected < OpActionKind::ALL.len()).then_some(selected.operations);
    // Files are worked on side by side already.
    let rules = Rules { options: &options, dialects, kinds, two_threads: false };
    let done = ops::run(&fix.source.text, language, rules, None, budget.left())?;
    budget.take(done.n_actions);
    (fix.n_fixes, fix.n_later) = (done.n_actions, done.n_later);
    fix.n_differing = done.n_differing;
    let lines = LineIndex::new(&fix.source.text);
    let place = |at| fix.source.line_col(&lines, at);
    let notes = done.notes.into_iter().map(|(at, it)| (place(at), it));
    fix.notes = notes.map(|(at, it)| format!("{}:{}: {it}", at.line, at.col)).collect();
    fix.edits = done.edits.unpack().unwrap_or_default().into_edits();
    Ok(fix)
}

/// The fixes of one round in one function.
#[derive(Default)]
struct Round {
    edits: TextEdit,
    /// The reports about fixes that did not survive reading the text back.
    notes: Vec<String>,
}

impl Round {
    /// A panic costs the edits of the function.
    fn failed(failed: Failed) -> Round {
        Round { notes: vec![failed.report], ..Round::default() }
    }

    /// The edits of some kind, if there are any; else the error about them.
    fn of(&mut self, function: &Body, found: &mut CheckedEdits) -> usize {
        if let Some(Mismatch { what, op }) = found.mismatch.take() {
            self.notes.push(Broken::in_text("fix", function, what, op).report());
        }
        self.edits = std::mem::take(&mut found.edit);
        found.n_done()
    }
}

/// The edits of one function in one round: superfluous code is removed first. All were read back.
fn plan_function(
    options: &FixOptions,
    (read, text): (Function<'_>, &str),
    budget: &Budget,
    fix: &mut FileFix,
) -> Round {
    let body = &read.lowered.body;
    let occurrences = Occurrences::collect(body);
    let analyses = &read.analyses(&occurrences);
    let reading = ReadBack::Now;
    let editor = Editor { function: read.read, text, occurrences: &occurrences, reading };
    let mut round = Round::default();
    let n = round.of(body, &mut finding_fixes(options, editor, analyses, budget, fix));
    if n > 0 {
        budget.take(n);
        fix.n_fixes += n;
        return round;
    }
    let mut found = simplifications(options, editor, analyses, budget);
    // That a text would read as something else is counted, and explained as a rule.
    found.mismatch = None;
    let n = round.of(body, &mut found);
    if n > 0 {
        budget.take(n);
        fix.n_fixes += n;
        return round;
    }
    // Of the last round: what is left out in one may be done in the next.
    fix.n_differing += found.n_differing();
    if options.common_subexpressions {
        common_subexpressions(options, editor, analyses, budget, fix, &mut round);
    }
    round
}

/// The edits that share values.
fn common_subexpressions(
    options: &FixOptions,
    editor: Editor<'_>,
    analyses: &Analyses<'_>,
    budget: &Budget,
    fix: &mut FileFix,
    round: &mut Round,
) {
    let options = CseOptions { max_bindings: budget.left(), ..options.cse };
    let plan = editor.function.with_planner(analyses, |it| it.sharing(&options));
    let n = plan.n_fixes();
    if plan.informational {
        fix.n_left += n;
        fix.n_left_functions += usize::from(n > 0);
        return;
    }
    if round.of(analyses.body, &mut editor.share(&plan, Selection::All)) > 0 {
        budget.take(n);
        fix.n_fixes += n;
        fix.exposed_to.extend(plan.exposed_to());
    }
}

/// The edits of findings that can be done together.
fn finding_fixes(
    options: &FixOptions,
    editor: Editor<'_>,
    analyses: &Analyses<'_>,
    budget: &Budget,
    fix: &mut FileFix,
) -> CheckedEdits {
    let map = &editor.function.lowered.source_map;
    let found =
        editor.function.with_planner(analyses, |it| it.findings(&options.findings, &|| None));
    let is_reported = |it: &&Finding| !map.is_allowed(it.kind.name(), it.place);
    let (informing, done): (Vec<&Finding>, Vec<&Finding>) =
        found.iter().filter(is_reported).partition(|it| it.only_informs(analyses.body));
    fix.n_left += informing.len();
    fix.n_left_functions += usize::from(!informing.is_empty());
    editor.fix(done, budget.left().unwrap_or(usize::MAX))
}

/// The edits of the simplifications that are wanted.
fn simplifications(
    options: &FixOptions,
    editor: Editor<'_>,
    analyses: &Analyses<'_>,
    budget: &Budget,
) -> CheckedEdits {
    if options.simplifications == Simplifications::default() {
        return CheckedEdits::default();
    }
    let map = &editor.function.lowered.source_map;
    let plan = editor.function.with_planner(analyses, |it| it.simplifications());
    let is_wanted = |it: &Simplification| {
        options.simplifications[it.kind as usize] && !map.is_allowed(it.kind.name(), it.place)
    };
    // With what they need; the number of fixes that are left counts both.
    let wanted = plan.with_needs_of(is_wanted, budget.left().unwrap_or(usize::MAX));
    editor.simplify(&plan, |at| wanted[at])
}

impl Totals {
    fn add(&mut self, fix: &FileFix) {
        self.fixes += fix.n_fixes;
        self.later += fix.n_later;
        self.files += usize::from(!fix.edits.is_empty());
        self.left += fix.n_left;
        self.left_functions += fix.n_left_functions;
        self.differing += fix.n_differing;
        self.exposed_to.extend(&fix.exposed_to);
        self.broken += fix.notes.len();
    }
}

fn summary(totals: &Totals, is_diff: bool) -> String {
    let (fixes, files) = (count(totals.fixes, "fix"), count(totals.files, "file"));
    let mut out = match (totals.fixes, is_diff) {
        (0, _) => "nothing to fix\n".to_owned(),
        (_, true) => format!("{fixes} in {files}; without `--diff` they are written\n"),
        (_, false) => format!("{fixes} in {files}\n"),
    };
    if totals.later > 0 {
        out.push_str(&format!(
            "{} of them only after others, which `check` does not foresee\n",
            totals.later
        ));
    }
    if totals.left > 0 {
        out.push_str(&format!(
            "{} left out in {} with blocks that can still be scheduled: a new binding can make `compute_inline` or \
             `fuse` fail there; an editor offers them one by one\n",
            count(totals.left, "fix"),
            count(totals.left_functions, "function")
        ));
    }
    if totals.differing > 0 {
        let refusal = SimplifyRefusal::ReadsBackDifferently.name();
        out.push_str(&format!(
            "{} left out because the edited text would mean something else, or lose a comment (`tir-analyzer explain {refusal}`)\n",
            count(totals.differing, "fix")
        ));
    }
    for pass in &totals.exposed_to {
        out.push_str(&exposure(*pass));
        out.push('\n');
    }
    if totals.failures > 0 {
        out.push_str(&format!("{}, see above\n", count(totals.failures, "failure")));
    }
    out
}
