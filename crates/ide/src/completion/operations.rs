//! The names of units of operations: values in scope, blocks, symbols, aliases, operations and dialects.

use std::collections::BTreeSet;

use db::{PlacedUnit, RootDatabase, SourceFile};
use frontend::{language, mlir::enum_words};
use ir::{Body, ValueId};
use syntax::{TextRange, TextSize};

use super::{
    Completion, CompletionKind, Completions, MAX_ITEMS,
    context::{Inside, Key, Typed, Word, is_defined_here, key, typed, word},
    is_completion,
    scope::{self, Place},
};
use crate::{
    attribute_names::attribute_names,
    names::operations::{header, name_part, pack, type_name, visible_symbols},
    plan_text::operations::op_name,
    shortened::shortened,
};

/// More of a detail is not shown.
const MAX_DETAIL: usize = 80;

/// The attributes of functions that their headers write.
const OF_HEADER: [&str; 5] =
    ["sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"];

pub(super) fn completions(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<Completions> {
    let at = db::unit_at(db, file, offset)?;
    let inner = at.from_file(offset)?;
    if let Some((items, typed)) = parts_of_operation(db, file, db::text(db, at.unit), inner) {
        let found = answer(items, &typed, at.to_file(typed.range), false);
        return (!found.items.is_empty()).then_some(found);
    }
    let typed = typed(db::text(db, at.unit), inner)?;
    if is_defined_here(db::text(db, at.unit), typed.range, db::shapes(db, file)) {
        return None;
    }
    let items = match typed.wanted {
        CompletionKind::Value => values(db, &at, inner)?,
        CompletionKind::Block => blocks(db, &at, inner)?,
        CompletionKind::Symbol => symbols(db, file, offset),
        kind @ (CompletionKind::Attribute | CompletionKind::Type) => aliases(db, &at, kind)?,
        _ => operations(db, file, typed.prefix),
    };
    let is_operation = typed.wanted == CompletionKind::Operation;
    Some(answer(items, &typed, at.to_file(typed.range), is_operation))
}

/// The items that fit what is typed, best first.
fn answer(
    mut items: Vec<Completion>,
    typed: &Typed<'_>,
    replaced: TextRange,
    has_more: bool,
) -> Completions {
    items.retain(|it| it.label != typed.prefix && is_completion(&it.label, typed.prefix));
    // Equally good ones stay in their order.
    items.sort_by_key(|it| !it.label.starts_with(typed.prefix));
    let is_incomplete = items.len() > MAX_ITEMS || has_more;
    items.truncate(MAX_ITEMS);
    Completions { replaced, items, is_incomplete }
}

/// The names of attributes where a key of an operation's dictionary is typed, with operations behind them if it may be
/// a region as well, and the words of an enumeration where one of them is. None where other names are typed.
fn parts_of_operation<'a>(
    db: &RootDatabase,
    file: SourceFile,
    text: &'a str,
    offset: TextSize,
) -> Option<(Vec<Completion>, Typed<'a>)> {
    let shapes = &file.configuration(db).dialects(db).shapes;
    let language = db::language(db, file);
    if !language.support().uses_shapes {
        return None;
    }
    let read = |text: &str| syntax::parse_with(language, shapes, text).syntax();
    if let Some(Key { op, written, inside, is_generic, typed }) = key(text, offset, &read) {
        if inside == Inside::Region {
            return None;
        }
        let has_header = !is_generic && shapes.is_function(op);
        let is_there = |it: &str| written.contains(&it) || has_header && OF_HEADER.contains(&it);
        let names = attribute_names(shapes, op).into_iter().filter(|it| !is_there(&it.name));
        let items = names.map(|it| Completion {
            label: it.name,
            kind: CompletionKind::Key,
            detail: match (it.is_unit, it.is_optional) {
                (true, _) => Some("its presence is all that it says".to_owned()),
                (_, true) => Some("optional".to_owned()),
                _ => None,
            },
            documentation: None,
        });
        let mut items: Vec<Completion> = items.collect();
        if inside == Inside::Either {
            items.extend(operations(db, file, typed.prefix));
        }
        return Some((items, typed));
    }
    let Word { op, flag, written, typed } = word(text, offset)?;
    let words = enum_words(shapes.full_name(op), flag);
    let items = words.into_iter().filter(|it| !written.contains(it)).map(|it| Completion {
        label: it.to_owned(),
        kind: CompletionKind::Word,
        detail: None,
        documentation: None,
    });
    let items: Vec<Completion> = items.collect();
    (!items.is_empty()).then_some((items, typed))
}

