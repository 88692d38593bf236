//! `report`: the values that a codebase computes more than once, and its equal functions.
//!
//! In: files. Out: the savings of all plans by function, ranked by the share of the function's operations that they
//! are; functions and expressions that are equal up to names, in all places; and the number of refused groups by
//! reason. As text, as JSON, or as one HTML page with a chart.
//!
//! A saving is cost × evaluations: those of all uses less that of the binding. Loops count with their extents; an
//! extent that is not a constant is taken as [`executions::SYMBOLIC`], and such a saving is marked: a share depends
//! much less on that guess than a number of operations, as the guess is in both of its parts. Files are read one by
//! one, at most a few at once; one record a group, a function and a larger expression of each is kept.

mod executions;
mod html;
mod json;
mod text;

use std::collections::BTreeMap;

use frontend::tvmscript::FunctionKind;
use ide::CseOptions;
use ir::{
    Body, OccurrenceId, Occurrences,
    effects::EffectTable,
    fingerprint::{self, Fingerprint},
    guard::Stage,
    plan::{CseGroup, CsePlan, Decision},
};
use syntax::{LineIndex, TextRange, TextSize};

use self::executions::Executions;
use crate::cli::{
    Exit,
    args::{Format, ReportArgs},
    driver::{
        ops,
        unit::{Function, functions, with_function},
    },
    input::{
        jobs::{self, Job},
        source::Source,
    },
    io::{self, Io, Styled, Tone},
    output::{progress::Progress, write},
    parallel,
};

/// Expressions of fewer nodes are not compared between functions.
const MIN_NODES: u32 = 5;
/// Expressions are shown up to this many characters.
const MAX_TEXT: usize = 100;

/// A place as users count: from 1, columns in characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Spot {
    path: String,
    line: u32,
    column: u32,
    function: String,
}

/// The savings of one group of a plan.
#[derive(Clone, Debug)]
struct Saving {
    at: Spot,
    expression: String,
    /// The name that holds the value.
    name: String,
    /// True if a binding of the user is reused.
    is_reuse: bool,
    /// Blocks of the function can still be scheduled: `fix` leaves it alone.
    is_informational: bool,
    /// Operations of one evaluation.
    cost: u32,
    /// Evaluations that one run of the function does not need.
    evaluations: f64,
    /// True if an extent had to be guessed.
    is_estimated: bool,
}

/// The savings of one function.
#[derive(Clone, Debug)]
struct FunctionSavings {
    at: Spot,
    /// Operations of one call, as it is.
    total: f64,
    /// Operations of one call after the plan: what savings have in common is saved once.
    after: f64,
    /// Largest first.
    savings: Vec<Saving>,
}

impl FunctionSavings {
    /// The part of the operations of a call that these are, at most 1.
    fn share_of(&self, operations: f64) -> f64 {
        if self.total > 0.0 { (operations / self.total).min(1.0) } else { 0.0 }
    }

    /// The part of its operations that all savings together are.
    fn share(&self) -> f64 {
        self.share_of((self.total - self.after).max(0.0))
    }

    fn is_estimated(&self) -> bool {
        self.savings.iter().any(|it| it.is_estimated)
    }
}

impl Saving {
    /// Operations that a run saves.
    fn total(&self) -> f64 {
        f64::from(self.cost) * self.evaluations
    }
}

/// Something that is in several places.
#[derive(Clone, Debug)]
struct Twin {
    /// Text of the expression, or names of the function.
    what: String,
    /// Nodes of the expression; 0 for functions.
    size: u32,
    places: Vec<Spot>,
}

/// The figures of one file.
#[derive(Default)]
struct FileReport {
    /// Functions of which nothing is known, for a mistake of ours.
    failed: Vec<String>,
    n_functions: usize,
    savings: Vec<FunctionSavings>,
    refused: BTreeMap<&'static str, usize>,
    functions: Vec<(Fingerprint, Spot)>,
    /// One place a function.
    expressions: Vec<(Fingerprint, Spot, String, u32)>,
}

