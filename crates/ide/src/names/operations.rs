//! The name at a place of operations and all its mentions: values, blocks, symbols, aliases.
//!
//! Values and blocks of MLIR come from the map that lowering makes; symbols and aliases from [`marks`](super::marks),
//! over all units of the document.

mod linked;

use db::{PlacedUnit, RootDatabase, SourceFile};
use frontend::ops::OpSourceMap;
use ir::{BlockId, Body, Type, ValueId, ValueKind};
use syntax::{
    SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize, TokenAtOffset, symbol_name,
};

use super::{
    Mention, Named,
    marks::{Marks, ScopeIdx, marks},
};
use crate::shortened::shortened;

pub use self::linked::{
    CallerPlace, SharedSymbol, SymbolPart, SymbolPlace, SymbolRole, linked_files, linked_places,
};
pub(crate) use self::linked::{meant_symbol, shared_symbol, symbol_part, symbol_places};

/// The kind of thing that a name names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameKind {
    Value,
    Block,
    Symbol,
    Alias,
}

/// A name with what it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OpName {
    pub(crate) kind: NameKind,
    pub(crate) named: Named,
}

impl OpName {
    fn new(kind: NameKind, offset: TextSize, mut mentions: Vec<Mention>) -> Option<OpName> {
        mentions.sort_by_key(|it| (it.range.start(), it.range.end(), !it.is_definition));
        mentions.dedup_by_key(|it| it.range);
        let range = mentions.iter().find(|it| it.range.contains_inclusive(offset))?.range;
        let definition = mentions.iter().find(|it| it.is_definition).map(|it| it.range);
        Some(OpName { kind, named: Named { range, definition, mentions } })
    }
}

impl Mention {
    /// Values, blocks, symbols and aliases are given a meaning once.
    fn new(range: TextRange, is_definition: bool) -> Mention {
        Mention { range, is_definition, is_write: is_definition }
    }
}

/// The token at an offset of a tree that may be a name.
pub(crate) fn name_token(root: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    use SyntaxKind::*;
    let is_name = |it: &SyntaxToken| {
        matches!(it.kind(), VALUE_ID | BLOCK_ID | SYMBOL_ID | ATTR_ID | TYPE_ID | STRING)
    };
    let token = match root.token_at_offset(offset) {
        TokenAtOffset::None => return None,
        TokenAtOffset::Single(it) => it,
        TokenAtOffset::Between(left, right) => {
            if is_name(&right) {
                right
            } else {
                left
            }
        }
    };
    // `%0#1`: the number belongs to the name.
    if token.kind() == RESULT_NO {
        return token.prev_token().filter(is_name);
    }
    Some(token).filter(is_name)
}

/// The name at an offset of a file.
pub(crate) fn named_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<OpName> {
    let at = db::unit_at(db, file, offset)?;
    let inner = at.from_file(offset)?;
    let root = at.unit.green(db).syntax();
    let token = name_token(&root, inner)?;
    match token.kind() {
        SyntaxKind::VALUE_ID => value_named(db, &at, &root, &token),
        SyntaxKind::BLOCK_ID => block_named(db, &at, &token),
        SyntaxKind::ATTR_ID | SyntaxKind::TYPE_ID => alias_named(db, file, &at, &token, offset),
        SyntaxKind::SYMBOL_ID | SyntaxKind::STRING => symbol_named(db, file, offset),
        _ => None,
    }
}

/// The name alone of the mention of a value or block: without the size of a pack, the number in it, or arguments.
pub(crate) fn name_part(text: &str, range: TextRange) -> TextRange {
    let mention = &text[range];
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '$' | '.' | '_' | '-');
    let name =
        mention.strip_prefix(['%', '^']).and_then(|it| it.split(|it| !is_of_name(it)).next());
    match name {
        Some(name) => TextRange::at(range.start(), TextSize::of(name) + TextSize::new(1)),
        None => range,
    }
}

// ---- values ----

/// The values that share one definition in the text: all of a pack.
pub(crate) fn pack(body: &Body, map: &OpSourceMap, value: ValueId) -> Vec<ValueId> {
    let ValueKind::Result(op, _) = body.values[value].kind else { return vec![value] };
    let definition = map.definition(value);
    let results = body.ops[op].results.iter().copied();
    results.filter(|it| map.definition(*it) == definition).collect()
}

