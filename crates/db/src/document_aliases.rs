//! The aliases that units of operations see of their document: `#alias` and `!alias` definitions, one query a name, so
//! that the edit of one invalidates its users only.

use std::{collections::BTreeSet, sync::Arc};

use frontend::mlir::Aliases;
use rustc_hash::FxHashMap;
use syntax::{
    AstNode as _, Green, GreenStep, SyntaxKind, SyntaxNode, TextRange,
    ast::mlir::{AttrAliasDef, TypeAliasDef},
};

use crate::{
    Db,
    index::file_index,
    input::SourceFile,
    unit::{Unit, units},
};

/// The definitions of the aliases of a document, in its frame, with their resolved texts. The first definition of a
/// name counts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DocumentAliases {
    ranges: FxHashMap<Box<str>, TextRange>,
    texts: Aliases,
    again: Vec<(Box<str>, TextRange)>,
}

impl DocumentAliases {
    /// Returns the place where a name (`#map`, `!t`) is defined, and the canonical text that it stands for.
    pub fn get(&self, name: &str) -> Option<(TextRange, &str)> {
        Some((*self.ranges.get(name)?, &**self.texts.get(name)?))
    }

    /// The names in the order of their definitions, each with the canonical text that it stands for.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut names: Vec<(&str, TextRange)> =
            self.ranges.iter().map(|(name, range)| (&**name, *range)).collect();
        names.sort_unstable_by_key(|it| it.1.start());
        names.into_iter().filter_map(|(name, _)| Some((name, &**self.texts.get(name)?)))
    }

    /// Definitions of names that are defined before: the name, where it is, and where the first one is.
    pub fn redefinitions(&self) -> impl Iterator<Item = (&str, TextRange, TextRange)> {
        self.again.iter().map(|(name, range)| (&**name, *range, self.ranges[name]))
    }
}

/// The aliases that a frame defines.
#[salsa::tracked(returns(ref), no_eq)]
pub fn aliases<'db>(db: &'db dyn Db, frame: Unit<'db>) -> DocumentAliases {
    let mut aliases = DocumentAliases::default();
    for node in frame.green(db).syntax().children() {
        let name = node.first_child_or_token().and_then(|it| it.into_token());
        let Some((name, value)) = name.zip(alias_value(&node)) else { continue };
        if aliases.ranges.contains_key(name.text()) {
            aliases.again.push((name.text().into(), name.text_range()));
            continue;
        }
        aliases.texts.define(name.text(), &value.text());
        aliases.ranges.insert(name.text().into(), name.text_range());
    }
    aliases
}

fn alias_value(node: &SyntaxNode) -> Option<SyntaxNode> {
    let attribute = AttrAliasDef::cast(node.clone()).and_then(|it| it.attr());
    let ty = TypeAliasDef::cast(node.clone()).and_then(|it| it.ty());
    attribute.map(|it| it.syntax().clone()).or_else(|| ty.map(|it| it.syntax().clone()))
}

/// The name of an alias as a document sees it.
#[salsa::interned(debug)]
pub struct AliasName<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The slot of the frame of the document.
    #[returns(copy)]
    pub document: u32,
    /// The name, with its `#` or `!`.
    #[returns(ref)]
    pub name: Box<str>,
}

/// Returns the canonical text of an alias, if the document defines it.
#[salsa::tracked(returns(ref))]
pub fn alias<'db>(db: &'db dyn Db, name: AliasName<'db>) -> Option<Arc<str>> {
    let file = name.file(db);
    let number = file_index(db, file).frame(name.document(db))?;
    let frame = units(db, file).frames[number];
    aliases(db, frame).texts.get(name.name(db)).cloned()
}

/// The aliases that a text mentions.
#[derive(Clone, Default, Debug)]
pub(crate) struct Mentioned {
    pub(crate) names: BTreeSet<Box<str>>,
    pub(crate) aliases: Aliases,
}

impl Mentioned {
    /// Adds the name of an alias, if it is new, with the text that `find` returns.
    pub(crate) fn add(&mut self, name: &str, find: impl FnOnce(&str) -> Option<Arc<str>>) {
        if self.names.contains(name) {
            return;
        }
        self.names.insert(name.into());
        if let Some(text) = find(name) {
            self.aliases.add_canonical(name, &text);
        }
    }
}

/// The aliases whose names a unit mentions.
pub(crate) fn mentioned_aliases<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    green: &Green,
    text: &str,
) -> Mentioned {
    let mut mentioned = Mentioned::default();
    if !text.bytes().any(|it| matches!(it, b'#' | b'!')) {
        return mentioned;
    }
    let (file, document) = (unit.file(db), unit.document(db));
    green.walk(|step| {
        if let GreenStep::Token(SyntaxKind::ATTR_ID | SyntaxKind::TYPE_ID, name) = step {
            mentioned.add(name, |it| alias(db, AliasName::new(db, file, document, it)).clone());
        }
    });
    mentioned
}
