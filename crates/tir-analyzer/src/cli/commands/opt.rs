//! `opt`: a module after passes, as TVMScript; or a file of MLIR or PIR after its plan, edited.
//!
//! In: a file. Out: its text, in which every function that the passes understand is printed anew from the IR. All else
//! (imports, other functions, comments between them) stands as it was, byte for byte. A function that would not be
//! printed faithfully is left as it is, with a warning.

mod validation;

use std::collections::BTreeSet;

use frontend::tvmscript::{
    Capture, Diagnostic, Environment as _, FileFunctions, FunctionItem, Instance, Lowered,
    Namespace, Severity, diagnostics,
};
use ir::{
    Body, Dialect,
    guard::Stage,
    plan::{TvmPass, simplify::SimplificationKind},
};
use pipeline::passes::{self, Done};
use syntax::{AstNode as _, Edit, Form, Language, LineIndex, TextSize, ast};
use transform::{
    broken::{Broken, readable},
    cse::CseOptions,
    passes::Pass,
};

use crate::{
    cli::{
        Exit,
        args::OptArgs,
        driver::{
            ops::{self, Rules},
            unit::{Function, choose, functions, instance_of, with_instance},
        },
        input::{
            jobs::{self, Job},
            source::Source,
        },
        io::{self, Io, Styled, Tone},
        output::{exposure, progress::Progress},
        parallel,
    },
    config::Config,
};

/// A printed module, and the functions left as they were.
struct Module {
    bytes: Vec<u8>,
    notes: Vec<String>,
    /// Passes of TVM to which the changes expose something.
    exposed_to: BTreeSet<TvmPass>,
}

/// Runs the command.
pub(crate) fn opt(args: &OptArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    if args.validate {
        return validation::validate(args, io, styled);
    }
    let job = jobs::one(&args.input, io, styled)?;
    let options = CseOptions {
        allow_unsound: args.allow_unsound,
        max_bindings: args.cse.max_fixes,
        ..args.cse.options(&job.config)
    };
    let mut exposed_to = BTreeSet::new();
    let notes = job.run(|source| {
        let shown = &job.file.shown;
        let language = ops::language(&job.file.path, &source);
        match language.support().form {
            Form::Expressions => {
                ops::refuse_for_statements(&args.cse, language)?;
                let progress = Progress::new(1, io.err_is_terminal);
                let module = optimize(args, options, &source, &job)?;
                drop(progress);
                io.out.write_all(&module.bytes)?;
                exposed_to = module.exposed_to;
                Ok(module.notes)
            }
            Form::Operations => {
                ops::refuse_instance(args.instance.as_ref(), language)?;
                let progress = Progress::new(1, io.err_is_terminal);
                let done = optimize_operations(args, &job.config, language, &source)?;
                drop(progress);
                source.write_edited(done.edits.iter(), io.out)?;
                if done.notes.is_empty() {
                    // The lines of a large file cost as much as reading it.
                    return Ok(Vec::new());
                }
                let lines = LineIndex::new(&source.text);
                let note = |(at, it): &(TextSize, String)| located(&source, &lines, shown, *at, it);
                Ok(done.notes.iter().map(note).collect())
            }
        }
    })?;
    for note in &notes {
        io::message(io.err, styled.err, Tone::Warning, note)?;
    }
    for pass in exposed_to {
        io.err.write_all(format!("{}\n", exposure(pass)).as_bytes())?;
    }
    Ok(if notes.is_empty() { Exit::Success } else { Exit::Findings })
}

/// Applies the plan to a file of MLIR or PIR.
fn optimize_operations(
    args: &OptArgs,
    config: &Config,
    language: Language,
    source: &Source,
) -> anyhow::Result<ops::Done> {
    let dialects = config.dialects.tables();
    let options = ops::options(&args.cse, config, language, args.allow_unsound)?;
    let passes: Vec<Pass> = args.passes.iter().filter_map(|it| it.0).collect();
    if !ops::runs_cse(&passes, language)? {
        return Ok(ops::Done::new());
    }
    let function = args.function.as_deref();
    let two_threads = parallel::n_jobs(args.jobs, 2) > 1;
    let rules = Rules { options: &options, dialects, kinds: None, two_threads };
    ops::run(&source.text, language, rules, function, args.cse.max_fixes)
}

