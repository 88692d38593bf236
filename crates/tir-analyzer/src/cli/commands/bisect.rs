//! `bisect`: finds the one fix that changes the verdict of a command about a file.
//!
//! In: a file and a command. The command is run on copies of the file with the first N fixes done, N by binary search,
//! like `git bisect run`: exit code 0 is good, 125 means no answer, all else is bad. Out: the first fix with which it
//! is bad, with place and explanation. The copy is in a folder of its own, which is gone afterwards, also after Ctrl-C;
//! with `--in-place` the file itself is changed for each run and put back.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, anyhow, bail};
use frontend::tvmscript::{FunctionKind, Lowered};
use ide::CseOptions;
use ir::{
    OccurrenceId, Occurrences,
    guard::Stage,
    plan::{CseGroup, CsePlan},
};
use syntax::{LineIndex, TextRange, TextSize};

use crate::cli::{
    Exit,
    args::{AnswerFormat, BisectArgs},
    commands::{
        explain,
        fix::{self, Budget, FixOptions},
    },
    driver::{
        ops,
        unit::{Function, functions, with_function},
    },
    input::{
        jobs::{self, Job},
        source::Source,
    },
    interrupt::OnExit,
    io::{self, Io, Styled, Tone},
    output::{count, progress::Progress, write},
};

/// The verdict of the command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Good,
    Bad,
    Unknown,
}

/// Exit code for "cannot say".
const SKIP: i32 = 125;

/// Runs the command.
pub(crate) fn bisect(args: &BisectArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let job = jobs::file(&args.file, io, styled)?;
    let options = args.cse.options(&job.config);
    let shown = job.file.shown.clone();
    let source = job.run(Ok)?;
    ops::refuse_operations(&job, &source, "bisect")?;
    let progress = Progress::new(1, io.err_is_terminal);
    let (n_fixes, notes) = all_fixes(options, &job, &source, args.cse.max_fixes)?;
    drop(progress);
    for note in &notes {
        io::message(io.err, styled.err, Tone::Warning, note)?;
    }
    if n_fixes == 0 {
        writeln!(io.err, "nothing to fix in {shown}")?;
        return Ok(if notes.is_empty() { Exit::Success } else { Exit::Findings });
    }
    let runner = Runner::new(args, &job.file.path, &shown, &source, io)?;
    let mut search = Search { runner, options, job: &job, source: &source, total: n_fixes, io };
    let found = search.run()?;
    drop(search);
    match found {
        Found::One(n) => {
            let text = describe(&job, options, &source, n, n_fixes, styled)?;
            io.out.write_all(text.as_bytes())?;
            Ok(Exit::Success)
        }
        Found::Among(first, last) => {
            writeln!(
                io.out,
                "the command cannot say which of the fixes {first} to {last} of {} it is",
                n_fixes
            )?;
            Ok(Exit::Findings)
        }
        Found::Nothing => {
            writeln!(io.out, "the command is content with {} of {shown}", count(n_fixes, "fix"))?;
            Ok(Exit::Findings)
        }
        Found::Always => {
            bail!("the command is not content with {shown} as it is, so no fix is to blame")
        }
    }
}

enum Found {
    One(usize),
    Among(usize, usize),
    Nothing,
    Always,
}

struct Search<'a, 'io> {
    runner: Runner,
    options: CseOptions,
    job: &'a Job,
    source: &'a Source,
    total: usize,
    io: &'a mut Io<'io>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> anyhow::Result<Found> {
        match self.verdict(0)? {
            Verdict::Bad => return Ok(Found::Always),
            Verdict::Unknown => {
                bail!("the command says nothing of the file as it is (exit code {SKIP})")
            }
            Verdict::Good => {}
        }
        match self.verdict(self.total)? {
            Verdict::Good => return Ok(Found::Nothing),
            Verdict::Unknown => {
                bail!("the command says nothing of the file with all fixes (exit code {SKIP})")
            }
            Verdict::Bad => {}
        }
        let (mut good, mut bad) = (0, self.total);
        if bad - good > 1 {
            let n = count((bad - good - 1).ilog2() as usize + 1, "more run");
            writeln!(
                self.io.err,
                "{n} will tell which fix it is, if the command can say each time"
            )?;
        }
        let mut skipped = vec![false; self.total + 1];
        while bad - good > 1 {
            // The nearest to the middle that was not skipped.
            let middle = good + (bad - good) / 2;
            let nearest = (good + 1..bad)
                .filter(|&it| !skipped[it])
                .min_by_key(|&it| (it.abs_diff(middle), it));
            let Some(at) = nearest else { return Ok(Found::Among(good + 1, bad)) };
            match self.verdict(at)? {
                Verdict::Good => good = at,
                Verdict::Bad => bad = at,
                Verdict::Unknown => skipped[at] = true,
            }
        }
        Ok(Found::One(bad))
    }

