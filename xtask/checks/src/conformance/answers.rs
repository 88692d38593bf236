//! Answers of the analyzer about the expressions of a corpus, proved by z3.
//!
//! Input: functions of a corpus, and generated ones. At each place of each function the analyzer is asked what it knows
//! of the integers and conditions that stand there: bounds, congruences, decisions, overflow, errors, simpler forms,
//! each under both readings of overflow. What it says becomes a claim of the crate `validate`, in bit vectors of the
//! type, and z3 is asked whether the conditions of the place can hold and the claim not. The analyzer's own procedures
//! have no part in that. An equal question is asked once, also by a later run: what the solver said is kept on disk, so
//! that a campaign that was ended goes on where it was. Questions of one function are asked together ([`batches`]);
//! where that proves nothing, one by one.

mod batches;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use arith::{Analyzer, Constraint, ContextId, Interval, Overflow, Simplifier};
use dataflow::{analyses::Analyses, conditions::Conditions};
use ir::{
    Body, BufferOrigin, ExprId, ExprKind, Lanes, Occurrences, Type, effects::EffectTable,
    print::expr_text,
};
use rustc_hash::{FxHashMap, FxHashSet};
use test_utils::Program;
use validate::{Answer, Claim, Claims, Given, Options, Shown, Solver};

use crate::conformance::report::{Report, Target};
use crate::conformance::validate::Asked;
use crate::conformance::{Input, ours, parallel};
use crate::prove_rules::z3;
use crate::skip::Skip;
use crate::workspace::say;

/// Columns of the report.
const KINDS: &[&str] = &["proved", "again", "as terms", "unknown", "no logic", "refuted"];
/// Places of one function that are asked about: a long one says the same again and again.
const MOST_PLACES: usize = 3_000;
/// Nodes of an expression that is asked about.
const MOST_NODES: u32 = 200;
/// Files between two looks at the time, and at least as many generated functions.
const PIECE: usize = 16;
/// Questions that are asked together.
const TOGETHER: usize = 48;
/// Questions that are asked together where more of them were not answered.
const FEW: usize = 8;
/// The limit on a question, and on several that are asked together: almost all need a hundredth of it.
const LIMIT: Duration = Duration::from_millis(500);

/// Changes when equal questions may have other answers.
const VERSION: u32 = 1;

/// A question, by its text, the solver and its limit.
type Key = [u8; 16];

/// The questions that were asked, by all threads and by earlier runs, and their answers. A refutation is not kept.
#[derive(Default)]
struct Known {
    asked: Mutex<AskedBefore>,
    solver: String,
}

#[derive(Default)]
struct AskedBefore {
    answers: FxHashMap<Key, Answer>,
    /// The questions of this run.
    seen: FxHashSet<Key>,
    /// The answers on disk, a line each; none if they cannot be kept.
    kept: Option<File>,
}

impl Known {
    /// Those that are kept in a folder. What cannot be read is asked again.
    fn of(folder: &Path, solver: &str) -> Known {
        let path = folder.join("answers");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let answers = text.lines().filter_map(read_line).collect();
        let opened = std::fs::create_dir_all(folder)
            .and_then(|()| OpenOptions::new().create(true).append(true).open(path));
        let asked = AskedBefore { answers, seen: FxHashSet::default(), kept: opened.ok() };
        Known { asked: Mutex::new(asked), solver: format!("{VERSION} {LIMIT:?} {solver}") }
    }