/// Returns a message about a place.
fn located(source: &Source, lines: &LineIndex, shown: &str, at: TextSize, what: &str) -> String {
    let at = source.line_col(lines, at);
    format!("{shown}:{}:{}: {what}", at.line, at.col)
}

fn optimize(
    args: &OptArgs,
    mut options: CseOptions,
    source: &Source,
    job: &Job,
) -> anyhow::Result<Module> {
    let shown = &job.file.shown;
    let functions = functions(source, job);
    let instance = instance_of(args.instance.as_ref(), &functions, shown)?;
    let instance = instance.as_ref();
    let chosen = choose(args.function.as_deref(), instance, &functions, shown)?;
    let newline = line_break(&source.text);
    let mut module = Module { bytes: Vec::new(), notes: Vec::new(), exposed_to: BTreeSet::new() };
    let mut edits = Vec::new();
    let lines = LineIndex::new(&source.text);
    for item in chosen {
        let exposed_to = &mut module.exposed_to;
        let work = |function: Function<'_>| {
            if let Some((at, why)) = obstacle(&functions, item, function.lowered, instance) {
                let why = format!("`{}` is left as it is: {why}", item.source.name);
                return Err((item.range.start() + at, why));
            }
            let see = &mut |_: Pass, _: &Body, _: &Body| {};
            let done = after_passes(args, &mut options, function, exposed_to, see);
            let body = done.map_err(|broken| {
                (item.range.start() + item.source.name_range.start(), broken.report())
            })?;
            let body = body.as_ref().unwrap_or(&function.lowered.body);
            Ok(match instance {
                Some(_) => standing_alone(body, newline),
                None => printed(body, source, item, newline),
            })
        };
        let done = with_instance(&functions, item, instance, Stage::Planning, work);
        match done.unwrap_or_else(|failed| Err((failed.at, failed.report))) {
            Ok(text) => edits.push(Edit::replace(item.range, text)),
            Err((at, why)) => module.notes.push(located(source, &lines, shown, at, &why)),
        }
    }
    module.bytes = match instance {
        Some(_) => alone(&edits, newline).into_bytes(),
        None => source.edited(&edits)?,
    };
    Ok(module)
}

/// The functions of an instance as a module of their own: the import of their dialect is above the first.
fn alone(functions: &[Edit], newline: &str) -> String {
    let texts: Vec<&str> = functions.iter().map(|it| &*it.text).collect();
    texts.join(&newline.repeat(3)) + if texts.is_empty() { "" } else { newline }
}

/// The text of a function with the import that it needs.
fn standing_alone(body: &Body, newline: &str) -> String {
    let dialect = match body.dialect {
        Dialect::Tir => "tir",
        _ => "tirx",
    };
    let text = ir::print::tvmscript(body, 0);
    let import = format!("from tvm.script import {dialect} as T\n\n\n{}", text.trim_end());
    import.lines().collect::<Vec<_>>().join(newline)
}

/// The body after the passes; none if there are none. Each pass is shown to `see`, with the bodies before and after it.
fn after_passes(
    args: &OptArgs,
    options: &mut CseOptions,
    function: Function<'_>,
    exposed_to: &mut BTreeSet<TvmPass>,
    see: &mut dyn FnMut(Pass, &Body, &Body),
) -> Result<Option<Body>, Broken> {
    let read = &function.lowered.body;
    let allowances = function.lowered.source_map.allowances();
    let is_allowed = |pass: Pass| match pass {
        Pass::Cse => allowances.everywhere(ir::plan::COMMON_SUBEXPRESSION.name),
        Pass::Simplify => allowances.everywhere(SimplificationKind::Simplifiable.name()),
        Pass::Fix(kind) => allowances.everywhere(kind.name()),
    };
    readable(read)?;
    let effects = function.environment.effects();
    let mut passes = args.passes.iter().filter_map(|it| it.0).filter(|it| !is_allowed(*it));
    passes.try_fold(None, |last: Option<Body>, pass| {
        let body = last.as_ref().unwrap_or(read);
        let (after, done) = passes::run(pass, body, effects, options)?;
        see(pass, body, &after);
        if let Done::Sharing(plan) = done {
            // What it did counts against the limit.
            if let Some(left) = &mut options.max_bindings {
                *left = left.saturating_sub(plan.n_fixes());
            }
            exposed_to.extend(plan.exposed_to());
        }
        Ok(Some(after))
    })
}