/// The figures of a codebase.
#[derive(Default)]
struct Overview {
    n_files: usize,
    n_functions: usize,
    /// Those with something to save, the largest share first.
    savings: Vec<FunctionSavings>,
    /// Most places first.
    functions: Vec<Twin>,
    /// Largest × places first.
    expressions: Vec<Twin>,
    /// Groups by the reason why nothing is done.
    refused: Vec<(&'static str, usize)>,
}

/// Runs the command.
pub(crate) fn report(args: &ReportArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let jobs::Jobs { jobs, failures } = jobs::find(&args.inputs, io, styled)?;
    for failure in &failures {
        io::message(io.err, styled.err, Tone::Error, failure)?;
    }
    let (mut n_failures, mut broken) = (failures.len(), Vec::new());
    let progress = Progress::new(jobs.len(), io.err_is_terminal);
    let n_jobs = parallel::n_jobs(args.inputs.jobs, jobs.len());
    let work = |job: &Job| {
        job.run(|source| {
            ops::refuse_operations(job, &source, "report")?;
            Ok(read(job, args.cse.options(&job.config), &source))
        })
    };
    let mut files = Vec::new();
    parallel::for_each_in_order(&jobs, n_jobs, work, |result| -> anyhow::Result<()> {
        match result {
            Ok(mut file) => {
                broken.append(&mut file.failed);
                files.push(file);
            }
            Err(error) => {
                n_failures += 1;
                progress.tell(io.err, styled.err, error)?;
            }
        }
        progress.advance();
        Ok(())
    })?;
    drop(progress);
    for report in &broken {
        io::message(io.err, styled.err, Tone::Warning, report)?;
    }
    let overview = Overview::of(files);
    if let Some(path) = &args.html {
        let page = html::page(&overview, args.limit.unwrap_or(text::SHOWN));
        let path = io.resolve(path);
        write::create(&path, &path.display().to_string(), page.as_bytes(), io)?;
    }
    let out = match args.format {
        Format::Text => text::report(&overview, args.limit.unwrap_or(text::SHOWN)),
        Format::Json => json::report(&overview, args.limit.unwrap_or(usize::MAX)),
    };
    io.out.write_all(out.as_bytes())?;
    Ok(match (n_failures, broken.len()) {
        (1.., _) => Exit::Failure,
        (_, 1..) => Exit::Findings,
        _ => Exit::Success,
    })
}

// ---- one file ----

fn read(job: &Job, options: CseOptions, source: &Source) -> FileReport {
    let shown = &job.file.shown;
    let functions = functions(source, job);
    let lines = LineIndex::new(&source.text);
    let mut report = FileReport::default();
    for item in &functions.functions {
        if item.source.kind != FunctionKind::PrimFunc {
            continue;
        }
        report.n_functions += 1;
        let work = |function: Function<'_>| {
            let mut of_function = FileReport::default();
            let reader = Reader { shown, source, lines: &lines, function };
            reader.function(options, &mut of_function);
            of_function
        };
        match with_function(&functions, item, Stage::Planning, work) {
            Ok(of_function) => report.add(of_function),
            Err(failed) => report.failed.push(failed.located(shown, source, &lines)),
        }
    }
    report
}

impl FileReport {
    fn add(&mut self, function: FileReport) {
        self.savings.extend(function.savings);
        for (reason, n) in function.refused {
            *self.refused.entry(reason).or_default() += n;
        }
        self.functions.extend(function.functions);
        self.expressions.extend(function.expressions);
    }
}

struct Reader<'a> {
    shown: &'a str,
    source: &'a Source,
    lines: &'a LineIndex,
    function: Function<'a>,
}