    fn asked(&self) -> Result<MutexGuard<'_, AskedBefore>, String> {
        self.asked.lock().map_err(|it| it.to_string())
    }

    fn answer(&self, key: &Key) -> Result<Option<Answer>, String> {
        Ok(self.asked()?.answers.get(key).cloned())
    }

    /// Returns true if this run asks the question for the first time.
    fn is_new(&self, key: &Key) -> Result<bool, String> {
        Ok(self.asked()?.seen.insert(*key))
    }

    fn keep(&self, key: &Key, answer: &Answer) -> Result<(), String> {
        let mut asked = self.asked()?;
        let is_first = asked.answers.insert(*key, answer.clone()).is_none();
        if is_first
            && let Some(line) = line(key, answer)
            && let Some(file) = &mut asked.kept
        {
            // An answer that is not kept is found again.
            let _ = file.write_all(line.as_bytes());
        }
        Ok(())
    }

    fn key(&self, script: &str) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.solver.as_bytes());
        hasher.update(&[0]);
        hasher.update(script.as_bytes());
        let mut key = Key::default();
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key
    }
}

/// A line of the answers on disk.
fn line(key: &Key, answer: &Answer) -> Option<String> {
    let letter = match answer {
        Answer::Unsatisfiable => 'u',
        Answer::Unknown => '?',
        Answer::Satisfiable(_) => return None,
    };
    Some(format!("{:032x} {letter}\n", u128::from_be_bytes(*key)))
}

fn read_line(line: &str) -> Option<(Key, Answer)> {
    let (key, letter) = line.split_once(' ')?;
    let key = (key.len() == 32).then(|| u128::from_str_radix(key, 16).ok()).flatten()?;
    let answer = match letter {
        "u" => Answer::Unsatisfiable,
        "?" => Answer::Unknown,
        _ => return None,
    };
    Some((key.to_be_bytes(), answer))
}

/// Answers with what is known, and lists what is not.
struct Lists<'a> {
    known: &'a Known,
    open: Vec<(Key, String)>,
    listed: FxHashSet<Key>,
}

impl Solver for Lists<'_> {
    fn check(&mut self, script: &str, _: &[String]) -> Result<Answer, String> {
        let key = self.known.key(script);
        if let Some(answer) = self.known.answer(&key)? {
            return Ok(answer);
        }
        if batches::is_joinable(script) && self.listed.insert(key) {
            self.open.push((key, script.to_owned()));
        }
        Ok(Answer::Unknown)
    }
}

/// Asks many questions together, and fewer of them where that proves nothing. What is left is asked alone later.
fn ask_together(known: &Known, solver: &mut Asked, open: &[(Key, String)]) -> Result<(), String> {
    let mut parts: Vec<&[(Key, String)]> = open.chunks(TOGETHER).rev().collect();
    while let Some(part) = parts.pop() {
        let scripts: Vec<&str> = part.iter().map(|it| &*it.1).collect();
        let joined = batches::joined(&scripts);
        let script = format!("{}{joined}", batches::logic(&joined));
        if solver.check_within(&script, &[], LIMIT)? == Answer::Unsatisfiable {
            for (key, _) in part {
                known.keep(key, &Answer::Unsatisfiable)?;
            }
        } else if part.len() > FEW {
            parts.extend(part.chunks(FEW).rev());
        }
    }
    Ok(())
}

/// The solver, which asks no question twice.
struct Once<'a> {
    solver: &'a mut Asked,
    known: &'a Known,
    /// True if the last question was new in this run.
    is_new: &'a Cell<bool>,
}

impl Solver for Once<'_> {
    fn check(&mut self, script: &str, wanted: &[String]) -> Result<Answer, String> {
        let key = self.known.key(script);
        self.is_new.set(self.known.is_new(&key)?);
        if let Some(answer) = self.known.answer(&key)? {
            return Ok(answer);
        }
        let logic = if batches::is_joinable(script) { batches::logic(script) } else { "" };
        let script = format!("{logic}{script}");
        let answer = self.solver.check_within(&script, wanted, LIMIT)?;
        self.known.keep(&key, &answer)?;
        Ok(answer)
    }
}

/// A claim of the analyzer, and where.
struct Question {
    context: ContextId,
    reading: Overflow,
    kind: &'static str,
    claim: Claim,
}

