//! The targets of coverage-guided fuzzing: each must hold for any bytes. See the README.

pub mod script;
#[cfg(feature = "server")]
pub mod server;

use frontend::tvmscript::{self, FunctionKind};
use pipeline::{Dialects, operations};
use syntax::{Diagnostic, Edit, GreenStep, Language, Parse, Severity, TextRange, TextSize};

use script::Script;

/// Parse then print is the same bytes; errors are told without a panic, and so are functions read.
pub fn read(language: Language, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let parse = syntax::parse_as(language, &text);
    assert_eq!(parse.text(), *text, "the tree has lost something");
    let is_clean = parse.errors().is_empty();
    match language {
        Language::TvmScript => {
            let file = tvmscript::functions(&parse);
            for item in &file.functions {
                let lowered = tvmscript::lower(&item.source, &file.environment(item));
                is_well_formed(is_clean, &lowered.body, &lowered.diagnostics);
            }
        }
        _ => operations::each_unit(&text, language, &Dialects::default(), &mut |unit| {
            is_well_formed(is_clean, &unit.lowered.body, &unit.lowered.diagnostics);
        }),
    }
}

/// The body of a text without errors is well formed.
fn is_well_formed(is_clean: bool, body: &ir::Body, told: &[Diagnostic]) {
    if !is_clean || told.iter().any(|it| it.severity == Severity::Error) {
        return;
    }
    let errors = ir::verify::verify(body);
    assert!(errors.is_empty(), "not well formed: {errors:#?}");
}

/// A function that is read without an error is printed as a text that is, and that prints the same.
pub fn print(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for printed in printed(&text).into_iter().flatten() {
        let again = self::printed(&printed);
        let [Some(again)] = &again[..] else {
            panic!("{} functions without an error in the print\n{printed}", again.len());
        };
        assert_eq!(&printed, again, "the print is printed in another way");
    }
}

/// The functions of a text; none for one with an error.
fn printed(text: &str) -> Vec<Option<String>> {
    let parse = syntax::parse(text);
    if !parse.errors().is_empty() {
        return Vec::new();
    }
    let file = tvmscript::functions(&parse);
    let functions = file.functions.iter().filter(|it| it.source.kind == FunctionKind::PrimFunc);
    functions
        .map(|item| {
            let lowered = tvmscript::lower(&item.source, &file.environment(item));
            let is_wrong = lowered.diagnostics.iter().any(|it| it.severity <= Severity::Warning);
            (!is_wrong && is_whole(&lowered.body)).then(|| ir::print::tvmscript(&lowered.body, 0))
        })
        .collect()
}

/// Returns true if nothing of the function is left out as unknown: what is unknown has no print of its own.
fn is_whole(body: &ir::Body) -> bool {
    ir::fingerprint::of_function(body).is_some()
}

/// A text that is laid out is laid out as it is.
pub fn layout(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let shapes = syntax::Shapes::builtin();
    let Ok(edits) = syntax::format_mlir(&text, shapes, None) else { return };
    let mut new = text.clone().into_owned();
    edits.iter().rev().for_each(|it| it.apply(&mut new));
    match syntax::format_mlir(&new, shapes, None) {
        Ok(edits) => assert_eq!(edits, [], "laid out\n{text}\nas\n{new}"),
        Err(error) => panic!("{error}: laid out\n{text}\nas\n{new}"),
    }
}

/// The tree after an edit is that of the text after it.
pub fn reparse(bytes: &[u8]) {
    let Some((script, text)) = Script::of(bytes) else { return };
    let mut text = text.into_owned();
    let mut parse = syntax::parse_as(script.language, &text);
    for step in &script.steps {
        let edit = script::edit(step, &text);
        parse = edited(&parse, &mut text, &edit);
    }
}

fn edited(parse: &Parse, text: &mut String, edit: &Edit) -> Parse {
    let before = text.clone();
    edit.apply(text);
    let new = syntax::reparse(parse, edit).parse;
    let fresh = parse.again(text);
    assert_eq!(new.text(), *text, "{edit:?} in\n{before}");
    if steps(&new) != steps(&fresh) {
        let [new, fresh] = [&new, &fresh].map(|it| syntax::dump(&it.syntax()));
        panic!("{edit:?} in\n{before}\ngives\n{new}\nand not\n{fresh}");
    }
    let (told, of_fresh) = (new.errors(), fresh.errors());
    assert!(told == of_fresh, "{edit:?} in\n{before}\ntells {told:?}\nand not {of_fresh:?}");
    new
}

fn steps(parse: &Parse) -> Vec<GreenStep<'_>> {
    let mut steps = Vec::new();
    parse.green().walk(|step| steps.push(step));
    steps
}

/// The range between two offsets.
fn range(start: usize, end: usize) -> TextRange {
    let offset = |at: usize| TextSize::try_from(at).expect("inputs are small");
    TextRange::new(offset(start), offset(end))
}
