//! Files of operations (MLIR, PIR): plans of equal and dead operations, as edits.
//!
//! In: a text, whose rules. Out: the edits of one round over all its units, or of all rounds until nothing is left.
//! Units are lowered from the steps of the parse, one at a time; no tree is made, and no more than one function is
//! kept. Comments, names and layout stay.

use anyhow::{Context as _, bail};
use frontend::{
    language::{self, TextUnit},
    mlir,
    ops::{CheckedEdits, Lowered},
    tvmscript::diagnostics::INTERNAL_ERROR,
};
use ide::Dialects;
use ir::{
    OpId,
    guard::{Stage, guarded},
    plan::{
        Preset,
        ops::{OpActionKind, OpPlan},
        simplify::SimplifyRefusal,
    },
};
use pipeline::operations::{self, Editor};
use syntax::{Form, Language, PackedEdits, TextSize};
use transform::{
    ops::{OpOptions, part},
    passes::Pass,
};

use crate::{
    cli::{
        args::{CseArgs, InstanceCall},
        driver::overlap::on_two_threads,
        input::{jobs::Job, source::Source},
        output::count,
    },
    config::Config,
    suggest::{did_you_mean, near},
};

/// The limit on rounds of the preset `default`: a moved operation may be equal to one at its new place.
const MAX_ROUNDS: usize = 16;

/// Bytes of a text from which on a second thread pays.
const WORTH_A_THREAD: usize = 1 << 18;

/// The changes to the operations of a file.
pub(crate) struct Done {
    pub(crate) edits: PackedEdits,
    pub(crate) n_actions: usize,
    /// Those of them that others made possible.
    pub(crate) n_later: usize,
    /// Actions that were left out because the edited text would mean something else.
    pub(crate) n_differing: usize,
    /// Units that were left as they are, or actions that were left out: the places and the reasons.
    pub(crate) notes: Vec<(TextSize, String)>,
    /// Names of the units, where one of them is asked for.
    pub(crate) names: Vec<String>,
}

/// Returns the language of a file, by its name and its text.
pub(crate) fn language(path: &std::path::Path, source: &Source) -> Language {
    Language::of_file(path, &source.text)
}

/// The languages that the preset of the command line is for.
pub(crate) fn languages(cse: &CseArgs) -> Vec<Language> {
    let preset = cse.preset().unwrap_or(Preset::Default);
    Language::with(|it| preset.is_for(language::of(it.language).dialect))
}

/// The names of the languages whose functions are of statements.
fn names_of_statements() -> String {
    let all = Language::with(|it| it.form == Form::Expressions);
    all.iter().map(|it| it.support().name).collect::<Vec<_>>().join(" and ")
}

/// The rules that the command line asks for, else those of the settings.
///
/// # Errors
/// A preset on the command line that is for another language. One in the settings is for files of its own.
pub(crate) fn options(
    cse: &CseArgs,
    config: &Config,
    language: Language,
    allow_unsound: bool,
) -> anyhow::Result<OpOptions> {
    let preset = match cse.preset() {
        Some(_) if !languages(cse).contains(&language) => {
            let row = language.support();
            bail!("this is {}; use `--preset {}` or `--preset default`", row.name, row.id)
        }
        Some(preset) => preset,
        None => config.ops().preset.of(language::of(language).dialect),
    };
    Ok(OpOptions { preset, allow_unsound })
}

/// Refuses files of operations for a command that reads functions of statements only: it would find none in them.
pub(crate) fn refuse_operations(job: &Job, source: &Source, command: &str) -> anyhow::Result<()> {
    let row = language(&job.file.path, source).support();
    match row.form {
        Form::Expressions => Ok(()),
        Form::Operations => {
            let (shown, own) = (&job.file.shown, names_of_statements());
            bail!("{shown} is {}: `{command}` is for {own}", row.name)
        }
    }
}

/// Refuses an instance of a file of operations, which have no factories.
pub(crate) fn refuse_instance(
    instance: Option<&InstanceCall>,
    language: Language,
) -> anyhow::Result<()> {
    if instance.is_some() {
        bail!(
            "this is {}, which has no factories; leave `--instance` out",
            language.support().name
        );
    }
    Ok(())
}

/// Returns true if the passes include `cse`, the one for operations.
///
/// # Errors
///
/// Passes that are for statements only.
pub(crate) fn runs_cse(passes: &[Pass], language: Language) -> anyhow::Result<bool> {
    match passes.iter().find(|it| **it != Pass::Cse) {
        Some(pass) => {
            let (is, own) = (language.support().name, names_of_statements());
            bail!("this is {is}, and pass `{}` is for {own}; use `--passes cse`", pass.name())
        }
        None => Ok(!passes.is_empty()),
    }
}