/// The verdicts on the claims of one function: how many by kind of claim and verdict, and what is worth a line.
#[derive(Default)]
struct Verdicts {
    counts: BTreeMap<(&'static str, &'static str), usize>,
    lines: Vec<(&'static str, String)>,
}

/// Asks about the functions of the files, and about generated ones.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let version = z3::find()?;
    let mut report = Report::new("Answers of the analyzer about expressions, proved", KINDS);
    report.note(version.clone());
    let known = Known::of(&input.ws.target().join("answers"), &version);
    let of_text = |label: &str, text: &str| -> Vec<(String, Verdicts)> {
        let functions = ours::read(text).functions.into_iter();
        functions
            .map(|it| {
                let name = format!("{label}:{}", it.name);
                let verdicts = of_body(&it.lowered.body, &known);
                // A campaign may be ended before its report.
                for (_, line) in verdicts.lines.iter().filter(|it| it.0 == "refuted") {
                    say(format_args!("refuted: {name}: {line}"));
                }
                (name, verdicts)
            })
            .collect()
    };
    let begun = Instant::now();
    let is_over = || input.seconds.is_some_and(|it| begun.elapsed() >= Duration::from_secs(it));
    let (number, first) = input.generated;
    let seeds: Vec<u64> = match input.filter {
        Some(_) => Vec::new(),
        None => (first..first + number).collect(),
    };
    let (mut n_files, mut n_seeds) = (0, 0);
    let mut all = Vec::new();
    // Both kinds from the beginning: a campaign that ends early has asked about each.
    let pieces = input.files.len().div_ceil(PIECE).max(1);
    let share = seeds.len().div_ceil(pieces).max(PIECE);
    let (mut files, mut shares) = (input.files.chunks(PIECE), seeds.chunks(share));
    while !is_over() {
        let (some_files, some_seeds) = (files.next(), shares.next());
        if some_files.is_none() && some_seeds.is_none() {
            break;
        }
        let (some_files, some_seeds) =
            (some_files.unwrap_or_default(), some_seeds.unwrap_or_default());
        n_files += some_files.len();
        all.extend(parallel(some_files, |file| of_text(&file.label(), &file.text)));
        n_seeds += some_seeds.len();
        let text = |seed| Program::random(seed).text();
        all.extend(parallel(some_seeds, |&seed| of_text(&format!("seed {seed}"), &text(seed))));
    }
    report.note(format!(
        "{n_files} of {} files, {n_seeds} of {} generated functions",
        input.files.len(),
        seeds.len()
    ));
    for (name, verdicts) in all.into_iter().flatten() {
        for ((claim, verdict), number) in verdicts.counts {
            report.add(claim, verdict, number);
        }
        for (verdict, line) in verdicts.lines {
            match verdict {
                "refuted" => report.list(0, "refuted", format!("{name}: {line}")),
                "no logic" => report.tally(0, "without a meaning in the logic", line, 1),
                _ => report.list(1, "not known", format!("{name}: {line}")),
            }
        }
    }
    let (proved, refuted) = (report.total("proved"), report.total("refuted"));
    let asked = proved + refuted + report.total("unknown");
    report.note(format!("{asked} distinct questions to the solver"));
    let what = "distinct answers of the analyzer that no value refutes";
    report.target(Target { what, least: 100.0 }, asked - refuted, asked);
    let what = "distinct answers of the analyzer that are proved";
    report.target(Target { what, least: 95.0 }, proved, asked);
    Ok(report)
}

