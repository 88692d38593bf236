//! Symbols that the files of a folder share: one file defines a symbol, and others declare it or mention it.
//!
//! In: the place of a symbol, and what each other file of the folder has to do with it. Out: the files that mean the
//! same. A symbol is seen from outside if it stands at the top of its document, or in tables with names that do, and if
//! nothing on the way is private; a declaration without a body stands for the definition elsewhere. A file of several
//! documents is a test of each, and shares nothing. Where two files define a symbol, it is not known who means which,
//! so each file is left to itself.

use db::{PlacedUnit, RootDatabase, SourceFile};
use syntax::{Edit, Form, TextRange, TextSize, escaped, is_bare_name, symbol_name, symbol_text};

use super::{super::marks::SymbolDef, Marked, document, symbol_at};
use crate::{shortened::shown_name, units::of_units};

/// A symbol that files beside its own may mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedSymbol {
    /// The names of the tables around it, and its own.
    path: Vec<Box<str>>,
    /// True if it is defined here, and not only declared or mentioned.
    pub is_definition: bool,
}

/// A place of a symbol that may be another file's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolPlace {
    /// Its name there.
    pub range: TextRange,
    /// Its role there.
    pub role: SymbolRole,
    /// The function whose body mentions it.
    pub within: Option<CallerPlace>,
}

/// The role of a place of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolRole {
    /// The symbol with its body.
    Definition,
    /// It without a body.
    Declaration,
    /// Its name.
    Mention,
}

/// A function that mentions a symbol, in its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallerPlace {
    /// Its name, which can be seen.
    pub name: Box<str>,
    /// All of it.
    pub range: TextRange,
    /// Where its name is written.
    pub selection: TextRange,
}

impl SharedSymbol {
    /// Returns true if a text may have the name of the symbol or its new name in it: others need not be read.
    pub fn may_be_in(&self, text: &str, new_name: Option<&str>) -> bool {
        let new = new_name.map(symbol_name);
        let names = self.path.last().map(|it| &**it).into_iter().chain(new.as_deref());
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

/// The symbol that is meant at an offset, if other files may mean it: one of its file, or one that nothing there
/// defines.
pub(crate) fn meant_symbol(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<SharedSymbol> {
    if db::form(db, file) != Form::Operations {
        return None;
    }
    let document = Document::only(db, file)?;
    if symbol_at(&document.frame, &document.functions, offset).is_some() {
        return shared_symbol(db, file, offset);
    }
    for unit in document.units() {
        let Some(inner) = unit.at.from_file(offset) else { continue };
        for mention in &unit.marks.mentions {
            let part = mention.parts.iter().position(|it| it.1.contains_inclusive(inner));
            let Some(part) = part else { continue };
            let scope = mention.scope_in(unit.scope);
            let is_foreign = document.frame.marks.resolve(scope, &mention.parts[..1]).is_none();
            let path = mention.parts[..=part].iter().map(|it| it.0.clone()).collect();
            return is_foreign.then_some(SharedSymbol { path, is_definition: false });
        }
    }
    None
}

/// The places of a symbol in a file, in the order of the text.
pub(crate) fn symbol_places(
    db: &RootDatabase,
    file: SourceFile,
    symbol: &SharedSymbol,
) -> Vec<SymbolPlace> {
    Document::only(db, file).map(|it| it.places(symbol)).unwrap_or_default()
}

/// The numbers of the files that mean a symbol too, by its places in each: none where several define it, or none does.
pub fn linked_places(symbol: &SharedSymbol, files: &[Vec<SymbolPlace>]) -> Vec<usize> {
    let defines = |it: &&Vec<SymbolPlace>| it.iter().any(|it| it.role == SymbolRole::Definition);
    let n_definitions = files.iter().filter(defines).count();
    if n_definitions + usize::from(symbol.is_definition) != 1 {
        return Vec::new();
    }
    (0..files.len()).filter(|it| !files[*it].is_empty()).collect()
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
    let root = db::parse(db, file).syntax();
    let places = document.places(symbol);
    let mut part = SymbolPart {
        defines: places.iter().any(|it| it.role == SymbolRole::Definition),
        ..SymbolPart::default()
    };
    let Some((_, around)) = symbol.path.split_last() else { return part };
    let marks = document.frame.marks;
    for (number, _) in marks.definitions.iter().enumerate().filter(|it| *it.1.name == *new) {
        part.uses_new = true;
        let is_beside = document.path(number).is_some_and(|path| path[..path.len() - 1] == *around);
        part.defines_new |= is_beside && !document.is_declared(number);
    }
    let mut mentioned = document.units().flat_map(|it| &it.marks.mentions);
    part.uses_new |= mentioned.any(|it| it.parts.iter().any(|it| *it.0 == *new));
    let edit = |range: TextRange| match root.text_in(range).starts_with('@') {
        true => Edit::replace(range, symbol_text(&new)),
        false => Edit::replace(range, escaped(&new)),
    };
    part.edits = places.iter().map(|it| edit(it.range)).collect();
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

    /// The frame and its functions.
    fn units(&self) -> impl Iterator<Item = &Marked<'db>> {
        std::iter::once(&self.frame).chain(&self.functions)
    }

    /// The places of a symbol, in the order of the text.
    fn places(&self, symbol: &SharedSymbol) -> Vec<SymbolPlace> {
        let marks = self.frame.marks;
        let mut places = Vec::new();
        let Some(name) = symbol.path.last() else { return places };
        for (number, definition) in marks.definitions.iter().enumerate() {
            if definition.name != *name || self.path(number).as_ref() != Some(&symbol.path) {
                continue;
            }
            let role = match self.is_declared(number) {
                true => SymbolRole::Declaration,
                false => SymbolRole::Definition,
            };
            let range = self.frame.at.to_file(definition.range);
            places.push(SymbolPlace { range, role, within: None });
        }
        for unit in self.units() {
            for mention in &unit.marks.mentions {
                let scope = mention.scope_in(unit.scope);
                let is_foreign = marks.resolve(scope, &mention.parts[..1]).is_none();
                for n in 1..=mention.parts.len() {
                    let parts = &mention.parts[..n];
                    let is_same = match marks.resolve(scope, parts) {
                        Some(it) => self.path(it).as_ref() == Some(&symbol.path),
                        None => is_foreign && parts.iter().map(|it| &it.0).eq(&symbol.path),
                    };
                    if is_same {
                        places.push(SymbolPlace {
                            range: unit.at.to_file(parts[n - 1].1),
                            role: SymbolRole::Mention,
                            within: self.caller(unit),
                        });
                    }
                }
            }
        }
        places.sort_by_key(|it| (it.range.start(), it.range.end()));
        places.dedup_by_key(|it| it.range);
        places
    }

    /// The function that a unit is.
    fn caller(&self, unit: &Marked<'_>) -> Option<CallerPlace> {
        let start = |it: &SymbolDef| self.frame.at.to_file(it.operation).start();
        let definitions = &self.frame.marks.definitions;
        let own = definitions.iter().position(|it| start(it) == unit.at.start())?;
        let (name, range, selection) = self.frame.function(own)?;
        Some(CallerPlace { name: shown_name(&name).into(), range, selection })
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
