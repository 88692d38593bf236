//! Hover in functions of statements: a name's kind and type, or an expression's type, value, occurrences and what was
//! decided about it.

use codegen::TargetOptions;
use db::{Db as _, RootDatabase, SourceFile};
use frontend::tvmscript::{Capture, Constant, Definition, DefinitionId, DefinitionKind};
use syntax::{LineIndex, SyntaxKind, SyntaxToken, TextRange, TextSize};

use super::{Hover, functions::function_at};
use crate::{
    explain::{COMPUTED_ONCE, Explanation, explain},
    findings_at::{FindingAt, findings_at},
    guarded::{name_at, try_item},
    names::expressions::shown_mention_at,
    plan_text::PlanText,
    script_name,
    tiles::Tiles,
    units::shown_function_at,
};

/// More findings at one place are left to the diagnostics.
const MAX_FINDINGS: usize = 3;

/// Returns the information about the name and the expression at an offset, and the findings there.
pub(super) fn hover(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    device: &TargetOptions,
) -> Option<Hover> {
    // A part that cannot be worded costs itself, and says so in its place.
    let function = name_at(db, file, offset);
    let known = try_item(function, || {
        let function = function_at(db, file, offset);
        let is_function = function.is_some();
        let mut known = known_at(db, file, offset, device, function);
        if !is_function {
            known = with_value(db, file, offset, known);
        }
        with_script_name(db, file, offset, known, device)
    });
    let found = try_item(function, || findings_at(db, file, offset));
    let known_range = known.iter().flatten().map(|it| it.range).next();
    let found_range = || found.iter().flatten().map(|it| it.range).next();
    let lost: Vec<String> = [known.as_ref().err(), found.as_ref().err()]
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect();
    let nowhere = || (!lost.is_empty()).then(|| TextRange::empty(offset));
    let range = known_range.or_else(found_range).or_else(nowhere)?;
    let known = known.ok().flatten().map(|it| it.markdown);
    let notes = found.iter().flatten().take(MAX_FINDINGS).map(|it| finding_note(db, file, it));
    let parts: Vec<String> = known.into_iter().chain(notes).chain(lost).collect();
    Some(Hover { range, markdown: parts.join("\n\n---\n\n") })
}

/// Returns the note about a finding: message, reason, fix.
fn finding_note(db: &RootDatabase, file: SourceFile, it: &FindingAt) -> String {
    let mut out = format!("**{}**: {}.", it.kind, it.message);
    if !it.related.is_empty() {
        out.push('\n');
    }
    for other in &it.related {
        let place = seen_from(db, file, it.range.start(), other.range.start());
        out.push_str(&format!("\n- {place}: {}", other.what));
    }
    if let Some(fix) = &it.fix {
        out.push_str(&format!("\n\nFix: {fix}."));
    }
    out
}

/// Where a place is, as seen from another one: a line by its number would be that of another text in a notebook.
fn seen_from(db: &RootDatabase, file: SourceFile, from: TextSize, to: TextSize) -> String {
    let between = TextRange::new(from.min(to), from.max(to));
    let lines = LineIndex::new(&db::parse(db, file).syntax().text_in(between)).line_count() - 1;
    let (plural, way) =
        (if lines == 1 { "" } else { "s" }, if to > from { "below" } else { "above" });
    if lines == 0 { "here".to_owned() } else { format!("{lines} line{plural} {way}") }
}

/// Adds the value that a captured name has in the instance that is shown (`block_M = 128 here`), and that of an
/// imported one with the file that it comes from.
fn with_value(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    known: Option<Hover>,
) -> Option<Hover> {
    let Some((range, value)) = value_at(db, file, offset) else { return known };
    let markdown = match known {
        Some(it) => format!("{value}\n\n---\n\n{}", it.markdown),
        None => value,
    };
    Some(Hover { range, markdown })
}

/// The captured name at an offset, and its value there: in an instance, or in another file.
fn value_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<(TextRange, String)> {
    let (at, offset) = shown_function_at(db, file, offset)?;
    let mut tokens = at.unit.green(db).syntax().token_at_offset(offset);
    let is_name = |it: &SyntaxToken| {
        it.kind() == SyntaxKind::IDENT
            && it.ancestors().nth(1).is_some_and(|it| it.kind() == SyntaxKind::NAME_EXPR)
    };
    let token = tokens.find(is_name)?;
    let (name, range) = (token.text(), token.text_range());
    let binds = |(mention, id): (TextRange, DefinitionId)| {
        let kind = db::source_map(db, at.unit).definition(id).kind;
        mention == range && kind != DefinitionKind::Captured
    };
    if db::source_map(db, at.unit).mention_at(offset).is_some_and(binds) {
        return None;
    }
    let sentence = match (at.unit.instance(db), db::known_value(db, at.unit, name)) {
        (Some(instance), Some(value)) => format!("`{name} = {value}` here, in `{instance}`"),
        (_, value) => imported(db, at.unit, name, value)?,
    };
    Some((at.to_file(range), sentence))
}