/// Judges all that the analyzer says of the expressions of a function.
fn of_body(body: &Body, known: &Known) -> Verdicts {
    let mut verdicts = Verdicts::default();
    if transform::broken::readable(body).is_err() || body.dialect.is_of_operations() {
        return verdicts;
    }
    let effects = EffectTable::builtin();
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, effects);
    let mut simplifier = Simplifier::with_effects(body, effects);
    let conditions = analyses.conditions(simplifier.analyzer());
    let questions = questions(body, &analyses, &conditions, &mut simplifier);
    let chains: Vec<Option<Vec<Given>>> =
        questions.iter().map(|it| givens(simplifier.analyzer(), body, it.context)).collect();
    let body = simplifier.into_body();
    let options = Options::default();
    let mut solver = Asked::default();
    let mut lists = Lists { known, open: Vec::new(), listed: FxHashSet::default() };
    judge(&body, &mut lists, &options, &questions, &chains, &mut |_, _, _| {});
    // What is not answered together is asked alone, and told then.
    let _ = ask_together(known, &mut solver, &lists.open);
    let is_new = Cell::new(false);
    let mut once = Once { solver: &mut solver, known, is_new: &is_new };
    judge(&body, &mut once, &options, &questions, &chains, &mut |question, chain, shown| {
        let is_new = is_new.replace(false);
        let verdict = match &shown {
            Shown::Follows { asked: false } => "as terms",
            Shown::Open(reason) if !reason.starts_with("the solver") => "no logic",
            _ if !is_new => "again",
            Shown::Follows { .. } => "proved",
            Shown::Refuted => "refuted",
            Shown::Open(_) => "unknown",
        };
        *verdicts.counts.entry((question.kind, verdict)).or_default() += 1;
        match (verdict, shown) {
            ("refuted", _) => verdicts.lines.push((verdict, described(&body, question, chain))),
            ("unknown", _) => verdicts.lines.push((verdict, described(&body, question, chain))),
            ("no logic", Shown::Open(reason)) => verdicts.lines.push((verdict, reason)),
            _ => {}
        }
    });
    verdicts
}

/// Judges the claims one after the other with a solver.
fn judge(
    body: &Body,
    solver: &mut dyn Solver,
    options: &Options,
    questions: &[Question],
    chains: &[Option<Vec<Given>>],
    tell: &mut dyn FnMut(&Question, &[Given], Shown),
) {
    let mut claims = Claims::new(body, EffectTable::builtin(), solver, options);
    for (question, chain) in questions.iter().zip(chains) {
        let Some(chain) = chain else { continue };
        // Each question begins anew, so that equal ones have one text.
        let shown = match claims.enter(chain, question.reading == Overflow::Excluded) {
            Ok(()) => claims.judge(question.claim),
            Err(reason) => Shown::Open(reason),
        };
        tell(question, chain, shown);
    }
}

/// The claims that follow from what the analyzer says at the places of a function.
fn questions(
    body: &Body,
    analyses: &Analyses<'_>,
    conditions: &Conditions,
    simplifier: &mut Simplifier<'_>,
) -> Vec<Question> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let flow = analyses.flow();
    for (id, occurrence) in analyses.occurrences.iter() {
        let expr = occurrence.expr;
        let node = body.expr(expr);
        let is_leaf = matches!(node.kind, ExprKind::Int(_) | ExprKind::Value(_));
        if is_leaf || node.size > MOST_NODES || !is_number(node.ty) {
            continue;
        }
        let context = conditions.at(&flow, id);
        if !seen.insert((context, expr)) {
            continue;
        }
        if seen.len() > MOST_PLACES {
            break;
        }
        for reading in [Overflow::Wraps, Overflow::Excluded] {
            ask(body, simplifier, context, expr, reading, &mut found);
        }
    }
    found
}