    fn verdict(&mut self, n: usize) -> anyhow::Result<Verdict> {
        // The command says itself how far it is.
        let progress = Progress::new(1, self.io.err_is_terminal);
        let (bytes, _) = fixed(self.options, self.job, self.source, Some(n))?;
        drop(progress);
        let verdict = self.runner.run(&bytes)?;
        let word = match verdict {
            Verdict::Good => "good",
            Verdict::Bad => "bad",
            Verdict::Unknown => "skipped",
        };
        writeln!(self.io.err, "first {n} of {}: {word}", self.total)?;
        Ok(verdict)
    }
}

/// The file with the first so many fixes done, and how many that are.
fn fixed(
    options: CseOptions,
    job: &Job,
    source: &Source,
    max: Option<usize>,
) -> anyhow::Result<(Vec<u8>, usize)> {
    let copy = Source::new(source.bytes().to_vec())?;
    let options = FixOptions::of_cse(options, job);
    let fix = fix::plan(&options, copy, &Budget::new(max))?;
    Ok((fix.source.edited(&fix.edits)?, fix.n_fixes))
}

/// The number of fixes, and the parts left out because of a mistake of ours.
fn all_fixes(
    options: CseOptions,
    job: &Job,
    source: &Source,
    max: Option<usize>,
) -> anyhow::Result<(usize, Vec<String>)> {
    let copy = Source::new(source.bytes().to_vec())?;
    let options = FixOptions::of_cse(options, job);
    let fix = fix::plan(&options, copy, &Budget::new(max))?;
    Ok((fix.n_fixes, fix.notes))
}

/// Runs the command on texts of the file.
struct Runner {
    command: Vec<String>,
    folder: PathBuf,
    /// The file that is changed for each run.
    path: PathBuf,
    /// The current contents, if it is the user's own.
    own: Option<(Vec<u8>, String)>,
    /// Removes the copy, or puts the file back.
    _cleanup: OnExit,
}

impl Runner {
    fn new(
        args: &BisectArgs,
        path: &Path,
        shown: &str,
        source: &Source,
        io: &Io<'_>,
    ) -> anyhow::Result<Runner> {
        let (path, own, cleanup) = if args.in_place {
            let (at, before) = (path.to_owned(), source.bytes().to_vec());
            let cleanup = OnExit::new(move || restore(&at, &before));
            (path.to_owned(), Some((source.bytes().to_vec(), shown.to_owned())), cleanup)
        } else {
            let name = path.file_name().ok_or_else(|| anyhow!("{shown} has no name"))?;
            let folder = tempfile::Builder::new()
                .prefix("tir-analyzer-bisect-")
                .tempdir()
                .context("cannot make a folder for copies")?
                .keep();
            let copy = folder.join(name);
            let cleanup = OnExit::new(move || {
                // Nothing can be done about a folder that cannot be removed.
                let _ = fs::remove_dir_all(folder);
            });
            (copy, None, cleanup)
        };
        let shown_path = path.to_string_lossy().into_owned();
        let mut command: Vec<String> =
            args.command.iter().map(|it| it.replace("{}", &shown_path)).collect();
        if command == args.command {
            command.push(shown_path);
        }
        Ok(Runner { command, folder: io.folder.clone(), path, own, _cleanup: cleanup })
    }

    fn run(&mut self, bytes: &[u8]) -> anyhow::Result<Verdict> {
        match &mut self.own {
            Some((held, shown)) if held != bytes => {
                write::replace(&self.path, shown, held, bytes)?;
                *held = bytes.to_vec();
            }
            Some(_) => {}
            None => fs::write(&self.path, bytes).context("cannot write the copy")?,
        }
        let [program, arguments @ ..] = &self.command[..] else { bail!("there is no command") };
        let status = Command::new(program)
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            // What was found is the only output.
            .stdout(Stdio::from(std::io::stderr()))
            .status()
            .with_context(|| format!("cannot run `{program}`"))?;
        Ok(match status.code() {
            Some(0) => Verdict::Good,
            Some(SKIP) => Verdict::Unknown,
            Some(code @ (126 | 127)) => {
                bail!("`{program}` ended with exit code {code}: it could not run something")
            }
            _ => Verdict::Bad,
        })
    }
}