fn value_named(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    root: &SyntaxNode,
    token: &SyntaxToken,
) -> Option<OpName> {
    let offset = token.text_range().start();
    let known = db::lowered(db, at.unit).operations().and_then(|lowered| {
        let (body, map) = (&lowered.body, &lowered.source_map);
        let (value, _) = map.value_at(body, offset)?;
        Some(value_mentions(body, map, db::text(db, at.unit), value))
    });
    let mut mentions = match known {
        Some(mentions) => mentions,
        // In lines that cannot be read, names of PIR still mean something.
        None if root.kind() == SyntaxKind::PIR_BLOCK => scoped_mentions(root, token),
        None => return None,
    };
    for it in &mut mentions {
        it.range = at.to_file(it.range);
    }
    OpName::new(NameKind::Value, at.to_file(token.text_range()).start(), mentions)
}

fn value_mentions(body: &Body, map: &OpSourceMap, text: &str, value: ValueId) -> Vec<Mention> {
    let definition = map.definition(value);
    let mut res = Vec::new();
    if !definition.is_empty() {
        res.push(Mention::new(name_part(text, definition), true));
    }
    for value in pack(body, map, value) {
        let uses = map.uses(body, value).into_iter();
        res.extend(uses.map(|it| Mention::new(name_part(text, it), false)));
    }
    res
}

/// The mentions of a value of PIR.
fn scoped_mentions(root: &SyntaxNode, token: &SyntaxToken) -> Vec<Mention> {
    let same =
        root.tokens().filter(|it| it.kind() == SyntaxKind::VALUE_ID && it.text() == token.text());
    let all: Vec<(TextRange, Option<TextRange>)> = same
        .map(|it| {
            let is_definition =
                it.parent().is_some_and(|it| it.kind() == SyntaxKind::PIR_VALUE_DEF);
            let mut blocks = it.ancestors().filter(|it| it.kind() == SyntaxKind::PIR_BLOCK);
            let scope = blocks.next().map(|it| it.text_range());
            (it.text_range(), scope.filter(|_| is_definition))
        })
        .collect();
    // The innermost block that defines the name, and holds the mention.
    let owner = |place: TextRange| {
        let scopes = all.iter().filter_map(|it| it.1).filter(|it| it.contains_range(place));
        scopes.min_by_key(|it| it.len())
    };
    let wanted = owner(token.text_range());
    all.iter()
        .filter(|it| owner(it.0) == wanted)
        .map(|it| Mention::new(it.0, it.1.is_some()))
        .collect()
}

// ---- blocks ----

/// The block whose label or mention is at an offset of a unit.
pub(crate) fn block_at(body: &Body, map: &OpSourceMap, offset: TextSize) -> Option<BlockId> {
    let is_here = |range: TextRange| !range.is_empty() && range.contains_inclusive(offset);
    let label = || body.blocks.ids().find(|it| is_here(map.label(*it)));
    let of_successor = map.successors().iter().find(|it| is_here(it.label));
    let successor =
        of_successor.and_then(|it| Some(body.ops[it.op].successors.get(it.index as usize)?.block));
    successor.or_else(label)
}

fn block_named(db: &RootDatabase, at: &PlacedUnit<'_>, token: &SyntaxToken) -> Option<OpName> {
    let lowered = db::lowered(db, at.unit).operations()?;
    let (body, map) = (&lowered.body, &lowered.source_map);
    let text = db::text(db, at.unit);
    let offset = token.text_range().start();
    let block = block_at(body, map, offset)?;
    let mut mentions = Vec::new();
    let mut push = |range: TextRange, is_definition| {
        let range = at.to_file(name_part(text, range));
        mentions.push(Mention::new(range, is_definition));
    };
    if !map.label(block).is_empty() {
        push(map.label(block), true);
    }
    for it in map.successors() {
        let target = body.ops[it.op].successors.get(it.index as usize);
        if target.is_some_and(|it| it.block == block) {
            push(it.label, false);
        }
    }
    OpName::new(NameKind::Block, at.to_file(token.text_range()).start(), mentions)
}