/// Adds what the analyzer says of one expression.
fn ask(
    body: &Body,
    simplifier: &mut Simplifier<'_>,
    context: ContextId,
    expr: ExprId,
    reading: Overflow,
    found: &mut Vec<Question>,
) {
    let wraps = reading == Overflow::Wraps;
    let mut add = |kind: [&'static str; 2], claim| {
        let kind = kind[usize::from(!wraps)];
        found.push(Question { context, reading, kind, claim });
    };
    let analyzer = simplifier.analyzer();
    let facts = analyzer.facts_with(reading, context, expr);
    let is_bool = body.ty(expr).is_bool();
    let whole = match body.dtype(expr) {
        Some(dtype) if !is_bool => Interval::of_type(dtype),
        _ => Interval::BOOL,
    };
    if !whole.is_within(facts.interval) {
        let Interval { min: least, max: most } = facts.interval;
        add(["bounds", "bounds, no overflow"], Claim::Within { expr, least, most });
    }
    if facts.modular.coeff > 1 {
        let (modulus, remainder) = (facts.modular.coeff, facts.modular.base);
        let claim = Claim::Congruent { expr, modulus, remainder };
        add(["congruence", "congruence, no overflow"], claim);
    }
    if is_bool && let Some(holds) = analyzer.decide_with(reading, context, expr) {
        add(["decision", "decision, no overflow"], Claim::Decided { cond: expr, holds });
    }
    if wraps && analyzer.no_overflow(context, expr) {
        add(["no overflow"; 2], Claim::NoOverflow(expr));
    }
    if wraps && analyzer.cannot_trap(context, expr) {
        add(["no error"; 2], Claim::NoError(expr));
    }
    let simpler = simplifier.simplify(context, expr, reading);
    if simpler != expr {
        add(["simpler", "simpler, no overflow"], Claim::Equal(expr, simpler));
    }
}

fn is_number(ty: Type) -> bool {
    ty.prim().is_some_and(|it| {
        it.lanes == Lanes::Fixed(1) && (it.is_bool() || (it.is_integer() && it.bits <= 64))
    })
}

/// The facts of a context, outermost first; none inside of a binder, whose variable is no value.
fn givens(analyzer: &Analyzer<'_>, body: &Body, context: ContextId) -> Option<Vec<Given>> {
    let mut givens = Vec::new();
    let mut at = Some(context);
    while let Some(context) = at {
        match analyzer.constraint(context) {
            Constraint::Assume { cond, holds } => givens.push(Given::Condition { cond, holds }),
            Constraint::Range { var, min, extent, step } => {
                givens.push(Given::Range { var, min, extent, step });
            }
            Constraint::Define { var, value } => givens.push(Given::Definition { var, value }),
            Constraint::AtLeast { expr, least } => givens.push(Given::AtLeast { expr, least }),
            Constraint::Shape { buffer } => givens.push(Given::Extents(buffer)),
            Constraint::Signature => {
                let buffers = body.params.iter().filter_map(|it| it.buffer);
                let given = buffers.filter(|&it| body.buffers[it].origin == BufferOrigin::Param);
                givens.extend(given.map(Given::Extents));
            }
            Constraint::Binder { .. } => return None,
        }
        at = analyzer.parent(context);
    }
    givens.reverse();
    Some(givens)
}

/// A claim and its place as a line.
fn described(body: &Body, question: &Question, chain: &[Given]) -> String {
    let text = |it| expr_text(body, it);
    let claim = match question.claim {
        Claim::Within { expr, least, most } => format!("{} in {least} ..= {most}", text(expr)),
        Claim::Congruent { expr, modulus, remainder } => {
            format!("{} is {remainder} modulo {modulus}", text(expr))
        }
        Claim::Decided { cond, holds } => format!("{} is {holds}", text(cond)),
        Claim::NoOverflow(expr) | Claim::NoError(expr) => text(expr),
        Claim::Equal(before, after) => format!("{} = {}", text(before), text(after)),
    };
    let name = |var: ir::ValueId| body.name(body.values[var].name);
    let given: Vec<String> = chain
        .iter()
        .filter_map(|given| match *given {
            Given::Condition { cond, holds: true } => Some(text(cond)),
            Given::Condition { cond, holds: false } => Some(format!("not {}", text(cond))),
            Given::Range { var, min, extent, .. } => {
                let min = min.map_or_else(|| "0".to_owned(), text);
                Some(format!("{} from {min}, {} values", name(var), text(extent)))
            }
            Given::Definition { var, value } => Some(format!("{} = {}", name(var), text(value))),
            Given::AtLeast { expr, least } => Some(format!("{} >= {least}", text(expr))),
            Given::Extents(_) => None,
        })
        .collect();
    format!("{}: {claim} where {}", question.kind, given.join(", "))
}