/// Restores the file unless somebody else has changed it since.
fn restore(path: &Path, before: &[u8]) {
    if let Ok(now) = files::read(path, files::ARTIFACT)
        && now != before
    {
        // The error would have nobody to go to: the text is what the user's own history has.
        let _ = write::replace(path, "the file", &now, before);
    }
}

// ---- what was found ----

/// Place and explanation of the n-th fix.
fn describe(
    job: &Job,
    options: CseOptions,
    source: &Source,
    n: usize,
    total: usize,
    styled: Styled,
) -> anyhow::Result<String> {
    let Some(at) = place(options, job, source, n) else {
        return Ok(format!("fix {n} of {total} is the first that is bad\n"));
    };
    let lines = LineIndex::new(&source.text);
    let place = source.line_col(&lines, at);
    let config = ide::Config { cse: options, ..job.config.analysis() };
    let answer = explain::answer_at(job, config, source, place, AnswerFormat::Text, styled.out)?;
    Ok(format!("fix {n} of {total} is the first that is bad\n{answer}"))
}

/// Returns the place where the first occurrence is that the n-th fix changes.
fn place(options: CseOptions, job: &Job, source: &Source, n: usize) -> Option<TextSize> {
    let functions = functions(source, job);
    let mut left = n;
    for item in &functions.functions {
        if item.source.kind != FunctionKind::PrimFunc {
            continue;
        }
        let work = |function: Function<'_>| place_in(options, function, left);
        // Of a function that cannot be worked on nothing was fixed.
        let Ok(found) = with_function(&functions, item, Stage::Planning, work) else { continue };
        match found {
            Err(done) => left -= done,
            Ok(place) => return Some(place? + item.range.start()),
        }
    }
    None
}

/// Returns the place where the first occurrence is that the n-th fix of a function changes, relative to it; the number
/// of its fixes if there are fewer.
fn place_in(
    options: CseOptions,
    function: Function<'_>,
    n: usize,
) -> Result<Option<TextSize>, usize> {
    let lowered = function.lowered;
    let occurrences = Occurrences::collect(&lowered.body);
    let analyses = function.analyses(&occurrences);
    let plan = |max| {
        let options = CseOptions { max_bindings: Some(max), ..options };
        function.with_planner(&analyses, |it| it.sharing(&options))
    };
    let with = plan(n);
    let done = if with.informational { 0 } else { with.n_fixes() };
    if done < n {
        return Err(done);
    }
    let before = applied(&plan(n - 1));
    let new = applied(&with).into_iter().find(|it| !before.contains(it));
    let real = new.into_iter().flatten().find(|&it| lowered.source_map.is_real(it));
    Ok(real.map(|it| own_offset(lowered, &occurrences, it)))
}

/// A place that belongs to an occurrence and to no computation in it: that of an operator, or of the callee's name.
/// Whoever asks about this place asks about the whole expression. Relative to the function.
fn own_offset(lowered: &Lowered, occurrences: &Occurrences, id: OccurrenceId) -> TextSize {
    let range = lowered.source_map.occurrence_range(id);
    let inner: Vec<TextRange> = occurrences
        .iter()
        .filter(|(it, data)| {
            (id < *it && *it < occurrences[id].end) && !lowered.body.expr(data.expr).is_leaf()
        })
        .map(|(it, _)| lowered.source_map.occurrence_range(it))
        .collect();
    let mut at = range.start();
    // Ranges inside come in the order of their starts, the outer one first.
    for it in inner {
        if it.contains_inclusive(at) {
            at = it.end() + TextSize::from(1);
        }
    }
    if range.contains_inclusive(at) { at } else { range.start() }
}

/// Returns the occurrences that each applied group serves.
fn applied(plan: &CsePlan) -> Vec<Vec<OccurrenceId>> {
    let is_applied = |it: &&CseGroup| it.decision.is_applied();
    plan.groups.iter().filter(is_applied).map(|it| it.occurrences.clone()).collect()
}
