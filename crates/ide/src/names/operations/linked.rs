//! Symbols that the files of a folder share: one file defines a symbol, and others declare it or mention it.
//!
//! In: the place of a symbol, and what each other file of the folder has to do with it. Out: the files that mean the
//! same. A symbol is seen from outside if it stands at the top of its document, or in tables with names that do, and if
//! nothing on the way is private; a declaration without a body stands for the definition elsewhere. A file of several
//! documents is a test of each, and shares nothing. Where two files define a symbol, it is not known who means which,
//! so each file is left to itself.

use db::{PlacedUnit, RootDatabase, SourceFile};
use syntax::{Edit, TextRange, TextSize, escaped, is_bare_name, symbol_name, symbol_text};

use super::{Marked, document, symbol_at};
use crate::units::of_units;

/// A symbol that files beside its own may mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedSymbol {
    /// The names of the tables around it, and its own.
    path: Vec<Box<str>>,
    /// True if it is defined here, and not only declared.
    is_definition: bool,
}

impl SharedSymbol {
    /// Returns true if a text may have the name of the symbol or its new name in it: others need not be read.
    pub fn may_be_in(&self, text: &str, new_name: &str) -> bool {
        let new = symbol_name(new_name);
        let names = self.path.last().map(|it| &**it).into_iter().chain([&*new]);
        // A name that needs quotes may be written in several ways.
        names.into_iter().any(|it| !is_bare_name(it) || text.contains(it))
    }
}

/// The part of a file in giving a symbol of another one a new name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SymbolPart {
    /// True if the file defines a symbol of the name.
    defines: bool,
    /// The edits that give it the new name, in the order of the text.
    pub edits: Vec<Edit>,
    /// True if the new name is used in the file.
    uses_new: bool,
    /// True if the file defines a symbol of the new name.
    defines_new: bool,
}

/// The symbol at an offset, if other files may mean it.
pub(crate) fn shared_symbol(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<SharedSymbol> {
    let document = Document::only(db, file)?;
    let definition = symbol_at(&document.frame, &document.functions, offset)?;
    let path = document.path(definition)?;
    Some(SharedSymbol { path, is_definition: !document.is_declared(definition) })
}

/// Returns the part of a file in giving a symbol of another one a new name.
pub(crate) fn symbol_part(
    db: &RootDatabase,
    file: SourceFile,
    symbol: &SharedSymbol,
    new_name: &str,
) -> SymbolPart {
    let Some(document) = Document::only(db, file) else { return SymbolPart::default() };
    let new = symbol_name(new_name);
    let Document { frame, functions } = &document;
    let root = db::parse(db, file).syntax();
    let mut part = SymbolPart::default();
    let mut places: Vec<TextRange> = Vec::new();
    let Some((last, around)) = symbol.path.split_last() else { return part };
    for (number, definition) in frame.marks.definitions.iter().enumerate() {
        let is_old = *definition.name == **last;
        part.uses_new |= *definition.name == *new;
        if !is_old && *definition.name != *new {
            continue;
        }
        let Some(path) = document.path(number) else { continue };
        if path[..path.len() - 1] != *around {
            continue;
        }
        let is_definition = !document.is_declared(number);
        if is_old {
            part.defines |= is_definition;
            places.push(frame.at.to_file(definition.range));
        } else {
            part.defines_new |= is_definition;
        }
    }
    for unit in std::iter::once(frame).chain(functions) {
        for mention in &unit.marks.mentions {
            let scope = mention.scope_in(unit.scope);
            let is_foreign = frame.marks.resolve(scope, &mention.parts[..1]).is_none();
            for n in 1..=mention.parts.len() {
                let parts = &mention.parts[..n];
                part.uses_new |= *parts[n - 1].0 == *new;
                let is_same = match frame.marks.resolve(scope, parts) {
                    Some(it) => document.path(it).as_ref() == Some(&symbol.path),
                    None => is_foreign && parts.iter().map(|it| &it.0).eq(&symbol.path),
                };
                if is_same {
                    places.push(unit.at.to_file(parts[n - 1].1));
                }
            }
        }
    }
    places.sort_unstable_by_key(|it| (it.start(), it.end()));
    places.dedup();
    let edit = |range: TextRange| match root.text_in(range).starts_with('@') {
        true => Edit::replace(range, symbol_text(&new)),
        false => Edit::replace(range, escaped(&new)),
    };
    part.edits = places.into_iter().map(edit).collect();
    part
}

/// The numbers of the files that mean the symbol too, and get its new name.
///
/// # Errors
///
/// The reason why the symbol cannot have that name, if it has it in files that mean the symbol, or another file defines
/// it: `files` have names for people.
pub fn linked_files(
    symbol: &SharedSymbol,
    files: &[(String, SymbolPart)],
    new_name: &str,
) -> Result<Vec<usize>, String> {
    let n_definitions = files.iter().filter(|it| it.1.defines).count();
    if n_definitions + usize::from(symbol.is_definition) != 1 {
        return Ok(Vec::new());
    }
    let is_linked = |it: &&(usize, &(String, SymbolPart))| !it.1.1.edits.is_empty();
    let linked: Vec<_> = files.iter().enumerate().filter(|it| is_linked(&it)).collect();
    if linked.is_empty() {
        return Ok(Vec::new());
    }
    let new = symbol_text(&symbol_name(new_name));
    if let Some((_, (name, _))) = linked.iter().find(|(_, it)| it.1.uses_new) {
        return Err(format!("`{name}` means this symbol too, and has the name `{new}` already"));
    }
    if let Some((name, _)) = files.iter().find(|(_, it)| it.defines_new) {
        return Err(format!(
            "`{name}` defines `{new}`: files that mean this symbol could not tell the two apart"
        ));
    }
    Ok(linked.into_iter().map(|it| it.0).collect())
}

/// The only document of a file.
struct Document<'db> {
    frame: Marked<'db>,
    functions: Vec<Marked<'db>>,
}

impl<'db> Document<'db> {
    fn only(db: &'db RootDatabase, file: SourceFile) -> Option<Document<'db>> {
        let start = |at: PlacedUnit<'_>| at.unit.is_frame(db).then_some(at.range.start());
        let mut frames = of_units(db, file, None, start).flatten();
        let (first, second) = (frames.next()?, frames.next());
        if second.is_some() {
            return None;
        }
        let (frame, functions) = document(db, file, first)?;
        Some(Document { frame, functions })
    }

    /// The names of the tables around a definition and its own, if it is seen from outside.
    fn path(&self, definition: usize) -> Option<Vec<Box<str>>> {
        let marks = self.frame.marks;
        let mut path = Vec::new();
        let mut at = definition;
        loop {
            let it = &marks.definitions[at];
            if it.is_private && !self.is_declared(at) {
                return None;
            }
            path.push(it.name.clone());
            if it.scope == marks.top {
                break;
            }
            at = marks.definitions.iter().position(|outer| outer.opens == Some(it.scope))?;
        }
        path.reverse();
        Some(path)
    }

    /// Returns true for a function without a body.
    fn is_declared(&self, definition: usize) -> bool {
        let it = &self.frame.marks.definitions[definition];
        let start = self.frame.at.to_file(it.operation).start();
        let unit = self.functions.iter().find(|it| it.at.start() == start);
        it.is_function && unit.is_some_and(|it| !it.marks.has_operations)
    }
}