/// The value of an imported name, or why it is not known, and the file that it comes from.
fn imported(
    db: &RootDatabase,
    unit: db::Unit<'_>,
    name: &str,
    value: Option<Constant>,
) -> Option<String> {
    let found = db::imported_name(db, unit, name)?;
    let value = match (value, found.capture) {
        (Some(value), _) => format!("`{name} = {value}`"),
        (None, Capture::Unknown(it)) => format!("`{name}` is not known, as {}", it.reason),
        (None, _) => format!("`{name}`"),
    };
    Some(format!("{value}, imported from `{}`", db.modules().shown(&found.path)))
}

/// The name and the expression at an offset; `function` is what is known of the name, if it is one of a function.
fn known_at(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    device: &TargetOptions,
    function: Option<Hover>,
) -> Option<Hover> {
    let mention = || {
        let it = shown_mention_at(db, file, offset)?;
        let text = PlanText::new(db, it.at.unit);
        let markdown = definition_text(&text, it.map.definition(it.definition), device);
        Some(Hover { range: it.at.to_file(it.range), markdown })
    };
    let mention = function.or_else(mention);
    // Of a statement nobody asks how often its value is computed.
    let expression = explain(db, file, offset).filter(|it| !it.is_statement);
    match (mention, expression) {
        (Some(mention), Some(expression)) if expression.range != mention.range => {
            let markdown = format!("{}\n\n---\n\n{}", mention.markdown, text_of(&expression));
            Some(Hover { range: mention.range, markdown })
        }
        (Some(mention), _) => Some(mention),
        (None, Some(expression)) => {
            Some(Hover { range: expression.range, markdown: text_of(&expression) })
        }
        (None, None) => None,
    }
}

/// Puts what a name of the script is before what is known of the expression that it is in.
fn with_script_name(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    known: Option<Hover>,
    device: &TargetOptions,
) -> Option<Hover> {
    let table = file.configuration(db).dialects(db).effects.as_ref();
    let named = script_name::at(db, file, offset).and_then(|it| {
        let mut markdown = it.markdown(table)?;
        if it.is_launch()
            && let Some((at, _)) = shown_function_at(db, file, offset)
            && let Some(taken) = Tiles::of(db::body(db, at.unit)).launch(device)
        {
            markdown.push_str(&format!("\n\n{taken}"));
        }
        Some((Hover { range: it.range, markdown }, it.call))
    });
    match (named, known) {
        // What is around a constant or a type is another thing.
        (Some((named, call)), Some(known)) if call == Some(known.range) => {
            let markdown = format!("{}\n\n---\n\n{}", named.markdown, known.markdown);
            Some(Hover { range: named.range, markdown })
        }
        (Some((named, _)), _) => Some(named),
        (None, known) => known,
    }
}

fn definition_text(text: &PlanText<'_>, definition: &Definition, device: &TargetOptions) -> String {
    let kind = match definition.kind {
        DefinitionKind::Param => "parameter",
        DefinitionKind::Index => "index",
        DefinitionKind::Binding => "immutable binding",
        DefinitionKind::Cell => "mutable scalar",
        DefinitionKind::Buffer => "buffer",
        DefinitionKind::Symbol => "shape variable",
        DefinitionKind::Meta => "compile-time name",
        DefinitionKind::Captured => "captured from Python",
    };
    let ty = type_of(text, definition).map_or(String::new(), |it| format!(": {it}"));
    let note = match definition.note.as_deref().map(|it| (it, it.strip_prefix("= "))) {
        Some((_, Some(value))) => format!(": `{}`", value.replace('`', "'")),
        Some((note, None)) => format!(", {note}"),
        None => String::new(),
    };
    let memory =
        definition.buffer.and_then(|it| Tiles::of(text.body).get(it)).map(|it| it.share(device));
    let memory = memory.map_or(String::new(), |it| format!("\n\n{it}"));
    format!("```python\n{}{ty}\n```\n{kind}{note}{memory}", definition.name)
}

/// The type of a name: that of a buffer with its shape, or of a value.
pub(crate) fn type_of(text: &PlanText<'_>, definition: &Definition) -> Option<String> {
    if let Some(buffer) = definition.buffer {
        let buffer = &text.body.buffers[buffer];
        let shape: Vec<String> = buffer.shape.iter().map(|&it| expr_text(text, it)).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        let dtype = match buffer.dtype.is_symbolic() {
            true => text.body.dtype_name(buffer.dtype),
            false => format!("\"{}\"", buffer.dtype),
        };
        return Some(format!("T.Buffer(({}{comma}), {dtype})", shape.join(", ")));
    }
    definition.value.map(|it| text.ty(text.body.values[it].ty))
}

fn expr_text(text: &PlanText<'_>, expr: ir::ExprId) -> String {
    const MAX_NODES: u32 = 64;
    if text.body.expr(expr).size > MAX_NODES {
        return "…".to_owned();
    }
    ir::print::expr_text(text.body, expr)
}

fn text_of(it: &Explanation) -> String {
    let times = match it.n_occurrences {
        1 => "computed once".to_owned(),
        n => format!("computed {n} times"),
    };
    let text = it.text.replace('`', "'");
    let facts = it.integer.iter().flat_map(|it| it.sentences());
    // The title says that already.
    let reasons = it.reasons.iter().filter(|it| *it != COMPUTED_ONCE);
    let title = format!("`{text}`: {} · {times}", it.ty);
    let parts: Vec<String> = [title].into_iter().chain(reasons.cloned()).chain(facts).collect();
    parts.join("\n\n")
}