impl Reader<'_> {
    fn function(&self, options: CseOptions, report: &mut FileReport) {
        let body = &self.function.lowered.body;
        let occurrences = Occurrences::collect(body);
        let map = &self.function.lowered.source_map;
        let analyses = self.function.analyses(&occurrences);
        let plan = self.function.with_planner(&analyses, |it| it.sharing(&options));
        let executions = Executions::of(body);
        let mut savings = Vec::new();
        for group in &plan.groups {
            match &group.decision {
                Decision::Refuse(refusal) => {
                    *report.refused.entry(refusal.name()).or_default() += 1;
                }
                Decision::Covered { .. } => {}
                Decision::Bind(_) | Decision::Reuse(_) | Decision::Insert(_) => {
                    savings.extend(self.saving(&plan, group, &occurrences, &executions));
                }
            }
        }
        if !savings.is_empty() {
            savings.sort_by(|a, b| b.total().total_cmp(&a.total()).then_with(|| a.at.cmp(&b.at)));
            let after = transform::cse::rewrite(body, &occurrences, &plan);
            report.savings.push(FunctionSavings {
                at: self.spot(self.function.item.source.name_range.start()),
                total: operations(body, &occurrences, &executions, analyses.effects),
                after: operations(
                    &after,
                    &Occurrences::collect(&after),
                    &Executions::of(&after),
                    analyses.effects,
                ),
                savings,
            });
        }
        if let Some(fingerprint) = fingerprint::of_function(body) {
            let at = self.spot(self.function.item.source.name_range.start());
            report.functions.push((fingerprint, at));
        }
        for (occurrence, fingerprint) in fingerprint::of_operands(body, &occurrences, MIN_NODES) {
            if map.is_real(occurrence) {
                let range = map.occurrence_range(occurrence);
                let size = body.expr(occurrences[occurrence].expr).size;
                let at = self.spot(range.start());
                report.expressions.push((fingerprint, at, self.text(range), size));
            }
        }
    }

    fn saving(
        &self,
        plan: &CsePlan,
        group: &CseGroup,
        occurrences: &Occurrences,
        executions: &Executions,
    ) -> Option<Saving> {
        let body = &self.function.lowered.body;
        let map = &self.function.lowered.source_map;
        let (served, bound, name): (&[OccurrenceId], _, _) = match &group.decision {
            Decision::Bind(binding) => {
                let binding = &plan.bindings[*binding];
                (&group.occurrences, Some(binding.before), binding.name.to_string())
            }
            Decision::Reuse(reuse) => {
                let name = reuse.name(body).to_owned();
                (&reuse.replaces, None, name)
            }
            // Each path computes it once; the uses are what is saved.
            Decision::Insert(cell) => {
                let cell = &plan.cells[*cell];
                let n_computed = cell.stores.iter().filter(|it| !it.at.is_inserted()).count();
                (&cell.replaces[n_computed.min(cell.replaces.len())..], None, cell.name.to_string())
            }
            _ => return None,
        };
        let first = served.iter().copied().find(|&it| map.is_real(it))?;
        let mut evaluations = 0.0;
        let mut is_estimated = false;
        for &it in served {
            let (n, guessed) = executions.of_op(occurrences[it].op);
            evaluations += n;
            is_estimated |= guessed;
        }
        if let Some(op) = bound {
            let (n, guessed) = executions.of_op(op);
            evaluations -= n;
            is_estimated |= guessed;
        }
        Some(Saving {
            at: self.spot(map.occurrence_range(first).start()),
            expression: self.text(map.occurrence_range(first)),
            name,
            is_reuse: matches!(group.decision, Decision::Reuse(_)),
            is_informational: plan.informational,
            cost: group.cost,
            evaluations: evaluations.max(0.0),
            is_estimated,
        })
    }

    fn spot(&self, in_function: TextSize) -> Spot {
        let at = self.source.line_col(self.lines, self.function.item.range.start() + in_function);
        Spot {
            path: self.shown.to_owned(),
            line: at.line,
            column: at.col,
            function: self.function.item.source.name.to_string(),
        }
    }

    /// The text of a range on one line, cut where it is long.
    fn text(&self, range: TextRange) -> String {
        let range = std::ops::Range::<usize>::from(range + self.function.item.range.start());
        let text = self.source.text.get(range).unwrap_or_default();
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        ide::shortened(&line, MAX_TEXT)
    }
}

/// Operations of one call of a function, by the cost of each.
fn operations(
    body: &Body,
    occurrences: &Occurrences,
    executions: &Executions,
    effects: &EffectTable,
) -> f64 {
    let own = occurrences
        .iter()
        .map(|(_, it)| f64::from(effects.own_cost(body, it.expr)) * executions.of_op(it.op).0);
    own.sum()
}

// ---- all files ----

impl Overview {
    fn of(files: Vec<FileReport>) -> Overview {
        let mut overview = Overview { n_files: files.len(), ..Overview::default() };
        let mut refused: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut functions: BTreeMap<Fingerprint, Twin> = BTreeMap::new();
        let mut expressions: BTreeMap<Fingerprint, Twin> = BTreeMap::new();
        for file in files {
            overview.n_functions += file.n_functions;
            overview.savings.extend(file.savings);
            for (reason, n) in file.refused {
                *refused.entry(reason).or_default() += n;
            }
            for (fingerprint, at) in file.functions {
                let new = || Twin { what: at.function.clone(), size: 0, places: Vec::new() };
                functions.entry(fingerprint).or_insert_with(new).places.push(at.clone());
            }
            for (fingerprint, at, text, size) in file.expressions {
                let new = || Twin { what: text.clone(), size, places: Vec::new() };
                let twin = expressions.entry(fingerprint).or_insert_with(new);
                let same_function = |it: &Spot| it.path == at.path && it.function == at.function;
                // The plan speaks of what one function has twice.
                if !twin.places.last().is_some_and(same_function) {
                    twin.places.push(at);
                }
            }
        }
        overview
            .savings
            .sort_by(|a, b| b.share().total_cmp(&a.share()).then_with(|| a.at.cmp(&b.at)));
        overview.functions = twins(functions, |it| it.places.len());
        overview.expressions = twins(expressions, |it| it.size as usize * (it.places.len() - 1));
        overview.refused = refused.into_iter().collect();
        overview.refused.sort_by_key(|it| (std::cmp::Reverse(it.1), it.0));
        overview
    }
}

/// Returns the items with several places, the largest first.
fn twins(all: BTreeMap<Fingerprint, Twin>, weight: impl Fn(&Twin) -> usize) -> Vec<Twin> {
    let mut twins: Vec<Twin> = all.into_values().filter(|it| it.places.len() > 1).collect();
    twins.iter_mut().for_each(|it| it.places.sort());
    twins.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.places[0].cmp(&b.places[0])));
    twins
}