/// The reason why a function cannot be printed faithfully, and the place that prevents it.
fn obstacle(
    functions: &FileFunctions,
    item: &FunctionItem,
    lowered: &Lowered,
    instance: Option<&Instance>,
) -> Option<(TextSize, String)> {
    let is_in_the_way = |it: &&Diagnostic| {
        it.severity <= Severity::Warning || it.code == diagnostics::UNSUPPORTED_CONSTRUCT
    };
    let errors = lowered.diagnostics.iter().filter(is_in_the_way);
    if let Some(it) = errors.min_by_key(|it| it.severity) {
        return Some((it.range.start(), it.message.clone()));
    }
    // An instance of an eager kernel is the function that its decorator compiles.
    if !(is_plain(item) || item.source.is_eager && instance.is_some()) {
        let why = "its decorators are more than one `T.prim_func` with named arguments, and are not printed";
        return Some((0.into(), why.to_owned()));
    }
    // It is printed with an import of its own.
    if instance.is_some() {
        return None;
    }
    let wanted = match lowered.body.dialect {
        Dialect::Tir => Namespace::Tir,
        _ => Namespace::Tirx,
    };
    match functions.environment(item).resolve("T") {
        Capture::Namespace(it) if it == wanted || item.source.dialect_is_guess => None,
        _ => {
            let why = "it is printed with the name `T`, which means something else in this file; import the dialect as `T`";
            Some((0.into(), why.to_owned()))
        }
    }
}

/// Returns true if a function has no decorator but `T.prim_func`, with named arguments if any.
fn is_plain(item: &FunctionItem) -> bool {
    let Some(def) = ast::FunctionDef::cast(item.source.green.syntax()) else { return false };
    def.decorators().all(|it| {
        // A comment may stand behind it.
        let text = it.expr().map_or_else(String::new, |it| it.syntax().text());
        let head = text.split('(').next().unwrap_or_default().trim();
        let is_named = match it.expr() {
            Some(ast::Expr::CallExpr(call)) => {
                call.arg_list().is_none_or(|args| args.args().all(|it| it.keyword().is_some()))
            }
            _ => true,
        };
        head.rsplit('.').next() == Some("prim_func") && is_named
    })
}

/// The text of a body at the place of a function: its first line begins where the function does.
fn printed(body: &Body, source: &Source, item: &FunctionItem, newline: &str) -> String {
    let start = usize::from(item.range.start());
    let line_start = source.text[..start].rfind(['\n', '\r']).map_or(0, |it| it + 1);
    let indent = &source.text[line_start..start];
    let is_spaces = indent.bytes().all(|it| it == b' ');
    let text = ir::print::tvmscript(body, if is_spaces { indent.len() } else { 0 });
    let mut lines = text.trim_end_matches('\n').lines();
    let mut out = lines.next().unwrap_or_default().trim_start().to_owned();
    for line in lines {
        out.push_str(newline);
        if !is_spaces && !line.is_empty() {
            out.push_str(indent);
        }
        out.push_str(line);
    }
    if source.text[..usize::from(item.range.end())].ends_with(['\n', '\r']) {
        out.push_str(newline);
    }
    out
}

/// The line break that a text uses.
pub(crate) fn line_break(text: &str) -> &'static str {
    match text.find(['\n', '\r']).map(|at| &text.as_bytes()[at..]) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    }
}