// ---- symbols and aliases: over the document ----

/// A unit of a document with its marks; functions with the scope of the frame in which they stand.
struct Marked<'db> {
    at: PlacedUnit<'db>,
    marks: &'db Marks,
    scope: Option<ScopeIdx>,
}

/// The frame around an offset with its functions.
fn document<'db>(
    db: &'db RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<(Marked<'db>, Vec<Marked<'db>>)> {
    let mut units = db::placed_units(db, file).peekable();
    while let Some(frame) = units.next() {
        let is_frame = |it: &PlacedUnit<'_>| it.unit.is_frame(db);
        if !frame.range.contains_inclusive(offset) {
            while units.next_if(|it| !is_frame(it)).is_some() {}
            continue;
        }
        let of_frame = marks(db, frame.unit);
        let mut scopes = of_frame.function_scopes.iter().copied();
        let mut functions = Vec::new();
        while let Some(at) = units.next_if(|it| !is_frame(it)) {
            let scope = Some(scopes.next().unwrap_or_default());
            functions.push(Marked { marks: marks(db, at.unit), at, scope });
        }
        return Some((Marked { at: frame, marks: of_frame, scope: None }, functions));
    }
    None
}

fn symbol_named(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<OpName> {
    let (frame, functions) = document(db, file, offset)?;
    let definition = symbol_at(&frame, &functions, offset)?;
    let place = frame.at.to_file(frame.marks.definitions[definition].range);
    let mut mentions = vec![Mention::new(place, true)];
    for unit in [&frame].into_iter().chain(&functions) {
        for mention in &unit.marks.mentions {
            let scope = mention.scope_in(unit.scope);
            for n in 1..=mention.parts.len() {
                if frame.marks.resolve(scope, &mention.parts[..n]) == Some(definition) {
                    let range = unit.at.to_file(mention.parts[n - 1].1);
                    mentions.push(Mention::new(range, false));
                }
            }
        }
    }
    OpName::new(NameKind::Symbol, offset, mentions)
}

/// The number of the definition of the symbol that is defined or mentioned at an offset.
fn symbol_at(frame: &Marked<'_>, functions: &[Marked<'_>], offset: TextSize) -> Option<usize> {
    if let Some(inner) = frame.at.from_file(offset) {
        let mut definitions = frame.marks.definitions.iter();
        let found = definitions.position(|it| it.range.contains_inclusive(inner));
        if found.is_some() {
            return found;
        }
    }
    for unit in [frame].into_iter().chain(functions) {
        let Some(inner) = unit.at.from_file(offset) else { continue };
        for mention in &unit.marks.mentions {
            let part = mention.parts.iter().position(|it| it.1.contains_inclusive(inner));
            if let Some(part) = part {
                let scope = mention.scope_in(unit.scope);
                return frame.marks.resolve(scope, &mention.parts[..=part]);
            }
        }
    }
    None
}

/// The operation that defines the symbol at an offset, in the file.
pub(crate) fn symbol_definition(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<TextRange> {
    let (frame, functions) = document(db, file, offset)?;
    let definition = symbol_at(&frame, &functions, offset)?;
    Some(frame.at.to_file(frame.marks.definitions[definition].operation))
}

/// A function: its name, all of it, and where its name is written, in the file.
pub(crate) type FunctionPlace = (Box<str>, TextRange, TextRange);

/// A mention of a function in a function.
pub(crate) struct SymbolUse {
    pub(crate) caller: FunctionPlace,
    pub(crate) callee: FunctionPlace,
    /// Where it is mentioned.
    pub(crate) place: TextRange,
}

impl Marked<'_> {
    /// A definition of this frame, if it is a function.
    fn function(&self, definition: usize) -> Option<FunctionPlace> {
        let it = self.marks.definitions.get(definition).filter(|it| it.is_function)?;
        Some((it.name.clone(), self.at.to_file(it.operation), self.at.to_file(it.range)))
    }
}