fn values(db: &RootDatabase, at: &PlacedUnit<'_>, offset: TextSize) -> Option<Vec<Completion>> {
    let lowered = db::lowered(db, at.unit).operations()?;
    let (body, map) = (&lowered.body, &lowered.source_map);
    let text = db::text(db, at.unit);
    let shapes = db::shapes(db, at.unit.file(db));
    let is_isolated = |op| {
        let name = op_name(body, op);
        shapes.is_function(name) || shapes.is_module(name)
    };
    let place = Place::at(body, map, offset)?;
    let label = |value: ValueId| {
        let definition = map.definition(value);
        let name = &text[name_part(text, definition)];
        let pack = pack(body, map, value);
        match pack.iter().position(|it| *it == value) {
            Some(number) if pack.len() > 1 => format!("{name}#{number}"),
            _ => name.to_owned(),
        }
    };
    let found = scope::values(body, map, place, &is_isolated);
    let named = found.into_iter().filter(|it| !map.definition(*it).is_empty());
    let mut seen = BTreeSet::new();
    let items = named.map(|value| Completion {
        label: label(value),
        kind: CompletionKind::Value,
        detail: type_name(body, value).map(|it| shortened(it, MAX_DETAIL)),
        documentation: None,
    });
    Some(items.filter(|it| seen.insert(it.label.clone())).collect())
}

fn blocks(db: &RootDatabase, at: &PlacedUnit<'_>, offset: TextSize) -> Option<Vec<Completion>> {
    let lowered = db::lowered(db, at.unit).operations()?;
    let (body, map) = (&lowered.body, &lowered.source_map);
    let text = db::text(db, at.unit);
    let place = Place::at(body, map, offset)?;
    let blocks = body.regions[place.region].blocks.iter().copied();
    let named = blocks.filter(|it| !map.label(*it).is_empty());
    let items = named.map(|block| Completion {
        label: text[name_part(text, map.label(block))].to_owned(),
        kind: CompletionKind::Block,
        detail: arguments(body, &body.blocks[block].args),
        documentation: None,
    });
    Some(items.collect())
}

/// The types of the arguments of a block, if it has some.
fn arguments(body: &Body, args: &[ValueId]) -> Option<String> {
    let types: Vec<&str> = args.iter().map(|it| type_name(body, *it).unwrap_or("?")).collect();
    (!types.is_empty()).then(|| shortened(&format!("({})", types.join(", ")), MAX_DETAIL))
}

fn symbols(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Vec<Completion> {
    let found = visible_symbols(db, file, offset);
    let items = found.into_iter().map(|(name, operation)| Completion {
        label: syntax::symbol_text(&name),
        kind: CompletionKind::Symbol,
        detail: Some(header(db, file, operation, MAX_DETAIL)),
        documentation: None,
    });
    items.collect()
}

fn aliases(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    kind: CompletionKind,
) -> Option<Vec<Completion>> {
    let frame = db::frame_of(db, at.unit)?;
    let sigil = if kind == CompletionKind::Type { '!' } else { '#' };
    let all = db::aliases(db, frame.unit).names();
    let items = all.filter(|(name, _)| name.starts_with(sigil)).map(|(name, text)| Completion {
        label: name.to_owned(),
        kind,
        detail: Some(shortened(text, MAX_DETAIL)),
        documentation: None,
    });
    Some(items.collect())
}

/// The operations of the dialect of a prefix; without one, the dialects and the operations that are written without
/// theirs.
fn operations(db: &RootDatabase, file: SourceFile, prefix: &str) -> Vec<Completion> {
    let language = db::language(db, file);
    let namespace = language::of(language).namespace;
    let shapes = db::shapes(db, file);
    let uses_shapes = language.support().uses_shapes;
    let of_effects = file.configuration(db).dialects(db).effects.entries(namespace).into_iter();
    let of_shapes = shapes.operations().filter(|_| uses_shapes);
    let all = of_effects.filter(|it| !it.contains('*')).chain(of_shapes);
    let operation = |name: &str| Completion {
        label: name.to_owned(),
        kind: CompletionKind::Operation,
        detail: shapes.example_of(name).filter(|it| uses_shapes && !it.is_empty()),
        documentation: None,
    };
    if let Some((dialect, _)) = prefix.split_once('.') {
        let of_dialect = |it: &&str| it.split('.').next() == Some(dialect);
        // There may be many: forms are read of those that are shown.
        let fits: BTreeSet<&str> =
            all.filter(of_dialect).filter(|it| is_completion(it, prefix)).collect();
        let mut fits: Vec<&str> = fits.into_iter().collect();
        fits.sort_by_key(|it| !it.starts_with(prefix));
        return fits.into_iter().take(MAX_ITEMS + 1).map(operation).collect();
    }
    let all: BTreeSet<&str> = all.collect();
    let dialects: BTreeSet<&str> =
        all.iter().filter_map(|it| Some(it.split_once('.')?.0)).collect();
    let bare = all.iter().filter(|it| !it.contains('.')).map(|it| operation(it));
    let dialects = dialects.into_iter().map(|it| Completion {
        label: format!("{it}."),
        kind: CompletionKind::Dialect,
        detail: None,
        documentation: None,
    });
    bare.chain(dialects).collect()
}