/// Refuses the presets of other languages for a file of statements.
pub(crate) fn refuse_for_statements(cse: &CseArgs, language: Language) -> anyhow::Result<()> {
    if !languages(cse).contains(&language) {
        let others: Vec<_> = Language::with(|it| it.form == Form::Operations);
        let ids: Vec<_> = others.iter().map(|it| format!("`{}`", it.support().id)).collect();
        let names: Vec<_> = others.iter().map(|it| it.support().name).collect();
        bail!(
            "this is {}; presets {} are for files of {}",
            language.support().name,
            ids.join(" and "),
            names.join(" and ")
        );
    }
    Ok(())
}

/// The selected kinds of actions.
pub(crate) type OpKinds = [bool; OpActionKind::ALL.len()];

/// The rules of the preset, and the tables about operations.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) options: &'a OpOptions,
    pub(crate) dialects: &'a Dialects,
    /// The actions that are done, if it is not all of them; those that they need are done with them.
    pub(crate) kinds: Option<OpKinds>,
    /// True if a second thread may be used.
    pub(crate) two_threads: bool,
}

/// One round for a peer's rules, rounds until nothing is left for ours.
pub(crate) fn run(
    text: &str,
    language: Language,
    rules: Rules<'_>,
    function: Option<&str>,
    limit: Option<usize>,
) -> anyhow::Result<Done> {
    let mut done = round(text, language, rules, function, limit)?;
    if let Some(function) = function
        && !done.names.iter().any(|it| it == function)
    {
        let names = near(function, done.names.iter().map(String::as_str));
        bail!("there is no function `{function}`{}", did_you_mean(&names));
    }
    if rules.options.preset != Preset::Default || limit.is_some() {
        return Ok(done);
    }
    let unpack = |edits: PackedEdits| edits.unpack().unwrap_or_default();
    let mut edits = unpack(std::mem::take(&mut done.edits));
    let mut now = edits.apply(text);
    for _ in 1..MAX_ROUNDS {
        let next = round(&now, language, rules, function, None)?;
        if next.edits.is_empty() {
            return Ok(Done { edits: PackedEdits::from(&edits), ..done });
        }
        done.n_actions += next.n_actions;
        done.n_later += next.n_actions;
        done.n_differing += next.n_differing;
        let next = unpack(next.edits);
        let after = next.apply(&now);
        edits = edits.then(&now, &next);
        now = after;
    }
    done.notes.push((TextSize::new(0), still_more(MAX_ROUNDS)));
    Ok(Done { edits: PackedEdits::from(&edits), ..done })
}

/// Returns the note that the last round still found something.
pub(crate) fn still_more(n_rounds: usize) -> String {
    format!("after {n_rounds} rounds there may be more to do: run it again on its output")
}

fn round(
    text: &str,
    language: Language,
    rules: Rules<'_>,
    function: Option<&str>,
    limit: Option<usize>,
) -> anyhow::Result<Done> {
    let mut done = Done::new();
    let mut left = limit;
    let names = std::sync::Mutex::new(Vec::new());
    let is_wanted = |lowered: &Lowered| {
        let Some(wanted) = function else { return true };
        let name = &*lowered.body.name;
        if !name.is_empty()
            && let Ok(mut names) = names.lock()
        {
            names.push(name.to_owned());
        }
        name == wanted
    };
    let is_divertible = language::operations(language).is_some_and(|it| it.is_divertible);
    let is_large = limit.is_none() && text.len() >= WORTH_A_THREAD;
    if is_divertible && rules.two_threads && is_large {
        let shapes = &rules.dialects.shapes;
        let of_unit = |it: TextUnit<'_>| of_unit(text, &it, rules, None);
        let work = |unit: mlir::Unit| {
            is_wanted(&unit.lowered).then(|| unit.with_text_unit(shapes, of_unit))
        };
        let units = on_two_threads(text, shapes, &work);
        units.into_iter().flatten().for_each(|it| done.add(it));
    } else {
        operations::each_unit(text, language, rules.dialects, &mut |unit| {
            if is_wanted(unit.lowered) {
                done.add(of_unit(text, &unit, rules, left));
                left = limit.map(|it| it.saturating_sub(done.n_actions));
            }
        });
    }
    done.names = names.into_inner().unwrap_or_default();
    done.edits = done.edits.sorted().context("functions inside each other")?;
    Ok(done)
}

/// Applies the plan to one unit; if there is a panic, changes nothing and reports it.
fn of_unit(text: &str, unit: &TextUnit<'_>, rules: Rules<'_>, limit: Option<usize>) -> Done {
    let work = || planned(text, unit, rules, limit);
    let done = guarded(Stage::Planning, &unit.lowered.body.name, work);
    done.unwrap_or_else(|panicked| {
        let mut done = Done::new();
        done.notes.push((unit.range.start(), panicked.report()));
        done
    })
}