/// The function whose symbol is defined or mentioned at an offset.
pub(crate) fn symbol_function(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<FunctionPlace> {
    let (frame, functions) = document(db, file, offset)?;
    frame.function(symbol_at(&frame, &functions, offset)?)
}

/// The mentions of functions in functions of the document around an offset, in the order of the text.
pub(crate) fn function_uses(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Vec<SymbolUse> {
    let Some((frame, functions)) = document(db, file, offset) else { return Vec::new() };
    let definitions = frame.marks.definitions.iter().enumerate();
    let defined: Vec<(TextRange, usize)> =
        definitions.map(|(number, it)| (frame.at.to_file(it.operation), number)).collect();
    let mut uses = Vec::new();
    for unit in &functions {
        let own = defined.iter().find(|it| it.0.start() == unit.at.start());
        let Some(caller) = own.and_then(|it| frame.function(it.1)) else { continue };
        for mention in &unit.marks.mentions {
            let resolved = frame.marks.resolve(mention.scope_in(unit.scope), &mention.parts);
            let Some(callee) = resolved.and_then(|it| frame.function(it)) else { continue };
            let Some((_, range)) = mention.parts.last() else { continue };
            uses.push(SymbolUse { caller: caller.clone(), callee, place: unit.at.to_file(*range) });
        }
    }
    uses
}

/// The first line of an operation of a file, without its brace, cut to `max` characters. O(`max`).
pub(crate) fn header(
    db: &RootDatabase,
    file: SourceFile,
    operation: TextRange,
    max: usize,
) -> String {
    let start = operation.start();
    // A character has four bytes at most.
    let end = operation.end().min(start + TextSize::from(max as u32 * 4));
    let text = db::parse(db, file).syntax().text_in(TextRange::new(start, end));
    let first = text.lines().next().unwrap_or_default().trim_end().trim_end_matches('{');
    shortened(first.trim_end(), max)
}

/// The name of the type of a value.
pub(crate) fn type_name(body: &Body, value: ValueId) -> Option<&str> {
    match body.values[value].ty {
        Type::Named(name) => Some(body.name(name)),
        _ => None,
    }
}

/// The symbols that can be named at an offset, with the operations that define them, in the order of the file.
pub(crate) fn visible_symbols(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Vec<(Box<str>, TextRange)> {
    let Some((frame, functions)) = document(db, file, offset) else { return Vec::new() };
    let function = functions.iter().find(|it| it.at.range.contains(offset)).and_then(|it| it.scope);
    let of_frame = || Some(frame.marks.scope_at(frame.at.from_file(offset)?));
    let scope = function.or_else(of_frame).unwrap_or_default();
    let visible = frame.marks.visible(scope).into_iter().map(|it| &frame.marks.definitions[it]);
    visible.map(|it| (it.name.clone(), frame.at.to_file(it.operation))).collect()
}

/// Returns true if a document already has a symbol or an alias of a name.
pub(crate) fn is_taken(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    kind: NameKind,
    name: &str,
) -> bool {
    let Some((frame, functions)) = document(db, file, offset) else { return false };
    let bare = symbol_name(name);
    [&frame].into_iter().chain(&functions).any(|it| match kind {
        NameKind::Alias => it.marks.aliases.iter().any(|it| *it.0 == *name),
        _ => {
            it.marks.definitions.iter().any(|it| *it.name == *bare)
                || it.marks.mentions.iter().flat_map(|it| &it.parts).any(|it| *it.0 == *bare)
        }
    })
}

fn alias_named(
    db: &RootDatabase,
    file: SourceFile,
    at: &PlacedUnit<'_>,
    token: &SyntaxToken,
    offset: TextSize,
) -> Option<OpName> {
    let of_document = db::frame_of(db, at.unit)?;
    let (definition, _) = db::aliases(db, of_document.unit).get(token.text())?;
    let definition = of_document.to_file(definition);
    let (frame, functions) = document(db, file, offset)?;
    let mut mentions = vec![Mention::new(definition, true)];
    for unit in [&frame].into_iter().chain(&functions) {
        let same = unit.marks.aliases.iter().filter(|it| *it.0 == *token.text());
        mentions.extend(
            same.map(|it| unit.at.to_file(it.1))
                .filter(|it| *it != definition)
                .map(|range| Mention::new(range, false)),
        );
    }
    OpName::new(NameKind::Alias, offset, mentions)
}
