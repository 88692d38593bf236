//! Hover over operations: a value's type, definition, uses and equals; what an operation does and how it is written;
//! blocks, symbols, aliases.

use db::{PlacedUnit, RootDatabase, SourceFile};
use frontend::language;
use ir::{
    Body, ValueId, ValueKind,
    plan::ops::{OpAction, OpChange},
};
use syntax::{Shapes, SyntaxKind, SyntaxToken, TextRange, TextSize};
use transform::ops::findings::StatedFacts;

use super::{
    Hover,
    kept::kept_text,
    words::{effects_text, line_text},
};
use crate::{
    names::operations::{block_at, header, name_token, symbol_definition, type_name},
    plan_text::operations::{PlanWords, op_name},
    shortened::shortened,
    value_facts,
};

/// More of a definition is not shown.
const MAX_TEXT: usize = 400;

/// Returns the information about the name or the operation at an offset.
pub(super) fn hover(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<Hover> {
    let at = db::unit_at(db, file, offset)?;
    let inner = at.from_file(offset)?;
    let root = at.unit.green(db).syntax();
    let found = name_token(&root, inner).and_then(|token| {
        let markdown = match token.kind() {
            SyntaxKind::VALUE_ID => value_text(db, file, &at, inner)?,
            SyntaxKind::BLOCK_ID => block_text(db, &at, inner)?,
            SyntaxKind::SYMBOL_ID => symbol_text(db, file, offset)?,
            SyntaxKind::ATTR_ID | SyntaxKind::TYPE_ID => alias_text(db, &at, token.text())?,
            _ => return None,
        };
        Some((at.to_file(token.text_range()), markdown))
    });
    let (range, markdown) = found.or_else(|| operation_at(db, file, &at, inner))?;
    Some(Hover { range, markdown })
}

// ---- values ----

fn value_text(
    db: &RootDatabase,
    file: SourceFile,
    at: &PlacedUnit<'_>,
    offset: TextSize,
) -> Option<String> {
    let words = PlanWords::new(db, at.unit)?;
    let (value, range) = words.map.value_at(words.body, offset)?;
    let shown = words.value(value);
    let n_uses = words.map.uses(words.body, value).len();
    let uses = match n_uses {
        0 => "never used".to_owned(),
        1 => "used once".to_owned(),
        n => format!("used {n} times"),
    };
    let mut text = format!(
        "```mlir\n{shown} : {}\n```\n{} · {uses}",
        type_text(words.body, value),
        origin(db, file, at, &words, value),
    );
    if let ValueKind::Result(op, _) = words.body.values[value].kind {
        let mut of_op = words.plan.actions.iter().filter(|it| match it.change {
            OpChange::Argument { argument, .. } | OpChange::RemoveArgument { argument } => {
                argument == value
            }
            _ => it.op == op,
        });
        if let Some(action) = of_op.next() {
            text.push_str(&action_text(db, file, at, &words, action));
        }
        let is_definition = words.map.use_at(words.body, offset).is_none();
        let kept = is_definition.then(|| kept_text(db, file, at, &words, op)).flatten();
        if let Some(kept) = &kept {
            text.push_str(&format!("\n\n{kept}"));
        }
        for refusal in words.plan.refusals.iter().filter(|it| it.op == op && kept.is_none()).take(1)
        {
            let into = refusal.into.map(|it| format!(" as `{}`", words.results(it)));
            let (what, why) = (into.unwrap_or_default(), refusal.kind.name());
            text.push_str(&format!("\n\nNot the same{what}: {why}."));
        }
    }
    if let ValueKind::BlockArg(..) = words.body.values[value].kind {
        let is_of_value = |it: &&OpAction| matches!(it.change, OpChange::Argument { argument, .. } | OpChange::RemoveArgument { argument } if argument == value);
        if let Some(action) = words.plan.actions.iter().find(is_of_value) {
            text.push_str(&action_text(db, file, at, &words, action));
        }
    }
    let is_use = words.map.use_at(words.body, offset).is_some();
    let user = words.map.op_at(words.body, offset).filter(|_| is_use);
    let none = StatedFacts::default();
    if let Some(facts) = value_facts::of_value(db, at, &words, value, range, user, &none) {
        let lines: Vec<String> =
            facts.sentences().into_iter().map(|it| format!("- {it}")).collect();
        if !lines.is_empty() {
            text.push_str(&format!("\n\n{}", lines.join("\n")));
        }
    }
    Some(text)
}

/// Returns the text of a plan's action for an operation or value: first the equal value, or the new place, then the
/// reason.
fn action_text(
    db: &RootDatabase,
    file: SourceFile,
    at: &PlacedUnit<'_>,
    words: &PlanWords<'_>,
    action: &OpAction,
) -> String {
    let line = words.other_place(action).map(|it| line_text(db, file, at, it)).unwrap_or_default();
    let what = match &action.change {
        OpChange::Merge { into }
        | OpChange::MergeWithCopies { into, .. }
        | OpChange::MergeUses { into, .. } => format!("= `{}`{line}", words.results(*into)),
        OpChange::Argument { value, .. } => format!("= `{}`{line}", words.value(*value)),
        OpChange::Hoist { before } => format!("could stand before `{}`{line}", words.op(*before)),
        OpChange::Delete | OpChange::RemoveArgument { .. } => "not needed".to_owned(),
    };
    format!("\n\n**{what}**\n\n{}", words.reason(action))
}

fn type_text(body: &Body, value: ValueId) -> String {
    type_name(body, value).unwrap_or("?").to_owned()
}

fn origin(
    db: &RootDatabase,
    file: SourceFile,
    at: &PlacedUnit<'_>,
    words: &PlanWords<'_>,
    value: ValueId,
) -> String {
    match words.body.values[value].kind {
        ValueKind::Result(op, _) => {
            let place = words.place(op);
            let line = match place.is_empty() {
                true => String::new(),
                false => line_text(db, file, at, place),
            };
            format!("result of `{}`{line}", words.op(op))
        }
        ValueKind::BlockArg(block, number) => {
            let label = words.map.label(block);
            match label.is_empty() {
                true => format!("argument {number} of its region"),
                false => {
                    let label = crate::names::operations::name_part(words.text, label);
                    format!("argument {number} of `{}`", &words.text[label])
                }
            }
        }
        _ => "value".to_owned(),
    }
}

// ---- blocks, symbols, aliases ----

fn block_text(db: &RootDatabase, at: &PlacedUnit<'_>, offset: TextSize) -> Option<String> {
    let words = PlanWords::new(db, at.unit)?;
    let block = block_at(words.body, words.map, offset)?;
    let label = crate::names::operations::name_part(words.text, words.map.label(block));
    let args: Vec<String> = words.body.blocks[block]
        .args
        .iter()
        .map(|it| format!("{}: {}", words.value(*it), type_text(words.body, *it)))
        .collect();
    let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
    let to_block = |it: &&frontend::ops::SuccessorPlace| {
        let target = words.body.ops[it.op].successors.get(it.index as usize);
        target.is_some_and(|it| it.block == block)
    };
    let n = words.map.successors().iter().filter(to_block).count();
    let plural = if n == 1 { "" } else { "es" };
    Some(format!("```mlir\n{}{args}:\n```\n{n} branch{plural} to it", &words.text[label]))
}

/// The first line of the definition of a symbol.
fn symbol_text(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<String> {
    let range = symbol_definition(db, file, offset)?;
    Some(format!("```mlir\n{}\n```", header(db, file, range, MAX_TEXT)))
}

fn alias_text(db: &RootDatabase, at: &PlacedUnit<'_>, name: &str) -> Option<String> {
    let frame = db::frame_of(db, at.unit)?;
    let (_, text) = db::aliases(db, frame.unit).get(name)?;
    Some(format!("```mlir\n{name} = {}\n```", shortened(text, MAX_TEXT)))
}

// ---- operations ----

/// The full name of the operation of MLIR whose name is at an offset.
pub(crate) fn operation_name(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<String> {
    let at =
        db::unit_at(db, file, offset).filter(|_| db::language(db, file).support().uses_shapes)?;
    let root = at.unit.green(db).syntax();
    let token = root.token_at_offset(at.from_file(offset)?).right_biased()?;
    Some(db::shapes(db, file).full_name(&operation_token(&token)?).to_owned())
}

/// The operation whose name is at an offset of a unit: its range in the file, and its effects.
fn operation_at(
    db: &RootDatabase,
    file: SourceFile,
    at: &PlacedUnit<'_>,
    offset: TextSize,
) -> Option<(TextRange, String)> {
    let root = at.unit.green(db).syntax();
    let token = root.token_at_offset(offset).right_biased()?;
    let name = operation_token(&token)?;
    let full = db::shapes(db, file).full_name(&name).to_owned();
    let namespace = language::of(db::language(db, file)).namespace;
    let mut text = format!(
        "`{full}`: {}",
        effects_text(file.configuration(db).dialects(db).effects.as_ref(), namespace, &full)
    );
    if db::language(db, file).support().uses_shapes {
        if let Some(example) = db::shapes(db, file).example_of(&name) {
            text.push_str(&format!("\n\n```mlir\n{name} {example}\n```"));
        }
        text.push_str(&definition_text(db::shapes(db, file), &name));
    }
    if let Some(words) = PlanWords::new(db, at.unit)
        && let Some(op) = words.map.op_at(words.body, offset)
        && op_name(words.body, op) == full
    {
        let of_op = words.plan.actions.iter().filter(|it| it.op == op);
        for action in of_op.take(1) {
            text.push_str(&action_text(db, file, at, &words, action));
        }
        if let Some(kept) = kept_text(db, file, at, &words, op) {
            text.push_str(&format!("\n\n{kept}"));
        }
    }
    Some((at.to_file(token.text_range()), text))
}

/// The definition of an operation: its parts by name, and its traits.
fn definition_text(shapes: &Shapes, name: &str) -> String {
    let mut rows = Vec::new();
    if let Some(parts) = shapes.parts_of(name) {
        let lists = parts.lists().into_iter();
        rows.extend(lists.filter_map(|(key, list)| {
            let list = list.as_ref().filter(|it| !it.is_empty())?;
            Some(format!("- {key}: {}", list.join(", ")))
        }));
    }
    rows.extend(shapes.traits_of(name).map(|it| format!("- traits: {it}")));
    match rows.is_empty() {
        true => String::new(),
        false => format!("\n\n{}", rows.join("\n")),
    }
}

/// The name of an operation, if a token is one.
fn operation_token(token: &SyntaxToken) -> Option<String> {
    use SyntaxKind::*;
    let parent = token.parent()?;
    let wanted = match parent.kind() {
        MLIR_CUSTOM_OP | MLIR_OPAQUE_OP => IDENT,
        MLIR_GENERIC_OP | PIR_OP => STRING,
        _ => return None,
    };
    let mut tokens = parent.children_with_tokens().filter_map(|it| it.into_token());
    let first = tokens.find(|it| it.kind() == wanted)?;
    (first == *token).then(|| token.text().trim_matches('"').to_owned())
}