fn planned(text: &str, unit: &TextUnit<'_>, rules: Rules<'_>, limit: Option<usize>) -> Done {
    let (start, lowered) = (unit.range.start(), unit.lowered);
    let body = &lowered.body;
    let mut done = Done::new();
    let name = if body.name.is_empty() { "the module" } else { &body.name };
    if let Some(error) = operations::first_error(lowered) {
        let note = match (error.code == INTERNAL_ERROR, &error.help) {
            (true, Some(help)) => format!("{}\n  {help}", error.message),
            _ => format!("`{name}` is left as it is: {}", error.message),
        };
        done.notes.push((start + error.range.start(), note));
        return done;
    }
    let mut plan = operations::plan(body, &rules.dialects.effects, rules.options);
    if let Some(kinds) = rules.kinds {
        let actions = plan.actions.iter().enumerate();
        let wanted: Vec<usize> =
            actions.filter(|(_, it)| kinds[it.kind as usize]).map(|(at, _)| at).collect();
        plan = part(body, &plan, wanted);
    }
    if let Some(limit) = limit.filter(|it| *it < plan.actions.len()) {
        plan = part(body, &plan, 0..limit);
    }
    if plan.is_empty() {
        return done;
    }
    let editor = Editor { text: &text[unit.range], lowered, reread: unit.reread };
    let checked = editor.apply(&plan);
    done.n_actions = checked.n_done();
    done.n_differing = checked.n_differing();
    if let Some(at) = first_differing(&plan, &checked) {
        let refusal = SimplifyRefusal::ReadsBackDifferently.name();
        let place = start + lowered.source_map.op(at).start();
        done.notes.push((
            place,
            format!(
                "{} left out in `{name}`, as the edited text would mean something else: that is an error of ours, please report it \
                 (`tir-analyzer explain {refusal}`)",
                count(done.n_differing, "fix")
            ),
        ));
    }
    done.edits.append(PackedEdits::from(&checked.edits), start);
    done
}

/// The operation of the first action that was left out.
fn first_differing(plan: &OpPlan, checked: &CheckedEdits) -> Option<OpId> {
    let mut all = plan.actions.iter().zip(&checked.differs);
    all.find(|(_, differs)| **differs).map(|(it, _)| it.op)
}

impl Done {
    /// Nothing.
    pub(crate) fn new() -> Done {
        Done {
            edits: PackedEdits::new(),
            n_actions: 0,
            n_later: 0,
            n_differing: 0,
            notes: Vec::new(),
            names: Vec::new(),
        }
    }

    fn add(&mut self, unit: Done) {
        self.edits.append(unit.edits, TextSize::new(0));
        self.n_actions += unit.n_actions;
        self.n_differing += unit.n_differing;
        self.notes.extend(unit.notes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWAPPED: &str = r#""func.func"() <{sym_name = "f", function_type = (i32, i32) -> ()}> ({
^bb0(%a: i32, %b: i32):
  // kept
  %0 = "llvm.and"(%a, %b) : (i32, i32) -> i32
  %1 = "llvm.and"(%b, %a) : (i32, i32) -> i32
  %2 = "arith.addi"(%0, %1) : (i32, i32) -> i32
  %3 = "arith.addi"(%0, %0) : (i32, i32) -> i32
  "test.use"(%2, %3) : (i32, i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#;

    fn after(preset: Preset, limit: Option<usize>) -> (String, usize) {
        let options = OpOptions { preset, allow_unsound: false };
        let rules = Rules {
            options: &options,
            dialects: &Dialects::default(),
            kinds: None,
            two_threads: false,
        };
        let done = run(SWAPPED, Language::Mlir, rules, None, limit).unwrap();
        (done.edits.unpack().unwrap().apply(SWAPPED), done.n_actions)
    }

    #[test]
    fn presets_differ_and_comments_stay() {
        assert_eq!(after(Preset::Mlir19, None), (SWAPPED.to_owned(), 0));
        let (text, n) = after(Preset::Default, None);
        assert_eq!(n, 2);
        assert!(text.contains("  // kept\n  %0 ="), "{text}");
        assert!(text.contains("\"test.use\"(%2, %2)"), "{text}");
    }

    #[test]
    fn limit_counts_actions() {
        let (text, n) = after(Preset::Default, Some(1));
        assert_eq!(n, 1);
        assert!(text.contains("\"arith.addi\"(%0, %0)"), "{text}");
    }

    #[test]
    fn other_function_stays() {
        let options = OpOptions::default();
        let rules = Rules {
            options: &options,
            dialects: &Dialects::default(),
            kinds: None,
            two_threads: false,
        };
        let text = format!("{SWAPPED}{}", SWAPPED.replace("\"f\"", "\"g\""));
        let done = run(&text, Language::Mlir, rules, Some("g"), None).unwrap();
        assert!(done.edits.unpack().unwrap().apply(&text).starts_with(SWAPPED));
        assert_eq!(done.n_actions, 2);
        let error = run(&text, Language::Mlir, rules, Some("h"), None).err().unwrap();
        assert_eq!(error.to_string(), "there is no function `h`; did you mean `f` or `g`?");
    }
}
